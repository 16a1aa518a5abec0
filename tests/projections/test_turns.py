from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from domain import kernel
from domain.events import Played
from domain.game import Game
from domain.games import GAMES
from domain.log import codec
from projections.runner import PROJECTIONS
from projections.summary import LeadChanged, Over, fact_decoder
from tests.matches import Sitting, finished
from tests.projections.support import folded, items, plain, seated, turns_of


def ended_at(sitting: Sitting) -> int:
    """The move that ended the game."""
    facts = ((record.move, fact) for record in sitting.match.records for fact in record.facts)
    return next(move for move, fact in facts if isinstance(fact, kernel.Ended))


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@pytest.mark.parametrize("seed", range(3))
def test_over_a_whole_match_every_fact_stands_in_one_turn(game: Game, seed: int) -> None:
    sitting = finished(game, seed)
    turns = turns_of(sitting)
    told = [(play.move, plain(raw)) for turn in turns for play in turn.plays for raw in play.facts]
    truth = [(record.move, plain(fact)) for record in sitting.match.records for fact in record.facts]
    assert told == truth
    ends = [record.move for record in sitting.match.records for fact in record.facts if fact.ends_period]
    in_mid_turn = not ends or ended_at(sitting) > ends[-1]  # a match may end before its turn does
    assert len(turns) == len(ends) + in_mid_turn
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
    assert all(turn.ended for turn in turns)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@pytest.mark.parametrize("seed", range(3))
def test_the_scores_follow_one_another_to_the_result(game: Game, seed: int) -> None:
    sitting = finished(game, seed)
    turns = turns_of(sitting)
    for before, after in pairwise(turns):
        assert before.after == after.before
    assert turns[-1].after == game.score(sitting.match.live)
    over = turns[-1].points[-1]
    assert isinstance(over, Over)
    assert sitting.match.result is not None
    assert (over.by, over.winner, over.reason) == (
        "play",
        sitting.match.result.winner,
        sitting.match.result.reason,
    )


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_a_running_match_shows_only_what_a_spectator_sees(game: Game) -> None:
    sitting = Sitting(game, 5).seat_all().play_on(12)
    told = [plain(raw) for turn in turns_of(sitting) for play in turn.plays for raw in play.facts]
    public = [plain(fact) for record in sitting.match.records for fact in record.facts_for(None)]
    assert told == public
    assert told != [plain(fact) for record in sitting.match.records for fact in record.facts]
    assert turns_of(sitting)[-1].after == game.score(sitting.match.table_at(sitting.match.move, None))


def test_secret_picks_are_shown_once_the_match_is_over(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(1)
    assert turns_of(sitting)[0].plays[1].picks is None
    assert turns_of(sitting.play_on())[0].plays[1].picks == sitting.match.records[3].picks


def played_line(sitting: Sitting) -> list[int]:
    """The answers that stand, as the match itself tells them."""
    return sorted(
        move for move in sitting.match.line() if isinstance(sitting.match.records[move - 1].entry, Played)
    )


def test_what_was_taken_back_disappears(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(1)
    before = plain(turns_of(sitting))
    taken = sitting.match.move
    sitting.play_on(2)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=taken))
    assert plain(turns_of(sitting)) == before
    assert [play.move for turn in turns_of(sitting) for play in turn.plays if play.seat] == played_line(
        sitting
    )


def test_a_takeback_over_the_end_of_a_turn_deletes_the_later_turns(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"])
    while len(turns_of(sitting)) < 2:
        sitting.play_on(1)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=4))
    (turn,) = turns_of(sitting)
    assert (turn.number, turn.ended) == (1, False)
    moves = [play.move for turn in turns_of(sitting.play_on()) for play in turn.plays if play.seat]
    assert moves == played_line(sitting)


def test_a_ruling_can_bring_back_what_was_taken_back(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(3)
    standing, before = sitting.match.move, plain(turns_of(sitting))
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=3))
    assert plain(turns_of(sitting)) != before
    sitting.accept(sitting.match.rule(sitting.context, "judge", "it was none", back_to=standing))
    assert plain(turns_of(sitting)) == before


def test_a_resignation_ends_the_running_turn(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(1)
    sitting.accept(sitting.match.resign(sitting.context, "left"))
    (turn,) = turns_of(sitting)
    assert turn.ended
    assert turn.last == sitting.match.move
    assert turn.points[-1] == Over(sitting.match.move, "resignation", "right", "resignation")


def test_a_ruling_tells_its_reason(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(1)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "wrong cards", void=True))
    assert turns_of(sitting)[-1].points[-1] == Over(
        sitting.match.move, "ruling", None, "", "wrong cards", void=True
    )


def test_lead_changes_agree_with_the_tables(toy_game: Game) -> None:
    sitting = finished(toy_game, 4)
    leads = [
        (point.move, point.seat)
        for turn in turns_of(sitting)
        for point in turn.points
        if isinstance(point, LeadChanged)
    ]
    expected: list[tuple[int, str]] = []
    for move in range(1, sitting.match.move + 1):
        score = toy_game.score(sitting.match.table_at(move, "all"))
        ahead = [seat for seat in score if score[seat] > max(v for s, v in score.items() if s != seat)]
        if ahead and ahead[0] != (expected[-1][1] if expected else None):
            expected.append((move, ahead[0]))
    assert leads == expected
    assert expected


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_facts_of_the_turns_fold_to_the_final_table(game: Game) -> None:
    sitting = finished(game, 2)
    fact = fact_decoder(game).decode
    facts = [fact(raw) for turn in turns_of(sitting) for play in turn.plays for raw in play.facts]
    start = game.table(sitting.match.opened.edition, sitting.match.opened.options)
    end = kernel.fold(start, facts)
    assert msgspec.json.encode(end) == msgspec.json.encode(sitting.match.table_at(sitting.match.move, "all"))


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@pytest.mark.parametrize("answers", [1, 5, 20])
def test_what_readers_see_of_a_running_match_depends_on_its_leaves_alone(game: Game, answers: int) -> None:
    sitting = Sitting(game, 9).seat_all().play_on(answers)
    records = sitting.match.records
    bare = [codec(game).join(record.match, record.leaf, {}) for record in records]
    for projection in PROJECTIONS:
        full, public = folded(projection, items(records)), folded(projection, items(bare))
        for kind in projection.kinds:
            if not kind.internal:
                assert plain(full.all(kind)) == plain(public.all(kind))
