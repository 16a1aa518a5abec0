"""The map of shards: which ones are refused, and where it says that a match lies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from api.gate.orders import new_id
from api.store.seam import StoreError
from api.store.shard_map import Shard, ShardMap


def read(folder: Path, text: str) -> ShardMap:
    (folder / "shards.toml").write_text(text)
    return ShardMap.read(folder / "shards.toml")


def mapped(folder: Path, **shares: int) -> ShardMap:
    shards = [Shard(name, f"sqlite:{name}", share) for name, share in shares.items()]
    return ShardMap(folder / "shards.toml", shards)


def shard(name: str, store: str, rest: str = "") -> str:
    return f'[[shard]]\nname = "{name}"\nstore = "{store}"\n{rest}\n'


def test_a_map_says_what_it_says(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        shard("home", "games")
        + shard("east", "postgresql://me@there/league", 'share = 2\nreplica = "postgresql://me@else/league"'),
    )
    assert found.shards == (
        Shard("home", "games"),
        Shard("east", "postgresql://me@there/league", 2, "postgresql://me@else/league"),
    )
    assert found.place(found.shards[0]) == tmp_path / "games"
    assert found.place(found.shards[1]) == "postgresql://me@there/league"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", r"shards\.toml: .*shard"),
        ("shard = []", "names no shard"),
        ("[[shard]]\nname = 'home'", "store"),
        ("[[shard", r"shards\.toml"),
        (shard("home", "a", "weight = 2"), "weight"),
        (shard("Home", "a"), "'Home': a name has 1 to 16 small letters"),
        (shard("a-b", "a"), "'a-b'"),
        (shard("", "a"), "a name has"),
        (shard("home", "a", "share = -1"), "shard home: a share is 0 to"),
        (shard("home", "a", "share = 0"), "every share is 0"),
        (shard("home", "a") + shard("home", "b"), "two shards are called home"),
        (shard("home", "a") + shard("east", "./a"), "home and east name the same store"),
        (shard("home", "sqlite:a") + shard("east", "b/../a"), "home and east name the same store"),
        (
            shard("home", "postgresql://one:x@h/d") + shard("east", "postgres://other@h/d"),
            "home and east name the same store",
        ),
        (shard("home", "shards:other.toml"), "shard home: a shard is one store"),
        (shard("home", "mysql://h/d"), "shard home: mysql:// is no store"),
        (shard("home", ""), "shard home: this names no store"),
        (
            shard("home", "postgresql://me:x@y@h/d"),
            r"shards\.toml: shard home: the store's location cannot be",
        ),
        (
            shard("home", "a", "replica = 'postgresql://me:x@y@h/d'"),
            "shard home: the store's location cannot",
        ),
        (shard("home", "postgresql://h/d", "replica = 'elsewhere'"), "shard home: a replica is a database"),
        ("a = " + "[" * 5000, r"shards\.toml: .*a map has \[\[shard\]\]"),
    ],
)
def test_a_map_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason):
        read(tmp_path, text)


def test_links_in_a_circle_are_no_error_of_the_map(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert read(tmp_path, shard("home", "circle")).home.name == "home"


def test_a_map_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.toml: the map of shards cannot be read: No such file"):
        ShardMap.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("match", "name"),
    [
        ("mkqlmd6qk2jsybpr6", "home"),
        ("seed-5bb81a2074ffd168903feef8", "home"),
        ("m-east-kqlmd6qk2jsybpr6", "east"),
        ("m-west-kqlmd6qk2jsybpr6", "home"),
        ("m-home-kqlmd6qk2jsybpr6", "home"),
        ("m-east", "home"),
        ("", "home"),
    ],
)
def test_an_id_says_where_its_match_lies(tmp_path: Path, match: str, name: str) -> None:
    assert mapped(tmp_path, home=1, east=1).of(match) == name


def test_new_matches_are_divided_by_share_and_their_ids_say_so(tmp_path: Path) -> None:
    found = mapped(tmp_path, home=1, east=2, west=0)
    given = [new_id() for _ in range(3_000)]
    names = [found.named(match) for match in given]
    held = Counter(found.of(name) for name in names)
    assert set(held) == {"home", "east"}
    assert 900 < held["home"] < 1_100
    assert names == [found.named(match) for match in given]
    assert len(set(names)) == len(given)


def test_a_new_shard_moves_no_match(tmp_path: Path) -> None:
    before, after = mapped(tmp_path, home=1, east=1), mapped(tmp_path, home=1, east=5, west=9)
    names = [before.named(new_id()) for _ in range(500)]
    assert [before.of(name) for name in names] == [after.of(name) for name in names]
