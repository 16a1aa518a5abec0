"""Following a tournament, by event stream and by socket: in order, nothing sealed, within bounds."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from api.gate.tournament_commands import CachedTournament
from api.http import tournament_feed
from api.http.tournament_feed import AT_ONCE, Following
from tests.api.http.served import Served
from tests.api.http.sockets import socket, spectator
from tests.api.http.streaming import Listener
from tests.api.http.test_tournament_disputes import SECRET_TEXT, Room
from tests.api.http.test_tournaments import Desk
from tests.waiting import soon


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves of boards are gathered for a moment only."""
    monkeypatch.setattr(tournament_feed, "_GATHER", 0.01)


def followers(server: Served) -> int:
    assert server.services is not None
    return len(server.services.tournament_feed)


def test_a_stream_has_every_leaf_in_order_goes_on_live_and_resumes(server: Served) -> None:
    desk = Desk(server, 2)
    with closing(Listener(server.port, f"{desk.path}/log?after=1")) as stream:
        seen = stream.take(2)
        assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
        seen += stream.take(1)
    leaves = desk.director.get(f"{desk.path}/log", accept="application/x-ndjson").body.splitlines()
    assert [(event.id, event.data) for event in seen] == [
        (number, json.loads(leaves[number - 1])) for number in (2, 3, 4)
    ]
    with closing(Listener(server.port, f"{desk.path}/log", {"last-event-id": "3"})) as stream:
        assert [event.id for event in stream.take(1)] == [4]
    soon(lambda: followers(server) == 0)


def test_a_socket_gets_the_entries_and_which_boards_moved_until_it_leaves(server: Served) -> None:
    room = Room(server)
    desk, entry = room.desk, room.desk.entry
    with spectator(server.port) as here:
        told = here.done("follow_tournament", tournament=desk.id, after=entry - 1)
        assert told == {"entry": entry, "root": desk.director.get(desk.path).json["root"]}
        here.problem(422, "invalid", "follow_tournament", tournament=desk.id)
        player = next(iter(room.seats.values()))
        assert player.post(f"/v1/matches/{room.match}/resignation", {}).status == 201
        desk.follow()

        def has_all() -> bool:
            here.done("leave_tournament", tournament="tnone")  # a reply takes in what was pushed before it
            kinds = [one["entry"]["kind"] for one in here.tournament if "entry" in one]
            moved = [one["moved"] for one in here.tournament if "moved" in one]
            return "result_recorded" in kinds and [room.match] in moved

        soon(has_all)
        numbers = [one["entry"]["entry"] for one in here.tournament if "entry" in one]
        assert numbers == list(range(entry, entry + len(numbers)))
        here.done("leave_tournament", tournament=desk.id)
        count = len(here.tournament)
        assert desk.post("rounds/1/close").status == 201
        here.done("leave_tournament", tournament=desk.id)
        assert len(here.tournament) == count
    soon(lambda: followers(server) == 0)


def test_a_spy_reads_no_sealed_part_live(server: Served) -> None:
    """OA24."""
    room = Room(server)
    caller, entry = next(iter(room.seats.values())), room.desk.entry
    with (
        spectator(server.port) as here,
        closing(Listener(server.port, f"{room.desk.path}/log?after={entry}")) as stream,
    ):
        here.done("follow_tournament", tournament=room.desk.id, after=entry)
        text = {"text": SECRET_TEXT, "round": 1, "board": 1}
        assert caller.post(f"{room.desk.path}/calls", text).status == 201
        [event] = stream.take(1)
        soon(lambda: here.done("leave_tournament", tournament="tnone") is None and here.tournament)
        [pushed] = here.tournament
    assert event.data == pushed["entry"]
    assert event.data["kind"] == "arbiter_called"
    assert set(event.data["sealed"])
    assert SECRET_TEXT not in json.dumps([event.data, pushed])
    assert not [card for card in room.hidden() if f'"{card}"' in json.dumps([event.data, pushed])]


def test_a_flooder_gets_so_many_followers_and_no_more(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(server, 0)
    monkeypatch.setattr(tournament_feed, "MOST", 1)
    with socket(server.port, desk.director.token) as here:
        here.problem(404, "unknown-tournament", "follow_tournament", tournament="tnone")
        here.problem(404, "unknown-move", "follow_tournament", tournament=desk.id, after=99)
        here.problem(422, "invalid", "follow_tournament", tournament="../x")
        here.done("follow_tournament", tournament=desk.id)
        visitor = server.client()
        visitor.get(f"{desk.path}/log", accept="text/event-stream").problem(429, "limit")
        with spectator(server.port) as other:
            other.problem(429, "limit", "follow_tournament", tournament=desk.id)
    soon(lambda: followers(server) == 0)
    assert server.services is not None
    monkeypatch.setattr(server.services.streams, "most", 0)
    server.client().get(f"{desk.path}/log", accept="text/event-stream").problem(429, "limit")
    server.client().get(f"{desk.path}/log?after=9", accept="text/event-stream").problem(404, "unknown-move")


def test_for_a_slow_reader_boards_wait_once_and_entries_not_at_all(server: Served) -> None:
    desk = Desk(server, 2)
    assert server.services is not None
    log = server.services.tournaments.commands.peek(desk.id)
    assert log is not None
    woken: list[None] = []
    following = Following(CachedTournament(log, None), 0, lambda: woken.append(None))
    for _ in range(1_000):
        for match in ("m2", "m1"):
            following.moved(match)
    assert following.boards() == ["m1", "m2"]
    assert following.boards() == []
    assert len(following.entries()) == min(log.entry, AT_ONCE)
    assert following.entries() == []
