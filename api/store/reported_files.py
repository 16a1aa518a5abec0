"""The match files that rulings of tournaments name, in one table beside the log: a row for each match.

So the same match is never named in two tournaments, whichever process is asked.
"""

from __future__ import annotations

from typing import Any

from api.store.accounts import Cursor, Writing
from api.store.events import Rows
from api.store.interface import Conflict, Quota, ReportedFile, Spent

_DROP = (
    "DELETE FROM reported_files WHERE tournament = ? AND named = 0 AND match NOT IN ("
    "SELECT match FROM reported_files WHERE tournament = ? AND named = 0 ORDER BY at DESC, match LIMIT ?)"
)
_KEEP = (
    "INSERT INTO reported_files (match, tournament, sha256, at, named, size, about, content)"
    " VALUES (?, ?, ?, ?, 0, ?, ?, ?) ON CONFLICT (match) DO UPDATE"
    " SET tournament = excluded.tournament, sha256 = excluded.sha256, at = excluded.at,"
    " size = excluded.size, about = excluded.about, content = excluded.content"
    " WHERE reported_files.named = 0"
)
_HOLDER = "SELECT tournament, sha256 FROM reported_files WHERE match = ?"
_SUMS = "SELECT count(*), coalesce(sum(size), 0) FROM reported_files WHERE tournament = ?"
_NAME = "UPDATE reported_files SET named = 1 WHERE tournament = ? AND sha256 = ? RETURNING match"


class SqlReportedFiles:
    """See `api.store.interface.ReportedFiles`.

    Args:
        reading: runs queries.
        writing: does work in one durable transaction.
    """

    def __init__(self, reading: Rows, writing: Writing) -> None:
        self._reading, self._write = reading, writing

    def keep(self, file: ReportedFile, waiting: int, most: Quota) -> None:
        """See `ReportedFiles.keep`."""
        row = (file.match, file.tournament, file.sha256, file.at, len(file.content), file.about, file.content)

        def work(cursor: Cursor) -> None:
            cursor.execute(_KEEP, row)
            cursor.execute(_HOLDER, (file.match,))
            if tuple(cursor.fetchone()) != (file.tournament, file.sha256):
                raise Conflict(f"another file of match {file.match} is named by a ruling")
            cursor.execute(_DROP, (file.tournament, file.tournament, waiting))
            cursor.execute(_SUMS, (file.tournament,))
            number, size = cursor.fetchone()
            if number > most.number or size > most.bytes:
                raise Spent(file.tournament)

        self._write(work)

    def name(self, tournament: str, sha256: str) -> bool:
        """See `ReportedFiles.name`."""

        def work(cursor: Cursor) -> bool:
            cursor.execute(_NAME, (tournament, sha256))
            return cursor.fetchone() is not None

        return self._write(work)

    def about(self, tournament: str, sha256: str) -> str | None:
        """See `ReportedFiles.about`."""
        found: str | None = self._one("about", tournament, sha256)
        return found

    def content(self, tournament: str, sha256: str) -> bytes | None:
        """See `ReportedFiles.content`."""
        found = self._one("content", tournament, sha256)
        return None if found is None else bytes(found)

    def _one(self, column: str, tournament: str, sha256: str) -> Any:
        statement = f"SELECT {column} FROM reported_files WHERE tournament = ? AND sha256 = ?"
        rows = self._reading.rows(statement, (tournament, sha256))
        return rows[0][0] if rows else None
