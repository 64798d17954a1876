# SPDX-License-Identifier: Apache-2.0
"""docs/site/katex.py - formulas by a copy of KaTeX that lies in the site: no page asks another host.

The copy is Debian's libjs-katex; the variable KATEX names another folder that holds it.
"""

import html
import os
import shutil
from pathlib import Path

from docutils import nodes

FOLDER = Path(os.environ.get("KATEX", "/usr/share/javascript/katex"))


def show_inline(translator, node):
    translator.body.append(f'<span class="formula">{html.escape(node.astext())}</span>')
    raise nodes.SkipNode


def show_block(translator, node):
    translator.body.append(f'<div class="formula">{html.escape(node.astext())}</div>')
    raise nodes.SkipNode


def add_scripts(app, pagename, templatename, context, doctree):
    if doctree is not None and (any(doctree.findall(nodes.math))
                                or any(doctree.findall(nodes.math_block))):
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.min.js", loading_method="defer")
        app.add_js_file("formulas.js", loading_method="defer")


def copy_katex(app, error):
    if error is None:
        shutil.copytree(FOLDER, Path(app.outdir, "_static", "katex"), dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.mjs", "*.ttf", "*.woff", "contrib"))


def setup(app):
    app.add_html_math_renderer("katex", (show_inline, None), (show_block, None))
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", copy_katex)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
