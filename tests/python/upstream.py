# SPDX-License-Identifier: Apache-2.0
"""tests/python/upstream.py - scikit-learn's own tests with our classes in place of its own.

    python tests/python/upstream.py MISSES.toml [pytest's arguments] sklearn.svm.tests.test_svm ...

The tests are those of the installed package. MISSES.toml names each test that does not pass, with the
reason; one that passes all the same fails the run, and so does a name that no test has.
"""

import sys
import tomllib

import mercer
import pytest
import sklearn.kernel_ridge
import sklearn.svm

REPLACED = {sklearn.svm: ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"],
            sklearn.kernel_ridge: ["KernelRidge"]}


class Misses:
    """Marks the tests that are known to fail."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.reasons = tomllib.load(file)["misses"]

    def pytest_collection_modifyitems(self, items):
        unknown = set(self.reasons)
        for item in items:
            name = item.name if item.name in self.reasons else item.originalname
            if name in self.reasons:
                unknown.discard(name)
                item.add_marker(pytest.mark.xfail(reason=self.reasons[name], strict=True))
        if unknown:
            raise pytest.UsageError(f"no test is called {', '.join(sorted(unknown))}")


def main():
    for module, names in REPLACED.items():
        for name in names:
            setattr(module, name, getattr(mercer, name))
    return pytest.main(["-q", "-p", "no:cacheprovider", "--tb=short", "--pyargs", *sys.argv[2:]],
                       plugins=[Misses(sys.argv[1])])


if __name__ == "__main__":
    sys.exit(main())
