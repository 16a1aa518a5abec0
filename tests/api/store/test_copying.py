"""A store's content in another store, of every kind into every kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.store.backup import Difference, copy, differences, must_be_empty, size
from api.store.interface import Append, StoreError
from api.store.keys import copy_keys
from api.store.sql import SqlStore
from domain.game import Game
from tests.api.store.appends import appends, remembered, store_each, stored
from tests.api.store.locations import ACT, Database, Folder, Place
from tests.matches import Sitting, finished
from tests.services import Postgres


@pytest.fixture
def source(store: SqlStore, toy_game: Game) -> SqlStore:
    """A store with some of everything: two matches move by move in turn, one uploaded, one running."""
    for pair in zip(*(appends(finished(toy_game, seed)) for seed in (1, 2)), strict=False):
        store_each(store, pair)
    foreign = finished(toy_game, 3).match.records
    store.submit(Append(foreign, note="their note", signer="club.example+00000000")).result()
    running = Sitting(toy_game, 4).seat_all().play_on(2)
    kept = remembered("m4", running.match.move)
    store.submit(Append(running.match.records, secret=running.secret.bytes, remembered=kept)).result()
    for number in range(3):
        store.people.add(f"Ann {number}", "player")
    store.people.forget(store.people.add("Boris", "player")[0].id, ACT)
    return store


@pytest.fixture(params=["to sqlite", "to postgres"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place for the copy."""
    if request.param == "to sqlite":
        yield Folder(tmp_path / "other")
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.database() as url:
        yield Database(url, tmp_path / "other-keys")


@pytest.fixture
def target(other: Place) -> Iterator[SqlStore]:
    """An empty store with keys of its own."""
    store = other.open()
    yield store
    store.close()


def ignore(rows: int) -> None:
    """Ignore the progress."""


def test_everything_is_copied_in_its_order(source: SqlStore, target: SqlStore) -> None:
    copied: list[int] = []
    copy([source], target, copied.append)
    assert sum(copied) == size([source]) == size([target])
    assert list(differences([source], target, ignore)) == []
    ours, theirs = source.after(0, 10_000), target.after(0, 10_000)
    assert [(one.position, one.record.stored, one.uploaded) for one in theirs] == [
        (one.position, one.record.stored, one.uploaded) for one in ours
    ]
    assert list(target.matches()) == list(source.matches()) == ["m1", "m2", "m3", "m4"]
    for name in source.matches():
        assert stored(target, name) == stored(source, name)
        assert target.secret(name) == source.secret(name)
        assert (target.note(name), target.signer(name)) == (source.note(name), source.signer(name))


def test_a_copied_match_goes_on_and_its_people_are_known(
    store: SqlStore, target: SqlStore, toy_game: Game
) -> None:
    person, token = store.people.add("Ann", "organizer")
    first, second, third, *_ = appends(finished(toy_game))
    answered = replace(second, remembered=remembered("m1", 2))
    store_each(store, (first, answered))
    copy([store], target, ignore)
    assert target.people.by_token(token) == person
    assert target.remembered("token m1", "key-2") == answered.remembered
    assert target.submit(third).result() == 3


def test_several_stores_become_one_in_the_order_of_the_times(
    store: SqlStore, target: SqlStore, toy_game: Game, tmp_path: Path
) -> None:
    beside = Folder(tmp_path / "beside").open()
    store_each(store, appends(finished(toy_game, 1)))
    store_each(beside, appends(finished(toy_game, 2)))
    copy([store, beside], target, ignore)
    assert list(differences([store, beside], target, ignore)) == []
    records = [stored.record for stored in target.after(0, 10_000)]
    times = [record.entry.at for record in records]
    assert (len(times), times) == (store.last() + beside.last(), sorted(times))
    assert {record.match for record in records} == {"m1", "m2"}
    beside.close()


def test_only_an_empty_store_takes_a_copy(source: SqlStore, target: SqlStore) -> None:
    must_be_empty(target)
    target.people.add("Ann", "player")
    with pytest.raises(StoreError, match="not empty"):
        copy([source], target, ignore)
    assert target.last() == 0


def test_a_copy_that_is_interrupted_leaves_nothing(source: SqlStore, target: SqlStore) -> None:
    done: list[int] = []

    def give_up(rows: int) -> None:
        done.append(rows)
        if len(done) == 4:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        copy([source], target, give_up)
    must_be_empty(target)
    copy([source], target, ignore)
    assert list(differences([source], target, ignore)) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE people SET name = 'Eve' WHERE name = 'Ann 1'", "people"),
        ("DELETE FROM tokens WHERE person = (SELECT id FROM people WHERE name = 'Ann 1')", "tokens"),
        ("UPDATE notes SET note = 'another'", "notes"),
        ("UPDATE requests SET status = 500 WHERE key = 'key-4'", "requests"),
        ("INSERT INTO uploads (match, signer) VALUES ('m1', 'somebody')", "uploads"),
    ],
)
def test_a_copy_that_was_changed_is_found_out(
    source: SqlStore, target: SqlStore, other: Place, change: str, found: str
) -> None:
    copy([source], target, ignore)
    other.force(change)
    (difference,) = differences([source], target, ignore)
    assert difference.table == found
    assert "key-4" not in difference.key


def test_a_move_that_one_store_lacks_is_found(source: SqlStore, target: SqlStore, toy_game: Game) -> None:
    copy([source], target, ignore)
    last = source.last()
    source.submit(appends(finished(toy_game, 9))[0]).result()
    assert Difference("stored_events", str(last + 1)) in list(differences([source], target, ignore))


def test_keys_are_copied_once_and_never_replaced(tmp_path: Path, store: SqlStore) -> None:
    copy_keys(store.key_folder, tmp_path / "copy")
    names = {path.name: path.read_bytes() for path in (tmp_path / "copy").iterdir()}
    assert names == {path.name: path.read_bytes() for path in store.key_folder.iterdir()}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in (tmp_path / "copy").iterdir())
    other = tmp_path / "more"
    other.mkdir()
    (other / "ring.json").write_text("mine")
    copy_keys(store.key_folder, other)
    assert (other / "ring.json").read_text() == "mine"
    with pytest.raises(StoreError, match="cannot be read"):
        copy_keys(tmp_path / "nowhere", tmp_path / "elsewhere")


def test_a_store_without_anything_is_copied(store: SqlStore, target: SqlStore) -> None:
    copy([store], target, ignore)
    assert size([target]) == 0
    assert list(differences([store], target, ignore)) == []
