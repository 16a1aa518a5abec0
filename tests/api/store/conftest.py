"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from tests.api.store.locations import Database, Folder, Place


@pytest.fixture(autouse=True)
def _own_keys(monkeypatch: pytest.MonkeyPatch, toy_game: Game) -> None:
    """Use neither the keys nor the name of the user who runs the tests."""
    monkeypatch.delenv("GLASNOST_KEYS", raising=False)
    monkeypatch.delenv("GLASNOST_NAME", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "store"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, folder: Path) -> Place:
    """Where a store of each kind may be made."""
    if request.param == "sqlite":
        return Folder(folder)
    return Database(request.getfixturevalue("database"), folder.with_name("keys"))


@pytest.fixture
def store(place: Place) -> Iterator[SqlStore]:
    """An open, empty store of each kind."""
    store = place.open()
    yield store
    store.close()


@pytest.fixture
def embedded(folder: Path) -> Iterator[SqliteStore]:
    """An open, empty embedded store."""
    store = SqliteStore.open(folder)
    yield store
    store.close()
