"""Keys, health, metrics, checkpoints, match files, read models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.http.log_lines import Lines
from api.store.interface import Unavailable
from domain.game import Game
from domain.log import unb64
from domain.signed_notes import Checkpoint, Note, VerifyingKey
from replay import matchfile, verify
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import gate_over
from tests.api.http.served import Served, served
from tests.api.http.streaming import Listener
from tests.api.http.test_commands import bid
from tests.matches import finished
from tests.replay.files import file_of
from tests.waiting import soon


def test_health_readiness_and_metrics(server: Served) -> None:
    assert server.client().get("/healthz").json == {"status": "alive"}
    ready = {"ready": True, "reasons": {}, "remarks": {}}
    soon(lambda: server.client().get("/readyz").json == ready)  # its read models are just being made
    server.client().get("/v1/matches/m1")
    told = server.client().get("/metrics").body.decode()
    assert 'glasnost_requests_total{method="GET",route="/v1/matches/{match}",status="404"} 1.0' in told
    assert "_created" not in told


def test_checkpoint_of_any_move_is_signed(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    keys = server.client().get("/v1/keys").json
    present = VerifyingKey.parse(keys["present"])
    for move in (*server.client().get(f"{address}/moves").json["moves"],):
        answer = server.client().get(f"{address}/checkpoint?move={move['move']}")
        note = Note.parse(answer.body.decode())
        assert note.signed_by([present]) == present
        checkpoint = Checkpoint.parse(note.text)
        assert (checkpoint.size, checkpoint.root) == (move["move"], unb64(move["root"]))
    assert server.client().get(f"{address}/checkpoint").body == answer.body
    server.client().get(f"{address}/checkpoint?move=6").problem(404, "unknown-move")
    players[0].post(f"{address}/resignation")
    last = server.client().get(f"{address}/checkpoint?move=8")
    assert last.body == server.client().get(f"{address}/checkpoint").body


def test_file_of_a_running_match_has_no_private_parts(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    file = matchfile.read(players[0].get(f"{address}/file").body)
    assert (file.manifest.moves, file.private) == (5, None)
    players[0].post(f"{address}/resignation")
    answer = players[0].get(f"{address}/file")
    assert answer.headers["content-disposition"] == f'attachment; filename="{match}.glasnost"'
    assert answer.body == server.client().get(f"{address}/file").body
    assert verify.verify(answer.body).ok


def test_match_file_is_uploaded_only_once(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path / "a") as first, served(tmp_path / "b") as second:
        match, players = first.table()
        address = bid(match, players)
        running = players[0].get(f"{address}/file").body
        players[0].post(f"{address}/resignation")
        file = players[0].get(f"{address}/file").body
        log = players[0].get(f"{address}/moves?view=all").body
        eve = second.player("Eve")
        content = {"content-type": "application/zip"}
        second.client().send("POST", "/v1/replays", file, content).problem(401, "unauthorized")
        eve.send("POST", "/v1/replays", file[:-9], content).problem(422, "bad-file")
        eve.send("POST", "/v1/replays", b"", content).problem(422, "bad-file")
        eve.send("POST", "/v1/replays", running, content).problem(422, "bad-file")
        assert eve.get(address).status == 404
        stored = eve.send("POST", "/v1/replays", file, content)
        assert (stored.status, stored.json["match"], stored.json["move"]) == (201, match, 8)
        assert eve.get(f"{address}/moves?view=all").body == log
        assert eve.get(f"{address}/file").body == file
        eve.send("POST", "/v1/replays", file, content).problem(409, "exists")
        players[0].send("POST", "/v1/replays", file, content).problem(409, "exists")
        assert eve.get("/v1/matches?origin=uploaded").json["matches"][0]["match"] == match
        assert eve.get("/v1/matches?origin=live").json["matches"] == []


def test_lists_boards_turns_and_histories(server: Served) -> None:
    match, (ann, ben) = server.table("toy", options={"rounds": 1})
    bid(match, [ann, ben])
    ann.post(f"/v1/matches/{match}/moves", {"expect": 5, "picks": ["wave"]})
    listed = ann.get(f"/v1/matches?player={ann.player}&status=running").json
    assert [row["match"] for row in listed["matches"]] == [match]
    assert listed["names"] == {ann.player: "Ann", ben.player: "Ben"}
    assert ann.get("/v1/matches?status=over").json["matches"] == []
    opened = datetime.fromtimestamp(listed["matches"][0]["opened_at"] / 1_000_000, UTC)
    for days, found in ((-1, []), (0, listed["matches"]), (1, [])):
        day = f"{opened + timedelta(days=days):%Y-%m-%d}"
        assert ann.get(f"/v1/matches?date={day}").json["matches"] == found
    since, until = (listed["matches"][0]["opened_at"] + later for later in (1, 0))
    for bound in (f"since={since}", f"until={until}"):
        assert ann.get(f"/v1/matches?date={opened:%Y-%m-%d}&{bound}").json["matches"] == []
    turns = ann.get(f"/v1/matches/{match}/turns", accept_language="ru").json
    assert turns["over"] is False
    assert "Факт Waved" in str(turns["turns"][0]["told"])
    ben.post(f"/v1/matches/{match}/resignation")
    board = ann.get("/v1/scoreboards/toy").json
    assert board["totals"][0]["played"] == 1
    assert [row["player"] for row in board["standings"]] == [ann.player, ben.player]
    history = ann.get(f"/v1/players/{ben.player}/matches").json
    assert (history["name"], history["matches"][0]["seating"]["outcome"]) == ("Ben", "lost")
    assert history["standings"][0]["played"] == 1
    for path in ("/v1/matches?limit=0", "/v1/matches?limit=201", "/v1/scoreboards/toy?after=zz"):
        ann.get(path).problem(422, "invalid")


def test_full_disk_is_refused_with_503_and_stores_nothing_partial(toy_in_words: Game, tmp_path: Path) -> None:
    store = MemoryStore()
    gate = gate_over(store)
    with served(tmp_path, store, gate) as server:
        match, (ann, _) = server.table()
        before, seen = store.digest(), ann.get(f"/v1/matches/{match}").body
        store.failing = Unavailable("the disk is full: make room")
        commands: tuple[tuple[str, dict[str, object]], ...] = (
            (f"/v1/matches/{match}/moves", {"expect": 3, "picks": ["2"]}),
            (f"/v1/matches/{match}/resignation", {}),
            ("/v1/matches", {"game": "toy"}),
        )
        for path, body in commands:
            refused = ann.post(path, body)
            assert refused.problem(503, "unavailable")["detail"] == "the disk is full: make room"
            assert refused.headers["retry-after"] == "1"
        assert (store.digest(), ann.get(f"/v1/matches/{match}").body) == (before, seen)
        store.failing = None
        assert ann.post(*commands[0]).status == 201


def test_server_error_exposes_no_internals(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(match: object, move: int) -> None:
        raise RuntimeError("card-3 is on top")

    store = MemoryStore()
    gate = gate_over(store)
    with served(tmp_path, store, gate) as server:
        match, _ = server.table()
        monkeypatch.setattr(gate, "checkpoint", fails)
        answer = server.client().get(f"/v1/matches/{match}/checkpoint?move=1")
        refused = answer.problem(500, "failed")
        assert refused["detail"].startswith(
            "look at the match"
        )  # the server does not know whether it changed
        assert b"card-3" not in answer.body
        told = [
            Lines().format(record)
            for record in caplog.records
            if record.levelname == "ERROR" and record.name != "glasnost.log"
        ]
        assert len(told) == 1
        assert '"error":"RuntimeError"' in told[0]
        assert "card-3" not in told[0]


def test_log_lines_hold_no_token_no_ticket_and_no_pick(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "glasnost")
    match, players = server.table()
    address = bid(match, players)
    ticket = players[0].post("/v1/streams/tickets", {"match": match}).json["ticket"]
    stream = Listener(server.port, f"{address}/moves?ticket={ticket}")
    stream.take(5)
    stream.close()
    players[0].post(f"{address}/moves", {"expect": 5, "picks": ["a-secret-pick"]})
    told = "\n".join(
        Lines().format(record) for record in caplog.records if record.name.startswith("glasnost")
    )
    assert '"event":"play"' in told
    assert '"event":"refused"' in told
    assert '"route":"/v1/matches/{match}/moves"' in told
    for secret in (players[0].token or "", ticket, "a-secret-pick", "card-", "Ann"):
        assert secret not in told


def test_stopping_server_is_not_ready(toy_in_words: Game, tmp_path: Path) -> None:
    store = MemoryStore()
    gate = gate_over(store)
    with served(tmp_path, store, gate) as server:
        gate.stop()
        told = server.client().get("/readyz").problem(503, "not-ready")
        assert (told["ready"], told["reasons"]) == (False, {"server": "it is stopping"})


def test_streams_are_limited_per_viewer(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path, streams_per_viewer=1) as server:
        match, players = server.table()
        address = f"/v1/matches/{match}/moves"
        token = {"authorization": f"Bearer {players[0].token}"}
        stream = Listener(server.port, address, token)
        assert stream.take(1)[0].id == 1
        players[0].get(address, accept="text/event-stream").problem(429, "limit")
        other = Listener(server.port, address)
        assert other.status == 200
        for one in (stream, other):
            one.close()


@pytest.mark.parametrize("name", ["odd id/../x", "m\0", "m" * 65])
def test_uploaded_match_with_an_id_unfit_for_a_url_is_refused(
    server: Served, toy_in_words: Game, name: str
) -> None:
    file = file_of(finished(toy_in_words, name=name).match)
    told = server.player("Eve").send("POST", "/v1/replays", file, {"content-type": "application/zip"})
    assert "1 to 64 letters" in told.problem(422, "bad-file")["detail"]


def test_uploaded_match_shows_no_player_names(toy_in_words: Game, tmp_path: Path) -> None:
    with served(tmp_path / "a") as first, served(tmp_path / "b") as second:
        match, players = first.table()
        players[0].post(f"/v1/matches/{match}/resignation")
        file = players[0].get(f"/v1/matches/{match}/file").body
        eve = second.player("Eve")
        eve.send("POST", "/v1/replays", file, {"content-type": "application/zip"})
        told = eve.get(f"/v1/matches/{match}").json
        assert (told["origin"], told["names"], told["signer"]) == ("uploaded", {}, None)
        assert told["signature"].endswith(", not checked")
        own = players[0].get(f"/v1/matches/{match}").json
        assert (own["origin"], own["signature"], len(own["names"])) == ("live", None, 2)
