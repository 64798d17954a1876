# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_callbacks.py - scikit-learn's callbacks (1.9 and newer) hear of a fit.

A fit is a task; each moment that the engine tells is a task within it. A callback that answers True at
the end of one stops the fit: the best model so far stays, and its status says so.
"""

from __future__ import annotations

from typing import Any, Callable

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9 there are none

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """No callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        return method


class StoppedByCallback(Exception):
    """Leaves the engine; it is not raised to the caller."""


class FitTask:
    """The fit of an estimator, told to its callbacks."""

    def __init__(self, estimator: Any, X: Any, y: Any, weights: Any):
        self.estimator = estimator
        self.data = {"X": X, "y": y,
                     "metadata": None if weights is None else {"sample_weight": weights}}
        self.context = estimator._init_callback_context(max_subtasks=None)
        self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    def __call__(self, seconds: float, stage: str, done: int, gap: float) -> None:
        moment = self.context.subcontext(task_name=stage)
        moment.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        if moment.call_on_fit_task_end(estimator=self.estimator, **self.data):
            raise StoppedByCallback

    def close(self) -> None:
        """The fit has ended, and the estimator is fitted."""
        self.context.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes={
            name: value for name, value in vars(self.estimator).items() if name.endswith("_")
            or name in ("_kept", "_sparse", "_single", "_flat", "_results",
                        "_has_maximum", "_training_objects")}, **self.data)


def fit_task(estimator: Any, X: Any, y: Any, weights: Any) -> FitTask | None:
    """None when nobody listens."""
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    return FitTask(estimator, X, y, weights)
