"""What every command to a match checks: play has begun, is not over or frozen, and no time is up.

`domain.match` and `domain.match_officials` hold the commands.
"""

from __future__ import annotations

from domain.clocks import SECOND
from domain.drafts import Context, Drafting
from domain.history import History
from domain.kernel import Refused, Seat
from domain.match_base import Chair
from domain.match_clock import BY_TIME
from domain.refusals import Sentence


class Judged(History):
    """A match that judges commands; a command returns a draft, and changes nothing."""

    def _drafting(self, context: Context) -> Drafting:
        return Drafting(
            context,
            self.game,
            self.id,
            tree=self.tree.copy(),
            ledger=self.ledger.fork(),
            live=self.live,
            asked=self.positions[-1].asked,
            provable=self.provable,
            rules=self.rules,
            product=self.product,
        )

    def _must_not_be_over(self, context: Context) -> None:
        if self.closed and self.closed.by == BY_TIME:
            entry, clock = self.records[-3].entry, self.positions[-3].clock
            raise time_is_up(entry.seat, clock.at if clock else 0, context.now)
        if self.closed:
            raise Refused("over", "match-over")

    def _must_have_time(self, context: Context) -> None:
        """Check that play has begun and is not over, and that no seat's time is up."""
        self._must_run(context)
        out = None if context.now is None else self.run_out(context.now)
        if out is not None:
            raise time_is_up(self.seat_of(Chair(out.chair)), out.due, context.now)

    def _must_be_playable(self, context: Context) -> None:
        """Check that the players may act: play goes on, no seat's time is up, and nothing is frozen."""
        self._must_have_time(context)
        if self.frozen:
            raise Refused("frozen", "match-frozen")

    def _must_run(self, context: Context) -> None:
        """Check that play has begun and is not over."""
        self._must_not_be_over(context)
        if self.status == "open":
            free = [seat for seat, seated in self.seats.items() if not seated]
            raise Refused("not-running", "seats-free", {"free": free})
        if self.status == "waiting":
            raise Refused("not-running", "waits-for-salt", {"seats": self.unopened})


def must_be_free(kind: str, refusal: Sentence | None) -> None:
    """Raises Refused, of this kind, if there is a reason to refuse."""
    if refusal is not None:
        raise Refused(kind, refusal.id, refusal.values)


def time_is_up(seat: Seat, due: int, now: int | None) -> Refused:
    """The refusal of what comes at `now`, after the time of a seat was up at `due` (microseconds UTC)."""
    late = (due if now is None else max(now, due)) - due
    seconds = f"{late // SECOND}.{late % SECOND // 1_000:03d}"
    return Refused("time", "time-is-up", {"seat": seat, "seconds": seconds})
