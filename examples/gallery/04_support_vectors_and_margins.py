# SPDX-License-Identifier: Apache-2.0
"""
Support vectors and margins
===========================

The cost C decides between a wide street and few rows in it. Only the rows at the edges,
inside the street or on the wrong side carry the model; all others could be deleted.
"""

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVC
from mercer.displays import SupportVectors
from sklearn.datasets import make_moons

X, y = make_moons(120, noise=0.25, random_state=3)

# %%
# The dashed lines are the edges of the street, where the decision value is -1 and +1.
# Rows with a ring are support vectors.

figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.6), sharex=True, sharey=True)
for ax, C in zip(axes, (0.1, 100)):
    model = SVC(C=C, gamma=1).fit(X, y)
    SupportVectors.from_estimator(model, X, y, ax=ax)
    bound = np.isclose(np.abs(model.dual_coef_), C).sum()
    ax.set_title(f"C = {C}: {len(model.support_)} support vectors, {bound} bounded")
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3)
plt.show()

# %%
# Deleting the other rows changes nothing: the model that is trained on the support
# vectors alone is the same one.

again = SVC(C=100, gamma=1).fit(X[model.support_], y[model.support_])
difference = np.abs(again.decision_function(X) - model.decision_function(X)).max()
print(f"greatest difference of the decision values: {difference:.1e}")
