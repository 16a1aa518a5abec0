"""The page of a match tells no more than its view: two unseen cards change places, and no byte changes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import msgspec
import pytest

from api.web.shown_position import shown_position
from domain.chance import NoDraw
from domain.games import GAMES
from domain.kernel import Refused, Seat
from domain.match import Match
from domain.texts import LANGUAGES
from replay.boards.drawing import BOARDS, svg
from replay.boards.pictures import png
from replay.words import Words
from tests.replay.scenes.matches import Course, same, strings, unseen

DEALT = [game for game in GAMES if game != "cia_vs_kgb"]  # which deals no card face down
SLOW = {"imperial_struggle": pytest.mark.long}
MANY = pytest.param(5, LANGUAGES, marks=pytest.mark.long)  # twins of each viewer; in the quick suite one


def page(match: Match, viewer: Seat | None, languages: Iterable[str]) -> dict[str, object]:
    """All that the page of the latest move is made of, in these languages."""
    return {
        language: msgspec.to_builtins(shown_position(match, match.move, viewer, Words(match, language), {}))
        for language in languages
    }


@pytest.mark.parametrize(("most", "languages"), [(1, LANGUAGES[:1]), MANY])
@pytest.mark.parametrize("game", DEALT)
def test_two_unseen_cards_can_change_places_and_the_page_stays_the_same(
    game: str, most: int, languages: tuple[str, ...]
) -> None:
    """W12."""
    course = Course(game, 3 if game == "thirteen_minutes" else 12)
    for viewer in (None, *course.match.game.seats):
        hidden = unseen(course.match, viewer)
        shown = page(course.match, viewer, languages)
        assert not hidden & set(strings(shown))
        twins = 0
        pairs = list(combinations(sorted(hidden), 2))
        for pair in Random(game).sample(pairs, len(pairs)):
            try:
                twin = course.twin(*pair)
            except (Refused, NoDraw):  # with other cards in hand the other seat may not answer so
                continue
            truth = {msgspec.json.encode(match.table_at(match.move, "all")) for match in (course.match, twin)}
            assert same(shown, page(twin, viewer, languages)), (viewer, pair)
            twins += len(truth) - 1
            if twins == most:
                break
        assert twins, f"no two cards that {viewer} cannot tell apart"


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=SLOW.get(game, ())) for game in DEALT if game in BOARDS],
)
def test_two_unseen_cards_can_change_places_and_the_picture_stays_the_same(game: str) -> None:
    """W12: while a match runs, a picture is drawn for spectators only (see test_pictures.py)."""
    course = Course(game, 12)
    hidden = sorted(unseen(course.match, None))
    pictures = {picture(course.match)}
    for pair in combinations(hidden, 2):
        try:
            twin = course.twin(*pair)
        except (Refused, NoDraw):
            continue
        truth = {msgspec.json.encode(match.table_at(match.move, "all")) for match in (course.match, twin)}
        if len(truth) == 2:
            pictures.add(picture(twin))
            break
    else:
        raise AssertionError("no two cards that a spectator cannot tell apart")
    assert len(pictures) == 1


def picture(match: Match) -> bytes:
    """The board after the latest move, as a spectator sees it, as PNG."""
    drawn = svg(match, match.move, None, Words(match, "en"))
    assert drawn is not None
    return png(drawn)
