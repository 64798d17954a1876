# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_progress.py - what ``verbose=True`` shows while the engine works.

Plain lines, or, where IPython shows them, one line with a bar that is written again and again. A bar
shows how many of the digits that are asked for are proved.
"""

from __future__ import annotations

import math
import sys

BAR_WIDTH = 24
USUAL_GOAL = 1e-4  # the relative gap that a bar ends at, when none is asked for
_USUAL_START = 1.0


def _line(seconds: float, stage: str, done: int, gap: float) -> str:
    proved = "" if gap != gap else f"  relative gap {gap:.1e}"
    return f"{seconds:7.1f} s  {stage} {done:,}{proved}"


def print_progress(seconds: float, stage: str, done: int, gap: float) -> None:
    """A line for each moment that the engine tells."""
    print(f"[mercer] {_line(seconds, stage, done, gap)}", flush=True)


def share_done(gap: float, goal: float) -> float:
    """The digits that are proved, as a share of those that are asked for; 0 when nothing is known."""
    if not gap > 0.0:
        return 1.0 if gap == 0.0 else 0.0
    asked = math.log(_USUAL_START / min(goal, 0.1))
    return min(1.0, max(0.0, math.log(_USUAL_START / gap) / asked))


class ProgressBar:
    """One line with a bar."""

    def __init__(self, goal: float | None = None):
        self.goal = goal or USUAL_GOAL
        self.width = 0

    def __call__(self, seconds: float, stage: str, done: int, gap: float) -> None:
        full = round(BAR_WIDTH * share_done(gap, self.goal))
        text = f"[mercer] {'█' * full}{'░' * (BAR_WIDTH - full)} {_line(seconds, stage, done, gap)}"
        print("\r" + text.ljust(self.width), end="", flush=True)
        self.width = len(text)

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self.width:
            print(flush=True)


class _Lines:
    def __call__(self, seconds: float, stage: str, done: int, gap: float) -> None:
        print_progress(seconds, stage, done, gap)

    def close(self) -> None:
        """Lines are ended."""


def in_ipython() -> bool:
    """Whether this runs in a notebook or in IPython's terminal."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def progress_of(verbose: bool, goal: float | None = None) -> ProgressBar | _Lines | None:
    """What is told of the progress; ``close()`` it at the end."""
    if not verbose:
        return None
    return ProgressBar(goal) if in_ipython() else _Lines()
