"""A file of read models as those see it who do not write it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock

from projections.catalogue import Catalogue
from projections.read import connect
from projections.standing import Generation


class Reader:
    """A connection for reading only; a new one where another file has taken the place of the first.

    Args:
        path: the file, which may be there only later.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._alone = path, Lock()
        self._connection, self._node = connect(path), self._found()

    def __enter__(self) -> sqlite3.Connection:
        """The connection, for one thread at a time."""
        self._alone.acquire()
        try:
            node = self._found()
            if node != self._node and node is not None:
                self._connection.close()
                self._connection, self._node = connect(self._path), node
        except BaseException:
            self._alone.release()
            raise
        return self._connection

    def __exit__(self, *error: object) -> None:
        self._alone.release()

    def generations(self) -> list[Generation]:
        """All generations in it, as they are at this moment; none where they cannot be read."""
        with self as connection, suppress(sqlite3.DatabaseError):
            connection.execute("BEGIN")
            try:
                return Catalogue(connection).generations()
            finally:
                connection.execute("COMMIT")
        return []

    def close(self) -> None:
        """Let go of the file."""
        with self as connection:
            connection.close()

    def _found(self) -> int | None:
        with suppress(OSError):
            return self._path.stat().st_ino
        return None
