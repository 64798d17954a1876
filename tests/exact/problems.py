# SPDX-License-Identifier: Apache-2.0
"""tests/exact/problems.py - random small problems of the machines, hard on double precision.

Costs from 1e-6 to 1e12, columns of scales 1e-8 to 1e8, equal rows, weights of rows and classes,
tolerances from 1e-3 to 1e-10. A problem is identified by a seed and a number.
"""

import random
from dataclasses import dataclass, field
from pathlib import Path

MACHINES = ["svc", "svr", "l2-svc", "huber-svc", "klr", "krr", "nu-svc", "nu-svr", "one-class"]
JOINT = "klr-joint"  # klr on three or more classes
COMPARING = {"ordinal", "rank"}
ALL_MACHINES = [*MACHINES, JOINT, *sorted(COMPARING)]
CLASSIFIERS = {"svc", "l2-svc", "huber-svc", "klr", "nu-svc"}
WITHOUT_COST = {"nu-svc", "one-class"}
ALWAYS_CONSTANT = {"nu-svc", "nu-svr", "one-class", "ordinal", "rank"}  # machines that take no --no-intercept


@dataclass
class RandomProblem:
    number: int
    machine: str
    cost_exponent: float | None  # of ten; None: the machine has no cost
    tolerance: float
    rows: list[list[float]]
    targets: list[str]
    weights: list[float] | None
    as_csv: bool
    options: list[str] = field(default_factory=list)

    @property
    def data_name(self):
        return "data.csv" if self.as_csv else "data.svm"

    def write(self, folder):
        """Writes the data to the folder; returns the arguments of `mercer` for it."""
        folder = Path(folder)
        (folder / self.data_name).write_text(self.csv_text() if self.as_csv else self.libsvm_text())
        model = "klr" if self.machine == JOINT else self.machine
        arguments = ["train", self.data_name, "-o", "model.mercer", "--model", model,
                     "--gap-tolerance", repr(self.tolerance), *self.options]
        if self.weights is not None:
            (folder / "weights.txt").write_text("".join(f"{w!r}\n" for w in self.weights))
            arguments += ["--weights", "weights.txt"]
        return arguments

    def libsvm_text(self):
        last = len(self.rows[0]) - 1  # written also where it is zero: it says how many there are
        return "".join(
            target + "".join(f" {j + 1}:{value!r}" for j, value in enumerate(row)
                             if value or j == last) + "\n"
            for row, target in zip(self.rows, self.targets))

    def csv_text(self):
        names = ",".join(f"x{j}" for j in range(len(self.rows[0])))
        return f"{names},y\n" + "".join(",".join([*map(repr, row), target]) + "\n"
                                        for row, target in zip(self.rows, self.targets))


def random_problem(seed, number, machines=None):
    """The problem of that number; `machines` takes the place of MACHINES."""
    machines = machines or MACHINES
    source = random.Random(f"{seed} {number}")
    machine = machines[number % len(machines)]
    rows = random_rows(source)
    values = target_values(source, rows)
    if machine in CLASSIFIERS:
        targets = class_labels(values)
    elif machine in (JOINT, "ordinal"):
        targets = many_labels(source, values)
    else:
        targets = [repr(value) for value in values]
    weights = None
    if source.random() < 0.25:
        weights = [0.0 if source.random() < 0.1 else 10.0 ** source.uniform(-2, 2) for _ in rows]
        for i, target in enumerate(targets):
            if machine in (JOINT, "ordinal") and target not in targets[:i]:
                weights[i] = 1.0  # one of each class counts
        weights[0] = weights[1] = 1.0
    exponent = None if machine in WITHOUT_COST else source.uniform(-6, 12)
    problem = RandomProblem(number, machine, exponent, 10.0 ** -source.uniform(3, 10), rows,
                            targets, weights, source.random() < 0.2)
    problem.options += ["--kernel", random_kernel(source, rows)]
    problem.options += machine_options(source, problem, values)
    return problem


def random_rows(source):
    count = round(4 * 15 ** source.random())  # 4 to 60, few more often than many
    columns = source.randint(1, 5)
    common = 10.0 ** source.uniform(-8, 8)
    scales = [common if source.random() < 0.6 else 10.0 ** source.uniform(-8, 8)
              for _ in range(columns)]
    coarse = source.random() < 0.3  # few different values: ties and equal rows
    rows = [[scale * (source.randint(-2, 2) if coarse else source.gauss(0, 1)) for scale in scales]
            for _ in range(count)]
    if source.random() < 0.3:
        for i in range(2, count):
            if source.random() < 0.4:
                rows[i] = list(rows[source.randrange(i)])
    return [[value + 0.0 for value in row] for row in rows]  # no -0.0


def target_values(source, rows):
    """A linear function of the columns plus noise."""
    columns = range(len(rows[0]))
    sizes = [max(abs(row[j]) for row in rows) or 1.0 for j in columns]
    direction = [source.gauss(0, 1) for _ in columns]
    noise = source.choice([0.0, 0.3, 1.0])
    scale = 10.0 ** source.uniform(-3, 3)
    return [scale * (sum(d * row[j] / sizes[j] for j, d in enumerate(direction))
                     + noise * source.gauss(0, 1)) for row in rows]


def class_labels(values):
    """The signs of values; the first two rows are one of each class."""
    labels = ["1" if value > 0 else "-1" for value in values]
    labels[0], labels[1] = "1", "-1"
    return labels


def many_labels(source, values):
    """Three to five classes: stretches of the values, which overlap; each has a row."""
    count = min(source.randint(3, 5), len(values))
    order = sorted(values)
    noise = source.choice([0.0, 0.2]) * len(values)
    labels = []
    for value in values:
        place = order.index(value) + noise * source.gauss(0, 1)
        labels.append(str(max(0, min(count - 1, int(count * place / len(values))))))
    labels[:count] = [str(k) for k in range(count)]
    return labels


def random_kernel(source, rows):
    norm = max(sum(value * value for value in row) for row in rows) or 1.0
    kind = source.choice(["linear", "poly", "rbf"])
    if kind == "linear":
        return "linear"
    if kind == "rbf":
        return f"rbf(gamma={10.0 ** source.uniform(-3, 2) / norm!r})"
    scale = 1.0 / norm if source.random() < 0.7 else 1.0
    coef0 = source.choice([0, 1, 0.3])
    return f"poly(degree={source.randint(2, 4)}, coef0={coef0}, scale={scale!r})"


def machine_options(source, problem, values):
    options = []
    if problem.cost_exponent is not None:
        options += ["-C", repr(10.0 ** problem.cost_exponent)]
    if problem.machine in CLASSIFIERS | {JOINT} and source.random() < 0.25:
        options += ["--weight", f"1={10.0 ** source.uniform(-2, 2)!r}"]
    if problem.machine == "svr":
        width = max(map(abs, values)) * 10.0 ** source.uniform(-3, 0)
        options += ["--epsilon", repr(width)]
    if problem.machine == "nu-svc":
        options += ["--nu", repr(source.uniform(0.02, 0.98) * greatest_nu(problem, options))]
    if problem.machine in ("nu-svr", "one-class"):
        options += ["--nu", repr(source.uniform(0.02, 0.98))]
    if problem.machine not in ALWAYS_CONSTANT and source.random() < 0.25:
        options.append("--no-intercept")
    return options


def greatest_nu(problem, options):
    """Twice the share of the class with less weight."""
    factor = float(options[options.index("--weight") + 1][2:]) if "--weight" in options else 1.0
    sums = {"1": 0.0, "-1": 0.0}
    for i, target in enumerate(problem.targets):
        weight = 1.0 if problem.weights is None else problem.weights[i]
        sums[target] += weight * (factor if target == "1" else 1.0)
    return 2.0 * min(sums.values()) / sum(sums.values())
