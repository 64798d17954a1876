# SPDX-License-Identifier: Apache-2.0
"""docs/site/conf.py - how Sphinx builds the site; tools/docs calls it."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))  # katex, and gallery_figures, by their names

project = "Mercer"
author = "The Mercer authors"
copyright = author
version = release = re.search(r"project\(\w+ VERSION ([\d.]+)",
                              (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
language = "en"
smartquotes = False  # -- begins an option

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_design", "sphinx_copybutton",
              "sphinx_gallery.gen_gallery", "katex"]
exclude_patterns = ["files"]
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_block"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

autodoc_typehints = "none"
python_maximum_signature_line_length = 72
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("gallery_figures.prepare",),
    "capture_repr": (),
    "doc_module": ("mercer",),
    "reference_url": {"mercer": None},  # names in the code lead to the reference
    "backreferences_dir": "gallery/uses",
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 10**6,
    "abort_on_example_error": True,
    "write_computation_times": False,
    "nested_sections": False,
}

html_math_renderer = "katex"
html_theme = "furo"
html_title = f"Mercer {version}"
html_static_path = ["static"]
html_css_files = ["mercer.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"sidebar_hide_name": False}


def name_the_language(app, doctree):
    """Blocks without a language that show a session get its colours."""
    from docutils import nodes

    for block in doctree.findall(nodes.literal_block):
        if block.get("language", "text") in ("text", "default", "none"):
            text = block.astext().lstrip()
            if text.startswith("$ "):
                block["language"] = "console"
            elif text.startswith(">>> "):
                block["language"] = "pycon"


def tidy_docstring(app, what, name, obj, options, lines):
    """|f| is a norm in our docstrings; reStructuredText would look up the name f. A module's begins
    with its path, which a reader of the site does not need."""
    if what == "module" and lines:
        lines[0] = re.sub(r"^python/mercer/\w+\.py - (\w)", lambda match: match[1].upper(), lines[0])
    for index, line in enumerate(lines):
        pieces = re.split(r"(``.*?``)", line)
        lines[index] = "".join(piece if place % 2 else piece.replace("|", r"\|")
                               for place, piece in enumerate(pieces))


def skip_the_parents(app, what, name, obj, skip, options):
    """What an estimator has from scikit-learn is explained there."""
    return True if str(getattr(obj, "__module__", "")).startswith("sklearn") else None


def setup(app):
    app.connect("doctree-read", name_the_language)
    app.connect("autodoc-process-docstring", tidy_docstring)
    app.connect("autodoc-skip-member", skip_the_parents)
