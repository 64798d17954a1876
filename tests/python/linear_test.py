# SPDX-License-Identifier: Apache-2.0
"""tests/python/linear_test.py - starts, limits and weights of logistic and linear machines."""

import pickle
import warnings

import mercer
import numpy as np
import pytest
import sklearn.linear_model
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler


def two_classes():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("data", [two_classes, lambda: load_iris(return_X_y=True)])
@pytest.mark.parametrize("kind", [mercer.LogisticRegression, mercer.KernelLogisticRegression])
def test_a_warm_start_begins_where_the_last_fit_ended(kind, data):
    X, y = data()
    cold = kind(C=2.0).fit(X, y)
    warm = kind(C=2.0, warm_start=True).fit(X, y)
    warm.set_params(max_iter=1).fit(X, y)
    assert warm.status_ == "converged"
    np.testing.assert_allclose(warm.predict_proba(X), cold.predict_proba(X), atol=1e-4)
    warm.set_params(max_iter=-1, C=2.1).fit(X, y)
    assert warm.n_iter_[0] < kind(C=2.1).fit(X, y).n_iter_[0]
    assert mercer.verify(warm, X, y)


def test_a_warm_start_of_other_rows_or_classes_is_a_new_start():
    X, y = load_iris(return_X_y=True)
    model = mercer.LogisticRegression(warm_start=True).fit(X, y)
    for rows in (y < 2, np.arange(len(y)) % 2 == 0):
        model.fit(X[rows], y[rows])
        fresh = mercer.LogisticRegression().fit(X[rows], y[rows])
        np.testing.assert_allclose(model.coef_, fresh.coef_, atol=1e-6)


@pytest.mark.parametrize("kind", [mercer.LogisticRegression, mercer.KernelLogisticRegression])
def test_no_step_is_the_start_with_its_certificate(kind):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="iteration-limit"):
        model = kind(max_iter=0).fit(X, y)
    assert np.all(model.n_iter_ == 0) and model.status_ == "iteration-limit"
    assert np.all(model.predict_proba(X) == 1.0 / 3.0) and np.all(model.intercept_ == 0.0)
    assert model.certificate_.primal == pytest.approx(len(y) * np.log(3.0))
    assert mercer.verify(model, X, y)
    with pytest.raises(ValueError, match="max_iter"):
        mercer.SVC(max_iter=0).fit(X, y)


def test_weights_that_are_written_predict():
    X, y = two_classes()
    model = mercer.LogisticRegression().fit(X, y)
    before = model.decision_function(X)
    model.coef_ *= 2.0
    model.intercept_[:] = 0.0
    assert np.isnan(model.certificate_.gap) and "proved within" not in model._repr_html_()
    expected = X @ model.coef_[0]
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-expected)),
                               atol=2e-7)  # ours are at least 1e-7
    assert not hasattr(model, "support_") and not model.n_support_.any()
    assert model.status_ == "imported" and not mercer.verify(model, X, y).states
    np.testing.assert_allclose(pickle.loads(pickle.dumps(model)).decision_function(X), expected,
                               atol=1e-10)
    assert not np.array_equal(model.fit(X, y).coef_[0], expected)
    np.testing.assert_allclose(model.decision_function(X), before, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_of_many_classes_and_targets_may_be_replaced():
    X, y = load_iris(return_X_y=True)
    model = mercer.LogisticRegression().fit(X, y)
    peer = sklearn.linear_model.LogisticRegression(C=0.01).fit(X, y)
    model.coef_, model.intercept_ = peer.coef_, peer.intercept_
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-10)
    assert model.model_.status == "imported"
    with pytest.raises(ValueError, match="coef_: got shape"):
        model.coef_ = peer.coef_[:2]
        model.predict(X)
    machine = mercer.Perceptron(max_iter=5).fit(X, y)
    machine.coef_, machine.intercept_ = peer.coef_, peer.intercept_
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(X), atol=1e-10)
    X, y = load_diabetes(return_X_y=True)
    for kind in (mercer.Ridge(), mercer.LeastSquares()):
        for targets in (y, np.column_stack([y, -y])):
            kind.fit(X, targets)
            kind.coef_ = np.ones_like(kind.coef_)
            kind.intercept_ = np.zeros_like(kind.intercept_)
            np.testing.assert_allclose(np.ravel(kind.predict(X)[:3]),
                                       np.repeat(X[:3].sum(axis=1), targets.ndim), atol=1e-12)


def test_separable_classes_without_a_penalty_are_warned_of():
    X = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    y = [0, 0, 1, 1]
    with pytest.warns(ConvergenceWarning, match="likelihood has no maximum"):
        model = mercer.LogisticRegression(C=np.inf).fit(X, y)
    assert model.status_ == "no-maximum" and model.fit_status_ == 1
    assert model.model_.engine.cost == 1e8 and mercer.verify(model, X, y)
    assert np.all(model.predict_proba(X)[range(4), y] > 1.0 - 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mercer.LogisticRegression(C=np.inf).fit(X, [0, 1, 0, 1]).status_ == "converged"


def test_a_class_of_weight_zero_is_never_predicted():
    X, y = load_iris(return_X_y=True)
    weights = {0: 1.0, 1: 2.0, 2: 0.0}
    model = mercer.LogisticRegression(class_weight=weights).fit(X, y)
    probabilities = model.predict_proba(X)
    assert np.all(probabilities[:, 2] == 0.0) and set(model.predict(X)) == {0, 1}
    rows = y < 2
    two = sklearn.linear_model.LogisticRegression(  # two classes jointly: half the penalty
        C=2.0, class_weight={0: 1.0, 1: 2.0}, tol=1e-10, max_iter=10_000).fit(X[rows], y[rows])
    np.testing.assert_allclose(probabilities[:, :2], two.predict_proba(X), atol=1e-5)
    assert mercer.verify(model, X, y, np.where(rows, 1.0, 0.0))
    with pytest.raises(ValueError, match="same class"):
        mercer.LogisticRegression(class_weight={0: 0.0, 1: 1.0, 2: 0.0}).fit(X, y)


def test_a_vanishing_penalty_is_least_squares():
    random = np.random.default_rng(3)
    X = random.standard_normal((100, 50))
    w = random.standard_normal(50)
    model = mercer.Ridge(alpha=1e-16).fit(X, X @ w + 10.0)
    assert model.solver_ == "svd"
    np.testing.assert_allclose(model.coef_, w, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, 10.0, atol=1e-10)
