# SPDX-License-Identifier: Apache-2.0
"""tests/docs/browser_test.py - Chromium opens every page: no error, no request to a host, no overflow."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

SITE = Path(os.environ["MERCER_SITE"])
PAGES = sorted(SITE.rglob("*.html"))
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Visit:
    """A tab of a phone's width that records errors."""

    def __init__(self, browser):
        self.tab = browser.new_context(viewport=PHONE, color_scheme="dark").new_page()
        self.faults = []
        self.tab.on("console", self.heard)
        self.tab.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.tab.on("request", self.asked)
        self.tab.on("requestfailed", lambda asked: self.faults.append(f"failed: {asked.url}"))

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def asked(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"asks {request.url}")

    def open(self, url):
        self.faults.clear()
        self.tab.goto(url)
        width = self.tab.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            self.faults.append(f"{width} pixels wide")
        return list(self.faults)


def test_every_page_opens_without_error_request_or_overflow(browser):
    assert len(PAGES) > 150
    visit = Visit(browser)
    faults = [f"{page.relative_to(SITE)}: {fault}"
              for page in PAGES for fault in visit.open(page.as_uri())]
    assert not faults, "\n".join(faults)


def test_formulas_are_drawn(browser):
    visit = Visit(browser)
    for page in PAGES:
        if 'class="formula"' in page.read_text(encoding="utf-8"):
            assert visit.open(page.as_uri()) == []
            drawn = visit.tab.locator(".formula .katex-html").count()
            assert drawn == visit.tab.locator(".formula").count() > 0, page.name
            assert visit.tab.locator(".katex-error").count() == 0, page.name


@pytest.mark.parametrize("script, fault", [
    ("console.error('broken')", "error: broken"),
    ("fetch('http://192.0.2.1/x').catch(() => 0)", "asks http://192.0.2.1/x"),
    ("document.body.style.width = '900px'", "900 pixels wide")])
def test_a_page_that_misbehaves_is_noticed(browser, tmp_path, script, fault):
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><body style='margin:0'><p>x</p><script>{script}</script>")
    assert fault in Visit(browser).open(page.as_uri())
