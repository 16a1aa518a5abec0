"""Adapts matches to the event-sourcing library, and reads the log of both stores.

The topic of a stored event is the name of its game, whose codec reads the event; nothing is transcoded.  The
entries of tournaments are in the same table and the same order, with the topic `TOURNAMENT`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, Notification, StoredEvent, Transcoder
from eventsourcing.utils import Environment, EnvType
from msgspec import Struct

from domain.games import GAMES
from domain.log import PLAYED, TOURNAMENT, Codec, Damaged, Record, codec
from domain.match import Match
from domain.tournaments import log as tournament_log

# ── What the recorders of both stores share: how the log is read ──
#
# Both keep the log in a table `stored_events` with the same columns; `id` is the position in the one order in
# which moves became durable, `kind` the kind of the record (see `domain.log.Record.kind`).

MOVE = "originator_id, originator_version, topic, state"
MILESTONE = f"kind <> '{PLAYED}'"  # the row holds more than a play (see `domain.match_base`)
MILESTONES = f"CREATE INDEX milestones ON stored_events (originator_id, originator_version) WHERE {MILESTONE}"
NEWS = "SELECT originator_id, id FROM stored_events WHERE id > ? ORDER BY id LIMIT ?"
FIRST = "SELECT min(id) FROM stored_events WHERE id > ?"
CLOSED = f"{MILESTONE} AND kind = 'closed'"  # the first condition lets the index of milestones serve
CLOSINGS = (
    "SELECT id, originator_id FROM stored_events WHERE id > ? AND id <= ? AND kind = 'closed' ORDER BY id"
)
_OPENINGS = "SELECT originator_id FROM stored_events WHERE originator_version = 1"
FIRST_MATCHES = f"{_OPENINGS} AND topic <> '{TOURNAMENT}' ORDER BY id"
FIRST_TOURNAMENTS = f"{_OPENINGS} AND topic = '{TOURNAMENT}' ORDER BY id"
UNCLOSED = f"""SELECT originator_id FROM stored_events AS found
    WHERE originator_version = 1 AND topic <> '{TOURNAMENT}' AND NOT EXISTS
    (SELECT 1 FROM stored_events WHERE originator_id = found.originator_id AND {CLOSED}) ORDER BY id"""
AT_ONCE = 500  # values, or pairs of them, in one statement at most


class Rows(Protocol):
    """Runs queries; the statements mark each value by `?`."""

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of one statement, all of one moment."""


class Reading(ABC):
    """The reading half of a recorder."""

    @abstractmethod
    def _rows(self, statement: str, values: Sequence[Any]) -> list[Any]:
        """The rows of one statement."""

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return the moves of one match, in order or from the latest back, after `gt` and up to `lte`."""
        bounds = [("originator_version > ?", gt), ("originator_version <= ?", lte)]
        where, values = _where([("originator_id = ?", originator_id), *bounds])
        order = "ORDER BY originator_version DESC" if desc else "ORDER BY originator_version"
        return [StoredEvent(*row) for row in self._select(MOVE, where, order, values, limit)]

    def select_each(self, moves: Mapping[str, int]) -> Sequence[StoredEvent]:
        """Return the moves of each of these matches after the move named with it, in order."""
        return [event for match, move in moves.items() for event in self.select_events(match, gt=move)]

    def select_milestones(self, match: str) -> list[tuple[StoredEvent, int]]:
        """Return the milestones of a match, in order, each with the number of the match's latest move."""
        latest = "(SELECT max(originator_version) FROM stored_events WHERE originator_id = ?)"
        where = f"WHERE originator_id = ? AND {MILESTONE} ORDER BY originator_version"
        rows = self._rows(f"SELECT {MOVE}, {latest} FROM stored_events {where}", (match, match))
        return [(StoredEvent(*row[:-1]), row[-1]) for row in rows]

    def select_ranges(self, match: str, ranges: Sequence[range]) -> list[StoredEvent]:
        """Return the moves of a match that are in one of these ranges, in order."""
        return [
            StoredEvent(*row)
            for first in range(0, len(ranges), AT_ONCE)
            for row in self._select_ranges(match, ranges[first : first + AT_ONCE])
        ]

    def _select_ranges(self, match: str, ranges: Sequence[range]) -> list[Any]:
        given = ", ".join(["(?, ?)"] * len(ranges))
        within = "originator_version >= since AND originator_version < until"
        joined = f"given JOIN stored_events ON originator_id = ? AND {within} ORDER BY originator_version"
        bounds = [bound for one in ranges for bound in (one.start, one.stop)]
        statement = f"WITH given (since, until) AS (VALUES {given}) SELECT {MOVE} FROM {joined}"
        return self._rows(statement, (*bounds, match))

    def select_brief(self, after: int, upto: int) -> list[Any]:
        """Return the moves between two positions (see `Log.brief`), each preceded by its position."""
        some = "FROM stored_events WHERE id > ? AND id <= ?"
        lasts = f"SELECT max(id) {some} GROUP BY originator_id"
        kept = f"{MILESTONE} OR id IN ({lasts})"
        return self._rows(f"SELECT id, {MOVE} {some} AND ({kept}) ORDER BY id", (after, upto, after, upto))

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Return up to `limit` moves of all matches from (or after) position `start`, up to `stop`."""
        first = "id >= ?" if inclusive_of_start else "id > ?"
        where, values = _where([(first, start), ("id <= ?", stop)])
        if topics:
            where += f" AND topic IN ({', '.join('?' * len(topics))})"
            values += topics
        columns = f"{MOVE}, id"
        return [Notification(*row) for row in self._select(columns, where, "ORDER BY id", values, limit)]

    def _select(self, columns: str, where: str, order: str, values: list[Any], limit: int | None) -> Any:
        statement = f"SELECT {columns} FROM stored_events WHERE {where} {order}"
        if limit is None:
            return self._rows(statement, values)
        return self._rows(f"{statement} LIMIT ?", (*values, limit))


def _where(conditions: list[tuple[str, Any]]) -> tuple[str, list[Any]]:
    given = [(text, value) for text, value in conditions if value is not None]
    return " AND ".join(text for text, _ in given) or "true", [value for _, value in given]


# ── msgspec learns all structs before there are threads ──
#
# msgspec learns the fields of a struct when it first makes one of JSON or of a mapping, and lets other
# threads see the struct before it knows all fields (0.22).  A thread that makes such a struct at that moment
# crashes the process: this happened when two matches were loaded at once, right after a start.


def learn() -> int:
    """Let msgspec learn every struct that is defined, ours and others'; return how many there are.

    A process calls this after all its modules are loaded, before it starts threads.
    """
    learnt = 0
    waiting = Struct.__subclasses__()
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        learnt += _learn(kind)
    return learnt


def _learn(kind: type[Struct]) -> bool:
    """Learn one struct; return False if msgspec cannot make it because it does not know a field's type."""
    try:
        msgspec.json.Decoder(kind)
    except (TypeError, NameError):
        return False
    return True


# The adapter to the event-sourcing library: records in envelopes, stored as the bytes that were first
# written.


class Envelope(Struct, frozen=True, gc=False):
    """A record as an event of the library: with its stream and its place in the stream."""

    record: Record
    game: str

    @property
    def originator_id(self) -> str:
        """The match's id."""
        return self.record.match

    @property
    def originator_version(self) -> int:
        """The number of the move."""
        return self.record.move


class Loaded(Struct, frozen=True):
    """A match as an aggregate of the library: with its version."""

    match: Match

    @property
    def id(self) -> str:
        """The match's id."""
        return self.match.id

    @property
    def version(self) -> int:
        """The number of the latest move."""
        return self.match.move


def projected(loaded: Loaded | None, events: Iterable[Envelope]) -> Loaded | None:
    """Return the match after `events`; the repository calls this as its projector.

    The stream of a tournament is no match: then it returns None.
    """
    events = list(events)
    if events and events[0].game == TOURNAMENT:
        return None
    match = Match.project(loaded.match if loaded else None, (event.record for event in events))
    return Loaded(match) if match else None


@dataclass(frozen=True)
class StoredMove(StoredEvent):
    """A row of the log, with the kind of its record."""

    kind: str

    @property
    def row(self) -> tuple[str, int, str, bytes, str]:
        """Return the values of the columns `MOVE` and `kind`."""
        return str(self.originator_id), self.originator_version, self.topic, self.state, self.kind


def stored_moves(records: Iterable[Record], game: str) -> list[StoredMove]:
    """Return the rows of records of one match."""
    return [StoredMove(record.match, record.move, game, record.stored, record.kind) for record in records]


def kind_of_row(topic: str, state: bytes) -> str:
    """Return the kind of a record from its row, for old rows without that column; "" if it cannot be read."""
    try:
        return codec(GAMES[topic]).kind(bytes(state).partition(b"\n")[0])
    except (KeyError, msgspec.DecodeError):
        return ""


class RecordMapper(Mapper[str]):
    """Converts envelopes to stored events and back; the state is the record's stored bytes."""

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredMove:
        """Return the row of an envelope."""
        assert isinstance(domain_event, Envelope), "a store of matches keeps envelopes"
        return stored_moves([domain_event.record], domain_event.game)[0]

    def to_domain_event(self, stored_event: StoredEvent) -> Envelope:
        """Return the envelope of a row.

        Raises:
            Damaged: the bytes are not a move of a known game; the text names match and move.
        """
        match, game = str(stored_event.originator_id), stored_event.topic
        if game == TOURNAMENT:
            read = tournament_log.codec().read
            return Envelope(read(match, stored_event.originator_version, stored_event.state), game)
        known = _codec(match, stored_event.originator_version, game)
        try:
            return Envelope(known.read(match, stored_event.state), game)
        except Damaged as error:
            raise Damaged(f"match {match}, move {stored_event.originator_version}: {error}") from error


def unread(match: str, move: int, game: str, stored: bytes) -> Record:
    """Return the record of a row; its bytes are decoded only when they are used.

    Raises:
        Damaged: it belongs to no known game; see also `Record`.
    """
    if game == TOURNAMENT:
        return tournament_log.codec().read(match, move, stored)
    known = _codec(match, move, game)
    return Record(known, match, move, stored, known.audiences)


learn()  # every program that reads matches imports this module first


def _codec(match: str, move: int, game: str) -> Codec:
    if game not in GAMES:
        known = ", ".join(GAMES)
        raise Damaged(f"match {match}, move {move}: unknown game {game!r}; this version knows: {known}")
    return codec(GAMES[game])


class NullTranscoder(Transcoder):
    """The library requires a transcoder; this one is never used, because records are bytes already."""

    def encode(self, obj: Any) -> bytes:
        """Not used."""
        raise TypeError("records are stored as the bytes first written")

    def decode(self, data: bytes) -> Any:
        """Not used."""
        raise TypeError("records are stored as the bytes first written")


class Matches(Application[str]):
    """The library's application over the matches of a store: event store, repository, notification log."""

    name = "matches"

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Use only the store's settings: variables of the shell do not change how matches are stored."""
        return Environment(name, env)
