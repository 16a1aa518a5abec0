"""A file of read models as those see it who do not write it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock

from projections.catalogue import Catalogue
from projections.file import node_of
from projections.read import NotReady, connect
from projections.standing import Generation


class Reader:
    """A connection for reading only; a new one where another file has taken the place of the first.

    Args:
        path: the file, which may be there only later.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._alone = path, Lock()
        self._connection: sqlite3.Connection | None = None
        self._node: int | None = None

    def __enter__(self) -> sqlite3.Connection:
        """The connection, for one thread at a time.

        Raises:
            NotReady: there is no file yet.
        """
        self._alone.acquire()
        try:
            return self._current()
        except BaseException:
            self._alone.release()
            raise

    def __exit__(self, *error: object) -> None:
        self._alone.release()

    def generations(self) -> list[Generation]:
        """All generations in it, as they are at this moment; none where they cannot be read."""
        with suppress(sqlite3.DatabaseError, NotReady), self as connection:
            connection.execute("BEGIN")
            try:
                return Catalogue(connection).generations()
            finally:
                connection.execute("COMMIT")
        return []

    def close(self) -> None:
        """Let go of the file."""
        with self._alone:
            self._let_go()

    def _current(self) -> sqlite3.Connection:
        node = node_of(self._path)  # before it is opened: one that comes between is then found the next time
        if node is not None and node != self._node:
            self._let_go()
            self._connection, self._node = connect(self._path), node
        if self._connection is None:
            raise NotReady("the read models are being built; ask again soon")
        return self._connection

    def _let_go(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = self._node = None
