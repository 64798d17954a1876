#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_duplicates.py - fails when a run of six or more equal lines occurs twice in src.

    tools/check_duplicates.py [--root FOLDER]

Lines are compared without their indentation. Blank lines, comments, includes, lines that only close
brackets and declarations of overriding functions, which necessarily repeat an interface, do not
count and do not end a run.
"""

import argparse
import re
import sys
from pathlib import Path

from cpp_source import strip_comments

FOLDER = "src"
RUN = 6
STATEMENT = re.compile(r"[^;{}]+[;{}]?")
OVERRIDER = re.compile(r"\boverride\s*;$")
IGNORED = re.compile(r"#\s*include\b.*|[\])};,\s]*|(?:\}\s*)?namespace\b.*")


def lines_of(text: str) -> list[tuple[int, str]]:
    """The lines that count, each with its number."""
    code = STATEMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0])
                         if OVERRIDER.search(match[0]) else match[0], strip_comments(text))
    numbered = enumerate(code.split("\n"), start=1)
    stripped = ((number, " ".join(line.split())) for number, line in numbered)
    return [(number, line) for number, line in stripped if not IGNORED.fullmatch(line)]


def duplicates(files: dict[str, list[tuple[int, str]]]):
    """Yields (path, first line, other path, its first line, lines) of every longest run."""
    seen: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for path, lines in files.items():
        for start in range(len(lines) - RUN + 1):
            key = tuple(line for _, line in lines[start:start + RUN])
            for other, first in seen.get(key, []):
                if other == path and first + RUN > start:
                    continue  # a run that overlaps itself
                before = files[other][first - 1][1] if first > 0 else None
                if start > 0 and lines[start - 1][1] == before:
                    continue  # part of a run that was reported
                length = RUN
                while (start + length < len(lines) and first + length < len(files[other])
                       and lines[start + length][1] == files[other][first + length][1]):
                    length += 1
                yield path, lines[start][0], other, files[other][first][0], length
            seen.setdefault(key, []).append((path, start))


def main() -> int:
    parser = argparse.ArgumentParser(description="find runs of equal lines")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    files = {file.relative_to(root).as_posix(): lines_of(file.read_text(encoding="utf-8"))
             for file in sorted((root / FOLDER).rglob("*")) if file.suffix in {".cpp", ".hpp"}}
    found = list(duplicates(files))
    for path, line, other, first, length in found:
        print(f"{path}:{line}: {length} lines as in {other}:{first}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
