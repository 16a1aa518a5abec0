"""An administrator is made while a server holds the store: by a letter in the key folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.store import accounts
from api.store.accounts import appoint
from api.store.interface import StoreError
from api.store.sql import SqlStore
from tests.api.store.locations import ACT


def letters(store: SqlStore) -> list[Path]:
    return sorted((store.key_folder / accounts.FOLDER).iterdir())


def test_a_letter_makes_an_administrator_of_a_store_in_use(store: SqlStore) -> None:
    person, token = appoint(store.key_folder, "Ada")
    assert store.people.by_token(token) == person
    assert (person.role, store.people.names([person.id])) == ("admin", {person.id: "Ada"})


def test_a_letter_is_burnt_once_it_has_done_its_work(store: SqlStore) -> None:
    person, token = appoint(store.key_folder, "Ada")
    assert len(letters(store)) == 1
    store.people.by_token(token)
    assert letters(store) == []
    assert store.people.by_token(token) == person


def test_a_letter_holds_no_token_and_is_its_owners_alone(store: SqlStore) -> None:
    _, token = appoint(store.key_folder, "Ada")
    (letter,) = letters(store)
    assert token not in letter.read_text() + letter.name
    assert letter.stat().st_mode & 0o777 == 0o600


def test_another_token_gets_nothing_from_a_letter(store: SqlStore) -> None:
    _, token = appoint(store.key_folder, "Ada")
    assert store.people.by_token(token + "x") is None
    assert len(letters(store)) == 1


def test_a_damaged_letter_appoints_nobody(store: SqlStore) -> None:
    _, token = appoint(store.key_folder, "Ada")
    letters(store)[0].write_text("{")
    assert store.people.by_token(token) is None


def test_a_revoked_administrator_is_not_appointed_again(store: SqlStore) -> None:
    person, token = appoint(store.key_folder, "Ada")
    store.people.by_token(token)
    store.people.add("Bea", "admin")
    assert store.people.forget(person.id, ACT)
    assert store.people.by_token(token) is None


def test_without_a_key_folder_nobody_is_appointed(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no letter"):
        appoint(tmp_path / "nowhere", "Ada")
