"""Match files from strangers: what a forger gets out of a server, and in whose name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from api.store.store import SqliteStore
from domain.game import Game
from domain.log import Record, b64
from domain.match import Match
from domain.notes import SigningKey, VerifyingKey
from replay import matchfile, verify
from tests.api.http.served import Answer, Client, Served
from tests.api.http.sockets import socket
from tests.matches import finished
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
    """What a forger makes of a part of a log and a checkpoint that he was given."""
    try:
        return matchfile.write(records, note)
    except ValueError:  # it is not over this part
        return b""


def test_no_part_of_a_forged_log_comes_back_with_the_signature_of_the_house(
    server: Served, forged: Match
) -> None:
    house = house_key(server)
    for move in range(1, forged.move + 1):
        answer = server.client().get(f"/v1/matches/{forged.id}/checkpoint?move={move}")
        file = packed(forged.records[:move], answer.body.decode())
        assert not verify.verify(file, [house]).ok
        if move < forged.move:
            answer.problem(409, "not-signed-here")
    served = server.client().get(f"/v1/matches/{forged.id}/file").body
    assert not verify.verify(served, [house]).ok


@pytest.mark.parametrize("kind", ["forged", "imported"])
def test_a_match_from_elsewhere_is_served_with_the_note_that_it_brought(
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


def test_no_address_of_the_server_signs_an_uploaded_match(
    server: Served, forged: Match, signed: list[str]
) -> None:
    address, admin = f"/v1/matches/{forged.id}", server.person("admin")
    for path in server.client().get("/openapi.json").json["paths"]:
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


def test_a_ruling_that_ends_an_imported_match_signs_nothing(
    server: Served, toy_in_words: Game, signed: list[str]
) -> None:
    """No such match comes by any door that there is; if one did, its end would not be signed."""
    opening = server.gate.open(None, "toy", None, {}, origin="imported")
    match = asyncio.run_coroutine_threadsafe(opening, server.loop).result(PATIENCE).desk.match
    judge = server.person("organizer")
    judge.post(f"/v1/matches/{match.id}/rulings", {"reason": "nobody came", "void": True})
    assert match.closed
    assert signed == []
    judge.get(f"/v1/matches/{match.id}/file").problem(409, "not-signed-here")
    judge.get(f"/v1/matches/{match.id}/checkpoint?move=1").problem(409, "not-signed-here")


def nonsense(key: VerifyingKey) -> str:
    """A signature line that names a key, and holds 64 bytes of nonsense."""
    return f"— {key.name} {b64(bytes.fromhex(key.id) + bytes(64))}\n"


def test_a_signature_that_names_a_key_of_the_server_must_fit(server: Served, toy_in_words: Game) -> None:
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


def test_a_signature_by_a_key_that_nobody_knows_here_is_told_as_not_checked(
    server: Served, forged: Match
) -> None:
    key, words = (
        STRANGER.verifying.label,
        {"en": "names {}, not checked", "ru": "назван ключ {}, не проверено"},
    )
    for language, told in words.items():
        seen = server.client().get(f"/v1/matches/{forged.id}", accept_language=language).json
        assert (seen["signer"], seen["signature"]) == (None, told.format(key))


def test_a_note_with_too_many_signatures_is_refused(server: Served, toy_in_words: Game) -> None:
    match = finished(toy_in_words).match
    note = note_of(match.records, STRANGER)
    file = matchfile.write(match.records, note)
    crowded = with_part(file, matchfile.CHECKPOINTS, (note + nonsense(STRANGER.verifying) * 16).encode())
    told = sent(server.player("Eve"), crowded).problem(422, "bad-file")["detail"]
    assert "17 signatures; at most 16 are read" in told
