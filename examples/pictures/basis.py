# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/basis.py - the error against the number of functions, and with all of them."""

from svg import Axis, Picture

KERNEL = ("--model", "l2-svc", "--kernel", "rbf(gamma=2)", "-C", 10)
SIZES = (1, 2, 4, 8, 16, 32, 64)


def draw(session):
    for name, seed in (("moons.svm", 1), ("test.svm", 2)):
        session.run("data", "make", "moons", "--rows", 1000, "--noise", 0.25, "--seed", seed,
                    "-o", name)
    whole = session.json("train", "moons.svm", "-o", "whole.mercer", *KERNEL)
    best = 100 * session.json("evaluate", "whole.mercer", "test.svm")["accuracy"]
    fit = session.json("train", "moons.svm", "-o", "few.mercer", *KERNEL, "--basis", SIZES[-1],
                       "--validation", "test.svm")
    curve = fit["basis_curve"]
    picture = Picture(800, 400, "Accuracy against the number of kernel functions")
    panel = picture.panel(78, 40, 690, 250,
                          Axis(SIZES[0], SIZES[-1], "functions of the basis", list(SIZES), True),
                          Axis(70, 100, "accuracy, %"))
    panel.frame(f"1,000 moons; the whole machine has {whole['support_vectors']} support vectors")
    panel.line([(SIZES[0], best), (SIZES[-1], best)], "ink", 1.6, "6 4")
    for key, colour in (("training_error", "orange"), ("validation_error", "blue")):
        points = [(row["basis"], 100 * (1 - row[key])) for row in curve]
        panel.line(points, colour, 2.2)
        panel.points(points, colour, "circle", 3)
    picture.legend(80, 365, [("test rows", "blue", "line")])
    picture.legend(230, 365, [("training rows", "orange", "line")])
    picture.legend(400, 365, [("test rows, all functions", "ink", "6 4")])
    return picture
