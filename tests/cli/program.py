# SPDX-License-Identifier: Apache-2.0
"""tests/cli/program.py - runs the program under test and examines everything it leaves behind."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import dataclass

from facts import FactsMixin

PROGRAM = os.environ.get("MERCER_PROGRAM", "mercer")


@dataclass
class Outcome:
    """How a run ended."""

    status: int
    out: str
    err: str
    peak_bytes: int = 0

    def json(self):
        return json.loads(self.out)


class ProgramTest(FactsMixin, unittest.TestCase):
    """A test with its own folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mercer-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.path(name)

    def run_program(self, *arguments, environment=None, **options):
        """Runs to the end, with text on both streams."""
        variables = dict(os.environ) | (environment or {})
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, env=variables, **({"timeout": 120} | options))
        return Outcome(done.returncode, done.stdout, done.stderr)

    def run_measured(self, *arguments):
        """Runs to the end and reports the highest resident set, from wait4."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=out, stderr=err,
                                       cwd=self.folder)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            return Outcome(process.returncode, out.read().decode(), err.read().decode(),
                           usage.ru_maxrss * 1024)

    @staticmethod
    def read_terminal(terminal, process):
        """All bytes that reach a terminal until the process, its only writer, has ended."""
        seen = b""
        while True:
            try:
                block = os.read(terminal, 4096)
            except OSError:  # Linux signals the end of a terminal this way
                break
            if not block:
                break
            seen += block
        os.close(terminal)
        process.wait(timeout=60)
        return seen

    def expect(self, outcome, status):
        self.assertEqual(outcome.status, status, outcome.err + outcome.out)
        return outcome

    def make_data(self, name, generator="blobs", **options):
        words = [word for key, value in options.items() for word in (f"--{key}", value)]
        self.expect(self.run_program("data", "make", generator, *words, "-o", name), 0)
        return self.path(name)

    def leftovers(self, *known):
        """Files in the folder other than the known ones."""
        return sorted(entry.name for entry in self.folder.iterdir() if entry.name not in known)
