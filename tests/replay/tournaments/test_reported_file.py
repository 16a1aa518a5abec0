"""A tournament file with games that were played elsewhere: their match files, and forgeries of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from domain.tournaments.history import TournamentLog
from replay.tournaments.published import sha256
from replay.tournaments.report import Report, lines
from replay.tournaments.verify import verify
from tests.api.gate.elsewhere import RIGHT, flipped, played_elsewhere
from tests.api.gate.tables import run
from tests.api.gate.tournaments import Cup
from tests.replay.tournaments.bundles import KEYS, Json, Members, file_of, forged, members_of, packed
from tests.replay.tournaments.reported_cup import reported_cup

KEY = [KEYS.signing.verifying]


@pytest.fixture(scope="module")
def cup(house: None) -> Cup:
    """A tournament of one round with a reported file and a reported statement."""
    return run(reported_cup())


@pytest.fixture(scope="module")
def log(cup: Cup) -> TournamentLog:
    """Its log."""
    return run(cup.log())


@pytest.fixture(scope="module")
def members(cup: Cup, log: TournamentLog) -> Members:
    """The members of its file."""
    return members_of(file_of(cup, log))


def name_of(members: Members) -> str:
    """The member with the match file."""
    (found,) = [name for name in members if name.startswith("reported/")]
    return found


def found(report: Report) -> dict[str, str]:
    """What is wrong, by question."""
    assert lines(report)
    return {one.question: str(one.sentence) for one in report.failures}


def test_the_file_of_a_ruling_is_a_member_and_verifies(
    cup: Cup, log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    # given: the tournament file, twice
    data = file_of(cup, log)
    (tmp_path / "cup").write_bytes(data)
    ruling = log.state.rounds[0].boards[0].ruling
    assert ruling is not None
    # then: equal bytes; the file is in it as it came; nothing is wrong
    assert file_of(cup, log) == data
    assert name_of(members) == f"reported/r01-b01-{ruling.file[:16]}.glasnost"
    assert sha256(members[name_of(members)]) == ruling.file
    assert found(verify(tmp_path / "cup", KEY)) == {}
    assert b"reported/" in members["README.txt"]


def test_a_flipped_byte_of_the_file_names_board_and_file(members: Members, tmp_path: Path) -> None:
    name = name_of(members)
    spoilt = {**members, name: flipped(members[name], b'"seated"')}
    said = found(verify(packed(spoilt, tmp_path / "spoilt"), KEY))["matches"]
    assert "round 1, board 1" in said
    assert name in said


def test_a_missing_file_is_named(members: Members, tmp_path: Path) -> None:
    name = name_of(members)
    rest = {other: part for other, part in members.items() if other != name}
    said = found(verify(packed(rest, tmp_path / "rest"), KEY))["matches"]
    assert "round 1, board 1" in said
    assert name in said


def test_a_file_that_no_ruling_names_is_foreign(members: Members, tmp_path: Path) -> None:
    more = {**members, "reported/r01-b02-0123456789abcdef.glasnost": members[name_of(members)]}
    assert "reported/r01-b02" in found(verify(packed(more, tmp_path / "more"), KEY))["log"]


def of_kind(entries: list[Json], kind: str) -> list[Json]:
    return [entry for entry in entries if entry["kind"] == kind]


def with_another_file(members: Members, data: bytes) -> tuple[Members, str]:
    """The members with another match file in the place of the first one, and its SHA-256."""
    digest = sha256(data)
    rest = {name: part for name, part in members.items() if not name.startswith("reported/")}
    return {**rest, f"reported/r01-b01-{digest[:16]}.glasnost": data}, digest


def test_another_valid_file_under_a_signed_log_is_found(
    log: TournamentLog, members: Members, tmp_path: Path, house: None
) -> None:
    """The server itself puts a game into the place that the other player won."""
    data = run(played_elsewhere(RIGHT, match="elsewhere-1"))
    other, digest = with_another_file(members, data)

    def change(entries: list[Json]) -> None:
        of_kind(entries, "ruled")[0]["file"] = digest

    said = found(verify(forged(other, tmp_path / "other", change, log.id), KEY))["results"]
    assert "round 1, board 1" in said

    def change_root(entries: list[Json]) -> None:
        from replay import matchfile

        change(entries)
        of_kind(entries, "ruled")[0]["file_root"] = matchfile.read(data).manifest.root

    said = found(verify(forged(other, tmp_path / "other", change_root, log.id), KEY))["results"]
    assert "the result is 1-0, and by the match file it can be: 0-1" in said


CHANGES: dict[str, Callable[[list[Json]], None]] = {
    "result": lambda entries: of_kind(entries, "ruled")[0].update(result="0-1"),
    "match": lambda entries: of_kind(entries, "ruled")[0].update(file_match="another"),
    "who confirmed": lambda entries: of_kind(entries, "confirmed")[0].update(entrant="n1", by="q4"),
    "which ruling": lambda entries: of_kind(entries, "confirmed")[0].update(ruling=3),
    "a board of others": lambda entries: of_kind(entries, "confirmed")[0].update(board=1),
    "no statement": lambda entries: of_kind(entries, "ruled")[1].pop("statement") and None,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_forged_ruling_or_confirmation_is_found(
    change: Callable[[list[Json]], None], log: TournamentLog, members: Members, tmp_path: Path
) -> None:
    said = found(verify(forged(members, tmp_path / "forged", change, log.id), KEY))
    assert "round 1, board" in said["results"]


def test_any_file_at_an_earlier_entry_verifies(cup: Cup, log: TournamentLog, tmp_path: Path) -> None:
    for at in range(log.entry - 8, log.entry):
        (tmp_path / "at").write_bytes(file_of(cup, log, at))
        assert found(verify(tmp_path / "at", KEY)) == {}
