"""The file of the read models."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path


def opened(path: Path, report: Callable[[str], None]) -> sqlite3.Connection:
    """The one writing connection to the file; a file that is no database is put aside."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        for rest in ("-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        report(f"{path.name} is damaged; it is kept as {aside.name} and built anew")
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
