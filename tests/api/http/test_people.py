"""Forgetting, renaming, locking out and finding people; a token that is replaced stops at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from api.http import app_state, auth
from api.http.app_state import FORGOTTEN
from api.store.postgres import PostgresStore
from domain.game import Game
from replay import verify
from tests.api.http.playing import on, two_workers
from tests.api.http.served import Client, Served, served
from tests.api.http.sockets import socket
from tests.api.http.streaming import Listener
from tests.waiting import soon

NAME = "Anna Sergeyevna of the fourth floor"
DEEDS = ("forgetting", "revocation", "token", "name")


@pytest.fixture
def workers(toy_in_words: Game, database: str, redis_url: str, tmp_path: Path) -> Iterator[list[Served]]:
    """Two servers over one database and one Redis."""
    with two_workers(
        tmp_path, lambda: PostgresStore.open(database, keys=tmp_path / "keys"), redis=redis_url
    ) as found:
        yield found


def for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is remembered of people is looked up again because time goes by."""
    monkeypatch.setattr(auth, "_KNOWN_SECONDS", 1e9)
    monkeypatch.setattr(app_state, "_NAME_SECONDS", 1e9)


def over(server: Served, ann: Client, ben: Client) -> str:
    """A match between the two that ended."""
    match = str(ann.post("/v1/matches", {"game": "toy"}).json["match"])
    for seat, player in (("left", ann), ("right", ben)):
        assert player.post(f"/v1/matches/{match}/seats/{seat}").status == 201
    assert ben.post(f"/v1/matches/{match}/resignation").status == 201
    return match


def looks(player: str, match: str) -> tuple[str, ...]:
    """Every answer that shows the name of a player."""
    return (
        f"/v1/players/{player}",
        f"/v1/players/{player}/matches",
        f"/v1/matches/{match}",
        "/v1/matches",
        f"/v1/matches?player={player}",
        "/v1/scoreboards/toy",
    )


def test_forgotten_name_is_not_shown_and_every_proof_stays_valid(server: Served, tmp_path: Path) -> None:
    admin, ann, ben = server.person("admin"), server.player(NAME), server.player("Ben")
    match = over(server, ann, ben)
    soon(lambda: ben.get(f"/v1/players/{ann.player}/matches").json["matches"])
    before = ben.get(f"/v1/matches/{match}/file").body
    for path in looks(ann.player, match):
        assert NAME in ben.get(path).body.decode(), path
    told = admin.post(f"/v1/players/{ann.player}/forgetting", {"reason": "asked for it"})
    assert told.json == {
        "player": ann.player,
        "name": "(name forgotten)",
        "forgotten": True,
        "role": "player",
        "tokens": 0,
    }
    for language, label in FORGOTTEN.items():
        for path in looks(ann.player, match):
            answer = ben.get(path, accept_language=language).body.decode()
            assert NAME not in answer, path
            assert label in answer, path
    assert ben.get(f"/v1/matches/{match}/file").body == before
    assert verify.verify(before).ok
    for file in (tmp_path / "store").iterdir():
        assert NAME.encode() not in file.read_bytes(), file
    assert ben.get(f"/v1/players?name={NAME.replace(' ', '%20')}").json["players"] == []
    ann.get("/v1/keys").problem(401, "unauthorized")


def test_forgetting_a_player_again_changes_nothing(server: Served) -> None:
    admin, ann = server.person("admin"), server.player(NAME)
    answers = [admin.post(f"/v1/players/{ann.player}/forgetting") for _ in range(2)]
    assert [answer.status for answer in answers] == [201, 201]
    assert answers[0].body == answers[1].body
    actions = admin.get("/v1/audit").json["entries"]
    assert [(one["action"], one["player"], one["by"]) for one in actions] == [
        ("forget", ann.player, admin.player)
    ]
    for what, body in (("token", {}), ("name", {"name": "Ann"})):
        problem = admin.post(f"/v1/players/{ann.player}/{what}", body, accept_language="ru")
        assert "удалены навсегда" in problem.problem(409, "forgotten")["detail"]


def test_match_of_a_forgotten_player_can_be_ended_by_a_ruling(server: Served) -> None:
    match, (ann, ben) = server.table()
    server.person("admin").post(f"/v1/players/{ann.player}/forgetting")
    assert ben.get(f"/v1/matches/{match}").json["status"] == "running"
    ruling = {"reason": "the other player left", "result": {"winner": "right"}}
    assert server.person("organizer").post(f"/v1/matches/{match}/rulings", ruling).status == 201


def test_only_admins_manage_other_players(server: Served) -> None:
    ann, eve = server.player(), server.player("Eve")
    body = {"name": "Eve"}
    for what in DEEDS:
        given = body if what == "name" else {}
        server.client().post(f"/v1/players/{ann.player}/{what}", given).problem(401, "unauthorized")
        for other in (eve, server.person("organizer"), server.person("observer")):
            other.post(f"/v1/players/{ann.player}/{what}", given).problem(403, "forbidden")
    for what in ("forgetting", "revocation", "name"):
        given = body if what == "name" else {}
        ann.post(f"/v1/players/{ann.player}/{what}", given).problem(403, "forbidden")
    eve.get("/v1/audit").problem(403, "forbidden")
    server.client().get("/v1/audit").problem(401, "unauthorized")
    assert server.person("admin").get("/v1/audit").json == {"entries": [], "next": None}
    assert ann.get(f"/v1/players/{ann.player}").json["name"] == "Ann"


def test_unknown_players_and_bots_cannot_be_managed(server: Served) -> None:
    admin = server.person("admin")
    for player in ("nobody", "bot:random", "import:Ann"):
        for what in DEEDS:
            given = {"name": "Eve"} if what == "name" else {}
            admin.post(f"/v1/players/{player}/{what}", given).problem(404, "unknown-player")
        admin.get(f"/v1/players/{player}").problem(404, "unknown-player")


def test_new_name_must_follow_the_naming_rules(server: Served) -> None:
    admin, ann = server.person("admin"), server.player()
    for name in ("", "bot:x", "a\u202eb", "\u200b", "(name forgotten)", "(ИМЯ забыто)"):
        admin.post(f"/v1/players/{ann.player}/name", {"name": name}).problem(422, "invalid")
        server.client().post("/v1/players", {"name": name}).problem(422, "invalid")
    told = admin.post(f"/v1/players/{ann.player}/name", {"name": " Zoë ", "reason": "insult"}).json
    assert told["name"] == "Zoë"
    told = admin.post(f"/v1/players/{ann.player}/name", {"name": "Ann", "reason": "zoë again"})
    assert "without the name" in told.problem(422, "invalid")["detail"]


def test_last_administrator_cannot_be_removed(server: Served) -> None:
    admin = server.person("admin")
    for what in ("forgetting", "revocation"):
        refused = admin.post(f"/v1/players/{admin.player}/{what}", accept_language="ru")
        assert "последний администратор" in refused.problem(409, "last-admin")["detail"]
    assert admin.get("/v1/audit").status == 200


def test_player_replaces_a_token_and_the_old_one_stops_at_once(server: Served) -> None:
    match, (ann, _) = server.table()
    told = ann.post(f"/v1/players/{ann.player}/token")
    assert told.status == 201
    assert set(told.json) == {"player", "token", "role"}
    ann.get(f"/v1/matches/{match}/prompt").problem(401, "unauthorized")
    again = server.client(told.json["token"], ann.player)
    assert again.get(f"/v1/matches/{match}/prompt").status == 200
    again.post(f"/v1/players/{ann.player}/token", {"reason": "x" * 501}).problem(422, "invalid")


def test_new_token_closes_streams_and_sockets_of_the_old_one(server: Served) -> None:
    match, (ann, ben) = server.table()
    ticket = ann.post("/v1/streams/tickets", {"match": match}).json["ticket"]
    path = f"/v1/matches/{match}/moves"
    streams = [
        Listener(server.port, path, {"authorization": f"Bearer {ann.token}"}),
        Listener(server.port, f"{path}?ticket={ticket}"),
        Listener(server.port, path),
    ]
    for stream in streams:
        stream.take(3)
    with socket(server.port, ann.token) as one:
        one.done("follow", match=match)
        one.pushed(match, 3)
        ann.post(f"/v1/players/{ann.player}/token")
        assert ben.post(path, {"expect": 3, "picks": ["2"]}).status == 201
        assert one.closed() == (1008, "the token is no longer good")
    assert [len(list(stream.events())) for stream in streams[:2]] == [0, 0]
    assert len(streams[2].take(1)) == 1
    answer = server.client().get(f"{path}?ticket={ticket}", accept="text/event-stream")
    answer.problem(401, "unauthorized")
    for stream in streams:
        stream.close()


def test_new_tokens_are_rate_limited(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, players_per_minute=2) as server:
        ann = server.player()
        first = ann.post(f"/v1/players/{ann.player}/token")
        again = server.client(first.json["token"])
        again.post(f"/v1/players/{ann.player}/token").problem(429, "limit")


def test_players_are_found_by_name_and_by_its_beginning(server: Served) -> None:
    people = {server.player(name).player: name for name in ("Ann", "ANN", "Annette", "Bo", "Анна")}
    eve = server.player("Eve")

    def found(query: str) -> list[str]:
        return sorted(people[one["player"]] for one in eve.get(f"/v1/players?{query}").json["players"])

    assert found("name=ann") == ["ANN", "Ann"]
    assert found("prefix=aN") == ["ANN", "Ann", "Annette"]
    assert found("prefix=%D0%B0%D0%9D") == ["Анна"]
    assert found("name=bo") == ["Bo"]
    assert found("prefix=an&limit=1") == ["ANN"] or found("prefix=an&limit=1") == ["Ann"]
    pages, after = list[str](), ""
    while after is not None:
        page = eve.get(f"/v1/players?prefix=an&limit=1{after and f'&after={after}'}").json
        pages += [one["player"] for one in page["players"]]
        after = page["next"]
    assert len(pages) == len(set(pages)) == 3


@pytest.mark.parametrize(
    "query", ["", "name=a&prefix=ab", "prefix=a", "prefix=", "name=", "name=%E2%80%8B", "prefix=an&after=x"]
)
def test_player_search_without_a_valid_query_is_refused(server: Served, query: str) -> None:
    server.player().get(f"/v1/players?{query}").problem(422, "invalid")


def test_player_search_needs_a_token_and_is_rate_limited(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, searches_per_minute=3) as server:
        server.client().get("/v1/players?name=ann").problem(401, "unauthorized")
        ann = server.player()
        answers = [ann.get("/v1/players?prefix=an").status for _ in range(5)]
        assert answers == [200, 200, 200, 429, 429]
        assert server.player().get("/v1/players?prefix=an").status == 200


def test_role_is_shown_only_to_admins_and_to_the_player(server: Served) -> None:
    judge = server.person("organizer")
    for asking, told in (
        (server.person("admin"), True),
        (judge, True),
        (server.player(), False),
        (server.client(), False),
    ):
        assert ("role" in asking.get(f"/v1/players/{judge.player}").json) == told


def test_forgetting_and_new_tokens_reach_other_workers_at_once(
    workers: list[Served], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for_ever(monkeypatch)
    first, second = workers
    admin, ann, ben = first.person("admin"), first.player(NAME), first.player("Ben")
    match = over(first, ann, ben)
    there, ben_there = on(second, ann), on(second, ben)
    for client in (ben, ben_there):
        soon(lambda asking: asking.get(f"/v1/players/{ann.player}/matches").json["matches"], client)
    assert there.get("/v1/keys").status == 200
    for path in looks(ann.player, match):
        assert NAME in ben_there.get(path).body.decode(), path
    token = admin.post(f"/v1/players/{ann.player}/token").json["token"]
    soon(lambda: there.get("/v1/keys").status == 401)
    again = second.client(token, ann.player)
    assert again.get("/v1/keys").status == 200
    admin.post(f"/v1/players/{ann.player}/forgetting")
    soon(lambda: again.get("/v1/keys").status == 401)
    for client in (ben, ben_there):
        for path in looks(ann.player, match):
            assert NAME not in client.get(path).body.decode(), path
    kept = Redis.from_url(redis_url)
    assert not [key for key in kept.keys("*") if NAME.encode() in (kept.dump(key) or b"")]


def test_forgetting_and_new_tokens_reach_other_workers_without_redis(
    toy_in_words: Game, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for_ever(monkeypatch)
    keys = tmp_path / "keys"
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=keys)) as (first, second):
        ann = first.player(NAME)
        there = on(second, ann)
        assert there.get("/v1/keys").status == 200
        first.person("admin").post(f"/v1/players/{ann.player}/revocation")
        soon(lambda: there.get("/v1/keys").status == 401)
