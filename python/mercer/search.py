# SPDX-License-Identifier: Apache-2.0
"""python/mercer/search.py - the choice of hyperparameters by rows that did not train, in the engine.

scikit-learn's ``GridSearchCV`` takes the estimators, too. The engine's own search shares what folds
and combinations have in common: rows are not copied, ``krr`` takes one reduction of K for all alphas,
and exact leave-one-out errors need no refit.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from . import _engine
from ._estimator import MercerEstimator

__all__ = ["SelectCV"]

_CV = "must be a number of folds, 'loo', a splitter, or pairs of row numbers (train, test)"

#: Measures of which less is better.
_ERRORS = ("rmse", "mse", "mae", "gcv", "error", "loss", "brier", "max_error")


class _Selection:
    """Takes the place of one training: tries the grid, trains with the best of it."""

    def __init__(self, grid: dict[str, list[float]], judged: dict[str, Any], seed: int):
        self.grid = grid
        self.judged = judged
        self.seed = seed
        self.found: dict[str, Any] | None = None

    def __call__(self, data: _engine.Data, options: dict[str, Any],
                 how: dict[str, Any]) -> dict[str, Any]:
        if self.found is not None:
            raise ValueError("estimator: this fit takes several machines; SelectCV chooses for one")
        options = {name: value for name, value in options.items() if name != "start"}
        self.found = _engine.select(data, options, self.grid, self.judged, dict(how, seed=self.seed))
        return self.found["refit"]


def _has(name: str) -> Any:
    def check(search: "SelectCV") -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return available_if(check)


class SelectCV(MetaEstimatorMixin, BaseEstimator):
    """The best of a grid of hyperparameters by cross-validation, trained on all rows and certified.

    Parameters
    ----------
    estimator : an estimator of Mercer
    grid : dict from names to values: ``C``, ``alpha``, ``epsilon``, ``nu``, ``degree`` of the machine
        and the parameters of its kernel, ``gamma`` or ``kernel__length``. Values are numbers, or text
        like ``"0.1:100:log10"`` (a factor 10 each) and ``"0.1:100:log10:7"`` (7 of them)
    cv : number of folds, stratified for classes; ``"loo"``: every row is left out once, exactly and
        without refits where the machine can; a splitter of scikit-learn, or an iterable of pairs of
        row numbers (train, test), which are taken as they are
    metric : ``accuracy``, ``balanced_accuracy``, ``auc``; ``rmse``, ``mse``, ``mae``, ``r2``; of
        KernelRidge also ``gcv``, ``log_likelihood``. None: accuracy or rmse
    refine : so many finer grids are tried after the first, each around the best so far
    extend : up to so many values are added beyond the edges of the grid that the best lies on
    search : ``"grid"``: every combination; ``"random"``: ``draws`` of them between the ends of each
        name, evenly in the logarithm where the steps are factors; ``"halving"``: successive halving,
        all on few rows, the best third on three times as many, and so on
    draws : of ``random``; of ``halving`` instead of the whole grid
    repeats : the rows are divided into folds so many times
    time_ordered : the rows stand in the order of time; each fold trains on what came before
    rule : ``"best"``, or ``"one-standard-error"``: the simplest combination within one standard error
        of the best, of the least C (the greatest alpha), then of the smoothest kernel
    nested : so many outer folds estimate what the whole selection is worth: ``nested_``
    random_state : seed of folds and draws

    Attributes
    ----------
    best_estimator_ : trained on all rows with the best values
    best_params_ : these values, under the estimator's names
    best_score_ : its measure; of errors the negative, so that more is better
    cv_results_ : dict with ``params``, ``param_<name>``, a column for each measure,
        ``mean_test_score``, ``std_test_score``, ``rank_test_score``, ``split<k>_test_score`` for
        folds, ``standard_error`` and ``converged``; combinations that did not converge in every fold
        are ranked after those that did
    runner_up_ : the next best: its ``index``, and the difference of the scores, fold by fold, with
        ``mean``, ``lower``, ``upper`` (95 %) and ``p_value`` of the corrected resampled t-test
    nested_ : with ``nested``: ``mean``, ``lower`` and ``upper`` (95 %) of the outer ``scores``, and
        the ``choices`` of the outer folds
    edges_ : names whose best value lies at the end of the grid, with the value that would follow
    unjudged_ : combinations that a time limit left out

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC, SelectCV
    >>> random = np.random.default_rng(0)
    >>> X = random.standard_normal((80, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> search = SelectCV(SVC(), {"C": "0.1:1000:log10", "gamma": [0.1, 1.0, 10.0]}).fit(X, y)
    >>> sorted(search.best_params_)
    ['C', 'gamma']
    >>> search.best_estimator_.status_
    'converged'
    """

    def __init__(self, estimator, grid, *, cv=5, metric=None, refine=0, extend=0, search="grid", draws=0,
                 repeats=1, time_ordered=False, rule="best", nested=0, random_state=0):
        self.estimator = estimator
        self.grid = grid
        self.cv = cv
        self.metric = metric
        self.refine = refine
        self.extend = extend
        self.search = search
        self.draws = draws
        self.repeats = repeats
        self.time_ordered = time_ordered
        self.rule = rule
        self.nested = nested
        self.random_state = random_state

    # From their names to the engine's.

    def _engine_name(self, name: str) -> str:
        """`kernel__length` is the kernel's `length`; the gamma of scikit-learn's poly is its scale."""
        known = self.estimator.get_params()
        if name not in known:
            raise ValueError(f"grid: {type(self.estimator).__name__} has no parameter {name!r}")
        if name.startswith("kernel__"):
            return name.rsplit("__", 1)[1]
        if name == "gamma" and str(getattr(self.estimator, "kernel", "")) in ("poly", "polynomial"):
            return "scale"
        return name

    def _grid(self) -> dict[str, list[float]]:
        if not isinstance(self.estimator, MercerEstimator):
            raise ValueError(f"estimator: got {type(self.estimator).__name__}, must be one of Mercer's; "
                             "scikit-learn's GridSearchCV takes any")
        if not self.grid:
            raise ValueError("grid: it has no name to choose")
        return {self._engine_name(name):
                (_engine.grid_values(name, values) if isinstance(values, str)
                 else [float(value) for value in np.atleast_1d(values)])
                for name, values in self.grid.items()}

    def _judged(self, X: Any, y: Any, groups: Any) -> dict[str, Any]:
        for name, known in (("search", ("grid", "random", "halving")),
                            ("rule", ("best", "one-standard-error"))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}: got {getattr(self, name)!r}, must be one of {', '.join(known)}")
        judged: dict[str, Any] = {"metric": self.metric or "", "search": self.search, "rule": self.rule,
                                  "time_ordered": bool(self.time_ordered)}
        for name in ("refine", "extend", "draws", "repeats", "nested"):
            judged[name] = int(getattr(self, name))
        if isinstance(self.cv, str):
            if self.cv != "loo":
                raise ValueError(f"cv: got {self.cv!r}, {_CV}")
            return {**judged, "leave_one_out": True}
        if isinstance(self.cv, (int, np.integer)):
            if groups is not None:
                numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
                judged["groups"] = np.ascontiguousarray(numbers.ravel(), dtype=np.int64)
            elif _num_samples(X) < self.cv:
                raise ValueError(f"cv: got {self.cv} folds of n_samples={_num_samples(X)}, must be at most "
                                 "one for each row")
            return {**judged, "folds": int(self.cv)}
        return {**judged, "given": self._given(X, y, groups)}

    def _given(self, X: Any, y: Any, groups: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """The folds of a splitter, or those that were given, as numbers of rows."""
        pairs = self.cv.split(X, y, groups) if hasattr(self.cv, "split") else self.cv
        try:
            folds = [tuple(_row_numbers(side, _num_samples(X)) for side in pair) for pair in pairs]
        except TypeError:
            raise ValueError(f"cv: got {self.cv!r}, {_CV}") from None
        if not folds or any(len(pair) != 2 for pair in folds):
            raise ValueError("cv: must be pairs of row numbers, (train, test)")
        return folds

    # A fit.

    def fit(self, X: Any, y: Any = None, *, groups: Any = None):
        """Tries every combination of the grid, and trains the best on all rows.

        ``groups`` has a label for each row: rows of one group are never on both sides of a fold.
        """
        selection = _Selection(self._grid(), self._judged(X, y, groups), int(self.random_state or 0))
        if y is not None and np.asarray(y).ndim == 2:  # one machine, one target
            y = column_or_1d(y, warn=True)
        best = clone(self.estimator)
        best._run_engine = selection
        try:
            best.fit(X, y)
        finally:
            del best._run_engine
        self._keep(best, selection.found)
        return self

    def _keep(self, best: MercerEstimator, found: dict[str, Any]) -> None:
        names = list(self.grid)
        whole = isinstance(getattr(best, "degree", None), int)
        table = [{name: int(value) if name == "degree" and whole else value
                  for name, value in zip(names, values)} for values, _, _ in found["table"]]
        measures = [row for _, row, _ in found["table"]]
        beside = [row for _, _, row in found["table"]]
        converged = np.array([row["converged"] for row in beside])
        self.metric_ = found["measure"]
        sign = -1.0 if self.metric_.endswith(_ERRORS) else 1.0
        scores = sign * np.array([row[self.metric_] for row in measures])
        self.cv_results_ = {"params": table, "mean_test_score": scores,
                            "rank_test_score": _ranks(scores, converged),
                            "standard_error": np.array([row["standard_error"] for row in beside]),
                            "converged": converged}
        if self.search == "halving":
            self.cv_results_["n_rows"] = np.array([row["rows"] for row in beside])
        self._keep_folds(sign, beside)
        for name in names:
            self.cv_results_[f"param_{name}"] = np.array([row[name] for row in table])
        for name in measures[0]:
            self.cv_results_[name] = np.array([row.get(name, np.nan) for row in measures])
        self.best_index_ = found["best"]
        self.best_params_ = table[self.best_index_]
        self.best_score_ = float(scores[self.best_index_])
        self.unjudged_ = found["unjudged"]
        self._keep_certainty(sign, found)
        ours = {self._engine_name(name): name for name in names}
        self.edges_ = [(ours[name], beyond) for name, _, beyond in found["edges"]]
        self.best_estimator_ = best.set_params(**self.best_params_)
        if self.unjudged_:
            warnings.warn(f"SelectCV: {self.unjudged_} combinations were left out; raise time_limit",
                          ConvergenceWarning, stacklevel=3)

    def _keep_folds(self, sign: float, beside: list[dict[str, Any]]) -> None:
        scores = [sign * np.array(row["scores"]) for row in beside]
        leaves_one_out = isinstance(self.cv, str)
        most = 0 if leaves_one_out else max(len(row) for row in scores)
        for fold in range(most):
            self.cv_results_[f"split{fold}_test_score"] = np.array(
                [row[fold] if fold < len(row) else np.nan for row in scores])
        if most:
            self.cv_results_["std_test_score"] = np.array(
                [row.std() if len(row) else np.nan for row in scores])

    def _keep_certainty(self, sign: float, found: dict[str, Any]) -> None:
        self.runner_up_ = _towards_more(sign, found["runner_up"])
        if self.runner_up_ is not None:
            self.runner_up_["index"] = self.runner_up_.pop("row")
        self.nested_ = _towards_more(sign, found["nested"])
        if self.nested_ is not None:
            self.nested_["scores"] = sign * np.array(self.nested_["scores"])
            self.nested_["choices"] = [dict(zip(self.grid, values))
                                       for values in self.nested_["choices"]]

    # What the best says.

    def _best(self) -> MercerEstimator:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def predict(self, X: Any) -> np.ndarray:
        """What the best estimator predicts."""
        return self._best().predict(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The best estimator's score."""
        return self._best().score(X, y)

    @_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """The best estimator's decision values."""
        return self._best().decision_function(X)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """The best estimator's probabilities."""
        return self._best().predict_proba(X)

    @property
    def certificate_(self) -> Any:
        """The proof of the best estimator."""
        return self._best().certificate_

    @property
    def classes_(self) -> np.ndarray:
        """The classes."""
        return self._best().classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        if not hasattr(self, "best_estimator_"):
            raise AttributeError("n_features_in_: nothing was fitted yet")
        return self.best_estimator_.n_features_in_

    def _verify(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Any:
        return self._best()._verify(X, y, sample_weight, **how)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        tags.target_tags.multi_output = False  # one machine, one choice
        return tags


def _ranks(scores: np.ndarray, converged: np.ndarray) -> np.ndarray:
    """1 for the greatest of those that converged, which come first; equal ones have the same."""
    return np.array([1 + int(((converged & ~own) | ((converged == own) & (scores > score))).sum())
                     for score, own in zip(scores, converged)], dtype=np.int32)


def _row_numbers(side: Any, rows: int) -> np.ndarray:
    """Numbers or a mask of rows as numbers."""
    side = np.asarray(side)
    if side.dtype == bool:
        side = np.flatnonzero(side)
    numbers = np.ascontiguousarray(side, dtype=np.int64)
    return np.where(numbers < 0, numbers + rows, numbers)


def _towards_more(sign: float, estimate: dict[str, Any] | None) -> dict[str, Any] | None:
    """An estimate of a measure as one of a score, of which more is better."""
    if estimate is None:
        return None
    ends = sorted((sign * estimate["lower"], sign * estimate["upper"]))
    return dict(estimate, mean=sign * estimate["mean"], lower=ends[0], upper=ends[1])
