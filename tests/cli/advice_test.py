# SPDX-License-Identifier: Apache-2.0
"""tests/cli/advice_test.py - the commands that mercer data info advises run, and fit its findings."""

import random
import shlex
import unittest

from program import ProgramTest


class AdviceTest(ProgramTest):
    def bad_rows(self):
        """Every fault at once: 240 rows of two classes, one of them rare."""
        source = random.Random(1)
        lines = ["size,income,copy,same,code,class"]
        for i in range(240):
            size, income = source.gauss(0, 1), source.gauss(0, 5000)
            rare = i % 12 == 0
            lines.append(f"{size},{income},{size},7,{9 if rare else 2},{'rare' if rare else 'usual'}")
        lines[30] = "60,90000,60,7,2,usual"
        return "\n".join(lines) + "\n"

    def info(self, *words):
        outcome = self.run_program("data", "info", *words, "--json")
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome.json()

    def test_every_fault_is_named_and_every_command_runs(self):
        self.write("bad.csv", self.bad_rows())
        found = self.info("bad.csv")
        self.assertEqual(found["constant_columns"], 1)
        self.assertEqual(found["duplicate_columns"], [[3, 1]])
        self.assertEqual(found["target_columns"], [5])
        self.assertEqual(found["imbalance"], 11.0)
        self.assertIn(30, found["outliers"])
        self.assertEqual(found["accuracy_bound"], 1.0)
        self.assertEqual(found["suggested"]["scale"], "standard")
        topics = [one["topic"] for one in found["advice"]]
        self.assertEqual(topics, ["target", "scale", "constant", "duplicate", "imbalance",
                                  "outliers", "kernel"])
        for one in found["advice"]:
            with self.subTest(one["topic"]):
                words = shlex.split(one["command"].replace("MODEL", "m.mercer"))
                outcome = self.run_program(*words[1:])
                self.assertEqual(outcome.status, 0, outcome.err)
        text = self.run_program("data", "info", "bad.csv").out
        for one in found["advice"]:
            self.assertIn(f"{one['topic']}: {one['words']}", text)
            self.assertIn(f"  {one['command']}", text)

    def test_columns_are_dropped_by_the_numbers_of_the_file(self):
        rows = [f"{i % 2} 1:{i} 2:{(i * 7) % 5} 3:{i}" for i in range(30)]
        self.write("d.svm", "\n".join(rows) + "\n")
        found = self.info("d.svm")
        command = next(one["command"] for one in found["advice"] if one["topic"] == "duplicate")
        self.assertIn("--drop 3", command)
        # The target is the first column, and counts.
        self.write("d.csv", "\n".join(f"{i % 2},{i},{(i * 7) % 5},{i}" for i in range(30)) + "\n")
        found = self.info("d.csv", "--target", "0")
        command = next(one["command"] for one in found["advice"] if one["topic"] == "duplicate")
        self.assertIn("--drop 3", command)

    def test_near_duplicates_bound_what_any_classifier_reaches(self):
        rows = [f"{i % 10},{i % 10},{'a' if i % 3 else 'b'}" for i in range(90)]
        self.write("d.csv", "x,y,class\n" + "\n".join(rows) + "\n")
        found = self.info("d.csv")
        self.assertEqual(found["near_duplicates"], 90)
        self.assertAlmostEqual(found["accuracy_bound"], 60 / 90)
        outcome = self.run_program("train", "d.csv", "-o", "m.mercer", "--kernel", "rbf(gamma=50)",
                                   "-C", "1000")
        self.assertEqual(outcome.status, 0, outcome.err)
        told = self.run_program("evaluate", "m.mercer", "d.csv", "--json").json()
        self.assertLessEqual(told["accuracy"], found["accuracy_bound"] + 1e-12)

    def test_good_rows_get_no_more_than_a_kernel(self):
        self.run_program("data", "make", "moons", "-o", "m.svm", "--rows", 300)
        found = self.info("m.svm")
        self.assertEqual([one["topic"] for one in found["advice"]], ["kernel"])
        words = shlex.split(found["advice"][0]["command"].replace("MODEL", "m.mercer"))
        self.assertEqual(self.run_program(*words[1:]).status, 0)


if __name__ == "__main__":
    unittest.main()
