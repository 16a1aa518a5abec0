"""What holds in every match of Imperial Struggle, with any players and any options."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    FORTS,
    FR,
    GOODS,
    MARKETS,
    MOST_SQUADRONS,
    NAVAL,
    POLITICAL,
    SIDES,
    SPAIN,
    TERRITORIES,
    USA,
    WARS,
)
from domain.imperial_struggle.editions import OPTIONS
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import SquadronMoved
from domain.imperial_struggle.facts.flow import AwardScored, FirstChosen, RoundBegan
from domain.imperial_struggle.facts.tracks import ScoreMoved
from domain.imperial_struggle.ministries import ABILITIES
from domain.imperial_struggle.rules.menu import ANY_EVENT, ECONOMIC_EVENT
from domain.imperial_struggle.state import State
from domain.kernel import Fact
from tests.domain import properties
from tests.domain.imperial_struggle.places import events, places, tables
from tests.domain.played import Played

USA_TERRITORIES = {"northern_colonies", "carolinas", "san_agustin", "quebec_and_montreal"}
USED_UP = {*ADVANTAGES, *ABILITIES, ANY_EVENT, ECONOMIC_EVENT}
CHECKED, FEW, MANY, BLOCK = 2, 24, 624, 50


def any_match(seed: int) -> Played:
    """The defaults with even seeds, else any value of every option."""
    luck = Random(seed)
    options: dict[str, Any] = {}
    if seed % 2:
        options = {option.name: luck.choice(option.choices) for option in OPTIONS}
    return properties.random_match(GAME, luck, None, options)


@pytest.mark.parametrize("seed", range(CHECKED))
def test_any_match(seed: int) -> None:
    """In every way that any game is checked; see `tests.proofs` for many more."""
    properties.check_all(GAME, any_match(seed), places)


@pytest.mark.parametrize("seed", range(FEW))
def test_the_numbers_of_any_match(seed: int) -> None:
    check_numbers(any_match(seed))


@pytest.mark.long
@pytest.mark.parametrize("first", range(FEW, MANY, BLOCK))
def test_the_numbers_of_many_matches(first: int) -> None:
    for seed in range(first, first + BLOCK):
        played = any_match(seed)
        check_numbers(played)
        properties.check_places(played, places)


def check_numbers(played: Played) -> None:
    """What must hold after every fact, and what must hold when everything that follows has followed."""
    points = 15
    for fact, s in tables(played):
        if isinstance(fact, ScoreMoved):
            assert fact.points > 0
            points += fact.points if fact.side == FR else -fact.points
        assert s.vp == points
        _check_board(s)
        _check_tracks(s, fact)
        _check_squadrons(s, fact)
        _check_round(s)
        _check_cards(s, fact)
        _check_war(s)
    for _, decision in played:
        _check_advantages(decision.table)
        _check_debt(decision.table)


# --------------------------------------------------------------------------- after every fact


def _check_board(s: State) -> None:
    for space, owner in s.flags.items():
        assert owner in _owners(s, space), (space, owner)
        assert BOARD[space].opens <= s.turn
    for space, extra in s.conflicts.items():
        assert space in POLITICAL + MARKETS
        assert extra in (0, 1)
        assert s.flags.get(space) != USA
    assert len(set(s.damaged)) == len(s.damaged)
    for space in s.huguenots:
        assert space in TERRITORIES
        assert BOARD[space].region in ("north_america", "caribbean")


def _owners(s: State, space: str) -> tuple[str, ...]:
    """Whose flag may stand in a space."""
    if space in USA_TERRITORIES:
        return (*SIDES, USA)
    return (*SIDES, SPAIN) if s.options.spanish_empire and BOARD[space].spanish else SIDES


def _check_tracks(s: State, fact: Fact[State]) -> None:
    for side in SIDES:
        assert s.debt[side] >= 0
        assert s.treaty[side] >= 0
        if isinstance(fact, AwardScored) and len(s.laid) == 3:  # the first of the turn, after phase 10
            assert s.treaty[side] <= 4
    assert s.initiative in SIDES
    assert s.first in SIDES
    assert set(s.exhausted) <= USED_UP
    assert len(set(s.exhausted)) == len(s.exhausted)
    assert len(set(s.demand)) == len(s.demand)
    assert set(s.demand) <= set(GOODS)
    assert 0 <= s.victories <= 2
    assert 0 <= s.merchants <= 2


def _check_squadrons(s: State, fact: Fact[State]) -> None:
    """Every Squadron is somewhere; only what says so takes one out of the game."""
    for side in SIDES:
        boxes = (s.navy[side], s.unbuilt[side], s.away[side])
        at_sea = sum(s.flags.get(space) == side for space in NAVAL)
        assert min(boxes) >= 0
        assert at_sea + sum(boxes) <= MOST_SQUADRONS
    if isinstance(fact, SquadronMoved):
        assert fact.origin != fact.to
    assert len(s.sailed) <= 2 * MOST_SQUADRONS


def _check_round(s: State) -> None:
    if s.round is None:
        return
    assert all(pool.points >= 0 for pool in s.round.pools), s.round.pools
    assert all(spent > 0 for spent in s.round.spent.values())
    names = [pool.name for pool in s.round.pools]
    assert len(set(names)) == len(names)
    assert len(s.round.used) <= 2
    assert len({ADVANTAGES[tile].region for tile in s.round.used}) == len(s.round.used)
    assert s.round.bought <= 2


def _check_cards(s: State, fact: Fact[State]) -> None:
    if isinstance(fact, FirstChosen):
        assert all(len(s.hands[side]) <= 3 for side in SIDES)
        assert s.dropped == {BR: (), FR: ()}
        assert len(s.shown) == 9
    assert set(events(s)) <= set(EVENTS)
    picked = [tile for side in SIDES for tile in s.picked[side]]
    assert len(set(picked)) == len(picked) <= 8
    assert set(picked) <= set(s.shown)
    if isinstance(fact, RoundBegan):
        assert len(picked) == fact.number - 1


def _check_war(s: State) -> None:
    """5.6.1: two Bonus tiles in a theatre.  5.3.3: four Basic tiles stay in the game."""
    for side in SIDES:
        assert all(len(tiles) <= 2 for tiles in s.reinforcements[side].values())
        assert s.basics[side].size + len(s.front[side]) >= 4
        assert s.refused[side] <= 2
        if s.war:
            theatres = {theatre.id for theatre in WARS[s.war].theatres}
            assert set(s.front[side]) in (set(), theatres)
            assert set(s.reinforcements[side]) <= theatres


# --------------------------------------------------------------------------- after every answer


def _check_advantages(s: State) -> None:
    """8.1: exactly who has every linked space has the tile; a damaged Fort has its owner."""
    assert s.advantages == dict(_fed(s))
    assert all(space in FORTS and s.flags.get(space) in SIDES for space in s.damaged)


def _fed(s: State) -> Iterator[tuple[str, str]]:
    for tile in ADVANTAGES.values():
        for side in SIDES:
            if all(s.flags.get(space) == side for space in tile.spaces):
                yield tile.id, side


def _check_debt(s: State) -> None:
    """6.3: Debt is never above its limit."""
    assert all(s.debt[side] <= s.limit[side] for side in SIDES)
    for space in s.huguenots:
        assert s.flags.get(space) != BR


@pytest.mark.parametrize("seed", range(4))
def test_a_table_does_not_depend_on_the_order_of_keys_in_a_log(seed: int) -> None:
    """A stored fact comes back with its keys sorted; even the bytes of the table are the same then."""
    played = any_match(seed)
    kept = reread = played.start
    for fact in played.facts[:-1]:
        plain = json.dumps(msgspec.to_builtins(fact), sort_keys=True)
        kept = fact.apply(kept)
        reread = msgspec.json.decode(plain, type=GAME.facts).apply(reread)
        assert msgspec.json.encode(kept) == msgspec.json.encode(reread), fact


def test_the_unions_hold_every_fact_and_step() -> None:
    properties.check_unions(GAME)
