# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/l1_path.py - a LASSO path with its folds, as mercer path draws it."""

from session import Plotted


def draw(session):
    session.run("data", "make", "friedman1", "--rows", 60, "--noise", 2, "--seed", 1, "-o", "f.csv")
    session.run("path", "f.csv", "-o", "f.path", "--over", "lambda", "--penalty", "l1", "--loss",
                "squared", "--features", "--folds", 5, "--plot", "l1_path.svg")
    return Plotted(session.folder / "l1_path.svg")
