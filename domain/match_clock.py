"""The clocks of a match, as its log describes them: what they show after a move, and what may be noted.

Commands and verification ask the same questions here.  `domain.clocks` holds what clocks give; this module
knows which entries move them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from domain.clocks import (
    DAY,
    MOST_LEFT,
    Clock,
    ClockState,
    RunOut,
    asked_now,
    counted,
    date_for,
    date_of,
    dues,
    first_state,
    flags_at,
    only_reports,
    rest_of,
    run_out,
    with_date,
    with_left,
    without_flag,
)
from domain.events import (
    Asked,
    ClockPaused,
    ClockResumed,
    ClockSet,
    ClockStopped,
    Closed,
    Entry,
    Frozen,
    Played,
    Released,
    Resigned,
    SecretOpened,
    TimedOut,
)
from domain.kernel import Result, Seat
from domain.match_base import Chair, Outline
from domain.refusals import Sentence

BY_TIME = "time"  # how a match closes when the time of a seat is up, and the reason of its result

_ENDS = (Resigned, TimedOut, SecretOpened, Closed)


class Timed(Outline):
    """A match with what its clocks say; it has none if its terms are empty."""

    @abstractmethod
    def clock_at(self, move: int) -> ClockState | None:
        """The clocks after `move`, by chair; None if the match has none."""

    @property
    def clock(self) -> ClockState | None:
        """The clocks after the latest move, by chair; None if the match has none, or no move."""
        return self.clock_at(self.move) if self.move else None

    def run_out(self, now: int) -> RunOut | None:
        """Who loses because their time is up at `now` (microseconds UTC), by this log; None if none does.

        The chair is one of `seats`; `seat_of` names the seat that its player plays.
        """
        state = None if self.closed else self.clock
        return None if state is None else run_out(self.opened.clock, state, now)

    def flagged(self, now: int) -> dict[Seat, int]:
        """Since when (microseconds UTC) the time of each flagged seat is up at `now`; none if it is over."""
        state = None if self.closed else self.clock
        found = {} if state is None else flags_at(self.opened.clock, state, now)
        return {self.seat_of(Chair(chair)): since for chair, since in found.items()}

    @property
    def clocks_seen(self) -> int:
        """Up to when the log accounts for time (microseconds UTC): a stop begins at or after it."""
        entry = self.entry_at(self.move)
        return int(entry.end if isinstance(entry, ClockStopped) else entry.at or 0)

    def timed_out(self, out: RunOut) -> tuple[Seat, dict[Seat, int]]:
        """The seat whose time is up, and what each seat had left then."""
        left = {self.seat_of(Chair(chair)): rest for chair, rest in out.left.items()}
        return self.seat_of(Chair(out.chair)), left

    def result_of_time_out(self, seat: Seat, left: Mapping[Seat, int], score: dict[Seat, int]) -> Result:
        """The result when the time of `seat` is up: the other seat wins, unless its time is up, too."""
        other = next(name for name in self.seats if name != seat)
        return Result(None if left.get(other) == 0 else other, BY_TIME, score)

    def left_of(self, seat: Seat, now: int) -> int:
        """What a seat has left at `now` (microseconds); 0 if its time is up, or the match has no clock."""
        state = self.clock
        if state is None:
            return 0
        later = counted(state, max(now, state.at))
        return max(rest_of(self.opened.clock, later, self.chair_of(seat)), 0)

    def date_of(self, seat: Seat, now: int) -> int | None:
        """The date of a seat as it is at `now` (microseconds UTC); None if the match has none."""
        state = self.clock
        if state is None:
            return None
        return date_for(self.opened.clock, counted(state, max(now, state.at)), self.chair_of(seat))

    def left_until(self, seat: Seat, until: int, now: int) -> int:
        """What a seat would have left at `now` if its date were `until`; 0 if the match has no clock."""
        state = self.clock
        if state is None:
            return 0
        terms, chair = self.opened.clock, self.chair_of(seat)
        return rest_of(terms, with_date(terms, counted(state, max(now, state.at)), chair, until), chair)

    def stretches(self) -> dict[Seat, tuple[int, int | None]]:
        """For each seat that is asked: the move with which its stretch began, and when its time is up.

        The time is None while the clocks stand.
        """
        state = self.clock
        if state is None or self.closed:
            return {}
        due = dues(self.opened.clock, state)
        return {
            self.seat_of(Chair(chair)): (self._stretch_began(chair), due.get(chair))
            for chair in state.running
        }

    def _stretch_began(self, chair: str) -> int:
        move = self.move
        while move > 1 and (before := self.clock_at(move - 1)) is not None and chair in before.running:
            move -= 1
        return move

    # ── why a match refuses an entry about its clocks ──

    def clock_stop_refused(self, start: int, end: int, now: int) -> Sentence | None:
        """Why no clock of this match stood between two times; None if the house may say so at `now`."""
        if not self.opened.clock:
            return Sentence("no-clock")
        if not self.clocks_seen <= start < end <= now:
            return Sentence("clock-stop-times")
        return None

    def clock_set_refused(self, entry: ClockSet) -> Sentence | None:
        """Why a clock cannot be set so; None if it may be: by an organizer with a reason, or as a gift."""
        if not self.opened.clock:
            return Sentence("no-clock")
        if entry.seat not in self.seats:
            return Sentence("not-a-seat", {"seat": repr(entry.seat)})
        if entry.until is not None and (reason := self._date_refused(entry, entry.until)):
            return reason
        if not 1 <= entry.left <= MOST_LEFT:
            return Sentence("clock-left", {"most": MOST_LEFT})
        return None if entry.why.strip() else self._gift_refused(entry)

    def _date_refused(self, entry: ClockSet, until: int) -> Sentence | None:
        """Why an organizer cannot set the date so, or why `left` is not what the seat has then."""
        now = entry.at or 0
        if date_of(self.opened.clock) is None:
            return Sentence("clock-without-date")
        if not entry.why.strip():
            return Sentence("without-reason")
        if not now < until <= now + MOST_LEFT:
            return Sentence("clock-until", {"days": MOST_LEFT // DAY})
        return None if entry.left == self.left_until(entry.seat, until, now) else Sentence("clock-left-then")

    def _gift_refused(self, entry: ClockSet) -> Sentence | None:
        """Why time without a reason is no gift: the other seat's player gives it, and takes none away."""
        if self.frozen:
            return Sentence("match-frozen")
        others = (seated for seat, seated in self.players.items() if seat != entry.seat)
        if not any(seated and seated.player == entry.by and not seated.bot for seated in others):
            return Sentence("clock-without-reason")
        return Sentence("gift-takes") if entry.left <= self.left_of(entry.seat, entry.at or 0) else None

    def standing_refused(self, entry: ClockPaused | ClockResumed | Frozen | Released) -> Sentence | None:
        """Why the clocks cannot be paused or resumed, or the match frozen or released; None if they can."""
        if isinstance(entry, (Frozen, Released)):
            before, reason = self.frozen is not None, entry.reason
            now, sentences = isinstance(entry, Frozen), ("frozen-already", "not-frozen")
        elif self.clock is None:
            return Sentence("no-clock")
        else:
            before, reason = self.clock.paused, entry.why
            now, sentences = isinstance(entry, ClockPaused), ("clock-paused-already", "clock-not-paused")
        if before == now:
            return Sentence(sentences[0 if now else 1])
        return None if reason.strip() else Sentence("without-reason")


def clock_after(
    terms: Clock,
    before: ClockState | None,
    entry: Entry,
    asked: Asked | None,
    across: Mapping[Seat, Seat],
    seats: Collection[Seat],
) -> ClockState:
    """Return the clocks after an entry; an unknown time counts as none.

    Args:
        terms: of the match.
        before: the clocks before it; None: this entry opens the match.
        entry: what happens.
        asked: the question that stands after it.
        across: the other seat of each, if the players play each other's after it, else empty.
        seats: of the match.
    """
    if before is None:
        return first_state(terms, seats, entry.at or 0)
    stopped = entry.end - entry.start if isinstance(entry, ClockStopped) else 0
    out = run_out(terms, before, entry.at or 0) if isinstance(entry, TimedOut) else None
    at = out.due if out else before.at if entry.at is None else entry.at
    state = counted(before, at, stopped)
    if only_reports(terms) and not stopped:  # the next stop may give back the time of this one
        state = replace(state, flagged=flags_at(terms, before, at))
    if isinstance(entry, ClockSet):
        chair = across.get(entry.seat, entry.seat)
        if entry.until is None:
            state = with_left(terms, state, chair, entry.left)
        else:
            state = with_date(terms, state, chair, entry.until)
        state = without_flag(terms, state, chair)
    named = asked.seats if asked and not isinstance(entry, _ENDS) else ()
    chairs = {across.get(seat, seat) for seat in named}
    return replace(asked_now(terms, state, chairs, earned=isinstance(entry, Played)), **_flags(entry))


def _flags(entry: Any) -> dict[str, bool]:
    """What an entry says about clocks that stand."""
    if isinstance(entry, (ClockPaused, ClockResumed)):
        return {"paused": isinstance(entry, ClockPaused)}
    if isinstance(entry, (Frozen, Released)):
        return {"frozen": isinstance(entry, Frozen)}
    return {}
