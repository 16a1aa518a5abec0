"""A misspelt name is refused with the known ones, in both languages, instead of an empty answer."""

from __future__ import annotations

import json

import pytest

from tests.api.http.served import Served
from tests.api.http.sockets import socket
from tests.api.store.locations import ACT

JSON = {"content-type": "application/json"}
ORIGINS = "live, bots, seeded, scripted, branch, uploaded, imported"


@pytest.mark.parametrize(
    ("path", "english", "russian"),
    [
        ("/v1/matches?origin=foo", f"no origin 'foo'; there are: {ORIGINS}", f"есть: {ORIGINS}"),
        ("/v1/matches?game=chess", "no game 'chess'; there are: ", "thirteen_minutes"),
        ("/v1/matches?game=toy&edition=third", "no edition 'third'; there are: ", "нет значения 'third'"),
        (
            "/v1/scoreboards/toy?pool=rated",
            f"no pool 'rated'; there are: {ORIGINS}, solo",
            f"есть: {ORIGINS}, solo",
        ),
        (
            "/v1/matches?since=5&until=1",
            "since 5 comes after until 1; times are microseconds UTC",
            "начало since 5 позже конца until 1",
        ),
        (
            "/v1/matches/m1?at=1&at=2",
            "the parameter at is given twice; give it once",
            "параметр at дан дважды",
        ),
        (
            "/v1/matches/m1/checkpoint?at=2",
            "there is no parameter 'at' here; there are: move, at_least",
            "здесь нет параметра 'at'; есть: move, at_least",
        ),
        (
            "/v1/keys?at=2",
            "there is no parameter 'at' here: this address takes none",
            "по этому адресу параметров не бывает",
        ),
    ],
)
def test_unknown_parameter_is_refused(server: Served, path: str, english: str, russian: str) -> None:
    told = server.client().get(path).problem(422, "invalid")["detail"]
    assert told.startswith(english)
    assert russian in server.client().get(path, accept_language="ru").problem(422, "invalid")["detail"]


def test_every_documented_origin_and_pool_is_accepted(server: Served) -> None:
    for origin in ORIGINS.split(", "):
        assert server.client().get(f"/v1/matches?origin={origin}").status == 200
        assert server.client().get(f"/v1/scoreboards/toy?pool={origin}").status == 200


@pytest.mark.parametrize("path", ["/v1/players/nope/matches", "/v1/matches?player=nope"])
def test_unknown_player_is_refused(server: Served, path: str) -> None:
    told = server.client().get(path).problem(404, "unknown-player")
    assert told["detail"] == "nobody of the id 'nope' plays or played here"
    russian = server.client().get(path, accept_language="ru").problem(404, "unknown-player")
    assert russian["detail"] == "Такого игрока нет: под id 'nope' здесь никто не играет и не играл"


def test_player_without_a_match_and_bot_are_known_players(server: Served) -> None:
    for player in (server.player().player, "bot:random"):
        assert server.client().get(f"/v1/players/{player}/matches").json["matches"] == []
        assert server.client().get(f"/v1/matches?player={player}").json["matches"] == []


def test_player_known_only_from_a_match_is_accepted_by_other_filters(server: Served) -> None:
    match, (ann, _) = server.table()
    assert server.services is not None
    server.services.names._known.clear()
    server.store.people.forget(ann.player, ACT)
    assert server.client().get(f"/v1/players/{ann.player}/matches?outcome=won").json["matches"] == []
    found = server.client().get(f"/v1/players/{ann.player}/matches").json
    assert [row["seating"]["match"] for row in found["matches"]] == [match]


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("/v1/matches/m1/moves", '{"expect": 3, "expect": 4, "picks": ["1"]}', "expect"),
        ("/v1/matches/m1/moves", '{"expect": 3, "picks": ["1"], "p\\u0069cks": ["2"], "picks": []}', "picks"),
        ("/v1/matches", '{"game": "toy", "options": {"rounds": 1, "rounds": 2}}', "rounds"),
        ("/v1/players", '{"name": "Ann", "name": "Ben"}', "name"),
    ],
)
def test_duplicate_key_in_a_body_is_refused(server: Served, path: str, body: str, name: str) -> None:
    ann = server.player()
    told = ann.send("POST", path, body.encode(), JSON).problem(422, "invalid")
    assert told["detail"] == f"the name '{name}' stands twice in one object; say it once"
    russian = ann.send("POST", path, body.encode(), {**JSON, "accept-language": "ru"})
    assert f"имя '{name}' стоит в одном объекте дважды" in russian.problem(422, "invalid")["detail"]


def test_same_word_as_key_and_value_is_accepted(server: Served) -> None:
    match, (ann, _) = server.table()
    body = b'{"expect": 3, "picks": ["expect", "expect"]}'
    ann.send("POST", f"/v1/matches/{match}/moves", body, JSON).problem(422, "illegal")


@pytest.mark.parametrize("name", ["id", "do", "match", "expect", "picks"])
def test_duplicate_key_in_a_message_is_refused(server: Served, name: str) -> None:
    said = {"id": 1, "do": "play", "match": "m1", "expect": 3, "picks": ["1"]}
    with socket(server.port, server.player().token) as ann:
        ann.send(f'{{"{name}": {json.dumps(said[name])}, {json.dumps(said)[1:]}')
        told = ann.reply(1)["problem"]
        assert told["detail"] == f"the name '{name}' stands twice in one object; say it once"


def test_message_of_unknown_kind_is_refused(server: Served) -> None:
    with socket(server.port, server.player().token) as ann:
        told = ann.problem(422, "invalid", "dance")
        assert told["detail"] == (
            "no do 'dance'; there are: sit, play, takeback, answer_takeback, resign, clock, freeze, salt,"
            " enter, prompt, follow, leave, lobby, follow_tournament, leave_tournament"
        )


def test_unknown_enum_value_is_refused_with_the_known_ones(server: Served) -> None:
    admin = server.person("admin")
    for language, detail in (
        ("en", "no role 'king'; there are: admin, bot, observer, organizer, player"),
        ("ru", "Запрос неверен: role: нет значения 'king'; есть: admin, bot, observer, organizer, player"),
    ):
        refused = admin.post("/v1/players", {"name": "Eve", "role": "king"}, accept_language=language)
        assert refused.problem(422, "invalid")["detail"] == detail


@pytest.mark.parametrize(
    ("body", "english", "russian"),
    [
        (b"", "the body is empty: send a JSON object", "тело пусто: пошлите объект JSON"),
        (b'{"expect": 3, "picks": ["\\ud800"]}', "a lone surrogate", "одинокий суррогат"),
        (b'{"expect": 3, "picks": ["\\udc00 x"]}', "a lone surrogate", "одинокий суррогат"),
        (b'{"expect": 3, "picks": ["\\ud83c\\udfb2"', "Input data was truncated", "Input data was truncated"),
        (b'{"expect": 3, picks: []}', "JSON is malformed: ", "JSON is malformed: "),
    ],
)
def test_unreadable_body_is_refused(server: Served, body: bytes, english: str, russian: str) -> None:
    ann = server.player()
    for language, said in (("en", english), ("ru", f"Не удалось разобрать запрос: {russian}")):
        headers = {**JSON, "accept-language": language}
        told = ann.send("POST", "/v1/matches/m1/moves", body, headers).problem(400, "malformed")["detail"]
        assert told.startswith(said)


def test_view_parameter_with_a_ticket_is_refused(server: Served) -> None:
    match, (ann, _) = server.table()
    ticket = ann.post("/v1/streams/tickets", {"match": match}).json["ticket"]
    address = f"/v1/matches/{match}/moves?ticket={ticket}&view=mars"
    for language, said in (("en", "leave out view"), ("ru", "не пишите view")):
        refused = server.client().get(address, accept="text/event-stream", accept_language=language)
        assert said in refused.problem(422, "invalid")["detail"]
