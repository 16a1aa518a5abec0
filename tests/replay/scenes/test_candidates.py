"""Which cards may lie face down: what lies there is among them, and nothing unseen decides what is listed."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import msgspec
import pytest

from domain.chance import NoDraw
from domain.games import GAMES
from domain.kernel import HIDDEN, Refused
from domain.match import Match
from domain.match_base import ALL
from replay.positions import table_at
from replay.scenes.candidates import candidates
from replay.scenes.positions import scene_at
from replay.scenes.vocabulary import Cards, Rows, Status
from tests.replay.scenes.matches import Course, same, viewers, whole

SEEDS = {"thirteen_minutes": 8, "imperial_struggle": 1}  # matches looked at; elsewhere 2
MOMENTS = 25  # of each match


def listed(match: Match, move: int, viewer: str | None) -> dict[str, tuple[str, ...]]:
    return candidates(match.game.name, table_at(match, move, viewer))


def face_down(match: Match, move: int, viewer: str | None) -> dict[str, set[str]]:
    """What lies face down for a viewer, by panel: the cards that everything shows, and this view does not."""
    seen, truth = scene_at(match, move, viewer).panels, scene_at(match, move, ALL).panels
    found: dict[str, set[str]] = {}
    for name, panel in seen.items():
        real: Any = truth.get(name)
        if isinstance(panel, Cards) and panel.hidden and real.cards:
            found[name] = set(real.cards) - set(panel.cards)
        elif isinstance(panel, Status):
            hidden = [item for item, value in panel.items.items() if value == HIDDEN]
            found |= {f"{name}.{item}": {str(real.items[item])} for item in hidden if item in real.items}
        elif isinstance(panel, Rows):
            for row, values in panel.rows.items():
                for column, value in values.items():
                    if value == HIDDEN:
                        found.setdefault(f"{name}.{column}", set()).add(str(real.rows[row][column]))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_what_lies_face_down_is_among_what_may_lie_there(game: str) -> None:
    hidden = 0
    for seed in range(SEEDS.get(game, 2)):
        match = whole(game, seed)
        moves = range(3, match.move)
        for move in Random(seed).sample(moves, min(MOMENTS, len(moves))):
            for viewer in viewers(match):
                told = listed(match, move, viewer)
                for panel, cards in face_down(match, move, viewer).items():
                    if panel.partition(".")[0] in ("fists", "bids"):
                        continue  # a hand of two, a number: no cards
                    assert cards <= set(told.get(panel, ())), (seed, move, viewer, panel)
                    hidden += len(cards)
    assert hidden > 20


@pytest.mark.parametrize("game", [game for game in GAMES if game != "cia_vs_kgb"])
def test_two_unseen_cards_can_change_places_and_the_same_are_listed(game: str) -> None:
    """W12."""
    course = Course(game, 3 if game == "thirteen_minutes" else 12)
    match = course.match
    for viewer in (None, *match.game.seats):
        told = listed(match, match.move, viewer)
        pool = sorted({card for cards in told.values() for card in cards})
        pairs, twins = list(combinations(pool, 2)), 0
        for pair in Random(game).sample(pairs, len(pairs)):
            try:
                twin = course.twin(*pair)
            except (Refused, NoDraw):  # with other cards in hand the other seat may not answer so
                continue
            if same(match_table(match), match_table(twin)):
                continue
            if same(match_table(match, viewer), match_table(twin, viewer)):
                assert told == listed(twin, twin.move, viewer), (viewer, pair)
                twins += 1
            if twins == 3:
                break
        assert twins, viewer


def match_table(match: Match, viewer: str | None = ALL) -> Any:
    """The table after the latest move as plain data."""
    return msgspec.to_builtins(match.table_at(match.move, viewer))
