# SPDX-License-Identifier: Apache-2.0
"""docs/site/package.py - the pages that list the Python package; autodoc fills them.

What there is comes from the package itself, so that a new name has its page.
"""

from __future__ import annotations

import importlib
import inspect

import mercer


def directive(kind: str, name: str, *options: str) -> str:
    return "\n".join(["```{eval-rst}", f".. {kind}:: {name}", *(f"   {one}" for one in options),
                      "```", ""])


def documented(owner: str, name: str) -> str:
    value = getattr(mercer, name) if owner == "mercer" else getattr(getattr(mercer, owner), name)
    path = f"mercer.{name}" if owner == "mercer" else f"mercer.{owner}.{name}"
    if inspect.isclass(value):
        inherited = [":inherited-members:"] if name in mercer._HOME_OF else []
        return directive("autoclass", path, ":members:", *inherited, ":member-order: groupwise")
    return directive("autofunction", path)


def first_sentence(name: str) -> str:
    text = inspect.getdoc(getattr(mercer, name)) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("|", r"\|")


def shared_parameters(home: str) -> str:
    """What the docstring of a module says of the parameters of its classes, if it does."""
    _, _, rest = inspect.getdoc(importlib.import_module(f"mercer.{home}")).partition("\n\n")
    intro, _, parameters = rest.partition("\n\n")
    return parameters if " : " in parameters else intro if " : " in intro else ""


def estimator_page(name: str, home: str) -> str:
    if not shared_parameters(home):
        home = "classifiers"
    return "\n".join([
        f"# {name}", "",
        f"[What the parameters mean]({home}.md#parameters-they-share) that several estimators share.", "",
        documented("mercer", name),
        directive("minigallery", f"mercer.{name}", f":add-heading: {name} in the gallery")])


def home_page(title: str, home: str, names: list[str]) -> str:
    rows = [f"| [`{name}`]({name}.md) | {first_sentence(name)} |" for name in names]
    text = ["# " + title, "", "| class | what it is |", "|---|---|", *rows, ""]
    if shared_parameters(home):
        text += ["## Parameters they share", "", parameter_list(shared_parameters(home)), ""]
    text += ["`get_params`, `set_params`, `score` and what else scikit-learn gives every estimator are as "
             "there.", "", "```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join(text)


def parameter_list(text: str) -> str:
    """`name : meaning`, with lines that go on below, as a definition list."""
    found: list[str] = []
    for line in text.splitlines():
        if line[:1].strip() and " : " in line:
            name, _, meaning = line.partition(" : ")
            found.append(f"`{name}`\n: {meaning}")
        elif found:
            found[-1] += f"\n  {line.strip()}"
    return rst_marks("\n\n".join(found))


def rst_marks(text: str) -> str:
    return text.replace("``", "`").replace(":mod:`", "`").replace(":class:`", "`")


def module_page(title: str, owner: str) -> str:
    module = getattr(mercer, owner)
    return "\n".join([f"# {title}", "", directive("automodule", f"mercer.{owner}", ":no-index:"),
                      *(documented(owner, name) for name in module.__all__)])


def package_pages() -> dict[str, str]:
    """The name and the text of every page of the reference."""
    pages: dict[str, str] = {}
    table: list[tuple[str, str, list[str]]] = []
    for home, names in mercer._HOMES.items():
        table.append((home, home.capitalize(), names))
        pages[home] = home_page(home.capitalize(), home, names)
        pages.update({name: estimator_page(name, home) for name in names})
    modules = [name for name in mercer.__all__ if inspect.ismodule(getattr(mercer, name))]
    plain = [name for name in mercer.__all__
             if name not in pages and name not in modules and not name.startswith("_")]
    table.append(("functions", "Functions and models", plain))
    pages["functions"] = "\n".join(["# Functions and models", "",
                                    *(documented("mercer", name) for name in plain)])
    for name in modules:
        table.append((name, f"mercer.{name}", getattr(mercer, name).__all__))
        pages[name] = module_page(f"mercer.{name}", name)
    pages["index"] = "\n".join([
        "# Python package", "",
        "`import mercer` needs numpy; the estimators need scikit-learn. [Mercer in "
        "Python](../../howto/python.md) shows them at work.", "",
        "| page | what is there |", "|---|---|",
        *(f"| [{title}]({page}.md) | {' '.join(f'`{name}`' for name in names)} |"
          for page, title, names in table), "",
        "```{toctree}", ":hidden:", "", *(page for page, _, _ in table), "```", ""])
    return pages
