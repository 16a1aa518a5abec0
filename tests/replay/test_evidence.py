"""The evidence of a match: who asked for takebacks, who thought longest, and whose root is of another log."""

from __future__ import annotations

from domain.clocks import SECOND
from domain.game import Game
from replay.evidence import Deed, SeatEvidence, Think, deeds, evidence_of, held
from tests.domain.swap import DARK, LIGHT
from tests.domain.test_clocks import CLOCKS, answer, at, begun
from tests.domain.test_officials import accept, player
from tests.matches import Sitting


def test_takebacks_answers_and_the_longest_think_are_counted_for_each_player(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["increment"])
    match = sitting.match
    answer(sitting, 13, "left", "2")  # move 4, asked at 3 s
    for number, agree in enumerate((False, True)):
        accept(sitting, 20 + 2 * number, "ask_takeback", "left", 3)
        accept(sitting, 21 + 2 * number, "answer_takeback", "right", match.move, agree)
    answer(sitting, 83, "right", "1")  # move 10, asked by the takeback at 23 s
    told = evidence_of(match)
    assert told == {
        "left": SeatEvidence(1, (5, 7), (7,), (5,), Think(10 * SECOND, 4)),
        "right": SeatEvidence(1, (), (), (), Think(60 * SECOND, 10)),
    }


def test_a_player_keeps_what_they_did_when_players_change_places(swap_game: Game) -> None:
    sitting = Sitting(swap_game, terms=CLOCKS["bank"]).seat_all()
    answer(sitting, 13, DARK, LIGHT)
    answer(sitting, 43, LIGHT, DARK)
    told = evidence_of(sitting.match)
    assert {seat: one.longest_think for seat, one in told.items()} == {
        DARK: Think(10 * SECOND, 4),
        LIGHT: Think(40 * SECOND, 5),
    }


def test_what_officials_did_stands_in_order_with_gifts(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["increment"])
    accept(sitting, 4, "set_clock", "left", player(sitting, "right"), more=SECOND)
    accept(sitting, 5, "freeze", "judge", "a dispute", frozen=True)
    accept(sitting, 6, "rule", "judge", "a forged hand", void=True)
    when = at(sitting, 4).now
    assert when is not None
    assert list(deeds(sitting.match)) == [
        Deed(4, "clock_set", when, player(sitting, "right"), ""),
        Deed(5, "frozen", when + SECOND, "judge", "a dispute"),
        Deed(6, "ruled", when + 2 * SECOND, "judge", "a forged hand"),
    ]


def test_a_kept_root_is_equal_behind_ahead_or_forked(toy_game: Game) -> None:
    sitting = begun(toy_game)
    match = sitting.match
    assert held(match, 3, match.roots[2]) == "equal"
    assert held(match, 2, match.roots[1]) == "behind"
    assert held(match, 2, match.roots[2]) == "forked"
    assert held(match, 4, match.roots[2]) == "ahead"
