# SPDX-License-Identifier: Apache-2.0
"""bench/rivals/libsvm.py - svm-train and svm-predict, one thread (Debian: libsvm-tools)."""
import os
import re
import shutil

import measure

NAME = "LIBSVM"
WHOLE = True
CACHE_MIB = 1000


def program():
    return os.environ.get("MERCER_LIBSVM") or shutil.which("svm-train")


def why_not(machine):
    if machine not in ("svc", "svr"):
        return f"has no {machine}"
    return None if program() else "no svm-train (Debian: libsvm-tools), or name it in MERCER_LIBSVM"


def support_key(entries):
    """Entries as svm-train writes them: eight digits; zeros, which svm-train retains, are dropped."""
    return tuple((int(column), "%.8g" % float(value)) for column, value in
                 (entry.split(":") for entry in entries) if float(value) != 0.0)


def coefficients(model, data, machine):
    """One signed coefficient per row of the data. The model file has the rows, not their indices;
    equal rows are matched in order, which changes neither f nor the objective."""
    with open(model, encoding="ascii") as text:
        head, _, body = text.read().partition("\nSV\n")
    labels = re.search(r"^label (.*)$", head, re.M)
    if labels is not None and len(labels[1].split()) > 2:
        return None  # a set of coefficients per pair of classes: not certified here
    flip = labels is not None and float(labels[1].split()[0]) < float(labels[1].split()[1])
    waiting = {}
    for line in body.splitlines():
        value, *entries = line.split()
        value = -float(value) if flip else float(value)
        sign = value > 0 if machine == "svc" else None
        waiting.setdefault((sign, support_key(entries)), []).append(value)
    beta = []
    with open(data, encoding="ascii") as text:
        targets = [line.split(None, 1)[0] for line in text]
    greater = max(map(float, targets)) if machine == "svc" else None
    with open(data, encoding="ascii") as text:
        for line in text:
            label, *entries = line.split()
            sign = float(label) == greater if machine == "svc" else None
            found = waiting.get((sign, support_key(entries)))
            beta.append(found.pop(0) if found else 0.0)
    lost = sum(map(len, waiting.values()))
    if lost:
        raise measure.Failed(f"{lost} support vectors are rows of nobody")
    return beta


def train_with(binary, problem, data, folder, options):
    model = os.path.join(folder, "rival.model")
    kind = ["-s", "0"] if problem["machine"] == "svc" else ["-s", "3", "-p", problem["epsilon"]]
    command = [binary, *kind, "-t", "2", "-c", problem["cost"], "-g", problem["gamma"], "-e",
               problem["tolerance"], "-m", CACHE_MIB, data, model]
    seconds, peak, text = measure.best(command, options.rival_runs)
    answer = {"seconds": seconds, "peak_bytes": peak,
              "beta": coefficients(model, data, problem["machine"])}
    objective = re.findall(r"obj = (\S+),", text)
    if objective:
        answer["own_dual"] = -sum(map(float, objective))  # one per pair of classes
    predictor = os.path.join(os.path.dirname(binary), "svm-predict")
    if os.path.exists(predictor):
        answer["predict"] = lambda rows: measure.best(
            [predictor, rows, model, os.path.join(folder, "rival.out")], options.rival_runs)[0]
    return answer


def train(problem, data, folder, options):
    return train_with(program(), problem, data, folder, options)
