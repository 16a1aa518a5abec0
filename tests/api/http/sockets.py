"""Sockets in tests: a real client, `websockets`, that keeps apart what is replied and what is pushed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.waiting import PATIENCE


class Socket:
    """One open socket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.moves: dict[str, list[Any]] = defaultdict(list)  # by match, as they were pushed
        self.prompts: dict[str, list[Any]] = defaultdict(list)  # by match, what came with each move, or None
        self.over: list[str] = []
        self.lobby: list[Any] = []  # changes of the lobby, as they were pushed
        self.tournament: list[Any] = []  # entries of tournaments and boards that moved, as they were pushed
        self._replies: dict[Any, Any] = {}
        self._ids = 0

    def send(self, message: Any) -> None:
        """One message: text, bytes, or what is to be encoded as JSON."""
        raw = isinstance(message, (str, bytes))
        self.connection.send(message if raw else json.dumps(message))

    def begin(self, do: str, **fields: Any) -> int:
        """One message, whose reply is not waited for; its id."""
        self._ids += 1
        self.send({"do": do, "id": self._ids, **fields})
        return self._ids

    def say(self, do: str, **fields: Any) -> Any:
        """One message; its reply."""
        return self.reply(self.begin(do, **fields))

    def reply(self, told: Any) -> Any:
        """The reply to the message with this id."""
        while told not in self._replies:
            self._take()
        return self._replies.pop(told)

    def done(self, do: str, **fields: Any) -> Any:
        """What was done; it must be."""
        reply = self.say(do, **fields)
        assert reply["status"] < 300, reply
        return reply.get("done")

    def problem(self, status: int, kind: str, do: str, **fields: Any) -> Any:
        """The refusal of a message, which must be of this kind."""
        reply = self.say(do, **fields)
        told = reply["problem"]
        assert (reply["status"], told["status"], told["type"]) == (status, status, f"/problems/{kind}"), reply
        return told

    def pushed(self, match: str, count: int) -> list[Any]:
        """The first so many moves of a match that were, or will be, pushed."""
        while len(self.moves[match]) < count:
            self._take()
        return self.moves[match][:count]

    def whole(self, match: str) -> list[Any]:
        """All moves of a match, once it is over."""
        while match not in self.over:
            self._take()
        return self.moves[match]

    def changes(self, count: int) -> list[Any]:
        """The first so many changes of the lobby that were, or will be, pushed."""
        while len(self.lobby) < count:
            self._take()
        return self.lobby[:count]

    def rest(self) -> None:
        """Take what comes, until the server closes."""
        try:
            while True:
                self._take()
        except ConnectionClosed:
            return

    def closed(self) -> tuple[int, str]:
        """The code and the reason with which the server closes the socket."""
        self.rest()
        assert self.connection.close_code is not None
        return self.connection.close_code, self.connection.close_reason or ""

    def _take(self) -> None:
        """One message of the server."""
        told = json.loads(self.connection.recv(PATIENCE, decode=True))
        if "lobby" in told:
            self.lobby.append(told["lobby"])
        elif "tournament" in told:
            self.tournament.append(told)
        elif "match" not in told:
            self._replies[told["id"]] = told
        elif "move" in told:
            assert set(told) - {"prompt"} == {"match", "move"}
            self.prompts[told["match"]].append(told.get("prompt"))
            self.moves[told["match"]].append(told["move"])
        else:
            assert told == {"match": told["match"], "over": True}
            self.over.append(told["match"])


@contextmanager
def socket(
    port: int,
    token: str | None = None,
    *,
    language: str = "",
    host: str = "127.0.0.1",
    path: str = "/v1/socket",
) -> Iterator[Socket]:
    """A socket, entered by the handshake where there is a token."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    headers |= {"accept-language": language} if language else {}
    with connect(
        f"ws://{host}:{port}{path}",
        additional_headers=headers,
        compression=None,
        proxy=None,
        max_size=None,
        open_timeout=PATIENCE,
        close_timeout=1,
    ) as connection:
        yield Socket(connection)


@contextmanager
def spectator(port: int, **fields: Any) -> Iterator[Socket]:
    """A socket without a token."""
    with socket(port) as opened:
        opened.done("enter", **fields)
        yield opened
