# SPDX-License-Identifier: Apache-2.0
"""tests/cli/gradient_test.py - mercer select --gradient through the program."""

import unittest

from program import ProgramTest


class GradientTest(ProgramTest):
    def select(self, data, *words, status=0):
        return self.expect(self.run_program("select", data, "-o", "m.mercer", "--model", "krr",
                                            *words, "--json"), status)

    def test_a_search_ends_at_a_certified_model(self):
        data = self.make_data("d.npz", "friedman1", rows=80, noise=1, seed=1)
        for criterion in ("loo", "gcv", "likelihood"):
            with self.subTest(criterion=criterion):
                answer = self.select(data, "--kernel", "2 * matern(nu=2.5, length=1) + linear",
                                     "--gradient", criterion, "--scale", "standard").json()
                self.expect_fact("A20", "status of the search by the program",
                                 answer["search"]["status"])
                self.assertEqual(answer["criterion"], criterion)
                self.assertLess(answer["value"], answer["start_value"])
                self.assertEqual(list(answer["hyperparameters"]), ["alpha", "weight", "length"])
                self.assertEqual(answer["fixed"], ["nu of matern"])
                self.assertEqual(answer["hyperparameters"]["alpha"]["start"], 1.0)
                self.assertGreater(answer["search"]["evaluations"], 2)
                self.assertEqual(answer["status"], "converged")
                self.expect(self.run_program("verify", "m.mercer", data), 0)
        report = self.run_program("select", data, "-o", "m.mercer", "--model", "krr", "--kernel",
                                  "rbf(gamma=0.1)", "--gradient", "gcv", "--starts", "3")
        self.expect(report, 0)
        self.assertRegex(report.out, r"(?m)^criterion +gcv: ")
        self.assertRegex(report.out, r"(?m)^gamma +0.1 ")

    def test_what_cannot_be_meant_is_refused(self):
        data = self.make_data("d.npz", "friedman1", rows=20, seed=1)
        for words, message in (([], "--grid or --gradient"),
                               (["--gradient", "loo", "--grid", "alpha=1,2"], "--grid or --gradient"),
                               (["--gradient", "loo", "--folds", "3"], "judge a grid"),
                               (["--gradient", "loo", "--metric", "mae"], "judge a grid"),
                               (["--grid", "alpha=1,2", "--starts", "2"], "belongs to --gradient"),
                               (["--gradient", "aic"], "aic"),
                               (["--gradient", "loo", "--alpha", "0"], "alpha"),
                               (["--gradient", "loo", "--kernel", "precomputed"], "precomputed")):
            with self.subTest(words=words):
                outcome = self.run_program("select", data, "-o", "m.mercer", "--model", "krr",
                                           *words)
                self.assertEqual(outcome.status, 2, outcome.err)
                self.assertIn(message, outcome.err)
                self.assertEqual(self.leftovers("d.npz"), [])
        outcome = self.run_program("select", data, "-o", "m.mercer", "--model", "svr",
                                   "--gradient", "loo")
        self.assertEqual(outcome.status, 2)
        self.assertIn("for krr", outcome.err)


if __name__ == "__main__":
    unittest.main()
