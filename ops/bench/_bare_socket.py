"""The floor of `sockets`: a bare ASGI application that answers each message after a raw group commit.

SQLite (WAL, FULL); whatever came while one transaction was stored is stored in the next.  Takes a folder.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from _floor import serve
from _group import Writer, sqlite

ANSWER = '{"id":1,"status":201,"done":{"move":1,"root":"x","facts":[],"prompt":null}}' + " " * 350

Event = dict[str, Any]


def application(writer: Writer) -> Callable[..., Awaitable[None]]:
    """Answers every message; a command after its commit."""

    async def app(
        scope: Event, receive: Callable[[], Awaitable[Event]], send: Callable[[Event], Awaitable[None]]
    ) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (event := await receive())["type"] == "websocket.receive":
            if not event["text"].startswith('{"do":"prompt"'):
                await writer.stored()
            await send({"type": "websocket.send", "text": ANSWER})

    return app


def main(folder: Path) -> None:
    """Serve until the process is ended."""
    writer = Writer(sqlite(folder / "bare.db"))
    serve(application(writer), ws="websockets-sansio", ws_per_message_deflate=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
