# SPDX-License-Identifier: Apache-2.0
"""tests/cli/training_rows_test.py - training problems that crash, hang or mislead other packages.

Rows T1 to T25 of the catalogue of known failures, each on every machine of the support vector
family where it makes sense.
"""

import math
import pathlib
import random
import shutil
import struct
import subprocess
import time
import unittest

from catalogue import (ANY, CERTIFIED, FAMILY, HONEST, MACHINES, PAIR, CatalogueCase,
                       integers_of_a_segmentation_fault, normals, svm, uniforms)

CLASSES = ("svc", "hard-margin", "nu-svc", "l2-svc", "huber-svc", "ls-svc")
SOFT = ("svc", "nu-svc", "l2-svc", "huber-svc", "ls-svc")  # take classes that overlap
NUMBERS = ("svr", "absolute", "nu-svr")
COSTS = ("svc", "svr", "absolute", "nu-svr", "l2-svc", "huber-svc", "ls-svc")
NUS = ("nu-svc", "one-class", "nu-svr")
OTHERS = tuple(machine for machine in FAMILY if machine != "hard-margin")
HARD = ("hard-margin",)
REFUSED = (3, "not separable")
SOME = svm(normals(60, 2))
LIBSVM = shutil.which("svm-train", path="/usr/bin:/usr/local/bin")


def with_cost(machines, cost):
    """(machine, words), with the cost if the machine has one."""
    return [((machine,), ["-C", cost] if machine in COSTS else []) for machine in machines]


def rows_with_cost(name, text, cost, words, wanted):
    return [(name, text, machine, words + more, wanted)
            for machine, more in with_cost(OTHERS, cost)]


def six_rows():
    return svm(normals(6, 13))


def wide_columns(rows=200):
    """Three columns of 1, 1e4 and 1e-3."""
    return svm([(label, [row[0], 1e4 * row[1], 1e-3 * row[2]]) for label, row in normals(rows, 3)])


CRASHES = [
    # T1: integers whose kernel values overflow single precision
    ("T1", svm(integers_of_a_segmentation_fault()), OTHERS,
     ["--kernel", "poly(degree=10, scale=9.39, coef0=0)"], ANY),
    ("T1", svm(integers_of_a_segmentation_fault()), HARD,
     ["--kernel", "poly(degree=10, scale=9.39, coef0=0)"], REFUSED),
    # T3: more powers than rows; for classifiers five classes of one row each
    ("T3", svm([(i, [float(i)]) for i in range(5)]), FAMILY, ["--kernel", "poly(degree=10)"],
     HONEST),
    # T7: six rows of thirteen columns
    ("T7", six_rows(), tuple(m for m in FAMILY if m not in NUS),
     ["--kernel", "poly(degree=3, coef0=10)"], HONEST),
    ("T7", six_rows(), NUS, ["--kernel", "poly(degree=3, coef0=10)", "--nu", str(2 / 7)], HONEST),
    # T11: the largest floating-point numbers
    *[("T11", svm(uniforms(20, 3, 1.7e308)), FAMILY, words, ANY)
      for words in ([], ["--kernel", "rbf(gamma=1)"], ["--kernel", "linear"])],
    # T15: small costs
    *[(f"T15, C = {cost}", SOME, COSTS, ["-C", cost], CERTIFIED)
      for cost in ("0.001", "0.1", "0.5", "0.99")],
    # T24: constant columns, gamma=scale
    ("T24", "1 1:2\n-1 1:2\n1 1:2\n-1 1:2\n", OTHERS, [], CERTIFIED),
    ("T24", "1 1:2\n-1 1:2\n1 1:2\n-1 1:2\n", HARD, [], REFUSED),
    # T25: a tolerance of one, two rows
    ("T25", PAIR, tuple(m for m in FAMILY if m != "ls-svc"), ["--tolerance", "1"], CERTIFIED),
    ("T25", PAIR, ("ls-svc",), ["--gap-tolerance", "1"], CERTIFIED),
]

# Without a given limit (T8): the solvers have their own.
HANGS = [
    # T4: one column, a high degree, a large cost: the same pair is chosen again and again
    *rows_with_cost("T4, T8", svm(normals(40, 1)), "1e4",
                    ["--kernel", "poly(degree=8, coef0=1)"], HONEST),
    ("T4, T8", svm(normals(40, 1)), HARD, ["--kernel", "poly(degree=8, coef0=1)"], REFUSED),
    # T5: objective values that go up and down
    *rows_with_cost("T5, T8", svm(normals(100, 2)), "10",
                    ["--kernel", "poly(degree=3, scale=10, coef0=0)"], HONEST),
    # T6: columns of very different range
    *rows_with_cost("T6, T8", wide_columns(), "25", ["--kernel", "linear"], HONEST),
    # T16: large costs
    *rows_with_cost("T16", SOME, "1e5", [], HONEST),
]

NUMBERS_THAT_ARE_NONE = [
    # T12: targets
    *[(f"T12, {text}", f"1 1:1\n{text} 1:2\n", NUMBERS, [], (3, ":2:"))
      for text in ("nan", "inf", "-inf")],
    # T13: parameters
    *[(f"T13, C = {value}", SOME, COSTS, [f"--cost={value}"], (2, "--cost: got"))
      for value in ("nan", "-inf", "0", "-1")],
    ("T13, lambda", SOME, COSTS, ["--lambda=nan"], (2, "--lambda: got")),
    ("T13, epsilon", SOME, ("svr",), ["--epsilon=nan"], (2, "--epsilon: got")),
    *[(f"T13, nu = {value}", SOME, NUS, [f"--nu={value}"], (2, "nu: got"))
      for value in ("nan", "0", "-1", "inf")],
    *[(f"T13, gamma = {value}", SOME, FAMILY, ["--kernel", f"rbf(gamma={value})"], (2, "gamma"))
      for value in ("nan", "-1", "inf")],
    ("T13, tolerance", SOME, FAMILY, ["--tolerance=nan"], (2, "--tolerance: got")),
    ("T13, gap tolerance", SOME, FAMILY, ["--gap-tolerance=nan"], (2, "--gap-tolerance: got")),
]

FEW = [
    # T19: one-class, few rows, any nu: a number of rows that rounds to zero
    *[(f"T19, {rows} rows, nu = {nu}", svm(normals(rows, 2)), ("one-class",), ["--nu", nu],
       CERTIFIED) for rows in (1, 2, 3, 5, 12) for nu in ("1e-6", "0.05", "0.2", "0.5", "1")],
    # T20: a nu that is infeasible for the classes is refused before any kernel value is computed
    ("T20", "1 1:1\n-1 1:2\n1 1:3\n1 1:4\n", ("nu-svc",), ["--nu", "0.51"],
     (2, "nu: got 0.51, must be at most 0.5")),
    ("T20", "1 1:1\n-1 1:2\n1 1:3\n1 1:4\n", ("nu-svc",), ["--nu", "0.5"], CERTIFIED),
    # T21: no support vectors at all
    ("T21", "3 1:1\n3 1:2\n3 1:4\n", NUMBERS, [], CERTIFIED),
    ("T21", "1 1:1\n2 1:2\n", ("svr",), ["--epsilon", "10"], CERTIFIED),
    # T23: two rows with one target; classes named 0 and 1
    ("T23", "1 1:1\n1 1:2\n", NUMBERS + ("one-class",), [], CERTIFIED),
    ("T23", "1 1:1\n1 1:2\n", CLASSES, [], (3, "two classes")),
    ("T23", "0 1:-1\n1 1:1\n0 1:-2\n1 1:3\n", FAMILY, [], CERTIFIED),
]


class TrainingRowsTest(CatalogueCase):
    def test_rows_that_crash_other_packages_end_as_wanted(self):
        self.run_rows(CRASHES)

    def test_rows_that_hang_other_packages_end_as_wanted(self):
        self.run_rows(HANGS)

    def test_invalid_numbers_are_refused(self):
        self.run_rows(NUMBERS_THAT_ARE_NONE)

    def test_few_rows_end_as_wanted(self):
        self.run_rows(FEW)

    def train(self, machine, data, *words, status=0, model="m.mercer"):
        return self.expect(self.run_program(
            "train", data, "-o", model, "--model", *MACHINES.get(machine, (machine,)), "--json",
            "-q", *words), status)

    def decisions(self, model, data):
        out = self.expect(self.run_program("predict", model, data, "--output", "decision", "-q"), 0)
        return [float(value) for value in out.out.split()]

    def test_single_precision_data_of_degree_thirty_are_trained(self):
        # T2: 380 columns of float32
        numbers = random.Random(3)
        values = [numbers.random() for _ in range(40 * 380)]
        rows = [values[i * 380:(i + 1) * 380] + [(-1.0, 1.0)[i % 2]] for i in range(40)]
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (40, 381), }"
        header += b" " * (117 - len(header)) + b"\n"
        (self.folder / "d.npy").write_bytes(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
            b"".join(struct.pack("<381f", *row) for row in rows))
        for machine in FAMILY:
            with self.subTest(machine=machine):
                outcome = self.run_program(
                    "train", "d.npy", "-o", "m.mercer", "--model",
                    *MACHINES.get(machine, (machine,)), "--target", "380", "--kernel",
                    "poly(degree=30, scale=1, coef0=0)", "--json", "-q")
                self.assertIn(outcome.status, (0, 1), outcome.err)
                self.finite(outcome.json())
                self.expect(self.run_program("verify", "m.mercer", "d.npy", "--target", "380"), 0)

    def test_an_infinite_cost_is_a_hard_margin_or_a_very_large_cost(self):
        # T14: it is the hard margin, or equivalent to a cost of 1e10
        numbers = random.Random(4)
        apart = self.write("apart", svm([(label, [row[0] + 3 * label, row[1]])
                                         for label, row in normals(40, 2)]))
        wave = self.write("wave", "".join(
            f"{math.sin(3 * x) + 0.1 * numbers.gauss(0, 1)!r} 1:{x!r}\n"
            for x in (0.3 * i for i in range(30))))
        for machine in COSTS:
            data = wave if machine in NUMBERS else apart
            words = ["--kernel", "rbf(gamma=20)" if machine in NUMBERS else "linear"]
            with self.subTest(machine=machine):
                self.train(machine, data, "-C", "inf", *words, model="inf.mercer")
                self.train(machine, data, "-C", "1e10", *words, model="large.mercer")
                for a, b in zip(self.decisions("inf.mercer", data),
                                self.decisions("large.mercer", data)):
                    self.assertAlmostEqual(a, b, delta=0.03)
                self.expect(self.run_program("verify", "inf.mercer", data), 0)
        # Points so close to each other that K is numerically singular: 1e10 times the last bits of
        # f.
        for seed in (4, 5, 6):
            near = random.Random(seed)
            data = self.write("near", "".join(
                f"{math.sin(3 * x) + 0.1 * near.gauss(0, 1)!r} 1:{x!r}\n"
                for x in (near.gauss(0, 1) for _ in range(30))))
            for machine in ("svr", "nu-svr"):
                for cost in ("inf", "1e10"):
                    with self.subTest(machine=machine, cost=cost, seed=seed):
                        words = ["--nu", "0.5"] if machine == "nu-svr" else []
                        started = time.monotonic()
                        outcome = self.run_program(
                            "train", data, "-o", "near.mercer", "--model", machine, "-C", cost,
                            "--kernel", "rbf(gamma=20)", "--json", "-q", *words)
                        proof = outcome.json()["certificate"]
                        self.expect(self.run_program("verify", "near.mercer", data), 0)
                        # With a tube of width zero f is known only to 1e-4 of the objective.
                        self.expect_fact(
                            "X24", f"{machine}, 30 clustered points, C = inf and 1e10: relative gap",
                            proof["relative_gap"])
                        self.assertEqual(outcome.status, 0 if proof["relative_gap"] <= 1e-4 else 1)
                        self.assertLess(time.monotonic() - started, 60)
        self.train("hard-margin", apart, "--kernel", "linear", model="hard.mercer")
        self.train("svc", apart, "-C", "inf", "--kernel", "linear", model="inf.mercer")
        self.assertEqual(self.decisions("hard.mercer", apart), self.decisions("inf.mercer", apart))
        outcome = self.run_program("train", self.write("d", SOME), "-o", "m.mercer", "-C", "inf",
                                   "--kernel", "linear")
        self.refused(outcome, 3, "not separable")
        outcome = self.run_program("train", apart, "-o", "m.mercer", "-C", "inf", "--model", "klr")
        self.refused(outcome, 2, "cost: got inf")

    def accuracy(self, machine, data, *words):
        outcome = self.run_program("train", data, "-o", "m.mercer", "--model", machine, "--json",
                                   "-q", *words)
        self.assertIn(outcome.status, (0, 1), outcome.err)
        return self.expect(self.run_program("evaluate", "m.mercer", data, "--json"),
                           0).json()["accuracy"]

    def test_large_costs_keep_their_accuracy(self):
        # T16: other programs drop from 0.81 to 0.53 between 1e3 and 1e5
        data = self.write("d", svm(normals(120, 2)))
        for machine in ("svc", "l2-svc", "huber-svc", "ls-svc"):
            with self.subTest(machine=machine):
                first = self.accuracy(machine, data, "-C", "10", "--kernel", "rbf(gamma=1)")
                for cost in ("1e3", "1e4", "1e5"):
                    self.assertGreaterEqual(
                        self.accuracy(machine, data, "-C", cost, "--kernel", "rbf(gamma=1)"),
                        first - 0.02)

    @unittest.skipIf(LIBSVM is None, "LIBSVM's programs are not installed")
    def test_columns_of_any_scale_are_no_worse_than_in_libsvm(self):
        # T17: counts, sizes and rates together, as in network traffic
        numbers = random.Random(6)
        rows = []
        for i in range(200):
            attack = i % 2
            rows.append((attack, [round(10 ** numbers.uniform(2, 6 + attack)),
                                  numbers.randint(0, 65535), attack * numbers.random() * 1e-3,
                                  numbers.random()]))
        data = self.write("d", svm(rows))
        gamma = "1e-12"
        subprocess.run([LIBSVM, "-q", "-g", gamma, "-c", "10", data, self.path("b")], check=True)
        subprocess.run([pathlib.Path(LIBSVM).with_name("svm-predict"), "-q", data, self.path("b"),
                        self.path("out")], check=True)
        theirs = [float(line) for line in (self.folder / "out").read_text().split()]
        share = sum(a == label for a, (label, _) in zip(theirs, rows)) / len(rows)
        for machine in ("svc", "l2-svc", "huber-svc", "ls-svc"):
            with self.subTest(machine=machine):
                self.assertGreaterEqual(self.accuracy(machine, data, "--kernel",
                                                      f"rbf(gamma={gamma})", "-C", "10"),
                                        share - 0.01)

    def test_row_weights(self):
        # T22: zero, negative, all zero, one class left
        apart = [(label, [row[0] + 4 * label, row[1]]) for label, row in normals(20, 2)]
        data = self.write("d.svm", svm(apart))
        for name, weights, wanted in (
                ("some zero", ["0", "0", "1", "1"] * 5, CERTIFIED),
                ("all zero", ["0"] * 20, (3, "weight")),
                ("a class without", ["0", "1"] * 10, (3, "weight > 0")),
                ("negative", ["1"] * 19 + ["-1"], (3, "row 20")),
                ("not a number", ["1"] * 19 + ["nan"], (3, "(row |:)20")),
                ("too few", ["1"] * 19, (3, "one per row")),
        ):
            file = self.write("w.txt", "\n".join(weights) + "\n")
            for machine in FAMILY:
                with self.subTest(case=name, machine=machine):
                    (self.folder / "m.mercer").unlink(missing_ok=True)
                    words = ["--weights", file]
                    if isinstance(wanted, tuple) and (name != "a class without" or
                                                      machine in CLASSES):
                        self.refused(self.run_program("train", data, "-o", "m.mercer", "--model",
                                                      *MACHINES.get(machine, (machine,)), *words),
                                     *wanted)
                        continue
                    self.finite(self.train(machine, data, *words).json())
                    self.used(data)
                    self.expect(self.run_program("verify", "m.mercer", data, *words), 0)
                    if name == "some zero":  # as if they were not there
                        rest = self.write("rest", svm([row for row, weight in zip(apart, weights)
                                                       if weight != "0"]))
                        self.train(machine, rest, model="rest.mercer")
                        for a, b in zip(self.decisions("m.mercer", data),
                                        self.decisions("rest.mercer", data)):
                            self.assertAlmostEqual(a, b, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
