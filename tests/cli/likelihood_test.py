# SPDX-License-Identifier: Apache-2.0
"""tests/cli/likelihood_test.py - maximum likelihood if there is no maximum."""

import unittest

from program import ProgramTest


class LikelihoodTest(ProgramTest):
    def test_separable_classes_are_refused_without_a_penalty(self):
        self.write("apart.csv", "-2,0\n-1,0\n1,1\n3,1\n")
        outcome = self.run_program("train", "apart.csv", "--model", "logistic", "--lambda", "0",
                                   "-o", "m.mercer")
        self.expect_fact("D09", "separable: exit status without a penalty", outcome.status)
        message = "the likelihood has no maximum"
        self.expect_fact("D09", "separable: message", message if message in outcome.err else
                         outcome.err)
        self.assertEqual(self.leftovers("apart.csv"), [])


if __name__ == "__main__":
    unittest.main()
