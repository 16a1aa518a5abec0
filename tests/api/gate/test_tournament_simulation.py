"""A simulated tournament is a real one: its log, its pairings, its standings, its matches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.gate import Gate
from api.gate.tournament_simulation import Matches, Simulation
from api.store.sqlite import SqliteStore
from domain.tournaments.crosstables import crosstable, first_colour
from domain.tournaments.fold import folded
from domain.tournaments.history import TournamentLog
from domain.tournaments.terms import Terms
from replay.tournaments.pairing import pair
from replay.tournaments.results import standings_of
from replay.tournaments.simulation import Plan, simulate
from replay.tournaments.trf import TrfFile, written
from tests.replay.tournaments import oracle

NOW = 1_790_000_000_000_000
SMALL = Plan(16, 3, 0.1, 0.1, 0.05, 7)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    found = SqliteStore.open(tmp_path / "store")
    yield found
    found.close()


def simulated(store: SqliteStore, plan: Plan, matches: Matches, game: str) -> TournamentLog:
    """The log of a simulated tournament."""
    terms = Terms(game=game, format="swiss", rounds=plan.rounds)

    async def work() -> TournamentLog:
        gate = Gate(store, store.keys, lambda: NOW, "test")
        simulation = Simulation(gate, pair, plan, terms, matches)
        try:
            return await simulation.run()
        finally:
            await simulation.finish()
            await gate.close()

    return asyncio.run(work())


def check(log: TournamentLog, plan: Plan) -> None:
    """Pairings are those of the plan alone, standings those that a TRF alone gives, and the log is whole."""
    s = log.state
    colour = first_colour(s)
    assert colour is not None
    numbers = {one.id: place for place, one in enumerate(s.numbered, 1)}
    for ours, theirs in zip(s.rounds, simulate(replace(plan, first_colour=colour)), strict=True):
        assert [(numbers[one.w], numbers[one.b]) for one in ours.boards] == [
            (one.w, one.b) for one in theirs.answer.boards
        ]
    made = standings_of(s)
    count = 1 + len(("BH/C1", "BH", "SB"))
    found = {one.number: [str(value) for value in one.values[:count]] for one in made.places}
    expected = oracle.standings(written(TrfFile(crosstable(s))))
    assert found == {number: values[:count] for _, number, values in expected}
    assert folded(None, [record.entry for record in log.records]) == s
    assert s.ended == "published"


def test_drawn_results_are_reported_and_give_the_pairings_and_standings_of_the_plan(
    store: SqliteStore,
) -> None:
    log = simulated(store, SMALL, "none", "cia_vs_kgb")
    check(log, SMALL)
    boards = [board for one in log.state.rounds for board in one.boards]
    assert all(board.ruling and board.ruling.reported and not board.opened for board in boards)
    kinds = {record.kind for record in log.records}
    assert {"paired", "round_published", "ruled", "round_closed", "bye_asked", "withdrew"} <= kinds
    assert {board.result for board in boards} & {"+-", "-+", "--"}


def test_boards_that_bots_play_are_real_matches_with_verified_results(store: SqliteStore) -> None:
    log = simulated(store, Plan(4, 1, 0.0, 0.0, 0.0, 3), "bots", "thirteen_minutes")
    boards = log.state.rounds[0].boards
    assert len(boards) == 2
    for board in boards:
        match = store.match(board.match)
        assert match is not None
        assert match.closed is not None
        assert board.outcome is not None
        assert (board.outcome.closed_move, board.confirmed) == (match.move, "verify")
        assert set(board.outcome.checked.values()) == {"ok"}
        assert match.opened.tournament is not None


@pytest.mark.long
def test_a_large_tournament_has_the_pairings_and_standings_of_its_plan(store: SqliteStore) -> None:
    plan = Plan(128, 7, 0.05, 0.03, 0.02, 7)
    check(simulated(store, plan, "none", "cia_vs_kgb"), plan)
