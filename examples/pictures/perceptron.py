# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/perceptron.py - a perceptron's line, and the two sides of the mistake bound."""

from svg import Axis, Picture

CLASSES = ((-1, "blue", "circle"), (1, "orange", "square"))


def draw(session):
    session.run("data", "make", "blobs", "--rows", 40, "--noise", 0.25, "--seed", 1,
                "-o", "blobs.csv")
    rows = session.rows("blobs.csv")
    fit = session.json("train", "blobs.csv", "-o", "perceptron.mercer", "--model", "perceptron",
                       "--kernel", "linear", "--trace", "steps.csv")
    session.run("train", "blobs.csv", "-o", "widest.mercer", "--model", "hard-margin",
                "--kernel", "linear")
    across, up = [(min(row[c] for row in rows) - 0.1, max(row[c] for row in rows) + 0.1)
                  for c in (0, 1)]
    picture = Picture(800, 450, "The line a perceptron found, and the two sides of its proof")
    plane = picture.panel(68, 40, 330, 300, Axis(*across, "first column"),
                          Axis(*up, "second column")).frame("two lines that separate")
    for label, colour, shape in CLASSES:
        plane.points([row[:2] for row in rows if row[2] == label], colour, shape, 4)
    plane.contour(session.surface("perceptron.mercer", across, up, 3), 0.0, "ink", 2.2)
    plane.contour(session.surface("widest.mercer", across, up, 3), 0.0, "green", 2, "6 3")
    steps = session.rows("steps.csv")
    last = fit["mistakes"]
    proof = picture.panel(466, 40, 320, 300, Axis(0, last, "mistakes T"),
                          Axis(0, 1.05 * steps[-1][4] ** 0.5, "length of w"))
    proof.frame(f"{last} mistakes, bound {fit['bound']:.0f}")
    proof.line([(0, 0), *((t, limit ** 0.5) for t, _, _, _, limit in steps)], "pink", 2, "6 3")
    proof.line([(0, 0), *((t, norm ** 0.5) for t, _, _, norm, _ in steps)], "ink", 2.4)
    proof.line([(0, 0), (last, last / fit["margin_norm"])], "sky", 2, "2 3")
    picture.legend(76, 402, [("class \u22121", "blue", "circle"), ("class 1", "orange", "square")])
    picture.legend(196, 402, [("perceptron", "ink", "line"), ("widest margin", "green", "6 3")])
    picture.legend(476, 402, [("at most \u221aT R", "pink", "6 3"), ("at least T / B", "sky", "2 3")])
    picture.legend(640, 402, [("|w|", "ink", "line")])
    return picture
