"""A worker is killed after the mail server took a message, and before that is noted (W39)."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import pytest

from api.mail.smtp import send
from tests.api.http.processes import Process
from tests.api.http.served import Client
from tests.api.patience import AT_FIRST
from tests.mail.smtp import Post, post_office, settings
from tests.waiting import soon

OFTEN = f"{AT_FIRST}from api.mail import worker\nworker.IDLE = 0.02\n"
"""What a server carries out first: it looks at its outbox more often than in earnest."""
LINK = re.compile(r"https://play\.example\.org(/mail/confirm/\S+)")


def environment(port: int) -> dict[str, str]:
    """Settings of a server whose mail goes to this port."""
    return {
        "GLASNOST_MAIL_HOST": "127.0.0.1",
        "GLASNOST_MAIL_PORT": str(port),
        "GLASNOST_MAIL_TLS": "none",
        "GLASNOST_MAIL_FROM": "games@play.example.org",
        "GLASNOST_MAIL_URL": "https://play.example.org",
    }


@contextmanager
def mailing(location: str, port: int, keys: Path | None = None) -> Iterator[Process]:
    """A server in a process of its own, whose mail goes to this port."""
    running = Process(location, keys=keys, first=OFTEN, environment=environment(port))
    try:
        yield running
    finally:
        running.close()


def subscriber(server: Process, post: Post, name: str) -> Client:
    """A player with a confirmed address."""
    visitor = Client(server.port)
    newcomer = visitor.post("/v1/players", {"name": name}).json
    visitor.close()
    client = Client(server.port, newcomer["token"], newcomer["player"])
    before = len(post.messages)
    body = b'{"address": "%s@example.org", "while_open": true}' % name.encode()
    client.send("PUT", "/v1/notifications", body, {"content-type": "application/json"})
    found = LINK.search(post.arrives(before + 1)[-1].as_string())
    assert found
    assert client.post(found[1], {}).status == 204
    return client


def begin(players: list[Client]) -> None:
    """Begin a match, so that somebody is asked."""
    opened = players[0].post("/v1/matches", {"game": "cia_vs_kgb"}).json
    for seat, player in zip(opened["seats"], players, strict=True):
        answer = player.post(f"/v1/matches/{opened['match']}/seats/{seat}")
        assert answer.status == 201, answer

    for player in players:
        player.close()


def sent_again(post: Post, first: int) -> list[str]:
    """The ids of the messages from this one on, once one has come twice."""

    def ids() -> list[str]:
        return [str(message["Message-ID"]) for message in post.messages[first:]]

    soon(lambda: len(ids()) > len(set(ids())))
    return ids()


def test_a_mail_is_sent_again_with_its_message_id(tmp_path: Path) -> None:
    with post_office() as (post, port):
        with mailing(str(tmp_path / "store"), port) as server:
            players = [subscriber(server, post, name) for name in ("ann", "ben")]
            first = len(post.messages)
            pids = [server.pid]
            post.then = lambda: os.kill(pids.pop(), signal.SIGKILL) if pids else None
            begin(players)
            post.arrives(first + 1)
            server.ended()
        with mailing(str(tmp_path / "store"), port):
            ids = sent_again(post, first)
            assert ids[0] == ids[1]
            bodies = [message.as_string() for message in post.messages[first : first + 2]]
            assert bodies[0] == bodies[1]


@pytest.mark.long
def test_another_worker_goes_on_when_the_one_that_sends_is_killed(database: str, tmp_path: Path) -> None:
    with (
        post_office() as (post, port),
        mailing(database, port, tmp_path / "keys") as one,
        mailing(database, port, tmp_path / "keys") as other,
    ):
        players = [subscriber(other, post, name) for name in ("ann", "ben")]
        first = len(post.messages)
        assert first == 2, "only one of them sends"
        pids = [one.pid]  # it was the first, so it writes the read models
        post.then = lambda: os.kill(pids.pop(), signal.SIGKILL) if pids else None
        begin(players)
        ids = sent_again(post, first)
        assert ids[0] == ids[1]
        assert other.stop()[0] == 0


def test_sending_can_be_cancelled_at_the_moment_the_message_was_taken() -> None:
    """Else the worker would go on, and the server that stops it would wait for ever."""
    message = EmailMessage()
    message["From"], message["To"] = "games@play.example.org", "ann@example.org"

    async def cancelled(port: int) -> None:
        sending = asyncio.create_task(send(settings(port), message))
        await asyncio.sleep(0)
        for thread in threading.enumerate():
            if thread.name == "mail":
                thread.join()  # now the loop knows that it was sent, and the task does not
        asyncio.get_running_loop().call_soon(sending.cancel)
        with pytest.raises(asyncio.CancelledError):
            await sending

    with post_office() as (post, port):
        asyncio.run(cancelled(port))
        assert len(post.messages) == 1
