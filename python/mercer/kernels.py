# SPDX-License-Identifier: Apache-2.0
"""python/mercer/kernels.py - kernel expressions as objects: they print the text that C++ reads.

    >>> from mercer.kernels import RBF, Linear
    >>> 0.7 * RBF(gamma=0.5) + 0.3 * Linear()
    0.7 * rbf(gamma=0.5) + 0.3 * linear
    >>> RBF(gamma=0.5) ** 2 * Linear()
    rbf(gamma=0.5) ^ 2 * linear

An object can be cloned and searched like an estimator: ``kernel__gamma`` is the gamma of a kernel.
"""

from __future__ import annotations

import inspect
from numbers import Real
from typing import Any, Sequence

from . import _engine

__all__ = ["BrownianBridge", "Chi2", "Columns", "Constant", "Cosine", "Delta", "Exp", "Intersection",
           "Kernel", "Laplacian", "LatentGaussian", "Linear", "Matern", "Monomial",
           "NegativeDistance", "Normalized", "PolynomialOf", "Polynomial", "Power", "Precomputed",
           "Product", "RBF", "RationalQuadratic", "Scaled", "Sigmoid", "Sinc", "Sum"]


class Kernel:
    """A kernel expression. ``+``, ``*`` and ``**`` make new ones."""

    _name = ""

    def _arguments(self) -> str:
        return ", ".join(f"{name}={_number(value)}"
                         for name, value in self.get_params(deep=False).items())

    def __str__(self) -> str:
        arguments = self._arguments()
        return f"{self._name}({arguments})" if arguments else self._name

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kernel) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __add__(self, other: "Kernel | float") -> "Kernel":
        return Sum(self, _as_kernel(other))

    def __radd__(self, other: float) -> "Kernel":
        return Sum(_as_kernel(other), self)

    def __mul__(self, other: "Kernel | float") -> "Kernel":
        return Scaled(other, self) if isinstance(other, Real) else Product(self, other)

    def __rmul__(self, other: float) -> "Kernel":
        return Scaled(other, self)

    def __pow__(self, exponent: int) -> "Kernel":
        return Power(self, exponent)

    @property
    def definiteness(self) -> str:
        """What the construction shows: ``"strictly positive definite"``, ..."""
        return _engine.definiteness(str(self))

    @classmethod
    def _parameter_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; ``deep``: those of the parts, too."""
        found = {name: getattr(self, name) for name in self._parameter_names()}
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, Kernel):
                    found.update({f"{name}__{inner}": part
                                  for inner, part in value.get_params().items()})
        return found

    def set_params(self, **parameters: Any) -> "Kernel":
        """Sets parameters by name, those of parts by ``part__name``."""
        for name, value in parameters.items():
            first, _, rest = name.partition("__")
            if first not in self._parameter_names():
                raise ValueError(f"{first}: {type(self).__name__} has no such parameter")
            if rest:
                getattr(self, first).set_params(**{rest: value})
            else:
                setattr(self, first, value)
        return self


def _number(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")


def _as_kernel(value: "Kernel | float") -> Kernel:
    return Constant(value) if isinstance(value, Real) else value


def _in_brackets(kernel: Kernel, *around: type) -> str:
    return f"({kernel})" if isinstance(kernel, around) else str(kernel)


class Linear(Kernel):
    """<x, z>."""

    _name = "linear"


class Polynomial(Kernel):
    """(scale <x, z> + coef0)^degree."""

    _name = "poly"

    def __init__(self, degree: int = 3, coef0: float = 1, scale: float = 1):
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale


class Monomial(Kernel):
    """<x, z>^degree."""

    _name = "monomial"

    def __init__(self, degree: int = 2):
        self.degree = degree


class RBF(Kernel):
    """exp(-gamma |x - z|^2); ``"scale"`` is 1 / (columns * variance), as in scikit-learn."""

    _name = "rbf"

    def __init__(self, gamma: float | str = "scale"):
        self.gamma = gamma


class Laplacian(Kernel):
    """exp(-gamma |x - z|_1)."""

    _name = "laplace"

    def __init__(self, gamma: float = 1):
        self.gamma = gamma


class Matern(Kernel):
    """Matern's kernel: functions with ceil(nu) - 1 derivatives."""

    _name = "matern"

    def __init__(self, nu: float = 1.5, length: float = 1):
        self.nu = nu
        self.length = length


class RationalQuadratic(Kernel):
    """(1 + |x - z|^2 / (2 alpha length^2))^-alpha."""

    _name = "rational-quadratic"

    def __init__(self, alpha: float = 1, length: float = 1):
        self.alpha = alpha
        self.length = length


class Sigmoid(Kernel):
    """tanh(gamma <x, z> + coef0): not positive definite, its certificates bound nothing."""

    _name = "sigmoid"

    def __init__(self, gamma: float = 1, coef0: float = 0):
        self.gamma = gamma
        self.coef0 = coef0


class Delta(Kernel):
    """1 where x = z, else 0."""

    _name = "delta"


class BrownianBridge(Kernel):
    """min(x, z) - x z on [0, 1]."""

    _name = "brownian-bridge"


class Sinc(Kernel):
    """The kernel of functions of limited bandwidth, of one column."""

    _name = "sinc"

    def __init__(self, bandwidth: float = 0.5):
        self.bandwidth = bandwidth


class Cosine(Kernel):
    """<x, z> / (|x| |z|)."""

    _name = "cosine"


class Chi2(Kernel):
    """exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)), for entries >= 0."""

    _name = "chi2"

    def __init__(self, gamma: float = 1):
        self.gamma = gamma


class Intersection(Kernel):
    """sum_j min(x_j, z_j), for entries >= 0."""

    _name = "intersection"


class Constant(Kernel):
    """The same number for every pair."""

    _name = "constant"

    def __init__(self, value: float = 1):
        self.value = value

    def _arguments(self) -> str:
        return _number(self.value)


class LatentGaussian(Kernel):
    """The kernel of a latent Gaussian variable."""

    _name = "latent-gaussian"

    def __init__(self, s: float = 1, tau: float = 1):
        self.s = s
        self.tau = tau


class NegativeDistance(Kernel):
    """-|x - z|^power: positive definite on coefficients that sum to zero."""

    _name = "negative-distance"

    def __init__(self, power: float = 2):
        self.power = power


class Precomputed(Kernel):
    """Values come with the rows: a column for each training row."""

    _name = "precomputed"


class Sum(Kernel):
    """k1 + k2."""

    def __init__(self, k1: Kernel, k2: Kernel):
        self.k1 = k1
        self.k2 = k2

    def __str__(self) -> str:
        return f"{self.k1} + {self.k2}"


class Product(Kernel):
    """k1 * k2."""

    def __init__(self, k1: Kernel, k2: Kernel):
        self.k1 = k1
        self.k2 = k2

    def __str__(self) -> str:
        return f"{_in_brackets(self.k1, Sum)} * {_in_brackets(self.k2, Sum)}"


class Scaled(Kernel):
    """factor * k."""

    def __init__(self, factor: float, kernel: Kernel):
        self.factor = factor
        self.kernel = kernel

    def __str__(self) -> str:
        return f"{_number(self.factor)} * {_in_brackets(self.kernel, Sum)}"


class Power(Kernel):
    """k ^ exponent, a whole number."""

    def __init__(self, kernel: Kernel, exponent: int):
        self.kernel = kernel
        self.exponent = exponent

    def __str__(self) -> str:
        inner = _in_brackets(self.kernel, Sum, Product, Scaled, Power)
        return f"{inner} ^ {_number(self.exponent)}"


class Exp(Kernel):
    """exp(k)."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def __str__(self) -> str:
        return f"exp({self.kernel})"


class Normalized(Kernel):
    """k(x, z) / sqrt(k(x, x) k(z, z))."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def __str__(self) -> str:
        return f"normalized({self.kernel})"


class PolynomialOf(Kernel):
    """sum_i coefficients[i] k^i, all coefficients >= 0."""

    def __init__(self, kernel: Kernel, coefficients: Sequence[float] = (1, 1)):
        self.kernel = kernel
        self.coefficients = coefficients

    def __str__(self) -> str:
        return f"polynomial({self.kernel}; {', '.join(map(_number, self.coefficients))})"


class Columns(Kernel):
    """k of some columns: numbers from 0, or slices as text like ``"0:3"``."""

    def __init__(self, kernel: Kernel, columns: Sequence[int | str] = (0,)):
        self.kernel = kernel
        self.columns = columns

    def __str__(self) -> str:
        return f"columns({self.kernel}; {', '.join(str(column) for column in self.columns)})"
