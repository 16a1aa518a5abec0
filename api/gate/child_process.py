"""A process of the server's own that works for it, and that ends when the server ends, however that ends."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import threading
from concurrent.futures import ProcessPoolExecutor


def one_process() -> ProcessPoolExecutor:
    """Return a pool of one process, which is started with the first work.

    A pool of the standard library alone would leave its process behind if the server is killed: it waits for
    work on a pipe that it holds open itself.
    """
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_end_with_parent)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "this runs in a child"
    threading.Thread(target=_ended, args=(parent.sentinel,), daemon=True).start()


def _ended(sentinel: int) -> None:
    """End this process when the parent has ended; it has nothing to finish."""
    multiprocessing.connection.wait([sentinel])
    os._exit(1)
