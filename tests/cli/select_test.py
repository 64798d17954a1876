# SPDX-License-Identifier: Apache-2.0
"""tests/cli/select_test.py - selection of hyperparameters through the program."""

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
                      ["--grid", "C=0.1,1", "--no-warm-start"]):
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
                      ["--path", "C", "--no-warm-start"]):
            other = self.make_data("m.svm", "moons", rows=20, seed=1)
            self.expect(self.run_program("select", other, "-o", "m.mercer", *words), 2)

    def test_without_warm_starts_a_row_does_not_depend_on_the_values_of_c_before_it(self):
        data = self.make_data("d.svm", "sinc", rows=120, noise=0.1, seed=1)
        words = ["--model", "svr", "--kernel", "rbf(gamma=1)", "--gap-tolerance", "1e-6"]
        rows = {}
        for starts in ([], ["--no-warm-start"]):
            for grid in ("C=1,10", "C=10"):
                table = self.select(data, *words, "--grid", grid, *starts)["table"]
                rows[grid, bool(starts)] = table[-1]["cv_rmse"]
        self.assertEqual(rows["C=1,10", True], rows["C=10", True])
        self.assertNotEqual(rows["C=1,10", False], rows["C=10", False])
        self.assertAlmostEqual(rows["C=1,10", False], rows["C=10", False], delta=1e-3)

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


class CertaintyTest(ProgramTest):
    def select(self, data, *words, status=0):
        outcome = self.run_program("select", data, "-o", "m.mercer", "--json", "-q", *words)
        return self.expect(outcome, status).json()

    GRID = ["--grid", "C=0.1,1,10", "--grid", "gamma=0.1,1,10"]

    def test_rows_say_their_folds_and_the_best_is_compared_with_the_next(self):
        data = self.make_data("d.svm", "moons", rows=150, seed=1, noise=0.4)
        answer = self.select(data, *self.GRID, "--nested", "4")
        for row in answer["table"]:
            scores = row["fold_scores"]
            mean = sum(scores) / 5
            error = math.sqrt(sum((one - mean) ** 2 for one in scores) / 4 / 5)
            self.assertAlmostEqual(row["standard_error"], error, delta=1e-14)
            self.assertTrue(row["converged"])
        pair = answer["runner_up"]["difference"]
        other = [a - b for a, b in zip(answer["best"]["fold_scores"], answer["runner_up"]["fold_scores"])]
        self.assertAlmostEqual(pair["mean"], sum(other) / 5, delta=1e-14)
        self.assertTrue(pair["lower"] <= pair["mean"] <= pair["upper"])
        self.assertEqual(len(answer["nested"]["scores"]), 4)
        self.assertEqual(sorted(answer["nested"]["choices"][0]), ["C", "gamma"])
        ruled = self.select(data, *self.GRID, "--rule", "one-standard-error")
        bound = answer["best"]["cv_accuracy"] - answer["best"]["standard_error"]
        within = [(row["C"], row["gamma"]) for row in answer["table"] if row["cv_accuracy"] >= bound]
        self.assertEqual((ruled["best"]["C"], ruled["best"]["gamma"]), min(within))

    def test_a_table_and_pictures_are_written(self):
        data = self.make_data("d.svm", "moons", rows=80, seed=1)
        self.select(data, *self.GRID, "--table", "t.csv", "--plot", "p.svg")
        lines = (self.folder / "t.csv").read_text().splitlines()
        self.assertEqual(len(lines), 10)
        self.assertTrue(lines[0].startswith("C,gamma,cv_accuracy,"))
        self.assertTrue(lines[0].endswith("fold_1,fold_2,fold_3,fold_4,fold_5"))
        self.assertIn("</svg>", (self.folder / "p.svg").read_text())
        self.select(data, "--grid", "C=0.1,1,10", "--plot", "p.html", "--repeats", "2")
        self.assertIn("<table", (self.folder / "p.html").read_text())

    def test_groups_are_read_by_name_and_time_goes_forward(self):
        data = self.make_data("d.svm", "moons", rows=60, seed=1)
        self.write("g.txt", "".join(f"site {i % 6}\n" for i in range(60)))
        answer = self.select(data, "--grid", "C=1,10", "--groups", "g.txt", "--folds", "3")
        self.assertEqual(len(answer["best"]["fold_scores"]), 3)
        self.expect(self.run_program("select", data, "-o", "m.mercer", "--grid", "C=1,10", "--groups",
                                     "g.txt", "--folds", "7"), 2)
        self.write("short.txt", "a\nb\n")
        self.expect(self.run_program("select", data, "-o", "m.mercer", "--grid", "C=1", "--groups",
                                     "short.txt"), 3)
        self.expect(self.run_program("select", data, "-o", "m.mercer", "--grid", "C=1", "--loo",
                                     "--time-ordered"), 2)

    def test_a_stopped_search_goes_on_to_the_same_table(self):
        data = self.make_data("d.svm", "moons", rows=900, seed=1, noise=0.4)
        words = ["--grid", "C=0.1:1000:log10:9", "--grid", "gamma=0.1:10:log10:5", "--gap-tolerance", "1e-6"]
        self.select(data, *words, "--table", "whole.csv")
        runs = 0
        for limit in (0.3, 0.4, 0.6, 1, 2, 4, 8, 60):
            outcome = self.run_program("select", data, "-o", "m.mercer", "-q", *words, "--checkpoint", "c",
                                       "--checkpoint-seconds", "0", "--resume", "--time-limit", str(limit),
                                       "--table", "parts.csv")
            runs += 1
            if outcome.status == 0:
                break
            self.assertEqual(outcome.status, 1)
        self.assertGreater(runs, 1)
        self.assertEqual((self.folder / "parts.csv").read_text(), (self.folder / "whole.csv").read_text())
        self.assertFalse((self.folder / "c").exists())

    def test_other_searches_run_and_conflicting_options_are_refused(self):
        data = self.make_data("d.svm", "moons", rows=400, seed=1)
        drawn = self.select(data, *self.GRID, "--search", "random", "--draws", "7")
        self.assertEqual(len(drawn["table"]), 7)
        halved = self.select(data, *self.GRID, "--search", "halving")
        self.assertEqual(max(row["rows"] for row in halved["table"]), 400)
        self.assertEqual(halved["best"]["rows"], 400)
        grown = self.select(data, "--grid", "gamma=0.01,0.02", "--extend", "2")
        self.assertIn(len(grown["table"]), (3, 4))
        for words in (["--search", "random"], ["--draws", "3"], ["--search", "halving", "--refine", "1"],
                      ["--resume"], ["--nested", "3", "--validation", data]):
            self.expect(self.run_program("select", data, "-o", "m.mercer", *self.GRID, *words), 2)


if __name__ == "__main__":
    unittest.main()
