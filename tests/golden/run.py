#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/golden/run.py - runs a text script through the command line and compares what it prints.

    run.py --mercer build/bin/mercer [--update] SCRIPT.golden ...

README.md beside this file describes the format. --update rewrites, in place, the blocks that no
longer match; read the difference before you commit it.
"""

import argparse
import difflib
import math
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|nan|inf)(?![\w])(?!\.\d)")
NUMBER_PATTERN = r"([-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|nan|inf))"
TOLERANCE = re.compile(r"#\s*tolerance:\s*(\S+)")
ANYTHING = "..."


@dataclass
class Block:
    """One command with its expected output, and its lines in the script."""

    line: int
    command: str
    tolerance: float
    source: list[str] = field(default_factory=list)
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    status: int = 0


def parse(text: str) -> list[Block | str]:
    """The script as blocks; comments and empty lines between blocks stay plain strings."""
    items: list[Block | str] = []
    block: Block | None = None
    tolerance = 1e-9
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("$ "):
            block = Block(number, line[2:], tolerance, source=[line])
            items.append(block)
        elif line.startswith("#") or (block is None and not line.strip()):
            if match := TOLERANCE.match(line):
                tolerance = float(match[1])
            items.append(line)
            block = None
        elif block is None:
            raise ValueError(f"{number}: expected `$ command` or a comment, got: {line}")
        elif line.startswith("> ") or line == ">":
            if block.stdout or block.stderr:
                raise ValueError(f"{number}: a `>` line must follow its `$` line")
            block.command += "\n" + line[2:]
            block.source.append(line)
        elif line.startswith("! ") or line == "!":
            block.stderr.append(line[2:])
        elif re.fullmatch(r"\? \d+", line):
            block.status = int(line[2:])
        else:
            block.stdout.append(line.removeprefix("\\"))
    for item in items:
        if isinstance(item, Block):
            while item.stdout and not item.stdout[-1].strip():
                item.stdout.pop()  # an empty line before the next command is for the reader
    return items


def numbers_agree(expected: str, actual: str, tolerance: float) -> bool:
    if re.fullmatch(r"[-+]?\d+", expected):
        return re.fullmatch(r"[-+]?\d+", actual) is not None and int(expected) == int(actual)
    a, b = float(expected), float(actual)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def line_matches(expected: str, actual: str, tolerance: float) -> bool:
    pattern = ""
    wanted = []
    for piece in re.split(r"(\.\.\.)", expected.strip()):
        if piece == ANYTHING:
            pattern += ".*?"
            continue
        position = 0
        for match in NUMBER.finditer(piece):
            pattern += literal(piece[position:match.start()]) + NUMBER_PATTERN
            wanted.append(match[0])
            position = match.end()
        pattern += literal(piece[position:])
    found = re.fullmatch(pattern, actual.strip())
    return found is not None and all(
        numbers_agree(e, a, tolerance) for e, a in zip(wanted, found.groups()))


def literal(text: str) -> str:
    return re.sub(r"(?:\\?[ \t])+", r"[ \\t]+", re.escape(text))


def lines_match(expected: list[str], actual: list[str], tolerance: float) -> bool:
    """Matches line by line; a line `...` matches any lines, also none."""
    if not expected:
        return not actual
    if expected[0].strip() == ANYTHING:
        return any(lines_match(expected[1:], actual[skip:], tolerance)
                   for skip in range(len(actual) + 1))
    return (bool(actual) and line_matches(expected[0], actual[0], tolerance)
            and lines_match(expected[1:], actual[1:], tolerance))


def environment(mercer: Path, folder: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("MERCER_", "LC_")) and name not in {"LANG", "NO_COLOR"}}
    return kept | {"PATH": f"{mercer.parent}:{kept.get('PATH', '')}", "LC_ALL": "C.UTF-8",
                   "COLUMNS": "100", "TERM": "dumb", "HOME": folder}


def output_lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", errors="backslashreplace").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def run_block(block: Block, mercer: Path, folder: str) -> tuple[int, list[str], list[str]]:
    done = subprocess.run(["bash", "-c", block.command], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, env=environment(mercer, folder), timeout=120,
                          check=False)
    return done.returncode, output_lines(done.stdout), output_lines(done.stderr)


def rendered(source: list[str], stdout: list[str], stderr: list[str], status: int) -> list[str]:
    special = re.compile(r"[$>!#\\]|\? \d")
    lines = source + ["\\" + line if special.match(line) else line for line in stdout]
    lines += [f"! {line}".rstrip() for line in stderr]
    return lines + ([f"? {status}"] if status else [])


def run_script(script: Path, mercer: Path, update: bool) -> bool:
    items = parse(script.read_text(encoding="utf-8"))
    good = True
    result: list[str] = []
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        for item in items:
            if isinstance(item, str):
                result.append(item)
                continue
            status, stdout, stderr = run_block(item, mercer, folder)
            agrees = (status == item.status and lines_match(item.stdout, stdout, item.tolerance)
                      and lines_match(item.stderr, stderr, item.tolerance))
            wanted = rendered(item.source, item.stdout, item.stderr, item.status)
            got = rendered(item.source, stdout, stderr, status)
            if not agrees:
                good = False
                print(f"{script}:{item.line}: $ {item.command}")
                print("\n".join(difflib.unified_diff(wanted, got, "expected", "printed",
                                                     lineterm="")))
            result += wanted if agrees else got
            result.append("")
    if update and not good:
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(result)).rstrip("\n") + "\n"
        script.write_text(text, encoding="utf-8")
        print(f"{script}: updated")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="run golden scripts")
    parser.add_argument("--mercer", type=Path, required=True, help="the program under test")
    parser.add_argument("--update", action="store_true", help="rewrite what does not match")
    parser.add_argument("scripts", type=Path, nargs="+")
    arguments = parser.parse_args()
    good = [run_script(script, arguments.mercer.resolve(), arguments.update)
            for script in arguments.scripts]
    return 0 if all(good) or arguments.update else 1


if __name__ == "__main__":
    sys.exit(main())
