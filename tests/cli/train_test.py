# SPDX-License-Identifier: Apache-2.0
"""tests/cli/train_test.py - training, prediction, evaluation and proof through the program."""

import json
import math
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

# The contract is one second; a loaded machine under a sanitizer gets more.
PATIENCE = float(os.environ.get("MERCER_TEST_PATIENCE", "1.0"))

TRAIN_KEYS = ["command", "model", "kernel", "solver", "status", "rows", "columns", "classes",
              "support_vectors", "bounded_support_vectors", "iterations", "intercept",
              "certificate", "seconds", "peak_memory_bytes"]
CERTIFICATE_KEYS = ["primal", "dual", "gap", "relative_gap", "kkt_violation", "exact"]


class TrainTest(ProgramTest):
    def train(self, data, *words, model="m.mercer", status=0):
        outcome = self.run_program("train", data, "-o", model, "--json", "-q", *words)
        return self.expect(outcome, status).json()

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def test_json_has_the_keys_of_the_contract(self):
        data = self.make_data("d.svm", "moons", rows=200, seed=1)
        result = self.train(data)
        self.assertEqual([key for key in TRAIN_KEYS if key not in result], [])
        self.assertEqual(list(result["certificate"]), CERTIFICATE_KEYS)
        for stage in ("read", "fit", "certify", "total"):
            self.assertIn(stage, result["seconds"])
        self.assertEqual(result["classes"], ["-1", "1"])
        self.assertLessEqual(result["certificate"]["relative_gap"], 1e-4)
        self.assertEqual((result["rows"], result["columns"]), (200, 2))
        data = self.make_data("r.svm", "sinc", rows=100, seed=1)
        result = self.train(data, "--model", "krr", "--alpha", "0.1", "--loo")
        self.assertEqual(result["rank"], 100)
        self.assertGreater(result["loo_rmse"], 0.0)
        self.assertLessEqual(result["certificate"]["relative_gap"], 1e-8)

    def test_a_tube_counts_its_rows_and_an_intercept_tells_its_range(self):
        two = self.write("two.csv", "0,0\n1,1\n0.5,0.5\n")
        result = self.train(two, "--model", "svr", "--kernel", "linear", "-C", "1", "--epsilon",
                            "0.1", "--gap-tolerance", "1e-10")
        places = ("inside", "edge", "above", "below")
        self.expect_fact("E05", "REG2 and (1/2, 1/2), C = 1: inside, edge, above, below",
                         [result["tube_rows"][place] for place in places])
        result = self.train(two, "--model", "svr", "--kernel", "linear", "-C", "0.5", "--epsilon",
                            "0.1", "--gap-tolerance", "1e-10")
        self.expect_fact("E05", "REG2 and (1/2, 1/2), C = 0.5: inside, edge, above, below",
                         [result["tube_rows"][place] for place in places])
        for found, printed in zip(result["intercept_range"], (0.15, 0.35)):
            # The middle row keeps b within its own tube: .5 - .25 -+ .1.
            self.assertAlmostEqual(found, printed, delta=1e-9)
        result = self.train(two, "--model", "l2-svr", "--kernel", "linear", "-C", "1", "--epsilon",
                            "0.1")
        self.assertEqual(result["tube_rows"], {"inside": 1, "edge": 0, "above": 1, "below": 1})

    def test_precomputed_values_train_every_machine(self):
        rows = self.make_data("d.csv", "moons", rows=60, noise=0.2, seed=1)
        more = self.make_data("t.csv", "moons", rows=25, noise=0.2, seed=2)

        def points(name):
            lines = (self.folder / name).read_text().split()
            return [[float(word) for word in line.split(",")] for line in lines
                    if line[0] in "-0123456789"]

        def values(name, left, right):
            return self.write(name, "".join(
                ",".join([repr(math.exp(-2 * ((x[0] - z[0]) ** 2 + (x[1] - z[1]) ** 2)))
                          for z in right] + [f"{x[2]:g}"]) + "\n" for x in left))

        known = points("d.csv")
        matrix = values("k.csv", known, known)
        test = values("kt.csv", points("t.csv"), known)
        for model in ("svc", "nu-svc", "one-class", "svr", "l2-svr", "nu-svr", "l2-svc",
                      "huber-svc", "hard-margin", "klr", "krr", "ls-svc", "perceptron"):
            with self.subTest(model=model):
                words = ["--model", model, "--gap-tolerance", "1e-9"]
                words += ["--nu", "0.3"] if model in ("nu-svc", "one-class", "nu-svr") else []
                self.train(rows, *words, "--kernel", "rbf(gamma=2)", model="a.mercer")
                self.train(matrix, *words, "--kernel", "precomputed", model="b.mercer")
                self.expect(self.run_program("verify", "b.mercer", matrix), 0)
                a, b = ([float(word) for word in self.expect(self.run_program(
                    "predict", name, file, "--output", "decision"), 0).out.split()]
                    for name, file in (("a.mercer", more), ("b.mercer", test)))
                self.assertEqual(len(a), 25)
                for x, y in zip(a, b, strict=True):
                    self.assertAlmostEqual(x, y, delta=2e-4 * max(1.0, abs(x)))
                outcome = self.run_program("predict", "b.mercer", more)
                self.expect(outcome, 3)
                self.assertIn("the model was trained on 60", outcome.err)

    def test_model_bytes_do_not_depend_on_the_number_of_threads(self):
        classes = self.make_data("c.svm", "spirals", rows=600, seed=1)
        numbers = self.make_data("r.npz", "friedman1", rows=500, seed=1)
        for words in ([classes, "-C", "10"], [classes, "--scale", "standard"],
                      [numbers, "--model", "krr", "--alpha", "0.5", "--scale", "minmax"]):
            with self.subTest(words=words):
                for threads in (1, 2, 5):
                    self.train(*words, "-j", threads, model=f"m{threads}.mercer")
                self.assertEqual(self.bytes_of("m1.mercer"), self.bytes_of("m2.mercer"))
                self.assertEqual(self.bytes_of("m1.mercer"), self.bytes_of("m5.mercer"))

    def test_many_classes_have_a_summed_certificate_values_and_probabilities(self):
        data = self.write("d.csv", "".join(
            f"{x},{y},{name}\n" for name, cx, cy in (("red", 0, 0), ("blue", 4, 0), ("green", 0, 4))
            for x, y in ((cx, cy), (cx + 1, cy), (cx, cy + 1), (cx + 1, cy + 1), (cx + 2, cy + 2))))
        for way, width in (("ovo", 3), ("ovr", 3)):
            result = self.train(data, "--kernel", "rbf(gamma=0.5)", "--multiclass", way,
                                "--probability")
            self.assertEqual(result["classes"], ["blue", "green", "red"])
            parts = result["certificates"]
            self.assertEqual(len(parts), width)
            for key in ("primal", "dual", "gap"):
                self.assertAlmostEqual(result["certificate"][key],
                                       sum(part[key] for part in parts), places=9)
            self.expect(self.run_program("verify", "m.mercer", data), 0)
            report = self.expect(self.run_program("evaluate", "m.mercer", data, "--json"), 0).json()
            self.assertEqual([sum(row) for row in report["confusion"]], [5, 5, 5])
            self.assertGreater(report["log_loss"], 0.0)
            self.assertGreater(report["brier"], 0.0)
            self.assertIsNone(report["auc"])
            probabilities = self.expect(self.run_program("predict", "m.mercer", data, "--output",
                                                   "probability"), 0).out.splitlines()
            rows = [[float(p) for p in line.split(",")] for line in probabilities]
            labels = self.expect(self.run_program("predict", "m.mercer", data,
                                                  "--consistent-labels"), 0).out.split()
            for row, label in zip(rows, labels):
                self.assertAlmostEqual(sum(row), 1.0, places=9)
                self.assertEqual(result["classes"][row.index(max(row))], label)
            decisions = self.expect(self.run_program("predict", "m.mercer", data, "--output",
                                                     "decision"), 0).out.splitlines()
            self.assertEqual({line.count(",") + 1 for line in decisions}, {width})
        outcome = self.run_program("predict", "m.mercer", data, "--output", "decision",
                                   "--decision-shape", "ovo")
        self.expect(outcome, 2)

    def test_predict_gives_one_line_per_row_in_labels_of_the_file(self):
        data = self.write("d.csv", "".join(f"{x},{'low' if x < 5 else 'high'}\n"
                                           for x in range(10)))
        self.train(data, "--kernel", "linear", "-C", "100")
        labels = self.expect(self.run_program("predict", "m.mercer", data), 0).out.split()
        self.assertEqual(labels, ["low"] * 5 + ["high"] * 5)
        decisions = self.expect(
            self.run_program("predict", "m.mercer", data, "--output", "decision"), 0).out.split()
        # labels are in alphabetic order: high is the first class
        self.assertEqual(["low" if float(f) >= 0 else "high" for f in decisions], labels)
        rows = self.write("new.csv", "1\n9\n")
        outcome = self.run_program("predict", "m.mercer", rows)
        self.expect(outcome, 3)
        self.assertIn("--target none", outcome.err)
        outcome = self.run_program("predict", "m.mercer", rows, "--target", "none")
        self.assertEqual(self.expect(outcome, 0).out.split(), ["low", "high"])

    def test_predictions_go_to_a_file_by_its_suffix(self):
        data = self.make_data("d.svm", "moons", rows=50, seed=1)
        self.train(data)
        text = self.expect(self.run_program("predict", "m.mercer", data), 0).out
        self.expect(self.run_program("predict", "m.mercer", data, "-o", "p.txt"), 0)
        self.assertEqual((self.folder / "p.txt").read_text(), text)
        self.expect(self.run_program("predict", "m.mercer", data, "--output", "decision", "-o",
                                     "p.npy"), 0)
        self.assertTrue(self.bytes_of("p.npy").startswith(b"\x93NUMPY"))
        outcome = self.run_program("predict", "m.mercer", data, "--json")
        self.assertEqual(self.expect(outcome, 0).json()["labels"], text.split())

    def test_a_row_alone_is_predicted_as_in_a_batch(self):
        data = self.make_data("d.svm", "moons", rows=60, seed=1)
        self.train(data)
        words = ["predict", "m.mercer", "--output", "decision"]
        batch = self.expect(self.run_program(*words, data), 0).out.splitlines()
        lines = (self.folder / "d.svm").read_text().splitlines(keepends=True)
        for i in (0, 17, 59):
            alone = self.run_program(*words, self.write("one.svm", lines[i]))
            self.assertEqual(self.expect(alone, 0).out.splitlines(), [batch[i]])

    def test_variance_is_that_of_the_hand_made_inverse(self):
        # K + I = [[3, 1], [1, 3]]; at the first row 2 - (2, 1)(K + I)^-1(2, 1)' = 0.625.
        data = self.write("d.svm", "1 1:1 2:1\n0 2:1 3:1\n")
        self.train(data, "--model", "krr", "--kernel", "linear", "--no-intercept")
        outcome = self.run_program("predict", "m.mercer", data, "--output", "variance")
        for line in self.expect(outcome, 0).out.split():
            self.assertAlmostEqual(float(line), 0.625, places=14)
        outcome = self.run_program("predict", "m.mercer", data, "--output", "variance", "--json")
        self.assertEqual(self.expect(outcome, 0).json()["output"], "variance")
        data = self.make_data("c.svm", "moons", rows=30, seed=1)
        self.train(data)
        outcome = self.run_program("predict", "m.mercer", data, "--output", "variance")
        self.assertIn("only krr has a variance", self.expect(outcome, 2).err)

    def test_evaluate_counts_and_measures(self):
        data = self.make_data("d.svm", "moons", rows=200, seed=1)
        self.train(data, "--kernel", "rbf(gamma=2)", "-C", "10")
        report = self.expect(self.run_program("evaluate", "m.mercer", data, "--json"), 0).json()
        self.assertEqual(sum(map(sum, report["confusion"])), 200)
        self.assertEqual(report["rows"], 200)
        self.assertGreater(report["accuracy"], 0.95)
        self.assertGreater(report["auc"], 0.95)
        self.assertGreater(report["balanced_accuracy"], 0.95)
        other = self.write("other.svm", "1 1:0\n7 1:1\n")
        outcome = self.expect(self.run_program("evaluate", "m.mercer", other), 3)
        self.assertIn("row 2", outcome.err)
        data = self.make_data("r.npz", "friedman1", rows=200, seed=1)
        self.train(data, "--model", "krr", "--alpha", "0.1")
        report = self.expect(self.run_program("evaluate", "m.mercer", data, "--json"), 0).json()
        for key in ("rmse", "mae", "r2", "max_error"):
            self.assertIsInstance(report[key], float)
        self.assertGreater(report["r2"], 0.9)

    def test_verify_holds_on_the_training_data_only(self):
        data = self.make_data("d.svm", "moons", rows=120, seed=1)
        other = self.make_data("o.svm", "moons", rows=120, seed=2)
        for words in ([], ["--scale", "standard"], ["--weight", "1=3", "-C", "0.5"],
                      ["--no-intercept"]):
            with self.subTest(words=words):
                self.train(data, *words)
                outcome = self.run_program("verify", "m.mercer", data, "--json")
                self.assertIs(self.expect(outcome, 0).json()["holds"], True)
                self.assertEqual(list(outcome.json()["stated"]), CERTIFICATE_KEYS)
                self.assertEqual(list(outcome.json()["recomputed"]), CERTIFICATE_KEYS)
                outcome = self.run_program("verify", "m.mercer", other, "--json")
                self.assertIs(self.expect(outcome, 1).json()["holds"], False)
        outcome = self.run_program("verify", "m.mercer", data, "--explain")
        self.assertGreater(self.expect(outcome, 0).out.count("[ok]"), 3)

    def test_row_weights_are_part_of_the_proof(self):
        data = self.make_data("d.svm", "moons", rows=60, seed=1)
        weights = self.write("w.txt", "".join(f"{i % 3}\n" for i in range(60)))
        for words in ([], ["--model", "krr"]):
            self.train(data, "--weights", weights, *words)
            self.expect(self.run_program("verify", "m.mercer", data, "--weights", weights), 0)
            self.expect(self.run_program("verify", "m.mercer", data), 1)

    def test_inspect_shows_what_the_file_holds(self):
        data = self.make_data("d.svm", "moons", rows=100, seed=1)
        trained = self.train(data, "--scale", "minmax", "--weight", "-1=2")
        seen = self.expect(self.run_program("inspect", "m.mercer", "--json"), 0).json()
        for key in ("model", "kernel", "solver", "status", "classes", "support_vectors",
                    "iterations", "intercept", "certificate"):
            self.assertEqual(seen[key], trained[key])
        self.assertEqual(seen["scaling"], "minmax")
        self.assertEqual(seen["class_weights"], {"-1": 2.0})
        page = self.expect(self.run_program("inspect", "m.mercer", "--picture"), 0).out
        lines = page.splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertTrue({"#", "."} <= set("".join(lines)))

    def test_budgets_end_with_1_and_an_honest_model(self):
        data = self.make_data("d.svm", "spirals", rows=500, seed=1)
        result = self.train(data, "--max-iterations", 3, status=1)
        self.assertEqual(result["status"], "iteration-limit")
        self.assertGreater(result["certificate"]["relative_gap"], 1e-4)
        self.expect(self.run_program("verify", "m.mercer", data), 0)
        self.expect(self.run_program("predict", "m.mercer", data), 0)

    def test_dry_run_prints_the_plan_and_writes_nothing(self):
        data = self.make_data("d.svm", "moons", rows=300, seed=1)
        for words in ([], ["--model", "krr"]):
            outcome = self.run_program("train", data, "--dry-run", "--json", *words)
            plan = self.expect(outcome, 0).json()["plan"]
            self.assertTrue(plan["fits"])
            self.assertGreater(plan["seconds_most"], 0.0)
        self.assertEqual(plan["matrix_bytes"], 300 * 300 * 8)
        self.assertEqual(self.leftovers("d.svm"), [])
        large = self.make_data("l.svm", "sinc", rows=3000, seed=1)
        outcome = self.run_program("train", large, "--dry-run", "--model", "krr", "--solver",
                                   "cholesky", "--memory", "16M", "--json")
        self.assertFalse(self.expect(outcome, 4).json()["plan"]["fits"])


class RefusalTest(ProgramTest):
    def refuse(self, status, message, *words):
        outcome = self.expect(self.run_program("train", *words, "-o", "m.mercer"), status)
        self.assertIn(message, outcome.err)
        self.assertEqual(outcome.out, "")
        self.assertFalse((self.folder / "m.mercer").exists())

    def test_options_end_with_2_and_name_the_parameter(self):
        data = self.make_data("d.svm", "moons", rows=20, seed=1)
        for message, words in {
                "one of them": ["-C", "1", "--lambda", "1"],
                "--alpha": ["--alpha", "1"],
                "--cost: got 0, must be > 0 or inf": ["-C", "0"],
                "--cost: got nan": ["-C", "nan"],
                "--gap-tolerance: got 0": ["--gap-tolerance", "0"],
                "--weight": ["--weight", "1"],
                "no class 3": ["--weight", "3=1"],
                "did you mean svc?": ["--model", "svg"],
                "smo": ["--solver", "magic"],
                "--allow-indefinite": ["--kernel", "sigmoid(gamma=1, coef0=0)"],
                "gamma": ["--kernel", "rbf(gamma=-1)"],
                "error: --nu: got 1.5, must be > 0 and <= 1\n": ["--model", "nu-svc", "--nu", "1.5"],
                "--loo": ["--loo"],
        }.items():
            with self.subTest(words=words):
                self.refuse(2, message, data, *words)
        self.expect(self.run_program("train", data), 2)

    def test_data_end_with_3_and_name_the_row(self):
        data = self.make_data("d.svm", "moons", rows=3, seed=1)
        one = self.write("one.svm", "1 1:1\n1 1:2\n")
        many = self.write("many.svm", "1 1:1\n2 1:2\n3 1:3\n")
        text = self.write("text.csv", "1,a\n2,b\n")
        bad = self.write("bad.svm", "1 1:1\n-1 1:nan\n")
        self.refuse(3, "two classes, the data has 1", one)
        self.refuse(3, "two classes, the data has 3", many, "--model", "logistic")
        self.refuse(3, "text.csv", text, "--model", "krr")
        self.refuse(3, "bad.svm:2:", bad)
        self.refuse(3, "none.svm", "none.svm")
        self.refuse(3, "row 2", data, "--weights", self.write("w.txt", "1\n-1\n1\n"))
        self.refuse(3, "must be one per row", data, "--weights", self.write("w.txt", "1\n"))
        self.refuse(3, "no row of weight > 0", data, "--weights", self.write("w.txt", "0\n1\n0\n"))

    def test_a_model_that_is_none_ends_with_3(self):
        data = self.make_data("d.svm", "moons", rows=20, seed=1)
        self.write("m.mercer", "not a model")
        for words in (["predict", "m.mercer", data], ["evaluate", "m.mercer", data],
                      ["verify", "m.mercer", data], ["inspect", "m.mercer"],
                      ["inspect", "none.mercer"]):
            outcome = self.expect(self.run_program(*words), 3)
            self.assertIn(".mercer", outcome.err)

    def test_rows_of_another_width_are_refused(self):
        data = self.make_data("d.svm", "moons", rows=30, seed=1)
        wide = self.make_data("w.csv", "blobs", rows=30, columns=5)
        self.expect(self.run_program("train", data, "-o", "m.mercer"), 0)
        outcome = self.expect(self.run_program("predict", "m.mercer", wide), 3)
        self.assertIn("5 columns, the model was trained on 2", outcome.err)

    def test_matrices_that_are_no_kernel_values_are_refused_with_their_place(self):
        for text, message in (("2,1,0,1\n1,2,0,-1\n", "2 rows and 3 columns"),
                              ("2,1,1\n0.5,2,-1\n", "row 2, column 1 is 0.5, row 1, column 2 is 1"),
                              ("2,1,1\n1,nan,-1\n", "k.csv:2")):
            for model in ("svc", "krr", "svr"):
                with self.subTest(model=model, message=message):
                    self.refuse(3, message, self.write("k.csv", text), "--model", model,
                                "--kernel", "precomputed")
        good = self.write("k.csv", "2,1,1\n1,2,-1\n")
        self.refuse(2, "scale", good, "--kernel", "precomputed", "--scale", "standard")
        self.refuse(2, "needs the rows themselves", good, "--kernel", "precomputed + linear")
        # (K + I)^-1 y = (1, -1) / 2, and K times that
        self.expect(self.run_program("train", good, "-o", "m", "--model", "krr", "--kernel",
                                     "precomputed", "--alpha", "1", "--no-intercept"), 0)
        values = self.expect(self.run_program("predict", "m", "k.csv"), 0).out.split()
        self.assertAlmostEqual(float(values[0]), 0.5, 12)
        self.assertAlmostEqual(float(values[1]), -0.5, 12)
        self.expect(self.run_program("verify", "m", "k.csv"), 0)

    def test_a_matrix_that_does_not_fit_ends_with_4(self):
        data = self.make_data("d.svm", "sinc", rows=3000, seed=1)
        self.refuse(4, "memory", data, "--model", "krr", "--memory", "16M", "--solver", "cholesky")


class StopTest(ProgramTest):
    def test_ctrl_c_leaves_a_usable_model_within_a_second(self):
        data = self.make_data("d.npz", "xor", rows=20000, columns=20, noise=0.3, seed=1)
        words = ["train", data, "-o", "m.mercer", "-C", "1000", "--kernel", "rbf(gamma=0.1)",
                 "--json"]
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        self.assertIsNone(process.poll(), "the work was over before the signal")
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, err = process.communicate(timeout=120)
        seconds = time.monotonic() - start
        self.assertEqual(process.returncode, 1, err)
        self.assertEqual(json.loads(out)["status"], "interrupted")
        self.assertGreater(json.loads(out)["certificate"]["gap"], 0.0)
        self.assertLess(seconds, PATIENCE)
        few = self.make_data("few.npz", "xor", rows=10, columns=20)
        self.expect(self.run_program("predict", "m.mercer", few), 0)


if __name__ == "__main__":
    unittest.main()
