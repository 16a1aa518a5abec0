from __future__ import annotations

from typing import ClassVar

import msgspec
import pytest
from msgspec import Raw

from domain.game import Game
from domain.kernel import AnyFact, Ended, Fact
from domain.log import canonical
from projections import summary
from projections.summary import LeadChanged, Over, Play, Summary, Turn, Turned, leader
from tests.domain.toy import BidsOpened, Rolled, RoundBegan, RoundEnded, State, Waved


def play(move: int, *facts: AnyFact, seat: str | None = "left") -> tuple[Play, tuple[AnyFact, ...]]:
    raw = tuple(Raw(canonical(fact)) for fact in facts)
    return Play(move, raw, seat, "Turn", ("stop",)), facts


def told(game: Game, *plays: tuple[Play, tuple[AnyFact, ...]]) -> tuple[Turn, ...]:
    return summary.summarized(game, game.table(*game.settle(None, {})), plays).turns


def test_the_set_up_opens_the_first_turn(toy_game: Game) -> None:
    turns = told(toy_game, play(3, RoundBegan(1), seat=None))
    (turn,) = turns
    assert (turn.number, turn.first, turn.last, turn.ended) == (1, 3, 3, False)
    assert turn.before == turn.after == {"left": 0, "right": 0}
    assert turn.plays[0].seat is None


def test_plays_are_collected_with_the_score_before_and_after(toy_game: Game) -> None:
    turns = told(toy_game, play(4, Rolled("left", 5, 5)), play(5, Rolled("right", 2, 2), seat="right"))
    (turn,) = turns
    assert [(play.move, play.seat) for play in turn.plays] == [(4, "left"), (5, "right")]
    assert (turn.before, turn.after) == ({"left": 0, "right": 0}, {"left": 5, "right": 2})
    assert bytes(turn.plays[1].facts[0]) == b'{"die":2,"fact":"Rolled","now":2,"seat":"right"}'


def test_what_follows_the_end_of_a_turn_opens_the_next(toy_game: Game) -> None:
    turns = told(toy_game, play(4, Rolled("left", 3, 3), RoundEnded(1), RoundBegan(2)))
    first, second = turns
    assert (first.ended, second.ended, second.number) == (True, False, 2)
    assert (first.first, first.last, second.first) == (4, 4, 4)
    assert second.before == first.after == {"left": 3, "right": 0}
    assert (second.plays[0].seat, second.plays[0].ask, second.plays[0].picks) == (None, "", None)
    assert [len(play.facts) for play in (*first.plays, *second.plays)] == [2, 1]


def test_the_next_turn_waits_for_its_first_fact(toy_game: Game) -> None:
    turns = told(toy_game, play(4, RoundEnded(1)))
    assert [turn.ended for turn in turns] == [True]
    turns = told(toy_game, play(4, RoundEnded(1)), play(5, Waved("left")))
    assert [(turn.number, turn.first) for turn in turns] == [(1, 4), (2, 5)]


def test_the_end_of_the_match_stays_with_its_turn(toy_game: Game) -> None:
    turns = told(toy_game, play(4, RoundEnded(1), Ended("left", "points")))
    (turn,) = turns
    assert turn.ended
    assert len(turn.plays[0].facts) == 2


def test_several_turns_in_one_move_are_kept_apart(toy_game: Game) -> None:
    facts: tuple[AnyFact, ...] = (RoundEnded(1), RoundBegan(2), RoundEnded(2), Ended(None, "points"))
    turns = told(toy_game, play(4, *facts))
    assert [(turn.number, len(turn.plays[0].facts)) for turn in turns] == [(1, 1), (2, 3)]


def test_who_takes_the_lead_is_a_turning_point(toy_game: Game) -> None:
    turns = told(
        toy_game,
        play(4, Rolled("left", 2, 2)),
        play(5, Rolled("right", 2, 2)),
        play(6, Rolled("right", 3, 5)),
    )
    assert turns[0].points == (LeadChanged(4, "left", None), LeadChanged(6, "right", "left"))


def test_a_tie_does_not_change_the_lead(toy_game: Game) -> None:
    turns = told(
        toy_game, play(4, Rolled("left", 2, 2)), play(5, Rolled("right", 2, 2)), play(6, Rolled("left", 1, 3))
    )
    assert turns[0].points == (LeadChanged(4, "left", None),)


class Stepped(Fact[State], frozen=True):
    """A fact that moves tracks of the table: the round, and the points of a seat."""

    round: int
    left: int

    def marks(self) -> tuple[tuple[str, int], ...]:
        return (("round", self.round), ("points/left", self.left))


def test_a_path_begins_where_its_track_stood_before_the_turn(toy_game: Game) -> None:
    turns = told(
        toy_game, play(4, Stepped(0, 2), Stepped(1, 2), Stepped(3, 1), RoundEnded(1)), play(5, Waved("left"))
    )
    first, second = turns
    assert first.paths == {"round": (0, 1, 3), "points/left": (0, 2, 1)}
    assert second.paths == {"round": (3,), "points/left": (1,)}


class Revolution(Waved, frozen=True):
    """A fact that its game marks as turning."""

    turning: ClassVar[bool] = True


def test_a_fact_that_the_game_marks_is_a_turning_point(toy_game: Game) -> None:
    turns = told(toy_game, play(4, BidsOpened({}), Revolution("left")))
    assert turns[0].points == (Turned(4, 1),)


def test_the_close_is_the_last_turning_point(toy_game: Game) -> None:
    turns = told(toy_game, play(4, Waved("left")))
    over = Over(6, "resignation", "right", "resignation")
    (turn,) = Summary(turns, ()).closed(over).turns
    assert (turn.points, turn.last, turn.ended) == ((over,), 6, True)


def test_a_match_that_closes_before_it_began_has_no_turns() -> None:
    assert Summary((), ()).closed(summary.over(2, "ruling", None)).turns == ()


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ({"left": 1, "right": 0}, "left"),
        ({"left": 1, "right": 1}, None),
        ({"left": -2, "right": -1}, "right"),
        ({}, None),
    ],
)
def test_who_leads(score: dict[str, int], expected: str | None) -> None:
    assert leader(score) == expected


def test_a_turn_survives_json(toy_game: Game) -> None:
    turn = told(toy_game, play(4, Rolled("left", 2, 2)))[0]
    encoded = msgspec.json.encode(turn)
    assert msgspec.json.encode(msgspec.json.decode(encoded, type=summary.Turn)) == encoded
