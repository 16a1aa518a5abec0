"""Determinized tables agree with what a seat knows, and depend on nothing else (B6)."""

from __future__ import annotations

import os
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from domain.agents import AGENTS
from domain.agents.observation import table_of
from domain.agents.spec import AgentSpec
from domain.kernel import HIDDEN, prompt
from tests.domain.agents.laws import (
    Question,
    as_sets,
    check_determinization,
    observed,
    other_world,
    play_out,
    questions,
)
from tests.domain.played import piles
from tests.domain.properties import random_match
from tests.domain.viewers import exchanged
from tests.proofs.test_random_matches import settled

GAMES = sorted(AGENTS)
SAMPLE = {"thirteen_minutes": 3, "cia_vs_kgb": 2, "twilight_struggle": 3, "imperial_struggle": 1}
FULL = 2_000 if os.environ.get("GLASNOST_FULL") else 20  # tables of each game

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


def test_cards_that_change_places_in_one_pile_make_no_other_world() -> None:
    spec = AGENTS["cia_vs_kgb"]
    question = next(one for one in asked_of(spec, 0) if len(one.world.groups.cards) > 1)
    same = exchanged(spec.game, question.world, *question.world.groups.cards[:2])
    assert same != question.world
    assert as_sets(same) == as_sets(question.world)


@pytest.mark.parametrize(
    ("game", "sealed"),
    [
        ("cia_vs_kgb", "sent"),
        ("cia_vs_kgb", "fists"),
        ("imperial_struggle", "ministries"),
        ("imperial_struggle", "front"),
        ("thirteen_minutes", "bids"),
        ("twilight_struggle", "chosen"),
    ],
)
def test_worlds_differ_also_in_sealed_answers(game: str, sealed: str) -> None:
    spec, luck = AGENTS[game], Random(4)
    hiding = [
        question
        for seed in range(3)
        for question in asked_of(spec, seed)
        if HIDDEN in str(getattr(question.view, sealed))
    ]
    others = [(question.world, other_world(spec, question, luck)) for question in hiding[:20]]
    assert any(other and getattr(other, sealed) != getattr(world, sealed) for world, other in others)


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
