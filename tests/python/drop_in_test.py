# SPDX-License-Identifier: Apache-2.0
"""tests/python/drop_in_test.py - a script that imports from mercer in place of sklearn.svm prints the same scores."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).resolve().parent / "drop_in.py"


def test_scores_are_those_of_scikit_learn(tmp_path):
    pytest.importorskip("matplotlib")
    ours, theirs = (json.loads(subprocess.run([sys.executable, SCRIPT, module], check=True, text=True,
                                              capture_output=True, timeout=280, cwd=tmp_path).stdout)
                    for module in ("mercer", "sklearn.svm"))
    assert set(ours) == set(theirs) and len(ours) == 24
    for what, scores in theirs.items():
        np.testing.assert_allclose(ours[what], scores, atol=1e-6, rtol=0, err_msg=what)
