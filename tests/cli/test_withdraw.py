"""`glasnost withdraw`: an uploaded match that no list and no export shows any more."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.signed_notes import Note
from tests.cli.program import Program
from tests.matches import finished
from tests.replay.files import STRANGER, note_of

MATCH = finished(GAMES["cia_vs_kgb"], 13).match
REASON = ("--reason", "an advertisement")


@pytest.fixture
def store(glasnost: Program) -> Path:
    """A store that holds one match, which a stranger has uploaded."""
    note = note_of(MATCH.records, STRANGER)
    with closing(SqliteStore.open(Path("s"))) as store:
        label = Note.parse(note).signatures[0].label
        store.submit(Append(MATCH.records, note=note, signer=label)).result()
    return Path("s")


def test_a_withdrawn_match_is_exported_no_more(glasnost: Program, store: Path) -> None:
    done = glasnost("withdraw", MATCH.id, "--store", store, *REASON).ok()
    assert f"withdrawn: {MATCH.id}, by command line: an advertisement" in done.out
    glasnost("export", MATCH.id, "--store", store).refused(2, "was withdrawn")
    assert glasnost("export", "--all", "--store", store, "--json").json["matches"] == 0
    with closing(SqliteStore.open(store, write=False)) as opened:
        kept = opened.uploads.withdrawal(MATCH.id)
        assert kept is not None
        assert (kept.by, kept.reason, opened.last()) == ("command line", "an advertisement", MATCH.move)


def test_what_was_not_uploaded_is_not_withdrawn(glasnost: Program, store: Path) -> None:
    glasnost("withdraw", "nothing", "--store", store, *REASON).refused(2, "no uploaded match")
    glasnost("withdraw", MATCH.id, "--store", "elsewhere", *REASON).refused(2, "no store")
    for reason in ("", "x" * 2_001):
        glasnost("withdraw", MATCH.id, "--store", store, "--reason", reason).refused(2, "1 to 2000")
