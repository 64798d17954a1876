# SPDX-License-Identifier: Apache-2.0
"""tests/python/report_page_test.py - reports in a browser: rendering, pointer, sorting, keyboard."""

import os
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium")
playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")

PROGRAM = os.environ.get("MERCER_PROGRAM", "mercer")
MEASURED = {"given-histogram", "given-confusion", "given-roc", "given-recall"}
# Each page: how its rows are generated, what is trained, other inputs of the report, its charts.
PAGES = {
    "two": ("moons --noise 0.25", "svc --kernel rbf(gamma=1) --probability",
            "--validation new.csv --grid grid.json --path two.path",
            MEASURED | {"given-calibration", "validation-histogram", "validation-confusion",
                        "validation-roc", "validation-recall", "validation-calibration", "plane",
                        "importance", "grid", "path"}),
    "refits": ("moons --noise 0.25", "klr", "--refits",
               MEASURED | {"given-calibration", "plane", "importance", "learning",
                           "convergence"}),
    "many": ("blobs --columns 4 --classes 9 --noise 0.3", "svc --probability", "",
             MEASURED | {"given-calibration", "plane", "importance"}),
    "regression": ("friedman1 --columns 6", "svr --epsilon 0.5", "",
                   {"given-histogram", "given-predictions", "given-residuals", "plane",
                    "importance"}),
    "krr": ("sinc", "krr --alpha 0.1", "",
            {"given-histogram", "given-predictions", "given-residuals", "plane", "importance",
             "loo"}),
    "one-class": ("moons", "one-class --nu 0.1", "", MEASURED | {"plane", "importance"}),
    "sparse": ("moons", "l2-svc --penalty l1 --l1 0.5", "", MEASURED | {"plane", "importance"}),
    "linear": ("blobs --columns 6 --classes 2 --noise 0.7", "svc --kernel linear", "",
               MEASURED | {"plane", "importance", "weights"}),
    "ridge": ("friedman1 --columns 6", "ridge", "",
              {"given-histogram", "given-predictions", "given-residuals", "plane", "importance",
               "weights"}),
    "rank": ("queries", "rank", "", {"given-histogram", "given-predictions", "given-residuals",
                                     "plane"}),
}

# Every text, its colour and its background; cells of a heat map are semi-transparent.
CONTRAST = """() => {
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, below) => top.slice(0, 3).map((c, k) => c * top[3] + below[k] * (1 - top[3]));
  const light = rgb => { const [r, g, b] = rgb.map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
                         return .2126 * r + .7152 * g + .0722 * b; };
  const page = parse(getComputedStyle(document.body).backgroundColor);
  const behind = node => {
    if (node.ownerSVGElement) {
      let colour = page;
      const svg = node.ownerSVGElement, box = node.getBBox();
      if (node.hasAttribute("transform")) return colour;
      const point = svg.createSVGPoint();
      point.x = box.x + box.width / 2; point.y = box.y + box.height / 2;
      svg.querySelectorAll(".cell").forEach(cell => {
        if (cell.isPointInFill(point)) colour = [...over([...parse(getComputedStyle(cell).fill).slice(0, 3), +cell.getAttribute("fill-opacity")], colour), 1];
      });
      return colour;
    }
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return page;
  };
  const out = [];
  document.querySelectorAll("main *").forEach(node => {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (!own || ["TITLE", "DESC", "STYLE"].includes(node.tagName.toUpperCase()) || !node.getClientRects().length) return;
    const style = getComputedStyle(node);
    const ink = parse(node.ownerSVGElement ? style.fill : style.color);
    const a = light(ink), b = light(behind(node));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) out.push([node.textContent.trim().slice(0, 40), ratio]);
  });
  return out;
}"""

LABELS = """() => {
  const out = [];
  const name = node => node.getAttribute("aria-label") || node.textContent.trim();
  document.querySelectorAll("[tabindex], a, button, summary").forEach(node => {
    if (!name(node)) out.push("no name: " + node.outerHTML.slice(0, 80));
    if (node.tabIndex > 0) out.push("out of order: " + node.outerHTML.slice(0, 80));
  });
  document.querySelectorAll("svg").forEach(svg => {
    const words = svg.getAttribute("aria-labelledby").split(" ").map(id => document.getElementById(id)?.textContent.trim());
    if (svg.getAttribute("role") !== "img" || words.some(word => !word)) out.push("no words: " + svg.outerHTML.slice(0, 80));
  });
  document.querySelectorAll("th").forEach(th => { if (!th.hasAttribute("scope")) out.push("no scope: " + th.outerHTML); });
  let level = 0;
  document.querySelectorAll("h1, h2, h3").forEach(head => {
    const own = +head.tagName[1];
    if (own > level + 1) out.push("a level is missing before: " + head.textContent);
    level = own;
  });
  document.querySelectorAll("nav a").forEach(a => { if (!document.querySelector(a.getAttribute("href"))) out.push("leads nowhere: " + a.href); });
  if (!document.documentElement.lang || !document.title) out.push("no language or title");
  return out;
}"""


def run(folder, *words):
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def make_page(folder, name):
    rows, machine, more, _ = PAGES[name]
    data = "d.svm" if rows.startswith("queries") else "d.csv"
    run(folder, "data", "make", *rows.split(), "--rows", "240", "-o", data)
    run(folder, "data", "make", *rows.split(), "--rows", "200", "--seed", "4", "-o", "new.csv")
    words = machine.split()
    run(folder, "train", data, "--model", words[0], *words[1:], "-o", "m.mercer")
    if "--grid" in more:
        (folder / "grid.json").write_text(run(
            folder, "select", data, "-o", "s.mercer", "--kernel", "rbf(gamma=1)", "--grid",
            "C=0.1,1,10", "--grid", "gamma=0.3,1,3", "--json"))
        run(folder, "path", data, "-o", "two.path", "--kernel", "rbf(gamma=1)")
    run(folder, "report", "m.mercer", data, *more.split(), "-o", f"{name}.html")
    run(folder, "report", "m.mercer", "-o", f"{name}-alone.html")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name in PAGES:
        (folder / name).mkdir()
        make_page(folder / name, name)
    return folder


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Reader:
    """A page, its errors, and its requests."""

    def __init__(self, browser, file, **look):
        self.page = browser.new_page(**({"viewport": {"width": 1100, "height": 900}} | look))
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def __enter__(self):
        return self.page

    def __exit__(self, *what):
        self.page.close()
        if what[0] is None:
            assert self.complaints == []
            assert len([url for url in self.requests if not url.startswith("data:")]) == 1


@pytest.mark.parametrize("name", PAGES)
def test_each_chart_is_there_and_answers_the_pointer_and_the_keys(browser, pages, name):
    with Reader(browser, pages / name / f"{name}.html") as page:
        page.evaluate("document.querySelectorAll('details.more').forEach(d => d.open = true)")
        charts = page.eval_on_selector_all(".plot", "all => all.map(one => one.dataset.chart)")
        assert set(charts) == PAGES[name][3]
        for chart in charts:
            plot = page.locator(f'.plot[data-chart="{chart}"]')
            assert plot.locator("svg").bounding_box()["height"] > 60
            plot.focus()
            page.keyboard.press("ArrowRight")
            tip = page.locator("#tip")
            assert tip.is_visible() and tip.inner_text(), chart
            place = plot.locator("circle.hot").bounding_box()
            page.keyboard.press("Escape")
            assert tip.is_hidden()
            # The pointer at that point shows the same as the keys, or a neighbour.
            page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
            assert tip.is_visible() and tip.inner_text(), chart
            page.mouse.move(2, 2)
            assert tip.is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_labelled_readable_and_fit_the_width(browser, pages, name, scheme):
    for file in (f"{name}.html", f"{name}-alone.html"):
        with Reader(browser, pages / name / file, color_scheme=scheme) as page:
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            assert page.evaluate(LABELS) == []
            assert page.evaluate(CONTRAST) == []
        with Reader(browser, pages / name / file, color_scheme=scheme,
                    viewport={"width": 380, "height": 800}) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_tables_sort_by_numbers_and_say_so(browser, pages):
    with Reader(browser, pages / "two" / "two.html") as page:
        def column(k):
            return page.eval_on_selector_all(
                f"#hardest tbody td:nth-child({k})",
                "all => all.map(one => +(one.dataset.value ?? one.textContent))")
        before = column(4)
        assert before == sorted(before)  # the hardest first
        head = page.locator("#hardest th").nth(0)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert column(1) == sorted(column(1))
        page.keyboard.press("Enter")  # the button has the focus
        assert head.get_attribute("aria-sort") == "descending"
        assert column(1) == sorted(column(1), reverse=True)
        assert sorted(column(4)) == before


def test_the_numbers_of_a_chart_open_as_a_table(browser, pages):
    with Reader(browser, pages / "two" / "two.html") as page:
        details = page.locator('details.numbers[data-chart="validation-confusion"]')
        details.locator("summary").click()
        rows = details.locator("tbody tr")
        rows.nth(3).wait_for()  # the table is built when the browser reports that it was opened
        assert rows.count() == 4
        assert details.locator("th").all_inner_texts() == ["predicted", "true",
                                                           "fraction of the true class"]


def test_tab_goes_down_the_page(browser, pages):
    with Reader(browser, pages / "two" / "two.html") as page:
        order = page.evaluate("""() => [...document.querySelectorAll("a[href], [tabindex='0'], button, summary")]
            .filter(one => one.checkVisibility({visibilityProperty: true})).map((one, k) => (one.dataset.order = k, k))""")
        seen = []
        for _ in order:
            page.keyboard.press("Tab")
            seen.append(page.evaluate("document.activeElement.dataset.order ?? null"))
        assert seen == [str(k) for k in order]


def test_paper_is_white_and_has_no_controls(browser, pages):
    with Reader(browser, pages / "two" / "two.html", color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == \
            "rgb(255, 255, 255)"
        assert page.locator("nav").is_hidden()
        assert page.locator("details.numbers").first.is_hidden()
        assert page.pdf()[:4] == b"%PDF"
