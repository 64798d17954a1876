# SPDX-License-Identifier: Apache-2.0
"""tests/python/report_test.py - the numbers of a report agree with scikit-learn and scipy."""

import json
import re

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

import mercer


@pytest.fixture
def halves():
    """Two classes in five columns, the last of which is irrelevant: training and other rows."""
    X, y = make_classification(400, 5, n_informative=3, n_redundant=1, flip_y=0.1, shuffle=False,
                               random_state=3)
    return train_test_split(X, y, random_state=0)


def values(found):
    return {name: one["value"] for name, one in found["measures"].items()}


def test_classes_are_measured_as_scikit_learn_does(halves, tmp_path):
    X, X_new, y, y_new = halves
    model = mercer.SVC(C=2.0, probability=True).fit(X, y)
    told = model.report(X, y, path=tmp_path / "r.html", validation=(X_new, y_new))
    assert told["verify"]["holds"]
    assert [one["name"] for one in told["sets"]] == ["training rows", "validation rows"]
    for found, rows, truth in zip(told["sets"], (X, X_new), (y, y_new)):
        f, p, said = model.decision_function(rows), model.predict_proba(rows), model.predict(rows)
        assert values(found) == pytest.approx({
            "accuracy": metrics.accuracy_score(truth, said),
            "balanced_accuracy": metrics.balanced_accuracy_score(truth, said),
            "auc": metrics.roc_auc_score(truth, f),
            "log_loss": metrics.log_loss(truth, p),
            "brier": metrics.brier_score_loss(truth, p[:, 1])}, rel=1e-9)
        assert found["confusion"] == metrics.confusion_matrix(truth, said).tolist()
        curve = found["curves"][0]
        assert curve["auc"] == pytest.approx(metrics.roc_auc_score(truth, f))
        assert curve["average_precision"] == pytest.approx(
            metrics.average_precision_score(truth, f))
        false, true, _ = metrics.roc_curve(truth, f, drop_intermediate=False)
        corners = set(zip(false.round(12), true.round(12)))
        assert {(round(one["false_positive_rate"], 12), round(one["true_positive_rate"], 12))
                for one in curve["roc"]} <= corners
        observed, predicted = calibration_curve(truth, p[:, 1], n_bins=10)
        bins = found["calibration"]["bins"]
        assert [one["observed"] for one in bins] == pytest.approx(observed)
        assert [one["predicted"] for one in bins] == pytest.approx(predicted)
        margins = np.where(truth == 1, f, -f)
        counts = found["histogram"]["counts"]
        for name, value in (("0", 0), ("1", 1)):
            edges = (found["histogram"]["low"]
                     + found["histogram"]["width"] * np.arange(len(counts[name]) + 1))
            own = np.clip(margins[truth == value], edges[0], edges[-1])
            # Free rows lie on the margin, which is the border of two bins, up to rounding.
            either = np.count_nonzero(np.abs(own[:, None] - edges[None, :]).min(1) < 1e-9)
            moved = np.abs(np.array(counts[name]) - np.histogram(own, edges)[0]).sum()
            assert sum(counts[name]) == len(own) and moved <= 2 * either


def test_shares_have_the_exact_interval_of_scipy(halves, tmp_path):
    X, X_new, y, y_new = halves
    model = mercer.SVC(probability=True).fit(X, y)
    told = model.report(X_new, y_new, path=tmp_path / "r.html")
    hits = int((model.predict(X_new) == y_new).sum())
    exact = stats.binomtest(hits, len(y_new)).proportion_ci(0.95, "exact")
    accuracy = told["sets"][0]["measures"]["accuracy"]
    assert (accuracy["low"], accuracy["high"]) == pytest.approx((exact.low, exact.high), abs=1e-10)
    for one in told["sets"][0]["calibration"]["bins"]:
        hits = round(one["observed"] * one["rows"])
        exact = stats.binomtest(hits, one["rows"]).proportion_ci(0.95, "exact")
        assert (one["low"], one["high"]) == pytest.approx((exact.low, exact.high), abs=1e-10)


def test_the_bootstrap_is_near_that_of_scipy(halves, tmp_path):
    X, X_new, y, y_new = halves
    model = mercer.SVC().fit(X, y)
    told = model.report(X_new, y_new, path=tmp_path / "r.html")
    found = told["sets"][0]["measures"]["auc"]
    drawn = stats.bootstrap((y_new, model.decision_function(X_new)), metrics.roc_auc_score,
                            paired=True, vectorized=False, n_resamples=2000, method="percentile",
                            random_state=0).confidence_interval
    width = drawn.high - drawn.low
    assert found["low"] == pytest.approx(drawn.low, abs=0.15 * width)
    assert found["high"] == pytest.approx(drawn.high, abs=0.15 * width)


def test_numbers_are_measured_as_scikit_learn_does(curve, tmp_path):
    X, y = curve
    model = mercer.SVR(C=10.0, epsilon=0.05).fit(X, y)
    told = model.report(X, y, path=tmp_path / "r.html")
    said = model.predict(X)
    assert values(told["sets"][0]) == pytest.approx({
        "rmse": metrics.root_mean_squared_error(y, said),
        "mae": metrics.mean_absolute_error(y, said),
        "r2": metrics.r2_score(y, said),
        "max_error": metrics.max_error(y, said)}, rel=1e-9)
    order = np.argsort(-np.abs(y - said))[:20]
    assert [one["row"] - 1 for one in told["support"]["hardest"]] == order.tolist()
    pairs = {(one["prediction"], one["target"]) for one in told["sets"][0]["predictions"]}
    assert len(pairs) == len(y)
    assert {target for _, target in pairs} == set(y.tolist())


def test_permutation_importance_is_that_of_scikit_learn(halves, tmp_path):
    X, X_new, y, y_new = halves
    model = mercer.SVC(C=2.0).fit(X, y)
    told = model.report(X, y, path=tmp_path / "r.html", validation=(X_new, y_new))
    peer = permutation_importance(model, X_new, y_new, n_repeats=40, random_state=0)
    found = {one["column"]: one for one in told["importance"]["columns"]}
    assert told["importance"]["rows"] == len(y_new)
    for column in range(5):
        one = found[f"column {column + 1}"]
        spread = 4.0 * peer.importances_std[column] / np.sqrt(10) + 1e-12
        assert one["value"] == pytest.approx(peer.importances_mean[column], abs=spread)
        assert one["low"] <= one["value"] <= one["high"]


def test_many_classes_and_outliers_have_reports(tmp_path):
    X, y = make_classification(300, 4, n_informative=4, n_redundant=0, n_classes=3, random_state=1)
    model = mercer.SVC(probability=True).fit(X, y)
    found = model.report(X, y, path=tmp_path / "r.html")["sets"][0]
    assert values(found)["log_loss"] == pytest.approx(metrics.log_loss(y, model.predict_proba(X)))
    assert values(found)["accuracy"] == metrics.accuracy_score(y, model.predict(X))
    assert len(found["curves"]) == 3
    p = model.predict_proba(X)
    observed, predicted = calibration_curve(p.argmax(1) == y, p.max(1), n_bins=10)
    assert [one["observed"] for one in found["calibration"]["bins"]] == pytest.approx(observed)
    outliers = mercer.OneClassSVM(nu=0.1).fit(X)
    told = outliers.report(X, path=tmp_path / "o.html")
    inside = float((outliers.model_.predict(X) == 1).mean())  # including rounding at the edge
    assert values(told["sets"][0]) == {"share_inside": pytest.approx(inside)}
    assert told["verify"]["holds"]


def test_classes_in_order_and_rankings_have_reports(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 3))
    y = np.digitize(X[:, 0] + 0.5 * random.standard_normal(120), [-0.5, 0.5])
    ordered = mercer.OrdinalSVC().fit(X, y)
    told = ordered.report(X, y, path=tmp_path / "r.html")
    assert told["verify"]["holds"]
    assert values(told["sets"][0])["mae"] == pytest.approx(np.abs(ordered.predict(X) - y).mean())
    queries = np.repeat(list("abcdefghijkl"), 10)
    ranked = mercer.RankSVM().fit(X, y, queries=queries)
    told = ranked.report(X, y, path=tmp_path / "r.html", queries=queries,
                         validation=(X, y, queries))
    assert told["verify"]["holds"]
    f = ranked.predict(X)
    above = (y[:, None] > y[None, :]) & (queries[:, None] == queries[None, :])
    order = np.sign(f[:, None] - f[None, :])[above]
    for found in told["sets"]:
        assert values(found)["kendall_tau"] == pytest.approx(order.mean())
        assert found["measures"]["kendall_tau"]["low"] < order.mean()


def test_a_model_of_train_writes_the_page_that_the_program_writes(moons, tmp_path):
    X, y = moons
    model = mercer.train(X, y, C=3.0, kernel="rbf(gamma=1)")
    told = model.report(X, y, path=tmp_path / "r.html", title="Half circles", refits=True)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>Half circles</h1>" in page
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", page)
    assert told["learning"]["points"]
    alone = model.report(path=tmp_path / "alone.html")
    assert alone["sets"] == []
    assert json.dumps(alone["certificate"]) == json.dumps(told["certificate"])


def test_what_cannot_be_reported_is_said(moons, tmp_path):
    X, y = moons
    model = mercer.SVC().fit(X, y)
    with pytest.raises(ValueError, match="class that the model does not have"):
        model.report(X, np.where(y == 1, 7, 0), path=tmp_path / "r.html")
    two = mercer.KernelRidge().fit(X, np.column_stack([X[:, 0], X[:, 1]]))
    with pytest.raises(ValueError, match="2 models"):
        two.report(X, X, path=tmp_path / "r.html")
