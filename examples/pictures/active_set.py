# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/active_set.py - the three groups of rows that an active set distinguishes."""

from svg import Axis, Picture

COST = 1
GROUPS = (("at 0, beyond the margin", "blue", "circle"), ("free, on the margin", "green", "square"),
          ("at C, inside the margin", "orange", "cross"))


def shares(session, rows):
    """|alpha| / C of each row."""
    session.run("convert", "moons.mercer", "-o", "moons.libsvm")
    text = (session.folder / "moons.libsvm").read_text(encoding="utf-8")
    found = {}
    for line in text[text.index("\nSV\n") + 4:].splitlines():
        size, *entries = line.split()
        place = dict(entry.split(":") for entry in entries)
        found[tuple(round(float(place.get(key, 0)), 9) for key in ("1", "2"))] = abs(float(size))
    return [found.get((round(row[0], 9), round(row[1], 9)), 0.0) / COST for row in rows]


def draw(session):
    session.run("data", "make", "moons", "--rows", 120, "--noise", 0.3, "--seed", 7,
                "-o", "moons.csv")
    session.run("train", "moons.csv", "-o", "moons.mercer", "--kernel", "rbf(gamma=1)", "-C", COST,
                "--solver", "active-set", "--gap-tolerance", 1e-12)
    rows = session.rows("moons.csv")
    alphas = shares(session, rows)
    values = session.decisions("moons.mercer", [row[:2] for row in rows])
    points = [(row[2] * value, alpha) for row, value, alpha in zip(rows, values, alphas)]
    groups = ([point for point in points if point[1] == 0],
              [point for point in points if 0 < point[1] < 1],
              [point for point in points if point[1] == 1])
    picture = Picture(800, 420, "Coefficient of each row against its margin, in three groups")
    panel = picture.panel(80, 40, 450, 310, Axis(-2, 2.5, "y f(x)"), Axis(-0.1, 1.1, "alpha / C"))
    panel.frame()
    panel.line([(1, -0.1), (1, 1.1)], "ink", 1.2, "5 4")
    for group, (_, colour, shape) in zip(groups, GROUPS):
        panel.points(group, colour, shape, 3.6)
    picture.legend(552, 70, [(f"{words}: {len(group)}", colour, shape)
                             for group, (words, colour, shape) in zip(groups, GROUPS)])
    return picture
