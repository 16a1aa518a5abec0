"""The options of a match: which values an edition has, and what the optional cards change."""

from __future__ import annotations

from typing import Any

import pytest

from domain.game import OptionValue
from domain.kernel import Refused
from domain.twilight_struggle import GAME
from domain.twilight_struggle.editions import OPTIONS
from domain.twilight_struggle.facts.cards import CardsAdded
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.steps.flow import Turn
from tests.domain.twilight_struggle.optional import opened, under
from tests.scenario import given

OPTIONAL = {
    "the_cambridge_five",
    "special_relationship",
    "norad",
    "che",
    "our_man_in_tehran",
    "yuri_and_samantha",
    "awacs_sale_to_saudis",
}
VALUES = [
    (option.name, value)
    for option in OPTIONS
    for value in (option.choices or (option.least, 0, option.most))
    if (option.name, value) != ("finlandization", True)
]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_every_value_of_every_option_begins_a_match(name: str, value: Any) -> None:
    match = opened(**{name: value})
    assert getattr(match.table.options, name) == value
    assert match.table.agenda


def test_an_option_that_is_not_given_follows_the_rulebook() -> None:
    """Deluxe with its optional cards; no variant, no bid; of the open readings the recommended ones."""
    edition, options = GAME.settle(None, {})
    assert edition == "deluxe"
    assert options == {
        "optional_cards": True,
        "chinese_civil_war": False,
        "scenario": "standard",
        "tournament": False,
        "bid": "none",
        "handicap": 0,
        "realignment_ignores_defcon": False,
        "realignment_phasing_player_safe": False,
        "realignment_mixed": False,
        "space_without_roll": False,
        "event_ops_modified": True,
        "junta_regions": "either",
        "south_african_unrest": "split",
        "missile_envy": "printed",
        "drawn_defectors": "nothing",
        "un_intervention_space": True,
        "late_war_defcon": "kept",
        "finlandization": False,
    }


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("name", "value"), [("optional_cards", True), ("chinese_civil_war", True), ("scenario", "late_war")]
)
def test_the_second_edition_refuses_what_only_the_deluxe_edition_has(name: str, value: OptionValue) -> None:
    with pytest.raises(Refused, match=rf"option {name}: only the edition deluxe has .*\(book 003\)"):
        GAME.settle("second", {name: value})


def test_the_second_edition_takes_what_it_has() -> None:
    given_ = {"optional_cards": False, "chinese_civil_war": False, "scenario": "standard"}
    assert GAME.settle("second", given_) == GAME.settle("second", {})
    assert GAME.settle("second", {})[1]["optional_cards"] is False


@pytest.mark.parametrize("edition", GAME.editions)
def test_finlandization_is_declared_and_refused(edition: str) -> None:
    """The promotional card of book 003: its text is not known."""
    with pytest.raises(Refused, match=r"finlandization.*the text of this promotional card is not known"):
        GAME.settle(edition, {"finlandization": True})
    assert GAME.settle(edition, {"finlandization": False})[1]["finlandization"] is False
    assert "finlandization" not in CARDS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("handicap", 21),
        ("handicap", -21),
        ("handicap", True),
        ("bid", "auction"),
        ("scenario", "early_war"),
        ("tournament", "true"),
        ("junta_regions", "both"),
    ],
)
def test_unknown_values_are_refused_with_the_legal_ones(name: str, value: Any) -> None:
    with pytest.raises(Refused, match=f"option {name}: .* is not possible; legal: "):
        GAME.settle("deluxe", {name: value})


# --------------------------------------------------------------------------- the optional cards


@pytest.mark.parametrize(("optional", "count"), [(True, 38), (False, 35)])
def test_optional_cards_of_the_early_war(optional: bool, count: int) -> None:
    """Books: 39 and 36 cards; the China Card lies beside the deck."""
    deck = opened(optional_cards=optional).table.deck
    assert deck.size == len(deck.cards) == count
    assert bool(OPTIONAL & {*deck.cards}) is optional


@pytest.mark.parametrize(
    ("turn", "period", "with_them", "without"), [(4, "mid", 48, 46), (8, "late", 23, 21)]
)
def test_optional_cards_join_with_their_period(turn: int, period: str, with_them: int, without: int) -> None:
    for optional, count in ((True, with_them), (False, without)):
        s = under({"optional_cards": optional}, turn=turn - 1, phase="end", us_hand=("nato",))
        (added,) = [fact for fact in given(s, do=Turn(turn)).facts if isinstance(fact, CardsAdded)]
        assert (added.period, len(added.cards)) == (period, count)
        assert bool(OPTIONAL & {*added.cards}) is optional


def test_optional_cards_are_those_from_104_to_110() -> None:
    assert {CARDS[card].number for card in OPTIONAL} == set(range(104, 111))
    assert {card.id for card in CARDS.values() if card.optional} == OPTIONAL
