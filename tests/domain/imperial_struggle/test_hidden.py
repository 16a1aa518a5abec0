"""Who sees what: hands, war tiles, ministries, discards; and that nothing else gives them away."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BR, ERAS, FR, MINISTRIES, OTHER, SIDES
from domain.imperial_struggle.facts.cards import (
    CardDiscarded,
    CardsDealt,
    CardsDropped,
    DropsShown,
    EventPlayed,
    EventsRetired,
    JacobitesDefeated,
    MinistriesChosen,
    MinistryRevealed,
)
from domain.imperial_struggle.facts.flow import BidMade
from domain.imperial_struggle.facts.wars import (
    BasicKept,
    BasicRemoved,
    BasicsDrawn,
    BasicsLaid,
    BonusDrawn,
    BonusMoved,
    BonusPlaced,
    BonusReturned,
    TilesRevealed,
    WarEnded,
)
from domain.imperial_struggle.state import State
from domain.kernel import CHANCE, HIDDEN, Answer, Fact, Seat, asked, decide, fold, prompt
from tests.domain import properties
from tests.domain.imperial_struggle.course import by_chance, opened
from tests.domain.played import Played, table_of

VIEWERS: tuple[Seat | None, ...] = (*SIDES, None)
SECRETS: tuple[tuple[Fact[State], Fact[State]], ...] = (
    (CardsDealt(FR, ("x", "y")), CardsDealt(FR, (HIDDEN, HIDDEN))),
    (CardsDropped(FR, ("x",)), CardsDropped(FR, (HIDDEN,))),
    (MinistriesChosen(FR, ("x", "y")), MinistriesChosen(FR, (HIDDEN, HIDDEN))),
    (BasicsLaid(FR, {"spain": "x"}), BasicsLaid(FR, {"spain": HIDDEN})),
    (BasicsDrawn(FR, ("x",)), BasicsDrawn(FR, (HIDDEN,))),
    (BasicKept(FR, "spain", "x", "y"), BasicKept(FR, "spain", HIDDEN, HIDDEN)),
    (BasicRemoved(FR, "spain", "x", "y"), BasicRemoved(FR, "spain", HIDDEN, "y")),
    (BonusDrawn(FR, "x", True), BonusDrawn(FR, HIDDEN, True)),
    (BonusPlaced(FR, "x", "spain"), BonusPlaced(FR, HIDDEN, "spain")),
    (BonusMoved(FR, "x", "spain", "wss"), BonusMoved(FR, HIDDEN, "spain", "wss")),
    (BonusReturned(FR, "x", "spain"), BonusReturned(FR, HIDDEN, "spain")),
    (BidMade(FR, "7"), BidMade(FR, HIDDEN)),
)
SHOWN: tuple[type[Fact[State]], ...] = (
    DropsShown,
    CardDiscarded,
    EventPlayed,
    EventsRetired,
    MinistryRevealed,
    JacobitesDefeated,
    TilesRevealed,
    BasicRemoved,
    WarEnded,
)


# --------------------------------------------------------------------------- facts


@pytest.mark.parametrize(("fact", "told"), SECRETS, ids=lambda fact: type(fact).__name__)
def test_only_its_side_sees_what_is_secret(fact: Fact[State], told: Fact[State]) -> None:
    assert fact.seen_by(FR) == fact
    assert fact.seen_by(BR) == fact.seen_by(None) == told


@pytest.mark.parametrize("kind", SHOWN)
def test_what_turns_something_up_says_that_it_reveals(kind: type[Fact[State]]) -> None:
    assert kind.reveals


@pytest.mark.parametrize("seed", range(3))
def test_every_other_fact_is_public(seed: int) -> None:
    secret = {type(fact) for fact, _ in SECRETS}
    options = {"bid": BR, "planned_layout": True, "planned_upgrades": True}
    for fact in properties.random_match(GAME, Random(seed), None, options).facts:
        assert (fact.known_to() is None) == (type(fact) not in secret), fact


# --------------------------------------------------------------------------- tables


def view(played: Played, viewer: Seat | None) -> list[State]:
    """What a viewer knows after each answer."""
    table: Any = played.start
    found: list[State] = []
    for _, decision in played:
        table = fold(table, [fact.seen_by(viewer) for fact in decision.facts])
        found.append(table)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_side_knows_its_own_hand_ministries_and_tiles(seed: int) -> None:
    played = properties.random_match(GAME, Random(seed))
    for side in SIDES:
        for known, (_, decision) in zip(view(played, side), played, strict=True):
            truth = decision.table
            assert sorted(known.hands[side]) == sorted(truth.hands[side])
            for name in ("ministries", "front", "reinforcements", "drawn", "dropped", "bonuses", "basics"):
                assert getattr(known, name)[side] == getattr(truth, name)[side], name


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("viewer", VIEWERS)
def test_only_its_side_knows_a_card_of_a_hand_or_a_ministry_face_down(seed: int, viewer: Seat | None) -> None:
    played = properties.random_match(GAME, Random(seed))
    for known in view(played, viewer):
        for side in SIDES:
            if side == viewer:
                continue
            assert set(known.hands[side]) <= {HIDDEN}
            assert set(known.dropped[side]) <= {HIDDEN}
            assert {card for card in known.ministries[side] if card not in known.revealed} <= {HIDDEN}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_display_of_the_next_war_is_hidden_from_the_others(seed: int, viewer: Seat | None) -> None:
    """In peace; in a war the theatres that were fought lie open."""
    played = properties.random_match(GAME, Random(seed), None, {"planned_upgrades": True})
    for known in view(played, viewer):
        for side in SIDES:
            if side == viewer or known.phase in ("wss", "was", "syw", "awi"):
                continue
            laid = [*known.front[side].values(), *known.drawn[side]]
            laid += [tile for tiles in known.reinforcements[side].values() for tile in tiles]
            assert set(laid) <= {HIDDEN}


def test_the_french_bonus_tile_of_the_set_up_is_known_to_france_alone() -> None:
    facts = by_chance(opened())
    for viewer in VIEWERS:
        (told,) = (fact.seen_by(viewer) for fact in facts if isinstance(fact, BonusPlaced))
        assert isinstance(told, BonusPlaced)
        assert (told.tile == HIDDEN) == (viewer != FR)


def test_the_numbers_of_cards_and_tiles_are_public() -> None:
    played = properties.random_match(GAME, Random(5))
    for known, (_, decision) in zip(view(played, None), played, strict=True):
        truth = decision.table
        for side in SIDES:
            assert len(known.hands[side]) == len(truth.hands[side])
            assert len(known.ministries[side]) == len(truth.ministries[side])
            assert known.front[side].keys() == truth.front[side].keys()
        assert (known.deck.size, known.stack.size) == (truth.deck.size, truth.stack.size)


# --------------------------------------------------------------------------- nothing gives it away


def exchanged(s: State, one: str, other: str) -> State:
    """The same table with one ministry in the place of another."""
    plain = msgspec.to_builtins(s)
    names = {one: other, other: one}
    laid = {side: [names.get(card, card) for card in s.ministries[side]] for side in SIDES}
    table: State = table_of(GAME, {**plain, "ministries": laid})
    return table


def hidden_pair(s: State, side: Seat, luck: Random) -> tuple[str, str] | None:
    """A ministry that lies face down, and another that might lie there in its place."""
    laid = [card for card in s.ministries[side] if card not in s.revealed]
    if not laid:
        return None
    spare = [
        card.id
        for card in MINISTRIES.values()
        if card.side == side
        and ERAS[s.turn] in card.eras
        and card.id not in s.ministries[side]
        and not (card.id == "jacobite_uprisings" and s.defeated)
    ]
    return luck.choice(laid), luck.choice(spare)


@pytest.mark.parametrize("seed", range(6))
def test_a_ministry_face_down_changes_nothing_that_others_see_or_are_asked(seed: int) -> None:
    """Number and kind of facts are the same, and so is every word of them that is not about it."""
    played, luck = properties.random_match(GAME, Random(seed)), Random(seed)
    compared = 0
    for i, (_, decision) in enumerate(played[:-1]):
        s = decision.table
        for side in SIDES:
            pair = hidden_pair(s, side, luck)
            if pair is None:
                continue
            otherwise = exchanged(s, *pair)
            assert asked(s) == asked(otherwise)
            for viewer in (OTHER[side], CHANCE):
                assert prompt(s, viewer) == prompt(otherwise, viewer)
            compared += compare(s, otherwise, played[i + 1][0], side, pair)
    assert compared > 50


def compare(s: State, otherwise: State, answer: Answer, side: Seat, pair: tuple[str, str]) -> int:
    """The same answer brings others the same facts; 0 where it names the ministry itself."""
    if any(word.partition(".")[0] in pair for pick in answer.picks for word in pick.split(":")):
        return 0
    told, retold = decide(s, answer).facts, decide(otherwise, answer).facts
    for viewer in (OTHER[side], None):
        ours = [fact.seen_by(viewer) for fact in told]
        theirs = [fact.seen_by(viewer) for fact in retold]
        if any(fact.reveals for fact in told):
            ours, theirs = until_shown(ours), until_shown(theirs)
        assert ours == theirs
    return 1


def until_shown(facts: list[Fact[State]]) -> list[Fact[State]]:
    """The facts before the first one that shows something."""
    return facts[: next(i for i, fact in enumerate(facts) if fact.reveals)]
