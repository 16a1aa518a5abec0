"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.store.store import SqliteStore
from domain.game import Game


@pytest.fixture(autouse=True)
def _own_keys(monkeypatch: pytest.MonkeyPatch, toy_game: Game) -> None:
    """Neither the keys nor the name of whoever runs the tests."""
    monkeypatch.delenv("GLASNOST_KEYS", raising=False)
    monkeypatch.delenv("GLASNOST_NAME", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "store"


@pytest.fixture
def store(folder: Path) -> Iterator[SqliteStore]:
    """An open, empty store."""
    store = SqliteStore.open(folder)
    yield store
    store.close()
