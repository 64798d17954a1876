# SPDX-License-Identifier: Apache-2.0
"""tests/tools/machine_names_test.py - names of machines occur only in the table of machines."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/fit/machines.cpp"
# Words that also name something else: a kernel, a loss, a generator, a rank of a matrix.
SHARED = {"perceptron", "ordinal", "rank", "ridge", "polynomial", "logistic"}
ALLOWED = {
    "include/mercer/fit/train_options.hpp": {"svc"},  # the default machine
    "include/mercer/models/model.hpp": {"one-class"},  # stored in model files
}
FORMATS = ("src/formats/libsvm_",)


def names():
    return set(re.findall(r'\.name = "([a-z0-9-]+)"', TABLE.read_text())) | {"one-class"}


def quoted(text, wanted):
    code = re.sub(r"//[^\n]*", "", text)
    return {word for word in re.findall(r'"([a-z0-9-]+)"', code) if word in wanted}


class MachineNames(unittest.TestCase):
    def test_the_table_names_every_machine(self):
        self.assertGreaterEqual(len(names()), 15)
        self.assertIn("svc", names())

    def test_no_file_outside_the_table_names_a_machine(self):
        wanted = names() - SHARED
        for folder in ("src", "include", "cli", "capi"):
            for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
                place = path.relative_to(ROOT).as_posix()
                if path == TABLE or place.startswith(FORMATS):
                    continue
                with self.subTest(file=place):
                    self.assertEqual(quoted(path.read_text(), wanted) - ALLOWED.get(place, set()),
                                     set())

    def test_a_planted_name_is_found(self):
        self.assertEqual(quoted('if (model == "krr") {  // not "svr"', names()), {"krr"})


if __name__ == "__main__":
    unittest.main()
