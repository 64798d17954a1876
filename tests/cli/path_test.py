# SPDX-License-Identifier: Apache-2.0
"""tests/cli/path_test.py - mercer path, its file, and the machines on it."""

import json
import unittest

from program import ProgramTest


class PathTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.make_data("m.svm", "moons", rows=80, noise=0.25, seed=1)
        self.make_data("v.svm", "moons", rows=60, noise=0.25, seed=2)

    def trace(self, *words):
        return self.expect(self.run_program("path", *words, "--json"), 0).json()

    def test_breakpoints_are_told_with_their_events(self):
        report = self.trace("m.svm", "-o", "m.path", "--kernel", "rbf(gamma=1)", "--plot", "m.svg")
        values = [point["value"] for point in report["breakpoints"]]
        self.assertEqual(values, sorted(values))
        self.assertEqual([values[0], values[-1]], [0.01, 100.0])
        self.assertLessEqual({point["event"] for point in report["breakpoints"]},
                             {"start", "enter", "leave", "bound", "end"})
        self.assertLess(report["max_kkt_violation"], 1e-9)
        self.assertEqual(report["restarts"], 0)
        self.assertIn("<svg", (self.folder / "m.svg").read_text())

    def test_a_machine_read_off_is_the_one_that_is_trained(self):
        self.trace("m.svm", "-o", "m.path", "--kernel", "rbf(gamma=1)")
        at = self.expect(self.run_program("predict", "m.path", "v.svm", "--at", "C=3.7",
                                          "--output", "decision", "--json"), 0).json()["values"]
        self.expect(self.run_program("train", "m.svm", "-o", "t.mercer", "--kernel",
                                     "rbf(gamma=1)", "-C", "3.7", "--gap-tolerance", "1e-11"), 0)
        trained = self.expect(self.run_program("predict", "t.mercer", "v.svm", "--output",
                                               "decision", "--json"), 0).json()["values"]
        self.assertEqual(len(at), 60)
        self.assertLess(max(abs(a - b) for a, b in zip(at, trained)), 1e-4)
        self.expect(self.run_program("verify", "m.path", "m.svm", "--at", "C=3.7"), 0)

    def test_the_score_is_that_of_evaluate(self):
        for words in (["--validation", "v.svm"], ["--folds", "4"]):
            report = self.trace("m.svm", "-o", "m.path", "--kernel", "rbf(gamma=1)", *words)
            score = report["score"]
            self.assertEqual(score["measure"], "error")
            self.assertLessEqual(score["best_from"], score["best_value"])
            self.assertLessEqual(score["best_value"], score["best_to"])
            self.assertEqual(min(point["score"] for point in score["points"]),
                             score["best_score"])
            if words[0] == "--validation":
                found = self.expect(self.run_program("evaluate", "m.path", "v.svm", "--at",
                                                     f"C={score['best_value']!r}", "--json"), 0)
                self.assertAlmostEqual(1.0 - found.json()["accuracy"], score["best_score"])

    def test_what_cannot_be_meant_is_said(self):
        self.trace("m.svm", "-o", "m.path", "--kernel", "linear", "--to", "1")
        self.expect(self.run_program("train", "m.svm", "-o", "t.mercer"), 0)
        for words, text in (
                (["predict", "m.path", "v.svm"], "--at NAME=VALUE says which model"),
                (["predict", "m.path", "v.svm", "--at", "nu=1"], "must be C=VALUE"),
                (["predict", "m.path", "v.svm", "--at", "C=x"], "must be C=VALUE"),
                (["predict", "t.mercer", "v.svm", "--at", "C=1"], "is one model, not a path"),
                (["path", "m.svm", "-o", "-"], "a path is written to a file"),
                (["path", "m.svm", "-o", "p", "--model", "klr"], "has no exact path"),
                (["path", "m.svm", "-o", "p", "-C", "1"], "given, though the path is over C"),
                (["path", "m.svm", "-o", "p", "--folds", "3", "--validation", "v.svm"],
                 "exclude each other")):
            with self.subTest(words=words):
                outcome = self.expect(self.run_program(*words), 2)
                self.assertIn(text, outcome.err)
        (self.folder / "broken.path").write_bytes((self.folder / "m.path").read_bytes()[:-3])
        outcome = self.expect(self.run_program("predict", "broken.path", "v.svm", "--at", "C=1"), 3)
        self.assertIn("broken.path", outcome.err)
        self.assertIn("the path goes from", self.expect(self.run_program(
            "predict", "m.path", "v.svm", "--at", "C=50"), 2).err)

    def test_a_stopped_path_is_written_as_far_as_it_came(self):
        self.make_data("large.svm", "moons", rows=3000, noise=0.4, seed=1)
        outcome = self.expect(self.run_program("path", "large.svm", "-o", "l.path", "--kernel",
                                               "rbf(gamma=5)", "--to", "1e6", "--time-limit",
                                               "0.7", "--json"), 1)
        report = json.loads(outcome.out)
        self.assertEqual(report["status"], "interrupted")
        middle = 0.5 * (report["from"] + report["to"])
        self.expect(self.run_program("evaluate", "l.path", "large.svm", "--at", f"C={middle!r}"), 0)


if __name__ == "__main__":
    unittest.main()
