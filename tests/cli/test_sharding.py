"""`glasnost shards`, and the other commands on a store that is divided."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.store.location import MapFile
from api.store.opening import open_store
from api.store.seam import Append
from api.store.single import open_one
from domain.games import GAMES
from tests.cli.program import Program
from tests.matches import Sitting, finished

KEYS = Path("first.keys")


def write_map(**stores: str) -> str:
    """Write a map of these shards; the words for `--store`."""
    text = [f'[[shard]]\nname = "{name}"\nstore = "{store}"\n' for name, store in stores.items()]
    Path("shards.toml").write_text("\n".join(text))
    return "shards:shards.toml"


def keep(sitting: Sitting, folder: str) -> None:
    """Put a match into one store, whatever a map says."""
    store = open_one(Path(folder), keys=KEYS)
    store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    store.close()


def match_of(name: str) -> Sitting:
    """A finished match of this id."""
    return finished(GAMES["thirteen_minutes"], name=name)


@pytest.fixture
def divided(glasnost: Program) -> str:
    """A store with a match, divided since; each of the two shards has one."""
    glasnost("play", "thirteen_minutes", "--seed", "1", "--store", "first").ok()
    location = write_map(home="first", east="sqlite:second")
    open_store(MapFile(Path("shards.toml"))).close()
    keep(match_of("m-east-aaaaaaaaaaaaaaaa"), "second")
    return location


def test_the_map_and_what_each_shard_holds_are_shown(glasnost: Program, divided: str) -> None:
    home, east, last = glasnost("shards", "shards.toml").ok().out.splitlines()
    assert home.startswith("home: first, share 1, 1 match, ")
    assert east.startswith("east: second, share 1, 1 match, ")
    assert last == "every match lies where the map says"
    told = glasnost("shards", divided, "--json").json  # as `--store` takes it
    assert (told["ok"], told["wrong"]) == (True, [])
    assert [(row["name"], row["matches"], row["away"]) for row in told["shards"]] == [
        ("home", 1, False),
        ("east", 1, False),
    ]


def test_a_match_that_lies_elsewhere_is_found(glasnost: Program, divided: str) -> None:
    keep(match_of("mbbbbbbbbbbbbbbbb"), "second")
    glasnost("shards", "shards.toml").refused(1, "mbbbbbbbbbbbbbbbb lies in east, and is looked for in home")


def test_a_shard_that_is_away_is_told(glasnost: Program, divided: str) -> None:
    write_map(home="first", east="second", west="postgresql://nobody@127.0.0.1:1/none")
    done = glasnost("shards", "shards.toml")
    assert done.code == 2
    assert "west: postgresql://nobody@127.0.0.1:1/none, share 1, away" in done.out


def test_a_map_that_cannot_be_used_is_refused(glasnost: Program, divided: str) -> None:
    glasnost("shards", "nothing.toml").refused(2, "nothing.toml", "cannot be read")
    write_map(home="first")
    glasnost("shards", "shards.toml").refused(2, "the shard east is missing", "share = 0")


def test_a_divided_store_is_verified_exported_and_played_into(glasnost: Program, divided: str) -> None:
    lines = glasnost("verify", "--store", divided).ok().out.splitlines()
    assert [line.startswith("ok: ") for line in lines] == [True, True]
    glasnost("play", "thirteen_minutes", "--seed", "2", "--store", divided).ok()
    written = glasnost("export", "--all", "--store", divided, "--out", "files").ok().out
    assert len(written.splitlines()) == 3
    files = sorted(str(path) for path in Path("files").iterdir())
    key = glasnost("keys", "--store", divided).ok().out.split()[0]
    assert key == glasnost("keys", "--store", "first").ok().out.split()[0]
    assert "m-east-aaaaaaaaaaaaaaaa" in glasnost("verify", *files).ok().out
    tables = glasnost("export", "--all", "--store", divided, "--format", "ndjson", "--out", "tables").ok()
    assert "moves.ndjson" in tables.out
    shown = glasnost("shards", "shards.toml", "--json").json["shards"]
    assert [row["matches"] for row in shown] == [2, 1]


def test_administrators_and_keys_are_of_all_shards(glasnost: Program, divided: str) -> None:
    token = glasnost("admin-token", "--store", divided).out.strip()
    old = glasnost("keys", "--store", divided).ok().out
    new = glasnost("keys", "--rotate", "--store", divided).ok().out
    assert new != old
    store = open_store(MapFile(Path("shards.toml")))
    letter = glasnost("admin-token", "--store", divided, "--name", "later").out.strip()
    found = [store.people.by_token(shown) for shown in (token, letter)]
    store.close()
    assert [person.role for person in found if person] == ["admin", "admin"]


def test_a_shard_is_not_used_by_itself(
    glasnost: Program, divided: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", str(KEYS))
    for folder, name in (("first", "home"), ("second", "east")):
        glasnost("play", "thirteen_minutes", "--seed", "3", "--store", folder).refused(
            2, f"is the shard {name} of a divided store", "shards:FILE"
        )
    assert glasnost("verify", "--store", "first").ok().out.startswith("ok: ")


def test_shards_are_backed_up_one_by_one(glasnost: Program, divided: str) -> None:
    glasnost("backup", "--store", divided).refused(2, "names several stores", "glasnost shards")
    glasnost("restore", "--store", divided, "some.backup").refused(2, "names several stores")
    glasnost("backup", "--store", "second", "east.backup").ok()
    glasnost("restore", "--store", "again", "east.backup").ok()
    write_map(home="first", east="again")
    glasnost("verify", "--store", divided).ok()


def test_a_shard_is_moved_to_another_place(glasnost: Program, divided: str, database: str) -> None:
    glasnost("migrate", "--from", divided, "--to", "other").refused(2, "migrate a shard by itself")
    glasnost("migrate", "--from", "first", "--to", divided).refused(2, "migrate a shard by itself")
    keys = ("--from-keys", "first.keys", "--to-keys", "first.keys")
    assert glasnost("migrate", "--from", "second", "--to", database, *keys).ok().out.startswith("migrated: 1")
    write_map(home="first", east=database)
    assert len(glasnost("verify", "--store", divided).ok().out.splitlines()) == 2
    store = open_store(MapFile(Path("shards.toml")))
    assert store.shared
    store.close()
