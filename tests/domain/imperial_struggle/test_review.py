"""Where the modules meet: rules that no single card or section proves alone."""

from __future__ import annotations

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.points import Pool
from domain.imperial_struggle.steps.flow import ChooseMinistries, OfferUprisings
from tests.domain.imperial_struggle.governing import acting, offered, pools
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import given

# ── turn 6: exchanged points are no action (5.6.1) ──


def test_5_6_1_burke_adds_nothing_to_points_that_were_exchanged() -> None:
    """The points need a Major diplomatic action, which the exchange does not open."""
    points = (major(MILITARY, 4), minor(ECONOMIC))
    game = acting(BR, "edmund_burke", turn=6, br=("ireland_alliance",), pools=points)
    game.when(BR, "exchange:diplomatic")
    assert "flag:savoy" not in offered(game, BR)
    game.when(BR, "exchange:diplomatic").when(BR, "flag:savoy")
    assert pools(game)["exchange_diplomatic"] == 0


def test_5_6_1_burke_joins_exchanged_points_beside_a_major_action() -> None:
    points = (major(DIPLOMATIC, 0), Pool("exchange_diplomatic", DIPLOMATIC, "exchange", 1))
    game = acting(BR, "edmund_burke", turn=6, br=("ireland_alliance",), pools=points)
    assert "flag:savoy" in offered(game, BR)


def test_5_6_1_extra_points_of_a_minor_action_do_not_join_exchanged_points() -> None:
    """Else a Minor action would remove a flag of Scotland after all (5.3.2)."""
    points = (major(MILITARY, 4), minor(DIPLOMATIC))
    start = {"turn": 6, "fr": ("scotland_alliance",), "pools": points}
    game = acting(BR, "papacy_hanover_negotiations", **start)
    game.when(BR, "ability:papacy_hanover_negotiations").when(BR, "exchange:diplomatic")
    assert "unflag:scotland_alliance" not in offered(game, BR)
    game.when(BR, "exchange:diplomatic")
    assert "unflag:scotland_alliance" in offered(game, BR)


# ── Huguenots under a flag of the USA ──


def test_huguenots_may_be_turned_under_a_flag_of_the_usa() -> None:
    """Ruling: the marker leaves with a British flag alone; no card asks who has its Territory later."""
    start = {"flags": {"carolinas": "usa"}, "fr": ("st_domingue",), "huguenots": {"carolinas": True}}
    game = acting(FR, turn=6, pools=(major(ECONOMIC, 1),), **start)
    assert "flag:caicos" in offered(game, FR)  # with a Debt
    game.when(FR, "ability:new_world_huguenots.turn").when(FR, "carolinas").when(FR, "flag:caicos")
    assert pools(game)["major"] == 0
    game.has(debt={BR: 0, FR: 0}, huguenots={"carolinas": False})


# ── Jacobite Uprisings, once France may have it as a third ministry ──


def test_jacobite_uprisings_that_lies_open_as_one_of_two_may_become_the_third() -> None:
    """It comes in addition to the two usual ministries, so on turn 4 it gives its place up."""
    laid = {BR: (), FR: ("choiseul", "jacobite_uprisings")}
    start = table(turn=4, round=None, uprisings=True, ministries=laid, revealed=laid[FR])
    game = given(start, do=(OfferUprisings(), ChooseMinistries((FR,)))).when(FR, "yes")
    game.has(third=True).when(FR, "dupleix")
    assert set(game.table.ministries[FR]) == {"choiseul", "jacobite_uprisings", "dupleix"}
    assert set(game.table.revealed) == {"choiseul", "jacobite_uprisings"}


def test_jacobite_uprisings_is_not_offered_again_once_it_is_the_third() -> None:
    laid = {BR: (), FR: ("turgot", "lavoisier", "jacobite_uprisings")}
    start = table(turn=6, round=None, uprisings=True, third=True, ministries=laid, revealed=laid[FR])
    given(start, do=(OfferUprisings(), ChooseMinistries((FR,)))).asks_nobody()
