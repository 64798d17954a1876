# SPDX-License-Identifier: Apache-2.0
"""tests/tools/facts_test.py - every fact of docs/facts-*.md names a test that is in the tree."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 3  # fact, numbers, test
MACRO = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


def named_tests(root):
    """`Suite.name` of every GoogleTest in the tree."""
    return {f"{suite}.{name}" for file in sorted((root / "tests").rglob("*.cpp"))
            for suite, name in MACRO.findall(file.read_text(encoding="utf-8"))}


def rows_of(text):
    """(line number, cells) of every line of a table; bars behind a backslash do not divide."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            yield number, cells


def faults_of(page, text, tests, root):
    """What is wrong with a page, one line each; and how many facts it has."""
    faults, facts = [], 0
    for number, cells in rows_of(text):
        where = f"{page}:{number}"
        head = cells[0] == "fact" and cells[-1] == "test"
        if head or all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            continue
        if len(cells) != COLUMNS:
            faults.append(f"{where}: {len(cells)} columns, must be {COLUMNS}")
            continue
        facts += 1
        names = re.findall(r"`([^`]+)`", cells[2])
        if not cells[0] or not names:
            faults.append(f"{where}: a fact needs words and a test")
        for name in names:
            known = (root / name).is_file() if "/" in name else name in tests
            if not known:
                faults.append(f"{where}: there is no test {name}")
    return faults, facts


class FactsTest(unittest.TestCase):
    def test_every_named_test_is_there(self):
        pages = sorted((ROOT / "docs").glob("facts-*.md"))
        self.assertTrue(pages)
        tests = named_tests(ROOT)
        self.assertGreater(len(tests), 500)
        for page in pages:
            with self.subTest(page=page.name):
                faults, facts = faults_of(page.name, page.read_text(encoding="utf-8"), tests, ROOT)
                self.assertEqual(faults, [])
                self.assertGreater(facts, 0)

    def test_what_is_missing_is_found(self):
        tests = {"a.b"}
        good = "| fact | number(s) | test |\n|---|---|---|\n| x | \\|1\\| | `a.b` |\n"
        self.assertEqual(faults_of("p", good, tests, ROOT), ([], 1))
        self.assertEqual(faults_of("p", good + "| y | 2 | `a.b`, `a.c` |\n", tests, ROOT),
                         (["p:4: there is no test a.c"], 2))
        self.assertEqual(faults_of("p", "| y | 2 | `tests/no.py` |\n", tests, ROOT),
                         (["p:1: there is no test tests/no.py"], 1))
        self.assertEqual(faults_of("p", "| y | 2 |\n", tests, ROOT),
                         (["p:1: 2 columns, must be 3"], 0))
        self.assertEqual(faults_of("p", "| y | 2 | none |\n", tests, ROOT),
                         (["p:1: a fact needs words and a test"], 1))
        here = "| y | 2 | `tests/tools/facts_test.py` |\n"
        self.assertEqual(faults_of("p", here, tests, ROOT), ([], 1))


if __name__ == "__main__":
    unittest.main()
