"""Match files from strangers: a forger gets no signature and no result of this server."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.chance import Forced
from domain.game import Game
from domain.kernel import Result
from domain.log import Record, b64
from domain.match import Match
from domain.signed_notes import SigningKey, VerifyingKey
from replay import matchfile, verify
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.sockets import socket
from tests.matches import Sitting, finished
from tests.replay.files import STRANGER, file_of, note_of, recorded_match, with_part
from tests.waiting import PATIENCE

ZIP = {"content-type": "application/zip"}


def sent(client: Client, file: bytes) -> Answer:
    return client.send("POST", "/v1/replays", file, ZIP)


def house_key(server: Served) -> VerifyingKey:
    return VerifyingKey.parse(server.client().get("/v1/keys").json["present"])


@pytest.fixture
def forged(server: Served, toy_in_words: Game) -> Match:
    """A match that was never played: its players are made up, and it is signed by its author."""
    match = finished(toy_in_words, 13).match
    assert sent(server.player("Eve"), file_of(match, STRANGER)).status == 201
    return match


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that any key signs from now on."""
    texts = list[str]()
    sign = SigningKey.sign

    def noted(key: SigningKey, text: str) -> str:
        texts.append(text)
        return sign(key, text)

    monkeypatch.setattr(SigningKey, "sign", noted)
    return texts


def packed(records: Sequence[Record], note: str) -> bytes:
    """What a forger makes of a part of a log and a given checkpoint."""
    try:
        return matchfile.write(records, note)
    except ValueError:  # it is not over this part
        return b""


def test_forged_log_never_gets_the_server_signature(server: Served, forged: Match) -> None:
    house = house_key(server)
    for move in range(1, forged.move + 1):
        answer = server.client().get(f"/v1/matches/{forged.id}/checkpoint?move={move}")
        file = packed(forged.records[:move], answer.body.decode())
        assert not verify.verify(file, [house]).ok
        if move < forged.move:
            answer.problem(409, "not-signed-here")
    whole = server.client().get(f"/v1/matches/{forged.id}/file").body
    assert not verify.verify(whole, [house]).ok


@pytest.mark.parametrize("kind", ["forged", "imported"])
def test_uploaded_match_is_served_with_its_own_signed_note(
    server: Served, toy_in_words: Game, kind: str, signed: list[str]
) -> None:
    match = finished(toy_in_words).match if kind == "forged" else recorded_match(toy_in_words)
    file, note = file_of(match, STRANGER), note_of(match.records, STRANGER)
    assert sent(server.player("Eve"), file).status == 201
    signed.clear()
    address, client = f"/v1/matches/{match.id}", server.client()
    for query in ("", f"?move={match.move}", f"?at_least={match.move}"):
        assert client.get(f"{address}/checkpoint{query}").body.decode() == note
    assert client.get(f"{address}/file").body == file
    told = client.get(f"{address}/checkpoint?move=3", accept_language="ru").problem(409, "not-signed-here")
    assert str(match.move) in told["detail"]
    assert signed == []


def test_no_route_signs_an_uploaded_match(server: Served, forged: Match, signed: list[str]) -> None:
    address, admin = f"/v1/matches/{forged.id}", server.person("admin")
    for path in server.documented()["paths"]:
        if "{match}" not in path:
            continue
        here = path.replace("{match}", forged.id).replace("{seat}", "left").replace("{n}", "3")
        for ask in (admin.get, admin.post):
            assert ask(here).status != 500
    for accept in ("application/x-ndjson", "text/event-stream"):
        admin.get(f"{address}/moves?after={forged.move}&proof=true", accept=accept)
    with socket(server.port, admin.token) as opened:
        for do in ("follow", "prompt", "resign"):
            opened.say(do, match=forged.id)
        opened.say("play", match=forged.id, picks=["1"])
    assert signed == []


def test_ruling_on_an_imported_match_signs_nothing(
    server: Served, toy_in_words: Game, signed: list[str]
) -> None:
    """No such match comes by any door that there is; if one did, its end would not be signed."""
    opening = server.gate.open(None, "toy", None, {}, origin="imported")
    match = asyncio.run_coroutine_threadsafe(opening, server.loop).result(PATIENCE).cached.match
    judge = server.person("organizer")
    judge.post(f"/v1/matches/{match.id}/rulings", {"reason": "the opponent did not come", "void": True})
    assert match.closed
    assert [
        text for text in signed if not text.startswith("glasnost.local/log\n")
    ] == []  # but the server's log
    judge.get(f"/v1/matches/{match.id}/file").problem(409, "not-signed-here")
    judge.get(f"/v1/matches/{match.id}/checkpoint?move=1").problem(409, "not-signed-here")


def nonsense(key: VerifyingKey) -> str:
    """A signature line that names a key, and holds 64 bytes of nonsense."""
    return f"— {key.name} {b64(bytes.fromhex(key.id) + bytes(64))}\n"


def test_signature_under_a_server_key_must_be_valid(server: Served, toy_in_words: Game) -> None:
    retired = house_key(server)
    assert isinstance(server.store, SqliteStore)
    server.store.keys.rotate(1)
    eve, match = server.player("Eve"), finished(toy_in_words).match
    note = note_of(match.records, STRANGER)
    for key in (retired, house_key(server)):
        for forged in (note + nonsense(key), note.partition("— ")[0] + nonsense(key)):
            file = matchfile.write(match.records, forged)
            for language, words in (("en", "does not fit the text"), ("ru", "не подходит к тексту")):
                answer = eve.send("POST", "/v1/replays", file, ZIP | {"accept-language": language})
                told = answer.problem(422, "bad-file")["detail"]
                assert key.label in told
                assert words in told


def test_signature_by_an_unknown_key_is_reported_as_not_checked(server: Served, forged: Match) -> None:
    key, words = (
        STRANGER.verifying.label,
        {"en": "names {}, not checked", "ru": "назван ключ {}, не проверено"},
    )
    for language, told in words.items():
        seen = server.client().get(f"/v1/matches/{forged.id}", accept_language=language).json
        assert (seen["signer"], seen["signature"]) == (None, told.format(key))


def test_note_with_too_many_signatures_is_refused(server: Served, toy_in_words: Game) -> None:
    match = finished(toy_in_words).match
    note = note_of(match.records, STRANGER)
    file = matchfile.write(match.records, note)
    crowded = with_part(file, matchfile.CHECKPOINTS, (note + nonsense(STRANGER.verifying) * 16).encode())
    told = sent(server.player("Eve"), crowded).problem(422, "bad-file")["detail"]
    assert "17 signatures; at most 16 are read" in told


# ── in whose name ──


def won_by_the_left(game: Game, left: str, right: str) -> Match:
    """A match between these, in which the right one is said to have resigned."""
    sitting = Sitting(game, 15)
    match = sitting.match
    for seat, player in (("left", left), ("right", right)):
        sitting.accept(match.sit(sitting.context, seat, player, salt=None, bot="", source=None))
    sitting.accept(match.resign(sitting.context, "right"))
    return match


def lists(client: Client, player: str) -> tuple[list[str], list[Any], list[str], list[Any]]:
    """A player's history and standings, the match list by the player, and who is on any board."""
    history = client.get(f"/v1/players/{player}/matches").json
    listed = client.get(f"/v1/matches?player={player}").json
    boards = [
        client.get(f"/v1/scoreboards/toy?pool={pool}").json for pool in ("live", "uploaded", "imported")
    ]
    return (
        [row["seating"]["match"] for row in history["matches"]],
        history["standings"],
        [row["match"] for row in listed["matches"]],
        [found for board in boards for found in (*board["totals"], *board["standings"])],
    )


@pytest.mark.parametrize("origin", ["live", "imported"])
def test_forged_result_counts_for_no_player(server: Served, toy_in_words: Game, origin: str) -> None:
    ann, ben = server.player("Ann"), server.player("Ben")
    match = won_by_the_left(toy_in_words, ben.player, ann.player)
    if origin == "imported":
        sitting = Sitting(toy_in_words, 16, origin="imported", recorded=True)
        for seat, player in (("left", ben.player), ("right", ann.player)):
            source = Forced(iter([("card-5",), ("card-2",)]))
            sitting.accept(sitting.match.sit(sitting.context, seat, player, salt=None, bot="", source=source))
        sitting.accept(sitting.match.close_record(sitting.context, Result("left", "points", {"left": 1})))
        match = sitting.match
    assert sent(server.player("Eve"), file_of(match, STRANGER)).status == 201
    for client in (ann, ben, server.client()):
        told = client.get(f"/v1/matches/{match.id}").json
        assert (told["claimed"], told["names"], told["view"]) == (True, {}, "spectator")
        assert told["seats"] == {"left": ben.player, "right": ann.player}
        assert client.get(f"/v1/matches/{match.id}/prompt").status == 204
    assert lists(server.client(), ann.player) == ([], [], [], [])
    (row,) = ann.get("/v1/matches").json["matches"]
    assert (row["match"], row["claimed"]) == (match.id, True)
    assert ann.get("/v1/matches").json["names"] == {}
    ann.post(f"/v1/matches/{match.id}/resignation").problem(403, "foreign")


def test_match_signed_by_this_server_counts_for_its_players(toy_in_words: Game, tmp_path: Path) -> None:
    """Also after the key was replaced; here it comes into a store that lost all but its keys and people."""
    with served(tmp_path / "a") as first:
        match, (ann, ben) = first.table()
        ben.post(f"/v1/matches/{match}/resignation")
        file = first.client().get(f"/v1/matches/{match}/file").body
        assert isinstance(first.store, SqliteStore)
        first.store.keys.rotate(1)
    shutil.copytree(tmp_path / "a" / "store.keys", tmp_path / "b" / "store.keys")
    with served(tmp_path / "b") as second:
        assert sent(second.player("Eve"), file).status == 201
        told = second.client().get(f"/v1/matches/{match}").json
        assert (told["claimed"], told["origin"]) == (False, "uploaded")
        assert told["signature"] == f"signed by {told['signer']}"
        history, standings, listed, boards = lists(second.client(), ann.player)
        assert (history, listed) == ([match], [match])
        assert {row["pool"] for row in (*standings, *boards)} == {"uploaded"}


def test_earlier_upload_is_trusted_only_as_far_as_its_signature(toy_in_words: Game, tmp_path: Path) -> None:
    """A store may hold one whose signature was never checked: it names the store's key."""
    with closing(SqliteStore.open(tmp_path / "store")) as store:
        key = store.keys.present
        match = won_by_the_left(toy_in_words, "p1", "p2")
        note = note_of(match.records, STRANGER).partition("— ")[0] + nonsense(key)
        store.submit(Append(match.records, note=note, signer=key.label)).result()
    with served(tmp_path) as server:
        told = server.client().get(f"/v1/matches/{match.id}").json
        assert (told["claimed"], told["signer"], told["signature"]) == (True, None, "not signed")
        assert server.client().get("/v1/matches").json["matches"][0]["claimed"] is True
        server.client().get("/v1/players/p1/matches").problem(404, "unknown-player")
