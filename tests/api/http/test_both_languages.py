"""A refusal says the same in both languages: numbers, names and the known values."""

from __future__ import annotations

import re

import pytest

from tests.api.http.served import Answer, Client, Served
from tests.api.http.test_commands import bid

CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
PYDANTIC = re.compile("Input|String|should|Unable|path |query |header ")


def both(client: Client, method: str, path: str, body: object = None, **headers: str) -> tuple[str, str]:
    """The details in English and in Russian."""

    def told(language: str) -> str:
        sent = {"accept_language": language, **headers}
        answer: Answer = client.get(path, **sent) if method == "GET" else client.post(path, body, **sent)
        assert answer.status >= 400
        return str(answer.json["detail"])

    return told("en"), told("ru")


def test_stale_refusal_says_who_is_asked_and_what_to_do(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    english, russian = both(ben, "POST", f"{address}/moves", {"expect": 3, "picks": ["1"]})
    assert english == (
        "expected the question of move 3; right is not asked now; asked: left;"
        " look at the prompt and answer that"
    )
    assert russian == "Вы отвечали на вопрос хода 3, но он уже не задан; сейчас отвечает: левый"
    english, russian = both(ann, "POST", f"{address}/moves", {"expect": 3, "picks": ["1"]})
    assert english == (
        "expected the question of move 3; the question to left was put by move 5;"
        " look at the prompt and answer that"
    )
    assert russian.endswith("сейчас отвечает: левый (вопрос хода 5)")


def test_refusal_of_an_unknown_seat_or_view_lists_the_known_ones(server: Served) -> None:
    match, (ann, _) = server.table()
    _, russian = both(ann, "GET", f"/v1/matches/{match}?view=mars")
    assert russian == "Такого места нет: виды: left, right, spectator и all"
    opened = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    _, russian = both(ann, "POST", f"/v1/matches/{opened}/seats/mars")
    assert russian == "Такого места нет: у игры toy нет места 'mars'; есть left и right"
    ann.post(f"/v1/matches/{opened}/seats/left")
    _, russian = both(ann, "POST", f"/v1/matches/{opened}/moves", {"expect": 1, "picks": ["1"]})
    assert russian.endswith("она начнётся, когда будут заняты все места; свободны: right")


def test_takeback_refusal_uses_the_title_of_the_seat(server: Served) -> None:
    match, (ann, _) = server.table()
    english, russian = both(ann, "POST", f"/v1/matches/{match}/takebacks", {})
    assert english == "left has not answered anything that could be taken back"
    assert russian == "Возврат хода невозможен: левый: ответов, которые можно взять назад, ещё не было"


def test_refusal_differs_for_non_player_and_player(server: Served) -> None:
    match, _ = server.table()
    _, russian = both(server.player(), "POST", f"/v1/matches/{match}/resignation")
    assert russian == "Не ваша партия: вы в ней не участвуете"
    _, russian = both(server.player(), "POST", f"/v1/matches/{match}/rulings", {"reason": "x", "void": True})
    assert russian == "Вам это не разрешено: нужна роль organizer или admin, а ваша player"
    judge = server.person("organizer")
    opened = judge.post("/v1/matches", {"game": "toy"}).json["match"]
    judge.post(f"/v1/matches/{opened}/seats/left")
    _, russian = both(judge, "POST", f"/v1/matches/{opened}/rulings", {"reason": "x", "void": True})
    assert russian == "Не ваша партия: кто играет в партии, тот не выносит в ней решений"


def test_batch_refusal_gives_the_number_of_answers_left(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    card = players[0].get(address).json["table"]["hands"]["left"][0]
    body = {"expect": 5, "answers": [["wave"], [card], ["wave"]]}
    english, russian = both(players[0], "POST", f"{address}/moves", body)
    assert english.endswith("; left over: 1")
    assert russian.endswith("последним может быть ответ 2, лишних осталось 1")


def test_damaged_file_is_refused_in_russian(server: Served) -> None:
    headers = {"content-type": "application/zip", "accept-language": "ru"}
    refused = server.player().send("POST", "/v1/replays", b"abc", headers).problem(422, "bad-file")
    assert refused["detail"] == (
        "Файл партии не принят: архив: это не архив zip, или он обрывается;"
        " возьмите файл ещё раз там, откуда он"
    )


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/v1/matches/m%201", {}),
        ("GET", "/v1/matches/m1?at=soon", {}),
        ("GET", "/v1/matches/m1?at=1.5", {}),
        ("GET", "/v1/matches/m1?at=0", {}),
        ("GET", f"/v1/matches/m1?at={'9' * 30}", {}),
        ("GET", f"/v1/matches/m1?at={'9' * 5_000}", {}),
        ("GET", "/v1/matches/m1/moves?proof=perhaps", {}),
        ("GET", f"/v1/matches/m1?view={'x' * 65}", {}),
        ("GET", "/v1/matches?date=today", {}),
        ("POST", "/v1/matches/m1/resignation", {"Idempotency_Key": ""}),
        ("POST", "/v1/matches/m1/resignation", {"Idempotency_Key": "x" * 201}),
    ],
)
def test_invalid_parameter_is_refused_in_russian_without_english_words(
    server: Served, method: str, path: str, headers: dict[str, str]
) -> None:
    _, russian = both(server.player(), method, path, None, **headers)
    assert not PYDANTIC.search(russian)
    assert CYRILLIC.search(russian.rpartition(": ")[2])
