"""A store's whole content, copied into an empty store of whatever kind, and compared with it.

Moves keep their bytes, positions and order.  Secrets are wrapped anew by the keys of the target.  All of it
is one transaction: if it is interrupted, the target stays empty.

The shards of a store that an older version divided are copied together, as one content.  Each had an order of
its own, so their moves are put in the order of their times and numbered anew.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any

import msgspec
from msgspec import Struct

from api.store.base import SqlStore
from api.store.people import Cursor
from api.store.seam import StoreError
from api.store.shards import must_stand_alone

PAGE = 500  # rows in one statement
LOG = ("stored_events", ("id", "originator_id", "originator_version", "topic", "state"), ("id",))
BESIDE = (
    ("vault", ("match", "wrapped"), ("match",)),
    ("requests", ("scope", "key", "body", "status", "answer"), ("scope", "key")),
    ("notes", ("match", "note"), ("match",)),
    ("uploads", ("match", "signer"), ("match",)),
    ("upload_quota", ("visitor", "day", "number", "bytes"), ("visitor", "day")),
    ("withdrawals", ("match", "at", "by_whom", "reason"), ("match",)),
    ("reservations", ("match", "version", "seats"), ("match",)),
    ("people", ("id", "name", "role", "folded"), ("id",)),
    ("tokens", ("hash", "person"), ("hash",)),
    ("audit_log", ("id", "at", "action", "person", "doer", "reason"), ("id",)),
)

Table = tuple[str, tuple[str, ...], tuple[str, ...]]  # its name, its columns, and those of its key
Row = tuple[Any, ...]
Stores = Sequence[SqlStore]  # one, or the shards of one
Advance = Callable[[int], None]


class _Leaf(Struct, frozen=True):
    """Of a stored move, when it was made: microseconds UTC."""

    at: int = 0


_leaf = msgspec.json.Decoder(_Leaf).decode


class Difference(Struct, frozen=True):
    """Where two stores are not the same."""

    table: str
    key: str


def must_be_empty(store: SqlStore) -> None:
    """A store that is to take another one's content.

    Raises:
        StoreError: it holds something, or is a shard.
    """
    must_stand_alone(store, "the target")
    for table, *_ in (LOG, *BESIDE):
        count = store.rows(f"SELECT count(*) FROM {table}")[0][0]
        if count:
            what = "moves" if table == LOG[0] else f"rows of {table}"
            raise StoreError(f"the target is not empty (it holds {count} {what}): name a new one")


def size(stores: Stores) -> int:
    """How many rows there are to copy."""
    tables = [table for table, *_ in (LOG, *BESIDE)]
    return sum(int(store.rows(f"SELECT count(*) FROM {name}")[0][0]) for store in stores for name in tables)


def copy(source: Stores, target: SqlStore, advance: Advance) -> None:
    """Copy everything; `advance` is told how many rows were copied, and may raise to end it.

    Raises:
        StoreError: the target is not empty, or something cannot be read or written; nothing was written.
    """
    must_be_empty(target)

    def work(cursor: Cursor) -> None:
        for table in (LOG, *BESIDE):
            rows = _content(source, table)
            while page := list(islice(rows, PAGE)):
                _insert(cursor, table, _wrapped(page, target) if table[0] == "vault" else page)
                advance(len(page))

    target.write(work)


def differences(source: Stores, target: SqlStore, advance: Advance) -> Iterator[Difference]:
    """Every row that the two do not have in common, at most one of each table."""
    for table in (LOG, *BESIDE):
        ours, theirs = _content(source, table), _content([target], table)
        for number, (one, other) in enumerate(zip_longest(ours, theirs), 1):
            if one != other:
                yield Difference(table[0], _key(table, one or other or ()))
                break
            if number % PAGE == 0:
                advance(PAGE)


def _content(stores: Stores, table: Table) -> Iterator[Row]:
    """All rows in the order of their keys, secrets unwrapped."""
    one, *others = (_rows(store, table) for store in stores)
    if not others:
        yield from one
    elif table == LOG:
        in_order = heapq.merge(one, *others, key=lambda row: _leaf(bytes(row[-1]).partition(b"\n")[0]).at)
        yield from ((number, *row[1:]) for number, row in enumerate(in_order, 1))
    else:
        yield from heapq.merge(one, *others, key=lambda row: row[: len(table[2])])


def _rows(store: SqlStore, table: Table) -> Iterator[Row]:
    """All rows of a table, in the order of its key, secrets unwrapped."""
    for page in _pages(store, table):
        for row in page:
            yield (row[0], store.secret(row[0])) if table[0] == "vault" else row


def _pages(store: SqlStore, table: Table) -> Iterator[list[Row]]:
    """The same as it is stored, page by page."""
    name, columns, key = table
    select, order = f"SELECT {', '.join(columns)} FROM {name}", f"ORDER BY {', '.join(key)} LIMIT {PAGE}"
    marks = ", ".join("?" * len(key))
    page = [tuple(row) for row in store.rows(f"{select} {order}")]
    while page:
        yield page
        last = [value for column, value in zip(columns, page[-1], strict=True) if column in key]
        more = f"{select} WHERE ({', '.join(key)}) > ({marks}) {order}"
        page = [tuple(row) for row in store.rows(more, last)] if len(page) == PAGE else []


def _wrapped(page: Sequence[Row], target: SqlStore) -> list[Row]:
    """Rows of the vault as the target's keys wrap them."""
    return [(match, target.wrapped(match, secret)) for match, secret in page if secret is not None]


def _insert(cursor: Cursor, table: Table, rows: Sequence[Row]) -> None:
    name, columns, _ = table
    marks = f"({', '.join('?' * len(columns))})"
    statement = f"INSERT INTO {name} ({', '.join(columns)}) VALUES {', '.join([marks] * len(rows))}"
    cursor.execute(statement, [value for row in rows for value in row])


def _key(table: Table, row: Row) -> str:
    """The key of a row as it may be shown: not where it is one of a request or a token."""
    if table[0] in ("requests", "tokens"):
        return "one of them"
    return " ".join(str(value) for column, value in zip(table[1], row, strict=True) if column in table[2])
