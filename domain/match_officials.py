"""The commands to a match that are not play: what the house notes of its clocks, and what officials do.

Officials and opponents give time, officials pause the clocks and freeze the match, and rule.
"""

from __future__ import annotations

from typing import Any

from domain.clocks import MOST_LEFT
from domain.drafts import Context, Draft, Drafting
from domain.events import (
    Asked,
    ClockPaused,
    ClockResumed,
    ClockSet,
    ClockStopped,
    Entry,
    Frozen,
    Released,
    Ruled,
    TakenBack,
    TimedOut,
)
from domain.judging import Judged, must_be_free
from domain.kernel import Refused, Result, Seat
from domain.match_clock import BY_TIME


class Officiated(Judged):
    """A match with the commands of the house, of officials, and of an opponent who gives time."""

    def time_out(self, context: Context) -> Draft:
        """The house notes that the time of a seat is up; the match is over and its secret opened.

        Which seat that is, follows from the log and the time of the command alone.

        Raises:
            Refused: not-running, over, time (no time is up).
        """
        self._must_run(context)
        out = None if context.now is None else self.run_out(context.now)
        if out is None:
            raise Refused("time", "time-left")
        draft = self._drafting(context)
        seat, left = self.timed_out(out)
        draft.add(TimedOut, seat=seat, left=left)
        draft.close(BY_TIME, self.result_of_time_out(seat, left, self.game.score(draft.live)))
        return draft.done()

    def stop_clock(self, context: Context, start: int, end: int) -> Draft:
        """The house notes that the server was stopped between two times, so that no clock ran then.

        Raises:
            Refused: not-running, over, time (no clock, or these are no such times).
        """
        self._must_run(context)
        must_be_free("time", self.clock_stop_refused(start, end, context.now or 0))
        draft = self._drafting(context)
        draft.add(ClockStopped, start=start, end=end)
        return draft.done()

    def set_clock(
        self,
        context: Context,
        seat: Seat,
        by: str,
        why: str = "",
        *,
        more: int | None = None,
        left: int | None = None,
        until: int | None = None,
        expect: int | None = None,
    ) -> Draft:
        """`by` sets the clock of a seat: so much `more` than it has, or exactly `left` (microseconds).

        Without a reason it is a gift of the opponent, who can only give more.  `until`: an organizer sets the
        date alone (microseconds UTC), and a bank stays as it is.  `expect`: see `rule`.

        Raises:
            Refused: not-running, over, time, stale, clock (no clock, date or seat, not exactly one of `more`,
                `left` and `until`, too little or too much, no gift of the opponent), frozen (a gift).
        """
        self._must_have_time(context)
        self._must_be_at(expect)
        if [more, left, until].count(None) != 2:
            raise Refused("clock", "not-one-time")
        if until is not None and seat in self.seats:
            left = self.left_until(seat, until, context.now or 0)
        if more is not None and seat in self.seats:
            left = min(self.left_of(seat, context.now or 0) + more, MOST_LEFT)
        if self.frozen and not why.strip():
            raise Refused("frozen", "match-frozen")
        draft = self._drafting(context)
        draft.add(ClockSet, seat=seat, left=left or 0, by=by, why=why, until=until)
        must_be_free("clock", self.clock_set_refused(draft.records[0].entry))
        return draft.done()

    def pause_clock(
        self, context: Context, by: str, why: str, *, paused: bool, expect: int | None = None
    ) -> Draft:
        """An organizer pauses all clocks, or lets them run again; `expect`: see `rule`.

        Raises:
            Refused: not-running, over, time, stale, clock (no clock, no reason, it is so already).
        """
        kind = ClockPaused if paused else ClockResumed
        return self._stand(context, "clock", kind, {"by": by, "why": why}, expect)

    def freeze(
        self, context: Context, by: str, reason: str, *, frozen: bool, expect: int | None = None
    ) -> Draft:
        """An organizer freezes the match, or releases it; `expect`: see `rule`.

        Raises:
            Refused: not-running, over, time, stale, freeze (no reason, it is so already).
        """
        kind = Frozen if frozen else Released
        return self._stand(context, "freeze", kind, {"by": by, "reason": reason}, expect)

    def _stand(
        self, context: Context, refusal: str, kind: type[Entry], fields: dict[str, Any], expect: int | None
    ) -> Draft:
        self._must_have_time(context)
        self._must_be_at(expect)
        draft = self._drafting(context)
        draft.add(kind, **fields)
        must_be_free(refusal, self.standing_refused(draft.records[0].entry))
        return draft.done()

    def rule(
        self,
        context: Context,
        by: str,
        reason: str,
        *,
        expect: int | None = None,
        back_to: int | None = None,
        result: Result | None = None,
        void: bool = False,
    ) -> Draft:
        """An organizer rules: exactly one of back to a move, a result, or void.

        `expect` is the latest move that the organizer has seen, if the caller gives it.

        Raises:
            Refused: over, stale, ruling (no reason, not exactly one ruling, no such move or seat).
        """
        self._must_not_be_over(context)
        self._must_be_at(expect)
        draft = self._drafting(context)
        draft.add(Ruled, by=by, reason=reason, back_to=back_to, result=result, void=void)
        must_be_free("ruling", self.ruling_refused(draft.records[0].entry))
        if back_to is not None:
            self._take_back(draft, back_to, "ruling")
        else:
            draft.close("ruling", result)
        return draft.done()

    def _take_back(self, draft: Drafting, to: int, by: str) -> None:
        back = self.positions[to - 1].asked
        assert back is not None, "a table of a running game asks a seat"
        asked = Asked(back.ask, dict.fromkeys(back.seats, draft.tree.size + 1))
        draft.add(TakenBack, to=to, by=by, asked=asked)
        draft.live = self.table_with_agenda(to)

    def _must_be_at(self, expect: int | None) -> None:
        """Check that the match is where an official saw it, if the official says so."""
        if expect is not None and expect != self.move:
            raise Refused("stale", "match-went-on", {"expect": expect, "last": self.move})
