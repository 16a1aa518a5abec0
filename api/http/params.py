"""The parameters that several routes take, with their limits."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Path, Query

from domain.bounds import MOST

ID = r"^[A-Za-z0-9_-]{1,64}$"

MatchId = Annotated[str, Path(pattern=ID, description="A match's id.")]
GameName = Annotated[str, Path(pattern=ID, description="A game's name.")]
KindName = Annotated[str, Path(pattern=ID, description="What a problem's `type` ends in.")]
SeatName = Annotated[str, Path(pattern=ID, description="A seat of the match.")]
PlayerId = Annotated[str, Path(pattern=r"^[A-Za-z0-9:_-]{1,64}$", description="A player's id.")]
RequestMove = Annotated[int, Path(ge=1, le=MOST, description="The move that asked for the takeback.")]

View = Annotated[
    str | None,
    Query(max_length=64, description='A seat, "spectator", or "all" once the match is over.'),
]
At = Annotated[int | None, Query(ge=1, le=MOST, description="After which move; left out: the latest.")]
AtLeast = Annotated[
    int | None,
    Query(ge=1, le=MOST, description="Not without this move: it is waited for, where it is on its way."),
]
After = Annotated[int, Query(ge=0, le=MOST, description="Moves after this one.")]
AfterTurn = Annotated[
    str,
    Query(
        pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?$", description="Turns after this one, or the `next` of a page."
    ),
]
Limit = Annotated[int | None, Query(ge=1, le=MOST, description="At most so many.")]
Proof = Annotated[bool, Query(description="With the exact leaf, and the own private part.")]
Ticket = Annotated[str | None, Query(max_length=64, description="Opens an event stream without a token.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="The same request with the same key gets the same answer again.",
    ),
]
LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", max_length=40, description="Resumes an event stream.")
]
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="The ETag already at hand.")]
