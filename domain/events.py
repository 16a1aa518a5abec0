"""The entries of a log and their private parts, as data; `domain.log` says how they are written."""

from __future__ import annotations

from typing import Generic, TypeVar

from msgspec import Raw, Struct, field

from domain.chance import Drawn
from domain.clocks import Clock
from domain.game import OptionValue
from domain.kernel import AnyFact, Picks, Result, Seat

F = TypeVar("F", bound=AnyFact)


class Asked(Struct, frozen=True, gc=False, omit_defaults=True):
    """The question that stands: its name, and for each seat asked the number of the move that put it."""

    ask: str
    seats: dict[Seat, int]


class Key(Struct, frozen=True, gc=False):
    """The key of the open draws of a finished period."""

    period: int
    key: str


class Chance(Struct, frozen=True, omit_defaults=True):
    """Where the draws come from: `rng/1` with its commitment and first anchor, or "recorded"."""

    scheme: str
    commitment: str = ""
    anchor: str = ""


class Entry(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="kind"):
    """One stored event of a match; `at` is in microseconds UTC, None if the time is unknown."""

    move: int
    prev: str
    sealed: dict[str, str]
    at: int | None = None


class Branch(Struct, frozen=True):
    """From where a branch goes on: the table of `match` after `move`.

    `root` is the Merkle root over the first `move` moves of that match, base64.
    """

    match: str
    move: int
    root: str


class BoardOf(Struct, frozen=True):
    """Of which tournament a match is: in this round, on this board."""

    tournament: str
    round: int
    board: int


class Opened(Entry, frozen=True, kw_only=True, tag="opened"):
    """A match is opened; every option is written out.

    `branch`: only in a branch, which begins with the facts of another match (see `domain.branches`).
    `private`: no list shows the match to players who do not sit in it, and it counts on no scoreboard.
    `clock`: the terms of its clock (`domain.clocks`); empty if it has none.
    `tournament`: only in a match of a tournament.
    """

    match: str
    game: str
    edition: str
    options: dict[str, OptionValue]
    origin: str
    rules: str
    product: str
    chance: Chance
    opener: str | None = None
    branch: Branch | None = None
    private: bool = False
    clock: Clock = ()
    tournament: BoardOf | None = None


class FactEntry(Entry, Generic[F], frozen=True, kw_only=True):
    """An entry that brings facts: open draws, opened keys and the next question come with them.

    `rules` and `product` are given if they differ from those before; `anchor` if a new chain begins.
    """

    facts: tuple[F, ...] = ()
    draws: tuple[Drawn, ...] = ()
    keys: tuple[Key, ...] = ()
    anchor: str = ""
    asked: Asked | None = None
    rules: str = ""
    product: str = ""


class Seated(FactEntry[F], Generic[F], frozen=True, kw_only=True, tag="seated"):
    """A player sits down; the last one's entry brings the set-up, unless a salt is still to be opened.

    `salt`: in clear; or `salt_hash`: its hash (`domain.chance.salt_hash`, base64); the salt is opened later,
    when all seats are taken.
    `bot`: a program plays the seat: one of the house or, as "client", a player that is marked as a bot.
    `agent` is the version of the house's code ("" if it answers at random, or is not the house's).
    """

    seat: Seat
    player: str
    salt: str | None = None
    bot: str = ""
    salt_hash: str | None = None
    agent: str = ""


class SaltOpened(FactEntry[F], Generic[F], frozen=True, kw_only=True, tag="salt_opened"):
    """The salt behind the hash that `seat` brought; the last one's entry brings the set-up."""

    seat: Seat
    salt: str


class Played(FactEntry[F], Generic[F], frozen=True, kw_only=True, tag="played"):
    """One player action: the answer, every draw it led to, every fact, and what is asked next."""

    seat: Seat
    ask: str
    picks: Picks | None = None  # None: only the seat sees them


class Restated(FactEntry[F], Generic[F], frozen=True, kw_only=True, tag="restated"):
    """The position is set as the record of an imported match states it at `line`; no rule led there.

    The facts that follow from it by the rules, up to the next question, come with it.
    """

    line: int


class TakebackAsked(Entry, frozen=True, kw_only=True, tag="takeback_asked"):
    """`seat` asks to go back to the table after move `to`."""

    seat: Seat
    to: int


class TakebackAnswered(Entry, frozen=True, kw_only=True, tag="takeback_answered"):
    """`seat` answers the request made at move `request`."""

    seat: Seat
    request: int
    agree: bool


class TakenBack(Entry, frozen=True, kw_only=True, tag="taken_back"):
    """The table is again as it was after move `to`; `by` is "agreement" or "ruling"."""

    to: int
    by: str
    asked: Asked | None = None


class Resigned(Entry, frozen=True, kw_only=True, tag="resigned"):
    """`seat` gives up."""

    seat: Seat


class TimedOut(Entry, frozen=True, kw_only=True, tag="timed_out"):
    """The time of `seat` is up, as the house noted; the match is lost for it.

    `left`: what each seat with a clock had at that moment, in microseconds.  If the other seat had nothing
    left either, neither wins.
    """

    seat: Seat
    left: dict[Seat, int]


class ClockStopped(Entry, frozen=True, kw_only=True, tag="clock_stopped"):
    """The server was stopped between two times (microseconds UTC), so no clock ran then."""

    start: int = field(name="from")
    end: int = field(name="to")


class ClockSet(Entry, frozen=True, kw_only=True, tag="clock_set"):
    """The clock of `seat` is set: from now on it has `left`, in microseconds.

    `by`: an organizer, for the reason `why`; without a reason, the opponent, who gives time of the own will.
    `until`: only the date is set, to this time (microseconds UTC), and a bank stays as it is; `left` is what
    the seat has then.
    """

    seat: Seat
    left: int
    by: str
    why: str = ""
    until: int | None = None


class ClockPaused(Entry, frozen=True, kw_only=True, tag="clock_paused"):
    """An organizer pauses all clocks, for a reason; moves stay possible."""

    by: str
    why: str


class ClockResumed(Entry, frozen=True, kw_only=True, tag="clock_resumed"):
    """An organizer lets the clocks run again, for a reason."""

    by: str
    why: str


class Frozen(Entry, frozen=True, kw_only=True, tag="frozen"):
    """An organizer freezes the match, for a reason: until it is released, players can do nothing in it, and
    its clocks stand."""

    by: str
    reason: str


class Released(Entry, frozen=True, kw_only=True, tag="released"):
    """An organizer releases a frozen match, for a reason."""

    by: str
    reason: str


class Ruled(Entry, frozen=True, kw_only=True, tag="ruled"):
    """An organizer ruled, for a reason; exactly one of: back to a move, a result, or the match is void."""

    by: str
    reason: str
    back_to: int | None = None
    result: Result | None = None
    void: bool = False


class SecretOpened(Entry, frozen=True, kw_only=True, tag="secret_opened"):
    """The match is over: its secret, and with it every key and salt, is public."""

    secret: str


class Closed(Entry, frozen=True, kw_only=True, tag="closed"):
    """The match is over, `by` play, resignation, time, ruling, record or salt.

    `result` is None if void or unknown.  `unopened`: if `by` salt, the seats that did not open theirs, so
    that play never began.
    """

    by: str
    result: Result | None = None
    unopened: tuple[Seat, ...] = ()


BRING_FACTS = frozenset(str(kind.__struct_config__.tag) for kind in FactEntry.__subclasses__())
"""The kinds of entries that bring facts."""

KINDS = BRING_FACTS | {
    str(kind.__struct_config__.tag) for kind in Entry.__subclasses__() if kind is not FactEntry
}
"""The kinds of entries."""


class Agenda(Struct, frozen=True, gc=False):
    """A change of the agenda: keep the lowest `keep` steps, then put `then` on top."""

    keep: int
    then: tuple[Raw, ...]


class Part(Struct, Generic[F], frozen=True, gc=False, omit_defaults=True):
    """What one audience knows beyond the leaf: facts by place, secret picks and draws, the agenda."""

    facts: tuple[tuple[int, F], ...] = ()
    picks: Picks | None = None
    draws: tuple[Drawn, ...] = ()
    agenda: Agenda | None = None
