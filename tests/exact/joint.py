# SPDX-License-Identifier: Apache-2.0
"""tests/exact/joint.py - the exact duality gap of a joint model of many classes (klr, softmax).

    primal   1/2 sum_k |f_k|^2 + sum_i c_i (log sum_k exp(z_ik) - z_iy),   z = f + b
    dual     -1/2 sum_k beta_k'K beta_k - sum_i c_i sum_k p_ik log p_ik,   beta_i = c_i (e_y - p_i)

The stored coefficients are moved into the dual set by as little as possible: the coefficient of the
own class of a row becomes minus the sum of the others; then, with intercepts, a row with enough of
both classes takes what the column of a class lacks, in exchange with the last class. Where no row
has room, all rows are mixed with one distribution that balances the columns.

Notation   as in judge.py;  beta, f and b have one number per class
"""

import decimal
import math
from decimal import Decimal

from judge import (ARITHMETIC, INFINITY, ZERO, Infeasible, Proof, costs_of, kernel_matrix,
                   kernel_of, same_label)
from stored import read_stored


class JointProblem:
    """The joint machine over its rows: everything but the coefficients."""

    def __init__(self, header, rows, targets, weights):
        self.intercept = header["has_intercept"]
        self.classes = len(header["labels"])
        self.own = [next(k for k, label in enumerate(header["labels"]) if same_label(word, label))
                    for word in targets]
        self.costs = costs_of(header, targets, weights)
        self.K = kernel_matrix(kernel_of(header["kernel"]),
                               [[Decimal(value) for value in row] for row in rows])

    def values(self, beta):
        """f: for every row and class."""
        support = [j for j, row in enumerate(beta) if any(row)]
        return [[sum((kernel[j] * beta[j][k] for j in support), ZERO) for k in range(self.classes)]
                for kernel in self.K]

    def primal(self, beta, b):
        f = self.values(beta)
        losses = sum(c * (log_sum([value + shift for value, shift in zip(row, b)])
                          - row[own] - b[own])
                     for c, row, own in zip(self.costs, f, self.own) if c)
        return inner(beta, f) / 2 + losses

    def dual(self, beta):
        entropy = ZERO
        for c, row, own in zip(self.costs, beta, self.own):
            for k, value in enumerate(row if c else ()):
                p = (c - value if k == own else -value) / c
                if p < 0:
                    raise Infeasible("a probability is negative")
                entropy += c * p * p.ln() if p else ZERO
        return -inner(beta, self.values(beta)) / 2 - entropy


def log_sum(z):
    top = max(z)
    return top + sum((value - top).exp() for value in z).ln()


def inner(beta, f):
    return sum((a * value for row, values in zip(beta, f) for a, value in zip(row, values) if a),
               ZERO)


def settle_rows(problem, beta):
    """Every row sums to 0, with probabilities that are not negative."""
    out = []
    for c, row, own in zip(problem.costs, beta, problem.own):
        others = [min(value, ZERO) if c and k != own else ZERO for k, value in enumerate(row)]
        total = -sum(others)
        if total > c:
            others = [value * c / total for value in others]
        others[own] = -sum(others)
        out.append(others)
    return out


def shares(problem, beta, i):
    """c p of row i, for every class."""
    return [problem.costs[i] - value if k == problem.own[i] else -value
            for k, value in enumerate(beta[i])]


def exchanged(problem, beta):
    """Every column sums to 0: single rows exchange the last class for another. Throws Infeasible."""
    beta = [list(row) for row in beta]
    last = problem.classes - 1
    for k in range(last):
        lack = -sum(row[k] for row in beta)
        if not lack:
            continue
        def left(i):
            mass = shares(problem, beta, i)
            return min(mass[k] - lack, mass[last] + lack)
        best = max((i for i, c in enumerate(problem.costs) if c), key=left)
        if left(best) < 0:
            raise Infeasible("no row has enough of two classes")
        beta[best][k] += lack
        beta[best][last] -= lack
    return beta


def mixed(problem, beta):
    """The same: all rows get a share of one distribution."""
    total = sum(problem.costs)
    costs = [sum(c for c, own in zip(problem.costs, problem.own) if own == k)
             for k in range(problem.classes)]
    sums = [sum(row[k] for row in beta) for k in range(problem.classes)]
    share = max((abs(value) / c if c else INFINITY) if value else ZERO
                for value, c in zip(sums, costs))
    if not share:
        return beta
    if share >= 1:
        raise Infeasible("the sums of the columns are as large as the costs")
    common = [c / total + (1 - share) * value / (share * total) for c, value in zip(costs, sums)]
    return [[(1 - share) * value + share * c * ((k == own) - p)
             for k, (value, p) in enumerate(zip(row, common))]
            for row, c, own in zip(beta, problem.costs, problem.own)]


def repaired(problem, beta):
    """The best of the points of the dual set next to the stored coefficients."""
    rows = settle_rows(problem, beta)
    if not problem.intercept:
        return rows
    points = []
    for balance in (exchanged, mixed):
        try:
            points.append((problem.dual(point := balance(problem, rows)), point))
        except Infeasible:
            continue
    if not points:
        raise Infeasible("the columns do not sum to 0")
    return max(points, key=lambda pair: pair[0])[1]


def noise_of(problem, beta, b):
    """A bound on the rounding error of a gap."""
    unit = Decimal(10) ** (4 - decimal.getcontext().prec)
    sizes = [sum(map(abs, row), ZERO) for row in beta]
    noise = ZERO
    for kernel, size, c in zip(problem.K, sizes, problem.costs):
        reach = 1 + sum(map(abs, b)) + sum(abs(k) * value for k, value in zip(kernel, sizes))
        noise += (size + c) * reach * problem.classes
    return unit * noise


def prove(problem, beta, b, stated_gap=math.nan):
    """The proof of coefficients and intercepts; the gap is infinite if they prove nothing."""
    if not all(value.is_finite() for row in (*beta, b) for value in row):
        return Proof(INFINITY, INFINITY, -INFINITY, ZERO, stated_gap)
    primal = problem.primal(beta, b)
    try:
        point = repaired(problem, beta)
        dual = problem.dual(point)
    except Infeasible:
        return Proof(INFINITY, primal, -INFINITY, INFINITY, stated_gap)
    moved = sum((abs(after - before) for rows in zip(beta, point)
                 for before, after in zip(*rows)), ZERO)
    return Proof(primal - dual, primal, dual, moved, stated_gap, noise_of(problem, beta, b))


def exact_gap(model_path, data_path, weights_path=None):
    """The Proof of a stored model: its .gap and .primal are exact."""
    with decimal.localcontext(ARITHMETIC):
        model, rows, targets, weights = read_stored(model_path, data_path, weights_path)
        problem = JointProblem(model.header, rows, targets, weights)
        beta = [[ZERO] * problem.classes for _ in rows]
        for place, values in model.coefficients_of_rows():
            beta[place] = [Decimal(value) for value in values]
        return prove(problem, beta, [Decimal(value) for value in model.intercepts],
                     model.stated_gap)
