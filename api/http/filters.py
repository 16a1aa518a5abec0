"""The filters of the lists: what each may be.

What it cannot be is refused with what there is: nobody is to take a typing error for an empty list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query

from api.bots import house, player_of
from api.http.edge import Call
from api.http.problems import Failed
from domain.bounds import MOST
from domain.games import GAMES
from domain.imported import IMPORTED, UPLOADED
from projections import read
from projections.boards import SOLO
from projections.model import BOTS, LIVE
from projections.read import Asked, HistoryFilter

SEEDED, SCRIPTED = "seeded", "scripted"  # of matches that the command line plays
ORIGINS = (LIVE, BOTS, SEEDED, SCRIPTED, UPLOADED, IMPORTED)
POOLS = (*ORIGINS, SOLO)


def _of(words: Sequence[str], about: str) -> Any:
    """A query parameter that is one of these words, or left out."""
    return Query(max_length=64, description=about, json_schema_extra={"enum": [*words, None]})


OneGame = Annotated[str | None, Query(max_length=64, description="A game's name; left out: of all games.")]
Edition = Annotated[str | None, Query(max_length=64, description="An edition of that game, or of any.")]
Player = Annotated[str | None, Query(max_length=64, description="A player's id: he sits in the match.")]
Status = Annotated[str | None, _of(read.STATUSES, "How far the match is.")]
Outcome = Annotated[str | None, _of(read.OUTCOMES, "How it ended for the player; running: not yet.")]
Origin = Annotated[
    str | None,
    _of(
        ORIGINS,
        "Played here with people (live), by bots alone (bots), from a seed (seeded) or from a script"
        " (scripted); sent as a match file (uploaded); or told by a record from elsewhere (imported).",
    ),
]
Pool = Annotated[
    str | None,
    _of(
        POOLS,
        "The matches of one origin, or live ones that somebody played against himself (solo); left out: live,"
        " the only one that is rated.",
    ),
]
Since = Annotated[
    int | None, Query(ge=0, le=MOST, description="Opened at this time or later, in microseconds UTC.")
]
Until = Annotated[int | None, Query(ge=0, le=MOST, description="Opened before, in microseconds UTC.")]
Day = Annotated[str | None, Query(pattern=r"^\d{4}-\d{2}-\d{2}$", description="Opened on this day, UTC.")]
Rows = Annotated[int, Query(ge=1, le=read.MOST, description="Rows on a page.")]
Cursor = Annotated[str | None, Query(max_length=400, description="The `next` of another page.")]


def must_be_known(game: str | None, edition: str | None, origin: str | None, pool: str | None = None) -> None:
    """Raises Failed: invalid, where one of these is none that there is."""
    _one_of("game", game, list(GAMES))
    games = [GAMES[game]] if game else list(GAMES.values())
    _one_of("edition", edition, list(dict.fromkeys(name for one in games for name in one.editions)))
    _one_of("origin", origin, ORIGINS)
    _one_of("pool", pool, POOLS)


def must_be_in_order(since: int | None, until: int | None) -> None:
    """Raises Failed: invalid, where no time lies between these."""
    if since is not None and until is not None and since > until:
        told = f"since {since} comes after until {until}; times are microseconds UTC"
        raise Failed("invalid", told)


def stood_for(after: str | None, kinds: tuple[type, ...]) -> Sequence[str | int]:
    """The values for which the `next` of another page stands; none where this is the first.

    Raises:
        Failed: invalid.
    """
    try:
        return read.cursor(after, kinds) or ()
    except read.BadQuery as error:
        raise Failed("invalid", str(error)) from error


async def must_be_somebody(call: Call, player: str) -> None:
    """Whoever has a name here, or sits in a match, is somebody; so is a bot.

    Raises:
        Failed: unknown-player.
    """
    if player in map(player_of, house()) or await call.services.names.of([player], call.language):
        return
    if not (await call.services.models.ask(read.history, player, HistoryFilter(), Asked(1))).rows:
        raise Failed("unknown-player", f"nobody of the id {player[:64]!r} plays or played here")


def _one_of(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise Failed("invalid", f"no {name} {value[:40]!r}; there are: {', '.join(known)}")
