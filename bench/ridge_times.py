# SPDX-License-Identifier: Apache-2.0
"""bench/ridge_times.py - fit times of krr, of LAPACK's factorisation and of scikit-learn's KernelRidge."""
import json
import os
import time

import measure
import problem_data

MOST_RESIDUAL = 1e-12  # |y - (K + alpha) beta| / |y| of a fit whose time is shown
LEAST_SPEEDUP = 1.3
LEAST_FLOAT32_SPEEDUP = 2.0


def make_rows(rows, columns, seed=0):
    """Random rows and a target with noise."""
    import numpy as np
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, columns))
    return x, np.sin(x[:, 0]) + 0.1 * rng.standard_normal(rows)


def train_words(data, folder, threads, *words):
    return ["train", data, "-o", os.path.join(folder, "model"), "--model", "krr", "--no-intercept",
            "-j", threads, "--json", "-q", *words]


def train(data, folder, options, *words):
    """The report of `mercer train --model krr`."""
    command = [problem_data.MERCER, *train_words(data, folder, options.threads, *words)]
    return json.loads(measure.run(command)[2])


def best_seconds(function, runs):
    """Shortest time of a few calls; `function` returns its seconds, or None to be timed."""
    least = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        own = function()
        least = min(least, time.perf_counter() - start if own is None else own)
    return least


def factor_seconds(gram, runs):
    """LAPACK's dpotrf of a matrix, by SciPy's BLAS."""
    import numpy as np
    from scipy.linalg import lapack

    def once():
        copy = np.asfortranarray(gram)
        start = time.perf_counter()
        lapack.dpotrf(copy, overwrite_a=1, clean=0)
        return time.perf_counter() - start
    return best_seconds(once, runs)


def beside(problem, folder, options):
    """One problem file's figures, and whether its promises hold."""
    import numpy as np
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.metrics.pairwise import rbf_kernel
    x, y = make_rows(problem["rows"], problem["columns"])
    data = os.path.join(folder, "train.npz")
    np.savez(data, X=x, y=y)
    words = ["--kernel", f"rbf(gamma={problem['gamma']!r})", "--alpha", repr(problem["alpha"])]

    def fit(*more):
        answer = train(data, folder, options, *words, *more)
        # Without an intercept the violation is the largest entry of the residual.
        residual = answer["certificate"]["kkt_violation"] * len(y) ** 0.5 / np.linalg.norm(y)
        if not residual <= MOST_RESIDUAL:  # at double precision; also false for NaN
            raise measure.Failed(f"{more}: residual {residual:.2g}")
        return answer["seconds"]["fit"]

    fits, mixed = [], []
    for _ in range(options.runs):  # in turns: other work on the machine affects both
        fits.append(fit())
        mixed.append(fit("--precision", "float32"))
    gram = rbf_kernel(x, gamma=problem["gamma"]) + problem["alpha"] * np.eye(len(x))
    row = {"mercer_seconds": min(fits), "float32_seconds": min(mixed),
           "lapack_seconds": factor_seconds(gram, options.runs)}
    del gram
    rival = KernelRidge(kernel="rbf", gamma=problem["gamma"], alpha=problem["alpha"])

    def fit_rival():
        rival.fit(x, y)
    row["sklearn_seconds"] = best_seconds(fit_rival, options.runs)
    row["over_lapack"] = row["mercer_seconds"] / row["lapack_seconds"]
    row["speedup"] = row["sklearn_seconds"] / row["mercer_seconds"]
    row["float32_speedup"] = row["sklearn_seconds"] / row["float32_seconds"]
    row["float32_over_float64"] = row["mercer_seconds"] / row["float32_seconds"]
    row["holds"] = (row["over_lapack"] <= problem["most_over_lapack"] and
                    row["speedup"] >= LEAST_SPEEDUP and
                    row["float32_speedup"] >= LEAST_FLOAT32_SPEEDUP)
    print(f"  fit {row['mercer_seconds']:.3g} s, LAPACK's factorisation alone "
          f"{row['lapack_seconds']:.3g} s, scikit-learn {row['sklearn_seconds']:.3g} s, "
          f"with a float32 factor {row['float32_seconds']:.3g} s, "
          f"{row['float32_over_float64']:.3g} times as fast as float64", flush=True)
    return row
