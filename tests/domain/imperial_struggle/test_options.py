"""The options of a match: which there are, that each is read, and that every value can be played."""

from __future__ import annotations

import importlib.resources
import re
from importlib.resources.abc import Traversable
from random import Random
from typing import Any

import msgspec
import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BR, FR, SIDES
from domain.imperial_struggle.editions import OPTIONS
from domain.imperial_struggle.editions import table as empty_table
from domain.imperial_struggle.facts.wars import BasicsDrawn, BasicsLaid, BasicsSwapped, WarSet
from domain.imperial_struggle.state import Readings
from domain.kernel import CHANCE, Refused, prompt
from tests.domain import properties
from tests.domain.imperial_struggle.course import by_chance, opened
from tests.domain.imperial_struggle.places import places

CHOICES = [(option.name, choice) for option in OPTIONS for choice in option.choices]
THEATRES = ("central_europe", "spain", "queen_annes_war", "jacobite_rebellion")


# --------------------------------------------------------------------------- the list


def test_the_readings_of_a_table_are_the_options_with_the_same_defaults() -> None:
    assert msgspec.structs.asdict(Readings()) == {option.name: option.default for option in OPTIONS}


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_has_its_default_among_its_values(option: Any) -> None:
    assert option.default in option.choices
    assert len(set(option.choices)) == len(option.choices) >= 2


@pytest.mark.parametrize(("name", "choice"), CHOICES)
def test_every_value_reaches_the_table(name: str, choice: Any) -> None:
    start = empty_table(*GAME.settle(None, {name: choice}))
    assert getattr(start.options, name) == choice
    assert msgspec.json.decode(msgspec.json.encode(start), type=GAME.state) == start


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_another_value_is_refused(option: Any) -> None:
    with pytest.raises(Refused, match="is not possible"):
        GAME.settle(None, {option.name: "nonsense"})


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_is_read_by_a_rule(option: Any) -> None:
    """Or by the set-up; an option that nothing reads would decide nothing."""
    reading = re.compile(rf"\b(options|readings)\.{option.name}\b")
    assert any(
        reading.search(source) for source in sources(importlib.resources.files("domain.imperial_struggle"))
    )


def sources(folder: Traversable) -> list[str]:
    """The text of every module of a package."""
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += sources(entry)
        elif entry.name.endswith(".py"):
            found.append(entry.read_text(encoding="utf-8"))
    return found


# --------------------------------------------------------------------------- each can be played


@pytest.mark.parametrize(("name", "choice"), CHOICES)
def test_a_match_with_every_value_ends(name: str, choice: Any) -> None:
    played = properties.random_match(GAME, Random(1), None, {name: choice})
    properties.check_ended(GAME, played)
    properties.check_places(played, places)


@pytest.mark.parametrize("seed", range(4))
def test_a_match_with_all_other_values_at_once_ends(seed: int) -> None:
    others = {option.name: option.choices[-1] for option in OPTIONS}
    others["bid"] = SIDES[seed % 2]
    played = properties.random_match(GAME, Random(seed), None, others)
    properties.check_ended(GAME, played)
    properties.check_places(played, places)


# --------------------------------------------------------------------------- 12.2: military planning


def test_7_6_chance_lays_out_the_basic_tiles() -> None:
    """One for each theatre; only their side sees which."""
    facts = by_chance(opened())
    laid = [fact for fact in facts if isinstance(fact, BasicsLaid)]
    assert [fact.seat for fact in laid] == [BR, FR]
    for fact in laid:
        assert tuple(fact.tiles) == THEATRES
        assert fact.seen_by(None) == BasicsLaid(fact.seat, dict.fromkeys(THEATRES, "?"))


def test_the_set_up_puts_a_french_bonus_tile_in_central_europe() -> None:
    game = opened()
    assert isinstance(game.facts[0], WarSet)
    by_chance(game)
    lying = {
        side: {key: len(tiles) for key, tiles in game.table.reinforcements[side].items()} for side in SIDES
    }
    assert lying == {BR: {}, FR: {"central_europe": 1}}
    assert game.table.bonuses[FR].size == 11


def test_12_2_both_look_at_their_tiles_and_lay_them_out_in_secret() -> None:
    game = opened(planned_layout=True)
    drawn = [fact for fact in by_chance(game) if isinstance(fact, BasicsDrawn)]
    assert [(fact.seat, len(fact.tiles)) for fact in drawn] == [(BR, 4), (FR, 4)]
    own = game.table.drawn[FR]
    game.asks(BR, *game.table.drawn[BR]).asks(FR, *own).refuses(FR, *own[:3])
    before = prompt(game.table, BR)
    game.when(FR, *reversed(own))
    (laid,) = game.facts
    assert laid == BasicsLaid(FR, dict(zip(THEATRES, reversed(own), strict=True)))
    assert laid.seen_by(BR) == BasicsLaid(FR, dict.fromkeys(THEATRES, "?"))
    assert prompt(game.table, BR) == before
    game.when(BR, *game.table.drawn[BR]).has(drawn={BR: (), FR: ()}).asks(CHANCE)


def test_12_2_swapping_two_tiles_tells_only_where_they_lie() -> None:
    s = empty_table(*GAME.settle(None, {"planned_upgrades": True}))
    s = BasicsLaid(BR, dict(zip(THEATRES, s.basics[BR].cards, strict=False))).apply(s)
    swap = BasicsSwapped(BR, ("spain", "central_europe"))
    after = swap.apply(s)
    assert swap.known_to() is None
    assert after.front[BR]["spain"] == s.front[BR]["central_europe"]
    assert after.front[BR]["central_europe"] == s.front[BR]["spain"]
    assert after.front[BR]["jacobite_rebellion"] == s.front[BR]["jacobite_rebellion"]
