"""The match files that rulings name, in every kind of store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from api.store.backup import copy, differences
from api.store.interface import Conflict, Quota, ReportedFile, Spent
from api.store.sql import SqlStore
from tests.api.store.locations import Place
from tests.api.store.older import DATABASE_TO_SCHEMA_9, TO_SCHEMA_8
from tests.api.store.test_copying import ignore, other, target

__all__ = ["other", "target"]
MOST = Quota(4, 1_000)


def file(match: str, tournament: str = "t1", sha256: str = "", at: int = 1, size: int = 10) -> ReportedFile:
    """A file of a match."""
    return ReportedFile(tournament, match, sha256 or f"hash of {match}", at, "{}", b"x" * size)


def test_a_file_is_kept_and_found_in_its_tournament_alone(store: SqlStore) -> None:
    store.reported_files.keep(file("m1"), 2, MOST)
    assert store.reported_files.content("t1", "hash of m1") == b"x" * 10
    assert store.reported_files.about("t1", "hash of m1") == "{}"
    assert store.reported_files.content("t2", "hash of m1") is None
    assert not store.reported_files.name("t2", "hash of m1")
    assert store.reported_files.name("t1", "hash of m1")


def test_the_latest_files_wait_and_those_that_are_named_stay(store: SqlStore) -> None:
    # given: one file that a ruling names
    store.reported_files.keep(file("named", at=1), 2, MOST)
    assert store.reported_files.name("t1", "hash of named")
    # when: four others come, and two may wait
    for number in range(1, 5):
        store.reported_files.keep(file(f"m{number}", at=number + 1), 2, MOST)
    # then: the latest two are there, and the named one
    kept = [name for name in ("named", "m1", "m2", "m3", "m4") if _is_there(store, name)]
    assert kept == ["named", "m3", "m4"]


def _is_there(store: SqlStore, name: str) -> bool:
    return store.reported_files.about("t1", f"hash of {name}") is not None


@pytest.mark.parametrize("size", [300, 10])
def test_a_tournament_has_room_for_so_many_files_and_bytes(store: SqlStore, size: int) -> None:
    for number in range(1, 10):
        try:
            store.reported_files.keep(file(f"m{number}", at=number, size=size), 9, MOST)
        except Spent:
            break
        store.reported_files.name("t1", f"hash of m{number}")
    # then: the one that was refused is not there, and another tournament has room
    assert number == (4 if size == 300 else 5)
    assert not _is_there(store, f"m{number}")
    store.reported_files.keep(file(f"m{number}", "t2", size=size), 9, MOST)


def test_a_named_match_is_never_replaced_nor_taken_elsewhere(store: SqlStore) -> None:
    # given: a file that waits goes to who brings it last
    store.reported_files.keep(file("m1"), 2, MOST)
    store.reported_files.keep(file("m1", "t2"), 2, MOST)
    assert store.reported_files.about("t1", "hash of m1") is None
    # when: it is named
    assert store.reported_files.name("t2", "hash of m1")
    # then: it stays as it is
    for another in (file("m1"), file("m1", "t2", "another hash")):
        with pytest.raises(Conflict):
            store.reported_files.keep(another, 2, MOST)
    store.reported_files.keep(file("m1", "t2"), 2, MOST)
    assert store.reported_files.content("t2", "hash of m1") == b"x" * 10


def test_two_tournaments_at_once_get_one_match_once(store: SqlStore) -> None:
    def claim(tournament: str) -> bool:
        try:
            store.reported_files.keep(file("m1", tournament), 2, MOST)
        except Conflict:
            return False
        return store.reported_files.name(tournament, "hash of m1")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(claim, [f"t{number}" for number in range(12)]))
    named = store.rows("SELECT tournament FROM reported_files WHERE named = 1")
    assert len(named) == 1


def test_an_older_store_gets_the_table(store: SqlStore, place: Place) -> None:
    store.close()
    for statement in DATABASE_TO_SCHEMA_9 if store.shared else TO_SCHEMA_8:
        place.force(statement)
    with closing(place.open()) as again:
        again.reported_files.keep(file("m1"), 2, MOST)
        assert again.reported_files.name("t1", "hash of m1")


def test_files_are_copied_with_their_store(store: SqlStore, target: SqlStore) -> None:
    for number in range(6):
        store.reported_files.keep(file(f"m{number}", at=number), 9, Quota(9, 1_000))
    store.reported_files.name("t1", "hash of m3")
    copy([store], target, ignore)
    assert list(differences([store], target, ignore)) == []
    assert target.reported_files.content("t1", "hash of m5") == b"x" * 10
