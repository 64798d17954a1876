# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/session.py - runs mercer in its own folder and reads the output."""

import csv
import json
import os
import subprocess
from pathlib import Path


class Session:
    """A folder with data and models, and the program that uses them."""

    def __init__(self, mercer: Path, folder: Path):
        self.mercer = mercer
        self.folder = folder

    def run(self, *arguments) -> str:
        done = subprocess.run([str(self.mercer), *map(str, arguments)], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ) | {"LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            raise RuntimeError(f"mercer {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def json(self, *arguments) -> dict:
        return json.loads(self.run(*arguments, "--json"))

    def write(self, name: str, rows) -> str:
        """Rows of numbers as CSV without a header."""
        with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return name

    def rows(self, name: str) -> list[list[float]]:
        """The numbers of a CSV file, without its header, if there is one."""
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        if any(character.isalpha() for character in lines[0][0].replace("e", "")):
            lines = lines[1:]
        return [[float(entry) for entry in line] for line in lines]

    def decisions(self, model: str, points) -> list[float]:
        """f(x) + b at each of the points."""
        name = self.write("points.csv", points)
        text = self.run("predict", model, name, "--target", "none", "--header", "no",
                        "--output", "decision")
        return [float(line) for line in text.splitlines()]

    def curve(self, model: str, low: float, high: float, count: int = 200):
        """(x, f(x) + b) on an even grid of one column."""
        places = [low + (high - low) * i / (count - 1) for i in range(count)]
        return list(zip(places, self.decisions(model, [[x] for x in places])))

    def surface(self, model: str, across, up, count: int = 61):
        """f + b over a rectangle, (low, high) each way: xs, ys, values by row."""
        xs = [across[0] + (across[1] - across[0]) * i / (count - 1) for i in range(count)]
        ys = [up[0] + (up[1] - up[0]) * i / (count - 1) for i in range(count)]
        flat = self.decisions(model, [[x, y] for y in ys for x in xs])
        return xs, ys, [flat[count * row:count * (row + 1)] for row in range(count)]


class Plotted:
    """A figure drawn by mercer itself."""

    def __init__(self, file: Path):
        self.text = file.read_text(encoding="utf-8")

    def svg(self) -> str:
        return self.text
