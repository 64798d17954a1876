# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_classifier.py - what the classifiers share: classes, scores, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _engine
from ._estimator import MercerEstimator
from ._rows import label_names


class MercerClassifier(ClassifierMixin, MercerEstimator):
    """A machine whose targets are classes.

    A machine of two classes alone (the perceptron) is trained once for each class against the rest
    when there are more.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Trains on rows X and their classes y.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features); with a precomputed kernel the
            matrix of kernel values; with a callable whatever it takes
        y : array of n_samples classes
        sample_weight : array of n_samples numbers >= 0; 2 is the row twice, 0 is no row

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any):
        X, y = self._checked_pair(X, y)
        weights = self._checked_weights(sample_weight, X)
        check_classification_targets(y)
        self.classes_, codes = self._found_classes(y)
        self._require_classes(codes, weights)
        codes = np.ascontiguousarray(codes, dtype=np.float64)
        names = label_names(self.classes_)
        options = self._class_options(codes, weights, names)
        weights = self._without_ignored_classes(codes, weights)
        self._fit_models(X, self._class_problems(codes, names, weights), weights, options, y)
        self._count_support(codes.astype(np.int64))
        return self

    def _found_classes(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The classes, and the place of each row's class among them."""
        return np.unique(y, return_inverse=True)

    def _checked_pair(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        if y is None:
            raise ValueError(f"requires y to be passed, but the target y is None: "
                             f"{type(self).__name__} learns from classes")
        if self._is_callable_kernel():
            check_consistent_length(X, y)
            return X, column_or_1d(y, warn=True)
        X, y = self._checked(X, y, reset=True, multi_output=True)
        return X, column_or_1d(y, warn=True)

    #: What is said when one class is left.
    _one_class_left = ("Invalid input - all samples with positive weights belong to the same class")

    def _require_classes(self, codes: np.ndarray, weights: np.ndarray | None) -> None:
        if len(self.classes_) < 2:
            raise ValueError("The number of classes has to be greater than one; got "
                             f"{len(self.classes_)} class")
        if weights is not None:
            present = np.bincount(codes, weights=weights, minlength=len(self.classes_)) > 0.0
            if present.sum() < 2:
                raise ValueError(self._one_class_left)

    def _is_one_against_rest(self) -> bool:
        task = _engine.machines()[self._machine_name()]["task"]
        return task == "two classes" and len(self.classes_) > 2

    def _class_problems(self, codes: np.ndarray, names: list[str], weights: np.ndarray | None):
        def setter(codes: np.ndarray, names: list[str]):
            def set_classes(data: _engine.Data) -> None:
                given = codes if data.rows == len(codes) else codes[weights > 0.0]
                data.set_classes(np.ascontiguousarray(given), names)
            return set_classes

        if not self._is_one_against_rest():
            yield setter(codes, names)
            return
        for code, name in enumerate(names):
            yield setter((codes == code).astype(np.float64), [f"not {name}", name])

    def _class_options(self, codes: np.ndarray, weights: np.ndarray | None,
                       names: list[str]) -> dict[str, Any]:
        """Options that depend on the classes: their weights."""
        if not hasattr(self, "class_weight"):
            return {}
        wanted = self.class_weight
        self.class_weight_ = np.ones(len(self.classes_))
        if wanted is None:
            return {}
        if isinstance(wanted, str) and wanted == "balanced":
            counts = np.bincount(codes.astype(np.int64), weights=weights,
                                 minlength=len(self.classes_))
            values = counts.sum() / (len(self.classes_) * np.maximum(counts, 1e-300))
        else:
            values = compute_class_weight(wanted, classes=self.classes_,
                                          y=self.classes_[codes.astype(np.int64)])
        self.class_weight_ = np.asarray(values, dtype=np.float64)
        return {"class_weights": {name: float(value) for name, value in zip(names, values)
                                  if value != 0.0}}

    def _without_ignored_classes(self, codes: np.ndarray,
                                 weights: np.ndarray | None) -> np.ndarray | None:
        """The weights of the rows, which are 0 in a class of weight 0."""
        ignored = getattr(self, "class_weight_", np.ones(1)) == 0.0
        if not ignored.any():
            return weights
        codes = codes.astype(np.int64)
        weights = np.where(ignored[codes], 0.0, 1.0 if weights is None else weights)
        self._require_classes(codes, weights)
        return weights

    def _count_support(self, codes: np.ndarray) -> None:
        if len(self.models_) == 1:
            rows = self.models_[0].engine.support_rows
            if self._kept is not None:
                rows = self._kept[rows]
            owners = codes[rows] if not self.models_[0].engine.on_columns else np.zeros(0, np.int64)
            self._support_classes = owners
            self.n_support_ = np.bincount(owners, minlength=len(self.classes_)).astype(np.int32)
        if hasattr(self, "max_iter"):
            least = int(self.max_iter != 0)
            self.n_iter_ = np.maximum(np.array(self._iterations(), dtype=np.int32), least)

    def _iterations(self) -> list[int]:
        """What ``max_iter`` limits, of each problem."""
        outputs = [output["iterations"] for result in self._results for output in result["outputs"]]
        return outputs or [model.engine.iterations for model in self.models_]

    def _support_order(self) -> np.ndarray:
        return np.argsort(self._support_classes, kind="stable")  # class by class

    # What it says of rows.

    def decision_function(self, X: Any) -> np.ndarray:
        """How far rows are on the side of a class.

        Returns
        -------
        Two classes: one number per row, > 0 for the second class. More: a column per class, the
        greatest is the answer (with pairs of classes, ties aside: see ``break_ties``); with
        ``decision_function_shape="ovo"`` one per pair of classes.
        """
        if getattr(self, "decision_function_shape", "ovr") not in ("ovr", "ovo"):
            raise ValueError("decision_function_shape: got "
                             f"{self.decision_function_shape!r}, must be 'ovr' or 'ovo'")
        if "models_" not in self.__dict__:
            check_is_fitted(self)
        values = self._asked(X, "decision_values")
        if len(self.models_) > 1:
            return np.hstack(values)
        values = values[0] * self._units()
        if len(self.classes_) == 2:
            return values[:, 0]
        pairs = getattr(self, "decision_function_shape", "ovr") == "ovo"
        return values if pairs else _engine.class_scores(self.models_[0].engine, values)

    def _units(self) -> Any:
        """What the outputs of the model are multiplied by."""
        return 1.0

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        if "models_" not in self.__dict__:
            check_is_fitted(self)
        ties = getattr(self, "break_ties", False) and len(self.classes_) > 2
        if ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if ties or len(self.models_) > 1:
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        return self.classes_[self._asked(X, "classes")[0]]

    def _probabilities(self, X: Any) -> np.ndarray:
        return self._asked(X, "probabilities")[0]

    def _exported(self) -> Any:
        what = super()._exported()
        many = len(self.classes_) > 2 and len(self.models_) == 1
        what.classes = self.classes_
        what.units = self._units() if len(self.models_) == 1 else None
        what.pair_scores = (many and self.models_[0].engine.multiclass == "ovo"
                            and getattr(self, "decision_function_shape", "ovr") == "ovr")
        what.scores_decide = many and getattr(self, "break_ties", False)
        what.probabilities = hasattr(self, "predict_proba")
        return what

    def _verified_targets(self, y: Any) -> list[np.ndarray]:
        y = np.asarray(y)
        if len(self.models_) == 1:
            names = dict(zip(self.classes_.tolist(), self.models_[0].classes.tolist()))
            return [np.array([names.get(value, value) for value in y.tolist()])]
        return [np.where(y == value, model.classes[1], model.classes[0])
                for value, model in zip(self.classes_, self.models_)]
