"""Players, roles, limits."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from api.http.auth import Tickets
from api.http.rate_limits import AtOnce, Buckets
from domain.game import Game
from domain.kernel import Refused
from domain.match_base import Chair
from tests.api.http.served import Served, served


def test_a_token_is_shown_once_and_only_its_hash_is_kept(server: Served, tmp_path: Path) -> None:
    told = server.client().post("/v1/players", {"name": "Ann"})
    assert told.status == 201
    assert set(told.json) == {"player", "token", "role"}
    assert len(told.json["token"]) >= 43
    server.client(told.json["token"]).post("/v1/matches", {"game": "toy"})
    for file in (tmp_path / "store").iterdir():
        assert told.json["token"].encode() not in file.read_bytes()


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\u0000b", "a\nb", "line\n", 7, None])
def test_invalid_player_names_are_refused(server: Served, name: object) -> None:
    server.client().post("/v1/players", {"name": name}).problem(422, "invalid")


@pytest.mark.parametrize(
    ("name", "english", "russian"),
    [
        ("Ann\u202e", "a name holds no U+202E, which would change what others read", "знака U+202E"),
        ("\u2067Ann", "a name holds no U+2067", "знака U+2067"),
        ("A\u0085nn", "a name holds no U+0085", "знака U+0085"),
        ("A\u2028nn", "a name holds no U+2028", "знака U+2028"),
        ("\u200b", "a name shows something: this one is invisible", "а это невидимо"),
        ("\u3164 \u2800", "a name shows something: this one is invisible", "а это невидимо"),
        ("bot:random", "a name begins neither with bot: nor with import:", "ни с bot:, ни с import:"),
        (" BOT:x", "a name begins neither with bot: nor with import:", "ни с bot:, ни с import:"),
        ("b\u200bot:x", "a name begins neither with bot: nor with import:", "ни с bot:, ни с import:"),
        ("ｂｏｔ：x", "a name begins neither with bot: nor with import:", "ни с bot:, ни с import:"),
        ("import:Ann", "a name begins neither with bot: nor with import:", "ни с bot:, ни с import:"),
    ],
)
def test_misleading_player_name_is_refused(server: Served, name: str, english: str, russian: str) -> None:
    for language, said in (("en", english), ("ru", russian)):
        refused = server.client().post("/v1/players", {"name": name}, accept_language=language)
        assert said in refused.problem(422, "invalid")["detail"]


def test_player_names_may_use_any_script(server: Served) -> None:
    for name in ("Анна", "安娜", "Zoë 🎲", "x", "👩‍🚀", "می‌خواهم", "नेहा", "robot:x"):
        ann = server.player(name)
        match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
        ann.post(f"/v1/matches/{match}/seats/left")
        assert ann.get(f"/v1/matches/{match}").json["names"] == {ann.player: name}


def test_only_admins_give_roles(server: Served) -> None:
    for role in ("organizer", "observer", "admin"):
        server.client().post("/v1/players", {"name": "Eve", "role": role}).problem(401, "unauthorized")
        server.player().post("/v1/players", {"name": "Eve", "role": role}).problem(403, "forbidden")
        made = server.person("admin").post("/v1/players", {"name": "Olga", "role": role})
        assert (made.status, made.json["role"]) == (201, role)
    server.person("admin").post("/v1/players", {"name": "Eve", "role": "king"}).problem(422, "invalid")


def test_new_players_are_limited_per_address(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, players_per_minute=1) as server:
        answers = [server.client().post("/v1/players", {"name": "Ann"}) for _ in range(5)]
        assert [answer.status for answer in answers] == [201, 429, 429, 429, 429]
        answers[-1].problem(429, "limit")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60


def test_requests_are_limited_per_token(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, requests_per_second=5) as server:
        server.stop_the_clock()
        tokens = [server.store.people.add(name, "player")[1] for name in ("Ann", "Ben")]
        ann, ben = (server.client(token) for token in tokens)
        answers = [ann.get("/v1/keys") for _ in range(40)]
        refused = [answer for answer in answers if answer.status == 429]
        assert len(refused) >= 20
        assert refused[0].headers["retry-after"] == "1"
        refused[0].problem(429, "limit")
        assert ben.get("/v1/keys").status == 200


def test_rate_limit_bucket_refills_with_time() -> None:
    now = 100.0
    buckets = Buckets(2, 1.0, lambda: now)
    buckets.take("ann")
    buckets.take("ann")
    with pytest.raises(Refused):
        buckets.take("ann")
    buckets.take("ben")
    now += 0.5
    buckets.take("ann")
    with pytest.raises(Refused):
        buckets.take("ann")
    now += 60
    buckets.take("ann")
    buckets.take("ann")
    with pytest.raises(Refused):
        buckets.take("ann")


def test_open_streams_are_counted_and_released() -> None:
    streams = AtOnce(1)
    with streams.one("ann"):
        with pytest.raises(Refused):
            streams.check("ann")
        streams.check("ben")
        assert streams.total == 1
    streams.check("ann")
    assert streams.total == 0


def test_expired_tickets_are_removed_from_memory() -> None:
    now = 0.0
    tickets = Tickets(60, lambda: now)

    async def scene() -> None:
        nonlocal now
        for _ in range(5):
            admission = await tickets.admit(await tickets.give("m1", None, "ann"), "m1")
            tickets.opened(admission)
            tickets.ended(admission)
            now += 61.0
        await tickets.give("m1", None, "ann")
        assert (len(tickets._admissions), len(tickets._left)) == (1, 0)

    asyncio.run(scene())


def test_ticket_expires_only_after_its_stream_is_closed() -> None:
    now = 0.0
    tickets = Tickets(60, lambda: now)

    async def scene() -> None:
        nonlocal now
        ticket = await tickets.give("m1", Chair("left"), "ann")
        admission = await tickets.admit(ticket, "m1")
        tickets.opened(admission)
        now = 500.0
        assert await tickets.admit(ticket, "m1") is admission
        tickets.ended(admission)
        now = 559.0
        assert await tickets.admit(ticket, "m1") is admission
        now = 561.0
        with pytest.raises(Refused):
            await tickets.admit(ticket, "m1")

    asyncio.run(scene())
