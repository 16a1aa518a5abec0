"""People beside the log: names can be forgotten, and of tokens only hashes are kept."""

from __future__ import annotations

import hashlib
import re

import pytest

from api.store.base import SqlStore
from api.store.people import ROLES
from api.store.seam import Person, StoreError
from tests.api.store.places import Place

NAME = "Anna Sergeyevna of the fourth floor"


def test_a_person_is_known_by_the_token(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    assert store.people.by_token(token) == person == Person(person.id, NAME, "player")


@pytest.mark.parametrize("forged", ["", "x", "\ud800", "é" * 43, "A" * 10_000])
def test_a_forged_token_is_nobodys(store: SqlStore, forged: str) -> None:
    _, token = store.people.add(NAME, "player")
    assert store.people.by_token(forged) is None
    assert store.people.by_token(token.swapcase()) is None
    assert store.people.by_token(token[:-1]) is None


def test_ids_are_random_and_fit_an_address(store: SqlStore) -> None:
    ids = {store.people.add(NAME, "player")[0].id for _ in range(20)}
    assert len(ids) == 20
    assert all(re.fullmatch(r"p[a-z2-7]{16}", one) for one in ids)


def test_tokens_have_256_bits_and_only_their_hashes_are_stored(store: SqlStore, place: Place) -> None:
    tokens = {store.people.add(NAME, "player")[1] for _ in range(5)}
    assert len(tokens) == 5
    stored = place.content()
    for token in tokens:
        assert re.fullmatch(r"[A-Za-z0-9_-]{43}", token)
        assert token.encode() not in stored
        assert hashlib.sha256(token.encode()).digest() in stored


@pytest.mark.parametrize("role", ROLES)
def test_there_are_four_roles(store: SqlStore, role: str) -> None:
    assert store.people.add(NAME, role)[0].role == role


def test_an_unknown_role_is_refused(store: SqlStore) -> None:
    with pytest.raises(StoreError, match="the roles are player, organizer, observer, admin"):
        store.people.add(NAME, "king")


def test_names_are_looked_up_and_unknown_ids_are_missing(store: SqlStore) -> None:
    ids = [store.people.add(f"name {number}", "player")[0].id for number in range(3)]
    assert store.people.names([*ids, "nobody"]) == dict(zip(ids, ["name 0", "name 1", "name 2"], strict=True))
    assert store.people.names([]) == {}
    assert store.people.names(ids * 1000) == store.people.names(ids)


def test_a_forgotten_person_has_neither_name_nor_token(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    other, other_token = store.people.add("Boris", "player")
    assert store.people.forget(person.id)
    assert store.people.by_token(token) is None
    assert store.people.names([person.id, other.id]) == {other.id: "Boris"}
    assert store.people.by_token(other_token) == other
    assert not store.people.forget(person.id)
    assert not store.people.forget("nobody")


def test_a_forgotten_name_leaves_the_store(store: SqlStore, place: Place) -> None:
    person, _ = store.people.add(NAME, "player")
    assert NAME.encode() in place.content()
    store.people.forget(person.id)
    assert NAME.encode() not in place.content()


def test_people_are_still_known_after_the_store_was_closed(place: Place) -> None:
    store = place.open()
    person, token = store.people.add(NAME, "admin")
    store.close()
    store = place.open()
    assert store.people.by_token(token) == person
    store.close()
