# SPDX-License-Identifier: Apache-2.0
"""tests/python/displays_test.py - figures show the given numbers."""

import matplotlib
import mercer
import numpy as np
import pytest

matplotlib.use("Agg")
from mercer.displays import (  # noqa: E402
    DecisionBoundary, GapDisplay, LooCurve, PathDisplay, SupportVectors)


def saved(display, tmp_path):
    display.figure_.savefig(tmp_path / "picture.png")
    return (tmp_path / "picture.png").stat().st_size > 5000


def test_a_path_shows_its_knots(moons, tmp_path):
    path = mercer.path(*moons, kernel="rbf(gamma=2)", start=0.1, stop=50)
    display = PathDisplay.from_path(path)
    support, free = display.ax_.lines
    assert len(support.get_xdata()) == len(path.knots)
    assert support.get_ydata()[0] == path.knots[0].support
    assert free.get_ydata().max() == max(knot.free for knot in path.knots)
    assert display.ax_.get_xlabel() == "C" and saved(display, tmp_path)


def test_a_gap_ends_where_it_is_certified(tmp_path):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((3000, 20)), random.integers(0, 2, 3000)
    with pytest.warns(UserWarning, match="did not converge"):
        model = mercer.SVC(gamma=0.05, C=1e4, gap_tolerance=1e-12, time_limit=1.0).fit(X, y)
    display = GapDisplay.from_estimator(model)
    told, certified = display.ax_.lines
    assert len(told.get_xdata()) > 0
    assert certified.get_ydata()[0] == model.certificate_.relative_gap and saved(display, tmp_path)
    short = GapDisplay.from_estimator(mercer.LSSVC().fit(X[:20], y[:20]))  # not given any data
    assert len(short.seconds) == 0


def test_a_curve_marks_the_best_alpha(curve, tmp_path):
    model = mercer.KernelRidgeCV(np.logspace(-3, 1, 9), kernel="rbf", gamma=1.0).fit(*curve)
    display = LooCurve.from_estimator(model)
    errors, best = display.ax_.lines
    assert errors.get_ydata().min() == pytest.approx(model.loo_rmse_)
    assert best.get_xdata()[0] == model.alpha_ and saved(display, tmp_path)


def test_support_vectors_are_circled(moons, tmp_path):
    X, y = moons
    model = mercer.SVC(gamma=2.0).fit(X, y)
    display = SupportVectors.from_estimator(model, X, y)
    circles = display.ax_.collections[-1].get_offsets()
    np.testing.assert_allclose(circles, model.support_vectors_)
    assert saved(display, tmp_path)
    with pytest.raises(ValueError, match="two of each"):
        SupportVectors.from_estimator(mercer.SVC().fit(X[:, :1], y), X[:, :1], y)


def test_a_boundary_has_the_class_of_every_point(tmp_path):
    from sklearn.datasets import load_iris
    frame = load_iris(as_frame=True)
    table, names = frame.data.iloc[:, 2:], frame.target_names[frame.target]
    for rows in (table, table.to_numpy()):
        model = mercer.SVC(gamma=1.0).fit(rows, names)
        display = DecisionBoundary.from_estimator(model, rows, names, resolution=60)
        east, north, places = display.grid
        assert len(display.ax_.collections) == 2 + 3  # areas, lines, and rows of each class
        i, j = 17, 42
        asked = np.array([[east[i, j], north[i, j]]])
        asked = type(rows)(asked, columns=table.columns) if rows is table else asked
        assert model.classes_[places[i, j]] == model.predict(asked)[0]
        assert display.ax_.get_xlabel() == ("petal length (cm)" if rows is table else "column 0")
        assert saved(display, tmp_path)
    inside = mercer.OneClassSVM(gamma=0.5, nu=0.1).fit(table.to_numpy())
    display = DecisionBoundary.from_estimator(inside, table.to_numpy())
    assert set(np.unique(display.grid[2])) == {0, 1} and saved(display, tmp_path)
    with pytest.raises(ValueError, match="got 4 columns, must have two"):
        DecisionBoundary.from_estimator(mercer.SVC().fit(frame.data, names), frame.data)
