# SPDX-License-Identifier: Apache-2.0
"""tests/exact/judge.py - the exact duality gap of a stored model over the rows it was trained on.

    primal   1/2 |f|^2 + sum_i c_i loss(y_i, f_i + b), and the price of a free width
    dual     -1/2 beta'K beta - sum_i c_i loss*(y_i, -beta_i / c_i)

f, b and the width are the stored ones. The dual value is that of the stored coefficients, moved
into the dual set by as little as possible: they are clipped to their box, then one coefficient with
enough room takes the missing part of a sum, the one that is best for the dual value.

Computed with a hundred digits: if terms of 1e60 cancel, the gap is still accurate to about 1e-35,
and the proof states the error. Costs are the doubles that the program computes from cost and
weights; the mass of a nu-machine is nu times their exact sum. Nothing here is shared with the
program.

Notation   K  kernel matrix     beta  coefficients     f = K beta     c  costs     y  targets
"""

import decimal
import math
import re
from dataclasses import dataclass
from decimal import Decimal

from stored import number, read_stored

ARITHMETIC = decimal.Context(prec=100, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)
INFINITY = Decimal("Infinity")


class Infeasible(ValueError):
    """No coefficients close to the stored ones are in the dual set."""


@dataclass(frozen=True)
class Proof:
    """What a stored model proves, exactly."""

    gap: Decimal
    primal: Decimal
    dual: Decimal
    moved: Decimal       # sum of what the coefficients were moved by to be in the dual set
    stated_gap: float    # what the model says of itself
    noise: Decimal = ZERO  # bound of the judge's own rounding in the gap

    @property
    def relative_gap(self):
        return INFINITY if self.gap == INFINITY else self.gap / max(ONE, abs(self.primal))


# Losses. dual_term(y, c, beta) is -c loss*(y, -beta / c); box(y, c) is where it is finite.

class Hinge:
    def __init__(self, margin):
        self.margin = margin

    def value(self, y, z):
        return max(ZERO, self.margin - y * z)

    def dual_term(self, y, _, beta):
        return self.margin * y * beta

    def box(self, y, c):
        return (ZERO, c) if y > 0 else (-c, ZERO)


class Epsilon:
    def __init__(self, width):
        self.width = width

    def value(self, y, z):
        return max(ZERO, abs(z - y) - self.width)

    def dual_term(self, y, _, beta):
        return y * beta - self.width * abs(beta)

    def box(self, _, c):
        return -c, c


class SquaredHinge:
    steepest = INFINITY

    def value(self, y, z):
        return max(ZERO, ONE - y * z) ** 2 / 2

    def dual_term(self, y, c, beta):
        return y * beta - beta * beta / (2 * c) if beta else ZERO

    def box(self, y, c):
        bound = self.steepest * c if c else ZERO
        return (ZERO, bound) if y > 0 else (-bound, ZERO)


class ModifiedHuber(SquaredHinge):
    steepest = TWO

    def value(self, y, z):
        slack = max(ZERO, ONE - y * z)
        return slack * slack / 2 if slack < 2 else 2 * (slack - 1)


class Logistic:
    def value(self, y, z):
        margin = y * z
        return max(ZERO, -margin) + (ONE + (-abs(margin)).exp()).ln()

    def dual_term(self, y, c, beta):
        share = y * beta / c if c else ZERO
        return -c * sum(p * p.ln() for p in (share, ONE - share) if p)

    def box(self, y, c):
        return (ZERO, c) if y > 0 else (-c, ZERO)


class Squared:
    def value(self, y, z):
        return (z - y) ** 2

    def dual_term(self, y, c, beta):
        return y * beta - beta * beta / (4 * c) if beta else ZERO

    def box(self, _, c):
        return (-INFINITY, INFINITY) if c else (ZERO, ZERO)


LOSSES = {"squared-hinge": SquaredHinge, "modified-huber": ModifiedHuber, "logistic": Logistic,
          "squared": Squared}


# Kernels.

def dot(x, z):
    return sum((a * b for a, b in zip(x, z)), ZERO)


def kernel_of(text):
    """The function of a kernel expression: linear, poly or rbf."""
    name, arguments = re.fullmatch(r"([\w-]+)(?:\((.*)\))?", text).groups()
    p = {key.strip(): Decimal(float(value)) for key, value in
         (word.split("=") for word in (arguments or "").split(",") if word)}
    if name == "linear":
        return dot
    if name == "poly":
        degree = int(p["degree"])
        return lambda x, z: (p["scale"] * dot(x, z) + p["coef0"]) ** degree
    if name == "rbf" and "sigma" in p:
        factor = -1 / (2 * p["sigma"] ** 2)
    elif name == "rbf":
        factor = -p["gamma"]
    else:
        raise ValueError(f"no exact values of the kernel {text}")
    return lambda x, z: (factor * sum(((a - b) ** 2 for a, b in zip(x, z)), ZERO)).exp()


def kernel_matrix(kernel, rows):
    matrix = [[ZERO] * len(rows) for _ in rows]
    for i, x in enumerate(rows):
        for j in range(i + 1):
            matrix[i][j] = matrix[j][i] = kernel(x, rows[j])
    return matrix


@dataclass
class Group:
    """Coefficients with a sum constraint."""

    members: list[int]
    target: Decimal


class Problem:
    """One machine over its rows: everything but the coefficients."""

    def __init__(self, model, rows, targets, weights):
        header = model.header
        self.machine = header["machine"]
        self.intercept = header["has_intercept"]
        self.nu = Decimal(number(header["nu"]))
        self.y = targets_of(header, targets)
        self.costs = costs_of(header, targets, weights)
        self.K = kernel_matrix(kernel_of(header["kernel"]),
                               [[Decimal(value) for value in row] for row in rows])
        self.mass = ZERO if self.nu.is_nan() else self.nu * sum(self.costs)
        self.set_loss(header, Decimal(model.width))

    def set_loss(self, header, width):
        """The loss of the primal value, that of the dual value, and the price of a free width."""
        self.price = ZERO
        if self.machine == "one-class":  # rho is in the intercept: c max(0, -(f + b)) + mass b
            self.loss = self.dual_loss = Hinge(ZERO)
        elif self.machine == "nu-svc":
            self.loss, self.dual_loss = Hinge(width), Hinge(ZERO)
            self.price = -self.mass * width
        elif self.machine == "nu-svr":
            width = max(ZERO, width)
            self.loss, self.dual_loss = Epsilon(width), Epsilon(ZERO)
            self.price = self.mass * width
        elif header["loss"] == "hinge":
            self.loss = self.dual_loss = Hinge(ONE)
        elif header["loss"] == "epsilon":
            self.loss = self.dual_loss = Epsilon(Decimal(number(header["epsilon"])))
        else:
            self.loss = self.dual_loss = LOSSES[header["loss"]]()

    def primal(self, point, b):
        losses = sum(c * self.loss.value(y, f + b)
                     for y, c, f in zip(self.y, self.costs, point.f) if c)
        price = self.mass * b if self.machine == "one-class" else self.price
        return point.squared_norm() / 2 + losses + price

    def dual(self, point):
        terms = sum(self.dual_loss.dual_term(y, c, beta)
                    for y, c, beta in zip(self.y, self.costs, point.beta))
        return terms - point.squared_norm() / 2

    def boxes(self):
        return [self.dual_loss.box(y, c) for y, c in zip(self.y, self.costs)]

    def groups(self):
        """The sum constraints that are equations."""
        everyone = list(range(len(self.y)))
        if self.machine == "one-class":
            return [Group(everyone, self.mass)]
        if self.machine == "nu-svc":
            return [Group([i for i in everyone if self.y[i] == side], side * self.mass / 2)
                    for side in (ONE, -ONE)]
        return [Group(everyone, ZERO)] if self.intercept else []


def targets_of(header, words):
    """Targets: numbers for regression; -1 and +1 for two classes; +1 for one class."""
    if header["machine"] == "one-class":
        return [ONE] * len(words)
    if not header["labels"]:
        return [Decimal(float(word)) for word in words]
    return [ONE if same_label(word, header["labels"][1]) else -ONE for word in words]


def same_label(word, label):
    try:
        return float(word) == float(label)
    except ValueError:
        return word == label


def costs_of(header, words, weights):
    """Costs are doubles: cost times weight of the row times weight of the class, each rounded."""
    costs = [number(header["cost"])] * len(words)
    if weights is not None:
        costs = [cost * weight for cost, weight in zip(costs, weights)]
    if header["machine"] != "one-class":
        for entry in header["class_weights"]:
            costs = [cost * entry["weight"] if same_label(word, entry["label"]) else cost
                     for cost, word in zip(costs, words)]
    return [Decimal(cost) for cost in costs]


class Point:
    """Coefficients and the values they give."""

    def __init__(self, K, beta):
        self.K = K
        self.beta = list(beta)
        self.moved = ZERO
        support = [j for j, value in enumerate(self.beta) if value]
        self.f = [sum((row[j] * self.beta[j] for j in support), ZERO) for row in K]

    def copy(self):
        other = Point.__new__(Point)
        other.K, other.moved = self.K, self.moved
        other.beta, other.f = list(self.beta), list(self.f)
        return other

    def move(self, i, step):
        self.beta[i] += step
        self.moved += abs(step)
        self.f = [f + step * k for f, k in zip(self.f, self.K[i])]

    def squared_norm(self):
        return sum((beta * f for beta, f in zip(self.beta, self.f) if beta), ZERO)


def clip(problem, point):
    for i, (low, high) in enumerate(problem.boxes()):
        inside = min(max(point.beta[i], low), high)
        if inside != point.beta[i]:
            point.move(i, inside - point.beta[i])
            point.beta[i] = inside


def gain(problem, point, i, step):
    """The gain of the dual value when coefficient i moves."""
    def term(beta):
        return problem.dual_loss.dual_term(problem.y[i], problem.costs[i], beta)
    before, after = point.beta[i], point.beta[i] + step
    return term(after) - term(before) - step * (point.f[i] + step * point.K[i][i] / 2)


def settle(problem, point, group, boxes):
    """Moves coefficients until the group has its sum. Throws Infeasible."""
    lack = group.target - sum(point.beta[i] for i in group.members)
    members = list(group.members)
    while lack:
        def room(i):
            low, high = boxes[i]
            return high - point.beta[i] if lack > 0 else point.beta[i] - low
        roomy = [i for i in members if room(i) >= abs(lack)]
        if roomy:
            point.move(max(roomy, key=lambda i: gain(problem, point, i, lack)), lack)
            return
        if not members:
            raise Infeasible("the boxes are too small for a sum")
        most = max(members, key=room)
        taken = room(most).copy_sign(lack)
        point.move(most, taken)
        lack -= taken
        members.remove(most)


def settle_tube(problem, point, b):
    """For a tube of free width: both sides have the same sum, at most half of the mass. Chooses the
    best of the sums close to the present one."""
    boxes = problem.boxes()
    upper = [beta > 0 or not beta and y > f + b
             for beta, y, f in zip(point.beta, problem.y, point.f)]
    above = sum((beta for beta in point.beta if beta > 0), ZERO)
    below = -sum((beta for beta in point.beta if beta < 0), ZERO)
    half = problem.mass / 2
    best = None
    for total in {min(half, sum_) for sum_ in (above, below, (above + below) / 2, half)}:
        candidate = point.copy()
        try:
            for side, sign in ((True, ONE), (False, -ONE)):
                members = [i for i, up in enumerate(upper) if up == side]
                sided = [(max(low, ZERO), high) if side else (low, min(high, ZERO))
                         for low, high in boxes]
                settle(problem, candidate, Group(members, sign * total), sided)
        except Infeasible:
            continue
        if best is None or problem.dual(candidate) > problem.dual(best):
            best = candidate
    if best is None:
        raise Infeasible("no sum fits both sides of the tube")
    return best


def repair(problem, stored, b):
    """The point of the dual set next to the stored coefficients."""
    point = stored.copy()
    clip(problem, point)
    if problem.machine == "nu-svr":
        return settle_tube(problem, point, b)
    boxes = problem.boxes()
    for group in problem.groups():
        settle(problem, point, group, boxes)
    return point


def noise_of(problem, point, b):
    """A bound on the rounding error of a gap: a few units in the last digit of the largest term for
    each operation."""
    unit = Decimal(10) ** (4 - decimal.getcontext().prec)
    support = [(j, abs(value)) for j, value in enumerate(point.beta) if value]
    noise = ZERO
    for i, row in enumerate(point.K):
        size = ONE + abs(b) + abs(problem.y[i]) + sum(abs(row[j]) * value for j, value in support)
        # The error of a squared loss is twice its root times the error of the root.
        steepest = ONE if problem.machine not in ("l2-svc", "krr") else size
        noise += (abs(point.beta[i]) + problem.costs[i] * steepest) * size
    return unit * (noise + abs(problem.price))


def prove(problem, beta, b, stated_gap=math.nan):
    """The proof of coefficients and an intercept; the gap is infinite if they prove nothing."""
    if not all(value.is_finite() for value in (*beta, b)):
        return Proof(INFINITY, INFINITY, -INFINITY, ZERO, stated_gap)
    stored = Point(problem.K, beta)
    primal = problem.primal(stored, b)
    try:
        repaired = repair(problem, stored, b)
    except Infeasible:
        return Proof(INFINITY, primal, -INFINITY, INFINITY, stated_gap)
    dual = problem.dual(repaired)
    return Proof(primal - dual, primal, dual, repaired.moved, stated_gap,
                 noise_of(problem, stored, b))


def load(model_path, data_path, weights_path=None):
    """The problem a model was trained on, its coefficients, its intercept and the model."""
    model, rows, targets, weights = read_stored(model_path, data_path, weights_path)
    beta = [ZERO] * len(rows)
    for place, value in zip(model.support_rows, model.coefficients):
        beta[place] = Decimal(value)
    return Problem(model, rows, targets, weights), beta, Decimal(model.intercept), model


def exact_gap(model_path, data_path, weights_path=None):
    """The Proof of a stored model: its .gap and .primal are exact."""
    with decimal.localcontext(ARITHMETIC):
        problem, beta, b, model = load(model_path, data_path, weights_path)
        return prove(problem, beta, b, model.stated_gap)
