"""The events 1 to 5 of the Succession era."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.facts.board import (
    ConflictPlaced,
    ConflictRemoved,
    FlagPlaced,
    FlagRemoved,
    FortDamaged,
    SquadronMoved,
)
from domain.imperial_struggle.facts.cards import EventPlayed
from domain.imperial_struggle.facts.flow import EffectBegan, EffectEnded, PointsGranted, PointsPaid
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved
from domain.imperial_struggle.points import CONSTRUCT, DRAW, FLAG, UNFLAG, Pool, Purchase
from domain.imperial_struggle.rules.prices import price
from domain.kernel import Refused, prompt
from tests.domain.imperial_struggle.governing import pool
from tests.domain.imperial_struggle.playing import may_buy, played


def test_the_era_has_15_events_and_each_has_a_version_for_both_sides() -> None:
    era = {card.number: card for card in EVENTS.values() if card.era == "succession"}
    assert sorted(era) == list(range(1, 16))
    assert all(card.effect("base", side) for card in era.values() for side in (BR, FR))


@pytest.mark.parametrize(
    ("type", "numbers"),
    [("", (1, 2, 3, 4, 7, 10, 13)), (ECONOMIC, (8, 11, 14, 15)), (DIPLOMATIC, (6,)), (MILITARY, (5, 9, 12))],
)
def test_an_event_asks_for_the_type_of_the_major_action(type: str, numbers: tuple[int, ...]) -> None:
    era = [card for card in EVENTS.values() if card.era == "succession"]
    assert tuple(card.number for card in era if card.requires == type) == numbers


def test_an_event_is_not_played_with_another_major_action() -> None:
    with pytest.raises(Refused):
        played("tax_reform", tile="d3_e2_1")


def test_an_event_without_a_bonus_condition_has_no_bonus_and_the_other_way_round() -> None:
    for card in EVENTS.values():
        for side in (BR, FR):
            assert (card.bonus_if is None) == (card.effect("bonus", side) is None)


# ── 1 Carnatic War ──


def test_carnatic_war_places_as_many_markers_in_india_as_own_local_alliances() -> None:
    game = played("carnatic_war", br=("maratha", "nizam"), fr=("mysore", "arcot"), conflicts={"plassey": 0})
    game.refuses(BR, "kurpa").refuses(BR, "kurpa", "antigua").refuses(BR, "kurpa", "arcot")
    game.refuses(BR, "kurpa", "plassey").when(BR, "kurpa", "maratha")
    game.then(ConflictPlaced("kurpa", 0, "carnatic_war"), ConflictPlaced("maratha", 0, "carnatic_war"))


def test_carnatic_war_does_nothing_without_an_own_local_alliance() -> None:
    played("carnatic_war", fr=("maratha",)).then(EventPlayed(BR, "carnatic_war", False))


@pytest.mark.parametrize(("reading", "count"), [("ignored", 1), ("counted", 2)])
def test_carnatic_war_counts_an_alliance_under_a_marker_only_by_option(reading: str, count: int) -> None:
    """Ruling: 3.8 leaves it out."""
    options = {"conflicted_flags": reading}
    game = played("carnatic_war", br=("maratha", "nizam"), conflicts={"nizam": 0}, options=options)
    question = prompt(game.table, BR)
    assert question is not None
    assert (question.least, question.most) == (count, count)


def test_carnatic_war_bonus_damages_a_fort_in_india() -> None:
    french = ("arcot", "vandavasi", "louisbourg", "plassey")
    game = played(
        "carnatic_war", keyword="mercantilism", br=("midnapore",), fr=french, damaged=("vandavasi",)
    )
    game.asks(BR, "arcot", "plassey", "west_bengal", "kurpa", "vellore", "karaikal")
    game.refuses(BR, "arcot", "kurpa").when(BR, "arcot").then(FortDamaged(FR, "arcot"))


def test_carnatic_war_bonus_damages_a_fort_anywhere_by_option() -> None:
    options = {"carnatic_fort": "anywhere"}
    game = played("carnatic_war", keyword="mercantilism", fr=("louisbourg",), options=options)
    game.when(BR, "louisbourg").then(FortDamaged(FR, "louisbourg"))


def test_carnatic_war_bonus_shifts_a_cotton_market() -> None:
    game = played("carnatic_war", keyword="mercantilism", fr=("plassey",))
    game.when(BR, "plassey").then(FlagRemoved(FR, "plassey"))
    game = played("carnatic_war", keyword="mercantilism")
    game.when(BR, "kurpa").then(FlagPlaced(BR, "kurpa"))


def test_carnatic_war_bonus_shifts_where_the_event_has_placed_its_marker() -> None:
    """Ruling: the base effect comes first and does not stop the shift."""
    game = played("carnatic_war", FR, keyword="mercantilism", fr=("nizam",)).when(FR, "kurpa")
    game.when(FR, "kurpa").then(ConflictRemoved("kurpa"), FlagPlaced(FR, "kurpa"))


def test_carnatic_war_bonus_does_nothing_without_a_fort_and_a_cotton_market() -> None:
    cotton = ("plassey", "west_bengal", "midnapore", "kurpa", "vellore", "karaikal")
    game = played("carnatic_war", keyword="mercantilism", br=cotton)
    game.then(EventPlayed(BR, "carnatic_war", True))


# ── 2 Acts of Union ──


@pytest.mark.parametrize(
    ("fields", "met"),
    [
        ({}, False),
        ({"br": ("scotland_prestige",)}, True),
        ({"br": ("scotland_prestige", "ireland_alliance")}, True),
        ({"br": ("scotland_prestige",), "fr": ("ireland_prestige",)}, False),
        ({"br": ("scotland_prestige", "ireland_prestige")}, True),
        ({"fr": ("scotland_prestige",)}, False),
        ({"br": ("scotland_prestige",), "conflicts": {"scotland_prestige": 0}}, False),
        (
            {
                "br": ("scotland_prestige",),
                "conflicts": {"scotland_prestige": 0},
                "options": {"conflicted_flags": "counted"},
            },
            True,
        ),
        (
            {
                "br": ("scotland_prestige",),
                "fr": ("ireland_prestige",),
                "conflicts": {"ireland_prestige": 0},
                "options": {"conflicted_flags": "counted"},
            },
            False,
        ),
    ],
)
def test_acts_of_union_needs_more_prestige_of_scotland_and_ireland(fields: dict[str, Any], met: bool) -> None:
    played("acts_of_union", **fields).includes(EventPlayed(BR, "acts_of_union", met))


def test_acts_of_union_gives_britain_a_point_against_flags_in_europe() -> None:
    game = played("acts_of_union", fr=("bavaria", "nizam"))
    assert game.facts[0] == EventPlayed(BR, "acts_of_union", False)
    assert (pool(game, "acts_of_union").type, pool(game, "acts_of_union").points) == (DIPLOMATIC, 1)
    assert may_buy(game, "acts_of_union", UNFLAG, "bavaria")
    assert not may_buy(game, "acts_of_union", FLAG, "sweden")
    assert not may_buy(game, "acts_of_union", UNFLAG, "nizam")
    assert not may_buy(game, "acts_of_union", DRAW)


def test_acts_of_union_bonus_scores_2_for_britain() -> None:
    game = played("acts_of_union", br=("ireland_prestige",))
    game.includes(ScoreMoved(BR, 2, 13, "acts_of_union"))


def test_acts_of_union_gives_france_2_points() -> None:
    points = Pool("acts_of_union", DIPLOMATIC, "event", 2)
    played("acts_of_union", FR).then(EventPlayed(FR, "acts_of_union", False), PointsGranted(FR, points))


def test_acts_of_union_bonus_removes_a_flag_in_europe_but_not_in_spain_or_austria() -> None:
    british = ("sweden", "savoy", "austria_alliance_2", "spain_prestige_2", "gibraltar", "nizam", "biscay")
    game = played("acts_of_union", FR, br=british, fr=("scotland_prestige",)).asks(FR, "sweden", "savoy")
    game.when(FR, "savoy").then(FlagRemoved(BR, "savoy"))


def test_acts_of_union_bonus_does_nothing_without_such_a_flag() -> None:
    game = played("acts_of_union", FR, br=("austria_alliance_2",), fr=("scotland_prestige",))
    assert game.table.flags["austria_alliance_2"] == BR


# ── 3 Tropical Diseases ──


def test_tropical_diseases_removes_an_opposing_an_own_and_another_opposing_flag() -> None:
    """The worked case of the Playbook, on turn 1."""
    french = ("martinique", "port_de_paix", "plassey", "buccaneers")
    british = ("st_lucia", "georgia", "midnapore", "privateers")
    game = played("tropical_diseases", FR, keyword="scholarship", fr=french, br=british)
    game.asks(FR, "st_lucia", "georgia").when(FR, "st_lucia").then(FlagRemoved(BR, "st_lucia"))
    game.asks(FR, "martinique", "port_de_paix").when(FR, "martinique")
    game.then(FlagRemoved(FR, "martinique"), FlagRemoved(BR, "georgia"))


def test_tropical_diseases_without_the_keyword_ends_with_the_own_flag() -> None:
    game = played("tropical_diseases", br=("georgia",), fr=("martinique", "port_de_paix"))
    game.when(BR, "martinique").then(FlagRemoved(FR, "martinique"), FlagRemoved(BR, "georgia"))


def test_tropical_diseases_skips_what_has_no_target() -> None:
    played("tropical_diseases", keyword="scholarship", br=("georgia",)).then(
        EventPlayed(BR, "tropical_diseases", True), FlagRemoved(BR, "georgia")
    )
    played("tropical_diseases", fr=("martinique",)).then(
        EventPlayed(BR, "tropical_diseases", False), FlagRemoved(FR, "martinique")
    )


# ── 4 South Sea Speculation ──


def test_south_sea_speculation_takes_no_flag_whose_loss_isolates_a_market() -> None:
    game = played(
        "south_sea_speculation", fr=("guadeloupe", "martinique", "antigua", "chandernagore", "plassey")
    )
    game.asks(BR, "antigua", "plassey").when(BR, "antigua").then(FlagRemoved(FR, "antigua"))


def test_south_sea_speculation_takes_a_market_that_is_isolated_itself() -> None:
    played("south_sea_speculation", fr=("kurpa",), br=("georgia",)).then(
        EventPlayed(BR, "south_sea_speculation", False), FlagRemoved(FR, "kurpa")
    )


def test_south_sea_speculation_does_nothing_without_an_opposing_market() -> None:
    """Ruling: there is no second choice; political spaces and own markets are none."""
    game = played("south_sea_speculation", br=("georgia",), fr=("bavaria",))
    game.then(EventPlayed(BR, "south_sea_speculation", False))


def test_south_sea_speculation_bonus_makes_one_squadron_2_points_cheaper() -> None:
    game = played("south_sea_speculation", keyword="finance", tile="m3_d2_1")
    game.includes(EffectBegan(BR, "south_sea_speculation")).when(BR, CONSTRUCT).includes(
        PointsPaid(BR, CONSTRUCT, "", "military", 2, {"major": 2}, False, "", 0),
        EffectEnded(BR, "south_sea_speculation"),
        SquadronMoved(BR, "unbuilt", "navy_box"),
    )
    assert price(game.table, BR, Purchase(CONSTRUCT)).total == 4


def test_south_sea_speculation_bonus_makes_a_cheap_squadron_free() -> None:
    """Ruling: it goes with a price of 2."""
    game = played("south_sea_speculation", keyword="finance", tile="m3_d2_1", br=("asiento",))
    assert price(game.table, BR, Purchase(CONSTRUCT, via="slaving_contracts")).total == 0


def test_south_sea_speculation_without_the_keyword_leaves_prices_alone() -> None:
    game = played("south_sea_speculation", tile="m3_d2_1")
    assert price(game.table, BR, Purchase(CONSTRUCT)).total == 4


# ── 5 War of Jenkins' Ear ──


def test_war_of_jenkins_ear_reduces_british_debt_by_2() -> None:
    game = played("war_of_jenkins_ear", debt={BR: 3, FR: 1})
    game.then(EventPlayed(BR, "war_of_jenkins_ear", False), DebtSet(BR, -2, 1, "war_of_jenkins_ear"))


def test_war_of_jenkins_ear_bonus_gives_france_debt() -> None:
    game = played("war_of_jenkins_ear", keyword="mercantilism", debt={BR: 1, FR: 1})
    game.includes(DebtSet(BR, -1, 0, "war_of_jenkins_ear"), DebtSet(FR, 1, 2, "war_of_jenkins_ear"))


def test_war_of_jenkins_ear_bonus_scores_where_france_has_reached_its_limit() -> None:
    game = played("war_of_jenkins_ear", keyword="mercantilism", debt={BR: 0, FR: 6})
    game.then(EventPlayed(BR, "war_of_jenkins_ear", True), ScoreMoved(BR, 1, 14, "debt_limit"))


def test_war_of_jenkins_ear_places_a_marker_on_a_british_market_of_the_caribbean() -> None:
    british = ("georgia", "st_lucia", "midnapore", "privateers")
    game = played("war_of_jenkins_ear", FR, br=british, fr=("martinique",))
    game.asks(FR, "georgia", "st_lucia").when(FR, "georgia")
    game.then(ConflictPlaced("georgia", 0, "war_of_jenkins_ear"))


def test_war_of_jenkins_ear_bonus_gives_france_a_point_even_without_a_target() -> None:
    points = Pool("war_of_jenkins_ear", DIPLOMATIC, "event", 1)
    played("war_of_jenkins_ear", FR, keyword="mercantilism", br=("georgia",), conflicts={"georgia": 0}).then(
        EventPlayed(FR, "war_of_jenkins_ear", True), PointsGranted(FR, points)
    )
