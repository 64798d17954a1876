# SPDX-License-Identifier: Apache-2.0
"""docs/site/pages.py - turns the Markdown of the repository into pages of the site.

The files stay as a forge shows them. What the site needs beside them is done here: folders get a
table of contents, links follow the files to their new places, and a script that is followed by
`In Python` becomes two tabs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

# Pages of the root folder and where the site has them; the rest of the site mirrors docs/.
PROJECT = {name: f"project/{name.lower()}"
           for name in ("ARCHITECTURE.md", "HACKING.md", "CONTRIBUTING.md", "CHANGELOG.md",
                        "SECURITY.md")}
# Where a reader of README.md finds the same on the site.
README_SECTIONS = {"install": "install.md", "a-session": "five-minutes.md"}

FENCE = re.compile(r"^(```+)(.*)$")
LINK = re.compile(r"(?<!\!)\[((?:[^\[\]`]|`[^`]*`|\\.)*)\]\(([^()\s]+)\)", re.DOTALL)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
PYTHON_TAB = re.compile(
    r"(?P<shell>^```sh\n.*?^```\n(?:^<!-- tolerance: \S+ -->\n)?(?:^```text\n.*?^```\n)?)"
    r"\n*^<details><summary>In Python</summary>\n\n(?P<python>.*?)^</details>\n",
    re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"^<!--.*?-->\n?", re.DOTALL | re.MULTILINE)


class BrokenLink(Exception):
    """A link of a page that leads nowhere."""


def place_of(source: Path) -> Path | None:
    """Where the site has a page for a file of the repository; None: it has none."""
    inside = source.relative_to(ROOT).as_posix()
    if inside == "examples/gallery":
        return Path("gallery/index.rst")
    if inside in PROJECT:
        return Path(PROJECT[inside])
    if inside == "README.md":
        return Path("index.md")
    if source.suffix != ".md" or not inside.startswith("docs/") or "/site/" in inside:
        return None
    place = Path(inside.removeprefix("docs/"))
    return place.with_name("index.md") if place.name == "README.md" else place


def relative(target: Path, page: Path) -> str:
    return os.path.relpath(target, page.parent).replace(os.sep, "/")


def moved_link(target: str, source: Path, page: Path) -> str:
    """The target of a link of `source`, as `page` of the site has to say it."""
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return target
    name, _, anchor = target.partition("#")
    file = (source.parent / name).resolve()
    if not file.exists():
        raise BrokenLink(f"{source.relative_to(ROOT)}: {target} is not there")
    if file == ROOT / "README.md":
        return relative(Path(README_SECTIONS.get(anchor, "index.md")), page)
    if file.is_dir() and (file / "README.md").exists():
        file = file / "README.md"
    place = place_of(file)
    if place is None:  # a file of the repository that is no page
        place = Path("files", file.relative_to(ROOT))
    return relative(place, page) + (f"#{anchor}" if anchor else "")


def linked_files(text: str, source: Path) -> list[Path]:
    """Files of the repository that a page links to and that are no pages."""
    found = []
    for match in LINK.finditer(without_code(text)):
        name = match[2].partition("#")[0]
        file = (source.parent / name).resolve()
        if name and not re.match(r"[a-z]+:", name) and file.is_file() and place_of(file) is None:
            found.append(file)
    return found


def split_code(text: str) -> list[tuple[bool, str]]:
    """The text in pieces, each with whether it is code: in a fence or indented by four."""
    pieces: list[tuple[bool, list[str]]] = [(False, [])]
    fence = ""
    for line in text.splitlines(keepends=True):
        match = FENCE.match(line)
        inside = bool(fence) or bool(match) or line.startswith("    ")
        if match and not fence:
            fence = match[1]
        elif match and fence == match[1]:
            fence = ""
        if pieces[-1][0] != inside:
            pieces.append((inside, []))
        pieces[-1][1].append(line)
    return [(code, "".join(lines)) for code, lines in pieces]


def without_code(text: str) -> str:
    return "".join(piece for code, piece in split_code(text) if not code)


def link_text(text: str, target: str, source: Path) -> str:
    """What a link says: its own text, or the page's title where that is no more than a file name."""
    name = target.partition("#")[0]
    file = source.parent / name
    if not name.endswith(".md") or text.strip("`") not in (name, file.name) or not file.is_file():
        return text
    title = re.search(r"^# (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return title[1] if title else text


def with_moved_links(text: str, source: Path, page: Path) -> str:
    def link(match: re.Match) -> str:
        return f"[{link_text(match[1], match[2], source)}]({moved_link(match[2], source, page)})"

    def image(match: re.Match) -> str:
        file = (source.parent / match[2]).resolve()
        if not file.exists():
            raise BrokenLink(f"{source.relative_to(ROOT)}: {match[2]} is not there")
        return f"![{match[1]}]({relative(file.relative_to(DOCS), page)})"

    return "".join(piece if code else IMAGE.sub(image, LINK.sub(link, piece))
                   for code, piece in split_code(text))


def with_tabs(text: str) -> str:
    """A script with its output, followed by the same in Python, becomes two tabs."""
    def tabs(match: re.Match) -> str:
        return ("\n:::::{tab-set}\n:sync-group: language\n\n"
                f"::::{{tab-item}} Command line\n:sync: shell\n\n{match['shell']}::::\n\n"
                f"::::{{tab-item}} Python\n:sync: python\n\n{match['python'].rstrip()}\n::::\n:::::\n")

    return PYTHON_TAB.sub(tabs, text)


def contents(title: str, entries: list[str]) -> str:
    """A table of contents that shows in the sidebar alone."""
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}" if title else "",
                      *entries, "```", ""]).replace("\n\n\n", "\n\n")


def folder_entries(folder: Path, text: str) -> list[str]:
    """The pages of a folder: those that its first page names in that order, then the others."""
    names = {file.stem for file in folder.glob("*.md") if file.name != "README.md"}
    named = [match[2].partition("#")[0].removesuffix(".md") for match in LINK.finditer(text)]
    ordered = [name for name in dict.fromkeys(named) if name in names]
    return ordered + sorted(names - set(ordered))


def page_of(source: Path) -> tuple[Path, str]:
    """The place and the text that the site has for a Markdown file."""
    page = place_of(source)
    text = COMMENT.sub("", with_tabs(source.read_text(encoding="utf-8")))
    if source.name == "README.md" and source != ROOT / "README.md":
        text += contents("", folder_entries(source.parent, text))
    return page, with_moved_links(text, source, page)
