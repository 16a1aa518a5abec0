from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import pytest

from domain.game import Game
from domain.kernel import Result
from projections.boards import BOARDS, BoardMatch, StandingRow, Tally, TotalsRow
from projections.ratings import BEGINNER, RatingRow, Skill, rated
from tests.matches import Sitting
from tests.projections.support import MemoryRows, folded, items, seated


def boards_of(sittings: Iterable[Sitting], *, uploaded: bool = False) -> MemoryRows:
    records = chain.from_iterable(sitting.match.records for sitting in sittings)
    return folded(BOARDS, items(records, uploaded=uploaded))


def won_by(game: Game, seed: int, left: str, right: str, winner: str | None, origin: str = "live") -> Sitting:
    """A match that ends by ruling."""
    sitting = seated(game, seed, [left, right], origin=origin, bots=("bot",)).play_on(2)
    result = Result(winner, "adjudicated")
    sitting.accept(sitting.match.rule(sitting.context, "judge", "time is up", result=result))
    return sitting


def test_totals_count_played_won_by_side_and_drawn(toy_game: Game) -> None:
    winners = ("left", "left", "right", None)
    matches = [won_by(toy_game, seed, "ann", "bob", winner) for seed, winner in enumerate(winners)]
    (row,) = boards_of(matches).all(TotalsRow)
    assert (row.game, row.edition, row.pool) == ("toy", "first", "live")
    assert (row.played, row.drawn, row.void) == (4, 1, 0)
    assert row.sides == {"left": Tally(4, 2, 1), "right": Tally(4, 1, 1)}
    assert row.endings == {"ruling:adjudicated": 4}


def test_standings_count_each_player_on_each_side(toy_game: Game) -> None:
    matches = [won_by(toy_game, 1, "ann", "bob", "left"), won_by(toy_game, 2, "bob", "ann", "left")]
    resigned = seated(toy_game, 3, ["ann", "bob"]).play_on(1)
    resigned.accept(resigned.match.resign(resigned.context, "right"))
    ann, bob = boards_of([*matches, resigned]).all(StandingRow)
    assert (ann.player, ann.played, ann.won, ann.drawn) == ("ann", 3, 2, 0)
    assert ann.sides == {"left": Tally(2, 2, 0), "right": Tally(1, 0, 0)}
    assert ann.endings == {"resignation:resignation": 1, "ruling:adjudicated": 2}
    assert (bob.player, bob.played, bob.won) == ("bob", 3, 1)


def test_a_winner_gains_what_the_model_says(toy_game: Game) -> None:
    ann, bob = boards_of([won_by(toy_game, 1, "ann", "bob", "left")]).all(StandingRow)
    assert ann.skill is not None
    assert bob.skill is not None
    assert ann.skill.mu > BEGINNER.mu > bob.skill.mu
    assert ann.skill.sigma < BEGINNER.sigma
    assert ann.rating == ann.skill.shown > bob.rating


def test_the_shown_rating_starts_at_1500() -> None:
    assert BEGINNER.shown == 1500
    assert Skill(BEGINNER.mu + 1, BEGINNER.sigma).shown == 1524


def test_a_draw_leaves_equal_players_equal() -> None:
    skills = rated({"left": BEGINNER, "right": BEGINNER}, None)
    assert skills["left"] == skills["right"]
    assert skills["left"].mu == pytest.approx(BEGINNER.mu)


def test_the_order_of_closing_decides_the_rating(toy_game: Game) -> None:
    first, second = (
        won_by(toy_game, 1, "ann", "bob", "left"),
        won_by(toy_game, 2, "ann", "bob", "right"),
    )
    one = boards_of([first, second]).all(StandingRow)
    other = boards_of([second, first]).all(StandingRow)
    assert [row.skill for row in one] != [row.skill for row in other]


def test_a_rating_row_tells_what_each_match_did(toy_game: Game) -> None:
    matches = [won_by(toy_game, seed, "ann", "bob", "left") for seed in (1, 2)]
    rows = [row for row in boards_of(matches).all(RatingRow) if row.player == "ann"]
    assert rows[0].before == 1500
    assert rows[0].after == rows[1].before
    assert rows[0].closed < rows[1].closed == sum(len(sitting.match.records) for sitting in matches)


@pytest.mark.parametrize(
    ("left", "right", "origin", "pool"),
    [
        ("ann", "bob", "live", "live"),
        ("ann", "bot", "live", "bots"),
        ("ann", "ann", "live", "solo"),
        ("ann", "bob", "bots", "bots"),
        ("ann", "bob", "seeded", "seeded"),
        ("ann", "bob", "scripted", "scripted"),
        ("ann", "bob", "imported", "imported"),
    ],
)
def test_only_live_matches_between_people_are_rated(
    toy_game: Game, left: str, right: str, origin: str, pool: str
) -> None:
    rows = boards_of([won_by(toy_game, 1, left, right, "left", origin)])
    assert {row.pool for row in rows.all(TotalsRow)} == {pool}
    assert {row.pool for row in rows.all(StandingRow)} == {pool}
    is_rated = pool == "live"
    assert bool(rows.all(RatingRow)) == is_rated
    assert all(bool(row.skill) == bool(row.rating) == is_rated for row in rows.all(StandingRow))


def test_an_upload_that_calls_itself_live_is_not_rated(toy_game: Game) -> None:
    rows = boards_of([won_by(toy_game, 1, "ann", "bob", "left")], uploaded=True)
    assert {row.pool for row in rows.all(StandingRow)} == {"uploaded"}
    assert rows.all(RatingRow) == []


def test_a_void_match_counts_as_void_and_nowhere_else(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(2)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "wrong cards", void=True))
    rows = boards_of([sitting])
    (totals,) = rows.all(TotalsRow)
    assert (totals.played, totals.void) == (0, 1)
    assert rows.all(StandingRow) == []


def test_a_walkover_before_the_last_seat_was_taken_is_void(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann"])
    result = Result("left", "walkover")
    sitting.accept(sitting.match.rule(sitting.context, "judge", "nobody came", result=result))
    rows = boards_of([sitting])
    (totals,) = rows.all(TotalsRow)
    assert (totals.played, totals.void) == (0, 1)
    assert rows.all(StandingRow) == []


def test_a_takeback_counts_nothing(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(3)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=3))
    assert boards_of([sitting]).all(TotalsRow) == []
    (row,) = boards_of([sitting.play_on()]).all(TotalsRow)
    assert row.played == 1


def test_nothing_is_remembered_of_a_closed_match(toy_game: Game) -> None:
    assert boards_of([won_by(toy_game, 1, "ann", "bob", "left")]).all(BoardMatch) == []


def test_a_match_whose_players_are_only_claimed_counts_on_no_board(toy_game: Game) -> None:
    sitting = won_by(toy_game, 1, "ann", "bob", "left")
    rows = folded(BOARDS, items(sitting.match.records, uploaded=True, claimed=True))
    assert not any(rows.all(kind) for kind in BOARDS.kinds)
