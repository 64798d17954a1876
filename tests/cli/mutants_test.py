# SPDX-License-Identifier: Apache-2.0
"""tests/cli/mutants_test.py - LIBSVM model files with a few bytes changed, through svm-predict."""

import os
import random
import unittest

from libsvm_test import ToolTest, rows_text

# Under a sanitizer the fuzz target of the same reader covers this.
MUTANTS = 100 if "MERCER_TEST_SANITIZED" in os.environ else 1000


class MutantsTest(ToolTest):
    def test_mutated_models_end_in_a_clean_message(self):
        data = self.write("d", rows_text((3, 1, 2), 30))
        self.ours("svm-train", "-q", "-b", "1", data, "good")
        good = (self.folder / "good").read_bytes()
        source = random.Random(5)
        statuses = {}
        for round_number in range(MUTANTS):
            bytes_ = bytearray(good)
            for _ in range(source.randint(1, 4)):
                place = source.randrange(len(bytes_))
                kind = source.randrange(3)
                if kind == 0:
                    bytes_[place] = source.randrange(256)
                elif kind == 1:
                    del bytes_[place:place + source.randrange(1, 30)]
                else:
                    bytes_[place:place] = str(source.randrange(10 ** 12)).encode()
            (self.folder / "bad").write_bytes(bytes_)
            outcome = self.ours("svm-predict", data, "bad", "out", status=None)
            statuses[outcome.status] = statuses.get(outcome.status, 0) + 1
            self.assertIn(outcome.status, (0, 2, 3, 4), (round_number, outcome.err))
            if outcome.status != 0:
                self.assertRegex(outcome.err, r"^error: .")
        self.assertGreater(statuses.get(3, 0), MUTANTS // 2)


if __name__ == "__main__":
    unittest.main()
