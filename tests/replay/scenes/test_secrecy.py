"""What a scene, and the positions of a match, must not tell: W12 and W13 of the brief of the web client."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import msgspec
import pytest

from domain.chance import NoDraw
from domain.games import GAMES
from domain.kernel import Refused, Seat
from domain.match import Match
from domain.texts import LANGUAGES
from replay.boards.drawing import svg
from replay.positions import NoView
from replay.scenes.positions import positions
from replay.words import Words
from tests.replay.scenes.matches import Course, same, strings, unseen

ANSWERS = {"thirteen_minutes": 3, "cia_vs_kgb": 6}  # later every card was seen; elsewhere 12
COURSES = {game: Course(game, ANSWERS.get(game, 12)) for game in GAMES}


def parts(match: Match, viewer: Seat | None) -> dict[str, Any]:
    """All that the positions of a match tell a viewer."""
    told = [positions(match, viewer, words=Words(match, language)) for language in LANGUAGES]
    drawn = svg(match, match.move, viewer, Words(match, "en"))
    data: dict[str, Any] = {"positions": msgspec.to_builtins(told), "svg": drawn or ""}
    return data


DEALT = [game for game in GAMES if game != "cia_vs_kgb"]  # which deals no card face down


@pytest.mark.parametrize("most", [3, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize("game", DEALT)
def test_two_unseen_cards_can_change_places_and_nothing_that_is_shown_changes(game: str, most: int) -> None:
    course = COURSES[game]
    for viewer in (None, *course.match.game.seats):
        twins, shown = 0, parts(course.match, viewer)
        pairs = list(combinations(sorted(unseen(course.match, viewer)), 2))
        for pair in Random(game).sample(pairs, len(pairs)):
            try:
                twin = course.twin(*pair)
            except (Refused, NoDraw):  # with other cards in hand the other seat may not answer so
                continue
            truth = {msgspec.json.encode(match.table_at(match.move, "all")) for match in (course.match, twin)}
            assert same(shown, parts(twin, viewer)), (viewer, pair)
            twins += len(truth) - 1
            if twins == most:
                break
        assert twins, f"no two cards that {viewer} cannot tell apart"


def test_another_agent_can_be_sent_face_down_and_nothing_that_is_shown_changes() -> None:
    course = COURSES["cia_vs_kgb"]
    for seat, other in (("cia", "kgb"), ("kgb", "cia")):
        sent = course.match.table_at(course.match.move, "all").sent[seat]
        home = [agent for agent in course.match.table_at(1, None).headquarters[seat] if agent != sent]
        for agent in home:
            twin = course.twin(sent, agent, by=seat)
            assert twin.table_at(twin.move, "all").sent[seat] == agent
            assert same(parts(course.match, other), parts(twin, other))
            assert same(parts(course.match, None), parts(twin, None))


@pytest.mark.parametrize("game", GAMES)
def test_no_id_that_is_hidden_from_a_viewer_occurs_in_their_positions(game: str) -> None:
    match = COURSES[game].match
    for viewer in (None, *match.game.seats):
        hidden = unseen(match, viewer)
        assert hidden
        assert not hidden & set(strings(parts(match, viewer)))


@pytest.mark.parametrize("game", GAMES)
def test_during_a_match_there_are_no_positions_with_everything(game: str) -> None:
    with pytest.raises(NoView, match="when the match is over"):
        positions(COURSES[game].match, "all")
