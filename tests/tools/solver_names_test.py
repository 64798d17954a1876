# SPDX-License-Identifier: Apache-2.0
"""tests/tools/solver_names_test.py - names of solvers occur only in the list of solvers."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "src/solvers/solver_id.cpp"
# Words that also name something else: a machine, an open value, the two sides of a problem.
SHARED = {"auto", "perceptron", "primal", "dual"}
ROOMS = ("src/solvers", "src/fit", "src/search", "include/mercer/solvers", "include/mercer/fit",
         "include/mercer/search", "cli", "capi", "src/models", "src/formats")


def names():
    return set(re.findall(r'Word\{SolverId::\w+, "([a-z0-9-]+)"\}', LIST.read_text()))


def quoted(text, wanted):
    code = re.sub(r"//[^\n]*", "", text)
    code = re.sub(r'\.stage = "[^"]*"', "", code)  # what is in progress, for a progress line
    return {word for word in re.findall(r'"([a-z0-9-]+)"', code) if word in wanted}


class SolverNames(unittest.TestCase):
    def test_the_list_names_every_solver(self):
        self.assertGreaterEqual(len(names()), 15)
        self.assertIn("smo", names())

    def test_no_file_outside_the_list_names_a_solver(self):
        wanted = names() - SHARED
        for folder in ROOMS:
            for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
                if path == LIST:
                    continue
                place = path.relative_to(ROOT).as_posix()
                with self.subTest(file=place):
                    self.assertEqual(quoted(path.read_text(), wanted), set())

    def test_a_planted_name_is_found(self):
        self.assertEqual(quoted('if (solver == "smo") {  // not "lbfgs"', names()), {"smo"})


if __name__ == "__main__":
    unittest.main()
