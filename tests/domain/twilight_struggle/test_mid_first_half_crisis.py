"""Cuban Missile Crisis and Nuclear Subs: Coups that lose the match, and Coups that leave DEFCON alone."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import EffectBegan, EffectEnded, EffectsLapsed, EventBegan
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import EndTurn
from domain.twilight_struggle.steps.operations import Coup, Operate
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

CRISIS = "cuban_missile_crisis"
FORBIDDEN = {side: ((CRISIS, side),) for side in (US, USSR)}
SUBS = (("nuclear_subs", US),)
LOST: dict[str, Ended[State]] = {
    US: Ended(USSR, CRISIS, {US: 0, USSR: 0}),
    USSR: Ended(US, CRISIS, {US: 0, USSR: 0}),
}
THREATENED: dict[str, Any] = {"phasing": USSR, "defcon": 2, "china": US, "effects": FORBIDDEN[USSR]}
THREE = Ops("duck_and_cover", 3)

# --------------------------------------------------------------------------- Cuban Missile Crisis


@pytest.mark.parametrize(("player", "opponent"), [(US, USSR), (USSR, US)])
def test_cuban_missile_crisis_sets_defcon_and_threatens_the_opponent(player: str, opponent: str) -> None:
    """Cuban Missile Crisis: DEFCON 2, and this turn no Coup of the opponent."""
    s = resolving(table(), CRISIS, player)
    given(s, do=Event(player, CRISIS)).then(
        EventBegan(CRISIS, player),
        DefconSet(5, 2),
        EffectBegan(CRISIS, opponent),
        CardPutAway(CRISIS, "removed"),
    )


def test_cuban_missile_crisis_at_defcon_2() -> None:
    """Cuban Missile Crisis: DEFCON stays where it is, so nothing has moved to 2 (NORAD)."""
    s = resolving(table(defcon=2), CRISIS, US)
    given(s, do=Event(US, CRISIS)).then(
        EventBegan(CRISIS, US), EffectBegan(CRISIS, USSR), CardPutAway(CRISIS, "removed")
    ).has(reached_two=False)


def test_cuban_missile_crisis_makes_a_coup_lose() -> None:
    """Cuban Missile Crisis: the Coup is not even rolled, nor are Military Operations counted."""
    s = table(us={"haiti": 1}, phasing=USSR, defcon=2, effects=FORBIDDEN[USSR])
    given(s, do=Coup(USSR, THREE)).when(USSR, "haiti").then(LOST[USSR])


def test_cuban_missile_crisis_does_not_bind_its_player() -> None:
    """Cuban Missile Crisis: only the opponent of who played it."""
    s = table(ussr={"haiti": 1}, defcon=2, effects=FORBIDDEN[USSR])
    given(s, do=Coup(US, THREE)).when(US, "haiti").then(MilitarySet(US, 3))


def test_cuban_missile_crisis_strikes_in_the_round_of_the_other_player() -> None:
    """Cuban Missile Crisis, ruling: a Coup by Lone Gunman of the US loses for the USSR, not the US."""
    s = table(us={"haiti": 1}, us_hand=("lone_gunman",), defcon=2, effects=FORBIDDEN[USSR])
    played = given(s, do=PlayCard(US)).when(US, "event_first:lone_gunman").when(USSR, "coup")
    played.when(USSR, "haiti").then(LOST[USSR])


def test_cuban_missile_crisis_forbids_a_free_coup() -> None:
    """Cuban Missile Crisis, ruling: Junta too."""
    s = table(us={"haiti": 1}, phasing=USSR, defcon=2, effects=FORBIDDEN[USSR])
    placed = given(resolving(s, "junta", USSR), do=Event(USSR, "junta")).when(USSR, "chile")
    placed.when(USSR, "coup").when(USSR, "haiti").then(LOST[USSR])


def test_cuban_missile_crisis_beats_defcon_1() -> None:
    """Cuban Missile Crisis, ruling: it decides before the Coup lowers DEFCON for the phasing side."""
    s = table(us={"panama": 1}, us_hand=("lone_gunman",), defcon=2, effects=FORBIDDEN[USSR])
    played = given(s, do=PlayCard(US)).when(US, "event_first:lone_gunman").when(USSR, "coup")
    played.when(USSR, "panama").then(LOST[USSR])


def test_cuban_missile_crisis_outlives_a_change_of_defcon() -> None:
    """Cuban Missile Crisis, ruling: a later DEFCON of 4 does not end it."""
    s = resolving(
        table(us={"haiti": 1}, phasing=USSR, defcon=2, effects=FORBIDDEN[USSR]), "salt_negotiations", USSR
    )
    later = given(s, do=(Event(USSR, "salt_negotiations"), Coup(USSR, THREE))).has(defcon=4)
    later.when(USSR, "haiti").then(LOST[USSR])


def test_cuban_missile_crisis_is_not_lifted_by_nuclear_subs() -> None:
    """Cuban Missile Crisis, ruling: Nuclear Subs does not protect the US from it."""
    s = table(ussr={"cuba": 3}, defcon=2, effects=(*FORBIDDEN[US], *SUBS))
    given(s, do=Coup(US, THREE)).when(US, "cuba").then(LOST[US])


def test_cuban_missile_crisis_ends_with_the_turn() -> None:
    """Cuban Missile Crisis: it holds for the turn."""
    s = table(effects=FORBIDDEN[US], us_hand=("fidel",))
    given(s, do=EndTurn()).includes(EffectsLapsed((CRISIS,))).has(effects=())


# --------------------------------------------------------------------------- buying it off


def test_cuban_missile_crisis_is_bought_off_before_a_card_is_played() -> None:
    """Cuban Missile Crisis, ruling: it is no action, the round goes on, and DEFCON stays at 2."""
    s = table(us={"haiti": 1}, ussr={"cuba": 3}, ussr_hand=("allende",), **THREATENED)
    uses = ("event:allende", "influence:allende", "coup:allende", "realign:allende")
    asked = given(s, do=PlayCard(USSR)).asks(USSR, *uses, "ransom:cuba")
    paid = asked.when(USSR, "ransom:cuba")
    paid.then(InfluenceSet(USSR, "cuba", -2, 1), EffectEnded(CRISIS, USSR, "cuba"))
    paid.has(defcon=2).asks(USSR, *uses)
    paid.when(USSR, "coup:allende").when(USSR, "haiti").then(MilitarySet(USSR, 1))


def test_cuban_missile_crisis_is_bought_off_during_a_round_of_the_other_player() -> None:
    """Cuban Missile Crisis, ruling: wherever it is asked for Operations, the opponent's round included."""
    s = table(us={"haiti": 1}, ussr={"cuba": 2}, us_hand=("lone_gunman",), defcon=2, effects=FORBIDDEN[USSR])
    asked = given(s, do=PlayCard(US)).when(US, "event_first:lone_gunman")
    asked.asks(USSR, "influence", "coup", "realign", "none", "ransom:cuba")
    asked.when(USSR, "ransom:cuba").then(
        InfluenceSet(USSR, "cuba", -2, 0), EffectEnded(CRISIS, USSR, "cuba")
    ).asks(USSR, "influence", "coup", "realign", "none")


def test_cuban_missile_crisis_is_bought_off_right_before_the_coup() -> None:
    """Cuban Missile Crisis, ruling: the last moment is when the target is named."""
    s = table(us={"haiti": 1}, ussr={"cuba": 3}, ussr_hand=("allende",), **THREATENED)
    aiming = given(s, do=PlayCard(USSR)).when(USSR, "coup:allende").asks(USSR, "haiti", "ransom:cuba")
    aiming.when(USSR, "ransom:cuba").asks(USSR, "haiti").when(USSR, "haiti").then(MilitarySet(USSR, 1))


@pytest.mark.parametrize(
    ("held", "ransoms"),
    [
        ({"west_germany": 2, "turkey": 3}, ("ransom:west_germany", "ransom:turkey")),
        ({"west_germany": 1, "turkey": 2}, ("ransom:turkey",)),
        ({"west_germany": 1, "turkey": 1, "cuba": 2}, ()),
    ],
)
def test_cuban_missile_crisis_costs_the_us_2_in_one_country(
    held: dict[str, int], ransoms: tuple[str, ...]
) -> None:
    """Cuban Missile Crisis, ruling: 2 from one of West Germany and Turkey; 1 and 1 will not do."""
    s = table(us=held, ussr={"haiti": 1}, defcon=2, effects=FORBIDDEN[US])
    given(s, do=Coup(US, THREE)).asks(US, "haiti", *ransoms)


def test_cuban_missile_crisis_is_bought_off_in_turkey() -> None:
    """Cuban Missile Crisis: the US pays with Turkey."""
    s = table(us={"turkey": 3}, ussr={"haiti": 1}, defcon=2, effects=FORBIDDEN[US])
    given(s, do=Operate(US, THREE)).when(US, "ransom:turkey").then(
        InfluenceSet(US, "turkey", -2, 1), EffectEnded(CRISIS, US, "turkey")
    ).asks(US, "influence", "coup", "realign")


def test_cuban_missile_crisis_offers_its_player_nothing() -> None:
    """Cuban Missile Crisis, ruling: only the threatened side needs to buy it off."""
    s = table(us={"turkey": 3}, ussr={"haiti": 1}, defcon=2, effects=FORBIDDEN[USSR])
    given(s, do=Coup(US, THREE)).asks(US, "haiti")


# --------------------------------------------------------------------------- Nuclear Subs


def test_nuclear_subs() -> None:
    """Nuclear Subs: in force for the US until the end of the turn."""
    s = resolving(table(), "nuclear_subs", US)
    given(s, do=Event(US, "nuclear_subs")).then(
        EventBegan("nuclear_subs", US),
        EffectBegan("nuclear_subs", US),
        CardPutAway("nuclear_subs", "removed"),
    )


def test_nuclear_subs_keep_defcon_in_a_battleground_coup() -> None:
    """Nuclear Subs: no DEFCON for the US, and Military Operations as ever."""
    s = table(ussr={"cuba": 3}, defcon=2, effects=SUBS)
    aimed = given(s, do=Coup(US, THREE)).when(US, "cuba").then(MilitarySet(US, 3))
    aimed.when("chance", "1").then(CoupRolled(US, "cuba", 1, 3, 0, 3, -2)).has(defcon=2)


def test_nuclear_subs_do_not_help_the_ussr() -> None:
    """Nuclear Subs: a Coup of the USSR lowers DEFCON."""
    s = table(us={"cuba": 3}, phasing=USSR, effects=SUBS)
    given(s, do=Coup(USSR, THREE)).when(USSR, "cuba").then(MilitarySet(USSR, 3), DefconSet(5, 4))


def test_nuclear_subs_do_not_touch_events() -> None:
    """Nuclear Subs, ruling: an event that lowers DEFCON does so."""
    s = resolving(table(defcon=2, effects=SUBS), "duck_and_cover", US)
    given(s, do=Event(US, "duck_and_cover")).includes(DefconSet(2, 1), nuclear_war(USSR))


def test_nuclear_subs_do_not_open_a_region() -> None:
    """Nuclear Subs, ruling: the geography of DEFCON stays."""
    s = table(ussr={"italy": 1, "iran": 1, "cuba": 1}, defcon=3, effects=SUBS)
    given(s, do=Coup(US, THREE)).asks(US, "iran", "cuba")


def test_nuclear_subs_cover_a_coup_through_an_event() -> None:
    """Nuclear Subs, ruling: CIA Created of the USSR at DEFCON 2 is harmless."""
    s = table(ussr={"cuba": 3}, phasing=USSR, ussr_hand=("cia_created",), defcon=2, effects=SUBS)
    played = given(s, do=PlayCard(USSR)).when(USSR, "event_first:cia_created")
    played.includes(CardPlayed(USSR, "cia_created", "event_first", USSR)).when(US, "coup")
    played.when(US, "cuba").then(MilitarySet(US, 1)).has(defcon=2, result=None)
