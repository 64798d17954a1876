# SPDX-License-Identifier: Apache-2.0
"""tests/cli/compare_test.py - solvers on one problem: the same value, at the rate theory predicts."""

import math
import unittest
import xml.dom.minidom

from program import ProgramTest

ROUNDING = 1e-14  # smaller relative gaps are noise


def rows_of(path):
    """Rows of a LIBSVM file, as dictionaries."""
    with open(path, encoding="ascii") as lines:
        return [{int(k): float(v) for k, v in (entry.split(":") for entry in line.split()[1:])}
                for line in lines]


def rbf_matrix(rows, gamma):
    def squared_distance(x, z):
        return sum((x.get(k, 0.0) - z.get(k, 0.0)) ** 2 for k in x.keys() | z.keys())
    return [[math.exp(-gamma * squared_distance(x, z)) for z in rows] for x in rows]


def greatest_eigenvalue(matrix):
    """The largest eigenvalue by power iteration, which converges fast for positive entries."""
    v = [1.0] * len(matrix)
    most = 0.0
    for _ in range(200):
        v = [sum(a * b for a, b in zip(row, v)) for row in matrix]
        most = math.sqrt(sum(a * a for a in v))
        v = [a / most for a in v]
    return most


def gaps_of(run):
    """(iteration, gap) of the trace, not relative, down to rounding."""
    points = []
    for point in run["trace"]:
        if not point["relative_gap"] > ROUNDING:
            break
        points.append((point["iteration"],
                       point["relative_gap"] * max(1.0, abs(point["primal"]))))
    return points


class CompareTest(ProgramTest):
    def compare(self, data, *words, status=0):
        outcome = self.run_program("compare", data, "--json", "-q", *words)
        return self.expect(outcome, status).json()

    def test_every_solver_of_a_machine_proves_the_same_value(self):
        data = self.make_data("d.svm", "moons", rows=150, seed=1)
        for model in ("klr", "l2-svc", "huber-svc"):
            answer = self.compare(data, "--model", model, "--kernel", "rbf(gamma=1)",
                                  "--gap-tolerance", "1e-6")
            names = [run["solver"] for run in answer["solvers"]]
            self.assertGreaterEqual(len(names), 4)
            values = [run["certificate"]["primal"] for run in answer["solvers"]]
            self.assertLessEqual(max(values) - min(values), 2e-6 * max(1.0, values[0]))
            for run in answer["solvers"]:
                self.assertEqual(run["status"], "converged")
                self.assertLessEqual(run["trace"][-1]["relative_gap"], 1e-6)
                seconds = [point["seconds"] for point in run["trace"]]
                self.assertEqual(seconds, sorted(seconds))

    def test_ridge_solvers_agree_and_the_plot_is_a_picture(self):
        data = self.make_data("d.svm", "friedman1", rows=100, seed=1)
        answer = self.compare(data, "--model", "krr", "--alpha", "1", "--plot", "gaps.svg")
        values = [run["certificate"]["primal"] for run in answer["solvers"]]
        self.assertEqual(len(values), 4)
        self.assertLessEqual(max(values) - min(values), 1e-6 * values[0])
        picture = xml.dom.minidom.parse(self.path("gaps.svg"))
        # Four lines against time; those with a trace again against steps, with their bounds.
        lines = picture.getElementsByTagName("polyline")
        dashed = [line for line in lines if line.getAttribute("stroke-dasharray")]
        self.assertEqual((len(lines), len(dashed)), (8, 2))
        self.compare(data, "--model", "krr", "--solvers", "cholesky", "--plot", "gaps.html")
        self.assertIn("<!doctype html>", (self.folder / "gaps.html").read_text())
        self.compare(data, "--model", "krr", "--alpha", "1", "--plot", "rates.html")
        page = (self.folder / "rates.html").read_text()
        for run in answer["solvers"]:
            self.assertIn(f"<tr><td>{run['solver']}<td>converged", page)

    def test_a_solver_that_does_not_fit_is_refused_by_name(self):
        data = self.make_data("d.svm", "moons", rows=30, seed=1)
        outcome = self.run_program("compare", data, "--model", "klr", "--solvers", "cholesky")
        self.expect(outcome, 2)
        self.assertIn("newton", outcome.err)
        outcome = self.run_program("compare", data, "--model", "logistic", "--kernel",
                                   "rbf(gamma=1)")
        self.expect(outcome, 2)
        self.assertIn("takes none", outcome.err)

    def test_solvers_of_linear_predictors_agree(self):
        numbers = self.make_data("n.svm", "friedman1", rows=80, seed=1)
        classes = self.make_data("c.svm", "moons", rows=80, noise=0.3, seed=1)
        for model, data, words, count in (
                ("ridge", numbers, ("--alpha", 2), 3), ("least-squares", numbers, (), 3),
                ("polynomial", numbers, ("--degree", 1), 3),
                ("logistic", classes, ("-C", 1, "--gap-tolerance", "1e-9"), 6)):
            with self.subTest(model=model):
                runs = self.compare(data, "--model", model, *words)["solvers"]
                self.assertEqual(len(runs), count, runs)
                values = [run["certificate"]["primal"] for run in runs]
                self.assertLessEqual(max(values) - min(values), 1e-8 * max(1.0, values[0]))
                self.assertEqual({run["status"] for run in runs}, {"converged"})
        # sum (f - y)^2 + 2 |w|^2 over 2 alpha is the objective of krr with the linear kernel.
        ridge = self.compare(numbers, "--model", "ridge", "--alpha", 2)["solvers"]
        kernel = self.compare(numbers, "--model", "krr", "--alpha", 2, "--kernel",
                              "linear")["solvers"]
        for run in kernel:
            self.assertAlmostEqual(run["certificate"]["primal"],
                                   ridge[0]["certificate"]["primal"], delta=1e-7)

    def test_a_machine_without_traces_is_the_one_that_train_makes(self):
        data = self.make_data("d.svm", "moons", rows=80, noise=0.3, seed=1)
        for model, words in (("nu-svc", ("--nu", 0.4)), ("ls-svc", ("-C", 2))):
            with self.subTest(model=model):
                words = (*words, "--kernel", "rbf(gamma=1)", "--gap-tolerance", "1e-9")
                runs = self.compare(data, "--model", model, *words)["solvers"]
                trained = self.run_program("train", data, "-o", "m.mercer", "--model", model,
                                           "--json", "-q", *words)
                for run in runs:
                    self.assertEqual(run["status"], "converged")
                    self.assertAlmostEqual(run["certificate"]["primal"],
                                           self.expect(trained, 0).json()["certificate"]["primal"],
                                           delta=1e-7)

    def test_more_than_two_classes_are_refused(self):
        data = self.make_data("d.svm", "blobs", rows=30, seed=1, classes=3)
        outcome = self.run_program("compare", data, "--model", "klr")
        self.expect(outcome, 2)
        self.assertIn("two classes", outcome.err)


class PaceTest(ProgramTest):
    """The traces compared with theory."""

    def solvers(self, data, *words):
        outcome = self.run_program("compare", data, "--json", "-q", *words)
        return {run["solver"]: run for run in self.expect(outcome, 0).json()["solvers"]}

    def ridge(self, alpha, *words):
        data = self.make_data("d.svm", "friedman1", rows=60, seed=1)
        runs = self.solvers(data, "--model", "krr", "--alpha", alpha, "--kernel", "rbf(gamma=0.5)",
                            "--gap-tolerance", "1e-13", *words)
        top = greatest_eigenvalue(rbf_matrix(rows_of(data), 0.5))
        return runs, (top + alpha) / alpha  # the smallest eigenvalue of K is not negative

    def test_the_condition_is_that_of_the_matrix(self):
        runs, condition = self.ridge(0.5, "--no-intercept")
        for name in ("gradient-descent", "conjugate-gradient"):
            found = runs[name]["pace"]["condition"]
            self.assertGreaterEqual(found, 0.999 * condition)
            self.assertLessEqual(found, 1.06 * condition)  # a twentieth above, for safety
        self.assertIsNone(runs["cholesky"]["pace"]["condition"])

    def test_descent_is_linear_and_keeps_to_its_bound(self):
        for words in ([], ["--no-intercept"]):
            runs, condition = self.ridge(1.0, *words)
            run = runs["gradient-descent"]
            points = gaps_of(run)
            # The gap is the squared residual over 2 alpha; each step reduces it by 1/condition.
            bound = (1.0 - 1.0 / (1.06 * condition)) ** 2
            self.assertLessEqual(run["pace"]["bound"], bound)
            self.expect_fact("A01", "krr, 60 rows: gap over its bound (1 - 1/k)^(2 steps)",
                             max(gap / (points[0][1] * bound ** iteration)
                                 for iteration, gap in points))
            self.assertLessEqual(run["pace"]["seen"], run["pace"]["bound"])
            # A straight line: over the last half of the run all factors are nearly equal.
            half = points[len(points) // 2:]
            factors = [after[1] / before[1] for before, after in zip(half, half[1:])]
            self.assertGreater(len(factors), 10)
            self.expect_fact("A01", "krr, 60 rows: greatest over least factor of a step, second half "
                             "of the run", max(factors) / min(factors))
            self.assertLess(max(factors), 1.0)

    def test_conjugate_gradients_end_within_n_steps_and_their_bound(self):
        for words in ([], ["--no-intercept"]):
            runs, condition = self.ridge(0.1, *words)
            run = runs["conjugate-gradient"]
            self.expect_fact("A05", "krr, 60 rows: steps", run["iterations"])
            root = math.sqrt(1.06 * condition)
            factor = ((root - 1.0) / (root + 1.0)) ** 2
            points = gaps_of(run)
            start = 4.0 * 1.06 * condition * points[0][1]
            self.expect_fact("A05", "krr, 60 rows: gap over its bound",
                             max(gap / (start * factor ** iteration) for iteration, gap in points))
            self.assertLess(run["iterations"], runs["gradient-descent"]["iterations"] / 4)

    def test_conjugate_gradients_take_a_step_per_distinct_eigenvalue(self):
        # Two pairs of equal rows far apart: K + 1 has the eigenvalues 3 and 1, so two steps.
        data = self.write("pairs.svm", "1 1:0\n2 1:0\n-1 1:100\n3 1:100\n")
        runs = self.solvers(data, "--model", "krr", "--alpha", "1", "--kernel", "rbf(gamma=1)",
                            "--no-intercept", "--solvers", "conjugate-gradient",
                            "--gap-tolerance", "1e-13")
        self.expect_fact("A05", "krr, two distinct eigenvalues: steps",
                         runs["conjugate-gradient"]["iterations"])

    def test_newton_is_quadratic_at_the_end(self):
        data = self.make_data("d.svm", "moons", rows=150, noise=0.2, seed=1)
        for model, name, cost in (("klr", "newton", 1), ("klr", "newton", 10),
                                  ("l2-svc", "finite-newton", 1),
                                  ("huber-svc", "finite-newton", 1)):
            run = self.solvers(data, "--model", model, "-C", cost, "--kernel", "rbf(gamma=1)",
                               "--solvers", name, "--gap-tolerance", "1e-14")[name]
            gaps = [point["relative_gap"] for point in run["trace"]]
            near = [(before, after) for before, after in zip(gaps, gaps[1:]) if before < 0.1]
            self.assertGreaterEqual(len(near), 2, (model, gaps))
            if model == "klr":  # finite Newton ends in one step once the set is right
                self.expect_fact("A02", "klr, 150 moons, near the end: gap after over 10 times its "
                                 "square before, or rounding",
                                 max(after / max(10.0 * before ** 2, ROUNDING)
                                     for before, after in near))
                self.assertGreater(run["pace"]["order"], 1.5)
            self.assertLessEqual(gaps[-1], ROUNDING)
            self.assertLessEqual(run["iterations"], 15)


if __name__ == "__main__":
    unittest.main()
