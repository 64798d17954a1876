# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/rkhs.py - a ridge fit as a sum of kernels, and the effect of the penalty."""

from svg import Axis, Picture

ROWS = [(-2, -0.5), (-1, 0.6), (0, 1.2), (1.2, 0.3), (2.2, -0.8)]
ACROSS, UP = (-4, 4), (-1.6, 1.6)
ALPHA = 0.3
PENALTIES = ((0.01, "blue", "line"), (ALPHA, "orange", "6 3"), (3, "green", "2 3"))


def ridge(session, name, rows, alpha):
    session.write(f"{name}.csv", rows)
    session.run("train", f"{name}.csv", "-o", f"{name}.mercer", "--header", "no", "--model", "krr",
                "--no-intercept", "--kernel", "rbf(gamma=1)", "--alpha", alpha)
    return session.curve(f"{name}.mercer", *ACROSS, 161)


def draw(session):
    picture = Picture(800, 470, "A fit as a sum of kernels at the rows; fits for three penalties")
    parts = picture.panel(66, 40, 330, 300, Axis(*ACROSS, "x"), Axis(*UP, "f(x)"))
    parts.frame("f is a sum of kernels at the rows")
    whole = ridge(session, "whole", ROWS, ALPHA)
    fitted = session.decisions("whole.mercer", [[x] for x, _ in ROWS])
    for (x, y), value in zip(ROWS, fitted):
        beta = (y - value) / ALPHA  # since (K + alpha I) beta = y
        parts.line(ridge(session, "one", [(x, beta)], 0), "pink", 1.5, "4 3")
    parts.line(whole, "orange", 2.4)
    parts.points(ROWS, "ink", "circle", 4.5)
    fits = picture.panel(456, 40, 330, 300, Axis(*ACROSS, "x"), Axis(*UP))
    fits.frame("less penalty, longer f")
    entries = []
    for alpha, colour, kind in PENALTIES:
        fits.line(ridge(session, "fit", ROWS, alpha), colour, 2.2, kind)
        norm = session.json("theory", "rkhs", "norm", "fit.mercer")["norm"][0]
        entries.append((f"\u03b1 = {alpha}, |f| = {norm:.2f}", colour, kind))
    fits.points(ROWS, "ink", "circle", 4.5)
    picture.legend(76, 402, [(f"f, for \u03b1 = {ALPHA}", "orange", "line"),
                             ("\u03b2\u1d62 k(x\u1d62, \u00b7)", "pink", "4 3")])
    picture.legend(250, 402, [("row", "ink", "circle")])
    picture.legend(466, 402, entries)
    return picture
