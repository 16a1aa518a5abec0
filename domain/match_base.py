"""A match without its tables: who sat down where, which moves went back, how it ended.

All of that stands in its *milestones*, the records that are not of the kind `PLAYED`; there are few of them
even in a long match.  `domain.history` knows the whole match, `domain.partial_match` only what one position
needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Collection
from operator import attrgetter
from typing import Any, NewType, TypeVar

from msgspec import Struct

from domain.chance import SCHEME, joined
from domain.events import (
    Asked,
    Closed,
    Entry,
    Frozen,
    Opened,
    Played,
    Released,
    Restated,
    SaltOpened,
    Seated,
    TakebackAsked,
    TakenBack,
)
from domain.folding import ALL_PARTS, NO_PART
from domain.game import Game
from domain.games import GAMES
from domain.imported import IMPORTED, UPLOADED
from domain.kernel import Result, Seat
from domain.log import Damaged, Record, codec
from domain.refusals import Sentence
from domain.signed_notes import Signed

ALL = "all"  # the viewer who sees everything, once the match is over
LIVE, BOTS, SOLO = "live", "bots", "solo"  # the pools of matches that were played here

Chair = NewType("Chair", Seat)
"""A seat as the place where a player sat down: it stands for this player, whatever seat they play later."""

E = TypeVar("E", bound=Entry)


class Request(Struct, frozen=True):
    """A takeback that waits for an answer: asked at move `move` by `seat`, back to the table after `to`."""

    move: int
    seat: Seat
    to: int


class _Jump(Struct, frozen=True):
    """Move `at` went back to the table after `to`; a stretch of play begins with it.

    `parent` is the index of the stretch that holds `to` (-1: that from the first move), `depth` the number of
    stretches above this one, and `skip` the index of one further above, so that far ones are reached in few
    steps (skew-binary jump pointers: E. Myers, An applicative random-access stack, 1983).
    """

    at: int
    to: int
    parent: int
    skip: int
    depth: int


_BEGINNING = _Jump(0, 0, -1, -1, 0)


class Outline(ABC):
    """What is known of a match before any fact is folded, and what it answers about a move.

    `move` is the number of the latest move.  `seats` says who sat down where, and never changes; `players`
    says who plays a seat now.  `audiences`: those whose private parts are in every record.  `proof`: who
    signed the file in which the log came, set by the caller that reads it from a store or puts it there;
    None if this house wrote the log.
    """

    proof: Signed | None = None

    def __init__(self, opened: Opened) -> None:
        if opened.game not in GAMES:
            raise Damaged(Sentence("game-not-known", {"game": repr(opened.game), "known": list(GAMES)}))
        self.game: Game = GAMES[opened.game]
        self.opened = opened
        self.move = 0
        self.seats: dict[Seat, Seated[Any] | None] = dict.fromkeys(self.game.seats)
        self.begun: int | None = None  # the move with which play began: the last seat's, or the last salt's
        self.closed: Closed | None = None
        self.incomplete = False  # was a position set from an imported record, not by the rules?
        self.frozen: Frozen | None = None  # the entry that froze it, until it is released
        self.has_bots = False  # does the house play a seat?
        self.audiences = frozenset(codec(self.game).audiences)
        self._salts: dict[Seat, str] = {}  # those that were opened
        self.salts = joined(dict.fromkeys(self.seats))  # as they enter every draw
        self._request: Request | None = None
        self._jumps: list[_Jump] = []

    @property
    def id(self) -> str:
        """The match's id."""
        return self.opened.match

    @property
    def status(self) -> str:
        """open (a seat is free), waiting (a salt is still to be opened), running or over."""
        if self.closed:
            return "over"
        if self.begun:
            return "running"
        return "waiting" if all(self.seats.values()) else "open"

    @property
    def result(self) -> Result | None:
        """How it ended; None while it runs, and if the result is void or unknown."""
        return self.closed.result if self.closed else None

    @property
    def request(self) -> Request | None:
        """The takeback that waits for an answer; a request lapses with the next move."""
        request = self._request
        return request if request and request.move == self.move else None

    @property
    def provable(self) -> bool:
        """Do the draws come from `rng/1`, not from a record?"""
        return self.opened.chance.scheme == SCHEME

    @property
    def uploaded(self) -> bool:
        """Did its log come as a file?"""
        return self.proof is not None

    @property
    def origin(self) -> str:
        """Where it comes from: what the log says, except that an uploaded log is "uploaded".

        Only an imported match stays "imported" after an upload: that claims less than "uploaded" does.
        """
        return UPLOADED if self.uploaded and not self.imported else self.opened.origin

    @property
    def pool(self) -> str:
        """The pool in which the match counts; see `pool_of`."""
        seated = [seat for seat in self.seats.values() if seat]
        return pool_of(self.origin, [seat.player for seat in seated], any(seat.bot for seat in seated))

    @property
    def claimed(self) -> bool:
        """Are its players' ids unproved: may they be other people than the players of this house?"""
        return self.proof is not None and (self.imported or not self.proof.by)

    @property
    def imported(self) -> bool:
        """Was it played elsewhere?  Then it stays unverified for ever (see `domain.imported`)."""
        return self.opened.origin == IMPORTED

    @property
    def private(self) -> bool:
        """Was it opened as a private match: not listed for others, not rated, not for data sets?

        Who knows its id may watch it.
        """
        return self.opened.private

    @property
    def house_seeded(self) -> bool:
        """Has no seat added a salt of its own to the draws?"""
        return not any(seated and (seated.salt or seated.salt_hash) for seated in self.seats.values())

    @property
    def unopened(self) -> tuple[Seat, ...]:
        """The seats that brought the hash of a salt and have not opened it."""
        hashed = (seat for seat, seated in self.seats.items() if seated and seated.salt_hash)
        return tuple(seat for seat in hashed if seat not in self._salts)

    @property
    def full_since(self) -> int | None:
        """When the last seat was taken, in microseconds UTC; None if one is free, or the time unknown."""
        moves = {seated.move: seated.at for seated in self.seats.values() if seated}
        return moves[max(moves)] if len(moves) == len(self.seats) else None

    @property
    def salt_marks(self) -> dict[Seat, str | None]:
        """How each seat gave its salt: "committed", "clear" or "none"; None if the seat is free."""
        return {seat: _salt_mark(seated) if seated else None for seat, seated in self.seats.items()}

    def _salt_of(self, seat: Seat) -> str | None:
        seated = self.seats[seat]
        return self._salts.get(seat, seated.salt if seated else None)

    # ── who plays ──

    @property
    def players(self) -> dict[Seat, Seated[Any] | None]:
        """Who plays each seat now."""
        return {seat: self.player_of(seat) for seat in self.seats}

    def player_of(self, seat: Seat, move: int | None = None) -> Seated[Any] | None:
        """Who plays `seat` after `move` (None: the latest)."""
        return self.seats[self.chair_of(seat, move)]

    def chair_of(self, seat: Seat, move: int | None = None) -> Chair:
        """The chair on which the player of `seat` after `move` (None: the latest) sat down."""
        return Chair(self._across(seat, move))

    def seat_of(self, chair: Chair, move: int | None = None) -> Seat:
        """The seat that the player who sat down on `chair` plays after `move` (None: the latest)."""
        return self._across(chair, move)

    def _across(self, place: str, move: int | None) -> str:
        """From seat to chair or back.  The table of the move decides, so a takeback undoes an exchange.

        A name that is not a seat (such as `ALL`) stays as it is.
        """
        at = self.move if move is None else move
        exchanged = at > 0 and self._exchanged_at(at)
        return self.game.across.get(place, place) if exchanged else place

    @abstractmethod
    def _exchanged_at(self, move: int) -> bool:
        """Do the players play each other's seat after `move`?"""

    def effective_viewer(self, viewer: Seat | None) -> Seat | None:
        """The viewer (a seat, None: a spectator, or ALL) whose view of this match `viewer` gets.

        In an imported match every viewer is a spectator, because what its record hid is not known here.
        """
        return None if self.imported else viewer

    # ── what stood after a move ──

    @property
    def asked(self) -> Asked | None:
        """The question that stands."""
        return self.asked_at(self.move) if self.status == "running" else None

    @abstractmethod
    def entry_at(self, move: int) -> Any:
        """The entry of `move`."""

    @abstractmethod
    def root_at(self, move: int) -> bytes:
        """The root over the first `move` moves."""

    @abstractmethod
    def asked_at(self, move: int) -> Asked | None:
        """The question that stood after `move`."""

    @abstractmethod
    def table_at(self, move: int, viewer: Seat | None) -> Any:
        """The table after `move`, as `viewer` saw it; without its agenda."""

    def stands(self, move: int) -> bool:
        """Does a move stand, or was it taken back?  Takes time logarithmic in the number of takebacks."""
        within, stretch = self._stretch(move), len(self._jumps) - 1
        if stretch == within:
            return move <= self.move
        while stretch > within and self._jumps[stretch].parent > within:
            jump = self._jumps[stretch]
            stretch = jump.skip if jump.skip > within else jump.parent
        jump = self._jumps[stretch]
        return stretch > within and jump.parent == within and move <= jump.to

    def line_to(self, move: int) -> list[range]:
        """The moves that led to the table after `move`, in order, without those taken back before it.

        Each further range follows a move that went back, which itself adds nothing to the table.
        """
        line, stretch = list[range](), self._stretch(move)
        while stretch >= 0:
            jump = self._jumps[stretch]
            line.append(range(jump.at + 1, move + 1))
            move, stretch = jump.to, jump.parent
        line.append(range(1, move + 1))
        return line[::-1]

    def _stretch(self, move: int) -> int:
        """The index of the last jump up to this move; -1: there is none."""
        return bisect_right(self._jumps, move, key=attrgetter("at")) - 1

    def _jumped(self, at: int, to: int) -> None:
        """Note that move `at` went back to the table after `to`."""
        parent = self._stretch(to)
        above = self._jumps[parent] if parent >= 0 else _BEGINNING
        beyond = self._jumps[above.skip] if above.skip >= 0 else _BEGINNING
        even = above.depth - beyond.depth == beyond.depth - self._depth(beyond.skip)
        skip = beyond.skip if even else parent
        self._jumps.append(_Jump(at, to, parent, skip, above.depth + 1))

    def _depth(self, stretch: int) -> int:
        return self._jumps[stretch].depth if stretch >= 0 else 0

    # ── reading milestones ──

    def _note(self, record: Record) -> None:
        """Note what a record says about the match; a play says nothing."""
        entry = record.entry
        if isinstance(entry, Played):  # as most, and a play says nothing
            pass
        elif isinstance(entry, Seated):
            self.seats[entry.seat] = entry
            self.has_bots = self.has_bots or bool(entry.bot)
            self._look_whether_it_begins(entry.move)
        elif isinstance(entry, SaltOpened):
            self._salts[entry.seat] = entry.salt
            self._look_whether_it_begins(entry.move)
        elif isinstance(entry, TakebackAsked):
            self._request = Request(entry.move, entry.seat, entry.to)
        elif isinstance(entry, TakenBack):
            self._jumped(entry.move, entry.to)
        elif isinstance(entry, Closed):
            self.closed = entry
        elif isinstance(entry, Restated):
            self.incomplete = True
        elif isinstance(entry, (Frozen, Released)):
            self.frozen = entry if isinstance(entry, Frozen) else None
        if len(record.audiences) < len(self.audiences):
            self.audiences &= frozenset(record.audiences)

    def _look_whether_it_begins(self, move: int) -> None:
        self.salts = joined({seat: self._salt_of(seat) for seat in self.seats})
        if all(self.seats.values()) and not self.unopened:
            self.begun = move


def pool_of(origin: str, players: Collection[str], has_bots: bool) -> str:
    """Return the pool of a match: matches of different pools are never counted together.

    "live" holds only live matches between different people; a live match with a seat of the house is in
    "bots", a match of one player on both seats in "solo", and every other in the pool of its origin.
    """
    if origin != LIVE:
        return origin
    if has_bots:
        return BOTS
    return LIVE if len(set(players)) == len(players) else SOLO


def _salt_mark(seated: Seated[Any]) -> str:
    if seated.salt_hash:
        return "committed"
    return "clear" if seated.salt else "none"


def parts_of(viewer: Seat | None, audiences: tuple[str, ...]) -> slice:
    """Which of the private parts of a record a viewer knows, if the record has them."""
    if viewer == ALL:
        return ALL_PARTS
    own = audiences.index(viewer) if viewer in audiences else None
    return NO_PART if own is None else slice(own, own + 1)


def expect(entry: Any, kind: type[E]) -> E:
    """The entry, which must be of this kind.  Raises Damaged if it is not."""
    if not isinstance(entry, kind):
        raise Damaged(Sentence("first-entry", {"entry": type(entry).__name__, "wanted": kind.__name__}))
    return entry
