# SPDX-License-Identifier: Apache-2.0
"""python/mercer/ordered.py - machines that learn an order: classes with one, and rows to be ranked.

:mod:`mercer.classifiers` explains the parameters that several machines share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _engine
from ._classifier import MercerClassifier
from ._estimator import POLISH_ROWS
from .regressors import MercerRegressor

__all__ = ["OrdinalSVC", "RankSVM"]

_RUN = ("C", "tol", "gap_tolerance", "max_iter", "solver")
_LAST_DIGITS = 1e-10


def _goal(estimator: Any, rows: int) -> dict[str, float]:
    """Few rows are taken to the last digits, as other machines polish them."""
    asked = estimator.tol is not None or estimator.gap_tolerance is not None
    return {} if asked or rows > POLISH_ROWS else {"gap_tolerance": _LAST_DIGITS}


class OrdinalSVC(MercerClassifier):
    """Classes in an order, by thresholds of one f: rows of a class should be a margin above the
    thresholds below it and a margin below those above.

    ``order``: the classes from the lowest to the highest; None: ascending. ``thresholds_`` has what
    f is compared with, :meth:`latent_values` is f itself.

    Examples
    --------
    >>> from mercer import OrdinalSVC
    >>> model = OrdinalSVC(kernel="linear", order=["bad", "fair", "good"])
    >>> model.fit([[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]],
    ...           ["bad", "bad", "fair", "fair", "good", "good"]).predict([[3.8], [7.0]])
    array(['fair', 'good'], dtype='<U4')
    """

    _machine = "ordinal"
    _taken = _RUN

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, order=None,
                 class_weight=None, tol=None, gap_tolerance=None, max_iter=-1, verbose=False,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.order = order
        self.class_weight = class_weight
        self.tol = tol
        self.gap_tolerance = gap_tolerance
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.allow_indefinite = allow_indefinite

    def _found_classes(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        classes, codes = super()._found_classes(y)
        if self.order is None:
            return classes, codes
        wanted = np.asarray(self.order)
        if sorted(wanted.tolist()) != classes.tolist():
            raise ValueError(f"order: got {wanted.tolist()}, must be the classes {classes.tolist()}")
        place = np.array([wanted.tolist().index(value) for value in classes.tolist()])
        return wanted, place[codes]

    def _class_options(self, codes: np.ndarray, weights: np.ndarray | None,
                       names: list[str]) -> dict[str, Any]:
        return {**super()._class_options(codes, weights, names), **_goal(self, len(codes)),
                "order": ",".join(names)}

    @property
    def thresholds_(self) -> np.ndarray:
        """One between each class and the next."""
        return self.model_.engine.thresholds

    def latent_values(self, X: Any) -> np.ndarray:
        """f of each row: the class is the number of thresholds that it has reached."""
        return self._asked(X, "decision_values")[0][:, 0]

    def decision_function(self, X: Any) -> np.ndarray:
        """How far f is inside the range of each class, < 0 outside; of two classes f above the
        threshold."""
        f = self.latent_values(X)
        thresholds = self.thresholds_
        if len(self.classes_) == 2:
            return f - thresholds[0]
        lower = np.concatenate([[-np.inf], thresholds])
        upper = np.concatenate([thresholds, [np.inf]])
        return np.minimum(f[:, None] - lower, upper - f[:, None])


class RankSVM(MercerRegressor):
    """Ranking: f orders rows as y does; each pair in the wrong order, or by less than a margin, costs.

    ``fit(X, y, queries=...)`` compares the rows of one query with each other only. Values of
    :meth:`predict` have an order and nothing else: no unit, no zero.

    Examples
    --------
    >>> from mercer import RankSVM
    >>> model = RankSVM(kernel="linear").fit([[1.0], [2.0], [30.0], [20.0]], [1, 2, 1, 2],
    ...                                      queries=[0, 0, 1, 1])
    >>> bool(model.score([[1.0], [2.0]], [1, 2]) in (0.0, 1.0))
    True
    """

    _machine = "rank"
    _taken = _RUN

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=None,
                 gap_tolerance=None, max_iter=-1, verbose=False, time_limit=None, memory_limit=None,
                 n_jobs=None, solver="auto", allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.gap_tolerance = gap_tolerance
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.allow_indefinite = allow_indefinite

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, queries: Any = None):
        """Trains on rows X in the order of the numbers y.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of n_samples numbers; a row with more belongs above a row with less
        sample_weight : array of n_samples numbers >= 0; a pair costs the product
        queries : array of n_samples values; rows of the same value are compared. None: all are

        Returns
        -------
        self
        """
        X, y = self._checked_pair(X, y)
        if len(y) < 2:
            raise ValueError(f"n_samples={len(y)}: there is no pair of rows to compare")
        weights = self._checked_weights(sample_weight, X)
        self._flat = True
        groups = None if queries is None else np.unique(queries, return_inverse=True)[1]
        if groups is not None and len(groups) != len(y):
            raise ValueError(f"queries: got {len(groups)} values, must be one for each of the "
                             f"{len(y)} rows")

        def set_order(data: _engine.Data) -> None:
            kept = slice(None) if data.rows == len(y) else weights > 0.0
            data.set_targets(np.ascontiguousarray(y[kept]))
            if groups is not None:
                data.set_queries(np.ascontiguousarray(groups[kept], dtype=np.int64))

        self._fit_models(X, iter([set_order]), weights, _goal(self, len(y)), y)
        self.n_iter_ = max(1, self.models_[0].engine.iterations)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of pairs with different y that f has in their order; a tie of f counts half.
        A pair weighs the product of its rows' weights."""
        check_is_fitted(self, "models_")
        f, y = self.predict(X), np.asarray(y, dtype=np.float64)
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        right = total = 0.0
        for i in range(len(y)):
            below = y < y[i]
            pairs = weights[i] * weights[below]
            total += pairs.sum()
            right += pairs @ (0.5 * (np.sign(f[i] - f[below]) + 1.0))
        return float(right / total) if total > 0.0 else np.nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = None  # values without a unit are no regression
        tags.regressor_tags = None
        return tags
