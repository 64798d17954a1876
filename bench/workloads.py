# SPDX-License-Identifier: Apache-2.0
"""bench/workloads.py - the workloads of the benchmarks: data and arguments of the program.

A workload's words follow the program's name. bench/machines and bench/smooth compare it with rivals,
bench/commits with another commit.
"""
import os
from dataclasses import dataclass

import ridge_times

GAMMA = 0.02  # with 50 standard normal columns
KERNEL = ("--kernel", f"rbf(gamma={GAMMA!r})")
PATH_LENGTH = 50
COLUMN_MACHINES = ("l2-svc", "huber-svc", "l2-svr", "ls-svc", "krr", "klr")


@dataclass
class Workload:
    words: list  # of the command line, after the program
    x: object = None
    y: object = None
    data: str = ""


def common(threads):
    return ["-j", threads, "--json", "-q"]


def vector_machine(problem, data, folder, threads, *stop):
    """A support vector machine of bench/problems."""
    words = ["train", data, "-o", os.path.join(folder, "model"), "--model", problem["machine"],
             "--kernel", f"rbf(gamma={problem['gamma']!r})", "-C", repr(problem["cost"]),
             *common(threads), *stop]
    return Workload(words + (["--epsilon", repr(problem["epsilon"])] if "epsilon" in problem
                             else []), data=data)


def ridge(problem, folder, threads, *more):
    """One ridge fit of bench/problems on random rows."""
    import numpy as np
    x, y = ridge_times.make_rows(problem["rows"], problem["columns"])
    data = os.path.join(folder, "train.npz")
    np.savez(data, X=x, y=y)
    words = ridge_times.train_words(data, folder, threads, "--kernel",
                                    f"rbf(gamma={problem['gamma']!r})", "--alpha",
                                    repr(problem["alpha"]), *more)
    return Workload(words, x, y, data)


def path(folder, rows, threads):
    """All ridge parameters with exact leave-one-out, from one decomposition."""
    import numpy as np
    x, y = ridge_times.make_rows(rows, 50, seed=1)
    data = os.path.join(folder, "path.npz")
    np.savez(data, X=x, y=y)
    return Workload(["select", data, "-o", os.path.join(folder, "best"), "--model", "krr",
                     "--no-intercept", *KERNEL, "--grid", f"alpha=1e-3:100:log10:{PATH_LENGTH}",
                     "--loo", *common(threads)], x, y, data)


def newton(folder, rows, threads):
    """Kernel logistic regression to a certified gap."""
    import numpy as np
    x, _ = ridge_times.make_rows(rows, 50, seed=2)
    noise = np.random.default_rng(3).standard_normal(rows)
    t = np.where(x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * noise > 0.0, 1.0, -1.0)
    data = os.path.join(folder, "classes.npz")
    np.savez(data, X=x, y=t)
    return Workload(["train", data, "-o", os.path.join(folder, "model"), "--model", "klr", *KERNEL,
                     "-C", "1", "--solver", "newton", "--gap-tolerance", "1e-8",
                     *common(threads)], x, t, data)


def products(folder, rows, threads):
    """Kernel ridge regression by conjugate gradients, K never stored."""
    import numpy as np
    x, y = ridge_times.make_rows(rows, 50, seed=4)
    data = os.path.join(folder, "large.npz")
    np.savez(data, X=x, y=y)
    return Workload(["train", data, "-o", os.path.join(folder, "model"), "--model", "krr", *KERNEL,
                     "--alpha", "1", "--solver", "conjugate-gradient", "--memory", "1G",
                     *common(threads)], x, y, data)


def column_rows(folder, rows):
    """Rows like those of the adult dataset: 123 columns of zeros and ones, 14 ones per row."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.datasets import dump_svmlight_file
    d, ones = 123, 14
    random = np.random.default_rng(5)
    places = np.sort(random.random((rows, d)).argsort(axis=1)[:, :ones], axis=1).ravel()
    x = csr_matrix((np.ones(rows * ones), places, np.arange(rows + 1) * ones), shape=(rows, d))
    w = random.standard_normal(d)
    t = np.where(x @ w + 2.0 * random.standard_normal(rows) > 0.0, 1, -1)
    data = os.path.join(folder, "ones.svm")
    dump_svmlight_file(x, t, data, zero_based=False)
    return x, t, data


def column_machine(model, data, folder, threads, *more):
    """A machine with a linear kernel, solved in the columns."""
    return Workload(["train", data, "-o", os.path.join(folder, "model"), "--model", model,
                     "--kernel", "linear", "-C", "1", "--gap-tolerance", "1e-8",
                     *common(threads), *more], data=data)
