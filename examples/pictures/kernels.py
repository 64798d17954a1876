# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/kernels.py - a circle in the plane is a straight line among the squares."""

from svg import Axis, Picture

KERNEL = "monomial(degree=2)"
SIDE = (-1.05, 1.05)
CLASSES = ((-1, "blue", "circle"), (1, "orange", "square"))


def draw(session):
    session.run("data", "make", "xor", "--rows", 150, "--noise", 0, "--seed", 5, "-o", "square.csv")
    rows = [(x, y, 1 if x * x + y * y < 0.5 else -1) for x, y, _ in session.rows("square.csv")]
    session.write("disc.csv", rows)
    session.run("train", "disc.csv", "-o", "disc.mercer", "--header", "no", "--kernel", KERNEL,
                "-C", 1e5)
    session.run("kernel", "features", KERNEL, "disc.csv", "--header", "no", "-o", "lifted.csv")
    lifted = session.rows("lifted.csv")
    picture = Picture(800, 460, "The same rows and boundary in the plane and in feature space")
    plane = picture.panel(64, 40, 320, 320, Axis(*SIDE, "x\u2081"), Axis(*SIDE, "x\u2082"))
    plane.frame("the columns as they are", grid=False)
    squares = picture.panel(460, 40, 320, 320, Axis(-0.03, 1.05, "x\u2081\u00b2"),
                            Axis(-0.03, 1.05, "x\u2082\u00b2"))
    squares.frame("two coordinates of \u03c6(x)", grid=False)
    for label, colour, shape in CLASSES:
        chosen = [index for index, row in enumerate(rows) if row[2] == label]
        plane.points([rows[i][:2] for i in chosen], colour, shape, 3.4)
        squares.points([(lifted[i][0], lifted[i][2]) for i in chosen], colour, shape, 3.4)
    plane.contour(session.surface("disc.mercer", SIDE, SIDE), 0.0, "ink", 2.4)
    # f = b + p x1^2 + q x2^2, and a mixed term that is negligible: where it meets the axes.
    b, at_first, at_second = session.decisions("disc.mercer", [[0, 0], [1, 0], [0, 1]])
    squares.line([(-b / (at_first - b), 0), (0, -b / (at_second - b))], "ink", 2.4)
    picture.legend(90, 430, [("class \u22121", "blue", "circle")])
    picture.legend(220, 430, [("class 1", "orange", "square")])
    picture.legend(340, 430, [("f = 0: an ellipse here, a line there", "ink", "line")])
    return picture
