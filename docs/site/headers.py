# SPDX-License-Identifier: Apache-2.0
"""docs/site/headers.py - the reference of the C++ library, from the comments of its user headers.

A header is written to be read: an opening that says what it is for, then declarations, each below
its contract. A page shows the opening as text, and every declaration as code below its contract.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"

ROOMS = {"fit": "Training", "search": "Choosing and paths", "models": "Models and prediction",
         "audit": "Verification", "formats": "Files", "data": "Data", "kernels": "Kernels",
         "problems": "Certificates", "losses": "Losses", "runtime": "Context", "theory": "Theory",
         "solvers": "Solvers", "operators": "Operators", "base": "Basics", "comm": "Communicators",
         "report": "Reports"}
TYPE = re.compile(r"^(?:struct|class|enum class|using)\s+(\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^[a-zA-Z\[][\w:<>,&*\[\] ]*?\b([a-z]\w*)\(", re.MULTILINE)
NAMESPACE = re.compile(r"^namespace (mercer[\w:]*) \{")
FORWARD = re.compile(r"^(?:struct|class|enum class) \w+;$")


def user_headers() -> dict[str, set[str]]:
    """The headers that are installed, each with those that bring it in (tools/user_headers)."""
    loader = importlib.machinery.SourceFileLoader("user_headers", str(ROOT / "tools/user_headers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("user_headers", loader))
    loader.exec_module(module)
    return module.user_headers(INCLUDE)


def opening_of(lines: list[str]) -> tuple[str, str]:
    """The sentence about a header, and what else its first comment says."""
    comment = []
    for line in lines:
        if not line.startswith("//"):
            break
        comment.append(line.removeprefix("//").removeprefix(" "))
    text = re.sub(r"^SPDX[^\n]*\n+", "", "\n".join(comment).strip())
    first, _, rest = text.partition("\n\n")
    return first.partition(" - ")[2].replace("\n", " "), rest


def chunks_of(lines: list[str]) -> list[list[str]]:
    """What stands in namespace mercer or below it, cut at empty lines that lie in no braces."""
    found: list[list[str]] = [[]]
    inside, depth = False, 0
    for line in lines:
        if match := NAMESPACE.match(line):
            inside = True
            found.append([f"// In namespace `{match[1]}`:"] if "::" in match[1] else [])
            continue
        if line.startswith("}  // namespace mercer"):
            inside = False
        if not inside:
            continue
        code = re.sub(r'//.*|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', "", line)
        depth += code.count("{") - code.count("}")
        if not line.strip() and depth == 0:
            found.append([])
        else:
            found[-1].append(line)
    return [chunk for chunk in found if chunk]


def prose(lines: list[str]) -> str:
    """A comment as Markdown: backquotes are code already, the rest is plain text."""
    pieces = re.split(r"(`[^`]*`)", "\n".join(lines))
    return "".join(piece if index % 2 else re.sub(r"([*_<>\[\]|$\\])", r"\\\1", piece)
                   for index, piece in enumerate(pieces))


def comment_block(text: str) -> str:
    """The rest of an opening: paragraphs as text, formulas and tables as they stand."""
    out = []
    for paragraph in re.split(r"\n{2,}", text.strip("\n")):
        if re.search(r"^ {2,}|\S {3,}\S", paragraph, re.MULTILINE):
            code = all(re.search(r"[;{}](\s*//.*)?$|^\s*//", line) for line in paragraph.split("\n"))
            language = "cpp" if code else "text"
            out.append(f"```{language}\n{textwrap.dedent(paragraph)}\n```\n")
        elif paragraph:
            out.append(prose(paragraph.split("\n")) + "\n")
    return "\n".join(out)


def unmarked(code: str) -> str:
    """Without [[nodiscard]], and what was aligned below it moved back."""
    lines = code.split("\n")
    out, shift = [], 0
    for line in lines:
        if "[[nodiscard]] " in line:
            shift = len("[[nodiscard]] ")
            line = line.replace("[[nodiscard]] ", "")
        elif shift and line.startswith(" " * (shift + 4)):
            line = line[shift:]
        else:
            shift = 0
        if line.rstrip().endswith((";", "{", "}")):
            shift = 0
        out.append(line)
    return "\n".join(out)


def public_part(code: list[str]) -> list[str]:
    """Without the private members of classes, and without words to the linter."""
    out, hidden = [], False
    for line in code:
        if line.startswith("};"):
            hidden = False
            while out and not out[-1].strip():
                out.pop()
        hidden = hidden or line.startswith("private:")
        if not hidden and "// NOLINT" not in line:
            out.append(line)
    return out


def declaration(chunk: list[str]) -> str:
    """One declaration, or several under one contract. Empty: there is nothing to read."""
    code = [line for line in chunk if not FORWARD.match(line)]
    if chunk[0].startswith("// In namespace "):
        return chunk[0].removeprefix("// ") + "\n"
    if not any(line.strip() and not line.startswith("//") for line in code):
        return ""
    contract = []
    while code and code[0].startswith("//"):
        contract.append(re.sub(r"^///? ?", "", code.pop(0)))
    return (comment_block("\n".join(contract)) + "\n" if contract else "") + (
        "```cpp\n" + unmarked("\n".join(public_part(code))) + "\n```\n")


def names_in(chunk: list[str]) -> list[str]:
    """The types and functions of the namespace that a piece of a header declares."""
    code = unmarked("\n".join(line for line in chunk if not FORWARD.match(line)))
    return list(dict.fromkeys(TYPE.findall(code) + FUNCTION.findall(code)))


def first_names(chunks: list[list[str]]) -> list[list[str]]:
    """What each piece declares and no piece before it; Sphinx does not tell a from A."""
    seen: set[str] = set()
    found = []
    for chunk in chunks:
        found.append([name for name in names_in(chunk) if name.lower() not in seen])
        seen.update(name.lower() for name in found[-1])
    return found


def lines_of(name: str) -> list[str]:
    return (INCLUDE / name).read_text(encoding="utf-8").splitlines()


def header_section(name: str, direct: bool) -> str:
    lines = lines_of(name)
    first, rest = opening_of(lines)
    page = [f"## {name.removeprefix('mercer/')}\n",
            f"{prose([first[:1].upper() + first[1:]])}\n",
            f"```cpp\n#include <{name}>\n```\n" if not direct else "", comment_block(rest)]
    chunks = chunks_of(lines)
    for chunk, names in zip(chunks, first_names(chunks)):
        targets = "".join(f"({target_of(name, one)})=\n" for one in names)
        page.append(f"{targets}\n{declaration(chunk)}")
    return "\n".join(piece for piece in page if piece.strip())


def target_of(header: str, name: str) -> str:
    """Where a name is declared. Another header may declare the same name for other arguments."""
    return f"cpp-{header.removeprefix('mercer/').removesuffix('.hpp').replace('/', '-')}-{name}"


def header_pages() -> dict[str, str]:
    """The name and the text of every page of the reference: one per room."""
    headers = user_headers()
    door = "mercer/mercer.hpp"
    rooms: dict[str, list[str]] = {}
    for name in sorted(headers):
        if name != door:
            rooms.setdefault(name.split("/")[1], []).append(name)
    order = [room for room in ROOMS if room in rooms] + sorted(set(rooms) - set(ROOMS))
    pages = {}
    table = []
    for room in order:
        names = sorted(rooms[room], key=lambda name: door not in headers[name])
        title = ROOMS.get(room, room.capitalize())
        pages[room] = f"# {title}\n\n" + "\n".join(header_section(name, door in headers[name])
                                                   for name in names)
        table += [f"| [{title}]({room}.md) | `{name}` | "
                  f"{prose([opening_of(lines_of(name))[0]])} |"
                  for name in names if door in headers[name]]
    names = sorted((one.lower(), one, target_of(name, one)) for name in headers if name != door
                   for found in first_names(chunks_of(lines_of(name))) for one in found)
    pages["index"] = "\n".join([
        "# C++ library\n",
        "`#include <mercer/mercer.hpp>` brings all of this. These pages are made from the comments "
        "of the headers; [Mercer in a C++ program](../../howto/cpp.md) shows how to build with "
        "them.\n",
        "| page | header | what it is for |", "|---|---|---|", *table, "",
        "The pages also have the headers that these need.\n",
        "## Names\n", " ".join(f"[`{one}`](#{target})" for _, one, target in names) + "\n",
        "```{toctree}\n:hidden:\n\n" + "\n".join(order) + "\n```\n"])
    return pages
