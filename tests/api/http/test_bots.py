"""The bots over HTTP: the list of levels, and a seat for one that searches."""

from __future__ import annotations

from pathlib import Path

from api.bots.levels import LEVELS, agent_of
from domain.agents import AGENTS
from domain.games import GAMES
from tests.api.http.served import Served, served
from tests.waiting import soon


def test_the_levels_are_listed_with_their_games(server: Served) -> None:
    told = server.client().get("/v1/bots").json["bots"]
    assert [bot["name"] for bot in told] == list(LEVELS)
    for bot in told:
        assert set(AGENTS) <= set(bot["games"]) <= set(GAMES) | {"toy"}
        assert all(method["offered"] for method in bot["games"].values())
    easy = {bot["name"]: bot for bot in told}["easy"]["games"]
    assert easy["twilight_struggle"]["version"] == AGENTS["twilight_struggle"].version
    assert easy["thirteen_minutes"]["playouts"] > 0
    hard = {bot["name"]: bot for bot in told}["hard"]["games"]
    assert set(hard) == set(AGENTS)
    assert all(method["version"] == AGENTS[game].deep_version for game, method in hard.items())


def test_a_bot_that_searches_answers_after_the_response(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "cia_vs_kgb"}).json["match"]
    assert ann.post(f"/v1/matches/{match}/seats/cia", {}).status == 201
    seated = ann.post(f"/v1/matches/{match}/seats/kgb", {"bot": "easy"})
    assert (seated.status, seated.json["bots"]) == (201, {"kgb": "easy"})
    prompt = ann.get(f"/v1/matches/{match}/prompt").json
    assert prompt["ask"] == "CloseHands"
    body = {"expect": prompt["move"], "picks": [prompt["options"][0]["pick"]]}
    assert ann.post(f"/v1/matches/{match}/moves", body).status == 201

    def next_question() -> bool:
        answer = ann.get(f"/v1/matches/{match}/prompt")
        return answer.status == 200 and answer.json["move"] > prompt["move"]

    soon(next_question)
    moves = ann.get(f"/v1/matches/{match}/moves").json["moves"]
    assert [move["seat"] for move in moves if move["kind"] == "played"][:2].count("kgb") == 1
    agents = [move.get("agent") for move in moves if move["kind"] == "seated"]
    assert agents == [None, agent_of("easy", "cia_vs_kgb")]


def test_an_unknown_level_is_refused_with_the_list(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "cia_vs_kgb"}).json["match"]
    told = ann.post(f"/v1/matches/{match}/seats/kgb", {"bot": "genius"}).problem(422, "unknown-bot")
    assert "random, easy, hard" in told["detail"]


def test_without_processes_the_pages_and_the_list_say_so(tmp_path: Path) -> None:
    with served(tmp_path, bot_workers=0) as server:
        ann = server.player()
        told = ann.get("/v1/bots").json["bots"]
        easy = {bot["name"]: bot for bot in told}["easy"]["games"]
        assert {game for game, method in easy.items() if method["offered"]} == {"twilight_struggle"}
        hard = {bot["name"]: bot for bot in told}["hard"]["games"]
        assert [method["offered"] for method in hard.values()] == [False] * len(AGENTS)
        match = ann.post("/v1/matches", {"game": "cia_vs_kgb"}).json["match"]
        refused = ann.post(f"/v1/matches/{match}/seats/kgb", {"bot": "easy"}).problem(422, "unknown-bot")
        assert "has to search" in refused["detail"]
        refused = ann.post(f"/v1/matches/{match}/seats/kgb", {"bot": "hard"}).problem(422, "unknown-bot")
        assert "has to search" in refused["detail"]
        page = ann.get("/new?game=cia_vs_kgb").body.decode()
        assert "no process in which a bot can search" in page
        page = ann.get("/new?game=twilight_struggle").body.decode()
        assert "Not offered here: hard." in page


def test_a_player_that_is_a_bot_is_marked_for_ever_and_its_matches_are_not_rated(server: Served) -> None:
    """Given a bot's own account, then its seat, the lobby, the page and the boards say that a bot plays."""
    ann = server.player()
    made = server.client().post("/v1/players", {"name": "Bo", "bot": True})
    assert (made.status, made.json["role"]) == (201, "bot")
    bot = server.client(made.json["token"], made.json["player"])
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    assert ann.post(f"/v1/matches/{match}/seats/left", {}).status == 201
    bot.post(f"/v1/matches/{match}/seats/right", {"salt": "a-little-luck"}).problem(422, "invalid")
    bot.post(f"/v1/matches/{match}/seats/right", {"salt_hash": "A" * 43 + "="}).problem(422, "invalid")
    seated = bot.post(f"/v1/matches/{match}/seats/right", {})
    assert (seated.status, seated.json["bots"]) == (201, {"right": "client"})
    assert seated.json["names"][bot.player] == "Bo"
    soon(lambda: bot.get("/v1/lobby").json["mine"] or bot.get("/v1/lobby").json["theirs"])
    page = ann.get(f"/m/{match}").body.decode()
    assert "Bo (bot)" in page or "bot Bo" in page
    assert ann.post(f"/v1/matches/{match}/resignation", {}).status == 201

    def pool(name: str) -> list[str]:
        rows = ann.get(f"/v1/scoreboards/toy?pool={name}").json["standings"]
        return [row["player"] for row in rows]

    soon(lambda: bot.player in pool("bots"))
    assert bot.player not in pool("live")
    assert ann.player not in pool("live")
    assert "bot Bo" in ann.get("/s/toy?pool=bots").body.decode()
    assert "<bdi>bot Bo</bdi>" in ann.get(f"/p/{bot.player}").body.decode()
    assert server.client().get(f"/v1/players/{bot.player}").json["bot"] is True
    assert "bot" not in server.client().get(f"/v1/players/{ann.player}").json


def test_a_bot_has_no_other_role(server: Served) -> None:
    for role in ("organizer", "observer", "admin"):
        body = {"name": "Bo", "bot": True, "role": role}
        server.client().post("/v1/players", body).problem(422, "invalid")


def test_the_agenda_is_told_to_the_asked_seat_alone(server: Served) -> None:
    match, (ann, ben) = server.table("toy")
    path = f"/v1/matches/{match}/prompt"
    assert "agenda" not in ann.get(path).json
    told = ann.get(f"{path}?agenda=true").json
    assert told["at"] == ann.get(f"/v1/matches/{match}").json["move"]
    assert [step["do"] for step in told["agenda"]][-1] == told["ask"]
    assert server.client().get(f"{path}?agenda=true").status == 204
    ann.get(f"{path}?agenda=true&at=3").problem(422, "invalid")
    ann.get(f"{path}?agenda=true&view=left").problem(422, "invalid")
    assert ben.get(f"{path}?agenda=true").status == 200
