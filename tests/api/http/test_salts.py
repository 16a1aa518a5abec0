"""Salts by commit and reveal over HTTP and the socket: hash, salt, the mark of each seat, who sees what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from api.gate import Gate
from api.http.request_schemas import Sit
from api.http.routing import encode
from api.settings import Settings
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from replay import verify
from tests.api.http.playing import on, two_workers
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket, spectator
from tests.salts import HOUR, hashed, salt_of

SEATS = ("left", "right")


def committed(players: list[Client]) -> str:
    """A match whose two players have sent the hashes of their salts."""
    match: str = players[0].post("/v1/matches", {"game": "toy"}).json["match"]
    for seat, player in zip(SEATS, players, strict=True):
        sat = player.post(f"/v1/matches/{match}/seats/{seat}", {"salt_hash": hashed(match, seat)})
        assert sat.status == 201, sat
    return match


def opened(match: str, seat: str, player: Client, **headers: str) -> Any:
    return player.post(f"/v1/matches/{match}/seats/{seat}/salt", {"salt": salt_of(seat)}, **headers)


@pytest.fixture
def players(server: Served) -> list[Client]:
    """Two players."""
    return [server.player("Ann"), server.player("Ben")]


def test_two_players_commit_salts_open_them_and_play(server: Served, players: list[Client]) -> None:
    ann, ben = players
    match = committed(players)
    address = f"/v1/matches/{match}"
    waiting = server.client().get(address).json
    assert (waiting["status"], waiting["unopened"], waiting["asked"]) == ("waiting", ["left", "right"], None)
    assert waiting["salts"] == {"left": "committed", "right": "committed"}
    assert server.client().get("/v1/matches?status=waiting").json["matches"][0]["unopened"] == list(SEATS)
    told = opened(match, "left", ann).json
    assert (told["status"], told["unopened"]) == ("waiting", ["right"])
    early = ann.post(f"{address}/moves", {"expect": 3, "picks": ["2"]}).problem(409, "not-running")
    assert early["detail"] == "the match waits for the salt of right"
    told = opened(match, "right", ben).json
    assert (told["status"], told["unopened"], told["move"]) == ("running", [], 5)
    assert told["chance"] == "player-seeded"
    seen = server.client().get(f"{address}/moves").json["moves"]
    assert [move.get("salt_hash") for move in seen[1:3]] == [hashed(match, seat) for seat in SEATS]
    assert [move.get("chance_salt") for move in seen[3:5]] == [salt_of(seat) for seat in SEATS]
    assert ann.post(f"{address}/moves", {"expect": 5, "picks": ["2"]}).status == 201
    assert verify.verify(ann.get(f"{address}/file").body).ok
    assert server.client().get("/v1/matches?status=running").json["matches"][0]["match"] == match


def test_salt_is_not_shown_before_it_is_opened(server: Served, players: list[Client]) -> None:
    match = committed(players)
    opened(match, "left", players[0])
    looks = ("", "/moves", "/moves?view=spectator", "/file", "/checkpoint")
    for client in (*players, server.client(), server.person("organizer")):
        for look in looks:
            assert salt_of("right").encode() not in client.get(f"/v1/matches/{match}{look}").body


def test_salt_refusals_change_nothing_and_come_in_both_languages(
    server: Served, players: list[Client]
) -> None:
    ann, ben = players
    match = committed(players)
    address = f"/v1/matches/{match}/seats"
    wrong = {"salt": salt_of("right")}
    told = ann.post(f"{address}/left/salt", wrong).problem(409, "salt")
    assert told["detail"] == "this is not the salt whose hash left brought"
    told = ann.post(f"{address}/left/salt", wrong, accept_language="ru").problem(409, "salt")
    assert "хеш другой соли" in told["detail"]
    ann.post(f"{address}/right/salt", wrong).problem(403, "foreign")
    ann.post(f"{address}/middle/salt", wrong).problem(404, "unknown-seat")
    for salt in ("", "short", "x" * 65, "a b" * 10, "a,right=b" * 4, "x" * 30 + "\n"):
        ann.post(f"{address}/left/salt", {"salt": salt}).problem(422, "invalid")
    ann.post(f"{address}/left/salt", {}).problem(422, "invalid")
    early = ben.post(f"/v1/matches/{match}/closing", {}, accept_language="ru").problem(409, "salt")
    assert early["detail"].startswith("С солью так нельзя: закрыть партию можно с ")
    stranger = server.player("Cleo").post(f"/v1/matches/{match}/closing", {}).problem(403, "foreign")
    assert (
        stranger["detail"] == "only an organizer, or who opened the match or sits in it, closes it for a salt"
    )
    assert ann.get(f"/v1/matches/{match}").json["move"] == 3


def test_invalid_salt_hash_or_salt_beside_it_is_refused(players: list[Client]) -> None:
    ann = players[0]
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    left = f"/v1/matches/{match}/seats/left"
    right = hashed(match, "left")
    for bad in ("", right[:-1], right + "=", right.replace(right[0], "-"), "x" * 1000, right + "\n", None, 1):
        ann.post(left, {"salt_hash": bad}).problem(422, "invalid")
    ann.post(left, {"salt_hash": "A" * 42 + "B="}).problem(422, "invalid")  # bits that no 32 bytes have
    ann.post(left, {"salt_hash": right, "salt": "abc"}).problem(422, "invalid")
    ann.post(left, {"salt_hash": right, "bot": "random"}).problem(422, "invalid")
    sat = ann.post(left, {"salt_hash": right})
    assert (sat.status, sat.json["salts"]) == (201, {"left": "committed", "right": None})


def test_seat_states_whether_it_gave_a_salt_or_none(players: list[Client]) -> None:
    ann, ben = players
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/left", {"salt": "abc"})
    told = ben.post(f"/v1/matches/{match}/seats/right").json
    assert (told["salts"], told["chance"]) == ({"left": "clear", "right": "none"}, "player-seeded")


def test_repeated_salt_opening_with_its_key_gets_the_same_response(players: list[Client]) -> None:
    ann, ben = players
    match = committed(players)
    first = opened(match, "left", ann, idempotency_key="k")
    opened(match, "right", ben)
    ann.post(f"/v1/matches/{match}/moves", {"expect": 5, "picks": ["2"]})
    again = opened(match, "left", ann, idempotency_key="k")
    assert (again.status, again.body) == (201, first.body)
    ann.post(f"/v1/matches/{match}/seats/left", {"salt": salt_of("left")}, idempotency_key="k").problem(
        422, "key-reused"
    )
    opened(match, "left", ann).problem(409, "salt")


def test_salt_opened_over_a_socket_is_sent_to_followers(server: Served, players: list[Client]) -> None:
    ann, ben = players
    match = committed(players)
    with socket(server.port, ann.token) as by_socket, spectator(server.port) as watching:
        watching.done("follow", match=match, after=3)
        told = by_socket.done("salt", match=match, seat="left", salt=salt_of("left"), key="k")
        assert told["unopened"] == ["right"]
        over_http = opened(match, "left", ann, idempotency_key="k")
        assert (over_http.status, over_http.json) == (201, told)
        refused = by_socket.say("salt", match=match, seat="right", salt=salt_of("right"))
        assert (refused["status"], refused["problem"]["type"]) == (403, "/problems/foreign")
        opened(match, "right", ben)
        moves = watching.pushed(match, 2)
        assert [move["chance_salt"] for move in moves] == [salt_of("left"), salt_of("right")]


def test_match_that_waits_too_long_for_a_salt_is_closed_naming_the_seat(
    toy_in_words: Game, tmp_path: Path
) -> None:
    store, now = SqliteStore.open(tmp_path / "store"), [1_790_000_000_000_000]
    gate = Gate(store, store.keys, lambda: now[0], "test", Settings(salt_hours=1))
    with closing(store), served(tmp_path, store, gate) as server:
        players = [server.player("Ann"), server.player("Ben")]
        match = committed(players)
        opened(match, "left", players[0])
        early = players[0].post(f"/v1/matches/{match}/closing", {}).problem(409, "salt")
        assert early["detail"] == "the match may be closed from 2026-09-21 15:13:20 UTC on"
        server.person("organizer").post(f"/v1/matches/{match}/closing", {}).problem(409, "salt")
        now[0] += HOUR
        server.player("Eve").post(f"/v1/matches/{match}/closing", {}).problem(403, "foreign")
        assert players[1].post(f"/v1/matches/{match}/closing", {}).json["move"] == 6
        told = players[0].get(f"/v1/matches/{match}").json
        assert (told["status"], told["result"], told["unopened"]) == ("over", None, ["right"])
        (row,) = players[0].get("/v1/matches?status=over").json["matches"]
        assert (row["by"], row["unopened"]) == ("salt", ["right"])


@pytest.fixture
def workers(toy_in_words: Game, database: str, tmp_path: Path) -> Iterator[list[Served]]:
    """Two servers over one database."""
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=tmp_path / "keys")) as found:
        yield found


def test_salts_are_opened_at_either_worker_of_one_database(workers: list[Served]) -> None:
    players = [workers[0].player("Ann"), workers[0].player("Ben")]
    match = committed(players)
    elsewhere = [on(workers[1], player) for player in players]
    opened(match, "left", elsewhere[0])
    told = opened(match, "right", players[1]).json
    assert told["status"] == "running"
    assert elsewhere[0].get(f"/v1/matches/{match}/prompt").json["move"] == 5


def test_key_stored_before_salt_hashes_existed_matches_the_same_request() -> None:
    assert encode(Sit(salt="abc")) == b'{"salt":"abc","bot":null}'
