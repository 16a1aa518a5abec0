"""The open data set: it follows the folder, and what is asked of it has limits."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from api.data.answers import asked
from api.data.reader import Limits, Reader
from domain.kernel import Refused
from replay.dataset import BadDataSet, DataSet, manifest
from replay.dataset.queries import query
from tests.api.data.conftest import Small

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
WIN_RATE = asked(query("win_rate"), {})


@pytest.fixture
def folder(small: Small, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    shutil.copytree(small.folder, tmp_path / "club")
    return tmp_path / "club"


@pytest.fixture
def readers() -> Iterator[list[Reader]]:
    """Those that a test opens; their threads end with it."""
    opened: list[Reader] = []
    yield opened
    for reader in opened:
        reader.close()


def endless(data: DataSet) -> Any:
    return data.connection.execute(ENDLESS).fetchall()


def test_the_next_answer_after_a_build_is_from_what_was_built(
    folder: Path, small: Small, readers: list[Reader]
) -> None:
    async def followed() -> list[str]:
        readers.append(reader := Reader(folder))
        seen = [WIN_RATE.answer((await reader.data()).apart()).snapshot]
        newer = replace(small.manifest, product="9.9.9")
        manifest.write(folder, manifest.MANIFEST, newer.data)
        seen.append((await reader.call(await reader.data(), WIN_RATE.answer)).snapshot)
        (folder / manifest.MANIFEST).write_bytes(b"{")  # no data set: the one before answers
        seen.append((await reader.call(await reader.data(), WIN_RATE.answer)).snapshot)
        return [*seen, newer.snapshot]

    first, second, third, newer = asyncio.run(followed())
    assert first == small.manifest.snapshot
    assert second == third == newer


def test_a_part_that_a_build_has_removed_is_no_error_of_the_server(
    folder: Path, small: Small, readers: list[Reader]
) -> None:
    async def answered() -> None:
        readers.append(reader := Reader(folder))
        for part in small.manifest.parts:
            if part.table == "matches":
                (folder / part.path).unlink()
        await reader.call(await reader.data(), WIN_RATE.answer)

    with pytest.raises(Refused) as refused:
        asyncio.run(answered())
    assert (refused.value.kind, refused.value.id) == ("data-away", "data-replaced")
    with pytest.raises(BadDataSet, match="the table matches cannot be read"):
        Reader(folder)


def test_what_takes_too_long_is_stopped_and_what_waits_too_long_a_line_is_refused(
    small: Small, readers: list[Reader]
) -> None:
    async def answered() -> tuple[list[Any], Any]:
        limits = Limits(at_once=1, waiting=1, seconds=0.05)
        readers.append(reader := Reader(small.folder, limits))
        data = await reader.data()
        found = await asyncio.gather(*(reader.call(data, endless) for _ in range(3)), return_exceptions=True)
        return found, await reader.call(data, lambda apart: len(apart.tables))

    found, tables = asyncio.run(answered())
    assert sorted(one.id for one in found) == ["data-busy", "data-too-slow", "data-too-slow"]
    assert tables > 10, "its place is free again"
