"""The file of the read models.

It is its owner's alone: what no player may know of a running match is in it.  SQLite gives what it keeps
beside it the same mode.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

BESIDE = ("-wal", "-shm")  # what SQLite keeps beside a file


def opened(path: Path, report: Callable[[str], None]) -> tuple[sqlite3.Connection, int | None]:
    """The one writing connection to the file, and which file it is; one that is no database is put aside."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        report(f"{path.name} is damaged; it is kept as {aside.name} and built anew")
        return _connected(path)


def node_of(path: Path) -> int | None:
    """What tells the file that is there now from others that are, or were, there; None: there is none."""
    with suppress(OSError):
        return path.stat().st_ino
    return None


def delete(path: Path) -> None:
    """Delete a file that nobody uses, with what is beside it."""
    for ending in ("", *BESIDE):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _connected(path: Path) -> tuple[sqlite3.Connection, int | None]:
    _made(path)
    node = node_of(path)  # before it is opened: one that comes between is then taken for another one
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")  # older versions kept here what was hidden in a match
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection, node


def _made(path: Path) -> None:
    """Make the file where there is none, and close one to others that an older version left open.

    One that is there is not opened for that: closing it would drop the locks that SQLite has on it.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # nobody else opens it before it is all there
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        for ending in BESIDE:  # of one that was deleted; some may read that one still
            path.with_name(path.name + ending).unlink(missing_ok=True)
    except FileExistsError:
        for ending in ("", *BESIDE):
            with suppress(OSError):
                path.with_name(path.name + ending).chmod(0o600)
    finally:
        os.close(folder)
