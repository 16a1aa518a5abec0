"""Mail and feeds about time: 24 hours before it is up, once for each stretch, and when it was up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.gate import Gate
from api.mail import worker
from api.store import uptime
from api.store.sqlite import SqliteStore
from domain.clocks import DAY, SECOND
from domain.game import Game
from tests.api.http.served import Client, Served, served
from tests.api.http.test_clocks import Time, moves
from tests.mail.smtp import Post, post_office, settings
from tests.mail.test_feed import kinds, path_of, read
from tests.mail.test_notifications import confirmed
from tests.waiting import soon

DAYS = {"mode": "days", "days": 3}
SHORT, FLAG = "24 hours left", "a time is up"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, toy_in_words: Game) -> None:
    """Look at the outbox more often than in earnest; a test that moves the time by days stops no clock."""
    monkeypatch.setattr(worker, "IDLE", 0.02)
    monkeypatch.setattr(uptime, "GAP", 10**18)


@contextmanager
def mailing(folder: Path, post: int, time: Time) -> Iterator[Served]:
    """A server that sends mail to this port, at a time that a test moves."""
    with closing(SqliteStore.open(folder / "store")) as store:
        gate = Gate(store, store.keys, time, "test")
        with served(folder, store, gate, mail=settings(post)) as server:
            assert server.services is not None
            assert server.services.mail is not None
            server.services.clock = server.services.mail._clock = time
            yield server


def quiet(server: Served, time: Time) -> None:
    """Wait until the log is followed to its end, and nothing is due."""
    store, outbox = server.store, server.store.outbox
    soon(lambda: outbox.position() == store.last() and outbox.next(time.now) is None)


def short(post: Post, words: str = SHORT) -> int:
    """How many messages said that little time is left, or what else these words say."""
    return sum(words in str(message["Subject"]) for message in post.messages)


def about(server: Served, post: Post, **more: Any) -> tuple[str, list[Client], Client]:
    """A match in which a player with mail is asked: the match, its players, and an organizer."""
    ann, ben = server.player("Ann"), server.player("Ben")
    confirmed(server, ann, post, **more)
    return seated([ann, ben], DAYS), [ann, ben], server.person("organizer")


def seated(players: list[Client], clock: dict[str, Any]) -> str:
    """A match that these two begin."""
    match = str(players[0].post("/v1/matches", {"game": "toy", "clock": clock}).json["match"])
    for seat, player in zip(("left", "right"), players, strict=True):
        assert player.post(f"/v1/matches/{match}/seats/{seat}", {}).status == 201
    return match


def test_little_time_is_told_once_for_each_stretch_also_after_a_restart(tmp_path: Path) -> None:
    time = Time()
    with post_office() as (post, port):
        with mailing(tmp_path, port, time) as server:
            match, (ann, _), _ = about(server, post)
            quiet(server, time)
            time.now += 2 * DAY - 1
            quiet(server, time)
            assert short(post) == 0
            token = ann.token
        with mailing(tmp_path, port, time) as server:  # the plan is kept
            time.now += 1
            soon(lambda: short(post) == 1)
            quiet(server, time)
            time.now += DAY // 2
            quiet(server, time)
        with mailing(tmp_path, port, time) as server:
            quiet(server, time)
            assert short(post) == 1
            assert moves(match, server.client(token), "2").status == 201


def test_an_answer_more_time_and_a_pause_put_it_off(tmp_path: Path) -> None:
    time = Time()
    with post_office() as (post, port), mailing(tmp_path, port, time) as server:
        match, (ann, ben), judge = about(server, post)
        time.now += DAY
        moves(match, ben, "1")
        given = ben.post(f"/v1/matches/{match}/clock", {"seat": "left", "more": 2 * DAY})
        assert given.status == 201
        time.now += 2 * DAY  # without the gift a day would have been left a day ago
        quiet(server, time)
        assert short(post) == 0
        pause = {"paused": True, "why": "holidays"}
        assert judge.post(f"/v1/matches/{match}/clock", pause).status == 201
        time.now += 9 * DAY
        quiet(server, time)
        assert short(post) == 0
        judge.post(f"/v1/matches/{match}/clock", {"paused": False, "why": "over"})
        time.now += DAY + 3_600 * SECOND
        soon(lambda: short(post) == 1)
        assert moves(match, ann, "2").status == 201
        time.now += 2 * DAY
        quiet(server, time)
        assert short(post) == 1  # the answer came in time


def test_the_feed_tells_it_too_and_a_time_out_is_told_as_one(tmp_path: Path) -> None:
    time = Time()
    with post_office() as (post, port), mailing(tmp_path, port, time) as server:
        match, (ann, ben), _ = about(server, post, often="never")
        path = path_of(ann)
        assert kinds(read(ann, path)) == ["your-move"]
        time.now += 2 * DAY + SECOND
        assert sorted(kinds(read(ann, path))) == ["time-short", "your-move"]
        assert moves(match, ben, "1").status == 201
        time.now += DAY
        soon(lambda: kinds(read(ann, path)) == ["timed-out"])
        quiet(server, time)
        assert post.messages == []  # mail is not wanted


def test_a_flag_is_told_to_both_once_by_mail_and_in_the_feed(tmp_path: Path) -> None:
    """The match goes on, so the message is planned; an answer in time and more time put it off."""
    time, terms = Time(), {**DAYS, "time_up": "report"}
    with post_office() as (post, port):
        with mailing(tmp_path, port, time) as server:
            ann, ben = server.player("Ann"), server.player("Ben")
            confirmed(server, ann, post)
            confirmed(server, ben, post, "ben@example.org")
            match = seated([ann, ben], terms)
            path = path_of(ann)
            time.now += 2 * DAY
            assert moves(match, ann, "2").status == 201
            given = ann.post(f"/v1/matches/{match}/clock", {"seat": "right", "more": DAY})
            assert given.status == 201
            time.now += 2 * DAY - 1
            quiet(server, time)
            assert short(post, FLAG) == 0
            assert "flagged" not in kinds(read(ann, path))
        with mailing(tmp_path, port, time) as server:  # the plan is kept
            time.now += 1
            soon(lambda: short(post, FLAG) == 2)
            assert kinds(read(server.client(ann.token), path)).count("flagged") == 1
            time.now += 5 * DAY
            assert moves(match, server.client(ben.token), "1").status == 201
            quiet(server, time)
            time.now += 9 * DAY
            soon(lambda: short(post, FLAG) == 4)  # the next stretch
            quiet(server, time)
        with mailing(tmp_path, port, time) as server:
            time.now += 9 * DAY
            quiet(server, time)
            assert short(post, FLAG) == 4
