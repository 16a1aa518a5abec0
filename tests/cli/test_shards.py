"""Stores that an older version divided into shards: `glasnost migrate` takes them back into one.

`tests/stored/shards_of_schema_3.tar.gz` holds what that version left: a map, the shards home and east, and
their keys.  Ann and Boris play seven matches there; four lie in east, one of them waits with a reserved seat.
"""

from __future__ import annotations

import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.api.http.served import Client
from tests.cli.program import Program
from tests.contract.program import run, serving

STORED = Path(__file__).parents[1] / "stored" / "shards_of_schema_3.tar.gz"
ANN, BORIS = "Q5NveJ1wXTBpyby15kF32DhTpgIw8D3bLIrb0fxYwtM", "-6jjuceBPCiCF_snojjuijuTbOcdUx0MdKxJkG6WKwE"
HOME = '[[shard]]\nname = "home"\nstore = "first"\n'
EAST = '[[shard]]\nname = "east"\nstore = "second"\n'
WAITING, RUNNING = "m-east-vn623ofcimxtqs53", "m-east-k2fdsauim5xnmpax"
MAP = "shards:shards.toml"


@pytest.fixture
def divided(glasnost: Program) -> Path:
    """The folder of the map."""
    with tarfile.open(STORED) as archive:
        archive.extractall(glasnost.folder, filter="data")
    return glasnost.folder


@pytest.mark.parametrize("kind", ["directory", "database"])
def test_shards_become_one_store_that_verifies_and_goes_on(
    kind: str, glasnost: Program, divided: Path, database: str
) -> None:
    one = database if kind == "database" else "one"
    keys = str(divided / "one.keys")
    done = glasnost("migrate", "--from", MAP, "--to", one, "--to-keys", keys).ok()
    assert done.out.startswith("migrated: 7 matches, 67 moves; every match verifies, every root is the same")
    with (
        serving(divided, one, GLASNOST_KEYS=keys) as port,
        closing(Client(port, ANN)) as ann,
        closing(Client(port, BORIS)) as boris,
    ):
        found = ann.get("/v1/matches?status=over").json["matches"]
        assert len(found) == 4
        for match in found:
            assert ann.get(f"/v1/matches/{match['match']}/file").status == 200
        ann.post(f"/v1/matches/{WAITING}/seats/us", {}).problem(403, "reserved")
        assert boris.post(f"/v1/matches/{WAITING}/seats/us", {}).status == 201
        player = next(one for one in (ann, boris) if one.get(f"/v1/matches/{RUNNING}/prompt").status == 200)
        asked = player.get(f"/v1/matches/{RUNNING}/prompt").json
        picks = [option["pick"] for option in asked["options"]][: max(asked["least"], 1)]
        body = {"expect": asked["move"], "picks": picks}
        assert player.post(f"/v1/matches/{RUNNING}/moves", body).status == 201


@pytest.mark.parametrize(
    "command",
    [
        ("play", "cia_vs_kgb", "--store", MAP),
        ("verify", "--store", MAP),
        ("backup", "--store", MAP, "--out", "copy.db"),
        ("admin-token", "--store", MAP),
    ],
    ids=lambda command: command[0],
)
def test_other_commands_name_the_one_that_takes_shards(
    command: tuple[str, ...], glasnost: Program, divided: Path
) -> None:
    glasnost(*command).refused(2, "glasnost migrate --from shards:shards.toml --to STORE")


@pytest.mark.parametrize(
    ("store", "reason"),
    [(MAP, "glasnost migrate --from shards:shards.toml"), ("second", "the shard east of a divided store")],
)
def test_shards_are_not_served(store: str, reason: str, divided: Path) -> None:
    keys = str(divided / "first.keys")
    code, out, error = run(divided, "serve", "--store", store, "--port", "0", GLASNOST_KEYS=keys)
    assert (code, out) == (2, "")
    assert reason in error


def test_a_shard_alone_is_no_store(glasnost: Program, divided: Path) -> None:
    glasnost("migrate", "--from", "second", "--from-keys", "first.keys", "--to", "one").refused(
        2, "the shard east of a divided store"
    )
    assert not (divided / "one").exists()


@pytest.mark.parametrize(
    ("map", "reason"),
    [
        (HOME, "the shard east is missing"),
        (EAST + HOME, "home first"),
        (HOME.replace("first", "second") + EAST.replace("second", "first"), "not that shard"),
        ("[[shard]]\nname = 1\n", "a map has [[shard]]"),
        ("[[", "a map has [[shard]]"),
        ("shard = []\n", "at least one shard"),
        ('[[shard]]\nname = "home"\nstore = "shards:x"\n', "not another map"),
        ("a = " + "[" * 5_000, "a map has [[shard]]"),
    ],
)
def test_a_map_that_is_wrong_is_refused(map: str, reason: str, glasnost: Program, divided: Path) -> None:
    (divided / "shards.toml").write_text(map)
    glasnost("migrate", "--from", MAP, "--from-keys", "first.keys", "--to", "one").refused(2, reason)
    assert not (divided / "one").exists()


def test_shards_are_no_target(glasnost: Program, divided: Path) -> None:
    glasnost("migrate", "--from", "first", "--to", MAP).refused(2, "--to: stores are not divided")
