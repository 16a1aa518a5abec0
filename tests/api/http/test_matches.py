"""Opening a match, sitting down, looking at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.http.served import Served, served


def test_match_is_opened_seated_and_asks_its_first_prompt(server: Served) -> None:
    ann, ben = server.player("Ann"), server.player("Ben")
    opened = ann.post("/v1/matches", {"game": "toy", "options": {"rounds": 1}})
    assert opened.status == 201
    told = opened.json
    match = told["match"]
    assert told["seats"] == {"left": None, "right": None}
    assert (told["game"], told["edition"], told["options"]) == ("toy", "first", {"rounds": 1})
    assert (told["move"], told["status"], told["origin"]) == (1, "open", "live")
    assert ann.get(f"/v1/matches/{match}/prompt").status == 204

    sat = ann.post(f"/v1/matches/{match}/seats/left", {"salt": "abc"})
    assert (sat.status, sat.json["seats"]) == (201, {"left": ann.player, "right": None})
    assert ben.post(f"/v1/matches/{match}/seats/right").status == 201

    prompt = ben.get(f"/v1/matches/{match}/prompt")
    assert (prompt.status, prompt.json) == (
        200,
        {
            "move": 3,
            "seat": "right",
            "ask": "Bid",
            "options": [{"pick": pick, "label": pick} for pick in "0123"],
            "least": 1,
            "most": 1,
            "why": "How much does right bid?",
        },
    )
    assert server.client().get(f"/v1/matches/{match}/prompt").status == 204
    seen = server.client().get(f"/v1/matches/{match}").json
    assert (seen["status"], seen["chance"], seen["result"]) == ("running", "player-seeded", None)
    assert seen["names"] == {ann.player: "Ann", ben.player: "Ben"}
    assert seen["asked"] == {"ask": "Bid", "seats": {"left": 3, "right": 3}}
    assert seen["table"]["hands"] == {"left": ["?"], "right": ["?"]}
    assert "agenda" not in seen["table"]


def test_unchanged_match_is_sent_as_the_same_bytes(server: Served) -> None:
    match, (ann, _) = server.table()
    first = ann.get(f"/v1/matches/{match}")
    second = ann.get(f"/v1/matches/{match}")
    assert first.body == second.body
    unchanged = ann.get(f"/v1/matches/{match}", if_none_match=first.headers["etag"])
    assert (unchanged.status, unchanged.body) == (304, b"")
    ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]})
    changed = ann.get(f"/v1/matches/{match}", if_none_match=first.headers["etag"])
    assert changed.status == 200
    assert changed.json["move"] == 4


def test_table_can_be_read_at_any_move(server: Served) -> None:
    match, (ann, _) = server.table()
    ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]})
    before = ann.get(f"/v1/matches/{match}?at=2").json
    assert (before["at"], before["move"], before["table"]["round"], before["asked"]) == (2, 4, 0, None)
    at = ann.get(f"/v1/matches/{match}?at=3").json
    assert (at["table"]["round"], at["asked"]["seats"]) == (1, {"left": 3, "right": 3})
    for at_move in ("5", "1000000"):
        ann.get(f"/v1/matches/{match}?at={at_move}").problem(404, "unknown-move")
    for at_move in ("0", "-1", "x", "1e99", "9" * 400):
        ann.get(f"/v1/matches/{match}?at={at_move}").problem(422, "invalid")


def test_seat_view_is_only_for_its_player_until_the_end(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = f"/v1/matches/{match}"
    own = ann.get(address).json
    assert own["view"] == "left"
    assert own["table"]["hands"]["right"] == ["?"]
    assert own["table"]["hands"]["left"] != ["?"]
    assert ann.get(f"{address}?view=spectator").json["table"]["hands"]["left"] == ["?"]
    assert ann.get(f"{address}?view=left").body == ann.get(address).body
    for client, view in ((ann, "right"), (ann, "all"), (server.client(), "left"), (server.player(), "left")):
        client.get(f"{address}?view={view}").problem(403, "forbidden")
    for role in ("admin", "organizer", "observer"):
        server.person(role).get(f"{address}?view=left").problem(403, "forbidden")
        assert server.person(role).get(address).json["view"] == "spectator"
    ann.get(f"{address}?view=middle").problem(404, "unknown-seat")

    ben.post(f"{address}/resignation")
    for view in ("left", "right", "all", "spectator"):
        assert server.client().get(f"{address}?view={view}").json["view"] == view
    assert "?" not in str(server.client().get(f"{address}?view=all").json["table"]["hands"])
    over = server.client().get(address).json
    assert (over["status"], over["result"]["winner"], over["result"]["reason"]) == (
        "over",
        "left",
        "resignation",
    )


def test_taken_seat_and_unknown_seat_are_refused(server: Served) -> None:
    match, (ann, _) = server.table()
    eve = server.player("Eve")
    eve.post(f"/v1/matches/{match}/seats/left").problem(409, "seat-taken")
    eve.post(f"/v1/matches/{match}/seats/middle").problem(404, "unknown-seat")
    eve.post("/v1/matches/m0/seats/left").problem(404, "unknown-match")
    ann.post(f"/v1/matches/{match}/resignation")
    eve.post(f"/v1/matches/{match}/seats/left").problem(409, "over")


def test_bot_plays_a_seat(server: Served) -> None:
    ann = server.player("Ann")
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/right", {"bot": "clever"}).problem(422, "unknown-bot")
    ann.post(f"/v1/matches/{match}/seats/right", {"bot": "random", "salt": "x"}).problem(422, "invalid")
    server.player("Eve").post(f"/v1/matches/{match}/seats/right", {"bot": "random"}).problem(403, "foreign")
    told = ann.post(f"/v1/matches/{match}/seats/right", {"bot": "random"}).json
    assert (told["seats"]["right"], told["bots"]) == ("bot:random", {"right": "random"})
    ann.post(f"/v1/matches/{match}/seats/left")
    played = 0
    while (prompt := ann.get(f"/v1/matches/{match}/prompt")).status == 200 and played < 200:
        question = prompt.json
        pick = question["options"][0]["pick"] if question["ask"] == "Turn" else "3"
        answer = ann.post(f"/v1/matches/{match}/moves", {"expect": question["move"], "picks": [pick]})
        assert answer.status == 201
        again = ann.get(f"/v1/matches/{match}/prompt")
        assert answer.json["prompt"] == (again.json if again.status == 200 else None)
        played += 1
    assert ann.get(f"/v1/matches/{match}").json["status"] == "over"


def test_observer_cannot_open_a_match(server: Served) -> None:
    observer = server.person("observer")
    observer.post("/v1/matches", {"game": "toy"}).problem(403, "forbidden")
    server.client().post("/v1/matches", {"game": "toy"}).problem(401, "unauthorized")
    match, _ = server.table()
    observer.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}).problem(403, "forbidden")


def test_invalid_opening_is_refused(server: Served) -> None:
    ann = server.player()
    ann.post("/v1/matches", {"game": "chess"}).problem(404, "unknown-game")
    ann.post("/v1/matches", {"game": "toy", "edition": "x"}).problem(422, "bad-option")
    told = ann.post("/v1/matches", {"game": "toy", "options": {"rounds": 7}}).problem(422, "bad-option")
    assert "1 to 3" in told["detail"]
    assert ann.get("/v1/matches").json["matches"] == []


def test_games_are_listed_with_titles_options_and_components(server: Served) -> None:
    told = server.client().get("/v1/games").json["games"]
    struggles = {"twilight_struggle", "imperial_struggle"}
    assert {game["game"] for game in told} == {"thirteen_minutes", "cia_vs_kgb", *struggles, "toy"}
    for game in told:
        assert set(game["titles"]) == {"en", "ru"}
        detail = server.client().get(f"/v1/games/{game['game']}").json
        assert detail["components"]
        assert set(detail["names"]) == {"en", "ru"}
        assert {name: detail[name] for name in game} == game
    server.client().get("/v1/games/chess").problem(404, "unknown-game")


def test_game_describes_its_cards(server: Served) -> None:
    toy = server.client().get("/v1/games/toy").json
    assert toy["texts"] == {"en": {"card-1": "Brings a die."}, "ru": {"card-1": "Приносит бросок кубика."}}
    with_its_components = server.client().get("/v1/games/cia_vs_kgb").json
    assert with_its_components["texts"] == {"en": {}, "ru": {}}
    struggle = server.client().get("/v1/games/twilight_struggle").json
    cards = {card["id"] for card in struggle["components"]["cards"]}
    assert all(set(struggle["texts"][language]) == cards for language in ("en", "ru"))


@pytest.mark.parametrize("game", ["thirteen_minutes", "cia_vs_kgb"])
def test_reloaded_match_is_sent_as_the_same_bytes(tmp_path: Path, game: str) -> None:
    with served(tmp_path) as server:
        match, players = server.table(game)
        addresses = [f"/v1/matches/{match}{query}" for query in ("", "?at=1", "?at=2", "?view=spectator")]
        before = [player.get(address) for player in players for address in addresses]
        tokens = [player.token for player in players]
    with served(tmp_path) as server:
        again = [server.client(token).get(address) for token in tokens for address in addresses]
    assert [answer.body for answer in again] == [answer.body for answer in before]
    assert [answer.headers["etag"] for answer in again] == [answer.headers["etag"] for answer in before]
