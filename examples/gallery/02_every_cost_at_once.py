# SPDX-License-Identifier: Apache-2.0
"""
Every C at once
===============

The cost C of a support vector machine is usually chosen from a grid, with one fit for
each value. Between a few hundred *knots* the solution is linear in C, so
:func:`mercer.path` finds it for all values in one run.
"""

import matplotlib.pyplot as plt
import mercer
from mercer.displays import PathDisplay
from sklearn.datasets import make_moons

X, y = make_moons(150, noise=0.3, random_state=0)
X_new, y_new = make_moons(2000, noise=0.3, random_state=1)

path = mercer.path(X, y, kernel="rbf(gamma=1)", over="C", start=0.01, stop=1000)
print(path)

# %%
# Any machine of the path can be read off. It is certified like one that was trained at
# that C.

print(path.at(3.7).certificate)

# %%
# The share of wrong new rows is known along the whole path as well, as a step function
# of C. No value between two points of a grid can be missed.

errors = path.score_path(X_new, y_new)
least, most = errors.best_range
print(f"best: {errors.best_score:.4f} from C = {least:.3g} to {most:.3g}")

figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 5.6), sharex=True)
top.step(errors.values, errors.scores, where="post")
top.axvspan(*errors.best_range, color="C1", alpha=0.3, label="best C")
top.set(ylabel="share of wrong new rows")
top.legend()
PathDisplay.from_path(path, ax=bottom)
bottom.set(xlabel="C", ylabel="rows of 150")
plt.show()
