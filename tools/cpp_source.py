# SPDX-License-Identifier: Apache-2.0
"""tools/cpp_source.py - C++ text with comments and literals blanked, for the checks in this folder."""

import re

_SKIPPED = re.compile(
    r"""//[^\n]*                                      # line comment
      | /\*.*?\*/                                     # block comment
      | R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"   # raw string
      | "(?:\\.|[^"\\\n])*"                           # string
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'           # character, but not a digit separator
    """,
    re.DOTALL | re.VERBOSE,
)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def strip_comments(text: str) -> str:
    """The text with comments blanked; every character keeps its place."""
    return _SKIPPED.sub(lambda m: _blank(m[0]) if m[0].startswith("/") else m[0], text)


def strip_all(text: str) -> str:
    """The text with comments, strings and characters blanked; quotes stay as marks."""

    def replace(match: re.Match) -> str:
        piece = match[0]
        if piece.startswith("/"):
            return _blank(piece)
        return '"' + _blank(piece[1:-1]) + '"'

    return _SKIPPED.sub(replace, text)


def line_of(text: str, position: int) -> int:
    """The line, counted from 1, that holds the character."""
    return text.count("\n", 0, position) + 1
