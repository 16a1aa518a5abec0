"""Serving a floor: a bare ASGI application, which says where it listens as the real server does."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
import uvloop


def serve(application: Any, **settings: Any) -> None:
    """Serve until the process is ended; `settings` are uvicorn's."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(application, lifespan="off", log_config=None, access_log=False, **settings)
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    uvicorn.Server(config).run(sockets=[listener])
