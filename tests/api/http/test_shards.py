"""Servers over a store that is divided: no client can tell, save where a shard is away."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from api.store import shard_part
from api.store.location import MapFile
from api.store.opening import open_store
from api.store.sharded import ShardedStore
from domain.game import Game
from domain.log import b64
from replay import verify
from tests.api.http.playing import asked, on, picked, play_in_turn, played, two_workers
from tests.api.http.processes import process
from tests.api.http.served import Client, Served
from tests.api.http.streaming import Listener
from tests.api.store.proxy import Line, line_to
from tests.waiting import PATIENCE, soon

GAME = "thirteen_minutes"


def write_map(folder: Path, **stores: str) -> Path:
    """A map of these shards, in the folder."""
    file = folder / "shards.toml"
    text = [f'[[shard]]\nname = "{name}"\nstore = "{store}"\n' for name, store in stores.items()]
    file.write_text("\n".join(text))
    return file


def shard_of(match: str) -> str:
    return "east" if match.startswith("m-east-") else "home"


def one_in_each(open: Callable[[], str]) -> dict[str, str]:
    """A match in each shard: they are opened until there is one."""
    found: dict[str, str] = {}
    while len(found) < 2:
        match = open()
        found.setdefault(shard_of(match), match)
    return found


def opened_by(client: Client, **body: Any) -> Callable[[], str]:
    def open() -> str:
        answer = client.post("/v1/matches", {"game": GAME, **body})
        assert answer.status == 201, answer
        match: str = answer.json["match"]
        return match

    return open


# ── one process over two directories ──


def test_seats_are_reserved_in_every_shard(tmp_path: Path) -> None:
    location = f"shards:{write_map(tmp_path, home='one', east='sqlite:other')}"
    with process(tmp_path, database=location) as running, ExitStack() as calls:
        people = [calls.enter_context(closing(Client(running.port))) for _ in range(2)]
        for client in people:
            client.token = client.post("/v1/players", {"name": "Ann"}).json["token"]
        ann, eve = people
        for match in one_in_each(opened_by(ann, reserved={"us": {"invitation": True}})).values():
            seat = f"/v1/matches/{match}/seats/us"
            eve.post(seat).problem(403, "reserved")
            code = ann.post(f"{seat}/reservation", {"invitation": True}).json["code"]
            assert eve.post(seat, {"invitation": code}).status == 201


def test_a_server_over_two_directories_is_killed_and_goes_on(tmp_path: Path) -> None:
    location = f"shards:{write_map(tmp_path, home='one', east='sqlite:other')}"
    with process(tmp_path, database=location) as doomed:
        people = [Client(doomed.port) for _ in range(2)]
        for client in people:
            client.token = client.post("/v1/players", {"name": "Ann"}).json["token"]
        matches = one_in_each(opened_by(people[0]))
        again = [people[0].post("/v1/matches", {"game": GAME}, idempotency_key="one") for _ in range(2)]
        assert again[0].body == again[1].body
        source, roots = random.Random(1), dict[str, dict[int, str]]()
        for match in matches.values():
            roots[match] = {}
            for client, seat in zip(people, ("us", "ussr"), strict=True):
                assert client.post(f"/v1/matches/{match}/seats/{seat}").status == 201
            for _ in range(3):
                done = played(match, people, source)
                roots[match][done["move"]] = done["root"]
        doomed.kill()
    tokens = [client.token for client in people]
    with process(tmp_path, database=location) as running, ExitStack() as calls:
        for client in people:
            client.close()
        people = [calls.enter_context(closing(Client(running.port, token))) for token in tokens]
        for match in matches.values():
            while asked(match, people):
                done = played(match, people, source)
                roots[match][done["move"]] = done["root"]
        listed = people[0].get("/v1/matches").json["matches"]
        assert {row["match"]: row["status"] for row in listed if row["match"] in roots} == dict.fromkeys(
            roots, "over"
        )
        assert [row["opened_at"] for row in listed] == sorted(
            (row["opened_at"] for row in listed), reverse=True
        )
        soon(lambda: people[0].get("/readyz").json["remarks"] == {})
        assert running.stop()[0] == 0
    store = open_store(MapFile(tmp_path / "shards.toml"), keys=tmp_path / "keys", write=False)
    for match in store.matches():
        found = store.match(match)
        assert found is not None
        assert verify.verify_records(found.records, store.note(match) or "", secret=store.secret(match)).ok
        told = roots.get(match, {})
        assert {move: b64(found.roots[move - 1]) for move in told} == told
    store.close()


# ── two workers over two databases ──


class Hall:
    """Two servers over two databases, one of them behind a line that may go bad."""

    def __init__(self, workers: list[Served], line: Line) -> None:
        self.workers, self.line = workers, line

    def table(self, shard: str, **options: Any) -> tuple[str, list[list[Client]]]:
        """A match that runs in a shard, and its players at each worker."""
        while True:
            match, players = self.workers[0].table(options=options)
            if shard_of(match) == shard:
                return match, [players, [on(self.workers[1], player) for player in players]]


@pytest.fixture
def hall(
    toy_in_words: Game, databases: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hall]:
    monkeypatch.setattr(shard_part, "AGAIN", 0.05)
    home = databases()
    with line_to(databases()) as (bad, east):
        file = write_map(tmp_path, home=home, east=east)
        with two_workers(tmp_path, lambda: open_store(MapFile(file), keys=tmp_path / "keys")) as workers:
            try:
                yield Hall(workers, bad)
            finally:
                bad.cut()  # else the stores would wait for it when they are closed


@pytest.mark.parametrize("shard", ["home", "east"])
def test_a_match_is_played_at_two_workers_as_at_one(hall: Hall, shard: str) -> None:
    match, players = hall.table(shard)
    listener = Listener(hall.workers[1].port, f"/v1/matches/{match}/moves")
    play_in_turn(match, players, random.Random(2))
    events = list(listener.events())
    listener.close()
    last = players[0][0].get(f"/v1/matches/{match}").json["move"]
    assert [event.id for event in events] == list(range(1, last + 1))
    for path in ("/v1/matches", "/v1/scoreboards/toy", f"/v1/matches/{match}/turns"):
        answers = [at[0].get(path) for at in players]
        assert answers[0].status == 200, answers
        assert answers[0].body == answers[1].body
    store = hall.workers[0].store
    assert isinstance(store, ShardedStore)
    assert match in list(store.parts[shard].store.matches())


def test_a_match_that_is_opened_twice_with_a_key_at_two_workers_is_one(hall: Hall) -> None:
    first = hall.workers[0].player()
    both = [first, on(hall.workers[1], first)]
    for key in map(str, range(16)):
        with ThreadPoolExecutor(2) as threads:
            answers = list(
                threads.map(
                    lambda client, key=key: client.post("/v1/matches", {"game": "toy"}, idempotency_key=key),
                    both,
                )
            )
        assert answers[0].body == answers[1].body
    listed = both[0].get("/v1/matches").json["matches"]
    assert len(listed) == 16
    assert {shard_of(row["match"]) for row in listed} == {"home", "east"}


def listed(client: Client) -> set[str]:
    """The matches of the list."""
    return {row["match"] for row in client.get("/v1/matches").json["matches"]}


def test_while_a_shard_is_away_everything_else_goes_on(hall: Hall) -> None:
    here, at_home = hall.table("home")
    there, in_east = hall.table("east")
    source = random.Random(3)
    rows = [listed(at[0]) for at in at_home]
    assert rows[0] == rows[1]
    question = asked(there, in_east[0])
    assert question is not None
    player, prompt = question
    body = picked(source, prompt)
    hall.line.barred.set()
    hall.line.cut()
    player.post(f"/v1/matches/{there}/moves", body).problem(503, "unavailable")
    in_east[1][0].get(f"/v1/matches/{there}").problem(503, "unavailable")
    for at in at_home:
        played(here, at, source)
        assert listed(at[0]) == rows[0]
        assert at[0].get(f"/v1/matches/{here}/turns").status == 200
    newcomer = hall.workers[1].player("Cid")
    opened = [newcomer.post("/v1/matches", {"game": "toy"}) for _ in range(40)]
    assert {answer.status for answer in opened} == {201, 503}
    assert {shard_of(answer.json["match"]) for answer in opened if answer.status == 201} == {"home"}
    ready = newcomer.get("/readyz")
    assert (ready.status, list(ready.json["remarks"])) == (200, ["shards"])
    hall.line.barred.clear()
    while player.post(f"/v1/matches/{there}/moves", body).status != 201:
        pass
    soon(lambda: in_east[1][0].get(f"/v1/matches/{there}").json.get("move") == body["expect"] + 1)


def test_a_shard_that_hangs_keeps_nobody_else_waiting(hall: Hall) -> None:
    """Whatever is said to it is swallowed, so whoever asks it waits until the line is cut."""
    here, at_home = hall.table("home")
    there, in_east = hall.table("east")
    hall.line.dark.set()
    asking = [hall.workers[0].client(in_east[0][0].token) for _ in range(40)]
    with ThreadPoolExecutor(len(asking)) as threads:
        looks = [threads.submit(client.get, f"/v1/matches/{there}") for client in asking]
        assert hall.line.swallowed.wait(PATIENCE)
        source = random.Random(4)
        for _ in range(3):
            played(here, at_home[0], source)
        assert at_home[0][0].get("/v1/matches").status == 200
        assert at_home[0][0].get("/readyz").status == 200
        assert hall.line.dark.is_set()
        hall.line.cut()
    assert {look.result().status for look in looks} <= {200, 503}
