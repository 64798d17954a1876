# SPDX-License-Identifier: Apache-2.0
"""tests/python/train_test.py - mercer.train, verify, load and path, which need only numpy."""

import os
import pickle
import subprocess
import sys
import threading

import mercer
import numpy as np
import pytest
from mercer import _engine
from mercer._rows import rows_of
from scipy import sparse


def test_a_certificate_holds_when_it_is_computed_again(moons):
    X, y = moons
    model = mercer.train(X, y, kernel="rbf(gamma=2)", C=10)
    assert model.status == "converged"
    assert model.certificate.relative_gap < 1e-4
    assert mercer.verify(model, X, y)
    report = mercer.verify(model, X + 1e-3, y)
    assert not report and report.other_rows
    assert "fails" in str(report)


def test_every_machine_of_the_table_trains(moons, curve):
    for name, row in mercer.machines().items():
        X, y = moons if "classes" in row["task"] else curve
        extra = {"max_iterations": 1000} if name == "perceptron" else {}
        model = mercer.train(X, y, model=name, **extra)
        assert len(model.predict(X)) == len(X), name


def test_rows_of_every_kind_give_the_same_answer(moons):
    X, y = moons
    expected = mercer.train(X, y, kernel="rbf(gamma=2)").decision_function(X)
    long_csr = sparse.csr_array(X)
    long_csr.indices, long_csr.indptr = (part.astype(np.int64)
                                         for part in (long_csr.indices, long_csr.indptr))
    for rows in (np.asfortranarray(X), X.tolist(), sparse.csr_array(X), sparse.csc_matrix(X),
                 long_csr):
        model = mercer.train(rows, y, kernel="rbf(gamma=2)")
        np.testing.assert_allclose(model.decision_function(rows), expected, rtol=1e-3, atol=1e-3)


def test_rows_in_c_order_are_not_copied():
    for kind in (np.float32, np.float64):
        X = np.ones((5, 3), dtype=kind)
        before = sys.getrefcount(X)
        rows = _engine.Data.dense(X)
        assert sys.getrefcount(X) > before, "the engine holds the array itself"
        X[0, 0] = np.nan
        del rows
        assert sys.getrefcount(X) == before
    with pytest.raises(TypeError):
        _engine.Data.dense(np.ones((5, 3), dtype=np.float16))


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_columns_of_csr_rows_are_not_copied(width):
    X = sparse.random_array((50, 40), density=0.2, format="csr", rng=np.random.default_rng(5))
    X.indices, X.indptr = X.indices.astype(width), X.indptr.astype(width)
    before = [sys.getrefcount(part) for part in (X.data, X.indices)]
    rows = rows_of(X)
    assert all(sys.getrefcount(part) > count
               for part, count in zip((X.data, X.indices), before)), "the arrays themselves are held"
    del rows
    assert [sys.getrefcount(part) for part in (X.data, X.indices)] == before


@pytest.mark.parametrize("options", [{"kernel": "rbf(gamma=0.5)"}, {"kernel": "linear"},
                                     {"kernel": "linear", "solver": "dual-descent"},
                                     {"kernel": "rbf(gamma=0.5)", "scale": "minmax"},
                                     {"model": "krr", "kernel": "chi2(gamma=1)"}])
def test_both_widths_of_csr_columns_give_the_same_bits(options):
    X = sparse.random_array((120, 30), density=0.3, format="csr", rng=np.random.default_rng(7))
    y = np.asarray(X.sum(axis=1)).ravel() > 4.5
    y = y.astype(float) if options.get("model") == "krr" else y
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert X.indices.dtype == np.int32
    models = [mercer.train(rows, y, **options) for rows in (X, wide)]
    assert models[0].to_bytes() == models[1].to_bytes()
    answers = [models[0].predict(rows) if "model" in options else models[0].decision_function(rows)
               for rows in (X, wide)]
    np.testing.assert_array_equal(*answers)
    assert mercer.verify(models[0], X, y)


def test_wrong_rows_and_options_are_named():
    X = np.ones((4, 2))
    with pytest.raises(ValueError, match="finite"):
        mercer.train(np.array([[1.0, np.nan]] * 4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="cost: got -1"):
        mercer.train(X, [0, 1, 0, 1], C=-1)
    with pytest.raises(ValueError, match="sots: there is no such option; there are model, cost"):
        mercer.train(X, [0, 1, 0, 1], sots=1)
    with pytest.raises(ValueError, match="epsilon: svc does not take it; these do: svr"):
        mercer.train(X, [0, 1, 0, 1], epsilon=0.1)
    with pytest.raises(ValueError, match="must be one of svc, nu-svc"):
        mercer.train(X, [0, 1, 0, 1], model="svm")
    with pytest.raises(ValueError, match="kernel: .*\n.*\n *\\^"):
        mercer.train(X, [0, 1, 0, 1], kernel="rbf(gama=1)")
    with pytest.raises(ValueError, match="y: got shape"):
        mercer.train(X, [0, 1], model="krr")
    with pytest.raises(ValueError, match="two: a row per sample"):
        mercer.train([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="memory_limit"):
        mercer.train(X, [0, 1, 0, 1], memory_limit="lots")
    broken = sparse.csr_array(np.eye(3))
    broken.indices[0] = 7
    broken.has_canonical_format = True
    with pytest.raises(ValueError):
        mercer.train(broken, [0, 1, 0])


def test_memory_that_does_not_suffice_is_a_memory_error(curve):
    X, y = curve
    with pytest.raises(MemoryError):
        mercer.train(X, y, model="krr", kernel="rbf(gamma=1)", solver="cholesky", memory_limit=1000)


def test_a_model_survives_files_and_pickles(tmp_path, moons):
    X, y = moons
    names = np.array(["no", "yes"])[y]
    model = mercer.train(X, names, kernel="rbf(gamma=2)")
    expected = model.decision_function(X)
    model.save(tmp_path / "m.mercer")
    for again in (mercer.load(tmp_path / "m.mercer"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.decision_function(X), expected)
        assert list(again.predict(X[:1])) == list(model.predict(X[:1]))
        assert again.certificate == model.certificate
    assert pickle.dumps(model).find((tmp_path / "m.mercer").read_bytes()) > 0
    with pytest.raises(ValueError, match="not a Mercer model|magic|model"):
        mercer.Model.from_bytes(b"nonsense")


def test_the_program_reads_what_python_writes(tmp_path, moons):
    program = os.environ.get("MERCER_PROGRAM")
    if not program or not os.path.exists(program):
        pytest.skip("the program is not built")
    X, y = moons
    mercer.train(X, y, kernel="rbf(gamma=2)", C=10).save(tmp_path / "m.mercer")
    np.savez(tmp_path / "moons.npz", X=X, y=y)
    done = subprocess.run([program, "verify", "m.mercer", "moons.npz"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_libsvm_reads_an_export(tmp_path, moons):
    X, y = moons
    model = mercer.train(X, y, kernel="rbf(gamma=2)")
    model.to_libsvm(tmp_path / "m.libsvm")
    assert "svm_type c_svc" in (tmp_path / "m.libsvm").read_text()
    with pytest.raises(ValueError):
        mercer.train(X, y, kernel="matern(nu=1.5, length=1)").to_libsvm(tmp_path / "n.libsvm")


def test_a_time_limit_leaves_a_model_that_says_so():
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 20))
    y = random.integers(0, 2, 4000)
    model = mercer.train(X, y, kernel="rbf(gamma=0.05)", C=1e4, gap_tolerance=1e-12, time_limit=0.5)
    assert model.status == "interrupted"
    assert model.certificate.relative_gap > 1e-12
    assert model.predict(X[:3]).shape == (3,)


def test_a_path_has_every_machine(moons):
    X, y = moons
    path = mercer.path(X, y, kernel="rbf(gamma=2)", start=0.1, stop=50)
    assert path.knots[0].value == pytest.approx(0.1)
    machine = path.at(3.7)
    assert machine.certificate.relative_gap < 1e-8
    trained = mercer.train(X, y, kernel="rbf(gamma=2)", C=3.7, gap_tolerance=1e-10)
    np.testing.assert_allclose(path.decision_function(X, at=3.7), trained.decision_function(X),
                               atol=1e-4)
    assert np.array_equal(path.predict(X, at=3.7), machine.predict(X))
    score = path.score_path(X, y)
    assert score.measure == "error" and 0.0 <= score.best_score <= 0.1
    wrong = (path.predict(X, at=score.best_value) != y).mean()
    assert wrong == pytest.approx(score.best_score)
    again = pickle.loads(pickle.dumps(path))
    assert np.array_equal(again.predict(X, at=3.7), path.predict(X, at=3.7))
    with pytest.raises(ValueError):
        path.at(1000.0)
    with pytest.raises(ValueError):
        mercer.path(X, y, over="epsilon")


def test_two_threads_train_at_once(moons):
    X, y = moons
    models = [None, None]

    def work(place):
        models[place] = mercer.train(X, y, kernel="rbf(gamma=2)")

    threads = [threading.Thread(target=work, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert models[0].to_bytes() == models[1].to_bytes()


def test_the_number_of_threads_changes_no_bit(moons):
    X, y = moons
    one, two = (mercer.train(X, y, kernel="rbf(gamma=2)", n_jobs=n) for n in (1, 2))
    assert one.to_bytes() == two.to_bytes()


def test_a_forked_process_trains(moons):
    X, y = moons
    expected = mercer.train(X, y).to_bytes()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        same = mercer.train(X, y).to_bytes() == expected
        os.write(writer, b"same" if same else b"else")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 4) == b"same"


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np, mercer
random = np.random.default_rng(0)
X = random.standard_normal((6000, 30)); y = random.integers(0, 2, 6000)
mercer.SVC  # importing scikit-learn takes its time
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    {statement}
    print("was not interrupted")
except KeyboardInterrupt as stop:
    seconds = time.monotonic() - begin
    print({status}, seconds, flush=True)
"""


def interrupted(statement, status):
    script = INTERRUPTED.format(statement=statement, status=status)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    ended, seconds = done.stdout.split()
    assert ended == "interrupted"
    assert float(seconds) < 3.0  # sent after one second; the machine may be busy


def test_ctrl_c_stops_within_a_second_and_leaves_the_model():
    interrupted("mercer.train(X, y, kernel='rbf(gamma=0.03)', C=1e5, gap_tolerance=1e-13)",
                "stop.model.status")


def test_ctrl_c_leaves_a_fitted_estimator():
    interrupted("m = mercer.SVC(gamma=0.03, C=1e5, tol=1e-13); m.fit(X, y)",
                "m.status_ if len(m.predict(X[:2])) == 2 else '?'")


def test_import_needs_neither_scipy_nor_scikit_learn():
    script = ("import sys, mercer; mercer.train([[0.0], [1.0]], [0, 1]); "
              "assert not {'sklearn', 'scipy'} & {n.split('.')[0] for n in sys.modules}")
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_verbose_tells_progress(capsys):
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 20))
    mercer.train(X, random.integers(0, 2, 3000), kernel="rbf(gamma=0.05)", C=1e4,
                 gap_tolerance=1e-12, time_limit=1.0, verbose=True)
    assert "[mercer]" in capsys.readouterr().out


def test_rows_of_another_width_are_refused(moons):
    X, y = moons
    for asked in (mercer.train(X, y).predict, lambda rows: mercer.path(X, y).predict(rows, at=1.0)):
        for rows in (X[:, :1], np.column_stack([X, X])):
            with pytest.raises(ValueError, match="columns, the (model|path) was trained on 2"):
                asked(rows)


def test_large_numbers_are_classes_of_their_own():
    y = [2**53, 2**53 + 1, 2**53, 2**53 + 1]
    model = mercer.SVC(C=10).fit([[0.0], [3.0], [0.5], [2.5]], y)
    assert list(model.predict([[0.0], [3.0]])) == [2**53, 2**53 + 1]


def test_ranking_compares_the_rows_of_a_query():
    X = np.array([[1.0], [2.0], [3.0], [30.0], [20.0], [10.0]])
    model = mercer.train(X, [1, 2, 3, 1, 2, 3], model="rank", kernel="linear", C=1,
                         queries=[0, 0, 0, 1, 1, 1])
    apart = model.certificate.primal
    together = mercer.train(X, [1, 2, 3, 1, 2, 3], model="rank", kernel="linear", C=1)
    assert together.certificate.primal != apart
    assert model.decision_function(X).shape == (6,)


def test_a_spawned_process_trains(moons):
    import multiprocessing
    X, y = moons
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(mercer.train, (X, y)).to_bytes() == mercer.train(X, y).to_bytes()


def test_a_signal_s_own_exception_comes_through():
    script = """
import signal, numpy as np, mercer
def stop(number, frame):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.5)
random = np.random.default_rng(0)
try:
    mercer.train(random.standard_normal((5000, 30)), random.integers(0, 2, 5000),
                 kernel="rbf(gamma=0.03)", C=1e5, gap_tolerance=1e-13)
except TimeoutError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "enough\n", done.stderr


def test_memory_does_not_grow_with_the_number_of_fits(moons):
    X, y = moons[0][::4], moons[1][::4]

    def cycle(times):
        for _ in range(times):
            pickle.loads(pickle.dumps(mercer.SVC().fit(X, y))).predict(X)
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    before = cycle(200)
    assert cycle(400) - before < 2.0


def test_theory_answers_with_proof():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    parity = [0, 0, 1, 1]
    found = mercer.theory.separable(X, parity)
    assert not found and found.exact_check
    np.testing.assert_allclose(found.point, [0.5, 0.5])
    assert mercer.theory.separable(X, parity, kernel="poly(degree=2, coef0=1, scale=1)")
    assert mercer.theory.vc_bound(1000, 5).bound > 0
    assert mercer.theory.margin_dimension(2.0, 3.0) == 36.0


def test_one_class_tells_in_from_out():
    X = np.concatenate([np.random.default_rng(0).standard_normal((100, 2)), [[9.0, 9.0]]])
    model = mercer.train(X, model="one-class", kernel="rbf(gamma=0.05)", nu=0.1)
    assert list(model.predict([[0.0, 0.0], [9.0, 9.0]])) == [1, -1]
    assert mercer.verify(model, X)
    path = mercer.path(X, model="one-class", kernel="rbf(gamma=0.05)", over="nu", start=0.05,
                       stop=0.5)
    assert list(path.predict([[0.0, 0.0], [9.0, 9.0]], at=0.1)) == [1, -1]
