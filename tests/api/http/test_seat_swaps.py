"""Two players swap seats: who sees what over HTTP, before and after, and of moves that were taken back."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.gate.bots import RandomBot
from domain.game import Game
from domain.log import HOUSE
from domain.match import Match
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.sockets import socket
from tests.api.http.streaming import Listener
from tests.domain.swap import DARK, LIGHT
from tests.replay.scenes.matches import patched
from tests.waiting import PATIENCE

EXCHANGE = 5  # the move that settles who plays what, and deals


class Room:
    """A match: `ann` sat down on dark, `ben` on light."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.id, (self.ann, self.ben) = server.table("swap")
        self.address = f"/v1/matches/{self.id}"
        self.judge = server.person("organizer")

    @property
    def match(self) -> Match:
        """The match as committed."""
        found = asyncio.run_coroutine_threadsafe(self.server.gate.match(self.id), self.server.loop)
        return found.result(PATIENCE)

    def say(self, client: Client, *picks: str) -> Answer:
        """Answer what is asked."""
        expect = client.get(f"{self.address}/prompt").json["move"]
        answer = client.post(f"{self.address}/moves", {"expect": expect, "picks": picks})
        assert answer.status == 201, answer
        return answer

    def exchange(self) -> Room:
        """Each wished for the other's seat."""
        self.say(self.ann, LIGHT)
        self.say(self.ben, DARK)
        return self

    def back(self, to: int) -> None:
        """A ruling."""
        ruling = {"reason": "misheard", "back_to": to}
        assert self.judge.post(f"{self.address}/rulings", ruling).status == 201

    def moves(self, client: Client, query: str = "") -> list[dict[str, Any]]:
        """The log as a client sees it."""
        moves: list[dict[str, Any]] = client.get(f"{self.address}/moves{query}").json["moves"]
        return moves

    def dealt(self) -> dict[str, str]:
        """Which card was dealt to each seat."""
        draws = self.match.records[EXCHANGE - 1].parts[HOUSE].draws
        return {draw.label.removeprefix("deal/"): draw.pick for draw in draws}


@pytest.fixture
def room(swap_game: Game, tmp_path: Path) -> Iterator[Room]:
    with served(tmp_path) as server:
        yield Room(server)


def test_seats_list_their_current_players(room: Room) -> None:
    before = room.ann.get(room.address).json["seats"]
    assert before == {DARK: room.ann.player, LIGHT: room.ben.player}
    room.exchange()
    after = room.ann.get(room.address).json
    assert after["seats"] == {DARK: room.ben.player, LIGHT: room.ann.player}
    assert after["table"]["exchanged"] is True
    room.back(4)
    undone = room.ann.get(room.address).json
    assert undone["seats"] == before
    assert "exchanged" not in undone["table"]


def test_bot_is_listed_at_its_current_seat(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RandomBot, "answer", lambda bot, question: question.options[:1])  # it never swaps
    ann = room.ann
    match = ann.post("/v1/matches", {"game": "swap", "options": {"lots": True}}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/dark")
    told = ann.post(f"/v1/matches/{match}/seats/light", {"bot": "random"}).json
    assert (told["seats"], told["bots"]) == ({DARK: "bot:random", LIGHT: ann.player}, {DARK: "random"})


def test_player_sees_the_table_from_the_current_seat(room: Room) -> None:
    room.exchange()
    dealt = room.dealt()
    told = room.ann.get(room.address).json
    assert (told["view"], told["table"]["hands"]) == (LIGHT, {DARK: ["?"], LIGHT: [dealt[LIGHT]]})
    room.ann.get(f"{room.address}?view=dark").problem(403, "forbidden")
    assert room.ben.get(f"{room.address}?view=dark").json["table"]["hands"][DARK] == [dealt[DARK]]


def test_player_sees_an_earlier_table_from_the_seat_played_then(room: Room) -> None:
    room.exchange()
    told = room.ann.get(f"{room.address}?at=4").json
    assert (told["view"], told["table"]["wishes"]) == (DARK, {DARK: LIGHT})
    assert room.ann.get(f"{room.address}?at=4&view=dark").json["view"] == DARK
    room.ann.get(f"{room.address}?at=4&view=light").problem(403, "forbidden")


def test_positions_are_told_as_the_seat_that_one_played_after_each_move(room: Room) -> None:
    room.exchange()
    dealt = room.dealt()
    told = room.ann.get(f"{room.address}/positions").json
    assert (told["view"], [move.get("view") for move in told["moves"]]) == (LIGHT, [DARK] * 4 + [None])
    scene: dict[str, Any] = {}
    for move in told["moves"]:
        scene = patched(scene, move["scene"])
        assert scene == room.ann.get(f"{room.address}/scene?at={move['move']}").json["scene"]
    room.back(3)
    for client, other, own in ((room.ann, DARK, LIGHT), (room.ben, LIGHT, DARK)):
        for query in ("", "?view=dark", "?view=light", "?after=4", "?after=5", "?after=6"):
            body = client.get(f"{room.address}/positions{query}").body.decode()
            assert dealt[other] not in body, query
        assert dealt[own] in client.get(f"{room.address}/positions").body.decode()
        for at in range(1, 8):
            assert dealt[other] not in client.get(f"{room.address}/scene?at={at}").body.decode()
    room.ann.get(f"{room.address}/scene?at=4&view=light").problem(403, "forbidden")


def test_positions_that_are_pushed_are_those_of_the_seat_that_one_played_after_each_move(room: Room) -> None:
    with socket(room.server.port, room.ann.token) as line:
        line.done("follow", match=room.id, scene=True, sentences=True)
        room.exchange()
        dealt = room.dealt()
        scene: dict[str, Any] = {}
        room.back(3)
        told = line.pushed(room.id, 7)
        assert [move.get("view") for move in told] == [None] * 4 + [LIGHT, LIGHT, None]
        for move in told:
            scene = patched(scene, move["position"]["scene"])
            assert scene == room.ann.get(f"{room.address}/scene?at={move['move']}").json["scene"]
        assert dealt[LIGHT] in str(told)
        assert dealt[DARK] not in str(told)


def test_only_the_current_player_of_a_seat_gets_its_prompt(room: Room) -> None:
    room.exchange()
    assert room.ann.get(f"{room.address}/prompt").status == 204
    assert room.ben.get(f"{room.address}/prompt").json["seat"] == DARK


def test_response_to_the_swapping_move_shows_only_the_new_hand(room: Room) -> None:
    room.say(room.ann, LIGHT)
    told = room.say(room.ben, DARK).json
    cards = [fact["card"] for fact in told["facts"] if fact["fact"] == "Dealt"]
    assert cards == [room.dealt()[DARK], "?"]
    assert told["prompt"]["seat"] == DARK


def test_each_move_is_shown_from_the_seat_played_after_it(room: Room) -> None:
    room.exchange()
    moves = room.moves(room.ann)
    assert [move.get("view") for move in moves] == [None, None, None, None, LIGHT]
    assert moves[3]["picks"] == [LIGHT]  # her own sealed wish stays hers to read
    assert room.moves(room.ben)[3]["picks"] is None
    cards = [fact["card"] for fact in moves[4]["facts"] if fact["fact"] == "Dealt"]
    assert cards == ["?", room.dealt()[LIGHT]]


def test_player_can_verify_the_own_parts_before_and_after_the_swap(room: Room) -> None:
    room.exchange()
    for move in room.moves(room.ann, "?proof=true"):
        salt = base64.b64decode(move["salt"])
        seal = hashlib.sha256(b"\x02" + salt + move["part"].encode()).digest()
        seat = move.get("view", DARK)
        assert json.loads(move["leaf"])["sealed"][seat] == base64.b64encode(seal).decode()


def test_later_swaps_do_not_change_moves_already_shown(room: Room) -> None:
    room.say(room.ann, LIGHT)
    before = room.moves(room.ann, "?proof=true")
    room.say(room.ben, DARK)
    after = room.moves(room.ann, "?proof=true")
    room.back(3)
    assert after[: len(before)] == before
    assert room.moves(room.ann, "?proof=true")[: len(after)] == after


def test_undoing_the_swap_reveals_no_hand_of_the_opponent(room: Room) -> None:
    room.exchange()
    ann, ben = room.dealt()[LIGHT], room.dealt()[DARK]
    room.back(3)
    for client, other in ((room.ann, ben), (room.ben, ann)):
        for query in ("", "?proof=true", "?proof=true&view=dark", "?proof=true&view=light"):
            assert other not in client.get(f"{room.address}/moves{query}").body.decode()
        for at in range(1, 8):
            views = [client.get(f"{room.address}?at={at}&view={view}") for view in (DARK, LIGHT)]
            assert sorted(answer.status for answer in views) == [200, 403]
            (hands,) = (answer.json["table"]["hands"] for answer in views if answer.status == 200)
            assert [other] not in hands.values()
    assert [ann] in room.ann.get(f"{room.address}?at={EXCHANGE}").json["table"]["hands"].values()


def test_secret_answer_stays_secret_after_its_takeback(room: Room) -> None:
    room.say(room.ann, "grab")  # opens nothing: ann plays light now, ben dark
    room.back(3)
    room.say(room.ann, DARK)
    room.back(3)
    room.exchange()
    assert room.moves(room.ben)[6]["kind"] == "played"
    assert room.moves(room.ben)[6]["picks"] is None
    assert room.moves(room.ann)[6]["picks"] == [DARK]


def test_stream_follows_its_player_to_the_other_seat(room: Room) -> None:
    headers = {"authorization": f"Bearer {room.ann.token}"}
    stream = Listener(room.server.port, f"{room.address}/moves", headers)
    stream.take(3)
    room.exchange()
    told = [event.data for event in stream.take(2)]
    stream.close()
    assert told == room.moves(room.ann)[3:5]
    assert room.dealt()[DARK] not in json.dumps(told)


def test_ticket_follows_its_player_to_the_other_seat(room: Room) -> None:
    given = room.ann.post("/v1/streams/tickets", {"match": room.id, "view": DARK}).json
    room.exchange()
    stream = Listener(room.server.port, f"{room.address}/moves?after=4&ticket={given['ticket']}")
    (event,) = stream.take(1)
    stream.close()
    assert event.data == room.moves(room.ann)[4]


def test_stale_refusal_lists_the_moves_as_the_player_saw_them(room: Room) -> None:
    room.exchange()
    stale = room.ann.post(f"{room.address}/moves", {"expect": 3, "picks": ["nod"]}).problem(409, "stale")
    assert stale["since"] == room.moves(room.ann)[3:]


def test_after_the_end_every_seat_view_is_public_as_its_player_saw_it(room: Room) -> None:
    room.exchange()
    own = room.moves(room.ann)
    room.say(room.ben, "win")
    watcher = room.server.client()
    assert room.moves(watcher, "?view=light")[:5] == own
    for at, view in ((4, DARK), (5, LIGHT)):
        told = watcher.get(f"{room.address}?at={at}&view={view}").json
        assert told["table"] == room.ann.get(f"{room.address}?at={at}").json["table"]
        assert told["view"] == view


def test_read_models_name_the_player_of_each_play(room: Room) -> None:
    room.exchange()
    room.say(room.ben, "win")
    (listed,) = room.ann.get("/v1/matches").json["matches"]
    assert listed["seats"] == {DARK: room.ben.player, LIGHT: room.ann.player}
    for client, seat, outcome in ((room.ben, DARK, "won"), (room.ann, LIGHT, "lost")):
        (row,) = client.get(f"/v1/players/{client.player}/matches").json["matches"]
        assert (row["seating"]["seat"], row["seating"]["outcome"]) == (seat, outcome)
        assert row["rating"]["after"] != row["rating"]["before"]
    board = room.ann.get("/v1/scoreboards/swap").json["standings"]
    assert [row["player"] for row in board] == [room.ben.player, room.ann.player]


def test_table_without_swaps_has_no_swap_field(room: Room) -> None:
    assert "exchanged" not in room.ann.get(room.address).json["table"]
