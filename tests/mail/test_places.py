"""The code of a place by mail, for a person without an account: it works once, for 14 days, for one place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.mail import worker
from api.mail.links import PLACE_LASTS, Links
from api.mail.settings import CONFIRMATIONS_A_DAY
from domain.game import Game
from tests.api.http.served import Served, served
from tests.api.http.test_tournaments import Desk
from tests.mail.smtp import Post
from tests.mail.test_notifications import mailing
from tests.waiting import soon
from tests.web.tournament_hall import form

ADDRESS = "uncle@example.org"
LINK = re.compile(r"https://play\.example\.org(/t/\w+/place/(\w+)/(\S+))")
NOW = 1_790_000_000  # seconds
SECOND = 1_000_000  # microseconds


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, toy_in_words: Game) -> None:
    """Look at the outbox more often than in earnest."""
    monkeypatch.setattr(worker, "IDLE", 0.02)


@pytest.fixture
def mailed(tmp_path: Path) -> Iterator[tuple[Served, Post, Desk]]:
    """A server that sends mail, the mail server, and a tournament."""
    with mailing(tmp_path) as (server, post):
        yield server, post, Desk(server, 2)


def invited(desk: Desk, *addresses: str | None) -> list[dict[str, Any]]:
    """Keep places for people with these addresses; what the organizer is shown of them."""
    count = len(desk.director.get(f"{desk.path}/entrants").json["entrants"])
    rows = [
        {"name": f"Guest {count + number}"} | ({} if address is None else {"mail": address})
        for number, address in enumerate(addresses)
    ]
    answer = desk.post("invitations", entrants=rows)
    assert answer.status == 201, answer
    found: list[dict[str, Any]] = answer.json["invitations"]
    return found


def sent(post: Post, number: int = 1) -> tuple[str, str, str]:
    """The path of the link in a message, its entrant and its code."""
    body = post.arrives(number)[number - 1].get_body(("plain",))
    assert body is not None
    found = LINK.search(text := body.get_content())
    assert found, text
    return found[1], found[2], found[3]


# ── what a forger tries ──


@pytest.mark.parametrize(
    ("change", "good"),
    [
        ({}, True),
        ({"tournament": "t2"}, False),
        ({"entrant": "n2"}, False),
        ({"person": "p2"}, False),
        ({"now": (NOW + PLACE_LASTS) * SECOND}, True),
        ({"now": (NOW + PLACE_LASTS) * SECOND + 1}, False),
    ],
)
def test_a_code_opens_one_place_for_one_person_until_its_time(change: dict[str, Any], good: bool) -> None:
    code = Links(bytes(32)).place("t1", "n1", "p1", NOW + PLACE_LASTS)
    asked: dict[str, Any] = {"tournament": "t1", "entrant": "n1", "person": "p1", "now": NOW * SECOND}
    asked |= change
    assert Links(bytes(32)).opens_place(code, **asked) is good
    assert not Links(b"k" * 32).opens_place(code, **asked)


def test_what_a_forger_makes_of_a_code_opens_nothing() -> None:
    links = Links(bytes(32))
    until, _, secret = links.place("t1", "n1", "p1", NOW).partition(".")
    later = str(NOW + 1)
    other = links.confirm("p1", ADDRESS, NOW), links.stop("p1", ADDRESS)
    tries = [f"{later}.{secret}", f"0{until}.{secret}", f"{until}.{secret[:-1]}", f"{until}.", until, "", "."]
    tries += [f"{until}.{one}" for one in other] + [f"+{until}.{secret}", f"{'9' * 5000}.{secret}"]
    tries += [f"{until.translate({48 + n: 0x660 + n for n in range(10)})}.{secret}", "\ud800.\ud800", "-1.x"]
    assert not [one for one in tries if links.opens_place(one, "t1", "n1", "p1", 0)]
    assert links.opens_place(f"{until}.{secret}", "t1", "n1", "p1", 0)


def test_a_person_without_an_account_takes_the_place_once(mailed: tuple[Served, Post, Desk]) -> None:
    server, post, desk = mailed
    mine, printed = invited(desk, ADDRESS, None)
    path, entrant, code = sent(post)
    assert (entrant, mine["mailed"], mine["code"]) == (mine["entrant"], True, "")
    assert (printed["mailed"], len(printed["code"]) > 20) == (False, True)
    # a look changes nothing, and names the place; the person then makes an account
    entry = desk.entry
    stranger = server.client().get(path)
    assert (stranger.status, b"Cup" in stranger.body, b"<form" in stranger.body) == (200, True, False)
    guest, thief = server.person("player"), server.person("player")
    entries, accept = f"{desk.path}/entries", {"do": "accept", "entrant": entrant}
    for tried in ({}, {"code": code[:-1]}, {"code": code.partition(".")[2]}, {"code": printed["code"]}):
        thief.post(entries, {**accept, **tried}).problem(403, "forbidden")
    other = {"do": "accept", "entrant": printed["entrant"], "code": code}
    thief.post(entries, other).problem(403, "forbidden")
    assert server.client().get(path.replace(entrant, printed["entrant"])).status == 404
    assert desk.entry == entry
    assert guest.post(entries, {**accept, "code": code}).status == 201
    # it worked once
    thief.post(entries, {**accept, "code": code}).problem(409, "entered")
    assert server.client().get(path).status == 404
    rows = desk.director.get(f"{desk.path}/entrants").json["entrants"]
    assert [row["player"] for row in rows if row["entrant"] == entrant] == [guest.player]


def test_the_desk_sends_codes_to_the_addresses_of_its_form(mailed: tuple[Served, Post, Desk]) -> None:
    _, post, desk = mailed
    page = f"/t/{desk.id}/desk"
    assert b"vanya@example.org" in desk.director.get(page).body  # how a line with an address is written
    before = desk.entry
    for wrong in (
        "Guest <nobody>",
        "Guest <a@b.example\nBcc: x@y.example>",
        "Guest <>",
        "<a@b.example>",
        "G a@b.example",
    ):
        assert form(desk.director, page, do="invite", expect=before, names=wrong).status == 422
    assert (desk.entry, post.messages) == (before, [])
    names = f"Uncle Vanya <{ADDRESS}>\r\nSonya\r\n"
    shown = form(desk.director, page, do="invite", expect=before, names=names)
    assert shown.status == 200
    text = shown.body.decode()
    assert ("Uncle Vanya" in text, "The code is sent by mail." in text, ADDRESS in text) == (
        True,
        True,
        False,
    )
    assert text.count("<code>") == 1
    _, entrant, _ = sent(post)
    assert entrant in [row["entrant"] for row in desk.director.get(f"{desk.path}/entrants").json["entrants"]]
    assert ADDRESS.encode() not in desk.director.get(f"{desk.path}/log").body


def test_nothing_but_the_message_holds_address_or_code(mailed: tuple[Served, Post, Desk]) -> None:
    server, post, desk = mailed
    mine, _ = invited(desk, ADDRESS, None)
    _, _, code = sent(post)
    services = server.services
    assert services is not None
    outbox = services.store.outbox
    soon(lambda: outbox.waiting() == 0)
    assert outbox.of(mine["person"]).address == ""
    asked = ("", "/log", "/entrants", "/entrants?limit=200", "/feed.atom")
    bodies = [desk.director.get(f"{desk.path}{one}").body for one in asked]
    bodies += [desk.director.get(f"/t/{desk.id}{one}").body for one in ("", "/desk")]
    assert not [body for body in bodies if ADDRESS.encode() in body or code.encode() in body]
    assert post.messages[0]["Bcc"] is None


def test_a_place_that_is_not_kept_any_more_is_not_mailed(
    mailed: tuple[Served, Post, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, post, desk = mailed
    post.refusal = "451 later"
    monkeypatch.setattr(worker, "GAPS", (1_000,) * 500)
    [mine] = invited(desk, ADDRESS)
    assert desk.do(do="withdraw", entrant=mine["entrant"]).status == 201
    services = server.services
    assert services is not None
    outbox = services.store.outbox
    soon(lambda: outbox.waiting() == 0)  # though the mail server still refuses it
    assert not post.messages
    assert outbox.of(mine["person"]).address == ""


# ── what a flooder tries ──


def test_an_address_gets_a_few_codes_a_day_and_the_others_are_printed(
    mailed: tuple[Served, Post, Desk],
) -> None:
    server, post, desk = mailed
    made = invited(desk, *[ADDRESS] * (CONFIRMATIONS_A_DAY + 2))
    assert [one["mailed"] for one in made] == [True] * CONFIRMATIONS_A_DAY + [False] * 2
    assert all(bool(one["code"]) != one["mailed"] for one in made)
    assert len({sent(post, number)[2] for number in range(1, CONFIRMATIONS_A_DAY + 1)}) == CONFIRMATIONS_A_DAY
    services = server.services
    assert services is not None
    soon(lambda: services.store.outbox.waiting() == 0)
    assert len(post.messages) == CONFIRMATIONS_A_DAY


@pytest.mark.parametrize(
    "address", ["a@b\r\nBcc: x@y.example", "a b@example.org", "", f"{'a' * 300}@b.example"]
)
def test_what_is_no_address_invites_nobody(mailed: tuple[Served, Post, Desk], address: str) -> None:
    _, post, desk = mailed
    before = desk.entry
    rows = [{"name": "Guest"}, {"name": "Other", "mail": address}]
    desk.post("invitations", entrants=rows).problem(422, "invalid")
    assert (desk.entry, post.messages) == (before, [])


def test_a_server_without_mail_invites_nobody_by_mail(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        desk = Desk(server, 2)
        before = desk.entry
        desk.post("invitations", entrants=[{"name": "G", "mail": ADDRESS}]).problem(404, "not-found")
        assert desk.entry == before
