"""Answers, takebacks, resignation, rulings, keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.http.served import Client, Served


def bid(match: str, players: list[Client], left: str = "2", right: str = "1") -> str:
    """Both bid; gives the address of the match."""
    address = f"/v1/matches/{match}"
    for player, amount in zip(players, (left, right), strict=True):
        expect = player.get(f"{address}/prompt").json["move"]
        assert player.post(f"{address}/moves", {"expect": expect, "picks": [amount]}).status == 201
    return address


def hand(player: Client, address: str, seat: str = "left") -> list[str]:
    """The cards in the player's own hand."""
    cards: list[str] = player.get(address).json["table"]["hands"][seat]
    return cards


def test_accepted_answer_returns_move_root_facts_and_next_prompt(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = f"/v1/matches/{match}"
    told = ann.post(f"{address}/moves", {"expect": 3, "picks": ["2"]})
    assert told.status == 201
    assert told.json["move"] == 4
    assert told.json["facts"] == [{"fact": "BidPlaced", "seat": "left", "bid": 2}]
    assert told.json["prompt"] is None
    assert told.json["root"] == ann.get(address).json["root"]
    other = ben.post(f"{address}/moves", {"expect": 3, "picks": ["1"]}).json
    assert other["facts"][0] == {"fact": "BidPlaced", "seat": "right", "bid": 1}
    assert other["facts"][1]["fact"] == "BidsOpened"
    assert ann.get(f"{address}/prompt").json["ask"] == "Turn"


def test_batch_gives_the_same_moves_and_roots_as_single_answers(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    waves = players[0].post(f"{address}/moves", {"expect": 5, "answers": [["wave"], ["wave"], ["wave"]]})
    assert (waves.status, waves.json["move"]) == (201, 8)
    assert waves.json["facts"] == [{"fact": "Waved", "seat": "left"}] * 3
    assert waves.json["prompt"]["move"] == 8
    kinds = [move["picks"] for move in players[0].get(f"{address}/moves?after=5").json["moves"]]
    assert kinds == [["wave"]] * 3


def test_a_batch_ends_before_a_draw_and_never_reveals_it(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    card = hand(players[0], address)[0]
    before = players[0].get(f"{address}/moves").body
    for rest in (["stop"], ["wave"], ["card-9"]):
        refused = players[0].post(f"{address}/moves", {"expect": 5, "answers": [["wave"], [card], rest]})
        told = refused.problem(422, "batch")
        assert told["detail"].startswith("the batch must end with answer 2")
        assert "legal" not in told
        assert b"Rolled" not in refused.body
    assert players[0].get(f"{address}/moves").body == before
    played = players[0].post(f"{address}/moves", {"expect": 5, "answers": [["wave"], [card]]})
    assert [fact["fact"] for fact in played.json["facts"]] == ["Waved", "CardPlayed", "Rolled"]


def test_stale_refusal_lists_the_moves_since(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    refused = ben.post(f"{address}/moves", {"expect": 3, "picks": ["0"]})
    since = refused.problem(409, "stale")["since"]
    assert [move["move"] for move in since] == [4, 5]
    assert since == ben.get(f"{address}/moves?after=3").json["moves"]
    assert since[0]["facts"][0] == {"fact": "BidPlaced", "seat": "left", "bid": None}
    ahead = ann.post(f"{address}/moves", {"expect": 99, "picks": ["wave"]}).problem(409, "stale")
    assert ahead["since"] == []


def test_stale_refusal_lists_at_most_fifty_moves(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    players[0].post(f"{address}/moves", {"expect": 5, "answers": [["wave"]] * 60})
    refused = players[0].post(f"{address}/moves", {"expect": 5, "picks": ["wave"]}).problem(409, "stale")
    assert [move["move"] for move in refused["since"]] == list(range(16, 66))


def test_legal_options_are_sent_only_to_the_asked_seat(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    refused = ann.post(f"{address}/moves", {"expect": 5, "picks": ["fly"]}).problem(422, "illegal")
    assert refused["legal"] == ann.get(f"{address}/prompt").json
    for client, kind, status in ((ben, "stale", 409), (server.player("Eve"), "foreign", 403)):
        told = client.post(f"{address}/moves", {"expect": 5, "picks": ["fly"]}).problem(status, kind)
        assert "legal" not in told


@pytest.mark.parametrize("picks", [[], ["0", "1"], ["1", "1"], ["4"], [""], ["?"]])
def test_wrong_number_of_picks_or_unknown_pick_is_refused(server: Served, picks: list[str]) -> None:
    match, (ann, _) = server.table()
    told = ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": picks}).problem(422, "illegal")
    assert told["legal"]["least"] == told["legal"]["most"] == 1
    assert ann.get(f"/v1/matches/{match}").json["move"] == 3


def test_takeback_takes_effect_when_the_opponent_agrees(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    ann.post(f"{address}/moves", {"expect": 5, "picks": ["wave"]})
    asked = ann.post(f"{address}/takebacks")
    assert (asked.status, asked.json["move"]) == (201, 7)
    assert ann.get(address).json["request"] == {"move": 7, "seat": "left", "to": 5}
    ann.post(f"{address}/takebacks").problem(409, "takeback")
    ann.post(f"{address}/takebacks/7/answer", {"agree": True}).problem(409, "takeback")
    ben.post(f"{address}/takebacks/6/answer", {"agree": True}).problem(409, "takeback")
    agreed = ben.post(f"{address}/takebacks/7/answer", {"agree": True})
    assert (agreed.status, agreed.json["move"]) == (201, 9)
    seen = ann.get(address).json
    assert (seen["request"], seen["asked"]) == (None, {"ask": "Turn", "seats": {"left": 9}})
    kinds = [move["kind"] for move in ann.get(f"{address}/moves?after=6").json["moves"]]
    assert kinds == ["takeback_asked", "takeback_answered", "taken_back"]


def test_takeback_can_be_declined_and_never_crosses_a_reveal(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    ann.post(f"{address}/takebacks", {"to": 3}).problem(409, "takeback")
    ann.post(f"{address}/moves", {"expect": 5, "picks": ["wave"]})
    ann.post(f"{address}/takebacks", {"to": 5})
    declined = ben.post(f"{address}/takebacks/7/answer", {"agree": False})
    assert (declined.status, declined.json["move"]) == (201, 8)
    assert ann.get(address).json["request"] is None
    for to in (0, 9, 10**17):
        assert ann.post(f"{address}/takebacks", {"to": to}).status in (409, 422)


def test_a_ruling_needs_an_organizer_a_reason_and_exactly_one_ruling(server: Served) -> None:
    match, (ann, ben) = server.table()
    address = bid(match, [ann, ben])
    olga = server.person("organizer")
    ann.post(f"{address}/rulings", {"reason": "r", "void": True}).problem(403, "forbidden")
    olga.post(f"{address}/rulings", {"reason": "r"}).problem(422, "ruling")
    olga.post(f"{address}/rulings", {"reason": "r", "void": True, "back_to": 3}).problem(422, "ruling")
    olga.post(f"{address}/rulings", {"reason": "", "void": True}).problem(422, "invalid")
    olga.post(f"{address}/rulings", {"reason": "r", "result": {"winner": "x"}}).problem(422, "ruling")
    back = olga.post(f"{address}/rulings", {"reason": "a misclick", "back_to": 3})
    assert (back.status, back.json["move"]) == (201, 7)
    ruled = ann.get(f"{address}/moves?after=5").json["moves"][0]
    assert (ruled["kind"], ruled["by"], ruled["reason"]) == ("ruled", olga.player, "a misclick")
    ended = olga.post(
        f"{address}/rulings", {"reason": "time", "result": {"winner": "right", "score": {"right": 3}}}
    )
    assert ended.status == 201
    over = ann.get(address).json
    assert over["result"] == {"winner": "right", "reason": "ruling", "score": {"right": 3}}
    olga.post(f"{address}/rulings", {"reason": "again", "void": True}).problem(409, "over")


def test_ruling_that_ends_an_abandoned_match_opens_its_secret(server: Served) -> None:
    match, (ann, _) = server.table()
    told = server.person("organizer").post(f"/v1/matches/{match}/rulings", {"reason": "left", "void": True})
    assert (told.status, told.json["move"]) == (201, 4)
    kinds = [move["kind"] for move in ann.get(f"/v1/matches/{match}/moves?after=3").json["moves"]]
    assert kinds == ["ruled", "secret_opened", "closed"]
    assert ann.get(f"/v1/matches/{match}").json["result"] is None


def test_resignation_ends_the_match(server: Served) -> None:
    match, (ann, ben) = server.table()
    assert ann.post(f"/v1/matches/{match}/resignation", {}).status == 201
    assert ben.get(f"/v1/matches/{match}").json["result"]["winner"] == "right"
    ben.post(f"/v1/matches/{match}/resignation").problem(409, "over")
    ben.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}).problem(409, "over")
    ben.post(f"/v1/matches/{match}/takebacks").problem(409, "over")


# ── idempotency ──


def test_a_repeated_request_gets_the_same_bytes(server: Served) -> None:
    match, (ann, ben) = server.table()
    body: dict[str, Any] = {"expect": 3, "picks": ["2"]}
    first = ann.post(f"/v1/matches/{match}/moves", body, idempotency_key="k1", accept_language="ru")
    bid_of_ben = ben.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["1"]}, idempotency_key="k1")
    assert (first.status, bid_of_ben.status) == (201, 201)
    ann.post(f"/v1/matches/{match}/moves", {"expect": 5, "picks": ["wave"]})
    again = ann.post(f"/v1/matches/{match}/moves", body, idempotency_key="k1")
    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers["content-language"] == first.headers["content-language"] == "ru"
    assert ann.get(f"/v1/matches/{match}").json["move"] == 6


def test_repeated_request_gets_the_same_bytes_with_bots_and_after_a_takeback(server: Served) -> None:
    ann = server.player("Ann")
    match = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    address = f"/v1/matches/{match}"
    ann.post(f"{address}/seats/left")
    ann.post(f"{address}/seats/right", {"bot": "random"})
    bodies: list[Any] = []
    answers: list[bytes] = []
    while (prompt := ann.get(f"{address}/prompt")).status == 200 and len(bodies) < 40:
        question = prompt.json
        picks = ["3"] if question["ask"] == "Bid" else [question["options"][len(bodies) % 2]["pick"]]
        bodies.append({"expect": question["move"], "picks": picks})
        key = f"key-{len(bodies)}"
        answers.append(ann.post(f"{address}/moves", bodies[-1], idempotency_key=key).body)
    repeated = [
        ann.post(f"{address}/moves", body, idempotency_key=f"key-{number}").body
        for number, body in enumerate(bodies, 1)
    ]
    assert repeated == answers
    assert len(answers) > 3


def test_key_is_bound_to_its_body_unless_the_request_was_refused(server: Served) -> None:
    match, (ann, _) = server.table()
    address = f"/v1/matches/{match}/moves"
    ann.post(address, {"expect": 3, "picks": ["9"]}, idempotency_key="k").problem(422, "illegal")
    assert ann.post(address, {"expect": 3, "picks": ["2"]}, idempotency_key="k").status == 201
    ann.post(address, {"expect": 3, "picks": ["1"]}, idempotency_key="k").problem(422, "key-reused")
    ann.post(address, {"expect": 3, "picks": ["1"]}, idempotency_key="").problem(422, "invalid")
    ann.post(address, {"expect": 3, "picks": ["1"]}, idempotency_key="k" * 201).problem(422, "invalid")


def test_same_key_in_another_match_is_a_new_request(server: Served) -> None:
    first, (ann, _) = server.table()
    second = ann.post("/v1/matches", {"game": "toy"}).json["match"]
    for seat in ("left", "right"):
        ann.post(f"/v1/matches/{second}/seats/{seat}")
    for match, picks in ((first, ["2"]), (second, ["1"])):
        answer = ann.post(f"/v1/matches/{match}/moves", {"expect": 3, "picks": picks}, idempotency_key="k")
        assert answer.status == 201
