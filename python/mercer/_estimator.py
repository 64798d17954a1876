# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_estimator.py - the one base of the estimators: parameters in, engine options out.

A class of classifiers.py, regressors.py or outliers.py is its signature and its docstring. What the
parameters are called in the engine, how rows are checked, what a fit leaves behind and what is said
when a run did not converge stands here.
"""

from __future__ import annotations

import html
import os
import re
import sys
import warnings
from typing import Any, Callable, Iterator

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _engine, _threadpool, kernels  # noqa: F401: it registers itself
from ._callbacks import CallbackSupportMixin, StoppedByCallback, fit_task, with_callbacks
from ._model import Certificate, Model, describe
from ._progress import progress_of
from ._rows import rows_of
from ._settings import settings
from ._train import VerifyReport, verify_model

#: What scikit-learn calls the engine's options. All other names are the same.
ENGINE_NAMES = {"C": "cost", "tol": "tolerance", "max_iter": "max_iterations",
                "max_mistakes": "max_iterations", "fit_intercept": "intercept"}

#: Up to so many rows the answer of a support vector machine is taken to its last digits, which
#: takes a few milliseconds: there "weight 2" and "the row twice" agree as far as doubles can.
POLISH_ROWS = 500

#: Rows of a block of kernel values that a callable is asked for.
_BLOCK_VALUES = 1 << 22

_SKLEARN_KERNELS = {"linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2",
                    "precomputed"}


def reworded(message: str, parameters: tuple[str, ...]) -> str:
    """The engine's message in Python's words: `cost` is C, `--gap-tolerance` gap_tolerance."""
    names = {ENGINE_NAMES.get(name, name): name for name in parameters}

    def python_name(found: re.Match[str]) -> str:
        option = found[1].replace("-", "_")
        return names.get(option, option)

    message = re.sub(r"^(\w+)(?=:)", python_name, message)
    message = re.sub(r"--model (\S+)", r"the machine \1", message)
    return re.sub(r"--([a-z][a-z-]*[a-z])", python_name, message)


def weighted_scale_gamma(X: Any, sample_weight: np.ndarray | None) -> float:
    """1 / (columns * variance of all entries), where a row counts as often as its weight says."""
    columns = X.shape[1]
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    total = weights.sum() * columns
    mean = float(weights @ np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1)) / total
    if sparse.issparse(X):
        squares = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).reshape(-1)
        variance = float(weights @ squares) / total - mean**2
    else:
        variance = float(weights @ np.square(X - mean, dtype=np.float64).sum(axis=1)) / total
    return float(1.0 / (columns * variance)) if variance > 0.0 else 1.0


class MercerEstimator(CallbackSupportMixin, BaseEstimator):
    """What all machines share."""

    #: The machine's name in the engine.
    _machine = ""
    #: Parameters that go to the engine as they are, under their names or ENGINE_NAMES.
    _taken: tuple[str, ...] = ()
    #: Whether CSR rows are taken.
    _takes_sparse = True
    #: As scikit-learn's support vector machines: rows of a weight < 0 are left out, coefficients of
    #: sparse rows are sparse, and a machine of dense rows is not asked for sparse ones.
    _as_libsvm = False
    #: As scikit-learn's linear machines: weights of float32 columns are float32.
    _keeps_precision = False
    #: Whether ``max_iter=0`` is taken: the start itself, certified.
    _takes_no_step = False

    # From parameters to options.

    def _machine_name(self) -> str:
        return self._machine

    def _engine_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"model": self._machine_name()}
        for name in self._taken:
            value = getattr(self, name)
            if name == "max_iter":
                options["start_only"] = bool(self._takes_no_step and value == 0)
                value = 0 if options["start_only"] else _limit(value)
            options[ENGINE_NAMES.get(name, name)] = (value.item() if isinstance(value, np.generic)
                                                     else value)
        return options

    def _seed(self) -> int:
        state = getattr(self, "random_state", None)
        if state is None:
            return 0
        if isinstance(state, (int, np.integer)):
            return int(state)
        return int(check_random_state(state).randint(np.iinfo(np.int32).max))

    def _settings(self, progress: Callable[..., None] | None) -> dict[str, Any]:
        return settings(getattr(self, "n_jobs", None),
                        memory_limit=getattr(self, "memory_limit", None),
                        time_limit=getattr(self, "time_limit", None), seed=self._seed(),
                        progress=progress)

    # The kernel.

    def _is_callable_kernel(self) -> bool:
        kernel = getattr(self, "kernel", None)
        return callable(kernel) and not isinstance(kernel, kernels.Kernel)

    def _is_precomputed(self) -> bool:
        return str(getattr(self, "kernel", "linear")) == "precomputed"

    def _gamma_of(self, X: Any, sample_weight: np.ndarray | None) -> float:
        gamma = getattr(self, "gamma", "scale")
        if gamma is None or isinstance(gamma, str):
            if gamma == "scale":
                return weighted_scale_gamma(X, sample_weight)
            if gamma is None or gamma == "auto":
                return 1.0 / X.shape[1]
            raise ValueError(f"gamma: got {gamma!r}, must be 'scale', 'auto' or a number > 0")
        return float(gamma)

    @property
    def _gamma(self) -> float:
        """The gamma of a fit, under the name that scikit-learn has for it."""
        found = re.search(r"(?:gamma|scale)=([^,)]+)", self.model_.kernel)
        return float(found[1]) if found else 0.0

    def _named_kernel(self, name: str, X: Any, sample_weight: np.ndarray | None) -> str:
        """scikit-learn's name of a kernel as an expression, with its numbers."""
        if name in ("linear", "cosine", "precomputed"):
            return name
        if name == "rbf" and sample_weight is None and isinstance(self.gamma, str):
            if self.gamma == "scale":
                return "rbf(gamma=scale)"  # the engine looks at the rows anyway
        gamma = self._gamma_of(X, sample_weight)
        if name in ("poly", "polynomial"):
            if self.degree == 0:
                return "constant(1)"
            if gamma == 0.0:
                return f"constant({float(self.coef0) ** self.degree!r})"
            return f"poly(degree={self.degree}, coef0={float(self.coef0)!r}, scale={gamma!r})"
        if gamma == 0.0 and name == "rbf":
            return "constant(1)"
        if name == "sigmoid":
            return f"sigmoid(gamma={gamma!r}, coef0={float(self.coef0)!r})"
        return {"laplacian": "laplace"}.get(name, name) + f"(gamma={gamma!r})"

    def _kernel_options(self, X: Any, sample_weight: np.ndarray | None) -> dict[str, Any]:
        if not hasattr(self, "kernel"):
            return {}
        options: dict[str, Any] = {"allow_indefinite": getattr(self, "allow_indefinite", False)}
        if self._is_callable_kernel():
            return {**options, "kernel": "precomputed"}
        text = str(self.kernel)
        if text in _SKLEARN_KERNELS:
            options["kernel"] = self._named_kernel(text, X, sample_weight)
            options["allow_indefinite"] |= text in ("sigmoid", "poly", "polynomial")
            return options
        options["kernel"] = text
        if sample_weight is not None and _engine.waits_for_data(text):
            options["scale_gamma"] = weighted_scale_gamma(X, sample_weight)
        return options

    # Rows.

    def _checked(self, X: Any, y: Any = None, *, reset: bool, **how: Any) -> Any:
        rules = {"accept_sparse": "csr" if self._takes_sparse else False,
                 "dtype": [np.float64, np.float32], "order": "C", "accept_large_sparse": True, **how}
        if y is None:
            return validate_data(self, X, reset=reset, **rules)
        return validate_data(self, X, y, reset=reset, **rules)

    def _checked_weights(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        if sample_weight is None:
            return None
        if not np.asarray(sample_weight).any():
            raise ValueError("Invalid input - all samples have zero or negative weights. Sample "
                             "weights must contain at least one non-zero number.")
        weights = np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
        if (weights < 0.0).any():
            if not self._as_libsvm:
                raise ValueError("sample_weight: negative weights are not supported, must be >= 0")
            weights = np.maximum(weights, 0.0)
        if not weights.any():
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        return weights

    def _values(self, X: Any, with_rows: Any) -> np.ndarray:
        """Kernel values of a callable."""
        values = self.kernel(X, with_rows)
        values = values.toarray() if sparse.issparse(values) else values
        values = np.ascontiguousarray(values, dtype=np.float64)
        if values.shape != (_count(X), _count(with_rows)):
            raise ValueError(f"kernel: the callable gave shape {values.shape}, must be "
                             f"{(_count(X), _count(with_rows))}")
        return values

    def _rows_to_train(self, X: Any, weights: np.ndarray | None) -> tuple[Any, np.ndarray | None]:
        """What the engine is given as rows, and the rows of X that it is given (None: all)."""
        if not (self._is_precomputed() or self._is_callable_kernel()):
            return X, None
        values = self._values(X, X) if self._is_callable_kernel() else X
        if sparse.issparse(values):
            raise TypeError("Sparse precomputed kernels are not supported.")
        if values.shape[0] != values.shape[1]:
            raise ValueError(f"X: a precomputed matrix must be square, got shape {values.shape}: "
                             "the kernel values of the training rows")
        if weights is None or weights.all():
            return values, None
        kept = np.flatnonzero(weights)
        return values[kept][:, kept], kept

    # A fit.

    @with_callbacks
    def _fit_models(self, X: Any, problems: Iterator[Callable[[_engine.Data], None]],
                    weights: np.ndarray | None, options: dict[str, Any] | None = None,
                    y: Any = None, each: list[dict[str, Any]] | None = None) -> None:
        """Trains one model for each problem, which puts its targets on the rows, with ``options`` and
        those of its place in ``each``. ``y`` is for callbacks."""
        task = fit_task(self, X, y, weights)
        shown = progress_of(getattr(self, "verbose", False), getattr(self, "gap_tolerance", None))
        listeners = [one for one in (task, shown) if one is not None]

        def progress(*moment: Any) -> None:
            for listener in listeners:
                listener(*moment)

        kernel = self._kernel_options(X, weights)
        values, kept = self._rows_to_train(X, weights)
        if kept is not None:
            weights = weights[kept]
        wanted = {**self._engine_options(), **kernel, **(options or {})}
        if _engine.machines()[wanted["model"]]["linear"]:
            wanted.pop("kernel", None)
        if wanted.get("polish") == "auto":  # iterations that are counted are not exceeded
            wanted["polish"] = values.shape[0] <= POLISH_ROWS and self.max_iter == -1
        old = getattr(self, "models_", None) if getattr(self, "warm_start", False) else None
        results = []
        for number, set_targets in enumerate(problems):
            data = rows_of(values, checked=True)
            set_targets(data)
            if weights is not None:
                data.set_weights(weights)
            data.column_names = [str(name) for name in getattr(self, "feature_names_in_", ())]
            start = old[number].engine if old is not None and number < len(old) else None
            own = dict(wanted, start=start) | (each[number] if each else {})
            results.append(self._train_one(data, own, progress if listeners else None))
            if results[-1]["raised"] is not None:
                break
        if shown is not None:
            shown.close()
        self._keep(results, X, kept)
        if task is not None:
            task.close()

    def _run_engine(self, data: _engine.Data, options: dict[str, Any],
                    how: dict[str, Any]) -> dict[str, Any]:
        """One model: what a search replaces."""
        return _engine.train(data, options, how)

    def _train_one(self, data: _engine.Data, options: dict[str, Any],
                   progress: Callable[..., None] | None) -> dict[str, Any]:
        try:
            return self._run_engine(data, options, self._settings(progress))
        except ValueError as error:
            if options.get("start") is not None and str(error).startswith("start:"):
                return self._train_one(data, dict(options, start=None), progress)
            message = reworded(str(error), self._taken)
            if self._as_libsvm and "does not fit the precision" in message:
                message = f"The dual coefficients or intercepts are not finite: {message}"
            raise ValueError(message) from None

    def _keep(self, results: list[dict[str, Any]], X: Any, kept: np.ndarray | None) -> None:
        """What a fit leaves behind; then the bad news, if there are any."""
        self.models_ = [Model(result["model"]) for result in results]
        self.trace_ = [moment for result in results for moment in result["trace"]]
        self._results = [{name: result[name] for name in ("outputs", "missing", "tube", "rank",
                                                          "weight_names")}
                         | {name: result[name] for name in ("perceptron", "basis")
                            if name in result} for result in results]
        self._kept = kept
        self._sparse = sparse.issparse(X) and not self._is_callable_kernel()
        self._single = self._keeps_precision and X.dtype == np.float32
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        if self._is_callable_kernel():
            self._training_objects = X
        raised = next((result["raised"] for result in results if result["raised"]), None)
        if raised is None:
            self._warn_unless_converged()
        elif not isinstance(raised, StoppedByCallback):
            raise raised

    def _warn_unless_converged(self) -> None:
        bad = [model for model in self.models_ if model.status != "converged"]
        if bad:
            worst = max(bad, key=lambda model: model.certificate.relative_gap)
            warnings.warn(f"{type(self).__name__} did not converge ({worst.status}): "
                          f"{self._how_far(worst)}", ConvergenceWarning,
                          stacklevel=_levels_to_caller())

    def _how_far(self, model: Model) -> str:
        """How far a model that did not converge came, and what helps."""
        remedy = {"iteration-limit": "raise max_iter, or scale the columns, for instance with "
                                     "StandardScaler",
                  "interrupted": "raise time_limit",
                  "reduced": "double precision ends here: scale the columns, or lower C"}
        return f"{model.certificate}. {remedy.get(model.status, 'see status_')}."

    # What predicts.

    def _rows_to_ask(self, X: Any) -> Iterator[_engine.Data]:
        """Rows for the models' kernels, in blocks where the values come from a callable."""
        if not self._is_callable_kernel():
            X = self._checked(X, reset=False)
            if self._as_libsvm and sparse.issparse(X) and not self._sparse:
                raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on "
                                 "dense data")
            if self._is_precomputed() and self._kept is not None:
                X = np.ascontiguousarray(X[:, self._kept])
            yield rows_of(X, checked=True)
            return
        columns = self.models_[0].engine.columns
        count = _count(X)
        step = max(1, _BLOCK_VALUES // max(1, columns))
        for begin in range(0, max(count, 1), step):
            block = _taken_rows(X, np.arange(begin, min(begin + step, count)))
            values = np.zeros((0, columns))
            if _count(block):
                values = self._values(block, self._training_objects)
            yield rows_of(values if self._kept is None else values[:, self._kept])

    def _asked_at_once(self, X: np.ndarray, question: str) -> list[np.ndarray] | None:
        """As :meth:`_asked`, for a few rows as the engine takes them; None: ask the long way.

        scikit-learn's look at one row takes ten times as long as the answer. What it would refuse
        or warn of is left to it.
        """
        known = self.__dict__
        if ("models_" not in known or "feature_names_in_" in known or known["_kept"] is not None
                or self._is_callable_kernel()):
            return None
        answers = []
        for model in known["models_"]:
            answer = getattr(model._ask(), "few_" + question)(X)
            if answer is None:
                return None
            answers.append(answer)
        return answers

    def _asked(self, X: Any, question: str) -> list[np.ndarray]:
        """The answer of each model to `decision_values`, `classes` or `probabilities`."""
        if type(X) is np.ndarray and (answers := self._asked_at_once(X, question)) is not None:
            return answers
        check_is_fitted(self)
        how = settings(getattr(self, "n_jobs", None),
                       memory_limit=getattr(self, "memory_limit", None))
        blocks = [[getattr(model._ask(), question)(rows, how) for model in self.models_]
                  for rows in self._rows_to_ask(X)]
        return [np.concatenate(parts) if len(parts) > 1 else parts[0] for parts in zip(*blocks)]

    # What a fit has found.

    @property
    def model_(self) -> Model:
        """The model, when there is one alone: more classes or targets may take several."""
        check_is_fitted(self, "models_")
        if len(self.models_) != 1:
            raise AttributeError("model_: there are several, in models_")
        return self.models_[0]

    @property
    def certificate_(self) -> Certificate:
        """The proof of the model; of several models the one with the greatest relative gap."""
        check_is_fitted(self, "models_")
        return max((model.certificate for model in self.models_),
                   key=lambda proof: np.nan_to_num(proof.relative_gap, nan=np.inf))

    @property
    def certificates_(self) -> list[Certificate]:
        """The proof of each problem that was solved."""
        check_is_fitted(self, "models_")
        return [proof for model in self.models_ for proof in model.certificates]

    @property
    def status_(self) -> str:
        """``"converged"``, or the first status that is something else."""
        check_is_fitted(self, "models_")
        return next((model.status for model in self.models_ if model.status != "converged"),
                    "converged")

    @property
    def fit_status_(self) -> int:
        """0 when converged, as in scikit-learn."""
        return int(self.status_ != "converged")

    @property
    def intercept_interval_(self) -> np.ndarray:
        """Every intercept that is as good as the one taken: a row (lower, upper) per problem."""
        return np.array([proof.intercept_interval for proof in self.certificates_])

    @property
    def intercept_(self) -> Any:
        """The constant of each output."""
        check_is_fitted(self, "models_")
        constants = np.concatenate([model.engine.intercepts for model in self.models_])
        return constants.astype(np.float32) if self._single else constants

    def _support_order(self) -> np.ndarray:
        return np.arange(self.models_[0].n_support)

    @property
    def support_(self) -> np.ndarray:
        """Numbers of the support vectors among the training rows."""
        rows = self.model_.engine.support_rows[self._support_order()]
        return rows if self._kept is None else self._kept[rows]

    @property
    def support_vectors_(self) -> Any:
        """The support vectors themselves; of precomputed values there are none."""
        if self._is_precomputed():
            return np.empty((0, 0))
        if self._is_callable_kernel():
            return _taken_rows(self._training_objects, self.support_)
        found = self.model_.engine.support_vectors
        if isinstance(found, tuple):
            values, indices, offsets, columns = found
            found = sparse.csr_array((values, indices, offsets), (len(offsets) - 1, columns))
        return found[self._support_order()]

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors, a row per output."""
        return self._as_rows(self.model_.engine.coefficients[self._support_order()].T)

    def _as_rows(self, values: np.ndarray) -> Any:
        """Sparse where scikit-learn's are."""
        if self._as_libsvm and self._sparse:
            return sparse.csr_array(values)
        values.flags.writeable = False  # writing to it would change nothing
        return values

    @property
    def coef_(self) -> Any:
        """Weights of the columns, when the kernel is linear."""
        if str(getattr(self, "kernel", "linear")) != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self, "models_")
        weights = self._as_rows(self._column_weights())
        return weights.astype(np.float32) if self._single else weights

    def _column_weights(self) -> np.ndarray:
        return np.vstack([_column_weights(model) for model in self.models_])

    # Where it goes.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which ``mercer.load`` and the program ``mercer`` read."""
        self.model_.save(path)

    def to_libsvm(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as LIBSVM's text; ValueError when that cannot hold it."""
        self.model_.to_libsvm(path)

    def report(self, X: Any = None, y: Any = None, *, validation: tuple[Any, ...] | None = None,
               sample_weight: Any = None, **options: Any) -> dict[str, Any]:
        """Writes an HTML page about the fitted model and returns its numbers.

        ``path="report.html"`` is where it goes, ``validation=(X, y)`` rows that did not train; the
        other options are those of ``mercer._report.write_report``.
        """
        check_is_fitted(self)
        if len(self.models_) != 1:
            raise ValueError(f"report: this estimator holds {len(self.models_)} models; call "
                             "report of each of models_")
        weights = None
        if X is not None:
            X, weights = self._reported_rows(X), self._checked_weights(sample_weight, X)
            y = None if y is None else self._verified_targets(y)[0]
        if validation is not None:
            others, targets, *more = validation
            validation = self._reported_rows(others), self._verified_targets(targets)[0], *more
        return self.model_.report(X, y, validation=validation, sample_weight=weights, **options)

    def _reported_rows(self, X: Any) -> Any:
        if self._is_callable_kernel():
            raise ValueError("report: a kernel that is a function of rows cannot be reported on")
        return self._checked(X, reset=False)

    def to_onnx(self, *, dtype: str = "float64") -> Any:
        """An ``onnx.ModelProto`` of double precision that predicts alike; see :mod:`mercer.exports`.

        ``dtype`` is that of its input. ValueError when ONNX cannot hold the kernel.
        """
        from . import exports

        return exports.to_onnx(self._exported(), dtype)

    def _exported(self) -> Any:
        """What :mod:`mercer.exports` writes."""
        from .exports import Exported

        check_is_fitted(self, "models_")
        if self._is_callable_kernel() or self._kept is not None:
            raise ValueError("kernel: values of a callable, or of some rows of a matrix, cannot be "
                             "written as ONNX")
        return Exported(self.models_)

    def _verify(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> VerifyReport:
        check_is_fitted(self)
        if not self._is_callable_kernel():
            X = self._checked(X, reset=False)
        weights = self._checked_weights(sample_weight, X)
        values, kept = self._rows_to_train(X, weights)
        if kept is not None:
            weights = weights[kept]
        reports = [verify_model(model, values,
                                target if kept is None or target is None else target[kept],
                                weights, **how)
                   for model, target in zip(self.models_, self._verified_targets(y))]
        return next((report for report in reports if not report), reports[0])

    def _verified_targets(self, y: Any) -> list[np.ndarray]:
        """What each model was trained on."""
        raise NotImplementedError

    def _with_certificate(self, page: str) -> str:
        if not hasattr(self, "models_"):
            return page
        words = html.escape("\n\n".join(describe(model) for model in self.models_))
        return f"{page}<details open><summary>certificate</summary><pre>{words}</pre></details>"

    def _repr_html_(self) -> str:
        return self._with_certificate(super()._repr_html_())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)  # what a notebook asks for
        if "text/html" in bundle:
            bundle["text/html"] = self._with_certificate(bundle["text/html"])
        return bundle

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse and not self._is_callable_kernel()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags


def _levels_to_caller() -> int:
    """How far up the stack the line is that called us: a warning is about that one."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("mercer.",
                                                                            "sklearn.callback.")):
        level, frame = level + 1, frame.f_back
    return level


def _limit(max_iter: int | None) -> int:
    """The engine's number for ``max_iter``: 0 is its own limit."""
    if max_iter is None or max_iter == -1:
        return 0
    if max_iter < 1:
        raise ValueError(f"max_iter: got {max_iter}, must be > 0; -1: the solver's own limit")
    return max_iter


def _count(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _taken_rows(X: Any, rows: np.ndarray) -> Any:
    """Rows of whatever a callable takes: arrays, tables, lists."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "shape"):
        return (X.tocsr() if sparse.issparse(X) else X)[rows]
    return [X[row] for row in rows]


def _column_weights(model: Model) -> np.ndarray:
    """outputs x columns: the linear kernel's expansion, collapsed."""
    rows = model.engine.support_vectors
    coefficients = model.engine.coefficients_by_output
    if isinstance(rows, tuple):
        values, indices, offsets, columns = rows
        rows = sparse.csr_array((values, indices, offsets), (len(offsets) - 1, columns))
    if rows.shape[0] == 0:
        return np.zeros((model.engine.outputs, model.engine.columns))
    return np.asarray((rows.T @ coefficients).T)
