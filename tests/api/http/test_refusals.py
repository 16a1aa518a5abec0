"""Everything that is refused is a problem document, in two languages, and changes nothing."""

from __future__ import annotations

import json

import pytest

from api.http.problems import KINDS
from domain.kernel import Reason
from domain.texts import LANGUAGES
from tests.api.http.served import Served
from tests.api.http.test_commands import bid
from tests.domain import toy

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/v1", 404, "not-found"),
        ("GET", "/v1/", 404, "not-found"),
        ("GET", "/v1/games/", 404, "not-found"),
        ("POST", "/v2/matches", 404, "not-found"),
        ("GET", "/%ff%fe", 404, "not-found"),
        ("DELETE", "/v1/games", 405, "method"),
        ("PUT", "/v1/matches", 405, "method"),
        ("PATCH", "/v1/matches/m1/moves", 405, "method"),
        ("GET", "/v1/matches/m1", 404, "unknown-match"),
        ("GET", "/v1/matches/m%201", 422, "invalid"),
        ("GET", "/v1/matches/" + "m" * 65, 422, "invalid"),
        ("GET", "/v1/matches/m1/prompt", 404, "unknown-match"),
        ("GET", "/v1/matches/m1/moves", 404, "unknown-match"),
        ("GET", "/v1/matches/m1/turns", 404, "unknown-match"),
        ("GET", "/v1/matches/m1/checkpoint", 404, "unknown-match"),
        ("GET", "/v1/matches/m1/file", 404, "unknown-match"),
        ("GET", "/v1/scoreboards/chess", 404, "unknown-game"),
        ("GET", "/v1/games?page=2", 422, "invalid"),
        ("GET", "/v1/matches?game=chess", 422, "invalid"),
        ("GET", "/v1/matches?edition=third", 422, "invalid"),
        ("GET", "/v1/matches?game=toy&edition=third", 422, "invalid"),
        ("GET", "/v1/matches?origin=foo", 422, "invalid"),
        ("GET", "/v1/matches?since=5&until=1", 422, "invalid"),
        ("GET", "/v1/matches?limit=1&limit=1", 422, "invalid"),
        ("GET", "/v1/matches?player=nope", 404, "unknown-player"),
        ("GET", "/v1/players/nope/matches", 404, "unknown-player"),
        ("GET", "/v1/players/bot:random/matches?origin=foo", 422, "invalid"),
        ("GET", "/v1/scoreboards/toy?pool=rated", 422, "invalid"),
        ("GET", "/v1/scoreboards/toy?edition=third", 422, "invalid"),
        ("GET", "/v1/matches/m1?match=m2", 422, "invalid"),
        ("GET", "/v1/matches?status=lost", 422, "invalid"),
        ("GET", "/v1/matches?date=2026-02-30", 422, "invalid"),
        ("GET", "/v1/matches?date=today", 422, "invalid"),
        ("GET", "/v1/matches?date=0000-01-01", 422, "invalid"),
        ("GET", "/v1/matches?after=xyz", 422, "invalid"),
        ("GET", "/v1/refusals", 401, "unauthorized"),
        ("GET", "/problems/unheard-of", 404, "not-found"),
    ],
)
def test_invalid_address_or_parameter_is_refused(
    server: Served, method: str, path: str, status: int, kind: str
) -> None:
    answer = server.client().send(method, path)
    answer.problem(status, kind)
    russian = server.client().send(method, path, None, {"accept-language": "ru-RU,ru;q=0.9,en;q=0.1"})
    told = russian.problem(status, kind)
    assert told["title"] == KINDS[kind].ru
    assert russian.headers["content-language"] == "ru"
    assert answer.headers["content-language"] == "en"
    if status == 405:
        assert answer.headers["allow"]


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b"", 400, "malformed"),
        (b"{", 400, "malformed"),
        (b'{"expect": 3, "picks": ["1"]} x', 400, "malformed"),
        (b'{"expect": 3, "picks": ["\xff"]}', 400, "malformed"),
        (b"\xff\xfe{\x00}\x00", 400, "malformed"),
        (b'{"expect": 3, "picks": ["\\ud800"]}', 400, "malformed"),
        (b'{"expect": 3, "picks": ["1"], "deep": ' + b"[" * 60_000, 422, "invalid"),
        (b'{"expect": NaN, "picks": ["1"]}', 400, "malformed"),
        (b"[]", 422, "invalid"),
        (b"null", 422, "invalid"),
        (b'"3"', 422, "invalid"),
        (b"{}", 422, "invalid"),
        (b'{"expect": 3}', 422, "invalid"),
        (b'{"expect": "3", "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": 3.5, "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": true, "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": 0, "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": -3, "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": 1e999, "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": ' + b"9" * 5_000 + b', "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": 3, "picks": "1"}', 422, "invalid"),
        (b'{"expect": 3, "picks": [1]}', 422, "invalid"),
        (b'{"expect": 3, "picks": [null]}', 422, "invalid"),
        (b'{"expect": 3, "picks": ["1"], "answers": [["1"]]}', 422, "invalid"),
        (b'{"expect": 3, "answers": []}', 422, "invalid"),
        (b'{"expect": 3, "answers": ["1"]}', 422, "invalid"),
        (b'{"expect": 3, "picks": ["' + b"x" * 300 + b'"]}', 422, "invalid"),
        (b'{"expect": 3, "picks": ["1"], "seat": "left"}', 422, "invalid"),
        (b'{"expect": 3, "expect": 3, "picks": ["1"]}', 422, "invalid"),
        (b'{"expect": 3, "picks": ["1"]' + b" " * 70_000 + b"}", 413, "too-large"),
    ],
)
def test_invalid_body_is_refused(server: Served, body: bytes, status: int, kind: str) -> None:
    match, (ann, _) = server.table()
    before = ann.get(f"/v1/matches/{match}").body
    told = ann.send("POST", f"/v1/matches/{match}/moves", body, JSON).problem(status, kind)
    assert len(json.dumps(told)) < 2_000
    assert server.player().get(f"/v1/matches/{match}/moves").json["next"] == 3
    assert server.client(ann.token).get(f"/v1/matches/{match}").body == before


def test_deeply_nested_option_value_is_refused(server: Served) -> None:
    body = b'{"game": "toy", "options": {"rounds": ' + b"[" * 30_000 + b"]" * 30_000 + b"}}"
    server.player().send("POST", "/v1/matches", body, JSON).problem(400, "malformed")


def test_chunked_body_without_content_length_is_bounded(server: Served) -> None:
    ann = server.player()
    ann._connection.request(
        "POST",
        "/v1/matches",
        iter([b" " * 40_000] * 3),
        {**JSON, "authorization": f"Bearer {ann.token}"},
        encode_chunked=True,
    )
    assert ann._connection.getresponse().status == 413


def test_body_with_too_large_content_length_is_refused_at_once(server: Served) -> None:
    ann = server.player()
    ann._connection.putrequest("POST", "/v1/matches")
    for name, value in {**JSON, "authorization": f"Bearer {ann.token}", "content-length": "9000000"}.items():
        ann._connection.putheader(name, value)
    ann._connection.endheaders()
    assert ann._connection.getresponse().status == 413


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data; boundary=x", "x"])
def test_unknown_content_type_is_refused(server: Served, kind: str) -> None:
    ann = server.player()
    content = {"content-type": kind}
    ann.send("POST", "/v1/matches", b'{"game": "toy"}', content).problem(415, "media-type")
    ann.send("POST", "/v1/replays", b"PK", content).problem(415, "media-type")
    charset = {"content-type": "Application/JSON; charset=utf-8"}
    assert ann.send("POST", "/v1/matches", b'{"game": "toy"}', charset).status == 201


@pytest.mark.parametrize("header", ["Bearer forged", "Bearer ", "Basic YTpi", "Bearer \xff\xfe", "x", ""])
def test_forged_token_is_refused_at_every_route(server: Served, header: str) -> None:
    for path in ("/v1/games", "/v1/matches", "/v1/matches/m1", "/healthz"):
        refused = server.client().get(path, authorization=header)
        refused.problem(401, "unauthorized")
        assert refused.headers["www-authenticate"] == "Bearer"


def test_unknown_match_gets_the_same_refusal_for_all_clients(server: Served) -> None:
    told = [
        client.post("/v1/matches/m1/moves", {"expect": 1, "picks": ["1"]}).problem(404, "unknown-match")
        for client in (server.player(), server.person("admin"))
    ]
    assert told[0] == told[1]


def test_labels_reasons_titles_and_details_come_in_russian(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    prompt = players[0].get(f"{address}/prompt", accept_language="ru").json
    assert prompt["why"] == "Ходит левый."
    assert prompt["options"][1] == {"pick": "wave", "label": "помахать"}
    body = {"expect": 5, "picks": ["fly"]}
    told = players[0].post(f"{address}/moves", body, accept_language="ru").problem(422, "illegal")
    assert told["title"] == "Недопустимый ответ"
    assert told["detail"] == "Ответ недопустим: «fly» — такого варианта сейчас нет"
    assert told["legal"] == prompt
    body = {"expect": 5, "picks": []}
    told = players[0].post(f"{address}/moves", body, accept_language="ru").problem(422, "illegal")
    assert told["detail"] == "Ответ недопустим: нужно разных вариантов: 1, выбрано: 0"
    stale = players[1].post(f"{address}/moves", {"expect": 3, "picks": ["1"]}, accept_language="ru")
    assert stale.problem(409, "stale")["detail"].endswith("сейчас отвечает: левый")
    for accepted, language in (("de, ru;q=0.5", "ru"), ("ru;q=0, en", "en"), ("*", "en"), (";;q=x,", "en")):
        answer = players[0].get(f"{address}/prompt", accept_language=accepted)
        assert answer.headers["content-language"] == language


def test_batch_refusal_names_the_refused_answer(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    body = {"expect": 5, "answers": [["wave"], ["fly"]]}
    for language, detail in (
        ("en", "answer 2: 'fly' is not among the options"),
        ("ru", "Ответ недопустим: ответ 2: «fly» — такого варианта сейчас нет"),
    ):
        told = players[0].post(f"{address}/moves", body, accept_language=language).problem(422, "illegal")
        assert told["detail"] == detail


def test_step_reason_comes_in_the_language_of_the_request(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal(self: toy.Turn, s: toy.State, seat: str, pick: str) -> Reason:
        return Reason("no_wings", "book 000, 1.2", {"seat": seat})

    monkeypatch.setattr(toy.Turn, "refusal", refusal)
    match, players = server.table()
    address = bid(match, players)
    for language, detail in (
        ("en", "'fly' is not among the options: left has no wings"),
        ("ru", "Ответ недопустим: «fly» — такого варианта сейчас нет: левый не летает"),
    ):
        body = {"expect": 5, "picks": ["fly"]}
        told = players[0].post(f"{address}/moves", body, accept_language=language).problem(422, "illegal")
        assert (told["detail"], told["rule"]) == (detail, "book 000, 1.2")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_type_has_its_own_description_page(server: Served, language: str) -> None:
    details = set()
    for kind, about in KINDS.items():
        answer = server.client().get(f"/problems/{kind}", accept_language=language)
        told = answer.json
        assert answer.headers["content-language"] == language
        assert (told["type"], told["status"]) == (f"/problems/{kind}", about.status)
        assert told["title"] == getattr(about, language)
        assert told["title"] not in told["detail"]
        assert (language == "ru") == any("а" <= letter <= "я" for letter in told["detail"])
        details.add(told["detail"])
    assert len(details) == len(KINDS)


def test_ticket_without_an_event_stream_is_refused_with_a_remedy(server: Served) -> None:
    match, (ann, _) = server.table()
    ticket = ann.post("/v1/streams/tickets", {"match": match}).json["ticket"]
    refused = server.client().get(f"/v1/matches/{match}/moves?ticket={ticket}").problem(422, "invalid")
    assert "send Accept: text/event-stream" in refused["detail"]


def test_key_used_with_another_seat_is_refused_as_reused(server: Served) -> None:
    ann = server.player()
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    assert ann.post(f"/v1/matches/{match}/seats/left", idempotency_key="k").status == 201
    for language, told in (("en", "another request"), ("ru", "другой запрос")):
        refused = ann.post(
            f"/v1/matches/{match}/seats/right", idempotency_key="k", accept_language=language
        ).problem(422, "key-reused")
        assert told in refused["detail"]


def test_recent_refusals_are_listed_for_admins(server: Served) -> None:
    match, (ann, _) = server.table()
    ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["secret-pick"]})
    ann.post(f"/v1/matches/{match}/moves", {"expect": 1, "picks": ["1"]})
    ann.get("/v1/refusals").problem(403, "forbidden")
    answer = server.person("admin").get(f"/v1/refusals?match={match}")
    assert [refusal["kind"] for refusal in answer.json["refusals"]] == ["stale", "illegal"]
    assert b"secret-pick" not in answer.body
    assert answer.json["refusals"][0]["player"] == ann.player
    counted = server.client().get("/metrics").body.decode()
    assert 'glasnost_refusals_total{kind="stale"} 1.0' in counted
    assert match not in counted


def test_an_organizer_reads_the_refusals_of_one_match_without_what_was_said(server: Served) -> None:
    match, (ann, _) = server.table()
    ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["secret-pick"]})
    judge = server.person("organizer")
    judge.get("/v1/refusals").problem(403, "forbidden")
    judge.get("/v1/refusals?match=nothing").problem(404, "unknown-match")
    (running,) = judge.get(f"/v1/refusals?match={match}").json["refusals"]
    assert (running["kind"], running["seat"], running["move"]) == ("illegal", "left", 3)
    assert (running["command"], running["player"]) == (None, None)
    assert running["at"] > 0
    ann.post(f"/v1/matches/{match}/resignation")
    over = judge.get(f"/v1/refusals?match={match}").json["refusals"]
    assert (over[-1]["player"], over[-1]["command"]) == (ann.player, "play")
    server.person("observer").get(f"/v1/refusals?match={match}").problem(403, "forbidden")


def test_an_organizer_who_plays_does_not_see_what_the_other_seat_tried(server: Served) -> None:
    judge = server.person("organizer")
    ann = server.player("Ann")
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    ann.post(f"/v1/matches/{match}/seats/left", {})
    judge.post(f"/v1/matches/{match}/seats/right", {})
    for client in (ann, judge):
        client.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["secret-pick"]})
    shown = judge.get(f"/v1/refusals?match={match}").json["refusals"]
    assert [refusal["seat"] for refusal in shown] == ["right"]
    ann.post(f"/v1/matches/{match}/resignation")
    assert len(judge.get(f"/v1/refusals?match={match}").json["refusals"]) == 2
