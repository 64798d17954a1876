# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/kernels.py - a circle in the plane is a straight line among squared columns."""

from svg import Axis, Picture


def draw(session):
    session.run("data", "make", "xor", "--rows", 150, "--noise", 0, "--seed", 5, "-o", "square.csv")
    rows = [(x, y, 1 if x * x + y * y < 0.5 else -1) for x, y, _ in session.rows("square.csv")]
    session.write("disc.csv", rows)
    session.run("train", "disc.csv", "-o", "disc.mercer", "--header", "no", "--kernel", "monomial(degree=2)",
                "-C", 1e5)
    session.run("kernel", "features", "monomial(degree=2)", "disc.csv", "--header", "no", "-o", "lifted.csv")
    lifted = session.rows("lifted.csv")
    surface = session.surface("disc.mercer", (-1.05, 1.05), (-1.05, 1.05))
    picture = Picture(800, 460, "The same rows and the same boundary in the plane and in feature space")
    plane = picture.panel(64, 40, 320, 320, Axis(-1.05, 1.05, "x\u2081"), Axis(-1.05, 1.05, "x\u2082"))
    plane.frame("the columns as they are", grid=False)
    squares = picture.panel(460, 40, 320, 320, Axis(-0.03, 1.05, "x\u2081\u00b2"), Axis(-0.03, 1.05, "x\u2082\u00b2"))
    squares.frame("two coordinates of \u03c6(x)", grid=False)
    for label, colour, shape in ((-1, "blue", "circle"), (1, "orange", "square")):
        plane.points([row[:2] for row in rows if row[2] == label], colour, shape, 3.4)
        squares.points([(phi[0], phi[2]) for row, phi in zip(rows, lifted) if row[2] == label], colour, shape, 3.4)
    plane.contour(surface, 0.0, "ink", 2.4)
    edges = [session.decisions("disc.mercer", [[a ** 0.5, 0], [0, a ** 0.5]]) for a in (0.0, 1.0)]
    (first, _), (along, above) = edges  # f(x) = b + (along - b) x1^2 + (above - b) x2^2 + a small mixed term
    crossing = lambda end: -first / (end - first)
    squares.line([(crossing(along), 0), (0, crossing(above))], "ink", 2.4)
    picture.legend(90, 430, [("class \u22121", "blue", "circle")])
    picture.legend(220, 430, [("class 1", "orange", "square")])
    picture.legend(340, 430, [("f = 0: an ellipse on the left, a line on the right", "ink", "line")])
    return picture
