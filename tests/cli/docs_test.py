# SPDX-License-Identifier: Apache-2.0
"""tests/cli/docs_test.py - what the pages tell to type runs, and what they point to is there."""

import os
import pathlib
import re
import shlex
import subprocess
import unittest

from program import PROGRAM, ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md"]
MACHINES = ("svc", "hard-margin", "nu-svc", "one-class", "svr", "nu-svr", "l2-svc", "huber-svc",
            "ls-svc", "ordinal", "rank", "klr", "krr", "perceptron")
SOLVERS = ("smo", "decomposition")


class DocsTest(ProgramTest):
    def test_every_example_runs(self):
        ran = 0
        for page in sorted((ROOT / "docs" / "methods").glob("*.md")) + [ROOT / "README.md"]:
            folder = self.folder / f"{page.parent.name}-{page.stem}"
            folder.mkdir()
            for line in page.read_text().splitlines():
                if not line.startswith("    $ mercer "):
                    continue
                with self.subTest(page=page.name, line=line):
                    command = line.removeprefix("    $ mercer ")
                    done = subprocess.run(f"{shlex.quote(str(PROGRAM))} {command}", shell=True,
                                          cwd=folder, capture_output=True, text=True, timeout=120,
                                          env=dict(os.environ))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    ran += 1
        self.assertGreater(ran, 40)

    def test_every_machine_and_solver_has_a_page_with_the_same_parts(self):
        methods = ROOT / "docs" / "methods"
        index = (methods / "README.md").read_text()
        for name in MACHINES + SOLVERS:
            with self.subTest(name=name):
                self.assertIn(f"({name}.md)", index)
                text = (methods / f"{name}.md").read_text()
                self.assertIn(f"`{name}`", text)
        for name in MACHINES[:11] + SOLVERS:
            text = (methods / f"{name}.md").read_text().lower()
            with self.subTest(name=name):
                for part in ("minimise", "dual", "stop", "cost", "when not to use it",
                             "    $ mercer train"):
                    self.assertIn(part, text.replace("`min ", "minimise "))

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
                if "://" not in target:
                    with self.subTest(page=page.name, target=target):
                        self.assertTrue((page.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
