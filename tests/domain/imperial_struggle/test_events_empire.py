"""The events 16 to 21 of the Empire era, in both versions, with and without their bonus."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import (
    BOARD,
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    GOODS,
    MEMBERS,
    MILITARY,
    NAVY_BOX,
    TURN_TRACK,
    Where,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import (
    AdvantageRefreshed,
    ConflictPlaced,
    FlagPlaced,
    FlagRemoved,
    SquadronMoved,
)
from domain.imperial_struggle.facts.cards import DemandAdded, DemandReplaced, DemandSeen
from domain.imperial_struggle.facts.flow import EffectBegan, PointsGranted
from domain.imperial_struggle.facts.wars import ByngPlaced
from domain.imperial_struggle.points import UNFLAG, Limit, Purchase
from domain.imperial_struggle.rules.menu import events
from domain.imperial_struggle.rules.prices import price
from domain.imperial_struggle.state import State
from domain.kernel import prompt
from tests.domain.imperial_struggle.playing import acting, happening, holding, played, plays, points, within
from tests.scenario import Scenario

SPAIN_AND_AUSTRIA = Limit(where=Where(countries=("spain", "austria")), placed=True)


def markets(region: str) -> tuple[str, ...]:
    return tuple(space for space in MEMBERS[region] if BOARD[space].kind == "market")


def test_the_empire_era_has_the_events_16_to_30() -> None:
    assert sorted(item.number for item in EVENTS.values() if item.era == "empire") == list(range(16, 31))


# ── 16 Caribbean Slave Unrest ──

UNREST = "caribbean_slave_unrest"
ONE_TILE = {BR: {"central_europe": ("was_lawrence",)}, FR: {}}


def test_slave_unrest_marks_one_caribbean_market_flagged_or_empty() -> None:
    game = played(UNREST, FR, br=("antigua",)).then(plays(UNREST, FR)).asks(FR, *markets("caribbean"))
    game.refuses(FR, "privateers").refuses(FR, "vellore")
    game.when(FR, "antigua").then(ConflictPlaced("antigua", 0, UNREST))
    acting(game, FR)


def test_slave_unrest_marks_a_second_market_with_more_bonus_tiles_on_the_display() -> None:
    game = played(UNREST, BR, reinforcements=ONE_TILE).then(plays(UNREST, BR, bonus=True))
    game.when(BR, "antigua").refuses(BR, "antigua").when(BR, "caicos")
    game.then(ConflictPlaced("caicos", 0, UNREST))
    acting(game, BR)


def test_slave_unrest_has_no_bonus_for_the_side_with_fewer_tiles() -> None:
    played(UNREST, FR, reinforcements=ONE_TILE).then(plays(UNREST, FR))


def test_slave_unrest_has_no_bonus_on_turn_6_without_a_next_war() -> None:
    played(UNREST, BR, turn=6).then(plays(UNREST, BR))


def test_slave_unrest_does_nothing_where_every_market_is_in_conflict() -> None:
    game = played(UNREST, BR, conflicts=dict.fromkeys(markets("caribbean"), 0)).then(plays(UNREST, BR))
    acting(game, BR)


# ── 17 Pacte de Famille ──

PACTE = "pacte_de_famille"


def test_bourbon_hapsburg_tension_makes_french_flags_in_spain_and_austria_cheaper_for_britain() -> None:
    game = played(PACTE, BR, fr=("spain_prestige_3", "austria_alliance_3", "bavaria", "savoy"))
    game.then(plays(PACTE, BR), EffectBegan(BR, PACTE))
    costs = {
        space: price(game.table, BR, Purchase(UNFLAG, space)).total
        for space in ("spain_prestige_3", "austria_alliance_3", "bavaria", "savoy")
    }
    assert costs == {"spain_prestige_3": 2, "austria_alliance_3": 2, "bavaria": 3, "savoy": 2}


def test_bourbon_hapsburg_tension_with_style_brings_a_diplomatic_point_for_anything() -> None:
    game = played(PACTE, BR, keyword="style")
    game.then(
        plays(PACTE, BR, bonus=True),
        EffectBegan(BR, PACTE),
        PointsGranted(BR, points(PACTE, DIPLOMATIC, 1)),
    )


TIES = ("savoy", "spain_prestige_3", "gibraltar", "asiento")  # Intrigue, Naval Bastion, Slaving Contracts


def ties(**fields: Any) -> Scenario[State]:
    """France holds two advantages in Europe and one elsewhere, all of them Exhausted; Britain has a third."""
    exhausted = ("mediterranean_intrigue", "naval_bastion", "slaving_contracts", "silesia_negotiations")
    return played(PACTE, FR, fr=TIES, br=("austria_prestige_upper",), exhausted=exhausted, **fields)


def test_bourbon_family_ties_refresh_up_to_two_french_advantages_in_europe() -> None:
    game = ties().asks(FR, "mediterranean_intrigue", "naval_bastion")
    game.refuses(FR, "slaving_contracts").refuses(FR, "silesia_negotiations")
    game.when(FR, "mediterranean_intrigue", "naval_bastion")
    game.then(AdvantageRefreshed("mediterranean_intrigue"), AdvantageRefreshed("naval_bastion"))
    assert game.table.exhausted == ("slaving_contracts", "silesia_negotiations")


def test_bourbon_family_ties_may_refresh_none() -> None:
    acting(ties().when(FR).then(), FR)


def test_a_refreshed_advantage_can_be_used_in_the_same_round() -> None:
    game = ties().when(FR, "mediterranean_intrigue")
    assert "advantage:mediterranean_intrigue" in acting(game, FR)


def test_bourbon_family_ties_refresh_advantages_of_any_side_if_european_refresh_is_any() -> None:
    game = ties(options={"european_refresh": "any"})
    game.asks(FR, "mediterranean_intrigue", "naval_bastion", "silesia_negotiations")
    game.refuses(FR, "mediterranean_intrigue", "naval_bastion", "silesia_negotiations")


def test_bourbon_family_ties_ask_nothing_where_nothing_is_exhausted() -> None:
    acting(played(PACTE, FR, fr=TIES).then(plays(PACTE, FR)), FR)


def test_bourbon_family_ties_with_style_bring_2_diplomatic_points_for_spain_and_austria() -> None:
    game = played(PACTE, FR, keyword="style")
    granted = PointsGranted(FR, points(PACTE, DIPLOMATIC, 2, SPAIN_AND_AUSTRIA))
    game.then(plays(PACTE, FR, bonus=True), granted)


def test_points_for_spain_and_austria_flag_nothing_else_and_draw_no_card() -> None:
    options = acting(happening(PACTE, FR, "bonus", deck=("tax_reform",)), FR)
    assert {"flag:spain_prestige_2", "flag:austria_alliance_2"} <= set(options)
    assert not {"flag:savoy", "draw"} & set(options)


# ── 18 Byng's Trial ──

BYNG = "byngs_trial"


@pytest.mark.parametrize(
    ("turn", "theatres"),
    [
        (3, ("king_georges_war", "first_carnatic_war")),
        (4, ("atlantic_dominance", "third_carnatic_war", "french_and_indian_war")),
        (5, ("american_revolution", "mysore_war", "antilles_war")),
    ],
)
def test_byng_goes_to_a_theatre_of_the_next_war_in_which_squadrons_count(
    turn: int, theatres: tuple[str, ...]
) -> None:
    game = played(BYNG, BR, turn=turn).asks(BR, *theatres).refuses(BR)
    game.when(BR, theatres[1]).then(ByngPlaced(theatres[1])).has(byng=theatres[1])


def test_byng_does_nothing_on_turn_6() -> None:
    acting(played(BYNG, BR, turn=6).then(plays(BYNG, BR)), BR)


def test_byng_is_no_bonus_tile() -> None:
    """Two tiles lie there already; the marker neither needs room nor counts among them."""
    two = {BR: {"king_georges_war": ("was_lawrence", "was_warren")}, FR: {}}
    game = played(BYNG, BR, reinforcements=two).when(BR, "king_georges_war")
    game.then(ByngPlaced("king_georges_war")).has(reinforcements=two)


def test_not_encouraged_suspends_a_british_squadron_of_the_map_or_the_navy_box() -> None:
    game = played(BYNG, FR, br=("biscay",), fr=("balearic",)).asks(FR, "biscay", NAVY_BOX)
    game.when(FR, "biscay").then(SquadronMoved(BR, "biscay", TURN_TRACK))
    assert game.table.away == {BR: 1, FR: 0}
    assert "biscay" not in game.table.flags


def test_not_encouraged_takes_the_only_squadron_without_a_question() -> None:
    game = played(BYNG, FR).then(plays(BYNG, FR), SquadronMoved(BR, NAVY_BOX, TURN_TRACK))
    game.has(navy={BR: 1, FR: 1}, away={BR: 1, FR: 0})


def test_not_encouraged_does_nothing_without_a_british_squadron() -> None:
    acting(played(BYNG, FR, navy={BR: 0, FR: 1}).then(plays(BYNG, FR)), FR)


def test_byngs_trial_never_has_a_bonus() -> None:
    for side in (BR, FR):
        assert EVENTS[BYNG].effect("bonus", side) is None


# ── 19 Le Beau Monde ──

FASHION = "le_beau_monde"


def test_huguenot_crafts_may_add_furs_or_cotton_as_a_fourth_good() -> None:
    game = played(FASHION, BR, demand=("spice", "fish", "sugar")).asks(BR, "furs", "cotton")
    game.refuses(BR, "tobacco").refuses(BR, "furs", "cotton")
    game.when(BR, "furs").then(DemandAdded("furs")).has(demand=("spice", "fish", "sugar", "furs"))


def test_huguenot_crafts_may_add_nothing() -> None:
    acting(played(FASHION, BR, demand=("spice", "fish", "sugar")).when(BR).then(), BR)


def test_huguenot_crafts_add_no_good_that_is_in_demand_already() -> None:
    played(FASHION, BR, demand=("furs", "fish", "sugar")).asks(BR, "cotton")
    acting(played(FASHION, BR, demand=("furs", "fish", "cotton")).then(plays(FASHION, BR)), BR)


def test_huguenot_crafts_with_style_bring_an_economic_point() -> None:
    game = played(FASHION, BR, keyword="style", demand=("spice", "fish", "sugar")).when(BR)
    game.then(PointsGranted(BR, points(FASHION, ECONOMIC, 1)))


def test_dominance_of_fashion_brings_a_diplomatic_point_for_europe() -> None:
    game = played(FASHION, FR)
    game.then(plays(FASHION, FR), PointsGranted(FR, points(FASHION, DIPLOMATIC, 1, within("europe"))))


def test_dominance_of_fashion_with_style_brings_2_more() -> None:
    game = played(FASHION, FR, keyword="style")
    game.then(
        plays(FASHION, FR, bonus=True),
        PointsGranted(FR, points(FASHION, DIPLOMATIC, 1, within("europe"))),
        PointsGranted(FR, points(FASHION, DIPLOMATIC, 2, within("europe"))),
    )
    pools = {pool.name: pool.points for pool in game.table.round.pools} if game.table.round else {}
    assert pools[FASHION] == 3


# ── 20 Hyder Ali ──

HYDER = "hyder_ali"
LOCAL = ("maratha", "nizam", "mysore")


def test_hyder_ali_takes_control_of_an_opposing_or_empty_local_alliance() -> None:
    game = played(HYDER, BR, br=("maratha",), fr=("mysore",)).asks(BR, "alliance", "conflicts")
    game.when(BR, "alliance").asks(BR, "nizam", "mysore").refuses(BR, "maratha").when(BR, "mysore")
    game.includes(FlagRemoved(FR, "mysore"), FlagPlaced(BR, "mysore"))
    acting(game, BR)


def test_hyder_ali_marks_two_unprotected_spaces_of_india() -> None:
    """Karaikal is protected by the Fort of Vandavasi; Plassey's Squadron is not French."""
    game = played(HYDER, BR, fr=("karaikal", "vandavasi", "plassey"), br=("hooghly_river",))
    game.when(BR, "conflicts").refuses(BR, "karaikal", "nizam").refuses(BR, "nizam")
    game.when(BR, "plassey", "nizam")
    game.then(ConflictPlaced("plassey", 0, HYDER), ConflictPlaced("nizam", 0, HYDER))


def test_hyder_ali_marks_spaces_without_a_question_where_every_alliance_is_own() -> None:
    game = played(HYDER, FR, fr=LOCAL).then(plays(HYDER, FR))
    game.when(FR, "nizam", "vellore")
    game.then(ConflictPlaced("nizam", 0, HYDER), ConflictPlaced("vellore", 0, HYDER))


def test_hyder_ali_does_nothing_where_nothing_can_be_done() -> None:
    spaces = (*LOCAL, *markets("india"))
    acting(played(HYDER, FR, fr=LOCAL, conflicts=dict.fromkeys(spaces, 0)).then(plays(HYDER, FR)), FR)


def test_hyder_ali_with_mercantilism_brings_2_economic_points_for_india() -> None:
    game = played(HYDER, FR, keyword="mercantilism", fr=LOCAL).when(FR, "nizam", "vellore")
    game.includes(PointsGranted(FR, points(HYDER, ECONOMIC, 2, within("india"))))


# ── 21 Co-Hong System ──

COHONG = "co_hong_system"
DEMAND = ("furs", "fish", "sugar")


def test_co_hong_draws_a_good_that_is_not_in_demand_and_then_asks_which_one_leaves() -> None:
    game = played(COHONG, FR, demand=DEMAND).asks("chance", "spice", "tobacco", "cotton")
    game.when("chance", "cotton").then(DemandSeen("cotton")).asks(FR, *DEMAND).refuses(FR)
    question = prompt(game.table, FR)
    assert question is not None
    assert question.why == {"card": COHONG, "good": "cotton"}
    game.refuses(FR, "cotton").when(FR, "fish").then(DemandReplaced("fish", "cotton"))
    game.has(demand=("furs", "cotton", "sugar"))
    acting(game, FR)


def test_co_hong_replaces_one_of_four_goods() -> None:
    game = played(COHONG, BR, demand=(*DEMAND, "cotton")).when("chance", "spice").asks(BR, *DEMAND, "cotton")
    game.when(BR, "cotton").has(demand=(*DEMAND, "spice"))


def test_co_hong_draws_nothing_where_every_good_is_in_demand() -> None:
    acting(played(COHONG, BR, demand=GOODS).then(plays(COHONG, BR)), BR)


def test_co_hong_with_scholarship_brings_2_economic_points_for_india() -> None:
    game = played(COHONG, BR, keyword="scholarship", demand=DEMAND).when("chance", "spice").when(BR, "furs")
    granted = PointsGranted(BR, points(COHONG, ECONOMIC, 2, within("india")))
    game.then(DemandReplaced("furs", "spice"), granted)


# ── what all of them share ──


@pytest.mark.parametrize(
    ("card", "kind"),
    [
        ("co_hong_system", DIPLOMATIC),
        ("corsican_crisis", DIPLOMATIC),
        ("european_panic", ECONOMIC),
        ("war_of_the_quadruple_alliance", DIPLOMATIC),
        ("bengal_famine", ECONOMIC),
        ("father_le_loutre", MILITARY),
        ("war_of_the_polish_succession", MILITARY),
        ("jonathans_coffee_house", ECONOMIC),
        ("caribbean_slave_unrest", ""),
        ("pacte_de_famille", ""),
        ("byngs_trial", ""),
        ("le_beau_monde", ""),
        ("hyder_ali", ""),
        ("west_african_gold_mining", ""),
        ("salon_dhercule", ""),
    ],
)
def test_an_event_is_played_with_the_major_action_that_its_card_asks_for(card: str, kind: str) -> None:
    for tile, major in (("e3_d2_1", ECONOMIC), ("d3_e2_1", DIPLOMATIC), ("m3_e2_1", MILITARY)):
        playable = events(holding(card, BR, tile=tile), BR)
        assert (f"event:{card}" in playable) == (kind in ("", major))


def test_an_event_leaves_the_game() -> None:
    game = played("salon_dhercule", FR)
    assert "salon_dhercule" in game.table.removed
    assert game.table.hands == {BR: (), FR: ()}
