"""A match as its log tells it: what each entry does, and what can be read at any move.

The table after every move is kept (they share their parts), so that a view of any move, for any viewer,
costs the same.  What may be said to a match is in `domain.match`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from msgspec import Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.chance import Ledger
from domain.drawn import count, count_draws, shown
from domain.entries import Asked, Entry, Opened, Seated, TakenBack, Told
from domain.folding import folded
from domain.kernel import Fact, Picks, Prompt, Seat, Table
from domain.log import HOUSE, Damaged, Record, codec
from domain.merkle import Tree
from domain.outline import ALL, Outline, expect, parts_of


class Position(Struct, frozen=True):
    """The match after one move.

    `table` is the truth, without its agenda, which waits encoded in `agenda`.  `before` is the move from
    which this one went on.  `shown`: this move showed a draw, or somebody's secret to somebody else.
    """

    table: Table
    agenda: tuple[Raw, ...]
    asked: Asked | None
    before: int
    shown: bool


class History(Outline):
    """One match, as its log tells it."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self.records: list[Record] = []
        self.roots: list[bytes] = []
        self.positions: list[Position] = []
        self.ledger = Ledger(1, {}, {})
        self.rules, self.product = opened.rules, opened.product
        self.tree = Tree()
        self._views: dict[Seat | None, list[Table | None]] = {}
        self._live: Table | None = None
        self._questions: dict[Seat, Prompt | None] = {}  # on that table
        self._resting = False

    # ── reading ──

    @property
    def move(self) -> int:
        """The number of the latest move."""
        return len(self.records)

    def _exchanged_at(self, move: int) -> bool:
        return self.positions[move - 1].table.exchanged

    @property
    def live(self) -> Any:
        """The table now, of the game's own class, its agenda included."""
        if self._live is None:
            self._live = self.table_with_agenda(self.move)
        return self._live

    def prompt(self, seat: Seat) -> tuple[int, Prompt] | None:
        """The move that put the question to `seat`, and the question; None when it is not asked."""
        asked = self.asked
        if asked is None or seat not in asked.seats:
            return None
        question = self._questions.get(seat)
        if question is None:  # it is told, and then answered: mostly it is looked at three times
            question = self._questions[seat] = kernel.prompt(self.live, seat)
        return (asked.seats[seat], question) if question else None

    def facts_for(self, record: Record, viewer: Seat | None) -> tuple[Fact, ...]:
        """The facts of a move, as `viewer` was told them."""
        viewer = self.told_as(viewer)
        return record.facts if viewer == ALL else record.facts_for(viewer)

    def picks_for(self, record: Record, viewer: Seat | None) -> Picks | None:
        """The answer of a played move, as `viewer` was told it; None where it was secret."""
        picks: Picks | None = record.entry.picks
        return record.picks if self.told_as(viewer) in (record.entry.seat, ALL) else picks

    def entry_at(self, move: int) -> Any:
        """See `Outline.entry_at`."""
        return self.records[move - 1].entry

    def root_at(self, move: int) -> bytes:
        """See `Outline.root_at`."""
        return self.roots[move - 1]

    def asked_at(self, move: int) -> Asked | None:
        """See `Outline.asked_at`."""
        return self.positions[move - 1].asked

    def table_at(self, move: int, viewer: Seat | None) -> Any:
        """See `Outline.table_at`; on the way to it, what the viewer is told is folded once."""
        viewer = self.told_as(viewer)
        if viewer == ALL:
            return self.positions[move - 1].table
        tables = self._views.setdefault(viewer, [])
        tables += [None] * (move - len(tables))
        if tables[move - 1] is None:
            self._fold(tables, move, parts_of(viewer, self.records[0].audiences))
        return tables[move - 1]

    def _fold(self, tables: list[Table | None], move: int, parts: slice) -> None:
        """Fill `tables` along the line to a move, from the last one on it that is there."""
        missing, at = list[int](), move
        while at and tables[at - 1] is None:
            missing.append(at)
            at = self.positions[at - 1].before
        missing.reverse()
        last = tables[at - 1] if at else None
        stored = ((at, self.records[at - 1].stored) for at in missing)
        for at, table in zip(missing, folded(self.game, last, stored, parts, tables), strict=True):
            tables[at - 1] = table

    def table_with_agenda(self, move: int) -> Table:
        """The true table after `move`, its agenda decoded."""
        position = self.positions[move - 1]
        step = codec(self.game).step
        return replace(position.table, agenda=tuple(step(raw) for raw in position.agenda))

    def line(self) -> Iterable[int]:
        """The moves that stand, from the latest backwards; those taken back are left out."""
        move = self.move
        while move:
            yield move
            move = self.positions[move - 1].before

    @property
    def _empty(self) -> Table:
        return self.game.table(self.opened.edition, self.opened.options)

    # ── folding the log ──

    @classmethod
    def project(cls, match: Self | None, records: Iterable[Record]) -> Self | None:
        """The match after `records`: the projector that the event store's repository calls."""
        for record in records:
            if match is None:
                match = cls(expect(record.entry, Opened))
            match.accept(record)
        return match

    def accept(self, record: Record, live: Table | None = None) -> None:
        """Take in the next record, which is stored; `live` is the table after it, where it is at hand.

        Raises:
            Damaged: it is not the next move.
        """
        if record.move != self.move + 1:
            raise Damaged(f"move {record.move} follows move {self.move}")
        self.positions.append(self._after(record))
        self.records.append(record)
        self.tree.add(record.leaf)
        self.roots.append(self.tree.root)
        self._live, self._questions = live, {}
        self._note(record)
        if self.move > 1:
            self._rest(self.records[-2])

    def rest(self) -> None:
        """From now on hold all moves but the latest as bytes only: for a match that lies in memory long."""
        self._resting = True
        for record in self.records[:-1]:
            record.rest()

    def _rest(self, record: Record) -> None:
        if self._resting:
            record.rest()

    def _after(self, record: Record) -> Position:
        entry = record.entry
        if isinstance(entry, TakenBack):
            back = self.positions[entry.to - 1]
            return replace(back, asked=entry.asked, before=entry.to, shown=False)
        if not self.positions:
            return Position(self._empty, (), None, 0, False)
        last = self.positions[-1]
        if not isinstance(entry, Told):
            return replace(last, before=self.move, shown=False)
        house = record.parts.get(HOUSE)
        change = house.agenda if house else None
        agenda = (*last.agenda[: change.keep], *change.then) if change else last.agenda
        table = kernel.fold(last.table, record.facts)
        return Position(table, agenda, entry.asked or _still(last, entry), self.move, shown(record))

    def _note(self, record: Record) -> None:
        super()._note(record)
        entry = record.entry
        if isinstance(entry, Told):
            count(self.ledger, record)
            self.rules, self.product = entry.rules or self.rules, entry.product or self.product
        elif isinstance(entry, TakenBack):
            self.ledger = self._recount()

    def _recount(self) -> Ledger:
        """After a takeback: only the draws on the line that stands count, and an opened key never returns."""
        ledger = Ledger(self.ledger.period, {}, {})
        for move in self.line():
            record = self.records[move - 1]
            count_draws(ledger, record)
            self._rest(record)
        return ledger


def _still(last: Position, entry: Entry) -> Asked | None:
    """A seat taken before the last one asks nothing; a played entry without a question ended the game."""
    return last.asked if isinstance(entry, Seated) else None
