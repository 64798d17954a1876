# SPDX-License-Identifier: Apache-2.0
"""python/mercer/regressors.py - the regressors, with scikit-learn's names where it has them.

:mod:`mercer.classifiers` explains the parameters that several machines share.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _engine
from ._estimator import MercerEstimator, reworded
from ._linear import LinearWeights

__all__ = ["KernelRidge", "KernelRidgeCV", "L2SVR", "LeastSquares", "NuSVR", "PolynomialRegression",
           "Ridge", "SVR"]

_VECTOR_RUN = ("tol", "gap_tolerance", "max_iter", "solver", "polish")


class MercerRegressor(RegressorMixin, MercerEstimator):
    """A machine whose targets are numbers."""

    _many_targets = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Trains on rows X and their numbers y.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features); with a precomputed kernel the
            matrix of kernel values; with a callable whatever it takes
        y : array of n_samples numbers; some machines take a column for each of several targets
        sample_weight : array of n_samples numbers >= 0; 2 is the row twice, 0 is no row

        Returns
        -------
        self
        """
        X, y = self._checked_pair(X, y)
        weights = self._checked_weights(sample_weight, X)
        self._flat = y.ndim == 1
        self._fit_targets(X, y.reshape(len(y), -1), weights)
        if hasattr(self, "max_iter"):
            self.n_iter_ = max(1, *(model.engine.iterations for model in self.models_), 1)
        return self

    def _checked_pair(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        if y is None:
            raise ValueError(f"requires y to be passed, but the target y is None: "
                             f"{type(self).__name__} learns from numbers")
        if self._is_callable_kernel():
            check_consistent_length(X, y)
            y = np.asarray(y, dtype=np.float64)
        else:
            X, y = self._checked(X, y, reset=True, y_numeric=True, multi_output=True)
        if not self._many_targets:
            y = column_or_1d(y, warn=True)
        return X, np.ascontiguousarray(y, dtype=np.float64)

    def _fit_targets(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        self._fit_models(X, self._target_problems(y, weights), weights, y=y)

    def _target_problems(self, y: np.ndarray, weights: np.ndarray | None
                         ) -> Iterator[Callable[[_engine.Data], None]]:
        for column in y.T:
            def set_targets(data: _engine.Data, column: np.ndarray = column) -> None:
                given = column if data.rows == len(column) else column[weights > 0.0]
                data.set_targets(np.ascontiguousarray(given))
            yield set_targets

    def predict(self, X: Any) -> np.ndarray:
        """The number of each row; a column per target when y had several."""
        values = self._asked(X, "decision_values")
        return values[0][:, 0] if self._flat else np.hstack(values)

    def _verified_targets(self, y: Any) -> list[np.ndarray]:
        return list(np.asarray(y, dtype=np.float64).reshape(len(y), -1).T)


class _VectorRegressor(MercerRegressor):
    _as_libsvm = True

    def _engine_options(self) -> dict[str, Any]:
        return {**super()._engine_options(), "cache_bytes": int(self.cache_size * 2**20)}

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors."""
        return np.array([self.model_.n_support], dtype=np.int32)


class SVR(_VectorRegressor):
    """Support vector regression: 1/2 |f|^2 + C sum_i w_i max(0, |y_i - f(x_i)| - epsilon).

    scikit-learn's ``SVR``; ``shrinking`` is accepted and changes nothing.

    Examples
    --------
    >>> from mercer import SVR
    >>> SVR(kernel="linear", C=100, epsilon=0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]) \\
    ...     .predict([[3.0]]).round(6)
    array([7.])
    """

    _machine = "svr"
    _taken = ("C", "epsilon", *_VECTOR_RUN)

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0,
                 epsilon=0.1, shrinking=True, cache_size=200, verbose=False, max_iter=-1,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", warm_start=False, allow_indefinite=False):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
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


class NuSVR(_VectorRegressor):
    """Support vector regression with a share ``nu`` of rows outside or on the tube.

    scikit-learn's ``NuSVR``; ``shrinking`` is accepted and changes nothing. ``tube_`` is the
    half-width that was found.

    Examples
    --------
    >>> from mercer import NuSVR
    >>> NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]) \\
    ...     .predict([[3.0]]).round(6)
    array([7.])
    """

    _machine = "nu-svr"
    _taken = ("C", "nu", *_VECTOR_RUN)

    def __init__(self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 shrinking=True, tol=1e-3, cache_size=200, verbose=False, max_iter=-1,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", warm_start=False, allow_indefinite=False):
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
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

    @property
    def tube_(self) -> float:
        """Half-width of the tube."""
        check_is_fitted(self, "models_")
        return self._results[0]["tube"]


class L2SVR(_VectorRegressor):
    """Support vector regression with a squared tube, 1/2 max(0, |y - f| - epsilon)^2.

    Examples
    --------
    >>> from mercer import L2SVR
    >>> L2SVR(kernel="linear", C=1e6, epsilon=0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]) \\
    ...     .predict([[3.0]]).round(3)
    array([7.])
    """

    _machine = "l2-svr"
    _taken = ("C", "epsilon", *_VECTOR_RUN)

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0,
                 epsilon=0.1, cache_size=200, verbose=False, max_iter=-1, gap_tolerance=None,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto", polish="auto",
                 warm_start=False, allow_indefinite=False):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
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


class _ManyTargets(MultiOutputMixin, MercerRegressor):
    """Regressors that take a column of y for each of several targets: one fit after the other."""

    _many_targets = True

    @property
    def intercept_(self) -> Any:
        """The constant; one per target when y had several."""
        constants = super().intercept_
        return constants[0] if self._flat else constants


class _Shrunk(_ManyTargets):
    """Regressors with an ``alpha`` that may be one number for each target."""

    def _fit_targets(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.shape not in ((1,), (y.shape[1],)):
            raise ValueError("alpha: Number of targets and number of penalties do not correspond: "
                             f"{len(alphas)} != {y.shape[1]}")
        each = [self._alpha_options(float(alpha))
                for alpha in np.broadcast_to(alphas, (y.shape[1],))]
        self._fit_models(X, self._target_problems(y, weights), weights, y=y, each=each)

    def _alpha_options(self, alpha: float) -> dict[str, Any]:
        return {"alpha": alpha}


class KernelRidge(_Shrunk):
    """Kernel ridge regression: sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2.

    scikit-learn's ``KernelRidge``: no intercept unless ``fit_intercept=True``; ``alpha`` may be one
    number for each target. ``precision="float32"`` factors in half the time and memory.

    Examples
    --------
    >>> from mercer import KernelRidge
    >>> KernelRidge(alpha=1.0).fit([[1.0], [2.0]], [1.0, 2.0]).predict([[6.0]]).round(6)
    array([5.])
    """

    _machine = "krr"
    _taken = ("gap_tolerance", "solver", "precision", "fit_intercept")

    def __init__(self, alpha=1, *, kernel="linear", gamma=None, degree=3, coef0=1,
                 fit_intercept=False, precision="float64", gap_tolerance=None, verbose=False,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 allow_indefinite=False):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.gap_tolerance = gap_tolerance
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.allow_indefinite = allow_indefinite

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of all training rows; a column per target when y had several."""
        check_is_fitted(self, "models_")
        out = np.zeros((self.shape_fit_[0], len(self.models_)))
        for target, model in enumerate(self.models_):
            rows = model.engine.support_rows
            rows = rows if self._kept is None else self._kept[rows]
            out[rows, target] = model.engine.coefficients[:, 0]
        return out[:, 0] if self._flat else out


class KernelRidgeCV(MercerRegressor):
    """Kernel ridge regression with the best of some alphas by its leave-one-out error, exactly.

    One reduction of K serves all alphas. ``alpha_`` is the best, ``loo_rmse_`` its error,
    ``cv_results_`` has every alpha with ``loo_rmse``, ``loo_mse``, ``gcv`` and more.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidgeCV
    >>> x = np.linspace(0, 1, 20)[:, None]
    >>> float(KernelRidgeCV(alphas=[1e-3, 1.0, 100.0], kernel="rbf").fit(x, x[:, 0] ** 2).alpha_)
    0.001
    """

    _machine = "krr"
    _taken = ("gap_tolerance", "solver", "fit_intercept")

    def __init__(self, alphas=(0.1, 1.0, 10.0), *, kernel="linear", gamma=None, degree=3, coef0=1,
                 fit_intercept=False, gap_tolerance=None, verbose=False, time_limit=None,
                 memory_limit=None, n_jobs=None, solver="auto", allow_indefinite=False):
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.gap_tolerance = gap_tolerance
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.allow_indefinite = allow_indefinite

    def fit(self, X: Any, y: Any):
        """Trains on rows X and their numbers y with the best of the alphas."""
        return super().fit(X, y)

    def _train_one(self, data: _engine.Data, options: dict[str, Any],
                   progress: Callable[..., None] | None) -> dict[str, Any]:
        options.pop("start")
        alphas = [float(alpha) for alpha in np.atleast_1d(self.alphas)]
        try:
            found = _engine.select(data, options, {"alpha": alphas}, {"leave_one_out": True},
                                   self._settings(progress))
        except ValueError as error:
            raise ValueError(reworded(str(error), self._taken)) from None
        self.cv_results_ = {"alpha": np.array([values[0] for values, _, _ in found["table"]])}
        for name in found["table"][0][1]:
            self.cv_results_[name] = np.array([row[name] for _, row, _ in found["table"]])
        self.alpha_ = self.cv_results_["alpha"][found["best"]]
        self.loo_rmse_ = self.cv_results_["loo_rmse"][found["best"]]
        return found["refit"]


class Ridge(LinearWeights, _Shrunk):
    """Ridge regression in the columns: sum_i w_i (y_i - <w, x_i> - b)^2 + alpha |w|^2.

    ``alpha`` may be one number for each target; 0 is least squares with the smallest weights.
    ``solver_`` names the solver that was taken.

    Examples
    --------
    >>> from mercer import Ridge
    >>> Ridge(alpha=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(6)
    array([0.666667])
    """

    _machine = "ridge"
    _keeps_precision = True
    _taken = ("gap_tolerance", "solver", "fit_intercept")

    def __init__(self, alpha=1.0, *, fit_intercept=True, gap_tolerance=None, verbose=False,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto"):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.gap_tolerance = gap_tolerance
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver

    def _alpha_options(self, alpha: float) -> dict[str, Any]:
        return {"alpha": alpha} if alpha != 0.0 else {"model": "least-squares"}

    def _shaped(self, weights: np.ndarray) -> np.ndarray:
        return weights[0] if len(self.models_) == 1 else weights

    @property
    def solver_(self) -> str:
        """The solver that was taken."""
        check_is_fitted(self, "models_")
        return self.models_[0].engine.solver


class LeastSquares(LinearWeights, _ManyTargets):
    """Least squares in the columns, with the smallest weights where several are best.

    Examples
    --------
    >>> from mercer import LeastSquares
    >>> LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(6)
    array([7.])
    """

    _machine = "least-squares"
    _keeps_precision = True
    _taken = ("gap_tolerance", "solver", "fit_intercept")

    def __init__(self, *, fit_intercept=True, gap_tolerance=None, verbose=False, time_limit=None,
                 memory_limit=None, n_jobs=None, solver="auto"):
        self.fit_intercept = fit_intercept
        self.gap_tolerance = gap_tolerance
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver

    def _shaped(self, weights: np.ndarray) -> np.ndarray:
        return weights[0] if self._flat else weights

    @property
    def rank_(self) -> int:
        """Rank of the columns."""
        check_is_fitted(self, "models_")
        return self._results[0]["rank"]


class PolynomialRegression(_ManyTargets):
    """Least squares in all monomials of the columns up to ``degree``.

    ``monomials_`` names them.

    Examples
    --------
    >>> from mercer import PolynomialRegression
    >>> model = PolynomialRegression(degree=2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[4.0]]).round(6)
    array([16.])
    """

    _machine = "polynomial"
    _taken = ("degree", "gap_tolerance", "solver", "fit_intercept")

    def __init__(self, degree=2, *, fit_intercept=True, gap_tolerance=None, verbose=False,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto"):
        self.degree = degree
        self.fit_intercept = fit_intercept
        self.gap_tolerance = gap_tolerance
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver

    @property
    def coef_(self) -> np.ndarray:
        raise AttributeError("coef_: the weights are of monomials, not of columns")

    @property
    def monomials_(self) -> list[str]:
        """Names of the monomials."""
        check_is_fitted(self, "models_")
        return self._results[0]["weight_names"]
