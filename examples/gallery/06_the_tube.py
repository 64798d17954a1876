# SPDX-License-Identifier: Apache-2.0
"""
The tube of support vector regression
=====================================

Errors up to epsilon cost nothing. Rows inside the tube have no say in the model, and a
wider tube needs fewer support vectors.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVR, NuSVR

random = np.random.default_rng(1)
x = np.sort(random.uniform(-8, 8, 90))
y = np.sinc(x / np.pi) + 0.1 * random.standard_normal(90)
X, line = x[:, None], np.linspace(-8, 8, 400)

figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.8), sharey=True)
for ax, epsilon in zip(axes, (0.05, 0.25)):
    model = SVR(C=10, gamma=0.3, epsilon=epsilon).fit(X, y)
    curve = model.predict(line[:, None])
    ax.fill_between(line, curve - epsilon, curve + epsilon, alpha=0.2, label="the tube")
    ax.plot(line, curve)
    ax.plot(line, np.sinc(line / np.pi), ":", color="black", linewidth=1,
            label="the truth")
    ax.scatter(x, y, s=8, color="0.5")
    ax.scatter(x[model.support_], y[model.support_], s=36, facecolors="none",
               edgecolors="C1", label=f"{len(model.support_)} support vectors")
    ax.set(title=f"epsilon = {epsilon}", xlabel="x")
    ax.legend(fontsize=8, loc="upper right")
axes[0].set_ylabel("y")
plt.show()

# %%
# If the width is not known, nu sets a share of support vectors, and the machine
# finds the tube that fits. The noise here has a standard deviation of 0.1:

for nu in (0.2, 0.5, 0.8):
    model = NuSVR(C=10, gamma=0.3, nu=nu).fit(X, y)
    inside = np.abs(model.dual_coef_[0]) < 10 * (1 - 1e-9)
    free = model.support_[inside]  # these lie on the edges of the tube
    width = np.abs(model.predict(X[free]) - y[free]).mean()
    print(f"nu = {nu}: half-width {width:.3f}, {len(model.support_)} support vectors")
