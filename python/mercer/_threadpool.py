# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_threadpool.py - threadpoolctl sees the engine's threads and limits them.

    >>> from threadpoolctl import threadpool_info, threadpool_limits
    >>> import mercer.classifiers
    >>> from mercer._settings import thread_count
    >>> with threadpool_limits(1, user_api="mercer"):
    ...     thread_count(None)
    1
"""

from __future__ import annotations

from threadpoolctl import LibController, register

from . import _engine


class MercerController(LibController):
    """The engine, in threadpoolctl's words."""

    user_api = "mercer"
    internal_api = "mercer"
    filename_prefixes = ("_engine",)
    check_symbols = ("mercer_get_num_threads", "mercer_set_num_threads")

    def get_num_threads(self) -> int:
        return self.dynlib.mercer_get_num_threads()

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.mercer_set_num_threads(int(num_threads))

    def get_version(self) -> str:
        return _engine.__version__


register(MercerController)
