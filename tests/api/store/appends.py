"""Matches as the gate hands them to a store: one append for each command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from api.store.interface import Append, Remembered, Store
from domain.events import Played
from domain.log import Record
from tests.matches import Sitting

LAST = 3  # the move that ends a match, `secret_opened` and `closed` go together


def remembered(match: str, move: int) -> Remembered:
    """The answered request that goes with the append that ends at `move`."""
    return Remembered(f"token {match}", f"key-{move}", b"hash", 201, f'{{"move":{move}}}'.encode())


def appends(sitting: Sitting) -> list[Append]:
    """A finished match, one append for each command, each with what must become durable with it."""
    records: Sequence[Record] = sitting.match.records
    commands = [[record] for record in records[:-LAST]] + [records[-LAST:]]
    return [
        Append(
            command,
            secret=sitting.secret.bytes if command[0].move == 1 else None,
            remembered=remembered(sitting.id, command[-1].move)
            if isinstance(command[0].entry, Played)
            else None,
            note="the last checkpoint" if len(command) > 1 else "",
        )
        for command in commands
    ]


def store_each(store: Store, commands: Iterable[Append]) -> list[int]:
    """Submit these one after the other; the positions."""
    return [store.submit(append).result() for append in commands]


def store_all(store: Store, sitting: Sitting) -> list[int]:
    """Submit a finished match command by command; the positions."""
    return store_each(store, appends(sitting))


def stored(store: Store, match: str) -> list[bytes]:
    """The stored bytes of a match's records."""
    found = store.match(match)
    return [record.stored for record in found.records] if found else []
