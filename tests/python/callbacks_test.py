# SPDX-License-Identifier: Apache-2.0
"""tests/python/callbacks_test.py - scikit-learn's callbacks observe a fit, and may stop it."""

import pickle
import time
import warnings

import mercer
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

callback = pytest.importorskip("sklearn.callback")


class Listener:
    """Records what it is told; stops a fit at call number ``stop``."""

    def __init__(self, stop=None):
        self.stop = stop
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.heard.append(("begin", context.task_name, X.shape, len(y), metadata))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.heard.append(("end", context.task_name, fitted_estimator))
        moments = sum(one[0] == "end" and one[1] != "fit" for one in self.heard)
        return self.stop is not None and moments >= self.stop


@pytest.fixture
def hard():
    """Rows that take minutes to fit to the last digits."""
    random = np.random.default_rng(0)
    return random.standard_normal((4000, 20)), random.integers(0, 2, 4000)


def test_a_fit_begins_and_ends_with_the_fitted_estimator(moons):
    X, y = moons
    listener = Listener()
    model = mercer.SVC(gamma=2.0).set_callbacks(listener)
    weights = np.ones(len(y))
    model.fit(X, y, weights)
    assert listener.heard[0] == "setup" and listener.heard[-1] == "teardown"
    assert listener.heard[1][:4] == ("begin", "fit", X.shape, len(y))
    assert np.array_equal(listener.heard[1][4]["sample_weight"], weights)
    end = listener.heard[-2]
    assert end[:2] == ("end", "fit")
    assert np.array_equal(end[2].predict(X), model.predict(X))


@pytest.mark.parametrize("name", ["KernelRidge", "OneClassSVM", "KernelLogisticRegression", "RankSVM"])
def test_every_machine_tells(name, curve):
    X, y = curve
    listener = Listener()
    y = (y > 0).astype(int) if "Logistic" in name else y
    if name == "OneClassSVM":
        listener.on_fit_task_begin = lambda estimator, context: listener.heard.append("begin")
    getattr(mercer, name)().set_callbacks(listener).fit(X, y)
    assert "setup" in listener.heard and "teardown" in listener.heard


def test_a_callback_stops_a_fit(hard):
    X, y = hard
    listener = Listener(stop=2)
    begin = time.monotonic()
    model = mercer.SVC(gamma=0.05, C=1e5, tol=1e-13).set_callbacks(listener)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)  # a requested stop needs no warning
        model.fit(X, y)
    assert model.status_ == "interrupted" and len(model.predict(X[:2])) == 2
    assert time.monotonic() - begin < 20.0
    assert sum(one[0] == "end" and one[1] != "fit" for one in listener.heard) == 2
    assert listener.heard[-1] == "teardown"


def test_callbacks_follow_clones_and_leave_fits_alone(moons):
    X, y = moons
    listener = Listener()
    model = clone(mercer.SVC(gamma=2.0).set_callbacks(listener)).fit(X, y)
    assert "setup" in listener.heard
    assert not [name for name in vars(model) if "ctx" in name or "teardown" in name]
    assert np.array_equal(model.decision_function(X),
                          mercer.SVC(gamma=2.0).fit(X, y).decision_function(X))
    again = pickle.loads(pickle.dumps(model.set_callbacks()))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_searches_and_pipelines_pass_callbacks_on(moons):
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    X, y = moons
    for tool in (GridSearchCV(mercer.SVC(), {"C": [1.0, 10.0]}, cv=2),
                 make_pipeline(StandardScaler(), mercer.SVC())):
        listener = Listener()
        listener.max_propagation_depth = None  # this requests it
        listener.on_fit_task_begin = lambda estimator, context: listener.heard.append(
            ("begin", type(estimator).__name__))
        tool.set_callbacks(listener).fit(X, y)
        assert ("begin", "SVC") in listener.heard
        assert listener.heard.count("setup") == listener.heard.count("teardown") == 1


def test_several_alphas_are_one_fit(curve):
    X, y = curve
    listener = Listener()
    mercer.KernelRidge([0.1, 1.0]).set_callbacks(listener).fit(X, np.column_stack([y, -y]))
    assert listener.heard.count("setup") == 1
    assert sum(one[:2] == ("end", "fit") for one in listener.heard) == 1
