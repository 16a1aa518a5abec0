"""Options that are data, such as a card set: equal ones are kept once for all matches that have them.

Shared data never changes; it is freed with the last match that has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from domain.game import Game, Options
from domain.kernel import Table

_TABLES = 4  # empty tables that one set of data shares: one for each choice of the other options
_OF_JSON = 16  # memory of such data, as objects and on a table, per byte of its JSON (`ops/bench/memory.py`)


class Data(dict[str, Any]):
    """One option that is data; `tables` are the empty tables with it, `size` the bytes of its JSON."""

    __slots__ = ("__weakref__", "size", "tables")

    def __init__(self, content: bytes) -> None:
        super().__init__(msgspec.json.decode(content))
        self.size, self.tables = len(content), dict[bytes, Table]()

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes, with the tables that are shared."""
        return self.size * _OF_JSON * max(len(self.tables), 1)


_encode = msgspec.json.Encoder(order="sorted").encode
_known: WeakValueDictionary[bytes, Data] = WeakValueDictionary()


def shared(options: Options) -> Options:
    """The same options; each one that is data is the object that all matches share."""
    if not any(isinstance(value, dict) for value in options.values()):
        return options
    return {name: _data(value) if isinstance(value, dict) else value for name, value in options.items()}


def data_of(options: Options) -> Iterator[Data]:
    """The options that are data."""
    return (value for value in options.values() if isinstance(value, Data))


def empty_table(game: Game, edition: str, options: Options) -> Table:
    """The empty table of a match; matches with equal options that are data share one."""
    data = next(data_of(options), None)
    if data is None:
        return game.table(edition, options)
    key = hashlib.sha256(_encode((game.name, edition, options))).digest()
    table = data.tables.get(key)
    if table is None:
        table = game.table(edition, options)
        if len(data.tables) < _TABLES:
            return data.tables.setdefault(key, table)
    return table


def _data(value: dict[str, Any]) -> Data:
    if isinstance(value, Data):
        return value
    content = _encode(value)
    key = hashlib.sha256(content).digest()
    found = _known.get(key)
    return _known.setdefault(key, Data(content)) if found is None else found
