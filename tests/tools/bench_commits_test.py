# SPDX-License-Identifier: Apache-2.0
"""tests/tools/bench_commits_test.py - when bench/commits accepts a change."""

import importlib.machinery
import importlib.util
import json
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))
loader = importlib.machinery.SourceFileLoader("commits", str(BENCH / "commits"))
commits = importlib.util.module_from_spec(importlib.util.spec_from_loader("commits", loader))
loader.exec_module(commits)


def rows(*pairs):
    return [{"row": f"set/{k}", "speed": speed, "memory": memory}
            for k, (speed, memory) in enumerate(pairs)]


class Verdict(unittest.TestCase):
    def test_equal_commits_pass(self):
        mean, broken = commits.verdict(rows((1.0, 1.0), (1.0, 1.0)))
        self.assertAlmostEqual(mean, 1.0)
        self.assertEqual(broken, [])

    def test_the_mean_is_geometric(self):
        self.assertAlmostEqual(commits.verdict(rows((2.0, 1.0), (0.5, 1.0)))[0], 1.0)

    def test_one_slow_row_fails_whatever_the_mean(self):
        _, broken = commits.verdict(rows((0.93, 1.0), (2.0, 1.0)))
        self.assertEqual(len(broken), 1)
        self.assertIn("set/0", broken[0])

    def test_many_rows_that_are_a_little_slower_fail_by_the_mean(self):
        _, broken = commits.verdict(rows(*[(0.97, 1.0)] * 5))
        self.assertEqual(len(broken), 1)
        self.assertIn("geometric mean", broken[0])

    def test_more_memory_fails(self):
        self.assertEqual(commits.verdict(rows((1.0, 1.05)))[1], [])
        self.assertIn("memory", commits.verdict(rows((1.0, 1.06)))[1][0])

    def test_memory_that_was_not_seen_says_nothing(self):
        self.assertEqual(commits.verdict(rows((1.0, None)))[1], [])


class Figures(unittest.TestCase):
    def test_a_rate_becomes_seconds_and_a_ratio_is_left_out(self):
        text = "\n".join(json.dumps({"name": name, "value": value, "unit": unit})
                         for name, value, unit in (("gram", 0.5, "s"), ("sgemm", 200.0, "GFLOP/s"),
                                                   ("over", 1.2, "x"), ("entry", 3.0, "")))
        self.assertEqual(commits.printed_figures(text, 9.0), {"gram": 0.5, "sgemm": 0.005})

    def test_stages_are_summed(self):
        text = json.dumps({"seconds": {"read": 5.0, "fit": 1.0, "certify": 0.5, "total": 7.0}})
        self.assertEqual(commits.stages("fit", "certify")(text, 9.0), {"": 1.5})


if __name__ == "__main__":
    unittest.main()
