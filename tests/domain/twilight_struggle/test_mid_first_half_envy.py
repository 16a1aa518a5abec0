"""Missile Envy: the exchange, and the card that is owed."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardDiscarded, CardKept, CardPlayed, CardPutAway, EnvyEnded
from domain.twilight_struggle.facts.flow import EffectBegan, EventBarred, EventBegan, HeadlineBegan
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved, SpaceRolled
from domain.twilight_struggle.steps.flow import Act, ChooseHeadline, EndTurn, ResolveHeadline
from domain.twilight_struggle.steps.hands import LoseCard, Replenish
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

ENVY = "missile_envy"
PURGED = (("red_scare_purge", USSR),)

# --------------------------------------------------------------------------- the exchange


def test_missile_envy_asks_for_the_highest_card() -> None:
    """Missile Envy: of those with the most Operations the giver chooses."""
    hand = ("fidel", "marshall_plan", "asia_scoring", "nuclear_test_ban", "containment")
    s = resolving(table(ussr_hand=hand), ENVY, US)
    given(s, do=Event(US, ENVY)).asks(USSR, "marshall_plan", "nuclear_test_ban")


def test_missile_envy_asks_even_where_there_is_no_choice() -> None:
    """Missile Envy: the question says nothing about the hand; the China Card never counts (ruling)."""
    s = resolving(table(ussr_hand=("fidel", "allende"), china=USSR), ENVY, US)
    given(s, do=Event(US, ENVY)).then(EventBegan(ENVY, US)).asks(USSR, "fidel")


@pytest.mark.parametrize("hand", [(), ("asia_scoring",)])
def test_missile_envy_finds_nothing(hand: tuple[str, ...]) -> None:
    """Missile Envy, ruling: without an eligible card nothing happens, and it is discarded."""
    s = resolving(table(ussr_hand=hand), ENVY, US)
    asked = given(s, do=Event(US, ENVY)).then(EventBegan(ENVY, US)).asks(USSR, "none")
    asked.when(USSR, "none").then(CardPutAway(ENVY, "discards")).has(envy=None)


@pytest.mark.parametrize(("reading", "found"), [("printed", ("fidel",)), ("modified", ("fidel", "allende"))])
def test_missile_envy_compares_printed_operations(reading: str, found: tuple[str, ...]) -> None:
    """Missile Envy, ruling: printed values; by the option modified ones (the Purge makes a 1 of a 2)."""
    s = table(ussr_hand=("fidel", "allende"), options={"missile_envy": reading}, effects=PURGED)
    given(resolving(s, ENVY, US), do=Event(US, ENVY)).asks(USSR, *found)


def test_missile_envy_modified_takes_no_scoring_card() -> None:
    """Missile Envy: a scoring card is worth 0, whatever modifies Operations."""
    s = table(
        ussr_hand=("asia_scoring",),
        options={"missile_envy": "modified"},
        effects=(("brezhnev_doctrine", USSR),),
    )
    given(resolving(s, ENVY, US), do=Event(US, ENVY)).asks(USSR, "none")


def test_missile_envy_resolves_an_event_of_its_player() -> None:
    """Missile Envy, ruling: the own event happens; with an asterisk the card is removed."""
    s = resolving(table(ussr_hand=("containment", "fidel")), ENVY, US)
    given(s, do=Event(US, ENVY)).when(USSR, "containment").then(
        CardPlayed(US, "containment", "given", USSR),
        CardKept(ENVY, USSR),
        EventBegan("containment", US),
        EffectBegan("containment", US),
        CardPutAway("containment", "removed"),
    ).has(envy=USSR, hands={US: (), USSR: ("fidel", ENVY)}, playing=())


def test_missile_envy_resolves_a_neutral_event_for_its_player() -> None:
    """Missile Envy, ruling: a neutral event is the player's; without an asterisk it is discarded."""
    s = resolving(table(us_hand=("nuclear_test_ban",), defcon=4, phasing=USSR), ENVY, USSR)
    given(s, do=Event(USSR, ENVY)).when(US, "nuclear_test_ban").then(
        CardPlayed(USSR, "nuclear_test_ban", "given", US),
        CardKept(ENVY, US),
        EventBegan("nuclear_test_ban", USSR),
        ScoreMoved(USSR, 2, -2, "nuclear_test_ban"),
        DefconSet(4, 5),
        CardPutAway("nuclear_test_ban", "discards"),
    )


def test_missile_envy_uses_a_card_of_the_opponent_for_operations() -> None:
    """Missile Envy: the opponent's event does not happen; its Operations are conducted, not declined."""
    s = resolving(table(ussr_hand=("fidel",), us={"cuba": 1}, ussr={"haiti": 1}), ENVY, US)
    given_card = given(s, do=Event(US, ENVY)).when(USSR, "fidel")
    given_card.then(CardPlayed(US, "fidel", "given", USSR), CardKept(ENVY, USSR))
    given_card.asks(US, "influence", "coup", "realign").when(US, "coup").when(US, "haiti").then(
        MilitarySet(US, 2)
    )
    given_card.when("chance", "1").includes(CardPutAway("fidel", "discards")).has(
        influence={US: {"cuba": 1}, USSR: {}}
    )


def test_missile_envy_with_a_barred_event() -> None:
    """Missile Envy: an own event that cannot happen is discarded, and no Operations replace it."""
    s = table(us_hand=("arab_israeli_war",), beside=("camp_david_accords",), phasing=USSR)
    given(resolving(s, ENVY, USSR), do=Event(USSR, ENVY)).when(US, "arab_israeli_war").then(
        CardPlayed(USSR, "arab_israeli_war", "given", US),
        CardKept(ENVY, US),
        EventBarred("arab_israeli_war", "camp_david_accords"),
        CardPutAway("arab_israeli_war", "discards"),
    )


def test_missile_envy_pays_flower_power_for_a_war_card() -> None:
    """Missile Envy: a war card that the US takes is played by the US."""
    s = table(ussr_hand=("korean_war",), beside=("flower_power",))
    given(resolving(s, ENVY, US), do=Event(US, ENVY)).when(USSR, "korean_war").then(
        CardPlayed(US, "korean_war", "given", USSR),
        CardKept(ENVY, USSR),
        ScoreMoved(USSR, 2, -2, "flower_power"),
    ).asks(US, "influence")


def test_missile_envy_and_nuclear_war() -> None:
    """Missile Envy, ruling: We Will Bury You at DEFCON 2 ends the game before any points, for its player."""
    s = resolving(table(us_hand=("we_will_bury_you",), defcon=2, vp=-18, phasing=USSR), ENVY, USSR)
    given(s, do=Event(USSR, ENVY)).when(US, "we_will_bury_you").then(
        CardPlayed(USSR, "we_will_bury_you", "given", US),
        CardKept(ENVY, US),
        EventBegan("we_will_bury_you", USSR),
        DefconSet(2, 1),
        nuclear_war(US, -18),
    )


def test_missile_envy_as_headline_gives_only_the_event() -> None:
    """Missile Envy, ruling: a card of one's own brings its event alone, in the headline phase too."""
    s = table(ussr_hand=("containment",), phase="headline", round=0, phasing=None, headlines={US: ENVY})
    shown = given(s, do=ResolveHeadline(US)).then(HeadlineBegan(US, ENVY), EventBegan(ENVY, US))
    shown.when(USSR, "containment").includes(EffectBegan("containment", US)).asks_nobody()


# --------------------------------------------------------------------------- what is owed


def test_missile_envy_is_owed_in_the_next_round() -> None:
    """Missile Envy: it must be played for Operations; the Space Race is among them (ruling)."""
    s = table(ussr_hand=("fidel", ENVY, "nato"), us={"haiti": 1}, envy=USSR, phasing=USSR)
    uses = ("influence", "coup", "realign", "space")
    asked = given(s, do=PlayCard(USSR)).asks(USSR, *(f"{use}:{ENVY}" for use in uses))
    asked.when(USSR, f"coup:{ENVY}").then(CardPlayed(USSR, ENVY, "coup", USSR), EnvyEnded())
    asked.when(USSR, "haiti").when("chance", "6").includes(CardPutAway(ENVY, "discards"))


def test_missile_envy_that_is_owed_may_go_to_space() -> None:
    """Missile Envy, ruling: spending it on the Space Race pays the debt."""
    s = table(ussr_hand=(ENVY,), envy=USSR, phasing=USSR)
    asked = given(s, do=PlayCard(USSR)).when(USSR, f"space:{ENVY}")
    asked.then(CardPlayed(USSR, ENVY, "space", USSR), EnvyEnded())
    asked.when("chance", "6").then(SpaceRolled(USSR, ENVY, 1, 6, 3), CardPutAway(ENVY, "discards"))


def test_missile_envy_that_is_owed_suffers_from_the_purge() -> None:
    """Missile Envy, ruling: played under Red Scare/Purge it is worth 1, too little for the Space Race."""
    s = table(ussr_hand=(ENVY,), envy=USSR, phasing=USSR, effects=PURGED)
    placing = given(s, do=PlayCard(USSR)).asks(USSR, f"influence:{ENVY}").when(USSR, f"influence:{ENVY}")
    placing.when(USSR, "poland").then(InfluenceSet(USSR, "poland", 1, 1), CardPutAway(ENVY, "discards"))


def test_missile_envy_waits_for_a_scoring_card_in_the_last_round() -> None:
    """Missile Envy, ruling: the scoring card first, then round 1 of the next turn; no headline of it."""
    s = table(ussr_hand=("asia_scoring", ENVY, "fidel"), envy=USSR, phasing=USSR, round=6)
    scoring = given(s, do=(PlayCard(USSR), EndTurn())).asks(USSR, "event:asia_scoring")
    dealt = scoring.when(USSR, "event:asia_scoring").when("chance", "asia_scoring").has(turn=2)
    headlined = dealt.asks(USSR, "fidel", "asia_scoring").when(USSR, "fidel")
    headlined.has(round=1, phasing=USSR).asks(USSR, f"influence:{ENVY}", f"space:{ENVY}")


def test_missile_envy_that_is_not_owed_may_be_a_headline() -> None:
    """Missile Envy: only the debt keeps it from the headlines."""
    given(table(us_hand=(ENVY,), envy=USSR), do=ChooseHeadline((US,))).asks(US, ENVY)


def test_missile_envy_that_left_the_hand_is_owed_no_more() -> None:
    """Missile Envy, ruling: a random discard ends it, even where the card is drawn again later."""
    s = table(ussr_hand=(ENVY,), envy=USSR, phasing=USSR, china=None)
    lost = given(s, do=(LoseCard(USSR, "terrorism"), Replenish(USSR, 1), Act(2, USSR))).when("chance", ENVY)
    lost.includes(CardDiscarded(USSR, ENVY, "terrorism")).has(envy=None)
    lost.when("chance", ENVY).asks(USSR, f"event:{ENVY}", f"influence:{ENVY}", f"space:{ENVY}")
