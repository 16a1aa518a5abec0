"""Ministries in general: the 26 cards, revealing, keywords, exhaustion, eras, the third French one (3.5)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, FR, MILITARY, MINISTRIES
from domain.imperial_struggle.facts.cards import (
    AbilityUsed,
    EventPlayed,
    MinistryRevealed,
    UprisingsAdded,
    UprisingsDeclined,
)
from domain.imperial_struggle.facts.flow import MarkersReset, PointsRaised
from domain.imperial_struggle.facts.tracks import LimitSet
from domain.imperial_struggle.rules.registry import ABILITIES, ACTING, CHOICES, REVEALED
from domain.imperial_struggle.steps.flow import ChooseMinistries, OfferUprisings, ReturnMinistries
from tests.domain.imperial_struggle.governing import abilities, acting, choosing, event_bonus, hidden, offered
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import given

EARLY = {
    "robert_walpole",
    "bank_of_england",
    "new_world_huguenots",
    "edmond_halley.letters",
    "townshend_acts",
}
LATER = {
    "the_cardinal_ministers",
    "jacobite_uprisings.shift",
    "jacobite_uprisings.score",
    "new_world_huguenots.turn",
    "edmond_halley",
    "choiseul",
    "choiseul.construct",
    "pitt_the_elder",
    "pitt_the_elder.construct",
    "charles_hanbury_williams",
    "papacy_hanover_negotiations",
}


# ── the cards ──


def test_there_are_13_ministries_of_each_side() -> None:
    sides = [card.side for card in MINISTRIES.values()]
    assert (sides.count(BR), sides.count(FR)) == (13, 13)
    assert sorted(card.number for card in MINISTRIES.values()) == list(range(1, 27))


@pytest.mark.parametrize(
    ("era", "british", "french"), [("succession", 5, 5), ("empire", 5, 5), ("revolution", 6, 7)]
)
def test_the_eras_have_so_many_ministries(era: str, british: int, french: int) -> None:
    sides = [card.side for card in MINISTRIES.values() if era in card.eras]
    assert (sides.count(BR), sides.count(FR)) == (british, french)


def test_the_abilities_and_those_that_come_before_the_tile() -> None:
    ours = {item.id: item for item in ABILITIES.values() if item.ministry in MINISTRIES}
    assert set(ours) == EARLY | LATER
    assert {id for id, item in ours.items() if item.early} == EARLY
    assert {id for id, item in ours.items() if not item.exhausts} == {"new_world_huguenots.turn"}
    assert {id for id, item in ours.items() if item.lasting} == {"new_world_huguenots.turn"}


def test_what_happens_by_itself_and_what_is_asked_belongs_to_a_ministry() -> None:
    assert set(REVEALED) == {"papacy_hanover_negotiations", "north_american_trade"}
    assert set(ACTING) == {"north_american_trade", "lavoisier"}
    assert {"robert_walpole", "edmond_halley.letters", "new_world_huguenots"} <= set(CHOICES)
    assert {"new_world_huguenots.turn", "townshend_acts"} <= set(CHOICES)


# ── revealing (3.5, 5.1) ──


def test_a_ministry_may_be_revealed_and_used_before_the_tile() -> None:
    game = choosing(BR, **hidden(BR, "bank_of_england", "jonathan_swift"))
    game.refuses(BR, "ability:bank_of_england")
    game.when(BR, "reveal:bank_of_england").then(MinistryRevealed(BR, "bank_of_england"))
    game.when(BR, "ability:bank_of_england").then(
        AbilityUsed(BR, "bank_of_england", True), LimitSet(BR, 1, 7, "bank_of_england")
    )
    assert set(offered(game, BR)) == {"e4_d2_1", "m4_d2_1", "reveal:jonathan_swift"}


def test_a_ministry_may_be_revealed_after_the_tile_and_after_acting() -> None:
    game = acting(BR, in_round={"acted": True}, **hidden(BR, "edmund_burke"))
    game.when(BR, "reveal:edmund_burke").then(MinistryRevealed(BR, "edmund_burke"))
    assert "reveal:edmund_burke" not in offered(game, BR)


def test_no_side_reveals_in_the_round_of_the_other() -> None:
    game = acting(FR, **hidden(BR, "robert_walpole"))
    assert not [pick for pick in offered(game, FR) if pick.startswith("reveal")]
    game.refuses(BR, "reveal:robert_walpole")


def test_an_open_ministry_serves_its_own_side_only() -> None:
    game = acting(FR, "pitt_the_elder", "bank_of_england", pools=(major(DIPLOMATIC, 4),))
    assert abilities(game, FR) == set()


def test_a_ministry_that_lies_face_down_does_nothing() -> None:
    held = hidden(FR, "choiseul", "the_cardinal_ministers")
    game = acting(FR, fr=("savoy", "gulf_of_maine"), pools=(major(MILITARY, 4), minor(DIPLOMATIC)), **held)
    assert abilities(game, FR) == set()
    game.when(FR, "reveal:choiseul")
    assert abilities(game, FR) == {"choiseul", "choiseul.construct"}


# ── keywords (3.5.3) ──


@pytest.mark.parametrize("revealed", [True, False])
def test_a_keyword_counts_only_when_its_ministry_is_revealed(revealed: bool) -> None:
    held = hidden(BR, "edmond_halley")
    game = acting(BR, br_hand=("tropical_diseases",), in_round={"tile": "e3_d2_1"}, **held)
    if revealed:
        game.when(BR, "reveal:edmond_halley")
    game.when(BR, "event:tropical_diseases").includes(EventPlayed(BR, "tropical_diseases", revealed))


def test_a_keyword_of_the_other_side_is_none() -> None:
    game = acting(BR, "voltaire", br_hand=("tropical_diseases",), in_round={"tile": "e3_d2_1"})
    assert not event_bonus(game.when(BR, "event:tropical_diseases"))


def test_jacobite_uprisings_has_no_keyword() -> None:
    assert MINISTRIES["jacobite_uprisings"].keywords == ()


# ── once a turn, each ability by itself (3.5.2) ──


def test_the_abilities_of_a_ministry_are_exhausted_one_by_one() -> None:
    game = acting(BR, "pitt_the_elder", pools=(major(MILITARY, 4), minor(DIPLOMATIC)))
    game.when(BR, "ability:pitt_the_elder.construct")
    assert abilities(game, BR) == {"pitt_the_elder"}
    assert game.table.exhausted == ("pitt_the_elder.construct",)


def test_the_reset_phase_refreshes_abilities() -> None:
    s = MarkersReset({BR: 0, FR: 0}).apply(table(exhausted=("pitt_the_elder",), turn=3))
    assert s.exhausted == ()


def test_an_ability_before_the_tile_does_not_spoil_a_pass() -> None:
    game = choosing(BR, "bank_of_england", debt={BR: 2, FR: 0}).when(BR, "ability:bank_of_england")
    game.when(BR, "e4_d2_1")
    assert "pass:2" in offered(game, BR)


def test_points_are_raised_no_earlier_than_the_tile_is_taken() -> None:
    """North American Trade, revealed first, adds to the tile that is taken then."""
    held = hidden(FR, "north_american_trade")
    game = choosing(FR, fr=("quebec_and_montreal", "cataraqui"), turn=5, **held)
    game.when(FR, "reveal:north_american_trade").then(MinistryRevealed(FR, "north_american_trade"))
    game.when(FR, "e4_d2_1").includes(PointsRaised(FR, "major", 1, "north_american_trade"))


# ── eras (4.1.7) ──


@pytest.mark.parametrize(
    ("ministry", "turns"),
    [
        ("east_india_company", (1, 2, 3, 4)),
        ("merchant_banks", (3, 4, 5, 6)),
        ("samuel_johnson", (3, 4, 5, 6)),
        ("voltaire", (3, 4, 5, 6)),
        ("pompadour_and_du_barry", (3, 4, 5, 6)),
        ("jacobite_uprisings", (1, 2, 3, 4, 5, 6)),
        ("john_law", (1, 2)),
        ("choiseul", (3, 4)),
        ("lavoisier", (5, 6)),
    ],
)
def test_a_ministry_may_be_chosen_in_its_eras(ministry: str, turns: tuple[int, ...]) -> None:
    side = MINISTRIES[ministry].side
    for turn in range(1, 7):
        game = given(table(turn=turn), do=ChooseMinistries((side,)))
        assert (ministry in offered(game, side)) == (turn in turns)


def test_a_ministry_of_two_eras_goes_back_between_them_and_may_come_again() -> None:
    start = table(turn=3, revealed=("east_india_company",))
    game = given(start, do=(ReturnMinistries(), ChooseMinistries((BR,))))
    game.has(revealed=(), ministries={BR: (), FR: ()})
    game.when(BR, "east_india_company", "pitt_the_elder")
    game.has(revealed=(), ministries={BR: ("east_india_company", "pitt_the_elder"), FR: ()})


def test_a_revealed_ministry_stays_in_the_second_turn_of_its_era() -> None:
    game = given(table(turn=4, revealed=("choiseul",)), do=ChooseMinistries((FR,)))
    game.refuses(FR, "dupleix", "voltaire").when(FR, "dupleix")
    game.has(ministries={BR: (), FR: ("choiseul", "dupleix")}, revealed=("choiseul",))


# ── Jacobite Uprisings as a third ministry ──


def test_the_jacobites_are_a_third_ministry_once_france_has_won_their_war() -> None:
    start = table(turn=4, uprisings=True, revealed=("choiseul",))
    game = given(start, do=(OfferUprisings(), ChooseMinistries((FR,))))
    game.when(FR, "yes").then(UprisingsAdded(FR)).when(FR, "voltaire")
    game.has(ministries={BR: (), FR: ("choiseul", "jacobite_uprisings", "voltaire")})
    assert set(game.table.revealed) == {"choiseul", "jacobite_uprisings"}


def test_france_may_do_without_its_third_ministry() -> None:
    given(table(turn=4, uprisings=True), do=OfferUprisings()).when(FR, "no").then(UprisingsDeclined(FR))


@pytest.mark.parametrize("fields", [{"uprisings": False}, {"uprisings": True, "defeated": True}])
def test_there_is_no_third_ministry_without_that_win_or_after_the_defeat(fields: dict[str, Any]) -> None:
    given(table(turn=4, **fields), do=OfferUprisings()).asks_nobody()


def test_the_third_ministry_acts_as_any_other() -> None:
    game = acting(
        FR,
        "choiseul",
        "voltaire",
        "jacobite_uprisings",
        turn=4,
        third=True,
        pools=(major(MILITARY, 4),),
    )
    assert abilities(game, FR) == {"choiseul", "jacobite_uprisings.shift", "jacobite_uprisings.score"}
