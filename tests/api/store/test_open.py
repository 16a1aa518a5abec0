"""The words that name a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.store.interface import StoreError
from api.store.open import REPLICA, is_there, located, open_store, shown
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from tests.api.store.locations import Database


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ("games", "games"),
        ("/srv/games", "/srv/games"),
        ("sqlite:games", "games"),
        ("sqlite:/srv/games", "/srv/games"),
        ("sqlite:", "."),
        ("a:b", "a:b"),
        ("postgresql", "postgresql"),
    ],
)
def test_a_directory_is_named_with_or_without_its_kind(words: str, folder: str) -> None:
    assert located(words) == Path(folder)


@pytest.mark.parametrize("url", ["postgresql://h/d", "postgres://me:secret@h:1/d"])
def test_a_database_is_named_by_its_url_and_shown_without_the_password(url: str) -> None:
    assert located(url) == url
    assert "secret" not in shown(url)
    assert shown(url).startswith("postgresql://")


@pytest.mark.parametrize("words", ["redis://h", "mysql://me:secret@h/d", "file:///srv/games"])
def test_what_this_version_does_not_know_is_refused_and_not_shown(words: str) -> None:
    with pytest.raises(StoreError, match=r"sqlite:DIR or postgresql://") as told:
        located(words)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "  ",
        " postgresql://me:secret@h/d",
        "postgresql://me:secret@h/d\n",
        '"postgresql://me:secret@h/d"',
        "'games'",
        "games ",
        "postgresql:/me:secret@h/d",
        "postgres:secret@h",
        "Shards:shards.toml",
        "SQLite:games",
        "GLASNOST_STORE=postgresql://me:secret@h/d",
    ],
)
def test_a_slip_of_the_pen_makes_no_directory_and_is_not_shown(words: str) -> None:
    with pytest.raises(StoreError, match=r"names no store: .*sqlite:DIR.*without quotes or blanks") as told:
        located(words)
    assert "secret" not in str(told.value)


def test_a_directory_of_whatever_name_can_be_named() -> None:
    for name in (" games", "a://b", "postgres:games", "'games'"):
        assert located(f"sqlite:{name}") == Path(name)


def test_an_embedded_store_with_a_replica_is_refused_with_the_way_out_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(REPLICA, "postgresql://me:secret@h/d")
    with pytest.raises(StoreError, match=f"no replica: unset {REPLICA}") as told:
        open_store(tmp_path / "store")
    assert str(tmp_path / "store") in str(told.value)
    assert not list(tmp_path.iterdir())


def test_the_location_decides_the_kind_of_the_store(database: str, tmp_path: Path) -> None:
    place = Database(database, tmp_path / "keys")
    for location, kind in ((tmp_path / "store", SqliteStore), (place.location, PostgresStore)):
        store = open_store(location, keys=tmp_path / "keys")
        assert isinstance(store, kind)
        assert store.home == (location if isinstance(location, Path) else None)
        store.close()
    assert is_there(tmp_path / "store")
    assert not is_there(tmp_path / "nothing")
    assert is_there(database)
