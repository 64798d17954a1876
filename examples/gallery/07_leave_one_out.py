# SPDX-License-Identifier: Apache-2.0
"""
Leave one out, for every penalty
================================

Kernel ridge regression can say how well each row would be predicted by a model of all
the others, without training any of them: one factorisation gives the exact error for
every penalty alpha.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import KernelRidge, KernelRidgeCV
from mercer.displays import LooCurve

random = np.random.default_rng(2)
X = np.sort(random.uniform(0, 10, 60))[:, None]
y = np.sin(X[:, 0]) + 0.3 * X[:, 0] + 0.3 * random.standard_normal(60)

model = KernelRidgeCV(alphas=np.logspace(-5, 3, 60), kernel="rbf", gamma=1.0,
                      fit_intercept=True)
model.fit(X, y)  # the noise is 0.3
print(f"alpha = {model.alpha_:.3g}, leave-one-out error {model.loo_rmse_:.3f}")

# %%
# To the left of the best alpha the curve follows the noise, to the right it misses the
# wave.

line = np.linspace(0, 10, 400)[:, None]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.8))
LooCurve.from_estimator(model, ax=left)
right.scatter(X[:, 0], y, s=10, color="0.5")
for alpha, words in ((1e-5, "too small"), (model.alpha_, "best"), (100.0, "too large")):
    ridge = KernelRidge(alpha=alpha, kernel="rbf", gamma=1.0,
                        fit_intercept=True).fit(X, y)
    right.plot(line, ridge.predict(line), label=f"alpha = {alpha:.2g}, {words}")
right.set(xlabel="x", ylabel="y", ylim=(-2, 6))
right.legend(fontsize=8)
plt.show()

# %%
# The formula is exact. Here is the same number by 60 fits:

best = KernelRidge(alpha=model.alpha_, kernel="rbf", gamma=1.0, fit_intercept=True)
errors = []
for i in range(60):
    best.fit(np.delete(X, i, axis=0), np.delete(y, i))
    errors.append(best.predict(X[i:i + 1])[0] - y[i])
by_hand = np.sqrt(np.mean(np.square(errors)))
print(f"by hand {by_hand:.6f}, by the formula {model.loo_rmse_:.6f}")
