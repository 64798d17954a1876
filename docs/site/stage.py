# SPDX-License-Identifier: Apache-2.0
"""docs/site/stage.py - writes the sources of the site: pages of docs/ and the references.

    stage.py FOLDER --program build/bin/mercer

A file that would not change is left alone, so that Sphinx reads again only what is new.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import mercer
from headers import header_pages
from package import package_pages
from pages import DOCS, PROJECT, ROOT, BrokenLink, contents, linked_files, page_of, place_of
from program import program_pages


class Stage:
    """The folder of the sources. What was not written this time is removed at the end."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.written: set[Path] = set()

    def write(self, place: str | Path, data: str | bytes) -> None:
        file = self.folder / place
        data = data.encode() if isinstance(data, str) else data
        self.written.add(file)
        if not file.exists() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def remove_others(self, but: str) -> None:
        for file in self.folder.rglob("*"):
            made = file.relative_to(self.folder).parts[0] == but
            if file.is_file() and not made and file not in self.written:
                file.unlink()


def stage_pages(stage: Stage) -> None:
    sources = [file for file in sorted(DOCS.rglob("*.md")) if place_of(file)]
    for source in [*sources, *(ROOT / name for name in PROJECT)]:
        page, text = page_of(source)
        stage.write(page, text)
        for file in linked_files(source.read_text(encoding="utf-8"), source):
            stage.write(Path("files", file.relative_to(ROOT)), file.read_bytes())
    for image in sorted((DOCS / "images").iterdir()):
        stage.write(image.relative_to(DOCS), image.read_bytes())


def forget_pictures(folder: Path) -> None:
    """Has every example of the gallery run again when the package is not the one that drew it."""
    package = Path(mercer.__file__).parent
    digest = hashlib.sha256()
    for file in [*sorted(package.rglob("*.py")), *sorted(package.rglob("*.so")),
                 DOCS / "site" / "gallery_figures.py"]:
        digest.update(file.read_bytes())
    drawn_by = folder / "gallery" / "drawn-by"
    if not drawn_by.exists() or drawn_by.read_text() != digest.hexdigest():
        for file in (folder / "gallery").glob("*.md5"):
            file.unlink()
        drawn_by.parent.mkdir(parents=True, exist_ok=True)
        drawn_by.write_text(digest.hexdigest())


def stage_project(stage: Stage) -> None:
    names = [Path(place).stem for place in PROJECT.values()]
    stage.write("project/index.md", "\n".join([
        "# The project", "", "How Mercer is built, tested, changed and released.", "",
        *(f"- [{name.capitalize()}]({name}.md)" for name in names),
        "- [Decision records](../adr/index.md)",
        "- [How to make a release](../howto/release.md)", "",
        contents("", [*names, "/adr/index"])]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path, required=True, help="the mercer to ask for help")
    arguments = parser.parse_args()
    stage = Stage(arguments.folder)
    try:
        stage_pages(stage)
    except BrokenLink as fault:
        print(f"stage: {fault}", file=sys.stderr)
        return 1
    stage_project(stage)
    stage.write("index.md", (DOCS / "site" / "index.md").read_bytes())
    for name, pages in (("cli", program_pages(arguments.program.resolve())),
                        ("cpp", header_pages()), ("python", package_pages())):
        for page, text in pages.items():
            stage.write(f"reference/{name}/{page}.md", text)
    stage.remove_others(but="gallery")
    forget_pictures(arguments.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
