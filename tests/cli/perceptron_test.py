# SPDX-License-Identifier: Apache-2.0
"""tests/cli/perceptron_test.py - perceptrons through the program: bound, trace, proof, refusals."""

import csv
import unittest

from catalogue import (ANY, CERTIFIED, HONEST, PAIR, CatalogueCase,
                       integers_of_a_segmentation_fault, normals, svm, uniforms)

UNITS = "1 1:1\n-1 2:1\n1 3:1\n"
XOR = "-1 1:1 2:1\n-1 1:-1 2:-1\n1 1:1 2:-1\n1 1:-1 2:1\n"


class PerceptronTest(CatalogueCase):
    def train(self, data, *words, status=0):
        return self.expect(self.run_program("train", data, "-o", "m.mercer", "--model",
                                            "perceptron", "--json", *words), status).json()

    def decisions(self, data, model="m.mercer"):
        return [float(word) for word in self.expect(self.run_program(
            "predict", model, data, "--output", "decision", "-q"), 0).out.split()]

    def test_passes_over_the_rows_are_limited_and_told(self):
        answer = self.train(self.write("x.svm", XOR), "--max-passes", "3", status=1)
        self.assertEqual((answer["status"], answer["passes"]), ("iteration-limit", 3))
        answer = self.train(self.write("e.svm", UNITS), "--no-intercept", "--max-passes", "2")
        self.assertEqual((answer["status"], answer["passes"]), ("converged", 2))
        run = self.run_program("train", self.write("e.svm", UNITS), "-o", "s.mercer", "--max-passes", "2")
        self.assertIn("belongs to --model perceptron", self.expect(run, 2).err)

    def test_orthonormal_rows_take_one_mistake_each(self):
        answer = self.train(self.write("e.svm", UNITS), "--no-intercept")
        self.assertEqual(answer["status"], "converged")
        self.assertEqual(answer["kernel"], "linear")
        self.expect_fact("P05", "e1(+), e2(-), e3(+) by the program: T", answer["mistakes"])
        self.expect_fact("P06", "e1(+), e2(-), e3(+) by the program: bound", answer["bound"])
        self.assertEqual(answer["radius"], 1.0)
        self.assertAlmostEqual(answer["margin_norm"], 3 ** 0.5, delta=1e-7)
        self.assertNotIn("bound_reason", answer)
        self.assertEqual(self.decisions("e.svm"), [1.0, -1.0, 1.0])

    def test_a_trace_has_both_sides_of_the_proof(self):
        data = self.make_data("d.svm", "blobs", rows=200, noise=0.1, seed=3)
        broken, steps = False, 0
        for words in (["--order", "cyclic"], ["--order", "random", "--seed", "4"],
                      ["--order", "worst"], ["--kernel", "rbf(gamma=1)"], ["--average"]):
            answer = self.train(data, "--trace", "t.csv", *words)
            with open(self.path("t.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), answer["mistakes"])
            for t, row in enumerate(rows, 1):
                self.assertEqual(int(row["step"]), t)
                self.assertTrue(1 <= int(row["row"]) <= 200)
                product, norm, limit = (float(row[key])
                                        for key in ("product", "squared_norm", "limit"))
                self.assertAlmostEqual(limit, t * answer["radius"] ** 2, delta=1e-9 * limit)
                broken = broken or product < t * (1 - 1e-7) or norm > limit * (1 + 1e-12)
            self.assertLessEqual(answer["mistakes"], answer["bound"] * (1 + 1e-7))
            steps += len(rows)
        self.assertGreater(steps, 10)
        self.expect_fact("P07", "a logged step that breaks them", broken)

    def test_a_budget_ends_what_is_not_separable_with_its_count(self):
        data = self.write("x.svm", XOR)
        answer = self.train(data, "--max-iterations", "1000", "--trace", "t.csv", status=1)
        self.assertEqual(answer["status"], "iteration-limit")
        self.assertEqual(answer["mistakes"], 1000)
        self.assertIsNone(answer["bound"])
        self.assertIsNone(answer["margin_norm"])
        self.assertIn("did not separate", answer["bound_reason"])
        self.assertGreaterEqual(answer["certificate"]["gap"], 1)
        self.assertEqual(answer["certificate"]["dual"], 0)
        self.assertEqual((self.folder / "t.csv").read_text().splitlines()[1].split(",")[2], "")
        self.expect(self.run_program("verify", "m.mercer", data), 0)
        answer = self.train(data, "--max-iterations", "1000", "--separability", status=1)
        self.assertEqual(answer["separability"], {"separable": False, "exact_check": True,
                                                  "rows": [1, 2, 3, 4], "weights": [0.5] * 4})
        report = self.run_program("train", data, "-o", "m.mercer", "--model", "perceptron",
                                  "--max-iterations", "1000", "--separability")
        self.assertIn("separable    no: rows 1, 2, 3, 4 have convex hulls that meet", report.out)
        overlap = self.make_data("o.svm", "moons", rows=300, noise=0.5, seed=1)
        answer = self.train(overlap, "--max-iterations", "1000000000", "--time-limit", "0.5",
                            status=1)
        self.assertEqual(answer["status"], "interrupted")
        self.expect(self.run_program("verify", "m.mercer", overlap), 0)

    def test_every_command_takes_the_model(self):
        data = self.make_data("d.csv", "moons", rows=120, noise=0.1, seed=2)
        self.train(data, "--kernel", "rbf(gamma=2)", "--scale", "standard", "--average")
        self.assertEqual(self.expect(self.run_program("evaluate", "m.mercer", data, "--json"),
                                     0).json()["accuracy"], 1.0)
        inspected = self.expect(self.run_program("inspect", "m.mercer", "--json"), 0).json()
        self.assertEqual((inspected["model"], inspected["loss"]), ("perceptron", "disagreement"))
        self.assertIn("rows on the wrong side",
                      self.expect(self.run_program("inspect", "m.mercer"), 0).out)
        self.expect(self.run_program("verify", "m.mercer", data), 0)
        self.expect(self.run_program("train", data, "--model", "perceptron", "--dry-run"), 0)
        compared = self.expect(self.run_program("compare", data, "--model", "perceptron",
                                                "--kernel", "rbf(gamma=2)", "--json"), 0).json()
        self.assertEqual([run["solver"] for run in compared["solvers"]], ["perceptron"])
        chosen = self.expect(self.run_program(
            "select", data, "-o", "s.mercer", "--model", "perceptron", "--kernel", "rbf",
            "--grid", "gamma=0.5,2", "--folds", "3", "--json"), 0).json()
        self.assertEqual(len(chosen["table"]), 2)
        self.train(data, "--kernel", "rbf(gamma=2)")
        self.expect(self.run_program("convert", "m.mercer", "-o", "m.libsvm"), 0)
        for x, y in zip(self.decisions(data), self.decisions(data, "m.libsvm"), strict=True):
            self.assertAlmostEqual(x, y, delta=1e-9 * max(1.0, abs(x)))
        refused = self.run_program("predict", "m.mercer", data, "--output", "probability")
        self.assertEqual(refused.status, 2)

    def test_what_it_has_no_use_for_is_refused(self):
        data = self.write("p.svm", PAIR)
        weights = self.write("w.csv", "1\n2\n")
        for words, message in ((["-C", "2"], "cost"), (["--weight", "1=2"], "weight"),
                               (["--weights", weights], "row 2 has 2, must be 0 or 1"),
                               (["--probability"], "probability"), (["--nu", "0.2"], "nu"),
                               (["--penalty", "l1"], "penalty"), (["--solver", "smo"], "perceptron"),
                               (["--checkpoint", "c"], "checkpoint"),
                               (["--trace", "m.mercer"], "same file")):
            with self.subTest(words=words):
                outcome = self.run_program("train", data, "-o", "m.mercer", "--model",
                                           "perceptron", *words)
                self.refused(outcome, 2, message)
        for words in (["--order", "worst"], ["--average"], ["--trace", "t.csv"],
                      ["--bound", "always"], ["--separability"]):
            with self.subTest(words=words):
                outcome = self.run_program("train", data, "-o", "m.mercer", *words)
                self.refused(outcome, 2, "belongs to (--model )?perceptron")

    def test_degenerate_rows_end_certified_honest_or_refused(self):
        machines = ("perceptron",)
        few = ["--max-iterations", "20000"]
        self.run_rows([
            ("T1", svm([row for row in integers_of_a_segmentation_fault()]), machines,
             ["--kernel", "poly(degree=10, scale=9.39, coef0=0)", *few], ANY),
            ("T7", svm(normals(6, 13)), machines, ["--kernel", "poly(degree=3, coef0=10)"], HONEST),
            *[("T11", svm(uniforms(20, 3, 1.7e308)), machines, [*words, *few], ANY)
              for words in ([], ["--kernel", "rbf(gamma=1)"])],
            ("T24", "1 1:2\n-1 1:2\n1 1:2\n-1 1:2\n", machines, few, HONEST),
            ("T25", PAIR, machines, ["--tolerance", "1"], CERTIFIED),
            ("a row of zeros", "1\n-1 1:1\n", machines, [], CERTIFIED),
            ("a row of zeros without intercept", "1\n-1 1:1\n", machines,
             ["--no-intercept", *few], HONEST),
            ("tiny values", "1 1:1e-160\n-1 1:-1e-160\n", machines, [], HONEST),
            ("a margin of 1e-9", "-1 1:-1\n-1 1:0\n1 1:1e-9\n1 1:1\n", machines, few, HONEST),
            ("indefinite", PAIR, machines,
             ["--kernel", "sigmoid(gamma=1, coef0=0)", "--allow-indefinite"], CERTIFIED),
            ("float columns far from zero", svm(normals(40, 2, 1.0, 1e8)), machines,
             ["--kernel", "rbf(gamma=1)"], HONEST),
        ])


if __name__ == "__main__":
    unittest.main()
