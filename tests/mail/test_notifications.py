"""Notifications from a move to a mail server: what is sent, to whom, when, and what stops it."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from api.mail import kinds, worker
from domain.game import Game
from tests.api.http.playing import played
from tests.api.http.served import Answer, Client, Served, served
from tests.mail.smtp import Post, certificate, hanging, post_office, settings
from tests.salts import hashed, salt_of
from tests.waiting import PATIENCE, soon

ADDRESS = "ann@example.org"
LINK = re.compile(r"https://play\.example\.org(/mail/(?:confirm|stop)/\S+)")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, toy_in_words: Game) -> None:
    """Look at the outbox more often than in earnest."""
    monkeypatch.setattr(worker, "IDLE", 0.02)


@contextmanager
def mailing(folder: Path, **more: Any) -> Iterator[tuple[Served, Post]]:
    """A server that sends mail, and the mail server."""
    with post_office() as (post, port), served(folder, mail=settings(port, **more)) as server:
        yield server, post


def put(client: Client, address: str | None = ADDRESS, **more: Any) -> Answer:
    """Say what one wants."""
    import json

    body = json.dumps({"address": address, **more}).encode()
    return client.send("PUT", "/v1/notifications", body, {"content-type": "application/json"})


def link(message: EmailMessage) -> str:
    """The path of the secret link in a message."""
    body = message.get_body(("plain",))
    assert body is not None
    found = LINK.search(text := body.get_content())
    assert found, text
    return found[1]


def confirmed(server: Served, client: Client, post: Post, address: str = ADDRESS, **more: Any) -> None:
    """Give a player a confirmed address; what arrived until then is dropped, and has left the outbox."""
    assert put(client, address, **more).json["state"] == "unconfirmed"
    (message,) = post.arrives(1)
    assert client.post(link(message), {}).status == 204
    assert client.get("/v1/notifications").json["state"] == "confirmed"
    settled(server)
    post.messages.clear()


def settled(server: Served) -> None:
    """Wait until the log is followed to its end, and nothing is due."""
    last, outbox = server.store.last(), server.store.outbox
    soon(lambda: outbox.position() == last and outbox.next(time.time_ns() // 1_000) is None)


def test_it_is_your_move_in_a_mail_after_the_address_is_confirmed(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        ann = server.player("Ann")
        assert ann.get("/v1/notifications").json == {
            "mail": True,
            "address": None,
            "state": "none",
            "said": "",
            "often": "at-once",
            "matches": {},
            "while_open": False,
            "feed": None,
        }
        assert put(ann).json["state"] == "unconfirmed"
        (message,) = post.arrives(1)
        assert message["List-Unsubscribe"] is None
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        ben = server.player("Ben")
        seats = list(ann.get(f"/v1/matches/{match}").json["seats"])
        for seat, client in zip(seats, (ann, ben), strict=True):
            assert client.post(f"/v1/matches/{match}/seats/{seat}").status == 201
        settled(server)
        assert len(post.messages) == 1, "nothing else is sent to an address that is not confirmed"
        assert ann.get(link(message)).status == 200
        assert ann.get("/v1/notifications").json["state"] == "unconfirmed", "a GET changes nothing"
        assert server.client().post(link(message), {}).status == 204
        post.messages.clear()
        source = random.Random(3)
        while not post.messages:
            played(match, [ann, ben], source)
            settled(server)
        told = post.messages[0]
        assert told["To"] == ADDRESS
        assert match in told["Subject"]
        assert re.search(rf"https://play.example.org/m/{match}\?move=\d+", told.as_string())


def test_the_end_is_told_and_no_message_names_a_card_or_a_token(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        match, players = server.table()
        confirmed(server, players[0], post, while_open=True)
        source = random.Random(5)
        while server.client().get(f"/v1/matches/{match}").json["status"] == "running":
            played(match, players, source)
        settled(server)
        last = post.messages[-1]
        assert "over" in last["Subject"]
        told = "".join(str(message) for message in post.messages)
        assert str(players[0].token) not in told
        prompt_words = {"pick", "option", "card"}
        assert not prompt_words & set(re.findall(r"[a-z]+", told.lower()))


def test_a_match_that_waits_for_a_salt_tells_the_player_who_has_not_opened_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kinds.KINDS, "salt", replace(kinds.KINDS["salt"], waits=0))
    with mailing(tmp_path) as (server, post):
        ann, ben = server.player("Ann"), server.player("Ben")
        confirmed(server, ann, post)
        confirmed(server, ben, post, "ben@example.org")
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        for seat, player in (("left", ann), ("right", ben)):
            settled(server)
            assert post.messages == [], "a seat is still free"
            salt_hash = hashed(match, seat)
            told = player.post(f"/v1/matches/{match}/seats/{seat}", {"salt_hash": salt_hash})
            assert told.status == 201, told
        post.arrives(2)
        assert {str(message["To"]) for message in post.messages} == {ADDRESS, "ben@example.org"}
        for message in post.messages:
            assert "your salt is awaited" in message["Subject"]
            body = message.get_body(("plain",))
            assert body is not None
            assert f"https://play.example.org/m/{match}?move=3" in body.get_content()
            assert salt_of("left") not in str(message)
        post.messages.clear()
        # what was told once is not told again when the other one opens theirs
        told = ben.post(f"/v1/matches/{match}/seats/right/salt", {"salt": salt_of("right")})
        assert told.status == 201, told
        settled(server)
        assert post.messages == []
        told = ann.post(f"/v1/matches/{match}/seats/left/salt", {"salt": salt_of("left")})
        assert told.json["status"] == "running"


def test_a_salt_that_a_page_opens_within_a_minute_is_not_written_of(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        ann, ben = server.player("Ann"), server.player("Ben")
        confirmed(server, ann, post)
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        for seat, player in (("left", ann), ("right", ben)):
            body = {"salt_hash": hashed(match, seat)}
            assert player.post(f"/v1/matches/{match}/seats/{seat}", body).status == 201
        settled(server)
        outbox, now = server.store.outbox, time.time_ns() // 1_000
        (waiting,) = [outbox.next(now + 2 * worker.MINUTE)]
        assert waiting is not None
        assert [item.kind for item in waiting.items] == ["salt"]
        found = asyncio.run_coroutine_threadsafe(server.gate.match(match), server.loop).result(PATIENCE)
        assert kinds.still_stands(waiting.items[0], found)
        assert ann.post(f"/v1/matches/{match}/seats/left/salt", {"salt": salt_of("left")}).status == 201
        found = asyncio.run_coroutine_threadsafe(server.gate.match(match), server.loop).result(PATIENCE)
        assert not kinds.still_stands(waiting.items[0], found)
        outbox.defer(waiting.id, 0)  # a minute later
        soon(lambda: outbox.waiting() == 0)
        assert post.messages == []


def test_one_click_ends_it_and_the_link_ends_with_the_address(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        match, players = server.table()
        for client in players:
            confirmed(server, client, post, f"{client.player}@example.org")
        source = random.Random(1)
        while not post.messages:
            played(match, players, source)
            settled(server)
        message = post.messages[0]
        (reader,) = [one for one in players if message["To"].startswith(one.player)]
        path = str(message["List-Unsubscribe"])[1:-1].removeprefix("https://play.example.org")
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        one_click = {"content-type": "application/x-www-form-urlencoded"}
        assert server.client().send("GET", path).status == 200
        assert reader.get("/v1/notifications").json["often"] == "at-once"
        assert server.client().send("POST", f"{path}x").status == 404
        done = server.client().send("POST", path, b"List-Unsubscribe=One-Click", one_click)
        assert done.status == 204
        assert reader.get("/v1/notifications").json["often"] == "never"
        assert put(reader, "other@example.org").status == 200
        assert server.client().send("POST", path, b"List-Unsubscribe=One-Click", one_click).status == 404


@pytest.mark.parametrize("deed", ["confirm", "stop", "forget", "%2e%2e"])
def test_a_guessed_link_does_nothing(tmp_path: Path, deed: str) -> None:
    with mailing(tmp_path) as (server, post):
        ann = server.player("Ann")
        confirmed(server, ann, post)
        for player in (ann.player, "pnobody", "p" * 300):
            for code in ("x" * 24, "x", "%00", "%D1%8B"):
                for method in ("GET", "POST"):
                    assert server.client().send(method, f"/mail/{deed}/{player}/{code}").status == 404
        assert ann.get("/v1/notifications").json["state"] == "confirmed"


def test_by_wish_a_mail_waits_or_never_comes(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        match, players = server.table()
        confirmed(server, players[0], post, often="daily", matches={match: "never"})
        confirmed(server, players[1], post, "ben@example.org", often="hourly")
        source = random.Random(2)
        for _ in range(4):
            played(match, players, source)
        settled(server)
        assert post.messages == []
        waiting = server.store.outbox
        assert waiting.waiting() <= 1
        hour = time.time_ns() // 1_000 + worker.HOUR + worker.MINUTE
        found = waiting.next(hour)
        assert found is None or (found.player, found.often) == (players[1].player, "hourly")


@pytest.mark.parametrize(
    ("often", "now", "then"),
    [
        ("at-once", 5, 5),
        ("hourly", 5, worker.HOUR + 5),
        ("daily", 5, 7 * worker.HOUR),
        ("daily", 7 * worker.HOUR, worker.DAY + 7 * worker.HOUR),
        ("daily", 23 * worker.HOUR, worker.DAY + 7 * worker.HOUR),
    ],
)
def test_when_a_mail_is_due(often: str, now: int, then: int) -> None:
    assert worker.due(often, now) == then


def test_the_gaps_grow_for_a_day() -> None:
    assert list(worker.GAPS) == sorted(worker.GAPS)
    assert worker.GAPS[0] == worker.MINUTE
    assert 20 * worker.HOUR <= sum(worker.GAPS) <= 30 * worker.HOUR


def test_an_address_that_is_refused_for_ever_is_stopped_and_the_player_sees_why(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        ann = server.player("Ann")
        post.refusal = "550 5.1.1 no such <b>mailbox</b>"
        assert put(ann).json["state"] == "unconfirmed"
        soon(lambda: ann.get("/v1/notifications").json["state"] == "stopped")
        assert "no such <b>mailbox</b>" in ann.get("/v1/notifications").json["said"]
        assert server.store.outbox.waiting() == 0
        text = server.person("admin").get("/metrics").body.decode()
        assert 'glasnost_mail_total{outcome="refused"} 1.0' in text
        post.refusal = ""
        confirmed(server, ann, post)


def test_what_is_refused_for_now_is_tried_again_as_the_same_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "GAPS", (1_000,) * 500)
    with mailing(tmp_path) as (server, post):
        ann = server.player("Ann")
        post.refusal = "451 later"
        assert put(ann).status == 200
        admin = server.person("admin")

        def metrics() -> str:
            return admin.get("/metrics").body.decode()

        soon(lambda: re.search(r'glasnost_mail_total\{outcome="failed"\} [2-9]', metrics()))
        assert "glasnost_mail_waiting 1.0" in metrics()
        post.refusal = ""
        (message,) = post.arrives(1)
        settled(server)
        assert len(post.messages) == 1
        assert message["Message-ID"]


def test_what_cannot_be_sent_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "GAPS", (1_000, 1_000))
    with served(tmp_path, mail=settings(1)) as server:
        assert put(server.player("Ann")).status == 200
        soon(lambda: server.store.outbox.waiting() == 0)
        assert server.services is not None
        assert server.services.mail is not None
        figures = server.services.mail.figures
        assert (figures.failed, figures.dropped, figures.sent) == (3, 1, 0)


def test_a_mail_server_that_hangs_delays_no_move_and_no_stop(tmp_path: Path) -> None:
    with hanging() as (reached, port), served(tmp_path, mail=settings(port, seconds=600.0)) as server:
        match, players = server.table()
        assert put(players[0]).status == 200
        assert reached.wait(60)
        source = random.Random(1)
        for _ in range(5):
            played(match, players, source)
        assert players[0].get("/v1/notifications").status == 200
    # it has stopped, too


def test_a_mail_server_that_hangs_is_given_up_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hanging() as (_, port), served(tmp_path, mail=settings(port, seconds=0.05)) as server:
        assert put(server.player("Ann")).status == 200
        assert server.services is not None
        assert server.services.mail is not None
        figures = server.services.mail.figures
        soon(lambda: figures.failed == 1)
        assert server.store.outbox.waiting() == 1


@pytest.mark.parametrize("tls", ["starttls", "tls"])
def test_mail_goes_over_tls_with_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tls: str
) -> None:
    files = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(files[1]))
    with post_office(files, tls) as (post, port):
        about = settings(port, tls=tls, user="games", password="secret", host="localhost")
        with served(tmp_path, mail=about) as server:
            assert put(server.player("Ann")).status == 200
            post.arrives(1)
        assert tls == "tls" or post.secure == [True]


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    files = certificate(tmp_path)
    with post_office(files, "starttls") as (post, port):
        about = settings(port, tls="starttls", user="games", password="secret", host="localhost")
        with served(tmp_path, mail=about) as server:
            assert put(server.player("Ann")).status == 200
            assert server.services is not None
            assert server.services.mail is not None
            figures = server.services.mail.figures
            soon(lambda: figures.failed == 1)
        assert post.messages == []


def test_without_settings_nothing_of_mail_is_offered(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        ann = server.player("Ann")
        assert ann.get("/v1/notifications").json["mail"] is False
        put(ann).problem(404, "not-found")
        page = ann.get("/in", accept="text/html").body.decode()
        assert "Ann" in page
        assert 'id="notify"' not in page
        assert "glasnost_mail_waiting" not in [
            line.split()[0] for line in server.person("admin").get("/metrics").body.decode().splitlines()
        ]


def test_notifications_are_for_players_who_are_signed_in(tmp_path: Path) -> None:
    with mailing(tmp_path) as (server, post):
        visitor = server.client()
        visitor.get("/v1/notifications").problem(401, "unauthorized")
        put(visitor).problem(401, "unauthorized")
        ann = server.player("Ann")
        for address in ("ann@example.org\r\nBcc: x@y.example", "ann", "a@b\n", 5, "a" * 300 + "@example.org"):
            assert put(ann, address).status in (400, 422)  # type: ignore[arg-type]
        assert put(ann, often="always").status == 422
        assert put(ann, matches={f"m{n}": "daily" for n in range(201)}).status == 422
        for n in range(3):
            assert put(ann, "other@example.org" if n % 2 else ADDRESS).status == 200
        put(ann, "other@example.org")
        put(ann)
        put(ann, "other@example.org")
        put(ann).problem(429, "limit")
        assert post is not None


def test_a_mail_is_held_while_a_tab_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_HOLD", 300_000)
    with mailing(tmp_path) as (server, post):
        match, players = server.table()
        for client in players:
            confirmed(server, client, post, f"{client.player}@example.org")
        now = time.time_ns() // 1_000
        server.store.outbox.see([client.player for client in players], now)
        source = random.Random(1)
        while server.store.outbox.waiting() == 0:
            played(match, players, source)
            settled(server)
        assert post.messages == []
        for client in players:
            server.store.outbox.change(replace(server.store.outbox.of(client.player), while_open=True), 3)
        post.arrives(1)
