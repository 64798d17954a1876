// SPDX-License-Identifier: Apache-2.0
//
// src/report/page_text.cpp - the style and the script of the pages, verbatim.
#include "report/page_frame.hpp"

namespace mercer::report {

const char* const kPageStyle = R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:.2rem 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:2.6rem 0 .5rem;padding-top:.9rem;border-top:1px solid var(--grid)}
h3{font-size:1.05rem;margin:1.6rem 0 .3rem}
p,ul{max-width:46rem;margin:.5rem 0;overflow-wrap:anywhere}
a{color:var(--link)}
:root{--link:#0060a0;--good:#00704f;--bad:#b42318;--card:#f5f7f9}
@media (prefers-color-scheme:dark){:root{--link:#7cc4f2;--good:#3fcf9f;--bad:#ff9a8b;--card:#1d232a}}
@media print{:root{--link:#0060a0;--good:#00704f;--bad:#b42318;--card:#f5f7f9}}
.lead{font-size:1.05rem;color:var(--ink)}
.soft{color:var(--soft)}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;list-style:none;max-width:none}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.2rem,1fr));gap:.8rem;margin:1.2rem 0;padding:0}
.cards div{background:var(--card);border-radius:.6rem;padding:.75rem .9rem}
.cards dt{font-size:.85rem;color:var(--soft)}
.cards dd{margin:0;font-size:1.55rem;line-height:1.25;font-variant-numeric:tabular-nums}
.cards dd+dd{font-size:.82rem;line-height:1.35;color:var(--soft)}
figure{margin:1rem 0 1.4rem}
figcaption{font-size:.92rem;color:var(--soft);max-width:46rem;margin:.3rem 0}figcaption strong{color:var(--ink)}
.plot{display:inline-block;max-width:100%;border-radius:.3rem;touch-action:pan-y}
.plot svg{display:block}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));gap:0 1.5rem}
.plot:focus-visible,.scroll:focus-visible,button:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.chart .hot{fill:none;stroke:var(--ink);stroke-width:2}
#tip{position:fixed;z-index:9;max-width:22rem;padding:.4rem .6rem;border-radius:.4rem;background:var(--ink);color:var(--page);font-size:.85rem;line-height:1.35;pointer-events:none;white-space:pre-line}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:.2rem 0}
th,td{padding:.3rem .75rem;text-align:left;border-bottom:1px solid var(--grid);white-space:nowrap;vertical-align:top}
td.n,th.n{text-align:right}
td.w{white-space:normal;min-width:16rem}
th button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;cursor:pointer}
th button::after{content:" \2195";color:var(--soft)}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--soft);font-size:.9rem}
pre{background:var(--card);padding:.8rem 1rem;border-radius:.5rem;overflow-x:auto;font-size:.88rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace;font-size:.92em}
@media (max-width:40rem){main{padding:1rem .8rem 3rem}h1{font-size:1.4rem}.cards{grid-template-columns:1fr 1fr}.pair{grid-template-columns:minmax(0,1fr)}.plot{overflow-x:auto}.plot .wide{min-width:34rem}}
@media print{nav,#tip,.numbers,.more>summary{display:none}main{max-width:none;padding:0}figure,table,.cards div{break-inside:avoid}h2,h3{break-after:avoid}th button::after{content:""}pre{white-space:pre-wrap}}
)css";

const char* const kPageScript = R"js("use strict";
(() => {
  const figures = new Map(JSON.parse(document.getElementById("figures").textContent).map(f => [f.id, f]));
  const tip = document.getElementById("tip");
  const text = v => v === null || v === undefined ? "–" : String(+(+v).toPrecision(5)).replace("-", "−");
  const place = (axis, v) => {
    const share = axis.log ? Math.log(v / axis.low) / Math.log(axis.high / axis.low) : (v - axis.low) / (axis.high - axis.low);
    return Math.min(1, Math.max(0, share));
  };
  const named = (axis, v) => axis.names ? axis.names[Math.round(v)] : text(v);
  const part = (axis, v) => (axis.label ? axis.label + ": " : "") + named(axis, v);

  // Every point with a tooltip, in the order in which the arrow keys visit them.
  const pointsOf = figure => {
    const out = [];
    figure.panels.forEach((panel, p) => {
      const [left, top, width, height] = panel.box;
      const at = (x, y) => [left + place(panel.x, x) * width, top + (1 - place(panel.y, y)) * height];
      panel.series.forEach((s, k) => s.x.forEach((x, i) => {
        if (x === null || s.y[i] === null) return;
        const [px, py] = at(x, s.y[i]);
        let words = (s.name ? s.name + "\n" : "") + part(panel.x, x) + "\n" + part(panel.y, s.y[i]);
        if (s.low && s.low[i] !== null) words += "\ninterval " + text(s.low[i]) + " to " + text(s.high[i]);
        if (s.notes && s.notes[i]) words += "\n" + s.notes[i];
        out.push({px, py, words, group: p + "." + k});
      }));
      if (panel.heat) {
        const h = panel.heat;
        h.values.forEach((v, i) => {
          const c = i % h.columns, r = Math.floor(i / h.columns);
          const x = panel.x.low + (c + .5) / h.columns * (panel.x.high - panel.x.low);
          const y = panel.y.low + (r + .5) / h.rows * (panel.y.high - panel.y.low);
          const px = left + (c + .5) / h.columns * width, py = top + (1 - (r + .5) / h.rows) * height;
          out.push({px, py, words: part(panel.x, x) + "\n" + part(panel.y, y) + "\n" + (h.name ? h.name + ": " : "") + text(v),
                    group: p + ".heat", cell: [width / h.columns / 2, height / h.rows / 2]});
        });
      }
    });
    return out;
  };

  const setUp = plot => {
    const svg = plot.querySelector("svg"), figure = figures.get(plot.dataset.chart);
    if (!figure) return;
    let points = null, current = -1;
    const all = () => points || (points = pointsOf(figure));
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    ring.setAttribute("class", "hot");
    ring.setAttribute("r", "6");
    const show = k => {
      const point = all()[k];
      if (!point) return hide();
      current = k;
      ring.setAttribute("cx", point.px);
      ring.setAttribute("cy", point.py);
      svg.append(ring);
      const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
      tip.textContent = point.words;
      tip.hidden = false;
      const x = box.left + point.px * scale, y = box.top + point.py * scale;
      tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 4)) + "px";
      tip.style.top = Math.max(4, y - tip.offsetHeight - 10 > 4 ? y - tip.offsetHeight - 10 : y + 14) + "px";
    };
    const hide = () => { tip.hidden = true; ring.remove(); };
    plot.addEventListener("pointermove", event => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      let best = -1, least = 30 * 30, cell = -1;
      all().forEach((point, k) => {
        const dx = point.px - x, dy = point.py - y;
        if (point.cell) {
          if (Math.abs(dx) <= point.cell[0] && Math.abs(dy) <= point.cell[1]) cell = k;
        } else if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = k; }
      });
      if (best >= 0 && (cell < 0 || least < 64)) show(best); else if (cell >= 0) show(cell); else hide();
    });
    plot.addEventListener("pointerleave", hide);
    plot.addEventListener("blur", hide);
    plot.addEventListener("keydown", event => {
      const list = all(), n = list.length;
      if (!n) return;
      let next = current;
      if (event.key === "ArrowRight") next = current < 0 ? 0 : Math.min(n - 1, current + 1);
      else if (event.key === "ArrowLeft") next = Math.max(0, current - 1);
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = n - 1;
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const step = event.key === "ArrowDown" ? 1 : -1, group = current < 0 ? null : list[current].group;
        next = Math.max(0, current);
        while (next >= 0 && next < n && list[next].group === group) next += step;
        next = Math.min(n - 1, Math.max(0, next));
      } else if (event.key === "Escape") { hide(); return; }
      else return;
      event.preventDefault();
      show(next);
    });
  };

  const element = (name, words, parent) => {
    const node = document.createElement(name);
    if (words !== undefined) node.textContent = words;
    parent.append(node);
    return node;
  };

  // A chart's numbers as a table, built when it is opened.
  const fillNumbers = details => {
    const figure = figures.get(details.dataset.chart), most = 500;
    figure.panels.forEach(panel => {
      const box = element("div", undefined, details);
      box.className = "scroll";
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", "Numbers of " + figure.title);
      const table = element("table", undefined, box);
      if (panel.title) element("caption", panel.title, table);
      const head = element("tr", undefined, element("thead", undefined, table));
      const intervals = panel.series.some(s => s.low), several = panel.series.some(s => s.name);
      const heat = panel.heat && !panel.series.length;
      const names = [...(several && !heat ? ["series"] : []), panel.x.label || "x", panel.y.label || "y",
                     ...(intervals ? ["from", "to"] : []), ...(heat ? [panel.heat.name || "value"] : [])];
      names.forEach(name => element("th", name, head).scope = "col");
      const body = element("tbody", undefined, table);
      let rows = 0;
      const add = cells => {
        if (++rows > most) return;
        const row = element("tr", undefined, body);
        cells.forEach(cell => element("td", cell, row));
      };
      panel.series.forEach(s => s.x.forEach((x, i) => add([...(several ? [s.name] : []), named(panel.x, x), named(panel.y, s.y[i]),
        ...(intervals ? (s.low ? [text(s.low[i]), text(s.high[i])] : ["", ""]) : [])])));
      if (heat) panel.heat.values.forEach((v, i) => add([
        named(panel.x, panel.x.low + (i % panel.heat.columns + .5) / panel.heat.columns * (panel.x.high - panel.x.low)),
        named(panel.y, panel.y.low + (Math.floor(i / panel.heat.columns) + .5) / panel.heat.rows * (panel.y.high - panel.y.low)), text(v)]));
      if (rows > most) element("p", "and " + (rows - most) + " more", box);
    });
  };

  const sortable = table => {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    const value = (row, k) => {
      const cell = row.cells[k];
      if (!cell) return "";
      const raw = cell.dataset.value ?? cell.textContent.trim().replace("−", "-");
      return raw !== "" && isFinite(raw) ? +raw : raw;
    };
    heads.forEach((head, k) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.scope = "col";
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const order = (a, b) => {
          const x = value(a, k), y = value(b, k);
          const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
          return down ? -less : less;
        };
        body.append(...[...body.rows].sort(order));
      });
    });
  };

  document.querySelectorAll(".plot").forEach(setUp);
  document.querySelectorAll("details.numbers").forEach(details =>
    details.addEventListener("toggle", () => fillNumbers(details), {once: true}));
  document.querySelectorAll("table.sortable").forEach(sortable);
})();
)js";

}  // namespace mercer::report
