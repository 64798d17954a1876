# SPDX-License-Identifier: Apache-2.0
"""tests/tools/facts_test.py - the faults that tools/facts finds in a table, and what it writes.

A separate test, `tools/facts --check --mutate`, runs the tests and checks that they assert the
numbers of the table.
"""

import importlib.machinery
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load_tool():
    loader = importlib.machinery.SourceFileLoader("facts_tool", str(ROOT / "tools" / "facts"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("facts_tool", loader))
    loader.exec_module(module)
    return module


FACTS = load_tool()


def table(*numbers):
    row = {"id": "X1", "name": "x", "claim": "a | b", "numbers": list(numbers)}
    return [(pathlib.Path("x.json"), {"section": "X", "rows": [row]})]


class FactsTest(unittest.TestCase):
    def test_the_page_is_current(self):
        files = FACTS.read_files(FACTS.FOLDER)
        self.assertEqual(FACTS.faults_of(files), [])
        self.assertEqual((ROOT / "docs" / "facts.md").read_text(encoding="utf-8"),
                         FACTS.page_of(files))

    def test_faults_of_a_table_are_found(self):
        good = {"key": "a", "value": 1, "tests": ["s.t"]}
        self.assertEqual(FACTS.faults_of(table(good)), [])
        self.assertEqual(FACTS.faults_of(table()), ["x.json: X1 has no number"])
        self.assertEqual(FACTS.faults_of(table(good, good)), ["X1 / a: stands twice"])
        self.assertEqual(FACTS.faults_of(table({"key": "a", "tests": ["s.t"]})),
                         ["X1 / a: needs one of value, at_most, at_least"])
        self.assertEqual(FACTS.faults_of(table({"key": "a", "value": 1, "at_most": 1,
                                                "tests": ["s.t"]})),
                         ["X1 / a: needs one of value, at_most, at_least"])
        self.assertEqual(FACTS.faults_of(table({"key": "a", "value": 1, "tests": []})),
                         ["X1 / a: no test is named"])

    def test_bars_do_not_divide_cells(self):
        page = FACTS.page_of(table({"key": "a", "at_most": 1e-9, "tests": ["s.t"]}))
        self.assertIn("| X1 x | a \\| b | a: <= 1e-09 | `s.t` |", page)

    def test_a_changed_number_is_out_of_tolerance(self):
        self.assertGreater(FACTS.changed({"value": 2.0, "tolerance": 0.5})["value"], 2.5)
        self.assertNotEqual(FACTS.changed({"value": 0})["value"], 0)
        self.assertEqual(FACTS.changed({"value": True})["value"], False)
        self.assertEqual(FACTS.changed({"value": "a"})["value"], "ax")
        self.assertLess(FACTS.changed({"at_most": 1e-9})["at_most"], 0.0)
        self.assertTrue(all(entry > 1.5 for entry in
                            FACTS.changed({"value": [1.0, 2.0], "tolerance": 0.5})["value"]))

    def test_names_lose_instance_and_parameter(self):
        for name in ("Suite.name", "Solvers/Suite.name/smo", "Suite/0.name", "All/Suite/3.name"):
            self.assertEqual(FACTS.plain_name(name), "Suite.name")


if __name__ == "__main__":
    unittest.main()
