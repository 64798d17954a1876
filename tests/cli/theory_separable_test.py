# SPDX-License-Identifier: Apache-2.0
"""tests/cli/theory_separable_test.py - separability and shattering through the program, with their
certificates checked by Python's rationals.
"""

import random
import unittest
from fractions import Fraction

from program import ProgramTest

XOR = "-1 1:1 2:1\n-1 1:-1 2:-1\n1 1:1 2:-1\n1 1:-1 2:1\n"
NEAR = "-1 1:-1\n-1 1:0\n1 1:1e-9\n1 1:1\n"


def svm(rows):
    return "".join(f"{label:+d} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row)) + "\n"
                   for label, row in rows)


class TheorySeparableTest(ProgramTest):
    def separable(self, text, *words, status=0):
        data = self.write("data.svm", text)
        return self.expect(self.run_program("theory", "separable", data, "--json", *words),
                           status).json()

    def check_certificate(self, rows, answer):
        """The certificate as printed, in rational arithmetic on the rows as printed."""
        proof = answer["certificate"]
        exact = [(label, [Fraction(x) for x in row]) for label, row in rows]
        if answer["separable"]:
            self.assertEqual(proof["kind"], "separator")
            w = [Fraction(x) for x in proof.get("exact_w", proof["w"])]
            b = Fraction(proof["exact_b"][0] if "exact_b" in proof else proof["b"])
            for label, row in exact:
                self.assertGreaterEqual(label * (sum(x * y for x, y in zip(w, row)) + b), 1)
            return
        self.assertEqual(proof["kind"], "hulls")
        weights = [Fraction(text) for text in proof["exact_weights"]]
        self.assertTrue(all(weight > 0 for weight in weights))
        chosen = [exact[number - 1] for number in proof["rows"]]
        for side in (-1, 1):
            self.assertEqual(sum(w for w, (label, _) in zip(weights, chosen) if label == side), 1)
            point = [sum(w * row[j] for w, (label, row) in zip(weights, chosen) if label == side)
                     for j in range(len(chosen[0][1]))]
            self.assertEqual(point, [Fraction(text) for text in proof["exact_point"]])

    def test_certificates_of_random_rows_hold_in_pythons_own_rationals(self):
        source = random.Random(1)
        answers = set()
        for case in range(12):
            count, columns = source.choice([(6, 2), (12, 3), (80, 9)])
            rows = [(source.choice([-1, 1]), [source.gauss(0, 10.0 ** source.randint(-9, 9))
                                              for _ in range(columns)]) for _ in range(count)]
            if case % 3 == 0:
                rows = [(1 if sum(row) > 0 else -1, row) for _, row in rows]
            answer = self.separable(svm(rows))
            self.assertIs(answer["exact_check"], True)
            self.check_certificate(rows, answer)
            answers.add(answer["separable"])
        self.assertEqual(answers, {True, False})

    def test_exclusive_or_is_separable_by_a_kernel_but_by_no_line(self):
        line = self.separable(XOR, "--disagreement")
        self.assertIs(line["separable"], False)
        self.assertIs(line["exact_check"], True)
        self.assertEqual(line["certificate"]["exact_weights"], ["1/2"] * 4)
        self.assertEqual(line["certificate"]["rows"], [1, 2, 3, 4])
        self.assertEqual(line["disagreement"]["minimum"], 1)
        curve = self.separable(XOR, "--kernel", "poly(degree=2)", "--margin")
        self.assertIs(curve["separable"], True)
        self.assertAlmostEqual(curve["margin"]["hull_distance"], 2 * 2 ** 0.5, places=9)
        self.assertAlmostEqual(curve["margin"]["nearest_row"], 2 ** 0.5, places=9)

    def test_a_margin_of_a_billionth_is_found_and_trained(self):
        answer = self.separable(NEAR, "--margin")
        self.assertIs(answer["separable"], True)
        self.assertAlmostEqual(answer["margin"]["hull_distance"] * 1e9, 1.0, places=6)
        outcome = self.run_program("train", "data.svm", "-o", "near.mercer", "--model",
                                   "hard-margin", "--kernel", "linear", "--json")
        self.assertEqual(self.expect(outcome, 0).json()["status"], "converged")
        self.expect(self.run_program("verify", "near.mercer", "data.svm"), 0)

    def test_numbers_without_a_double_separator_have_a_rational_one(self):
        tiny = 5e-324
        answer = self.separable(svm([(-1, [0.0]), (1, [tiny])]))
        self.assertIsNone(answer["certificate"]["w"][0])
        self.check_certificate([(-1, [0.0]), (1, [tiny])], answer)

    def test_through_the_origin_less_is_separable(self):
        rows = svm([(-1, [1.0]), (1, [2.0])])
        self.assertIs(self.separable(rows)["separable"], True)
        answer = self.separable(rows, "--homogeneous")
        self.assertIs(answer["separable"], False)
        self.assertEqual(answer["certificate"]["exact_weights"], ["2/3", "1/3"])

    def test_a_disagreement_beyond_the_limit_is_bounded_and_says_why(self):
        source = random.Random(2)
        rows = svm([(source.choice([-1, 1]), [source.gauss(0, 1) for _ in range(3)])
                    for _ in range(60)])
        answer = self.separable(rows, "--disagreement", "--decisions", "50", status=1)
        found = answer["disagreement"]
        self.assertIs(found["exact"], False)
        self.assertIsNone(found["minimum"])
        self.assertLess(found["at_least"], found["at_most"])
        self.assertIn("NP-hard", found["reason"])

    def test_one_class_is_separable_and_three_are_refused(self):
        self.assertIs(self.separable("1 1:1\n1 1:2\n", "--margin")["separable"], True)
        data = self.write("three.svm", "1 1:1\n2 1:2\n3 1:3\n")
        outcome = self.expect(self.run_program("theory", "separable", data), 3)
        self.assertIn("got 3 classes, must be two", outcome.err)

    def test_text_is_bounded_and_eighty_columns_wide(self):
        source = random.Random(3)
        for sides in (lambda row: source.choice([-1, 1]), lambda row: 1 if row[0] > 0 else -1):
            rows = [[source.gauss(0, 1) for _ in range(30)] for _ in range(200)]
            data = self.write("wide.svm", svm([(sides(row), row) for row in rows]))
            lines = self.expect(self.run_program("theory", "separable", data), 0).out.splitlines()
            self.assertLess(len(lines), 25)
            self.assertLessEqual(max(map(len, lines)), 80)
        for command in ("separable", "shatter"):
            page = self.expect(self.run_program("theory", command, "--help"), 0).out
            self.assertLessEqual(max(map(len, page.splitlines())), 80)


class TheoryShatterTest(ProgramTest):
    def test_exclusive_or_is_what_lines_cannot_label(self):
        data = self.write("xor.svm", XOR)
        answer = self.expect(self.run_program("theory", "shatter", data, "--json"), 0).json()
        self.assertEqual((answer["realised"], answer["labelings"]), (14, 16))
        self.assertEqual(answer["missing_labelings"], ["++--", "--++"])
        self.assertIs(answer["shattered"], False)
        self.assertIs(answer["general_position"], True)

    def test_zero_has_one_label_through_the_origin(self):
        data = self.write("zero.csv", "0,0\n")
        answer = self.expect(self.run_program("theory", "shatter", data, "--target", "none",
                                              "--homogeneous", "--json"), 0).json()
        self.assertEqual(answer["realised_labelings"], ["+"])

    def test_counts_beyond_the_limit_are_refused(self):
        source = random.Random(4)
        text = "".join(f"{source.gauss(0, 1)},{source.gauss(0, 1)}\n" for _ in range(40))
        data = self.write("many.csv", text)
        outcome = self.run_program("theory", "shatter", data, "--target", "none", "--limit", "100")
        self.assertIn("not counted: more than 100", self.expect(outcome, 1).out)


if __name__ == "__main__":
    unittest.main()
