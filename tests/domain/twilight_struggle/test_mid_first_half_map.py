"""Mid War cards 36 to 58 on the map: Brush War, Junta, and those that place or remove influence."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.components import MAP
from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet, RealignmentRolled, WarRolled
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.facts.flow import EventBarred, EventBegan, HeadlineBegan
from domain.twilight_struggle.facts.tracks import DefconSet, MilitarySet, ScoreMoved
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.steps.flow import ResolveHeadline
from domain.twilight_struggle.steps.operations import Coup, Realign
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

UNSTABLE = tuple(country for country, space in MAP.items() if space.stability <= 2)

# --------------------------------------------------------------------------- Brush War


def test_brush_war_won() -> None:
    """Brush War: a 3 is enough; 1 point, and the influence of the enemy changes sides."""
    s = resolving(table(us={"nicaragua": 1}, ussr={"nicaragua": 2}), "brush_war", US)
    chosen = given(s, do=Event(US, "brush_war")).when(US, "nicaragua").then(MilitarySet(US, 3))
    chosen.when("chance", "3").then(
        WarRolled(US, "brush_war", "nicaragua", 3, 0, 3, True),
        InfluenceSet(USSR, "nicaragua", -2, 0),
        InfluenceSet(US, "nicaragua", 2, 3),
        ScoreMoved(US, 1, 1, "brush_war"),
        CardPutAway("brush_war", "discards"),
    )


def test_brush_war_lost() -> None:
    """Brush War: a 2 changes nothing; the Military Operations count all the same."""
    s = resolving(table(us={"nicaragua": 2}), "brush_war", USSR)
    rolled = given(s, do=Event(USSR, "brush_war")).when(USSR, "nicaragua").when("chance", "2")
    rolled.then(
        WarRolled(USSR, "brush_war", "nicaragua", 2, 0, 3, False), CardPutAway("brush_war", "discards")
    ).has(military={US: 0, USSR: 3})


def test_brush_war_needs_a_country_of_stability_1_or_2() -> None:
    """Brush War: any such country, influence or not."""
    s = resolving(table(us={"france": 3, "italy": 2}), "brush_war", USSR)
    given(s, do=Event(USSR, "brush_war")).asks(USSR, *UNSTABLE).refuses(USSR, "france")


@pytest.mark.parametrize("player", [US, USSR])
def test_brush_war_under_nato_spares_europe_where_the_us_controls_it(player: str) -> None:
    """Brush War: with NATO no US-controlled country of Europe; Greece, with 1 of 2, is none."""
    s = table(us={"italy": 2, "turkey": 2, "greece": 1, "egypt": 2}, beside=("nato",))
    unprotected = tuple(country for country in UNSTABLE if country not in ("italy", "turkey"))
    given(resolving(s, "brush_war", player), do=Event(player, "brush_war")).asks(player, *unprotected)


@pytest.mark.parametrize(("roll", "won"), [("5", False), ("6", True)])
def test_brush_war_counts_every_neighbour_of_the_enemy(roll: str, won: bool) -> None:
    """Brush War, ruling: 1 less for each enemy-controlled neighbour, without a limit."""
    s = table(us={"zaire": 1, "angola": 1, "cameroon": 1, "zimbabwe": 1})
    started = given(resolving(s, "brush_war", USSR), do=Event(USSR, "brush_war")).when(USSR, "zaire")
    started.when("chance", roll).includes(WarRolled(USSR, "brush_war", "zaire", int(roll), 3, 3, won))


def test_brush_war_does_not_count_control_of_the_target() -> None:
    """Brush War: the target itself is no neighbour, under the control of either side."""
    s = resolving(table(us={"zaire": 4}), "brush_war", USSR)
    rolled = given(s, do=Event(USSR, "brush_war")).when(USSR, "zaire").when("chance", "3")
    rolled.includes(WarRolled(USSR, "brush_war", "zaire", 3, 0, 3, True))


@pytest.mark.parametrize(("player", "country"), [(USSR, "mexico"), (US, "afghanistan")])
def test_brush_war_counts_the_superpower_next_to_the_target(player: str, country: str) -> None:
    """Brush War, ruling: an enemy superpower is a controlled neighbour (2.1.5)."""
    s = resolving(table(), "brush_war", player)
    rolled = given(s, do=Event(player, "brush_war")).when(player, country).when("chance", "3")
    rolled.includes(WarRolled(player, "brush_war", country, 3, 1, 3, False))


def test_brush_war_and_the_own_superpower() -> None:
    """Brush War, ruling: only the enemy's superpower counts against the attacker."""
    s = resolving(table(), "brush_war", US)
    rolled = given(s, do=Event(US, "brush_war")).when(US, "mexico").when("chance", "3")
    rolled.includes(WarRolled(US, "brush_war", "mexico", 3, 0, 3, True))


def test_brush_war_has_nothing_to_do_with_defcon() -> None:
    """Brush War, ruling: neither closed by DEFCON 2 nor lowering it in a battleground."""
    s = resolving(table(us={"italy": 2}, defcon=2), "brush_war", USSR)
    given(s, do=Event(USSR, "brush_war")).when(USSR, "italy").when("chance", "6").has(defcon=2, result=None)


def test_brush_war_keeps_its_military_operations_under_a_purge() -> None:
    """Brush War: the text says 3, whatever the Operations of the card are worth."""
    s = resolving(table(effects=(("red_scare_purge", US),)), "brush_war", US)
    given(s, do=Event(US, "brush_war")).when(US, "haiti").then(MilitarySet(US, 3))


# --------------------------------------------------------------------------- Junta

EMPIRE = {"cuba": 3, "brazil": 1, "angola": 1}


def test_junta_places_influence_and_then_strikes() -> None:
    """Junta, ruling: influence first; the free Coup brings no Military Operations, but lowers DEFCON."""
    s = resolving(table(ussr=EMPIRE), "junta", US)
    placed = given(s, do=Event(US, "junta")).refuses(US, "mexico", "haiti").refuses(US, "angola")
    placed.when(US, "panama").then(InfluenceSet(US, "panama", 2, 2)).asks(US, "coup", "realign", "none")
    struck = placed.when(US, "coup").asks(US, "cuba", "brazil").when(US, "cuba").then(DefconSet(5, 4))
    struck.when("chance", "6").then(
        CoupRolled(US, "cuba", 6, 2, 0, 3, 2),
        InfluenceSet(USSR, "cuba", -2, 1),
        CardPutAway("junta", "discards"),
    ).has(military={US: 0, USSR: 0})


def test_junta_may_stop_after_the_influence() -> None:
    """Junta: the Coup or the realignments are offered, not ordered."""
    s = resolving(table(ussr=EMPIRE), "junta", US)
    placed = given(s, do=Event(US, "junta")).when(US, "chile")
    placed.when(US, "none").then(CardPutAway("junta", "discards"))


def test_junta_without_a_target_ends_after_the_influence() -> None:
    """Junta: no enemy influence in either region, no Coup."""
    s = resolving(table(ussr={"angola": 1}), "junta", US)
    given(s, do=Event(US, "junta")).when(US, "chile").then(
        InfluenceSet(US, "chile", 2, 2), CardPutAway("junta", "discards")
    )


@pytest.mark.parametrize(
    ("effects", "options", "ops"),
    [
        ((), {}, 2),
        ((("containment", US),), {}, 3),
        ((("red_scare_purge", US),), {}, 1),
        ((("containment", US),), {"event_ops_modified": False}, 2),
    ],
)
@pytest.mark.parametrize("edition", ["deluxe", "second"])
def test_junta_has_the_value_of_the_card(
    edition: str, effects: tuple[tuple[str, str], ...], options: dict[str, bool], ops: int
) -> None:
    """Junta, ruling: modifiers count, in both editions; with the option of FAQ 4.2 they do not."""
    s = table(ussr={"haiti": 1}, effects=effects, options=options, edition=edition)
    placed = given(resolving(s, "junta", US), do=Event(US, "junta")).when(US, "chile")
    placed.when(US, "coup").when(US, "haiti").when("chance", "1").includes(
        CoupRolled(US, "haiti", 1, ops, 0, 1, ops - 1)
    )


def test_junta_in_a_battleground_at_defcon_2_loses() -> None:
    """Junta, ruling: a Coup in a battleground lowers DEFCON, free or not."""
    s = resolving(table(ussr=EMPIRE, defcon=2), "junta", US)
    placed = given(s, do=Event(US, "junta")).when(US, "chile").when(US, "coup")
    placed.when(US, "brazil").then(DefconSet(2, 1), nuclear_war(USSR))


def test_junta_as_headline_gives_its_coup() -> None:
    """Junta, ruling: the Coup is part of the event, in the headline phase too."""
    s = table(ussr=EMPIRE, phase="headline", round=0, phasing=None, headlines={US: "junta"})
    shown = given(s, do=ResolveHeadline(US)).then(HeadlineBegan(US, "junta"), EventBegan("junta", US))
    shown.when(US, "chile").asks(US, "coup", "realign", "none")


@pytest.mark.parametrize(
    ("reading", "next_targets"), [("either", ("colombia", "panama", "done")), ("one", ("colombia", "done"))]
)
def test_junta_realigns_in_either_region_or_in_one(reading: str, next_targets: tuple[str, ...]) -> None:
    """Junta, ruling: option `junta_regions`; the influence may have gone to the other region."""
    s = table(ussr={"colombia": 2, "panama": 2}, options={"junta_regions": reading})
    placed = given(resolving(s, "junta", US), do=Event(US, "junta")).when(US, "mexico")
    realigning = placed.when(US, "realign").asks(US, "colombia", "panama")
    realigning.when(US, "colombia").when("chance", "31").then(
        RealignmentRolled(US, "colombia", {US: 3, USSR: 1}, {US: 0, USSR: 2})
    ).asks(US, *next_targets)


def test_junta_used_for_operations_realigns_anywhere() -> None:
    """Junta: the option narrows the event, not the Operations of the card."""
    s = table(ussr={"panama": 1, "angola": 1}, options={"junta_regions": "one"}, us_hand=("junta",))
    realigning = given(s, do=PlayCard(US)).when(US, "realign:junta").when(US, "panama")
    realigning.when("chance", "11").asks(US, "panama", "angola", "done")


# --------------------------------------------------------------------------- influence


def test_portuguese_empire_crumbles() -> None:
    """Portuguese Empire Crumbles: 2 in Angola, 2 in the Southeast African States."""
    s = resolving(table(ussr={"angola": 1}), "portuguese_empire_crumbles", USSR)
    given(s, do=Event(USSR, "portuguese_empire_crumbles")).then(
        EventBegan("portuguese_empire_crumbles", USSR),
        InfluenceSet(USSR, "angola", 2, 3),
        InfluenceSet(USSR, "se_african_states", 2, 2),
        CardPutAway("portuguese_empire_crumbles", "removed"),
    )


def test_south_african_unrest_in_south_africa() -> None:
    """South African Unrest: 2 in South Africa; the USSR chooses, even if the US plays the card."""
    s = resolving(table(), "south_african_unrest", US)
    asked = given(s, do=Event(USSR, "south_african_unrest")).asks(USSR, "south_africa", "neighbours")
    asked.when(USSR, "south_africa").then(
        InfluenceSet(USSR, "south_africa", 2, 2), CardPutAway("south_african_unrest", "discards")
    )


def test_south_african_unrest_next_to_south_africa_split() -> None:
    """South African Unrest, ruling: 1 in South Africa, and 2 among Angola and Botswana."""
    s = resolving(table(), "south_african_unrest", USSR)
    chosen = given(s, do=Event(USSR, "south_african_unrest")).when(USSR, "neighbours")
    chosen.then(InfluenceSet(USSR, "south_africa", 1, 1)).asks(USSR, "angola", "botswana")
    chosen.when(USSR, "angola").then(InfluenceSet(USSR, "angola", 1, 1)).asks(USSR, "angola", "botswana")
    chosen.when(USSR, "botswana").then(
        InfluenceSet(USSR, "botswana", 1, 1), CardPutAway("south_african_unrest", "discards")
    )


def test_south_african_unrest_split_may_go_to_one_neighbour() -> None:
    """South African Unrest, ruling: the reading `split` does not forbid 2 in one country."""
    s = resolving(table(), "south_african_unrest", USSR)
    chosen = given(s, do=Event(USSR, "south_african_unrest")).when(USSR, "neighbours")
    chosen.when(USSR, "angola").when(USSR, "angola").includes(InfluenceSet(USSR, "angola", 1, 2))


def test_south_african_unrest_next_to_south_africa_single() -> None:
    """South African Unrest, ruling: option `single`: both into one neighbour."""
    s = table(options={"south_african_unrest": "single"})
    s = resolving(s, "south_african_unrest", USSR)
    chosen = given(s, do=Event(USSR, "south_african_unrest")).when(USSR, "neighbours")
    chosen.asks(USSR, "angola", "botswana").when(USSR, "botswana").then(
        InfluenceSet(USSR, "botswana", 2, 2), CardPutAway("south_african_unrest", "discards")
    )


def test_allende() -> None:
    """Allende: 2 in Chile."""
    s = resolving(table(), "allende", USSR)
    given(s, do=Event(USSR, "allende")).then(
        EventBegan("allende", USSR), InfluenceSet(USSR, "chile", 2, 2), CardPutAway("allende", "removed")
    )


def test_willy_brandt_scores_and_stays_in_force() -> None:
    """Willy Brandt: 1 point, 1 in West Germany, and the card lies beside the board."""
    s = resolving(table(), "willy_brandt", USSR)
    given(s, do=Event(USSR, "willy_brandt")).then(
        EventBegan("willy_brandt", USSR),
        ScoreMoved(USSR, 1, -1, "willy_brandt"),
        InfluenceSet(USSR, "west_germany", 1, 1),
        CardPutAway("willy_brandt", "beside"),
    )


@pytest.mark.parametrize("step", [Coup, Realign])
def test_willy_brandt_opens_west_germany_under_nato(step: type[Coup] | type[Realign]) -> None:
    """Willy Brandt: NATO still protects Italy, and no longer West Germany."""
    s = table(us={"west_germany": 5, "italy": 2}, beside=("nato", "willy_brandt"), phasing=USSR)
    given(s, do=step(USSR, Ops("fidel", 2))).asks(USSR, "west_germany")


def test_willy_brandt_is_forbidden_by_tear_down_this_wall() -> None:
    """Willy Brandt, ruling: no event after Tear Down This Wall; the card stays in circulation."""
    s = resolving(table(beside=("tear_down_this_wall",)), "willy_brandt", USSR)
    given(s, do=Event(USSR, "willy_brandt")).then(
        EventBarred("willy_brandt", "tear_down_this_wall"), CardPutAway("willy_brandt", "discards")
    )


def test_muslim_revolution_clears_two_countries() -> None:
    """Muslim Revolution: the USSR picks two of the eight countries, Israel not among them."""
    s = resolving(table(us={"egypt": 3, "iran": 1, "sudan": 1, "israel": 4}), "muslim_revolution", USSR)
    asked = given(s, do=Event(USSR, "muslim_revolution")).asks(USSR, "sudan", "iran", "egypt")
    asked.refuses(USSR, "egypt").when(USSR, "egypt", "sudan").then(
        InfluenceSet(US, "egypt", -3, 0),
        InfluenceSet(US, "sudan", -1, 0),
        CardPutAway("muslim_revolution", "discards"),
    )


def test_muslim_revolution_with_nothing_to_choose() -> None:
    """Muslim Revolution: with one country held it happens there, and no seat is asked."""
    s = resolving(table(us={"jordan": 2, "lebanon": 1}), "muslim_revolution", US)
    given(s, do=Event(USSR, "muslim_revolution")).then(
        EventBegan("muslim_revolution", USSR),
        InfluenceSet(US, "jordan", -2, 0),
        CardPutAway("muslim_revolution", "discards"),
    )


def test_muslim_revolution_is_forbidden_by_awacs() -> None:
    """Muslim Revolution: no event after AWACS Sale to Saudis."""
    s = table(us={"egypt": 3}, beside=("awacs_sale_to_saudis",))
    given(resolving(s, "muslim_revolution", USSR), do=Event(USSR, "muslim_revolution")).then(
        EventBarred("muslim_revolution", "awacs_sale_to_saudis"),
        CardPutAway("muslim_revolution", "discards"),
    )
