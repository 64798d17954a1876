# SPDX-License-Identifier: Apache-2.0
"""tests/python/estimators_test.py - the estimators compared with scikit-learn and the table."""

import inspect
import pickle
import warnings

import mercer
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.svm
from mercer import _engine
from mercer._estimator import ENGINE_NAMES
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NAMES = [name for names in mercer._HOMES.values() for name in names]
CLASSIFIERS = [*mercer._HOMES["classifiers"], "OrdinalSVC"]
VECTORS = ["SVC", "NuSVC", "L2SVC", "HuberSVC", "SVR", "NuSVR", "L2SVR", "OneClassSVM"]


def made(name, **parameters):
    return getattr(mercer, name)(**parameters)


def fitted(name, moons, curve, **parameters):
    X, y = moons if name in CLASSIFIERS else curve
    return made(name, **parameters).fit(X, y), X, y


# Names, defaults and ranges are those of the table of machines.

@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_options_that_the_machine_takes(name):
    estimator = made(name)
    machine = mercer.machines()[estimator._machine_name()]
    options = {option["name"]: option for option in mercer.options()}
    parameters = inspect.signature(type(estimator).__init__).parameters
    for parameter in estimator._taken:
        option = ENGINE_NAMES.get(parameter, parameter)
        assert parameter in parameters and option in options
        if option in ("cost", "epsilon", "nu", "alpha", "degree"):
            assert option in machine["takes"] or option == "cost" and machine["sparse"]
    for hyperparameter in machine["takes"]:
        words = {"cost": "C", "alpha": ("alpha", "alphas")}.get(hyperparameter, hyperparameter)
        if not (hyperparameter == "cost" and "alpha" in machine["takes"]):
            assert any(word in parameters for word in np.atleast_1d(words))
    assert ("warm_start" in parameters) <= machine["starts"]


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_the_engine_s(name):
    standard = {"cost": 1.0, "epsilon": 0.1, "nu": 0.5, "alpha": 1.0, "degree": 2, "l1": 1.0}
    estimator = made(name)
    for parameter in estimator._taken:
        option = ENGINE_NAMES.get(parameter, parameter)
        if option in standard:
            assert getattr(estimator, parameter) == standard[option], parameter
    for option in mercer.options():  # the help of the engine states the same numbers
        if option["name"] in standard:
            assert f"default {standard[option['name']]:g}" in option["help"]


@pytest.mark.parametrize("name", NAMES)
def test_values_out_of_range_are_refused_by_their_name_here(name, moons, curve):
    options = {option["name"]: option for option in mercer.options()}
    estimator = made(name)
    for parameter in estimator._taken:
        option = options[ENGINE_NAMES.get(parameter, parameter)]
        if option["kind"] in ("number", "integer") and option["range"]["lower"] == 0.0:
            if parameter in ("max_iter", "alpha"):
                continue
            with pytest.raises(ValueError, match=f"^{parameter}: got -3|{parameter}"):
                fitted(name, moons, curve, **{parameter: -3})


def test_every_machine_has_an_estimator():
    assert set(mercer.machines()) == {made(name)._machine_name() for name in NAMES}


def test_scikit_learn_s_parameters_have_its_defaults():
    for ours, theirs in [("SVC", sklearn.svm.SVC), ("NuSVC", sklearn.svm.NuSVC),
                         ("SVR", sklearn.svm.SVR), ("NuSVR", sklearn.svm.NuSVR),
                         ("OneClassSVM", sklearn.svm.OneClassSVM),
                         ("KernelRidge", sklearn.kernel_ridge.KernelRidge)]:
        known = theirs().get_params()
        for name, value in made(ours).get_params().items():
            if name in known and name != "probability":
                assert value == known[name], (ours, name)
        assert set(known) - set(made(ours).get_params()) <= {"kernel_params", "class_weight"}


# The same answers as scikit-learn's.

@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("ours, theirs", [
    ("SVC", sklearn.svm.SVC), ("NuSVC", sklearn.svm.NuSVC), ("SVR", sklearn.svm.SVR),
    ("NuSVR", sklearn.svm.NuSVR), ("OneClassSVM", sklearn.svm.OneClassSVM)])
def test_vector_machines_agree(ours, theirs, kernel):
    if kernel == "sigmoid" and ours != "SVC":
        pytest.skip("not convex: each program ends at a point of its own")
    if ours == "OneClassSVM" and kernel == "linear":
        pytest.skip("the rows surround 0: f = 0 is the answer, which LIBSVM nears for minutes")
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    X += 1e-3 * np.random.default_rng(0).standard_normal(X.shape)  # no duplicate rows
    parameters = {"kernel": kernel, "gamma": 0.02 if kernel == "sigmoid" else "scale",
                  "coef0": 0.0 if kernel == "sigmoid" else 1.0, "tol": 1e-10}
    if "NuSV" in ours:
        parameters["nu"] = 0.3
    a = made(ours, **parameters).fit(X, y)
    b = theirs(**parameters).fit(X, y)
    loose = 1e-2 if (ours, kernel) == ("NuSVC", "linear") else 2e-5  # LIBSVM stops at its limit
    shape = {"rtol": loose, "atol": loose}
    if ours != "OneClassSVM":  # rows on its edge may be on either side
        np.testing.assert_allclose(a.predict(X), b.predict(X), **shape)
    if hasattr(b, "decision_function"):
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), **shape)
    np.testing.assert_allclose(a.intercept_, b.intercept_, **shape)
    if kernel == "rbf":  # strictly positive definite: the coefficients are unique
        dense = np.zeros((2, *a.dual_coef_.shape[:1], len(X)))
        dense[0][:, a.support_] = a.dual_coef_
        dense[1][:, b.support_] = b.dual_coef_
        np.testing.assert_allclose(dense[0], dense[1], atol=1e-4)
        np.testing.assert_allclose(a.support_vectors_, X[a.support_])
        assert a.n_support_.sum() == len(a.support_) and a.n_support_.shape == b.n_support_.shape
    if kernel == "linear":
        np.testing.assert_allclose(a.coef_, b.coef_, **shape)
    else:
        assert not hasattr(a, "coef_")


def test_shapes_of_decisions_agree():
    X, y = load_iris(return_X_y=True)
    for shape in ("ovo", "ovr"):
        a, b = (made_class(decision_function_shape=shape, tol=1e-8).fit(X, y)
                for made_class in (mercer.SVC, sklearn.svm.SVC))
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-5)
    a, b = (made_class(break_ties=True).fit(X, y) for made_class in (mercer.SVC, sklearn.svm.SVC))
    assert np.array_equal(a.predict(X), b.predict(X))
    with pytest.raises(ValueError, match="break_ties"):
        mercer.SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)


@pytest.mark.parametrize("weight", [None, "balanced", {0: 3.0, 1: 0.5, 2: 1.0}])
def test_class_and_row_weights_agree(weight):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    rows = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    parameters = {"class_weight": weight, "gamma": 0.05, "tol": 1e-8}
    given = None if weight == "balanced" else rows  # scikit-learn balances without the weights
    a, b = (one(**parameters).fit(X, y, given) for one in (mercer.SVC, sklearn.svm.SVC))
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-5)
    np.testing.assert_allclose(a.class_weight_, b.class_weight_)


def test_balanced_classes_count_rows_by_their_weights():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    rows = np.random.default_rng(0).integers(0, 4, len(y))
    a = mercer.SVC(class_weight="balanced", tol=1e-8).fit(X, y, rows)
    b = mercer.SVC(class_weight="balanced", tol=1e-8).fit(X.repeat(rows, axis=0), y.repeat(rows))
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "cosine", "sigmoid"])
def test_kernel_ridge_agrees(kernel):
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, y**2 / 100])
    for target, alpha in ((y, 0.3), (Y, 0.3), (Y, [0.3, 2.0])):
        if kernel == "sigmoid":
            continue
        a = mercer.KernelRidge(alpha, kernel=kernel).fit(X, target)
        b = sklearn.kernel_ridge.KernelRidge(alpha=alpha, kernel=kernel).fit(X, target)
        np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-7)
        np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, rtol=1e-5, atol=1e-5)


def test_linear_machines_agree():
    X, y = load_diabetes(return_X_y=True)
    for a, b in [(mercer.Ridge(0.1), sklearn.linear_model.Ridge(0.1)),
                 (mercer.Ridge(0.1, fit_intercept=False),
                  sklearn.linear_model.Ridge(0.1, fit_intercept=False)),
                 (mercer.LeastSquares(), sklearn.linear_model.LinearRegression())]:
        a.fit(X, y), b.fit(X, y)
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-6)
        np.testing.assert_allclose(a.intercept_, b.intercept_)
        many = clone(a).fit(X, np.column_stack([y, -y]))
        np.testing.assert_allclose(many.coef_, [b.coef_, -b.coef_], rtol=1e-6)


def test_ridge_takes_an_alpha_for_each_target_and_none():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, y**2 / 100, -y])
    alphas = [0.0, 0.3, 2.0]
    many = mercer.Ridge(alphas).fit(X, Y)
    theirs = sklearn.linear_model.Ridge(np.array(alphas), solver="svd").fit(X, Y)
    np.testing.assert_allclose(many.coef_, theirs.coef_, rtol=1e-6)
    np.testing.assert_allclose(many.intercept_, theirs.intercept_, rtol=1e-9)
    with pytest.raises(ValueError, match="penalties do not correspond: 2 != 3"):
        mercer.Ridge([1.0, 2.0]).fit(X, Y)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_logistic_regression_agrees(load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    a = mercer.LogisticRegression(C=0.5).fit(X, y)
    b = sklearn.linear_model.LogisticRegression(C=0.5, tol=1e-12, max_iter=10000).fit(X, y)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)
    assert np.array_equal(a.predict(X), a.classes_[a.predict_proba(X).argmax(axis=1)])


def test_the_best_alpha_is_that_of_a_search():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80]
    alphas = [1e-3, 1e-2, 0.1, 1.0]
    model = mercer.KernelRidgeCV(alphas, kernel="rbf", gamma=10.0).fit(X, y)
    slow = GridSearchCV(sklearn.kernel_ridge.KernelRidge(kernel="rbf", gamma=10.0),
                        {"alpha": alphas}, cv=len(y), scoring="neg_mean_squared_error").fit(X, y)
    assert model.alpha_ == slow.best_params_["alpha"]
    np.testing.assert_allclose(model.cv_results_["loo_mse"],
                               -slow.cv_results_["mean_test_score"], rtol=1e-6)


# A drop-in among scikit-learn's tools.

@pytest.mark.parametrize("load", [load_digits, load_breast_cancer, load_wine])
def test_scores_in_searches_and_pipelines_are_the_same(load):
    X, y = load(return_X_y=True)
    X, y = X[:400], y[:400]
    scores = []
    for one in (mercer.SVC, sklearn.svm.SVC):
        search = GridSearchCV(make_pipeline(StandardScaler(), one(tol=1e-6)),
                              {"svc__C": [0.1, 10.0]}, cv=3).fit(X, y)
        scores.append([*search.cv_results_["mean_test_score"], search.score(X, y)])
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-6)


def test_scores_of_regressions_are_the_same():
    X, y = load_diabetes(return_X_y=True)
    a, b = (cross_val_score(one(C=100, tol=1e-8), X, y) for one in (mercer.SVR, sklearn.svm.SVR))
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_tools_of_scikit_learn_take_the_estimators():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:200], y[:200]
    ours, theirs = mercer.SVC(tol=1e-7), sklearn.svm.SVC(tol=1e-7)
    a, b = (CalibratedClassifierCV(one, cv=3, ensemble=False).fit(X, y).predict_proba(X)
            for one in (ours, theirs))
    np.testing.assert_allclose(a, b, atol=1e-6)
    a, b = (cross_val_predict(one, X, y, method="decision_function") for one in (ours, theirs))
    np.testing.assert_allclose(a, b, atol=1e-5)
    a, b = (permutation_importance(one.fit(X, y), X, y, n_repeats=2, random_state=0).importances_mean
            for one in (ours, theirs))
    np.testing.assert_allclose(a, b, atol=1e-6)
    a, b = (cross_val_score(one, X, y, n_jobs=2) for one in (ours, theirs))
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_the_boundary_is_drawn_where_scikit_learn_draws_it(moons):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from sklearn.inspection import DecisionBoundaryDisplay
    X, y = moons
    for method in ("decision_function", "predict"):
        a, b = (DecisionBoundaryDisplay.from_estimator(one(gamma=2.0, tol=1e-8).fit(X, y), X,
                                                       grid_resolution=40, response_method=method)
                for one in (mercer.SVC, sklearn.svm.SVC))
        np.testing.assert_allclose(a.response, b.response, atol=1e-6)


# The caller's own kernels.

def test_callable_and_precomputed_kernels_agree(moons):
    X, y = moons
    calls = []

    def values(A, B):
        calls.append((len(A), len(B)))
        return np.exp(-2.0 * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))

    expected = mercer.SVC(gamma=2.0, tol=1e-8).fit(X, y)
    own = mercer.SVC(kernel=values, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), expected.decision_function(X), atol=1e-6)
    assert calls[-1] == (len(X), len(X)), "as in scikit-learn it gets all rows of the training"
    assert np.array_equal(own.support_vectors_, X[own.support_])
    given = mercer.SVC(kernel="precomputed", tol=1e-8).fit(values(X, X), y)
    np.testing.assert_allclose(given.decision_function(values(X, X)),
                               expected.decision_function(X), atol=1e-6)
    assert mercer.verify(given, values(X, X), y) and mercer.verify(own, X, y)
    with pytest.raises(ValueError, match="square"):
        mercer.SVC(kernel="precomputed").fit(values(X, X)[:, :-1], y)


def test_rows_of_weight_zero_may_be_precomputed(moons):
    X, y = moons
    K = np.exp(-2.0 * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    a = mercer.SVC(kernel="precomputed", tol=1e-8).fit(K, y, weights)
    b = mercer.SVC(gamma=2.0, tol=1e-8).fit(X, y, weights)
    np.testing.assert_allclose(a.decision_function(K), b.decision_function(X), atol=1e-6)
    assert np.array_equal(a.support_, b.support_)


def test_a_callable_takes_whatever_it_likes():
    words = ["aa", "aaa", "ab", "bb", "bbb", "ba"]

    def values(left, right):
        return np.array([[a.count("a") * b.count("a") + a.count("b") * b.count("b") for b in right]
                         for a in left], dtype=float)

    model = mercer.SVC(kernel=values, C=10).fit(words, [0, 0, 0, 1, 1, 1])
    assert list(model.predict(["aaaa", "bbbb"])) == [0, 1]


def test_a_callable_may_depend_on_the_set_of_training_rows(moons):
    X, y = moons

    def centred(A, B):
        return (A - B.mean(axis=0)) @ (B - B.mean(axis=0)).T

    ours = mercer.SVC(kernel=centred, tol=1e-8).fit(X, y)
    peer = sklearn.svm.SVC(kernel=centred, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X[:20]), peer.decision_function(X[:20]),
                               atol=1e-6)
    weights = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    ours.fit(X, y, weights)
    linear = mercer.SVC(kernel="linear", tol=1e-8).fit(X - X.mean(axis=0), y, weights)
    np.testing.assert_allclose(ours.decision_function(X[:20]),
                               linear.decision_function(X[:20] - X.mean(axis=0)), atol=1e-6)


# The attributes of a fitted estimator.

@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_of_every_machine_holds(name, moons, curve):
    model, X, y = fitted(name, moons, curve)
    if name in ("Perceptron", "KernelPerceptron"):
        return  # it minimises nothing
    assert mercer.verify(model, X, None if name == "OneClassSVM" else y), name
    assert model.status_ == "converged" and model.fit_status_ == 0
    if name not in ("GreedySVC", "SparseSVC"):
        assert model.certificate_.relative_gap <= (1e-2 if name in (*VECTORS, "HardMarginSVC") else 1e-8)
    proved = name not in ("LeastSquares", "PolynomialRegression")
    assert ("proved within" in model._repr_html_()) == proved
    assert ("proved within" in model._repr_mimebundle_()["text/html"]) == proved


@pytest.mark.parametrize("name", NAMES)
def test_pickles_are_model_files(name, moons, curve):
    model, X, _ = fitted(name, moons, curve)
    data = pickle.dumps(model)
    assert all(data.find(one.to_bytes()) > 0 for one in model.models_)
    again = pickle.loads(data)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.certificate_ == model.certificate_


def test_a_saved_estimator_is_a_model(tmp_path, moons):
    X, y = moons
    model = mercer.SVC(gamma=2.0).fit(X, np.array(["no", "yes"])[y])
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert np.array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError):
        model.to_libsvm(tmp_path / "m.libsvm")  # labels that are not numbers
    mercer.SVC(gamma=2.0).fit(X, y).to_libsvm(tmp_path / "m.libsvm")


def test_not_converged_warns_with_the_gap_and_a_remedy():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning,
                      match="iteration-limit.*proved within.*raise max_iter") as caught:
        model = mercer.SVC(kernel="linear", max_iter=2, polish=False).fit(X, y)
    assert caught[0].filename == __file__, "the warning points at the call of fit"
    assert model.fit_status_ == 1 and model.status_ == "iteration-limit"
    assert model.certificate_.relative_gap > 1e-3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mercer.SVC().fit(X, y)


def test_tables_bring_their_names(moons):
    X, y = moons
    expected = mercer.SVC().fit(X, y).decision_function(X)
    tables = [pd.DataFrame(X, columns=["east", "north"])]
    if sklearn.__version__ >= "1.9":  # earlier versions use a protocol that polars has dropped
        arrow = pytest.importorskip("pyarrow")
        tables.append(pl.DataFrame({"east": X[:, 0], "north": X[:, 1]}))
        tables.append(arrow.table({"east": X[:, 0], "north": X[:, 1]}))
    for table in tables:
        model = mercer.SVC().fit(table, y)
        assert list(model.feature_names_in_) == ["east", "north"]
        assert model.model_.engine.column_names == ["east", "north"]
        assert np.array_equal(model.decision_function(table), expected)
        with pytest.warns(UserWarning, match="feature names"):
            model.predict(X)
        trained = mercer.train(table, y)
        assert trained.engine.column_names == ["east", "north"]
        assert np.array_equal(trained.predict(table), mercer.train(X, y).predict(X))


def test_a_tube_that_closes_is_proved_closed():
    random = np.random.RandomState(42)
    X, y = random.rand(15, 30), random.randint(0, 3, size=15).astype(float)
    model = mercer.NuSVR(nu=0.5).fit(X, y, random.randint(0, 5, size=15))
    assert model.status_ == "converged" and model.certificate_.relative_gap < 1e-9
    assert model.tube_ == 0.0


def test_float32_rows_stay_float32(moons):
    X, y = moons
    model = mercer.SVC(gamma=2.0).fit(X.astype(np.float32), y)
    assert model.support_vectors_.dtype == np.float32
    np.testing.assert_allclose(model.decision_function(X.astype(np.float32)),
                               mercer.SVC(gamma=2.0).fit(X, y).decision_function(X), atol=1e-2)


def test_weights_of_linear_machines_keep_the_precision_of_their_columns():
    X, y = load_diabetes(return_X_y=True)
    for model, target in ((mercer.Ridge(0.1), y), (mercer.LeastSquares(), y),
                          (mercer.LogisticRegression(), y > 100)):
        for kind in (np.float32, np.float64):
            model.fit(X.astype(kind), target)
            assert model.coef_.dtype == kind and model.intercept_.dtype == kind


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_few_rows_are_answered_as_many_are(moons, kind):
    X, y = moons[0].astype(kind), moons[1]
    for model in (mercer.SVC(gamma=2.0), mercer.KernelLogisticRegression(gamma=2.0),
                  mercer.OneClassSVM(gamma=2.0), mercer.SVC(kernel="precomputed")):
        rows = np.ascontiguousarray(X @ X.T) if model.kernel == "precomputed" else X
        model.fit(rows, y)
        asked = [model.predict, model.decision_function]
        asked += [model.predict_proba] if hasattr(model, "predict_proba") else []
        for ask in asked:
            assert np.array_equal(ask(rows[:1]), ask(rows.tolist())[:1] if kind == np.float64
                                  else ask(rows)[:1])
            assert np.array_equal(ask(np.asfortranarray(rows)), ask(rows))


def test_a_few_rows_are_refused_as_scikit_learn_refuses_them(moons):
    X, y = moons
    model, theirs = mercer.SVC().fit(X, y), sklearn.svm.SVC().fit(X, y)
    for rows in ([[np.nan, 0.0]], [[np.inf, 0.0]], [[1.0]], [[1.0, 2.0, 3.0]], [1.0, 2.0],
                 np.zeros((0, 2))):
        rows = np.asarray(rows)
        with pytest.raises(ValueError) as ours:
            model.predict(rows)
        with pytest.raises(ValueError) as other:
            theirs.predict(rows)
        assert str(ours.value) == str(other.value)
    named = mercer.SVC().fit(pd.DataFrame(X, columns=["east", "north"]), y)
    with pytest.warns(UserWarning, match="feature names"):
        named.predict(X[:1])


@pytest.mark.parametrize("name", [n for n in VECTORS if n != "OneClassSVM"])
def test_a_warm_start_goes_on_from_the_last_fit(name, moons, curve):
    parameters = {"nu": 0.4} if "Nu" in name else {"C": 3.0}
    cold, X, y = fitted(name, moons, curve, tol=1e-6, **parameters)
    warm, _, _ = fitted(name, moons, curve, tol=1e-6, warm_start=True)
    warm.set_params(**parameters).fit(X, y)
    np.testing.assert_allclose(warm.predict(X), cold.predict(X), atol=1e-4)
    warm.fit(X[50:150] + 1.0, y[50:150])  # other rows: a cold start
    assert warm.shape_fit_[1] == X.shape[1]


def test_probabilities_are_there_when_asked_for(moons):
    X, y = moons
    assert not hasattr(mercer.SVC(), "predict_proba")
    probabilities = mercer.SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert ((probabilities[:, 1] > 0.5) == y).mean() > 0.9
    logs = mercer.KernelLogisticRegression().fit(X, y).predict_log_proba(X)
    assert (logs <= 0).all()


def test_few_functions_are_few(moons):
    X, y = moons
    model = mercer.SparseSVC(C=1.0, gamma=2.0).fit(X, y)
    assert 0 < len(model.support_) < 60 and model.score(X, y) > 0.9
    greedy = mercer.GreedySVC(n_basis=10, gamma=2.0).fit(X, y)
    assert len(greedy.support_) <= 10 and greedy.score(X, y) > 0.85
    assert greedy.basis_curve_[-1][0] <= 10
    with pytest.raises(ValueError, match="loss: got 'other', must be one of squared_hinge"):
        mercer.SparseSVC(loss="other").fit(X, y)


def test_the_plain_hinge_is_a_linear_programme(moons):
    scipy_optimize = pytest.importorskip("scipy.optimize")
    X, y = moons[0][::4], moons[1][::4]
    model = mercer.SparseSVC(loss="hinge", gamma=2.0, C=3.0).fit(X, y)
    # min sum (p + q) + 3 sum s   with   y (K (p - q) + b) + s >= 1   in   p, q, s >= 0, b free
    n, sign = len(y), np.where(y == 1, 1.0, -1.0)
    K = sign[:, None] * np.exp(-2.0 * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    found = scipy_optimize.linprog(np.concatenate([np.ones(2 * n), np.full(n, 3.0), [0.0]]),
                                   A_ub=-np.hstack([K, -K, np.eye(n), sign[:, None]]),
                                   b_ub=-np.ones(n), bounds=[(0, None)] * (3 * n) + [(None, None)])
    assert model.certificate_.primal == pytest.approx(found.fun, rel=1e-9)
    assert mercer.verify(model, X, y)
    with pytest.raises(ValueError, match="loss: got 'hinge'"):
        mercer.GreedySVC(loss="hinge").fit(X, y)


def test_classes_have_the_order_that_is_given(curve):
    X, y = curve
    codes = np.digitize(y, [-0.5, 0.5])
    names = np.array(["top", "low", "mid"])  # not their alphabetical order
    model = mercer.OrdinalSVC(order=names, gamma=1.0, C=10).fit(X, names[codes])
    assert list(model.classes_) == list(names) and (np.diff(model.thresholds_) > 0.0).all()
    reached = (model.latent_values(X)[:, None] >= model.thresholds_).sum(axis=1)
    assert np.array_equal(model.predict(X), names[reached]) and model.score(X, names[codes]) > 0.9
    assert np.array_equal(model.decision_function(X).argmax(axis=1), reached)
    numbers = mercer.OrdinalSVC(gamma=1.0, C=10).fit(X, codes)
    np.testing.assert_allclose(numbers.latent_values(X), model.latent_values(X), atol=1e-6)
    with pytest.raises(ValueError, match="order: got"):
        mercer.OrdinalSVC(order=["low", "top"]).fit(X, names[codes])


def test_rows_are_ranked_within_their_query(curve):
    X, y = curve
    groups = np.arange(len(y)) % 2
    shifted = y + 100.0 * groups  # the order across queries is meaningless
    model = mercer.RankSVM(gamma=1.0, C=10).fit(X, shifted, queries=groups)
    assert model.score(X[groups == 0], y[groups == 0]) > 0.9
    assert model.score(X, y) > 0.9
    assert mercer.verify(model, X, shifted, queries=groups) and not mercer.verify(model, X, shifted)
    below = y < y[7]
    one = np.flatnonzero(below)[:1]
    alone = model.score(X[[7, one[0]]], y[[7, one[0]]])
    assert alone == float(model.predict(X[[7]])[0] > model.predict(X[one])[0])
    with pytest.raises(ValueError, match="queries: got 3 values"):
        model.fit(X, y, queries=[0, 1, 2])


def test_a_perceptron_tells_its_mistakes():
    X, y = load_iris(return_X_y=True)
    model = mercer.Perceptron(random_state=0).fit(X[:100], y[:100])
    bound = model.mistake_bound_[0]
    assert model.score(X[:100], y[:100]) == 1.0 and 0 < bound["mistakes"] <= bound["bound"]
    with pytest.warns(ConvergenceWarning, match="3000 mistakes were made. Raise max_mistakes"):
        many = mercer.Perceptron(random_state=0, max_mistakes=3000).fit(X, y)
    assert len(many.models_) == 3 and many.decision_function(X).shape == (150, 3)


@pytest.mark.parametrize("passes", [1, 2, 7])
def test_a_perceptron_of_so_many_passes_is_scikit_learn_s(passes):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :2]
    with pytest.warns(ConvergenceWarning, match="Raise max_iter, max_mistakes or time_limit"):
        ours = mercer.Perceptron(max_iter=passes, shuffle=False).fit(X, y)
    theirs = sklearn.linear_model.Perceptron(max_iter=passes, shuffle=False, tol=None).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)
    assert ours.n_iter_.tolist() == [passes] * 3 and ours.status_ == "iteration-limit"


@pytest.mark.parametrize("name", ["SVC", "SVR", "Perceptron"])
def test_no_iterations_at_all_are_refused(name):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="max_iter: got 0, must be > 0"):
        getattr(mercer, name)(max_iter=0).fit(X, y)


def test_large_numbers_are_no_trouble():
    X, y = np.array([[0.0], [1e100]]), np.array([0, 1])
    model = mercer.LogisticRegression().fit(X, y)
    assert model.status_ == "converged" and model.score(X, y) == 1.0
    assert np.isfinite(model.coef_).all() and mercer.verify(model, X, y)


def test_what_was_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        mercer.SVC().predict([[0.0]])
    assert not hasattr(mercer.SVC(), "support_")
    with pytest.raises(ValueError, match="all samples with positive weights"):
        mercer.SVC().fit([[0.0], [1.0]], [0, 1], [1.0, 0.0])
    with pytest.raises(ValueError, match="not separable"):
        mercer.HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])


def test_threads_are_those_asked_for(monkeypatch):
    from mercer._settings import thread_count
    allowed = _engine.allowed_threads()
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count(None) == thread_count(-1) == allowed
    assert thread_count(3) == 3 and thread_count(-1000) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(None) == 1 and thread_count(-1) == allowed
    with pytest.raises(ValueError, match="n_jobs"):
        thread_count(0)


def test_threadpoolctl_sees_and_limits_the_threads():
    from mercer._settings import thread_count
    from threadpoolctl import threadpool_info, threadpool_limits
    ours = [info for info in threadpool_info() if info["user_api"] == "mercer"]
    assert len(ours) == 1 and ours[0]["version"] == mercer.__version__
    with threadpool_limits(1):
        assert thread_count(None) == 1
    assert thread_count(None) == ours[0]["num_threads"]
