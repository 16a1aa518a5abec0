"""What a forger tries at the pages: names as markup, caches, addresses, hosts, and links that act."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from api.http.log_lines import Lines
from api.web.assets import Assets
from api.web.pages import Pages
from domain.game import Game
from domain.games import GAMES
from tests.api.http.conftest import toy_in_words as toy_in_words
from tests.api.http.served import Client, Served, served
from tests.api.http.test_branches import play_out
from tests.api.http.words import TEXTS
from tests.domain import toy
from tests.mail.smtp import post_office, settings
from tests.mail.test_notifications import confirmed
from tests.waiting import soon

EVIL = "\"'><img src=x onerror=alert(1)></script>"
MARK = "<img src=x"


class Hall:
    """A server with an organizer, players with evil names, and their matches in every state."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.ann, self.ben, self.judge = (
            server.player(EVIL),
            server.player(f"{EVIL} 2"),
            server.person("organizer"),
        )
        self.open = self.match([self.ann])
        self.running = self.match([self.ann, self.ben])
        ruling = {"reason": EVIL, "back_to": 3}
        self.ann.post(f"/v1/matches/{self.running}/moves", {"expect": 3, "picks": ["1"]})
        assert self.judge.post(f"/v1/matches/{self.running}/rulings", ruling).status == 201
        self.over = self.match([self.ann, self.ben])
        play_out(self.over, [self.ann, self.ben])
        feed = self.ann.post("/v1/notifications/feed", {}).json["feed"]
        self.feed = feed.removeprefix(f"http://127.0.0.1:{server.port}")
        soon(lambda: self.over in str(server.client().get("/v1/lobby").json["finished"]))

    def match(self, players: list[Client]) -> str:
        """A match of the toy game in which these sit."""
        told = self.ann.post("/v1/matches", {"game": "toy"}).json
        for seat, player in zip(told["seats"], players, strict=False):
            assert player.post(f"/v1/matches/{told['match']}/seats/{seat}").status == 201
        return str(told["match"])

    @property
    def addresses(self) -> list[str]:
        """Every page that shows names, each of them in every state of its match."""
        found = [
            "/",
            "/?game=toy",
            "/new?game=toy",
            f"/new?player={self.ann.player}",
            "/s/toy",
            "/in",
            "/verify",
        ]
        found += [f"/p/{player.player}" for player in (self.ann, self.ben)]
        for match in (self.open, self.running, self.over):
            found += [f"/m/{match}{rest}" for rest in ("", "/sit", "/turns", "/audit")]
            found += [f"/m/{match}?move=1&view=spectator", f"/embed/{match}"]
        return found


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "toy", toy.GAME)
        patch.setitem(vars(toy.GAME), "texts", TEXTS)
        with served(tmp_path_factory.mktemp("hall")) as server:
            yield Hall(server)


def test_no_name_and_no_reason_is_markup_in_any_page_or_feed(hall: Hall) -> None:
    """W2: the bytes of all pages, for a visitor, the players and an organizer; nothing closes an element."""
    shown = 0
    for client in (hall.server.client(), hall.ann, hall.ben, hall.judge):
        for address in hall.addresses:
            answer = client.get(address, accept="text/html")
            assert answer.status == 200, address
            html = answer.body.decode()
            assert MARK not in html, address
            assert "</script></script>" not in html, address
            shown += "img src=x" in html
    assert shown > 20, "the names are there, as text"
    csv = hall.judge.get(f"/m/{hall.running}/audit.csv").body.decode()
    assert not [
        cell
        for cell in re.findall(r'(?:^|,)"?([^,"\r\n]*)', csv, re.MULTILINE)
        if cell[:1] in "=@+-" and cell
    ]
    feed = ElementTree.fromstring(hall.server.client().get(hall.feed).body)
    assert not list(feed.iter("img"))


def test_a_page_for_one_player_is_never_one_that_a_cache_shows_to_others(hall: Hall) -> None:
    """A cache that ignores Vary would keep what is not private; one that heeds it asks for each cookie."""
    for address in hall.addresses:
        if address.startswith("/embed/"):
            continue
        signed, visitor = (
            hall.ann.get(address, accept="text/html"),
            hall.server.client().get(address, accept="text/html"),
        )
        control = signed.headers["cache-control"]
        assert "private" in control or "no-store" in control, (address, control)
        if "no-store" not in control:
            assert {"cookie", "authorization"} <= set(re.split(r",\s*", signed.headers["vary"].lower())), (
                address
            )
        assert "Signed in as" not in visitor.body.decode(), address
        assert visitor.headers.get("set-cookie") is None, address
        tag = signed.headers.get("etag")
        if tag and visitor.body != signed.body:  # the tag of one is not taken for the page of the other
            asked = hall.server.client().get(address, accept="text/html", if_none_match=tag)
            assert asked.status == 200, address


def test_no_header_of_a_client_names_the_host_of_a_link(hall: Hall) -> None:
    """Web cache poisoning, and links in feeds and previews that lead elsewhere."""
    forged = {
        "x_forwarded_host": "evil.example",
        "x_host": "evil.example",
        "x_original_url": "//evil.example/",
        "x_rewrite_url": "//evil.example/",
        "x_forwarded_server": "evil.example",
        "forwarded": "host=evil.example",
        "x_forwarded_prefix": "//evil.example",
    }
    for address in (*hall.addresses, hall.feed):
        for client in (hall.server.client(), hall.ann):
            answer = client.get(address, accept="text/html", **forged)
            assert b"evil.example" not in answer.body, address
            assert "evil.example" not in str(answer.headers), address
        hall.server.client().get(address, host="evil.example").problem(421, "wrong-host")
    link = hall.ann.post("/v1/sessions/links", {}, **forged).json["address"]
    assert link.startswith(f"http://127.0.0.1:{hall.server.port}/in#")


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example/in",
        "/\\evil.example",
        "/in/..//evil.example",
        "/m/..%2f..%2fevil.example",
        "/?lang=ru%0d%0aset-cookie:%20glasnost=x",
        "/in?next=%0d%0alocation:%20https://evil.example",
        "/static/..//..//pyproject.toml",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
    ],
)
def test_no_address_leads_elsewhere_or_adds_a_header(hall: Hall, address: str) -> None:
    answer = hall.ann.get(address, accept="text/html")
    assert answer.status in (200, 404), answer
    assert "location" not in answer.headers
    assert "glasnost=x" not in answer.headers.get("set-cookie", "")
    assert b"[project]" not in answer.body


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/ /evil.example",
        "\\/evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "/%0d%0aset-cookie:x",
        "/" + "a" * 600,
    ],
)
def test_after_signing_in_only_a_page_of_this_server_follows(hall: Hall, wanted: str) -> None:
    """The script goes on to `next` of its state, so no other value may stand there."""
    page = hall.server.client().get(f"/in?next={quote(wanted, safe='')}").body.decode()
    found = re.search(r'"next":"([^"]*)"', page)
    assert found is not None
    assert found[1] in ("/", "/%0d%0aset-cookie:x")  # a path with encoded signs stays a path


def test_no_form_of_a_page_acts_without_its_script(hall: Hall) -> None:
    """A form that a browser submits by itself is refused by its type, and puts no token into an address."""
    for address in hall.addresses:
        html = hall.ann.get(address, accept="text/html").body.decode()
        for form in re.findall(r"<form[^>]*>(?=(.*?)</form>)", html, re.DOTALL):
            secret = re.search(r'name="(token|code|salt|invitation)"', form)
            opening = html[: html.index(form)].rpartition("<form")[2]
            assert not secret or 'method="post"' in opening, address
    body = b"token=" + str(hall.ann.token).encode()
    kind = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
    assert hall.server.client().send("POST", "/v1/sessions", body, kind).status == 415


def test_no_page_is_changed_by_reading_it(hall: Hall) -> None:
    """Links open pages, prefetchers too: no GET of a page does anything."""
    before = hall.server.store.last()
    match = hall.open
    for address in (
        f"/m/{match}/sit?seat=right",
        f"/m/{match}/sit?seat=right&sit=1",
        "/new?game=toy&open=1",
        "/in?sign-out=1",
    ):
        assert hall.ben.get(address, accept="text/html").status == 200
    assert hall.server.store.last() == before
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for address in hall.addresses:
            assert hall.ann.send(method, address, b"{}", {"content-type": "application/json"}).status in (
                404,
                405,
            ), address


def test_secret_links_stand_in_no_log_line_and_are_sent_to_no_other_page(
    tmp_path: Path, toy_in_words: Game, caplog: pytest.LogCaptureFixture
) -> None:
    """The address of a feed, and the links in mail, are secrets: a log, or a Referer, would tell them."""
    with (
        caplog.at_level(logging.DEBUG),
        post_office() as (post, port),
        served(tmp_path, mail=settings(port)) as server,
    ):
        ann = server.player("Ann")
        paths = [feed_of(ann), confirming(server, ann, post)]
        for path in paths:
            answer = server.client().get(path)
            assert answer.headers["referrer-policy"] == "no-referrer", path
            assert answer.headers["cache-control"] == "no-store", path
    written = [one for one in caplog.records if one.name.startswith("glasnost") or one.levelno > logging.INFO]
    lines = [Lines().format(record) for record in written]
    assert len(lines) > 5, "requests are logged at this level"
    assert [line for line in lines for path in paths if code_of(path) in line] == []


def confirming(server: Served, client: Client, post: Any, address: str = "ann@example.org") -> str:
    """The path of the link that ends the notifications of a player whose address is confirmed."""
    confirmed(server, client, post, address)
    assert server.services is not None
    return f"/mail/stop/{client.player}/{server.services.links.stop(client.player, address)}"


def feed_of(client: Client) -> str:
    """The path of a new feed of a player."""
    return str(client.post("/v1/notifications/feed", {}).json["feed"].partition(f":{client.port}")[2])


def code_of(path: str) -> str:
    """The secret in a path."""
    return path.rpartition("/")[2].removesuffix(".atom")


def test_every_page_refuses_methods_and_headers_are_complete(hall: Hall) -> None:
    """Clickjacking: each route of a page says who may frame it (a browser checks it in test_embed.py)."""
    match, player = hall.over, hall.ann.player
    for route in Pages(Assets()).routes:
        if "{path" in route.path or route.methods == {"POST"}:
            continue
        parts = {"tournament": "none", "entrant": "n1", "round_number": "1", "board": "1"}
        parts |= {"match": match, "game": "toy", "player": player, "secret": "s", "deed": "stop", "code": "c"}
        path = route.path.format(**parts)
        head = hall.server.client().get(path, accept="text/html").headers
        if "html" not in head["content-type"]:
            continue
        framed = "frame-ancestors *" if path.startswith("/embed/") else "frame-ancestors 'none'"
        assert framed in head["content-security-policy"], path
        assert head["x-content-type-options"] == "nosniff", path
