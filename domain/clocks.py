"""Clocks: how much time the players of a match have, and what has become of it.

In this order: the terms, which stand in `opened` and never change; `ClockState`, what they give after one
entry, from the recorded times alone; and what a caller reads from it.

A *stretch* runs from the entry that asks a player until all questions to this player are answered.  The time
of a stretch is taken from the player's bank, and an answer that ends it earns the increment.  So a player who
answers in several small steps earns no more than one who answers at once.  While several players are asked,
each one's time runs.  A match that goes back changes no clock: the stretch that it breaks off earns nothing.
While the clocks are paused or the match is frozen, all clocks stand: no bank is less, and the date is later.

When a player's time is up, the player loses; or, if the terms say `report`, the player is *flagged* and the
match goes on.  A flag follows from the log and the time, like all the rest; no entry records it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.bounds import MOST
from domain.kernel import Refused
from domain.refusals import Sentence

SECOND = 1_000_000  # microseconds
DAY = 86_400 * SECOND  # always: no log depends on a table of time zones
MOST_DAYS = 365
MOST_SECONDS = MOST_DAYS * 86_400
MOST_INCREMENT = 7 * 86_400  # seconds
FARTHEST = 10 * MOST_DAYS * DAY  # microseconds from the opening to the date of `Until`
MOST_LEFT = MOST_SECONDS * SECOND  # microseconds to which a clock can be set

Seconds = Annotated[int, Meta(ge=1, le=MOST_SECONDS)]
Number = Annotated[int, Meta(ge=1, le=MOST_DAYS)]


class _Term(
    Struct, frozen=True, kw_only=True, tag_field="mode", omit_defaults=True, forbid_unknown_fields=True
):
    """One term of a clock.  A field that is not known is refused, because it could change how time runs.

    `time_up`: what it means that a player's time is up: the player loses, or it is only reported.
    """

    time_up: Literal["lose", "report"] = "lose"


class Bank(_Term, frozen=True, tag="bank"):
    """A time bank, in seconds: `main` at the beginning, and `increment` after each stretch.

    `cap`: so much a bank holds at most (None: a year).
    """

    main: Seconds
    increment: Annotated[int, Meta(ge=0, le=MOST_INCREMENT)] = 0
    cap: Seconds | None = None


class Days(_Term, frozen=True, tag="days"):
    """So many days for each stretch; `cap`: what is not used is saved, up to so many (None: nothing is).

    A day is 86,400 seconds, also when the clocks of a country change.
    """

    days: Number
    cap: Number | None = None


class Until(_Term, frozen=True, tag="until"):
    """The whole match by a date, in microseconds UTC: then a player who is asked has no time left."""

    until: Annotated[int, Meta(ge=0, le=MOST)]


Term = Bank | Days | Until
Clock = tuple[Term, ...]
"""The terms of a match: a bank or days, a date, or both in this order; empty: the match has no clock."""


class Budget(Struct, frozen=True):
    """A bank or days in microseconds: at the beginning, after each stretch, and at most."""

    main: int
    increment: int
    cap: int


def budget_of(clock: Clock) -> Budget | None:
    """Return what the bank or the days of a clock come to; None if it has neither."""
    for term in clock:
        if isinstance(term, Bank):
            cap = MOST_SECONDS if term.cap is None else term.cap
            return Budget(term.main * SECOND, term.increment * SECOND, cap * SECOND)
        if isinstance(term, Days):
            cap = term.days if term.cap is None else term.cap
            return Budget(term.days * DAY, term.days * DAY, cap * DAY)
    return None


def date_of(clock: Clock) -> int | None:
    """Return the date of a clock, in microseconds UTC; None if it has none."""
    return next((term.until for term in clock if isinstance(term, Until)), None)


def only_reports(clock: Clock) -> bool:
    """Does a player whose time is up play on, flagged?"""
    return any(term.time_up == "report" for term in clock)


def clock_refused(clock: Clock, at: int | None) -> Sentence | None:
    """Return why a match that is opened at `at` has no such clock; None if it may have it."""
    if not clock:
        return None
    if at is None:
        return Sentence("clock-without-time")
    if [isinstance(term, Until) for term in clock] not in ([False], [True], [False, True]):
        return Sentence("clock-terms")
    if len({term.time_up for term in clock}) > 1:
        return Sentence("clock-time-up")
    budget, date = budget_of(clock), date_of(clock)
    if budget is not None and budget.main > budget.cap:
        return Sentence("clock-cap")
    if date is not None and not at < date <= at + FARTHEST:
        return Sentence("clock-date", {"days": FARTHEST // DAY})
    return None


def settled(clock: Clock, now: int | None) -> Clock:
    """Return the terms of a match that is opened at `now`, in their order.

    Raises:
        Refused: bad-option; the terms do not go together, a cap is too small, the date is past or too far.
    """
    clock = tuple(sorted(clock, key=lambda term: isinstance(term, Until)))
    if reason := clock_refused(clock, now):
        raise Refused("bad-option", reason.id, reason.values)
    return clock


# ── what a clock shows after an entry ──
#
# A player is named by the place where they sat down (`domain.match_base.Chair`), so time stays with a player
# when two players change seats.


class ClockState(Struct, frozen=True, gc=False):
    """The clocks after one entry: `at` is its time, up to which all time is counted.

    `left`: the banks, by chair, in microseconds; empty if the clock has none.  Below 0: so much too late.
    `running`: the chairs that are asked.
    `stopped`: for so long the server was stopped or the clocks stood while the match ran; the date is so much
    later.  `later`: so much later, besides, it is for a chair whose clock was set.
    `paused`, `frozen`: an organizer paused the clocks, or froze the match; the clocks stand.
    `flagged`: since when the time of a chair is up, if that is only reported; until more time is given.
    """

    at: int
    left: Mapping[str, int]
    running: tuple[str, ...] = ()
    stopped: int = 0
    later: Mapping[str, int] = {}
    paused: bool = False
    frozen: bool = False
    flagged: Mapping[str, int] = {}

    @property
    def stands(self) -> bool:
        """Do all clocks stand, whoever is asked?"""
        return self.paused or self.frozen


def first_state(clock: Clock, chairs: Collection[str], at: int) -> ClockState:
    """Return the clocks of a match that was just opened: none runs."""
    budget = budget_of(clock)
    return ClockState(at, dict.fromkeys(chairs, budget.main) if budget else {})


def counted(state: ClockState, at: int, stopped: int = 0) -> ClockState:
    """Return the clocks at a later time; for `stopped` microseconds before it, the server was stopped."""
    stopped = at - state.at if state.stands else stopped
    spent = at - state.at - stopped
    left = {chair: rest - spent if chair in state.running else rest for chair, rest in state.left.items()}
    return replace(state, at=at, left=left, stopped=state.stopped + stopped)


def with_left(clock: Clock, state: ClockState, chair: str, left: int) -> ClockState:
    """Return the clocks when a chair has so much left from now on; other chairs keep what they have.

    A bank holds exactly this, even above its cap.  The date moves if it is earlier or there is no bank.
    """
    date, later = date_of(clock), dict(state.later)
    if date is not None:
        moved = state.at + left - date - state.stopped
        later[chair] = max(later.get(chair, 0), moved) if state.left else moved
    return replace(state, left={**state.left, chair: left} if state.left else state.left, later=later)


def with_date(clock: Clock, state: ClockState, chair: str, until: int) -> ClockState:
    """Return the clocks when the date of a chair is `until` from now on; its bank stays as it is.

    A clock without a date stays as it is.
    """
    date = date_of(clock)
    if date is None:
        return state
    return replace(state, later={**state.later, chair: until - date - state.stopped})


def date_for(clock: Clock, state: ClockState, chair: str) -> int | None:
    """Return the date of a chair (microseconds UTC); None if the clock has none.  Later stops move it."""
    date = date_of(clock)
    return None if date is None else date + state.stopped + state.later.get(chair, 0)


def asked_now(clock: Clock, state: ClockState, chairs: Collection[str], *, earned: bool) -> ClockState:
    """Return the clocks when these chairs are asked from now on.

    `earned`: did an answer end the stretches of those that are not asked any more?  What a chair was late is
    not taken from what it earns.
    """
    budget, left = budget_of(clock), dict(state.left)
    for chair in state.running:
        if earned and budget is not None and chair not in chairs:
            left[chair] = max(left[chair], min(max(left[chair], 0) + budget.increment, budget.cap))
    return replace(state, left=left, running=tuple(sorted(chairs)))


def rest_of(clock: Clock, state: ClockState, chair: str) -> int:
    """Return what a chair has left at the time of the state if it is asked then; below 0 if it is late."""
    date, rests = date_for(clock, state, chair), [state.left[chair]] if state.left else []
    if date is not None:
        rests.append(date - state.at)
    return min(rests)


def dues(clock: Clock, state: ClockState) -> dict[str, int]:
    """Return when the time of each running chair is up, in microseconds UTC; empty while the clocks stand."""
    if state.stands:
        return {}
    return {chair: state.at + rest_of(clock, state, chair) for chair in state.running}


def left_at(clock: Clock, state: ClockState, at: int) -> dict[str, int]:
    """Return the time that each chair with a bank, or that is asked, has left at a time: never below 0."""
    spent = 0 if state.stands else at - state.at
    left = {chair: max(rest, 0) for chair, rest in state.left.items()}
    return left | {chair: max(rest_of(clock, state, chair) - spent, 0) for chair in state.running}


class RunOut(Struct, frozen=True):
    """The time of a chair is up since `due`; `left` is what each chair had then."""

    chair: str
    due: int
    left: Mapping[str, int]


def run_out(clock: Clock, state: ClockState, now: int) -> RunOut | None:
    """Return which time was up first, None if none is at `now`, or it is only reported; of two at once, the
    first by name."""
    if only_reports(clock):
        return None
    found = [(due, chair) for chair, due in dues(clock, state).items() if due <= now]
    if not found:
        return None
    due, chair = min(found)
    return RunOut(chair, due, left_at(clock, state, due))


def flags_at(clock: Clock, state: ClockState, now: int) -> dict[str, int]:
    """Return since when (microseconds UTC) the time of each flagged chair is up, as it is at `now`."""
    if not only_reports(clock):
        return {}
    fallen = {chair: due for chair, due in dues(clock, state).items() if due <= now}
    return {**fallen, **state.flagged}


def without_flag(clock: Clock, state: ClockState, chair: str) -> ClockState:
    """Return the clocks after those of a chair were set: its flag is lifted if it has time again."""
    if rest_of(clock, state, chair) <= 0:
        return state
    return replace(state, flagged={name: since for name, since in state.flagged.items() if name != chair})
