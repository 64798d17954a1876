# SPDX-License-Identifier: Apache-2.0
"""tests/cli/select_test.py - choosing constants, seen from outside."""

import math
import unittest

from program import ProgramTest


class SelectTest(ProgramTest):
    def select(self, data, *words, status=0):
        outcome = self.run_program("select", data, "-o", "m.mercer", "--json", "-q", *words)
        return self.expect(outcome, status).json()

    def test_leave_one_out_of_a_ridge_is_that_of_refits(self):
        self.make_data("d.svm", "friedman1", rows=20, seed=3)
        lines = (self.folder / "d.svm").read_text().splitlines()
        answer = self.select("d.svm", "--model", "krr", "--kernel", "rbf(gamma=0.5)", "--grid",
                             "alpha=0.01,0.1,1", "--loo")
        self.assertEqual([row["alpha"] for row in answer["table"]], [0.01, 0.1, 1.0])
        squares = 0.0
        for i, line in enumerate(lines):
            self.write("train.svm", "\n".join(lines[:i] + lines[i + 1:]) + "\n")
            self.write("test.svm", line + "\n")
            self.expect(self.run_program("train", "train.svm", "-o", "r.mercer", "--model", "krr",
                                         "--kernel", "rbf(gamma=0.5)", "--alpha", "0.1", "-q"), 0)
            f = float(self.run_program("predict", "r.mercer", "test.svm").out)
            squares += (f - float(line.split()[0])) ** 2
        row = answer["table"][1]
        self.assertAlmostEqual(row["loo_mse"], squares / 20, delta=1e-8)
        self.assertAlmostEqual(row["loo_rmse"], math.sqrt(squares / 20), delta=1e-8)
        self.assertTrue(answer["one_decomposition"])
        best = min(answer["table"], key=lambda one: one["loo_rmse"])
        self.assertEqual(answer["best"], best)
        self.assertEqual(answer["metric"], "loo_rmse")
        self.expect(self.run_program("verify", "m.mercer", "d.svm"), 0)

    def test_folds_choose_a_classifier_and_the_model_is_the_refit(self):
        data = self.make_data("d.svm", "moons", rows=120, seed=1)
        answer = self.select(data, "--grid", "C=0.01:100:log10", "--grid", "gamma=0.1,2",
                             "--folds", "4")
        self.assertEqual(len(answer["table"]), 10)
        self.assertEqual(max(row["cv_accuracy"] for row in answer["table"]),
                         answer["best"]["cv_accuracy"])
        self.assertEqual(answer["kernel"], f"rbf(gamma={answer['best']['gamma']:g})")
        self.expect(self.run_program("verify", "m.mercer", data), 0)

    def test_the_table_does_not_depend_on_the_threads_but_on_the_seed(self):
        data = self.make_data("d.svm", "friedman1", rows=90, seed=5)
        words = ["--model", "krr", "--grid", "alpha=0.1,1", "--grid", "gamma=0.1,1"]
        tables = [self.select(data, *words, "-j", str(j))["table"] for j in (1, 3)]
        self.assertEqual(tables[0], tables[1])
        other = self.select(data, *words, "--seed", "9")["table"]
        self.assertNotEqual(tables[0][0]["cv_rmse"], other[0]["cv_rmse"])
        self.assertEqual(tables[0][0]["loo_rmse"], other[0]["loo_rmse"])

    def test_a_validation_file_decides(self):
        data = self.make_data("d.svm", "sinc", rows=80, seed=1)
        other = self.make_data("v.svm", "sinc", rows=60, seed=2)
        answer = self.select(data, "--model", "krr", "--grid", "alpha=0.001,1000", "--validation",
                             other, "--metric", "mae")
        self.assertEqual(answer["metric"], "validation_mae")
        self.assertEqual(answer["best"]["alpha"], 0.001)

    def test_class_weights_are_those_of_the_model_whatever_chooses(self):
        data = self.make_data("d.svm", "moons", rows=120, seed=1)
        for words in (["--grid", "C=0.1,1"], ["--path", "C=0.1:10"],
                      ["--grid", "C=0.1,1", "--warm-start"]):
            self.select(data, "--weight", "1=3", *words)
            model = self.expect(self.run_program("inspect", "m.mercer", "--json"), 0).json()
            self.assertEqual(model["class_weights"], {"1": 3.0})
            self.expect(self.run_program("verify", "m.mercer", data), 0)

    def test_class_weights_of_machines_without_classes_are_refused(self):
        data = self.make_data("d.svm", "sinc", rows=20, seed=1)
        for words in (["--grid", "alpha=1,2"], ["--gradient", "loo"]):
            outcome = self.run_program("select", data, "-o", "m.mercer", "--model", "krr",
                                       "--weight", "1=3", *words)
            self.expect(outcome, 2)
            self.assertIn("krr has no classes", outcome.err)
        for words in (["--grid", "C=1", "--weight", "1"], ["--grid", "C=1", "--weight", "9=2"],
                      ["--path", "C", "--warm-start"]):
            other = self.make_data("m.svm", "moons", rows=20, seed=1)
            self.expect(self.run_program("select", other, "-o", "m.mercer", *words), 2)

    def test_bad_words_end_with_status_two_and_bad_data_with_three(self):
        data = self.make_data("d.svm", "sinc", rows=20, seed=1)
        for words in (["--grid", "alpha"], ["--grid", "width=1"], [],
                      ["--grid", "alpha=1", "--metric", "accuracy"],
                      ["--grid", "alpha=1", "--folds", "1"],
                      ["--grid", "alpha=1", "--loo", "--validation", data]):
            outcome = self.run_program("select", data, "-o", "m.mercer", "--model", "krr", *words)
            self.expect(outcome, 2)
            self.assertFalse((self.folder / "m.mercer").exists())
        self.write("bad.svm", "1 1:x\n")
        outcome = self.run_program("select", "bad.svm", "-o", "m.mercer", "--model", "krr",
                                   "--grid", "alpha=1")
        self.expect(outcome, 3)


if __name__ == "__main__":
    unittest.main()
