"""The lobby equals what a look at every match says, and its changes lead from one lobby to the next."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.http import lobby, lobby_feed
from api.http.lobby_feed import Listener
from api.store.postgres import PostgresStore
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused
from domain.match import Match
from projections import read
from projections.turns import turns
from tests.api.http.playing import on, picked, two_workers
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import Socket, socket
from tests.matches import Sitting
from tests.waiting import soon

Room = Callable[[], AbstractContextManager[list[Served]]]
OWN = ("mine", "theirs", "open", "over")
PUBLIC = ("seats", "live", "finished")
SALT = "a salt of sixteen characters"
SALT_HASH = base64.b64encode(hashlib.sha256(SALT.encode()).digest()).decode()


@pytest.fixture(params=["sqlite", "postgres"])
def room(request: pytest.FixtureRequest, toy_in_words: Game, tmp_path: Path) -> Room:
    """One server over SQLite, or two over PostgreSQL."""

    @contextmanager
    def sqlite() -> Iterator[list[Served]]:
        with served(tmp_path) as server:
            yield [server, server]

    if request.param == "sqlite":
        return sqlite
    database, keys = request.getfixturevalue("database"), tmp_path / "keys"
    return lambda: two_workers(tmp_path, lambda: PostgresStore.open(database, keys=keys))


def match_of(server: Served, match: str) -> Match:
    return asyncio.run_coroutine_threadsafe(server.gate.match(match), server.loop).result()


def brute_force(server: Served, client: Client, opened: list[str]) -> dict[str, tuple[str, Any]]:
    """By match, in which list it must stand and what must be said of it."""
    found = {}
    for id in opened:
        match = match_of(server, id)
        own = [seat for seat, seated in match.players.items() if seated and seated.player == client.player]
        asked = dict(match.asked.seats) if match.asked and match.status == "running" else {}
        if match.request:
            others = [seat for seat in match.seats if seat != match.request.seat]
            asked |= {seat: match.request.move for seat in others if seat not in asked}
        waits = any(seat in asked or seat in match.unopened for seat in own)
        free = [seat for seat, seated in match.seats.items() if not seated]
        kept = server.store.reservations(id).seats if match.status == "open" else {}
        mine = [
            seat
            for seat in free
            if seat not in kept or (client.player and kept[seat].player == client.player)
        ]
        group = {"open": "open", "over": "over"}.get(match.status, "mine" if waits else "theirs")
        if not own:
            group = {"open": "seats" if mine else "", "running": "live", "over": "finished"}.get(
                match.status, ""
            )
        if group:
            since = {seat: match.records[move - 1].entry.at for seat, move in asked.items()}
            score = match.game.score(match.table_at(match.move, None)) if match.status == "running" else {}
            result = match.result.score if match.result else score
            free_here = mine if match.status == "open" else []
            found[id] = group, (own, free_here, since, result, match.move, turn_of(match))
    return found


def turn_of(match: Match) -> str:
    found = turns(match, match.move)
    if match.status != "running":
        return ""
    return f"Turn {found[-1].number + found[-1].ended if found else 1}"


def shown(told: Any) -> dict[str, tuple[str, Any]]:
    """The same as the server says it."""
    rows = [(group, row) for group in (*OWN, *PUBLIC) for row in told[group]]
    return {row["match"]: (group, facts_of(row)) for group, row in rows}


def facts_of(row: Any) -> Any:
    return (row["own"], row["free"], row["asked"], row["score"], row["move"], row["turn"])


class Crowd:
    """Players who open, reserve, sit, play, take back and resign at random, at the workers by turns."""

    def __init__(self, workers: list[Served], seed: int) -> None:
        self.workers, self.random = workers, random.Random(seed)
        first = [workers[0].player(name) for name in ("Ann", "Ben", "Eve")]
        self.players = [[player, on(workers[1], player)] for player in first]
        self.opened: list[str] = []

    def act(self) -> None:
        """One of them does something, which may be refused."""
        player = self.random.choice(self.random.choice(self.players))
        if len(self.opened) < 3 or self.random.random() < 0.08:
            reserved = {"right": {"player": self.random.choice(self.players)[0].player}}
            body: dict[str, Any] = {"game": "toy", "options": {"rounds": 1}}
            body |= self.random.choice(
                [{}, {"reserved": reserved}, {"reserved": {"left": {"invitation": True}}}]
            )
            self.opened.append(player.post("/v1/matches", body).json["match"])
            return
        address = f"/v1/matches/{self.random.choice(self.opened)}"
        told = player.get(address).json
        if told["status"] == "running":
            self._play(player, address, told)
        elif told["status"] == "open":
            seat = self.random.choice(list(told["seats"]))
            player.post(f"{address}/seats/{seat}", self.random.choice([{}, {"salt_hash": SALT_HASH}]))
        elif told["status"] == "waiting":
            player.post(f"{address}/seats/{self.random.choice(told['unopened'])}/salt", {"salt": SALT})

    def end_one(self) -> None:
        """A match comes to its end, if a player of it can bring that about."""
        for match in self.opened:
            for player, _ in self.players:
                if player.post(f"/v1/matches/{match}/resignation").status == 201:
                    return

    def _play(self, player: Client, address: str, told: Any) -> None:
        request, chance = told["request"], self.random.random()
        if request and chance < 0.5:
            player.post(f"{address}/takebacks/{request['move']}/answer", {"agree": chance < 0.25})
        elif chance < 0.12:
            player.post(f"{address}/resignation")
        elif chance < 0.2:
            player.post(f"{address}/takebacks")
        elif (prompt := player.get(f"{address}/prompt")).status == 200:
            player.post(f"{address}/moves", picked(self.random, prompt.json))


@pytest.mark.parametrize("seed", [1, 3])
def test_lobby_equals_what_a_look_at_every_match_says(room: Room, seed: int) -> None:
    with room() as workers:
        crowd = Crowd(workers, seed)
        groups = set()
        for _ in range(12):
            for _ in range(12):
                crowd.act()
            crowd.end_one()
            callers = [*(at for player in crowd.players for at in player), workers[0].client()]
            for caller in callers:
                told = shown(caller.get("/v1/lobby").json)
                wanted = brute_force(workers[0], caller, crowd.opened)
                assert told == wanted
                groups |= {group for group, _ in told.values()}
        assert groups >= {"mine", "theirs", "open", "over"}, groups


def patched(told: Any, changes: list[Any]) -> dict[str, tuple[str, Any]]:
    """The lobby after changes, as a client applies them."""
    found = shown(told)
    for change in changes:
        assert not change.get("stale")
        found.pop(change["match"], None)
        if change.get("group"):
            found[change["match"]] = change["group"], facts_of(change["row"])
    return found


def test_changes_lead_from_one_lobby_to_the_next(room: Room) -> None:
    with room() as workers, ExitStack() as sockets:
        crowd = Crowd(workers, 5)
        visitor = workers[1].client()
        listening: list[tuple[Client, Socket, Any]] = []
        for caller in (*(player[1] for player in crowd.players), visitor):
            here = sockets.enter_context(socket(workers[1].port, caller.token))
            if caller is visitor:
                here.done("enter")
            listening.append((caller, here, here.done("lobby")))
        for _ in range(80):
            crowd.act()
        for caller, here, first in listening:
            wanted = shown(caller.get("/v1/lobby").json)

            def is_so(here: Socket = here, first: Any = first, wanted: Any = wanted) -> bool:
                here.done("lobby")  # a reply takes in what was pushed before it
                return without_plays(patched(first, here.lobby)) == without_plays(wanted)

            soon(is_so)


def without_plays(told: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """Without what changes with each move of others, which is not pushed."""
    return {match: (group, None if group == "live" else facts) for match, (group, facts) in told.items()}


# ── what it shows to whom ──


def opened(client: Client, **reserved: Any) -> str:
    """A new match with these reservations."""
    match: str = client.post("/v1/matches", {"game": "toy", "reserved": reserved}).json["match"]
    return match


def answer(client: Client, match: str) -> None:
    """A player answers what they are asked."""
    prompt = client.get(f"/v1/matches/{match}/prompt").json
    assert client.post(f"/v1/matches/{match}/moves", picked(random.Random(1), prompt)).status == 201


def test_seat_that_is_reserved_is_shown_to_its_player_alone(server: Served) -> None:
    ann, ben, eve = (server.player(name) for name in ("Ann", "Ben", "Eve"))
    match = ann.post("/v1/matches", {"game": "toy", "reserved": {"right": {"player": ben.player}}}).json[
        "match"
    ]
    ann.post(f"/v1/matches/{match}/seats/left")
    assert ben.get("/v1/lobby").json["seats"][0]["free"] == ["right"]
    for other in (eve, server.client()):
        assert match not in other.get("/v1/lobby").body.decode()


def test_match_for_an_invitation_is_shown_to_nobody_without_it(server: Served) -> None:
    ann, eve = server.player(), server.player("Eve")
    match = ann.post("/v1/matches", {"game": "toy", "reserved": {"right": {"invitation": True}}}).json[
        "match"
    ]
    ann.post(f"/v1/matches/{match}/seats/left")
    assert ann.get("/v1/lobby").json["open"][0]["match"] == match
    for other in (eve, server.client()):
        assert match not in other.get("/v1/lobby").body.decode()


def test_lobby_of_a_player_is_for_that_player_alone(server: Served) -> None:
    server.table()
    ann = server.player("Zoe")
    own, public = ann.get("/v1/lobby"), server.client().get("/v1/lobby")
    assert own.headers["cache-control"] == "private, no-cache"
    assert "authorization" in own.headers["vary"]
    assert "authorization" in public.headers["vary"]
    assert (own.json["player"], public.json["player"]) == (ann.player, None)
    assert own.json["mine"] == public.json["mine"] == []


def test_lobby_names_no_card_of_a_running_match(server: Served) -> None:
    match, players = server.table("twilight_struggle")
    hand = players[0].get(f"/v1/matches/{match}").json["table"]["hands"]["us"]
    assert len(hand) == 8
    for caller in (*players, server.client()):
        body = caller.get("/v1/lobby").body.decode()
        assert match in body
        assert not [card for card in hand if card in body]


def test_longest_waiting_match_comes_first(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    opened = []
    for _ in range(3):
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        ann.post(f"/v1/matches/{match}/seats/left")
        ben.post(f"/v1/matches/{match}/seats/right")
        opened.append(match)
    assert [row["match"] for row in ann.get("/v1/lobby").json["mine"]] == opened


def test_match_of_a_player_that_closed_before_since_is_left_out(server: Served) -> None:
    match, (ann, _) = server.table()
    ann.post(f"/v1/matches/{match}/resignation")
    (row,) = ann.get("/v1/lobby").json["over"]
    assert ann.get(f"/v1/lobby?since={row['closed_at']}").json["over"] == [row]
    assert ann.get(f"/v1/lobby?since={row['closed_at'] + 1}").json["over"] == []
    ann.get("/v1/lobby?since=-1").problem(422, "invalid")


# ── floods ──


def test_second_lobby_of_the_same_matches_reads_no_match(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, (ann, _) = server.table()
    first = ann.get("/v1/lobby").json

    async def never(match: str) -> None:
        raise AssertionError(f"{match} is read again")

    monkeypatch.setattr(server.gate, "cached", never)
    assert ann.get("/v1/lobby").json == first
    assert first["mine"][0]["match"] == match


def test_move_is_pushed_to_those_in_its_match_and_to_no_other_listener(server: Served) -> None:
    match, (ann, ben) = server.table()
    with ExitStack() as sockets:
        own = sockets.enter_context(socket(server.port, ann.token))
        crowd = [sockets.enter_context(socket(server.port, server.player("Eve").token)) for _ in range(4)]
        for here in (own, *crowd):
            here.done("lobby")
        ben.post(
            f"/v1/matches/{match}/moves",
            picked(random.Random(1), ben.get(f"/v1/matches/{match}/prompt").json),
        )
        soon(lambda: own.done("lobby") and own.lobby)
        seen = {change["match"] for change in own.lobby}
        answer(ann, match)
        ann.post(f"/v1/matches/{match}/resignation")
        for here in crowd:
            while not here.lobby or here.lobby[-1]["group"] != "finished":
                here.changes(len(here.lobby) + 1)
            assert [change["group"] for change in here.lobby] in (["finished"], ["live", "finished"])
        assert seen == {match}


def test_listener_that_does_not_read_keeps_one_change_a_match_and_at_last_only_a_note() -> None:
    woken: list[None] = []
    listener = Listener(None, "en", lambda: woken.append(None))
    for number in range(3):
        listener.put("m1", b"%d" % number)
    assert (listener.take(), listener.take()) == (b"2", None)
    for number in range(lobby_feed.MOST + 50):
        listener.put(f"m{number}", b"x" * 1_000)
    assert listener.take() == lobby_feed._STALE
    assert listener.take() is None
    assert len(woken) == 3 + lobby_feed.MOST + 50


def test_change_is_pushed_once_the_read_models_can_be_read_again(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_feed, "_AGAIN", 0.01)
    ask, refused = server.models.ask, list[Any]()

    async def away(question: Any, *args: Any) -> Any:
        if question is read.match_rows and len(refused) < 3:
            refused.append(args)
            raise Refused("unavailable", "no-read-models")
        return await ask(question, *args)

    with socket(server.port) as here:
        here.done("enter")
        here.done("lobby")
        monkeypatch.setattr(server.models, "ask", away)
        match = server.player().post("/v1/matches", {"game": "toy"}).json["match"]
        (change,) = here.changes(1)
        assert (change["match"], change["group"], len(refused)) == (match, "seats", 3)


def test_reservation_is_pushed_to_all_who_could_have_sat_down(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    address = f"/v1/matches/{match}/seats"
    ann.post(f"{address}/left")
    with socket(server.port, ben.token) as own, socket(server.port, server.player("Eve").token) as other:
        for here in (own, other):
            here.done("lobby")
        assert ann.post(f"{address}/right/reservation", {"player": ben.player}).status == 201
        assert own.changes(1)[0]["row"]["free"] == ["right"]
        assert "group" not in other.changes(1)[0]
        assert ann.post(f"{address}/right/reservation/withdrawal", {}).status == 201
        assert other.changes(2)[1]["group"] == "seats"


def test_closed_socket_listens_no_more(server: Served) -> None:
    assert server.services is not None
    feed = server.services.lobby_feed
    with socket(server.port, server.player().token) as here:
        here.done("lobby")
        here.done("lobby")
        assert len(feed) == 1
    soon(lambda: len(feed) == 0)
    server.table()
    assert not feed._changed


def test_lists_of_a_lobby_are_bounded(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "SEATS", 3)
    ann = server.player()
    for _ in range(5):
        ann.post("/v1/matches", {"game": "toy"})
    assert len(server.client().get("/v1/lobby").json["seats"]) == 3


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_score_of_a_running_match_is_the_one_that_a_spectator_computes(game: Game) -> None:
    sitting = Sitting(game, 5).seat_all()
    for _ in range(60):
        match = sitting.match
        if match.status != "running":
            break
        assert game.score(match.live) == game.score(match.table_at(match.move, None))
        sitting.play_on(1)
