"""The messages of the socket: those of the client, and those of the server.

Each is one JSON object.  A message of the client names its command in `do`, and has an `id`, which the reply
repeats.  Unknown fields are refused.  `done` and `problem` are the bodies that HTTP answers with.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from api.http.lobby import Lobby
from api.http.lobby_feed import LobbyPush
from api.http.request_schemas import (
    ClockChange,
    Freezing,
    Moves,
    OpenSalt,
    Request,
    Resignation,
    Sit,
    Takeback,
)
from api.http.request_schemas import TakebackAnswer as Agreement
from api.http.schemas import REF, Done, MatchSummary, MoveView, Problem, PromptView
from domain.bounds import MOST, MatchId, Number, SeatName

PATH = "/v1/socket"
Id = Annotated[int, Meta(ge=-MOST, le=MOST)] | Annotated[str, Meta(max_length=64)]
After = Annotated[int, Meta(ge=0, le=MOST, description="Moves after this one.")]
TournamentName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
View = Annotated[
    str, Meta(max_length=64, description='A seat, "spectator", or "all" once the match is over.')
]
Lean = Annotated[bool, Meta(description="Without `at`, `root`, `draws`, `keys` and `salt`.")]
Question = Annotated[
    bool,
    Meta(description="With the latest move, what I am asked then: what `prompt` would reply."),
]
SceneWanted = Annotated[
    bool, Meta(description="With each move, as `position`, what it changed in the scene, as in positions.")
]
SentencesWanted = Annotated[bool, Meta(description="With each move, in `position`, its sentences.")]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The same command with the same key gets the same reply again, over HTTP and the socket.",
    ),
]

# ── messages of the client ──


class Enter(Request, frozen=True, kw_only=True, tag_field="do", tag="enter"):
    """Authenticate with the first message, if the handshake had no token.  Without a token: a spectator."""

    id: Id | None = None
    token: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    language: Annotated[str, Meta(max_length=100, description="As in Accept-Language.")] | None = None


class SitDown(Sit, frozen=True, kw_only=True, tag_field="do", tag="sit"):
    """Take a seat, or let a bot play it: `POST /v1/matches/{match}/seats/{seat}`."""

    id: Id
    match: MatchId
    seat: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
    key: Key | None = None


class PlayAnswer(Moves, frozen=True, kw_only=True, tag_field="do", tag="play"):
    """Answer the prompt: `POST /v1/matches/{match}/moves`."""

    id: Id
    match: MatchId
    key: Key | None = None


class Prompt(Request, frozen=True, kw_only=True, tag_field="do", tag="prompt"):
    """Read the prompt: `GET /v1/matches/{match}/prompt`."""

    id: Id
    match: MatchId


class AskTakeback(Takeback, frozen=True, kw_only=True, tag_field="do", tag="takeback"):
    """Ask for a takeback: `POST /v1/matches/{match}/takebacks`."""

    id: Id
    match: MatchId
    key: Key | None = None


class AnswerTakeback(Agreement, frozen=True, kw_only=True, tag_field="do", tag="answer_takeback"):
    """Answer the takeback request of move `request`: `POST /v1/matches/{match}/takebacks/{n}/answer`."""

    id: Id
    match: MatchId
    request: Number
    key: Key | None = None


class Resign(Resignation, frozen=True, kw_only=True, tag_field="do", tag="resign"):
    """Resign: `POST /v1/matches/{match}/resignation`."""

    id: Id
    match: MatchId
    key: Key | None = None


class SetClock(ClockChange, frozen=True, kw_only=True, tag_field="do", tag="clock"):
    """Give time; set or pause clocks as an organizer: `POST /v1/matches/{match}/clock`."""

    id: Id
    match: MatchId
    key: Key | None = None


class Freeze(Freezing, frozen=True, kw_only=True, tag_field="do", tag="freeze"):
    """Freeze or release a match as an organizer: `POST /v1/matches/{match}/freeze`."""

    id: Id
    match: MatchId
    key: Key | None = None


class SaltOpening(OpenSalt, frozen=True, kw_only=True, tag_field="do", tag="salt"):
    """Open the own salt: `POST /v1/matches/{match}/seats/{seat}/salt`."""

    id: Id
    match: MatchId
    seat: SeatName
    key: Key | None = None


class Follow(Request, frozen=True, kw_only=True, tag_field="do", tag="follow"):
    """Get the moves after `after`, as they come: `GET /v1/matches/{match}/moves`."""

    id: Id
    match: MatchId
    after: After = 0
    view: View | None = None
    proof: bool = False
    lean: Lean = False
    prompt: Question = False
    scene: SceneWanted = False
    sentences: SentencesWanted = False


class Leave(Request, frozen=True, kw_only=True, tag_field="do", tag="leave"):
    """Stop following a match."""

    id: Id
    match: MatchId


class ListenToLobby(Request, frozen=True, kw_only=True, tag_field="do", tag="lobby"):
    """Get the lobby, and from then on its changes: `GET /v1/lobby`.  It may be asked for again."""

    id: Id


class FollowTournament(Request, frozen=True, kw_only=True, tag_field="do", tag="follow_tournament"):
    """Get the entries of a tournament after `after`, as they come, and which of its boards have moved."""

    id: Id
    tournament: TournamentName
    after: Annotated[int, Meta(ge=0, le=MOST, description="Entries after this one.")] = 0


class LeaveTournament(Request, frozen=True, kw_only=True, tag_field="do", tag="leave_tournament"):
    """Stop following a tournament."""

    id: Id
    tournament: TournamentName


Command = SitDown | PlayAnswer | AskTakeback | AnswerTakeback | Resign | SetClock | Freeze | SaltOpening
Other = Enter | Prompt | Follow | Leave | ListenToLobby | FollowTournament | LeaveTournament
Message = Command | Other

# ── messages of the server ──


class Entered(Struct, frozen=True):
    """The authenticated player; null: a spectator."""

    player: str | None
    role: str | None
    language: str


class Followed(Struct, frozen=True):
    """The latest move of the followed match; the receipt, while a seat is free."""

    move: int
    receipt: str | UnsetType = UNSET


class FollowedTournament(Struct, frozen=True):
    """The latest entry of the followed tournament, and the root after it."""

    entry: int
    root: str


_DONE = [
    {"$ref": REF.format(name=kind.__name__)}
    for kind in (Done, MatchSummary, PromptView, Entered, Followed, Lobby, FollowedTournament)
]


class Reply(Struct, frozen=True, omit_defaults=True):
    """The reply to a message: the status of HTTP, and `done` (there is none with 204) or `problem`.

    `id` is null if the message had no readable one.  `retry_after`: seconds.
    """

    id: Id | None
    status: int
    done: Annotated[Any, Meta(extra_json_schema={"anyOf": _DONE})] | UnsetType = UNSET
    problem: Problem | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET


_LEAN = {"type": "object", "properties": {"move": {"type": "integer"}}, "required": ["move"]}
_MOVE = {"type": "object", "anyOf": [{"$ref": REF.format(name=MoveView.__name__)}, _LEAN]}


class Pushed(Struct, frozen=True, omit_defaults=True):
    """A move of a followed match, in order, without gap or repetition; lean: less than `MoveView`.

    `prompt`: the follower's prompt after the latest move, if there is one and `follow` asked for it.
    """

    match: str
    move: Annotated[Any, Meta(extra_json_schema=_MOVE)]
    prompt: PromptView | UnsetType = UNSET


class MatchOver(Struct, frozen=True):
    """The match is closed and all its moves were sent; it is no longer followed."""

    match: str
    over: Literal[True] = True


class TournamentEntry(Struct, frozen=True):
    """An entry of a followed tournament, as its leaf was written, in order, without gap or repetition."""

    tournament: str
    entry: Annotated[Any, Meta(extra_json_schema={"type": "object"})]


class BoardsMoved(Struct, frozen=True):
    """Matches of a followed tournament that have new moves; a slow reader gets each of them once."""

    tournament: str
    moved: list[str]


SAID: tuple[Any, ...] = (
    Enter,
    SitDown,
    PlayAnswer,
    Prompt,
    AskTakeback,
    AnswerTakeback,
    Resign,
    SetClock,
    Freeze,
    SaltOpening,
    Follow,
    Leave,
    ListenToLobby,
    FollowTournament,
    LeaveTournament,
)
TOLD: tuple[Any, ...] = (Reply, Pushed, MatchOver, LobbyPush, TournamentEntry, BoardsMoved)
TYPES = (*SAID, *TOLD, Entered, Followed, FollowedTournament)
