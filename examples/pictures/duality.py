# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/duality.py - primal values above, dual values below, the optimum between."""

from svg import Axis, Picture

STEPS = list(range(1, 11))


def draw(session):
    session.run("data", "make", "moons", "--rows", 200, "--noise", 0.2, "--seed", 1,
                "-o", "moons.csv")
    run = session.json("compare", "moons.csv", "--model", "klr", "--kernel", "rbf(gamma=2)",
                       "-C", 1, "--solvers", "gradient-descent")["solvers"][0]
    primal, dual = [], []
    for point in run["trace"]:
        step, value = point["iteration"], point["primal"]
        if step in STEPS:
            primal.append((step, value))
            dual.append((step, value - point["relative_gap"] * max(1.0, abs(value))))
    best = run["certificate"]["primal"]
    picture = Picture(800, 430, "Primal and dual values of a run, step by step")
    panel = picture.panel(80, 30, 480, 330, Axis(1, 10, "steps", ticks=STEPS),
                          Axis(0, 200, "objective")).frame()
    panel.area(primal + dual[::-1], "sky", "0.2")
    panel.line([(1, best), (10, best)], "ink", 1.3, "3 4")
    panel.line(primal, "orange", 2.4)
    panel.line(dual, "blue", 2.4)
    panel.points(primal, "orange", "square", 3.6)
    panel.points(dual, "blue", "circle", 3.8)
    picture.legend(584, 60, [("primal value", "orange", "square"), ("dual value", "blue", "circle"),
                             ("the optimum", "ink", "3 4")])
    picture.text(584, 140, "Between the two, shaded:", size=13)
    picture.text(584, 158, "what is not yet known.", size=13)
    return picture
