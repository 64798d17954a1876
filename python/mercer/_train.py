# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_train.py - train and verify with numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _engine
from ._model import Certificate, Model
from ._rows import column_names, label_names, numbers_of, rows_of
from ._progress import progress_of
from ._settings import settings

#: The kernel of machines that have one, unless another is asked for.
STANDARD_KERNEL = "rbf(gamma=scale)"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a machine was trained. ``model`` is the best so far, with its certificate."""

    def __init__(self, model: Model):
        super().__init__(f"training was interrupted; {model.certificate}")
        self.model = model


def raise_signal(raised: BaseException | None, model: Model) -> None:
    """Raises what a signal raised while the engine ran; Ctrl-C with the model."""
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(model) from raised
    if raised is not None:
        raise raised


def class_codes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes in ascending order, and the place of each row's class among them."""
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return classes, np.ascontiguousarray(codes.reshape(-1), dtype=np.float64)


def training_data(model: str, X: Any, y: Any, sample_weight: Any,
                  queries: Any = None) -> _engine.Data:
    """Rows with what the machine learns from."""
    data = rows_of(X)
    task = _engine.machines()[model]["task"]
    data.column_names = column_names(X)
    if task != "inliers":
        if y is None:
            raise ValueError(f"y: {model} needs a target for each row")
        if "classes" in task:
            classes, codes = class_codes(y)
            data.set_classes(numbers_of(codes, "y", data.rows), label_names(classes))
        else:
            data.set_targets(numbers_of(y, "y", data.rows))
    if sample_weight is not None:
        data.set_weights(numbers_of(sample_weight, "sample_weight", data.rows))
    if queries is not None:
        data.set_queries(numbers_of(queries, "queries", data.rows).astype(np.int64))
    return data


def machine_options(model: str, kernel: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a machine in the engine's words; ``C`` is its ``cost``."""
    machines = _engine.machines()
    _engine.require_choice("model", str(model), list(machines))
    named = dict(options, model=model)
    if "C" in named:
        named["cost"] = named.pop("C")
    if kernel is None:
        kernel = "linear" if machines[model]["linear_kernel"] else STANDARD_KERNEL
    named["kernel"] = str(kernel)
    return named


def train(X: Any, y: Any = None, *, model: str = "svc", kernel: Any = None,
          sample_weight: Any = None, queries: Any = None, n_jobs: int | None = None,
          memory_limit: int | str | None = None, time_limit: float | None = None, seed: int = 0,
          verbose: bool = False, **options: Any) -> Model:
    """Trains a machine on rows; numpy is all it needs.

    Parameters
    ----------
    X : array of shape (n, d), CSR matrix or table
    y : classes or numbers, one per row; None for ``one-class``
    model : name of the machine, one of ``mercer.machines()``
    kernel : expression (text, or an object of :mod:`mercer.kernels`)
    sample_weight : one number >= 0 per row; 2 is the row twice
    queries : for ``rank``: a whole number per row; rows of one number are compared
    n_jobs : threads; None or -1: all that the process may use
    memory_limit : bytes, or text like ``"4G"``; what does not fit is refused or done in blocks
    time_limit : seconds; the best model so far is returned, and its status says so
    seed : of every random choice
    verbose : print progress: lines, or a bar where IPython shows it
    **options : ``C``, ``epsilon``, ``nu``, ``alpha``, ``gap_tolerance``, ... as ``mercer train``
        has them; ``mercer.options()`` lists them with ranges and defaults

    Examples
    --------
    >>> import numpy as np, mercer
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = mercer.train(X, [0, 0, 1, 1], kernel="linear", C=10)
    >>> model.predict([[0.2], [2.9]])
    array([0, 1])
    >>> bool(model.certificate.relative_gap < 1e-4)
    True
    """
    named = machine_options(model, kernel, options)
    data = training_data(model, X, y, sample_weight, queries)
    progress = progress_of(verbose, named.get("gap_tolerance"))
    result = _engine.train(data, named, settings(n_jobs, memory_limit=memory_limit,
                                                 time_limit=time_limit, seed=seed,
                                                 progress=progress))
    if progress:
        progress.close()
    trained = Model(result["model"])
    raise_signal(result["raised"], trained)
    return trained


@dataclass(frozen=True)
class VerifyReport:
    """What came out when a certificate was computed again. True when it holds."""

    holds: bool
    states: bool
    other_rows: bool
    stated: list[Certificate]
    recomputed: list[Certificate]
    conditions: list[tuple[str, bool, str]]

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        lines = ["holds: the model is what its certificate says" if self.holds else "fails"]
        lines += [f"  {'yes' if holds else 'NO '}  {name}: {words}"
                  for name, holds, words in self.conditions]
        return "\n".join(lines)


def _aligned_classes(model: Model, y: Any, rows: int) -> np.ndarray:
    places = {name: place for place, name in enumerate(model.engine.labels)}
    codes = [places.get(name, -1) for name in label_names(np.asarray(y).tolist())]
    if -1 in codes:
        raise ValueError(f"y: row {codes.index(-1)} is of a class that the model does not have")
    return numbers_of(codes, "y", rows)


def verify_model(model: Model, X: Any, y: Any, sample_weight: Any = None, *, queries: Any = None,
                 n_jobs: int | None = None) -> VerifyReport:
    """:func:`mercer.verify` of one model."""
    data = rows_of(X)
    data.column_names = list(model.engine.column_names)
    if model.classes is not None and y is not None:
        data.set_classes(_aligned_classes(model, y, data.rows), model.engine.labels)
    elif y is not None:
        data.set_targets(numbers_of(y, "y", data.rows))
    if sample_weight is not None:
        data.set_weights(numbers_of(sample_weight, "sample_weight", data.rows))
    if queries is not None:
        data.set_queries(numbers_of(queries, "queries", data.rows).astype(np.int64))
    found = _engine.verify(model.engine, data, settings(n_jobs))
    found["stated"] = [Certificate(**one) for one in found["stated"]]
    found["recomputed"] = [Certificate(**one) for one in found["recomputed"]]
    return VerifyReport(**found)


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, queries: Any = None,
           n_jobs: int | None = None) -> VerifyReport:
    """Computes the certificate again, from the model and its training data alone.

    ``model`` is a :class:`Model` or a fitted estimator; ``queries`` are those of a ranking. It shares no code with the solvers or with
    what computed the certificate first, and is slow and straightforward on purpose.
    """
    if isinstance(model, Model):
        return verify_model(model, X, y, sample_weight, queries=queries, n_jobs=n_jobs)
    return model._verify(X, y, sample_weight, n_jobs=n_jobs, queries=queries)
