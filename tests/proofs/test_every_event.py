"""Over many random matches of Twilight Struggle the event of every card happens.

A random match seldom sees the Late War.  So besides whole matches of both editions and the scenario the
ordinary suite plays some that begin with turn 8 on a made-up table, with every card of the edition in play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import pytest
from msgspec.structs import replace

from domain.kernel import AnyFact, asked, begin, decide
from domain.piles import Pile
from domain.twilight_struggle import GAME
from domain.twilight_struggle.editions import table
from domain.twilight_struggle.facts.cards import CardPlayed
from domain.twilight_struggle.facts.flow import EventBegan
from domain.twilight_struggle.rules.periods import cards_of
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.state import Readings, State
from domain.twilight_struggle.steps.flow import Turn
from tests.domain import properties
from tests.proofs.test_random_matches import LINES, settled

MATCHES, LATE = 2000, 500  # whole matches of each line and late ones of each edition, with --full
MOST = 1000  # rounds of one match of each line and each late table; about 100 are enough
UN = "un_intervention"  # it has no event but what is played together with it


def happened(facts: Iterable[AnyFact]) -> Iterator[str]:
    """The cards whose events happened."""
    for fact in facts:
        if isinstance(fact, EventBegan) and fact.card != UN:
            yield fact.card
        elif isinstance(fact, CardPlayed) and (fact.card, fact.how) == (UN, "event"):
            yield UN


def events_of(edition: str) -> set[str]:
    """The cards of an edition that have an event."""
    return {card.id for card in CARDS.values() if edition in card.editions} - {"china_card"}


def late_table(edition: str) -> State:
    """The end of turn 7 on the board of the Late War scenario; the cards of the Late War will join."""
    board = table(*GAME.settle("deluxe", {"scenario": "late_war"}))
    deck = Pile.of(cards_of(edition, "early", optional=True) + cards_of(edition, "mid", optional=True))
    return replace(board, edition=edition, options=Readings(), turn=7, deck=deck, beside=(), removed=())


def late_facts(edition: str, seed: int) -> Iterator[AnyFact]:
    """What happens from turn 8 on, by random answers."""
    luck = Random(seed)
    decision = begin(late_table(edition), (Turn(8),))
    while seats := asked(decision.table):
        yield from decision.facts
        decision = decide(decision.table, properties.random_answer(decision.table, luck.choice(seats), luck))
    yield from decision.facts


def whole_facts(seed: int) -> list[AnyFact]:
    """What happens in the match of a seed (see `tests.proofs.test_random_matches`)."""
    luck, (edition, options) = settled(GAME, seed)
    return properties.random_match(GAME, luck, edition, options).facts


def test_every_event_happens_in_random_matches() -> None:
    """Matches are played until each event has happened, and they are not many."""
    lines = len(LINES[GAME.name])
    missing = events_of("deluxe") | events_of("second")
    for seed in range(MOST):
        for each in range(lines):
            missing -= set(happened(whole_facts(seed * lines + each)))
        for edition in GAME.editions:
            missing -= set(happened(late_facts(edition, seed)))
        if not missing:
            return
    pytest.fail(f"no match saw the events of {sorted(missing)}")


@pytest.mark.long
@pytest.mark.parametrize("edition", GAME.editions)
def test_every_event_of_an_edition_happens_in_two_thousand_matches(edition: str) -> None:
    """In whole matches, and in as many late ones as they reach too seldom."""
    line = next(place for place, each in enumerate(LINES[GAME.name]) if each[0] == edition)
    seen = seen_in_whole_matches(line)
    late = {card for seed in range(LATE) for card in happened(late_facts(edition, seed))}
    assert seen | late == events_of(edition), sorted(events_of(edition) - seen - late)
    print(f"{edition}: {len(seen)} events in {MATCHES} matches, {len(late - seen)} more in {LATE} late ones")


@pytest.mark.long
def test_every_event_of_the_late_war_scenario_happens_in_two_thousand_matches() -> None:
    """Those of its deck; The Cambridge Five has no event any more in turn 8."""
    line = next(place for place, each in enumerate(LINES[GAME.name]) if "late_war" in each[1].values())
    start = table(*GAME.settle(*LINES[GAME.name][line]))
    seen = seen_in_whole_matches(line)
    assert seen == {*start.deck.cards} - {"the_cambridge_five"}, sorted({*start.deck.cards} ^ seen)
    print(f"Late War scenario: {len(seen)} events in {MATCHES} matches")


def seen_in_whole_matches(line: int) -> set[str]:
    """The events of all matches of a line."""
    seeds = range(line, MATCHES * len(LINES[GAME.name]), len(LINES[GAME.name]))
    return {card for seed in seeds for card in happened(whole_facts(seed))}
