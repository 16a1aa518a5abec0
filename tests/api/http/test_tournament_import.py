"""A running tournament is imported over HTTP: by organizers, within bounds, all of it or nothing."""

from __future__ import annotations

import pytest

from replay.tournaments.trf_import import MOST_BYTES
from tests.api.http.served import Answer, Served
from tests.replay.tournaments.test_trf import WRITTEN

PATH = "/v1/tournaments/import"
TRF = f"XYZ of another program\n102 Ann Arbiter\n{WRITTEN}".replace("n1      ", "Астрид  ", 1)


def imported(server: Served, **body: object) -> Answer:
    """The answer to an organizer."""
    return server.person("organizer").post(PATH, {"trf": TRF, "game": "cia_vs_kgb", **body})


def test_an_imported_tournament_has_its_rounds_codes_and_records(server: Served) -> None:
    director = server.person("organizer")
    answer = director.post(PATH, {"trf": TRF, "game": "cia_vs_kgb", "title": "Cup"})
    assert answer.status == 201, answer
    told = answer.json
    assert (told["played"], told["paired"]) == (3, 3)
    assert [one["name"] for one in told["invitations"]] == ["Астрид", "n2", "n3", "n4"]
    assert [(one["line"], one["known"]) for one in told["kept"]] == [(1, False)]
    assert [one["line"] for one in told["left_out"]] == [2]
    path = f"/v1/tournaments/{told['tournament']}"
    found = director.get(path).json
    assert (found["title"], found["entry"], found["status"]) == ("Cup", told["entry"], "running")
    assert found["origin"]["kind"] == "imported"
    assert [one["status"] for one in found["rounds"]] == ["closed"] * 3
    exported = director.get(f"{path}/export?format=trf").body.decode()
    assert "XYZ of another program" in exported
    assert "Ann" not in exported
    log = director.get(f"{path}/log?limit=200").body.decode()
    assert "Астрид" not in log
    assert "Ann Arbiter" not in log
    code = told["invitations"][0]["code"]
    taken = server.player("Astrid").post(f"{path}/entries", {"do": "accept", "entrant": "n1", "code": code})
    assert taken.status == 201, taken


def test_terms_may_be_given_in_place_of_a_game_and_not_beside_it(server: Served) -> None:
    terms = {"game": "cia_vs_kgb", "format": "swiss", "rounds": 4, "byes": 3}
    told = imported(server, game=None, terms=terms)
    assert told.status == 201, told
    imported(server, terms=terms).problem(422, "invalid")
    imported(server, game=None).problem(422, "invalid")
    imported(server, game=None, terms=terms | {"rounds": 5}).problem(409, "terms")
    imported(server, game="chess").problem(404, "unknown-game")


@pytest.mark.parametrize("role", ["player", "observer"])
def test_only_organizers_import(server: Served, role: str) -> None:
    server.person(role).post(PATH, {"trf": TRF, "game": "cia_vs_kgb"}).problem(403, "forbidden")


@pytest.mark.parametrize("name", ["bot: easy", "import: you", "\u200b\u200b"])
def test_a_name_that_no_player_may_choose_is_refused(server: Served, name: str) -> None:
    answer = imported(server, trf=WRITTEN.replace(f"n1{' ' * len(name)}", f"{name}  ", 1))
    assert answer.problem(422, "invalid")["detail"].startswith("player 1: ")


def test_a_body_beyond_its_bound_is_refused(server: Served) -> None:
    imported(server, trf="x" * (MOST_BYTES + 1)).problem(422, "invalid")
    imported(server, trf="x" * (2 * MOST_BYTES)).problem(413, "too-large")
