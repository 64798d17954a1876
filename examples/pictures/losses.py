# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/losses.py - losses of classifiers against the margin y z, by `theory risk`."""

from svg import Axis, Picture

LOSSES = (("zero-one", "0-1", "ink", "line"), ("hinge", "hinge", "blue", "line"),
          ("squared-hinge", "squared hinge", "orange", "6 3"),
          ("modified-huber", "modified Huber", "green", "10 4"),
          ("logistic", "logistic", "pink", "2 3"))
MARGINS = [-2.5 + 0.125 * i for i in range(41)]


def draw(session):
    session.write("pair.csv", [(-1, -1), (1, 1)])
    session.run("train", "pair.csv", "-o", "pair.mercer", "--header", "no", "--model", "hard-margin",
                "--kernel", "linear")  # f(x) = x
    curves = {name: [] for name, *_ in LOSSES}
    for margin in MARGINS:
        session.write("row.csv", [(margin, 1)])
        answer = session.json("theory", "risk", "pair.mercer", "row.csv", "--header", "no",
                              "--loss", ",".join(curves))
        for entry in answer["losses"]:
            curves[entry["loss"]].append((margin, entry["risk"]))
    jump = next(k for k, point in enumerate(curves["zero-one"]) if point[1] == 0)
    curves["zero-one"].insert(jump, (curves["zero-one"][jump][0], 1))
    picture = Picture(800, 430, "Losses of classes against the margin y z")
    panel = picture.panel(70, 30, 500, 330, Axis(-2.5, 2.5, "margin y z"), Axis(0, 5, "loss"))
    panel.frame()
    for name, _, colour, kind in reversed(LOSSES):
        panel.line(curves[name], colour, 2.4, kind)
    picture.legend(596, 60, [(words, colour, kind) for _, words, colour, kind in LOSSES])
    return picture
