# SPDX-License-Identifier: Apache-2.0
"""python/mercer/__init__.py - kernel machines with proof.

Every model carries a certificate: a primal and a dual value that bound its distance to the best
objective. ``mercer.train`` needs numpy alone; the estimators follow scikit-learn and import it
when the first of them is asked for.

    >>> import mercer
    >>> from mercer import SVC
    >>> model = SVC(C=10).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> model.predict([[0.5]])
    array(['a'], dtype='<U1')
    >>> bool(model.certificate_.relative_gap < 1e-4)
    True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import kernels
from ._engine import __version__, machines, options
from ._model import Certificate, Model, load
from ._paths import Path, PathScore, path
from ._train import Interrupted, VerifyReport, train, verify

if TYPE_CHECKING:
    from .classifiers import (HardMarginSVC, HuberSVC, GreedySVC, KernelLogisticRegression,
                              KernelPerceptron, L2SVC, LSSVC, LogisticRegression, NuSVC, Perceptron,
                              SVC, SparseSVC)
    from .ordered import OrdinalSVC, RankSVM
    from .outliers import OneClassSVM
    from .regressors import (KernelRidge, KernelRidgeCV, L2SVR, LeastSquares, NuSVR,
                             PolynomialRegression, Ridge, SVR)
    from .search import SelectCV

_HOMES = {
    "classifiers": ["SVC", "NuSVC", "L2SVC", "HuberSVC", "HardMarginSVC", "LSSVC",
                    "KernelLogisticRegression", "LogisticRegression", "Perceptron",
                    "KernelPerceptron", "SparseSVC", "GreedySVC"],
    "regressors": ["SVR", "NuSVR", "L2SVR", "KernelRidge", "KernelRidgeCV", "LeastSquares", "Ridge",
                   "PolynomialRegression"],
    "outliers": ["OneClassSVM"],
    "ordered": ["OrdinalSVC", "RankSVM"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names} | {"SelectCV": "search"}
_MODULES = ("displays", "exports", "theory")

__all__ = ["Certificate", "Interrupted", "Model", "Path", "PathScore", "VerifyReport",
           "__version__",
           "displays", "exports", "kernels", "load", "machines", "options", "path", "theory", "train", "verify",
           *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.split(".")[0] == "sklearn":
            raise ImportError(f"mercer.{name} needs scikit-learn: pip install 'mercer[sklearn]'. "
                              "mercer.train works without it.") from missing
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
