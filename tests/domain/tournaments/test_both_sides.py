"""Pairs that play both sides: two matches on two boards, whose points together decide."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Literal

import pytest
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.crosstable import Cell, cell_of, problem, score
from domain.tournaments.crosstables import crosstable, table_for_pairing
from domain.tournaments.drafts import drafted
from domain.tournaments.events import Result
from domain.tournaments.formats.cut import Ranked
from domain.tournaments.judging import THE_HOUSE, Actor
from domain.tournaments.measures import running_boards
from domain.tournaments.state import Tournament
from domain.tournaments.terms import BOTH, League, Points, Stage, Terms, settled
from domain.tournaments.totals import total
from replay.tournaments.csv_tables import boards_csv
from tests.domain.tournaments.hall import Hall
from tests.domain.tournaments.random_play import NOW, greedy

ROBIN = Terms(game="cia_vs_kgb", format="round_robin", rounds=9, sides=BOTH)
SWISS = replace(ROBIN, format="swiss")


def refusal(terms: Terms) -> str:
    with pytest.raises(Refused) as caught:
        settled(terms, None)
    return caught.value.id


def numbers(s: Tournament) -> list[tuple[int, str, str]]:
    """The boards of the latest round: number and entrants."""
    return [(board.number, board.w, board.b) for board in s.rounds[-1].boards]


def ruled(hall: Hall, results: Sequence[Result]) -> None:
    """Decide the first boards of the latest round."""
    for board, result in enumerate(results, 1):
        hall.rule(board, result)


def cells(s: Tournament, round_number: int = 1) -> dict[str, Cell]:
    """The cells of a round, by entrant."""
    table = crosstable(s)
    assert problem(table) is None
    return {line.entrant: cell_of(line, round_number) for line in table.lines}


# ── terms ──


def test_both_sides_need_a_format_with_rounds_of_pairs_and_room_for_the_boards() -> None:
    assert settled(ROBIN, None).sides == BOTH
    assert refusal(replace(ROBIN, format="knockout")) == "both-sides-of-knockout"
    stages = (Stage("swiss", 3), Stage("knockout", 6, 2))
    assert refusal(replace(ROBIN, format="stages", stages=stages)) == "both-sides-of-knockout"
    assert refusal(replace(ROBIN, most_entrants=501)) == "both-sides-entrants"
    assert refusal(replace(ROBIN, sides="colours", tie_breaks=("GP",))) == "game-points-of-one-match"
    assert settled(replace(ROBIN, tie_breaks=("GP", "DE")), None).tie_breaks == ("GP", "DE")


def test_the_sides_are_settled_before_the_first_pairing() -> None:
    hall = Hall(replace(ROBIN, sides="colours"), 4)
    hall.do(c.ChangeTerms(path="sides", value='"both"', reason="by request"))
    hall.pair()
    assert len(hall.s.rounds[0].boards) == 4
    assert hall.refused(c.ChangeTerms(path="sides", value='"colours"', reason="too long")) != ""


def test_the_boards_of_an_entrant_are_those_of_the_round_as_it_is_now() -> None:
    # given a round in which the boards of all entrants were looked up
    hall = Hall(ROBIN, 4)
    hall.pair()
    before = hall.s.rounds[0]
    first = before.boards[0]
    assert [one.number for one in before.boards_of(first.w)] == [1, 2]
    assert before.boards_of("n9") == ()

    # when one of them is decided
    hall.rule(2, "1-0")

    # then the round has the result, what was known before has none, and no lookup counts as a difference
    assert [one.result for one in hall.s.rounds[0].boards_of(first.w)] == ["", "1-0"]
    assert [one.result for one in before.boards_of(first.w)] == ["", ""]
    assert replace(before) == before


# ── what two matches come to ──


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("1-0", "1-0", "1-0"),
        ("1-0", "½", "1-0"),
        ("½", "0-1", "0-1"),
        ("0-1", "1-0", "½"),
        ("½", "½", "½"),
        ("0-0", "0-0", "0-0"),
        ("0-0", "1-0", "1-0"),
        ("+-", "1-0", "1-0"),
        ("+-", "0-1", "½"),
        ("+-", "+-", "+-"),
        ("-+", "--", "-+"),
        ("--", "--", "--"),
        ("--", "0-0", "0-0"),
        ("+-", "-+", "½"),
        ("1-0", "", ""),
        ("", "--", ""),
    ],
)
def test_the_points_of_both_matches_decide(first: str, second: str, together: str) -> None:
    assert total(Points(), [first, second]) == together
    assert total(Points(), [second, first]) == together


def test_the_points_are_those_of_the_terms() -> None:
    points = Points(win=6, draw=2, loss=1)
    assert total(points, ["1-0", "0-1"]) == "½"
    assert total(points, ["+-", "0-1"]) == "1-0"  # a lost forfeit is worth nothing, a lost match something


# ── pairing ──


def test_each_pair_of_a_round_robin_has_two_boards_with_the_sides_exchanged() -> None:
    hall = Hall(ROBIN, 5)
    hall.pair()
    assert numbers(hall.s) == [(1, "n2", "n5"), (2, "n5", "n2"), (3, "n3", "n4"), (4, "n4", "n3")]
    assert dict(hall.s.rounds[0].byes) == {"n1": "pairing_bye"}
    assert hall.s.last_round == 5
    assert len({board.match for board in hall.s.rounds[0].boards}) == 4
    assert [board.number for board in hall.s.rounds[0].boards_of("n4")] == [3, 4]
    assert hall.s.rounds[0].boards_of("n1") == ()


def test_a_draft_without_the_second_board_or_with_the_same_sides_twice_is_refused() -> None:
    hall = Hall(SWISS, 4)
    draft = greedy(hall.s)
    once = draft.boards[::2]
    twice = tuple(board for board in once for _ in range(2))
    apart = (*once, *((b, w, *why) for w, b, *why in once))
    for boards in (once, twice, apart, draft.boards[:-1]):
        forged = replace(draft, boards=boards)
        assert hall.refused(c.Pair(round=1, draft=forged)) == "not-both-sides"
    hall.do(c.Pair(round=1, draft=draft))
    table = Hall(ROBIN, 4)
    due = drafted(table.s, 1)
    assert table.refused(c.Pair(round=1, draft=replace(due, boards=due.boards[::2]))) != ""


def test_an_official_pairs_by_hand_and_each_pair_still_plays_both_sides() -> None:
    hall = Hall(SWISS, 4)
    hall.do(c.Pair(round=1, draft=greedy(hall.s)))
    pairs = (c.Pairing("n4", "n1"), c.Pairing("n2", "n3"))
    hall.do(c.ChangePairing(round=1, boards=pairs, reason="request", text="They agreed."))
    assert numbers(hall.s) == [(1, "n4", "n1"), (2, "n1", "n4"), (3, "n2", "n3"), (4, "n3", "n2")]
    both = (*pairs, c.Pairing("n1", "n4"))
    assert hall.refused(c.ChangePairing(round=1, boards=both, reason="request", text="x")) == "everybody-once"


def test_nobody_meets_twice_but_those_who_forfeited_both_matches() -> None:
    hall = Hall(SWISS, 3)
    hall.do(c.Pair(round=1, draft=greedy(hall.s)))
    hall.do(c.PublishRound(round=1))
    ruled(hall, ("+-", "+-"))  # each came once
    hall.do(c.CloseRound(round=1))
    hall.do(c.Withdraw(entrant="n3"))
    cell = cells(hall.s)["n1"]
    assert (cell.kind, cell.outcome, cell.rated) == ("played", "draw", False)
    assert hall.refused(c.Pair(round=2, draft=greedy(hall.s))) == "rematch"
    hall.do(c.ReopenRound(round=1, reason="a mistake"))
    hall.rule(2, "-+")  # one did not come at all
    assert hall.s.result_of(hall.s.rounds[0].pairs[0]) == "+-"
    assert cells(hall.s)["n1"].kind == "forfeit"
    hall.do(c.CloseRound(round=1))
    hall.do(c.Pair(round=2, draft=greedy(hall.s)))


# ── scores and standings ──


def test_a_round_is_won_by_the_points_of_both_matches_and_counts_as_one() -> None:
    hall = Hall(ROBIN, 4)
    hall.pair()  # n1 - n4, n2 - n3
    ruled(hall, ("1-0", "½", "1-0"))
    found = cells(hall.s)
    assert (found["n1"].kind, found["n1"].outcome, found["n1"].colour) == ("played", "win", "w")
    assert (found["n4"].outcome, found["n1"].game_points, found["n4"].game_points) == ("loss", 3, 1)
    assert (found["n2"].kind, found["n2"].game_points) == ("pending", 2)
    assert [hall.s.score(name) for name in ("n1", "n4", "n2", "n3")] == [2, 0, 0, 0]
    hall.rule(4, "1-0")  # n3 has the first colour on board 4
    assert [hall.s.score(name) for name in ("n2", "n3")] == [1, 1]
    assert cells(hall.s)["n3"].outcome == "draw"


def test_a_late_ruling_on_one_match_changes_what_both_come_to() -> None:
    hall = Hall(ROBIN, 4)
    hall.play(lambda s, board: "1-0")
    assert [hall.s.score(name) for name in ("n1", "n4")] == [1, 1]
    hall.pair()
    hall.rule(2, "½", round_number=1)
    assert [hall.s.score(name) for name in ("n1", "n4")] == [2, 0]


def test_a_round_stays_open_while_one_of_two_matches_is_unfinished() -> None:
    hall = Hall(ROBIN, 4)
    hall.pair()
    ruled(hall, ("1-0", "1-0", "1-0"))
    assert hall.refused(c.CloseRound(round=1)) == "boards-unfinished"
    policy = c.BoardPolicy(4, "forfeit", "-+")
    closing = c.CloseRound(round=1, boards=(policy,))
    hall.do(closing)
    assert hall.refused(c.Pair(round=2, draft=drafted(hall.s, 2))) == "boards-unfinished"
    hall.rule(4, "-+")  # as the house does when the match's gate took it
    assert cells(hall.s)["n2"].outcome == "win"


def test_an_adjourned_second_match_counts_as_drawn_for_the_pairing_and_not_in_standings() -> None:
    hall = Hall(SWISS, 4)
    hall.do(c.Pair(round=1, draft=greedy(hall.s)))
    hall.do(c.PublishRound(round=1))
    ruled(hall, ("1-0", "½", "½"))
    w, b = hall.s.rounds[0].boards[2].entrants
    hall.do(c.CloseRound(round=1, boards=(c.BoardPolicy(4, "adjourn"),)))
    assert cells(hall.s)[w].kind == "pending"
    paired = {line.entrant: line.cells[0] for line in table_for_pairing(hall.s, 2).lines}
    assert (paired[w].outcome, paired[b].outcome) == ("draw", "draw")
    hall.rule(3, "1-0", round_number=1)
    paired = {line.entrant: line.cells[0] for line in table_for_pairing(hall.s, 2).lines}
    assert (paired[w].outcome, paired[b].outcome) == ("win", "loss")


def test_who_withdraws_between_two_matches_keeps_the_first_and_is_paired_no_more() -> None:
    hall = Hall(ROBIN, 4)
    hall.pair()
    hall.rule(1, "0-1")
    hall.do(c.Withdraw(entrant="n4", reason="ill"))
    assert hall.refused(c.CloseRound(round=1)) == "boards-unfinished"
    ruled(hall, ("0-1", "-+", "½", "½"))
    hall.do(c.CloseRound(round=1))
    assert (cells(hall.s)["n4"].outcome, hall.s.score("n4")) == ("draw", 1)
    hall.pair()
    assert hall.s.rounds[1].boards_of("n4") == ()
    assert running_boards(hall.s, "n4") == []


@pytest.mark.parametrize("sides", ["colours", BOTH])
@pytest.mark.parametrize("result", ["1-0", "½", "0-0", "+-", "--"])
def test_points_are_those_of_the_crosstable_also_if_a_loss_is_worth_some(
    sides: Literal["colours", "both"], result: Result
) -> None:
    # given terms by which a lost game is worth a point, and who does not come has none
    worth = Points(win=6, draw=4, loss=2)
    hall = Hall(replace(ROBIN, sides=sides, points=worth), 4)

    # when all boards of a round have the same result
    hall.play(lambda s, board: result)

    # then the points of all entrants are those that the standings count
    table = crosstable(hall.s)
    assert {one.entrant: score(table, one) for one in table.lines} == {
        name: hall.s.score(name) for name in hall.s.entrants
    }
    if result in ("0-0", "--"):
        assert hall.s.score("n1") == (worth.loss if result == "0-0" else 0)


def test_only_a_player_of_a_match_gives_a_root_of_it_with_a_call() -> None:
    # given two pairs whose matches are open
    hall = Hall(ROBIN, 4)
    hall.pair()
    match = hall.s.rounds[0].boards[0].match
    hall.do(c.OpenBoard(round=1, board=1, match=match, root="A" * 43 + "="), THE_HOUSE)
    root = c.CallArbiter(text="look", round=1, board=1, held_move=2, held_root="A" * 43 + "=")
    inside, outside = (Actor(hall.s.entrants[name].player, "player") for name in ("n1", "n2"))

    # when one who plays another match gives a root of it, it is refused, and no entry is added
    before = hall.s.entry
    with pytest.raises(Refused) as caught:
        hall.do(root, outside)
    assert (caught.value.kind, caught.value.id) == ("interest", "held-root-of-others")
    assert hall.s.entry == before

    # then they may still call the arbiter about that board, and its players give the root
    hall.do(replace(root, held_move=None, held_root=None), outside)
    hall.do(root, inside)
    assert [call.held_move for call in hall.s.standing_calls] == [0, 2]


def test_the_table_of_boards_has_the_points_of_both_boards_of_a_pair() -> None:
    # given a pair with both results, one with one of them
    hall = Hall(ROBIN, 4)
    hall.pair()
    ruled(hall, ("1-0", "½", "0-1"))

    # when the boards are written as CSV
    table = list(csv.DictReader(io.StringIO(boards_csv(hall.s, hall.s.rounds, {}), newline="")))

    # then each line has the points of its own entrants, as soon as there are both
    assert [(one["w_total"], one["b_total"]) for one in table] == [
        ("1.5", "0.5"),
        ("0.5", "1.5"),
        ("", ""),
        ("", ""),
    ]
    assert "w_total" not in boards_csv(Hall(replace(SWISS, sides="colours"), 4).s, [], {})


# ── league ──


def test_a_league_plays_both_sides_in_each_division_and_in_its_play_offs() -> None:
    league = replace(ROBIN, format="league", league=League((2, 2), 1, 1))
    hall = Hall(league, 4)
    hall.pair()
    assert numbers(hall.s) == [(1, "n1", "n2"), (2, "n2", "n1"), (3, "n3", "n4"), (4, "n4", "n3")]
    ruled(hall, ("½", "½", "1-0", "0-1"))
    hall.do(c.CloseRound(round=1))
    level = (tuple(Ranked(1, name) for name in ("n1", "n2")), (Ranked(1, "n3"), Ranked(2, "n4")))
    draft = drafted(hall.s, 2, [("n1", "n2")])
    assert [board[:2] for board in draft.boards] == [("n1", "n2"), ("n2", "n1")]
    forged = replace(draft, boards=draft.boards[:1])
    assert hall.refused(c.Pair(round=2, draft=forged)) == "not-both-sides"
    hall.do(c.Pair(round=2, draft=draft))
    hall.do(c.PublishRound(round=2))
    ruled(hall, ("0-1", "½"))
    hall.do(c.CloseRound(round=2))
    hall.do(c.Advance(), ranked=level)
    assert {name: (one.origin, one.to) for name, one in hall.s.moves.items()} == {
        "n1": (1, 2),
        "n3": (2, 1),
    }


def test_measures_name_one_match_or_all() -> None:
    hall = Hall(replace(ROBIN, clock=()), 4)
    hall.pair()
    hall.do(c.Extend(round=1, until=NOW + 1_000_000_000, reason="snow", boards=(2,)))
    assert [bool(board.extended) for board in hall.s.rounds[0].boards] == [False, True, False, False]


def test_stages_play_both_sides_each_with_its_own_boards() -> None:
    stages = (Stage("round_robin", 3), Stage("round_robin", 1, 2))
    hall = Hall(replace(ROBIN, format="stages", stages=stages), 4)
    while len(hall.s.rounds) < hall.s.last_round:
        hall.play(lambda s, board: "1-0" if board.w < board.b else "0-1")
    hall.do(c.Advance(), ranked=(tuple(Ranked(place, f"n{place}") for place in range(1, 5)),))
    hall.pair()
    assert numbers(hall.s) == [(1, "n1", "n2"), (2, "n2", "n1")]
    ruled(hall, ("½", "0-1"))
    hall.do(c.CloseRound(round=4))
    assert (hall.s.status, hall.s.playing.score("n1"), hall.s.playing.score("n2")) == ("finished", 2, 0)
