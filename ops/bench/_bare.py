"""The floor of `serving` and `workers`: bare ASGI, and a raw group commit for the POSTs.

Takes a folder, for an SQLite file there; or the URL of a PostgreSQL database and the worker's name.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from _floor import serve
from _group import Writer, postgres, sqlite

_TOLD = b'{"move":1,"root":"x","facts":[],"prompt":null}' + b" " * 350

Message = dict[str, Any]


def application(writer: Writer) -> Callable[..., Awaitable[None]]:
    """Answers every request; a POST after its commit."""

    async def app(
        scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["method"] == "POST":
            await receive()
            await writer.stored()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(_TOLD))]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": _TOLD})

    return app


def main(where: Sequence[str]) -> None:
    """Serve until the process is ended."""
    to = postgres(*where) if "://" in where[0] else sqlite(Path(where[0]) / "bare.db")
    serve(application(Writer(to)), http="httptools", ws="none")


if __name__ == "__main__":
    main(sys.argv[1:])
