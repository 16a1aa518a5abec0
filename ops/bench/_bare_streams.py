"""The floor of streams that wait: bare ASGI, each stream a task that waits for its reader to go."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
import uvloop

Message = dict[str, Any]


async def application(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Begins an event stream, and ends it when the reader is gone."""
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass


def main() -> None:
    """Serve until the process is ended."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        application, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False
    )
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
