# SPDX-License-Identifier: Apache-2.0
"""tests/tools/check_duplicates_test.py - a planted run of equal lines is found."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RUN = [f"    total += weight[{k}] * value[{k}];" for k in range(7)]


class Duplicates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def add(self, path, lines):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n")

    def run_check(self):
        command = [sys.executable, str(ROOT / "tools/check_duplicates.py"), "--root",
                   str(self.root)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def test_five_equal_lines_pass(self):
        self.add("src/base/one.cpp", RUN[:5])
        self.add("src/base/two.cpp", RUN[:5])
        self.assertEqual(self.run_check(), (0, ""))

    def test_six_are_found_once_with_both_places(self):
        self.add("src/base/one.cpp", ["int a;", *RUN[:6], "int b;"])
        self.add("src/fit/two.cpp", ["int c;", "int d;", *RUN[:6], "int e;"])
        self.assertEqual(self.run_check(), (1, "src/fit/two.cpp:3: 6 lines as in "
                                               "src/base/one.cpp:2\n"))

    def test_a_longer_run_is_one(self):
        self.add("src/base/one.cpp", [*RUN, "int a;", *RUN])
        self.assertEqual(self.run_check(), (1, "src/base/one.cpp:9: 7 lines as in "
                                               "src/base/one.cpp:1\n"))

    def test_indentation_comments_blank_lines_and_brackets_hide_nothing(self):
        self.add("src/base/one.cpp", RUN[:6])
        self.add("src/base/two.cpp", [line for text in RUN[:6]
                                      for line in (f"{text.strip()}  // why", "", "// so", "}")])
        self.assertEqual(self.run_check()[0], 1)

    def test_includes_and_overriders_may_be_the_same(self):
        includes = [f"#include <header{k}>" for k in range(8)]
        members = [f"    void f{k}(int a,\n            int b) override;" for k in range(8)]
        self.add("src/base/one.hpp", [*includes, "class A {", *members, "};"])
        self.add("src/base/two.hpp", [*includes, "class B {", *members, "};"])
        self.assertEqual(self.run_check(), (0, ""))

    def test_the_tree_has_no_duplicates(self):
        self.root = ROOT
        self.assertEqual(self.run_check(), (0, ""))


if __name__ == "__main__":
    unittest.main()
