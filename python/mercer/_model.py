# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_model.py - a trained machine: what it predicts, and what it proves."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _engine
from ._rows import classes_of, rows_of
from ._settings import settings


@dataclass(frozen=True, eq=False)
class Certificate:
    """Bounds of the distance to the best objective, computed by code that no solver uses."""

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    dual_infeasibility: float
    squared_norm: float
    intercept: float
    intercept_interval: tuple[float, float]
    width: float
    worst_sample: int
    exact: bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and repr(self) == repr(other)  # a NaN is itself

    def __hash__(self) -> int:
        return hash(repr(self))

    def __str__(self) -> str:
        if self.gap != self.gap:
            return "nothing is proved"
        if not self.exact:
            return (f"gap {self.gap:.3g}, {self.relative_gap:.1e} relative, which is no proof: "
                    "nothing is paid for f, or the kernel is not positive definite")
        return (f"proved within {self.gap:.3g} of the best objective, {self.relative_gap:.1e} "
                "relative")


class Model:
    """A trained machine, as :func:`mercer.train` and :func:`mercer.load` give it.

    It needs numpy alone. Pickling it writes the bytes of its model file.
    """

    __slots__ = ("_model", "_predictor", "classes")

    def __init__(self, model: _engine.Model):
        self._model = model
        self._predictor: _engine.Predictor | None = None
        self.classes: np.ndarray | None = classes_of(model.labels) if model.labels else None

    # What it is.

    @property
    def machine(self) -> str:
        """Name of the machine: ``"svc"``, ``"krr"``."""
        return self._model.machine

    @property
    def kernel(self) -> str:
        """The kernel expression, with the numbers it was trained with."""
        return self._model.kernel

    @property
    def status(self) -> str:
        """``"converged"``, or why not: ``"iteration-limit"``, ``"interrupted"``, ``"reduced"``."""
        return self._model.status

    @property
    def certificate(self) -> Certificate:
        """The proof, summed over all outputs."""
        return Certificate(**self._model.certificate)

    @property
    def certificates(self) -> list[Certificate]:
        """The proof of each problem that was solved."""
        return [Certificate(**one) for one in self._model.certificates]

    @property
    def n_support(self) -> int:
        """Number of support vectors."""
        return len(self._model.support_rows)

    @property
    def engine(self) -> _engine.Model:
        """The engine's own object, with every field of the model file."""
        return self._model

    # What it says.

    def _ask(self) -> _engine.Predictor:
        if self._predictor is None:
            self._predictor = _engine.predictor(self._model)
        return self._predictor

    def _rows(self, X: Any) -> _engine.Data:
        rows = rows_of(X)
        if rows.columns != self._model.columns and self.status != "imported":
            raise ValueError(f"X: got {rows.columns} columns, the model was trained on "
                             f"{self._model.columns}")
        return rows

    def _answer(self, question: str, X: Any, n_jobs: int | None) -> np.ndarray:
        predictor = self._ask()
        if type(X) is np.ndarray:  # few rows are answered without more ado
            if (answer := getattr(predictor, "few_" + question)(X)) is not None:
                return answer
        return getattr(predictor, question)(self._rows(X), settings(n_jobs))

    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """f(x) of each row; a column per output when there are several."""
        values = self._answer("decision_values", X, n_jobs)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Classes, inliers (+1) and outliers (-1), or numbers."""
        if self.classes is not None:
            return self.classes[self._answer("classes", X, n_jobs)]
        return self.decision_function(X, n_jobs=n_jobs)

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Probabilities of the classes, a column for each."""
        return self._answer("probabilities", X, n_jobs)

    def report(self, X: Any = None, y: Any = None, **options: Any) -> dict[str, Any]:
        """Writes an HTML page about the model and returns its numbers: :func:`write_report`."""
        from ._report import write_report
        return write_report(self, X, y, **options)

    # Where it goes.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file; the old file stands when that fails."""
        self._model.save(os.fspath(path))

    def to_libsvm(self, path: str | os.PathLike[str]) -> None:
        """Writes LIBSVM's text; ValueError when its format cannot hold the model."""
        self._model.save_libsvm(os.fspath(path))

    def to_onnx(self, *, dtype: str = "float64") -> Any:
        """An ``onnx.ModelProto`` of double precision that predicts alike; see :mod:`mercer.exports`.

        ``dtype`` is that of its input. ValueError when ONNX cannot hold the kernel.
        """
        from . import exports

        return exports.to_onnx(exports.of_model(self), dtype)

    def to_bytes(self) -> bytes:
        """The bytes of the model file."""
        return self._model.to_bytes()

    @staticmethod
    def from_bytes(data: bytes) -> "Model":
        """The model of a file's bytes."""
        return Model(_engine.Model.from_bytes(data))

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (f"<mercer.Model {self.machine}, {self.kernel}, {self.n_support} support vectors, "
                f"{self.status}>")

    def _repr_html_(self) -> str:
        return "<pre>" + html.escape(describe(self)) + "</pre>"


def describe(model: Model) -> str:
    """The model in words, with its certificate."""
    lines = [f"{model.machine}, {model.kernel}"]
    if model.classes is not None:
        lines.append("classes " + ", ".join(str(one) for one in model.classes))
    lines += [f"{model.n_support} support vectors",
              f"{model.engine.solver}: {model.status}, {model.engine.iterations} iterations",
              str(model.certificate)]
    return "\n".join(lines)


def load(path: str | os.PathLike[str]) -> Model:
    """The model of a file written by :meth:`Model.save` or by ``mercer train``."""
    return Model(_engine.Model.load(os.fspath(path)))
