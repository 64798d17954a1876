# SPDX-License-Identifier: Apache-2.0
"""tests/docs/python_test.py - the Python code of the pages and of the gallery runs.

tests/python/docs_test.py runs docs/howto/python.md and the docstrings; the build of the site runs
the gallery. This covers the rest, and checks that nothing is left out.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from python_tabs import ROOT, run_page, scripts_without_python
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

SITE = Path(os.environ["MERCER_SITE"])
TABBED = [ROOT / "docs" / "five-minutes.md", *sorted((ROOT / "docs" / "tutorials").glob("[0-9]*.md"))]
GALLERY = sorted((ROOT / "examples" / "gallery").glob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
         if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", TABBED, ids=lambda page: page.stem)
def test_python_beside_the_commands_prints_what_it_shows(page):
    tries, failures = run_page(page, os.environ["MERCER_PROGRAM"])
    assert tries > 15 and failures == 0


@pytest.mark.parametrize("page", TABBED, ids=lambda page: page.stem)
def test_every_script_has_python_beside_it(page):
    assert scripts_without_python(page.read_text(encoding="utf-8")) == []


def test_a_script_without_python_is_noticed():
    assert scripts_without_python("```sh\nmercer doctor\n```\n\nText.\n") == ["mercer doctor"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_plain_blocks_run_with_the_data_they_speak_of(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = make_moons(60, noise=0.1, random_state=0)
    X_test, y_test = make_moons(20, noise=0.1, random_state=1)
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"),
             {"np": np, "X": X, "y": y, "X_test": X_test, "y_test": y_test, "k": rbf_kernel, "train": X,
              "test": X_test, "labels": y})


def test_the_gallery_shows_every_script_with_a_picture():
    assert len(GALLERY) >= 12
    for script in GALLERY:
        page = (SITE / "gallery" / f"{script.stem}.html").read_text(encoding="utf-8")
        assert f"sphx_glr_{script.stem}_001" in page, script.name


def test_examples_of_the_gallery_are_short_lessons():
    for script in GALLERY:
        lines = [line for line in script.read_text(encoding="utf-8").splitlines()
                 if line.strip() and not line.startswith("#")]
        assert 15 <= len(lines) <= 50, script.name
