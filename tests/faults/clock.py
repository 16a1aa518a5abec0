"""A worker's clock that can be set: a file says how many seconds it is off."""

from __future__ import annotations

import time
from pathlib import Path

from tests.api.patience import look_at_clocks_often

NANOSECONDS = 1_000_000_000


def follow(file: str) -> None:
    """From now on, what this process takes for the time is off by the whole number of seconds in the file.

    It looks at the time often, so that it soon sees that the file was changed.
    """
    path, true = Path(file), time.time_ns

    def now() -> int:
        return true() + int(path.read_text()) * NANOSECONDS

    vars(time).update(time_ns=now, time=lambda: now() / NANOSECONDS)
    look_at_clocks_often(setattr)


def turn(file: Path, seconds: int) -> None:
    """Let those who follow the file be off by so many seconds; they never read half a number."""
    fresh = file.with_suffix(".new")
    fresh.write_text(str(seconds))
    fresh.replace(file)
