"""A store that is divided: where matches lie, what is refused, and what a shard that is away holds up."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.store import shard_part
from api.store.base import SqlStore
from api.store.location import MapFile
from api.store.opening import open_store
from api.store.postgres_schema import CURRENT
from api.store.seam import Append, Conflict, Exists, InUse, Outdated, Store, StoreError, Told, Unavailable
from api.store.shard_part import Part
from api.store.sharded import ShardedStore
from api.store.single import REPLICA, open_one
from domain.game import Game
from tests.api.store.appends import appends, store_all, store_each, stored
from tests.api.store.places import ACT, Database
from tests.api.store.proxy import Line, line_to
from tests.matches import Sitting, finished

IDS = ("m1", "m-east-2", "m-west-3", "seed-4")


class League:
    """A map in a folder, and the stores it names.

    Args:
        folder: where the map, and the directories it names, lie.
        stores: where each shard's store lies.
    """

    def __init__(self, folder: Path, **stores: str) -> None:
        self.folder, self.file, self.stores = folder, folder / "shards.toml", stores
        self.keys = folder / "keys"

    def write(self, *names: str, **stores: str) -> None:
        """Write a map of these shards, all with the same share."""
        shards = {name: self.stores[name] for name in names} | stores or self.stores
        text = [f'[[shard]]\nname = "{name}"\nstore = "{store}"\n' for name, store in shards.items()]
        self.file.write_text("\n".join(text))

    def open(self, *, write: bool = True) -> ShardedStore:
        """The divided store."""
        opened = open_store(MapFile(self.file), keys=self.keys, write=write)
        assert isinstance(opened, ShardedStore)
        return opened

    def refusal(self, *, write: bool = True) -> str:
        """What is said when it is opened, and cannot be."""
        with pytest.raises(StoreError) as told:
            self.open(write=write)
        return str(told.value)


@pytest.fixture
def league(tmp_path: Path) -> League:
    """Three directories."""
    made = League(tmp_path, home="first", east="sqlite:second", west="third")
    made.write()
    return made


@pytest.fixture(params=["sqlite", "postgres", "both"])
def any_league(request: pytest.FixtureRequest, league: League) -> League:
    """Directories, databases, or one of each."""
    databases: list[str] = []
    if request.param != "sqlite":
        postgres = request.getfixturevalue("databases")
        databases = [postgres() for _ in range(3 if request.param == "postgres" else 1)]
    league.stores |= dict(zip(("east", "west", "home"), databases, strict=False))
    league.write()
    return league


@pytest.fixture
def store(any_league: League) -> Iterator[ShardedStore]:
    opened = any_league.open()
    yield opened
    opened.close()


def sittings(game: Game) -> list[Sitting]:
    """A finished match for each of the ids."""
    return [finished(game, seed, name=name) for seed, name in enumerate(IDS)]


def test_an_earlier_move_is_read_where_its_match_lies(store: ShardedStore, toy_game: Game) -> None:
    for sitting in sittings(toy_game):
        store_all(store, sitting)
    for sitting in sittings(toy_game):
        glimpse = store.glimpse(sitting.id, 5)
        assert glimpse is not None
        assert glimpse.table_at(5, "left") == sitting.match.table_at(5, "left")
    assert store.glimpse("m-east-nobody", 1) is None


def holdings(store: ShardedStore) -> dict[str, list[str]]:
    """Which matches each shard holds."""
    return {name: list(part.store.matches()) for name, part in store.parts.items()}


# ── what any store does ──


def test_it_is_a_store(store: ShardedStore) -> None:
    seen: Store = store
    assert seen.last() == 0
    assert list(seen.matches()) == []
    assert list(seen.logs) == ["home", "east", "west"]


def test_matches_lie_where_their_ids_say_and_are_read_back(store: ShardedStore, toy_game: Game) -> None:
    played = sittings(toy_game)
    for sitting in played:
        store_all(store, sitting)
    assert holdings(store) == {"home": ["m1", "seed-4"], "east": ["m-east-2"], "west": ["m-west-3"]}
    assert list(store.matches()) == ["m1", "seed-4", "m-east-2", "m-west-3"]
    for sitting in played:
        match = store.match(sitting.id)
        assert match is not None
        assert (match.roots, match.result) == (sitting.match.roots, sitting.match.result)
        assert [one.stored for one in store.since(sitting.id, 3)] == stored(store, sitting.id)[3:]
        later = store.logs[store.log_of(sitting.id)].since_each({sitting.id: 3})
        assert [one.stored for one in later[sitting.id]] == stored(store, sitting.id)[3:]
        assert store.secret(sitting.id) == sitting.secret.bytes
        assert store.note(sitting.id) == "the last checkpoint"
        assert store.signer(sitting.id) is None
        for append in appends(sitting):
            if kept := append.remembered:
                assert store.remembered(kept.scope, kept.key) == kept
    assert store.last() == sum(sitting.match.move for sitting in played)


def test_each_log_has_an_order_of_its_own(store: ShardedStore, toy_game: Game) -> None:
    told: list[tuple[str, int]] = []
    store.watch(lambda match, position: told.append((match, position)))
    for sitting in sittings(toy_game):
        store_all(store, sitting)
    for log in store.logs.values():
        assert [one.position for one in log.after(0, 1_000)] == list(range(1, log.last() + 1))
        assert log.news(0, 1_000) == [(one.record.match, one.position) for one in log.after(0, 1_000)]
    assert {store.log_of(match) for match in store.matches()} == {"home", "east", "west"}


def test_a_move_that_does_not_follow_is_refused_where_its_match_lies(
    store: ShardedStore, toy_game: Game
) -> None:
    first, second, *_ = appends(finished(toy_game, name="m-east-2"))
    store.submit(first).result()
    assert isinstance(store.submit(first).exception(), Exists)
    store.submit(second).result()
    assert isinstance(store.submit(second).exception(), Conflict)
    assert store.last() == 2


def test_an_upload_lies_where_its_id_says(store: ShardedStore, toy_game: Game) -> None:
    foreign = finished(toy_game, name="m-west-3")
    store.submit(Append(foreign.match.records, note="theirs", signer="club.example+00000000")).result()
    assert (store.signer("m-west-3"), store.secret("m-west-3")) == ("club.example+00000000", None)
    assert holdings(store)["west"] == ["m-west-3"]


def test_people_are_at_home(store: ShardedStore, any_league: League) -> None:
    person, token = store.people.add("Ann", "player")
    assert store.people.by_token(token) == person
    assert store.people.names([person.id]) == {person.id: "Ann"}
    counts = {
        name: part.store.rows("SELECT count(*) FROM people")[0][0] for name, part in store.parts.items()
    }
    assert counts == {"home": 1, "east": 0, "west": 0}
    assert store.people.forget(person.id, ACT)


def test_it_tells_how_it_is(store: ShardedStore) -> None:
    store.probe()
    assert store.size() > 3 * 4096
    assert len(store.figures) == 3
    assert store.lag() is None


def test_all_shards_have_the_keys_of_the_first(store: ShardedStore, any_league: League) -> None:
    assert {part.store.key_folder for part in store.parts.values()} == {any_league.keys}
    assert store.keys.present.text == store.parts["east"].store.keys.present.text


def test_it_is_read_beside_whoever_writes_it(store: ShardedStore, any_league: League, toy_game: Game) -> None:
    store_all(store, finished(toy_game, name="m-east-2"))
    reader = any_league.open(write=False)
    assert list(reader.matches()) == ["m-east-2"]
    reader.close()


# ── a map that changes ──


def test_a_store_that_was_not_divided_becomes_home_as_it_is(league: League, toy_game: Game) -> None:
    plain = open_store(league.folder / "first", keys=league.keys)
    person, token = plain.people.add("Ann", "player")
    store_all(plain, finished(toy_game, 1))
    plain.close()
    store = league.open()
    assert stored(store, "m1") == [record.stored for record in finished(toy_game, 1).match.records]
    assert store.people.by_token(token) == person
    store.close()


def test_a_shard_may_be_added_and_holds_new_matches_only(league: League, toy_game: Game) -> None:
    league.write("home", "east")
    store = league.open()
    given = [f"m{number:016d}" for number in range(40)]
    before = [store.named(match) for match in given]
    store_all(store, finished(toy_game, name="m-east-2"))
    store.close()
    league.write()
    store = league.open()
    assert stored(store, "m-east-2")
    assert [store.log_of(match) for match in before] == [
        "east" if match.startswith("m-east-") else "home" for match in before
    ]
    assert {store.log_of(store.named(match)) for match in given} == {"home", "east", "west"}
    store.close()


def test_a_worker_with_an_older_map_says_that_it_is_not_ready(
    league: League, databases: Callable[[], str]
) -> None:
    league.stores |= {"home": databases(), "east": databases()}
    league.write("home", "east")
    older = league.open()
    older.probe()
    league.write("home", "east", "west")
    league.open().close()
    with pytest.raises(StoreError, match="the shard west is missing"):
        older.probe()
    older.close()


def test_an_older_worker_writes_to_no_shard_once_a_newer_version_has_taken_over(
    league: League, databases: Callable[[], str], toy_game: Game
) -> None:
    places = [Database(databases(), league.keys) for _ in range(2)]
    league.write(home=places[0].url, east=places[1].url)
    older = league.open()
    first, second, *_ = appends(finished(toy_game, name="m-east-2"))
    older.submit(first).result()
    for place in places:
        place.force("UPDATE meta SET value = '99' WHERE name = 'schema'")
    with pytest.raises(Outdated):
        older.probe()
    with pytest.raises(Outdated):
        older.submit(second).result()
    for place in places:
        place.force(f"UPDATE meta SET value = '{CURRENT.version}' WHERE name = 'schema'")
    older.probe()
    older.submit(second).result()
    older.close()


def test_the_order_of_the_others_is_free(league: League) -> None:
    league.open().close()
    league.write("home", "west", "east")
    league.open().close()


@pytest.mark.parametrize(
    ("stores", "reason"),
    [
        ({"home": "first", "east": "second"}, "the shard west is missing"),
        ({"east": "second", "home": "first", "west": "third"}, "this is east: put home first"),
        ({"main": "first", "east": "second", "west": "third"}, "main there is the shard home"),
        (
            {"home": "first", "north": "second", "west": "third", "east": "new"},
            "north there is the shard east",
        ),
        ({"home": "first", "east": "third", "west": "second"}, "east there is the shard west"),
        ({"home": "new", "east": "second", "west": "third"}, "shard east belongs to another map"),
    ],
)
def test_a_map_by_which_matches_would_not_be_found_is_refused(
    league: League, stores: dict[str, str], reason: str
) -> None:
    league.open().close()
    league.write(**stores)
    assert reason in league.refusal()
    league.write()
    league.open().close()


def test_a_shard_that_holds_matches_already_is_refused(league: League, toy_game: Game) -> None:
    other = open_store(league.folder / "second", keys=league.keys)
    store_all(other, finished(toy_game, 1))
    other.close()
    assert "shard east holds" in league.refusal()


@pytest.mark.parametrize("order", [("home", "east"), ("east", "home")])
def test_a_map_that_is_refused_leaves_the_stores_as_they_were(
    league: League, toy_game: Game, order: tuple[str, str]
) -> None:
    for seed, folder in enumerate(("first", "second"), 1):
        used = open_store(league.folder / folder, keys=league.keys)
        store_all(used, finished(toy_game, seed, name=f"m{seed}"))
        used.close()
    league.write(*order)
    assert f"shard {order[1]} holds" in league.refusal()
    for folder in ("first", "second"):
        open_store(league.folder / folder, keys=league.keys).close()
    league.write("home", "west")
    league.open().close()


def test_a_shard_of_another_map_makes_no_store_home(league: League) -> None:
    league.open().close()
    league.write(home="new", west="third")
    assert "shard west belongs to another map: take that map, or an empty store" in league.refusal()
    open_store(league.folder / "new", keys=league.keys).close()


def test_a_new_shard_may_not_be_called_as_ids_at_home_say(league: League, toy_game: Game) -> None:
    league.write("home", "west")
    store = league.open()
    store_all(store, finished(toy_game, name="m-east-2"))
    assert store.log_of("m-east-2") == "home"
    store.close()
    league.write()
    assert "m-east-2, which would be looked for in the new shard east" in league.refusal()


def test_only_reading_makes_no_shard(league: League) -> None:
    league.write("home", "east")
    league.open().close()
    open_one(league.folder / "third", keys=league.keys).close()
    league.write()
    assert "shard west was never opened with this map: serve it once" in league.refusal(write=False)


def test_a_shard_is_not_written_by_itself_but_may_be_read(league: League) -> None:
    league.open().close()
    for name, folder in (("home", "first"), ("east", "second")):
        with pytest.raises(StoreError, match=f"is the shard {name} of a divided store"):
            open_store(league.folder / folder, keys=league.keys)
        open_store(league.folder / folder, keys=league.keys, write=False).close()


def test_a_shard_with_other_keys_is_refused_and_lets_go_of_the_rest(league: League) -> None:
    open_one(league.folder / "third", keys=league.folder / "other-keys").close()
    assert "are those of another store" in league.refusal()
    open_one(league.folder / "first", keys=league.keys).close()


def test_one_process_writes_directories(league: League) -> None:
    store = league.open()
    assert not store.shared
    with pytest.raises(InUse):
        league.open()
    store.close()


def test_one_replica_for_all_is_refused(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REPLICA, "postgresql://h/d")
    assert "name each shard's replica" in league.refusal()


def test_a_shard_moves_to_another_place_by_its_files(league: League, toy_game: Game) -> None:
    store = league.open()
    store_all(store, finished(toy_game, name="m-east-2"))
    store.close()
    shutil.move(league.folder / "second", league.folder / "moved")
    league.write(home="first", east="moved", west="third")
    store = league.open()
    assert stored(store, "m-east-2")
    store.close()


def test_a_replica_is_that_of_its_shard(league: League, databases: Callable[[], str]) -> None:
    ours, foreign = databases(), databases()
    open_store(foreign, keys=league.folder / "other-keys").close()
    shard = f'[[shard]]\nname = "east"\nstore = "{ours}"\nreplica = "{foreign}"\n'
    league.file.write_text(f'[[shard]]\nname = "home"\nstore = "first"\n{shard}')
    assert "is no replica of this store" in league.refusal()


# ── a shard that is away ──


@pytest.fixture
def to_east(databases: Callable[[], str]) -> Iterator[tuple[Line, str]]:
    """A line that may go bad to a database, and the URL by which it is reached over that line."""
    with line_to(databases()) as found:
        yield found


def go_away(to_east: Line) -> None:
    to_east.barred.set()
    to_east.cut()


def test_while_a_shard_is_away_the_matches_of_the_others_go_on(
    league: League, to_east: tuple[Line, str], toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_part, "AGAIN", 0.0)
    league.write(home="first", east=to_east[1], west="third")
    store = league.open()
    there, elsewhere = finished(toy_game, name="m-east-2"), finished(toy_game, name="m-west-3")
    for sitting in (there, elsewhere):
        store_each(store, appends(sitting)[:2])
    go_away(to_east[0])
    assert isinstance(store.submit(appends(there)[2]).exception(60), Unavailable)
    for ask in (store.match, store.secret, store.note, store.signer):
        with pytest.raises(Unavailable):
            ask("m-east-2")
    with pytest.raises(Unavailable):
        list(store.matches())
    store.submit(appends(elsewhere)[2]).result()
    assert len(stored(store, "m-west-3")) == 3
    assert store.last() == 3
    store.probe()
    to_east[0].barred.clear()
    store.submit(appends(there)[2]).result()
    assert len(stored(store, "m-east-2")) == 3
    store.close()


def test_a_store_is_opened_without_a_shard_that_is_away_and_takes_it_in_when_it_is_back(
    league: League, to_east: tuple[Line, str], toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_part, "AGAIN", 0.0)
    league.write(home="first", east=to_east[1], west="third")
    to_east[0].barred.set()
    store, told = league.open(), list[str]()
    store.watch(lambda match, position: told.append(match))
    first, *_ = appends(finished(toy_game, name="m-east-2"))
    assert store.shared
    assert isinstance(store.submit(first).exception(), Unavailable)
    with pytest.raises(Unavailable, match="the part of the store that holds this match is away"):
        store.match("m-east-2")
    store_all(store, finished(toy_game, name="m-west-3"))
    store.probe()
    to_east[0].barred.clear()
    assert store.match("m-east-2") is None
    store.submit(first).result()
    assert len(stored(store, "m-east-2")) == 1
    store.close()  # tells what is committed by now
    assert "m-east-2" in told


def test_a_shard_that_was_away_is_left_alone_for_a_moment(
    league: League, to_east: tuple[Line, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_part, "AGAIN", 3600.0)
    league.write(home="first", east=to_east[1])
    store = league.open()
    assert store.match("m-east-2") is None
    go_away(to_east[0])
    with pytest.raises(Unavailable):
        store.match("m-east-2")
    to_east[0].barred.clear()
    with pytest.raises(Unavailable, match="the part of the store that holds this match is away"):
        store.match("m-east-2")
    store.close()


def test_who_asks_a_shard_that_hangs_does_not_wait_behind_the_others(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_part, "PATIENCE", 0.01)
    monkeypatch.setattr(shard_part, "AGAIN", 0.0)
    store, hangs = league.open(), threading.Event()
    monkeypatch.setattr(store.parts["east"].store, "note", lambda match: hangs.wait(30))
    with ThreadPoolExecutor(shard_part.AT_ONCE) as waiting:
        for _ in range(shard_part.AT_ONCE):
            waiting.submit(store.note, "m-east-2")
        while store.parts["east"]._room._value:
            pass
        with pytest.raises(Unavailable):
            store.note("m-east-3")
        assert store.note("m1") is None
        hangs.set()
    assert store.signer("m-east-2") is None
    store.close()


def test_home_must_be_there(league: League, to_east: tuple[Line, str]) -> None:
    to_east[0].barred.set()
    league.write(home=to_east[1], east="second")
    assert "cannot be reached" in league.refusal()


def test_nobody_who_must_not_wait_waits_for_a_shard_that_is_being_opened(
    league: League, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, opening, go_on = league.open(), threading.Event(), threading.Event()
    east = store.parts["east"].store
    east.close()

    def slowly() -> SqlStore:
        opening.set()
        assert go_on.wait(60)
        return open_one(league.folder / "second", keys=league.keys)

    monkeypatch.setattr(store, "parts", {**store.parts, "east": Part("east", slowly)})
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(store.parts["east"].last)
        assert opening.wait(60)
        try:
            assert len(store.figures) == 2
            with pytest.raises(Unavailable):
                store.submit(appends(finished(toy_game, name="m-east-9"))[0]).result(60)
        finally:
            go_on.set()
        assert asked.result(60) == 0
    assert len(store.figures) == 3
    store.close()


def test_a_shard_that_goes_away_before_it_is_watched_is_watched_when_it_is_back(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_part, "AGAIN", 0.0)
    store = league.open()
    east, tries = store.parts["east"].store, 0
    watched: list[Told] = []

    def watch(told: Told) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise Unavailable("it is away again")
        watched.append(told)

    monkeypatch.setattr(east, "watch", watch)
    told: list[tuple[str, int]] = []
    store.watch(lambda match, position: told.append((match, position)))
    for _ in range(3):
        store.parts["east"].last()
    assert (tries, len(watched)) == (3, 1)
    store.close()
