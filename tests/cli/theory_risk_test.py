# SPDX-License-Identifier: Apache-2.0
"""tests/cli/theory_risk_test.py - mercer theory risk through the program."""

import math
import unittest

from program import ProgramTest


class TheoryRiskTest(ProgramTest):
    def risk(self, model, *words):
        answer = self.expect(self.run_program("theory", "risk", model, *words, "--json"), 0).json()
        return answer, {row["loss"]: row for row in answer["losses"]}

    def train(self, data, *words, model="m.mercer"):
        self.expect(self.run_program("train", data, "-o", model, "-q", *words), 0)

    def train_zero(self, data):
        """A regression that is 0 everywhere: no row is outside the tube."""
        self.train(data, "--model", "svr", "--kernel", "linear", "--epsilon", 10, "--no-intercept")

    def test_the_risk_of_zero_on_two_rows_is_the_mean_loss(self):
        data = self.write("reg2.svm", "0 1:0\n1 1:1\n")
        self.train_zero(data)
        answer, losses = self.risk("m.mercer", data)
        self.assertEqual(answer["rows"], 2)
        self.expect_fact("R01", "REG2, f=0, half squared", losses["half-squared"]["risk"])
        self.assertEqual(losses["squared"]["risk"], 0.5)
        self.assertEqual(losses["absolute"]["risk"], 0.5)
        self.assertEqual(losses["epsilon"]["risk"], 0.0)  # the model's own tube
        narrow = self.risk("m.mercer", data, "--loss", "epsilon", "--epsilon", 0.2)[1]
        self.assertAlmostEqual(narrow["epsilon"]["risk"], 0.4, delta=1e-15)

    def test_the_expected_risk_of_zero_on_sinc_is_its_integral(self):
        data = self.make_data("sinc.svm", "sinc", rows=40)
        self.train_zero(data)
        answer, losses = self.risk("m.mercer", "--generator", "sinc", "--noise", 0)
        self.assertEqual(answer["method"], "quadrature")
        self.expect_fact("R02", "sinc without noise, f=0, half squared",
                         losses["half-squared"]["expected_risk"])

    def test_losses_say_whether_they_are_surrogates(self):
        data = self.make_data("m.svm", "moons", rows=100)
        self.train(data, "--kernel", "rbf(gamma=1)")
        losses = self.risk("m.mercer", data)[1]
        surrogates = {name for name, row in losses.items() if row["surrogate"]}
        self.assertEqual(surrogates, {"hinge", "squared-hinge", "logistic", "modified-huber"})
        self.assertIn("zero-one", losses)
        self.assertIn("squared", losses)

    def test_the_zero_one_risk_is_what_evaluate_counts(self):
        for classes in (2, 3):
            data = self.make_data("b.svm", "blobs", rows=90, classes=classes, noise=0.7)
            self.train(data, "--kernel", "linear")
            accuracy = self.expect(self.run_program("evaluate", "m.mercer", data, "--json"),
                                   0).json()["accuracy"]
            row = self.risk("m.mercer", data)[1]["zero-one"]
            self.assertAlmostEqual(row["risk"], 1.0 - accuracy, delta=1e-12)
            p = row["risk"]
            self.assertAlmostEqual(row["standard_error"], math.sqrt(p * (1 - p) / 89), delta=1e-12)

    def test_weights_are_respected(self):
        data = self.write("reg2.svm", "0 1:0\n1 1:1\n")
        self.train_zero(data)
        self.write("w.txt", "3\n1\n")
        losses = self.risk("m.mercer", data, "--weights", "w.txt")[1]
        self.assertEqual(losses["half-squared"]["risk"], 0.125)

    def test_monte_carlo_agrees_with_quadrature_and_a_seed_repeats_it(self):
        data = self.make_data("m.svm", "moons", rows=200, noise=0.2)
        self.train(data, "--kernel", "rbf(gamma=1)")
        exact = self.risk("m.mercer", "--generator", "moons", "--noise", 0.2)[1]["zero-one"]
        words = ("--generator", "moons", "--noise", 0.2, "--method", "monte-carlo",
                 "--samples", 20000, "--loss", "zero-one")
        drawn = self.risk("m.mercer", *words)
        self.assertEqual(drawn[0]["samples"], 20000)
        row = drawn[1]["zero-one"]
        self.assertLess(abs(row["expected_risk"] - exact["expected_risk"]),
                        5 * row["expected_error"] + exact["expected_error"])
        self.assertEqual(self.risk("m.mercer", *words)[1], drawn[1])
        self.assertNotEqual(self.risk("m.mercer", *words, "--seed", 9)[1], drawn[1])

    def test_the_seed_places_the_centres(self):
        data = self.make_data("b.svm", "blobs", rows=300, noise=0.3, seed=4)
        self.train(data, "--kernel", "linear")
        words = ("--generator", "blobs", "--noise", 0.3, "--loss", "zero-one")
        right = self.risk("m.mercer", data, *words, "--seed", 4)[1]["zero-one"]
        self.assertLess(abs(right["risk"] - right["expected_risk"]),
                        5 * right["standard_error"] + 0.01)
        wrong = self.risk("m.mercer", *words, "--seed", 5)[1]["zero-one"]
        self.assertGreater(abs(wrong["expected_risk"] - right["expected_risk"]), 0.05)

    def test_both_risks_stand_side_by_side_and_text_fits_a_terminal(self):
        data = self.make_data("x.svm", "xor", rows=300, noise=0.1)
        self.train(data, "--kernel", "rbf(gamma=20)", "-C", 1000)
        answer, losses = self.risk("m.mercer", data, "--generator", "xor", "--noise", 0.1)
        self.assertEqual(answer["generator"], "xor")
        # No classifier has a smaller error than the label noise.
        self.assertGreater(losses["zero-one"]["expected_risk"], 0.1)
        self.assertLess(losses["zero-one"]["risk"], losses["zero-one"]["expected_risk"])
        text = self.expect(self.run_program("theory", "risk", "m.mercer", data, "--generator",
                                            "xor"), 0).out
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_many_columns_are_drawn_not_integrated(self):
        data = self.make_data("f.svm", "friedman1", rows=60)
        self.train(data, "--model", "krr", "--kernel", "rbf(gamma=0.1)")
        answer, _ = self.risk("m.mercer", "--generator", "friedman1", "--samples", 1000)
        self.assertEqual(answer["method"], "monte-carlo")
        outcome = self.expect(self.run_program("theory", "risk", "m.mercer", "--generator",
                                               "friedman1", "--method", "quadrature"), 2)
        self.assertIn("quadrature", outcome.err)

    def test_what_does_not_fit_is_refused(self):
        data = self.make_data("m.svm", "moons", rows=50)
        self.train(data, "--kernel", "linear")
        for words, status, part in (
                (("m.mercer",), 2, "--generator"),
                (("m.mercer", data, "--loss", "huber"), 2, "must be one of zero-one"),
                (("m.mercer", "--generator", "sinc"), 2, "numbers"),
                (("m.mercer", "--generator", "moon"), 2, "did you mean moons"),
                (("m.mercer", "--generator", "moons", "--samples", 1), 2, "--samples"),
                (("none.mercer", data), 3, "none.mercer")):
            with self.subTest(words=words):
                outcome = self.expect(self.run_program("theory", "risk", *words), status)
                self.assertIn(part, outcome.err)


if __name__ == "__main__":
    unittest.main()
