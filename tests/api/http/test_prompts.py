"""Questions over HTTP: what their options are about, and what was asked after an earlier move."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from tests.api.http.playing import played
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket
from tests.api.http.test_commands import bid
from tests.api.http.worlds import world
from tests.replay.files import file_of
from tests.replay.scenes.matches import strings, unseen, whole

ANSWERS = {"thirteen_minutes": 3, "cia_vs_kgb": 6}  # elsewhere 12


# ── what options are about ──


@pytest.mark.parametrize("game", GAMES)
def test_each_option_names_things_that_the_scene_or_the_vocabulary_knows(server: Served, game: str) -> None:
    match, players = server.table(game)
    source = random.Random(7)
    about = 0
    for _ in range(12):
        for player in players:
            question = player.get(f"/v1/matches/{match}/prompt")
            if question.status == 204:
                continue
            scene = set(strings(player.get(f"/v1/matches/{match}/scene").json["scene"]))
            names = player.get(f"/v1/games/{game}").json["names"]["en"]
            for option in question.json["options"]:
                ids = option.get("about", [])
                about += bool(ids)
                assert set(ids) <= scene | set(names), option
                assert set(ids) <= set(strings(option["pick"])), option
                assert option.get("group", "") in ("", *names)
        played(match, players, source)
    assert about


def test_the_socket_and_the_answer_to_a_move_tell_the_same_question(server: Served) -> None:
    match, players = server.table("cia_vs_kgb")
    source = random.Random(1)
    for _ in range(4):
        done = played(match, players, source)
        for player in players:
            asked = player.get(f"/v1/matches/{match}/prompt")
            with socket(server.port, player.token) as line:
                told = line.done("prompt", match=match)
            assert told == (asked.json if asked.status == 200 else None)
            if done["prompt"] and asked.status == 200 and asked.json["seat"] == done["prompt"]["seat"]:
                assert done["prompt"] == asked.json


def test_a_refused_pick_is_told_what_the_options_are_about(server: Served) -> None:
    match, players = server.table("cia_vs_kgb")
    player = next(one for one in players if one.get(f"/v1/matches/{match}/prompt").status == 200)
    question = player.get(f"/v1/matches/{match}/prompt").json
    body = {"expect": question["move"], "picks": ["nonsense"]}
    refused = player.post(f"/v1/matches/{match}/moves", body).problem(422, "illegal")
    assert refused["legal"] == question


def test_options_of_a_game_that_does_not_spell_its_picks_are_about_the_own_cards(server: Served) -> None:
    match, players = server.table()
    bid(match, players)
    questions = [player.get(f"/v1/matches/{match}/prompt") for player in players]
    (asked,) = [answer.json for answer in questions if answer.status == 200]
    told = {option["pick"]: option.get("about", []) for option in asked["options"]}
    cards = [pick for pick in told if pick.startswith("card-")]
    assert cards
    assert told == {"stop": [], "wave": [], **{card: [card] for card in cards}}


# ── what was asked after an earlier move ──


@pytest.mark.parametrize("game", GAMES)
def test_of_a_match_that_is_over_every_question_is_shown(tmp_path: Path, game: str) -> None:
    match = whole(game)
    with served(tmp_path, requests_per_second=10_000) as server:
        file = {"content-type": "application/zip"}
        assert server.player().send("POST", "/v1/replays", file_of(match), file).status == 201
        client, address = server.client(), f"/v1/matches/{match.id}"
        answered = [record.entry for record in match.records if getattr(record.entry, "ask", None)]
        for entry in random.Random(2).sample(answered, min(20, len(answered))):
            before = match.positions[entry.move - 1].before
            shown = client.get(f"{address}/prompt?at={before}&view={entry.seat}").json
            options = [option["pick"] for option in shown["options"]]
            picks = match.picks_for(match.records[entry.move - 1], "all") or ()
            assert (shown["seat"], shown["ask"]) == (entry.seat, entry.ask)
            assert set(picks) <= set(options)
            assert shown["least"] <= len(picks) <= shown["most"]
            assert client.get(f"{address}/prompt?at={before}&view=all").status == 200
            assert client.get(f"{address}/prompt?at={before}&view=spectator").status == 204
        assert client.get(f"{address}/prompt?view=all").status == 204
        assert client.get(f"{address}/prompt?at={match.move}&view={match.game.seats[0]}").status == 204


def test_an_earlier_question_is_shown_as_it_was(server: Served) -> None:
    match, players = server.table("cia_vs_kgb")
    source = random.Random(4)
    asked: list[tuple[Client, int, Any]] = []
    for _ in range(8):
        now = players[0].get(f"/v1/matches/{match}").json["move"]
        for player in players:
            question = player.get(f"/v1/matches/{match}/prompt")
            asked.append((player, now, question.json if question.status == 200 else None))
        played(match, players, source)
    for player, at, question in asked:
        answer = player.get(f"/v1/matches/{match}/prompt?at={at}")
        assert (answer.json if answer.status == 200 else None) == question


# ── the spy and the forger ──


@pytest.mark.parametrize("game", GAMES)
def test_no_question_tells_an_id_that_is_hidden_from_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    with world(tmp_path / "world", game, monkeypatch) as here:
        here.set_up()
        source = random.Random(3)
        for _ in range(ANSWERS.get(game, 12)):
            assert here.match.asked is not None
            seat = sorted(here.match.asked.seats)[0]
            standing = here.match.prompt(seat)
            assert standing is not None
            here.answer(seat, tuple(source.sample(standing[1].options, standing[1].least)))
        match, shown = here.match, 0
        address = f"/v1/matches/{match.id}/prompt"
        for name, client in here.viewers.items():
            hidden = unseen(match, name if name in here.seats else None)
            for at in range(1, match.move + 1):
                answer = client.get(f"{address}?at={at}")
                shown += answer.status == 200
                assert answer.status == 204 or name in here.seats
                assert answer.status == 204 or not hidden & set(strings(answer.json))
                assert client.get(f"{address}?at={at}&view=spectator").status == 204
                for view in {*here.seats, "all"} - {name}:
                    client.get(f"{address}?at={at}&view={view}").problem(403, "forbidden")
        assert shown


@pytest.mark.parametrize(
    ("query", "status", "kind"),
    [
        ("at=0", 422, "invalid"),
        ("at=-1", 422, "invalid"),
        ("at=x", 422, "invalid"),
        ("at=1&at=2", 422, "invalid"),
        ("at=99999999999999999999", 422, "invalid"),
        ("at=1000", 404, "unknown-move"),
        ("at=1&view=middle", 404, "unknown-seat"),
        ("view=house", 404, "unknown-seat"),
        ("view=left", 403, "forbidden"),
        ("view=all", 403, "forbidden"),
        (f"view={'x' * 65}", 422, "invalid"),
        ("move=1", 422, "invalid"),
    ],
)
def test_a_question_that_cannot_be_shown_is_refused(
    server: Served, query: str, status: int, kind: str
) -> None:
    match, _ = server.table()
    server.client().get(f"/v1/matches/{match}/prompt?{query}").problem(status, kind)


def test_the_question_of_a_match_that_is_over_is_public_and_that_of_a_running_one_private(
    server: Served,
) -> None:
    match, players = server.table()
    address = bid(match, players)
    running = [player.get(f"{address}/prompt?at=3") for player in players]
    assert {answer.headers["cache-control"] for answer in running} == {"private, no-cache"}
    players[1].post(f"{address}/resignation")
    over = server.client().get(f"{address}/prompt?at=3&view=left")
    assert over.json == running[0].json
