"""What the proofs share: a place for a store of each kind, and how often a fault is repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.store.locations import Database, Folder, Place
from tests.faults.load import PLAYING


@pytest.fixture(autouse=True)
def _own_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use neither the keys nor the name of the user who runs the tests."""
    for name in ("GLASNOST_KEYS", "GLASNOST_NAME", "GLASNOST_STORE_REPLICA"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _nobody_stays() -> Iterator[None]:
    """Stop the players that still play when a test has failed."""
    yield
    while PLAYING:
        PLAYING.pop().leave()


@pytest.fixture
def embedded(tmp_path: Path) -> Folder:
    """Where an embedded store may be made."""
    return Folder(tmp_path / "store")


@pytest.fixture
def shared(database: str, tmp_path: Path) -> Database:
    """Where a shared store may be made."""
    return Database(database, tmp_path / "keys")


@pytest.fixture(params=["embedded", "shared"])
def place(request: pytest.FixtureRequest) -> Place:
    """Where a store of each kind may be made."""
    found: Place = request.getfixturevalue(request.param)
    return found
