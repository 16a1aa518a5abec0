"""What the gate refuses: the refusal itself, and a bounded record of the latest ones.

The record is kept in memory, outside the command path.  Nobody's picks and no word of a refusal about them
enter it: whoever reads it learns nothing of a hidden card.
"""

from __future__ import annotations

from collections import Counter, deque

from msgspec import Struct

from domain.kernel import Fault, Prompt, Seat
from domain.match_base import Chair

UNTOLD = ("unavailable", "in-doubt")  # kinds that say nothing of the match: the store did not do its part


class Denied(Exception):
    """A command that the gate refuses; nothing has changed, or (in-doubt) nobody can say so.

    `kind` is a stable name: those of `domain.drafts.Refused`, and unknown-match, unknown-game, bad-option,
    unknown-bot, foreign, key-reused, conflict, exists, not-signed-here, not-uploaded,
    withdrawn, bad-file, unavailable, in-doubt, limit.
    `legal` is told only to the asked seat, which it names, and so is `fault`, what is wrong with its answer.
    `expect` is the move that the command expected.
    `seat` is the one for which it was said, `chair` where its player sat down.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        rule: str = "",
        legal: Prompt | None = None,
        match: str | None = None,
        seat: Seat | None = None,
        chair: Chair | None = None,
        expect: int | None = None,
        fault: Fault | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.rule, self.legal = kind, detail, rule, legal
        self.match, self.seat, self.chair, self.expect = match, seat, chair, expect
        self.fault = fault


class Refusal(Struct, frozen=True):
    """One refused command, as it is kept: `at` in microseconds UTC, `move` the latest move at that time."""

    at: int | None
    kind: str
    command: str
    match: str | None
    player: str | None
    seat: Seat | None
    move: int | None


class Refusals:
    """The latest refusals, and how many of each kind there were.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._kept: deque[Refusal] = deque(maxlen=most)
        self.counts: Counter[str] = Counter()

    def keep(self, refusal: Refusal) -> None:
        """Keep one; the oldest may leave."""
        self._kept.append(refusal)
        self.counts[refusal.kind] += 1

    def latest(self, limit: int, match: str | None = None) -> list[Refusal]:
        """The latest `limit` refusals (of one match), the newest first."""
        found: list[Refusal] = []
        for refusal in reversed(self._kept):
            if len(found) == limit:
                break
            if match is None or refusal.match == match:
                found.append(refusal)
        return found
