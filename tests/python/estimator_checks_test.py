# SPDX-License-Identifier: Apache-2.0
"""tests/python/estimator_checks_test.py - scikit-learn's own checks, and no expected failure."""

import mercer
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

#: A nu that is feasible even for the unbalanced classes of the checks.
PARAMETERS = {"NuSVC": {"nu": 0.2}}
ESTIMATORS = [getattr(mercer, name)(**PARAMETERS.get(name, {}))
              for names in mercer._HOMES.values() for name in names]
ESTIMATORS += [mercer.SelectCV(mercer.SVC(), {"C": [0.1, 1.0, 10.0]}, cv=3),
               mercer.SelectCV(mercer.KernelRidge(kernel="rbf"), {"alpha": [0.1, 1.0]}, cv="loo")]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)
