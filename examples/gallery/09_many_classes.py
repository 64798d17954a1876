# SPDX-License-Identifier: Apache-2.0
"""
Many classes
============

A support vector machine tells many classes apart by one machine for each pair, which
then vote. Kernel logistic regression trains all classes jointly. Each problem that was
solved has its own certificate.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVC, KernelLogisticRegression
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

wine = load_wine()
columns = [wine.feature_names.index(name) for name in ("flavanoids", "color_intensity")]
X = StandardScaler().fit_transform(wine.data[:, columns])
y = wine.target

x1, x2 = np.meshgrid(np.linspace(-2.5, 3.6, 200), np.linspace(-2.2, 3.8, 200))
grid = np.column_stack([x1.ravel(), x2.ravel()])
figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.2), sharex=True, sharey=True)
models = SVC(C=10, gamma=0.5), KernelLogisticRegression(C=10, gamma=0.5)
for ax, model in zip(axes, models):
    model.fit(X, y)
    regions = model.predict(grid).reshape(x1.shape)
    ax.contourf(x1, x2, regions, levels=[-0.5, 0.5, 1.5, 2.5],
                colors=["C0", "C1", "C2"], alpha=0.2)
    for label, marker in enumerate("os^"):
        ax.scatter(*X[y == label].T, s=14, marker=marker, color=f"C{label}",
                   label=wine.target_names[label])
    ax.set(title=f"{type(model).__name__}: {model.score(X, y):.1%} right",
           xlabel="flavanoids (standardised)")
    gaps = [f"{proof.relative_gap:.1e}" for proof in model.certificates_]
    print(type(model).__name__, *gaps)
axes[0].set_ylabel("colour intensity (standardised)")
axes[0].legend(fontsize=8)
plt.show()

# %%
# The lines that were printed are the certified relative gaps: three pairs for the
# support vector machine, one joint problem for logistic regression.
