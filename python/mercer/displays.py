# SPDX-License-Identifier: Apache-2.0
"""python/mercer/displays.py - pictures of what a fit has found, on matplotlib.

Each has a class method that computes what is drawn and draws it, as scikit-learn's displays have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._paths import Path

__all__ = ["DecisionBoundary", "GapDisplay", "LooCurve", "PathDisplay", "SupportVectors"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


class PathDisplay:
    """How many rows are support vectors, and how many of them are free, along a path."""

    def __init__(self, *, values: np.ndarray, support: np.ndarray, free: np.ndarray, over: str):
        self.values = values
        self.support = support
        self.free = free
        self.over = over

    @classmethod
    def from_path(cls, path: Path, *, ax: Any = None) -> "PathDisplay":
        """Draws a :class:`mercer.Path`."""
        knots = path.knots
        return cls(values=np.array([knot.value for knot in knots]),
                   support=np.array([knot.support for knot in knots]),
                   free=np.array([knot.free for knot in knots]), over=path.over).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> "PathDisplay":
        """Draws it on the axes given, or on new ones."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        order = np.argsort(self.values, kind="stable")
        for counts, label in ((self.support, "support vectors"), (self.free, "free")):
            self.ax_.step(self.values[order], counts[order], where="post", label=label)
        if self.values.min() > 0.0:
            self.ax_.set_xscale("log")
        self.ax_.set(xlabel=self.over, ylabel="rows", ylim=(0, None))
        self.ax_.legend()
        return self


class GapDisplay:
    """The relative gap that a solver estimated over time, and the one that is certified."""

    def __init__(self, *, seconds: np.ndarray, gaps: np.ndarray, certified: float):
        self.seconds = seconds
        self.gaps = gaps
        self.certified = certified

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "GapDisplay":
        """Draws ``trace_`` and ``certificate_`` of a fitted estimator. A run of less than a tenth of
        a second has told little on its way, or nothing."""
        told = [(seconds, gap) for seconds, _, _, gap in estimator.trace_ if gap > 0.0]
        seconds, gaps = np.array(told).reshape(-1, 2).T
        return cls(seconds=seconds, gaps=gaps,
                   certified=estimator.certificate_.relative_gap).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> "GapDisplay":
        """Draws it on the axes given, or on new ones."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        self.ax_.plot(self.seconds, self.gaps, marker=".", label="estimated by the solver")
        self.ax_.axhline(max(self.certified, np.finfo(float).tiny), color="black", linestyle="--",
                         label=f"certified: {self.certified:.1e}")
        self.ax_.set_yscale("log")
        self.ax_.set(xlabel="seconds", ylabel="relative gap")
        self.ax_.legend()
        return self


class LooCurve:
    """The leave-one-out error of a :class:`mercer.KernelRidgeCV` over its alphas."""

    def __init__(self, *, alphas: np.ndarray, errors: np.ndarray, best: float):
        self.alphas = alphas
        self.errors = errors
        self.best = best

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "LooCurve":
        """Draws ``cv_results_`` of a fitted KernelRidgeCV."""
        return cls(alphas=estimator.cv_results_["alpha"], errors=estimator.cv_results_["loo_rmse"],
                   best=estimator.alpha_).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> "LooCurve":
        """Draws it on the axes given, or on new ones."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        order = np.argsort(self.alphas)
        self.ax_.plot(self.alphas[order], self.errors[order], marker=".")
        self.ax_.axvline(self.best, color="black", linestyle="--",
                         label=f"best alpha: {self.best:.3g}")
        self.ax_.set_xscale("log")
        self.ax_.set(xlabel="alpha", ylabel="leave-one-out error (rms)")
        self.ax_.legend()
        return self


def _grid(rows: np.ndarray, resolution: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """East and north of a grid around rows of two columns, and its points as rows."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    pad = 0.08 * (high - low)
    east, north = np.meshgrid(*(np.linspace(a, b, resolution)
                                for a, b in zip(low - pad, high + pad)))
    return east, north, np.column_stack([east.ravel(), north.ravel()])


def _scatter_classes(ax: Any, rows: np.ndarray, classes: np.ndarray, order: np.ndarray) -> None:
    for number, value in enumerate(order):
        own = rows[classes == value]
        ax.scatter(own[:, 0], own[:, 1], s=14, color=f"C{number}", label=str(value))


class DecisionBoundary:
    """Where a classifier says which class, over two columns: any number of classes, and for outliers
    the inside. Rows are drawn in the colour of their own class, so that wrong ones stand out."""

    def __init__(self, *, rows: np.ndarray, classes: np.ndarray | None, order: np.ndarray,
                 grid: tuple[np.ndarray, np.ndarray, np.ndarray], names: tuple[str, str]):
        self.rows = rows
        self.classes = classes
        self.order = order
        self.grid = grid
        self.names = names

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, resolution: int = 300,
                       ax: Any = None) -> "DecisionBoundary":
        """Draws a fitted estimator of two columns; ``y`` None: the rows without their classes."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.shape[1] != 2:
            raise ValueError(f"X: got {rows.shape[1]} columns, must have two")
        east, north, points = _grid(rows, resolution)
        order = np.asarray(getattr(estimator, "classes_", [-1, 1]))
        given = getattr(estimator, "feature_names_in_", None)
        if given is not None:
            points = type(X)(dict(zip(given, points.T)))  # the table it was trained on has names
        said = estimator.predict(points)
        places = (said[:, None] == order[None, :]).argmax(axis=1).reshape(east.shape)
        names = tuple(map(str, given)) if given is not None else ("column 0", "column 1")
        return cls(rows=rows, classes=None if y is None else np.asarray(y), order=order,
                   grid=(east, north, places), names=names).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> "DecisionBoundary":
        """Draws it on the axes given, or on new ones."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        east, north, places = self.grid
        edges = np.arange(len(self.order) + 1) - 0.5
        self.ax_.contourf(east, north, places, levels=edges, alpha=0.25,
                          colors=[f"C{number}" for number in range(len(self.order))])
        self.ax_.contour(east, north, places, levels=edges[1:-1], colors="black", linewidths=0.8)
        if self.classes is None:
            self.ax_.scatter(self.rows[:, 0], self.rows[:, 1], s=14, color="black")
        else:
            _scatter_classes(self.ax_, self.rows, self.classes, self.order)
            self.ax_.legend()
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        return self


class SupportVectors:
    """Rows of two columns and two classes, their support vectors, the boundary and the margins."""

    def __init__(self, *, rows: np.ndarray, classes: np.ndarray, support: np.ndarray,
                 grid: tuple[np.ndarray, np.ndarray, np.ndarray]):
        self.rows = rows
        self.classes = classes
        self.support = support
        self.grid = grid

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, resolution: int = 200,
                       ax: Any = None) -> "SupportVectors":
        """Draws a fitted classifier with the rows that trained it."""
        rows, classes = np.asarray(X, dtype=np.float64), np.asarray(y)
        if rows.shape[1] != 2 or len(estimator.classes_) != 2:
            raise ValueError(f"X: got {rows.shape[1]} columns and {len(estimator.classes_)} classes, "
                             "must have two of each")
        east, north, points = _grid(rows, resolution)
        values = estimator.decision_function(points)
        return cls(rows=rows, classes=classes, support=estimator.support_,
                   grid=(east, north, values.reshape(east.shape))).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> "SupportVectors":
        """Draws it on the axes given, or on new ones."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        self.ax_.contour(*self.grid, levels=[-1.0, 0.0, 1.0], colors="black",
                         linestyles=["--", "-", "--"], linewidths=[0.8, 1.4, 0.8])
        _scatter_classes(self.ax_, self.rows, self.classes, np.unique(self.classes))
        around = self.rows[self.support]
        self.ax_.scatter(around[:, 0], around[:, 1], s=60, facecolors="none", edgecolors="black",
                         linewidths=0.8, label="support vectors")
        self.ax_.legend()
        return self
