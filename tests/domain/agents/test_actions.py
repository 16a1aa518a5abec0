"""Action spaces hold every pick that a prompt offers, in an order that is pinned (B17)."""

from __future__ import annotations

import pytest

from domain.agents import AGENTS
from domain.agents.actions import ActionSpace, numbers, spelt
from domain.kernel import asked, begin, decide, prompt
from tests.domain.properties import random_answer
from tests.domain.spelling import asking, example
from tests.domain.thirteen_minutes.tables import own_set
from tests.proofs.test_random_matches import settled

GAMES = sorted(AGENTS)
QUICK = {"thirteen_minutes": 25, "cia_vs_kgb": 6, "twilight_struggle": 6, "imperial_struggle": 2}
ALL = 10_000  # matches of each game

# The hash of each space by its name.  A space that changes gets the next number and a new line here; the old
# line stays, because agents were trained with that space.
PINNED = {
    "thirteen_minutes/1": "e912c0acfb1e33fe",
    "cia_vs_kgb/1": "df4e6efe859981fb",
    "twilight_struggle/1": "b1c24440fb68ebaa",
    "imperial_struggle/1": "03dd3470b7db82c3",
    "imperial_struggle/2": "f674e145fb6f2ce8",
}


def space_of(game: str) -> ActionSpace:
    """The space of a match with the default options."""
    spec = AGENTS[game]
    return spec.actions(spec.game.settle(None, {})[1])


@pytest.mark.parametrize("game", GAMES)
def test_the_order_of_actions_is_pinned(game: str) -> None:
    space = space_of(game)
    assert PINNED[space.name] == space.hash
    assert len(set(space.picks)) == space.done == space.size - 1
    assert [space.places[pick] for pick in space.picks] == list(range(space.done))


@pytest.mark.parametrize("game", GAMES)
def test_every_form_of_a_pick_is_in_the_space(game: str) -> None:
    spec, places = AGENTS[game], space_of(game).places
    forms = [form for kind in asking(spec.game) for form in kind.spelling]
    assert forms
    missing = [form for form in forms if example(spec.game, form) not in places]
    # Of these only some exist: two dice at once, or a tile that moves to a theatre of its own war.
    assert missing in ([], ["{tile}:{theatre}"])


@pytest.mark.parametrize("game", GAMES)
def test_no_prompt_offers_a_pick_outside_the_space(game: str) -> None:
    for seed in range(QUICK[game]):
        check_match(game, seed)


def test_a_rare_question_offers_no_pick_outside_the_space() -> None:
    """One match in thousands plays an event that pays with debt or Treaty Points."""
    check_match("imperial_struggle", 5346)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_no_prompt_of_ten_thousand_matches_offers_a_pick_outside_the_space(game: str) -> None:
    for seed in range(ALL):
        check_match(game, seed)


def check_match(game: str, seed: int) -> None:
    """Every option of every prompt of a match with varied options is in its space."""
    spec = AGENTS[game]
    luck, (edition, given) = settled(spec.game, seed)
    edition, options = spec.game.settle(edition, given)
    places = spec.actions(options).places
    empty = spec.game.table(edition, options)
    table = begin(empty, spec.game.first(empty)).table
    while seats := asked(table):
        for seat in seats:
            question = prompt(table, seat)
            assert question is not None
            assert not [pick for pick in question.options if pick not in places], (seed, question.ask)
        table = decide(table, random_answer(table, luck.choice(seats), luck)).table


def test_a_card_set_of_ones_own_has_a_space_of_its_own() -> None:
    spec = AGENTS["thirteen_minutes"]
    own = own_set()
    space = spec.actions(spec.game.settle(None, {"card_set": own})[1])
    assert space.hash != space_of("thirteen_minutes").hash
    assert space.size == space_of("thirteen_minutes").size
    assert {card["id"] for card in own["cards"]} <= set(space.picks)


def test_forms_are_filled_with_every_combination_of_their_words() -> None:
    words = {"seat": ("us", "ussr"), "points": numbers(0, 2)}
    assert list(spelt(("pass", "{seat}:{points}"), words)) == [
        "pass", "us:0", "us:1", "us:2", "ussr:0", "ussr:1", "ussr:2",
    ]  # fmt: skip
