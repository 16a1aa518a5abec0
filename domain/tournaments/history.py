"""A tournament in memory: its records, the tree over them, and what they come to.

A stored log is read by `project`; new records are taken in by `accept`, once they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from domain.log import Damaged, Record
from domain.merkle import Tree
from domain.tournaments.events import Announced, AnyEntry
from domain.tournaments.fold import applied, folded
from domain.tournaments.state import Tournament


class TournamentLog:
    """The log of one tournament with its state.

    `state` is that after the last entry, `roots` holds the root after each entry.
    """

    uploaded = imported = False  # the log was written here, so checkpoints of it are signed here

    def __init__(self, first: Record) -> None:
        self.records: list[Record] = []
        self.roots: list[bytes] = []
        self.tree = Tree()
        entry = _entry(first)
        if not isinstance(entry, Announced) or entry.tournament != first.match:
            raise Damaged(f"tournament {first.match}: its log does not begin with `announced`")
        state = folded(None, [entry])
        assert state is not None, "`announced` makes a state"
        self.state = state
        self._add(first)

    @classmethod
    def project(cls, records: Iterable[Record]) -> TournamentLog | None:
        """Return the tournament of these records, from the first one; None if there are none.

        Raises:
            Damaged: they are not the records of a tournament.
        """
        found: TournamentLog | None = None
        for record in records:
            if found is None:
                found = cls(record)
            else:
                found.accept(record)
        return found

    @property
    def id(self) -> str:
        """The tournament's id."""
        return self.state.id

    @property
    def entry(self) -> int:
        """The number of the last entry."""
        return len(self.records)

    @property
    def root(self) -> bytes:
        """The root over all entries."""
        return self.roots[-1]

    def accept(self, record: Record) -> None:
        """Add a stored record, which is the next one.

        Raises:
            Damaged: it is not the next one.
        """
        if record.move != len(self.records) + 1:
            raise Damaged(f"tournament {self.id}: entry {record.move} follows entry {len(self.records)}")
        self.state = applied(self.state, _entry(record))
        self._add(record)

    def state_at(self, entry: int) -> Tournament:
        """Return the state after an entry, 1 to `entry`; it is folded from the log."""
        if entry == len(self.records):
            return self.state
        state = folded(None, (_entry(record) for record in self.records[:entry]))
        assert state is not None, "a log has a first entry"
        return state

    def _add(self, record: Record) -> None:
        self.records.append(record)
        self.tree.add(record.leaf)
        self.roots.append(self.tree.root)


def _entry(record: Record) -> AnyEntry:
    try:
        found: AnyEntry = record.entry
    except msgspec.DecodeError as error:
        raise Damaged(f"tournament {record.match}, entry {record.move}: {error}") from error
    return found
