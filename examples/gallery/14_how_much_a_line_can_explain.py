# SPDX-License-Identifier: Apache-2.0
r"""
How much a hyperplane can explain
=================================

Give n random points random labels. Can a hyperplane separate them? For few points it
always can, and then its success means nothing. Cover counted the labelings that are
separable: of the :math:`2^n` ones,

.. math:: 2 \sum_{k=0}^{d} \binom{n-1}{k}.
"""

from math import comb

import matplotlib.pyplot as plt
import numpy as np
from mercer.theory import separable, vc_bound

random = np.random.default_rng(0)

# %%
# ``separable`` answers with proof: a hyperplane, or a point that both convex hulls
# share, checked in rational arithmetic. The lines are Cover's formula; the dots are
# shares of 60 drawings.

figure, ax = plt.subplots()
for place, d in enumerate((2, 5, 10)):
    counts = np.arange(2, 4 * (d + 1) + 1)
    cover = [2 * sum(comb(int(n) - 1, k) for k in range(d + 1)) / 2.0**n
             for n in counts]
    ax.plot(counts / (d + 1), np.minimum(cover, 1), color=f"C{place}",
            label=f"{d} columns, Cover's formula")
    for n in counts[::max(1, (d + 1) // 2)]:
        answers = []
        for _ in range(60):
            labels = random.integers(0, 2, n)
            one_class = labels.min() == labels.max()  # nothing to separate
            points = random.standard_normal((n, d))
            answers.append(one_class or bool(separable(points, labels)))
        ax.plot(n / (d + 1), np.mean(answers), "o", color=f"C{place}", markersize=4)
ax.plot([], [], "o", color="gray", markersize=4, label="60 drawings each")
ax.set(xlabel="points / (columns + 1)", ylabel="share of separable labelings")
ax.legend()
plt.show()

# %%
# The VC dimension of hyperplanes is d + 1: where the lines leave 1. Vapnik's bound
# turns it into a promise about new rows. It says nothing until there are many more rows
# than dimensions.

figure, ax = plt.subplots()
rows = np.logspace(2, 6, 60).astype(int)
for d in (2, 5, 10):
    ax.plot(rows, [vc_bound(int(n), d + 1, delta=0.05, risk=0.05).bound for n in rows],
            label=f"{d} columns")
ax.axhline(0.05, linestyle=":", color="black", linewidth=1,
           label="error on the training rows")
ax.set(xscale="log", ylim=(0, 1), xlabel="training rows",
       ylabel="bound of the error on new rows (95 %)")
ax.legend()
plt.show()
