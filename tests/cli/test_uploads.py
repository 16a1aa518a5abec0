"""What the commands do with matches that came from elsewhere: none of them has the store's key sign one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.log import b64
from domain.match import Match
from domain.signed_notes import PUBLIC, Note, SigningKey, VerifyingKey
from replay import matchfile
from tests.cli.program import Program
from tests.matches import finished
from tests.replay.files import STRANGER, note_of
from tests.replay.importers.short_games import WHOLE

FORGED = finished(GAMES["cia_vs_kgb"], 13).match
NOTE = note_of(FORGED.records, STRANGER)


@pytest.fixture
def store(glasnost: Program) -> Path:
    """A store that holds one match, which a stranger has uploaded."""
    put(FORGED, NOTE)
    return Path("s")


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which keys sign from now on."""
    signers = list[str]()
    sign = SigningKey.sign

    def noted(key: SigningKey, text: str) -> str:
        signers.append(key.verifying.label)
        return sign(key, text)

    monkeypatch.setattr(SigningKey, "sign", noted)
    return signers


def put(match: Match, note: str) -> None:
    """Keep a match in the store as an upload does."""
    with closing(SqliteStore.open(Path("s"))) as store:
        label = Note.parse(note).signatures[0].label
        store.submit(Append(match.records, note=note, signer=label)).result()


def test_no_command_signs_an_uploaded_match(glasnost: Program, store: Path, signed: list[str]) -> None:
    glasnost("verify", "--store", store).ok()
    glasnost("replay", "--help").ok()
    for kind in ("glasnost", "ndjson"):
        glasnost("export", "--all", "--store", store, "--format", kind, "--out", "out").ok()
    glasnost("backup", "--store", store, "s.backup").ok()
    glasnost("restore", "--store", "again", "s.backup").ok()
    glasnost("migrate", "--from", store, "--to", "moved").ok()
    glasnost("export", "--all", "--store", "moved", "--out", "moved-out").ok()
    assert signed == []
    for folder in ("out", "moved-out"):
        assert matchfile.read(Path(folder) / f"{FORGED.id}.glasnost").note == NOTE


def test_an_uploaded_match_whose_note_is_gone_is_not_exported_under_a_new_one(
    glasnost: Program, store: Path, signed: list[str]
) -> None:
    with closing(SqliteStore.open(store)) as opened:
        opened.write(lambda cursor: cursor.execute("DELETE FROM notes"))
    glasnost("export", "--all", "--store", store).refused(2, "came from elsewhere")
    assert signed == []


def test_the_keys_of_a_store_do_not_sign_what_it_imports(glasnost: Program, signed: list[str]) -> None:
    Path("log.txt").write_text(WHOLE)
    glasnost("import-log", "log.txt", "--store", "s", "--out", "files").ok()
    glasnost("export", "--all", "--store", "s", "--out", "exported").ok()
    assert set(signed) == {PUBLIC.label}
    (file,) = Path("files").iterdir()
    assert file.read_bytes() == (Path("exported") / file.name).read_bytes()
    keys = glasnost("keys", "--store", "s").ok().out.split()
    assert glasnost("verify", file, "--key", keys[0]).code == 1
    glasnost("verify", "--store", "s", "--key", keys[0]).ok()


def test_a_store_tells_foreign_signatures_without_failing(glasnost: Program, store: Path) -> None:
    glasnost("play", "thirteen_minutes", "--seed", "1", "--store", store).ok()
    (key,) = glasnost("keys", "--store", store).ok().out.split()
    for keys in ((), ("--key", key)):
        foreign, own = glasnost("verify", "--store", store, *keys).ok().out.splitlines()
        assert f", names {STRANGER.verifying.label}, not checked;" in foreign
        assert f", signed by {VerifyingKey.parse(key).label};" in own


def test_a_signature_that_names_the_stores_key_must_fit(
    glasnost: Program, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was accepted before: the server's name and key id, and 64 bytes of nonsense."""
    (old,) = glasnost("keys", "--store", store).ok().out.split()
    glasnost("keys", "--store", store, "--rotate").ok()
    key = VerifyingKey.parse(old)
    nonsense = f"— {key.name} {b64(bytes.fromhex(key.id) + bytes(64))}\n"
    match = finished(GAMES["cia_vs_kgb"], 14).match
    note = note_of(match.records, STRANGER) + nonsense
    put(match, note)
    Path("forged.glasnost").write_bytes(matchfile.write(match.records, note))
    fault = f"the signature by {key.label} does not fit the text"
    for ways in (
        ("--store", store),
        ("forged.glasnost", "--key", old),
        ("forged.glasnost", "--store", store),
    ):
        done = glasnost("verify", *ways)
        assert (done.code, fault in done.out) == (1, True), done
    assert f"names {key.label}, not checked" in glasnost("verify", "forged.glasnost").ok().out
    monkeypatch.setenv("GLASNOST_KEYS", "s.keys")
    assert fault in glasnost("verify", "forged.glasnost").out
