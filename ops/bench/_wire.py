"""HTTP/1.1 over a raw socket, at a few microseconds for a request."""

from __future__ import annotations

import asyncio
from typing import Any, Self

import msgspec


class Conversation(asyncio.Protocol):
    """One connection, with one question at a time: bytes, answered by a status and bytes."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[tuple[int, bytes]]

    @classmethod
    async def to(cls, port: int) -> Self:
        """Connect to a server on this machine."""
        _, found = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return found

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        self._transport = transport

    async def ask(self, question: bytes) -> tuple[int, bytes]:
        """Send a question; return the status and the rest of the answer."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(question)
        return await self._answer

    def connection_lost(self, error: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        if not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the server hung up"))

    def close(self) -> None:
        """Hang up."""
        self._transport.close()


class Wire(Conversation):
    """One kept-alive HTTP/1.1 connection; a question is a request."""

    def __init__(self) -> None:
        super().__init__()
        self._head = b""

    async def json(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """Send a request that is made only once; return the decoded body of its answer."""
        content = b"" if body is None else msgspec.json.encode(body)
        status, data = await self.ask(head(method, path, token) + b"%d\r\n\r\n" % len(content) + content)
        assert status in (200, 201), data
        return msgspec.json.decode(data)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        data = self._head + data
        end = data.find(b"\r\n\r\n") + 4
        length = data.find(b"content-length: ", 0, end)
        size = int(data[length + 16 : data.index(b"\r", length)]) if end > 3 and length > 0 else 0
        if end < 4 or len(data) < end + size:
            self._head = data
            return
        self._head = b""
        self._answer.set_result((int(data[9:12]), data[end:]))


def head(method: str, path: str, token: str = "") -> bytes:
    """Return a request up to the value of its content-length."""
    authorization = f"authorization: Bearer {token}\r\n" if token else ""
    text = (
        f"{method} {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}"
        "content-type: application/json\r\ncontent-length: "
    )
    return text.encode()
