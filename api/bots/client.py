"""A bot that plays on any server through its public HTTP API, as any other client does.

What an agent observes is made of answers alone: the question with its agenda (`prompt?agenda=true`), and the
table after the same move.  A server is not trusted: its answers are bounded (`api.server_client`) and
checked, and nothing that it says is printed as it is.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Raw, Struct

from api.bots.action import Action
from api.bots.levels import LEVELS, RANDOM, act
from api.server_client import Reply, Server, ServerError
from domain.agents.observation import Observation
from domain.kernel import Picks, Prompt, Refused, Seat

WAITS = (0.2, 0.4, 0.8, 1.6, 2.0)  # seconds between two looks while nothing happens
MOST_REFUSED = 5  # answers in a row to one question

T = TypeVar("T")


class Account(Struct, frozen=True):
    """A player and its token."""

    player: str
    token: str


# ── What is read of the server's answers: everything else in them is left alone ──


class Option(Struct, frozen=True):
    """One option of a question."""

    pick: str


class Question(Struct, frozen=True):
    """`GET /v1/matches/{match}/prompt?agenda=true`."""

    move: int
    seat: Seat
    ask: str
    options: tuple[Option, ...]
    least: int
    most: int
    at: int
    agenda: Raw
    ordered: bool = False


class Request(Struct, frozen=True):
    """A takeback that waits for an answer."""

    move: int
    seat: Seat


class Seen(Struct, frozen=True):
    """`GET /v1/matches/{match}`."""

    game: str
    status: str
    seats: dict[Seat, str | None]
    table: Raw
    view: str
    request: Request | None = None


class Row(Struct, frozen=True):
    """A match in the lobby."""

    match: str
    game: str
    free: tuple[Seat, ...] = ()


class Lobby(Struct, frozen=True):
    """`GET /v1/lobby`."""

    mine: tuple[Row, ...]
    theirs: tuple[Row, ...]
    open: tuple[Row, ...]
    seats: tuple[Row, ...]


class Role(Struct, frozen=True):
    """`GET /v1/players/{player}`, as the player sees it."""

    role: str = ""


def register(server: Server, name: str) -> Account:
    """Make a player that is marked as a bot.

    Raises:
        ServerError: the server refuses.
    """
    reply = server.post("/v1/players", {"name": name, "bot": True})
    if reply.status != HTTPStatus.CREATED:
        raise ServerError(f"the server makes no player for a bot ({reply.status})")
    return _read(reply, Account)


class Player:
    """One bot on one server.

    Args:
        server: with the token of the account.
        account: must have the role `bot`.
        level: how it plays.
        rng: everything that is random follows from it.
        agrees: whether it agrees to takebacks.
    """

    def __init__(
        self, server: Server, account: Account, level: str, rng: random.Random, *, agrees: bool = True
    ) -> None:
        self._server, self._account, self._level, self._rng = server, account, level, rng
        self._agrees = agrees
        self._refused: dict[str, tuple[int, int]] = {}  # by match: a question, and how often it was refused
        self._actions: dict[str, tuple[int, Action]] = {}  # by match: its last own answer, and the action

    def must_be_a_bot(self) -> None:
        """Check that everybody can see that a program plays.

        Raises:
            ServerError: the account is a person's, or its token is not valid.
        """
        reply = self._server.get(f"/v1/players/{_id(self._account.player)}")
        if reply.status != HTTPStatus.OK or _read(reply, Role).role != "bot":
            raise ServerError("this is not the token of a player that is marked as a bot")

    def plays(self, game: str) -> bool:
        """Can it play a game?"""
        return self._level == RANDOM or game in LEVELS[self._level].methods

    def sit(self, match: str, seats: Collection[Seat] | None = None) -> bool:
        """Take the first of these seats (None: of those that are free) that can be had; False if none can.

        Raises:
            ServerError: there is no such match, or it cannot play the game.
        """
        seen = self._look(match)
        if not self.plays(seen.game):
            raise ServerError(f"the level {self._level} does not play the game of this match")
        if self._account.player in seen.seats.values():
            return True
        free = [seat for seat, player in seen.seats.items() if player is None] if seats is None else seats
        return any(
            self._server.post(f"{_path(match)}/seats/{_id(seat)}", {}).status == HTTPStatus.CREATED
            for seat in free
        )

    def step(self, match: str) -> str:
        """Do what waits to be done in a match: "over", "acted" or "waits".

        Raises:
            ServerError: the server cannot be understood, or refuses every answer.
        """
        seen = self._look(match)
        if seen.status == "over":
            self._actions.pop(match, None)
            return "over"
        if seen.request is not None and seen.request.seat != self._own_seat(seen):
            agrees = {"agree": self._agrees}
            self._server.post(f"{_path(match)}/takebacks/{seen.request.move}/answer", agrees)
            return "acted"
        reply = self._server.get(f"{_path(match)}/prompt?agenda=true")
        if reply.status != HTTPStatus.OK or seen.request is not None:
            return "waits"
        return self._answer(match, seen.game, _read(reply, Question))

    def _answer(self, match: str, game: str, question: Question) -> str:
        then = self._look(match, at=question.at)
        last, action = self._actions.get(match, (-1, Action()))
        if last != question.at:
            action = Action()
        picks = self._picks(game, question, then, action)
        body = {"expect": question.move, "picks": picks}
        reply = self._server.post(f"{_path(match)}/moves", body)
        if reply.status == HTTPStatus.CREATED:
            self._refused.pop(match, None)
            self._actions[match] = question.at + 1, action
            return "acted"
        before, times = self._refused.get(match, (0, 0))
        self._refused[match] = question.move, times + 1 if before == question.move else 1
        if self._refused[match][1] >= MOST_REFUSED:
            raise ServerError(f"the server refuses what {self._level} answers ({reply.status})")
        return "waits"  # the match has moved on: a takeback, a ruling, the end

    def _picks(self, game: str, question: Question, then: Seen, action: Action) -> Picks:
        """What the level answers.  Raises ServerError: the table is none of this game."""
        options = tuple(option.pick for option in question.options)
        prompt = Prompt(question.seat, question.ask, options, question.least, question.most, question.ordered)
        table = b"[%b,%b]" % (bytes(then.table), bytes(question.agenda))
        began = time.monotonic()
        try:
            observation = Observation(game, question.seat, table, prompt)
            until = began + action.allows(self._level, game)
            picks = act(self._level, observation, self._rng, lambda: time.monotonic() >= until)
        except (msgspec.DecodeError, Refused, LookupError, ValueError) as error:
            reason = type(error).__name__
            raise ServerError(f"the table of a question is not understood ({reason})") from error
        action.spend(time.monotonic() - began)
        return picks

    def lobby(self) -> Lobby:
        """The matches of the bot, and the seats that it may take.  Raises ServerError: it is refused."""
        return _read(self._must(self._server.get("/v1/lobby")), Lobby)

    def _look(self, match: str, at: int | None = None) -> Seen:
        moment = "" if at is None else f"?at={at}"
        return _read(self._must(self._server.get(f"{_path(match)}{moment}")), Seen)

    def _must(self, reply: Reply) -> Reply:
        if reply.status == HTTPStatus.UNAUTHORIZED:
            raise ServerError("the server does not know the token")
        if reply.status != HTTPStatus.OK:
            raise ServerError(f"the server refuses to show a match or the lobby ({reply.status})")
        return reply

    def _own_seat(self, seen: Seen) -> Seat | None:
        return next((seat for seat, player in seen.seats.items() if player == self._account.player), None)


def _path(match: str) -> str:
    return f"/v1/matches/{_id(match)}"


def _id(content: str) -> str:
    """An id that a server gave, as a part of a path and no more than that."""
    return quote(content, safe="")


def _read(reply: Reply, kind: type[T]) -> T:
    """What an answer says.  Raises ServerError: it is not of this kind."""
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except msgspec.DecodeError as error:
        raise ServerError(f"an answer is no {kind.__name__}: {type(error).__name__}") from error
