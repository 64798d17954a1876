# SPDX-License-Identifier: Apache-2.0
"""python/mercer/outliers.py - machines that learn what belongs in from rows alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from ._estimator import MercerEstimator

__all__ = ["OneClassSVM"]


class OneClassSVM(OutlierMixin, MercerEstimator):
    """The one-class machine: at most a share ``nu`` of the rows is left outside.

    scikit-learn's ``OneClassSVM``; ``shrinking`` is accepted and changes nothing.
    :mod:`mercer.classifiers` explains the parameters.

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> OneClassSVM(gamma=1.0, nu=0.2).fit([[0.0], [0.1], [0.2], [0.3], [9.0]]).predict([[0.1], [5.0]])
    array([ 1, -1])
    """

    _machine = "one-class"
    _as_libsvm = True
    _taken = ("nu", "tol", "gap_tolerance", "max_iter", "solver", "polish")

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5,
                 shrinking=True, cache_size=200, verbose=False, max_iter=-1, gap_tolerance=None,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto", polish="auto",
                 warm_start=False, allow_indefinite=False):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.polish = polish
        self.warm_start = warm_start
        self.allow_indefinite = allow_indefinite

    def _engine_options(self) -> dict[str, Any]:
        return {**super()._engine_options(), "cache_bytes": int(self.cache_size * 2**20)}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None):
        """Trains on rows X; y is not used.

        ``sample_weight``: numbers >= 0; 2 is the row twice, 0 is no row.
        """
        if not self._is_callable_kernel():
            X = self._checked(X, reset=True)
        weights = self._checked_weights(sample_weight, X)
        self._fit_models(X, iter([lambda data: None]), weights)
        self.n_iter_ = max(1, self.models_[0].engine.iterations)
        return self

    @property
    def offset_(self) -> np.ndarray:
        """What :meth:`score_samples` is compared with."""
        return -self.intercept_

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors."""
        return np.array([self.model_.n_support], dtype=np.int32)

    def decision_function(self, X: Any) -> np.ndarray:
        """How far inside a row is; < 0: outside. Support vectors on the edge have 0: what differs
        from it by rounding alone is not told."""
        values = self._asked(X, "decision_values")[0][:, 0]
        values[np.abs(values) <= 1e-12 * np.abs(self.offset_)] = 0.0
        return values

    def score_samples(self, X: Any) -> np.ndarray:
        """:meth:`decision_function` without its constant."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """+1 inside, -1 outside."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def _exported(self) -> Any:
        what = super()._exported()
        what.classes = np.array([-1, 1])
        what.least = 1e-12 * float(np.abs(self.offset_[0]))
        return what

    def _verified_targets(self, y: Any) -> list[Any]:
        return [None]
