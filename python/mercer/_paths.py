# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_paths.py - one machine for every value of a hyperparameter."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._model import Model
from ._rows import classes_of, numbers_of, rows_of
from ._progress import print_progress
from ._settings import settings
from ._train import machine_options, raise_signal, training_data


class Knot(NamedTuple):
    """Where the set of free rows changes: between two knots the coefficients are linear."""

    value: float
    free: int
    support: int
    dual: float
    squared_norm: float


@dataclass(frozen=True)
class PathScore:
    """A measure along a path: constant from one value to the next."""

    measure: str
    values: np.ndarray
    scores: np.ndarray
    best_value: float
    best_score: float
    best_range: tuple[float, float]


class Path:
    """All machines between two values of a hyperparameter, exactly. Made by :func:`mercer.path`."""

    def __init__(self, path: _engine.Path):
        self._path = path

    @property
    def over(self) -> str:
        """The hyperparameter that moves."""
        return self._path.over

    @property
    def range(self) -> tuple[float, float]:
        """Where the path begins, and how far it came."""
        return self._path.from_value, self._path.to_value

    @property
    def status(self) -> str:
        """How it ended."""
        return self._path.status

    @property
    def knots(self) -> list[Knot]:
        """Where the path bends."""
        return [Knot(*knot) for knot in self._path.knots]

    @property
    def max_violation(self) -> float:
        """The greatest violation of the conditions of optimality at any knot."""
        return self._path.max_violation

    def at(self, value: float, *, n_jobs: int | None = None) -> Model:
        """The machine at a value, certified like one that was trained there."""
        result = self._path.at(float(value), settings(n_jobs))
        model = Model(result["model"])
        raise_signal(result["raised"], model)
        return model

    def decision_function(self, X: Any, *, at: float, n_jobs: int | None = None) -> np.ndarray:
        """f(x) + b of rows at a value."""
        rows = rows_of(X)
        if rows.columns != self._path.columns:
            raise ValueError(f"X: got {rows.columns} columns, the path was trained on "
                             f"{self._path.columns}")
        return self._path.predict(rows, float(at), settings(n_jobs))

    def predict(self, X: Any, *, at: float, n_jobs: int | None = None) -> np.ndarray:
        """Classes or numbers of rows at a value."""
        values = self.decision_function(X, at=at, n_jobs=n_jobs)
        if self._path.machine == "one-class":
            return np.where(values >= 0.0, 1, -1)
        if not self._path.labels:
            return values
        return classes_of(self._path.labels)[(values >= 0.0).astype(np.int64)]

    def score_path(self, X: Any, y: Any, *, n_jobs: int | None = None) -> PathScore:
        """Share of wrong rows, or root mean square error, at every value at once."""
        data = training_data(self._path.machine, X, y, None)
        if self._path.labels:
            names = {name: place for place, name in enumerate(self._path.labels)}
            classes = classes_of(self._path.labels)
            places = {value: place for place, value in enumerate(classes.tolist())}
            codes = [places.get(value, names.get(str(value), -1))
                     for value in np.asarray(y).tolist()]
            data.set_classes(numbers_of(codes, "y", data.rows), self._path.labels)
        return PathScore(**self._path.scored(data, settings(n_jobs)).score)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the path file that ``mercer predict --at`` reads."""
        self._path.save(os.fspath(path))

    def __reduce__(self):
        return _from_bytes, (self._path.to_bytes(),)

    def __repr__(self) -> str:
        first, last = self.range
        return (f"<mercer.Path of {self._path.machine} over {self.over} from {first:g} to {last:g}, "
                f"{len(self._path.knots)} knots>")


def _from_bytes(data: bytes) -> Path:
    return Path(_engine.Path.from_bytes(data))


def path(X: Any, y: Any = None, *, over: str = "C", start: float | None = None,
         stop: float | None = None, model: str = "svc", kernel: Any = None,
         sample_weight: Any = None, n_jobs: int | None = None,
         memory_limit: int | str | None = None, time_limit: float | None = None,
         weight_class: str | None = None, verbose: bool = False, **options: Any) -> Path:
    """Trains for every value of a hyperparameter at once, exactly.

    Parameters
    ----------
    over : ``"C"``, ``"epsilon"``, ``"nu"`` or ``"weight"``, where the machine has such a path
    start, stop : the two ends; None: 0.01 and 100 for C, the whole range of the others
    model, kernel, **options : as for :func:`mercer.train`, without the one that moves

    Examples
    --------
    >>> import numpy as np, mercer
    >>> X = np.array([[0.0], [1.0], [1.5], [2.0], [3.0]])
    >>> p = mercer.path(X, [0, 0, 1, 0, 1], kernel="linear", start=0.1, stop=10)
    >>> p.predict([[0.0], [3.0]], at=2.5)
    array([0, 1])
    >>> bool(p.at(2.5).certificate.relative_gap < 1e-8)
    True
    """
    named = machine_options(model, kernel, options)
    data = training_data(model, X, y, sample_weight)
    bounds = {"over": over, "from": start, "to": stop, "weight_class": weight_class}
    return Path(_engine.trace(data, named, bounds, settings(
        n_jobs, memory_limit=memory_limit, time_limit=time_limit,
        progress=print_progress if verbose else None)))
