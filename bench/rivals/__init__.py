# SPDX-License-Identifier: Apache-2.0
"""bench/rivals - one adapter per rival.

An adapter has NAME, WHOLE (True: the whole process is timed, reading and writing included; False:
the call that fits), why_not(machine), which says why the rival cannot run or gives None, and
train(problem, data, folder, options), which gives a dictionary: seconds, peak_bytes, beta (one
signed coefficient per row: f = sum beta_j k(x_j, .) + b) and, where there is one, predict, a
function of a file that gives seconds.
"""
from . import intelex, libsvm, libsvm_openmp, scikit

ALL = (libsvm, libsvm_openmp, scikit, intelex)
