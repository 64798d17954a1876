# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/svm.py - one data set, two costs: the margin and its support vectors."""

from svg import Axis, Picture

COSTS = (0.1, 100)
ACROSS, UP = (-1.75, 2.75), (-1.4, 1.9)
CLASSES = ((-1, "blue", "circle"), (1, "orange", "square"))


def draw(session):
    session.run("data", "make", "moons", "--rows", 120, "--noise", 0.25, "--seed", 7,
                "-o", "moons.csv")
    rows = session.rows("moons.csv")
    picture = Picture(800, 470, "Boundary and margin of a support vector classifier for two costs")
    for place, cost in enumerate(COSTS):
        fit = session.json("train", "moons.csv", "-o", "moons.mercer", "--kernel", "rbf(gamma=1)",
                           "-C", cost)
        panel = picture.panel(68 + 375 * place, 40, 340, 320, Axis(*ACROSS, "first column"),
                              Axis(*UP, "" if place else "second column"))
        panel.frame(f"C = {cost}: {fit['support_vectors']} of {fit['rows']} rows support it",
                    grid=False)
        surface = session.surface("moons.mercer", ACROSS, UP)
        panel.contour(surface, 0.0, "ink", 2.2)
        panel.contour(surface, 1.0, "orange", 1.4, "5 4")
        panel.contour(surface, -1.0, "blue", 1.4, "5 4")
        for label, colour, shape in CLASSES:
            panel.points([row[:2] for row in rows if row[2] == label], colour, shape, 3.4)
        values = session.decisions("moons.mercer", [row[:2] for row in rows])
        panel.points([row[:2] for row, value in zip(rows, values) if row[2] * value <= 1.001],
                     "ink", "ring", 6.5)
    picture.legend(80, 430, [("class \u22121", "blue", "circle"), ("class 1", "orange", "square")])
    picture.legend(260, 430, [("f = \u22121", "blue", "5 4"), ("f = 1", "orange", "5 4")])
    picture.legend(440, 430, [("f = 0", "ink", "line"), ("support vector", "ink", "ring")])
    return picture
