# SPDX-License-Identifier: Apache-2.0
"""tests/cli/select_path_test.py - select over all values of a hyperparameter, by exact paths."""

import unittest

from program import ProgramTest

TIGHT = ["--gap-tolerance", "1e-10"]  # grid machines as exact as those of a path


class SelectPathTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.make_data("m.svm", "moons", rows=120, noise=0.3, seed=1)
        self.make_data("v.svm", "moons", rows=90, noise=0.3, seed=2)
        self.make_data("s.csv", "sinc", rows=80, noise=0.1, seed=1)

    def select(self, data, *words, status=0):
        outcome = self.run_program("select", data, "-o", "m.mercer", "--json", "-q", *words)
        return self.expect(outcome, status).json()

    def test_no_value_of_a_grid_is_better_than_the_best_of_the_path(self):
        for ways in (["--folds", "4"], ["--validation", "v.svm"], ["--folds", "3", "--seed", "5"]):
            path = self.select("m.svm", "--path", "C=0.02:50", "--grid", "gamma=0.5,4", *ways)
            grid = self.select("m.svm", "--grid", "C=0.02:50:log10:50", "--grid", "gamma=0.5,4",
                               *ways, *TIGHT)
            self.assertEqual(path["metric"], grid["metric"])
            for row in path["table"]:
                rivals = [one[path["metric"]] for one in grid["table"]
                          if one["gamma"] == row["gamma"]]
                self.assertEqual(len(rivals), 50)
                self.assertGreaterEqual(row[path["metric"]], max(rivals) - 1e-12)

    def test_the_score_is_that_of_machines_trained_at_the_value_under_the_same_folds(self):
        for ways in (["--folds", "4"], ["--loo"], ["--validation", "v.svm"],
                     ["--folds", "5", "--scale", "standard"]):
            path = self.select("m.svm", "--path", "C=0.02:50", *ways)
            best = path["best"]
            self.assertLess(best["C_from"], best["C"])
            self.assertLess(best["C"], best["C_to"])
            grid = self.select("m.svm", "--grid", f"C={best['C']!r}", *ways, *TIGHT)
            self.assertAlmostEqual(best[path["metric"]], grid["best"][path["metric"]], delta=1e-12)

    def test_the_score_of_a_tube_is_that_of_machines_trained_at_the_value(self):
        for over, model, words in (("C", "svr", ["--epsilon", "0.05"]), ("epsilon", "svr", ["-C", "2"]),
                                   ("nu", "nu-svr", ["-C", "2"])):
            with self.subTest(over=over):
                words = ["--kernel", "rbf(gamma=1)", "--folds", "4", *words]
                path = self.select("s.csv", "--model", "svr", "--path", over, *words)
                best = path["best"]
                self.assertEqual(best[f"{over}_from"], best[f"{over}_to"])
                grid = self.select("s.csv", "--model", model, "--grid", f"{over}={best[over]!r}",
                                   *words, *TIGHT)
                self.assertAlmostEqual(best["cv_rmse"], grid["best"]["cv_rmse"], delta=1e-6)
                near = self.select("s.csv", "--model", model, "--grid",
                                   f"{over}={0.99 * best[over]!r},{1.01 * best[over]!r}", *words,
                                   *TIGHT)
                self.assertLessEqual(best["cv_rmse"], near["best"]["cv_rmse"] + 1e-9)

    def test_the_model_is_trained_at_the_best_values_and_certified(self):
        answer = self.select("m.svm", "--path", "C", "--grid", "gamma=0.5,4")
        self.assertEqual([row["gamma"] for row in answer["table"]], [0.5, 4.0])
        self.assertEqual(answer["kernel"], f"rbf(gamma={answer['best']['gamma']:g})")
        self.assertTrue(all(row["complete"] for row in answer["table"]))
        self.expect(self.run_program("verify", "m.mercer", "m.svm"), 0)
        told = self.expect(self.run_program("inspect", "m.mercer", "--json"), 0).json()
        self.assertEqual(told["cost"], answer["best"]["C"])

    def test_the_stretch_is_shown_in_the_table(self):
        text = self.expect(self.run_program("select", "m.svm", "-o", "m.mercer", "--path", "C"),
                           0).out.splitlines()
        self.assertEqual(text[0].split(), ["C", "from", "to", "cv_accuracy"])
        self.assertTrue(text[1].endswith("<- best"))

    def test_what_cannot_be_meant_is_said(self):
        self.make_data("three.svm", "blobs", rows=60, classes=3, seed=1)
        for words, text in (
                (["m.svm"], "to say how to choose"),
                (["m.svm", "--path", "C", "--gradient", "loo"], "not both"),
                (["m.svm", "--path", "=1:2"], "must be NAME or NAME=FROM:TO"),
                (["m.svm", "--path", "C=1"], "two finite numbers"),
                (["m.svm", "--path", "C=1:x"], "two finite numbers"),
                (["m.svm", "--path", "C=0:1"], "from: got 0"),
                (["m.svm", "--path", "gamma"], "path: got 'gamma', svc has a path over C"),
                (["m.svm", "--path", "weight"], "path: got 'weight', svc has a path over C"),
                (["m.svm", "--path", "C", "--model", "klr"], "klr has no exact path"),
                (["m.svm", "--path", "C", "-C", "1"], "given, though the path is over C"),
                (["m.svm", "--path", "C", "--grid", "C=1,2"], "though the path is over C"),
                (["m.svm", "--path", "C", "--grid", "lambda=1"], "though the path is over C"),
                (["m.svm", "--path", "C", "--metric", "auc"], "metric: got 'auc'"),
                (["three.svm", "--path", "C"], "a path is of two classes, the data has 3")):
            with self.subTest(words=words):
                outcome = self.expect(self.run_program("select", *words, "-o", "x.mercer"), 2)
                self.assertIn(text, outcome.err)
        self.assertFalse((self.folder / "x.mercer").exists())


if __name__ == "__main__":
    unittest.main()
