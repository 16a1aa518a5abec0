"""Mail of tournaments, to a real mail server that fails for every fifth message."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from api.mail import messages, tournament_kinds, worker
from domain.game import Game
from domain.texts import LANGUAGES
from tests.api.http.test_tournaments import Desk
from tests.mail.smtp import Post
from tests.mail.test_notifications import confirmed, mailing, settled


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, toy_in_words: Game) -> None:
    """Look at the outbox, and try again, more often than in earnest."""
    monkeypatch.setattr(worker, "IDLE", 0.02)
    monkeypatch.setattr(worker, "GAPS", (1_000,) * 500)


def fail_at_times(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the mail server fail in 20 % of the tries, before it takes a message or after; gives these."""
    chance, failures, take = Random(5), list[str](), Post.handle_DATA

    async def handle(self: Post, server: Any, session: Any, envelope: Any) -> str:
        fails = chance.random() < 0.2 or not failures
        if fails and chance.random() < 0.5:
            failures.append("before")
            return "451 later"
        answer = await take(self, server, session, envelope)
        if fails:
            failures.append("after")
            return "451 later"
        return answer

    monkeypatch.setattr(Post, "handle_DATA", handle)
    return failures


def text_of(message: Any) -> str:
    """The plain text of a message."""
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_every_kind_arrives_and_none_under_two_message_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mailing(tmp_path) as (server, post):
        ann = server.person("player")
        confirmed(server, ann, post, while_open=True)
        failures = fail_at_times(monkeypatch)
        desk = Desk(server, 0, rounds=1)
        desk.players = [ann, server.person("player")]
        places = [{"person": one.player} for one in desk.players]
        assert desk.do(do="invite", places=places).status == 201
        settled(server)
        for entrant, player in zip(("n1", "n2"), desk.players, strict=True):
            accepted = player.post(f"{desk.path}/entries", {"do": "accept", "entrant": entrant})
            assert accepted.status == 201, accepted
        assert desk.do(do="draw_lot", label="lot/colour", n=2).status == 201
        desk.paired()
        settled(server)
        desk.results()
        settled(server)
        assert ann.post(f"{desk.path}/entries", {"do": "call", "text": "private words"}).status == 201
        answer = desk.do(do="answer", call=desk.entry, text="private answer")
        assert answer.status == 201, answer
        settled(server)
        about = {"result": "½", "reason": "agreed", "text": "private no more"}
        assert desk.post("rounds/1/boards/1/rulings", **about).status == 201
        settled(server)
        assert desk.post("rounds/1/close").status == 201
        assert desk.post("publication", final=True).status == 201
        settled(server)
    assert failures
    ids = defaultdict(set)
    for message in post.messages:
        for entry in re.findall(rf"/t/{desk.id}\?at=(\d+)", text_of(message)):
            ids[int(entry)].add(message["Message-ID"])
    assert ids
    assert all(len(found) == 1 for found in ids.values()), ids
    texts = messages.texts("en")
    told = {
        name
        for name in tournament_kinds.NAMES
        for message in post.messages
        if texts[f"{name}.body"].format(title="Cup", match=desk.id) in text_of(message)
    }
    assert told == tournament_kinds.NAMES
    assert not any("private" in text_of(message) for message in post.messages)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_its_sentences(language: str) -> None:
    texts = messages.texts(language)
    for name in tournament_kinds.NAMES:
        assert "{title}" in texts[f"{name}.subject"]
        assert "{match}" in texts[f"{name}.body"]
