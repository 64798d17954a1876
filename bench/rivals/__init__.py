# SPDX-License-Identifier: Apache-2.0
"""bench/rivals - one adapter per rival.

An adapter has NAME, WHOLE (True: the whole process is timed, including reading and writing; False:
the call that fits), why_not(machine), which returns the reason why the rival cannot run, or None, and
train(problem, data, folder, options), which returns a dictionary: seconds, peak_bytes, beta (one
signed coefficient per row: f = sum beta_j k(x_j, .) + b) and, if it can be timed, predict, a function
of a file that returns seconds.
"""
from . import intelex, libsvm, libsvm_openmp, scikit

ALL = (libsvm, libsvm_openmp, scikit, intelex)
