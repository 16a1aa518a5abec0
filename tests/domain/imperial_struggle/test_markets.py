"""Markets: connection, and isolation as of the start of the round (5.4.1, 3.8)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY, SPAIN, USA
from domain.imperial_struggle.facts.board import FlagPlaced, FlagRemoved
from domain.imperial_struggle.facts.flow import RoundBegan
from domain.imperial_struggle.points import Limit, Pool
from domain.imperial_struggle.rules.board import isolated
from domain.imperial_struggle.steps.rounds import Round
from tests.domain.imperial_struggle.governing import acting, offered, total
from tests.domain.imperial_struggle.refusing import refusal
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import given

RICH = {"pools": (major(ECONOMIC, 9),)}

# ── connection ──


@pytest.mark.parametrize(
    ("flags", "market"),
    [
        (("jamaica",), "cayman_passage"),
        (("halifax",), "georges_bank"),
        (("atlantic_passage",), "georges_bank"),
        (("madras", "kanchipuram"), "tiruchirappalli"),
    ],
)
def test_a_market_is_shifted_from_an_own_territory_fort_squadron_or_market(
    flags: tuple[str, ...], market: str
) -> None:
    assert f"flag:{market}" in offered(acting(BR, br=flags), BR)
    assert refusal(acting(BR, fr=flags), BR, f"flag:{market}") == "book 001, 5.4.1"


def test_a_damaged_fort_connects() -> None:
    game = acting(BR, br=("halifax",), damaged=("halifax",))
    assert "flag:georges_bank" in offered(game, BR)


def test_a_conflicted_market_connects_nothing() -> None:
    game = acting(BR, br=("madras", "kanchipuram"), conflicts={"kanchipuram": 0})
    assert refusal(game, BR, "flag:tiruchirappalli") == "book 001, 5.4.1"


def test_an_isolated_market_connects_nothing() -> None:
    assert refusal(acting(BR, br=("kanchipuram",)), BR, "flag:tiruchirappalli") == "book 001, 5.4.1"


def test_a_market_that_was_flagged_in_this_round_connects_nothing() -> None:
    game = acting(BR, br=("madras",), **RICH).when(BR, "flag:kanchipuram")
    assert refusal(game, BR, "flag:tiruchirappalli") == "book 001, 5.4.1"


def test_a_market_that_was_lost_and_won_back_in_this_round_connects_nothing() -> None:
    """Ruling: it did change hands in the round."""
    game = acting(BR, br=("madras", "kanchipuram"), in_round={"changed": ("kanchipuram",)}, **RICH)
    assert refusal(game, BR, "flag:tiruchirappalli") == "book 001, 5.4.1"


def test_a_squadron_that_was_deployed_in_this_round_connects() -> None:
    points = (major(ECONOMIC, 4), minor(MILITARY))
    game = acting(BR, pools=points)
    assert refusal(game, BR, "flag:calicut") == "book 001, 5.4.1"
    game.when(BR, "deploy:malabar_coast").when(BR, "flag:calicut").includes(FlagPlaced(BR, "calicut"))


def test_a_fort_that_was_built_in_this_round_connects() -> None:
    points = (major(MILITARY, 4), minor(ECONOMIC))
    game = acting(BR, pools=points, br=("gulf_of_maine",)).when(BR, "build:halifax")
    assert "flag:northeast_channel" in offered(game, BR)


def test_points_of_events_need_connection_too() -> None:
    india = Pool("calico_acts", ECONOMIC, "event", 4, Limit(verbs=("unflag",)))
    game = acting(
        BR, pools=(india,), fr=("kurpa", "arcot", "karaikal", "pondicherry"), br=("kanchipuram", "madras")
    )
    assert refusal(game, BR, "unflag:kurpa") == "book 001, 5.4.1"
    assert "unflag:karaikal" in offered(game, BR)


def test_no_side_shifts_its_own_flag_or_one_of_the_usa() -> None:
    game = acting(BR, br=("madras", "kanchipuram"), flags={"karaikal": USA})
    assert refusal(game, BR, "unflag:kanchipuram") == "book 001, 3.2.8"
    assert refusal(game, BR, "flag:kanchipuram") == "book 001, 3.2.7"
    assert refusal(game, BR, "unflag:karaikal") == "book 001, 10.0"
    assert refusal(game, BR, "unflag:tiruchirappalli") == "book 001, 3.2.8"
    assert refusal(game, BR, "unflag:madras") == "book 001, 3.2.3"


def test_12_1_a_spanish_flag_is_removed_like_an_opposing_one() -> None:
    start: dict[str, Any] = {"flags": {"santiago": SPAIN}, "br": ("jamaica",)}
    game = acting(BR, **start).when(BR, "unflag:santiago")
    game.includes(FlagRemoved(SPAIN, "santiago")).when(BR, "flag:santiago")
    assert game.table.flags["santiago"] == BR


# ── isolation ──


@pytest.mark.parametrize(
    ("french", "cut_off"),
    [
        (("cataraqui", "niagara", "quebec_and_montreal"), set()),
        (("niagara",), {"niagara"}),
        (("cataraqui", "niagara"), {"cataraqui", "niagara"}),
        (("niagara", "ohio_forks"), set()),
        (("quebec_and_montreal", "niagara"), {"niagara"}),
        (("quebec_and_montreal", "ile_aux_noix", "niagara", "oswego", "allegheny"), set()),
        (("georges_bank", "atlantic_passage"), set()),
        (("chesapeake",), {"chesapeake"}),
    ],
)
def test_a_chain_of_own_markets_leads_to_an_own_base(french: tuple[str, ...], cut_off: set[str]) -> None:
    assert set(isolated(dict.fromkeys(french, FR), {})) == cut_off


def test_bases_and_markets_of_the_other_side_do_not_help() -> None:
    flags = {"niagara": FR, "cataraqui": BR, "quebec_and_montreal": FR, "ohio_forks": BR}
    assert set(isolated(flags, {})) == {"niagara", "cataraqui"}


def test_a_conflict_marker_breaks_the_chain_but_does_not_isolate_its_own_market() -> None:
    flags = dict.fromkeys(("quebec_and_montreal", "cataraqui", "niagara", "allegheny"), FR)
    assert isolated(flags, {"cataraqui": 0}) == ("allegheny", "niagara")
    assert isolated(flags, {"niagara": 1}) == ("allegheny",)
    assert isolated(flags, {"allegheny": 0}) == ()


def test_a_conflicted_market_at_the_end_of_a_broken_chain_is_isolated() -> None:
    flags = dict.fromkeys(("cataraqui", "niagara"), FR)
    assert set(isolated(flags, {"niagara": 0})) == {"cataraqui", "niagara"}


def test_neither_usa_nor_spanish_markets_are_isolated() -> None:
    assert isolated({"chesapeake": USA, "santiago": SPAIN}, {}) == ()


def test_a_chain_that_is_broken_in_a_round_isolates_only_from_the_next_round_on() -> None:
    french = ("quebec_and_montreal", "cataraqui", "niagara", "allegheny")
    game = acting(BR, br=("ohio_forks",), fr=french, shown=("e4_d2_1",), **RICH).when(BR, "unflag:niagara")
    assert total(game.table, BR, "unflag", "allegheny") == 2
    after = given(game.table, do=Round(BR, 3)).then(RoundBegan(BR, 3, ("allegheny",)))
    assert total(after.table, BR, "unflag", "allegheny") == 1


def test_isolation_stays_for_the_round_although_the_chain_is_mended() -> None:
    """Both sides' markets are looked at when the round begins, and only then."""
    start = table(fr=("niagara", "cataraqui"), pools=(major(MILITARY, 4), minor(ECONOMIC)), seat=FR)
    mended = given(start, FlagPlaced(FR, "ohio_forks"), do=()).table
    assert total(mended, BR, "unflag", "cataraqui") == 1
    assert total(mended, BR, "unflag", "niagara") == 2  # isolated, and protected by the new Fort


def test_a_market_in_india_needs_its_own_fort_even_damaged() -> None:
    flags = dict.fromkeys(("kurpa", "arcot"), FR)
    assert isolated(flags, {}) == ()
    game = acting(BR, fr=("kurpa", "arcot"), damaged=("arcot",), br=("midnapore", "calcutta"))
    assert game.table.round is not None
    assert game.table.round.isolated == ()


def test_political_spaces_need_no_connection() -> None:
    assert {"flag:algonquin", "flag:sweden", "flag:nizam"} <= set(
        offered(acting(BR, pools=(major(DIPLOMATIC, 4),)), BR)
    )
