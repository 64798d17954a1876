# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/optimisation.py - certified gaps of several methods against their steps."""

from svg import Axis, Picture

STEPS = 140
METHODS = (("newton", "Newton", "blue", "line"), ("lbfgs", "L-BFGS", "orange", "6 3"),
           ("conjugate-gradient", "conjugate gradients", "green", "2 3"),
           ("gradient-descent", "gradient descent", "pink", "10 4"))


def draw(session):
    session.run("data", "make", "moons", "--rows", 200, "--noise", 0.2, "--seed", 1,
                "-o", "moons.csv")
    answer = session.json("compare", "moons.csv", "--model", "klr", "--kernel", "rbf(gamma=2)",
                          "-C", 10, "--solvers", ",".join(name for name, *_ in METHODS))
    traces = {run["solver"]: run["trace"] for run in answer["solvers"]}
    picture = Picture(800, 450, "Certified relative gap of four methods against their steps")
    panel = picture.panel(80, 34, 480, 350, Axis(0, STEPS, "steps"),
                          Axis(1e-12, 10, "certified relative gap", logarithmic=True)).frame()
    for name, _, colour, kind in METHODS:
        points = [(point["iteration"], max(point["relative_gap"], 1e-12))
                  for point in traces[name] if point["iteration"] <= STEPS]
        panel.line(points, colour, 2.4, kind)
        panel.points(points[-1:], colour, "circle", 4)
    picture.legend(586, 60, [(words, colour, kind) for _, words, colour, kind in METHODS])
    return picture
