# SPDX-License-Identifier: Apache-2.0
"""
One problem, four kernels
=========================

Points whose two coordinates have the same sign form one class, the others form the
second. No line separates them. What a kernel makes of the problem depends on the
functions in its space.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVC
from mercer.kernels import RBF, Laplacian, Linear, Polynomial

random = np.random.default_rng(0)
X = random.uniform(-1, 1, (160, 2))
y = np.sign(X[:, 0] * X[:, 1]).astype(int)

# %%
# The linear kernel finds the best line, and no line is good. The polynomial of degree 2
# contains the product :math:`x_1 x_2`, which is the rule itself. The Gaussian and the
# Laplacian kernel contain no such rule; they build the regions from bumps at the rows, smooth
# ones and pointed ones.

kernels = [Linear(), Polynomial(degree=2), RBF(gamma=2.0), Laplacian(gamma=1.0)]
axis = np.linspace(-1, 1, 120)
grid = np.stack(np.meshgrid(axis, axis), axis=-1)

figure, axes = plt.subplots(2, 2, figsize=(7.0, 6.6), sharex=True, sharey=True)
for ax, kernel in zip(axes.flat, kernels):
    model = SVC(kernel=kernel, C=10).fit(X, y)
    values = model.decision_function(grid.reshape(-1, 2)).reshape(120, 120)
    ax.contourf(axis, axis, values, levels=[-np.inf, 0, np.inf], colors=["C0", "C1"],
                alpha=0.2)
    ax.contour(axis, axis, values, levels=[0], colors="0.5")
    for label, colour in ((-1, "C0"), (1, "C1")):
        ax.scatter(*X[y == label].T, s=12, color=colour)
    ax.set_title(f"{kernel}\n{model.score(X, y):.0%} right, "
                 f"{len(model.support_)} support vectors")
axes[1, 0].set(xlabel="$x_1$", ylabel="$x_2$")
plt.show()
