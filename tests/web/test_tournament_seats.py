"""Seats after a lot and after bids: pages and API name those that are played."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Iterator
from html import unescape
from typing import Any, TypeVar

import pytest

from api.gate import Gate
from domain.kernel import Seat
from domain.tournaments.outcomes import sitting
from tests.api.gate.tournaments import verified_here
from tests.api.http.served import Served, served
from tests.web.tournament_hall import Hall

T = TypeVar("T")
BID = {
    "game": "twilight_struggle",
    "edition": "second",
    "sides": "bid",
    "options": {"bid": "victory_points", "tournament": True},
}
SIDES = ("us", "ussr")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server."""
    with served(tmp_path_factory.mktemp("seats"), requests_per_second=10_000) as found:
        yield found


def ran(server: Served, coming: Coroutine[Any, Any, T]) -> T:
    """The result of what the server does in its own loop."""
    return asyncio.run_coroutine_threadsafe(coming, server.loop).result()


async def exchanged(gate: Gate, name: str, people: dict[Seat, str]) -> None:
    """Both players of a match sit down, and the one who bids first buys the seat of the other."""
    for seat, player in people.items():
        await gate.sit(name, seat, player)
    for answer in ({"us": "ussr:2", "ussr": "us:2"}, dict.fromkeys(people, "pass")):
        match = await gate.match(name)
        assert match.asked is not None
        seat = next(iter(match.asked.seats))
        question = match.prompt(seat)
        assert question is not None
        await gate.play(name, [(answer[seat],)], seat=seat, expect=question[0])


class Seats:
    """What the API, the pages and the matches of the first round of a tournament say about seats."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        listed = hall.director.get(f"{hall.path}/entrants").json
        self.players = {one["entrant"]: one["player"] for one in listed["entrants"]}
        self.names = {one: listed["names"][player] for one, player in self.players.items()}

    def said(self) -> list[dict[str, str]]:
        """The entrant of each seat of each board, as the API has it."""
        found = self.hall.director.get(f"{self.hall.path}/rounds/1").json["boards"]
        alone = [self.hall.director.get(f"{self.hall.path}/rounds/1/boards/{one['board']}") for one in found]
        assert [one.json for one in alone] == found
        return [{board[side]["seat"]: board[side]["entrant"] for side in "wb"} for board in found]

    def page(self, path: str = "") -> str:
        """A page of the tournament without its tags."""
        answer = self.hall.director.get(self.hall.page + path)
        assert answer.status == 200, answer
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", unescape(answer.body.decode())))

    def in_table(self, first: str, second: str, between: str) -> bool:
        """Does the table of boards have both entrants in this order, with such a text between?"""
        return bool(re.search(f"{self.names[first]} 0 {between} {self.names[second]} 0 ", self.page()))


def opened(server: Served, **terms: object) -> Hall:
    """A tournament that can be paired."""
    hall = Hall(server, **{"clock": [], **terms})
    assert server.services is not None
    server.services.follower._verifier = verified_here
    hall.post("entries", do="draw_lot", label="lot/colour", n=2)
    return hall


def test_after_a_lot_everything_names_the_seats_that_are_kept(server: Served) -> None:
    # given a round that is paired, and not published
    hall = opened(server, sides="lot")
    draft = hall.post("rounds").json
    hall.post("rounds/1", draft_sha256=draft["draft_sha256"])
    seats = Seats(hall)

    # then no seat is named before the lot is drawn
    boards = hall.director.get(f"{hall.path}/rounds/1").json["boards"]
    assert {board[side]["seat"] for board in boards for side in "wb"} == {""}
    assert "First colour Second colour" in seats.page("/desk")

    # when it is published, then each seat is named with the entrant for whom the match keeps it
    hall.post("rounds/1/publication")
    matches = [server.gate.store.reservations(board["match"]).seats for board in boards]
    kept = [{seat: held.player for seat, held in found.items()} for found in matches]
    said = seats.said()
    assert [{seat: seats.players[one] for seat, one in board.items()} for board in said] == kept
    first, second = kept[0]
    assert all(seats.in_table(board[first], board[second], r"\S+") for board in said)


def test_after_bids_everything_names_the_seats_that_are_played(server: Served) -> None:
    # given a match in which one entrant buys the seat of the other
    hall = opened(server, **BID)
    assert hall.pair() == 1
    seats = Seats(hall)
    board = hall.director.get(f"{hall.path}/rounds/1/boards/1").json
    w, b = board["w"]["entrant"], board["b"]["entrant"]
    assert seats.said()[0] == {"us": w, "ussr": b}
    people = dict(zip(SIDES, (seats.players[w], seats.players[b]), strict=True))
    ran(server, exchanged(server.gate, board["match"], people))
    match = ran(server, server.gate.match(board["match"]))
    assert sitting(match) == {"us": seats.players[b], "ussr": seats.players[w]}

    # then the API and the pages say so while it runs
    assert seats.said()[0] == {"us": b, "ussr": w}
    assert seats.in_table(b, w, r"[^0-9]*")
    assert f"USSR {seats.names[w]}" in seats.page("/rounds/1/boards/1")
    path = seats.page(f"/entrants/{w}")
    assert "US 0 USSR 1" in path
    assert f"USSR {seats.names[b]} 0" in path
    (asked,) = match.asked.seats if match.asked else ("",)
    mover = {"us": b, "ussr": w}[asked]
    assert re.search(f"{seats.names[mover]} 0 to move", seats.page())

    # when the USSR resigns, then the table has the win of the US on its side, and the API that of its entrant
    ran(server, server.gate.resign(board["match"], player=seats.players[w]))
    assert server.services is not None
    ran(server, server.services.follower.tick(everything=True))
    told = hall.director.get(f"{hall.path}/rounds/1/boards/1").json
    assert (told["result"]["result"], told["w"]["seat"]) == ("0-1", "ussr")
    assert seats.in_table(b, w, "1 : 0")
    assert f"USSR {seats.names[w]}" in seats.page("/rounds/1/boards/1")
    assert f"USSR {seats.names[b]} 1" in seats.page(f"/entrants/{w}")
