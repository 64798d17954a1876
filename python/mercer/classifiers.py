# SPDX-License-Identifier: Apache-2.0
"""python/mercer/classifiers.py - the classifiers, with scikit-learn's names where it has them.

Parameters that several of them share:

kernel : ``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"precomputed"`` as in scikit-learn; an
    expression as text, ``"0.7 * rbf(gamma=0.5) + 0.3 * linear"``; an object of
    :mod:`mercer.kernels`; or a callable of two sets of rows that gives the matrix of values
degree, gamma, coef0 : of the kernels that scikit-learn names
tol : greatest violation of the conditions of optimality, LIBSVM's rule; None: no such rule
gap_tolerance : certified relative duality gap; with ``tol`` both must hold; None and no ``tol``: the
    machine's own (1e-4 for support vectors, 1e-8 for smooth machines)
max_iter : iterations; -1: the solver's own limit
time_limit : seconds for the fit; the best model so far is kept, ``status_`` says so
memory_limit : bytes, or text like ``"4G"``; what does not fit is refused or done in blocks
n_jobs : threads; None and -1: all that the process may use
solver : ``"auto"``, or a solver by name
polish : go on to the last digits by an active set; ``"auto"``: when there are at most 500 rows
warm_start : start from the coefficients of the last fit, when the rows are the same
allow_indefinite : take a kernel that cannot be shown positive definite; no certificate then
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._classifier import MercerClassifier
from ._estimator import _levels_to_caller, _limit
from ._linear import LinearWeights

__all__ = ["GreedySVC", "HardMarginSVC", "HuberSVC", "KernelLogisticRegression", "KernelPerceptron",
           "L2SVC", "LSSVC", "LogisticRegression", "NuSVC", "Perceptron", "SVC", "SparseSVC"]

_VECTOR_RUN = ("tol", "gap_tolerance", "max_iter", "solver", "polish")
_SMOOTH_RUN = ("gap_tolerance", "max_iter", "solver")

#: Stands for an infinite C where the likelihood has no maximum: the weights grow with its logarithm.
_COST_OF_SEPARABLE = 1e8


def _learns_probabilities(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class _VectorClassifier(MercerClassifier):
    """Support vector classifiers that may learn a link to probabilities."""

    _as_libsvm = True

    def _engine_options(self) -> dict[str, Any]:
        cache = {"cache_bytes": int(self.cache_size * 2**20)}
        return {**super()._engine_options(), **cache, "probability": bool(self.probability)}

    @available_if(_learns_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities by a link that was learned from 5 folds; their greatest may differ from
        :meth:`predict` near the boundary."""
        return self._probabilities(X)

    def _probabilities(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "models_")
        if not self.models_[0].engine.gives_probabilities:
            raise NotFittedError("predict_proba is not available when fitted with "
                                 "probability=False")
        return super()._probabilities(X)

    @available_if(_learns_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of :meth:`predict_proba`."""
        return np.log(self._probabilities(X))


class SVC(_VectorClassifier):
    """Support vector classification: 1/2 |f|^2 + C sum_i w_i max(0, 1 - y_i f(x_i)).

    scikit-learn's ``SVC``, faster and with proof. ``shrinking`` is accepted and changes nothing:
    the solver shrinks where that pays. See :mod:`mercer.classifiers` for the parameters.

    Examples
    --------
    >>> from mercer import SVC
    >>> model = SVC(C=10, gamma=0.5).fit([[0, 0], [1, 1], [1, 0], [0, 1]], [0, 0, 1, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    >>> model.status_
    'converged'
    """

    _machine = "svc"
    _taken = ("C", *_VECTOR_RUN)

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=200, class_weight=None, verbose=False,
                 max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", warm_start=False, allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.polish = polish
        self.warm_start = warm_start
        self.allow_indefinite = allow_indefinite


class NuSVC(_VectorClassifier):
    """Support vector classification with a share ``nu`` of rows outside or on the margin.

    scikit-learn's ``NuSVC``; ``shrinking`` is accepted and changes nothing. It has no
    ``class_weight``, which scikit-learn's accepts and ignores: weigh the rows. A nu above twice the
    share of the smaller class is refused, as no f has it.

    Examples
    --------
    >>> from mercer import NuSVC
    >>> model = NuSVC(nu=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [2.5]])
    array([0, 1])
    """

    _machine = "nu-svc"
    _taken = ("nu", *_VECTOR_RUN)
    _one_class_left = ("specified nu is infeasible: " + MercerClassifier._one_class_left)

    def __init__(self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=200, verbose=False, max_iter=-1,
                 decision_function_shape="ovr", break_ties=False, random_state=None,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", warm_start=False, allow_indefinite=False):
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.polish = polish
        self.warm_start = warm_start
        self.allow_indefinite = allow_indefinite


    def _train_one(self, data: Any, options: dict[str, Any], progress: Any) -> dict[str, Any]:
        try:
            return super()._train_one(data, options, progress)
        except ValueError as error:
            if "twice the share of the smaller class" not in str(error):
                raise
            raise ValueError(f"specified nu is infeasible: {error}") from None

    def _units(self) -> np.ndarray:
        """The engine's f has the margin it has; scikit-learn's has margin 1."""
        widths = np.array([proof.width for proof in self.models_[0].certificates])
        return 1.0 / np.where(widths > 0.0, widths, 1.0)

    @property
    def intercept_(self) -> np.ndarray:
        """The constant of each output."""
        return super().intercept_ * self._units()

    def _column_weights(self) -> np.ndarray:
        return super()._column_weights() * self._units()[:, None]

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of the support vectors: a row for each class but one, as LIBSVM has them."""
        coefficients = self.model_.engine.coefficients[self._support_order()].T
        units = self._units()
        owners = self._support_classes[self._support_order()]
        place = {pair: number for number, pair in enumerate(
            itertools.combinations(range(len(self.classes_)), 2))}
        for row in range(len(coefficients)):
            others = row + (row >= owners)
            pairs = zip(np.minimum(owners, others).tolist(), np.maximum(owners, others).tolist())
            coefficients[row] *= units[[place[pair] for pair in pairs]]
        return self._as_rows(coefficients)


class L2SVC(_VectorClassifier):
    """Support vector classification with the squared hinge, 1/2 max(0, 1 - y f)^2.

    Examples
    --------
    >>> from mercer import L2SVC
    >>> model = L2SVC(C=10).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.2]])
    array(['low'], dtype='<U4')
    """

    _machine = "l2-svc"
    _taken = ("C", *_VECTOR_RUN)

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 probability=False, tol=1e-3, cache_size=200, class_weight=None, verbose=False,
                 max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", warm_start=False, allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.polish = polish
        self.warm_start = warm_start
        self.allow_indefinite = allow_indefinite


class HuberSVC(_VectorClassifier):
    """Support vector classification with Huber's hinge: squared near the margin, linear beyond.

    Examples
    --------
    >>> from mercer import HuberSVC
    >>> HuberSVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[2.9]])
    array([1])
    """

    _machine = "huber-svc"
    _taken = ("C", *_VECTOR_RUN)

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 probability=False, tol=1e-3, cache_size=200, class_weight=None, verbose=False,
                 max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", warm_start=False, allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.polish = polish
        self.warm_start = warm_start
        self.allow_indefinite = allow_indefinite


class HardMarginSVC(_VectorClassifier):
    """The separating surface with the widest margin; no row may be on the wrong side.

    Classes that no surface separates are refused, with the reason. Rows are dense: sparse ones are
    often equal, and equal rows of two classes have no margin.

    Examples
    --------
    >>> from mercer import HardMarginSVC
    >>> model = HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> model.decision_function([[2.0]]).round(6)
    array([0.])
    """

    _machine = "hard-margin"
    _takes_sparse = False
    _taken = _VECTOR_RUN

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, probability=False,
                 tol=1e-3, cache_size=200, verbose=False, max_iter=-1,
                 decision_function_shape="ovr", break_ties=False, random_state=None,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 polish="auto", allow_indefinite=False):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.polish = polish
        self.allow_indefinite = allow_indefinite


class LSSVC(MercerClassifier):
    """Least-squares classification: 1/2 |f|^2 + C sum_i w_i 1/2 (y_i - f(x_i))^2, by equations.

    Examples
    --------
    >>> from mercer import LSSVC
    >>> LSSVC(C=10).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.1], [2.9]])
    array([0, 1])
    """

    _machine = "ls-svc"
    _taken = ("C", "gap_tolerance", "solver", "fit_intercept")

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 fit_intercept=True, class_weight=None, verbose=False,
                 decision_function_shape="ovr", break_ties=False, gap_tolerance=None,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.verbose = verbose
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.allow_indefinite = allow_indefinite


class _ProbableClassifier(MercerClassifier):
    """Classifiers whose loss is the logarithm of a probability."""

    _takes_no_step = True

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; the greatest is what :meth:`predict` says."""
        return self._probabilities(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of :meth:`predict_proba`."""
        return np.log(self._probabilities(X))


class KernelLogisticRegression(_ProbableClassifier):
    """Logistic regression with a kernel: 1/2 |f|^2 + C sum_i w_i log(1 + exp(-y_i f(x_i))).

    Three or more classes are one joint problem (softmax); a class whose rows all have weight 0 has
    probability 0. ``max_iter=0`` takes no step: f is 0, or with ``warm_start`` that of the last fit.

    Examples
    --------
    >>> from mercer import KernelLogisticRegression
    >>> model = KernelLogisticRegression(C=10).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[1.5]]).round(3)
    array([[0.5, 0.5]])
    """

    _machine = "klr"
    _taken = ("C", *_SMOOTH_RUN, "fit_intercept")

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0,
                 fit_intercept=True, class_weight=None, verbose=False, max_iter=-1,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 warm_start=False, allow_indefinite=False):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.warm_start = warm_start
        self.allow_indefinite = allow_indefinite


class LogisticRegression(LinearWeights, _ProbableClassifier):
    """Logistic regression in the columns: 1/2 |w|^2 + C sum_i w_i log(1 + exp(-y_i f(x_i))).

    scikit-learn's, with the L2 penalty; ``C=float("inf")`` is maximum likelihood, of two classes.
    Columns that separate the classes have no weights of maximum likelihood: the fit is then that of
    C = 1e8, which it warns of, and ``status_`` is ``"no-maximum"``.
    Three or more classes are one joint problem (softmax); a class whose rows all have weight 0 has
    probability 0. ``max_iter=0`` takes no step: the weights are 0, or with ``warm_start`` those of
    the last fit. ``coef_`` and ``intercept_`` may be changed; predictions follow.

    Examples
    --------
    >>> from mercer import LogisticRegression
    >>> LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).coef_.round(3)
    array([[0.958]])
    """

    _machine = "logistic"
    _keeps_precision = True
    _taken = ("C", *_SMOOTH_RUN, "fit_intercept")

    def __init__(self, *, C=1.0, fit_intercept=True, class_weight=None, verbose=False, max_iter=-1,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None,
                 solver="auto", warm_start=False):
        self.C = C
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.warm_start = warm_start

    def _machine_name(self) -> str:
        many = len(getattr(self, "classes_", ())) > 2
        return "klr" if many else "logistic"  # the joint problem, with the linear kernel

    def _engine_options(self) -> dict[str, Any]:
        options = super()._engine_options()
        if options["cost"] == np.inf and options["model"] == "logistic":
            del options["cost"]
            options["lambda"] = 0.0  # the engine's word for no penalty
        return options

    def _train_one(self, data: Any, options: dict[str, Any], progress: Any) -> dict[str, Any]:
        self._has_maximum = True
        try:
            return super()._train_one(data, options, progress)
        except ValueError as error:
            if "the likelihood has no maximum" not in str(error):
                raise
        self._has_maximum = False
        penalised = {name: value for name, value in options.items() if name != "lambda"}
        return super()._train_one(data, dict(penalised, cost=_COST_OF_SEPARABLE), progress)

    def _warn_unless_converged(self) -> None:
        if self._has_maximum:
            super()._warn_unless_converged()
            return
        warnings.warn("LogisticRegression: the likelihood has no maximum, as the columns separate the "
                      f"classes. The weights are those of C={_COST_OF_SEPARABLE:g}; give a finite C.",
                      ConvergenceWarning, stacklevel=_levels_to_caller())

    @property
    def status_(self) -> str:
        """``"converged"``, ``"no-maximum"``, or the first status that is something else."""
        found = super().status_
        return found if self._has_maximum or found == "imported" else "no-maximum"


class Perceptron(LinearWeights, MercerClassifier):
    """Rosenblatt's perceptron: w moves by y x at every mistake until there is none.

    ``shuffle``: rows in random order, not as they stand. ``average``: the mean of w over the run.
    ``max_iter``: it ends after so many passes over the rows, as scikit-learn's does; None: no such
    limit. ``max_mistakes``: it ends after so many. At either limit it warns: the classes may not be
    separable.
    More than two classes are taken one against the rest. ``mistake_bound_`` has what Novikoff's
    theorem allows, where it is cheap to know.

    Examples
    --------
    >>> from mercer import Perceptron
    >>> model = Perceptron().fit([[0.0, 1.0], [1.0, 0.0], [3.0, 2.0], [2.0, 3.0]], [0, 0, 1, 1])
    >>> model.predict([[0.0, 0.0], [4.0, 4.0]])
    array([0, 1])
    """

    _machine = "perceptron"
    _taken = ("fit_intercept", "max_mistakes", "average")

    def __init__(self, *, fit_intercept=True, max_iter=None, max_mistakes=100_000, shuffle=True,
                 average=False, verbose=False, random_state=None, time_limit=None, memory_limit=None,
                 n_jobs=None):
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.max_mistakes = max_mistakes
        self.shuffle = shuffle
        self.average = average
        self.verbose = verbose
        self.random_state = random_state
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any):
        """Trains on rows X and their classes y."""
        return self._fit(X, y, None)

    def _engine_options(self) -> dict[str, Any]:
        order = "random" if self.shuffle else "cyclic"
        passes = _limit(self.max_iter)
        return {**super()._engine_options(), "order": order, "max_passes": passes}

    def _iterations(self) -> list[int]:
        return [result["perceptron"]["passes"] for result in self._results]

    def _how_far(self, model: Any) -> str:
        raised = "max_mistakes" if self.max_iter is None else "max_iter, max_mistakes"
        return (f"{model.engine.iterations} mistakes were made. Raise {raised} or time_limit, "
                "or use SVC: the classes may not be separable.")

    @property
    def mistake_bound_(self) -> list[dict[str, Any]]:
        """For each machine: mistakes made, radius, norm of the margin, and the bound."""
        return [result["perceptron"] for result in self._results]


class KernelPerceptron(Perceptron):
    """The perceptron in the space of a kernel.

    Examples
    --------
    >>> from mercer import KernelPerceptron
    >>> model = KernelPerceptron(gamma=1.0).fit([[0, 0], [1, 1], [1, 0], [0, 1]], [0, 0, 1, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, fit_intercept=True,
                 max_iter=None, max_mistakes=100_000, shuffle=True, average=False, verbose=False,
                 random_state=None, time_limit=None, memory_limit=None, n_jobs=None,
                 allow_indefinite=False):
        super().__init__(fit_intercept=fit_intercept, max_iter=max_iter, max_mistakes=max_mistakes,
                         shuffle=shuffle, average=average, verbose=verbose,
                         random_state=random_state, time_limit=time_limit,
                         memory_limit=memory_limit, n_jobs=n_jobs)
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.allow_indefinite = allow_indefinite


_LOSSES = {"squared_hinge": "l2-svc", "huber": "huber-svc", "logistic": "klr", "squared": "ls-svc"}


class _FewFunctions(MercerClassifier):
    """Classifiers whose f is a sum of few kernel functions."""

    _losses = _LOSSES

    def _machine_name(self) -> str:
        if self.loss not in self._losses:
            raise ValueError(f"loss: got {self.loss!r}, must be one of {', '.join(self._losses)}")
        return self._losses[self.loss]


class SparseSVC(_FewFunctions):
    """Classification with few coefficients: l1 sum_j |beta_j| + C sum_i w_i loss(y_i, f(x_i)).

    ``ridge=True`` pays 1/2 |f|^2 beside. ``loss``: ``"squared_hinge"``, ``"huber"``, ``"logistic"``,
    ``"squared"``, or ``"hinge"``, a linear programme, which takes no ``ridge`` and loads the library
    CLP of the system.

    Examples
    --------
    >>> from mercer import SparseSVC
    >>> model = SparseSVC(C=10).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[0.1], [2.9]])
    array([0, 1])
    """

    _losses = {**_LOSSES, "hinge": "svc"}
    _taken = ("C", "l1", *_SMOOTH_RUN, "fit_intercept")

    def __init__(self, *, C=1.0, l1=1.0, ridge=False, loss="squared_hinge", kernel="rbf", degree=3,
                 gamma="scale", coef0=0.0, fit_intercept=True, class_weight=None, verbose=False,
                 max_iter=-1, decision_function_shape="ovr", break_ties=False, gap_tolerance=None,
                 time_limit=None, memory_limit=None, n_jobs=None, solver="auto",
                 allow_indefinite=False):
        self.C = C
        self.l1 = l1
        self.ridge = ridge
        self.loss = loss
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.solver = solver
        self.allow_indefinite = allow_indefinite

    def _engine_options(self) -> dict[str, Any]:
        return {**super()._engine_options(), "penalty": "l1+rkhs" if self.ridge else "l1"}


class GreedySVC(_FewFunctions):
    """Classification by ``n_basis`` kernel functions that are chosen one by one.

    Each is the best of some random candidates for the objective; ``basis_tolerance`` stops when
    doubling the basis lowers the objective by less than that share. ``basis_curve_`` has the size,
    the objective and the training error along the way.

    Examples
    --------
    >>> from mercer import GreedySVC
    >>> model = GreedySVC(n_basis=2, C=10).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> len(model.support_) <= 2
    True
    """

    _taken = ("C", "gap_tolerance", "fit_intercept", "basis_tolerance", "basis_candidates")

    def __init__(self, *, n_basis=100, C=1.0, loss="squared_hinge", kernel="rbf", degree=3,
                 gamma="scale", coef0=0.0, fit_intercept=True, basis_tolerance=0.0,
                 basis_candidates=59, class_weight=None, verbose=False,
                 decision_function_shape="ovr", break_ties=False, random_state=None,
                 gap_tolerance=None, time_limit=None, memory_limit=None, n_jobs=None,
                 allow_indefinite=False):
        self.n_basis = n_basis
        self.C = C
        self.loss = loss
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.basis_tolerance = basis_tolerance
        self.basis_candidates = basis_candidates
        self.class_weight = class_weight
        self.verbose = verbose
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tolerance = gap_tolerance
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.allow_indefinite = allow_indefinite

    def _engine_options(self) -> dict[str, Any]:
        if not self.n_basis >= 1:
            raise ValueError(f"n_basis: got {self.n_basis}, must be >= 1")
        return {**super()._engine_options(), "basis": int(self.n_basis)}

    @property
    def basis_curve_(self) -> list[tuple[int, float, float]]:
        """(functions, objective, training error) along the way."""
        return self._results[0]["basis"]["curve"]
