# SPDX-License-Identifier: Apache-2.0
"""
Columns of any scale
====================

Some columns of the breast cancer data are a hundred thousand times as large as others.
Pairwise steps, which LIBSVM takes, then crawl. An interior point does not mind. The
certificate of one model can judge the answers of all others.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import sklearn.svm
from mercer import SVC
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

X, y = load_breast_cancer(return_X_y=True)
signs = 2 * y - 1
spread = X.std(axis=0)
print(f"standard deviations of the columns: {spread.min():.1g} to {spread.max():.0f}")

# %%
# The interior point ends after a few dozen steps. Its dual value is proved: no model of
# this problem has a smaller objective.

model = SVC(kernel="linear", C=100, solver="interior-point",
            gap_tolerance=1e-9).fit(X, y)
best = model.certificate_.dual
print(f"{model.status_} after {model.n_iter_[0]} steps: {model.certificate_}")

# %%
# So the objective of any other answer shows how far it is from the best one. Here is
# LIBSVM, by way of scikit-learn, after more and more steps.


def objective(w, b):
    return 0.5 * w @ w + 100 * np.maximum(0, 1 - signs * (X @ w + b)).sum()


warnings.simplefilter("ignore", ConvergenceWarning)
steps = [1_000, 10_000, 100_000, 1_000_000]
above = []
for most in steps:
    libsvm = sklearn.svm.SVC(kernel="linear", C=100, max_iter=most).fit(X, y)
    above.append(objective(libsvm.coef_[0], libsvm.intercept_[0]) / best - 1)

figure, ax = plt.subplots()
ax.plot(steps, above, marker="o", color="C1", label="LIBSVM, pairwise steps")
ax.plot(model.n_iter_[0], model.certificate_.relative_gap, marker="*", markersize=12,
        linestyle="none", label="Mercer, interior point")
ax.set(xscale="log", yscale="log", xlabel="steps",
       ylabel="objective above the best, relative")
ax.legend()
plt.show()
