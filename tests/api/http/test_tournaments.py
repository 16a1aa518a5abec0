"""Tournaments over HTTP: a whole one, what is refused, and what hostile requests get."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from domain.log import unb64
from domain.signed_notes import Checkpoint, Note
from replay.tournaments.pairing import pair
from tests.api.gate.tournaments import verified_here
from tests.api.http.served import Answer, Served

TERMS = {"game": "toy", "format": "swiss", "rounds": 2, "tie_breaks": ["BH", "WIN"]}


class Desk:
    """A director with a tournament, and its players."""

    def __init__(self, server: Served, players: int = 4, **terms: Any) -> None:
        self.server = server
        services = server.services
        assert services is not None
        services.follower._verifier = verified_here  # another process does not know the toy game
        services.tournaments._pairer = pair
        self.director = server.person("organizer")
        answer = self.director.post("/v1/tournaments", {"title": "Cup", "terms": TERMS | terms})
        assert answer.status == 201, answer
        self.id = answer.json["tournament"]
        self.path = f"/v1/tournaments/{self.id}"
        self.players = [server.person("player") for _ in range(players)]
        for player in self.players:
            assert player.post(f"{self.path}/entries", {"do": "enter"}).status == 201

    @property
    def entry(self) -> int:
        """The latest entry."""
        return int(self.director.get(self.path).json["entry"])

    def do(self, **command: Any) -> Answer:
        """A command of the director."""
        return self.director.post(f"{self.path}/entries", {"expect": self.entry, **command})

    def post(self, path: str, **body: Any) -> Answer:
        """A request of the director, who has seen everything."""
        return self.director.post(f"{self.path}/{path}", {"expect": self.entry, **body})

    def paired(self) -> None:
        """Pair and publish the next round."""
        draft = self.post("rounds")
        assert draft.status == 200, draft
        number = draft.json["round"]
        path = f"rounds/{number}"
        assert self.post(path, draft_sha256=draft.json["draft_sha256"]).status == 201
        assert self.post(f"{path}/publication").status == 201

    def results(self) -> None:
        """The second player of each board resigns; the follower takes the results."""
        number = len(self.director.get(self.path).json["rounds"])
        one = self.director.get(f"{self.path}/rounds/{number}").json
        people = {player.player: player for player in self.players}
        entrants = self.director.get(f"{self.path}/entrants").json["entrants"]
        clients = {row["entrant"]: people[row["player"]] for row in entrants}
        for board in one["boards"]:
            for side in ("w", "b"):
                seat = f"/v1/matches/{board['match']}/seats/{board[side]['seat']}"
                assert clients[board[side]["entrant"]].post(seat, {}).status == 201
            loser = clients[board["b"]["entrant"]]
            assert loser.post(f"/v1/matches/{board['match']}/resignation", {}).status == 201
        self.follow()

    def follow(self) -> None:
        """Let the follower look at everything."""
        services = self.server.services
        assert services is not None
        asyncio.run_coroutine_threadsafe(services.follower.tick(everything=True), self.server.loop).result()


def test_a_tournament_is_played_over_http(server: Served) -> None:
    desk = Desk(server)
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    for number in (1, 2):
        desk.paired()
        desk.results()
        assert desk.post(f"rounds/{number}/close").status == 201
    assert desk.post("publication", final=True).status == 201
    told = desk.director.get(desk.path).json
    assert told["status"] == "published"
    board = desk.director.get(f"{desk.path}/rounds/1/boards/1").json
    assert board["result"]["result"] == "1-0"
    assert (board["status"], board["light"]) == ("confirmed", "green")
    standings = desk.director.get(f"{desk.path}/standings").json["standings"]
    assert len(standings["places"]) == 4
    assert standings["pending"] == 0
    explained = desk.director.get(f"{desk.path}/standings?explain=n1").json["explained"]
    assert [one["name"] for one in explained] == [one["name"] for one in standings["criteria"]]
    desk.director.get(f"{desk.path}/standings?explain=n77").problem(409, "not-entered")
    beyond = desk.director.get(f"{desk.path}/standings?at=9999")
    assert beyond.problem(404, "unknown-move")["detail"] == f"the latest entry is {desk.entry}"
    match = desk.director.get(f"/v1/matches/{board['match']}").json
    assert match["status"] == "over"


def test_a_ruling_on_a_match_that_is_over_changes_the_ratings_that_its_preview_lists(server: Served) -> None:
    desk = Desk(server)
    desk.do(do="draw_lot", label="lot/colour", n=2)
    for number in (1, 2):
        desk.paired()
        desk.results()
        assert desk.post(f"rounds/{number}/close").status == 201

    def ratings() -> dict[str, int]:
        rows = desk.director.get("/v1/scoreboards/toy?limit=200").json["standings"]
        return {row["player"]: row["rating"] for row in rows if row["player"] in people}

    people = {player.player for player in desk.players}
    before = ratings()
    assert len(before) == 4
    ruling = {"result": "0-1", "reason": "rule_error", "text": "set up wrongly"}
    preview = desk.post("previews", do="rule", round=1, board=1, **ruling).json
    assert preview["rates"]
    assert ratings() == before
    told = desk.post("rounds/1/boards/1/rulings", preview=preview["sha256"], **ruling)
    assert told.status == 201, told
    after = ratings()
    changed = {name: (before[name], after[name]) for name in people if before[name] != after[name]}
    assert {one["player"]: (one["before"], one["after"]) for one in preview["ratings"]} == changed
    assert len(changed) >= 2


def test_the_log_the_root_and_the_checkpoint_agree(server: Served) -> None:
    desk = Desk(server, 2)
    answer = desk.director.get(desk.path)
    root = answer.json["root"]
    assert answer.headers["glasnost-root"] == root
    assert desk.director.get(desk.path, if_none_match=answer.headers["etag"]).status == 304
    note = desk.director.get(f"{desk.path}/checkpoint").body.decode()
    checkpoint = Checkpoint.parse(Note.parse(note).text)
    assert checkpoint.origin.endswith(f"/tournament/{desk.id}")
    assert checkpoint.root == unb64(root)
    lines = desk.director.get(f"{desk.path}/log", accept="application/x-ndjson").body.splitlines()
    assert len(lines) == checkpoint.size == desk.entry
    assert json.loads(lines[0])["kind"] == "announced"
    early = desk.director.get(f"{desk.path}?at=1").json
    assert (early["entry"], early["entrants"], early["status"]) == (1, 0, "announced")


def test_the_rating_of_the_scoreboard_is_copied_when_a_player_enters(server: Served) -> None:
    match, players = server.table(options={"rounds": 2})
    assert players[1].post(f"/v1/matches/{match}/resignation", {}).status == 201
    rows = server.client().get("/v1/scoreboards/toy").json["standings"]
    ratings = {row["player"]: row["rating"] for row in rows}
    desk = Desk(server, 0)
    for player in players:
        assert player.post(f"{desk.path}/entries", {"do": "enter"}).status == 201
    told = desk.director.get(f"{desk.path}/entrants").json["entrants"]
    assert {one["player"]: one["rating"] for one in told} == ratings
    assert told[0]["rating_source"].startswith("scoreboard toy")


def test_the_list_has_filters_and_pages(server: Served) -> None:
    desks = [Desk(server, 0) for _ in range(3)]
    entered = Desk(server, 1)
    first = server.client().get("/v1/tournaments?limit=2").json
    assert [row["tournament"] for row in first["tournaments"]] == [entered.id, desks[2].id]
    second = server.client().get(f"/v1/tournaments?limit=2&after={first['next']}").json
    assert [row["tournament"] for row in second["tournaments"]] == [desks[1].id, desks[0].id]
    by_player = server.client().get(f"/v1/tournaments?player={entered.players[0].player}").json
    assert [row["tournament"] for row in by_player["tournaments"]] == [entered.id]
    assert server.client().get("/v1/tournaments?status=entering").json["tournaments"][0]["entrants"] == 1
    server.client().get("/v1/tournaments?status=sleeping").problem(422, "invalid")
    Desk(server, 0, visibility="link")
    assert len(server.client().get("/v1/tournaments").json["tournaments"]) == 4


def test_two_directors_at_once_learn_who_was_first(server: Served) -> None:
    desk = Desk(server, 2)
    seen = desk.entry
    lot = {"do": "draw_lot", "label": "lot/colour", "n": 2, "expect": seen}
    assert desk.director.post(f"{desk.path}/entries", lot).status == 201
    again = {**lot, "label": "lot/tie/n1"}
    told = desk.director.post(f"{desk.path}/entries", again).problem(409, "stale")
    assert str(seen + 1) in told["detail"]


def test_an_invited_person_signs_in_with_the_code_and_accepts(server: Served) -> None:
    desk = Desk(server, 1)
    made = desk.post("invitations", entrants=[{"name": "Grandmother"}, {"name": "Uncle"}]).json
    codes = [one["code"] for one in made["invitations"]]
    own = server.client(codes[0])
    assert own.post(f"{desk.path}/entries", {"do": "accept", "entrant": "n2"}).status == 201
    other = server.person("player")
    refused = other.post(f"{desk.path}/entries", {"do": "accept", "entrant": "n3"})
    refused.problem(403, "forbidden")
    body = {"do": "accept", "entrant": "n3", "code": codes[1]}
    assert other.post(f"{desk.path}/entries", body).status == 201
    log = desk.director.get(f"{desk.path}/log", accept="application/x-ndjson").body
    assert b"Grandmother" not in log
    assert codes[1].encode() not in log


MANY = [{"path": "byes", "value": "0"}] * 100
HOSTILE: list[tuple[dict[str, Any], int]] = [
    ({}, 422),
    ({"do": "enter", "player": "p", "unknown": 1}, 422),
    ({"do": "open_board", "round": 1, "board": 1, "match": "m", "root": ""}, 422),
    ({"do": "record_result"}, 422),
    ({"do": "ask_bye", "round": 2**70}, 422),
    ({"do": "ask_bye", "round": -1}, 422),
    ({"do": "withdraw", "reason": "x" * 2_001}, 422),
    ({"do": "withdraw", "reason": "\u202eevil"}, 422),
    ({"do": "withdraw", "entrant": "n0"}, 422),
    ({"do": "withdraw", "entrant": "n1\n"}, 422),
    ({"do": "draw_lot", "label": "lot/../x", "n": 2, "expect": 2}, 422),
    ({"do": "draw_lot", "label": "lot/a", "n": 2**40, "expect": 2}, 422),
    ({"do": "change_terms", "path": "game", "value": "[" * 10_000, "reason": "r", "expect": 2}, 409),
    ({"do": "change_terms", "path": "rounds", "value": "1e400", "reason": "r", "expect": 2}, 409),
    ({"do": "change_terms", "path": "byes", "value": "0", "also": MANY, "reason": "r", "expect": 2}, 422),
    ({"do": "change_terms", "path": "byes", "value": "0", "also": MANY[:2], "reason": "r", "expect": 2}, 409),
    ({"do": "change_terms", "path": "time_zone", "value": '"Mars/Base"', "reason": "r", "expect": 2}, 409),
    ({"do": "change_terms", "path": "__class__", "value": "1", "reason": "r", "expect": 2}, 409),
    ({"do": "seed", "order": ["n1"] * 1_001, "expect": 2}, 422),
    ({"do": "accept", "entrant": "n1", "code": "x" * 101}, 422),
]


def test_hostile_commands_change_nothing(server: Served) -> None:
    desk = Desk(server, 1)
    before = desk.director.get(desk.path).json["root"]
    for body, status in HOSTILE:
        client = desk.director if "expect" in body else desk.players[0]
        answer = client.post(f"{desk.path}/entries", body)
        assert answer.status == status, (body, answer)
        assert answer.headers["content-type"] == "application/problem+json"
    assert desk.director.get(desk.path).json["root"] == before


IMPOSSIBLE: list[dict[str, Any]] = [
    {"title": "x" * 201},
    {"title": "two\nlines"},
    {"title": "\u202eevil"},
    {"title": "  "},
    {"terms": TERMS | {"rounds": 41}},
    {"terms": TERMS | {"rounds": 0}},
    {"terms": TERMS | {"tie_breaks": ["NOT"]}},
    {"terms": TERMS | {"tie_breaks": ["BH"] * 11}},
    {"terms": TERMS | {"clock": [{"mode": "bank", "main": 10**9}]}},
    {"terms": TERMS | {"clock": [{"mode": "until", "until": 1}]}},
    {"terms": TERMS | {"windows": [{"opens": 5, "until": 4}]}},
    {"terms": TERMS | {"until": 1}},
    {"terms": TERMS | {"time_zone": "Mars/Base"}},
    {"terms": TERMS | {"time_zone": "Europe/"}},
    {"terms": TERMS | {"time_zone": "/etc/passwd"}},
    {"terms": TERMS | {"clock": {"mode": "bank"}}},
    {"terms": TERMS | {"most_entrants": 10**6}},
    {"terms": TERMS | {"game": "chess"}},
    {"terms": TERMS | {"options": {"x" * 65: 1}}},
    {"terms": TERMS | {"points": {"win": -1}}},
    {"terms": TERMS | {"time_zone": "../etc"}},
    {"terms": TERMS | {"surprise": True}},
]


def test_terms_that_cannot_be_are_refused(server: Served) -> None:
    organizer = server.person("organizer")
    for change in IMPOSSIBLE:
        answer = organizer.post("/v1/tournaments", {"title": "Cup", "terms": TERMS} | change)
        assert answer.status in (404, 409, 422), (change, answer)
        assert answer.headers["content-type"] == "application/problem+json"
    assert server.client().get("/v1/tournaments").json["tournaments"] == []


def test_a_player_announces_nothing_and_a_stranger_is_no_official(server: Served) -> None:
    desk, player = Desk(server, 1), server.person("player")
    player.post("/v1/tournaments", {"title": "Cup", "terms": TERMS}).problem(403, "forbidden")
    another = server.person("organizer")
    for path in ("rounds", "publication"):
        another.post(f"{desk.path}/{path}", {"expect": desk.entry}).problem(403, "forbidden")
    another.post(f"{desk.path}/entries", {"do": "cancel", "reason": "r", "expect": desk.entry}).problem(
        403, "forbidden"
    )
    server.client().get("/v1/tournaments/tnone").problem(404, "unknown-tournament")
    server.client().get(f"/v1/matches/{desk.id}").problem(404, "unknown-match")


def test_a_repeated_request_with_its_key_is_carried_out_once(server: Served) -> None:
    desk = Desk(server, 0)
    body = {"do": "enter"}
    player = server.person("player")
    first = player.post(f"{desk.path}/entries", body, idempotency_key="k")
    again = player.post(f"{desk.path}/entries", body, idempotency_key="k")
    assert first.json == again.json
    assert desk.entry == 2


def test_a_round_is_ruled_after_a_preview_and_an_entrant_is_penalised(server: Served) -> None:
    desk = Desk(server)
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    desk.paired()
    desk.results()
    assert desk.post("rounds/1/close").status == 201
    ruling = {"result": "0-1", "reason": "conduct", "text": "left"}
    desk.post("rounds/1/boards/1/rulings", **ruling).problem(409, "preview")
    seen = desk.post("previews", do="rule", round=1, board=1, **ruling)
    assert seen.status == 200, seen
    assert seen.json["entry"] == desk.entry
    assert {line["entrant"] for line in seen.json["standings"]}
    made = desk.post("rounds/1/boards/1/rulings", **ruling, preview=seen.json["sha256"])
    assert made.status == 201, made
    assert {k: v for k, v in made.json["facts"][0].items() if k != "at"} == seen.json["facts"][0]
    assert desk.post("penalties", entrant="n1", penalty="points", amount=1, text="late").status == 201
    desk.post("previews", do="draw_lot", label="lot/tie/n1", n=9).problem(422, "invalid")
    desk.post("previews", do="publish", final=True).problem(422, "invalid")
    desk.players[0].post(f"{desk.path}/previews", {"do": "reopen_round", "round": 1, "reason": "x"})
    assert desk.players[0].post(f"{desk.path}/calls", {"text": "please look"}).status == 201
    assert desk.post(f"calls/{desk.entry}/answer", text="seen").status == 201


def test_a_clock_of_one_term_needs_no_list_and_the_log_has_one(server: Served) -> None:
    # given terms with the clock as `POST /v1/matches` takes it, too
    bank, days = {"mode": "bank", "main": 5400, "increment": 30}, {"mode": "days", "days": 3}
    desk = Desk(server, 1, clock=bank)
    assert desk.director.get(desk.path).json["terms"]["clock"] == [bank]

    # when it is changed in the same way, then it is a list again
    body = {"do": "change_terms", "path": "clock", "value": json.dumps(days), "reason": "slower", "expect": 2}
    told = desk.director.post(f"{desk.path}/entries", body)
    assert told.status == 201, told
    assert desk.director.get(desk.path).json["terms"]["clock"] == [days]
    assert json.loads(told.json["facts"][0]["after"]) == [days]


def test_the_schedule_has_the_rounds_and_the_games_of_a_player_and_a_board_its_clock(server: Served) -> None:
    # given a tournament with a clock, whose first round is not published
    desk = Desk(server, 4, clock={"mode": "bank", "main": 60})
    entrants = desk.director.get(f"{desk.path}/entrants").json["entrants"]
    mine = f"{desk.path}/schedule?player={entrants[0]['player']}"
    assert desk.director.get(mine).json["games"] == []

    # when it is published, until a time
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    desk.paired()
    until = int(desk.director.get(desk.path).json["rounds"][0]["opens_at"]) + 86_400_000_000
    extended = desk.post("freezes", do="extend", round=1, until=until, boards=[1], reason="a storm")
    assert extended.status == 201, extended

    # then the schedule names the game with its dates, and the other round has none
    told = desk.director.get(mine).json
    assert [one["round"] for one in told["rounds"]] == [1, 2]
    assert told["rounds"][1] == {"round": 2, "opens_at": None, "until": None}
    (game,) = told["games"]
    board = desk.director.get(f"{desk.path}/rounds/1/boards/{game['board']}").json
    assert (game["match"], game["entrant"], game["status"]) == (board["match"], "n1", "running")
    assert {game["entrant"], game["opponent"]} == {board["w"]["entrant"], board["b"]["entrant"]}
    assert game["until"] == (until if game["board"] == 1 else None)
    assert desk.director.get(f"{desk.path}/schedule?player=nobody").json["games"] == []
    assert desk.director.get(f"{desk.path}/schedule").json["games"] == []

    # and the board says its group, and what the clocks have left; a round does not look at its matches
    assert board["why"]["group"] == "0"
    assert board["left"] == {board["w"]["seat"]: 60_000_000, board["b"]["seat"]: 60_000_000}
    assert "left" not in desk.director.get(f"{desk.path}/rounds/1").json["boards"][0]
