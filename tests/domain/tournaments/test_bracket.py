"""OA33: a knock-out in the log: brackets, byes, several games, walkovers, decisions, corrections."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.drafts import DECIDER, drafted, options_of
from domain.tournaments.events import Qualified
from domain.tournaments.formats.knockout import BestOf
from domain.tournaments.log import codec
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import Knockout, Terms, settled
from replay.tournaments.results import explained_of, points_in, standings_of
from tests.domain.tournaments.hall import Hall, by_seed
from tests.domain.tournaments.test_knockout import PRINTED


def terms(best_of: BestOf = 1) -> Terms:
    return Terms(game="cia_vs_kgb", format="knockout", rounds=20, knockout=Knockout(best_of))


def pairs_of(s: Tournament, number: int) -> list[set[int]]:
    return [{int(name[1:]) for name in board.entrants} for board in s.rounds[number - 1].boards]


def printed_pairs(count: int, size: int) -> list[set[int]]:
    """The meetings of a printed bracket in which both seeds are there."""
    row = PRINTED[size]
    both = zip(row[::2], row[1::2], strict=True)
    return [set(pair) for pair in both if max(pair) <= count]


def check_bracket(count: int) -> None:
    hall = Hall(terms(), count)
    hall.finish()
    size = max(size for size in PRINTED if size < 2 * count)
    number = 1
    while size >= 4:
        assert pairs_of(hall.s, number) == printed_pairs(count, size)
        size, number = size // 2, number + 1
    assert pairs_of(hall.s, number) == [{1, 2}]
    assert [one.entrant for one in standings_of(hall.s).places][:2] == ["n1", "n2"]
    assert hall.refused(c.Publish(final=True)) == ""


@pytest.mark.parametrize("count", [5, 8, 13, 33])
def test_the_rounds_are_those_of_the_printed_brackets_with_byes_for_the_best(count: int) -> None:
    check_bracket(count)


@pytest.mark.long
@pytest.mark.parametrize("count", range(5, 65))
def test_the_rounds_of_every_size_are_those_of_the_printed_brackets(count: int) -> None:
    check_bracket(count)


def test_those_who_lose_in_the_same_round_share_a_place() -> None:
    hall = Hall(terms(), 6)
    hall.play()
    assert [(one.place, one.entrant) for one in standings_of(hall.s).places] == [
        (1, "n1"),
        (1, "n2"),
        (1, "n3"),
        (1, "n4"),
        (5, "n5"),
        (5, "n6"),
    ]
    hall.finish()
    found = standings_of(hall.s)
    assert [(one.place, one.entrant, one.values) for one in found.places] == [
        (1, "n1", ("3", "2")),
        (2, "n2", ("2", "1")),
        (3, "n3", ("1", "1")),
        (3, "n4", ("1", "1")),
        (5, "n5", ("0", "0")),
        (5, "n6", ("0", "0")),
    ]
    assert points_in(hall.s)["n1"] == 4
    (points,) = explained_of(hall.s, "n1")
    assert points.total == "2"


def test_the_sides_are_exchanged_and_two_level_games_are_followed_by_a_deciding_one() -> None:
    hall = Hall(terms(2), 4)
    results = {
        ("n1", "n4"): ["1-0", "1-0", "0-1"],  # n1 wins with the first colour, n4 with it, then n4 decides
        ("n2", "n3"): ["1-0", "0-1"],
    }

    def choose(s: Tournament, board: Board) -> str:
        names = tuple(sorted(board.entrants))
        return results[names].pop(0) if names in results else by_seed(s, board)

    hall.play(choose)  # type: ignore[arg-type]
    hall.play(choose)  # type: ignore[arg-type]
    first, second = hall.s.rounds
    assert [one.entrants for one in first.boards] == [("n1", "n4"), ("n3", "n2")]
    assert [one.entrants for one in second.boards] == [("n4", "n1"), ("n2", "n3")]
    hall.pair()
    boards = hall.s.rounds[2].boards
    assert [(one.entrants, one.colour_rule) for one in boards] == [(("n1", "n4"), DECIDER)]
    assert hall.s.rounds[2].byes == {"n2": "out", "n3": "through"} or hall.s.rounds[2].byes == {
        "n2": "through",
        "n3": "out",
    }


def test_the_deciding_game_has_the_options_of_the_terms() -> None:
    wanted = Terms(
        game="twilight_struggle",
        format="knockout",
        rounds=12,
        options={"tournament": True},
        knockout=Knockout(2, {"bid": "victory_points"}),
    )
    complete = settled(wanted, None)
    board = Board(1, "n1", "n2", "m")
    assert options_of(complete, board)["bid"] == "none"
    assert options_of(complete, replace(board, colour_rule=DECIDER))["bid"] == "victory_points"
    with pytest.raises(Refused) as caught:
        settled(replace(wanted, knockout=Knockout(2, {"bid": "gold"})), None)
    assert caught.value.kind == "bad-option"


def test_who_goes_on_is_written_down_and_a_corrected_result_takes_nobody_back() -> None:
    hall = Hall(terms(), 4)
    hall.play()
    hall.pair()
    went = [one.entry for one in hall.log.records if isinstance(one.entry, Qualified)]
    assert [(one.entrant, one.origin, one.to, one.rule) for one in went] == [
        ("n1", "stage/1/round/1/meeting/1", "stage/1/round/2", "games"),
        ("n2", "stage/1/round/1/meeting/2", "stage/1/round/2", "games"),
    ]
    before = hall.s.rounds[1]
    points = hall.s.score("n1"), hall.s.score("n4")
    hall.rule(1, "0-1", round_number=1)
    assert (hall.s.score("n1"), hall.s.score("n4")) == (points[1], points[0])
    assert hall.s.rounds[1] == before
    bracket = hall.s.bracket
    assert bracket is not None
    assert {*bracket.rounds[1][0].entrants} == {"n1", "n2"}
    assert hall.refused(c.Advance(decided=("n4",), reason="the result was wrong")) == "contest-over"
    hall.rule(1, "1-0")
    hall.do(c.CloseRound(round=2))
    assert hall.s.status == "finished"
    assert {one.entrant for one in standings_of(hall.s).places[:2]} == {"n1", "n2"}


def test_a_result_that_is_corrected_before_the_next_pairing_decides() -> None:
    hall = Hall(terms(), 4)
    hall.play()
    hall.rule(1, "0-1")
    hall.pair()
    assert {*hall.s.rounds[1].boards[0].entrants} == {"n4", "n2"}


def test_a_withdrawal_is_a_walkover_and_two_leave_an_empty_place() -> None:
    hall = Hall(terms(2), 8)
    hall.do(c.Withdraw(entrant="n8"))
    assert len(hall.s.numbered) == 7
    hall.play()  # n1 is free; 4-5, 2-7, 3-6
    hall.do(c.Withdraw(entrant="n4"))
    hall.do(c.Withdraw(entrant="n7"))
    hall.do(c.Withdraw(entrant="n2"))
    hall.play()
    assert [{*one.entrants} for one in hall.s.rounds[1].boards] == [{"n3", "n6"}]
    hall.play()
    assert [{*one.entrants} for one in hall.s.rounds[2].boards] == [{"n1", "n5"}]
    hall.finish()
    bracket = hall.s.bracket
    assert bracket is not None
    assert bracket.champion == "n1"
    nobody = [one.entry for one in hall.log.records if isinstance(one.entry, Qualified)]
    assert [one.rule for one in nobody if one.entrant == ""] == ["walkover"]


def test_level_games_wait_for_a_decision_with_a_reason() -> None:
    hall = Hall(terms(1), 4)
    draw = lambda s, board: "½" if "n1" in board.entrants else by_seed(s, board)  # noqa: E731
    hall.play(draw)
    hall.play(draw)
    with pytest.raises(Refused) as caught:
        hall.pair()
    assert caught.value.id == "contest-tied"
    assert hall.refused(c.Advance(decided=("n1",))) == "decided-without-reason"
    assert hall.refused(c.Advance(decided=("n99",), reason="lot")) == "no-such-entrant"
    assert hall.refused(c.Advance()) == "nobody-goes-on"
    hall.do(c.Advance(decided=("n4",), reason="the better tie-break"))
    hall.pair()
    assert {*hall.s.rounds[2].boards[0].entrants} == {"n4", "n2"}


def test_bad_input_is_refused_by_name() -> None:
    hall = Hall(replace(terms(3), rounds=5), 4)
    with pytest.raises(Refused) as caught:
        hall.pair()
    assert caught.value.id == "bracket-rounds"
    hall = Hall(terms(), 4)
    assert hall.refused(c.AskBye(round=1, entrant="n1")) == "no-byes-in-knockout"
    hall.pair()
    with pytest.raises(Refused) as caught:
        hall.pair()
    assert caught.value.id == "contest-unfinished"
    with pytest.raises(Refused) as caught:
        Hall(terms(), 1).pair()
    assert caught.value.id == "bracket-size"
    for wrong in (
        replace(terms(), accelerated=True),
        replace(terms(), late_rounds=1),
        replace(terms(), cycles=2),
        Terms(game="cia_vs_kgb", format="swiss", rounds=3, knockout=Knockout()),
    ):
        with pytest.raises(Refused) as caught:
            settled(wrong, None)
        assert caught.value.kind == "terms"


def test_another_pairing_than_the_due_one_is_refused() -> None:
    hall = Hall(terms(), 4)
    due = drafted(hall.s, 1)
    forged = replace(due, boards=(("n1", "n2", "", "game 1"), ("n3", "n4", "", "game 1")))
    assert hall.refused(c.Pair(round=1, draft=forged)) == "not-the-due-pairing"
    hall.do(c.Pair(round=1, draft=due))
    hall.do(c.Pair(round=1, draft=due))
    change = c.ChangePairing(round=1, boards=(c.Pairing("n1", "n2"),), reason="other", text="x")
    assert hall.refused(change) == "paired-by-rule"
    hall.do(c.Withdraw(entrant="n4"))
    assert hall.refused(c.PublishRound(round=1)) == "pair-again"
    hall.do(c.Pair(round=1, draft=drafted(hall.s, 1)))
    hall.do(c.PublishRound(round=1))
    assert [one.entrants for one in hall.s.rounds[0].boards] == [("n3", "n2")]


def test_a_stored_knock_out_is_read_as_it_was() -> None:
    hall = Hall(terms(3), 5)
    hall.finish()
    fresh = [codec().read(hall.log.id, one.move, one.stored) for one in hall.log.records]
    found = type(hall.log).project(fresh)
    assert found is not None
    assert found.state == hall.s
    assert hall.s.status == "finished"
