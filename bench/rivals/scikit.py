# SPDX-License-Identifier: Apache-2.0
"""bench/rivals/scikit.py - scikit-learn's SVC and SVR, the call that fits, in its own process."""
import json
import os
import sys

import measure

NAME = "scikit-learn"
WHOLE = False
CACHE_MIB = 1000

SCRIPT = """
import json, sys, time
import numpy as np
{patch}
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC, SVR
machine, data, cost, gamma, tolerance, epsilon, out, runs = sys.argv[1:]
x, y = load_svmlight_file(data)
x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")  # what SVC takes
if x.nnz > 0.5 * x.shape[0] * x.shape[1]:
    x = x.toarray()
common = dict(C=float(cost), gamma=float(gamma), tol=float(tolerance), cache_size={cache})
best = float('inf')
for _ in range(int(runs)):
    model = SVC(**common) if machine == 'svc' else SVR(epsilon=float(epsilon), **common)
    start = time.perf_counter()
    model.fit(x, y)
    best = min(best, time.perf_counter() - start)
beta = np.zeros(x.shape[0])
dual = model.dual_coef_
if dual.shape[0] == 1:  # else a set of coefficients per pair of classes: not certified here
    beta[model.support_] = (dual.toarray() if hasattr(dual, 'toarray') else dual)[0]
    np.savetxt(out, beta, fmt='%.17g')
few = x[:min(x.shape[0], {rows})]
start = time.perf_counter()
model.decision_function(few) if machine == 'svc' else model.predict(few)
print(json.dumps(dict(seconds=best, predict=time.perf_counter() - start)))
"""


def why_not(machine):
    if machine not in ("svc", "svr"):
        return f"is measured beside {machine} elsewhere"
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return "not installed; run with the interpreter that tools/bench-env prints"
    return None


def train(problem, data, folder, options, patch=""):
    out = os.path.join(folder, "rival.beta")
    script = SCRIPT.format(patch=patch, cache=CACHE_MIB, rows=options.predict_rows)
    _, peak, text = measure.run([sys.executable, "-c", script, problem["machine"], data,
                                 problem["cost"], problem["gamma"], problem["tolerance"],
                                 problem.get("epsilon", 0.1), out, options.rival_runs])
    answer = json.loads(text.splitlines()[-1])
    beta = None
    if os.path.exists(out):
        with open(out, encoding="ascii") as lines:
            beta = [float(line) for line in lines]
        os.remove(out)
    return {"seconds": answer["seconds"], "peak_bytes": peak, "beta": beta,
            "predict": lambda rows: answer["predict"]}
