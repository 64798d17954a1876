# SPDX-License-Identifier: Apache-2.0
"""tests/python/docs_test.py - every example in docstrings and pages runs and prints what it shows."""

import doctest
import importlib
import os
import pathlib
import pkgutil

import mercer
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["mercer"] + [f"mercer.{module.name}" for module in pkgutil.iter_modules(mercer.__path__)
                        if module.name != "_engine"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("page", ["docs/howto/python.md"])
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    if not os.path.exists(ROOT / page):
        pytest.skip(page)
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(ROOT / page), module_relative=False,
                              optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0 and result.failed == 0


def test_every_public_class_has_an_example():
    for name in mercer._HOME_OF:
        assert ">>>" in getattr(mercer, name).__doc__, name
