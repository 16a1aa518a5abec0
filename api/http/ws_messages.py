"""The messages of the socket: what a player says, and what he is told.

Each is one JSON object.  What he says names in `do` what is to be done, and has an `id` of his own, which the
reply brings back.  Unknown fields are refused.  `done` and `problem` are the bodies that HTTP answers with.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from api.http.routing import REF
from api.http.schemas import (
    Done,
    MatchSummary,
    Moves,
    MoveView,
    OpenSalt,
    Problem,
    PromptView,
    Request,
    Resignation,
    Sit,
    Takeback,
)
from api.http.schemas import TakebackAnswer as Agreement
from domain.bounds import MOST, MatchId, Number, SeatName

Id = Annotated[int, Meta(ge=-MOST, le=MOST)] | Annotated[str, Meta(max_length=64)]
After = Annotated[int, Meta(ge=0, le=MOST, description="Moves after this one.")]
View = Annotated[
    str, Meta(max_length=64, description='A seat, "spectator", or "all" once the match is over.')
]
Lean = Annotated[bool, Meta(description="Without `at`, `root`, `draws`, `keys` and `salt`.")]
Question = Annotated[
    bool,
    Meta(description="With the latest move, what I am asked then: what `prompt` would reply."),
]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The same command with the same key gets the same reply again, at both doors.",
    ),
]

# ── what a player says ──


class Enter(Request, frozen=True, kw_only=True, tag_field="do", tag="enter"):
    """Who one is, where the handshake could not say it: the first message.  Without a token: a spectator."""

    id: Id | None = None
    token: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    language: Annotated[str, Meta(max_length=100, description="As in Accept-Language.")] | None = None


class SitDown(Sit, frozen=True, kw_only=True, tag_field="do", tag="sit"):
    """To take a seat, or to let a bot play it: `POST /v1/matches/{match}/seats/{seat}`."""

    id: Id
    match: MatchId
    seat: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
    key: Key | None = None


class PlayAnswer(Moves, frozen=True, kw_only=True, tag_field="do", tag="play"):
    """To answer what one is asked: `POST /v1/matches/{match}/moves`."""

    id: Id
    match: MatchId
    key: Key | None = None


class Prompt(Request, frozen=True, kw_only=True, tag_field="do", tag="prompt"):
    """What am I asked?  `GET /v1/matches/{match}/prompt`."""

    id: Id
    match: MatchId


class AskTakeback(Takeback, frozen=True, kw_only=True, tag_field="do", tag="takeback"):
    """To ask to go back: `POST /v1/matches/{match}/takebacks`."""

    id: Id
    match: MatchId
    key: Key | None = None


class AnswerTakeback(Agreement, frozen=True, kw_only=True, tag_field="do", tag="answer_takeback"):
    """To answer the request of move `request`: `POST /v1/matches/{match}/takebacks/{n}/answer`."""

    id: Id
    match: MatchId
    request: Number
    key: Key | None = None


class Resign(Resignation, frozen=True, kw_only=True, tag_field="do", tag="resign"):
    """To give up: `POST /v1/matches/{match}/resignation`."""

    id: Id
    match: MatchId
    key: Key | None = None


class SaltOpening(OpenSalt, frozen=True, kw_only=True, tag_field="do", tag="salt"):
    """To open one's salt: `POST /v1/matches/{match}/seats/{seat}/salt`."""

    id: Id
    match: MatchId
    seat: SeatName
    key: Key | None = None


class Follow(Request, frozen=True, kw_only=True, tag_field="do", tag="follow"):
    """To be told the moves after `after`, as they come: `GET /v1/matches/{match}/moves`."""

    id: Id
    match: MatchId
    after: After = 0
    view: View | None = None
    proof: bool = False
    lean: Lean = False
    prompt: Question = False


class Leave(Request, frozen=True, kw_only=True, tag_field="do", tag="leave"):
    """To be told no more of a match."""

    id: Id
    match: MatchId


Command = SitDown | PlayAnswer | AskTakeback | AnswerTakeback | Resign | SaltOpening
Other = Enter | Prompt | Follow | Leave
Message = Command | Other

# ── what he is told ──


class Entered(Struct, frozen=True):
    """Who one is now; null: a spectator."""

    player: str | None
    role: str | None
    language: str


class Followed(Struct, frozen=True):
    """The latest move of the match that one follows from now on; the receipt, while a seat is free."""

    move: int
    receipt: str | UnsetType = UNSET


_DONE = [
    {"$ref": REF.format(name=kind.__name__)} for kind in (Done, MatchSummary, PromptView, Entered, Followed)
]


class Reply(Struct, frozen=True, omit_defaults=True):
    """The reply to a message: the status of HTTP, and `done` (there is none with 204) or `problem`.

    `id` is null where the message had none that could be read.  `retry_after`: in so many seconds.
    """

    id: Id | None
    status: int
    done: Annotated[Any, Meta(extra_json_schema={"anyOf": _DONE})] | UnsetType = UNSET
    problem: Problem | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET


_LEAN = {"type": "object", "properties": {"move": {"type": "integer"}}, "required": ["move"]}
_MOVE = {"type": "object", "anyOf": [{"$ref": REF.format(name=MoveView.__name__)}, _LEAN]}


class Pushed(Struct, frozen=True, omit_defaults=True):
    """A move of a match that one follows, in order, without gap or repetition; lean: less than `MoveView`.

    `prompt`: what the follower is asked after the latest move, if anything, where they wanted to know it.
    """

    match: str
    move: Annotated[Any, Meta(extra_json_schema=_MOVE)]
    prompt: PromptView | UnsetType = UNSET


class MatchOver(Struct, frozen=True):
    """The match is closed and all of it was told; it is followed no more."""

    match: str
    over: Literal[True] = True


SAID: tuple[Any, ...] = (
    Enter,
    SitDown,
    PlayAnswer,
    Prompt,
    AskTakeback,
    AnswerTakeback,
    Resign,
    SaltOpening,
    Follow,
    Leave,
)
TOLD: tuple[Any, ...] = (Reply, Pushed, MatchOver)
