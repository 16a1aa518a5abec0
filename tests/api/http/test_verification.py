"""What the server says of its own matches: computed once for each root, with no word about what is hidden."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from api.http import verifications
from domain.game import Game
from replay import verify
from replay.report import Failure, Report
from tests.api.http.served import Served, served
from tests.api.http.test_commands import bid
from tests.matches import finished
from tests.replay.files import file_of, recorded_match

CHECKS = ["log", "chance", "fold", "rules"]


def states(told: Any) -> dict[str, str]:
    """The outcome of each question."""
    return {check["check"]: check["state"] for check in told["checks"]}


def test_a_running_match_is_verified_in_full_and_without_a_word_of_what_is_hidden(server: Served) -> None:
    match, _ = server.table()
    told = server.client().get(f"/v1/matches/{match}/verification").json
    assert states(told) == dict.fromkeys(CHECKS, "ok")
    assert (told["ok"], told["moves"], told["notes"]) == (True, 3, [])
    log = server.client().get(f"/v1/matches/{match}/moves").json["moves"]
    assert told["root"] == log[2]["root"]
    name, id, _ = server.client().get("/v1/keys").json["present"].split("+", 2)
    assert told["signed"] == [f"{name}+{id}"]


def test_a_match_that_is_over_has_the_notes_of_the_verifier(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    players[0].post(f"{address}/resignation")
    answer = server.client().get(f"{address}/verification")
    assert answer.json["ok"]
    assert any(note.startswith("over: right") for note in answer.json["notes"])
    again = server.client().get(f"{address}/verification", if_none_match=answer.headers["etag"])
    assert again.status == 304


def test_an_uploaded_and_an_imported_match_are_verified_as_what_they_are(
    server: Served, toy_in_words: Game
) -> None:
    ann = server.player("Ann")
    for match in (finished(toy_in_words, 8).match, recorded_match(toy_in_words)):
        sent = ann.send("POST", "/v1/replays", file_of(match), {"content-type": "application/zip"})
        assert sent.status == 201, sent
        told = ann.get(f"/v1/matches/{match.id}/verification").json
        assert (told["ok"], told["signed"]) == (True, [])


def damaged(*_: Any, **__: Any) -> Report:
    """The report on a match whose hidden card is wrong."""
    failures = (Failure("chance", 2, "Dealt(card-5)"), Failure("rules", 2, "Dealt(card-5)"))
    return Report("m", "toy", 3, failures=failures, notes=())


def test_a_failure_names_its_move_and_its_reason_only_when_the_match_is_over(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "verify_records", damaged)
    match, players = server.table()
    running = players[1].get(f"/v1/matches/{match}/verification")
    assert states(running.json) == {"log": "unknown", "chance": "wrong", "fold": "unknown", "rules": "wrong"}
    assert [check["move"] for check in running.json["checks"]] == [None, 2, None, 2]
    assert b"card" not in running.body
    players[0].post(f"/v1/matches/{match}/resignation")
    over = players[1].get(f"/v1/matches/{match}/verification").json
    assert over["checks"][1]["said"] == "Dealt(card-5)"


def test_one_root_is_verified_once_however_many_ask_for_it(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed, lock = list[int](), threading.Lock()
    verified = verify.verify_records

    def counted(*args: Any, **more: Any) -> Report:
        assert lock.acquire(blocking=False), "two at once"
        computed.append(len(args[0]))
        report = verified(*args, **more)
        lock.release()
        return report

    monkeypatch.setattr(verify, "verify_records", counted)
    matches = [server.table()[0] for _ in range(2)]
    clients = [server.client() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        asked = [(client, match) for client, match in zip(clients, matches * 3, strict=True)]
        told = list(pool.map(lambda one: one[0].get(f"/v1/matches/{one[1]}/verification").status, asked))
    assert told == [200] * 6
    assert computed == [3, 3]


def test_who_asks_for_too_many_verifications_waits(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifications, "_EACH_MINUTE", 2)
    with served(tmp_path) as server:
        assert server.services is not None
        vars(server.services.verifications._each)["_clock"] = lambda: 100.0
        matches, client = [server.table()[0] for _ in range(3)], server.client()
        first, second, third = (client.get(f"/v1/matches/{match}/verification") for match in matches)
        assert (first.status, second.status) == (200, 200)
        third.problem(429, "limit")
        assert int(third.headers["retry-after"]) > 0
        assert client.get(f"/v1/matches/{matches[0]}/verification").status == 200  # it is known


def test_a_queue_that_is_too_long_is_refused(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.services is not None
    monkeypatch.setattr(server.services.verifications, "_waiting", verifications._WAITING)
    match, _ = server.table()
    server.client().get(f"/v1/matches/{match}/verification").problem(429, "limit")


def test_a_match_that_does_not_exist_has_no_verification(server: Served) -> None:
    server.client().get("/v1/matches/nothing/verification").problem(404, "unknown-match")
