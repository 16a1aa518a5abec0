"""What a message of a player does: the very functions that answer the same request over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from api.http import bodies
from api.http.edge import Caller
from api.http.problems import Failed
from api.http.routes import commands, matches
from api.http.shapes import Moves, OpenSalt, Problem, Resignation, Sit, Takeback, TakebackAnswer
from api.http.sockets.shapes import (
    AnswerTakeback,
    AskTakeback,
    Id,
    Message,
    PlayAnswer,
    Prompt,
    Reply,
    Resign,
    SaltOpening,
    SitDown,
)

CREATED, OK, NOTHING = 201, 200, 204


class _Named(Struct):
    """The one field that is wanted of a message that cannot be read as a whole."""

    id: Id | None = None


_WATCHED = ("match", "expect", "picks")  # that stand twice are refused; to look for all takes 2 us
_message = bodies.Shape(Message, _WATCHED)
_named = msgspec.json.Decoder(_Named).decode


def heard(text: str | None) -> Message:
    """The message in a frame; None: the frame was a binary one.

    Raises:
        Failed: malformed, invalid.
    """
    if text is None:
        raise Failed("malformed", "a message is a text frame that holds one JSON object")
    message: Message = _message.decoded(text)
    return message


def id_of(text: str | None) -> Id | None:
    """The id in a message that is refused as a whole, if it can be found."""
    try:
        return _named(text or "").id
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def refused(told: Id | None, problem: Problem, retry_after: str | None = None) -> Reply:
    """The reply that refuses; `retry_after` in seconds."""
    wait = UNSET if retry_after is None else int(retry_after)
    return Reply(told, problem.status, problem=problem, retry_after=wait)


async def sit_down(call: Caller, said: SitDown) -> Reply:
    """Take a seat."""
    body = Sit(**{name: getattr(said, name) for name in Sit.__struct_fields__})
    return Reply(said.id, CREATED, await matches.sit_down(call, said.match, said.seat, body, said.key))


async def play(call: Caller, said: PlayAnswer) -> Reply:
    """Answer what one is asked."""
    body = Moves(said.expect, said.picks, said.answers)
    return Reply(said.id, CREATED, await commands.play(call, said.match, body, said.key))


async def ask_takeback(call: Caller, said: AskTakeback) -> Reply:
    """Ask to go back."""
    return Reply(said.id, CREATED, await commands.ask_takeback(call, said.match, Takeback(said.to), said.key))


async def answer_takeback(call: Caller, said: AnswerTakeback) -> Reply:
    """Answer a request to go back."""
    body = TakebackAnswer(said.agree)
    done = await commands.answer_takeback(call, said.match, said.request, body, said.key)
    return Reply(said.id, CREATED, done)


async def resign(call: Caller, said: Resign) -> Reply:
    """Give up."""
    return Reply(said.id, CREATED, await commands.resign(call, said.match, Resignation(), said.key))


async def open_salt(call: Caller, said: SaltOpening) -> Reply:
    """Open one's salt."""
    done = await matches.open_salt(call, said.match, said.seat, OpenSalt(said.salt), said.key)
    return Reply(said.id, CREATED, done)


async def read_prompt(call: Caller, said: Prompt) -> Reply:
    """What one is asked."""
    question = await matches.prompt_of(call, said.match)
    return Reply(said.id, OK, question) if question else Reply(said.id, NOTHING)


COMMANDS: dict[type, Callable[[Caller, Any], Awaitable[Reply]]] = {
    SitDown: sit_down,
    PlayAnswer: play,
    AskTakeback: ask_takeback,
    AnswerTakeback: answer_takeback,
    Resign: resign,
    SaltOpening: open_salt,
}
