# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/overfitting.py - polynomials of rising degree through ten noisy rows."""

import math

from svg import Axis, Picture

DEGREES = {1: ("orange", "6 3"), 2: ("green", "line"), 9: ("blue", "2 3")}
LEAST_SHOWN = 0.1  # lower end of the axis of errors


def parabola(session, name, rows, seed):
    """y = x^2 plus noise of standard deviation 1, x uniform on [-3, 3], with the noise of `sinc`."""
    session.run("data", "make", "sinc", "--rows", rows, "--noise", 0.1, "--seed", seed,
                "-o", "sinc.csv")
    session.write(name, [(0.3 * x, 0.09 * x * x + 10 * (y - math.sin(x) / x))
                         for x, y in session.rows("sinc.csv")])


def draw(session):
    parabola(session, "train.csv", 10, 5)
    parabola(session, "test.csv", 1000, 99)
    picture = Picture(800, 450, "Polynomials of three degrees, their errors in training and test")
    curves = picture.panel(60, 40, 340, 300, Axis(-3, 3, "x"), Axis(-4, 12, "y"))
    curves.frame("ten rows, three degrees")
    errors = picture.panel(474, 40, 306, 300, Axis(1, 9, "degree", ticks=list(range(1, 10))),
                           Axis(LEAST_SHOWN, 100, "root mean squared error", logarithmic=True))
    errors.frame("errors")
    measured = {"train.csv": [], "test.csv": []}
    for degree in range(1, 10):
        session.run("train", "train.csv", "-o", "p.mercer", "--header", "no", "--model",
                    "polynomial", "--degree", degree)
        for name, points in measured.items():
            rmse = session.json("evaluate", "p.mercer", name, "--header", "no")["rmse"]
            points.append((degree, max(rmse, LEAST_SHOWN)))
        if degree in DEGREES:
            colour, kind = DEGREES[degree]
            curves.line(session.curve("p.mercer", -3, 3, 240), colour, 2.2, kind)
    curves.points(session.rows("train.csv"), "ink", "circle", 4)
    errors.line(measured["train.csv"], "sky", 2.2, "6 3")
    errors.line(measured["test.csv"], "pink", 2.2)
    errors.points(measured["train.csv"][:-1], "sky", "circle", 3.5)
    errors.points(measured["test.csv"], "pink", "square", 3.5)
    named = [(f"degree {degree}", *look) for degree, look in DEGREES.items()]
    picture.legend(70, 402, named[:2])
    picture.legend(220, 402, [*named[2:], ("training row", "ink", "circle")])
    picture.legend(484, 402, [("on the ten training rows", "sky", "6 3"),
                              ("on a thousand other rows", "pink", "line")])
    return picture
