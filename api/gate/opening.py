"""A new match, before it is stored: of a game of the house, with its edition and options settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.gate.refusals import Denied
from domain.drafting import Context
from domain.game import BadOption, Game, Options
from domain.games import GAMES
from domain.match import Match, open_match


def new_match(
    context: Context,
    game: str,
    edition: str | None,
    options: Mapping[str, Any],
    *,
    match: str,
    origin: str,
    opener: str | None,
    recorded: bool,
) -> Match:
    """The match after its first move; see `domain.match.open_match`.

    Raises:
        Denied: unknown-game, bad-option.
    """
    known, (chosen, complete) = _settled(game, edition, options)
    draft = open_match(
        context, known, chosen, complete, match=match, origin=origin, opener=opener, recorded=recorded
    )
    opened = Match.project(None, draft.records)
    assert opened is not None, "a draft holds records"
    return opened


def _settled(name: str, edition: str | None, options: Mapping[str, Any]) -> tuple[Game, tuple[str, Options]]:
    if name not in GAMES:
        raise Denied("unknown-game", f"there is no game {name!r}; there are {', '.join(GAMES)}")
    try:
        return GAMES[name], GAMES[name].settle(edition, options)
    except BadOption as error:
        raise Denied("bad-option", str(error)) from error
