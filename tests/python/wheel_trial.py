# SPDX-License-Identifier: Apache-2.0
"""tests/python/wheel_trial.py - what an installed wheel must do, with numpy alone or with more."""

import sys

import mercer
import numpy as np

X = np.random.default_rng(0).standard_normal((300, 4))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
model = mercer.train(X, y, kernel="rbf(gamma=0.5)", C=10)
assert (model.predict(X) == y).mean() > 0.9
assert mercer.verify(model, X, y)
ridge = mercer.train(X, X[:, 0] ** 2, model="krr", alpha=0.1)  # factorises, so it loads BLAS
assert ridge.certificate.relative_gap < 1e-8
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line}
ours = [name for name in libraries if "/mercer/" in name]
assert ours, f"BLAS is not the wheel's own: {libraries}"
if "--estimators" in sys.argv:
    assert mercer.SVC(C=10, gamma=0.5).fit(X, y).score(X, y) > 0.9
else:
    assert not any(name.startswith(("sklearn", "scipy")) for name in sys.modules)
print(f"Python {sys.version.split()[0]}, numpy {np.__version__}: mercer {mercer.__version__} works, "
      f"BLAS of {ours[0]}")
