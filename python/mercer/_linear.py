# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_linear.py - weights of columns that a user may write to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._model import Certificate, Model


class LinearWeights:
    """``coef_`` and ``intercept_`` as arrays that can be changed in place or replaced.

    The engine's model predicts. When the arrays differ from those it was made of, it is made anew:
    its ``status`` is then ``"imported"``, as it states nothing about its training.
    """

    def _shaped(self, weights: np.ndarray) -> np.ndarray:
        """``coef_`` of a row of weights per output."""
        return weights

    def _array(self, name: str, found: Any) -> Any:
        arrays = self.__dict__.setdefault("_weights", {})
        if name not in arrays:
            value = np.array(found) if np.ndim(found) else found
            arrays[name] = [value, np.copy(value)]
        return arrays[name][0]

    @property
    def coef_(self) -> Any:
        """Weights of the columns. They may be changed: predictions follow."""
        if "coef_" in self.__dict__.get("_weights", {}):
            return self._weights["coef_"][0]
        return self._array("coef_", self._shaped(super().coef_))

    @coef_.setter
    def coef_(self, value: Any) -> None:
        self.coef_  # what it replaces
        self._weights["coef_"][0] = np.asarray(value)

    @property
    def intercept_(self) -> Any:
        """The constant of each output. It may be changed: predictions follow."""
        if "intercept_" in self.__dict__.get("_weights", {}):
            return self._weights["intercept_"][0]
        return self._array("intercept_", super().intercept_)

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        self.intercept_  # what it replaces
        self._weights["intercept_"][0] = np.asarray(value)

    def _take_written(self) -> None:
        """Makes the models anew if one of the arrays was changed."""
        arrays = self.__dict__.get("_weights", {})
        if all(np.array_equal(now, was) for now, was in arrays.values()):
            return
        for name, (now, was) in arrays.items():
            if np.shape(now) != was.shape:
                raise ValueError(f"{name}: got shape {np.shape(now)}, must be {was.shape}")
        outputs = sum(model.engine.outputs for model in self.models_)
        weights = np.asarray(self.coef_, dtype=np.float64).reshape(outputs, -1)
        constants = np.asarray(self.intercept_, dtype=np.float64).reshape(outputs)
        models, begin = [], 0
        for model in self.models_:
            end = begin + model.engine.outputs
            models.append(Model(model.engine.with_weights(
                np.ascontiguousarray(weights[begin:end]),
                np.ascontiguousarray(constants[begin:end]))))
            begin = end
        self.models_ = models
        if "n_support_" in self.__dict__:
            self.n_support_ = np.zeros_like(self.n_support_)
        for array in arrays.values():
            array[1] = np.copy(array[0])

    # Whatever the models are asked for comes after a look at the arrays.

    def _keep(self, *found: Any) -> None:
        self.__dict__.pop("_weights", None)
        super()._keep(*found)

    def _asked(self, X: Any, question: str) -> list[np.ndarray]:
        self._take_written()
        return super()._asked(X, question)

    @property
    def model_(self) -> Model:
        """The model, when there is one alone: more classes or targets may take several."""
        self._take_written()
        return super().model_

    @property
    def status_(self) -> str:
        """``"converged"``, or the first status that is something else."""
        self._take_written()
        return super().status_

    @property
    def certificate_(self) -> Certificate:
        """The proof of the model; of several models the one with the greatest relative gap."""
        self._take_written()
        return super().certificate_

    @property
    def certificates_(self) -> list[Certificate]:
        """The proof of each problem that was solved."""
        self._take_written()
        return super().certificates_

    def _support_order(self) -> np.ndarray:
        if self.models_[0].status == "imported":
            raise AttributeError("the weights were written by hand: there are no support vectors")
        return super()._support_order()

    def _with_certificate(self, page: str) -> str:
        self._take_written()
        return super()._with_certificate(page)

    def _exported(self) -> Any:
        self._take_written()
        return super()._exported()

    def _verify(self, *data: Any, **how: Any) -> Any:
        self._take_written()
        return super()._verify(*data, **how)
