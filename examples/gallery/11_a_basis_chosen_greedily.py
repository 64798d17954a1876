# SPDX-License-Identifier: Apache-2.0
"""
A basis chosen one by one
=========================

How many kernel functions does a problem need? ``GreedySVC`` chooses one row after the
other, each time the one of some random candidates that lowers the objective most.
"""

import matplotlib.pyplot as plt
from mercer import SVC, GreedySVC
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

digits = load_digits()
X, X_new, y, y_new = train_test_split(digits.data / 16, digits.target % 2,
                                      random_state=0)

# %%
# Even against odd digits. A few dozen functions come close to the machine that may use
# every row.

sizes = [2, 4, 8, 16, 32, 64, 128, 256]
errors = []
for size in sizes:
    model = GreedySVC(n_basis=size, C=10, kernel="rbf(gamma=0.5)").fit(X, y)
    errors.append(1 - model.score(X_new, y_new))
usual = SVC(C=10, gamma=0.5).fit(X, y)

figure, ax = plt.subplots()
ax.plot(sizes, errors, marker="o", label="greedy basis")
ax.axhline(1 - usual.score(X_new, y_new), linestyle="--", color="C1",
           label=f"SVC with {len(usual.support_)} support vectors")
ax.set(xscale="log", xlabel="functions in the model",
       ylabel="share of wrong new digits", ylim=(0, None))
ax.set_xticks(sizes, sizes)
ax.legend()
plt.show()

# %%
# The first digits that were chosen, in order:

small = GreedySVC(n_basis=10, C=10, kernel="rbf(gamma=0.5)").fit(X, y)
figure, axes = plt.subplots(1, 10, figsize=(8.0, 1.1))
for ax, row in zip(axes, small.support_vectors_):
    ax.imshow(row.reshape(8, 8), cmap="gray_r")
    ax.axis("off")
plt.show()
