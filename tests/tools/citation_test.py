# SPDX-License-Identifier: Apache-2.0
"""tests/tools/citation_test.py - CITATION.cff agrees with CMakeLists.txt."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def found(pattern, file):
    return re.search(pattern, (ROOT / file).read_text(), re.MULTILINE).group(1)


class Citation(unittest.TestCase):
    def test_the_version_is_that_of_the_project(self):
        self.assertEqual(found(r"^version: (\S+)$", "CITATION.cff"),
                         found(r"project\(Mercer VERSION (\S+)", "CMakeLists.txt"))


if __name__ == "__main__":
    unittest.main()
