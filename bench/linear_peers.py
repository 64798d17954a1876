# SPDX-License-Identifier: Apache-2.0
"""bench/linear_peers.py - linear machines by the peers: the objective at the final w and b of each.

    python bench/linear_peers.py MODEL FILE SECONDS PEER,PEER... C,C...

PEER is libsvm, liblinear, svc (scikit-learn's SVC or SVR, kernel='linear') or linearsvc (LinearSVC or
LinearSVR). Prints a line of JSON for each peer and cost: the CPU seconds of fitting (of the whole process for
programs), and

    1/2 |w|^2 + C sum loss(y_i, <w, x_i> + b)

which is the objective of svc and svr whatever the peer minimises. A fit that takes more than SECONDS of CPU
time is stopped, and its line has no objective. CPU seconds depend little on other work on the machine.
"""
import json
import multiprocessing
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import warnings

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

EPSILON = 0.1
MOST_STEPS = {"svc": 10_000_000, "linearsvc": 100_000}
FEW_COLUMNS = 1000  # rows with fewer are passed to scikit-learn as a dense array
WAIT = 8.0  # wall seconds for each CPU second: a fit that waits for longer is stopped as well


def objective(x, y, model, cost, w, b):
    values = x @ w + b
    losses = numpy.maximum(0.0, 1.0 - y * values) if model == "svc" else \
        numpy.maximum(0.0, numpy.abs(values - y) - EPSILON)
    return float(0.5 * w @ w + cost * losses.sum())


def fields_of(head):
    return dict(line.split(" ", 1) for line in head.splitlines() if " " in line)


def first_label(model, fields):
    return float(fields["label"].split()[0]) if model == "svc" else 1.0


def by_libsvm(x, model, text):
    """w and b of an svm-train model, and its first label."""
    head, rows = text.split("\nSV\n")
    fields = fields_of(head)
    w = numpy.zeros(x.shape[1])
    for line in rows.splitlines():
        words = line.split()
        for word in words[1:]:
            column, value = word.split(":")
            w[int(column) - 1] += float(words[0]) * float(value)
    return w, -float(fields["rho"]), first_label(model, fields)


def by_liblinear(x, model, text):
    head, rows = text.split("\nw\n")
    values = numpy.array([float(word) for word in rows.split()])
    w = numpy.zeros(x.shape[1])
    w[:values.size - 1] = values[:-1]
    return w, values[-1], first_label(model, fields_of(head))


def limit_cpu(seconds):
    """Ends this process when it has used that many more CPU seconds."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    most = int(numpy.ceil(used + seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))


def run_program(peer, model, cost, path, limit):
    """CPU seconds and the text of the model; None when it was stopped at the limit."""
    with tempfile.TemporaryDirectory(prefix="peer-") as folder:
        target = pathlib.Path(folder) / "peer.model"
        if peer == "libsvm":
            words = ["svm-train", "-q", "-s", "0" if model == "svc" else "3", "-t", "0", "-p", str(EPSILON)]
        else:
            words = ["liblinear-train", "-q", "-s", "3" if model == "svc" else "13", "-B", "1", "-p", str(EPSILON)]
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        try:
            # prlimit, not preexec_fn: the limit holds for the program from its first instruction.
            done = subprocess.run(["prlimit", f"--cpu={int(numpy.ceil(limit))}", *words, "-c", str(cost), path, target],
                                  capture_output=True, check=False, timeout=WAIT * limit)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode < 0:
            return None
        done.check_returncode()
        seconds = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
        return seconds, target.read_text(encoding="ascii")


def make_machine(peer, model, cost):
    steps = MOST_STEPS[peer]
    if peer == "svc":
        return SVC(C=cost, kernel="linear", max_iter=steps) if model == "svc" else \
            SVR(C=cost, kernel="linear", epsilon=EPSILON, max_iter=steps)
    return LinearSVC(C=cost, loss="hinge", max_iter=steps) if model == "svc" else \
        LinearSVR(C=cost, epsilon=EPSILON, max_iter=steps)


def fit_and_send(machine, x, y, limit, pipe):
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    limit_cpu(limit)
    before = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(x, y)
    seconds = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - before
    w = machine.coef_.toarray() if hasattr(machine.coef_, "toarray") else machine.coef_
    pipe.send((seconds, numpy.asarray(w).ravel(), float(numpy.ravel(machine.intercept_)[0])))


def run_scikit(machine, x, y, limit):
    """CPU seconds, w and b from a separate process; None when it was stopped at the limit."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=fit_and_send, args=(machine, x, y, limit, there))
    process.start()
    there.close()
    told = None
    try:
        if here.poll(WAIT * limit):
            told = here.recv()
    except EOFError:
        pass
    if told is None:
        process.kill()
    process.join()
    return told


def main():
    model, path, limit, peers, costs = sys.argv[1:]
    limit = float(limit)
    x, labels = load_svmlight_file(path)
    for cost in map(float, costs.split(",")):
        for peer in peers.split(","):
            told = {"peer": peer, "cost": cost, "primal": None, "seconds": limit}
            if peer in ("libsvm", "liblinear"):
                ended = run_program(peer, model, cost, path, limit)
                if ended is not None:
                    w, b, first = (by_libsvm if peer == "libsvm" else by_liblinear)(x, model, ended[1])
            else:
                dense = x.toarray() if x.shape[1] < FEW_COLUMNS else x
                ended = run_scikit(make_machine(peer, model, cost), dense, labels, limit)
                if ended is not None:
                    w, b = ended[1:]
                    first = labels.max()  # scikit-learn: positive values are the greater label
            if ended is not None:
                y = numpy.where(labels == first, 1.0, -1.0) if model == "svc" else labels
                told.update(primal=objective(x, y, model, cost, w, b), seconds=ended[0])
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
