# SPDX-License-Identifier: Apache-2.0
"""tests/python/exports_test.py - onnxruntime and svm-predict give the same predictions as Mercer."""

import shutil
import subprocess
import sys

import mercer
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

onnxruntime = pytest.importorskip("onnxruntime")
CLASSIFIERS = mercer._HOMES["classifiers"]
OTHERS = [*mercer._HOMES["regressors"], *mercer._HOMES["outliers"]]
KERNELS = ["linear", "poly(degree=3, coef0=0.5, scale=2)", "monomial(degree=2)", "rbf(gamma=2)",
           "laplace(gamma=1)", "matern(nu=0.5, length=1)", "matern(nu=1.5, length=2)",
           "matern(nu=2.5, length=1)", "rational-quadratic(alpha=2, length=1)", "cosine",
           "chi2(gamma=1)", "intersection", "2 * rbf(gamma=1) + linear * rbf(gamma=0.3)",
           "exp(linear)", "normalized(poly(degree=2, coef0=1, scale=1))", "rbf(gamma=1) ^ 3 + constant(2)",
           "polynomial(rbf(gamma=1); 1, 2, 3)", "columns(rbf(gamma=1); 0:2, 3)", "delta",
           "latent-gaussian(s=0.3, tau=0.5)", "columns(sinc(bandwidth=0.5); 1)",
           "columns(brownian-bridge; 0)"]


def ran(proto, rows):
    """The outputs by name."""
    session = onnxruntime.InferenceSession(proto.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, {session.get_inputs()[0].name: rows})))


def assert_decides_alike(model, proto, rows, atol=1e-10):
    found = ran(proto, rows)
    expected = np.asarray(model.decision_function(rows))
    np.testing.assert_allclose(found["decision"], expected.reshape(len(rows), -1), atol=atol)
    assert np.array_equal(found["label"], model.predict(rows))
    if hasattr(model, "predict_proba") and "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), atol=atol)
    return found


@pytest.fixture
def three():
    """Rows in [0, 1], of three classes, and rows to predict."""
    random = np.random.default_rng(3)
    X = random.random((120, 4))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.8) + (X[:, 2] > 0.7).astype(int)
    return X, y, random.random((50, 4))


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_that_can_be_written_agrees(kernel, three):
    X, y, rows = three
    model = mercer.train(X, y, kernel=kernel, C=5)
    assert_decides_alike(model, model.to_onnx(), np.concatenate([rows, X[:5]]))


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_classifier_agrees(name, classes, three):
    X, y, rows = three
    names = np.array(["few", "more", "most"]) if classes == 3 else np.array([7, -3])
    y = names[np.minimum(y, classes - 1)]
    parameters = {"NuSVC": {"nu": 0.2}, "Perceptron": {"max_mistakes": 500},
                  "HardMarginSVC": {"gamma": 50.0}, "KernelPerceptron": {"gamma": 50.0}}.get(name, {})
    model = getattr(mercer, name)(**parameters).fit(X, y)
    found = assert_decides_alike(model, model.to_onnx(), rows)
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if hasattr(model, "break_ties"):
        for changed in ({"break_ties": True}, {"decision_function_shape": "ovo"}):
            again = getattr(mercer, name)(**parameters, **changed).fit(X, y)
            assert_decides_alike(again, again.to_onnx(), rows)


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_machine_agrees(name):
    X, y = load_diabetes(return_X_y=True)
    X, rows = X[:300] * 20, X[300:] * 20
    model = getattr(mercer, name)().fit(X, y[:300])
    found = ran(model.to_onnx(), rows)
    if name in mercer._HOMES["outliers"]:
        np.testing.assert_allclose(found["decision"][:, 0], model.decision_function(rows), atol=1e-10)
        assert np.array_equal(found["label"], model.predict(rows))
    else:  # the expansion of a polynomial has coefficients of 1e7: it cancels
        close = 1e-6 if name == "PolynomialRegression" else 1e-10
        np.testing.assert_allclose(found["value"][:, 0], model.predict(rows), rtol=close)
    if getattr(model, "_many_targets", False):
        model.fit(X, np.column_stack([y[:300], -y[:300]]))
        np.testing.assert_allclose(ran(model.to_onnx(), rows)["value"], model.predict(rows), rtol=close)


@pytest.mark.parametrize("machine", [name for name, row in mercer.machines().items()
                                     if "classes" in row["task"] and name != "perceptron"])
@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_scaling_is_part_of_the_graph(machine, scale, three):
    X, y, rows = three
    X, rows, y = 100.0 + 50.0 * X, 100.0 + 50.0 * rows, np.minimum(y, 1)
    extra = {"kernel": "rbf(gamma=20)"} if machine == "hard-margin" else {}
    model = mercer.train(X, y, model=machine, scale=scale, **extra)
    assert_decides_alike(model, model.to_onnx(), rows)


def test_learned_probabilities_agree(three):
    X, y, rows = three
    for labels in (y, np.minimum(y, 1)):
        model = mercer.SVC(probability=True, random_state=0).fit(X, labels)
        found = ran(model.to_onnx(), rows)
        # the pairs are coupled exactly here, there by iterations that end at 1e-9
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), atol=1e-8)
        assert np.array_equal(found["label"], model.predict(rows))


def test_ordinal_sparse_and_precomputed_models_agree(three):
    X, y, rows = three
    ordinal = mercer.train(X, y, model="ordinal", kernel="rbf(gamma=2)")
    assert_decides_alike(ordinal, ordinal.to_onnx(), rows)
    order = mercer.OrdinalSVC(order=[2, 1, 0]).fit(X, y)
    found = ran(order.to_onnx(), rows)
    np.testing.assert_allclose(found["decision"][:, 0], order.latent_values(rows), atol=1e-10)
    assert np.array_equal(found["label"], order.predict(rows))
    ranking = mercer.RankSVM().fit(X, X[:, 0])
    np.testing.assert_allclose(ran(ranking.to_onnx(), rows)["value"][:, 0], ranking.predict(rows),
                               atol=1e-10)
    X[X < 0.5] = 0.0
    thin = mercer.SVC(gamma=2.0).fit(sparse.csr_array(X), y)
    assert_decides_alike(thin, thin.to_onnx(), rows)
    given = mercer.SVC(kernel="precomputed").fit(X @ X.T, y)
    assert_decides_alike(given, given.to_onnx(), rows @ X.T)


def test_single_precision_rows_are_taken(three):
    X, y, rows = three
    model = mercer.SVC(gamma=2.0).fit(X, y)
    found = ran(model.to_onnx(dtype="float32"), rows.astype(np.float32))
    expected = model.decision_function(rows.astype(np.float32).astype(np.float64))
    np.testing.assert_allclose(found["decision"], expected, atol=1e-10)


def test_what_onnx_cannot_hold_is_refused(three, monkeypatch):
    X, y, _ = three
    with pytest.raises(ValueError, match="matern.nu=1. has no closed form"):
        mercer.train(X, y, kernel="matern(nu=1, length=1)").to_onnx()
    with pytest.raises(ValueError, match="callable"):
        mercer.SVC(kernel=lambda a, b: a @ b.T).fit(X, y).to_onnx()
    with pytest.raises(ValueError, match="dtype"):
        mercer.train(X, y).to_onnx(dtype="float16")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="pip install 'mercer.onnx.'"):
        mercer.train(X, y).to_onnx()


@pytest.mark.parametrize("step", [mercer.SVC(), mercer.LogisticRegression(), mercer.SVR(),
                                  mercer.OneClassSVM(), mercer.KernelRidge(kernel="rbf")])
def test_pipelines_convert(step):
    skl2onnx = pytest.importorskip("skl2onnx")
    from mercer.exports import register_with_skl2onnx
    from skl2onnx.common.data_types import DoubleTensorType

    register_with_skl2onnx()
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), step).fit(X, y)
    options = {id(pipeline): {"zipmap": False}} if hasattr(step, "classes_") else None
    proto = skl2onnx.to_onnx(pipeline, initial_types=[("X", DoubleTensorType([None, 4]))],
                             options=options, target_opset=17)
    if options is not None:  # the default of skl2onnx: dicts of single precision
        mapped = ran(skl2onnx.to_onnx(pipeline, target_opset=17,
                                      initial_types=[("X", DoubleTensorType([None, 4]))]), X)
        assert [set(one) for one in mapped["output_probability"][:2]] == [{0, 1, 2}] * 2
    first, *rest = ran(proto, X).values()
    np.testing.assert_allclose(np.ravel(first), pipeline.predict(X), rtol=1e-10)
    if rest:
        values = (pipeline.predict_proba(X) if hasattr(pipeline, "predict_proba")
                  else pipeline.decision_function(X))
        np.testing.assert_allclose(rest[0], values.reshape(len(X), -1), atol=1e-10)


def svm_predict(tmp_path, model, rows):
    """Labels, or values, predicted by LIBSVM's own program."""
    model.to_libsvm(tmp_path / "m.model")
    lines = ("0 " + " ".join(f"{column + 1}:{value!r}" for column, value in enumerate(row))
             for row in np.asarray(rows).tolist())
    (tmp_path / "rows").write_text("\n".join(lines) + "\n")
    subprocess.run(["svm-predict", "-q", "rows", "m.model", "out"], cwd=tmp_path, check=True, timeout=60)
    return np.loadtxt(tmp_path / "out")


@pytest.mark.skipif(shutil.which("svm-predict") is None, reason="libsvm-tools is not installed")
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_libsvm_s_program_predicts_alike(name, kernel, tmp_path, three):
    X, y, rows = three
    if name == "NuSVC":  # a nu that is feasible for all pairs, with f not 0
        y = np.digitize(X[:, 0] + 0.2 * X[:, 1], [0.4, 0.8])
    model = getattr(mercer, name)(kernel=kernel).fit(X, X[:, 0] if "R" in name else y)
    found, expected = svm_predict(tmp_path, model, rows), model.predict(rows)
    if "R" not in name:
        assert np.array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, atol=1e-10)
