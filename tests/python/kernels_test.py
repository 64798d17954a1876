# SPDX-License-Identifier: Apache-2.0
"""tests/python/kernels_test.py - kernel objects print expressions that the engine parses."""

import math

import numpy as np
import pytest
from mercer import SVC, _engine, kernels
from mercer.kernels import (RBF, Columns, Constant, Exp, Laplacian, Linear, Matern, Normalized,
                            Polynomial, PolynomialOf, Sigmoid)
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

LEAVES = [value for value in vars(kernels).values()
          if isinstance(value, type) and issubclass(value, kernels.Kernel) and value._name]
#: Kernels that need a file.
FROM_FILES = {"quadratic-form", "mixture"}


def test_every_kernel_of_the_catalogue_has_a_class():
    named = {kernel["name"] for kernel in _engine.kernels() if "(k" not in kernel["usage"]}
    assert {leaf._name for leaf in LEAVES} == named - FROM_FILES


@pytest.mark.parametrize("leaf", LEAVES)
def test_parameters_and_defaults_are_those_of_the_catalogue(leaf):
    entry = next(kernel for kernel in _engine.kernels() if kernel["name"] == leaf._name)
    expected = {one["name"]: "scale" if math.isnan(one["default"]) else one["default"]
                for one in entry["parameters"]}
    assert leaf().get_params() == expected
    assert _engine.canonical_kernel(str(leaf())) == _engine.canonical_kernel(entry["usage"])


@pytest.mark.parametrize("kernel", [
    0.7 * RBF(0.5) + 0.3 * Linear(), RBF(0.5) * (Linear() + 1), (Linear() + Constant(2)) ** 3,
    2 * (RBF(1) + Matern()), RBF(1) ** 2 * Laplacian(), Exp(Linear()), Normalized(Polynomial(2)),
    PolynomialOf(Linear(), (1, 2, 0.5)), Columns(RBF(1), ["0:3", 7]), 3 * RBF(1) * 2, (RBF(1) ** 2) ** 3,
    Linear() + Linear() * Linear(), 1e-7 * RBF(1e-9)])
def test_an_expression_is_read_as_it_was_meant(kernel):
    canonical = _engine.canonical_kernel(str(kernel))
    assert _engine.canonical_kernel(canonical) == canonical


def test_brackets_stand_where_they_must():
    assert str(RBF(1) * (Linear() + 1)) == "rbf(gamma=1) * (linear + constant(1))"
    assert str((Linear() + 1) ** 2) == "(linear + constant(1)) ^ 2"
    assert str(2 * (Linear() * RBF(1))) == "2 * linear * rbf(gamma=1)"


def test_what_a_kernel_is_can_be_asked():
    assert RBF(1).definiteness == "strictly positive definite"
    assert Sigmoid().definiteness == "indefinite"
    assert RBF(1) == RBF(1.0) and hash(RBF(1)) == hash(RBF(1.0)) and RBF(1) != RBF(2)


def test_kernels_are_cloned_and_searched(moons):
    kernel = 2 * RBF(1) + Linear()
    assert clone(SVC(kernel=kernel)).kernel == kernel
    X, y = moons
    search = GridSearchCV(SVC(kernel=RBF(1)), {"kernel__gamma": [1e-4, 2.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__gamma": 2.0}
    with pytest.raises(ValueError, match="no such parameter"):
        RBF().set_params(width=1)


def test_text_objects_and_names_agree(moons):
    X, y = moons
    decisions = [SVC(kernel=kernel, gamma=2.0, tol=1e-6).fit(X, y).decision_function(X)
                 for kernel in ("rbf", "rbf(gamma=2)", RBF(2.0))]
    assert np.array_equal(decisions[0], decisions[1])
    assert np.array_equal(decisions[0], decisions[2])
