# SPDX-License-Identifier: Apache-2.0
"""tests/python/conftest.py - rows that several tests use."""

import numpy as np
import pytest


@pytest.fixture
def moons():
    """Two interleaved half circles: 200 rows, classes 0 and 1."""
    random = np.random.default_rng(0)
    angle = np.pi * random.random(200)
    side = np.repeat([0, 1], 100)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[side == 1] = [1.0, 0.5] - X[side == 1]
    return X + 0.15 * random.standard_normal(X.shape), side


@pytest.fixture
def curve():
    """A sine with noise: 120 rows of one column."""
    random = np.random.default_rng(1)
    X = np.sort(random.uniform(0, 5, 120))[:, None]
    return X, np.sin(X[:, 0]) + 0.1 * random.standard_normal(120)
