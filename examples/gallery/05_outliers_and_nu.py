# SPDX-License-Identifier: Apache-2.0
"""
Outliers, and what nu means
===========================

A one-class machine learns where rows usually lie. Its number nu is at least the share
of rows that it leaves outside and at most the share of support vectors.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import OneClassSVM

random = np.random.default_rng(4)
usual = np.vstack([random.normal((-1.5, 0), 0.5, (130, 2)),
                   random.normal((1.5, 0.8), 0.4, (120, 2))])
strange = random.uniform(-4, 4, (15, 2))
X = np.vstack([usual, strange])

# %%
# Three values of nu on the same rows. A small nu encloses all of them; a large one only
# the core.

x1, x2 = np.meshgrid(np.linspace(-4.5, 4.5, 160), np.linspace(-4.5, 4.5, 160))
grid = np.column_stack([x1.ravel(), x2.ravel()])
figure, axes = plt.subplots(1, 3, figsize=(10.0, 3.9), sharex=True, sharey=True)
for ax, nu in zip(axes, (0.02, 0.1, 0.4)):
    model = OneClassSVM(nu=nu, gamma=0.5).fit(X)
    values = model.decision_function(grid).reshape(x1.shape)
    outside = model.decision_function(X) < -1e-9
    ax.contourf(x1, x2, values, levels=[0, np.inf], colors=["C0"], alpha=0.2)
    ax.contour(x1, x2, values, levels=[0], colors="C0")
    ax.scatter(*X[~outside].T, s=8, color="C0", label="inside")
    ax.scatter(*X[outside].T, s=22, marker="x", color="C1", label="outside")
    ax.set_title(f"nu = {nu}\n{outside.mean():.3f} outside, "
                 f"{len(model.support_) / len(X):.3f} support")
    ax.set(xlabel="$x_1$")
axes[0].set_ylabel("$x_2$")
axes[0].legend(loc="lower left", fontsize=8)
plt.show()
