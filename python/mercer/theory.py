# SPDX-License-Identifier: Apache-2.0
"""python/mercer/theory.py - answers of the theory, with their proofs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._settings import settings
from ._train import training_data

__all__ = ["Separability", "VcBound", "margin_dimension", "separable", "vc_bound"]


class VcBound(NamedTuple):
    """A bound of the risk, its complexity term, and how many rows would make it say something."""

    bound: float
    complexity_term: float
    informative_rows: int


def vc_bound(rows: int, dimension: int, *, delta: float = 0.05, risk: float = 0.0) -> VcBound:
    """Vapnik's bound of the risk of a class of VC dimension ``dimension``.

    >>> from mercer.theory import vc_bound
    >>> round(vc_bound(10_000, 10, delta=0.05, risk=0.1).bound, 3)
    0.195
    """
    return VcBound(*_engine.vc_bound(rows, dimension, delta, risk))


def margin_dimension(radius: float, norm: float) -> float:
    """R^2 |w|^2: so many points in the ball of radius R can be shattered with margin 1 / |w|."""
    return _engine.margin_dimension(radius, norm)


@dataclass(frozen=True)
class Separability:
    """Whether a surface f(x) + b = 0 tells two classes apart, with the proof of either answer.

    ``w`` and ``b`` separate with margin >= 1; or ``weights`` of ``rows`` make a ``point`` of both
    convex hulls. ``exact_check``: the proof was checked in rational arithmetic. Where the kernel is
    not linear, w and point are in its features or in the rows of K.
    """

    answer: str
    w: np.ndarray
    b: float
    margin: float
    rows: np.ndarray
    weights: np.ndarray
    point: np.ndarray
    exact_check: bool
    reason: str

    def __bool__(self) -> bool:
        return self.answer == "separable"


def separable(X: Any, y: Any, *, kernel: Any = "linear", homogeneous: bool = False,
              n_jobs: int | None = None) -> Separability:
    """Decides whether two classes are separable; needs the library CLP of the system.

    >>> from mercer.theory import separable
    >>> bool(separable([[0.0], [1.0], [2.0]], [0, 0, 1]))
    True
    >>> bool(separable([[0.0], [1.0], [2.0]], [0, 1, 0]))
    False
    """
    data = training_data("svc", X, y, None)
    return Separability(**_engine.separable(data, str(kernel), homogeneous, settings(n_jobs)))
