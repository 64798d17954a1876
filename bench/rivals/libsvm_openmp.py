# SPDX-License-Identifier: Apache-2.0
"""bench/rivals/libsvm_openmp.py - LIBSVM built with OpenMP, as its FAQ says.

MERCER_LIBSVM_OPENMP is the path of svm-train. Debian's is built without OpenMP.
"""
import os

import measure

from . import libsvm

NAME = "LIBSVM (OpenMP)"
WHOLE = True


def why_not(machine):
    if machine not in ("svc", "svr"):
        return f"has no {machine}"
    path = os.environ.get("MERCER_LIBSVM_OPENMP")
    if not path:
        return "MERCER_LIBSVM_OPENMP does not name a svm-train built with OpenMP"
    return None if os.path.exists(path) else f"{path}: no such file"


def train(problem, data, folder, options):
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    try:
        return libsvm.train_with(os.environ["MERCER_LIBSVM_OPENMP"], problem, data, folder,
                                 options)
    finally:
        os.environ.pop("OMP_NUM_THREADS")
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before
