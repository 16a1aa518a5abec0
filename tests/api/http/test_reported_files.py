"""Results of games that were played elsewhere, over HTTP: match files, statements, and hostile uploads."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from domain.log import unb64
from replay.tournaments.verify import verify
from tests.api.gate.elsewhere import examined_in_a_thread, played_elsewhere, still_running, unread
from tests.api.gate.tables import run
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.test_tournaments import Desk

ZIP = {"content-type": "application/zip"}
GAME = "thirteen_minutes"
RULING: dict[str, Any] = {"result": "1-0", "reason": "agreed", "text": "played in the hall", "reported": True}


@pytest.fixture(scope="module")
def data() -> bytes:
    """The file of a match that the first seat won."""
    return run(played_elsewhere("us", game=GAME))


@pytest.fixture
def desk(server: Served) -> Desk:
    """A tournament whose first round is published."""
    found = Desk(server, 4, game=GAME, rounds=1, tie_breaks=["BH"])
    assert found.do(do="draw_lot", label="lot/colour", n=2).status == 201
    found.paired()
    return found


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify in this process."""
    examined_in_a_thread(monkeypatch)


def sent(desk: Desk, data: bytes, client: Client | None = None) -> Answer:
    """Upload a match file for the tournament."""
    return (client or desk.director).send("POST", f"{desk.path}/reported-files", data, ZIP)


def test_a_board_is_ruled_by_a_match_file(desk: Desk, data: bytes, tmp_path: Path) -> None:
    # given: an official uploads the file of a game that the server did not see
    told = sent(desk, data)
    assert told.status == 201, told
    file = told.json["file"]
    assert (file, told.json["winner"]) == (hashlib.sha256(data).hexdigest(), "us")
    address = f"{desk.path}/reported-files/{file}"
    desk.director.get(address).problem(404, "not-found")
    # when: a ruling names it, after a preview
    seen = desk.post("previews", do="rule", round=1, board=1, file=file, **RULING)
    assert seen.status == 200, seen
    assert seen.json["facts"][0]["file"] == file
    answer = desk.post("rounds/1/boards/1/rulings", file=file, preview=seen.json["sha256"], **RULING)
    assert answer.status == 201, answer
    # then: everybody sees it at the board, and can have the file as it came
    board = desk.server.client().get(f"{desk.path}/rounds/1/boards/1").json
    assert board["result"]["by"] == "reported"
    assert board["reported"] == {
        "entry": answer.json["entry"],
        "statement": "",
        "agreed": [],
        "file": file,
        "match": told.json["match"],
        "root": told.json["root"],
    }
    assert len(unb64(board["reported"]["root"])) == 32
    found = desk.server.client().get(address)
    assert (found.status, found.body) == (200, data)
    # and the tournament file holds it and verifies
    exported = desk.director.get(f"{desk.path}/export?format=bundle")
    path = tmp_path / "cup"
    path.write_bytes(exported.body)
    assert verify(path).ok
    assert f"reported/r01-b01-{file[:16]}.glasnost".encode() in exported.body
    # and the match counts on no other board
    twice = desk.post("rounds/1/boards/2/rulings", file=file, **RULING)
    assert "round 1, board 1" in twice.problem(422, "bad-file")["detail"]


@pytest.mark.usefixtures("here")
def test_a_result_that_the_file_contradicts_is_refused(desk: Desk, data: bytes) -> None:
    file = sent(desk, data).json["file"]
    about = {**RULING, "result": "0-1", "file": file}
    for answer in (
        desk.post("rounds/1/boards/1/rulings", **about),
        desk.post("previews", do="rule", round=1, board=1, **about),
    ):
        assert "1-0" in answer.problem(422, "bad-file")["detail"]


@pytest.mark.usefixtures("here")
def test_hostile_uploads_are_refused(desk: Desk, data: bytes) -> None:
    # a stranger, a player, a running match, rubbish, and what is too large
    sent(desk, data, desk.server.client()).problem(401, "unauthorized")
    sent(desk, data, desk.players[0]).problem(403, "forbidden")
    sent(desk, unread(5_000)).problem(422, "bad-file")
    sent(desk, data[:-30]).problem(422, "bad-file")
    running = sent(desk, run(still_running())).problem(422, "bad-file")
    assert "still running" in running["detail"]
    sent(desk, unread(16 * 1024 * 1024 + 1)).problem(413, "too-large")
    ruling = desk.post("rounds/1/boards/1/rulings", file="0" * 64, **RULING)
    ruling.problem(404, "not-found")
    desk.post("rounds/1/boards/1/rulings", file="../../etc", **RULING).problem(422, "invalid")
    desk.director.get(f"{desk.path}/reported-files/secret").problem(422, "invalid")


def test_a_body_of_a_hundred_megabytes_is_not_read(desk: Desk) -> None:
    connection = desk.director._connection
    connection.putrequest("POST", f"{desk.path}/reported-files")
    for name, value in {**ZIP, "authorization": f"Bearer {desk.director.token}"}.items():
        connection.putheader(name, value)
    connection.putheader("content-length", str(100 * 1024 * 1024))
    connection.endheaders(b"PK")
    desk.director.answer().problem(413, "too-large")


@pytest.mark.usefixtures("here")
def test_the_uploads_of_a_day_are_bounded(data: bytes, tmp_path: Path) -> None:
    with served(tmp_path, upload_files=1) as server:
        desk = Desk(server, 2, game=GAME, rounds=1, tie_breaks=["BH"])
        assert [sent(desk, data).status for _ in range(2)] == [201, 429]


def test_both_entrants_confirm_a_statement(desk: Desk) -> None:
    # given: a ruling with a statement
    statement = "We played it at the club; the first seat won by 3."
    ruling = desk.post("rounds/1/boards/1/rulings", statement=statement, **RULING).json["entry"]
    board = desk.director.get(f"{desk.path}/rounds/1/boards/1").json
    rows = desk.director.get(f"{desk.path}/entrants").json["entrants"]
    people = {player.player: player for player in desk.players}
    clients = {row["entrant"]: people[row["player"]] for row in rows}
    names = [board[side]["entrant"] for side in "wb"]
    # when: both confirm it, and others try to
    for name, client in clients.items():
        answer = client.post(f"{desk.path}/entries", {"do": "confirm_statement", "ruling": ruling})
        assert answer.status == (201 if name in names else 403), answer
    # then: the board says who did
    found = desk.server.client().get(f"{desk.path}/rounds/1/boards/1").json["reported"]
    assert (found["statement"], sorted(found["agreed"])) == (statement, sorted(names))
