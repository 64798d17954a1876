# SPDX-License-Identifier: Apache-2.0
"""tests/exact/compared.py - the exact duality gap of a stored ordinal or ranking machine.

    primal   1/2 |f|^2 + sum_e c_e max(0, 1 - d_e),   d = z_upper - z_lower
    dual     sum_e alpha_e - 1/2 gamma'K gamma,   gamma_i = sum of +-alpha_e at row i

z holds the values of the stored coefficients at the rows, then the stored thresholds. The
comparisons are enumerated from the data. The multipliers are clipped to [0, c_e]; where those of a
threshold do not sum to 0, the one with enough room that is best for the dual value is moved.
"""

import decimal
import math
from decimal import Decimal

from judge import (ARITHMETIC, INFINITY, ONE, ZERO, Infeasible, Point, Proof, costs_of,
                   kernel_matrix, kernel_of, same_label)
from stored import number, read_stored


class Comparisons:
    """The machine over its rows: everything but coefficients, thresholds and multipliers."""

    def __init__(self, header, rows, targets, weights):
        self.size = len(rows)
        self.K = kernel_matrix(kernel_of(header["kernel"]),
                               [[Decimal(value) for value in row] for row in rows])
        self.thresholds = 0
        if header["machine"] == "ordinal":
            self.thresholds = len(header["labels"]) - 1
            levels = [next(k for k, label in enumerate(header["labels"])
                           if same_label(word, label)) for word in targets]
            pairs = [(i, self.size + k) if level > k else (self.size + k, i)
                     for i, level in enumerate(levels) for k in range(self.thresholds)]
        else:
            values = [float(word) for word in targets]
            pairs = [(i, j) for i, a in enumerate(values) for j, b in enumerate(values) if a > b]
        # A cost is the double that the program computes, factor by factor.
        shares = [float(c) for c in costs_of(header | {"cost": 1.0}, targets, weights)]
        shares += [1.0] * self.thresholds
        cost = number(header["cost"])
        self.costs = {(u, l): Decimal(cost * shares[u] * shares[l]) for u, l in pairs
                      if shares[u] and shares[l]}

    def flows(self, alpha):
        """The signed sums of multipliers at every place."""
        out = [ZERO] * (self.size + self.thresholds)
        for (upper, lower), value in alpha.items():
            out[upper] += value
            out[lower] -= value
        return out

    def primal(self, beta, thresholds):
        point = Point(self.K, beta)
        z = [*point.f, *thresholds]
        return point.squared_norm() / 2 + sum(
            c * max(ZERO, ONE - (z[u] - z[l])) for (u, l), c in self.costs.items())

    def dual(self, alpha):
        point = Point(self.K, self.flows(alpha)[:self.size])
        return sum(alpha.values(), ZERO) - point.squared_norm() / 2


def repaired(problem, alpha):
    """The point of the dual set next to the stored multipliers. Throws Infeasible."""
    alpha = {pair: min(max(alpha.get(pair, ZERO), ZERO), c) for pair, c in problem.costs.items()}
    for place in range(problem.size, problem.size + problem.thresholds):
        excess = problem.flows(alpha)[place]
        if not excess:
            continue
        f = Point(problem.K, problem.flows(alpha)[:problem.size]).f
        moves = []
        for (upper, lower), value in alpha.items():
            if place in (upper, lower):
                step = -excess if place == upper else excess
                if ZERO <= value + step <= problem.costs[upper, lower]:
                    row = lower if place == upper else upper
                    sign = ONE if row == upper else -ONE
                    moves.append((step - step * sign * f[row], (upper, lower), step))
        if not moves:
            raise Infeasible("no multiplier of a threshold has enough room")
        _, pair, step = max(moves)
        alpha[pair] += step
    return alpha


def noise_of(problem, beta, alpha, thresholds):
    """A bound on the rounding error of a gap."""
    unit = Decimal(10) ** (4 - decimal.getcontext().prec)
    sizes = [abs(a) + abs(b) for a, b in zip(beta, problem.flows(alpha))]
    reach = [sum((abs(k) * size for k, size in zip(row, sizes)), ONE) for row in problem.K]
    reach += [ONE + abs(value) for value in thresholds]
    noise = sum((c * (reach[u] + reach[l]) for (u, l), c in problem.costs.items()), ZERO)
    return unit * (noise + sum((size * r for size, r in zip(sizes, reach)), ZERO))


def prove(problem, beta, thresholds, alpha, stated_gap=math.nan):
    """The proof of coefficients, thresholds and multipliers, a number for each pair of places."""
    primal = problem.primal(beta, thresholds)
    if any(pair not in problem.costs for pair in alpha):
        return Proof(INFINITY, primal, -INFINITY, INFINITY, stated_gap)
    try:
        point = repaired(problem, alpha)
    except Infeasible:
        return Proof(INFINITY, primal, -INFINITY, INFINITY, stated_gap)
    dual = problem.dual(point)
    moved = sum((abs(value - alpha.get(pair, ZERO)) for pair, value in point.items()), ZERO)
    return Proof(primal - dual, primal, dual, moved, stated_gap,
                 noise_of(problem, beta, point, thresholds))


def exact_gap(model_path, data_path, weights_path=None):
    """The Proof of a stored model: its .gap and .primal are exact."""
    with decimal.localcontext(ARITHMETIC):
        model, rows, targets, weights = read_stored(model_path, data_path, weights_path)
        problem = Comparisons(model.header, rows, targets, weights)
        beta = [ZERO] * len(rows)
        for place, value in zip(model.support_rows, model.coefficients):
            beta[place] = Decimal(value)
        alpha = {(upper, lower): Decimal(value) for upper, lower, value in model.compared}
        thresholds = [Decimal(value) for value in model.thresholds]
        return prove(problem, beta, thresholds, alpha, model.stated_gap)
