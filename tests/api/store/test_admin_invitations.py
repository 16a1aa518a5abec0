"""An administrator is added while a server holds the store: by an invitation in the key folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.store import accounts
from api.store.accounts import appoint
from api.store.interface import StoreError
from api.store.sql import SqlStore
from tests.api.store.locations import ACT


def invitations(store: SqlStore) -> list[Path]:
    return sorted((store.key_folder / accounts.FOLDER).iterdir())


def test_an_invitation_makes_an_administrator_of_a_store_in_use(store: SqlStore) -> None:
    person, token = appoint(store.key_folder, "Ada")
    assert store.people.by_token(token) == person
    assert (person.role, store.people.names([person.id])) == ("admin", {person.id: "Ada"})


def test_an_invitation_is_deleted_when_its_token_is_used(store: SqlStore) -> None:
    person, token = appoint(store.key_folder, "Ada")
    assert len(invitations(store)) == 1
    store.people.by_token(token)
    assert invitations(store) == []
    assert store.people.by_token(token) == person


def test_an_invitation_holds_no_token_and_only_its_owner_can_read_it(store: SqlStore) -> None:
    _, token = appoint(store.key_folder, "Ada")
    (invitation,) = invitations(store)
    assert token not in invitation.read_text() + invitation.name
    assert invitation.stat().st_mode & 0o777 == 0o600


def test_another_token_is_not_accepted_and_leaves_the_invitation(store: SqlStore) -> None:
    _, token = appoint(store.key_folder, "Ada")
    assert store.people.by_token(token + "x") is None
    assert len(invitations(store)) == 1


def test_a_damaged_invitation_is_not_accepted(store: SqlStore) -> None:
    _, token = appoint(store.key_folder, "Ada")
    invitations(store)[0].write_text("{")
    assert store.people.by_token(token) is None


def test_the_token_of_a_forgotten_administrator_is_not_accepted_again(store: SqlStore) -> None:
    person, token = appoint(store.key_folder, "Ada")
    store.people.by_token(token)
    store.people.add("Bea", "admin")
    assert store.people.forget(person.id, ACT)
    assert store.people.by_token(token) is None


def test_without_a_key_folder_an_invitation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no invitation can be written"):
        appoint(tmp_path / "nowhere", "Ada")
