"""Flower Power, U2 Incident and Latin American Death Squads: what they change afterwards."""

from __future__ import annotations

from domain.twilight_struggle.facts.board import CoupRolled
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardPutAway,
    CardRevived,
    CardSeen,
)
from domain.twilight_struggle.facts.flow import EffectBegan, EventBarred, EventBegan, HeadlineBegan
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.steps.flow import EndTurn, ResolveHeadline
from domain.twilight_struggle.steps.operations import Coup
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import given

FLOWERS = ("flower_power",)
CHARGE = ScoreMoved(USSR, 2, -2, "flower_power")

# --------------------------------------------------------------------------- Flower Power


def test_flower_power_stays_in_force() -> None:
    """Flower Power: nothing at once; the card lies beside the board."""
    s = resolving(table(), "flower_power", USSR)
    given(s, do=Event(USSR, "flower_power")).then(
        EventBegan("flower_power", USSR), CardPutAway("flower_power", "beside")
    )


def test_flower_power_is_forbidden_by_an_evil_empire() -> None:
    """Flower Power: no event after An Evil Empire, and the card stays in circulation."""
    s = resolving(table(beside=("an_evil_empire",)), "flower_power", USSR)
    given(s, do=Event(USSR, "flower_power")).then(
        EventBarred("flower_power", "an_evil_empire"), CardPutAway("flower_power", "discards")
    )


def test_flower_power_charges_a_war_card_before_its_event() -> None:
    """Flower Power, ruling: the points come when the card is played, before its effect."""
    s = table(us_hand=("indo_pakistani_war",), beside=FLOWERS)
    given(s, do=PlayCard(US)).when(US, "event:indo_pakistani_war").then(
        CardPlayed(US, "indo_pakistani_war", "event", US),
        CHARGE,
        EventBegan("indo_pakistani_war", US),
    )


def test_flower_power_charges_a_war_card_played_for_operations() -> None:
    """Flower Power: the points come for Operations as well, once."""
    s = table(us_hand=("korean_war",), beside=FLOWERS)
    played = given(s, do=PlayCard(US)).when(US, "influence:korean_war")
    played.then(CardPlayed(US, "korean_war", "influence", US), CHARGE)
    played.when(US, "japan").when(US, "japan").when("chance", "1").has(vp=-2)


def test_flower_power_charges_a_headlined_war_card() -> None:
    """Flower Power, ruling: a war card of the US as headline counts."""
    s = table(phase="headline", headlines={US: "korean_war"}, beside=FLOWERS)
    given(s, do=ResolveHeadline(US)).then(
        HeadlineBegan(US, "korean_war"),
        CHARGE,
        EventBegan("korean_war", USSR),
        MilitarySet(USSR, 2),
    )


def test_flower_power_does_not_charge_what_the_ussr_plays() -> None:
    """Flower Power: only war cards that the US plays."""
    s = table(ussr_hand=("korean_war",), phasing=USSR, beside=FLOWERS)
    given(s, do=PlayCard(USSR)).when(USSR, "event:korean_war").then(
        CardPlayed(USSR, "korean_war", "event", USSR),
        EventBegan("korean_war", USSR),
        MilitarySet(USSR, 2),
    )


def test_flower_power_does_not_charge_a_war_that_camp_david_forbids() -> None:
    """Flower Power, ruling: not for Arab-Israeli War after Camp David Accords."""
    s = table(us_hand=("arab_israeli_war",), beside=("camp_david_accords", *FLOWERS))
    given(s, do=PlayCard(US)).when(US, "influence:arab_israeli_war").then(
        CardPlayed(US, "arab_israeli_war", "influence", US)
    )


def test_flower_power_charges_a_war_card_taken_by_grain_sales() -> None:
    """Flower Power, ruling on indirect plays: a war card taken from the USSR counts when the US plays it."""
    s = resolving(table(ussr_hand=("korean_war",), beside=FLOWERS), "grain_sales_to_soviets", US)
    seen = given(s, do=Event(US, "grain_sales_to_soviets")).when("chance", "korean_war")
    seen.then(CardSeen(USSR, "korean_war")).when(US, "influence:korean_war").then(
        CardPlayed(US, "korean_war", "influence", USSR), CHARGE
    )


def test_flower_power_charges_a_war_card_revived_by_star_wars() -> None:
    """Flower Power, ruling on indirect plays: a war card that Star Wars lets happen counts."""
    s = table(space={US: 1, USSR: 0}, discards=("korean_war",), beside=FLOWERS)
    given(s, do=Event(US, "star_wars")).when(US, "korean_war").then(
        CardRevived(US, "korean_war"), CHARGE, EventBegan("korean_war", USSR), MilitarySet(USSR, 2)
    )


def test_flower_power_charges_a_war_card_received_for_missile_envy() -> None:
    """Flower Power, ruling on indirect plays: a war card that the USSR hands over to the US counts."""
    s = resolving(table(ussr_hand=("korean_war",), beside=FLOWERS), "missile_envy", US)
    given(s, do=Event(US, "missile_envy")).when(USSR, "korean_war").then(
        CardPlayed(US, "korean_war", "given", USSR), CardKept("missile_envy", USSR), CHARGE
    )


def test_flower_power_does_not_charge_a_war_card_lost_to_five_year_plan() -> None:
    """Flower Power, ruling: a war card that Five-Year Plan discards is not played."""
    s = table(ussr_hand=("korean_war",), beside=FLOWERS)
    given(s, do=Event(US, "five_year_plan")).when("chance", "korean_war").then(
        CardDiscarded(USSR, "korean_war", "five_year_plan")
    )


def test_flower_power_charges_a_war_card_freed_by_un_intervention() -> None:
    """Flower Power: with UN Intervention the war card is still played for its Operations."""
    s = table(us_hand=("korean_war", "un_intervention"), beside=FLOWERS)
    given(s, do=PlayCard(US)).when(US, "cancel:korean_war").then(
        CardPlayed(US, "un_intervention", "event", US),
        CardPutAway("un_intervention", "discards"),
        CardPlayed(US, "korean_war", "cancelled", US),
        CHARGE,
    )


def test_flower_power_does_not_charge_a_war_card_discarded_into_quagmire() -> None:
    """Flower Power, ruling: a war card that is only discarded does not count."""
    s = table(us_hand=("korean_war",), beside=("quagmire", *FLOWERS))
    given(s, do=PlayCard(US)).when(US, "discard:korean_war").then(
        CardPlayed(US, "korean_war", "discard", US), CardPutAway("korean_war", "discards")
    )


def test_flower_power_does_not_charge_a_war_card_discarded_against_blockade() -> None:
    """Flower Power, ruling: nor one given up for West Germany (worth 3 under Containment)."""
    s = table(us_hand=("korean_war",), beside=FLOWERS, effects=(("containment", US),))
    given(s, do=Event(USSR, "blockade")).when(US, "korean_war").then(
        CardDiscarded(US, "korean_war", "blockade")
    )


def test_flower_power_does_not_charge_a_war_card_discarded_against_the_debt_crisis() -> None:
    """Flower Power, ruling: nor one discarded for Latin American Debt Crisis (worth 3 likewise)."""
    s = table(us_hand=("korean_war",), beside=FLOWERS, effects=(("containment", US),))
    given(s, do=Event(USSR, "latin_american_debt_crisis")).when(US, "korean_war").then(
        CardDiscarded(US, "korean_war", "latin_american_debt_crisis")
    )


def test_flower_power_does_not_charge_a_war_card_in_space() -> None:
    """Flower Power: a war card on the Space Race does not count."""
    s = table(us_hand=("korean_war",), beside=FLOWERS)
    given(s, do=PlayCard(US)).when(US, "space:korean_war").then(CardPlayed(US, "korean_war", "space", US))


# --------------------------------------------------------------------------- U2 Incident


def test_u2_incident_scores_and_waits() -> None:
    """U2 Incident: 1 point at once; more may come this turn."""
    s = resolving(table(), "u2_incident", USSR)
    given(s, do=Event(USSR, "u2_incident")).then(
        EventBegan("u2_incident", USSR),
        ScoreMoved(USSR, 1, -1, "u2_incident"),
        EffectBegan("u2_incident", USSR),
        CardPutAway("u2_incident", "removed"),
    )


def test_u2_incident_scores_again_when_the_us_plays_un_intervention() -> None:
    """U2 Incident: UN Intervention as an event brings the USSR 1 more."""
    s = table(us_hand=("fidel", "un_intervention"), effects=(("u2_incident", USSR),))
    given(s, do=PlayCard(US)).when(US, "cancel:fidel").then(
        CardPlayed(US, "un_intervention", "event", US),
        CardPutAway("un_intervention", "discards"),
        CardPlayed(US, "fidel", "cancelled", US),
        ScoreMoved(USSR, 1, -1, "u2_incident"),
    )


def test_u2_incident_scores_again_when_the_ussr_plays_un_intervention() -> None:
    """U2 Incident: by either side; the USSR gains the point in both cases."""
    hand = ("containment", "un_intervention")
    s = table(ussr_hand=hand, phasing=USSR, effects=(("u2_incident", USSR),))
    given(s, do=PlayCard(USSR)).when(USSR, "cancel:containment").then(
        CardPlayed(USSR, "un_intervention", "event", USSR),
        CardPutAway("un_intervention", "discards"),
        CardPlayed(USSR, "containment", "cancelled", USSR),
        ScoreMoved(USSR, 1, -1, "u2_incident"),
    )


def test_u2_incident_does_not_score_un_intervention_for_operations() -> None:
    """U2 Incident, ruling: UN Intervention played for its Operations does not count."""
    s = table(us_hand=("un_intervention",), effects=(("u2_incident", USSR),))
    given(s, do=PlayCard(US)).when(US, "influence:un_intervention").then(
        CardPlayed(US, "un_intervention", "influence", US)
    )


def test_u2_incident_does_not_last_beyond_the_turn() -> None:
    """U2 Incident, ruling: nor on another turn."""
    s = table(effects=(("u2_incident", USSR),), deck=("fidel", "nasser"), military={US: 5, USSR: 5})
    given(s, do=EndTurn()).has(turn=2, effects=())


# --------------------------------------------------------------------------- Latin American Death Squads

SQUADS = "latin_american_death_squads"
THREE = Ops("duck_and_cover", 3)


def test_latin_american_death_squads_hold_for_the_player() -> None:
    """Latin American Death Squads: in force this turn for who played it."""
    s = resolving(table(), SQUADS, USSR)
    given(s, do=Event(USSR, SQUADS)).then(
        EventBegan(SQUADS, USSR), EffectBegan(SQUADS, USSR), CardPutAway(SQUADS, "discards")
    )


def test_latin_american_death_squads_help_the_player() -> None:
    """Latin American Death Squads, ruling: the die rolls 1 higher; neither marker nor Operations rise."""
    s = table(ussr={"colombia": 1}, effects=((SQUADS, US),))
    given(s, do=Coup(US, THREE)).when(US, "colombia").then(MilitarySet(US, 3)).when("chance", "1").includes(
        CoupRolled(US, "colombia", 1, 3, 1, 1, 3)
    )


def test_latin_american_death_squads_hinder_the_opponent() -> None:
    """Latin American Death Squads: the opponent's die rolls 1 lower, in Central America too."""
    s = table(ussr={"panama": 1}, effects=((SQUADS, USSR),))
    couped = given(s, do=Coup(US, THREE)).when(US, "panama")
    couped.then(MilitarySet(US, 3), DefconSet(5, 4)).when("chance", "4").includes(
        CoupRolled(US, "panama", 4, 3, -1, 2, 2)
    )


def test_latin_american_death_squads_mean_nothing_elsewhere() -> None:
    """Latin American Death Squads: a Coup in Africa rolls as ever."""
    s = table(ussr={"kenya": 1}, effects=((SQUADS, US),))
    given(s, do=Coup(US, THREE)).when(US, "kenya").when("chance", "4").includes(
        CoupRolled(US, "kenya", 4, 3, 0, 2, 3)
    )


def test_latin_american_death_squads_add_up() -> None:
    """Latin American Death Squads, ruling: two uses in one turn count together."""
    s = table(ussr={"colombia": 1}, effects=((SQUADS, US), (SQUADS, US)))
    given(s, do=Coup(US, THREE)).when(US, "colombia").when("chance", "1").includes(
        CoupRolled(US, "colombia", 1, 3, 2, 1, 4)
    )
    s = table(ussr={"colombia": 1}, effects=((SQUADS, US), (SQUADS, USSR)))
    given(s, do=Coup(US, THREE)).when(US, "colombia").when("chance", "1").includes(
        CoupRolled(US, "colombia", 1, 3, 0, 1, 2)
    )
