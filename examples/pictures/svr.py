# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/svr.py - a narrow and a wide tube around the same rows."""

from svg import Axis, Picture

WIDTHS = (0.1, 0.3)
ACROSS, UP = (-10.3, 10.3), (-0.65, 1.35)


def draw(session):
    session.run("data", "make", "sinc", "--rows", 60, "--noise", 0.1, "--seed", 2, "-o", "sinc.csv")
    rows = session.rows("sinc.csv")
    picture = Picture(800, 430, "Support vector regression with a narrow and with a wide tube")
    for place, width in enumerate(WIDTHS):
        fit = session.json("train", "sinc.csv", "-o", "sinc.mercer", "--model", "svr", "--kernel",
                           "rbf(gamma=0.5)", "-C", 1, "--epsilon", width, "--gap-tolerance", 1e-8)
        panel = picture.panel(68 + 375 * place, 40, 340, 280, Axis(*ACROSS, "x"),
                              Axis(*UP, "" if place else "y"))
        panel.frame(f"\u03b5 = {width}: {fit['support_vectors']} of {fit['rows']} rows support it",
                    grid=False)
        curve = session.curve("sinc.mercer", *ACROSS, 160)
        panel.area([(x, f + width) for x, f in curve]
                   + [(x, f - width) for x, f in reversed(curve)], "blue")
        panel.line(curve, "blue", 2.2)
        values = session.decisions("sinc.mercer", [row[:1] for row in rows])
        holds = [abs(row[1] - value) >= width - 1e-4 for row, value in zip(rows, values)]
        panel.points([row for row, held in zip(rows, holds) if not held], "ink", "circle", 2.6)
        panel.points([row for row, held in zip(rows, holds) if held], "orange", "square", 3.6)
    picture.legend(70, 390, [("f + b in its tube", "blue", "line")])
    picture.legend(230, 390, [("row inside the tube, coefficient 0", "ink", "circle")])
    picture.legend(490, 390, [("support vector", "orange", "square")])
    return picture
