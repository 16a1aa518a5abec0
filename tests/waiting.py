"""Waiting in tests: a machine may be slow, so nothing that must come is given up early."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")

PATIENCE = 120.0  # seconds until something must have happened; it takes one where nothing else runs
_PAUSE, _LONGER, _LONGEST = 0.002, 1.3, 0.03  # seconds between two looks, at first and at last; how they grow


def soon(is_so: Callable[P, object], *given: P.args, **named: P.kwargs) -> None:
    """Wait until it is so."""
    end, pause = time.monotonic() + PATIENCE, _PAUSE
    while not is_so(*given, **named):
        assert time.monotonic() < end, "it has not come to pass"
        time.sleep(pause)
        pause = min(pause * _LONGER, _LONGEST)  # what takes long is not kept from its work by being asked
