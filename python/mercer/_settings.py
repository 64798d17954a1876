# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_settings.py - what a call of the engine may use: threads, memory, time, a seed."""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, Callable

from . import _engine

Progress = Callable[[float, str, int, float], Any]


@functools.cache
def _allowed_threads(pid: int) -> int:
    return _engine.allowed_threads()


def thread_count(n_jobs: int | None) -> int:
    """Threads for ``n_jobs``: -1 is all that affinity and cgroup allow, -2 one fewer, and so on.

    ``None`` is all of them, too, unless threadpoolctl or ``OMP_NUM_THREADS`` say less: so do worker
    processes of joblib, and a grid search on all cores does not start cores times cores threads.
    """
    allowed = _allowed_threads(os.getpid())
    if n_jobs is None:
        if limit := _engine.thread_limit():
            return min(allowed, limit)
        first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        return min(allowed, max(1, int(first))) if first.isdigit() else allowed
    if n_jobs == 0:
        raise ValueError("n_jobs: got 0, must be a number of threads, or -1 for all")
    return int(n_jobs) if n_jobs > 0 else max(1, allowed + 1 + int(n_jobs))


def settings(n_jobs: int | None = None, *, memory_limit: int | str | None = None,
             time_limit: float | None = None, seed: int = 0, device: str = "cpu",
             progress: Progress | None = None) -> dict[str, Any]:
    """The dict that every call of the engine takes."""
    memory = _engine.byte_size(memory_limit) if isinstance(memory_limit, str) else memory_limit
    return {"threads": thread_count(n_jobs), "memory": int(memory or 0),
            "time_limit": float(time_limit or 0.0), "seed": int(seed), "device": device,
            "progress": progress,
            "watch": threading.current_thread() is threading.main_thread()}

