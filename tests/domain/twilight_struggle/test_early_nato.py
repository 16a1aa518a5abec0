"""NATO, what enables it, what it protects and what weakens it; the US/Japan Pact; Special Relationship."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.components import MEMBERS
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import ScoreMoved
from domain.twilight_struggle.rules.operations import COUP, REALIGN, Ops, targets, under_nato
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.operations import Coup
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

NATO = ("nato",)
SPECIAL = "special_relationship"


def reached(kind: str, seat: str = USSR, *, free: bool = False, **fields: Any) -> tuple[str, ...]:
    """Where a side may attempt a Coup or a realignment on this table."""
    return targets(table(**fields), seat, Ops("any", 2, free=free), kind)


# ── when it happens ──


@pytest.mark.parametrize("before", ["marshall_plan", "warsaw_pact_formed"])
def test_nato_needs_marshall_plan_or_warsaw_pact(before: str) -> None:
    given(resolving(table(beside=(before,)), "nato", US), do=Event(US, "nato")).then(
        EventBegan("nato", US), CardPutAway("nato", "beside")
    )


def test_5_2_example_1_nato_played_too_early_is_discarded_not_removed() -> None:
    """The USSR has all 4 Operations, and NATO does not happen."""
    s = table(phasing=USSR, ussr={"cuba": 1}, ussr_hand=NATO)
    game = given(s, do=PlayCard(USSR)).when(USSR, "influence:nato")
    game.then(CardPlayed(USSR, "nato", "influence", USSR))
    for _ in range(3):
        game.when(USSR, "cuba")
    game.when(USSR, "cuba").then(
        InfluenceSet(USSR, "cuba", 1, 5),
        EventBarred("nato", "needs_alliance"),
        CardPutAway("nato", "discards"),
    )


@pytest.mark.parametrize("card", ["marshall_plan", "warsaw_pact_formed"])
def test_nato_is_enabled_by_the_event_of_either_card(card: str) -> None:
    """Each stays beside the board from then on."""
    side = {"marshall_plan": US, "warsaw_pact_formed": USSR}[card]
    game = given(resolving(table(), card, side), do=(Event(side, card), Event(US, "nato")))
    if card == "warsaw_pact_formed":
        game.when(USSR, "remove")
    else:
        game.when(US, *MEMBERS["western_europe"][:7])
    game.includes(CardPutAway(card, "beside"), EventBegan("nato", US))


# ── what it protects ──


@pytest.mark.parametrize("kind", [COUP, REALIGN])
def test_nato_protects_us_controlled_countries_of_europe(kind: str) -> None:
    """Turkey and Poland are US-controlled Europe; Greece is not controlled, Iran not in Europe."""
    american = {"turkey": 2, "poland": 3, "greece": 1, "iran": 2}
    assert reached(kind, us=american, beside=NATO) == ("greece", "iran")
    assert reached(kind, us=american) == ("greece", "turkey", "poland", "iran")


def test_nato_protects_from_free_coups_as_well() -> None:
    assert reached(COUP, us={"turkey": 2}, beside=NATO, free=True, defcon=2) == ()


def test_nato_looks_at_control_at_the_moment_of_the_attempt() -> None:
    """Ruling: 1 USSR influence in Turkey, and it is open."""
    assert reached(COUP, us={"turkey": 2}, ussr={"turkey": 1}, beside=NATO) == ("turkey",)


def test_nato_does_not_hinder_the_us() -> None:
    assert reached(COUP, US, us={"turkey": 3}, ussr={"turkey": 1}, beside=NATO) == ("turkey",)


@pytest.mark.parametrize(
    ("country", "card"), [("france", "de_gaulle_leads_france"), ("west_germany", "willy_brandt")]
)
def test_nato_does_not_protect_france_after_de_gaulle_nor_west_germany_under_brandt(
    country: str, card: str
) -> None:
    american = {"france": 3, "west_germany": 4, "italy": 2}
    assert reached(COUP, us=american, beside=NATO) == ()
    assert reached(COUP, us=american, beside=("nato", card)) == (country,)


def test_nato_de_gaulle_holds_whether_nato_comes_before_or_after() -> None:
    """Ruling."""
    general = "de_gaulle_leads_france"
    held = {"france": 6}  # 4 to 1 after De Gaulle: still under US control
    after = resolving(table(us=held, beside=("nato", "marshall_plan")), general, USSR)
    before = resolving(resolving(table(us=held, beside=("marshall_plan",)), "nato", US), general, USSR)
    for game in (
        given(after, do=Event(USSR, general)),
        given(before, do=(Event(USSR, general), Event(US, "nato"))),
    ):
        assert {"nato", general} < set(game.table.beside)
        assert targets(game.table, USSR, Ops("any", 2), COUP) == ("france",)


def test_nato_west_germany_is_protected_again_without_willy_brandt() -> None:
    """Tear Down This Wall cancels Willy Brandt."""
    assert not under_nato(table(us={"west_germany": 4}, beside=("nato", "willy_brandt")), "west_germany")
    assert under_nato(table(us={"west_germany": 4}, beside=NATO), "west_germany")


@pytest.mark.parametrize("player", [US, USSR])
def test_nato_keeps_brush_war_from_us_controlled_europe(player: str) -> None:
    """The clause names no attacker, so it holds for the US too."""
    s = table(us={"greece": 2, "italy": 1}, ussr={"turkey": 1, "spain_portugal": 2}, beside=NATO)
    game = given(resolving(s, "brush_war", player), do=Event(player, "brush_war"))
    game.refuses(player, "greece").when(player, "italy")


# ── US/Japan Mutual Defense Pact ──


@pytest.mark.parametrize("kind", [COUP, REALIGN])
def test_us_japan_pact_protects_japan_for_ever(kind: str) -> None:
    """Under the control of either side; the US is not hindered."""
    pact = ("us_japan_mutual_defense_pact",)
    assert reached(kind, us={"japan": 1, "india": 1}) == ("india", "japan")
    assert reached(kind, us={"japan": 1, "india": 1}, beside=pact) == ("india",)
    assert reached(kind, US, ussr={"japan": 1}, beside=pact) == ("japan",)


def test_us_japan_pact_japan_is_not_among_the_targets_of_a_coup() -> None:
    s = table(us={"japan": 4, "taiwan": 1}, beside=("us_japan_mutual_defense_pact",))
    given(s, do=Coup(USSR, Ops("fidel", 2))).asks(USSR, "taiwan")


# ── Special Relationship ──


def special(**fields: Any) -> Scenario[State]:
    """The event, played by the US."""
    return given(resolving(table(**fields), SPECIAL, US), do=Event(US, SPECIAL))


def test_special_relationship_without_nato_adds_1_next_to_the_united_kingdom() -> None:
    game = special(us={"united_kingdom": 5}).asks(US, "canada", "norway", "benelux", "france")
    game.when(US, "benelux").then(InfluenceSet(US, "benelux", 1, 1), CardPutAway(SPECIAL, "discards"))
    game.has(vp=0)


def test_special_relationship_with_nato_adds_2_in_one_western_country_and_scores_2() -> None:
    """Ruling: both go to the same country."""
    game = special(us={"united_kingdom": 5}, beside=NATO)
    game.then(EventBegan(SPECIAL, US), ScoreMoved(US, 2, 2, SPECIAL)).asks(US, *MEMBERS["western_europe"])
    game.refuses(US, "turkey", "greece").when(US, "turkey").then(
        InfluenceSet(US, "turkey", 2, 2), CardPutAway(SPECIAL, "discards")
    )


def test_special_relationship_needs_us_control_of_the_united_kingdom() -> None:
    special(us={"united_kingdom": 5}, ussr={"united_kingdom": 1}, beside=NATO).then(
        EventBarred(SPECIAL, "needs_united_kingdom"), CardPutAway(SPECIAL, "discards")
    )


def test_special_relationship_can_be_defused_by_operations_first() -> None:
    """5.2: the condition is checked after the Operations."""
    s = table(phasing=USSR, us={"united_kingdom": 5}, ussr={"norway": 1}, ussr_hand=(SPECIAL,))
    game = given(s, do=PlayCard(USSR)).when(USSR, f"influence:{SPECIAL}")
    game.when(USSR, "united_kingdom").then(
        InfluenceSet(USSR, "united_kingdom", 1, 1),
        EventBarred(SPECIAL, "needs_united_kingdom"),
        CardPutAway(SPECIAL, "discards"),
    )
