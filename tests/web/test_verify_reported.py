"""verify.html reads the match files of games that were played elsewhere as the command line does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from domain.events import BoardOf
from domain.games import GAMES
from domain.tournaments.history import TournamentLog
from replay import matchfile
from replay.matchfile import Manifest
from tests.api.gate.elsewhere import RIGHT, flipped, played_elsewhere
from tests.api.gate.tables import run
from tests.api.gate.tournaments import Cup
from tests.domain import toy
from tests.replay.tournaments.bundles import Json, Members, file_of, forged, members_of, packed
from tests.replay.tournaments.reported_cup import reported_cup
from tests.replay.tournaments.test_reported_file import CHANGES, name_of, of_kind, with_another_file
from tests.web.test_verify_tournament import both, choose
from tests.web.test_verify_tournament import fresh as fresh
from tests.web.verifier import kept as kept
from tests.web.verifier import page as page


@pytest.fixture(scope="module")
def cup() -> Iterator[Cup]:
    """A tournament with a reported file and a reported statement."""
    GAMES["toy"] = toy.GAME
    yield run(reported_cup())
    del GAMES["toy"]


@pytest.fixture(scope="module")
def log(cup: Cup) -> TournamentLog:
    return run(cup.log())


@pytest.fixture(scope="module")
def members(cup: Cup, log: TournamentLog) -> Members:
    return members_of(file_of(cup, log))


@pytest.fixture(scope="module")
def others(log: TournamentLog) -> dict[str, bytes]:
    """Valid match files that do not fit the first board."""
    s = log.state
    player = s.entrants[s.rounds[0].boards[1].w].player
    return {
        "reported-result": run(played_elsewhere(RIGHT, match="elsewhere-1")),
        "reported-options": run(played_elsewhere(options={"rounds": 3})),
        "reported-players": run(played_elsewhere(players=(player, "stranger"))),
        "reported-game": run(played_elsewhere("us", game="thirteen_minutes")),
        "reported-place": run(played_elsewhere(place=BoardOf("tother", 1, 1))),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cup.glasnost-tournament"


def test_a_file_with_a_reported_game_is_right_at_the_end_and_before(
    page: Page, cup: Cup, log: TournamentLog, path: Path
) -> None:
    for at in range(log.entry - 6, log.entry + 1):
        path.write_bytes(file_of(cup, log, at))
        verdict = both(page, path)
        assert (verdict.state, verdict.failures) == ("ok", {})


def test_a_flipped_missing_or_foreign_file_is_found(page: Page, members: Members, path: Path) -> None:
    name = name_of(members)
    for spoilt, id in (
        ({**members, name: flipped(members[name], b'"seated"')}, "ruling-file-wrong"),
        ({other: part for other, part in members.items() if other != name}, "part-missing-of"),
    ):
        assert both(page, packed(spoilt, path)).failures["matches"][1] == id
    more = {**members, "reported/r01-b02-0123456789abcdef.glasnost": members[name]}
    assert both(page, packed(more, path)).failures["log"][1] == "foreign-member"


def test_forged_rulings_and_confirmations_are_found(
    page: Page, log: TournamentLog, members: Members, path: Path
) -> None:
    for name, change in CHANGES.items():
        verdict = both(page, forged(members, path, change, log.id))
        assert "results" in verdict.failures, name


def test_a_person_sees_board_and_file(fresh: Page, members: Members, path: Path) -> None:
    name = name_of(members)
    choose(fresh, packed({**members, name: flipped(members[name], b'"seated"')}, path).read_bytes())
    expect(fresh.locator("body")).to_contain_text(f"round 1, board 1, {name}")
    expect(fresh.locator("body")).to_contain_text("it is not the file that the ruling names")


def test_another_valid_file_is_found(
    page: Page, log: TournamentLog, members: Members, path: Path, others: dict[str, bytes]
) -> None:
    for id, data in others.items():
        other, digest = with_another_file(members, data)
        file = matchfile.read(data).manifest

        def change(entries: list[Json], digest: str = digest, file: Manifest = file) -> None:
            of_kind(entries, "ruled")[0].update(file=digest, file_match=file.match, file_root=file.root)

        assert both(page, forged(other, path, change, log.id)).failures["results"][1] == id
