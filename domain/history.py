"""A match as its log tells it: what each entry does, and what can be read at any move.

The table after every move is kept (they share their parts), so that a view of any move, for any viewer,
costs the same.  What may be said to a match is in `domain.match`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NewType, Self, TypeVar

from msgspec import Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.chance import SCHEME, Ledger, joined
from domain.drawn import count, count_draws, shown
from domain.entries import Asked, Closed, Entry, Opened, Seated, TakebackAsked, TakenBack, Told
from domain.folding import NO_PART, fold_on
from domain.game import Game
from domain.games import GAMES
from domain.imported import IMPORTED
from domain.kernel import Fact, Picks, Prompt, Result, Seat, Table
from domain.log import HOUSE, Damaged, Record, codec
from domain.merkle import Tree

ALL = "all"  # the viewer who sees everything, once the match is over

Chair = NewType("Chair", Seat)
"""A seat as the place where somebody sat down: it stands for this player, whatever seat he plays later."""

E = TypeVar("E", bound=Entry)


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


class Request(Struct, frozen=True):
    """A takeback that waits for an answer: asked at move `move` by `seat`, back to the table after `to`."""

    move: int
    seat: Seat
    to: int


class History:
    """One match, as its log tells it.

    `seats` says who sat down where, and never changes; who plays a seat now is for `players` to say.
    `audiences`: those whose private parts are in every record.
    """

    def __init__(self, opened: Opened) -> None:
        if opened.game not in GAMES:
            raise Damaged(f"unknown game {opened.game!r}; this version knows: {', '.join(GAMES)}")
        self.game: Game = GAMES[opened.game]
        self.opened = opened
        self.seats: dict[Seat, Seated[Any] | None] = dict.fromkeys(self.game.seats)
        self.records: list[Record] = []
        self.roots: list[bytes] = []
        self.positions: list[Position] = []
        self.request: Request | None = None
        self.closed: Closed | None = None
        self.ledger = Ledger(1, {}, {})
        self.rules, self.product = opened.rules, opened.product
        self.tree = Tree()
        self.audiences = frozenset(codec(self.game).audiences)
        self._views: dict[Seat | None, list[Table]] = {}
        self._live: Table | None = None
        self._jumps: list[tuple[int, int]] = []
        self._resting = False

    # ── reading ──

    @property
    def id(self) -> str:
        """The match's id."""
        return self.opened.match

    @property
    def move(self) -> int:
        """The number of the latest move."""
        return len(self.records)

    @property
    def status(self) -> str:
        """open (a seat is free), running or over."""
        if self.closed:
            return "over"
        return "running" if all(self.seats.values()) else "open"

    @property
    def result(self) -> Result | None:
        """How it ended; None while it runs, and where it is void or unknown."""
        return self.closed.result if self.closed else None

    @property
    def provable(self) -> bool:
        """Do the draws come from `rng/1`, not from a record?"""
        return self.opened.chance.scheme == SCHEME

    @property
    def imported(self) -> bool:
        """Was it played elsewhere, and is here for ever unverified (see `domain.imported`)?"""
        return self.opened.origin == IMPORTED

    @property
    def house_seeded(self) -> bool:
        """Has no seat added a salt of its own to the draws?"""
        return not any(seated and seated.salt for seated in self.seats.values())

    @property
    def salts(self) -> str:
        """The seats' salts as they enter every draw."""
        return joined({seat: seated.salt if seated else None for seat, seated in self.seats.items()})

    @property
    def players(self) -> dict[Seat, Seated[Any] | None]:
        """Who plays each seat now."""
        return {seat: self.player_of(seat) for seat in self.seats}

    def player_of(self, seat: Seat, move: int | None = None) -> Seated[Any] | None:
        """Who plays `seat` after `move` (None: the latest)."""
        return self.seats[self.chair_of(seat, move)]

    def chair_of(self, seat: Seat, move: int | None = None) -> Chair:
        """Where the player of `seat` after `move` (None: the latest) sat down."""
        return Chair(self._across(seat, move))

    def seat_of(self, chair: Chair, move: int | None = None) -> Seat:
        """What the player who sat down on `chair` plays after `move` (None: the latest)."""
        return self._across(chair, move)

    def _across(self, place: str, move: int | None) -> str:
        """From seat to chair or back.  The table of the move decides, so going back undoes an exchange.

        What is no seat (`ALL`, a name that nobody knows) stays what it is.
        """
        at = self.move if move is None else move
        exchanged = at > 0 and self.positions[at - 1].table.exchanged
        return self.game.across.get(place, place) if exchanged else place

    @property
    def live(self) -> Any:
        """The table now, of the game's own class, its agenda included."""
        if self._live is None:
            self._live = self.table_with_agenda(self.move)
        return self._live

    @property
    def asked(self) -> Asked | None:
        """The question that stands."""
        return self.positions[-1].asked if self.status == "running" else None

    def prompt(self, seat: Seat) -> tuple[int, Prompt] | None:
        """The move that put the question to `seat`, and the question; None when it is not asked."""
        asked = self.asked
        question = kernel.prompt(self.live, seat) if asked and seat in asked.seats else None
        return (asked.seats[seat], question) if asked and question else None

    def told_as(self, viewer: Seat | None) -> Seat | None:
        """As whom `viewer` (a seat, None: a spectator, ALL) is told this match.

        Of an imported match everybody is told what a spectator is: what its record hid, nobody here knows.
        """
        return None if self.imported else viewer

    def facts_for(self, record: Record, viewer: Seat | None) -> tuple[Fact, ...]:
        """The facts of a move, as `viewer` was told them."""
        viewer = self.told_as(viewer)
        return record.facts if viewer == ALL else record.facts_for(viewer)

    def picks_for(self, record: Record, viewer: Seat | None) -> Picks | None:
        """The answer of a played move, as `viewer` was told it; None where it was secret."""
        picks: Picks | None = record.entry.picks
        return record.picks if self.told_as(viewer) in (record.entry.seat, ALL) else picks

    def table_at(self, move: int, viewer: Seat | None) -> Any:
        """The table after `move`, as `viewer` was told it; no agenda."""
        viewer = self.told_as(viewer)
        if viewer == ALL:
            return self.positions[move - 1].table
        tables = self._views.setdefault(viewer, [])
        known, audiences = len(tables), self.records[0].audiences
        own = audiences.index(viewer) if viewer in audiences else None
        stored = (record.stored for record in self.records[known:move])
        fold_on(self.game, tables, stored, NO_PART if own is None else slice(own, own + 1))
        return tables[move - 1]

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

    def stands(self, move: int) -> bool:
        """Does a move stand, or was it taken back?  It costs what the takebacks do, however long the log."""
        latest = self.move
        for at, to in reversed(self._jumps):
            if move >= at:
                return move <= latest
            if at <= latest:
                latest = to
        return move <= latest

    @property
    def _empty(self) -> Table:
        return self.game.table(self.opened.edition, self.opened.options)

    # ── folding the log ──

    @classmethod
    def project(cls, match: Self | None, records: Iterable[Record]) -> Self | None:
        """The match after `records`: the projector that the event store's repository calls."""
        for record in records:
            if match is None:
                match = cls(_expect(record.entry, Opened))
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
        self._live = live
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
        entry = record.entry
        if isinstance(entry, Told):
            count(self.ledger, record)
            self.rules, self.product = entry.rules or self.rules, entry.product or self.product
        if isinstance(entry, Seated):
            self.seats[entry.seat] = entry
        elif isinstance(entry, TakebackAsked):
            self.request = Request(entry.move, entry.seat, entry.to)
        elif isinstance(entry, Closed):
            self.closed = entry
        elif isinstance(entry, TakenBack):
            self._jumps.append((entry.move, entry.to))
            self.ledger = self._recount()
        if not isinstance(entry, (TakebackAsked, Seated, Opened)):
            self.request = None
        if len(record.audiences) < len(self.audiences):
            self.audiences &= frozenset(record.audiences)

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


def _expect(entry: Any, kind: type[E]) -> E:
    if not isinstance(entry, kind):
        raise Damaged(f"the first entry is {type(entry).__name__}, not {kind.__name__}")
    return entry
