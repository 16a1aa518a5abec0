"""The Atom feed of a tournament, and the tasks of its players."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.api.http.served import Client, Served
from tests.api.http.test_tournaments import Desk
from tests.waiting import soon

ATOM = "{http://www.w3.org/2005/Atom}"


def tasks(client: Client) -> list[tuple[str, int | None]]:
    """The kinds of a client's tasks, with their boards."""
    told = client.get(f"/v1/players/{client.player}/tasks").json
    return [(one["kind"], one.get("board")) for one in told["tasks"]]


def test_tasks_come_and_go_with_what_a_tournament_asks_for(server: Served) -> None:
    desk = Desk(server, 1, rounds=1)
    ann, ben = desk.players[0], server.person("player")
    desk.players.append(ben)
    assert desk.do(do="invite", places=[{"person": ben.player}]).status == 201
    soon(lambda: tasks(ben) == [("accept", None)])
    assert tasks(ann) == []
    assert ben.post(f"{desk.path}/entries", {"do": "accept", "entrant": "n2"}).status == 201
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    desk.paired()
    assert tasks(ann) == tasks(ben) == [("play", 1)]
    assert ann.post(f"{desk.path}/entries", {"do": "call", "text": "please"}).status == 201
    assert desk.do(do="appoint", person=ben.player, office="arbiter").status == 201
    assert tasks(ben) == [("play", 1), ("answer", None)]
    desk.results()
    assert tasks(ann) == []
    ann.get(f"/v1/players/{ben.player}/tasks").problem(403, "forbidden")
    assert server.client().get(f"/v1/players/{ben.player}/tasks").status == 401


def test_officials_who_do_not_play_have_the_calls_to_answer(server: Served) -> None:
    # given a tournament with an arbiter who is no entrant, and a call
    desk, arbiter = Desk(server, 2), server.person("player")
    assert desk.do(do="appoint", person=arbiter.player, office="arbiter").status == 201
    assert tasks(arbiter) == []
    assert desk.players[0].post(f"{desk.path}/entries", {"do": "call", "text": "please"}).status == 201

    # then the arbiter and the director have it among their tasks, as long as they have their office
    assert tasks(arbiter) == tasks(desk.director) == [("answer", None)]
    assert tasks(desk.players[1]) == []
    assert desk.do(do="dismiss", person=arbiter.player, office="arbiter", reason="ill").status == 201
    assert tasks(arbiter) == []
    assert tasks(desk.director) == [("answer", None)]


def test_the_feed_tells_what_concerns_everybody_and_keeps_its_ids(server: Served) -> None:
    desk = Desk(server, 2, rounds=1)
    assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
    desk.paired()
    before = read(server, desk)
    desk.results()
    after = read(server, desk)
    assert [title for _, title in before] == ["Round 1 is published", "The tournament is announced"]
    assert after[1:] == before
    assert after[0][1] == "Round 1, board 1: 1-0"
    assert read(server, desk, "?lang=ru")[-1][1] == "Турнир объявлен"
    server.client().get("/v1/tournaments/tnone/feed.atom").problem(404, "unknown-tournament")


def read(server: Served, desk: Desk, query: str = "") -> list[tuple[str, str]]:
    """Id and title of each entry of the feed."""
    answer = server.client().get(f"{desk.path}/feed.atom{query}")
    assert answer.headers["content-type"].startswith("text/xml")
    feed = ElementTree.fromstring(answer.body)
    entries = feed.findall(f"{ATOM}entry")
    assert all(one.find(f"{ATOM}updated") is not None for one in entries)
    return [(one.findtext(f"{ATOM}id", ""), one.findtext(f"{ATOM}title", "")) for one in entries]
