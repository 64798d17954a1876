# SPDX-License-Identifier: Apache-2.0
"""tests/python/upstream.py - scikit-learn's own tests with our classes in place of its own.

    python tests/python/upstream.py MISSES.toml [pytest's arguments] sklearn.svm.tests.test_svm ...

The tests are those of the installed package. MISSES.toml names each test that does not pass, with the
reason; a listed test that passes fails the run, and so does a name that matches no test. For a module
that is mostly about other machines or internals of scikit-learn it lists the usable tests.

It also sorts tests into class A, which every correct machine with this interface should pass, and class
B, which a correct one may fail because of ties, rounding or wording. The last lines count both, over
the tests that construct one of our classes: some use only scikit-learn's LinearSVC, which stays.
Cases that test a limitation of one of scikit-learn's solvers (`limit = true`) are in neither class.
"""

import collections
import re
import sys
import tomllib

import mercer
import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.svm
from mercer._estimator import MercerEstimator
from sklearn.linear_model._base import LinearClassifierMixin


#: The messages of scikit-learn's solvers at the limit of iterations, which the tests look for.
WORDS = {"liblinear": "Liblinear failed to converge, increase the number of iterations.",
         "sag": "The max_iter was reached which means the coef_ did not converge",
         "saga": "The max_iter was reached which means the coef_ did not converge",
         "newton-cholesky": "Newton solver did not converge after 0 iterations"}


class LogisticRegression(mercer.LogisticRegression):
    """Takes scikit-learn's parameters."""

    gap_tolerance = time_limit = memory_limit = None
    _predict_proba_lr = LinearClassifierMixin._predict_proba_lr  # one against the rest, for comparison

    def __init__(self, penalty="l2", *, C=1.0, l1_ratio=0.0, dual=False, tol=1e-4,
                 fit_intercept=True, intercept_scaling=1, class_weight=None, random_state=None,
                 solver="lbfgs", max_iter=100, verbose=0, warm_start=False, n_jobs=None):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def _engine_options(self):
        assert self.l1_ratio in (0, None) and self.penalty == "l2", "another machine"
        gap = min(1e-8, max(1e-14, self.tol**2))
        solver = "newton" if self.solver == "newton-cholesky" or self.C == np.inf else "lbfgs"
        return {**super()._engine_options(), "solver": solver, "gap_tolerance": gap}

    def _how_far(self, model):
        words = WORDS.get(self.solver, f"{self.solver} failed to converge. Increase the number of "
                                       "iterations.")
        return f"{super()._how_far(model)} {words}"


class Ridge(mercer.Ridge):
    """Takes scikit-learn's parameters; those that select a solver have no effect."""

    gap_tolerance = time_limit = memory_limit = n_jobs = None
    verbose = False

    def __init__(self, alpha=1.0, *, fit_intercept=True, copy_X=True, max_iter=None, tol=1e-4,
                 solver="auto", positive=False, random_state=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def _engine_options(self):
        assert not self.positive, "another machine"
        gap = min(1e-8, max(1e-14, self.tol**2))
        return {**super()._engine_options(), "solver": "auto", "gap_tolerance": gap}

    @property
    def solver_(self):
        return "auto" if self.solver == "auto" else self.solver


class Perceptron(mercer.Perceptron):
    """Takes scikit-learn's parameters; only the passes over the rows limit it."""

    time_limit = memory_limit = n_jobs = None
    average = False

    def __init__(self, *, penalty=None, l1_ratio=0.15, fit_intercept=True, max_iter=1000, tol=1e-3,
                 shuffle=True, verbose=0, random_state=0):
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.random_state = random_state

    max_mistakes = 1_000_000


REPLACED = {sklearn.svm: {name: getattr(mercer, name)
                          for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")},
            sklearn.kernel_ridge: {"KernelRidge": mercer.KernelRidge},
            sklearn.linear_model: {"LogisticRegression": LogisticRegression, "Ridge": Ridge,
                                   "Perceptron": Perceptron}}


#: Cases of usable tests that are about ridge regression with weights >= 0.
OTHERS = re.compile(r"test_ridge_(fit_intercept_sparse|sample_weight_consistency)\[.*lbfgs")


def concerns(reason, name):
    """Whether a reason applies to this case of a test."""
    if isinstance(reason, str):
        return True
    return (re.search(reason.get("where", ""), name) is not None
            and not ("unless" in reason and re.search(reason["unless"], name)))


class Misses:
    """Deselects unusable tests, and marks those that are known to fail."""

    def __init__(self, path):
        with open(path, "rb") as file:
            table = tomllib.load(file)
        self.reasons, self.usable = table["misses"], table["usable"]
        self.classes = {(module, name): letter for letter in ("A", "B")
                        for module, names in table[letter].items() for name in names}
        self.made = collections.Counter()
        self.outcomes = collections.defaultdict(list)
        MercerEstimator.__new__ = self._counted

    def _counted(self, kind, *arguments, **named):
        self.made["now"] += 1
        return object.__new__(kind)

    def pytest_collection_modifyitems(self, config, items):
        asked = {item.module.__name__ for item in items}
        unknown = {(module, name) for module, names in self.usable.items() for name in names
                   if module in asked}
        unknown |= {(module, name) for module, names in self.reasons.items() for name in names
                    if module in asked}
        unknown |= {one for one in self.classes if one[0] in asked}
        kept = []
        for item in items:
            module, function = item.module.__name__, item.originalname
            if (module in self.usable and function not in self.usable[module]
                    or OTHERS.match(item.name)):
                continue
            kept.append(item)
            unknown.discard((module, function))
            reasons = self.reasons.get(module, {})
            name = item.name if item.name in reasons else function
            if name in reasons and concerns(reasons[name], item.name):
                unknown.discard((module, name))
                item.add_marker(pytest.mark.xfail(reason=str(reasons[name]), strict=True))
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
        if unknown:
            raise pytest.UsageError("no test is called "
                                    + ", ".join(".".join(one) for one in sorted(unknown)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "setup":
            self.made["now"] = 0
        elif call.when == "call" and self.made["now"] and (report.passed or hasattr(report, "wasxfail")):
            name = item.module.__name__, item.originalname
            self.outcomes[name].append((item.name, report.passed and not hasattr(report, "wasxfail")))
        return report

    def is_limit(self, name, case):
        """Whether a case tests a limitation of a solver of scikit-learn."""
        reason = self.reasons.get(name[0], {}).get(name[1])
        return isinstance(reason, dict) and reason.get("limit", False) and concerns(reason, case)

    def pytest_terminal_summary(self, terminalreporter):
        for letters in ("A", "B", "AB"):
            tests = {name: [one for one in cases if not self.is_limit(name, one[0])]
                     for name, cases in self.outcomes.items()
                     if self.classes.get(name, "-") in letters}
            tests = {name: cases for name, cases in tests.items() if cases}
            cases = [one for found in tests.values() for one in found]
            missed = sorted(name[1] for name, found in tests.items()
                            if not all(passed for _, passed in found))
            if cases:
                good = sum(passed for _, passed in cases)
                terminalreporter.write_line(
                    f"class {'+'.join(letters)}: {len(tests) - len(missed)} of {len(tests)} tests in "
                    f"all their cases, {good} of {len(cases)} cases ({100 * good / len(cases):.1f} %); "
                    f"missed: {', '.join(missed) or 'none'}")


def main():
    for module, classes in REPLACED.items():
        for name, ours in classes.items():
            setattr(module, name, ours)
    return pytest.main(["-q", "-p", "no:cacheprovider", "--tb=short", "--pyargs", *sys.argv[2:]],
                       plugins=[Misses(sys.argv[1])])


if __name__ == "__main__":
    sys.exit(main())
