#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_rooms.py - checks the source tree against ROOMS.toml.

    tools/check_rooms.py [--root FOLDER]

Prints `file:line: message` for each violation and exits with 1 when there is one. It reads text,
not a syntax tree: what it finds is certain enough to fail a build; what it misses is left to review.
"""

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from cpp_source import line_of, strip_all, strip_comments

CPP = {".cpp", ".hpp", ".h", ".cu", ".cuh"}
LICENSED = CPP | {".py", ".cmake", ".toml", ".sh"}
LICENSED_FOLDERS = ("include", "src", "cli", "python", "tests", "bench", "examples", "tools", "cmake", ".ci")
SPDX = "SPDX-License-Identifier: Apache-2.0"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b([^\n]*)", re.MULTILINE)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!(?:\([^)]*\))?:?[ \t]+\S+[ \t]+\S+[ \t]+\S)")
STATIC = re.compile(
    r"^[ \t]*(?:inline[ \t]+)?(?:static|thread_local)\b(?![^;={(\n]*\b(?:const|constexpr|constinit)\b)"
    r"[^;={(\n]*[;={]", re.MULTILINE)
GLOBAL = re.compile(
    r"^(?!using|namespace|class|struct|enum|union|typedef|return|extern|template|friend|const|"
    r"inline|static|public|private|protected|goto|case|default|else|do\b|try\b|#|\})"
    r"[A-Za-z_][\w:]*(?:<[^;(){}]*>)?(?:[ \t]*[*&])*[ \t]+[*&]?\w+(?:\[[^\]]*\])?[ \t]*"
    r"(?:;|=[^=]|\{)(?![^\n]*\)[ \t]*\{)", re.MULTILINE)


@dataclass
class Allowed:
    """What one file may use: the rights of its room together with its own grants."""

    headers: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    conditional: list[str] = field(default_factory=list)


class Checker:
    def __init__(self, root: Path):
        self.root = root
        with open(root / "ROOMS.toml", "rb") as file:
            self.plan = tomllib.load(file)
        self.rooms = self.plan["room"]
        self.tokens = {name: (re.compile(rule["pattern"]), rule)
                       for name, rule in self.plan["token"].items()}
        self.problems: list[tuple[str, int, str]] = []

    def report(self, path: str, line: int, message: str) -> None:
        self.problems.append((path, line, message))

    def check_plan(self) -> None:
        for name, room in self.rooms.items():
            for other in room.get("rooms", []):
                if other not in self.rooms:
                    self.report("ROOMS.toml", 1, f"{name} lists {other}, which is no room")
                elif self.rooms[other]["level"] >= room["level"]:
                    self.report("ROOMS.toml", 1, f"{name} may not list {other}: not a lower level")

    def room_of(self, path: str) -> str | None:
        parts = path.split("/")
        if parts[:2] == ["include", "mercer"] and len(parts) > 3:
            return parts[2]
        if parts[0] == "src" and len(parts) > 2:
            return parts[1]
        return parts[0] if self.rooms.get(parts[0], {}).get("door") else None

    def allowed(self, path: str, room: str) -> Allowed:
        rights = Allowed(headers=list(self.rooms[room].get("headers", [])))
        if self.rooms[room].get("door"):
            rights.tokens |= {name for name, (_, rule) in self.tokens.items() if rule["doors"]}
            rights.tokens.add("static")
            rights.conditional.append("")
        for grant in self.plan.get("grant", []):
            if path.startswith(grant["path"]):
                rights.headers += grant.get("headers", [])
                rights.tokens |= set(grant.get("tokens", []))
                rights.conditional += grant.get("conditional", [])
        return rights

    def check_include(self, path: str, room: str, rights: Allowed, line: int, name: str) -> None:
        parts = name.split("/")
        if parts[0] == "mercer" and len(parts) > 2:
            other = parts[1]
            if other not in self.rooms:
                self.report(path, line, f"{name}: {other} is no room")
            elif other != room and other not in self.rooms[room].get("rooms", []):
                levels = self.rooms[room]["level"], self.rooms[other]["level"]
                why = "an upward edge" if levels[1] >= levels[0] else "not among its rooms"
                self.report(path, line, f"{room} may not include {name}: {why}")
            elif name in self.rooms[room].get("without", []):
                self.report(path, line, f"{room} may not include {name}: it is left out for it")
            return
        if parts[0] in self.rooms and len(parts) > 1:
            if parts[0] != room:
                self.report(path, line, f"{name} is private to {parts[0]}")
            elif path.startswith("include/"):
                self.report(path, line, f"a public header may not include the private {name}")
            return
        if (self.root / path).parent.joinpath(name).is_file():
            target = (self.root / path).parent.joinpath(name).resolve().relative_to(self.root)
            if self.room_of(target.as_posix()) != room:
                self.report(path, line, f"{name} is private to another room")
            return
        if name in self.plan["standard"]:
            if room not in self.plan["standard"][name]:
                self.report(path, line, f"<{name}> is not for {room}")
            return
        if "/" not in name and "." not in name:
            return  # any other standard header
        if not any(name == h or (h.endswith("/") and name.startswith(h)) for h in rights.headers):
            self.report(path, line, f"<{name}> is not for {room}")

    def check_source(self, path: str, room: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        rights = self.allowed(path, room)
        with_strings = strip_comments(text)
        code = strip_all(text)
        for match in INCLUDE.finditer(with_strings):
            self.check_include(path, room, rights, line_of(text, match.start(2)), match[2])
        for name, (pattern, rule) in self.tokens.items():
            if name not in rights.tokens:
                for match in pattern.finditer(code):
                    self.report(path, line_of(text, match.start()),
                                f"{match[0].strip(' (')}: {rule['message']}")
        for match in CONDITION.finditer(code):
            words = re.findall(r"[A-Za-z_]\w*", match[1])
            if not words or not all(any(re.search(p, w) for p in rights.conditional)
                                    for w in words):
                self.report(path, line_of(text, match.start()),
                            f"{match[0].strip()}: {self.plan['conditional']['message']}")
        if "static" not in rights.tokens:
            for pattern in (STATIC, GLOBAL):
                for match in pattern.finditer(code):
                    self.report(path, line_of(text, match.start()),
                                f"{match[0].strip(' ={;')}: no mutable static or global state")
        for match in UNFINISHED.finditer(text):
            self.report(path, line_of(text, match.start()), f"{match[1]} without a reason")

    def check_heading(self, path: str, stated: str) -> None:
        """The comment `path - one sentence` near the top, with the file's own path."""
        lines = (self.root / path).read_text(encoding="utf-8", errors="replace").split("\n")[:6]
        for number, line in enumerate(lines, start=1):
            match = re.match(r'(?://|#|""")\s*(\S+) - \S', line)
            if match:
                if match[1] != stated:
                    self.report(path, number, f"the heading names {match[1]}, not {stated}")
                return
        self.report(path, 1, f"no heading `{stated} - one sentence`")

    def check_license(self, path: str) -> None:
        lines = (self.root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        place = 1 if lines[0].startswith("#!") else 0
        if len(lines) <= place or SPDX not in lines[place]:
            self.report(path, place + 1, "no SPDX line")

    def run(self) -> int:
        self.check_plan()
        for folder in LICENSED_FOLDERS:
            for file in sorted((self.root / folder).rglob("*")):
                path = file.relative_to(self.root).as_posix()
                if not file.is_file() or "__pycache__" in path:
                    continue
                if file.suffix in LICENSED or file.name == "CMakeLists.txt":
                    self.check_license(path)
                if file.suffix not in CPP:
                    continue
                room = self.room_of(path)
                if room is not None and room not in self.rooms:
                    self.report(path, 1, f"{room} is no room")
                elif room is not None:
                    self.check_source(path, room)
                    self.check_heading(path, path.removeprefix("include/"))
        for path, line, message in sorted(set(self.problems)):
            print(f"{path}:{line}: {message}")
        return 1 if self.problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="check the tree against ROOMS.toml")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    return Checker(parser.parse_args().root.resolve()).run()


if __name__ == "__main__":
    sys.exit(main())
