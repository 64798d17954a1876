# SPDX-License-Identifier: Apache-2.0
"""tests/exact/optimum.py - the optimum of a small problem in 200 digits, and rounded to doubles.

    minimise   1/2 beta'K beta + sum_v phi_v(v)   over   0 <= v <= h_v,   A v = t

A row has one variable v >= 0 with beta = y v, or two, one for each side of a tube.

Method   A primal-dual interior-point method: Newton steps on the KKT conditions with products v z
         that follow a decreasing mu. The variables of a row are eliminated, so that a step is
         one Cholesky factorisation of K + diagonal.
Cost     n^3 / 6 products of long numbers per step, and 60 to 100 steps.

Notation   v, h  variables, upper bounds     zl, zu  multipliers of both bounds     lam  of A v = t
           D  second derivatives by v        E  sums of 1 / D by row                f = K beta
"""

import decimal
from dataclasses import dataclass
from decimal import Decimal
from operator import mul

from judge import ONE, ZERO, Point, load, prove

ARITHMETIC = decimal.Context(prec=200, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
STEPS = 400
SOLVED = Decimal("1e-40")  # relative to the value
PROVED = Decimal("1e-25")  # relative gap that shows a point to be the optimum
AT_BOUND = Decimal("1e-20")  # of the largest coefficient: those below it are zero
SINGULAR = Decimal("1e-60")  # what is added to a diagonal that may have zero pivots
TO_THE_WALL = Decimal("0.99")
FALL = Decimal("0.05")  # of mu after a long step


@dataclass
class Variable:
    """A part of a coefficient; a slack has no row."""

    row: int | None
    sign: Decimal
    bound: Decimal | None       # upper; None: there is none
    equations: list[Decimal]    # its column of A
    linear: Decimal = ZERO      # phi = linear v + ridge v^2 / 2, and
    ridge: Decimal = ZERO
    entropy: bool = False       # c (p log p + (1 - p) log(1 - p)), p = v / c, c the bound
    free: bool = False          # not even v >= 0

    def slope(self, v):
        curved = (v / (self.bound - v)).ln() if self.entropy else ZERO
        return self.linear + self.ridge * v + curved

    def curvature(self, v):
        return self.ridge + (self.bound / (v * (self.bound - v)) if self.entropy else ZERO)


def variables_of(problem, epsilon):
    """The variables of a problem and the right-hand side of its equations."""
    rows = [i for i, c in enumerate(problem.costs) if c]
    machine, y, c = problem.machine, problem.y, problem.costs
    if machine == "nu-svr":
        out = [Variable(i, s, c[i], [s, ONE], -s * y[i]) for i in rows for s in (ONE, -ONE)]
        return [*out, Variable(None, ZERO, None, [ZERO, ONE])], [ZERO, problem.mass]
    if machine == "one-class":
        return [Variable(i, ONE, c[i], [ONE]) for i in rows], [problem.mass]
    if machine == "nu-svc":
        return [Variable(i, y[i], c[i], [ONE, ZERO] if y[i] > 0 else [ZERO, ONE])
                for i in rows], [problem.mass / 2] * 2

    def equations(sign):
        return [sign] if problem.intercept else []
    if machine == "svr":
        out = [Variable(i, s, c[i], equations(s), epsilon - s * y[i])
               for i in rows for s in (ONE, -ONE)]
    elif machine == "krr":
        out = [Variable(i, ONE, None, equations(ONE), -y[i], 1 / (2 * c[i]), free=True)
               for i in rows]
    elif machine == "klr":
        out = [Variable(i, y[i], c[i], equations(y[i]), entropy=True) for i in rows]
    else:
        ridges = {"svc": lambda cost: ZERO}.get(machine, lambda cost: 1 / cost)
        bounds = {"svc": lambda cost: cost, "huber-svc": lambda cost: 2 * cost}.get(
            machine, lambda cost: None)
        out = [Variable(i, y[i], bounds(c[i]), equations(y[i]), -ONE, ridges(c[i])) for i in rows]
    return out, [ZERO] if problem.intercept else []


def dot(x, z):
    return sum(map(mul, x, z), ZERO)


def cholesky(matrix):
    lower = []
    for i, row in enumerate(matrix):
        new = []
        for j in range(i):
            new.append((row[j] - dot(new, lower[j])) / lower[j][j])
        new.append((row[i] - dot(new, new)).sqrt())
        lower.append(new)
    return lower


def solve_factored(lower, right):
    x = []
    for i, row in enumerate(lower):
        x.append((right[i] - dot(row, x)) / row[i])
    for i in reversed(range(len(x))):
        x[i] /= lower[i][i]
        for j in range(i):
            x[j] -= lower[i][j] * x[i]
    return x


def solve_small(matrix, right):
    """Gaussian elimination for the few unknowns of the equations."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for k in range(len(rows)):
        best = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(len(rows)):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


class InteriorPoint:
    """The state of the method."""

    def __init__(self, problem, variables, totals):
        self.K, self.variables, self.totals = problem.K, variables, totals
        most = max((problem.K[i][i] for i in range(len(problem.K))), default=ONE) or ONE
        self.v = [ZERO if var.free else var.bound / 2 if var.bound is not None else 1 / most
                  for var in variables]
        slopes = [abs(var.slope(v)) + 1 for var, v in zip(variables, self.v)]
        self.zl = [ZERO if var.free else s for var, s in zip(variables, slopes)]
        self.zu = [ZERO if var.bound is None else s for var, s in zip(variables, slopes)]
        self.lam = [ZERO] * len(totals)
        self.fall = FALL

    def beta(self, values):
        out = [ZERO] * len(self.K)
        for var, value in zip(self.variables, values):
            if var.row is not None:
                out[var.row] += var.sign * value
        return out

    def rooms(self):
        return [None if var.bound is None else var.bound - v
                for var, v in zip(self.variables, self.v)]

    def complementarity(self):
        pairs = [z * v for var, z, v in zip(self.variables, self.zl, self.v) if not var.free]
        pairs += [z * w for z, w in zip(self.zu, self.rooms()) if w is not None]
        return sum(pairs, ZERO), max(len(pairs), 1)

    def lacks(self):
        return [total - sum((var.equations[k] * v for var, v in zip(self.variables, self.v)), ZERO)
                for k, total in enumerate(self.totals)]

    def step(self):
        """One Newton step. Returns the residuals of the conditions relative to the value."""
        total, count = self.complementarity()
        mu = self.fall * total / count
        rooms, lacks = self.rooms(), self.lacks()
        f = [dot(row, beta) for row, beta in zip(self.K, [self.beta(self.v)] * len(self.K))]
        D, r, dual_rest = [], [], ZERO
        for var, v, zl, zu, room in zip(self.variables, self.v, self.zl, self.zu, rooms):
            slope = var.slope(v) - dot(var.equations, self.lam)
            slope += ZERO if var.row is None else var.sign * f[var.row]
            dual_rest += abs(slope - zl + zu) * max(abs(v), ZERO if room is None else room)
            curvature = var.curvature(v)
            if not var.free:
                slope -= mu / v
                curvature += zl / v
            if room is not None:
                slope += mu / room
                curvature += zu / room
            D.append(curvature)
            r.append(slope)
        dv, dlam = self.direction(D, r, lacks)
        self.advance(dv, dlam, mu, rooms)
        primal_rest = dot([abs(value) for value in lacks], [abs(value) for value in self.lam])
        return total + dual_rest + primal_rest + sum(map(abs, lacks), ZERO)

    def direction(self, D, r, lacks):
        rows = sorted({var.row for var in self.variables if var.row is not None})
        place = {row: k for k, row in enumerate(rows)}
        E = [ZERO] * len(rows)
        right = [[ZERO] * len(rows) for _ in range(1 + len(lacks))]  # E w, E B by equation
        for var, d, slope in zip(self.variables, D, r):
            if var.row is None:
                continue
            k = place[var.row]
            E[k] += 1 / d
            right[0][k] -= var.sign * slope / d
            for e, factor in enumerate(var.equations):
                right[e + 1][k] += var.sign * factor / d
        matrix = [[self.K[i][j] + (1 / E[place[i]] if i == j else ZERO) for j in rows]
                  for i in rows]
        lower = cholesky(matrix)
        # g = K dbeta is linear in dlam: g = g0 + sum_e dlam_e g_e.
        g = []
        for column in right:
            scaled = [value / e for value, e in zip(column, E)]
            solution = solve_factored(lower, scaled)
            g.append([value - x / e for value, x, e in zip(scaled, solution, E)])

        def steps(values, slopes, equations):
            return [(equations[k] - slopes[k]
                     - (ZERO if var.row is None else var.sign * values[place[var.row]])) / D[k]
                    for k, var in enumerate(self.variables)]
        nothing = [ZERO] * len(D)
        parts = [steps(g[0], r, nothing)]
        parts += [steps(g[e + 1], nothing, [var.equations[e] for var in self.variables])
                  for e in range(len(lacks))]
        columns = [[var.equations[k] for var in self.variables] for k in range(len(lacks))]
        dlam = solve_small([[dot(column, part) for part in parts[1:]] for column in columns],
                           [lack - dot(column, parts[0]) for column, lack in zip(columns, lacks)])
        return [dot([ONE, *dlam], values) for values in zip(*parts)], dlam

    def advance(self, dv, dlam, mu, rooms):
        dzl = [ZERO if var.free else mu / v - zl - zl / v * d
               for var, v, zl, d in zip(self.variables, self.v, self.zl, dv)]
        dzu = [ZERO if room is None else mu / room - zu + zu / room * d
               for room, zu, d in zip(rooms, self.zu, dv)]
        length = ONE
        for k, var in enumerate(self.variables):
            walls = [] if var.free else [(self.v[k], dv[k]), (self.zl[k], dzl[k])]
            walls += [] if rooms[k] is None else [(rooms[k], -dv[k]), (self.zu[k], dzu[k])]
            for value, change in walls:
                if change < 0:
                    length = min(length, -TO_THE_WALL * value / change)
        self.fall = FALL if length > Decimal("0.5") else Decimal("0.5")
        self.v = [v + length * d for v, d in zip(self.v, dv)]
        self.zl = [z + length * d for z, d in zip(self.zl, dzl)]
        self.zu = [z + length * d for z, d in zip(self.zu, dzu)]
        self.lam = [value + length * d for value, d in zip(self.lam, dlam)]


def solve(problem, epsilon):
    """The optimal coefficients; None if the method does not converge."""
    variables, totals = variables_of(problem, epsilon)
    state = InteriorPoint(problem, variables, totals)
    for _ in range(STEPS):
        rest = state.step()
        value = abs(dot([var.linear for var in variables], state.v))
        if rest <= SOLVED * max(ONE, value):
            return state.beta(state.v), state.lam
    return None


# The best constant and width for given values.

def quantile(pairs, mass):
    """Minimises sum_i c_i max(0, u - value_i) - mass u over u."""
    total = ZERO
    for value, cost in sorted(pairs):
        total += cost
        if total >= mass:
            return value
    return max(pairs)[0]


def best_constant(problem, f, lam):
    """The constant of least loss: a kink of a piecewise linear loss, otherwise the multiplier."""
    if not problem.intercept:
        return ZERO
    candidates = [-lam[0]]
    if problem.machine in ("svc", "svr", "nu-svr"):
        width = getattr(problem.loss, "width", None)
        rows = [(y, z) for y, z, c in zip(problem.y, f, problem.costs) if c]
        candidates += [y - z for y, z in rows] if width is None else [
            y - z + s * width for y, z in rows for s in (ONE, -ONE)]

    def loss(b):
        return sum(c * problem.loss.value(y, z + b)
                   for y, z, c in zip(problem.y, f, problem.costs) if c)
    return min(candidates, key=loss)


def constant_and_width(problem, f, lam):
    """The best constant and width for the values f; the width is None if it is not free."""
    rows = [(y, z, c) for y, z, c in zip(problem.y, f, problem.costs) if c]
    half = problem.mass / 2
    if problem.machine == "one-class":
        return -quantile([(z, c) for _, z, c in rows], problem.mass), None
    if problem.machine == "nu-svc":
        above = quantile([(z, c) for y, z, c in rows if y > 0], half)
        below = quantile([(-z, c) for y, z, c in rows if y < 0], half)
        return (below - above) / 2, (above + below) / 2
    if problem.machine == "nu-svr":
        above = -quantile([(z - y, c) for y, z, c in rows], half)
        below = quantile([(y - z, c) for y, z, c in rows], half)
        if above > below:
            return (above + below) / 2, (above - below) / 2
        problem.set_loss({}, ZERO)
        return best_constant(problem, f, lam), ZERO
    return best_constant(problem, f, lam), None


# Doubles.

def rounded(value):
    return Decimal(float(value))


def rounded_together(problem, beta):
    """Doubles near the coefficients whose errors nearly cancel in f and in the sum.

    The largest coefficient is rounded first, and those not rounded yet compensate for its error as
    well as possible: smaller numbers have finer doubles (Babai's nearest plane).
    """
    out = list(map(rounded, beta))
    boxes = problem.boxes()
    least = AT_BOUND * max(map(abs, beta), default=ZERO)
    free = []
    for i, (value, box) in enumerate(zip(beta, boxes)):
        if abs(value) <= least:
            out[i] = ZERO
        elif out[i] not in box:
            free.append(i)
    free.sort(key=lambda i: abs(beta[i]))
    largest = max((problem.K[i][i] for i in free), default=ONE) or ONE
    tied = largest if problem.groups() else ZERO  # the price of an error in the sum
    lower = cholesky([[problem.K[i][j] + tied + (SINGULAR * largest if i == j else ZERO)
                       for j in free] for i in free])
    errors = [ZERO] * len(free)
    for k in reversed(range(len(free))):
        owed = sum((lower[j][k] * errors[j] for j in range(k + 1, len(free))), ZERO)
        low, high = boxes[free[k]]
        wanted = beta[free[k]] - owed / lower[k][k]
        out[free[k]] = rounded(min(max(wanted, low), high))
        errors[k] = out[free[k]] - beta[free[k]]
    return out


def prove_point(problem, beta, lam, to_number):
    """The proof of coefficients with their best constant and width, all converted to numbers."""
    b, width = constant_and_width(problem, Point(problem.K, beta).f, lam)
    if width is not None:
        problem.set_loss({}, to_number(width))
    return prove(problem, beta, to_number(b))


def reachable_gap(model_path, data_path, weights_path=None):
    """The relative gap of the optimum whose numbers are rounded to doubles, one by one or together,
    whichever is better; None when the optimum is not found."""
    with decimal.localcontext(ARITHMETIC):
        problem, _, _, model = load(model_path, data_path, weights_path)
        found = solve(problem, Decimal(model.header["epsilon"]))
        if found is None:
            return None
        beta, lam = found
        if prove_point(problem, beta, lam, Decimal).relative_gap > PROVED:
            return None
        return min(float(prove_point(problem, doubles, lam, rounded).relative_gap)
                   for doubles in (list(map(rounded, beta)), rounded_together(problem, beta)))
