"""The load of `_load` over WebSockets: one socket for each player."""

from __future__ import annotations

import random
from typing import Any

import msgspec
from _load import Question, Table, answer
from _wire import Conversation, Wire
from msgspec import Raw, Struct

_SHORT = 126  # the length from which on a frame says its length in bytes of their own: two, or (127) eight
_HANDSHAKE = (
    "GET /v1/socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    "sec-websocket-version: 13\r\nsec-websocket-key: Z2xhc25vc3QgYmVuY2hlcw==\r\n"
    "authorization: Bearer {}\r\n\r\n"
)


class _Reply(Struct):
    id: int | None = None  # None: a move that is pushed
    status: int = 0
    done: Raw = Raw(b"")


_reply = msgspec.json.Decoder(_Reply).decode


class Socket(Conversation):
    """One open socket, on which a question is a frame; counts the frames that are pushed meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self._data, self._open = b"", False
        self.pushed, self.pushed_bytes = 0, 0

    @classmethod
    async def entered(cls, port: int, token: str) -> Socket:
        """Open a socket for the player with this token."""
        socket = await cls.to(port)
        await socket.ask(_HANDSHAKE.format(token).encode())
        return socket

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._data += data
        if not self._open:
            if b"\r\n\r\n" not in self._data:
                return
            assert self._data.startswith(b"HTTP/1.1 101 "), self._data
            self._open, (_, _, self._data) = True, self._data.partition(b"\r\n\r\n")
            self._answer.set_result((101, b""))
        while (frame := self._next()) is not None:
            self._take(frame)

    def _next(self) -> bytes | None:
        """The next whole frame's payload; the server does not mask."""
        data = self._data
        if len(data) < 2:
            return None
        begin, length = 2, data[1]
        if length >= _SHORT:
            begin = 4 if length == _SHORT else 10
            if len(data) < begin:
                return None
            length = int.from_bytes(data[2:begin], "big")
        end = begin + length
        if len(data) < end:
            return None
        assert data[0] == 0x81, "a whole text frame"
        self._data = data[end:]
        return data[begin:end]

    def _take(self, payload: bytes) -> None:
        if payload.startswith(b'{"match"'):
            self.pushed += 1
            self.pushed_bytes += len(payload) + (4 if len(payload) >= _SHORT else 2)
            return
        reply = _reply(payload)
        self._answer.set_result((reply.status, bytes(reply.done)))


def framed(message: bytes) -> bytes:
    """A message of a client; the mask, which a client must send, is nought."""
    length = len(message)
    size = bytes([0x80 | length]) if length < _SHORT else b"\xfe" + length.to_bytes(2, "big")
    return b"\x81" + size + b"\0\0\0\0" + message


Request = tuple[str, bytes]  # the token whose socket it goes by, and the frame


class SocketPlace:
    """One seat of one match: its messages, all but for what changes."""

    def __init__(self, match: str, token: str) -> None:
        self._token, self._move = token, f'{{"do":"play","id":1,"match":"{match}",'.encode()
        self.fetch: Request = (token, framed(f'{{"do":"prompt","id":1,"match":"{match}"}}'.encode()))

    def answer(self, question: Question, luck: random.Random) -> Request:
        """The message that answers a question at random."""
        return self._token, framed(b"%b%b}" % (self._move, answer(question, luck)))


class Sockets:
    """The connections of a table: messages go over the player's socket, everything else over HTTP."""

    def __init__(self, wire: Wire) -> None:
        self.by_token: dict[str, Socket] = {}
        self.json, self._wire = wire.json, wire

    async def ask(self, request: Request) -> tuple[int, bytes]:
        """One message; see `Socket.ask`."""
        token, frame = request
        return await self.by_token[token].ask(frame)

    def close(self) -> None:
        """Hang up."""
        self._wire.close()
        for socket in self.by_token.values():
            socket.close()


class SocketTable(Table):
    """A client whose two players have a socket each."""

    async def prepare(self) -> None:
        """See `Table.prepare`."""
        await super().prepare()
        sockets = Sockets(self._wire)
        sockets.by_token = {token: await Socket.entered(self._port, token) for token in self._tokens.values()}
        vars(self)["_wire"] = sockets

    def _place(self, match: str, token: str) -> Any:
        return SocketPlace(match.removeprefix("/v1/matches/"), token)
