"""Officials over HTTP and the socket: who gives time, who pauses clocks, what a frozen match refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.clocks import DAY, SECOND
from domain.game import Game
from replay.verify import verify
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket
from tests.api.http.test_clocks import BANK, NOW, PLACE, Time, moves, timed
from tests.waiting import soon


@pytest.fixture
def time() -> Time:
    """The time of the server."""
    return Time()


@pytest.fixture
def server(toy_in_words: Game, tmp_path: Path, time: Time) -> Iterator[Served]:
    """A server at a time that stands still."""
    with timed(tmp_path, time) as running:
        yield running


def clock(match: str, caller: Client, **body: Any) -> Any:
    """Ask for a change of the clocks."""
    key = {"idempotency_key": body.pop("key")} if "key" in body else {}
    return caller.post(f"{PLACE}/{match}/clock", body, **key)


def freeze(match: str, caller: Client, *, frozen: bool = True, **body: Any) -> Any:
    """Freeze a match, or release it."""
    return caller.post(f"{PLACE}/{match}/freeze", {"reason": "a dispute", "frozen": frozen, **body})


def test_an_opponent_gives_time_once_for_one_key(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    time.now += 10 * SECOND
    first = clock(match, ann, seat="right", more=900 * SECOND, key="gift")
    assert first.status == 201
    assert first.json["move"] == 4
    assert first.json["clock"]["left"] == {"left": 50 * SECOND, "right": 950 * SECOND}
    time.now += 5 * SECOND
    assert clock(match, ann, seat="right", more=900 * SECOND, key="gift").body == first.body
    assert ben.get(f"{PLACE}/{match}").json["move"] == 4
    clock(match, ann, seat="right", more=SECOND, key="gift").problem(422, "key-reused")
    told = ben.get(f"{PLACE}/{match}/moves?after=3").json["moves"][0]
    assert (told["kind"], told["seat"], told["left"]) == ("clock_set", "right", 950 * SECOND)
    assert moves(match, ben, "1").status == 201  # the question is still that of move 3


def test_who_may_give_time_and_who_needs_a_reason(server: Served) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    judge, eve = server.person("organizer"), server.player("Eve")
    clock(match, server.client(), seat="left", more=SECOND).problem(401, "unauthorized")
    clock(match, eve, seat="left", more=SECOND).problem(403, "foreign")
    clock(match, judge, seat="left", more=SECOND).problem(403, "foreign")
    clock(match, ann, seat="left", more=SECOND).problem(422, "clock")
    clock(match, ann, seat="right", left=SECOND).problem(422, "clock")
    for caller in (ann, eve):
        clock(match, caller, seat="left", more=SECOND, why="please").problem(403, "forbidden")
        clock(match, caller, paused=True).problem(403, "forbidden")
        freeze(match, caller).problem(403, "forbidden")
    assert ben.get(f"{PLACE}/{match}").json["move"] == 3
    told = clock(match, judge, seat="left", left=5 * SECOND, why="the bell rang").json
    assert told["clock"]["left"] == {"left": 5 * SECOND, "right": 60 * SECOND}


def test_an_organizer_sets_the_date_alone_and_another_server_takes_the_file(
    server: Served, tmp_path: Path
) -> None:
    days, date = {"mode": "days", "days": 3}, {"mode": "until", "until": NOW + 2 * DAY}
    match, (ann, ben) = server.table(clock=[days, date])
    judge, until = server.person("organizer"), NOW + 9 * DAY
    clock(match, ann, seat="right", until=until).problem(422, "clock")
    clock(match, ann, seat="right", until=until, why="a storm").problem(403, "forbidden")
    clock(match, judge, seat="right", until=until).problem(403, "foreign")
    for wrong in ({"until": NOW - DAY}, {"until": until, "left": SECOND}, {"until": NOW + 366 * DAY}):
        clock(match, judge, seat="right", why="a storm", **wrong).problem(422, "clock")
    for bad in (-1, 2**53, "soon", 1.5):
        clock(match, judge, seat="right", why="a storm", until=bad).problem(422, "invalid")
    assert ben.get(f"{PLACE}/{match}").json["move"] == 3
    told = clock(match, judge, seat="right", why="a storm", until=until).json
    assert told["clock"]["left"]["right"] == 3 * DAY  # the days are less than the time to the date
    with socket(server.port, judge.token) as official:
        official.done("clock", match=match, seat="left", why="a storm", until=until)
    shown = ben.get(f"{PLACE}/{match}/moves?after=3").json["moves"]
    assert [(one["kind"], one["until"]) for one in shown] == [("clock_set", until)] * 2
    assert ann.post(f"{PLACE}/{match}/resignation", {}).status == 201
    file = server.client().get(f"{PLACE}/{match}/file").body
    with served(tmp_path / "other") as other:
        head = {"content-type": "application/zip"}
        assert other.player().send("POST", "/v1/replays", file, head).status == 201


def test_an_organizer_who_plays_leaves_that_to_another(server: Served) -> None:
    judge, ann = server.person("organizer"), server.player("Ann")
    match = ann.post("/v1/matches", {"game": "toy", "clock": BANK}).json["match"]
    for seat, player in (("left", ann), ("right", judge)):
        assert player.post(f"{PLACE}/{match}/seats/{seat}", {}).status == 201
    clock(match, judge, paused=True, why="lunch").problem(403, "foreign")
    clock(match, judge, seat="left", more=SECOND, why="lunch").problem(403, "foreign")
    freeze(match, judge).problem(403, "foreign")
    assert clock(match, judge, seat="left", more=SECOND).status == 201  # as every opponent


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({}, 422, "clock"),
        ({"seat": "left"}, 422, "clock"),
        ({"seat": "left", "more": SECOND, "paused": True}, 422, "clock"),
        ({"seat": "nobody", "more": SECOND}, 422, "clock"),
        ({"seat": "left", "more": 0}, 422, "invalid"),
        ({"seat": "left", "more": -1}, 422, "invalid"),
        ({"seat": "left", "more": 10**30}, 422, "invalid"),
        ({"seat": "left", "more": 1.5}, 422, "invalid"),
        ({"seat": "left", "left": 31_536_000 * SECOND + 1}, 422, "invalid"),
        ({"seat": "x" * 65, "more": 1}, 422, "invalid"),
        ({"paused": "yes"}, 422, "invalid"),
        ({"paused": False}, 422, "clock"),
        ({"paused": True, "why": "x" * 2_001}, 422, "invalid"),
        ({"seat": "left", "more": SECOND, "at": 1}, 422, "invalid"),
        ({"seat": "left", "more": SECOND, "expect": 2}, 409, "stale"),
    ],
)
def test_bad_changes_are_refused(server: Served, body: dict[str, Any], status: int, kind: str) -> None:
    match, _ = server.table(clock=BANK)
    judge = server.person("organizer")
    clock(match, judge, **{"why": "lunch", **body}).problem(status, kind)
    assert judge.get(f"{PLACE}/{match}").json["move"] == 3


def test_a_match_without_a_clock_has_none_to_set(server: Served) -> None:
    match, (ann, _) = server.table()
    judge = server.person("organizer")
    clock(match, ann, seat="right", more=SECOND).problem(422, "clock")
    clock(match, judge, paused=True, why="lunch").problem(422, "clock")


def test_a_pause_stops_the_clocks_and_no_time_out_comes(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    judge = server.person("organizer")
    time.now += 10 * SECOND
    told = clock(match, judge, paused=True, why="lunch").json["clock"]
    assert (told["due"], told["stands"]) == ({}, "paused")
    time.now += 15 * SECOND  # not enough for a stop
    time.now += 15 * SECOND
    assert moves(match, ann, "2").status == 201
    time.now += 15 * SECOND
    time.now += 15 * SECOND
    seen = ben.get(f"{PLACE}/{match}").json
    assert (seen["status"], seen["clock"]["now"]["left"]) == (
        "running",
        {"left": 60 * SECOND, "right": 50 * SECOND},
    )
    told = clock(match, judge, paused=False, why="after lunch").json["clock"]
    assert told["due"] == {"right": time.now + 50 * SECOND}
    assert "stands" not in told
    time.now += 15 * SECOND
    assert moves(match, ben, "1").json["clock"]["left"]["right"] == 45 * SECOND
    assert verify(ben.get(f"{PLACE}/{match}/file").body).ok


def test_a_frozen_match_refuses_its_players_and_shows_it(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    judge = server.person("organizer")
    ann.post(f"{PLACE}/{match}/takebacks", {"to": 3})
    assert freeze(match, judge).status == 201
    move = ann.get(f"{PLACE}/{match}").json["move"]
    for path, body in (
        ("moves", {"expect": 3, "picks": ["2"]}),
        ("resignation", {}),
        ("takebacks", {"to": 3}),
        ("takebacks/4/answer", {"agree": True}),
        ("clock", {"seat": "left", "more": SECOND}),
    ):
        told = ben.post(f"{PLACE}/{match}/{path}", body).problem(409, "frozen")
        assert told["detail"] == (
            "the match is frozen, so its players can do nothing until an organizer releases it"
        )
    assert ben.get("/problems/frozen").status == 200
    seen = ben.get(f"{PLACE}/{match}").json
    assert seen["move"] == move
    assert seen["frozen"] == {"move": move, "at": NOW, "by": judge.player, "reason": "a dispute"}
    assert seen["clock"]["now"]["stands"] == "frozen"
    lobby = ann.get("/v1/lobby").json
    assert [(row["match"], row["asked"], row["frozen"]) for row in lobby["theirs"]] == [(match, {}, True)]
    soon(lambda: ann.get("/v1/matches").json["matches"][0]["frozen"])
    freeze(match, judge).problem(422, "freeze")
    assert freeze(match, judge, frozen=False).status == 201
    assert "frozen" not in ben.get(f"{PLACE}/{match}").json
    assert moves(match, ben, "1").status == 201
    soon(lambda: not ann.get("/v1/matches").json["matches"][0]["frozen"])


def test_a_frozen_match_takes_a_ruling_and_is_then_over(server: Served) -> None:
    match, _ = server.table(clock=BANK)
    judge = server.person("organizer")
    freeze(match, judge)
    body = {"reason": "a forged hand", "result": {"winner": "left"}}
    assert judge.post(f"{PLACE}/{match}/rulings", body).status == 201
    seen = judge.get(f"{PLACE}/{match}").json
    assert (seen["status"], "frozen" in seen) == ("over", False)
    freeze(match, judge, frozen=False).problem(409, "over")
    soon(lambda: judge.get("/v1/matches").json["matches"][0]["frozen"] is False)


def test_a_bot_waits_in_a_frozen_match(server: Served) -> None:
    ann, judge = server.player("Ann"), server.person("organizer")
    match = ann.post("/v1/matches", {"game": "toy", "clock": BANK}).json["match"]
    ann.post(f"{PLACE}/{match}/seats/left", {})
    freeze(match, judge).problem(409, "not-running")
    ann.post(f"{PLACE}/{match}/seats/right", {"bot": "random"})
    soon(lambda: ann.get(f"{PLACE}/{match}").json["move"] == 4)  # it has bid
    assert freeze(match, judge).status == 201
    ann.post(f"{PLACE}/{match}/moves", {"expect": 3, "picks": ["2"]}).problem(409, "frozen")
    assert freeze(match, judge, frozen=False).status == 201
    assert ann.post(f"{PLACE}/{match}/moves", {"expect": 3, "picks": ["2"]}).status == 201


def test_the_socket_says_the_same(server: Served) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    judge = server.person("organizer")
    with socket(server.port, ann.token) as own, socket(server.port, judge.token) as official:
        own.done("follow", match=match, after=3)
        told = own.done("clock", match=match, seat="right", more=900 * SECOND, key="gift")
        assert told["clock"]["left"]["right"] == 960 * SECOND
        assert own.done("clock", match=match, seat="right", more=900 * SECOND, key="gift") == told
        official.done("clock", match=match, paused=True, why="lunch")
        official.done("freeze", match=match, reason="a dispute")
        kinds = [move["kind"] for move in own.pushed(match, 3)]
        assert kinds == ["clock_set", "clock_paused", "frozen"]
        own.problem(409, "frozen", "play", match=match, expect=3, picks=["2"])
        official.done("freeze", match=match, reason="settled", frozen=False)
    assert moves(match, ben, "1").status == 201


def test_earlier_moves_show_the_clocks_as_they_were(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    time.now += 10 * SECOND
    moves(match, ann, "2")
    time.now += 10 * SECOND
    clock(match, ann, seat="right", more=100 * SECOND)
    moves(match, ben, "1")
    told = ann.get(f"{PLACE}/{match}/moves?after=2").json["moves"]
    for move in told:
        seen = ann.get(f"{PLACE}/{match}?at={move['move']}").json["clock"]["now"]
        assert seen == move["clock"]
    assert told[0]["clock"]["left"] == {"left": 60 * SECOND, "right": 60 * SECOND}


def test_organizers_read_the_evidence_of_a_match(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    judge = server.person("organizer")
    root = ann.get(f"{PLACE}/{match}").json["root"]
    time.now += 9 * SECOND
    moves(match, ann, "2")
    ann.post(f"{PLACE}/{match}/takebacks", {"to": 3})
    ben.post(f"{PLACE}/{match}/takebacks/5/answer", {"agree": False})
    path = f"{PLACE}/{match}/evidence"
    told = judge.get(path).json
    assert told["seats"]["left"]["declined"] == [5]
    assert told["seats"]["left"]["longest_think"] == {"took": 9 * SECOND, "move": 4}
    assert "held" not in told
    kept = root.replace("+", "%2B")
    assert judge.get(f"{path}?at=3&root={kept}").json["held"] == "behind"
    assert judge.get(f"{path}?at=4&root={kept}").json["held"] == "forked"
    assert judge.get(f"{path}?at=40&root={kept}").json["held"] == "ahead"
    judge.get(f"{path}?at=3").problem(422, "invalid")
    for wrong in ("x", "A" * 42 + "B=", "A" * 100_000):
        assert judge.get(f"{path}?at=3&root={wrong}").status in (414, 422, 431)
    ann.get(path).problem(403, "forbidden")
    server.client().get(path).problem(401, "unauthorized")
