"""People beside the log: names can be forgotten, and of tokens only hashes are kept."""

from __future__ import annotations

import hashlib
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from unittest.mock import Mock

import pytest

from api.store.accounts import ROLES, appoint
from api.store.interface import Act, Found, Known, Person, StoreError
from api.store.sql import SqlStore
from api.store.sqlite_schema import connect_for_reading
from domain.kernel import Refused
from domain.log import canonical
from tests.api.store.locations import ACT, Folder, Place
from tests.api.store.older import DATABASE_TO_SCHEMA_3, TO_SCHEMA_2

NAME = "Anna Sergeyevna of the fourth floor"


def test_a_person_is_known_by_the_token(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "player")
    assert store.people.by_token(token) == person == Person(person.id, NAME, "player")


@pytest.mark.parametrize("forged", ["", "x", "\ud800", "é" * 43, "A" * 10_000])
def test_a_forged_token_is_not_accepted(store: SqlStore, forged: str) -> None:
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
    assert store.people.forget(person.id, ACT)
    assert store.people.by_token(token) is None
    assert store.people.names([person.id, other.id]) == {person.id: None, other.id: "Boris"}
    assert store.people.by_token(other_token) == other
    assert not store.people.forget(person.id, ACT)


def test_a_forgotten_name_leaves_the_store(store: SqlStore, place: Place) -> None:
    person, _ = store.people.add(NAME, "player")
    assert NAME.encode() in place.content()
    store.people.forget(person.id, ACT)
    assert NAME.encode() not in place.content()


def test_of_many_names_none_that_was_forgotten_or_changed_is_left(store: SqlStore, place: Place) -> None:
    """Pages of the tables and of the index were split and joined many times."""
    ids = [store.people.add(f"Nobody-{number:05}-Known", "player")[0].id for number in range(400)]
    for number, player in enumerate(ids):
        if number % 4 == 0:
            store.people.forget(player, ACT)
        elif number % 4 == 1:
            store.people.rename(player, f"Somebody-{number:05}", ACT)
    stored = place.content().lower()
    left = [number for number in range(400) if f"nobody-{number:05}-known".encode() in stored]
    assert left == [number for number in range(400) if number % 4 > 1]


def test_a_forgotten_name_leaves_the_files_even_during_a_read(tmp_path: Path) -> None:
    """A long look at the store keeps its write-ahead log; it is emptied when the store is looked after."""
    place = Folder(tmp_path / "store")
    store = place.open()
    person, _ = store.people.add(NAME, "player")
    with closing(connect_for_reading(tmp_path / "store" / "glasnost.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM people").fetchone()
        store.people.forget(person.id, ACT)
        assert NAME.encode() in place.content()
    store.probe()
    assert NAME.encode() not in place.content()
    store.close()


def test_what_a_process_that_was_killed_has_left_of_a_name_goes_with_the_next_start(tmp_path: Path) -> None:
    place = Folder(tmp_path / "store")
    store = place.open()
    person, _ = store.people.add(NAME, "player")
    vars(store.people)["leave_no_traces"] = Mock()  # it is killed before
    store.people.forget(person.id, ACT)
    shutil.copytree(tmp_path / "store", tmp_path / "killed")
    shutil.copytree(place.keys, tmp_path / "killed.keys")
    store.close()
    killed = Folder(tmp_path / "killed")
    assert NAME.encode() in killed.content()
    again = killed.open()
    assert NAME.encode() not in killed.content()
    again.close()


def test_a_forgotten_person_does_not_come_back(store: SqlStore, place: Place) -> None:
    person, _ = store.people.add(NAME, "player")
    appointed, token = appoint(place.keys, NAME)
    store.people.forget(person.id, ACT)
    for again in (
        lambda: store.people.new_token(person.id, ACT),
        lambda: store.people.rename(person.id, "Ann", ACT),
    ):
        with pytest.raises(Refused, match="does not come back") as refused:
            again()
        assert refused.value.kind == "forgotten"
    letter = next((place.keys / "appointments").iterdir())
    kept = letter.read_bytes()
    came = store.people.by_token(token)
    assert came is not None
    assert came.id == appointed.id
    store.people.add("other", "admin")
    store.people.forget(appointed.id, ACT)
    letter.write_bytes(kept)  # as out of a backup of the key folder
    assert store.people.by_token(token) is None
    assert store.people.known(appointed.id) == Known(appointed.id, None, "admin", 0)


def test_forgetting_burns_the_letters_of_a_person(store: SqlStore, place: Place) -> None:
    person, token = appoint(place.keys, NAME)
    with pytest.raises(Refused, match="there is no player"):
        store.people.forget(person.id, ACT)
    assert store.people.by_token(token) == person
    kept = place.keys / "appointments" / hashlib.sha256(b"another token").hexdigest()
    kept.write_bytes(canonical(person))
    store.people.add("other", "admin")
    store.people.forget(person.id, ACT)
    assert not kept.exists()


def test_the_last_administrator_is_neither_forgotten_nor_locked_out(store: SqlStore) -> None:
    person, token = store.people.add(NAME, "admin")
    store.people.add("Boris", "organizer")
    for do in (store.people.forget, store.people.revoke):
        with pytest.raises(Refused, match="last administrator with a token") as refused:
            do(person.id, ACT)
        assert refused.value.kind == "last-admin"
    assert store.people.by_token(token) == person
    other, _ = store.people.add("Carl", "admin")
    assert store.people.revoke(other.id, ACT)
    with pytest.raises(Refused, match="last administrator"):
        store.people.forget(person.id, ACT)
    assert not store.people.revoke(other.id, ACT)  # has none any more
    assert store.people.forget(other.id, ACT)
    assert store.people.by_token(token) == person


def test_of_two_who_forget_each_other_at_once_one_administrator_stays(store: SqlStore) -> None:
    for _ in range(5):
        found = store.rows(
            "SELECT DISTINCT person FROM tokens JOIN people ON id = person WHERE role = 'admin'"
        )
        ids = [row[0] for row in found]
        ids += [store.people.add("x", "admin")[0].id for _ in range(2 - len(ids))]
        barrier = Barrier(2)

        def do(player: str, barrier: Barrier = barrier) -> bool:
            barrier.wait()
            try:
                return store.people.forget(player, ACT)
            except Refused:
                return False

        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(do, ids)) == [False, True]


def test_a_new_token_takes_the_place_of_all_others(store: SqlStore) -> None:
    person, old = store.people.add(NAME, "player")
    new = store.people.new_token(person.id, ACT)
    newest = store.people.new_token(person.id, ACT)
    assert [store.people.by_token(token) for token in (old, new, newest)] == [None, None, person]
    holder = hashlib.sha256(newest.encode()).hexdigest()[:32]
    assert store.people.by_holder(holder) == person
    assert store.people.by_holder(hashlib.sha256(old.encode()).hexdigest()[:32]) is None
    assert store.people.known(person.id) == Known(person.id, NAME, "player", 1)


def test_each_action_is_recorded_once_and_without_a_name(store: SqlStore, place: Place) -> None:
    person, _ = store.people.add(NAME, "player")
    acts = [Act("padmin", number, f"because {number}") for number in range(1, 5)]
    assert store.people.rename(person.id, "Boris", acts[0])
    assert not store.people.rename(person.id, "Boris", acts[0])
    assert store.people.revoke(person.id, acts[1])
    assert not store.people.revoke(person.id, acts[1])
    store.people.new_token(person.id, acts[2])
    told = store.people.audit_log((), 10)
    assert [(one.at, one.action, one.person, one.by, one.reason) for one in told] == [
        (3, "new-token", person.id, "padmin", "because 3"),
        (2, "revoke", person.id, "padmin", "because 2"),
        (1, "rename", person.id, "padmin", "because 1"),
    ]
    assert store.people.audit_log((told[0].at, told[0].id), 1) == [told[1]]
    assert store.people.forget(person.id, acts[3])
    assert not store.people.forget(person.id, acts[3])
    assert [(one.action, one.reason) for one in store.people.audit_log((), 10)] == [
        ("forget", "because 4"),
        ("new-token", ""),
        ("revoke", ""),
        ("rename", ""),
    ]
    assert b"because 2" not in place.content()


@pytest.mark.parametrize("reason", ["Boris asked", "by wish of BORIS.", "Борис, boris!"])
def test_a_reason_does_not_hold_the_name(store: SqlStore, reason: str) -> None:
    person, _ = store.people.add("Boris", "player")
    for do in (store.people.forget, store.people.revoke, store.people.new_token):
        with pytest.raises(Refused, match="say it without the name"):
            do(person.id, Act("", 1, reason))
    assert store.people.audit_log((), 10) == []


def test_players_are_found_by_name_in_whatever_letters(store: SqlStore) -> None:
    names = ("ANNA", "anna", "Annabel", "Ａｎｎａ", "An\u200dna", "Анна", "Straße", "ANN%", "ann_")
    ids = {store.people.add(name, "player")[0].id: name for name in names}

    def found(name: str, *, whole: bool = True) -> set[str]:
        return {ids[one.id] for one in store.people.find(name, whole=whole, after=(), limit=50)}

    assert found("Anna") == {"ANNA", "anna", "Ａｎｎａ", "An\u200dna"}
    assert found("an", whole=False) == {"ANNA", "anna", "Ａｎｎａ", "An\u200dna", "Annabel", "ANN%", "ann_"}
    assert found("АН", whole=False) == {"Анна"}
    assert found("STRASSE") == {"Straße"}
    assert found("ann%") == {"ANN%"}
    assert found("ann_", whole=False) == {"ann_"}
    assert found("'; DROP TABLE people; --") == set()
    gone = next(one for one, name in ids.items() if name == "Annabel")
    store.people.forget(gone, ACT)
    renamed = next(one for one, name in ids.items() if name == "anna")
    store.people.rename(renamed, "Zoë", ACT)
    assert found("an", whole=False) == {"ANNA", "Ａｎｎａ", "An\u200dna", "ANN%", "ann_"}


def test_players_of_an_older_store_are_found_once_it_is_migrated(place: Place) -> None:
    store = place.open()
    person, _ = store.people.add("STRASSE", "player")
    gone, _ = store.people.add(NAME, "player")
    store.people.forget(gone.id, ACT)
    older = DATABASE_TO_SCHEMA_3 if store.shared else TO_SCHEMA_2
    store.close()
    for statement in older:
        place.force(statement)
    with closing(place.open()) as migrated:
        (found,) = migrated.people.find("straße", whole=True, after=(), limit=9)
        assert found == Found("strasse", person.id, "STRASSE")
        assert migrated.people.known(gone.id) == Known(gone.id, None, "player", 0)
        assert migrated.people.rename(person.id, "Boris", ACT)


def test_the_pages_of_a_search_neither_repeat_nor_miss_a_player(store: SqlStore) -> None:
    for _ in range(3):
        for name in ("Ann", "ann", "Anne", "Annette"):
            store.people.add(name, "player")
    after: tuple[str, ...] = ()
    pages: list[Found] = []
    while page := store.people.find("ann", whole=False, after=after, limit=5):
        pages += page
        after = (page[-1].folded, page[-1].id)
    assert len({one.id for one in pages}) == len(pages) == 12
    assert [(one.folded, one.id) for one in pages] == sorted((one.folded, one.id) for one in pages)


def test_the_look_for_a_name_uses_the_index(tmp_path: Path) -> None:
    with closing(Folder(tmp_path / "store").open()) as store:
        for which in ("folded = ?", "folded >= ?"):
            plan = (
                f"EXPLAIN QUERY PLAN SELECT folded, id, name FROM people WHERE folded IS NOT NULL AND {which}"
            )
            assert "people_folded" in repr(store.rows(f"{plan} ORDER BY folded, id LIMIT 51", ("anna",)))


def test_a_callback_gets_each_change_of_a_person(store: SqlStore) -> None:
    person, _ = store.people.add(NAME, "player")
    told: list[str] = []
    store.people.watch(told.append)
    store.people.rename(person.id, "Boris", ACT)
    store.people.forget(person.id, ACT)
    assert told.count(person.id) >= 2


def test_people_are_still_known_after_the_store_was_closed(place: Place) -> None:
    store = place.open()
    person, token = store.people.add(NAME, "admin")
    store.close()
    store = place.open()
    assert store.people.by_token(token) == person
    store.close()
