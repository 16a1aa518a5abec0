from __future__ import annotations

import pytest

from domain.game import Game
from domain.kernel import Result
from projections.history import HISTORY, HistoryMatch, SeatingRow, outcome
from tests.matches import Sitting
from tests.projections.support import folded, items, seated


def seatings_of(sitting: Sitting) -> dict[str, SeatingRow]:
    rows = folded(HISTORY, items(sitting.match.records)).all(SeatingRow)
    return {row.player: row for row in rows}


def test_a_running_match_stands_in_the_history_of_both(toy_game: Game) -> None:
    rows = seatings_of(seated(toy_game, 1, ["ann", "bob"]).play_on(2))
    assert {player: (row.seat, row.outcome) for player, row in rows.items()} == {
        "ann": ("left", "running"),
        "bob": ("right", "running"),
    }


def test_one_has_won_and_the_other_lost(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(2)
    sitting.accept(sitting.match.resign(sitting.context, "left"))
    rows = seatings_of(sitting)
    assert (rows["ann"].outcome, rows["bob"].outcome) == ("lost", "won")
    assert (rows["ann"].by, rows["ann"].reason) == ("resignation", "resignation")
    assert rows["ann"].score == {"left": 0, "right": 0}
    assert rows["ann"].moves == sitting.match.move
    assert rows["ann"].closed_at == sitting.match.records[-1].entry.at


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (Result("left", "points"), "won"),
        (Result("right", "points"), "lost"),
        (Result(None, "points"), "drawn"),
        (None, "void"),
    ],
)
def test_what_a_result_means_for_a_seat(result: Result | None, expected: str) -> None:
    assert outcome(result, "left") == expected


def test_a_takeback_leaves_the_match_running(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(3)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=3))
    assert seatings_of(sitting)["ann"].outcome == "running"


def test_nothing_is_remembered_of_a_closed_match(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on()
    assert folded(HISTORY, items(sitting.match.records)).all(HistoryMatch) == []
