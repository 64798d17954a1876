#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/tools/architecture_test.py - the files named in the guides exist."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = ("ARCHITECTURE.md", "HACKING.md", "CONTRIBUTING.md", *sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/howto").glob("*.md")))
FILE = re.compile(r"`((?:src|include|cli|capi|tests|tools|docs|bench|examples|cmake)/[\w./-]+)`")
ROOMS = re.compile(r"^\| \d+ \| `(\w+)` \|", re.MULTILINE)


class Guides(unittest.TestCase):
    """Names in running text go stale unnoticed."""

    def test_every_file_that_is_named_exists(self):
        named = 0
        made = set()  # created by the exercises
        for change in (ROOT / "docs/howto/exercises").glob("*.diff"):
            made |= set(re.findall(r"^--- /dev/null\n\+\+\+ b/(\S+)", change.read_text(encoding="utf-8"),
                                   re.MULTILINE))
        for guide in GUIDES:
            for name in FILE.findall((ROOT / guide).read_text(encoding="utf-8")):
                named += 1
                self.assertTrue(name in made or (ROOT / name).exists(), f"{guide} names {name}")
        self.assertGreater(named, 50)

    def test_the_three_walks_exist(self):
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        for verb in ("train", "predict", "select"):
            self.assertIn(f"## One `{verb}`, hop by hop", text)
        self.assertIn("## Where does this line go?", text)

    def test_the_table_of_rooms_is_that_of_the_plan(self):
        plan = (ROOT / "ROOMS.toml").read_text(encoding="utf-8")
        rooms = set(re.findall(r"^\[room\.(\w+)\]", plan, re.MULTILINE))
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        self.assertEqual(set(ROOMS.findall(text)), rooms)


class Exercises(unittest.TestCase):
    """Changes that the guides promise to be small: they still apply, and touch that many files."""

    MOST = {"kernel": 4, "command": 3, "loss": 3, "solver": 3}

    def test_each_exercise_applies_and_is_small(self):
        found = sorted((ROOT / "docs/howto/exercises").glob("*.diff"))
        self.assertEqual({path.stem for path in found}, set(self.MOST))
        for path in found:
            with self.subTest(exercise=path.stem):
                files = re.findall(r"^diff --git ", path.read_text(encoding="utf-8"), re.MULTILINE)
                self.assertLessEqual(len(files), self.MOST[path.stem])
                done = subprocess.run(["git", "apply", "--check", str(path)], cwd=ROOT, check=False,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
