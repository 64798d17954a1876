# SPDX-License-Identifier: Apache-2.0
#
# tests/peers/l1_test.py - few coefficients beside scikit-learn's machines, LARS and HiGHS.
"""Penalties on the coefficients agree with programs that others wrote."""
import unittest
import warnings

import numpy as np
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso, LogisticRegression, lars_path
from sklearn.svm import LinearSVC

from program import ProgramTest

AGREEMENT = 1e-7


def make_rows(rows, columns, seed):
    """Rows of normals, a target that needs a third of the columns, and its sign."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, columns))
    weights = np.where(np.arange(columns) % 3 == 0, random.normal(size=columns), 0.0)
    y = x @ weights + 0.5 * random.normal(size=rows)
    return x, y, np.where(y > 0, 1, -1)


class L1Test(ProgramTest):
    def write_rows(self, x, y, name="rows.csv"):
        lines = [",".join([*(f"x{j}" for j in range(x.shape[1])), "y"])]
        lines += [",".join([*(repr(float(value)) for value in row), repr(target)])
                  for row, target in zip(x, y.tolist())]
        return self.write(name, "\n".join(lines) + "\n")

    def run_json(self, *arguments):
        done = self.run_program(*arguments, "--json", "-q")
        self.assertEqual(done.status, 0, done.err)
        return done.json()

    def trace(self, x, y, *arguments):
        return self.run_json("path", self.write_rows(x, y), "-o", "p.path", "--over", "lambda",
                             "--penalty", "l1", "--features", *arguments)

    def weights_at(self, columns, value):
        """Of a path without intercept: its predictions of the unit rows."""
        units = self.write("units.svm", "".join(f"0 {j + 1}:1\n" for j in range(columns)))
        done = self.run_program("predict", "p.path", units, "--at", f"lambda={value!r}", "-o", "-")
        self.assertEqual(done.status, 0, done.err)
        return np.array([float(line.split()[0]) for line in done.out.split("\n") if line])

    @staticmethod
    def fit_logistic(x, t, solver, cost):
        with warnings.catch_warnings():  # the name of the option changes from version to version
            warnings.simplefilter("ignore")
            return LogisticRegression(penalty="l1", solver=solver, C=cost,
                                      fit_intercept=solver == "saga", tol=1e-9, max_iter=200_000,
                                      random_state=0).fit(x, t)

    def assert_same_objective(self, ours, theirs):
        self.assertLessEqual(abs(ours - theirs), AGREEMENT * abs(theirs), (ours, theirs))

    def assert_path_of_lars(self, x, y):
        report = self.trace(x, y, "--loss", "half-squared", "--no-intercept")
        alphas, _, coefficients = lars_path(x, y, method="lasso")
        theirs = alphas * len(y)
        ours = [knot["value"] for knot in report["breakpoints"]]
        self.assertEqual(len(ours), len(theirs))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * theirs[0])
        largest = np.abs(coefficients).max()
        for knot, value in enumerate(ours[:-1]):  # at 0 there is nothing to certify
            with self.subTest(knot=knot):
                np.testing.assert_allclose(self.weights_at(x.shape[1], value),
                                           coefficients[:, knot], rtol=0, atol=1e-9 * largest)
        end = np.zeros(x.shape[1])
        for each in report["coefficients"]:
            end[each["index"] - 1] = each["value"]
        np.testing.assert_allclose(end, coefficients[:, -1], rtol=0, atol=1e-9 * largest)

    def test_the_lasso_has_the_knots_and_coefficients_of_lars_path(self):
        x, y, _ = make_rows(60, 20, 1)
        self.assert_path_of_lars(x, y)

    def test_the_path_of_the_diabetes_data_with_its_leaving_column_is_that_of_lars_path(self):
        x, y = load_diabetes(return_X_y=True)
        self.assert_path_of_lars(x, y - y.mean())

    def test_a_squared_hinge_of_few_columns_has_the_objective_of_linear_svc(self):
        x, _, t = make_rows(150, 12, 2)
        cost = 2.0
        report = self.trace(x, t, "--loss", "squared-hinge", "-C", cost, "--no-intercept")
        for share in (0.5, 0.1, 0.01):
            weight = share * report["lambda_max"]
            with self.subTest(share=share):
                done = self.run_program("convert", "p.path", "--at", f"lambda={weight!r}", "-o",
                                        "m.mercer")
                self.assertEqual(done.status, 0, done.err)
                ours = self.run_json("inspect", "m.mercer")["certificate"]
                peer = LinearSVC(penalty="l1", loss="squared_hinge", dual=False,
                                 C=0.5 * cost / weight, fit_intercept=False, tol=1e-10,
                                 max_iter=1_000_000).fit(x, t)
                w = peer.coef_.ravel()
                slack = np.maximum(0, 1 - t * (x @ w))
                theirs = weight * np.abs(w).sum() + 0.5 * cost * (slack ** 2).sum()
                self.assert_same_objective(ours["primal"], theirs)
                self.assertLessEqual(ours["dual"], theirs * (1 + 1e-12))

    def test_logistic_regression_of_few_columns_has_the_objective_of_scikit_learn(self):
        cost = 2.0
        for rows, columns, seed in ((200, 12, 5), (60, 90, 6)):
            x, _, t = make_rows(rows, columns, seed)
            data = self.write_rows(x, t)
            for solver, weight in (("liblinear", 0.4), ("liblinear", 8.0), ("saga", 1.0),
                                   ("saga", 8.0)):
                free = solver == "saga"  # liblinear would pay for the intercept, too
                with self.subTest(columns=columns, solver=solver, weight=weight):
                    ours = self.run_json("train", data, "-o", "m.mercer", "--model", "logistic",
                                         "--penalty", "l1", "--l1", weight, "-C", cost,
                                         *([] if free else ["--no-intercept"]))
                    peer = self.fit_logistic(x, t, solver, cost / weight)
                    w = peer.coef_.ravel()
                    f = x @ w + (peer.intercept_[0] if free else 0.0)
                    theirs = weight * np.abs(w).sum() + cost * np.logaddexp(0, -t * f).sum()
                    self.assert_same_objective(ours["certificate"]["primal"], theirs)
                    self.assertLessEqual(ours["certificate"]["dual"], theirs * (1 + 1e-12))
                    np.testing.assert_allclose(ours["weights"], w, rtol=0,
                                               atol=1e-3 * np.abs(w).max())

    def test_least_squares_of_few_columns_has_the_objective_of_the_lasso(self):
        x, y, _ = make_rows(120, 30, 7)
        data = self.write_rows(x, y)
        for weight in (1.0, 20.0):
            with self.subTest(weight=weight):
                ours = self.run_json("train", data, "-o", "m.mercer", "--model", "least-squares",
                                     "--penalty", "l1", "--l1", weight)["certificate"]
                peer = Lasso(alpha=weight / (2 * len(y)), tol=1e-12, max_iter=100_000).fit(x, y)
                theirs = (weight * np.abs(peer.coef_).sum() + ((peer.predict(x) - y) ** 2).sum())
                self.assert_same_objective(ours["primal"], theirs)
                self.assertLessEqual(ours["dual"], theirs * (1 + 1e-12))

    def test_a_logistic_loss_of_few_functions_has_the_objective_of_logistic_regression(self):
        x, _, t = make_rows(60, 4, 3)
        cost = 2.0
        data = self.write_rows(x, t)
        for kernel, z in (("linear", x @ x.T),
                          ("rbf(gamma=0.5)", np.exp(-0.5 * ((x[:, None] - x[None]) ** 2).sum(2)))):
            for solver, weight in (("liblinear", 0.3), ("liblinear", 6.0), ("saga", 1.5)):
                free = solver == "saga"  # liblinear would pay for the intercept, too
                with self.subTest(kernel=kernel, solver=solver, weight=weight):
                    ours = self.run_json("train", data, "-o", "m.mercer", "--model", "klr",
                                         "--penalty", "l1", "--l1", weight, "--kernel", kernel, "-C",
                                         cost, "--gap-tolerance", 1e-9,
                                         *([] if free else ["--no-intercept"]))["certificate"]
                    peer = self.fit_logistic(z, t, solver, cost / weight)
                    beta = peer.coef_.ravel()
                    f = z @ beta + (peer.intercept_[0] if free else 0.0)
                    theirs = weight * np.abs(beta).sum() + cost * np.logaddexp(0, -t * f).sum()
                    self.assert_same_objective(ours["primal"], theirs)
                    self.assertLessEqual(ours["dual"], theirs * (1 + 1e-12))

    def test_a_hinge_of_few_functions_has_the_optimum_of_highs(self):
        x, _, t = make_rows(70, 3, 4)
        data = self.write_rows(x, t)
        n = len(t)
        for kernel, z in (("linear", x @ x.T),
                          ("rbf(gamma=1)", np.exp(-((x[:, None] - x[None]) ** 2).sum(2)))):
            for weight, cost, free in ((1.0, 1.0, True), (0.2, 3.0, False), (20.0, 1.0, True)):
                with self.subTest(kernel=kernel, weight=weight, cost=cost):
                    ours = self.run_json("train", data, "-o", "m.mercer", "--model", "svc",
                                         "--penalty", "l1", "--l1", weight, "--kernel", kernel, "-C",
                                         cost, *([] if free else ["--no-intercept"]))["certificate"]
                    # beta = p - q with p, q >= 0, slacks, and the intercept.
                    margins = t[:, None] * z
                    rows = -np.hstack([margins, -margins, np.eye(n), t[:, None]])
                    price = np.concatenate([np.full(2 * n, weight), np.full(n, cost), [0.0]])
                    bounds = [(0, None)] * (3 * n) + [(None, None) if free else (0, 0)]
                    peer = linprog(price, A_ub=rows, b_ub=-np.ones(n), bounds=bounds,
                                   method="highs")
                    self.assertEqual(peer.status, 0, peer.message)
                    self.assert_same_objective(ours["primal"], peer.fun)
                    self.assert_same_objective(ours["dual"], peer.fun)


if __name__ == "__main__":
    unittest.main()
