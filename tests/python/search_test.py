# SPDX-License-Identifier: Apache-2.0
"""tests/python/search_test.py - SelectCV compared with scikit-learn's search on the same folds."""

import pickle

import mercer
import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneOut, StratifiedKFold, TimeSeriesSplit
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
    again = clone(poly.best_estimator_).fit(X, y)  # the parameters determine it
    np.testing.assert_allclose(again.decision_function(X), poly.decision_function(X), atol=1e-6)
    for search, message in [(mercer.SelectCV(mercer.SVC(), {"alpha": [1.0]}), "no parameter 'alpha'"),
                            (mercer.SelectCV(mercer.SVC(), {}), "no name"),
                            (mercer.SelectCV(mercer.SVC(), {"C": "1:2:log3"}), "grid"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, cv="half"), "cv: got"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, cv=[(X, y, y)]), "cv"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, cv=[([0, 1], [1, 2])]), "twice"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, rule="first"), "rule"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, search="luck"), "search"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, search="random"), "draws"),
                            (mercer.SelectCV(mercer.SVC(), {"C": [1.0]}, metric="luck"), "metric"),
                            (mercer.SelectCV(sklearn.svm.SVC(), {"C": [1.0]}), "must be one of Mercer")]:
        with pytest.raises(ValueError, match=message):
            search.fit(X, y)


def test_given_folds_are_taken_as_they_are_and_score_as_scikit_learn_scores_them():
    X, y = load_iris(return_X_y=True)
    grid = {"C": [0.1, 1.0, 100.0], "gamma": [0.01, 0.1, 1.0]}
    groups = np.arange(len(y)) % 7
    for cv in (StratifiedKFold(4, shuffle=True, random_state=3), TimeSeriesSplit(3), GroupKFold(3),
               [(np.arange(0, 150, 2), np.arange(1, 150, 2)), (np.arange(150) % 3 > 0, np.arange(150) % 3 == 0)]):
        folds = cv if isinstance(cv, list) else list(cv.split(X, y, groups))
        if isinstance(cv, TimeSeriesSplit):  # classes follow one after the other
            order = np.random.default_rng(0).permutation(len(y))
            X, y = X[order], y[order]
        theirs = GridSearchCV(sklearn.svm.SVC(tol=1e-5), grid, cv=folds).fit(X, y)
        ours = mercer.SelectCV(mercer.SVC(tol=1e-5), grid, cv=cv).fit(X, y, groups=groups)
        for k in range(len(folds)):
            np.testing.assert_allclose(ours.cv_results_[f"split{k}_test_score"],
                                       theirs.cv_results_[f"split{k}_test_score"], atol=1e-12)
        np.testing.assert_allclose(ours.cv_results_["std_test_score"],
                                   theirs.cv_results_["std_test_score"], atol=1e-12)
        assert ours.cv_results_["converged"].all()


def test_groups_are_not_divided_and_time_goes_forward(moons):
    X, y = moons
    # Rows of a group are copies: a machine trained with one of them knows the others.
    random = np.random.default_rng(1)
    rows = np.repeat(np.arange(30), 4)
    noise = random.integers(0, 2, 30)[rows]
    points = random.standard_normal((30, 2))[rows] + 1e-6 * random.standard_normal((120, 2))
    known = mercer.SelectCV(mercer.SVC(gamma=100.0), {"C": [1.0, 10.0]}).fit(points, noise)
    unknown = mercer.SelectCV(mercer.SVC(gamma=100.0), {"C": [1.0, 10.0]}).fit(
        points, noise, groups=[f"g{g}" for g in rows])
    assert known.best_score_ > 0.95 and unknown.best_score_ < 0.75
    mixed = random.permutation(len(y))
    ordered = mercer.SelectCV(mercer.SVC(), {"C": [1.0, 10.0]}, cv=4, time_ordered=True).fit(X[mixed], y[mixed])
    repeated = mercer.SelectCV(mercer.SVC(), {"C": [1.0, 10.0]}, cv=4, repeats=3).fit(X, y)
    assert "split3_test_score" in ordered.cv_results_ and "split4_test_score" not in ordered.cv_results_
    assert "split11_test_score" in repeated.cv_results_


def test_the_choice_says_how_sure_it_is(moons):
    X, y = moons
    grid = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}
    search = mercer.SelectCV(mercer.SVC(gamma=1.0), grid, cv=5, nested=4).fit(X, y)
    table = search.cv_results_
    scores = np.array([table[f"split{k}_test_score"] for k in range(5)]).T
    np.testing.assert_allclose(table["standard_error"], scores.std(axis=1, ddof=1) / np.sqrt(5))
    next_best = search.runner_up_["index"]
    difference = scores[search.best_index_] - scores[next_best]
    assert search.runner_up_["mean"] == pytest.approx(difference.mean(), abs=1e-14)
    assert search.runner_up_["lower"] <= difference.mean() <= search.runner_up_["upper"]
    assert len(search.nested_["scores"]) == 4 and len(search.nested_["choices"]) == 4
    assert search.nested_["lower"] <= search.nested_["mean"] <= search.nested_["upper"]
    simple = mercer.SelectCV(mercer.SVC(gamma=1.0), grid, cv=5, rule="one-standard-error").fit(X, y)
    best = table["mean_test_score"].max()
    error = table["standard_error"][int(np.argmax(table["mean_test_score"]))]
    wanted = min(c for c, score in zip(grid["C"], table["mean_test_score"]) if score >= best - error)
    assert simple.best_params_["C"] == wanted
    errors = mercer.SelectCV(mercer.SVR(), {"C": [0.1, 10.0]}, nested=3).fit(X, X[:, 0])
    assert errors.nested_["mean"] < 0 and errors.nested_["lower"] <= errors.nested_["upper"]


def test_draws_and_halving_try_less(moons):
    X, y = moons
    grid = {"C": [1e-2, 1e3], "gamma": [1e-2, 1e2]}
    drawn = mercer.SelectCV(mercer.SVC(), grid, search="random", draws=20).fit(X, y)
    values = np.array([[row["C"], row["gamma"]] for row in drawn.cv_results_["params"]])
    assert len(values) == 20 and (values >= 1e-2).all() and (values[:, 0] <= 1e3).all()
    assert (values[:, 0] < 3.2).sum() in range(4, 17), "evenly in the logarithm"
    again = mercer.SelectCV(mercer.SVC(), grid, search="random", draws=20).fit(X, y)
    assert again.cv_results_["params"] == drawn.cv_results_["params"]
    many = np.repeat(X, 8, axis=0) + 0.05 * np.random.default_rng(0).standard_normal((8 * len(X), 2))
    full = {"C": np.logspace(-2, 3, 9), "gamma": np.logspace(-2, 2, 9)}
    halving = mercer.SelectCV(mercer.SVC(), full, search="halving").fit(many, np.repeat(y, 8))
    rows = halving.cv_results_["n_rows"]
    assert len(rows) == 81 and rows.max() == len(many) and (rows < len(many)).sum() > 50
    assert rows[halving.best_index_] == len(many)


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
