"""Branches over HTTP: who may open one, from where, how it is played, listed, kept and forged."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from api.store.postgres import PostgresStore
from domain.game import Game
from domain.kernel import Result
from domain.match import Match
from replay import matchfile
from replay.verify import verify
from tests.api.http.playing import asked, on, played, two_workers
from tests.api.http.served import Answer, Client, Served, served
from tests.matches import Branching, Sitting, finished
from tests.replay.files import STRANGER, file_of, recorded_match
from tests.salts import hashed
from tests.waiting import soon

ZIP = {"content-type": "application/zip"}


def sent(client: Client, match: Match) -> Answer:
    """What the server says to an uploaded match."""
    return client.send("POST", "/v1/replays", file_of(match, STRANGER), ZIP)


def play_out(match: str, players: list[Client], seed: int = 5) -> None:
    """Play at random to the end."""
    source = random.Random(seed)
    while asked(match, players):
        played(match, players, source)


def over(server: Served, game: str = "toy") -> tuple[str, list[Client]]:
    """A match that was played to its end, and its players."""
    match, players = server.table(game)
    play_out(match, players)
    return match, players


def branch(client: Client, match: str, at: int, **headers: str) -> Answer:
    """The answer to a request for a branch."""
    return client.post(f"/v1/matches/{match}/branches", {"at": at}, **headers)


def sit(match: Any, players: list[Client]) -> str:
    """Everybody sits down; returns the id."""
    for seat, player in zip(match["seats"], players, strict=True):
        assert player.post(f"/v1/matches/{match['match']}/seats/{seat}").status == 201
    return str(match["match"])


def test_branch_is_opened_played_and_verified(server: Served) -> None:
    # Given a match that is over
    parent, players = over(server)
    eve = server.player("Eve")
    before = eve.get(f"/v1/matches/{parent}/file").body
    # When a stranger opens a branch from its third move, and both sit down
    opened = branch(eve, parent, 3)
    assert opened.status == 201, opened
    root = eve.get(f"/v1/matches/{parent}?at=3").json["root"]
    assert opened.json["branch"] == {"match": parent, "move": 3, "root": root}
    assert (opened.json["origin"], opened.json["status"]) == ("branch", "open")
    match = sit(opened.json, [eve, players[0]])
    # Then it stands where the parent stood
    told = eve.get(f"/v1/matches/{match}?view=spectator").json
    assert told["table"] == eve.get(f"/v1/matches/{parent}?at=3&view=spectator").json["table"]
    assert told["asked"]["ask"] == eve.get(f"/v1/matches/{parent}?at=3").json["asked"]["ask"]
    # And it is played to its end, and verifies, on the server and in its file
    play_out(match, [eve, players[0]])
    report = eve.get(f"/v1/matches/{match}/verification").json
    assert report["ok"], report
    assert any("compared, they are those" in note for note in report["notes"])
    theirs = matchfile.read(before).match()
    file = verify(eve.get(f"/v1/matches/{match}/file").body, parent={parent: theirs}.get)
    assert file.ok, file.failures
    # And nothing of the parent has changed
    assert eve.get(f"/v1/matches/{parent}/file").body == before


@pytest.mark.parametrize("game", ["cia_vs_kgb", "thirteen_minutes"])
def test_bots_play_a_branch_to_its_end(tmp_path: Path, game: str) -> None:
    with served(tmp_path) as server:
        ann = server.player()
        opened = ann.post("/v1/matches", {"game": game}).json
        seats = list(opened["seats"])
        for seat in seats:
            ann.post(f"/v1/matches/{opened['match']}/seats/{seat}", {"bot": "random"})
        parent = _ended(ann, opened["match"])
        made = branch(ann, opened["match"], parent["move"] // 2).json
        for seat in seats:
            assert ann.post(f"/v1/matches/{made['match']}/seats/{seat}", {"bot": "random"}).status == 201
        ended = _ended(ann, made["match"])
        assert ended["result"]
        assert ann.get(f"/v1/matches/{made['match']}/verification").json["ok"]


def _ended(client: Client, match: str) -> Any:
    """The match, when bots have played it to its end."""
    soon(lambda: client.get(f"/v1/matches/{match}").json["status"] == "over")
    return client.get(f"/v1/matches/{match}").json


def test_seat_of_a_branch_sees_its_own_cards_and_no_others(server: Served) -> None:
    parent, _ = over(server)
    eve, ben = server.player("Eve"), server.player("Ben")
    match = sit(branch(eve, parent, 3).json, [eve, ben])
    seats = list(eve.get(f"/v1/matches/{match}").json["seats"])
    eve.get(f"/v1/matches/{match}?view={seats[1]}").problem(403, "forbidden")
    eve.get(f"/v1/matches/{match}?view=all").problem(403, "forbidden")
    for seat, player in zip(seats, (eve, ben), strict=True):
        own = player.get(f"/v1/matches/{match}").json["table"]
        assert own == player.get(f"/v1/matches/{parent}?at=3&view={seat}").json["table"]
        moves = player.get(f"/v1/matches/{match}/moves").json["moves"]
        spectator = player.get(f"/v1/matches/{match}/moves?view=spectator").json["moves"]
        assert moves[2]["facts"] != spectator[2]["facts"]


def test_no_branch_of_a_running_match(server: Served) -> None:
    match, (ann, _) = server.table()
    for caller in (ann, server.player("Eve"), server.person("organizer"), server.person("admin")):
        branch(caller, match, 3).problem(409, "branch")
    said = branch(ann, match, 3, accept_language="ru").problem(409, "branch")
    assert said["detail"].startswith("Ветку не открыть")


def test_no_branch_of_an_imported_match(server: Served, toy_in_words: Game) -> None:
    eve = server.player("Eve")
    imported = recorded_match(toy_in_words)
    assert sent(eve, imported).status == 201
    branch(eve, imported.id, 3).problem(409, "branch")


def test_no_branch_without_a_token_or_by_an_observer(server: Served) -> None:
    match, _ = over(server)
    branch(server.client(), match, 3).problem(401, "unauthorized")
    branch(server.person("observer"), match, 3).problem(403, "forbidden")


def test_no_branch_where_nothing_is_asked(server: Served) -> None:
    match, (ann, _) = over(server)
    last = ann.get(f"/v1/matches/{match}").json["move"]
    for at in (1, 2, last, last - 1, last - 2):
        branch(ann, match, at).problem(409, "branch")
    branch(ann, match, last + 1).problem(404, "unknown-move")
    for at in (0, -1, 2**60):
        branch(ann, match, at).problem(422, "invalid")
    ann.post(f"/v1/matches/{match}/branches", {"at": "3"}).problem(422, "invalid")
    ann.post(f"/v1/matches/{match}/branches", {}).problem(422, "invalid")
    branch(ann, "m-none", 3).problem(404, "unknown-match")


def test_same_key_opens_one_branch(server: Served) -> None:
    match, (ann, ben) = over(server)
    first = branch(ann, match, 3, idempotency_key="k1")
    again = branch(ann, match, 3, idempotency_key="k1")
    assert first.status == again.status == 201
    assert first.json["match"] == again.json["match"]
    branch(ann, match, 4, idempotency_key="k1").problem(422, "key-reused")
    ann.post("/v1/matches", {"game": "toy"}, idempotency_key="k1").problem(422, "key-reused")
    assert branch(ben, match, 3, idempotency_key="k1").json["match"] != first.json["match"]
    assert len(ann.get(f"/v1/matches/{match}/branches").json["matches"]) == 2


def test_flood_of_branches_meets_the_rate_limit(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, requests_per_second=100) as server:
        match, (ann, _) = over(server)
        server.stop_the_clock()
        answers = [branch(ann, match, 3).status for _ in range(130)]
        assert answers[-1] == 429
        assert set(answers) == {201, 429}


def test_branches_are_listed_by_their_parent_page_by_page(server: Served) -> None:
    match, (ann, _) = over(server)
    made = [branch(ann, match, 3).json["match"] for _ in range(5)]
    other, _ = over(server)
    branch(ann, other, 3)
    found, after = [], ""
    while True:
        page = ann.get(f"/v1/matches/{match}/branches?limit=2{after}").json
        found += page["matches"]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert [row["match"] for row in found] == made[::-1]
    assert {(row["branch_of"], row["branch_at"], row["origin"]) for row in found} == {(match, 3, "branch")}
    everything = ann.get("/v1/matches?origin=branch").json["matches"]
    assert len(everything) == 6
    assert ann.get(f"/v1/matches/{made[0]}/branches").json["matches"] == []
    ann.get(f"/v1/matches/{match}/branches?limit=201").problem(422, "invalid")
    ann.get("/v1/matches/m-none/branches").problem(404, "unknown-match")


def test_branch_is_never_rated_and_has_a_pool_of_its_own(server: Served) -> None:
    match, players = over(server)
    before = players[0].get("/v1/scoreboards/toy").json
    play_out(sit(branch(players[0], match, 3).json, players), players)
    after = players[0].get("/v1/scoreboards/toy").json
    assert after == before
    own = players[0].get("/v1/scoreboards/toy?pool=branch").json
    assert own["totals"][0]["played"] == 1
    assert {row["rating"] for row in own["standings"]} == {0}


def test_branch_of_a_branch(server: Served) -> None:
    match, players = over(server)
    first = sit(branch(players[0], match, 3).json, players)
    play_out(first, players)
    second = branch(players[0], first, 3)
    assert second.json["branch"]["match"] == first
    play_out(sit(second.json, players), players)
    assert players[0].get(f"/v1/matches/{second.json['match']}/verification").json["ok"]


def test_branch_begins_after_the_server_was_started_again(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path) as server:
        match, players = over(server)
        told = branch(players[0], match, 3).json
        seats = list(told["seats"])
        players[0].post(f"/v1/matches/{told['match']}/seats/{seats[0]}")
        tokens = [(player.token, player.player) for player in players]
    with served(tmp_path) as server:
        players = [server.client(*token) for token in tokens]
        assert players[1].post(f"/v1/matches/{told['match']}/seats/{seats[1]}").status == 201
        play_out(told["match"], players)
        assert players[0].get(f"/v1/matches/{told['match']}/verification").json["ok"]


def test_branch_opened_at_one_worker_begins_at_another(
    toy_in_words: Game, database: str, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=keys)) as (first, second):
        match, players = over(first)
        told = branch(players[0], match, 3).json
        there = [on(second, player) for player in players]
        play_out(sit(told, there), there)
        assert there[0].get(f"/v1/matches/{told['match']}/verification").json["ok"]
        (row,) = there[0].get(f"/v1/matches/{match}/branches").json["matches"]
        assert (row["match"], row["status"]) == (told["match"], "over")


def test_players_commit_to_salts_in_a_branch(server: Served) -> None:
    match, (ann, ben) = over(server)
    told = branch(ann, match, 3).json
    one, other = told["seats"]
    salts = {one: "A" * 24, other: "B" * 24}
    for seat, player in ((one, ann), (other, ben)):
        body = {"salt_hash": hashed(told["match"], seat, salts[seat])}
        assert player.post(f"/v1/matches/{told['match']}/seats/{seat}", body).status == 201
    for seat, player in ((one, ann), (other, ben)):
        opened = player.post(f"/v1/matches/{told['match']}/seats/{seat}/salt", {"salt": salts[seat]})
        assert opened.status == 201, opened
    assert ann.get(f"/v1/matches/{told['match']}").json["status"] == "running"


# ── files ──


def test_withdrawn_parent_has_no_new_branches_and_begins_none(server: Served, toy_in_words: Game) -> None:
    parent = finished(toy_in_words, 13).match
    eve, admin = server.player("Eve"), server.person("admin")
    assert sent(eve, parent).status == 201
    told = branch(eve, parent.id, 3).json
    one, other = told["seats"]
    assert eve.post(f"/v1/matches/{told['match']}/seats/{one}").status == 201
    admin.post(f"/v1/matches/{parent.id}/withdrawal", {"reason": "not theirs"})
    branch(eve, parent.id, 3).problem(410, "withdrawn")
    eve.post(f"/v1/matches/{told['match']}/seats/{other}").problem(410, "withdrawn")
    eve.get(f"/v1/matches/{parent.id}/branches").problem(410, "withdrawn")


def test_uploaded_branch_is_compared_with_its_parent(server: Served, toy_in_words: Game) -> None:
    parent = finished(toy_in_words, 13).match
    eve = server.player("Eve")
    assert sent(eve, parent).status == 201
    # Given a true branch, and one of a parent that is the same but for its secret
    true = Branching(parent, 4, 21).seat_all().play_on().match
    told = sent(eve, true)
    assert (told.status, told.json["origin"], told.json["branch"]["match"]) == (201, "uploaded", parent.id)
    other = finished(toy_in_words, 14, name=parent.id).match
    forged = Branching(other, 4, 22).seat_all().play_on().match
    # Then the forged one is refused where the parent is, and taken with a remark where it is not
    said = sent(eve, forged).problem(422, "bad-file")
    assert "root" in said["detail"]


def test_uploaded_branch_without_its_parent_is_taken_with_a_remark(
    server: Served, toy_in_words: Game
) -> None:
    eve = server.player("Eve")
    orphan = Branching(finished(toy_in_words, 14).match, 4, 22).seat_all().play_on().match
    assert sent(eve, orphan).status == 201
    notes = eve.get(f"/v1/matches/{orphan.id}/verification").json["notes"]
    assert any("not compared" in note for note in notes)


def test_uploaded_claim_of_a_running_match_is_refused(server: Served, toy_in_words: Game) -> None:
    match, _ = server.table()
    theirs = Sitting(toy_in_words, 14, name=match).seat_all()
    theirs.accept(theirs.match.rule(theirs.context, "org", "mine", result=Result(None, "ruling", {})))
    forged = Branching(theirs.match, 3, 22).seat_all().play_on().match
    sent(server.player("Eve"), forged).problem(422, "bad-file")
