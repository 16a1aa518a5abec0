"""The line of play that stands, fact by fact, and the rows that the tables of a game make of it.

Only moves that stand are read, so a move that was taken back leaves no row.  A fact is seen as the data set
may show it: in full if the match is over and its log holds the private parts, else as a spectator sees it.
What a spectator does not know becomes a missing value in a row.

The tables before and after a fact are folds of the stored facts.  A fold knows no rule, so another version of
the rules gives the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.draws import draws
from domain.kernel import HIDDEN, Seat
from domain.kernel import Table as State
from domain.log import HOUSE, Record, canonical
from domain.match import Match
from domain.match_base import ALL
from domain.sharing import empty_table
from replay.positions import plain
from replay.tables.schema import Column, Rows, Table

MATCH = Column("match", "VARCHAR", "The id of the match.")
MOVE = Column("move", "INTEGER", "The number of the move in the match; `?at={move}` of its page shows it.")
PLACE = Column("place", "INTEGER", "The place of the fact in its move, from 0, as in the table `facts`.")
WHERE = (MATCH, MOVE, PLACE)
"""The columns with which every table of a game begins; they lead from a row back to its match."""

STATE_HASH = Column(
    "state_sha256",
    "VARCHAR",
    "The hash of what is public in the position: equal positions have equal hashes.",
)


class Applied(Struct, frozen=True):
    """One fact of the line that stands, with the tables before and after it.

    `move` and `place` say where it stands in the log.
    """

    move: int
    place: int
    fact: Any
    before: Any
    after: Any


class Move(Struct, frozen=True):
    """The facts of one move that stands, what chance picked in it, and the question that it left open.

    `drawn` holds what the viewer may know; in a branch, what the first match drew is not in it.  `asked` is
    the name of the question, "" if the match was over; `seats` are those that were asked.
    """

    facts: tuple[Applied, ...]
    drawn: frozenset[str]
    asked: str
    seats: tuple[Seat, ...]


def viewer_of(match: Match) -> Seat | None:
    """The viewer of a data set: `ALL` if the match is over and holds its hidden parts, else a spectator."""
    known = match.closed is not None and HOUSE in match.audiences
    return match.effective_viewer(ALL if known else None)


def line(match: Match) -> Iterator[Move]:
    """The moves that stand and that bring facts, in order."""
    viewer = viewer_of(match)
    opened = match.opened
    s: State = empty_table(match.game, opened.edition, opened.options)
    for move in sorted(match.line()):
        record = match.records[move - 1]
        found = list[Applied]()
        for place, fact in enumerate(match.facts_for(record, viewer)):
            before, s = s, fact.apply(s)
            found.append(Applied(move, place, fact, before, s))
        if found:
            yield _played(record, found, viewer)


def _played(record: Record, found: Sequence[Applied], viewer: Seat | None) -> Move:
    asked = record.entry.asked
    known = draws(record) if viewer == ALL else record.entry.draws
    return Move(
        tuple(found),
        frozenset(draw.pick for draw in known),
        asked.ask if asked else "",
        tuple(asked.seats) if asked else (),
    )


def public_hash(values: Mapping[str, object]) -> str:
    """The hash of the public part of a position, as hexadecimal digits."""
    return hashlib.sha256(canonical(plain(dict(values)))).hexdigest()


def mean(values: Sequence[int]) -> float | None:
    """The mean of what may be drawn, each as likely as the others; None if nothing can be drawn."""
    return sum(values) / len(values) if values else None


class RowBuilder:
    """The rows of one match, in the order of the columns of its tables."""

    def __init__(self, match: Match, tables: Sequence[Table]) -> None:
        self.match = match.id
        self.rows: Rows = {table.name: [] for table in tables}
        self._empty = {table.name: {column.name: None for column in table.columns} for table in tables}

    def add(self, table: str, move: int, place: int | None, values: Mapping[str, object]) -> None:
        """Add a row; columns without a value are missing, and so is what a spectator may not know.

        Raises:
            ValueError: the table has no such column.
        """
        empty = self._empty[table]
        row = {**empty, "match": self.match, "move": move, "place": place, **values}
        if len(row) != len(empty):
            raise ValueError(f"{table} has no column {', '.join(sorted(row.keys() - empty.keys()))}")
        self.rows[table].append(tuple([_shown(value) for value in row.values()]))

    def note(self, table: str, at: Applied, when: Mapping[str, object], **values: object) -> None:
        """Add a row about a fact; of `when`, the time in the game, it gets what the table has columns for."""
        time = {name: value for name, value in when.items() if name in self._empty[table]}
        self.add(table, at.move, at.place, {**time, **values})


def _shown(value: object) -> object:
    """A value of a row; None for what is hidden, and for a list of which something is."""
    if isinstance(value, tuple):
        return None if HIDDEN in value else list(value)
    return None if value == HIDDEN else value
