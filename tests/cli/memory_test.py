# SPDX-License-Identifier: Apache-2.0
"""tests/cli/memory_test.py - --memory bounds the resident set of every command."""

import os
import unittest

from program import PROGRAM, ProgramTest

MIB = 1 << 20
LIMIT = 256 * MIB
SLACK = 64 * MIB  # code, libraries and small blocks, which the budget does not count


class MemoryTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.make_data("d.npz", rows=20000, columns=50)
        self.text = self.make_data("d.svm", rows=20000, columns=50)

    def bounded(self, *words):
        outcome = self.run_measured(*words, "--memory", "256M")
        self.expect(outcome, 0)
        self.assertLessEqual(outcome.peak_bytes, LIMIT + SLACK)
        return outcome

    def test_gram_stays_within_the_budget(self):
        for precision in ("float", "double"):
            self.bounded("kernel", "gram", "rbf(gamma=0.5)", self.data, "-o", "/dev/null",
                         "--precision", precision)

    def test_data_commands_stay_within_the_budget(self):
        for data in (self.data, self.text):
            self.bounded("data", "info", data)
            self.bounded("data", "convert", data, "-o", "c.npy")
            self.bounded("data", "scale", data, "-o", "s.svm")
            self.bounded("data", "split", data, "--train", "a.npz", "--test", "b.npz")
        self.bounded("data", "make", "blobs", "--rows", 20000, "--columns", 50, "-o", "m.svm")

    def test_features_stay_within_the_budget(self):
        self.bounded("kernel", "features", "poly(degree=2)", self.data, "-o", "/dev/null")

    def test_training_converges_within_its_memory(self):
        data = self.make_data("x.npz", "xor", rows=20000, columns=10, noise=0.1, seed=1)
        outcome = self.bounded("train", data, "-o", "m.mercer", "--kernel", "rbf(gamma=0.1)",
                               "-C", 1, "--json")
        answer = outcome.json()
        self.assertEqual(answer["status"], "converged")
        self.assertLessEqual(answer["certificate"]["relative_gap"], 1e-4)
        # All rows of the Gram matrix would be 1.5 GiB.
        self.assertGreater(answer["support_vectors"], 2000)
        self.bounded("predict", "m.mercer", data, "-o", "p.npy")

    def test_linear_kernels_make_no_matrix_of_the_rows(self):
        # K of 20,000 rows is 3 GiB; two classes for some machines, numbers for the others.
        classes = self.make_data("c.svm", "moons", rows=20000, noise=0.3, seed=1)
        numbers = self.make_data("n.svm", "friedman1", rows=20000, seed=1)
        for model, data in (("krr", numbers), ("l2-svr", numbers), ("klr", classes),
                            ("ls-svc", classes), ("l2-svc", classes), ("huber-svc", classes)):
            with self.subTest(model=model):
                outcome = self.run_measured("train", data, "-o", "m.mercer", "--model", model,
                                            "--kernel", "2 * linear", "-C", 1, "--json", "-v")
                answer = self.expect(outcome, 0).json()
                self.assertEqual(answer["status"], "converged")
                self.assertLessEqual(answer["certificate"]["relative_gap"], 1e-8)
                self.assertLessEqual(outcome.peak_bytes, 2 * SLACK)
                self.assertIn("in the columns", outcome.err)

    def test_many_small_problems_use_the_same_memory_again(self):
        # 325 of them, 2 MiB at any moment. When freed blocks did not fit the next ones: 13 MiB.
        text = ""
        for i in range(100):
            values = ((i * (2 * j + 5) * (j + 3) + i * i) % 97 / 97 for j in range(1, 17))
            text += f"{i % 26}" + "".join(f" {j + 1}:{v:.3f}" for j, v in enumerate(values)) + "\n"
        outcome = self.run_program("train", self.write("classes.svm", text), "-o", "m.mercer",
                                   "--kernel", "rbf(gamma=2)", "-C", 16, "-j", 2, "--json")
        answer = self.expect(outcome, 0).json()
        self.assertEqual(answer["status"], "converged")
        self.assertLessEqual(answer["peak_memory_bytes"], 11 * MIB)

    def test_a_short_run_is_small(self):
        # Measured by the program itself: wait4 also counts this interpreter until it becomes
        # mercer.
        # A program linked a moment ago is in large folios of the page cache, which are
        # mapped whole: 7.2 MB where one that is read from disk takes 6.4 to 6.8 MB, of which 3.5 MB
        # are
        # pages of the program itself (2.7 MB if every file is compiled separately,
        # MERCER_UNITY=OFF).
        with open(PROGRAM, "rb") as program:
            os.fsync(program.fileno())
            os.posix_fadvise(program.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        outcome = self.run_program("data", "info", self.write("few.svm", "1 1:1\n2 1:2\n"), "--json")
        self.assertLessEqual(self.expect(outcome, 0).json()["peak_memory_bytes"], 7 * MIB)

    def test_check_of_a_sample_stays_within_the_budget(self):
        self.bounded("kernel", "check", "rbf(gamma=0.5)", self.data, "--rows", 1000)

    def test_check_says_how_many_rows_fit(self):
        outcome = self.run_measured("kernel", "check", "rbf(gamma=0.5)", self.data, "--memory",
                                    "256M")
        self.expect(outcome, 4)
        self.assertRegex(outcome.err, r"--rows \d+")

    def test_a_plan_that_fits_runs_and_one_that_does_not_is_refused_before_any_work(self):
        data = self.make_data("p.npz", "xor", rows=8000, columns=8, noise=0.2, seed=1)
        words = ["train", data, "-o", "p.mercer", "--kernel", "rbf(gamma=0.2)", "--json", "-v"]
        plan = self.run_program(*words, "--dry-run", "--memory", "256M").json()["plan"]
        least = 256 * MIB - plan["available_bytes"] + plan["needed_bytes"]
        for share, status in ((1.03, 0), (0.95, 4)):
            memory = f"{int(share * least / 1024)}K"
            self.expect(self.run_program(*words, "--dry-run", "--memory", memory), status)
            outcome = self.run_program(*words, "--memory", memory)
            self.expect(outcome, status)
            if status == 4:
                self.assertIn("memory: svc by decomposition needs", outcome.err)
                self.assertNotIn("solver decomposition (", outcome.err)  # it did not start

    def test_too_little_memory_ends_with_4(self):
        for words in (["data", "info", self.data], ["data", "convert", self.text, "-o", "c.npy"],
                      ["kernel", "gram", "linear", self.data, "-o", "/dev/null"]):
            outcome = self.run_measured(*words, "--memory", "1M")
            self.expect(outcome, 4)
            self.assertIn("memory", outcome.err)


if __name__ == "__main__":
    unittest.main()
