"""docs/tournaments.md is enough for a second verifier: `stranger` is one, and agrees with ours."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from domain.game import Game
from domain.tournaments.history import TournamentLog
from replay.tournaments.exports import Wanted, exported
from replay.tournaments.verify import verify
from tests.api.gate.tables import run
from tests.replay.tournaments import oracle, stranger
from tests.replay.tournaments.bundles import KEYS, Json, Members, file_of, forged, members_of, packed, played
from tests.replay.tournaments.test_tournament_file import draw, give_points, of_kind, win

OWN = {"domain", "projections", "replay", "api", "tests", "ops"}
KEY = KEYS.signing.verifying.text


@pytest.mark.parametrize("module", [stranger, oracle], ids=lambda module: module.__name__)
def test_the_strangers_use_nothing_of_this_project(module: object) -> None:
    tree = ast.parse(Path(str(getattr(module, "__file__", ""))).read_text("utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert names
    assert not {name.partition(".")[0] for name in names} & OWN


@pytest.fixture
def found(toy_game: Game) -> tuple[TournamentLog, Members, bytes]:
    """A tournament of five entrants and three rounds, and its file."""
    cup = run(played(3, 5))
    log = run(cup.log())
    data = file_of(cup, log)
    return log, members_of(data), data


def keep(entries: list[Json]) -> None:
    """Change nothing."""


def lose_match(entries: list[Json]) -> None:
    of_kind(entries, "result_recorded")["match"] = of_kind(entries, "result_recorded", 1)["match"]


def test_the_stranger_and_we_agree_about_files_good_and_bad(
    found: tuple[TournamentLog, Members, bytes], tmp_path: Path
) -> None:
    log, members, data = found
    assert stranger.verify(data, KEY) == 6
    changes: tuple[Callable[[list[Json]], None], ...] = (keep, win, draw, give_points, lose_match)
    for change in changes:
        path = forged(members, tmp_path / "file", change, log.id)
        ours = verify(path, [KEYS.signing.verifying]).ok
        try:
            stranger.verify(path.read_bytes(), KEY)
            theirs = True
        except stranger.Disproved:
            theirs = False
        assert ours == theirs == (change is keep), change.__name__


def test_the_stranger_finds_a_dropped_entry_and_another_match(
    found: tuple[TournamentLog, Members, bytes], tmp_path: Path
) -> None:
    _, members, _ = found
    rows = members["tournament.ndjson"].splitlines(keepends=True)
    one, other = [name for name in members if name.startswith("matches/")][:2]
    for changed in ({"tournament.ndjson": b"".join(rows[:5] + rows[6:])}, {one: members[other]}):
        path = packed({**members, **changed}, tmp_path / "file")
        with pytest.raises(stranger.Disproved):
            stranger.verify(path.read_bytes(), KEY)


def test_published_standings_are_those_that_a_stranger_reads_from_the_trf(
    found: tuple[TournamentLog, Members, bytes],
) -> None:
    log, members, _ = found
    for one in log.state.publications:
        trf = exported(log, log.state_at(one.at_entry), Wanted("trf"), {}, "").decode()
        table = msgspec.json.decode(members[f"standings/at-{one.at_entry}.json"])
        names = [criterion["name"] for criterion in table["criteria"]]
        wanted = [names.index(name) for name in ("PTS", "BH/C1", "BH", "SB", "WIN")]
        ours = [
            (row["place"], row["number"], [row["values"][at] for at in wanted]) for row in table["places"]
        ]
        assert ours == oracle.standings(trf)
