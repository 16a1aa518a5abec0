"""Two players change places: the read models count for who plays a seat, also after going back."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.game import Game
from domain.kernel import Result
from domain.match import Match
from projections.boards import BOARDS, BoardMatch, StandingRow, Tally
from projections.history import HISTORY, SeatingRow
from projections.matches import MATCHES, ExchangesRow, MatchRow, SeatRow
from projections.model import Projection
from projections.ratings import RatingRow
from projections.runner import PROJECTIONS, Runner
from tests.domain.swap import DARK, LIGHT
from tests.matches import Sitting
from tests.projections.support import (
    FakeSource,
    Hall,
    MemoryRows,
    caught_up,
    dumped,
    folded,
    items,
)

SEATED = {DARK: "ann", LIGHT: "bob"}
EXCHANGED = {DARK: "bob", LIGHT: "ann"}


def seated(game: Game, *, lots: bool = False, bot: bool = False) -> Sitting:
    sitting = Sitting(game, options={"lots": lots})
    for seat, player in SEATED.items():
        name = "random" if bot and player == "bob" else ""
        sitting.accept(sitting.match.sit(sitting.context, seat, player, salt=None, bot=name, source=None))
    return sitting


def exchanged(game: Game, *, bot: bool = False) -> Sitting:
    """Each wished for the other's seat; move 5 settled it."""
    sitting = seated(game, bot=bot)
    sitting.answer(DARK, LIGHT)
    sitting.answer(LIGHT, DARK)
    return sitting


def back(sitting: Sitting, to: int) -> Sitting:
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misheard", back_to=to))
    return sitting


def rows_of(projection: Projection, sitting: Sitting) -> MemoryRows:
    return folded(projection, items(sitting.match.records))


def listed(sitting: Sitting) -> MatchRow:
    (row,) = rows_of(MATCHES, sitting).all(MatchRow)
    return row


def seatings(sitting: Sitting) -> dict[str, tuple[str, str]]:
    """For each player the seat and the outcome."""
    return {row.player: (row.seat, row.outcome) for row in rows_of(HISTORY, sitting).all(SeatingRow)}


def standings(sitting: Sitting) -> dict[str, StandingRow]:
    return {row.player: row for row in rows_of(BOARDS, sitting).all(StandingRow)}


def test_the_list_names_who_plays_each_seat_now(swap_game: Game) -> None:
    assert listed(seated(swap_game)).seats == SEATED
    assert listed(exchanged(swap_game)).seats == EXCHANGED
    assert listed(back(exchanged(swap_game), 4)).seats == SEATED


def test_a_bot_of_the_list_changes_its_seat(swap_game: Game) -> None:
    row = listed(exchanged(swap_game, bot=True))
    assert (row.seats, row.bots) == (EXCHANGED, {DARK: "random"})


def test_a_match_is_found_by_its_players_as_before(swap_game: Game) -> None:
    rows = rows_of(MATCHES, exchanged(swap_game)).all(SeatRow)
    assert {row.player for row in rows} == {"ann", "bob"}


def test_exchanges_are_remembered_until_the_end(swap_game: Game) -> None:
    sitting = back(exchanged(swap_game), 4)
    assert rows_of(MATCHES, sitting).all(ExchangesRow) == [ExchangesRow(match="m1", moves=(5, 7))]
    sitting.accept(sitting.match.resign(sitting.context, DARK))
    assert rows_of(MATCHES, sitting).all(ExchangesRow) == []


def test_a_result_counts_for_who_played_the_side(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.answer(DARK, "win")
    assert seatings(sitting) == {"ann": (LIGHT, "lost"), "bob": (DARK, "won")}
    found = standings(sitting)
    assert found["bob"].sides == {DARK: Tally(1, 1, 0)}
    assert found["ann"].sides == {LIGHT: Tally(1, 0, 0)}
    assert found["bob"].rating > found["ann"].rating


def test_a_resignation_counts_against_who_played_the_side(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.accept(sitting.match.resign(sitting.context, DARK))
    assert seatings(sitting) == {"ann": (LIGHT, "won"), "bob": (DARK, "lost")}


def test_a_ruling_back_before_the_exchange_makes_the_result_count_as_they_sat_down(swap_game: Game) -> None:
    sitting = back(exchanged(swap_game), 3)
    sitting.answer(DARK, DARK)
    sitting.answer(LIGHT, LIGHT)
    sitting.answer(DARK, "win")
    assert seatings(sitting) == {"ann": (DARK, "won"), "bob": (LIGHT, "lost")}
    assert standings(sitting)["ann"].sides == {DARK: Tally(1, 1, 0)}


def test_an_agreed_takeback_of_an_exchange_undoes_it(swap_game: Game) -> None:
    sitting = exchanged(swap_game)
    sitting.answer(DARK, "swap")
    assert listed(sitting).seats == SEATED
    sitting.accept(sitting.match.ask_takeback(sitting.context, LIGHT))
    sitting.accept(sitting.match.answer_takeback(sitting.context, DARK, 7, True))
    assert listed(sitting).seats == EXCHANGED
    sitting.answer(DARK, "win")
    assert seatings(sitting)["bob"] == (DARK, "won")


def test_an_exchange_by_the_set_up_counts_too(swap_game: Game) -> None:
    sitting = seated(swap_game, lots=True)
    assert listed(sitting).seats == EXCHANGED
    assert seatings(sitting) == {"ann": (LIGHT, "running"), "bob": (DARK, "running")}
    sitting.accept(sitting.match.rule(sitting.context, "judge", "late", result=Result(DARK, "adjudicated")))
    assert seatings(sitting) == {"ann": (LIGHT, "lost"), "bob": (DARK, "won")}
    rated = {row.player: row.after - row.before for row in rows_of(BOARDS, sitting).all(RatingRow)}
    assert rated["bob"] > rated["ann"]


@pytest.mark.parametrize("seed", range(4))
def test_after_every_move_each_read_model_agrees_with_the_match(swap_game: Game, seed: int) -> None:
    """Random matches with takebacks and rulings."""
    log = Hall([swap_game], 6, seed).play()
    rows = {projection.name: MemoryRows() for projection in (MATCHES, HISTORY, BOARDS)}
    matches: dict[str, Match] = {}
    exchanges = 0
    for item in log:
        for projection in (MATCHES, HISTORY, BOARDS):
            folded(projection, [item], rows[projection.name])
        match = Match.project(matches.get(item.record.match), [item.record])
        assert match is not None
        matches[match.id] = match
        players = {seat: seated.player for seat, seated in match.players.items() if seated}
        row = rows["matches"].get(MatchRow, match.id)
        assert row is not None
        assert {seat: player for seat, player in row.seats.items() if player} == players
        seatings = rows["history"].under(SeatingRow, match.id)
        assert {seating.seat: seating.player for seating in seatings} == players
        board = rows["boards"].get(BoardMatch, match.id)
        assert match.closed or (board is not None and board.players == players)
        exchanges += match.positions[-1].table.exchanged
    assert exchanges


@pytest.mark.parametrize("batch", [1, 7, 1_000])
def test_a_rebuild_gives_the_same_rows(swap_game: Game, tmp_path: Path, batch: int) -> None:
    log = Hall([swap_game], 12, seed=3).play()
    runner = Runner(FakeSource(log), tmp_path / "read.db", batch=batch)
    runner.catch_up()
    live = dumped(tmp_path / "read.db")
    for projection in PROJECTIONS:
        runner.rebuild(projection.name)
    runner.catch_up()
    runner.stop()
    assert dumped(tmp_path / "read.db") == live
    caught_up(log, tmp_path / "fresh.db")
    assert dumped(tmp_path / "fresh.db") == live
