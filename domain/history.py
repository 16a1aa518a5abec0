"""A match as its log describes it: what each entry does, and what can be read at any move.

The table after every move is kept (tables share their parts), so a view of any move, for any viewer, costs
the same.  The commands of a match are in `domain.match`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, Self

from msgspec import Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.chance import Ledger
from domain.clocks import ClockState
from domain.drafts import Draft
from domain.draws import count, draws, shown
from domain.events import (
    Asked,
    Entry,
    FactEntry,
    Opened,
    Played,
    Ruled,
    Seated,
    TakenBack,
)
from domain.folding import folded
from domain.kernel import AnyFact, Picks, Prompt, Seat, Table
from domain.log import HOUSE, Damaged, Record, codec
from domain.match_base import ALL, expect, parts_of
from domain.match_clock import Timed, clock_after
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.sharing import empty_table

# Bytes of memory that a match takes besides what is stored: per match, per move, and per table that was made
# for a viewer.  Measured with the game that needs most, Imperial Struggle (`ops/bench/memory.py`).
_MATCH, _MOVE, _VIEW = 16_000, 3_000, 2_100


class Position(Struct, frozen=True):
    """The match after one move.

    `table` is the true table without its agenda, which stays encoded in `agenda`.  `before` is the move on
    which this one followed.  On the line that leads to it, itself included, `shown` is the latest move that
    showed a draw, or one seat's secret to another, and `answered` the latest answer (0: none).  `ledger`
    counts the draws on that line and never changes.  `clock`: None if the match has none.
    """

    table: Table
    agenda: tuple[Raw, ...]
    asked: Asked | None
    before: int
    shown: int
    answered: int
    ledger: Ledger
    clock: ClockState | None = None


class History(Timed):
    """One match, as its log describes it."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self.records: list[Record] = []
        self.roots: list[bytes] = []
        self.positions: list[Position] = []
        self.rules, self.product = opened.rules, opened.product
        self.tree = Tree()
        self._views: dict[Seat | None, list[Table | None]] = {}
        self._live: Table | None = None
        self._questions: dict[Seat, Prompt | None] = {}  # on that table
        self._resting = False
        self._leaves = 0  # bytes of all leaves

    # ── reading ──

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes at rest, without what it shares with other matches.

        Private parts are estimated, at a quarter of the leaves, because metrics are public: the length
        of a secret must not show there.
        """
        views = sum(map(len, self._views.values()))
        return _MATCH + self._leaves * 5 // 4 + _MOVE * self.move + _VIEW * views

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
        if question is None:  # a question is shown and then answered: most are read three times
            question = self._questions[seat] = kernel.prompt(self.live, seat)
        return (asked.seats[seat], question) if question else None

    def facts_for(self, record: Record, viewer: Seat | None) -> tuple[AnyFact, ...]:
        """The facts of a move, as `viewer` saw them."""
        viewer = self.effective_viewer(viewer)
        return record.facts if viewer == ALL else record.facts_for(viewer)

    def picks_for(self, record: Record, viewer: Seat | None) -> Picks | None:
        """The answer of a played move, as `viewer` saw it; None if it was secret."""
        picks: Picks | None = record.entry.picks
        return record.picks if self.effective_viewer(viewer) in (record.entry.seat, ALL) else picks

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
        """See `Outline.table_at`; a viewer's facts are folded once, and the tables kept."""
        viewer = self.effective_viewer(viewer)
        if viewer == ALL:
            return self.positions[move - 1].table
        tables = self._views.setdefault(viewer, [])
        tables += [None] * (move - len(tables))
        if tables[move - 1] is None:
            self._fold(tables, move, parts_of(viewer, self.records[0].audiences))
        return tables[move - 1]

    def _fold(self, tables: list[Table | None], move: int, parts: slice) -> None:
        """Fill `tables` along the line to a move, from the last table on it that is there."""
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

    @property
    def ledger(self) -> Ledger:
        """The draws on the line of play that stands; the caller must not change it."""
        return self.positions[-1].ledger if self.positions else Ledger()

    def line(self) -> Iterable[int]:
        """The moves that stand, from the latest backwards; those taken back are left out."""
        move = self.move
        while move:
            yield move
            move = self.positions[move - 1].before

    def facts_to(self, move: int) -> list[AnyFact]:
        """The facts in full that led to the table after `move`, without those taken back before it."""
        read, found = codec(self.game).leaf_with, list[AnyFact]()
        for at in chain.from_iterable(self.line_to(move)):
            leaf, *parts = self.records[at - 1].stored.split(b"\n")
            found += read(leaf, parts).facts
        return found

    def is_table(self, move: int) -> bool:
        """Is there a table of a running game after an earlier `move`, to which the match can go back?"""
        return 1 <= move < self.move and self.positions[move - 1].asked is not None

    def clock_at(self, move: int) -> ClockState | None:
        """See `Timed.clock_at`."""
        return self.positions[move - 1].clock

    # Commands and verification ask the same: why does the match refuse this now?

    def takeback_refused(self, to: int) -> Sentence | None:
        """Why no seat may now ask to go back to the table after `to`; None if a seat may."""
        if self.request:
            return Sentence("request-waits", {"move": self.request.move})
        if not self.is_table(to):
            return Sentence("no-such-table", {"move": to})
        shown = self.positions[-1].shown
        if shown > to:
            return Sentence("shown-since", {"move": shown})
        return None if self.stands(to) else Sentence("taken-back-itself", {"move": to})

    def takeback_answer_refused(self, seat: Seat, request: int) -> Sentence | None:
        """Why `seat` may not answer the request of move `request`; None if it may."""
        waiting = self.request
        if waiting is None or waiting.move != request:
            return Sentence("no-such-request", {"move": request})
        return Sentence("own-request") if waiting.seat == seat else None

    def ruling_refused(self, ruling: Ruled) -> Sentence | None:
        """Why a ruling is impossible; None if an organizer may rule so."""
        if not ruling.reason.strip():
            return Sentence("ruling-without-reason")
        if sum((ruling.back_to is not None, ruling.result is not None, ruling.void)) != 1:
            return Sentence("not-one-ruling")
        winner = ruling.result.winner if ruling.result else None
        if winner is not None and winner not in self.seats:
            return Sentence("no-such-winner", {"winner": repr(winner), "known": list(self.seats)})
        if ruling.back_to is not None and not self.is_table(ruling.back_to):
            return Sentence("no-such-table", {"move": ruling.back_to})
        return None

    @property
    def _empty(self) -> Table:
        return empty_table(self.game, self.opened.edition, self.opened.options)

    # ── folding the log ──

    @classmethod
    def project(cls, match: Self | None, records: Iterable[Record]) -> Self | None:
        """The match after `records`: the projector that the event store's repository calls."""
        for record in records:
            if match is None:
                match = cls(expect(record.entry, Opened))
            match.accept(record)
        return match

    def add(self, draft: Draft) -> None:
        """Take in the records of a draft of this match, as it stands now; they are stored.

        The last one is neither folded nor hashed nor counted a second time.
        """
        *earlier, last = draft.records
        for record in earlier:
            self.accept(record)
        self._take_in(last, draft)

    def accept(self, record: Record) -> None:
        """Take in the next record, which is stored.

        Raises:
            Damaged: it is not the next move.
        """
        self._take_in(record, None)

    def _take_in(self, record: Record, draft: Draft | None) -> None:
        """Take in the next record, which may be the last one of a draft."""
        if record.move != self.move + 1:
            raise Damaged(f"move {record.move} follows move {self.move}")
        live = draft.live if draft else None
        self.positions.append(self._after(record, draft))
        self.records.append(record)
        self.move = record.move
        leaf = record.leaf
        self._leaves += len(leaf)
        if draft:
            self.tree = draft.tree
        else:
            self.tree.add(leaf)
        self.roots.append(self.tree.root)
        self._live, self._questions = live, {}
        self._note(record)
        if self._resting and self.move > 1:
            self.records[-2].rest()

    def rest(self) -> None:
        """From now on hold all moves but the latest as bytes only: for a match that stays in memory."""
        self._resting = True
        for record in self.records[:-1]:
            record.rest()

    def _after(self, record: Record, draft: Draft | None) -> Position:
        position, terms = self._without_clock(record, draft), self.opened.clock
        if not terms:
            return position
        before = self.positions[-1].clock if self.positions else None
        across = self.game.across if position.table.exchanged else {}
        clock = clock_after(terms, before, record.entry, position.asked, across, self.seats)
        return replace(position, clock=clock)

    def _without_clock(self, record: Record, draft: Draft | None) -> Position:
        entry = record.entry
        if isinstance(entry, TakenBack):
            back = self.positions[entry.to - 1]
            ledger = self.ledger.gone_back(back.ledger)
            return replace(back, asked=entry.asked, before=entry.to, ledger=ledger)
        if not self.positions:
            return Position(self._empty, (), None, 0, 0, 0, Ledger())
        last, move = self.positions[-1], self.move + 1
        if not isinstance(entry, FactEntry):
            return replace(last, before=self.move)
        house, drawn = record.parts.get(HOUSE), draws(record)
        change = house.agenda if house else None
        return Position(
            table=replace(draft.live, agenda=()) if draft else kernel.fold(last.table, record.facts),
            agenda=(*last.agenda[: change.keep], *change.then) if change else last.agenda,
            asked=entry.asked or _still(last, entry),
            before=self.move,
            shown=move if shown(record, drawn) else last.shown,
            answered=move if isinstance(entry, Played) else last.answered,
            ledger=_counted(last.ledger, record, draft) if drawn or entry.keys else last.ledger,
        )

    def _note(self, record: Record) -> None:
        super()._note(record)
        entry = record.entry
        if isinstance(entry, FactEntry):
            self.rules, self.product = entry.rules or self.rules, entry.product or self.product


def _counted(ledger: Ledger, record: Record, draft: Draft | None) -> Ledger:
    """The ledger after a move that drew something or ended a period; most moves do neither."""
    if draft:
        return draft.ledger
    counted = ledger.fork()
    count(counted, record)
    return counted


def _still(last: Position, entry: Entry) -> Asked | None:
    """The question that stays open after an entry that puts none.

    None for a played entry: without a question it ended the game.
    """
    return last.asked if isinstance(entry, Seated) else None
