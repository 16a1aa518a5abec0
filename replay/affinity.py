"""CPU affinity: background processes leave a processor core to the server that started them."""

from __future__ import annotations

import os
from contextlib import suppress


def leave_a_core(process: int = 0) -> None:
    """Keep a process off the first of the cores that it may use, if it may use others; 0: this process.

    What it computes is no slower for it: it has one thread.  What the server does beside it is sooner by
    more than priorities bring (`ops/bench/tournaments.py`): the scheduler moves neither about.
    Where the system has no affinity, or forbids to change it, nothing happens.
    """
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            cores = sorted(os.sched_getaffinity(process))
            os.sched_setaffinity(process, cores[1:] or cores)
