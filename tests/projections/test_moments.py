"""The key moments of a match: few, each with a reason, and the same however often they are computed."""

from __future__ import annotations

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Seat
from domain.match import Match
from domain.match_base import ALL, Chair
from domain.texts import LANGUAGES
from projections import moments
from projections.moments import MOST, Moment, key_moments
from projections.sentences import why
from projections.summary import (
    Change,
    LeadChanged,
    Over,
    RuledBack,
    ScoreSwung,
    Summary,
    TrackMoved,
    Turn,
    Turned,
    fact_decoder,
)
from projections.turns import summarize, usual_viewer
from tests.matches import Sitting, finished
from tests.projections.support import seated

Step = tuple[int, int]
NIL = {"left": 0, "right": 0}


def moments_of(match: Match) -> tuple[Moment, ...]:
    return key_moments(match, summarize(match, match.move, usual_viewer(match, match.move)), match.move)


def change(move: int, left: int, right: int, *, before: Step = (0, 0), **tracks: tuple[int, int]) -> Change:
    old = {"left": before[0], "right": before[1]}
    return Change(move, 1, old, {"left": left, "right": right}, tracks, ends_turn=False)


def gains(*changes: Change) -> list[tuple[int, Seat, int]]:
    found = [(weighed.reason, weighed.weight) for weighed in moments._gains(changes)]
    return [(point.move, point.seat, weight) for point, weight in found if isinstance(point, ScoreSwung)]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@pytest.mark.parametrize("seed", range(3))
def test_a_match_has_at_most_twelve_moments_with_reasons_in_both_languages(game: Game, seed: int) -> None:
    match = finished(game, seed).match
    summary = summarize(match, match.move, usual_viewer(match, match.move))
    found = key_moments(match, summary, match.move)
    assert 1 < len(found) <= MOST
    assert [moment.move for moment in found] == sorted({moment.move for moment in found})
    assert all(0 < moment.weight <= 100 for moment in found)
    for language in LANGUAGES:
        words = game.words(language, match.opened.options, match.opened.edition)
        reasons = [why(game, words, summary, moment) for moment in found]
        assert all(1 <= len(sentences) <= moments.REASONS for sentences in reasons)
        assert all(sentence[-1] in ".!" for sentences in reasons for sentence in sentences)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_moments_are_the_same_on_every_load(game: Game) -> None:
    match = finished(game, 4).match
    loaded = Match.project(None, match.records)
    assert loaded is not None
    assert moments_of(match) == moments_of(match) == moments_of(loaded)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_end_weighs_most(game: Game) -> None:
    found = moments_of(finished(game, 2).match)
    assert isinstance(found[-1].reasons[0].reason, Over)
    assert found[-1].weight == moments.END > max(moment.weight for moment in found[:-1])


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@pytest.mark.parametrize("seed", range(3))
def test_a_reason_belongs_to_its_turn_and_no_end_of_a_turn_is_one(game: Game, seed: int) -> None:
    match = finished(game, seed).match
    summary = summarize(match, match.move, usual_viewer(match, match.move))
    for weighed in (
        weighed for moment in key_moments(match, summary, match.move) for weighed in moment.reasons
    ):
        turn = summary.turns[weighed.turn - 1]
        assert turn.first <= weighed.reason.move <= turn.last
        if isinstance(weighed.reason, Turned):
            play = next(play for play in turn.plays if play.move == weighed.reason.move)
            fact = fact_decoder(game).decode(play.facts[weighed.reason.place])
            assert fact.turning
            assert not fact.ends_period


def test_the_lead_that_lasts_longest_weighs_most() -> None:
    points = (LeadChanged(3, "left", None), LeadChanged(5, "right", "left"), LeadChanged(40, "left", "right"))
    summary = Summary((Turn(1, 1, 50, NIL, NIL, points=points),), ())
    weights = {weighed.reason.move: weighed.weight for weighed in moments._leads(summary, 50)}
    assert weights == {5: moments.LEADS[0], 40: moments.LEADS[1], 3: moments.LEADS[2]}


def test_the_largest_gain_on_the_other_side_weighs_most_and_of_equal_ones_the_latest() -> None:
    assert gains(
        change(3, 2, 0),
        change(4, 2, 5, before=(2, 0)),
        change(5, 4, 5, before=(2, 5)),
        change(6, 4, 2, before=(4, 5)),
    ) == [(4, "right", 80), (6, "left", 74), (5, "left", 68), (3, "left", 62)]


def test_a_play_that_changes_no_score_is_no_gain() -> None:
    assert gains(change(3, 0, 0, temperature=(5, 2))) == []


def test_each_track_has_its_largest_step_and_one_of_a_single_place_is_none() -> None:
    changes = (
        change(3, 0, 0, heat=(5, 2), light=(1, 2)),
        change(4, 0, 0, heat=(2, 4)),
        Change(5, 1, NIL, NIL, {"heat": (4, 0)}, ends_turn=True),
        Change(6, 1, NIL, NIL, {"army/left": (0, 2)}, ends_turn=False),
        Change(7, 1, NIL, NIL, {"army/right": (0, 3)}, ends_turn=False),
    )
    assert [weighed.reason for weighed in moments._tracks(changes)] == [
        TrackMoved(3, "heat", 5, 2),
        TrackMoved(7, "army", 0, 3, "right"),
    ]


def test_a_ruling_that_took_something_back_is_a_moment(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(3)
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=3))
    reasons = [weighed for moment in moments_of(sitting.match) for weighed in moment.reasons]
    assert moments.Weighed(moments.RULING, 1, RuledBack(sitting.match.move - 1, 3, "misclick")) in reasons


def test_what_was_taken_back_is_no_moment(toy_game: Game) -> None:
    sitting = seated(toy_game, 1, ["ann", "bob"]).play_on(6)
    last = sitting.match.move
    sitting.accept(sitting.match.rule(sitting.context, "judge", "misclick", back_to=3))
    assert not {moment.move for moment in moments_of(sitting.match)} & set(range(4, last + 1))


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_each_viewer_is_shown_what_they_saw_and_the_same_scores(game: Game) -> None:
    match = finished(game, 3).match
    full = summarize(match, match.move, Chair(ALL))
    for viewer in (None, *(Chair(seat) for seat in game.seats)):
        shown = summarize(match, match.move, viewer)
        assert [(turn.before, turn.after) for turn in shown.turns] == [
            (turn.before, turn.after) for turn in full.turns
        ]
        assert [turn.paths for turn in shown.turns] == [turn.paths for turn in full.turns]
        facts = {play.move: play.facts for turn in shown.turns for play in turn.plays if turn.number == 1}
        for move, raws in facts.items():
            seen = match.facts_for(match.records[move - 1], viewer)
            assert [fact_decoder(game).decode(raw) for raw in raws] == list(seen[: len(raws)])


def test_a_match_before_its_first_play_has_no_moments(toy_game: Game) -> None:
    sitting = Sitting(toy_game, 1)
    assert moments_of(sitting.match) == ()
