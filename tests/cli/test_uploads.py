"""What the commands do with matches that came from elsewhere: none of them has the store's key sign one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from api.store.seam import Append
from api.store.store import SqliteStore
from domain.games import GAMES
from domain.match import Match
from domain.notes import PUBLIC, Note, SigningKey
from replay import matchfile
from tests.cli.program import Program
from tests.matches import finished
from tests.replay.files import STRANGER, note_of
from tests.replay.foreign.short_games import WHOLE

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
