#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_sizes.py - fails on files, classes, functions and parameter lists that are too long.

    tools/check_sizes.py [--root FOLDER] [--list | --summary]

Limits: 250 lines for a header, 800 for a .cpp, 350 for a class, 100 for a function, 6 parameters, 12
fields for a struct of options or choices; at most 30 functions of the whole tree have more than 40
lines. Exceptions are listed, each with its reason, in tools/size_exceptions.toml. Functions are found
by matching braces; lambdas count as part of the function they are in. The lines of a class are those
of its body and of its members that are defined outside of it, in the same file or another one of its
room.
"""

import argparse
import math
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

from cpp_source import line_of, strip_all

FOLDERS = ("include", "src", "cli", "capi", "python")
FUNCTION_AIM = 40
LONG_FUNCTIONS = 30
HEADER_LINES = 250
SOURCE_LINES = 800
CLASS_LINES = 350
FUNCTION_LINES = 100
PARAMETERS = 6
OPTION_FIELDS = 12

DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
TYPE_HEAD = re.compile(r"\b(class|struct|union|enum)\b")
SCOPE_HEAD = re.compile(r'\bnamespace\b|\bextern\s*""?')
CLASS_HEAD = re.compile(r"\b(?:class|struct|union)\s+(?:\[\[[^\]]*\]\]\s*)?([A-Za-z_][\w:]*)"
                        r"(?:\s*<[^{};()]*>)?(?:\s+final)?(?:\s*:(?!:)[^{};()]*)?\s*\{")
OPTIONS_NAME = re.compile(r"(Options|Choices|Parameters)$")
NOT_A_FIELD = re.compile(r"\s*(static|using|friend|template|public|private|protected)\b")
NOT_A_NAME = {"decltype", "noexcept", "alignas", "requires", "sizeof", "if", "for", "while",
              "switch", "catch", "return", "defined", "__attribute__", "explicit"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


def matching(code: str, start: int) -> int:
    """The position of the bracket that closes the one at `start`, or the end of the text."""
    depth = 0
    opening, closing = code[start], PAIRS[code[start]]
    for position in range(start, len(code)):
        if code[position] == opening:
            depth += 1
        elif code[position] == closing:
            depth -= 1
            if depth == 0:
                return position
    return len(code)


def skip_angles(text: str, start: int) -> int:
    """The position after the <...> that opens at `start`."""
    depth = 0
    position = start
    while position < len(text):
        if text[position] in "([{":
            position = matching(text, position)
        elif text[position] == "<":
            depth += 1
        elif text[position] == ">" and text[position - 1] != "-":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return position


def parameter_list(head: str) -> tuple[str, str] | None:
    """The name and the text between the parentheses of a function's head, if it is one."""
    head = head.strip()
    while head.startswith("template"):
        angle = head.find("<")
        if angle < 0:
            return None
        head = head[skip_angles(head, angle):].strip()
    position = 0
    while position < len(head):
        character = head[position]
        if character == "[":
            position = matching(head, position)
        elif character == "=" and not re.search(r"operator\s*[=!<>+\-*/%^&|]*$", head[:position]):
            return None  # an initialiser: no parameter list follows
        elif character == "(":
            close = matching(head, position)
            before = head[:position].rstrip()
            operator = re.search(r"operator\s*(\(\s*\)|\[\s*\]|[^\w\s]+)$", before)
            name = operator or re.search(r"[A-Za-z_~][\w:~]*$", before)
            is_call_operator = re.search(r"operator$", before) and not head[position + 1:close].strip()
            if name and name[0] not in NOT_A_NAME and not is_call_operator:
                return name[0], head[position + 1:close]
            position = close
        position += 1
    return None


def count_parameters(text: str) -> int:
    if not text.strip() or text.strip() == "void":
        return 0
    count = 1
    position = 0
    while position < len(text):
        character = text[position]
        if character in "([{":
            position = matching(text, position)
        elif character == "<" and re.search(r"\w\s*$", text[:position]):
            position = skip_angles(text, position) - 1
        elif character == ",":
            count += 1
        position += 1
    return count


def opens_member(head: str) -> bool:
    """True when the brace after `head` initialises a member: Name(...) : member{."""
    listed = re.search(r"\)[^()]*?(?<!:):(?!:)", head)
    return bool(listed) and bool(re.search(r"[\w>]\s*$", head))


def functions(code: str):
    """Yields (name, parameters, first position, last position) of functions and declarations."""
    code = DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), code)
    start = position = 0
    while position < len(code):
        character = code[position]
        if character in "([":
            position = matching(code, position)
        elif character in ";}":
            found = parameter_list(code[start:position]) if character == ";" else None
            if found:
                first = start + len(code[start:position]) - len(code[start:position].lstrip())
                yield found[0], count_parameters(found[1]), first, first
            start = position + 1
        elif character == ":" and re.search(r"(public|private|protected)\s*$", code[start:position]):
            start = position + 1
        elif character == "{":
            head = code[start:position]
            plain = re.sub(r"\btemplate\s*<[^{]*?>(?=\s)", "", head)
            found = parameter_list(head)
            if SCOPE_HEAD.search(head) or (TYPE_HEAD.search(plain) and not found):
                start = position + 1
            elif found and not opens_member(head):
                close = matching(code, position)
                first = start + len(head) - len(head.lstrip())
                yield found[0], count_parameters(found[1]), first, close
                position = close
                start = close + 1
            else:
                position = matching(code, position)  # an initialiser: the statement continues
        position += 1


def classes(code: str):
    """Yields (name, first position, last position) of the bodies of classes."""
    for match in CLASS_HEAD.finditer(code):
        if not re.search(r"\benum\s+$", code[:match.start()]):
            yield match[1], match.start(), matching(code, match.end() - 1)


def count_fields(body: str) -> int:
    """The data members that the text between the braces of a class declares, one per statement."""
    count = start = position = 0
    while position < len(body):
        character = body[position]
        if character in "([":
            position = matching(body, position)
        elif character == "{":
            head = body[start:position]
            position = matching(body, position)
            if TYPE_HEAD.search(head) or parameter_list(head):
                start = position + 1  # the body of a type or of a function
        elif character == ";":
            statement = body[start:position]
            count += bool(statement.strip() and not NOT_A_FIELD.match(statement)
                          and not parameter_list(statement))
            start = position + 1
        position += 1
    return count


def room_of(path: str) -> str:
    """The room of a file: the folder below include/mercer or src, or the top folder itself."""
    parts = Path(path).parts
    return parts[{"include": 2, "src": 1}.get(parts[0], 0)]


class ClassLines:
    """The classes of a tree, and the members defined outside of them."""

    def __init__(self):
        self.bodies: dict[tuple[str, str], tuple[int, int]] = {}  # (path, name): line, lines
        self.members: Counter = Counter()  # (path, name of the class): lines

    def add(self, path: str, code: str) -> None:
        for name, first, last in classes(code):
            line = line_of(code, first)
            self.bodies[path, name] = (line, line_of(code, last) - line + 1)
        for name, _, first, last in functions(code):
            if "::" in name and last > first:
                lines = line_of(code, last) - line_of(code, first) + 1
                self.members[path, name.rpartition("::")[0]] += lines

    def home(self, path: str, name: str) -> tuple[str, str] | None:
        """The file of a member's class: the same file, the header of that name, or one of the room."""
        stem = Path(path).with_suffix("").name
        room = [key for key in self.bodies if key[1] == name and room_of(key[0]) == room_of(path)
                and (key[0] == path or not key[0].endswith(".cpp"))]
        return min(room, key=lambda key: (key[0] != path, Path(key[0]).stem != stem, key[0]),
                   default=None)

    def sizes(self):
        """Yields (path, name, line, lines) of every class."""
        total = Counter({key: lines for key, (_, lines) in self.bodies.items()})
        for (path, name), lines in self.members.items():
            home = self.home(path, name)
            if home is not None:
                total[home] += lines
        for (path, name), lines in total.items():
            yield path, name, self.bodies[path, name][0], lines


class Checker:
    def __init__(self, root: Path):
        self.root = root
        self.problems: list[str] = []
        self.used: set[int] = set()
        self.lengths: list[int] = []  # of the files
        self.functions: list[int] = []
        self.classes = ClassLines()
        self.exceptions = []
        exceptions = root / "tools" / "size_exceptions.toml"
        if exceptions.is_file():
            with open(exceptions, "rb") as file:
                self.exceptions = tomllib.load(file).get("exception", [])

    def excused(self, path: str, function: str | None) -> bool:
        for number, exception in enumerate(self.exceptions):
            if exception["path"] == path and exception.get("function") == function:
                self.used.add(number)
                return True
        return False

    def report(self, path: str, line: int, function: str | None, message: str) -> None:
        if not self.excused(path, function):
            self.problems.append(f"{path}:{line}: {message}")

    def check(self, path: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        lines = text.count("\n")
        limit = SOURCE_LINES if path.endswith(".cpp") else HEADER_LINES
        if lines > limit:
            self.report(path, limit + 1, None, f"{lines} lines, at most {limit}")
        self.lengths.append(lines)
        code = strip_all(text)
        self.classes.add(path, code)
        self.check_options(path, code)
        for name, parameters, first, last in functions(code):
            line = line_of(code, first)
            length = line_of(code, last) - line + 1
            self.functions.append(length)
            if length > FUNCTION_LINES:
                self.report(path, line, name, f"{name}: {length} lines, at most {FUNCTION_LINES}")
            if parameters > PARAMETERS:
                self.report(path, line, name,
                            f"{name}: {parameters} parameters, at most {PARAMETERS}")

    def check_options(self, path: str, code: str) -> None:
        for name, first, last in classes(code):
            fields = count_fields(code[code.index("{", first) + 1:last])
            if OPTIONS_NAME.search(name) and fields > OPTION_FIELDS:
                self.report(path, line_of(code, first), name,
                            f"{name}: {fields} fields, at most {OPTION_FIELDS} at one level")

    def read(self) -> None:
        for folder in FOLDERS:
            for file in sorted((self.root / folder).rglob("*")):
                if file.suffix in {".cpp", ".hpp", ".h"}:
                    self.check(file.relative_to(self.root).as_posix())

    def long_functions(self) -> int:
        return sum(length > FUNCTION_AIM for length in self.functions)

    def summary(self) -> str:
        lengths = sorted(self.lengths)
        ninth = lengths[math.ceil(0.9 * len(lengths)) - 1] if lengths else 0
        largest = max((lines for *_, lines in self.classes.sizes()), default=0)
        return (f"{len(lengths)} files, 90 % of them have at most {ninth} lines; the largest class "
                f"has {largest}; {self.long_functions()} functions have more than {FUNCTION_AIM}")

    def run(self) -> int:
        self.read()
        for path, name, line, lines in self.classes.sizes():
            if lines > CLASS_LINES:
                self.report(path, line, name, f"{name}: {lines} lines, at most {CLASS_LINES}")
        if self.long_functions() > LONG_FUNCTIONS:
            self.problems.append(f"{self.long_functions()} functions have more than {FUNCTION_AIM} "
                                 f"lines, at most {LONG_FUNCTIONS} may (--list prints all)")
        for number, exception in enumerate(self.exceptions):
            if not exception.get("reason"):
                self.problems.append(f"tools/size_exceptions.toml:1: {exception['path']}: no reason")
            if number not in self.used:
                self.problems.append(
                    f"tools/size_exceptions.toml:1: {exception['path']}: no longer needed")
        for problem in self.problems:
            print(problem)
        return 1 if self.problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="check the sizes of files, classes and functions")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--list", action="store_true", help="print every function found")
    parser.add_argument("--summary", action="store_true", help="print the sizes of the tree")
    arguments = parser.parse_args()
    checker = Checker(arguments.root.resolve())
    if arguments.list:
        for folder in FOLDERS:
            for file in sorted((checker.root / folder).rglob("*.[ch]pp")):
                code = strip_all(file.read_text(encoding="utf-8"))
                for name, parameters, first, last in functions(code):
                    begin = line_of(code, first)
                    print(f"{file.relative_to(checker.root)}:{begin}: {name} "
                          f"({parameters}), {line_of(code, last) - begin + 1} lines")
        return 0
    if arguments.summary:
        checker.read()
        print(checker.summary())
        return 0
    return checker.run()


if __name__ == "__main__":
    sys.exit(main())
