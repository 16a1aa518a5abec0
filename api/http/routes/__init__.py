"""The routes, by topic; here is what several of them share: parameters with their limits, and roles."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from domain.bounds import MOST

PLAYING = ("player", "organizer", "admin", "bot")  # the roles of those who may play
ID = r"^[A-Za-z0-9_-]{1,64}$"

MatchId = Annotated[str, Path(pattern=ID, description="A match's id.")]
GameName = Annotated[str, Path(pattern=ID, description="A game's name.")]
SeatName = Annotated[str, Path(pattern=ID, description="A seat of the match.")]
PlayerId = Annotated[str, Path(pattern=r"^[A-Za-z0-9:_-]{1,64}$", description="A player's id.")]
View = Annotated[
    str | None,
    Query(max_length=64, description='A seat, "spectator", or "all" once the match is over.'),
]
At = Annotated[int | None, Query(ge=1, le=MOST, description="After which move; left out: the latest.")]
After = Annotated[int, Query(ge=0, le=MOST, description="Moves after this one.")]
AtLeast = Annotated[
    int | None,
    Query(ge=1, le=MOST, description="Not without this move: it is waited for, where it is on its way."),
]
Limit = Annotated[int | None, Query(ge=1, le=MOST, description="At most so many.")]
