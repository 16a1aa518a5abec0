"""Option 12.1, the Spanish Empire: three markets with a flag that is neither British nor French."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, ECONOMIC, FR, SIDES, SPAIN
from domain.imperial_struggle.facts.board import ConflictPlaced, ConflictRemoved, FlagPlaced, FlagRemoved
from domain.imperial_struggle.facts.flow import AwardScored, GoodScored, RoundBegan
from domain.imperial_struggle.points import UNFLAG, Purchase
from domain.imperial_struggle.rules.board import counts, isolated, opposing, protected
from domain.imperial_struggle.rules.prices import price
from domain.imperial_struggle.steps.choices import Affect
from domain.imperial_struggle.steps.rounds import Act, Round
from tests.domain.imperial_struggle.course import by_chance, having, only, opened, scored
from tests.domain.imperial_struggle.table import minor, table
from tests.scenario import given

MARKETS = ("puerto_principe", "havana", "santiago")
FLAGS = dict.fromkeys(MARKETS, SPAIN)
SPANISH_TERRITORIES = ("gibraltar", "asiento", "san_agustin", "minorca")
OPTION = {"spanish_empire": True}


def test_12_1_three_markets_of_the_caribbean_have_spanish_flags() -> None:
    game = opened(spanish_empire=True)
    by_chance(game)
    found = {space for space, owner in game.table.flags.items() if owner == SPAIN}
    assert found == set(MARKETS)
    assert not [space for space in SPANISH_TERRITORIES if space in game.table.flags]


def test_without_the_option_they_are_empty() -> None:
    game = opened()
    by_chance(game)
    assert not set(MARKETS) & set(game.table.flags)


@pytest.mark.parametrize("side", SIDES)
def test_12_1_a_spanish_flag_is_opposing_for_both(side: str) -> None:
    s = table(flags=FLAGS, seat=side)
    assert all(opposing(s, side, space) for space in MARKETS)
    assert not any(counts(s, side, space) for space in MARKETS)


@pytest.mark.parametrize("side", SIDES)
def test_12_1_it_is_removed_and_the_market_taken_for_its_printed_cost_each(side: str) -> None:
    """Havana costs 2, reached by a Squadron in the Gulf of Cazones; the Spanish flag does not come back."""
    game = given(
        table(seat=side, flags=FLAGS, options=OPTION, **having(side, ("gulf_of_cazones",))), do=Act(side)
    )
    game.when(side, "unflag:havana").includes(FlagRemoved(SPAIN, "havana"))
    assert "havana" not in game.table.flags
    game.when(side, "flag:havana").includes(FlagPlaced(side, "havana"))
    assert game.table.flags["havana"] == side
    assert game.table.round is not None
    assert [pool.points for pool in game.table.round.pools] == [0]


@pytest.mark.parametrize("side", SIDES)
def test_12_1_connection_is_needed_as_for_any_market(side: str) -> None:
    given(table(seat=side, flags=FLAGS, **having(side, ("pondicherry",))), do=Act(side)).refuses(
        side, "unflag:havana"
    )


def test_12_1_a_minor_action_does_not_remove_it() -> None:
    """5.3.2: an opposing flag without a Conflict marker; with one it may."""
    fields: dict[str, Any] = {"br": ("gulf_of_cazones",), "flags": FLAGS, "pools": (minor(ECONOMIC),)}
    given(table(**fields), do=Act(BR)).refuses(BR, "unflag:havana")
    game = given(table(**fields, conflicts={"havana": 0}), do=Act(BR))
    game.when(BR, "unflag:havana").includes(ConflictRemoved("havana"), FlagRemoved(SPAIN, "havana"))


@pytest.mark.parametrize("side", SIDES)
def test_12_1_it_is_never_isolated(side: str) -> None:
    """Though no Spanish Territory, Fort or Squadron is on the board: it costs what is printed."""
    start = table(seat=side, flags=FLAGS, shown=("e4_d2_1",), **having(side, ("gulf_of_cazones",)))
    assert isolated(start.flags, {}) == ()
    assert isolated(start.flags, {"santiago": 0}) == ()
    game = given(start, do=Round(side, 1)).includes(RoundBegan(side, 1, ()))
    assert price(game.table, side, Purchase(UNFLAG, "havana")).total == 2


@pytest.mark.parametrize("side", SIDES)
def test_12_1_spanish_markets_connect_no_side(side: str) -> None:
    """Puerto Rico is isolated although a Squadron of its side lies off Puerto Principe."""
    flags = {**FLAGS, "puerto_rico": side, "gulf_of_cazones": side}
    assert isolated(flags, {}) == ("puerto_rico",)
    assert isolated({**flags, "puerto_principe": side}, {}) == ()


@pytest.mark.parametrize("side", SIDES)
def test_12_1_it_is_never_protected(side: str) -> None:
    """A Squadron of either player next to it protects only that player's flags."""
    s = table(flags=FLAGS, **having(side, ("gulf_of_cazones",), ("cuba_passage",)))
    assert not any(protected(s, space) for space in MARKETS)


def test_12_1_it_counts_for_no_side() -> None:
    """Neither for the Caribbean nor for sugar."""
    game = scored(flags=FLAGS, fr=("guadeloupe",), demand=("sugar",), options=OPTION)
    caribbean = next(fact for fact in only(game, AwardScored) if fact.region == "caribbean")
    assert (caribbean.br, caribbean.fr, caribbean.winner) == (0, 1, FR)
    assert [(fact.br, fact.fr, fact.winner) for fact in only(game, GoodScored)] == [(0, 0, None)]


@pytest.mark.parametrize("side", SIDES)
def test_12_1_events_remove_it_as_an_opposing_flag(side: str) -> None:
    start = table(seat=side, flags=FLAGS)
    do = Affect(side, "letters_of_marque", "unflag", count=1)
    given(start, do=do).asks(side, *MARKETS).when(side, "santiago").includes(FlagRemoved(SPAIN, "santiago"))


def test_12_1_a_conflict_marker_may_lie_there() -> None:
    do = Affect(FR, "letters_of_marque", "conflict", count=1)
    start = table(seat=FR, flags={"havana": SPAIN})
    game = given(start, do=do).when(FR, "havana")
    game.then(ConflictPlaced("havana", 0, "letters_of_marque"))
