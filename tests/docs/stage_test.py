# SPDX-License-Identifier: Apache-2.0
"""tests/docs/stage_test.py - the programs that turn Markdown, help, headers and docstrings into pages."""

import inspect
import os
import re
import sys
from pathlib import Path

import mercer
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import headers  # noqa: E402 - found on the path that has just been set
import package  # noqa: E402
import pages  # noqa: E402
import program  # noqa: E402

TUTORIAL = ROOT / "docs" / "tutorials" / "README.md"
PROGRAM = Path(os.environ["MERCER_PROGRAM"])


@pytest.mark.parametrize("target, place", [
    ("1-losses-and-risk.md", "1-losses-and-risk.md"), ("../glossary.md", "../glossary.md"),
    ("../methods/README.md#paths", "../methods/index.md#paths"),
    ("../../HACKING.md", "../project/hacking.md"), ("../../README.md#install", "../install.md"),
    ("../../README.md", "../index.md"), ("../../examples/gallery", "../gallery/index.rst"),
    ("../../examples/cpp/moons.cpp", "../files/examples/cpp/moons.cpp"),
    ("https://example.org/a", "https://example.org/a"), ("#words", "#words")])
def test_links_follow_the_pages_to_their_places(target, place):
    assert pages.moved_link(target, TUTORIAL, Path("tutorials/index.md")) == place


def test_a_link_that_says_a_file_name_says_the_title_on_the_site():
    page = ROOT / "docs" / "methods" / "svc.md"
    assert pages.link_text("the path", "path.md", page) == "the path"
    title = (page.parent / "path.md").read_text().split("# ", 1)[1].split("\n", 1)[0]
    assert pages.link_text("path.md", "path.md", page) == title != "path.md"
    assert pages.link_text("`path.md`", "path.md#x", page) == title


def cells(row):
    return len(re.split(r"(?<!\\)\|", row.strip().strip("|")))


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_rows_of_a_table_have_as_many_cells_as_its_head(page):
    head = 0
    for line in pages.without_code(page.read_text()).splitlines():
        if not line.startswith("|"):
            head = 0
        elif head == 0:
            head = cells(line)
        else:
            assert cells(line) == head, f"{page.name}: {line}: a | in a cell is written \\|"


def test_a_link_to_nothing_is_an_error_that_names_the_page():
    with pytest.raises(pages.BrokenLink, match=r"docs/tutorials/README.md: no.md is not there"):
        pages.moved_link("no.md", TUTORIAL, Path("tutorials/index.md"))


def test_links_in_code_stay():
    text = "[a](../glossary.md)\n\n```cpp\n[b](../glossary.md)\n```\n\n    [c](none.md)\n"
    moved = pages.with_moved_links(text, TUTORIAL, Path("deep/er/page.md"))
    assert "[a](../../glossary.md)" in moved
    assert "[b](../glossary.md)" in moved and "[c](none.md)" in moved


def test_a_script_followed_by_python_becomes_two_tabs():
    text = ("Before.\n\n```sh\nmercer doctor\n```\n```text\nfine\n```\n\n"
            "<details><summary>In Python</summary>\n\n```pycon\n>>> 1\n1\n```\n\n</details>\n\nAfter.\n")
    tabs = pages.with_tabs(text)
    assert tabs.index("{tab-item} Command line") < tabs.index("mercer doctor") < tabs.index("fine")
    assert tabs.index("fine") < tabs.index("{tab-item} Python") < tabs.index(">>> 1")
    assert "<details>" not in tabs and tabs.endswith("\nAfter.\n")


def test_a_solution_that_is_folded_stays_folded():
    text = "<details><summary>Solution</summary>\n\n```sh\nmercer doctor\n```\n\n</details>\n"
    assert pages.with_tabs(text) == text


def test_a_folder_is_listed_in_the_order_of_its_first_page():
    folder = ROOT / "docs" / "tutorials"
    entries = pages.folder_entries(folder, TUTORIAL.read_text(encoding="utf-8"))
    assert [int(entry.split("-")[0]) for entry in entries] == list(range(1, 11))


def test_help_is_read_in_two_columns():
    lines = ["  -o,--output FILE    file to write", "                      and more",
             "  --weight-class TEXT whose weight moves", "  --folds N:INT in [2 - 9]",
             "                      so many folds", "  --penalty a|b|c|d|e|f|g  what is paid"]
    assert program.entries_of(lines) == [
        ("-o,--output FILE", "file to write and more"),
        ("--weight-class TEXT", "whose weight moves"),
        ("--folds N:INT in [2 - 9]", "so many folds"),
        ("--penalty a|b|c|d|e|f|g", "what is paid")]


def commands(above=()):
    """Every command as its words, with the output of `mercer help` for it."""
    text = program.help_of(PROGRAM, list(above))
    yield above, text
    for word in program.subcommands(text):
        yield from commands((*above, word))


def test_every_command_has_a_page_with_all_words_of_its_help():
    found = program.program_pages(PROGRAM)
    asked = dict(commands())
    assert len(asked) == len(found) > 25
    for words, text in asked.items():
        shown = set(re.findall(r"--[a-z][a-z0-9-]+", found["-".join(words) or "index"]))
        assert shown >= set(re.findall(r"--[a-z][a-z0-9-]+", text)), words


def test_every_user_header_is_on_a_page_with_its_declarations():
    found = headers.header_pages()
    for name in headers.user_headers():
        if name != "mercer/mercer.hpp":
            assert f"## {name.removeprefix('mercer/')}\n" in found[name.split("/")[1]], name
    assert "struct TrainOptions" in found["fit"] and "load_model(const std::string& path" in found["formats"]
    assert "SPDX" not in "".join(found.values())
    assert "[`train`](#cpp-fit-train-train)" in found["index"]
    assert "(cpp-fit-train-train)=\n" in found["fit"]


def test_a_declaration_stands_below_its_contract():
    chunk = ["/// What `it` is: a_b.", "[[nodiscard]] int f(int a,", "                    int b);"]
    assert headers.declaration(chunk) == (
        "What `it` is: a\\_b.\n\n```cpp\nint f(int a,\n      int b);\n```\n")
    assert headers.declaration(["class Context;"]) == ""


def test_private_members_are_not_shown():
    code = ["class A {", "public:", "    int f();", "", "private:", "    int a_;", "};", "int g();"]
    assert headers.public_part(code) == ["class A {", "public:", "    int f();", "};", "int g();"]


def test_declarations_of_an_inner_namespace_are_shown_too():
    lines = ["#pragma once", "namespace mercer {", "class A;", "}  // namespace mercer", "",
             "namespace mercer::inner {", "", "/// One.", "int f();", "", "/// Two.", "struct S {", "",
             "    int a;", "};", "}  // namespace mercer::inner"]
    assert headers.chunks_of(lines) == [
        ["class A;"], ["// In namespace `mercer::inner`:"], ["/// One.", "int f();"],
        ["/// Two.", "struct S {", "", "    int a;", "};"]]


def test_every_public_name_of_the_package_is_on_a_page():
    text = "\n".join(package.package_pages().values())
    for name in mercer.__all__:
        if not name.startswith("_"):
            module = inspect.ismodule(getattr(mercer, name))
            kind = "automodule" if module else "auto(?:class|function)"
            assert re.search(rf"\.\. {kind}:: mercer\.{name}$", text, re.MULTILINE), name
