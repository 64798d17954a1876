# SPDX-License-Identifier: Apache-2.0
"""bench/linear_peers.py - one linear machine by a peer: the objective at the w and b that it ends with.

    python bench/linear_peers.py PEER MODEL C FILE FOLDER SECONDS

PEER is libsvm, liblinear, svc (scikit-learn's SVC or SVR, kernel='linear') or linearsvc (LinearSVC or
LinearSVR). Prints JSON: the seconds of fitting, the whole process for programs, and

    1/2 |w|^2 + C sum loss(y_i, <w, x_i> + b)

which is the objective of svc and svr whatever the peer minimises; nothing when SECONDS have ended it.
"""
import json
import pathlib
import subprocess
import sys
import time
import warnings

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

EPSILON = 0.1
MOST_STEPS = {"svc": 10_000_000, "linearsvc": 100_000}


def objective(x, y, model, cost, w, b):
    values = x @ w + b
    losses = numpy.maximum(0.0, 1.0 - y * values) if model == "svc" else \
        numpy.maximum(0.0, numpy.abs(values - y) - EPSILON)
    return float(0.5 * w @ w + cost * losses.sum())


def by_libsvm(x, model, text):
    """w and b of an svm-train model, and its first label."""
    head, rows = text.split("\nSV\n")
    fields = dict(line.split(" ", 1) for line in head.splitlines() if " " in line)
    w = numpy.zeros(x.shape[1])
    for line in rows.splitlines():
        words = line.split()
        for word in words[1:]:
            column, value = word.split(":")
            w[int(column) - 1] += float(words[0]) * float(value)
    first = float(fields["label"].split()[0]) if model == "svc" else 1.0
    return w, -float(fields["rho"]), first


def by_liblinear(x, model, text):
    head, rows = text.split("\nw\n")
    fields = dict(line.split(" ", 1) for line in head.splitlines() if " " in line)
    values = numpy.array([float(word) for word in rows.split()])
    w = numpy.zeros(x.shape[1])
    w[:values.size - 1] = values[:-1]
    first = float(fields["label"].split()[0]) if model == "svc" else 1.0
    return w, values[-1], first


def run_program(peer, model, cost, path, folder, limit):
    """Seconds and the text of the model; None when the limit has ended it."""
    target = pathlib.Path(folder) / "peer.model"
    if peer == "libsvm":
        words = ["svm-train", "-q", "-s", "0" if model == "svc" else "3", "-t", "0", "-p", str(EPSILON)]
    else:
        words = ["liblinear-train", "-q", "-s", "3" if model == "svc" else "13", "-B", "1", "-p", str(EPSILON)]
    start = time.perf_counter()
    try:
        subprocess.run([*words, "-c", str(cost), path, str(target)], check=True, timeout=limit, capture_output=True)
    except subprocess.TimeoutExpired:
        return None
    return time.perf_counter() - start, target.read_text(encoding="ascii")


def run_scikit(peer, model, cost, x, y):
    steps = MOST_STEPS[peer]
    if peer == "svc":
        machine = SVC(C=cost, kernel="linear", max_iter=steps) if model == "svc" else \
            SVR(C=cost, kernel="linear", epsilon=EPSILON, max_iter=steps)
    else:
        machine = LinearSVC(C=cost, loss="hinge", max_iter=steps) if model == "svc" else \
            LinearSVR(C=cost, epsilon=EPSILON, max_iter=steps)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(x, y)
    seconds = time.perf_counter() - start
    w = machine.coef_.toarray() if hasattr(machine.coef_, "toarray") else machine.coef_
    return seconds, numpy.asarray(w).ravel(), float(numpy.ravel(machine.intercept_)[0])


def main():
    peer, model, cost, path, folder, limit = sys.argv[1:]
    cost = float(cost)
    x, y = load_svmlight_file(path)
    if peer in ("libsvm", "liblinear"):
        ended = run_program(peer, model, cost, path, folder, float(limit))
        if ended is None:
            return
        seconds, text = ended
        w, b, first = (by_libsvm if peer == "libsvm" else by_liblinear)(x, model, text)
    else:
        dense = x.toarray() if x.shape[1] < 1000 else x
        seconds, w, b = run_scikit(peer, model, cost, dense, y)
        first = y.max()  # scikit-learn: positive values are the greater label
    if model == "svc":
        y = numpy.where(y == first, 1.0, -1.0)
    print(json.dumps({"seconds": seconds, "primal": objective(x, y, model, cost, w, b)}))


if __name__ == "__main__":
    main()
