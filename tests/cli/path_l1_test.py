# SPDX-License-Identifier: Apache-2.0
#
# tests/cli/path_l1_test.py - mercer path --over lambda.
"""The sparse path through the program."""
import math
import unittest

from program import ProgramTest

HEIGHT = math.sqrt(7) / 4
LASSO2 = f"a,b,y\n2,0.75,2\n0,{HEIGHT!r},{1.7 / HEIGHT!r}\n"
PAIR = "-1 1:-1\n+1 1:1\n"


class L1PathTest(ProgramTest):
    def trace(self, data, *arguments, status=0):
        done = self.run_program("path", data, "-o", "p.path", "--over", "lambda", "--json",
                                *arguments)
        self.assertEqual(done.status, status, done.err)
        return done.json() if status in (0, 1) else done.err

    def lasso2(self, *arguments):
        data = self.write("lasso2.csv", LASSO2)
        return data, self.trace(data, "--penalty", "l1", "--loss", "half-squared", "--features",
                               "--no-intercept", *arguments)

    def moons(self, rows=120):
        done = self.run_program("data", "make", "moons", "--rows", rows, "--noise", 0.3, "--seed",
                                3, "-o", "moons.svm")
        self.assertEqual(done.status, 0, done.err)
        return "moons.svm"

    def text_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_lasso2_has_its_five_knots(self):
        _, report = self.lasso2()
        knots = report["breakpoints"]
        self.expect_fact("A14", "LASSO2: knots", [knot["value"] for knot in knots])
        self.expect_fact("A14", "LASSO2: events", ", ".join(
            knot["event"] + (f" {knot['index']}" if knot["index"] else "") for knot in knots))
        self.expect_fact("A14", "LASSO2: end", [one["value"] for one in report["coefficients"]])
        self.expect_fact("A13", "LASSO2: lambda_max", report["lambda_max"])
        self.assertEqual(report["restarts"], 0)
        self.assertLess(report["max_kkt_violation"], 1e-12)

    def test_the_pair_has_its_slope_along_the_path(self):
        data = self.write("pair.svm", PAIR)
        report = self.trace(data, "--penalty", "l1+rkhs", "--kernel", "linear", "-C", 1)
        self.expect_fact("S16", "PAIR, path at C = 1: lambda_max", report["lambda_max"])
        slopes = []
        for value in (0, 0.5, 1, 2, 8):
            done = self.run_program("predict", "p.path", data, "--at", f"lambda={value}",
                                    "--output", "decision")
            self.assertEqual(done.status, 0, done.err)
            low, high = map(float, done.out.split())
            slopes.append((high - low) / 2)
        self.expect_fact("S16", "PAIR, path at C = 1, lambda = 0, 0.5, 1, 2, 8: slope", slopes)

    def test_machines_read_off_are_verified_and_become_models(self):
        data = self.moons()
        for features in ((), ("--features",)):
            for loss in ("squared-hinge", "modified-huber"):
                with self.subTest(features=features, loss=loss):
                    report = self.trace(data, "--penalty", "l1", "--loss", loss, *features)
                    at = f"lambda={0.2 * report['lambda_max']}"
                    for command in (("verify", "p.path", data), ("evaluate", "p.path", data),
                                    ("convert", "p.path", "-o", "m.mercer")):
                        done = self.run_program(*command, "--at", at)
                        self.assertEqual(done.status, 0, done.err)
                    self.assertEqual(self.run_program("verify", "m.mercer", data).status, 0)
                    off = self.run_program("predict", "p.path", data, "--at", at, "--output",
                                           "decision").out
                    self.assertEqual(
                        off, self.run_program("predict", "m.mercer", data, "--output",
                                              "decision").out)

    def test_it_ends_where_it_is_told_to_and_says_so(self):
        data, report = self.lasso2("--to", 2)
        self.assertEqual(report["to"], 2)
        self.assertEqual(len(report["breakpoints"]), 3)
        done = self.run_program("predict", "p.path", data, "--at", "lambda=1")
        self.assertEqual(done.status, 2)
        self.assertIn("the path ends at 2", done.err)

    def test_folds_and_validation_score_it_and_a_picture_shows_it(self):
        data = self.moons()
        report = self.trace(data, "--penalty", "l1", "--kernel", "rbf(gamma=2)", "--folds", 4,
                           "--plot", "p.svg")
        self.assertEqual(report["score"]["measure"], "error")
        self.assertLess(report["score"]["best_score"], 0.15)
        self.assertIn("</svg>", self.text_of("p.svg"))
        report = self.trace(data, "--penalty", "l1", "--features", "--validation", data, "--plot",
                           "p.html")
        self.assertLess(report["score"]["best_score"], 0.25)
        self.assertIn("over lambda", self.text_of("p.html"))

    def test_what_does_not_go_together_is_refused(self):
        data = self.moons(rows=30)
        for arguments, words in [
                ((), "a path over lambda is of l1 or l1+rkhs"),
                (("--penalty", "l1", "--loss", "hinge"), "half-squared"),
                (("--penalty", "l1", "--model", "klr"), "klr has no path over lambda"),
                (("--penalty", "l1", "--model", "l2-svc", "--loss", "modified-huber"),
                 "another loss"),
                (("--penalty", "l1", "--from", 3), "first coefficient enters"),
                (("--penalty", "l1", "--features", "--kernel", "rbf(gamma=1)"), "no kernel is"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.trace(data, *arguments, status=2))
        done = self.run_program("path", data, "-o", "p.path", "--over", "C", "--features")
        self.assertEqual(done.status, 2)
        self.assertIn("belong to --over lambda", done.err)

    def test_a_matrix_beyond_the_memory_is_refused(self):
        data = self.moons(rows=2000)
        words = self.trace(data, "--penalty", "l1", "--memory", "8M", status=4)
        self.assertIn("the kernel matrix of the path", words)

    def test_text_is_for_people(self):
        data = self.write("lasso2.csv", LASSO2)
        done = self.run_program("path", data, "-o", "p.path", "--over", "lambda", "--penalty", "l1",
                                "--loss", "half-squared", "--features", "--no-intercept")
        self.assertIn("half-squared and l1 over lambda from 4 to 0", done.out)
        self.assertTrue(all(len(line) <= 80 for line in done.out.splitlines()))


if __name__ == "__main__":
    unittest.main()
