"""The log over HTTP: static tiles, the checkpoint, proofs; and what a spy, a forger and a flooder get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.gate import log_follower
from api.http import health
from api.store.log_guard import FILE, LogState
from domain.log import unb64
from domain.merkle import leaf_hash
from domain.signed_notes import Checkpoint, Note
from replay import matchfile
from replay.transparency import evidence, leaf
from replay.transparency.tiles import entries
from replay.transparency.tree import check_consistency, check_inclusion
from replay.verify import verify
from tests.api.http.served import Client, Served, served
from tests.replay.files import with_part


def over(server: Served) -> tuple[str, Client]:
    """A match that ended by resignation."""
    match, players = server.table()
    assert players[0].post(f"/v1/matches/{match}/resignation", {}).status in (200, 201)
    return match, players[0]


def signed(server: Served) -> Checkpoint:
    """The log, taken in and signed now."""
    assert server.services is not None
    server.services.log_follower.turn()
    note = server.client().get("/log/checkpoint")
    assert note.status == 200
    parsed = Note.parse(note.body.decode())
    assert parsed.signed_by([server.store.keys.present]) is not None  # type: ignore[attr-defined]
    return Checkpoint.parse(parsed.text)


def test_the_log_over_http(server: Served) -> None:
    match, _ = over(server)
    checkpoint = signed(server)
    assert checkpoint.origin.endswith("/log")
    anyone = server.client()
    bundle = anyone.get(f"/log/tile/entries/000.p/{checkpoint.size}")
    hashes = anyone.get(f"/log/tile/0/000.p/{checkpoint.size}")
    leaves = entries(bundle.body)
    assert b"".join(map(leaf_hash, leaves)) == hashes.body
    for answer in (bundle, hashes):
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    found = [leaf.read(one) for one in leaves]
    mine = [one for one in found if getattr(one, "match", "") == match]
    assert [type(one) for one in mine] == [leaf.OpenedLeaf, leaf.ClosedLeaf]

    proof = anyone.get(f"/v1/log/proof?match={match}").json
    assert proof["checkpoint"].encode() == anyone.get("/log/checkpoint").body
    for one in proof["proofs"]:
        path = [unb64(text) for text in one["hashes"]]
        check_inclusion(leaf_hash(one["leaf"].encode()), one["index"], checkpoint.size, path, checkpoint.root)

    over(server)
    later = signed(server)
    assert later.size > checkpoint.size
    grown = anyone.get(f"/v1/log/consistency?old={checkpoint.size}&size={later.size}").json
    path = [unb64(text) for text in grown["hashes"]]
    check_consistency(checkpoint.size, checkpoint.root, later.size, later.root, path)


def test_a_match_file_carries_its_proof(server: Served) -> None:
    match, player = over(server)
    plain = player.get(f"/v1/matches/{match}/file").body
    signed(server)
    file = player.get(f"/v1/matches/{match}/file?log=true").body
    assert player.get(f"/v1/matches/{match}/file?log=true").body == file
    parts, bare = matchfile.read(file).parts, matchfile.read(plain).parts
    assert {name: content for name, content in parts.items() if name != evidence.MEMBER} == bare
    report = verify(file, ())
    assert report.ok
    assert any(note.startswith("the server's log: opening and end among the ") for note in report.notes)
    other, _ = over(server)
    signed(server)
    foreign = matchfile.read(player.get(f"/v1/matches/{other}/file?log=true").body).parts[evidence.MEMBER]
    flipped = parts[evidence.MEMBER].replace(b'"index":', b'"index":1', 1)
    for forged in (foreign, flipped, parts[evidence.MEMBER][:-9], b""):
        assert not verify(with_part(file, evidence.MEMBER, forged), ()).ok


def test_a_running_match_proves_its_opening(server: Served) -> None:
    match, players = server.table()
    signed(server)
    file = players[0].get(f"/v1/matches/{match}/file?log=true").body
    assert len(evidence.read(matchfile.read(file).parts[evidence.MEMBER]).proofs) == 1
    assert verify(file, ()).ok


def test_a_spy_learns_neither_names_nor_private_matches(server: Served) -> None:
    ann = server.player("Ann Unmistakable")
    opened = ann.post("/v1/matches", {"game": "toy", "private": True}).json
    size = signed(server).size
    bundle = server.client().get(f"/log/tile/entries/000.p/{size}").body
    assert ann.player.encode() not in bundle
    assert opened["match"].encode() not in bundle
    assert b"Unmistakable" not in bundle
    page = server.client().get("/log", accept="text/html").body
    assert opened["match"].encode() not in page


@pytest.mark.parametrize(
    "path",
    [
        "/log/tile/0/000",
        "/log/tile/0/000.p/255",
        "/log/tile/0/001.p/1",
        "/log/tile/1/000.p/1",
        "/log/tile/entries/000",
        "/log/tile/entries/x999/x999/999.p/9",
        "/log/tile/0/../checkpoint",
        "/log/tile/",
        "/log/tile/0/000.p/1?a=b",
        "/log/tile/" + "x000/" * 500,
        "/v1/log/proof?match=mnowhere",
        "/v1/log/proof?tournament=tnowhere",
    ],
)
def test_what_is_not_there(server: Served, path: str) -> None:
    over(server)
    signed(server)
    answer = server.client().get(path)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "old=1",
        "old=2&size=1",
        "old=0&size=9999",
        "old=-1&size=1",
        "old=0&size=1e3",
        f"old=0&size={2**60}",
    ],
)
def test_sizes_that_the_log_does_not_have(server: Served, query: str) -> None:
    over(server)
    signed(server)
    assert server.client().get(f"/v1/log/consistency?{query}").status == 422


def test_either_a_match_or_a_tournament(server: Served) -> None:
    assert server.client().get("/v1/log/proof").status == 422
    assert server.client().get("/v1/log/proof?match=m1&tournament=t1").status == 422


# ── after a restore ──


def restored(folder: Path) -> None:
    """A server that signed its log, and whose key folder then says that it had signed more."""
    with served(folder) as server:
        over(server)
        assert server.player().post("/v1/matches", {"game": "toy"}).status == 201
        latest = signed(server)
        key = server.store.keys.signing  # type: ignore[attr-defined]
    more = Checkpoint(latest.origin, latest.size + 4, bytes(32))
    file = folder / "store.keys" / FILE
    file.write_bytes(msgspec.json.encode(LogState(key.sign(more.text))))


@pytest.mark.parametrize(("language", "said"), [("en", "until an operator says why"), ("ru", "оператор")])
def test_a_restored_server_shows_everything_and_signs_nothing(
    tmp_path: Path, toy_game: Any, language: str, said: str
) -> None:
    restored(tmp_path)
    with served(tmp_path) as server:
        name, waits = server.store.matches()
        anyone = server.client()
        assert anyone.get(f"/v1/matches/{name}").status == 200
        assert anyone.get(f"/v1/matches/{waits}").json["receipt"] is None  # it would have to be signed
        assert anyone.get(f"/v1/matches/{name}/file").status == 200  # with the note that was kept
        assert anyone.get("/log/checkpoint").status == 200  # that of before
        ann = server.player()
        spoken = {"accept_language": language}
        for refused in (
            ann.post("/v1/matches", {"game": "toy"}, **spoken),
            anyone.get(f"/v1/matches/{name}/checkpoint?move=1", **spoken),
        ):
            assert (refused.status, refused.json["type"]) == (503, "/problems/log-behind")
            assert said in refused.json["detail"]
        page = anyone.get(f"/log?lang={language}", accept="text/html").body.decode()
        assert 'role="alert"' in page
        ready = anyone.get("/readyz")
        assert ready.status == 200
        assert "glasnost log restored" in ready.json["remarks"]["log"]


def test_readiness_names_a_log_that_is_behind_the_store_or_not_signed(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remarked() -> str:
        found: str = server.client().get("/readyz").json["remarks"].get("log", "")
        return found

    assert server.services is not None
    follower, position = server.services.log_follower, 0
    over(server)
    signed(server)
    monkeypatch.setattr(health, "FRESH", 0.0)
    assert remarked() == ""
    monkeypatch.setattr(log_follower, "FAR", 1)
    monkeypatch.setattr(server.services.log_writer, "position", lambda: position)
    assert remarked() == f"it is {server.store.last()} records behind the store"
    monkeypatch.setattr(server.services.log_writer, "step", lambda: 1 // 0)
    follower.turn()
    assert remarked() == "it is not signed: ZeroDivisionError"
