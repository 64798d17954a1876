# SPDX-License-Identifier: Apache-2.0
"""
What a certificate proves
=========================

The objective that a fit reaches is an upper bound on the best one; the dual value is a
lower bound. Whatever the solver has done so far, the best objective lies between the
two.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from mercer import SVC, verify
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

X, y = make_moons(2000, noise=0.3, random_state=0)

# %%
# We stop the same fit after more and more steps of sequential minimal optimisation.
# Mercer warns each time that the model has not converged, and gives it all the same,
# with the two values it has reached.

warnings.simplefilter("ignore", ConvergenceWarning)
steps = np.unique(np.logspace(1.5, 3.4, 24).astype(int))
proofs = []
for most in steps:
    model = SVC(C=10, gamma=2, solver="smo", polish=False, max_iter=int(most))
    proofs.append(model.fit(X, y).certificate_)
primal = [proof.primal for proof in proofs]
dual = [proof.dual for proof in proofs]

figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 3.8))
left.plot(steps, primal, label="primal: the model's objective")
left.plot(steps, dual, label="dual: no model is below")
left.fill_between(steps, dual, primal, alpha=0.2, color="C2",
                  label="the best objective is here")
left.set(xscale="log", yscale="log", xlabel="steps", ylabel="objective")
left.legend(loc="lower right", fontsize=9)
right.plot(steps, [proof.relative_gap for proof in proofs], color="C2", marker=".")
right.set(xscale="log", yscale="log", xlabel="steps", ylabel="certified relative gap")
plt.show()

# %%
# Let run to the end, the two meet. :func:`mercer.verify` computes the certificate again
# from the model and the rows, by code that shares nothing with the solvers.

model = SVC(C=10, gamma=2, gap_tolerance=1e-9).fit(X, y)
print(model.certificate_)
print("holds:", bool(verify(model, X, y)))
