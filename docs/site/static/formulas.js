// SPDX-License-Identifier: Apache-2.0
//
// docs/site/static/formulas.js - draws the formulas of a page with KaTeX.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".formula")) {
    katex.render(element.textContent, element, { displayMode: element.tagName === "DIV" });
  }
});
