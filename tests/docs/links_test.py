# SPDX-License-Identifier: Apache-2.0
"""tests/docs/links_test.py - every link within the site leads to an existing page and anchor."""

import os
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(os.environ["MERCER_SITE"])
PAGES = sorted(SITE.rglob("*.html"))


class Page(HTMLParser):
    """The anchors of a page, and its links."""

    def __init__(self, path):
        super().__init__()
        self.names, self.targets = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)
            elif name == "srcset" and value:
                self.targets += [one.split()[0] for one in value.split(",")]


@cache
def parsed(path):
    return Page(path)


def fault_of(page, target):
    """The fault of a link; empty if there is none."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return ""
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not file.is_file():
        return "no such file"
    if parts.fragment and file.suffix == ".html":
        if unquote(parts.fragment) not in parsed(file).names:
            return "no such place on the page"
    return ""


def test_every_internal_link_resolves():
    faults = [f"{page.relative_to(SITE)}: {target}: {fault}"
              for page in PAGES for target in parsed(page).targets
              if (fault := fault_of(page, target))]
    assert not faults, "\n".join(faults)
    assert sum(len(parsed(page).targets) for page in PAGES) > 5000


def test_a_link_that_leads_nowhere_is_noticed():
    index = SITE / "index.html"
    assert fault_of(index, "install.html#the-program") == ""
    assert fault_of(index, "install.html#nowhere") == "no such place on the page"
    assert fault_of(index, "nowhere.html") == "no such file"


def test_all_parts_of_the_site_are_there():
    for page in ("index", "install", "five-minutes", "glossary", "facts", "tutorials/index",
                 "howto/index", "methods/index", "benchmarks/index", "gallery/index", "adr/index",
                 "reference/cli/train", "reference/cli/kernel-gram", "reference/python/SVC",
                 "reference/cpp/fit", "project/changelog"):
        assert (SITE / f"{page}.html").is_file(), page


def test_no_page_names_a_folder_of_the_machine_that_built_it():
    root = str(Path(__file__).resolve().parents[2])
    assert [page for page in PAGES if root in page.read_text(encoding="utf-8")] == []
