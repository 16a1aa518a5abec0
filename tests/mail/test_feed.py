"""The Atom feed of a player, parsed; and who may read it."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from domain.game import Game
from tests.api.http.playing import played
from tests.api.http.served import Client, served
from tests.salts import hashed, salt_of
from tests.waiting import soon

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(autouse=True)
def _toy(toy_in_words: Game) -> None:
    """The toy game, in the house."""


def path_of(client: Client) -> str:
    """Make a feed; its path."""
    answer = client.post("/v1/notifications/feed", {})
    assert answer.status == 201, answer
    found = answer.json["feed"]
    assert found.startswith(f"http://127.0.0.1:{client.port}/p/{client.player}/feed/")
    return str(found.removeprefix(f"http://127.0.0.1:{client.port}"))


def read(client: Client, path: str) -> ElementTree.Element:
    """The feed, which must be valid Atom (RFC 4287, section 4.1)."""
    answer = client.get(path)
    assert answer.status == 200, answer
    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert answer.headers["cache-control"] == "no-store"
    feed = ElementTree.fromstring(answer.body)
    assert feed.tag == f"{ATOM}feed"
    for holder in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            (only,) = holder.findall(f"{ATOM}{name}")
            assert only.text
        updated = holder.findtext(f"{ATOM}updated")
        assert updated
        assert datetime.fromisoformat(updated).tzinfo is not None
        assert [link.get("rel") for link in holder.findall(f"{ATOM}link")][-1] == "alternate"
    ids = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    return feed


def kinds(feed: ElementTree.Element) -> list[str]:
    """The kinds of the entries."""
    return [str(one.findtext(f"{ATOM}id")).split(":")[3] for one in feed.findall(f"{ATOM}entry")]


def test_a_feed_tells_whose_move_it_is_and_what_is_over(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        match, players = server.table()
        paths = [path_of(player) for player in players]
        visitor, source, seen = server.client(), random.Random(4), set[str]()
        while server.client().get(f"/v1/matches/{match}").json["status"] == "running":
            for path in paths:
                seen |= set(kinds(read(visitor, path)))
            played(match, players, source)
        assert seen == {"your-move"}
        for path in paths:
            feed = read(visitor, path)
            assert kinds(feed) == ["over"]
            assert feed.findtext(f"{ATOM}entry/{ATOM}id") == read(visitor, path).findtext(
                f"{ATOM}entry/{ATOM}id"
            )
            assert match in str(feed.findtext(f"{ATOM}entry/{ATOM}title"))


def test_only_the_latest_secret_opens_a_feed_and_none_after_revocation(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        ann, ben, visitor = server.player("Ann"), server.player("Ben"), server.client()
        first = path_of(ann)
        read(visitor, first)
        second = path_of(ann)
        assert first != second
        read(visitor, second)
        secret = second.rpartition("/")[2]
        guesses = [first, f"/p/{ben.player}/feed/{secret}", f"/p/{ann.player}/feed/x.atom", "/p/x/feed/.atom"]
        for path in guesses:
            assert visitor.get(path).status == 404
        assert "no-store" in visitor.get(first).headers["cache-control"]
        admin = server.person("admin")
        assert admin.post(f"/v1/players/{ann.player}/revocation", {}).status in (200, 201)
        assert visitor.get(second).status == 404


def test_a_feed_tells_once_that_a_match_waits_for_a_salt(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        ann, ben = server.player("Ann"), server.player("Ben")
        path = path_of(ann)
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        for seat, player in (("left", ann), ("right", ben)):
            body = {"salt_hash": hashed(match, seat)}
            assert player.post(f"/v1/matches/{match}/seats/{seat}", body).status == 201
        soon(lambda: kinds(read(ann, path)) == ["salt"])
        first = read(ann, path).findtext(f"{ATOM}entry/{ATOM}id")
        assert ben.post(f"/v1/matches/{match}/seats/right/salt", {"salt": salt_of("right")}).status == 201
        soon(lambda: ann.get("/v1/lobby").json["mine"][0]["unopened"] == ["left"])
        assert read(ann, path).findtext(f"{ATOM}entry/{ATOM}id") == first
        assert ann.post(f"/v1/matches/{match}/seats/left/salt", {"salt": salt_of("left")}).status == 201
        soon(lambda: "salt" not in kinds(read(ann, path)))
