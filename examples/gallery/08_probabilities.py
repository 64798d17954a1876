# SPDX-License-Identifier: Apache-2.0
"""
Probabilities that mean something
=================================

A model is calibrated if, among rows that get the probability 0.8, eight of ten are of
that class. Kernel logistic regression has probabilities by its nature; a support vector
machine learns a link from its decision values to probabilities in five folds.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVC, KernelLogisticRegression
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

X, y = make_moons(400, noise=0.45, random_state=0)
X_new, y_new = make_moons(20000, noise=0.45, random_state=1)

svc = SVC(C=1, gamma=1, probability=True).fit(X, y)
logistic = KernelLogisticRegression(C=1, gamma=1).fit(X, y)
squashed = 1 / (1 + np.exp(-4 * svc.decision_function(X_new)))  # a guess

candidates = {
    "SVC, squashed by guess": squashed,
    "SVC, link from five folds": svc.predict_proba(X_new)[:, 1],
    "kernel logistic regression": logistic.predict_proba(X_new)[:, 1],
}

# %%
# Points on the diagonal are honest. Squashed decision values claim more certainty than
# they have. The logarithmic loss on 20,000 new rows, in the legend, punishes that.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.2))
left.plot([0, 1], [0, 1], ":", color="black", linewidth=1)
for name, claimed in candidates.items():
    share, mean = calibration_curve(y_new, claimed, n_bins=12)
    left.plot(mean, share, marker=".", label=f"{name}: {log_loss(y_new, claimed):.3f}")
left.set(xlabel="probability that is claimed",
         ylabel="share of rows that are of the class")
left.legend(fontsize=8)

axis = np.linspace(-2.2, 3.2, 150)
x1, x2 = np.meshgrid(axis, axis - 0.4)
grid = np.column_stack([x1.ravel(), x2.ravel()])
likely = logistic.predict_proba(grid)[:, 1].reshape(x1.shape)
lines = right.contour(x1, x2, likely, levels=[0.1, 0.25, 0.5, 0.75, 0.9],
                      colors=["C0", "C0", "black", "C1", "C1"])
right.clabel(lines, fontsize=8)
for label in (0, 1):
    right.scatter(*X[y == label].T, s=6, color=f"C{label}", alpha=0.6)
right.set(title="kernel logistic regression", xlabel="$x_1$", ylabel="$x_2$")
plt.show()
