"""The floor of `serving`: bare ASGI and one raw SQLite commit (WAL, FULL) for each POST; takes a folder."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
import uvloop

ROW = b"x" * 600  # about what a move is, stored
ANSWER = b'{"move":1,"root":"x","facts":[],"prompt":null}' + b" " * 350

Message = dict[str, Any]


def application(database: sqlite3.Connection) -> Callable[..., Awaitable[None]]:
    """Answers every request; a POST after its commit."""

    async def app(
        scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["method"] == "POST":
            await receive()
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO moves (state) VALUES (?)", (ROW,))
            database.execute("COMMIT")
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": ANSWER})

    return app


def main(folder: Path) -> None:
    """Serve until the process is ended."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE moves (id INTEGER PRIMARY KEY, state BLOB)")
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        application(database), http="httptools", ws="none", lifespan="off", log_config=None, access_log=False
    )
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
