"""What officials do to a match beside rulings, and the time that an opponent gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from api.gate.command_handler import Command, CommandHandler, CommandResult, Key, must_play
from domain.drafts import Context, Draft
from domain.events import BoardOf
from domain.kernel import Refused, Seat
from domain.match import Match


class Officials:
    """Sets and pauses the clocks of matches, and freezes matches.

    In a match of a tournament only those of its officials do so who may judge its board.

    Args:
        handler: carries the commands out.
        must_judge: refuses a person who may not judge a board of a tournament.
    """

    def __init__(
        self, handler: CommandHandler, must_judge: Callable[[BoardOf, str], Awaitable[None]]
    ) -> None:
        self._handler, self._must_judge = handler, must_judge

    async def must_be_official(self, match: str, person: str) -> None:
        """Check that a person may act on a match: in one of a tournament they need an office there.

        Raises:
            Refused: unknown-match, forbidden, interest.
        """
        board = (await self._handler.cached(match)).match.opened.tournament
        if board is not None:
            await self._must_judge(board, person)

    async def set_clock(
        self,
        match: str,
        by: str,
        seat: Seat,
        why: str = "",
        *,
        more: int | None = None,
        left: int | None = None,
        until: int | None = None,
        expect: int | None = None,
        key: Key | None = None,
    ) -> CommandResult:
        """An organizer sets the clock of a seat for a reason; without one, an opponent gives it time.

        Raises:
            Refused: unknown-match, foreign, key-reused, unavailable, and what `Match.set_clock` refuses.
        """

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            _must_not_play(own) if why else must_play(own)
            return stored.set_clock(context, seat, by, why, more=more, left=left, until=until, expect=expect)

        return await self._handler.command(Command("set_clock", match, judge, by, None, expect, key))

    async def pause(
        self,
        match: str,
        by: str,
        why: str,
        *,
        paused: bool,
        expect: int | None = None,
        key: Key | None = None,
    ) -> CommandResult:
        """An organizer pauses the clocks, or lets them run.  Raises Refused: see `Match.pause_clock`."""

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            _must_not_play(own)
            return stored.pause_clock(context, by, why, paused=paused, expect=expect)

        return await self._handler.command(Command("pause_clock", match, judge, by, None, expect, key))

    async def freeze(
        self,
        match: str,
        by: str,
        reason: str,
        *,
        frozen: bool,
        expect: int | None = None,
        key: Key | None = None,
    ) -> CommandResult:
        """An organizer freezes a match, or releases it.  Raises Refused: see `Match.freeze`."""

        def judge(stored: Match, context: Context, own: Seat | None) -> Draft:
            _must_not_play(own)
            return stored.freeze(context, by, reason, frozen=frozen, expect=expect)

        return await self._handler.command(Command("freeze", match, judge, by, None, expect, key))


def _must_not_play(own: Seat | None) -> None:
    """Check that an organizer does not play in the match.  Raises Refused: foreign."""
    if own is not None:
        raise Refused("foreign", "official-plays")
