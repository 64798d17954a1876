# SPDX-License-Identifier: Apache-2.0
"""
Few coefficients by an L1 penalty
=================================

The sum of absolute values as a penalty sets most coefficients to exactly zero. The
heavier it weighs, the fewer kernel functions the model is made of, and the faster it
predicts.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVC, SparseSVC
from sklearn.datasets import make_moons

X, y = make_moons(300, noise=0.25, random_state=0)
X_new, y_new = make_moons(5000, noise=0.25, random_state=1)

# %%
# One fit for each weight, from light to heavy. The usual machine of the same kernel is
# drawn for comparison.

weights = np.logspace(-2, 1.6, 22)
models = [SparseSVC(l1=weight, kernel="rbf(gamma=2)").fit(X, y) for weight in weights]
usual = SVC(C=1, gamma=2).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.8))
left.plot(weights, [len(model.support_) for model in models], marker=".",
          label="SparseSVC")
left.axhline(len(usual.support_), linestyle="--", color="C1", label="SVC")
left.set(xscale="log", ylim=(0, None), xlabel="weight of the penalty",
         ylabel="kernel functions in the model")
left.legend()
right.plot(weights, [1 - model.score(X_new, y_new) for model in models], marker=".",
           label="SparseSVC")
right.axhline(1 - usual.score(X_new, y_new), linestyle="--", color="C1", label="SVC")
right.set(xscale="log", xlabel="weight of the penalty",
          ylabel="share of wrong new rows", ylim=(0, 0.3))
right.legend()
plt.show()

# %%
best = min(models, key=lambda model: 1 - model.score(X_new, y_new))
for name, model in (("SparseSVC", best), ("SVC", usual)):
    share = model.score(X_new, y_new)
    print(f"{name}: {len(model.support_)} functions, {share:.3f} right")
