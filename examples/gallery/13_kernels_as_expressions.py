# SPDX-License-Identifier: Apache-2.0
"""
Kernels as expressions
======================

Sums and products of kernels are kernels, and what is known about the problem can be
written with them. Here the target is a sum of functions of single columns. A kernel
that is such a sum as well learns it from fewer rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import KernelRidgeCV
from mercer.kernels import RBF, Columns, Linear


def draw(rows, seed):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (rows, 4))
    truth = np.sin(3 * X[:, 0]) + X[:, 1]**2 + np.abs(X[:, 2]) + 0.5 * X[:, 3]
    return X, truth + 0.1 * random.standard_normal(rows)


# %%
# An expression prints as the text that the command line and C++ read, and knows whether
# it is positive definite.

parts = [Columns(RBF(gamma=2.0), str(column)) for column in range(4)]
kernels = {
    "linear": Linear(),
    "one Gaussian of all columns": RBF(gamma=0.5),
    "Gaussian + linear": RBF(gamma=0.5) + Linear(),
    "sum of a Gaussian per column": parts[0] + parts[1] + parts[2] + parts[3],
}
for name, kernel in kernels.items():
    print(f"{name}:\n    {kernel}\n    {kernel.definiteness}")

# %%
# Errors on new rows; the penalty is chosen by leaving one row out.

X_new, y_new = draw(2000, seed=100)
counts = [20, 40, 80, 160, 320]
figure, ax = plt.subplots(figsize=(8.4, 4.0))
for name, kernel in kernels.items():
    errors = []
    for count in counts:
        X, y = draw(count, seed=count)
        model = KernelRidgeCV(alphas=np.logspace(-6, 2, 25), kernel=kernel,
                              fit_intercept=True).fit(X, y)
        errors.append(np.sqrt(np.mean((model.predict(X_new) - y_new)**2)))
    ax.plot(counts, errors, marker="o", label=name)
ax.axhline(0.1, linestyle=":", color="black", linewidth=1, label="the noise")
ax.set(xscale="log", yscale="log", xlabel="training rows",
       ylabel="error on new rows (rms)")
ax.set_xticks(counts, counts)
ax.set_yticks([0.1, 0.2, 0.4, 0.8], ["0.1", "0.2", "0.4", "0.8"])
ax.minorticks_off()
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
plt.show()
