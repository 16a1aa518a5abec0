"""Reserved seats: no other player can take one, over HTTP or the socket, and a code works once."""

from __future__ import annotations

import base64
import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from api.store.postgres import PostgresStore
from domain.game import Game
from tests.api.http.playing import on, two_workers
from tests.api.http.served import Answer, Client, Served
from tests.api.http.sockets import socket
from tests.api.store.locations import ACT

BY_INVITATION = {"invitation": True}


def opened(client: Client, **reserved: Any) -> tuple[str, Any]:
    """The address of a match with these reservations, and the answer to its opening."""
    told = client.post("/v1/matches", {"game": "toy", "reserved": reserved})
    assert told.status == 201, told
    return f"/v1/matches/{told.json['match']}", told.json


def test_reserved_seat_can_be_taken_only_by_its_player(server: Served) -> None:
    ann, ben, eve = server.player(), server.player("Ben"), server.player("Eve")
    match, told = opened(ann, right={"player": ben.player})
    assert "invitations" not in told
    eve.post(f"{match}/seats/right", {"bot": "random"}).problem(403, "foreign")
    eve.post(f"{match}/seats/right").problem(403, "reserved")
    for thief in (ann, server.person("organizer"), server.person("admin")):
        for body in ({}, {"bot": "random"}):
            thief.post(f"{match}/seats/right", body).problem(403, "reserved")
    assert eve.get(match).json["reserved"] == ["right"]
    assert ben.post(f"{match}/seats/right").status == 201
    assert eve.get(match).json["reserved"] == []
    assert eve.post(f"{match}/seats/left").status == 201  # that one is not reserved
    assert eve.get(match).json["status"] == "running"


def test_invitation_code_works_once_and_is_shown_once(server: Served, tmp_path: Path) -> None:
    ann, ben, eve = server.player(), server.player("Ben"), server.player("Eve")
    match, told = opened(ann, right=BY_INVITATION)
    code = told["invitations"]["right"]
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", code)
    assert len(base64.urlsafe_b64decode(code + "==")) == 16
    eve.post(f"{match}/seats/right").problem(403, "reserved")
    for wrong in ("x", code[:-1], code.swapcase(), code + "A", hashlib.sha256(code.encode()).hexdigest()):
        eve.post(f"{match}/seats/right", {"invitation": wrong}).problem(403, "reserved")
    eve.post(f"{match}/seats/left", {"invitation": code}).problem(403, "reserved")
    ann.post(f"{match}/seats/right", {"bot": "random"}).problem(403, "reserved")
    ann.post(f"{match}/seats/right", {"bot": "random", "invitation": code}).problem(422, "invalid")
    assert ben.post(f"{match}/seats/right", {"invitation": code}).status == 201
    eve.post(f"{match}/seats/right", {"invitation": code}).problem(409, "seat-taken")
    for client in (ann, ben, eve):
        for path in (match, f"{match}/moves", f"{match}/reservations"):
            assert code.encode() not in client.get(path).body
    for file in (tmp_path / "store").iterdir():
        assert code.encode() not in file.read_bytes()


def test_reservation_refusals_come_in_russian(server: Served) -> None:
    ann, eve = server.player(), server.player("Eve")
    match, _ = opened(ann, right=BY_INVITATION)
    refused = eve.post(f"{match}/seats/right", accept_language="ru").problem(403, "reserved")
    assert "отложено для другого" in refused["detail"]
    assert refused["title"] == "Место отложено"
    wrong = eve.post(f"{match}/seats/right", {"invitation": "x"}, accept_language="ru")
    assert "недействительно" in wrong.problem(403, "reserved")["detail"]
    foreign = eve.post(f"{match}/seats/right/reservation", BY_INVITATION, accept_language="ru")
    assert "только тот, кто открыл" in foreign.problem(403, "foreign")["detail"]


def test_repeated_reservation_with_the_same_key_gets_the_same_response(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    body = {"game": "toy", "reserved": {"right": BY_INVITATION}}
    first, again = (ann.post("/v1/matches", body, idempotency_key="k") for _ in range(2))
    code = first.json["invitations"]["right"]
    assert {**first.json, "invitations": None} == {**again.json, "invitations": None}
    assert "invitations" not in again.json  # it is shown once
    match = f"/v1/matches/{first.json['match']}"
    answers = [
        ben.post(f"{match}/seats/right", {"invitation": code}, idempotency_key="sit") for _ in range(2)
    ]
    assert [answer.status for answer in answers] == [201, 201]
    assert answers[0].body == answers[1].body


def test_opener_of_a_match_changes_and_withdraws_its_reservations(server: Served) -> None:
    ann, ben, eve = server.player(), server.player("Ben"), server.player("Eve")
    match, told = opened(ann, right=BY_INVITATION)
    seat = f"{match}/seats/right"
    for other in (ben, server.person("observer")):
        kind = "foreign" if other is ben else "forbidden"
        other.post(f"{seat}/reservation", BY_INVITATION).problem(403, kind)
        other.post(f"{seat}/reservation/withdrawal").problem(403, kind)
    changed = ann.post(f"{seat}/reservation", BY_INVITATION).json
    ben.post(seat, {"invitation": told["invitations"]["right"]}).problem(403, "reserved")
    named = ann.post(f"{seat}/reservation", {"player": ben.player}).json
    assert named == {"seat": "right", "player": ben.player, "invitation": False}
    eve.post(seat, {"invitation": changed["code"]}).problem(403, "reserved")
    free = ann.post(f"{seat}/reservation/withdrawal").json
    assert free == {"seat": "right", "player": None, "invitation": False}
    eve.post(seat, {"invitation": changed["code"]}).problem(403, "reserved")
    assert eve.post(seat).status == 201
    ann.post(f"{seat}/reservation", {"player": ben.player}).problem(409, "seat-taken")
    ann.post(f"{seat}/reservation/withdrawal").problem(409, "seat-taken")


def test_organizer_frees_a_seat_reserved_for_a_forgotten_player(server: Served) -> None:
    ann, ben, eve = server.player(), server.player("Ben"), server.player("Eve")
    match, _ = opened(ann, left={"player": ann.player}, right={"player": ben.player})
    server.store.people.forget(ben.player, ACT)
    ben.post(f"{match}/seats/right").problem(401, "unauthorized")
    eve.post(f"{match}/seats/right").problem(403, "reserved")
    assert ann.get(f"{match}/reservations").json["names"][ben.player] == "(name forgotten)"
    server.store.people.forget(ann.player, ACT)
    organizer = server.person("organizer")
    assert organizer.post(f"{match}/seats/right/reservation/withdrawal").status == 201
    assert eve.post(f"{match}/seats/right").status == 201


def test_reservations_are_shown_only_to_the_players_concerned(server: Served) -> None:
    ann, ben, eve = server.player(), server.player("Ben"), server.player("Eve")
    match, _ = opened(ann, left=BY_INVITATION, right={"player": ben.player})
    left = {"seat": "left", "player": None, "invitation": True}
    right = {"seat": "right", "player": ben.player, "invitation": False}
    for client in (ann, server.person("organizer")):
        assert client.get(f"{match}/reservations").json["reservations"] == [left, right]
    assert ben.get(f"{match}/reservations").json == {
        "reservations": [right],
        "names": {ben.player: "Ben"},
    }
    assert eve.get(f"{match}/reservations").json == {"reservations": [], "names": {}}
    server.client().get(f"{match}/reservations").problem(401, "unauthorized")
    for client in (eve, server.client()):
        assert client.get(match).json["reserved"] == ["left", "right"]
        assert ben.player.encode() not in client.get(match).body
    refusals = [eve.post(f"{match}/seats/{seat}").json["detail"] for seat in ("left", "right")]
    assert refusals[0].replace("left", "right") == refusals[1]


@pytest.mark.parametrize(
    ("reserved", "status", "kind"),
    [
        ({"right": {}}, 422, "invalid"),
        ({"right": {"player": "pann", "invitation": True}}, 422, "invalid"),
        ({"right": {"player": "nobody"}}, 404, "unknown-player"),
        ({"right": {"player": "bot:random"}}, 422, "invalid"),
        ({"mars": BY_INVITATION}, 404, "unknown-seat"),
        ({f"s{number}": BY_INVITATION for number in range(17)}, 422, "invalid"),
    ],
)
def test_invalid_reservation_is_refused(server: Served, reserved: Any, status: int, kind: str) -> None:
    ann = server.player()
    ann.post("/v1/matches", {"game": "toy", "reserved": reserved}).problem(status, kind)
    if len(reserved) == 1:
        match, _ = opened(ann)
        ((seat, body),) = reserved.items()
        ann.post(f"{match}/seats/{seat}/reservation", body).problem(status, kind)
        assert ann.get(match).json["reserved"] == []


def test_only_one_of_many_concurrent_clients_uses_an_invitation_code(server: Served) -> None:
    ann = server.player()
    match, told = opened(ann, right=BY_INVITATION)
    crowd = [server.player(f"Eve {number}") for number in range(8)]
    answers = _at_once(crowd, f"{match}/seats/right", told["invitations"]["right"])
    assert sorted(answer.status for answer in answers) == [201] + [409] * 7


def _at_once(crowd: list[Client], path: str, code: str) -> list[Answer]:
    with ThreadPoolExecutor(len(crowd)) as threads:
        return list(threads.map(lambda one: one.post(path, {"invitation": code}), crowd))


def test_only_one_of_two_clients_at_two_workers_uses_an_invitation_code(
    toy_in_words: Game, database: str, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=keys)) as (first, second):
        ann = first.player()
        crowd = [first.player("Ben"), on(second, first.player("Eve"))]
        for _ in range(8):
            match, told = opened(ann, right=BY_INVITATION)
            answers = _at_once(crowd, f"{match}/seats/right", told["invitations"]["right"])
            assert sorted(answer.status for answer in answers) == [201, 409], answers


def test_seat_is_never_both_reserved_and_taken_at_two_workers(
    toy_in_words: Game, database: str, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    with two_workers(tmp_path, lambda: PostgresStore.open(database, keys=keys)) as (first, second):
        ann, ben = first.player(), first.player("Ben")
        eve = on(second, first.player("Eve"))
        for _ in range(8):
            match, _ = opened(ann)
            with ThreadPoolExecutor(2) as threads:
                kept = threads.submit(ann.post, f"{match}/seats/right/reservation", {"player": ben.player})
                sat = threads.submit(eve.post, f"{match}/seats/right")
            assert (kept.result().status, sat.result().status) in ((201, 403), (409, 201))


def test_invitation_code_works_over_the_socket(server: Served) -> None:
    ann, ben = server.player(), server.player("Ben")
    match, told = opened(ann, right=BY_INVITATION)
    name, code = told["match"], told["invitations"]["right"]
    with socket(server.port, ben.token) as one:
        one.problem(403, "reserved", "sit", match=name, seat="right")
        done = one.done("sit", match=name, seat="right", invitation=code, salt="abc", key="k")
        assert done["seats"]["right"] == ben.player
        assert one.done("sit", match=name, seat="right", invitation=code, salt="abc", key="k") == done
    over_http = ben.post(f"{match}/seats/right", {"invitation": code, "salt": "abc"}, idempotency_key="k")
    assert over_http.json == done
