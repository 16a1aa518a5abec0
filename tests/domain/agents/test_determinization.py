"""Determinized tables agree with what a seat knows, and depend on nothing else (B6)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from copy import copy
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from domain.agents import AGENTS
from domain.agents.observation import table_of
from domain.agents.spec import AgentSpec
from domain.kernel import HIDDEN, prompt
from domain.piles import Pile
from tests.domain.agents.laws import (
    Question,
    check_determinization,
    observed,
    other_world,
    play_out,
    questions,
)
from tests.domain.played import piles
from tests.domain.properties import random_match
from tests.proofs.test_random_matches import settled

GAMES = sorted(AGENTS)
SAMPLE = {"thirteen_minutes": 3, "cia_vs_kgb": 2, "twilight_struggle": 3, "imperial_struggle": 1}
FULL = 2_000 if os.environ.get("GLASNOST_FULL") else 20  # tables of each game
DRAWN = 20_000 if os.environ.get("GLASNOST_FULL") else 2_000  # tables of one view
RARE = 3.719  # standard deviations that one of 10,000 values exceeds on one side
ENOUGH = 5.5  # standard deviations of a count that is right in all but one of 20 million cases

# Where what a fact conceals lies on the table; `determinize` fills each of these fields.  A new fact that
# conceals something is added here once its field is filled.
FILLED = {
    "thirteen_minutes": {
        "HandDealt.cards": "hands", "CubaDealt.card": "cuba", "BidMade.cubes": "bids",
        "CubaSeen.card": "cuba", "HandSeen.cards": "hands", "TopSeen.card": "deck",
        "TopExchanged.given": "deck",
        "TopExchanged.taken": "hands", "CardDrawn.card": "hands",
    },
    "cia_vs_kgb": {
        "HandClosed.hand": "fists", "AgentSent.agent": "sent", "ObjectivesSeen.objectives": "objectives",
        "ObjectivesArranged.objectives": "objectives", "GroupsSeen.groups": "groups",
        "GroupsArranged.groups": "groups",
    },
    "twilight_struggle": {
        "CardsDealt.cards": "hands", "TopSeen.cards": "deck", "HandShown.cards": "hands",
        "CardSeen.card": "hands", "PositionStated.hands": "hands", "PositionStated.deck": "deck",
        "HeadlineChosen.card": "chosen", "BidMade.bid": "bids",
    },
    "imperial_struggle": {
        "CardsDealt.cards": "hands", "CardsDropped.cards": "dropped",
        "MinistriesChosen.ministries": "ministries",
        "BidMade.bid": "bids", "BasicsLaid.tiles": "front", "BasicsDrawn.tiles": "drawn",
        "BasicKept.kept": "front", "BasicKept.other": "basics", "BasicRemoved.kept": "front",
        "BonusDrawn.tile": "drawn", "BonusPlaced.tile": "reinforcements", "BonusMoved.tile": "reinforcements",
        "BonusReturned.tile": "bonuses",
    },
}  # fmt: skip


def asked_of(spec: AgentSpec[Any], seed: int) -> list[Question]:
    """The questions of one random match, with options of its own."""
    luck, (edition, options) = settled(spec.game, seed)
    return list(questions(spec, random_match(spec.game, luck, edition, options)))


@pytest.mark.parametrize("game", GAMES)
def test_everything_that_facts_conceal_is_filled(game: str) -> None:
    facts = get_args(AGENTS[game].game.facts)
    concealed = {f"{fact.__name__}.{field}" for fact in facts for field in fact.conceals}
    assert concealed == set(FILLED[game])
    assert set(FILLED[game].values()) <= set(AGENTS[game].game.state.__struct_fields__)


@pytest.mark.parametrize("game", GAMES)
def test_a_determinized_table_agrees_with_the_view_and_can_be_played_to_the_end(game: str) -> None:
    spec, luck = AGENTS[game], Random(1)
    for seed in range(SAMPLE[game]):
        found = asked_of(spec, seed)
        for number, question in enumerate(found):
            table = check_determinization(spec, question, number)
            if number % 60 == 0:
                play_out(table, luck)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_many_determinized_tables(game: str) -> None:
    spec, luck, checked, seed = AGENTS[game], Random(2), 0, 100
    while checked < FULL:
        for number, question in enumerate(asked_of(spec, seed)):
            table = check_determinization(spec, question, number)
            if number % 10 == 0:
                play_out(table, luck)
                checked += 1
        seed += 1
    print(f"{game}: {checked} determinized tables of {seed - 100} matches, each played to its end")


@pytest.mark.parametrize("game", GAMES)
def test_a_determinized_table_does_not_depend_on_the_world(game: str) -> None:
    spec, luck, compared = AGENTS[game], Random(3), 0
    for question in asked_of(spec, 0)[::3]:
        other = other_world(spec, question, luck)
        if other is not None:
            same = observed(spec, other, question.view, question.seat)
            tables = [
                spec.determinize(table_of(spec.game, one), Random(5)) for one in (question.observation, same)
            ]
            assert tables[0] == tables[1]
            compared += 1
    assert compared


def places(table: Any, pile: str) -> Iterator[tuple[str, str]]:
    """Where each card of a pile, and of the hands that are dealt from it, lies."""
    held: Pile = getattr(table, pile)
    for card in held.cards:
        yield card, "loose"
    for seat, hand in table.hands.items():
        for card in hand:
            yield card, seat


@pytest.mark.parametrize("game", ["thirteen_minutes", "twilight_struggle", "imperial_struggle"])
def test_each_unseen_card_lies_in_each_unseen_place_equally_often(game: str) -> None:
    spec = AGENTS[game]
    question = next(
        one for one in asked_of(spec, 4) if len(one.view.deck.cards) > 4 and HIDDEN in str(one.view.hands)
    )
    check_uniform(spec, question, 400)


@pytest.mark.long
@pytest.mark.parametrize("game", ["thirteen_minutes", "twilight_struggle", "imperial_struggle"])
def test_many_tables_of_one_view_are_uniform(game: str) -> None:
    spec = AGENTS[game]
    question = next(
        one for one in asked_of(spec, 4) if len(one.view.deck.cards) > 4 and HIDDEN in str(one.view.hands)
    )
    squares, degrees = check_uniform(spec, question, DRAWN)
    assert squares < critical(degrees), (squares, degrees)
    print(f"{game}: {DRAWN} tables of one view, chi-square {squares:.1f} of {degrees} degrees, p > 0.0001")


def critical(degrees: int) -> float:
    """What chi-square exceeds with p = 0.0001, as Wilson and Hilferty approximate it."""
    part = 2 / (9 * degrees)
    root: float = 1 - part + RARE * part**0.5
    return degrees * root**3


@pytest.mark.parametrize(("degrees", "known"), [(10, 35.564), (30, 67.633), (100, 161.319)])
def test_the_critical_values_are_those_of_the_tables(degrees: int, known: float) -> None:
    assert critical(degrees) == pytest.approx(known, rel=0.02)


def test_a_determinization_that_prefers_a_place_is_found() -> None:
    """A card that always lies in the hand, where it can."""
    spec = AGENTS["twilight_struggle"]
    question = next(
        one for one in asked_of(spec, 4) if len(one.view.deck.cards) > 4 and HIDDEN in str(one.view.hands)
    )
    favourite = question.view.deck.cards[0]

    def determinize(view: Any, rng: Any) -> Any:
        tables = (spec.determinize(view, rng) for _ in range(2))
        return max(tables, key=lambda table: any(favourite in hand for hand in table.hands.values()))

    biased = copy(spec)
    biased.determinize = determinize
    with pytest.raises(AssertionError):
        check_uniform(biased, question, 400)


def check_uniform(spec: AgentSpec[Any], question: Question, tables: int) -> tuple[float, int]:
    """Each unseen card lies loose in the deck as often as the number of loose places says.

    Returns chi-square of all cards together, and its degrees of freedom.
    """
    view, rng = table_of(spec.game, question.observation), Random(6)
    unseen = question.view.deck.cards
    counts = Counter(
        card
        for _ in range(tables)
        for card, where in places(spec.determinize(view, rng), "deck")
        if where == "loose" and card in unseen
    )
    share = question.view.deck.loose / len(unseen)
    spread = (tables * share * (1 - share)) ** 0.5
    assert 0 < share < 1
    assert sum(counts.values()) == tables * question.view.deck.loose
    for card in unseen:
        assert abs(counts[card] - tables * share) < ENOUGH * spread, (card, counts[card], tables * share)
    degrees = len(unseen) - 1  # each table has the same number of loose cards
    squares = sum((counts[card] - tables * share) ** 2 for card in unseen) / spread**2
    return squares * degrees / len(unseen), degrees


def test_a_determinization_that_forgets_a_place_is_found() -> None:
    spec = AGENTS["twilight_struggle"]
    forgetful: AgentSpec[Any] = AgentSpec(
        spec.game,
        determinize=lambda view, rng: replace(spec.determinize(view, rng), hands=view.hands),
        policy=spec.policy,
        evaluate=spec.evaluate,
        is_quiet=spec.is_quiet,
        actions=spec.actions,
        encoding=spec.encoding,
    )
    question = next(one for one in asked_of(spec, 0) if HIDDEN in str(one.view.hands))
    with pytest.raises(AssertionError, match="a face is unknown"):
        check_determinization(forgetful, question, 1)


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_observes_is_read_again_as_it_was(game: str) -> None:
    spec = AGENTS[game]
    for question in asked_of(spec, 1)[::20]:
        table = table_of(spec.game, question.observation)
        assert table.agenda == question.world.agenda
        assert len(question.observation.table) < 20_000
        assert {pile.size for pile in piles(table)} == {pile.size for pile in piles(question.view)}
        assert prompt(replace(question.world), question.seat) == question.observation.prompt
