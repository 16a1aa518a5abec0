"""Patience on a slow machine, and servers that lose no time.

The product waits for a moment and then answers with what it has, or refuses.  Where the machine stood still
for that moment a test would see an answer that is right, and not the one it is about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import uvicorn.server

from api.gate import clocks
from api.http import health, read_models
from api.store import postgres
from tests.waiting import PATIENCE

# What a process carries out first that is to be as patient.
AT_FIRST = "from tests.api.patience import be_patient\nbe_patient(setattr)\n"
_OFTENER = (
    20  # times: uvicorn looks ten times a second whether it should stop, and pauses once more when it does
)


_IDLE = 0.05  # seconds after which a server whose time a test sets looks at it unasked


class _Asyncio(ModuleType):
    """The module `asyncio` for uvicorn's server, with shorter pauses."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(seconds: float) -> None:
        """Sleep for a part of this time."""
        await asyncio.sleep(seconds / _OFTENER)


def be_patient(change: Callable[[object, str, object], None]) -> None:
    """Let readers wait for the read models, and the health check for the store, as long as tests do; and let
    servers stop soon.

    Args:
        change: sets an attribute.
    """
    change(read_models, "_PATIENCE", PATIENCE)
    change(health, "PATIENCE", PATIENCE)
    change(postgres, "PATIENCE", int(PATIENCE * 1_000))
    stop_soon(change)


def stop_soon(change: Callable[[object, str, object], None]) -> None:
    """Let a server that is asked to stop do so at once.

    Args:
        change: sets an attribute.
    """
    change(uvicorn.server, "asyncio", _Asyncio("asyncio"))


def look_at_clocks_often(change: Callable[[object, str, object], None]) -> None:
    """Let a server whose time a test sets soon see that it was set.

    Args:
        change: sets an attribute.
    """
    change(clocks, "IDLE", _IDLE)
