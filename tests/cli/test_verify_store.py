"""`glasnost verify --store` proves the key folder, too: a restored store is good only with its own keys."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from api.store.interface import StoreError
from api.store.sqlite import SqliteStore
from tests.cli.program import Program

PLAYED = ("play", "thirteen_minutes", "--seed", "1", "--store", "s")


@pytest.fixture
def store(glasnost: Program) -> Path:
    """A store with one match, in the folder of the test."""
    glasnost(*PLAYED).ok()
    return Path("s")


@pytest.fixture
def older(glasnost: Program, store: Path) -> Path:
    """The key folder as it was before a key was rotated, after which a match was played."""
    copy = shutil.copytree("s.keys", "older")
    glasnost("keys", "--store", "s", "--rotate").ok()
    glasnost("play", "thirteen_minutes", "--seed", "2", "--store", "s").ok()
    return Path(copy)


def wrong_with(keys: str, glasnost: Program, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is printed where these are named as the store's keys; it is found wrong."""
    monkeypatch.setenv("GLASNOST_KEYS", keys)
    done = glasnost("verify", "--store", "s")
    assert done.code == 1
    return done.out.splitlines()


def test_a_store_with_its_own_keys_is_proved(glasnost: Program, older: Path) -> None:
    assert len(glasnost("verify", "--store", "s").ok().out.splitlines()) == 2


def test_a_store_without_any_keys_at_hand_can_still_be_read(glasnost: Program, store: Path) -> None:
    Path("s.keys").rename("apart")
    assert glasnost("verify", "--store", "s").ok().out.startswith("ok: ")


def test_a_server_of_another_name_is_none_of_the_verifiers_business(
    glasnost: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as named:
        named.setenv("GLASNOST_NAME", "league.example")
        glasnost(*PLAYED).ok()
    glasnost("verify", "--store", "s").ok()


def test_a_named_key_folder_that_is_missing_is_reported(
    glasnost: Program, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, good = wrong_with("nowhere", glasnost, monkeypatch)
    assert wrong.startswith("wrong: keys: nowhere/ring.json cannot be read")
    assert wrong.endswith("[the keys]")
    assert good.startswith("ok: ")


def test_the_keys_of_another_store_are_reported(
    glasnost: Program, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SqliteStore.open(Path("other")).close()
    wrong, _ = wrong_with("other.keys", glasnost, monkeypatch)
    assert wrong.startswith("wrong: keys: the keys in other.keys are those of another store")
    glasnost("keys", "--store", "s").refused(2, "those of another store")


def test_keys_from_before_a_rotation_are_reported_and_sign_nothing(
    glasnost: Program, older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = wrong_with("older", glasnost, monkeypatch)[0]
    assert wrong.startswith("wrong: keys: the keys in older are older than the store: glasnost.local+")
    with pytest.raises(StoreError, match="put the latest copy of the key folder back"):
        SqliteStore.open(Path("s"))


def test_a_store_of_before_that_was_noted_tells_it_by_its_signatures(
    glasnost: Program, older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect("s/glasnost.db")) as database, database:
        assert database.execute("DELETE FROM meta WHERE name = 'signing_key'").rowcount == 1
    first, second = wrong_with("older", glasnost, monkeypatch)
    assert first.startswith("ok: ")
    assert second.startswith("wrong: keys: names glasnost.local+")
    assert "which is not in older" in second


def test_newer_keys_than_a_store_restored_to_before_the_rotation_are_its_own(
    glasnost: Program, store: Path
) -> None:
    shutil.copytree("s", "before")
    glasnost("keys", "--store", "s", "--rotate").ok()
    shutil.rmtree("s")
    Path("before").rename("s")
    SqliteStore.open(Path("s")).close()
    glasnost("verify", "--store", "s").ok()


# ── GLASNOST_STORE ──


def test_a_command_that_needs_a_store_takes_the_one_of_the_environment(
    glasnost: Program, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    glasnost("keys").refused(2, "--store", "GLASNOST_STORE")
    glasnost("verify").refused(2, "--store")
    monkeypatch.setenv("GLASNOST_STORE", "s")
    assert glasnost("keys").ok().out == glasnost("keys", "--store", "s").ok().out
    assert glasnost("verify").ok().out == glasnost("verify", "--store", "s").ok().out


def test_a_match_is_not_kept_in_it_unasked(
    glasnost: Program, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_STORE", "s")
    glasnost("play", "thirteen_minutes", "--seed", "2").ok()
    assert len(glasnost("verify").ok().out.splitlines()) == 1
