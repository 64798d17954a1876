# SPDX-License-Identifier: Apache-2.0
"""docs/site/program.py - the reference of the command line, from what `mercer help` prints."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ENTRY = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
MEANING = 22  # where the second column of the pages begins
OPTION = re.compile(r"(?<![\w-])(-[A-Za-z],--[a-z-]+|--?[A-Za-z][a-z-]*)")
SECTION = re.compile(r"^(\S[^:]*):$")


def help_of(program: Path, command: list[str]) -> str:
    return subprocess.run([program, "help", *command], check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"}).stdout


def sections_of(text: str) -> list[tuple[str, list[str]]]:
    """The lines under each heading; those above the first one have none."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        match = SECTION.match(line)
        if match:
            found.append((match[1], []))
        else:
            found[-1][1].append(line)
    return found


def entries_of(lines: list[str]) -> list[tuple[str, str]]:
    """Words and what they mean. Lines that stand further right go on with the one above."""
    found: list[tuple[str, str]] = []
    for line in lines:
        match = ENTRY.match(line)
        if match and not match[2] and "[" not in line[:MEANING] and line[MEANING - 1:MEANING] == " ":
            found.append((line[2:MEANING - 1], line[MEANING:]))
        elif match:
            found.append((match[1], match[2] or ""))
        elif line.strip() and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
    return found


def escaped(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]|$])", r"\\\1", text)


def definition(word: str, meaning: str) -> str:
    """A word of the left column, or the name of a group of options with the options."""
    if word.endswith(":"):
        options = OPTION.sub(r"`\1`", meaning)
        return f"**{word}**\n: {options}\n\n"
    return f"`{word}`\n: {escaped(meaning)}\n\n"


def definition_list(lines: list[str]) -> str:
    return "".join(definition(word, meaning) for word, meaning in entries_of(lines))


def subcommands(text: str) -> list[str]:
    return [word for heading, lines in sections_of(text) if heading == "Subcommands"
            for word, _ in entries_of(lines) if word != "help" and not word.endswith(":")]


def split_opening(lines: list[str]) -> tuple[str, str, list[str]]:
    """What a command does, how it is called, and what its arguments are."""
    usage = next(index for index, line in enumerate(lines) if line.startswith("Usage:"))
    call = lines[usage].removeprefix("Usage: ")
    return " ".join(lines[:usage]).strip(), call, lines[usage + 1:]


def command_page(program: Path, command: list[str], pages: dict[str, str]) -> None:
    """Adds the page of a command, and those of its subcommands, to `pages`."""
    text = help_of(program, command)
    name = " ".join(["mercer", *command])
    sections = sections_of(text)
    purpose, call, arguments = split_opening(sections[0][1])
    purpose = purpose.removesuffix(".")
    page = [f"# {name if command else 'Command line'}\n",
            f"{escaped(purpose[:1].upper() + purpose[1:])}.\n",
            f"```sh\n{call}\n```\n", definition_list(arguments)]
    for heading, lines in sections[1:]:
        if heading == "Examples":
            shown = [line[2:] for line in lines if line.startswith("  ")]
            rest = [line for line in lines if line and not line.startswith("  ")]
            page += ["## Examples\n", "```sh\n" + "\n".join(shown) + "\n```\n",
                     *(escaped(line) + "\n" for line in rest)]
        elif heading == "Subcommands":
            entries = entries_of([line for line in lines if line[:1] == " "])
            page += ["## Commands\n"]
            page += [f"[`{word}`]({'-'.join([*command, word])}.md)\n: {escaped(meaning)}\n"
                     for word, meaning in entries if word in subcommands(text)]
            page += [definition(word, meaning)
                     for word, meaning in entries if word.endswith(":")]
        else:
            page += [f"## {heading}\n", definition_list([line for line in lines
                                                         if line[:1] == " "])]
    below = subcommands(text)
    if below:
        entries = "\n".join("-".join([*command, word]) for word in below)
        page += [f"```{{toctree}}\n:hidden:\n\n{entries}\n```\n"]
    pages["-".join(command) or "index"] = "\n".join(page)
    for word in below:
        command_page(program, [*command, word], pages)


def program_pages(program: Path) -> dict[str, str]:
    """The name and the text of every page of the reference."""
    pages: dict[str, str] = {}
    command_page(program, [], pages)
    return pages
