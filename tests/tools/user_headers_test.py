# SPDX-License-Identifier: Apache-2.0
"""tests/tools/user_headers_test.py - the installed headers are those mercer.hpp reaches, and few."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "user_headers"


def run(*words):
    return subprocess.run([sys.executable, str(TOOL), *map(str, words)], capture_output=True,
                          text=True, timeout=60)


class UserHeadersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.include = pathlib.Path(folder.name) / "include"
        self.installed = pathlib.Path(folder.name) / "installed"
        for name, text in {"mercer.hpp": '#include "mercer/a/one.hpp"\n#include <vector>\n',
                           "a/one.hpp": '#include "mercer/b/two.hpp"\n',
                           "b/two.hpp": '// #include "mercer/b/inner.hpp"\n',
                           "b/inner.hpp": ""}.items():
            self.put(self.include, name, text)
        for name in ("mercer.hpp", "a/one.hpp", "b/two.hpp"):
            self.put(self.installed, name, (self.include / "mercer" / name).read_text())

    @staticmethod
    def put(folder, name, text):
        file = folder / "mercer" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def compare(self):
        return run("--include", self.include, "--same-as", self.installed)

    def test_the_headers_are_followed_through_each_other(self):
        done = run("--include", self.include)
        self.assertEqual(done.stdout.splitlines(),
                         ["mercer/a/one.hpp", "mercer/b/two.hpp  by mercer/a/one.hpp",
                          "mercer/mercer.hpp",
                          "3 of 4: mercer/mercer.hpp, 1 that it names, 1 that these need"])
        self.assertEqual(self.compare().returncode, 0)

    def test_a_missing_a_needless_and_a_changed_header_are_named(self):
        (self.installed / "mercer/b/two.hpp").unlink()
        self.put(self.installed, "b/inner.hpp", "")
        self.put(self.installed, "a/one.hpp", "// old\n")
        done = self.compare()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines(),
                         ["mercer/b/two.hpp: is missing",
                          "mercer/b/inner.hpp: is not reached from mercer/mercer.hpp",
                          "mercer/a/one.hpp: differs"])

    def test_a_user_has_no_more_than_twenty_one_headers_to_know(self):
        last = run().stdout.splitlines()[-1]
        named = int(last.split(", ")[1].split()[0])
        self.assertLessEqual(named + 1, 22, last)
        self.assertLessEqual(int(last.split()[0]), 63, last)

    def test_no_room_includes_the_front_door(self):
        for folder in ("include", "src", "cli", "capi"):
            for file in (ROOT / folder).rglob("*.[hc]pp"):
                self.assertNotIn('#include "mercer/mercer.hpp"', file.read_text(), file)


if __name__ == "__main__":
    unittest.main()
