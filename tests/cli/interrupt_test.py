# SPDX-License-Identifier: Apache-2.0
"""tests/cli/interrupt_test.py - Ctrl-C at random moments of a fit.

The moments are drawn over the time of an uninterrupted fit. A fit that was over before the signal
is drawn again, and so is one that had converged. On real data:

    MERCER_DATA=folder MERCER_INTERRUPTS=50 python3 -m unittest interrupt_test
"""

import json
import lzma
import os
import random
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

PATIENCE = float(os.environ.get("MERCER_TEST_PATIENCE", "1.0"))
MOMENTS = int(os.environ.get("MERCER_INTERRUPTS", "8"))


class InterruptTest(ProgramTest):
    def interrupt(self, words, moment):
        """Status, seconds from signal to end, and the output; None if it was over before."""
        (self.folder / "m.mercer").unlink(missing_ok=True)
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            process.wait(timeout=moment)
            process.communicate()
            return None
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, err = process.communicate(timeout=120)
        seconds = time.monotonic() - start
        if process.returncode == 0:  # only the writing was left
            self.assertEqual(json.loads(out)["status"], "converged")
            self.assertLess(seconds, PATIENCE)
            return None
        return process.returncode, seconds, out, err

    def check(self, status, seconds, out, err, few):
        self.assertEqual(status, 1, err)
        self.assertLess(seconds, PATIENCE)
        if not (self.folder / "m.mercer").exists():  # nothing to write yet
            self.assertIn("stopped", err)
            self.assertEqual(self.leftovers("d.svm", "few.svm"), [])
            return "nothing"
        answer = json.loads(out)
        self.assertEqual(answer["status"], "interrupted")
        self.assertGreater(answer["certificate"]["relative_gap"], 1e-4)
        self.assertEqual(self.leftovers("d.svm", "few.svm", "m.mercer"), [])
        predicted = self.expect(self.run_program("predict", "m.mercer", few), 0).out.split()
        self.assertEqual(len(predicted), 10)
        seen = self.expect(self.run_program("inspect", "m.mercer", "--json"), 0).json()
        self.assertEqual(seen["status"], "interrupted")
        self.assertEqual(seen["certificate"], answer["certificate"])
        return "model"

    def interrupt_often(self, words, few):
        numbers = random.Random(5)
        start = time.monotonic()
        self.expect(self.run_program(*words), 0)
        whole = time.monotonic() - start
        left = {"model": 0, "nothing": 0}
        while sum(left.values()) < MOMENTS:
            outcome = self.interrupt(words, max(0.05, numbers.uniform(0.0, whole)))
            if outcome is None:
                whole *= 0.9  # the machine is faster now than before
                continue
            left[self.check(*outcome, few)] += 1
        self.assertGreater(left["model"], 0)

    def test_interrupts_of_a_generated_problem_leave_a_verified_model(self):
        data = self.make_data("d.svm", "xor", rows=3000, columns=10, noise=0.2, seed=1)
        lines = (self.folder / "d.svm").read_text().splitlines(keepends=True)
        few = self.write("few.svm", "".join(lines[:10]))
        self.interrupt_often(["train", data, "-o", "m.mercer", "-C", "100", "--kernel",
                              "rbf(gamma=0.2)", "--json"], few)

    def test_many_classes_go_on_from_a_checkpoint_to_the_same_objective(self):
        data = self.make_data("d.svm", "blobs", rows=1500, columns=4, classes=5, noise=3, seed=2)
        plain = ["train", data, "-o", "m.mercer", "-C", "100", "--kernel", "rbf(gamma=0.5)",
                 "--json"]
        start = time.monotonic()
        expected = self.expect(self.run_program(*plain), 0).json()
        whole = time.monotonic() - start
        words = [*plain, "--checkpoint", "run.checkpoint", "--checkpoint-seconds", "0.01"]
        numbers = random.Random(7)
        done = 0
        while done < MOMENTS:
            outcome = self.interrupt(words, max(0.05, numbers.uniform(0.0, whole)))
            if outcome is None:
                whole *= 0.9
                (self.folder / "run.checkpoint").unlink(missing_ok=True)
                continue
            status, seconds, _, err = outcome
            self.assertEqual(status, 1, err)
            self.assertLess(seconds, PATIENCE)
            answer = self.expect(self.run_program(*words, "--resume"), 0).json()
            self.assertEqual(answer["certificate"], expected["certificate"])
            self.assertEqual(answer["intercept"], expected["intercept"])
            self.assertEqual(self.leftovers("d.svm", "m.mercer"), [])
            done += 1

    def test_interrupts_of_a_real_problem_leave_a_verified_model(self):
        packed = os.path.join(os.environ.get("MERCER_DATA", ""), "a9a.xz")
        if not os.path.exists(packed):
            self.skipTest("MERCER_DATA does not name a folder with a9a.xz")
        with lzma.open(packed, "rt") as source:
            lines = source.readlines()
        data = self.write("d.svm", "".join(lines))
        few = self.write("few.svm", "".join(lines[:10]))
        self.interrupt_often(["train", data, "-o", "m.mercer", "-C", "32", "--kernel",
                              "rbf(gamma=0.0078125)", "--json"], few)


if __name__ == "__main__":
    unittest.main()
