"""Clocks over HTTP and the socket: terms, what they show, the refusal of what is late; at a handed time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.gate import Gate
from api.store import uptime
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from domain.clocks import DAY, SECOND
from domain.game import Game
from replay.verify import verify
from tests.api.http.playing import on
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket, spectator
from tests.api.patience import look_at_clocks_often
from tests.waiting import soon

NOW = 1_790_000_000_000_000
BANK = {"mode": "bank", "main": 60, "increment": 10}
REPORTS = {**BANK, "time_up": "report"}
PLACE = "/v1/matches"


class Time:
    """The time of a server in a test; it stands still between two steps."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@contextmanager
def timed(folder: Path, time: Time) -> Iterator[Served]:
    """A server whose clock a test moves."""
    with closing(SqliteStore.open(folder / "store")) as store:
        gate = Gate(store, store.keys, time, "test")
        with served(folder, store, gate) as server:
            yield server


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The time of the server, at which it looks often."""
    look_at_clocks_often(monkeypatch.setattr)
    return Time()


@pytest.fixture
def server(toy_in_words: Game, tmp_path: Path, time: Time) -> Iterator[Served]:
    """A server at a time that stands still."""
    with timed(tmp_path, time) as running:
        yield running


def moves(match: str, player: Client, *picks: str, expect: int = 3, **headers: str) -> Any:
    return player.post(f"{PLACE}/{match}/moves", {"expect": expect, "picks": list(picks)}, **headers)


def shown(left: int, right: int, *asked: str) -> dict[str, Any]:
    """What a clock shows at NOW, with so many seconds left."""
    banks = {"left": left * SECOND, "right": right * SECOND}
    return {"as_of": NOW, "left": banks, "due": {seat: NOW + banks[seat] for seat in asked}}


# ── the terms ──


def test_a_match_with_a_clock_shows_its_terms_and_what_is_left(server: Served) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    told = server.client().get(f"{PLACE}/{match}").json
    assert told["clock"] == {"terms": [BANK], "now": shown(60, 60, "left", "right")}
    done = moves(match, ann, "2").json
    assert done["clock"] == shown(70, 60, "right")
    assert moves(match, ben, "1").json["clock"] == shown(70, 70, "left")
    back = server.client().get(f"{PLACE}/{match}?at=4").json
    assert back["clock"] == {"terms": [BANK], "now": shown(70, 60, "right")}
    assert server.client().get(f"{PLACE}?limit=1").json["matches"][0]["clocked"] is True


def test_two_terms_combine_and_the_date_stands_last(server: Served) -> None:
    until, days = {"mode": "until", "until": NOW + 9 * DAY}, {"mode": "days", "days": 3, "cap": 7}
    match, _ = server.table(clock=[until, days])
    assert server.client().get(f"{PLACE}/{match}").json["clock"]["terms"] == [days, until]


def test_a_match_without_a_clock_shows_none_anywhere(server: Served) -> None:
    match, (ann, _) = server.table()
    assert "clock" not in server.client().get(f"{PLACE}/{match}").json
    assert "clock" not in moves(match, ann, "2").json
    assert not any("clock" in move for move in ann.get(f"{PLACE}/{match}/moves").json["moves"])
    assert "clock" not in ann.get("/v1/lobby").json["theirs"][0]


def test_a_time_that_is_only_reported_is_shown_and_the_match_goes_on(
    server: Served, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uptime, "GAP", 10**18)  # no step of the time is a stop
    assert server.services is not None
    server.services.clock = time
    match, (ann, ben) = server.table(clock=REPORTS)
    reader, since = server.client(), NOW + 60 * SECOND

    def flags(path: str = f"{PLACE}/{match}") -> Any:
        told = reader.get(path).json["clock"]
        assert told["terms"] == [REPORTS]
        return told["now"]["flagged"]

    assert moves(match, ann, "2").json["clock"]["flagged"] == {}
    time.now = since - 1
    assert flags() == {}
    time.now = since
    assert flags() == {"right": since}
    assert flags(f"{PLACE}/{match}?at=3") == {}
    with spectator(server.port) as line:
        line.done("follow", match=match, after=4)
        time.now += DAY
        done = moves(match, ben, "1").json  # so late, and it is stored
        assert done["clock"]["flagged"] == {"right": since}
        assert done["clock"]["left"] == {"left": 70 * SECOND, "right": 10 * SECOND}
        (told,) = line.pushed(match, 1)
        assert told["clock"]["flagged"] == {"right": since}
    kinds = [move["kind"] for move in reader.get(f"{PLACE}/{match}/moves").json["moves"]]
    assert "timed_out" not in kinds
    given = ann.post(f"{PLACE}/{match}/clock", {"seat": "right", "more": SECOND})
    assert given.status == 201
    assert flags() == {}
    verdict = {"reason": "late", "result": {"winner": "left"}}
    judge = server.person("organizer")
    assert judge.post(f"{PLACE}/{match}/rulings", verdict).status == 201
    assert reader.get(f"{PLACE}/{match}").json["result"]["reason"] == "ruling"


NO_CLOCKS = (
    {"mode": "bank"},
    {"mode": "bank", "main": 0},
    {"mode": "bank", "main": 10**30},
    {"mode": "bank", "main": 60.5},
    {"mode": "bank", "main": "60"},
    {"mode": "bank", "main": 60, "at": NOW},
    {"mode": "bank", "main": 60, "time_up": "win"},
    {"mode": "bank", "main": 60, "time_up": None},
    {"mode": "days", "days": 366},
    {"mode": "until", "until": -1},
    {"mode": "hourglass", "main": 60},
    {"main": 60},
    [BANK, BANK, BANK],
    [[BANK]],
    "bank",
    60,
    None,
    True,
)
NOT_KEPT = (
    (
        [REPORTS, {"mode": "until", "until": NOW + DAY}],
        "both terms of a clock say the same in `time_up`",
        "`time_up` у обеих частей часов должно быть одинаковым",
    ),
    ([BANK, {"mode": "days", "days": 1}], "a clock has a bank or days, a date,", "часы — это запас времени"),
    ({"mode": "bank", "main": 60, "cap": 59}, "a clock holds at least", "предел часов"),
    ({"mode": "until", "until": NOW}, "lies after the opening", "позже её открытия"),
)


def test_a_clock_that_is_none_is_refused(server: Served) -> None:
    ann = server.player()
    for clock in NO_CLOCKS:
        told = ann.post(PLACE, {"game": "toy", "clock": clock}).problem(422, "invalid")["detail"]
        known = ("there are: bank, days, until", "there are: lose, report")
        assert "clock" in told or told.endswith(known), clock
    assert server.client().get(PLACE).json["matches"] == []


def test_a_clock_that_cannot_be_kept_is_refused_in_both_languages(server: Served) -> None:
    ann = server.player()
    for clock, english, russian in NOT_KEPT:
        for language, words in (("en", english), ("ru", russian)):
            answer = ann.post(PLACE, {"game": "toy", "clock": clock}, accept_language=language)
            assert words in answer.problem(422, "bad-option")["detail"]
    assert server.client().get(PLACE).json["matches"] == []


def test_no_clock_is_the_same_request_as_before(server: Served) -> None:
    """A key is bound to the body: a request of an older client and one without a clock are the same."""
    ann = server.player()
    first = ann.post(PLACE, {"game": "toy"}, idempotency_key="k")
    assert ann.post(PLACE, {"game": "toy"}, idempotency_key="k").json == first.json
    ann.post(PLACE, {"game": "toy", "clock": BANK}, idempotency_key="k").problem(422, "key-reused")


# ── a client's time ──


def test_no_time_of_a_client_counts(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock=BANK)
    time.now += 5 * SECOND
    for more in ({"at": NOW}, {"clock": {"left": 10**9}}, {"left": 10**9}):
        body = {"expect": 3, "picks": ["2"], **more}
        ann.post(f"{PLACE}/{match}/moves", body).problem(422, "invalid")
    early = "Mon, 01 Jan 2001 00:00:00 GMT"
    told = moves(match, ann, "2", date=early, x_time="0").json
    assert told["clock"]["as_of"] == time.now
    for path in ("clocks", "time_outs", "timeout", "clock_stopped"):
        ben.post(f"{PLACE}/{match}/{path}", {}).problem(404, "not-found")


def test_what_comes_late_is_refused_and_the_match_is_over(server: Served, time: Time) -> None:
    match, (ann, ben) = server.table(clock={"mode": "bank", "main": 15})
    moves(match, ann, "2")
    time.now += 15 * SECOND + 1_000
    told = moves(match, ben, "1").problem(409, "time")
    assert told["detail"] == "the time of right was up 0.001 seconds before this, so the match is over"
    told = moves(match, ben, "1", accept_language="ru").problem(409, "time")
    assert told["title"] == "Время истекло"
    assert told["detail"] == "время истекло (правый) за 0.001 с до этого запроса, поэтому партия окончена"
    seen = server.client().get(f"{PLACE}/{match}").json
    assert (seen["status"], seen["result"]["winner"], seen["result"]["reason"]) == ("over", "left", "time")
    assert seen["clock"]["now"]["due"] == {}
    report = verify(server.client().get(f"{PLACE}/{match}/file").body)
    assert report.ok, report
    assert server.client().get("/problems/time").status == 200


# ── the timekeeper, the socket, the lobby, a restart ──


def test_followers_hear_of_a_time_out_that_no_request_brings(server: Served, time: Time) -> None:
    match, (ann, _) = server.table(clock={"mode": "bank", "main": 15})
    with socket(server.port, ann.token) as line:
        line.done("follow", match=match, after=3)
        moves(match, ann, "2")
        (played,) = line.pushed(match, 1)
        assert played["clock"] == shown(15, 15, "right")
        time.now += 15 * SECOND
        _, timed_out, *_ = line.pushed(match, 4)
        assert (timed_out["kind"], timed_out["seat"]) == ("timed_out", "right")
        assert timed_out["left"] == {"left": 15 * SECOND, "right": 0}
        assert timed_out["clock"]["due"] == {}


def test_the_lobby_shows_the_clocks_of_running_matches(server: Served) -> None:
    match, (ann, _) = server.table(clock=BANK)
    told = ann.get("/v1/lobby").json
    assert [(row["match"], row["clock"]) for row in told["mine"]] == [(match, shown(60, 60, "left", "right"))]


def test_a_restart_in_the_middle_burns_no_time(toy_in_words: Game, tmp_path: Path, time: Time) -> None:
    with timed(tmp_path, time) as server:
        match, (ann, ben) = server.table(clock=BANK)
        moves(match, ann, "2")
        time.now += 4 * SECOND  # less than from one heartbeat to the next
        token = ben.token
    time.now += 3_600 * SECOND
    with timed(tmp_path, time) as server:
        ben = server.client(token)
        soon(lambda: ben.get(f"{PLACE}/{match}").json["move"] == 5)  # without any command
        told = ben.get(f"{PLACE}/{match}").json["clock"]["now"]
        assert told["due"] == {"right": time.now + 60 * SECOND}
        kinds = [move["kind"] for move in ben.get(f"{PLACE}/{match}/moves").json["moves"]]
        assert kinds[-1] == "clock_stopped"
        assert moves(match, ben, "1").status == 201
        assert verify(ben.get(f"{PLACE}/{match}/file").body).ok


def test_a_time_out_without_any_request_is_noted_after_a_restart(
    toy_in_words: Game, tmp_path: Path, time: Time
) -> None:
    with timed(tmp_path, time) as server:
        match, _ = server.table(clock={"mode": "bank", "main": 5})
        time.now += 4 * SECOND
    time.now += 3_600 * SECOND
    with timed(tmp_path, time) as server:
        client = server.client()
        soon(lambda: client.get(f"{PLACE}/{match}").json["move"] == 4)
        time.now += 5 * SECOND
        soon(lambda: client.get(f"{PLACE}/{match}").json["status"] == "over")
        assert client.get(f"{PLACE}/{match}").json["result"]["winner"] is None


def test_a_spectator_follows_the_clocks_too(server: Served) -> None:
    match, (ann, _) = server.table(clock=BANK)
    with spectator(server.port) as line:
        line.done("follow", match=match, after=3)
        moves(match, ann, "2")
        (played,) = line.pushed(match, 1)
        assert played["clock"]["due"] == {"right": NOW + 60 * SECOND}


def test_two_workers_of_one_store_keep_the_same_clocks(
    toy_in_words: Game, tmp_path: Path, database: str, time: Time
) -> None:
    """Each answers at its own worker; one of the workers notes the time-out, and both refuse what is late."""
    keys = tmp_path / "keys"
    with ExitStack() as running:
        workers = []
        for name in ("one", "other"):
            store = running.enter_context(closing(PostgresStore.open(database, keys=keys)))
            gate = Gate(store, store.keys, time, "test")
            (tmp_path / name).mkdir()
            workers.append(running.enter_context(served(tmp_path / name, store, gate)))
        match, (ann, ben) = workers[0].table(clock={"mode": "bank", "main": 15})
        moves(match, ann, "2")
        here, there = ben, on(workers[1], ben)
        assert there.get(f"{PLACE}/{match}").json["clock"]["now"] == shown(15, 15, "right")
        time.now += 15 * SECOND
        soon(lambda: there.get(f"{PLACE}/{match}").json["status"] == "over")
        for client in (here, there):
            assert moves(match, client, "1").problem(409, "time")["detail"].startswith("the time of right")
        kinds = [move["kind"] for move in there.get(f"{PLACE}/{match}/moves").json["moves"]]
        assert kinds[4:] == ["timed_out", "secret_opened", "closed"]


def test_the_file_of_a_match_that_was_lost_on_time_is_taken_elsewhere(
    server: Served, toy_in_words: Game, tmp_path: Path, time: Time
) -> None:
    match, (ann, ben) = server.table(clock={"mode": "bank", "main": 15})
    moves(match, ann, "2")
    time.now += 15 * SECOND
    moves(match, ben, "1").problem(409, "time")
    content = server.client().get(f"{PLACE}/{match}/file").body
    (tmp_path / "other").mkdir()
    with timed(tmp_path / "other", time) as other:
        head = {"content-type": "application/zip"}
        assert other.player().send("POST", "/v1/replays", content, head).status == 201
        told = other.client().get(f"{PLACE}/{match}").json
        assert (told["origin"], told["result"]["reason"]) == ("uploaded", "time")
