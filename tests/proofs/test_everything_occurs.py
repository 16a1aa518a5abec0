"""Over many matches of Imperial Struggle everything that is printed comes to pass, for each side.

A random player lets most chances go by: it seldom plays an event, and seldom has its keyword open.
So the ordinary suite lets somebody play who seizes them, until he has seen it all.  The long proofs look at
the thousand matches of `test_random_matches`, and for every bonus at a thousand of those who seize chances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import (
    ADVANTAGES,
    AWARDS,
    GOODS,
    INVESTMENTS,
    MINISTRIES,
    SIDES,
    WAR_TILES,
    WARS,
)
from domain.imperial_struggle.facts.board import AdvantageUsed
from domain.imperial_struggle.facts.cards import AbilityUsed, EventPlayed, MinistryRevealed
from domain.imperial_struggle.facts.flow import AwardScored, GoodScored
from domain.imperial_struggle.facts.wars import TheatreFought, TilesRevealed
from domain.imperial_struggle.rules.menu import (
    ABILITY,
    ADVANTAGE,
    ANY_EVENT,
    ECONOMIC_EVENT,
    EVENT,
    REVEAL,
)
from domain.imperial_struggle.rules.registry import ABILITIES, EVENTS
from domain.imperial_struggle.steps.flow import Turn
from domain.imperial_struggle.steps.wars import Layout
from domain.kernel import Answer, AnyFact, Ended, Seat, Table, asked, begin, decide, prompt
from tests.domain import properties
from tests.proofs.test_random_matches import FULL, settled

MOST = 4000  # matches of those who seize every chance; about a hundred are enough, for every bonus a thousand
CHANCES = (REVEAL, EVENT, ABILITY, ADVANTAGE)
THEATRES = [theatre.id for war in WARS.values() for theatre in war.theatres]


def happened(facts: Iterable[AnyFact]) -> Iterator[str]:
    """What came to pass, each thing under its kind and id."""
    for fact in facts:
        if isinstance(fact, EventPlayed):
            yield f"event {fact.card}"
            yield f"event {fact.card} {fact.seat}"
            if fact.bonus:
                yield f"bonus {fact.card} {fact.seat}"
        elif isinstance(fact, MinistryRevealed):
            yield f"ministry {fact.ministry}"
        elif isinstance(fact, AbilityUsed):
            yield f"ability {fact.ability}"
        elif isinstance(fact, AdvantageUsed):
            yield f"advantage {fact.advantage}"
            yield f"advantage {fact.advantage} {fact.side}"
        elif isinstance(fact, TheatreFought):
            yield f"theatre {fact.theatre} {fact.winner}"
        elif isinstance(fact, TilesRevealed):
            yield from (f"tile {tile}" for tile in (*fact.br, *fact.fr))
        elif isinstance(fact, AwardScored):
            yield f"award {fact.award} {fact.winner}"
        elif isinstance(fact, GoodScored):
            yield f"good {fact.good} {fact.winner}"
        elif isinstance(fact, Ended):
            yield f"end {fact.reason} {fact.winner}"


def plain() -> set[str]:
    """What comes to pass without much looking for it."""
    return {
        *(f"ministry {card}" for card in MINISTRIES),
        *(f"ability {ability}" for ability in (*ABILITIES, ANY_EVENT, ECONOMIC_EVENT)),
        *(f"advantage {tile}" for tile in ADVANTAGES),
        *(f"theatre {theatre} {side}" for theatre in THEATRES for side in SIDES),
        *(f"award {tile} {winner}" for tile in AWARDS for winner in (*SIDES, None)),
        *(f"good {good} {winner}" for good in GOODS for winner in (*SIDES, None)),
        *(f"end {reason} {side}" for reason in ("victory_points", "final_scoring") for side in SIDES),
    }


def rare() -> set[str]:
    """What takes many matches: every tile in its theatre, every advantage in the hands of each side."""
    tiles = {f"tile {tile}" for tile in WAR_TILES}
    return tiles | {f"advantage {tile} {side}" for tile in ADVANTAGES for side in SIDES}


def events(part: str) -> set[str]:
    """Every "base" or "bonus" of an event that a side has."""
    kind = {"base": "event", "bonus": "bonus"}[part]
    return {
        f"{kind} {card.id} {side}" for card in EVENTS.values() for side in SIDES if card.effect(part, side)
    }


def seizing(table: Table, seat: Seat, luck: Random) -> Answer:
    """A random answer, but mostly one that reveals, plays or uses something, or makes that possible."""
    question = prompt(table, seat)
    assert question is not None
    chances = [
        pick
        for pick in question.options
        if pick.partition(":")[0] in CHANCES or (pick in INVESTMENTS and INVESTMENTS[pick].event)
    ]
    if question.most == 1 and chances and luck.random() < 0.9:
        return Answer(seat, (luck.choice(chances),))
    return properties.random_answer(table, seat, luck)


def seized(seed: int) -> Iterator[AnyFact]:
    """What happens where both sides seize every chance; two of three matches begin with a later era."""
    luck = Random(seed)
    table = GAME.table(*GAME.settle(None, {}))
    era = (GAME.first(table), (Layout("was"), Turn(3)), (Layout("awi"), Turn(5)))[seed % 3]
    decision = begin(table, era)
    while seats := asked(decision.table):
        yield from decision.facts
        decision = decide(decision.table, seizing(decision.table, luck.choice(seats), luck))
    yield from decision.facts


def facts_of(seed: int) -> list[AnyFact]:
    """What happens in the match of a seed (see `tests.proofs.test_random_matches`)."""
    luck, (edition, options) = settled(GAME, seed)
    return properties.random_match(GAME, luck, edition, options).facts


def seen_at_last(missing: set[str]) -> int:
    """Play until all of it has happened; gives the number of matches that this took."""
    for seed in range(MOST):
        missing = missing - set(happened(seized(seed)))
        if not missing:
            return seed + 1
    pytest.fail(f"no match saw {sorted(missing)}")


def test_everything_happens_to_those_who_seize_it() -> None:
    assert seen_at_last(plain() | events("base")) < MOST


@pytest.mark.long
def test_every_bonus_tile_and_advantage_happens_to_those_who_seize_it() -> None:
    matches = seen_at_last(events("bonus") | rare())
    print(f"{GAME.name}: every bonus of an event and every War tile within {matches} matches")


@pytest.mark.long
def test_everything_happens_in_a_thousand_random_matches() -> None:
    """Every ministry, ability, advantage, theatre, award, good and event; bonuses are counted."""
    seen = {thing for seed in range(FULL[GAME.name]) for thing in happened(facts_of(seed))}
    missing = (plain() | {f"event {card}" for card in EVENTS}) - seen
    assert not missing, sorted(missing)
    won, bonuses = events("bonus") & seen, events("bonus")
    print(f"{GAME.name}: {len(seen)} things happened, {len(won)} of {len(bonuses)} bonuses among them")
