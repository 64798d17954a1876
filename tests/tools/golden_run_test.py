# SPDX-License-Identifier: Apache-2.0
"""tests/tools/golden_run_test.py - the golden runner accepts what it should and nothing else."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests/golden/run.py"


class GoldenRunner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.script = self.folder / "script.golden"
        self.mercer = self.folder / "mercer"  # a stand-in: prints its arguments
        self.mercer.write_text('#!/bin/sh\nprintf "%s\\n" "$*"\n')
        self.mercer.chmod(0o755)

    def run_script(self, text, *options):
        self.script.write_text(text)
        command = [sys.executable, str(RUNNER), "--mercer", str(self.mercer), *options,
                   str(self.script)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def accepts(self, text):
        result = self.run_script(text)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def refuses(self, text, message=""):
        result = self.run_script(text)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(message, result.stdout)

    def test_equal_output_is_accepted_and_other_output_refused(self):
        self.accepts("# a comment\n\n$ mercer kernel show linear\nkernel show linear\n\n")
        self.refuses("$ mercer a\nb\n", "script.golden:1: $ mercer a")

    def test_missing_and_additional_lines_are_refused(self):
        self.refuses("$ echo a; echo b\na\n")
        self.refuses("$ echo a\na\nb\n")
        self.refuses("$ echo a\n")

    def test_the_status_is_compared(self):
        self.accepts("$ exit 3\n? 3\n")
        self.refuses("$ exit 3\n")
        self.refuses("$ true\n? 3\n")

    def test_standard_error_is_compared(self):
        self.accepts("$ echo oops >&2; exit 2\n! oops\n? 2\n")
        self.refuses("$ echo oops >&2\n")
        self.refuses("$ echo oops >&2\n! other\n")

    def test_numbers_within_the_tolerance_are_accepted(self):
        self.accepts("$ echo x=0.12345678901 y -1.5e-3\nx=0.12345678902 y -0.0015\n")
        self.refuses("$ echo x=0.1234\nx=0.1235\n")
        self.accepts("# tolerance: 1e-2\n$ echo 0.1234 1e5\n0.1235 100010.0\n")
        self.refuses("$ echo nan\n0.5\n")

    def test_counts_are_exact(self):
        self.accepts("# tolerance: 0.5\n$ echo 270 rows\n270 rows\n")
        self.refuses("# tolerance: 0.5\n$ echo 271 rows\n270 rows\n")
        self.refuses("# tolerance: 0.5\n$ echo 270.1 rows\n270 rows\n")

    def test_wildcards_match_any_text(self):
        self.accepts("$ echo speed 17 GFLOP/s\nspeed ... GFLOP/s\n")
        self.accepts("$ seq 5\n1\n...\n5\n")
        self.accepts("$ seq 2\n1\n...\n2\n")
        self.refuses("$ seq 5\n1\n...\n6\n")

    def test_runs_of_blanks_are_equal(self):
        self.accepts("$ printf 'a    b\\n'\na b\n")
        self.refuses("$ printf 'ab\\n'\na b\n")

    def test_here_documents_and_a_shared_folder_work(self):
        self.accepts("$ cat > f <<'END'\n> 1,2\n>\n> END\n$ cat f\n1,2\n")

    def test_escaped_output_is_accepted(self):
        self.accepts("$ echo '$ x'\n\\$ x\n")

    def test_an_invalid_script_is_refused(self):
        self.assertNotEqual(self.run_script("hello\n").returncode, 0)

    def test_update_rewrites_what_differs(self):
        result = self.run_script("# top\n\n$ echo a\na\n\n$ echo '$b' >&2; exit 4\nc\n", "--update")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.script.read_text(),
                         "# top\n\n$ echo a\na\n\n$ echo '$b' >&2; exit 4\n! $b\n? 4\n")
        self.assertEqual(self.run_script(self.script.read_text()).returncode, 0)


if __name__ == "__main__":
    unittest.main()
