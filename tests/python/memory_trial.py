# SPDX-License-Identifier: Apache-2.0
"""tests/python/memory_trial.py - 10,000 cycles of fit, pickle and predict leave no memory behind.

    python tests/python/memory_trial.py [CYCLES]
"""

import os
import pickle
import sys

import mercer
import numpy as np

LIMIT = 2.0  # MiB
SOME = 500  # cycles after which all one-time allocations have been made

random = np.random.default_rng(0)
X = random.standard_normal((60, 3))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
MAKERS = [lambda: mercer.SVC(gamma=0.5), lambda: mercer.KernelRidge(kernel="rbf", gamma=0.5),
          lambda: mercer.KernelLogisticRegression(gamma=0.5), lambda: mercer.OneClassSVM(gamma=0.5)]


def resident():
    """Resident MiB of the process."""
    with open("/proc/self/statm", encoding="ascii") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def cycle(number):
    model = MAKERS[number % len(MAKERS)]().fit(X, y)
    pickle.loads(pickle.dumps(model)).predict(X)


def main():
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for number in range(SOME):
        cycle(number)
    before = resident()
    for number in range(cycles):
        cycle(number)
    drift = resident() - before
    print(f"{cycles} cycles: {before:.1f} MiB before, {drift:+.2f} MiB after")
    return 0 if drift <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
