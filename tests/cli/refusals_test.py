# SPDX-License-Identifier: Apache-2.0
"""tests/cli/refusals_test.py - a wrong value of each option is refused with the option's name."""

import unittest

from program import ProgramTest

# Options of `train`, an invalid value of each, and what else its machine needs.
TRAIN = [("--model", "nope"), ("--cost", -1), ("--lambda", -1), ("--alpha", -1, "--model", "krr"),
         ("--epsilon", -1, "--model", "svr"), ("--nu", -1, "--model", "nu-svc"),
         ("--penalty", "nope"), ("--l1", -1, "--penalty", "l1"), ("--scale", "nope"),
         ("--gap-tolerance", -1), ("--tolerance", -1), ("--max-iterations", -1),
         ("--time-limit", -1), ("--threads", -1), ("--seed", -1), ("--device", "nope"),
         ("--memory", "nope"), ("--solver", "nope"), ("--precision", "nope"),
         ("--degree", -1, "--model", "polynomial"), ("--multiclass", "nope"),
         ("--order", "nope", "--model", "perceptron"), ("--basis", -1, "--model", "l2-svc"),
         ("--basis-tolerance", -1, "--basis", 2, "--model", "l2-svc"),
         ("--basis-candidates", -1, "--basis", 2, "--model", "l2-svc"),
         ("--selection", "nope", "--solver", "smo"), ("--pricing", "nope", "--solver", "active-set"),
         ("--bound", "nope", "--model", "perceptron"), ("--weight", "1=-1")]
OTHERS = [("select", "--metric", "nope", "--grid", "C=1,2"),
          ("path", "--over", "nope"), ("path", "--from", -1, "--over", "C"),
          ("path", "--to", -1, "--over", "C")]


class RefusalsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.make_data("d.svm", rows=30, columns=2)

    def refused(self, command, option, value, *more):
        outcome = self.run_program(command, self.data, "-o", "m", option, value, *more)
        self.expect(outcome, 2)
        self.assertRegex(outcome.err, rf"error: {option}: got '?{value}'?, \S")
        return outcome

    def test_each_option_of_train_refuses_a_wrong_value(self):
        for words in TRAIN:
            with self.subTest(words[0]):
                self.refused("train", *words)

    def test_options_of_other_commands_refuse_wrong_values(self):
        for words in OTHERS:
            with self.subTest(words[:2]):
                self.refused(*words)

    def test_options_of_generators_refuse_wrong_values(self):
        for option in ("--rows", "--columns", "--noise"):
            with self.subTest(option):
                outcome = self.expect(self.run_program("data", "make", "blobs", option, -1, "-o",
                                                       "x.svm"), 2)
                self.assertRegex(outcome.err, rf"error: {option}: got -1, must be ")

    def test_options_of_another_machine_are_refused_with_a_hint(self):
        for words, message in ((("--epsilon", 1), "--epsilon: svc does not take it; these do: svr"),
                               (("--average",), "--average: belongs to --model perceptron; svc"),
                               (("--weight", "9=1"), "--weight: there is no class 9")):
            with self.subTest(words[0]):
                outcome = self.expect(self.run_program("train", self.data, "-o", "m", *words), 2)
                self.assertIn("error: " + message, outcome.err)


if __name__ == "__main__":
    unittest.main()
