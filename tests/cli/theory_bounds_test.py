# SPDX-License-Identifier: Apache-2.0
"""tests/cli/theory_bounds_test.py - mercer theory vc-bound and margin-bound through the program."""

import math
import unittest

from program import ProgramTest


class VcBoundTest(ProgramTest):
    def bound(self, *words):
        return self.expect(self.run_program("theory", "vc-bound", *words, "--json"), 0).json()

    def test_bounds_have_the_printed_values(self):
        first = self.bound("--rows", 1000, "--dimension", 10)  # delta is 0.05 by default
        self.expect_fact("V05", "n=1000, h=10, delta=0.05", first["complexity_term"])
        second = self.bound("--rows", 100, "--dimension", 3, "--delta", 0.1, "--risk", 0)
        self.expect_fact("V05", "n=100, h=3, delta=0.1", second["bound"])
        third = self.bound("--rows", 100, "--dimension", 3, "--delta", 0.1, "--risk", 0.25)
        self.expect_fact("V05", "n=100, h=3, delta=0.1, risk=0.25", third["bound"])
        self.assertFalse(third["vacuous"])

    def test_vacuous_bounds_name_the_rows_they_need(self):
        answer = self.bound("--rows", 20, "--dimension", 15)
        self.assertTrue(answer["vacuous"])
        needed = answer["informative_rows"]
        self.assertFalse(self.bound("--rows", needed, "--dimension", 15)["vacuous"])
        self.assertTrue(self.bound("--rows", needed - 1, "--dimension", 15)["vacuous"])
        self.assertIsNone(self.bound("--rows", 20, "--dimension", 15, "--risk", 1)
                          ["informative_rows"])


class ObservablesTest(ProgramTest):
    TOYS = (("PAIR", "-1 1:-1\n1 1:1\n", "linear"),
            ("TRIO", "-1 1:-1\n1 1:1\n1 1:3\n", "linear"),
            ("XOR, (1 + xz)^2", "-1 1:1 2:1\n-1 1:-1 2:-1\n1 1:1 2:-1\n1 1:-1 2:1\n",
             "poly(degree=2, coef0=1, scale=1)"))

    def test_train_and_inspect_tell_them(self):
        for name, rows, kernel in self.TOYS:
            data = self.write("toy.svm", rows)
            trained = self.run_program("train", data, "-o", "m.mercer", "--model", "hard-margin",
                                       "--kernel", kernel, "--json")
            shown = self.run_program("inspect", "m.mercer", "--json")
            for answer in (self.expect(trained, 0).json(), self.expect(shown, 0).json()):
                self.expect_fact("S06", f"{name}: support vectors", answer["support_vectors"])
                self.expect_fact("S06", f"{name}: margin", answer["margin"])
                self.expect_fact("S06", f"{name}: support vectors of each class",
                                 answer["support_vectors_by_class"])
            text = self.expect(self.run_program("inspect", "m.mercer"), 0).out
            self.assertIn("margin       2", text)


class MarginBoundTest(ProgramTest):
    def train(self, data, *words):
        self.expect(self.run_program("train", data, "-o", "m.mercer", "-q", *words), 0)

    def bounds(self, data, *words):
        return self.expect(self.run_program("theory", "margin-bound", "m.mercer", data, "--json",
                                            *words), 0).json()

    def named(self, answer):
        return {bound["name"]: bound for bound in answer["bounds"] + answer["leave_one_out"]}

    def test_the_pair_through_zero_has_the_bounds_found_by_hand(self):
        pair = self.write("pair.svm", "-1 1:-1\n1 1:1\n")
        self.train(pair, "--model", "hard-margin", "--kernel", "linear", "--no-intercept")
        answer = self.bounds(pair)
        self.expect_fact("V06", "PAIR, R", answer["embedded_radius"])
        self.expect_fact("V06", "PAIR, Lambda", answer["canonical_norm"])
        self.expect_fact("V06", "PAIR, h at most", answer["dimension"])
        self.expect_fact("V06", "PAIR, distance of the nearest row", answer["geometric_margin"])

    def test_every_bound_has_a_theorem_a_value_and_says_whether_it_is_vacuous(self):
        data = self.make_data("b.svm", "blobs", rows=400, noise=0.1, seed=3)
        for model in ("hard-margin", "svc", "l2-svc", "nu-svc", "klr", "ls-svc"):
            with self.subTest(model=model):
                self.train(data, "--model", model, "--kernel", "linear")
                answer = self.bounds(data)
                for bound in answer["bounds"]:
                    self.assertTrue(bound["theorem"])
                    self.assertEqual(bound["vacuous"],
                                     bound["value"] is None or bound["value"] >= 1)
                    if bound["applies"] and bound["value"] is not None:
                        self.assertGreaterEqual(bound["value"], answer["risk"])
                self.assertTrue(answer["leave_one_out"])

    def test_the_hard_margin_composes_with_the_vc_bound(self):
        data = self.make_data("b.svm", "blobs", rows=400, noise=0.1, seed=3)
        self.train(data, "--model", "hard-margin", "--kernel", "linear")
        answer = self.bounds(data, "--delta", 0.01)
        dimension = math.floor(answer["dimension"])
        composed = self.named(answer)["vc-margin"]["value"]
        vc = self.expect(self.run_program("theory", "vc-bound", "--rows", 400, "--dimension",
                                          dimension, "--delta", 0.01, "--json"), 0).json()
        self.assertAlmostEqual(composed, vc["bound"], delta=1e-12)
        self.assertAlmostEqual(answer["functional_margin"], 1.0, delta=1e-3)

    def test_at_a_thousand_rows_the_span_says_more_than_the_margin(self):
        data = self.make_data("m.svm", "moons", rows=1000, noise=0.2)
        self.train(data, "--kernel", "rbf(gamma=2)", "-C", 10)
        answer = self.bounds(data)
        named = self.named(answer)
        self.assertTrue(named["vc-margin"]["vacuous"])
        self.assertLess(named["span"]["value"], named["support-vectors"]["value"])
        self.assertLess(named["support-vectors"]["value"], named["rademacher"]["value"])
        self.assertGreater(named["rademacher-uniform"]["value"], answer["risk"])

    def test_weights_belong_to_the_training_data(self):
        data = self.make_data("b.svm", "blobs", rows=60, noise=0.6, seed=1)
        self.write("w.txt", "".join(f"{1 + i % 3}\n" for i in range(60)))
        self.train(data, "--kernel", "linear", "--weights", "w.txt")
        self.expect(self.run_program("theory", "margin-bound", "m.mercer", data), 3)
        self.assertIn("span", self.named(self.bounds(data, "--weights", "w.txt")))

    def test_what_has_no_margin_is_refused(self):
        three = self.make_data("three.svm", "blobs", rows=60, classes=3)
        self.train(three, "--kernel", "linear")
        answer = self.expect(self.run_program("theory", "margin-bound", "m.mercer", three), 2)
        self.assertIn("two classes", answer.err)
        xor = self.write("xor.svm", "-1 1:1 2:1\n-1 1:-1 2:-1\n1 1:1 2:-1\n1 1:-1 2:1\n")
        self.train(xor, "--kernel", "linear")
        self.expect(self.run_program("theory", "margin-bound", "m.mercer", xor), 2)

    def test_a_model_of_libsvm_has_margin_bounds_and_no_leave_one_out(self):
        data = self.make_data("b.svm", "blobs", rows=80, noise=0.3, seed=2)
        self.train(data, "--kernel", "rbf(gamma=1)")
        mine = self.bounds(data)
        self.expect(self.run_program("convert", "m.mercer", "-o", "m.libsvm"), 0)
        theirs = self.expect(self.run_program("theory", "margin-bound", "m.libsvm", data,
                                              "--json"), 0).json()
        self.assertAlmostEqual(theirs["norm"], mine["norm"], delta=1e-6 * mine["norm"])
        self.assertFalse(any(bound["applies"] for bound in theirs["leave_one_out"]))


if __name__ == "__main__":
    unittest.main()
