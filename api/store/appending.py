"""How an append is stored in SQLite, in the writer's thread: by itself, or together with others.

By itself it looks first what the match's last move is, and can say what is wrong.  Most appends only add
moves of a match whose game is known: those are rows of one statement for a whole group (`api.store.writer`),
and the log's own triggers see that they follow (`api.store.schema`).
"""

from __future__ import annotations

from typing import Any

from eventsourcing.persistence import Mapper, StoredEvent
from eventsourcing.sqlite import SQLiteCursor as Cursor

from api.store import reserving
from api.store.mapper import Envelope
from api.store.seam import Append, Conflict, Exists
from api.store.sqlite import Recorder
from api.store.writer import Adding, Rows
from domain.entries import Opened

_KNOWN = 50_000  # matches whose game is remembered


class Games:
    """The game of each match that something was appended to."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, match: str) -> str | None:
        """The match's game; None where it must be looked up."""
        return self._known.get(match)

    def note(self, match: str, game: str) -> None:
        """Remember it."""
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[match] = game


class Appending(Adding):
    """One append.

    Args:
        wrapped: the match's secret as it is kept, where the append brings it.
    """

    def __init__(
        self, append: Append, wrapped: bytes | None, recorder: Recorder, mapper: Mapper[str], games: Games
    ) -> None:
        self._append, self._wrapped = append, wrapped
        self._recorder, self._mapper, self._games = recorder, mapper, games
        self._match = append.records[0].match

    def rows(self) -> Rows | None:
        """See `Adding.rows`."""
        append, game = self._append, self._games.of(self._match)
        judged_by = append.reservations is not None
        beside = self._wrapped is not None or append.signer is not None or append.note
        if judged_by or beside or game is None or isinstance(append.records[0].entry, Opened):
            return None
        rows = [
            (row.originator_id, row.originator_version, row.topic, row.state) for row in self._moves(game)
        ]
        return Rows(rows, self._requests())

    def __call__(self, cursor: Cursor) -> int:
        """See `Adding`.

        Raises:
            Exists, Conflict: the records do not follow the stored ones.
        """
        append, match = self._append, self._match
        game = _game(append, cursor)
        if append.reservations is not None:
            reserving.must_be(cursor, match, append.reservations)
        positions = self._recorder._insert_events(cursor, self._moves(game))
        if self._wrapped is not None:
            cursor.execute("INSERT INTO vault (match, wrapped) VALUES (?, ?)", (match, self._wrapped))
        if append.signer is not None:
            cursor.execute("INSERT INTO uploads (match, signer) VALUES (?, ?)", (match, append.signer))
        if append.note:
            cursor.execute("INSERT INTO notes (match, note) VALUES (?, ?)", (match, append.note))
        if append.reserved is not None:
            reserving.insert(cursor, match, append.reserved)
        for row in self._requests():
            cursor.execute(
                "INSERT INTO requests (scope, key, body, status, answer) VALUES (?, ?, ?, ?, ?)", row
            )
        self._games.note(match, game)
        return positions[-1]

    def _moves(self, game: str) -> list[StoredEvent]:
        return [self._mapper.to_stored_event(Envelope(record, game)) for record in self._append.records]

    def _requests(self) -> list[tuple[Any, ...]]:
        kept = self._append.remembered
        return [(kept.scope, kept.key, kept.body, kept.status, kept.answer)] if kept else []


def _game(append: Append, cursor: Cursor) -> str:
    """The name of the match's game.

    Raises:
        Exists, Conflict: the records do not follow the stored ones.
    """
    first = append.records[0]
    cursor.execute(
        "SELECT originator_version, topic FROM stored_events WHERE originator_id = ?"
        " ORDER BY originator_version DESC LIMIT 1",
        (first.match,),
    )
    last, game = cursor.fetchone() or (0, "")
    if last and isinstance(first.entry, Opened):
        raise Exists(f"a match {first.match} is already stored")
    if first.move != last + 1:
        raise Conflict(f"move {first.move} does not follow move {last} of match {first.match}")
    return game or str(first.entry.game)
