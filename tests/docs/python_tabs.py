# SPDX-License-Identifier: Apache-2.0
"""tests/docs/python_tabs.py - runs the commands of a page and the corresponding Python, in order.

    python_tabs.py PAGE.md ...

The interpreter must have mercer, and MERCER_PROGRAM names the program. Commands write files that
the Python reads, so both run in one folder. Numbers are compared as in tools/tour.
"""

import contextlib
import doctest
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = re.compile(r"^<details><summary>In Python</summary>\n\n```pycon\n(.*?)^```\n\n^</details>$",
                    re.DOTALL | re.MULTILINE)


def load_tour():
    loader = importlib.machinery.SourceFileLoader("tour", str(ROOT / "tools" / "tour"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tour", loader))
    sys.modules["tour"] = module  # its data classes look themselves up there
    loader.exec_module(module)
    return module


TOUR = load_tour()


class NumberChecker(doctest.OutputChecker):
    """Treats numbers that agree to 1e-4 as equal, and `...` as any text."""

    def check_output(self, want, got, optionflags):
        return (super().check_output(want, got, optionflags)
                or TOUR.GOLDEN.lines_match(want.splitlines(), got.splitlines(), 1e-4))


def scripts_without_python(text):
    """The first line of each script without corresponding Python."""
    found = []
    for match in re.finditer(r"^```sh\n(.*?)^```\n", text, re.DOTALL | re.MULTILINE):
        rest = re.sub(r"\A\s*(?:<!--[^>]*-->\s*)*(?:```text\n.*?^```\n)?\s*(?:<!--[^>]*-->\s*)*", "",
                      text[match.end():], flags=re.DOTALL | re.MULTILINE)
        if not rest.startswith("<details><summary>In Python</summary>"):
            found.append(match[1].splitlines()[0])
    return found


def steps_of(text):
    """Scripts and Python examples of a page, by line."""
    scripts = [(block.line, block) for block in TOUR.blocks_of(text.splitlines())]
    examples = [(text[:match.start(1)].count("\n"), match[1]) for match in PYTHON.finditer(text)]
    return sorted(scripts + examples, key=lambda step: step[0])


def run_page(page, mercer):
    """Runs a page in its own folder. Returns the number of Python statements, and the faults."""
    text = Path(page).read_text(encoding="utf-8")
    runner = doctest.DocTestRunner(NumberChecker(), verbose=False,
                                   optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    names: dict = {}
    with tempfile.TemporaryDirectory(prefix="tabs-") as parent:
        folder = Path(parent, "lab")
        folder.mkdir()
        tools = TOUR.tools_folder(Path(parent), Path(mercer).resolve())
        with contextlib.chdir(folder):
            for line, step in steps_of(text):
                if isinstance(step, str):
                    test = doctest.DocTestParser().get_doctest(step, names, Path(page).name,
                                                               str(page), line)
                    runner.run(test, clear_globs=False)
                    names = test.globs
                else:
                    status, printed = TOUR.run_block(step, folder, tools)
                    if status != 0 or not TOUR.agrees(step, printed):
                        shown = "\n".join(printed)
                        raise RuntimeError(f"{page}:{line}: exit status {status}, printed\n{shown}")
    return runner.tries, runner.failures


def main():
    failures = 0
    for page in sys.argv[1:]:
        tries, failed = run_page(page, os.environ["MERCER_PROGRAM"])
        without = scripts_without_python(Path(page).read_text(encoding="utf-8"))
        print(f"{page}: {tries} statements, {failed} failed", *(f"no Python: {line}" for line in without),
              sep="\n    ")
        failures += failed
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
