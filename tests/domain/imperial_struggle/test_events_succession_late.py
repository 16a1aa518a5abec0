"""The events 11 to 15 of the Succession era."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, ECONOMIC, FR, NAVY_BOX
from domain.imperial_struggle.facts.board import ConflictRemoved, FlagRemoved, FortDamaged, SquadronMoved
from domain.imperial_struggle.facts.cards import EventPlayed
from domain.imperial_struggle.facts.flow import ChoiceMade, GoodScored
from domain.imperial_struggle.facts.tracks import DebtSet, LimitSet, ScoreMoved, TreatySet
from domain.imperial_struggle.facts.wars import BonusDrawn, BonusMoved, BonusPlaced, BonusReturned
from domain.imperial_struggle.points import CLEAR, FLAG, UNFLAG
from domain.imperial_struggle.rules.purchases import purchases
from domain.kernel import CHANCE, HIDDEN, asked
from tests.domain.imperial_struggle.governing import pool
from tests.domain.imperial_struggle.playing import may_buy, played

FAMINE, OVERRUNS = "famine_in_ireland", "military_spending_overruns"


# ── 11 Calico Acts ──


def test_calico_acts_gives_britain_points_against_flags_on_markets() -> None:
    game = played("calico_acts", fr=("kurpa", "bavaria"))
    assert (pool(game, "calico_acts").type, pool(game, "calico_acts").points) == (ECONOMIC, 2)
    assert may_buy(game, "calico_acts", UNFLAG, "kurpa")
    assert not may_buy(game, "calico_acts", FLAG, "vellore")
    assert not may_buy(game, "calico_acts", UNFLAG, "bavaria")


def test_calico_acts_topped_up_removes_a_flag_and_places_none() -> None:
    """5.2: Debt added to these points falls under their restriction."""
    game = played(
        "calico_acts", pools=(), br=("midnapore", "calcutta"), fr=("plassey", "chandernagore", "kurpa")
    )
    bought = {(item.verb, item.space) for item in purchases(game.table, BR)}
    assert bought == {(UNFLAG, "kurpa")}


@pytest.mark.parametrize(
    ("british", "french", "winner", "now"),
    [
        (("midnapore", "kurpa"), ("plassey",), BR, 13),
        (("midnapore",), ("kurpa", "plassey"), FR, 17),
        (("midnapore",), ("plassey",), None, 15),
    ],
)
def test_calico_acts_bonus_scores_cotton_for_the_leading_side(
    british: tuple[str, ...], french: tuple[str, ...], winner: str | None, now: int
) -> None:
    """Ruling of the digital version: even for France."""
    game = played("calico_acts", keyword="mercantilism", br=british, fr=french)
    game.asks(BR, "score", "decline").when(BR, "score").has(vp=now)
    scored = next(fact for fact in game.facts if isinstance(fact, GoodScored))
    assert (scored.winner, scored.demanded) == (winner, False)


def test_calico_acts_bonus_scores_as_the_table_of_the_era_says() -> None:
    game = played("calico_acts", keyword="mercantilism", br=("midnapore",)).when(BR, "score")
    game.then(
        ChoiceMade(BR, "calico_acts", "score"),
        GoodScored("cotton", 1, 0, BR, 2, 0, 1, False),
        ScoreMoved(BR, 2, 13, "cotton"),
        TreatySet(BR, 1, 1, "cotton"),
    ).has(swept={BR: 0, FR: 0})


def test_calico_acts_bonus_may_be_declined() -> None:
    game = played("calico_acts", keyword="mercantilism", fr=("plassey",)).when(BR, "decline")
    game.then(ChoiceMade(BR, "calico_acts", "decline"))


def test_calico_acts_removes_a_flag_from_a_cotton_market() -> None:
    game = played("calico_acts", FR, br=("midnapore", "kurpa", "kanchipuram", "georgia"))
    game.asks(FR, "midnapore", "kurpa").when(FR, "kurpa").then(FlagRemoved(BR, "kurpa"))


def test_calico_acts_bonus_sends_a_british_squadron_home() -> None:
    game = played("calico_acts", FR, keyword="mercantilism", br=("biscay", "malabar_coast"), fr=("balearic",))
    game.asks(FR, "biscay", "malabar_coast").when(FR, "biscay")
    game.then(SquadronMoved(BR, "biscay", NAVY_BOX))


def test_calico_acts_bonus_does_nothing_to_squadrons_in_the_navy_box() -> None:
    game = played("calico_acts", FR, keyword="mercantilism", fr=("balearic",))
    game.then(EventPlayed(FR, "calico_acts", True))


# ── 12 Military Spending Overruns ──

MANY: dict[str, Any] = {
    "br": ("halifax", "arcot", "biscay"),
    "fr": ("louisbourg", "balearic"),
    "damaged": ("arcot",),
    "reinforcements": {BR: {"spain": ("wss_rooke", "wss_church")}, FR: {"spain": ("wss_berwick",)}},
}
GIVEN_UP = ("damage:halifax", "send_home:biscay", "return:wss_rooke", "return:wss_church")


@pytest.mark.parametrize(
    ("pick", "fact"),
    [
        ("damage:halifax", FortDamaged(BR, "halifax")),
        ("send_home:biscay", SquadronMoved(BR, "biscay", NAVY_BOX)),
        ("return:wss_church", BonusReturned(BR, "wss_church", "spain")),
    ],
)
def test_military_spending_overruns_makes_the_opponent_choose(pick: str, fact: Any) -> None:
    """Ruling: neither a damaged Fort nor a Squadron in the Navy Box can be chosen."""
    game = played(OVERRUNS, FR, **MANY).asks(BR, *GIVEN_UP).refuses(BR, "damage:arcot")
    game.refuses(BR, "damage:louisbourg").refuses(BR, "return:wss_berwick").when(BR, pick).then(fact).asks(FR)


def test_military_spending_overruns_asks_in_secret_and_hides_the_tile() -> None:
    game = played(OVERRUNS, FR, **MANY)
    assert game.table.agenda[-1].secret
    game.when(BR, "return:wss_rooke")
    assert [fact.seen_by(FR) for fact in game.facts] == [BonusReturned(BR, HIDDEN, "spain")]
    assert "wss_rooke" in game.table.bonuses[BR].cards
    assert game.table.reinforcements[BR] == {"spain": ("wss_church",)}


def test_military_spending_overruns_asks_the_same_of_a_viewer_of_hidden_tiles() -> None:
    """Whether a seat is asked depends on how many tiles are there, not on which."""
    for tiles in (("wss_rooke",), (HIDDEN,)):
        held: dict[str, Any] = {BR: {"spain": tiles}, FR: {}}
        assert asked(played(OVERRUNS, FR, br=("biscay",), reinforcements=held).table) == (BR,)


def test_military_spending_overruns_bonus_happens_a_second_time() -> None:
    game = played(OVERRUNS, FR, debt={BR: 2, FR: 1}, **MANY).when(BR, "damage:halifax")
    game.asks(BR, *GIVEN_UP[1:]).when(BR, "send_home:biscay")
    game.then(SquadronMoved(BR, "biscay", NAVY_BOX)).asks(FR)


def test_military_spending_overruns_bonus_needs_more_available_debt() -> None:
    played(OVERRUNS, FR, debt={BR: 1, FR: 1}, **MANY).when(BR, "damage:halifax").asks(FR)


def test_military_spending_overruns_ends_where_nothing_is_left() -> None:
    game = played(OVERRUNS, debt={BR: 0, FR: 1}, fr=("balearic",))
    game.then(EventPlayed(BR, OVERRUNS, True), SquadronMoved(FR, "balearic", NAVY_BOX)).asks(BR)


# ── 13 Alberoni's Ambition ──


def test_alberonis_ambition_gives_points_for_empty_markets_beside_british_ones() -> None:
    game = played("alberonis_ambition", br=("hudson_valley", "northern_colonies"), fr=("ile_aux_noix",))
    assert (pool(game, "alberonis_ambition").type, pool(game, "alberonis_ambition").points) == (ECONOMIC, 2)
    assert may_buy(game, "alberonis_ambition", FLAG, "cumberland")
    assert not may_buy(game, "alberonis_ambition", FLAG, "chesapeake")  # beside a Territory only
    assert not may_buy(game, "alberonis_ambition", UNFLAG, "ile_aux_noix")
    assert not may_buy(game, "alberonis_ambition", CLEAR, "cumberland")


def test_alberonis_ambition_still_needs_a_connection() -> None:
    """Ruling, 5.4.1: an isolated neighbour connects nothing, so a Territory has to."""
    game = played("alberonis_ambition", pools=(), br=("albany",))
    assert not list(purchases(game.table, BR))
    game = played("alberonis_ambition", pools=(), br=("albany", "northern_colonies"), debt={BR: 6, FR: 0})
    assert [(item.verb, item.space) for item in purchases(game.table, BR)] == [(FLAG, "cumberland")]


@pytest.mark.parametrize(("reading", "seen"), [("ignored", False), ("counted", True)])
def test_alberonis_ambition_counts_a_neighbour_with_a_marker_only_by_option(reading: str, seen: bool) -> None:
    """3.8: the card does not see it, even where a Territory connects the market."""
    british, conflicts = ("hudson_valley", "northern_colonies"), {"hudson_valley": 0}
    options = {"conflicted_flags": reading}
    game = played("alberonis_ambition", br=british, conflicts=conflicts, options=options)
    assert may_buy(game, "alberonis_ambition", FLAG, "cumberland") is seen


def test_alberonis_ambition_bonus_adds_a_point_to_the_same_ones() -> None:
    game = played("alberonis_ambition", keyword="governance")
    assert pool(game, "alberonis_ambition").points == 3


def test_alberonis_ambition_shifts_an_alliance_of_three_countries() -> None:
    game = played("alberonis_ambition", FR, br=("austria_alliance_2", "dutch_republic_prestige"))
    game.asks(
        FR,
        "austria_alliance_2",
        "austria_alliance_3",
        "dutch_republic_alliance",
        "spain_alliance_upper",
        "spain_alliance_lower",
    )
    game.when(FR, "austria_alliance_2").then(FlagRemoved(BR, "austria_alliance_2"))


@pytest.mark.parametrize(
    ("french", "conflicts", "reading", "vp"),
    [
        (("savoy", "sardinia"), {}, "ignored", 18),
        (("savoy",), {}, "ignored", 15),
        (("savoy", "sardinia"), {"savoy": 0}, "ignored", 15),
        (("savoy", "sardinia"), {"savoy": 0}, "counted", 18),
    ],
)
def test_alberonis_ambition_bonus_scores_for_savoy_and_sardinia(
    french: tuple[str, ...], conflicts: dict[str, int], reading: str, vp: int
) -> None:
    fields: dict[str, Any] = {"fr": french, "conflicts": conflicts, "options": {"conflicted_flags": reading}}
    game = played("alberonis_ambition", FR, keyword="governance", **fields)
    game.when(FR, "spain_alliance_upper").has(vp=vp)


# ── 14 Famine in Ireland ──


def test_famine_in_ireland_removes_a_french_flag_from_ireland_or_scotland() -> None:
    game = played(FAMINE, fr=("ireland_alliance", "scotland_prestige", "bavaria"))
    game.asks(BR, "ireland_alliance", "scotland_prestige").when(BR, "scotland_prestige")
    game.then(FlagRemoved(FR, "scotland_prestige"))


def test_famine_in_ireland_clears_a_marker_with_the_flag() -> None:
    game = played(FAMINE, fr=("ireland_alliance",), conflicts={"ireland_alliance": 0})
    game.includes(ConflictRemoved("ireland_alliance"), FlagRemoved(FR, "ireland_alliance"))


def test_famine_in_ireland_draws_a_tile_for_the_jacobites_from_each_french_space() -> None:
    game = played(FAMINE, FR, fr=("ireland_alliance", "ireland_prestige", "scotland_alliance"))
    game.asks(CHANCE).when(CHANCE, "wss_vendome")
    game.then(BonusDrawn(FR, "wss_vendome", False), BonusPlaced(FR, "wss_vendome", "jacobite_rebellion"))
    game.asks(CHANCE).refuses(CHANCE, "wss_vendome").when(CHANCE, "wss_berwick").asks(FR)
    assert game.table.reinforcements[FR]["jacobite_rebellion"] == ("wss_berwick", "wss_vendome")


@pytest.mark.parametrize(("reading", "next_asked"), [("ignored", FR), ("counted", CHANCE)])
def test_famine_in_ireland_counts_a_space_with_a_marker_only_by_option(reading: str, next_asked: str) -> None:
    """Ruling: 3.8 leaves it out."""
    french, conflicts = ("ireland_alliance", "ireland_prestige"), {"ireland_prestige": 0}
    game = played(FAMINE, FR, fr=french, conflicts=conflicts, options={"conflicted_flags": reading})
    game.when(CHANCE, "wss_vendome").asks(next_asked)


def test_famine_in_ireland_makes_older_tiles_move_on() -> None:
    """5.6.1: two tiles of a side in a theatre."""
    lying: dict[str, Any] = {BR: {}, FR: {"jacobite_rebellion": ("wss_de_tesse", "wss_berwick")}}
    game = played(FAMINE, FR, fr=("ireland_alliance",), reinforcements=lying).when(CHANCE, "wss_vendome")
    game.refuses(FR, "wss_vendome:spain").when(FR, "wss_de_tesse:spain")
    game.then(
        BonusMoved(FR, "wss_de_tesse", "jacobite_rebellion", "spain"),
        BonusPlaced(FR, "wss_vendome", "jacobite_rebellion"),
    )


def test_famine_in_ireland_draws_no_more_tiles_than_the_display_holds() -> None:
    """Ruling of the digital version: with one place left, one tile."""
    lying: dict[str, Any] = {
        BR: {},
        FR: {
            "central_europe": ("wss_de_tesse", "wss_berwick"),
            "spain": ("wss_de_villars", "wss_destrees"),
            "queen_annes_war": ("wss_musketeers", "wss_dartagnan"),
            "jacobite_rebellion": ("wss_boufflers",),
        },
    }
    french = ("ireland_alliance", "ireland_prestige")
    played(FAMINE, FR, fr=french, reinforcements=lying).when(CHANCE, "wss_vendome").asks(FR)


@pytest.mark.parametrize(("turn", "seat"), [(1, CHANCE), (2, CHANCE), (3, CHANCE), (4, FR)])
def test_famine_in_ireland_needs_a_war_with_jacobites(turn: int, seat: str) -> None:
    """Ruling: the Seven Years War has none."""
    played(FAMINE, FR, fr=("ireland_alliance",), turn=turn).asks(seat)


# ── 15 Interest Payments ──


def test_interest_payments_lowers_the_limit_of_the_opponent() -> None:
    game = played("interest_payments", debt={BR: 5, FR: 5})
    game.then(EventPlayed(BR, "interest_payments", False), LimitSet(FR, -1, 5, "interest_payments"))


def test_interest_payments_takes_debt_and_scores_against_a_side_at_its_limit() -> None:
    game = played("interest_payments", FR, debt={BR: 6, FR: 6})
    game.then(
        EventPlayed(FR, "interest_payments", False),
        LimitSet(BR, -1, 5, "interest_payments"),
        DebtSet(BR, -1, 5, "interest_payments"),
        ScoreMoved(FR, 1, 16, "interest_payments"),
    )


def test_interest_payments_bonus_reduces_the_own_debt() -> None:
    game = played("interest_payments", debt={BR: 3, FR: 4})
    game.then(
        EventPlayed(BR, "interest_payments", True),
        LimitSet(FR, -1, 5, "interest_payments"),
        DebtSet(BR, -2, 1, "interest_payments"),
    )


def test_interest_payments_looks_at_available_debt_before_it_lowers_a_limit() -> None:
    """Playbook: equal before, so no bonus."""
    played("interest_payments", debt={BR: 3, FR: 3}).includes(EventPlayed(BR, "interest_payments", False))
