"""Coups and wars: targets, arithmetic, DEFCON, Military Operations, free Coups (6.3, 7.6, 8.1, 8.2)."""

from __future__ import annotations

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.components import MAP
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, WarRolled
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved
from domain.twilight_struggle.rules.board import Where
from domain.twilight_struggle.rules.operations import COUP, Ops, targets
from domain.twilight_struggle.rules.wars import minus
from domain.twilight_struggle.steps.operations import Coup, Operate, RollCoup
from domain.twilight_struggle.steps.play import Event
from domain.twilight_struggle.steps.wars import FightWar
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

THREE = Ops("containment", 3)
SPREAD = dict.fromkeys(("italy", "iran", "india", "thailand", "nigeria", "panama", "chile"), 1)

# --------------------------------------------------------------------------- 6.3.1, 8.1.5: targets


def test_6_3_1_a_target_must_hold_enemy_influence() -> None:
    s = table(us={"iran": 3, "panama": 1}, ussr={"panama": 1})
    given(s, do=Coup(US, THREE)).asks(US, "panama")


def test_6_3_1_own_influence_is_not_needed() -> None:
    """Neither there nor next to it."""
    given(table(ussr={"zimbabwe": 1}), do=Coup(US, THREE)).asks(US, "zimbabwe")


@pytest.mark.parametrize(
    ("defcon", "open_"),
    [
        (5, {"italy", "iran", "india", "thailand", "nigeria", "panama", "chile"}),
        (4, {"iran", "india", "thailand", "nigeria", "panama", "chile"}),
        (3, {"iran", "nigeria", "panama", "chile"}),
        (2, {"nigeria", "panama", "chile"}),
    ],
)
def test_8_1_5_defcon_closes_regions(defcon: int, open_: set[str]) -> None:
    """Europe at 4, Asia at 3, the Middle East at 2; Southeast Asia goes with Asia."""
    assert set(targets(table(defcon=defcon, ussr=SPREAD), US, THREE, COUP)) == open_


# --------------------------------------------------------------------------- 6.3.2: arithmetic


@pytest.mark.parametrize(
    ("country", "ops", "roll", "held", "left", "placed"),
    [
        ("iran", 3, 1, 2, 2, 0),
        ("iran", 3, 2, 2, 1, 0),
        ("iran", 3, 3, 2, 0, 0),
        ("iran", 3, 6, 2, 0, 3),
        ("iran", 4, 6, 1, 0, 5),
        ("israel", 2, 6, 1, 1, 0),
        ("nigeria", 1, 1, 1, 1, 0),
    ],
)
def test_6_3_2_roll_and_points_less_twice_the_stability(
    country: str, ops: int, roll: int, held: int, left: int, placed: int
) -> None:
    """What exceeds it goes first from the enemy, and the rest is placed; equality is a failure."""
    s = table(ussr={country: held})
    coup = given(s, do=RollCoup(US, country, ops, Ops("any", ops))).when("chance", str(roll))
    net = roll + ops - 2 * MAP[country].stability
    coup.includes(CoupRolled(US, country, roll, ops, 0, MAP[country].stability, net))
    assert coup.table.influence[USSR].get(country, 0) == left
    assert coup.table.influence[US].get(country, 0) == placed


def test_6_3_2_own_influence_stays_and_grows() -> None:
    """6 + 2 - 4 = 4 in Panama: 1 of the enemy goes, 3 come to the own 1."""
    s = table(us={"panama": 1}, ussr={"panama": 1})
    coup = given(s, do=RollCoup(US, "panama", 2, Ops("fidel", 2))).when("chance", "6")
    coup.has(influence={US: {"panama": 4}, USSR: {}})


# --------------------------------------------------------------------------- 6.3.3, 6.3.4: what it brings


def test_6_3_3_military_operations_come_with_the_attempt() -> None:
    """Before the die, and for a failure as well."""
    coup = given(table(ussr={"zimbabwe": 1}), do=Coup(US, THREE)).when(US, "zimbabwe")
    coup.then(MilitarySet(US, 3)).asks("chance")


def test_8_2_the_marker_stops_at_5() -> None:
    s = table(ussr={"zimbabwe": 1}, military={US: 3, USSR: 0})
    given(s, do=Coup(US, Ops("nato", 4))).when(US, "zimbabwe").then(MilitarySet(US, 5))


def test_6_3_4_an_attempt_in_a_battleground_lowers_defcon() -> None:
    """Whether it succeeds or not."""
    coup = given(table(ussr={"chile": 1}), do=Coup(US, Ops("nasser", 1))).when(US, "chile")
    coup.then(MilitarySet(US, 1), DefconSet(5, 4)).when("chance", "1")
    coup.then(CoupRolled(US, "chile", 1, 1, 0, 3, -4)).has(defcon=4)


def test_6_3_4_an_attempt_elsewhere_does_not() -> None:
    given(table(defcon=2, ussr={"colombia": 1}), do=Coup(US, THREE)).when(US, "colombia").has(defcon=2)


def test_6_3_4_a_battleground_at_defcon_2_ends_the_game_before_the_die() -> None:
    """Legal, and lost."""
    coup = given(table(defcon=2, ussr={"nigeria": 1}), do=Coup(US, THREE)).when(US, "nigeria")
    coup.then(MilitarySet(US, 3), DefconSet(2, 1), nuclear_war(USSR)).asks_nobody()


def test_nuclear_subs_spare_defcon_for_the_us_alone() -> None:
    s = table(us={"nigeria": 1}, ussr={"chile": 1}, effects=(("nuclear_subs", US),))
    given(s, do=Coup(US, THREE)).when(US, "chile").has(defcon=5)
    given(s, do=Coup(USSR, THREE)).when(USSR, "nigeria").has(defcon=4)


@pytest.mark.parametrize(
    ("points", "effects"), [(4, (("containment", US),)), (2, (("red_scare_purge", US),))]
)
def test_7_4_2_modifiers_count_for_the_die_and_the_military_operations(
    points: int, effects: tuple[tuple[str, str], ...]
) -> None:
    """The value when the Coup is made."""
    coup = given(table(ussr={"zimbabwe": 1}, effects=effects), do=Coup(US, THREE)).when(US, "zimbabwe")
    coup.then(MilitarySet(US, points)).when("chance", "1")
    coup.includes(CoupRolled(US, "zimbabwe", 1, points, 0, 1, points - 1))


@pytest.mark.parametrize(("country", "points"), [("thailand", 5), ("india", 5), ("nigeria", 4)])
def test_9_6_a_coup_with_the_china_card(country: str, points: int) -> None:
    """5 in Asia, 4 elsewhere."""
    s = table(phasing=USSR, us={country: 1})
    given(s, do=Coup(USSR, Ops("china_card", 4))).when(USSR, country).includes(MilitarySet(USSR, points))


def test_vietnam_revolts_strengthens_a_coup_in_southeast_asia() -> None:
    s = table(phasing=USSR, us={"thailand": 1, "india": 1}, effects=(("vietnam_revolts", USSR),))
    given(s, do=Coup(USSR, THREE)).when(USSR, "thailand").includes(MilitarySet(USSR, 4))
    given(s, do=Coup(USSR, THREE)).when(USSR, "india").includes(MilitarySet(USSR, 3))


@pytest.mark.parametrize(
    ("seat", "country", "effects", "modifier"),
    [
        (US, "nigeria", (("salt_negotiations", US),), -1),
        (US, "nigeria", (("salt_negotiations", USSR),), -1),
        (US, "panama", (("latin_american_death_squads", US),), 1),
        (USSR, "chile", (("latin_american_death_squads", US),), -1),
        (US, "nigeria", (("latin_american_death_squads", US),), 0),
    ],
)
def test_events_change_the_die(
    seat: str, country: str, effects: tuple[tuple[str, str], ...], modifier: int
) -> None:
    """SALT Negotiations everywhere for both, Latin American Death Squads in Central and South America."""
    s = table(us={country: 1}, ussr={country: 1}, effects=effects)
    coup = given(s, do=RollCoup(seat, country, 1, Ops("any", 1))).when("chance", "2")
    stability = MAP[country].stability
    net = 2 + 1 + modifier - 2 * stability
    coup.includes(CoupRolled(seat, country, 2, 1, modifier, stability, net))


# --------------------------------------------------------------------------- 6.3.5: free Coups


def test_6_3_5_a_free_coup_ignores_the_geography_of_defcon() -> None:
    """It lowers DEFCON in a battleground all the same, and brings no Military Operations (8.2.5)."""
    s = table(defcon=3, ussr={"italy": 1})
    free = given(s, do=Coup(US, Ops("tear_down_this_wall", 3, free=True))).when(US, "italy")
    free.then(DefconSet(3, 2)).has(military={US: 0, USSR: 0})


def test_6_3_5_a_free_coup_keeps_to_the_region_of_its_event() -> None:
    s = table(defcon=5, ussr={"italy": 1, "panama": 1, "chile": 1})
    ops = Ops("junta", 2, free=True, where=Where(regions=("central_america", "south_america")))
    given(s, do=Coup(US, ops)).asks(US, "panama", "chile")


def test_8_2_2_a_coup_with_operations_granted_by_an_event_counts() -> None:
    """CIA Created grants Operations, not a free Coup."""
    s = resolving(table(ussr={"colombia": 1}), "cia_created", US)
    event = given(s, do=Event(US, "cia_created")).when(US, "coup")
    event.when(US, "colombia").then(MilitarySet(US, 1))


# --------------------------------------------------------------------------- what protects


@pytest.mark.parametrize(
    ("beside", "open_"),
    [
        ((), {"italy", "france", "west_germany", "spain_portugal", "egypt"}),
        (("nato",), {"spain_portugal", "egypt"}),
        (("nato", "de_gaulle_leads_france"), {"spain_portugal", "egypt", "france"}),
        (("nato", "willy_brandt"), {"spain_portugal", "egypt", "west_germany"}),
        (("the_reformer",), {"egypt"}),
    ],
)
@pytest.mark.parametrize("free", [False, True])
def test_nato_and_the_reformer_bar_coups_of_the_ussr(
    beside: tuple[str, ...], open_: set[str], free: bool
) -> None:
    """NATO: US-controlled Europe (Spain/Portugal with 1 is not); The Reformer: all Europe; free Coups too."""
    held = {"italy": 2, "france": 3, "west_germany": 4, "spain_portugal": 1, "egypt": 2}
    s = table(us=held, beside=beside)
    assert set(targets(s, USSR, Ops("any", 3, free=free), COUP)) == open_


def test_nato_ends_where_control_ends() -> None:
    """A single USSR marker in Italy, placed earlier, opens it to a Coup."""
    s = table(us={"italy": 2}, ussr={"italy": 1}, beside=("nato",))
    assert targets(s, USSR, THREE, COUP) == ("italy",)


def test_nato_does_not_bind_the_us() -> None:
    s = table(us={"italy": 4}, ussr={"italy": 1}, beside=("nato",))
    assert targets(s, US, THREE, COUP) == ("italy",)


@pytest.mark.parametrize("japan", [1, 9])
def test_the_pact_protects_japan_in_any_case(japan: int) -> None:
    """Under control or not."""
    s = table(us={"japan": japan, "taiwan": 1}, beside=("us_japan_mutual_defense_pact",))
    assert targets(s, USSR, THREE, COUP) == ("taiwan",)


# --------------------------------------------------------------------------- the Cuban Missile Crisis


def test_under_the_crisis_a_coup_loses_the_game() -> None:
    """At once and for the side that makes it, even in the round of the other side."""
    s = table(phasing=USSR, ussr={"colombia": 1}, effects=(("cuban_missile_crisis", US),))
    coup = given(s, do=Coup(US, THREE)).when(US, "colombia")
    coup.then(Ended(USSR, "cuban_missile_crisis", {US: 0, USSR: 0}))


def test_the_crisis_binds_one_side_only() -> None:
    s = table(us={"colombia": 1}, effects=(("cuban_missile_crisis", US),))
    given(s, do=Coup(USSR, THREE)).when(USSR, "colombia").then(MilitarySet(USSR, 3))


# --------------------------------------------------------------------------- 7.6: wars


def test_7_6_a_war_needs_no_influence() -> None:
    """With none in the country the points and the Military Operations remain."""
    war = given(table(), do=FightWar(USSR, "korean_war", "south_korea")).then(MilitarySet(USSR, 2))
    war.when("chance", "4").then(
        WarRolled(USSR, "korean_war", "south_korea", 4, 0, 4, True), ScoreMoved(USSR, 2, -2, "korean_war")
    )


def test_7_6_victory_takes_over_the_influence() -> None:
    s = table(us={"south_korea": 2}, ussr={"south_korea": 1})
    given(s, do=FightWar(USSR, "korean_war", "south_korea")).when("chance", "6").then(
        WarRolled(USSR, "korean_war", "south_korea", 6, 0, 4, True),
        InfluenceSet(US, "south_korea", -2, 0),
        InfluenceSet(USSR, "south_korea", 2, 3),
        ScoreMoved(USSR, 2, -2, "korean_war"),
    )


def test_7_6_defeat_changes_nothing_but_the_military_operations() -> None:
    s = table(us={"south_korea": 2}, military={US: 0, USSR: 1})
    war = given(s, do=FightWar(USSR, "korean_war", "south_korea")).when("chance", "3")
    war.then(WarRolled(USSR, "korean_war", "south_korea", 3, 0, 4, False)).has(military={US: 0, USSR: 3})


def test_7_6_a_war_knows_no_defcon() -> None:
    """South Korea is a battleground in Asia; at DEFCON 2 the war is fought, and DEFCON stays."""
    war = given(table(defcon=2), do=FightWar(USSR, "korean_war", "south_korea")).when("chance", "1")
    war.has(defcon=2, military={US: 0, USSR: 2})


@pytest.mark.parametrize(
    ("us", "less"),
    [({}, 0), ({"japan": 4}, 1), ({"japan": 4, "taiwan": 3}, 2), ({"japan": 3, "south_korea": 9}, 0)],
)
def test_korean_war_counts_us_controlled_neighbours(us: dict[str, int], less: int) -> None:
    """South Korea itself does not count."""
    assert minus(table(us=us), USSR, "korean_war", "south_korea") == less


def test_arab_israeli_war_counts_israel_itself() -> None:
    s = table(us={"israel": 4, "egypt": 2, "jordan": 2, "syria": 1})
    assert minus(s, USSR, "arab_israeli_war", "israel") == 3


def test_8_2_4_a_war_of_the_opponent_moves_the_opponents_marker() -> None:
    """Purge on the USSR does not touch it: the text of the card says 2."""
    s = resolving(table(effects=(("red_scare_purge", USSR),)), "arab_israeli_war", US)
    given(s, do=Event(USSR, "arab_israeli_war")).has(military={US: 0, USSR: 2})


def test_a_coup_without_a_target_is_not_offered() -> None:
    given(table(us={"canada": 2}), do=Operate(US, THREE)).asks(US, "influence")
