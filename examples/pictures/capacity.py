# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/capacity.py - every labeling of four points, and a line for each that has one."""

from itertools import product

from svg import Axis, Picture

POINTS = [(0, 0), (1, 0), (0, 1), (1, 1)]
SIDE = (-0.45, 1.45)
CELL, GAP = 110, 12


def draw(session):
    session.write("square.csv", POINTS)
    answer = session.json("theory", "shatter", "square.csv", "--header", "no", "--target", "none")
    missing = set(answer["missing_labelings"])
    columns = 6
    picture = Picture(2 * 20 + columns * (CELL + GAP) - GAP, 3 * (CELL + GAP) + 58,
                      "All labelings of four points of the plane, and a line for each that has one")
    for place, signs in enumerate(sorted(product("+-", repeat=4), key=lambda s: s.count("-"))):
        left = 20 + (CELL + GAP) * (place % columns)
        top = 14 + (CELL + GAP) * (place // columns)
        panel = picture.panel(left, top, CELL, CELL, Axis(*SIDE, ticks=[]), Axis(*SIDE, ticks=[]))
        panel.frame()
        if "".join(signs) in missing:
            panel.line([(SIDE[0], SIDE[0]), (SIDE[1], SIDE[1])], "pink", 2)
            panel.line([(SIDE[0], SIDE[1]), (SIDE[1], SIDE[0])], "pink", 2)
        elif len(set(signs)) == 2:
            session.write("labelled.csv", [(*point, f"{sign}1") for point, sign in zip(POINTS, signs)])
            session.run("train", "labelled.csv", "-o", "line.mercer", "--header", "no", "--model",
                        "hard-margin", "--kernel", "linear")
            panel.contour(session.surface("line.mercer", SIDE, SIDE, 3), 0.0, "ink", 2)
        for point, sign in zip(POINTS, signs):
            colour, shape = ("orange", "square") if sign == "+" else ("blue", "circle")
            panel.points([point], colour, shape, 6)
    picture.legend(20 + 4 * (CELL + GAP), 14 + 2 * (CELL + GAP) + 24,
                   [("class 1", "orange", "square"), ("class \u22121", "blue", "circle"),
                    ("a line that parts them", "ink", "line"), ("there is none", "pink", "cross")])
    picture.text(20, 3 * (CELL + GAP) + 34, f"{answer['realised']} of {2 ** len(POINTS)} labelings "
                 "can be made by a line; with all points in one class, any line beside them will do.",
                 size=13)
    return picture
