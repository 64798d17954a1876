# SPDX-License-Identifier: Apache-2.0
"""tests/cli/facts.py - asserts the numbers of the table of facts.

The Python side of tests/support/facts.hpp: same table, same log.
"""

import json
import os
import pathlib

FOLDER = pathlib.Path(os.environ.get("MERCER_FACTS",
                                     pathlib.Path(__file__).resolve().parents[1] / "facts"))


def read_table():
    """Every number of every file, by (id, key)."""
    return {(row["id"], number["key"]): number
            for file in sorted(FOLDER.glob("*.json"))
            for row in json.loads(file.read_text(encoding="utf-8"))["rows"]
            for number in row["numbers"]}


def holds(number, actual):
    if isinstance(actual, bool) or isinstance(actual, str) or "value" in number and \
            isinstance(number["value"], (bool, str)):
        return type(number.get("value")) is type(actual) and number["value"] == actual
    if "at_most" in number:
        return actual <= number["at_most"]
    if "at_least" in number:
        return actual >= number["at_least"]
    wanted, tolerance = number["value"], number.get("tolerance", 0.0)
    if isinstance(wanted, list) or isinstance(actual, (list, tuple)):
        return (isinstance(wanted, list) and len(wanted) == len(actual)
                and all(abs(a - w) <= tolerance for a, w in zip(actual, wanted)))
    return abs(actual - wanted) <= tolerance


class FactsMixin:
    """For unittest.TestCase: `self.expect_fact(id, key, actual)`; a failure does not end the test."""

    def expect_fact(self, fact, key, actual):
        with self.subTest(fact=fact, key=key):
            number = read_table().get((fact, key))
            good = number is not None and holds(number, actual)
            if path := os.environ.get("MERCER_FACTS_LOG"):
                test = ".".join(self.id().split(".")[-2:])
                with open(path, "a", encoding="utf-8") as log:
                    log.write(json.dumps({"id": fact, "key": key, "test": test,
                                          "holds": good}) + "\n")
            self.assertIsNotNone(number, f"the table of facts has no {fact} / {key}")
            self.assertTrue(good, f"{fact} / {key}: got {actual}, the table has {number}")
