"""verify.html reads tournament files: it says of them what `glasnost tournament verify` says, without the engine."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import FilePayload, Page, expect

from domain.games import GAMES
from domain.tournaments.history import TournamentLog
from replay import stored_archive
from replay.tournaments.verify import verify
from replay.transparency import evidence
from tests.api.gate.tables import run
from tests.api.gate.tournaments import Cup
from tests.domain import toy
from tests.replay.files import STRANGER, with_part
from tests.replay.tournaments import test_tournament_file as forgeries
from tests.replay.tournaments.bundles import KEYS, Json, Members, file_of, forged, members_of, packed, played
from tests.web.pin import PAGE
from tests.web.verifier import TournamentVerdict, judged_tournaments
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page

KEY = KEYS.signing.verifying.text
PINNED = [KEYS.signing.verifying]
OURS = ("log", "matches", "results", "lots")
"""The questions that the page answers as `glasnost tournament verify` does."""


@pytest.fixture(scope="module")
def cup() -> Iterator[Cup]:
    """A tournament of four entrants and two rounds that is over, with a call, a ruling and a lot."""
    GAMES["toy"] = toy.GAME
    yield run(played(2, 4))
    del GAMES["toy"]


@pytest.fixture(scope="module")
def log(cup: Cup) -> TournamentLog:
    return run(cup.log())


@pytest.fixture(scope="module")
def data(cup: Cup, log: TournamentLog) -> bytes:
    return file_of(cup, log)


@pytest.fixture(scope="module")
def members(data: bytes) -> Members:
    return members_of(data)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cup.glasnost-tournament"


def both(page: Page, path: Path, keys: str = KEY) -> TournamentVerdict:
    """The verdict of the page on a file; the Python verifier finds the same entries wrong."""
    report = verify(path, PINNED if keys else (), without=("pairings",))
    [verdict] = judged_tournaments(page, [path.read_bytes()], keys)
    ours = {one.question: one.entry for one in report.failures if one.question in OURS}
    theirs = {name: entry for name, (entry, _, _) in verdict.failures.items() if name in OURS}
    assert theirs == ours, (report.failures, verdict)
    assert not report.ok or verdict.state != "wrong", verdict
    return verdict


def test_a_tournament_file_is_right_and_what_is_left_is_said(page: Page, data: bytes, path: Path) -> None:
    path.write_bytes(data)
    verdict = both(page, path)
    assert (verdict.state, verdict.failures) == ("ok", {})
    left = {row: found for row, found in verdict.rows.items() if found[0] != "ok"}
    assert left == {
        "pairings": ("skipped", "pairings-elsewhere"),
        "standings": ("skipped", "standings-elsewhere"),
    }
