"""The China Card, the Space Race and Che in the second half of the Mid War."""

from __future__ import annotations

from domain.kernel import Ended
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway, ChinaPassed
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan
from domain.twilight_struggle.facts.tracks import MilitarySet, ScoreMoved, SpaceSet
from domain.twilight_struggle.rules.operations import holds_box
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

NIXON, USSURI, STEP = "nixon_plays_the_china_card", "ussuri_river_skirmish", "one_small_step"
VARIANT = {"chinese_civil_war": True}

# --------------------------------------------------------------------------- the China Card


def test_nixon_plays_the_china_card_takes_it_face_down() -> None:
    """Nixon: the China Card comes from the USSR, and the US may not play it this turn."""
    s = resolving(table(china=USSR, us_hand=("fidel",)), NIXON, US)
    given(s, do=(Event(US, NIXON), PlayCard(US))).then(
        EventBegan(NIXON, US), ChinaPassed(US, False), CardPutAway(NIXON, "removed")
    ).refuses(US, "influence:china_card").has(china=US, china_ready=False)


def test_nixon_plays_the_china_card_scores_for_its_holder() -> None:
    """Nixon: the US has the China Card already, even face down, and gains 2."""
    s = resolving(table(china=US, china_ready=False), NIXON, US)
    given(s, do=Event(US, NIXON)).then(
        EventBegan(NIXON, US), ScoreMoved(US, 2, 2, NIXON), CardPutAway(NIXON, "removed")
    )


def test_nixon_plays_the_china_card_in_the_chinese_civil_war() -> None:
    """Nixon, ruling: while the box is open the US counts as holder; no side gets the card."""
    given(table(china=None, options=VARIANT), do=Event(US, NIXON)).then(
        EventBegan(NIXON, US), ScoreMoved(US, 2, 2, NIXON)
    ).has(china=None)


def test_nixon_plays_the_china_card_after_the_chinese_civil_war() -> None:
    """Nixon: with the box completed the USSR hands the card over as ever."""
    given(table(china=USSR, options=VARIANT), do=Event(US, NIXON)).then(
        EventBegan(NIXON, US), ChinaPassed(US, False)
    )


def test_ussuri_river_skirmish_takes_the_china_card_face_up() -> None:
    """Ussuri River Skirmish: the China Card comes from the USSR, usable at once even if it lay face down."""
    s = resolving(table(china=USSR, china_ready=False, us_hand=("fidel",)), USSURI, US)
    given(s, do=(Event(US, USSURI), PlayCard(US))).then(
        EventBegan(USSURI, US), ChinaPassed(US, True), CardPutAway(USSURI, "removed")
    ).has(china=US, china_ready=True).when(US, "influence:china_card")


def test_ussuri_river_skirmish_adds_influence_for_the_holder() -> None:
    """Ussuri River Skirmish, ruling: 4 in Asia, Southeast Asia included, at most 2 in one country."""
    asked = given(resolving(table(china=US), USSURI, US), do=Event(US, USSURI)).refuses(US, "iran")
    asked.when(US, "india").when(US, "india").then(InfluenceSet(US, "india", 1, 2)).refuses(US, "india")
    asked.when(US, "thailand").then(InfluenceSet(US, "thailand", 1, 1))
    asked.when(US, "vietnam").then(InfluenceSet(US, "vietnam", 1, 1), CardPutAway(USSURI, "removed"))


def test_ussuri_river_skirmish_in_the_chinese_civil_war() -> None:
    """Ussuri River Skirmish, ruling: while the box is open the US counts as holder and adds the influence."""
    asked = given(table(china=None, options=VARIANT), do=Event(US, USSURI)).then(EventBegan(USSURI, US))
    asked.refuses(US, "chinese_civil_war").when(US, "taiwan").then(InfluenceSet(US, "taiwan", 1, 1))
    asked.has(china=None)


def test_ussuri_river_skirmish_after_the_chinese_civil_war() -> None:
    """Ussuri River Skirmish: with the box completed the USSR hands the card over as ever."""
    given(table(china=USSR, options=VARIANT), do=Event(US, USSURI)).then(
        EventBegan(USSURI, US), ChinaPassed(US, True)
    )


# --------------------------------------------------------------------------- One Small Step


def test_one_small_step_scores_only_the_last_box() -> None:
    """One Small Step: from 2 to 4; the points of box 3 are not scored, and box 4 has none."""
    s = resolving(table(space={US: 2, USSR: 3}), STEP, US)
    given(s, do=Event(US, STEP)).then(EventBegan(STEP, US), SpaceSet(US, 4), CardPutAway(STEP, "discards"))


def test_one_small_step_scores_as_the_first() -> None:
    """One Small Step: the USSR, behind by 1, is first in box 5."""
    given(table(space={US: 4, USSR: 3}), do=Event(USSR, STEP)).then(
        EventBegan(STEP, USSR), SpaceSet(USSR, 5), ScoreMoved(USSR, 3, -3, STEP)
    )


def test_one_small_step_scores_as_the_second() -> None:
    """One Small Step: where the opponent has been there, the lower points."""
    given(table(space={US: 3, USSR: 5}), do=Event(US, STEP)).then(
        EventBegan(STEP, US), SpaceSet(US, 5), ScoreMoved(US, 1, 1, STEP)
    )


def test_one_small_step_gives_and_ends_abilities() -> None:
    """One Small Step, ruling: the USSR loses the ability of box 2, passed; the US is first in box 4."""
    after = given(table(space={US: 2, USSR: 3}), do=Event(US, STEP)).table
    assert holds_box(after, US, 4)
    before = table(space={US: 1, USSR: 2})
    assert holds_box(before, USSR, 2)
    after = given(before, do=Event(US, STEP)).table
    assert not holds_box(after, USSR, 2)
    assert not holds_box(after, US, 2)


def test_one_small_step_stops_at_the_last_box() -> None:
    """One Small Step, ruling: from box 7 only one step is possible."""
    given(table(space={US: 7, USSR: 8}), do=Event(US, STEP)).then(EventBegan(STEP, US), SpaceSet(US, 8))


def test_one_small_step_is_no_space_attempt() -> None:
    """One Small Step, ruling: the attempt of the turn is still to be had."""
    s = table(space={US: 0, USSR: 1}, us_hand=("fidel",))
    given(s, do=(Event(US, STEP), PlayCard(US))).has(spaced={US: 0, USSR: 0}).when(US, "space:fidel")


def test_one_small_step_does_nothing_for_who_is_not_behind() -> None:
    """One Small Step, ruling: level or ahead there is no event."""
    for space in ({US: 2, USSR: 2}, {US: 3, USSR: 2}):
        given(resolving(table(space=space), STEP, US), do=Event(US, STEP)).then(
            EventBarred(STEP, "needs_behind_in_space"), CardPutAway(STEP, "discards")
        )


# --------------------------------------------------------------------------- Che


def test_che_offers_a_coup_outside_battlegrounds() -> None:
    """Che: Africa, Central and South America, no battleground, and only where the US has influence."""
    american = {"colombia": 1, "guatemala": 1, "kenya": 1, "zaire": 1, "mexico": 1, "brazil": 1, "burma": 1}
    s = resolving(table(us=american, ussr={"haiti": 1}), "che", USSR)
    given(s, do=Event(USSR, "che")).asks(USSR, "coup", "none").when(USSR, "coup").asks(
        USSR, "colombia", "guatemala", "kenya"
    )


def test_che_may_be_declined() -> None:
    """Che: the Coup is optional."""
    s = resolving(table(us={"colombia": 1}), "che", USSR)
    given(s, do=Event(USSR, "che")).when(USSR, "none").then(CardPutAway("che", "discards"))


def test_che_without_a_target_is_over() -> None:
    """Che, ruling: US influence must be present in the target; without any, no seat is asked."""
    s = resolving(table(us={"zaire": 1}), "che", USSR)
    given(s, do=Event(USSR, "che")).then(EventBegan("che", USSR), CardPutAway("che", "discards"))


def test_che_may_coup_again_in_another_country() -> None:
    """Che: the first Coup took US influence, so a second may follow, elsewhere; a third may not."""
    s = resolving(table(us={"colombia": 1, "kenya": 2, "botswana": 1}), "che", USSR)
    first = given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "colombia")
    first.then(MilitarySet(USSR, 3)).when("chance", "1").then(
        CoupRolled(USSR, "colombia", 1, 3, 0, 1, 2),
        InfluenceSet(US, "colombia", -1, 0),
        InfluenceSet(USSR, "colombia", 1, 1),
    )
    second = first.asks(USSR, "coup", "none").when(USSR, "coup").asks(USSR, "kenya", "botswana")
    second.when(USSR, "kenya").when("chance", "2").then(
        CoupRolled(USSR, "kenya", 2, 3, 0, 2, 1),
        InfluenceSet(US, "kenya", -1, 1),
        CardPutAway("che", "discards"),
    )


def test_che_may_not_coup_the_same_country_again() -> None:
    """Che: US influence left in the first target is no second target."""
    s = resolving(table(us={"kenya": 2}), "che", USSR)
    given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "kenya").when("chance", "2").then(
        CoupRolled(USSR, "kenya", 2, 3, 0, 2, 1),
        InfluenceSet(US, "kenya", -1, 1),
        CardPutAway("che", "discards"),
    )


def test_che_may_forgo_the_second_coup() -> None:
    """Che: the second Coup is optional."""
    s = resolving(table(us={"colombia": 1, "kenya": 1}), "che", USSR)
    first = given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "colombia").when("chance", "1")
    first.when(USSR, "none").then(CardPutAway("che", "discards"))


def test_che_does_not_coup_again_after_a_failure() -> None:
    """Che: no US influence was taken away, so there is no second Coup."""
    s = resolving(table(us={"costa_rica": 1, "colombia": 1}), "che", USSR)
    given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "costa_rica").when("chance", "3").then(
        CoupRolled(USSR, "costa_rica", 3, 3, 0, 3, 0), CardPutAway("che", "discards")
    )


def test_che_brings_military_operations_for_each_coup() -> None:
    """Che, ruling: the Coups are not free; 3 and 3, as far as the track goes."""
    s = table(us={"colombia": 1, "kenya": 1})
    first = given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "colombia")
    first.then(MilitarySet(USSR, 3)).when("chance", "1").when(USSR, "coup").when(USSR, "kenya").then(
        MilitarySet(USSR, 5)
    )


def test_che_is_worth_what_modifiers_make_of_it() -> None:
    """Che, ruling: Brezhnev Doctrine raises it to 4, Red Scare lowers it to 2."""
    for effect, points in (("brezhnev_doctrine", 4), ("red_scare_purge", 2)):
        s = table(us={"colombia": 1}, effects=((effect, USSR),))
        given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "colombia").then(
            MilitarySet(USSR, points)
        )


def test_che_under_the_cuban_missile_crisis_loses() -> None:
    """Che, ruling: the Cuban Missile Crisis on the USSR applies."""
    s = table(us={"colombia": 1}, effects=(("cuban_missile_crisis", USSR),))
    given(s, do=Event(USSR, "che")).when(USSR, "coup").when(USSR, "colombia").then(
        Ended(US, "cuban_missile_crisis", {US: 0, USSR: 0})
    )


def test_che_used_for_operations_brings_no_second_coup() -> None:
    """Che: only its event allows a further Coup; a Coup with its Operations is an ordinary one."""
    s = table(ussr={"panama": 2}, us_hand=("che",))
    given(s, do=PlayCard(US)).when(US, "coup:che").when(US, "panama").when("chance", "6").includes(
        InfluenceSet(USSR, "panama", -2, 0)
    ).includes(EventBegan("che", USSR))
