"""Branches: what they bring of their parent, what they keep secret, and where none may begin."""

from __future__ import annotations

import random

import pytest

from domain import bounds
from domain.branches import line_of, open_branch
from domain.chance import Drawn
from domain.draws import draws
from domain.events import Closed, FactEntry
from domain.game import Game
from domain.games import GAMES
from domain.imported import IMPORTED
from domain.kernel import Refused, Result, Seat, fold
from domain.log import Record, b64
from domain.match import Match
from domain.sharing import empty_table
from replay import matchfile
from tests.domain.toy import SEATS, State, Turn
from tests.matches import Branching, Sitting, finished
from tests.partial_matches import Reader

ALL_GAMES = sorted(GAMES)
SEED = 3


@pytest.fixture(scope="module")
def parents() -> dict[str, Match]:
    """A whole random match of each game."""
    return {name: finished(game, SEED).match for name, game in GAMES.items()}


def refusal(parent: Match, at: int) -> str:
    """The id of the refusal to branch there."""
    with pytest.raises(Refused) as caught:
        Branching(parent, at)
    return caught.value.id


def some_moves(parent: Match, count: int = 3) -> list[int]:
    """The first and the last move from which a branch may go on, and some between."""
    assert parent.begun is not None
    last = parent.move - 3
    return [parent.begun, last, *random.Random(SEED).sample(range(parent.begun, last), count)]


@pytest.mark.parametrize("game", ALL_GAMES)
def test_branch_begins_with_the_table_and_the_question_of_its_parent(
    parents: dict[str, Match], game: str
) -> None:
    parent = parents[game]
    for at in some_moves(parent):
        branch = Branching(parent, at).seat_all().match
        assert branch.live == parent.table_with_agenda(at)
        asked, theirs = branch.asked, parent.asked_at(at)
        assert asked is not None
        assert theirs is not None
        assert asked.ask == theirs.ask
        assert set(asked.seats) == set(theirs.seats)
        assert set(asked.seats.values()) == {branch.begun}


@pytest.mark.parametrize("game", ALL_GAMES)
def test_nobody_sees_more_of_a_branch_than_the_same_seat_saw_in_its_parent(
    parents: dict[str, Match], game: str
) -> None:
    parent = parents[game]
    for at in some_moves(parent):
        branch = Branching(parent, at).seat_all().match
        for viewer in (None, *branch.seats):
            facts = [fact.seen_by(viewer) for fact in line_of(parent, at).facts]
            empty = empty_table(branch.game, branch.opened.edition, branch.opened.options)
            assert branch.table_at(branch.move, viewer) == fold(empty, facts)


@pytest.mark.parametrize("game", ALL_GAMES)
def test_branch_draws_by_its_own_secret(parents: dict[str, Match], game: str) -> None:
    parent = parents[game]
    assert parent.begun is not None
    sitting = Branching(parent, parent.begun).seat_all()
    branch = sitting.match
    assert branch.opened.chance.commitment != parent.opened.chance.commitment
    begins = branch.records[-1]
    assert not draws(begins)
    assert not begins.entry.keys
    sitting.play_on()
    made = [draw for record in branch.records[3:] for draw in _draws(record)]
    assert made, "something is drawn after the beginning"
    assert len({(draw.label, draw.counter, draw.period) for draw in made}) == len(made)
    assert {draw.counter for draw in made if draw.label == made[0].label} >= {0}
    assert isinstance(branch.records[-1].entry, Closed)


def _draws(record: Record) -> tuple[Drawn, ...]:
    return draws(record) if isinstance(record.entry, FactEntry) else ()


def test_same_answers_meet_other_draws_in_a_branch(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    theirs = [_draws(record) for record in parent.records[parent.begun :]]
    ours = [
        _draws(record) for record in Branching(parent, parent.begun).seat_all().play_on().match.records[3:]
    ]
    assert [draw.result for move in ours for draw in move] != [
        draw.result for move in theirs for draw in move
    ]


def test_moves_that_were_taken_back_are_not_part_of_the_line(toy_game: Game) -> None:
    # Given a match in which an answer was taken back
    sitting = Sitting(toy_game, 5).seat_all().play_on(2)
    to = sitting.match.move
    sitting.play_on(1)
    sitting.accept(sitting.match.rule(sitting.context, "org", "a slip", back_to=to))
    back = sitting.match.move
    sitting.play_on()
    parent = sitting.match
    # When a branch goes on from the move that went back
    branch = Branching(parent, back).seat_all().match
    # Then it brings the facts up to the move before, and none of the answer
    assert branch.records[-1].facts == tuple(parent.facts_to(to))
    assert branch.live == parent.table_with_agenda(to)
    # And a branch may go on from the answer itself, although it was taken back
    assert Branching(parent, to + 1).seat_all().match.live == parent.table_with_agenda(to + 1)


def test_no_takeback_goes_behind_the_beginning(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    sitting = Branching(parent, parent.begun + 1).seat_all().play_on(1)
    assert sitting.match.status == "running"
    begun = sitting.match.begun
    assert begun is not None
    for to in range(1, begun):
        with pytest.raises(Refused, match="no table"):
            sitting.match.rule(sitting.context, "org", "back", back_to=to)
    sitting.accept(sitting.match.rule(sitting.context, "org", "back", back_to=begun))
    assert sitting.match.live == parent.table_with_agenda(parent.begun + 1)


def test_salts_of_players_enter_the_draws_of_a_branch(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    branch = Branching(parent, parent.begun).seat_all(salts=True).match
    assert not branch.house_seeded


def test_no_branch_of_a_running_match(toy_game: Game) -> None:
    assert refusal(Sitting(toy_game).seat_all().match, 3) == "branch-of-running"


def test_no_branch_of_an_imported_match(toy_game: Game) -> None:
    imported = Sitting(toy_game, origin=IMPORTED, recorded=True)
    imported.accept(imported.match.close_record(imported.context, None))
    assert refusal(imported.match, 1) == "branch-of-imported"


@pytest.mark.parametrize("at", [1, 2])
def test_no_branch_before_play_began(toy_game: Game, at: int) -> None:
    assert refusal(finished(toy_game).match, at) == "branch-before-play"


@pytest.mark.parametrize("at", [-1, 0, 10_000])
def test_no_branch_where_no_move_is(toy_game: Game, at: int) -> None:
    assert refusal(finished(toy_game).match, at) == "no-such-move"


@pytest.mark.parametrize("back", [0, 1, 2])
def test_no_branch_where_the_match_is_over(toy_game: Game, back: int) -> None:
    played = finished(toy_game).match
    assert refusal(played, played.move - back) == "branch-after-end"
    resigned = Sitting(toy_game).seat_all()
    resigned.accept(resigned.match.resign(resigned.context, next(iter(resigned.match.seats))))
    assert refusal(resigned.match, resigned.match.move - back) == "branch-after-end"
    ruled = Sitting(toy_game).seat_all()
    ruled.accept(ruled.match.rule(ruled.context, "org", "enough", result=Result(None, "ruling", {})))
    assert refusal(ruled.match, ruled.match.move - back) == "branch-after-end"
    assert Branching(ruled.match, ruled.match.move - 3).seat_all().match.status == "running"


def test_no_branch_of_a_match_that_never_began(toy_game: Game) -> None:
    void = Sitting(toy_game)
    void.accept(void.match.rule(void.context, "org", "nobody came", void=True))
    assert refusal(void.match, 1) == "branch-before-play"


def test_no_branch_of_a_match_whose_log_lacks_the_private_parts(toy_game: Game) -> None:
    """The log of a match file without them holds what a spectator saw: a branch could not deal on from it."""
    whole = finished(toy_game).match
    leaves = matchfile.decoded(toy_game, whole.id, [record.leaf for record in whole.records], None)
    public = Match.project(None, leaves)
    assert public is not None
    assert public.closed is not None
    assert whole.begun is not None
    assert refusal(public, whole.begun) == "branch-without-parts"


def test_no_branch_whose_line_is_larger_than_one_move_may_be(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first move of a branch holds its whole line, so the line has a limit in bytes."""
    parent = finished(toy_game).match
    assert parent.begun is not None
    at = parent.begun + 3
    moves = [move for part in parent.line_to(at) for move in part]
    size = sum(len(parent.records[move - 1].stored) for move in moves)
    monkeypatch.setattr(bounds, "LINE", size)
    assert Branching(parent, at).seat_all().match.status == "running"
    monkeypatch.setattr(bounds, "LINE", size - 1)
    with pytest.raises(Refused) as caught:
        Branching(parent, at)
    assert (caught.value.id, caught.value.values) == ("branch-too-large", {"size": size, "most": size - 1})
    assert Branching(parent, parent.begun).seat_all().match.status == "running"


@pytest.mark.parametrize("change", ["raises", "asks nobody", "asks the other seat"])
def test_no_branch_where_the_rules_of_today_do_not_ask_what_was_asked(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """An older match may stand at a question that its present rules cannot put."""
    parent = finished(toy_game).match
    at = next(move for move in range(3, parent.move) if asks_one_seat(parent, move))
    assert Branching(parent, at).seat_all().match.status == "running"

    def asks(step: Turn, s: State) -> tuple[Seat, ...]:
        if change == "raises":
            raise KeyError("a card that was removed")
        return () if change == "asks nobody" else tuple(seat for seat in SEATS if seat != step.seat)

    monkeypatch.setattr(Turn, "asks", asks)
    assert refusal(parent, at) == "branch-by-other-rules"


def asks_one_seat(match: Match, move: int) -> bool:
    """Is a turn of one seat asked after a move?"""
    asked = match.asked_at(move)
    return asked is not None and asked.ask == "Turn"


def test_branch_of_a_branch_brings_the_whole_line(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    first = Branching(parent, parent.begun, 4).seat_all().play_on().match
    assert first.begun is not None
    at = first.move - 3
    second = Branching(first, at, 5).seat_all().match
    assert second.live == first.table_with_agenda(at)
    assert second.records[-1].facts == tuple(first.facts_to(at))


def test_branch_without_the_line_of_its_parent_does_not_begin(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    sitting = Branching(parent, parent.begun)
    first, last = sitting.match.seats
    sitting.accept(sitting.match.sit(sitting.context, first, "p", salt=None, bot="", source=None))
    with pytest.raises(ValueError, match="is a branch"):
        sitting.match.sit(sitting.context, last, "p", salt=None, bot="", source=None)


def test_opening_names_parent_move_and_root(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    sitting = Branching(parent, parent.begun)
    opened = sitting.match.opened
    assert opened.branch is not None
    assert opened.origin == "branch"
    assert opened.branch.match == parent.id
    assert opened.branch.move == parent.begun
    assert opened.branch.root == b64(parent.roots[parent.begun - 1])
    assert b"branch" not in Sitting(toy_game).match.records[0].leaf


def test_partial_match_of_a_branch_shows_the_same(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    branch = Branching(parent, parent.begun).seat_all().play_on().match
    reader = Reader(toy_game, branch.id, [record.stored for record in branch.records])
    for at in range(1, branch.move):
        part = reader.partial_match(at)
        for viewer in (None, *branch.seats, "all"):
            assert part.table_at(at, viewer) == branch.table_at(at, viewer)


def test_draft_of_an_opening_is_one_record(toy_game: Game) -> None:
    parent = finished(toy_game, SEED).match
    assert parent.begun is not None
    draft = open_branch(Sitting(toy_game).context, parent, parent.begun, match="b9", opener=None)
    assert len(draft.records) == 1


def test_players_keep_the_seats_that_were_exchanged_in_the_parent(swap_game: Game) -> None:
    # Given a match whose players changed places
    sitting = Sitting(swap_game, 3).seat_all()
    while not sitting.match.live.exchanged:
        sitting.random_answer()
    at = sitting.match.move
    sitting.accept(sitting.match.resign(sitting.context, swap_game.seats[0]))
    # When a branch goes on from there
    branch = Branching(sitting.match, at).seat_all().match
    # Then who sits down on one seat plays the other, as the log of the parent says
    first, second = swap_game.seats
    player = branch.player_of(first)
    assert branch.live.exchanged
    assert player is not None
    assert player.player == f"p-{second}"
