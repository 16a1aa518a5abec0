from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
import pytest

from projections.backend import Batch, shape
from projections.file import FileTables
from projections.model import Gone, Row


class Thing(Row, frozen=True, kw_only=True):
    """A row with a field of each kind."""

    table: ClassVar[str] = "things"
    key: ClassVar[tuple[str, ...]] = ("group", "number")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("name",),)

    group: str
    number: int
    name: str | None = None
    share: float = 0.5
    good: bool = False
    parts: dict[str, int] | None = None
    opaque: Any = None


@pytest.fixture
def connection() -> Iterator[FileTables]:
    connection = FileTables(sqlite3.connect(":memory:", isolation_level=None))
    for statement in shape(Thing).create(3):
        connection.execute(statement)
    yield connection
    connection.close()


def test_plain_fields_are_columns_and_others_json() -> None:
    assert shape(Thing).create(3) == [
        'CREATE TABLE things_3 ("group" TEXT NOT NULL, "number" INTEGER NOT NULL, "name" TEXT, '
        '"share" REAL NOT NULL, "good" INTEGER NOT NULL, "parts" TEXT NOT NULL, "opaque" TEXT NOT NULL, '
        'PRIMARY KEY ("group", "number"))',
        'CREATE INDEX things_3_0 ON things_3 ("name")',
    ]


def test_a_row_reads_back_as_it_was_written(connection: FileTables) -> None:
    thing = Thing(group="a", number=1, name="x", share=0.1, good=True, parts={"b": 2, "a": 1}, opaque=[1])
    batch = Batch(connection, 3)
    batch.apply([thing])
    batch.write()
    found = Batch(connection, 3).get(Thing, "a", 1)
    assert found is not None
    assert found.opaque == msgspec.Raw(b"[1]")
    assert msgspec.structs.replace(found, opaque=[1]) == thing


def test_a_batch_shows_its_own_changes_before_they_are_written(connection: FileTables) -> None:
    written = Batch(connection, 3)
    written.apply([Thing(group="a", number=number) for number in (1, 2, 3)])
    written.write()
    batch = Batch(connection, 3)
    batch.apply([Thing(group="a", number=0), Gone(Thing, ("a", 2)), Thing(group="b", number=1)])
    batch.apply([Thing(group="a", number=3, name="new")])
    assert [(row.number, row.name) for row in batch.under(Thing, "a")] == [(0, None), (1, None), (3, "new")]
    assert batch.get(Thing, "a", 2) is None
    assert len(Batch(connection, 3).under(Thing)) == 3
    batch.write()
    assert [(row.group, row.number) for row in Batch(connection, 3).under(Thing)] == [
        ("a", 0),
        ("a", 1),
        ("a", 3),
        ("b", 1),
    ]


def test_rows_under_a_key_go_together_and_may_come_anew(connection: FileTables) -> None:
    written = Batch(connection, 3)
    written.apply([Thing(group=group, number=number) for group in "ab" for number in (1, 2)])
    written.write()
    batch = Batch(connection, 3)
    batch.apply([Thing(group="a", number=3), Gone(Thing, ("a",)), Thing(group="a", number=2, name="new")])
    for seen in (batch, Batch(connection, 3)):
        assert [(row.number, row.name) for row in seen.under(Thing, "a")] == [(2, "new")]
        assert seen.get(Thing, "a", 1) is None
        assert [row.number for row in seen.under(Thing, "b")] == [1, 2]
        batch.write()


def test_the_order_of_a_dict_does_not_change_what_is_written() -> None:
    one = shape(Thing).values(Thing(group="a", number=1, parts={"x": 1, "y": 2}))
    other = shape(Thing).values(Thing(group="a", number=1, parts={"y": 2, "x": 1}))
    assert one == other


def test_rows_of_another_version_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        shape(Thing).row(["a", 1, None, 0.5, 0, '{"x":"text"}', "null"])
