# SPDX-License-Identifier: Apache-2.0
"""bench/rivals/intelex.py - scikit-learn-intelex (oneDAL) under scikit-learn's names; optional."""
from . import scikit

NAME = "scikit-learn-intelex"
WHOLE = False


def why_not(machine):
    try:
        import sklearnex  # noqa: F401
    except ImportError:
        return "not installed (PyPI: scikit-learn-intelex)"
    return scikit.why_not(machine)


def train(problem, data, folder, options):
    return scikit.train(problem, data, folder, options,
                        patch="from sklearnex import patch_sklearn\npatch_sklearn(verbose=False)")
