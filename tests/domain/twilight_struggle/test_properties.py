"""What must hold in every match of Twilight Struggle, with any players and any readings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from domain.kernel import Ended, fold
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import MAP, SIDES
from domain.twilight_struggle.facts.flow import TurnBegan
from domain.twilight_struggle.facts.tracks import RegionScored
from domain.twilight_struggle.rules.hand import scoring
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import State
from tests.domain import properties
from tests.domain.played import Played

READINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("deluxe", {}),
    ("second", {}),
    ("deluxe", {"scenario": "late_war"}),
    ("deluxe", {"chinese_civil_war": True, "optional_cards": False, "handicap": 2}),
    ("deluxe", {"tournament": True, "bid": "influence", "realignment_mixed": True}),
    ("second", {"bid": "victory_points", "space_without_roll": True, "event_ops_modified": False}),
)


def places(s: State) -> list[str]:
    """Where every card lies; `chosen` and `order` only mark cards of a hand."""
    deck = [*s.deck.cards, *s.deck.top, *s.deck.bottom]
    hands = [card for side in SIDES for card in s.hands[side]]
    playing = [item.card for item in s.playing]
    return [*deck, *hands, *playing, *s.headlines.values(), *s.discards, *s.removed, *s.beside]


@pytest.mark.parametrize(("edition", "options"), READINGS)
@pytest.mark.parametrize("seed", range(3))
def test_any_match(seed: int, edition: str, options: dict[str, Any]) -> None:
    played = properties.random_match(GAME, Random(seed), edition, options)
    properties.check_all(GAME, played, places)
    check_numbers(played)


def check_numbers(played: Played) -> None:
    """Influence is never negative, DEFCON is 1 to 5, points stay on the track until final scoring."""
    table: Any = played.start
    final = False
    for fact in played.facts:
        table = fold(table, (fact,))
        final = final or (isinstance(fact, RegionScored) and table.turn == 10 and table.phase == "end")
        _check_table(table, final)
        if isinstance(fact, Ended):
            return


def _check_table(s: State, final: bool) -> None:
    assert 1 <= s.defcon <= 5
    assert final or -20 <= s.vp <= 20
    for side in SIDES:
        assert all(count > 0 for count in s.influence[side].values())
        assert set(s.influence[side]) <= {*MAP, "chinese_civil_war"}
        assert 0 <= s.military[side] <= 5
        assert 0 <= s.space[side] <= 8
        if s.phase == "headline":
            assert len(s.hands[side]) <= (8 if s.turn <= 3 else 9)


@pytest.mark.parametrize("seed", range(5))
def test_a_scoring_card_is_never_held_over(seed: int) -> None:
    """4.5 D: at the end of a turn who holds one has lost."""
    played = properties.random_match(GAME, Random(seed))
    table: Any = played.start
    for fact in played.facts:
        table = fold(table, (fact,))
        if isinstance(fact, TurnBegan) and fact.turn > 1:
            assert not any(scoring(table.hands[side]) for side in SIDES)


def test_the_unions() -> None:
    properties.check_unions(GAME)


def test_every_card_is_registered() -> None:
    assert sorted(card.number for card in CARDS.values() if "deluxe" in card.editions) == list(range(1, 111))
    assert sorted(card.number_2nd or 0 for card in CARDS.values() if "second" in card.editions) == list(
        range(1, 104)
    )
