"""Match files of toy games that were played elsewhere: on another server, or at a table in a hall."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from api.gate import Gate, reported_files
from domain.events import BoardOf
from replay import matchfile
from tests.api.gate.memory import Keys, MemoryStore
from tests.api.gate.tournaments import NOW

LEFT, RIGHT = "left", "right"


def examined_in_a_thread(patch: pytest.MonkeyPatch) -> None:
    """Verify uploaded files in a thread: a process of its own takes ten times as long to start as to verify.

    One test of tests/api/http/test_reported_files.py keeps the process of its own.
    """
    patch.setattr(reported_files, "one_process", lambda: ThreadPoolExecutor(1))


async def played_elsewhere(
    winner: str = LEFT,
    *,
    players: tuple[str, str] = ("stranger-1", "stranger-2"),
    options: Mapping[str, Any] | None = None,
    match: str | None = None,
    place: BoardOf | None = None,
    game: str = "toy",
) -> bytes:
    """The file of a match that one of the players won, because the other one resigned."""
    store = MemoryStore()
    gate = Gate(store, Keys(), lambda: NOW, "elsewhere")
    accepted = await gate.open("keeper", game, None, options or {}, match=match, tournament=place)
    name = accepted.cached.match.id
    for seat, player in zip(accepted.cached.match.seats, players, strict=True):
        await gate.sit(name, seat, player)
    loser = next(seat for seat in accepted.cached.match.seats if seat != winner)
    await gate.resign(name, seat=loser)
    found, note = await gate.match(name), store.note(name)
    await gate.close()
    assert note is not None
    return matchfile.write(found.records, note)


async def still_running() -> bytes:
    """The file of a match that goes on."""
    store = MemoryStore()
    gate = Gate(store, Keys(), lambda: NOW, "elsewhere")
    name = (await gate.open("keeper", "toy", None, {})).cached.match.id
    for seat in (LEFT, RIGHT):
        await gate.sit(name, seat, f"stranger-{seat}")
    found = await gate.match(name)
    note = gate.checkpoint(found, found.move)
    await gate.close()
    return matchfile.write(found.records, note)


def flipped(data: bytes, needle: bytes) -> bytes:
    """The file with one bit of a byte inside changed; the place is the first one of `needle`."""
    place = data.index(needle)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def unread(size: int) -> bytes:
    """So many bytes that are no archive, and do not pack well."""
    return base64.b64encode(bytes(range(256)) * (size // 341 + 1))[:size]
