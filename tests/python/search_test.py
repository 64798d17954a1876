# SPDX-License-Identifier: Apache-2.0
"""tests/python/search_test.py - SelectCV beside scikit-learn's search, where the folds are the same."""

import pickle

import mercer
import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def test_leaving_rows_out_finds_what_scikit_learn_finds():
    X, y = load_iris(return_X_y=True)
    X, y = X[50::3], y[50::3]
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
    theirs = GridSearchCV(sklearn.svm.SVC(tol=1e-6), grid, cv=LeaveOneOut()).fit(X, y)
    for cv in ("loo", len(y)):
        ours = mercer.SelectCV(mercer.SVC(tol=1e-6), grid, cv=cv).fit(X, y)
        assert ours.cv_results_["params"] == theirs.cv_results_["params"]
        np.testing.assert_allclose(ours.cv_results_["mean_test_score"],
                                   theirs.cv_results_["mean_test_score"], atol=1e-12)
        assert ours.best_params_ == theirs.best_params_ and ours.best_score_ == theirs.best_score_
        assert np.array_equal(ours.cv_results_["rank_test_score"],
                              theirs.cv_results_["rank_test_score"])
        assert ours.best_estimator_.C == theirs.best_params_["C"]
        assert np.array_equal(ours.predict(X), theirs.predict(X)) and ours.score(X, y) == theirs.score(X, y)
        assert mercer.verify(ours, X, y) and ours.certificate_.relative_gap < 1e-3


def test_errors_are_negative_scores():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], y[:60]
    grid = {"alpha": [0.01, 0.1, 1.0], "gamma": [1.0, 10.0]}
    ours = mercer.SelectCV(mercer.KernelRidge(kernel="rbf"), grid, cv="loo", metric="mse").fit(X, y)
    theirs = GridSearchCV(sklearn.kernel_ridge.KernelRidge(kernel="rbf"), grid, cv=LeaveOneOut(),
                          scoring="neg_mean_squared_error").fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"],
                               theirs.cv_results_["mean_test_score"], rtol=1e-7)
    np.testing.assert_allclose(ours.cv_results_["loo_mse"], -theirs.cv_results_["mean_test_score"],
                               rtol=1e-7)
    assert ours.best_params_ == theirs.best_params_ and ours.metric_ == "loo_mse"
    assert is_regressor(ours) and not is_classifier(ours)


def test_grids_are_text_or_numbers_and_names_are_those_of_the_estimator(moons):
    X, y = moons
    text = mercer.SelectCV(mercer.SVC(), {"C": "0.1:100:log10"}).fit(X, y)
    assert [row["C"] for row in text.cv_results_["params"]] == pytest.approx([0.1, 1.0, 10.0, 100.0])
    kernel = mercer.kernels.Matern(nu=1.5, length=1.0)
    nested = mercer.SelectCV(mercer.SVC(kernel=kernel), {"kernel__length": [0.1, 1.0, 10.0]}).fit(X, y)
    assert nested.best_estimator_.kernel.length == nested.best_params_["kernel__length"]
    assert kernel.length == 1.0, "the caller's kernel is left alone"
    poly = mercer.SelectCV(mercer.SVC(kernel="poly", coef0=1.0),
                           {"degree": [1, 3], "gamma": [0.5, 1.0]}).fit(X, y)
    assert isinstance(poly.best_params_["degree"], int)
    again = clone(poly.best_estimator_).fit(X, y)  # the parameters say how it was made
    np.testing.assert_allclose(again.decision_function(X), poly.decision_function(X), atol=1e-6)
    for search, message in [(mercer.SelectCV(mercer.SVC(), {"alpha": [1.0]}), "no parameter 'alpha'"),
                            (mercer.SelectCV(mercer.SVC(), {}), "no name"),
                            (mercer.SelectCV(mercer.SVC(), {"C": "1:2:log3"}), "grid"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, cv=LeaveOneOut()), "cv: got"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, metric="luck"), "metric"),
                            (mercer.SelectCV(sklearn.svm.SVC(), {"C": [1.0]}), "must be one of Mercer")]:
        with pytest.raises(ValueError, match=message):
            search.fit(X, y)


def test_finer_grids_lie_around_the_best_and_edges_are_told(moons):
    X, y = moons
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0, 10.0]}
    coarse = mercer.SelectCV(mercer.SVC(), grid).fit(X, y)
    fine = mercer.SelectCV(mercer.SVC(), grid, refine=2).fit(X, y)
    assert len(fine.cv_results_["params"]) > 9 and fine.best_score_ >= coarse.best_score_
    low = mercer.SelectCV(mercer.SVC(gamma=2.0), {"C": [1e-6, 1e-5, 1e-4, 1.0]}).fit(X, y)
    assert low.best_params_["C"] == 1.0 and [name for name, _ in low.edges_] == ["C"]


def test_a_search_is_an_estimator_like_others(moons):
    X, y = moons
    names = np.array(["no", "yes"])[y]
    search = mercer.SelectCV(mercer.KernelLogisticRegression(), {"C": [0.1, 10.0]}, metric="auc")
    with pytest.raises(NotFittedError):
        search.predict(X)
    pipeline = make_pipeline(StandardScaler(), search).fit(X, names)
    assert pipeline.score(X, names) > 0.85
    assert list(pipeline.classes_) == ["no", "yes"]
    np.testing.assert_allclose(pipeline.predict_proba(X).sum(axis=1), 1.0)
    again = pickle.loads(pickle.dumps(pipeline))
    assert np.array_equal(again.predict(X), pipeline.predict(X))
    assert not hasattr(mercer.SelectCV(mercer.SVC(), {"C": [1.0]}), "predict_proba")
    one, other = (mercer.SelectCV(mercer.SVC(), {"C": [0.1, 10.0]}, random_state=seed).fit(X, y)
                  for seed in (0, 0))
    assert one.best_score_ == other.best_score_


def test_a_time_limit_leaves_the_best_so_far():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((2500, 20)), random.integers(0, 2, 2500)
    slow = mercer.SVC(gamma=0.05, tol=1e-6, time_limit=3.0)
    search = mercer.SelectCV(slow, {"C": np.logspace(-3, 6, 40)}, cv=5)
    with pytest.warns(UserWarning, match="combinations were left out; raise time_limit"):
        search.fit(X, y)
    assert search.unjudged_ > 0 and len(search.predict(X[:3])) == 3
