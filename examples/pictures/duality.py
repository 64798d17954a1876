# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/duality.py - primal values fall, dual values rise, and the optimum lies between."""

from svg import Axis, Picture

STEPS = 10


def draw(session):
    session.run("data", "make", "moons", "--rows", 200, "--noise", 0.2, "--seed", 1, "-o", "moons.csv")
    answer = session.json("compare", "moons.csv", "--model", "klr", "--kernel", "rbf(gamma=2)", "-C", 1,
                          "--solvers", "gradient-descent")
    trace = [point for point in answer["solvers"][0]["trace"] if 1 <= point["iteration"] <= STEPS]
    primal = [(point["iteration"], point["primal"]) for point in trace]
    dual = [(point["iteration"], point["primal"] - point["relative_gap"] * max(1.0, abs(point["primal"])))
            for point in trace]
    best = answer["solvers"][0]["certificate"]["primal"]
    picture = Picture(800, 430, "Primal and dual values of a run, step by step")
    panel = picture.panel(80, 30, 480, 330, Axis(1, STEPS, "steps", ticks=list(range(1, STEPS + 1))),
                          Axis(0, 200, "objective")).frame()
    panel.area(primal + dual[::-1], "sky", 0.2)
    panel.line([(1, best), (STEPS, best)], "ink", 1.3, "3 4")
    panel.line(primal, "orange", 2.4)
    panel.line(dual, "blue", 2.4)
    panel.points(primal, "orange", "square", 3.6)
    panel.points(dual, "blue", "circle", 3.8)
    picture.legend(584, 60, [("primal value", "orange", "square"), ("dual value", "blue", "circle"),
                             ("the optimum", "ink", "3 4")])
    picture.text(584, 140, "Between the two, shaded:", size=13)
    picture.text(584, 158, "what is not yet known.", size=13)
    return picture
