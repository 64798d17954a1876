# SPDX-License-Identifier: Apache-2.0
"""tests/cli/unfinished_test.py - a stopped run reports what is missing, and leaves a model.

Stops are timed as shares of the time of an uninterrupted run, so that they hit the intended part of
the work on any machine.
"""

import math
import os
import random
import signal
import subprocess
import time
import unittest

from program import PROGRAM, Outcome, ProgramTest

# A second after the limit is a lot; a loaded machine under a sanitizer gets more.
PATIENCE = float(os.environ.get("MERCER_TEST_PATIENCE", "1.0"))


class UnfinishedTest(ProgramTest):
    def seconds(self, *words):
        """Seconds of a whole run, by its own clock."""
        runs = [self.expect(self.run_program(*words, "--json"), 0).json() for _ in range(2)]
        return min(run["seconds"]["total"] for run in runs)

    def unfinished(self, *words, limit):
        """The JSON object of a run that ends with status 1 at its time limit, and its messages."""
        (self.folder / "m.mercer").unlink(missing_ok=True)
        outcome = self.run_program(*words, "--json", "--time-limit", f"{limit:.3f}")
        answer = self.expect(outcome, 1).json()
        self.assertTrue((self.folder / "m.mercer").exists(), outcome.err)
        return answer, outcome.err

    def stopped_in(self, what, plain, *more):
        """The same for a limit that falls into the part of the work after the plain run, found by
        bisection: timings vary from run to run, so the bounds are forgotten now and then."""
        first = 1.3 * self.seconds(*plain)
        for attempt in range(15):
            if attempt % 5 == 0:
                early, late, limit = 0.0, math.inf, first
            outcome = self.run_program(*plain, *more, "--json", "--time-limit", f"{limit:.3f}")
            answer = outcome.json()
            solved = answer["certificate"]["relative_gap"] <= 1e-4
            if outcome.status == 1 and solved and any(what in text for text in answer["missing"]):
                break
            early, late = (early, limit) if solved else (limit, late)
            limit = 2.0 * limit if late == math.inf else 0.5 * (early + late)
        return answer, outcome.err

    def assert_missing(self, what, answer, err):
        self.assertEqual(answer["status"], "interrupted")
        self.assertTrue(any(what in text for text in answer["missing"]), answer["missing"])
        self.assertIn(f"warning: {what}", err)

    def test_missing_probabilities_of_classes_are_reported(self):
        data = self.make_data("d.svm", "xor", rows=2500, columns=8, noise=0.2, seed=1)
        plain = ["train", data, "-o", "m.mercer", "-C", 10, "--kernel", "rbf(gamma=0.2)"]
        what = "probabilities: stopped before they were estimated"
        answer, err = self.stopped_in(what, plain, "--probability")
        self.assert_missing(what, answer, err)
        self.assertLessEqual(answer["certificate"]["relative_gap"], 1e-4)
        self.assertNotIn("link", answer)
        self.expect(self.run_program("verify", "m.mercer", data), 0)

    def test_missing_probabilities_of_numbers_are_reported(self):
        data = self.make_data("d.svm", "friedman1", rows=2500, seed=1)
        plain = ["train", data, "-o", "m.mercer", "--model", "svr", "-C", 10, "--kernel",
                 "rbf(gamma=1)"]
        what = "probabilities: stopped before they were estimated"
        answer, err = self.stopped_in(what, plain, "--probability")
        self.assert_missing(what, answer, err)

    def test_stopped_linear_equations_are_reported(self):
        classes = self.make_data("c.svm", "moons", rows=3000, noise=0.3, seed=1)
        numbers = self.make_data("n.svm", "friedman1", rows=3000, seed=1)
        for model, data in (("ls-svc", classes), ("krr", numbers)):
            with self.subTest(model=model):
                words = ["train", data, "-o", "m.mercer", "--model", model, "--kernel",
                         "rbf(gamma=1)"]
                answer, err = self.unfinished(*words, limit=0.4 * self.seconds(*words))
                self.assertEqual(answer["status"], "interrupted")
                self.assertGreater(answer["certificate"]["relative_gap"], 1e-8)
                self.assertIn("interrupted: the model is written, with the gap it has", err)
                self.expect(self.run_program("predict", "m.mercer", data), 0)

    def test_missing_leave_one_out_errors_are_reported(self):
        classes = self.make_data("c.svm", "moons", rows=2500, noise=0.3, seed=1)
        numbers = self.make_data("n.svm", "friedman1", rows=2500, seed=1)
        for model, data in (("krr", numbers), ("ls-svc", classes), ("klr", classes)):
            with self.subTest(model=model):
                words = ["train", data, "-o", "m.mercer", "--model", model, "--kernel",
                         "rbf(gamma=1)", "-C", 10]
                what = "leave-one-out error: stopped before it was computed"
                answer, err = self.stopped_in(what, words, "--loo")
                self.assert_missing(what, answer, err)

    def test_pairs_that_were_not_reached_are_counted(self):
        data = self.make_data("d.svm", "blobs", rows=4000, columns=6, classes=30, noise=3, seed=1)
        words = ["train", data, "-o", "m.mercer", "-C", 100, "--kernel", "rbf(gamma=0.05)"]
        whole = self.seconds(*words)
        answer, err = self.unfinished(*words, limit=0.5 * whole)
        self.assert_missing("pairs of classes: stopped when", answer, err)
        self.assertIn("of 435 were trained; the others vote for the class of more weight", err)
        self.assertLess(answer["seconds"]["total"], 0.5 * whole + PATIENCE)
        self.assertEqual(len(answer["certificates"]), 435)
        self.expect(self.run_program("verify", "m.mercer", data), 0)

    def test_time_is_kept_back_for_the_certificate(self):
        # 2,000 coefficients and 30,000 rows: 0.6 s after the limit, if no time is reserved.
        data = self.make_data("d.npz", "xor", rows=30000, columns=12, noise=0.3, seed=1)
        answer, _ = self.unfinished("train", data, "-o", "m.mercer", "-C", 1000, "--kernel",
                                    "laplace(gamma=0.05)", limit=1.5)
        self.assertEqual(answer["status"], "interrupted")
        self.assertLess(answer["seconds"]["total"], 1.5 + 0.2 * PATIENCE)

    def test_a_stopped_selection_leaves_what_was_judged(self):
        data = self.make_data("d.svm", "xor", rows=800, columns=8, noise=0.2, seed=1)
        words = ["select", data, "-o", "m.mercer", "--kernel", "rbf(gamma=0.2)", "--grid",
                 "C=1:100:log10:6"]
        whole = self.seconds(*words)
        answer, err = self.unfinished(*words, limit=0.5 * whole)
        judged = len(answer["table"])
        self.assertGreater(judged, 0)
        self.assertLess(judged, 6)
        self.assertEqual(answer["unjudged"], 6 - judged)
        self.assertIn(answer["best"], answer["table"])
        said = f"selection: stopped when {judged} of 6 combinations were judged"
        self.assertTrue(any(said in text for text in answer["missing"]))
        self.assertIn(said, err)
        self.expect(self.run_program("verify", "m.mercer", data), 0)

    def test_a_stopped_leave_one_out_selection_counts_what_is_missing(self):
        data = self.make_data("d.svm", "moons", rows=200, noise=0.3, seed=1)
        words = ["select", data, "-o", "m.mercer", "--kernel", "rbf(gamma=1)", "--loo", "--grid",
                 "C=1:1000:log10:8"]
        answer, err = self.unfinished(*words, limit=0.5 * self.seconds(*words))
        self.assertGreater(answer["unjudged"], 0)
        self.assertEqual(answer["unjudged"], 8 - len(answer["table"]))

    def test_a_selection_with_nothing_judged_leaves_no_model(self):
        data = self.make_data("d.svm", "xor", rows=4000, columns=8, noise=0.2, seed=1)
        outcome = self.run_program("select", data, "-o", "m.mercer", "--grid", "C=1,10",
                                   "--time-limit", "0.05")
        self.expect(outcome, 1)
        self.assertFalse((self.folder / "m.mercer").exists())

    def test_a_stopped_gradient_search_leaves_the_best_so_far(self):
        data = self.make_data("d.svm", "friedman1", rows=700, seed=1)
        words = ["select", data, "-o", "m.mercer", "--model", "krr", "--kernel", "rbf(gamma=1)",
                 "--gradient", "likelihood"]
        answer, _ = self.unfinished(*words, limit=0.5 * self.seconds(*words))
        self.assertEqual(answer["search"]["status"], "interrupted")
        self.assertLessEqual(answer["value"], answer["start_value"])

    def test_ctrl_c_leaves_the_best_so_far(self):
        data = self.make_data("d.svm", "xor", rows=800, columns=8, noise=0.2, seed=1)
        words = ["select", data, "-o", "m.mercer", "--kernel", "rbf(gamma=0.2)", "--grid",
                 "C=1:100:log10:6", "--json"]
        whole = self.seconds(*words[:-1])
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5 * whole)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        answer = self.expect(Outcome(process.returncode, out, err), 1).json()
        self.assertGreater(answer["unjudged"], 0)


class RoundingTest(ProgramTest):
    """Columns that differ ten thousandfold: the rounding of K exceeds 1 / C."""

    def setUp(self):
        super().setUp()
        numbers = random.Random(3)
        self.labels = ""
        self.numbers = ""
        for _ in range(120):
            row = (numbers.gauss(0, 1), numbers.gauss(0, 100), abs(numbers.gauss(0, 1e5)))
            score = row[0] + row[1] / 100 + row[2] / 1e5 + numbers.gauss(0, 0.5)
            text = " ".join(f"{j + 1}:{value:.6g}" for j, value in enumerate(row))
            self.labels += f"{'+1' if score > 0.5 else '-1'} {text}\n"
            self.numbers += f"{score:.6g} {text}\n"

    def test_a_smooth_machine_is_reduced_and_says_nothing_false(self):
        classes = self.write("c.svm", self.labels)
        numbers = self.write("n.svm", self.numbers)
        for model, data in (("klr", classes), ("ls-svc", classes), ("krr", numbers)):
            for degree in (2, 3):
                with self.subTest(model=model, degree=degree):
                    outcome = self.run_program("train", data, "-o", "m.mercer", "--model", model,
                                               "--kernel", f"poly(degree={degree})", "--json")
                    answer = self.expect(outcome, 1).json()
                    self.assertEqual(answer["status"], "reduced")
                    self.assertNotIn("definite", outcome.err)
                    self.expect(self.run_program("verify", "m.mercer", data), 0)

    def test_a_selection_passes_by_what_cannot_be_factored(self):
        data = self.write("n.svm", self.numbers)
        answer = self.expect(self.run_program(
            "select", data, "-o", "m.mercer", "--model", "krr", "--kernel", "poly(degree=2)",
            "--grid", "alpha=0.001,1e12", "--json"), 0).json()
        self.assertIsNone(answer["table"][0]["cv_rmse"])
        self.assertEqual(answer["best"]["alpha"], 1e12)


if __name__ == "__main__":
    unittest.main()
