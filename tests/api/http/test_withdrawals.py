"""A quota of uploads, and withdrawn uploads: not shown, and never deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from api.store.postgres import PostgresStore
from domain.game import Game
from domain.kernel import Refused
from domain.match import Match
from projections import read
from projections.file import File, connect
from projections.read import Asked
from tests.api.http.playing import two_workers
from tests.api.http.served import Answer, Client, Served, served
from tests.matches import finished
from tests.replay.files import STRANGER, file_of, short_match, with_everything
from tests.waiting import soon

ZIP = {"content-type": "application/zip"}
REASON = {"reason": "an advertisement, not a match"}


def sent(client: Client, data: bytes) -> Answer:
    return client.send("POST", "/v1/replays", data, ZIP)


@pytest.fixture
def uploaded(server: Served, toy_in_words: Game) -> Match:
    match = finished(toy_in_words, 13).match
    assert sent(server.player("Eve"), file_of(match, STRANGER)).status == 201
    return match


# ── the quota ──


def test_uploads_per_player_and_day_are_limited(toy_in_words: Game, tmp_path: Path) -> None:
    files = [file_of(finished(toy_in_words, seed).match) for seed in range(4)]
    with served(tmp_path, upload_files=3) as server:
        eve = server.player("Eve")
        assert sent(eve, files[0]).status == 201
        sent(eve, files[0]).problem(409, "exists")  # it counts, for it was verified, too
        assert sent(eve, files[1]).status == 201
        answer = sent(eve, files[2])
        assert "at most 3 match files" in answer.problem(429, "limit")["detail"]
        assert 0 < int(answer.headers["retry-after"]) <= 86_400
        sent(server.player("Mallory"), files[2]).problem(429, "limit")  # another player at the same address
        assert sent(server.person("admin"), files[2]).status == 201


def test_uploaded_bytes_are_limited_across_a_restart(toy_in_words: Game, tmp_path: Path) -> None:
    files = [file_of(finished(toy_in_words, seed).match) for seed in (1, 2)]
    quota = max(map(len, files)) + 1
    for file, status in zip(files, (201, 429), strict=True):
        with served(tmp_path, upload_bytes=quota) as server:
            assert sent(server.player("Eve"), file).status == status


def test_workers_of_one_database_share_the_upload_quota(
    toy_in_words: Game, tmp_path: Path, database: str
) -> None:
    files = [file_of(finished(toy_in_words, seed).match) for seed in range(3)]

    def opened() -> PostgresStore:
        return PostgresStore.open(database, keys=tmp_path / "keys")

    with two_workers(tmp_path, opened, upload_files=2) as workers:
        found = [
            sent(worker.player("Eve"), file).status
            for worker, file in zip([*workers, workers[0]], files, strict=True)
        ]
        assert found == [201, 201, 429]


# ── withdrawing ──


def looks(match: str) -> list[str]:
    address = f"/v1/matches/{match}"
    return [
        address,
        *(f"{address}{end}" for end in ("?at=2", "/moves", "/turns", "/checkpoint", "/file", "/prompt")),
    ]


def lists(client: Client) -> list[Any]:
    return [
        client.get(f"/v1/matches{which}").json["matches"] for which in ("", "?origin=uploaded", "?game=toy")
    ]


def test_withdrawn_match_is_not_shown(server: Served, uploaded: Match) -> None:
    admin, eve = server.person("admin"), server.player("Eve")
    assert all(lists(eve))
    done = admin.post(f"/v1/matches/{uploaded.id}/withdrawal", REASON)
    assert (done.status, done.json["by"], done.json["reason"]) == (201, admin.player, REASON["reason"])
    for look in looks(uploaded.id):
        assert REASON["reason"] in eve.get(look).problem(410, "withdrawn")["detail"]
    told = eve.get(looks(uploaded.id)[0], accept_language="ru").problem(410, "withdrawn")
    assert told["detail"].startswith("Партия снята администратором: 20")
    assert lists(eve) == [[], [], []]
    eve.post(f"/v1/matches/{uploaded.id}/resignation").problem(410, "withdrawn")
    sent(eve, file_of(uploaded, STRANGER)).problem(409, "exists")  # its id stays taken
    again = admin.post(f"/v1/matches/{uploaded.id}/withdrawal", {"reason": "another"})
    assert again.json == done.json
    assert server.store.last() == uploaded.move  # nothing was deleted


def test_rebuilt_read_models_leave_out_a_withdrawn_match(server: Served, uploaded: Match) -> None:
    assert isinstance(server.models.home, File)
    path = server.models.home.path

    def rows() -> int:
        connection = connect(path)
        try:
            return len(read.matches(connection, read.MatchFilter(), Asked()).rows)
        except Refused:
            return -1
        finally:
            connection.close()

    soon(lambda: rows() == 1)
    server.person("admin").post(f"/v1/matches/{uploaded.id}/withdrawal", REASON)
    soon(lambda: rows() == 0)
    match, _ = server.table()  # they go on
    soon(lambda: rows() == 1)
    assert [row["match"] for row in lists(server.client())[0]] == [match]


def test_match_stays_withdrawn_across_a_restart(toy_in_words: Game, tmp_path: Path) -> None:
    match = with_everything(toy_in_words)
    with served(tmp_path) as server:
        sent(server.player("Eve"), file_of(match))
        server.person("admin").post(f"/v1/matches/{match.id}/withdrawal", REASON)
    (tmp_path / "read-models.db").unlink()
    with served(tmp_path) as server:
        server.client().get(f"/v1/matches/{match.id}").problem(410, "withdrawn")
        assert lists(server.client()) == [[], [], []]


def test_withdrawal_reaches_every_worker_at_once(toy_in_words: Game, tmp_path: Path, database: str) -> None:
    match = short_match(toy_in_words)

    def opened() -> PostgresStore:
        return PostgresStore.open(database, keys=tmp_path / "keys")

    with two_workers(tmp_path, opened) as (one, other):
        assert sent(one.player("Eve"), file_of(match)).status == 201
        assert other.client().get(f"/v1/matches/{match.id}").status == 200  # it lies on its desk
        one.person("admin").post(f"/v1/matches/{match.id}/withdrawal", REASON)
        for worker in (one, other):
            for look in looks(match.id):
                worker.client().get(look).problem(410, "withdrawn")
            assert lists(worker.client()) == [[], [], []]


def test_only_administrators_withdraw_and_only_uploaded_matches(server: Served, uploaded: Match) -> None:
    own, _ = server.table()
    admin = server.person("admin")
    server.player("Eve").post(f"/v1/matches/{uploaded.id}/withdrawal", REASON).problem(403, "forbidden")
    server.person("organizer").post(f"/v1/matches/{uploaded.id}/withdrawal", REASON).problem(403, "forbidden")
    admin.post(f"/v1/matches/{own}/withdrawal", REASON).problem(409, "not-uploaded")
    admin.post("/v1/matches/nothing/withdrawal", REASON).problem(404, "unknown-match")
    for reason in ("", "x" * 2_001):
        admin.post(f"/v1/matches/{uploaded.id}/withdrawal", {"reason": reason}).problem(422, "invalid")
    assert server.client().get(f"/v1/matches/{uploaded.id}").status == 200
