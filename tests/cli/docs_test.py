# SPDX-License-Identifier: Apache-2.0
"""tests/cli/docs_test.py - the commands on the pages run, and their links lead somewhere."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from program import PROGRAM, ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md"]
MACHINES = ("svc", "hard-margin", "nu-svc", "one-class", "svr", "nu-svr", "l2-svc", "huber-svc",
            "ls-svc", "ordinal", "rank", "klr", "krr", "perceptron")
SOLVERS = ("smo", "decomposition", "active-set", "interior-point", "dual-descent")
PROMPT = "    $ "


def load_tour():
    """tools/tour, which compares shown with printed lines; shared by this test."""
    loader = importlib.machinery.SourceFileLoader("tour", str(ROOT / "tools" / "tour"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tour", loader))
    sys.modules["tour"] = module  # its data classes look themselves up there
    loader.exec_module(module)
    return module


def shown_commands(page):
    """Each command of the page, and the lines shown below it."""
    commands = []
    for line in page.read_text().splitlines():
        if line.startswith(PROMPT):
            commands.append((line.removeprefix(PROMPT), []))
            open_block = True
        elif not line.startswith("    "):
            open_block = False
        elif commands and open_block:
            commands[-1][1].append(line[4:])
    return commands


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

    def test_the_readme_shows_what_is_printed(self):
        tour = load_tour()
        compared = 0
        for command, shown in shown_commands(ROOT / "README.md"):
            if not command.startswith("mercer "):
                continue
            done = subprocess.run(f"{shlex.quote(str(PROGRAM))} {command.removeprefix('mercer ')}",
                                  shell=True, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=120, check=True)
            printed = [tour.masked(line) for line in done.stdout.splitlines()]
            for line in shown:  # the page shows only part of the output
                with self.subTest(command=command, line=line):
                    self.assertTrue(any(tour.GOLDEN.lines_match([tour.masked(line)], [other], 0.05)
                                        for other in printed), done.stdout)
                compared += 1
        self.assertGreater(compared, 15)

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

    def test_the_cpp_example_of_the_pages_is_the_program_that_is_built_and_is_short(self):
        text = (ROOT / "examples" / "cpp" / "moons.cpp").read_text()
        program = text[text.index("#include"):]
        for page in (ROOT / "README.md", ROOT / "docs" / "howto" / "cpp.md"):
            with self.subTest(page=page.name):
                self.assertIn(f"```cpp\n{program}```\n", page.read_text())
        lines = [line for line in program.splitlines() if line and "mercer.hpp" not in line]
        self.assertLessEqual(len(lines), 15)

    def test_the_readme_begins_with_the_two_commands_and_a_picture(self):
        first_screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:25])
        for part in ("    make demo ", "    make test ", '<img src="docs/images/'):
            self.assertIn(part, first_screen)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if "://" not in target:
                    with self.subTest(page=page.name, target=target):
                        self.assertTrue((page.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
