"""Folders that take long to make and that no test changes: one process of the tests makes each for all."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder of this name, which the first process that asks makes; the others wait for it.

    Args:
        name: another one for everything that is made.
        make: is given the folder, which is empty; it must leave nothing open there.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # where the processes have theirs
    folder, complete = base / name, base / f"{name}.complete"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            folder.mkdir()
            make(folder)
            complete.touch()
    return folder
