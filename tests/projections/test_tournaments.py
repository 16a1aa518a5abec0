"""Tournaments in lists: the row of a tournament has the status that its log has, after every entry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from domain.game import Game
from domain.log import Record
from domain.tournaments import commands as c
from domain.tournaments.fold import applied, folded
from domain.tournaments.history import TournamentLog
from domain.tournaments.terms import Knockout, League, Stage, Terms
from projections.tournaments import TOURNAMENTS, BoardRow, TournamentRow
from tests.api.gate.tables import run
from tests.domain.tournaments.hall import Hall
from tests.domain.tournaments.random_play import RandomPlay, by_score
from tests.projections.support import Item, MemoryRows
from tests.replay.tournaments.bundles import with_ruled_matches

KNOCKOUT = Terms(game="toy", format="knockout", rounds=20, knockout=Knockout(2))
LEAGUE = Terms(game="toy", format="league", rounds=9, league=League((3, 3), 1, 1))
STAGES = Terms(
    game="toy", format="stages", rounds=9, stages=(Stage("round_robin", 3), Stage("knockout", 6, 2))
)


def both(records: list[Record]) -> Iterator[tuple[str, str]]:
    """The status of the row and that of the state, after each record."""
    rows, state = MemoryRows(), folded(None, [records[0].entry])
    rows.apply(TOURNAMENTS.fold(rows, Item(1, records[0])))
    for position, record in enumerate(records[1:], 2):
        rows.apply(TOURNAMENTS.fold(rows, Item(position, record)))
        state = applied(state, record.entry)
        row = rows.get(TournamentRow, record.match)
        assert row is not None
        yield row.status, state.status


def check(log: TournamentLog) -> list[str]:
    """Check all entries, and return the statuses in the order in which they came."""
    seen: list[str] = []
    for number, (listed, true) in enumerate(both(log.records), 2):
        assert listed == true, f"entry {number}: the list says {listed}, the log {true}"
        seen += [true] if not seen or seen[-1] != true else []
    return seen


@pytest.mark.parametrize(("terms", "entrants"), [(KNOCKOUT, 5), (LEAGUE, 6)], ids=["knockout", "league"])
def test_a_list_shows_that_it_is_finished(terms: Terms, entrants: int, toy_game: Game) -> None:
    hall = Hall(terms, entrants)
    hall.finish()
    hall.do(c.ReopenRound(round=len(hall.s.rounds), reason="a mistake"))
    hall.do(c.CloseRound(round=len(hall.s.rounds)))
    assert check(hall.log) == ["entering", "running", "finished", "running", "finished"]


def test_a_corrected_final_that_is_level_is_not_finished(toy_game: Game) -> None:
    hall = Hall(replace(KNOCKOUT, knockout=Knockout(1)), 2)
    hall.finish()
    hall.rule(1, "½")
    assert check(hall.log)[-1] == hall.s.status == "running"


def test_stages_are_finished_after_the_last_one(toy_game: Game) -> None:
    hall = Hall(STAGES, 4)
    for _ in range(3):
        hall.play()
    assert check(hall.log) == ["entering", "running"]
    hall.do(c.Advance(decided=(), reason=""), ranked=by_score(hall.s))
    hall.finish()
    assert check(hall.log) == ["entering", "running", "finished"]


def test_a_board_whose_match_is_ruled_on_has_the_status_of_the_log(toy_game: Game) -> None:
    cup = run(with_ruled_matches())
    records = run(cup.log()).records
    rows, state = MemoryRows(), folded(None, [records[0].entry])
    rows.apply(TOURNAMENTS.fold(rows, Item(1, records[0])))
    for position, record in enumerate(records[1:], 2):
        rows.apply(TOURNAMENTS.fold(rows, Item(position, record)))
        state = applied(state, record.entry)
        for board in state.rounds[0].boards if state.rounds else ():
            row = rows.get(BoardRow, record.match, 1, board.number)
            assert row is not None
            assert row.status == board.status, (record.kind, board.number)


@pytest.mark.parametrize("seed", range(8))
def test_after_any_commands_the_list_has_the_status_of_the_log(seed: int) -> None:
    play = RandomPlay(seed)
    for _ in range(150):
        play.send()
    check(play.log)
