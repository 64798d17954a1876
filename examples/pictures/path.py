# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/path.py - the path of a classifier over C, as mercer path draws it."""

from session import Plotted


def draw(session):
    for name, rows, seed in (("moons.csv", 50, 4), ("new.csv", 200, 2)):
        session.run("data", "make", "moons", "--rows", rows, "--noise", 0.25, "--seed", seed,
                    "-o", name)
    session.run("path", "moons.csv", "-o", "moons.path", "--kernel", "rbf(gamma=1)",
                "--validation", "new.csv", "--plot", "path.svg")
    return Plotted(session.folder / "path.svg")
