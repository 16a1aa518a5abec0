"""Which points pay for what: actions, events, ministries; Debt and Treaty Points (5.2, 5.3, 6, 9)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY, NAVY_BOX, Where
from domain.imperial_struggle.facts.board import ConflictRemoved, FlagPlaced, FlagRemoved
from domain.imperial_struggle.facts.flow import PointsExchanged, PointsGranted, PointsPaid
from domain.imperial_struggle.facts.tracks import DebtSet, TreatySet
from domain.imperial_struggle.points import (
    BUY,
    CONSTRUCT,
    DEPLOY,
    EXCHANGE,
    FLAG,
    UNFLAG,
    Limit,
    Pool,
    Purchase,
)
from domain.imperial_struggle.rules.paying import ways
from domain.imperial_struggle.state import State
from tests.domain.imperial_struggle.governing import acting, offered, pools
from tests.domain.imperial_struggle.refusing import refusal
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario

NO_DEBT = {BR: 6, FR: 6}
ONLY_UNFLAG = Limit(verbs=(UNFLAG,), where=Where(kinds=("market",)))


def event(type: str, points: int, limit: Limit | None = None) -> Pool:
    """Points of an event."""
    return Pool("hyder_ali", type, "event", points, limit)


def economic(*points: Pool, **fields: Any) -> Scenario[State]:
    """Britain may reach Antigua (2, empty) and Martinique (2, French); nothing can be borrowed."""
    fields.setdefault("debt", NO_DEBT)
    return acting(BR, pools=points, br=("antilles_channel",), fr=("martinique", "guadeloupe"), **fields)


# ── the Major action ──


def test_major_points_are_spent_bit_by_bit() -> None:
    game = economic(major(ECONOMIC, 4)).when(BR, "unflag:martinique").when(BR, "flag:martinique")
    game.includes(PointsPaid(BR, FLAG, "martinique", ECONOMIC, 2, {"major": 2}, False, "caribbean", 0))
    assert pools(game) == {"major": 0}
    game.asks(BR, "end")


@pytest.mark.parametrize(
    ("pool", "pick"),
    [
        (major(DIPLOMATIC, 4), "flag:antigua"),
        (major(MILITARY, 4), "flag:antigua"),
        (major(MILITARY, 4), "flag:savoy"),
        (major(ECONOMIC, 4), "flag:savoy"),
        (major(ECONOMIC, 4), "construct"),
        (major(DIPLOMATIC, 4), "buy"),
        (major(ECONOMIC, 4), "draw"),
    ],
)
def test_points_of_the_wrong_kind_buy_nothing(pool: Pool, pick: str) -> None:
    """Not even with Debt: it has the type of an action of the round (6.1)."""
    game = economic(pool, deck=("hyder_ali",), debt={BR: 0, FR: 0}, treaty={BR: 4, FR: 0})
    assert refusal(game, BR, pick) == "book 001, 5.3.1"


# ── the Minor action ──


def test_minor_points_serve_once_and_what_is_left_is_lost() -> None:
    game = economic(major(MILITARY, 4), minor(ECONOMIC), conflicts={"antigua": 0})
    game.when(BR, "flag:antigua").then(
        PointsPaid(BR, FLAG, "antigua", ECONOMIC, 1, {"minor": 1}, True, "caribbean", 0),
        ConflictRemoved("antigua"),
        FlagPlaced(BR, "antigua"),
    )
    assert pools(game) == {"major": 4}
    assert refusal(game, BR, "flag:st_lucia") == "book 001, 5.3.1"


def test_after_the_minor_action_no_debt_is_taken_for_its_type() -> None:
    game = economic(major(MILITARY, 4), minor(ECONOMIC), debt={BR: 0, FR: 0}).when(BR, "flag:antigua")
    assert not [pick for pick in offered(game, BR) if pick.startswith(("flag:", "unflag:"))]


def test_a_minor_action_removes_no_flag_without_a_conflict_marker() -> None:
    game = economic(major(MILITARY, 4), minor(ECONOMIC))
    assert refusal(game, BR, "unflag:martinique") == "book 001, 5.3.2"
    game = acting(BR, pools=(major(MILITARY, 4), minor(DIPLOMATIC)), fr=("savoy",))
    assert refusal(game, BR, "unflag:savoy") == "book 001, 5.3.2"


def test_a_minor_action_removes_a_flag_under_a_conflict_marker_which_leaves() -> None:
    game = economic(major(MILITARY, 4), minor(ECONOMIC), conflicts={"martinique": 0})
    game.when(BR, "unflag:martinique").then(
        PointsPaid(BR, UNFLAG, "martinique", ECONOMIC, 1, {"minor": 1}, True, "caribbean", 0),
        ConflictRemoved("martinique"),
        FlagRemoved(FR, "martinique"),
    )
    game = acting(BR, pools=(major(MILITARY, 4), minor(DIPLOMATIC)), fr=("savoy",), conflicts={"savoy": 0})
    game.when(BR, "unflag:savoy").includes(FlagRemoved(FR, "savoy"))


def test_a_minor_action_never_removes_a_squadron() -> None:
    fields: dict[str, Any] = {
        "fr": ("biscay",),
        "br": ("gibraltar", "cuba_passage"),
        "treaty": {BR: 4, FR: 0},
    }
    game = acting(BR, pools=(major(ECONOMIC, 4), minor(MILITARY)), **fields)
    assert refusal(game, BR, "deploy:biscay") == "book 001, 5.3.2"
    assert refusal(game, BR, "advantage:naval_bastion") == "book 001, 5.3.2"
    assert {"deploy:balearic", "buy"} <= set(offered(game, BR))


def test_a_minor_action_repairs_an_own_fort_but_seizes_none() -> None:
    fields: dict[str, Any] = {"br": ("hudson_valley", "ohio_forks", "cumberland", "halifax", "gulf_of_maine")}
    game = acting(BR, pools=(major(ECONOMIC, 4), minor(MILITARY)), damaged=("ohio_forks",), **fields)
    assert "repair:ohio_forks" in offered(game, BR)
    taken = acting(
        BR,
        pools=(major(ECONOMIC, 4), minor(MILITARY)),
        br=("cumberland",),
        fr=("ohio_forks",),
        damaged=("ohio_forks",),
        treaty={BR: 4, FR: 0},
    )
    assert refusal(taken, BR, "seize:ohio_forks") == "book 001, 5.3.2"


def test_debt_or_treaty_points_top_a_minor_action_up() -> None:
    """A Fort of 3 for 2 Minor points and 1 Debt; a space of 3 likewise."""
    game = acting(BR, pools=(major(ECONOMIC, 4), minor(MILITARY)), br=("cumberland", "northern_colonies"))
    game.when(BR, "build:ohio_forks").then(
        PointsPaid(BR, "build", "ohio_forks", MILITARY, 3, {"minor": 2}, True, "north_america", 1),
        DebtSet(BR, 1, 1, "build"),
        FlagPlaced(BR, "ohio_forks"),
    )
    game = acting(FR, pools=(major(ECONOMIC, 4), minor(DIPLOMATIC)), treaty={BR: 0, FR: 1}, debt=NO_DEBT)
    game.when(FR, "flag:austria_prestige_upper").includes(TreatySet(FR, -1, 0, FLAG))


# ── Debt and Treaty Points ──


def test_the_player_chooses_between_debt_and_treaty_points() -> None:
    game = acting(BR, pools=(major(DIPLOMATIC, 1),), treaty={BR: 2, FR: 0}).when(BR, "flag:russia")
    game.asks(BR, "major:0", "major:1", "major:2").when(BR, "major:1")
    game.then(
        PointsPaid(BR, FLAG, "russia", DIPLOMATIC, 3, {"major": 1}, False, "europe", 1),
        TreatySet(BR, -1, 1, FLAG),
        DebtSet(BR, 1, 1, FLAG),
        FlagPlaced(BR, "russia"),
    )


def test_a_side_cannot_go_above_the_debt_limit_by_choice() -> None:
    """6.3: with 1 Available Debt at least 1 of 2 missing points is a Treaty Point."""
    fields: dict[str, Any] = {"pools": (major(DIPLOMATIC, 1),), "debt": {BR: 5, FR: 0}}
    acting(BR, treaty={BR: 2, FR: 0}, **fields).when(BR, "flag:russia").asks(BR, "major:1", "major:2")
    assert refusal(acting(BR, **fields), BR, "flag:russia") == "book 001, 6.3"
    acting(BR, **fields).when(BR, "flag:savoy").includes(DebtSet(BR, 1, 6, FLAG))


def test_debt_is_not_taken_for_points_that_are_there() -> None:
    """What points can pay, they pay: there is nothing to choose."""
    game = acting(BR, pools=(major(DIPLOMATIC, 2),), treaty={BR: 2, FR: 0}).when(BR, "flag:savoy")
    game.includes(PointsPaid(BR, FLAG, "savoy", DIPLOMATIC, 2, {"major": 2}, False, "europe", 0))


def test_a_major_action_that_is_used_up_still_takes_debt() -> None:
    """6.1: any number, of the type of an action of the round."""
    game = economic(major(ECONOMIC, 2), debt={BR: 0, FR: 0}).when(BR, "flag:antigua")
    game.when(BR, "unflag:martinique").includes(DebtSet(BR, 2, 2, UNFLAG))


# ── points of events (5.2) ──


def test_event_points_are_a_major_action_of_their_own() -> None:
    game = economic(major(MILITARY, 4), minor(DIPLOMATIC), event(ECONOMIC, 2))
    game.when(BR, "unflag:martinique").includes(FlagRemoved(FR, "martinique"))
    assert pools(game) == {"major": 4, "minor": 2, "hyder_ali": 0}


def test_event_points_join_the_major_action_of_their_type() -> None:
    game = acting(BR, pools=(major(DIPLOMATIC, 2), event(DIPLOMATIC, 1)), debt=NO_DEBT)
    game.when(BR, "flag:russia").includes(
        PointsPaid(BR, FLAG, "russia", DIPLOMATIC, 3, {"hyder_ali": 1, "major": 2}, False, "europe", 0)
    )


def test_event_points_join_the_minor_action_under_its_limits() -> None:
    fields: dict[str, Any] = {"pools": (major(MILITARY, 3), minor(DIPLOMATIC), event(DIPLOMATIC, 1))}
    game = acting(BR, fr=("austria_alliance_3",), debt=NO_DEBT, **fields)
    assert refusal(game, BR, "unflag:austria_alliance_3") == "book 001, 6.3"
    game.when(BR, "flag:russia").includes(
        PointsPaid(BR, FLAG, "russia", DIPLOMATIC, 3, {"minor": 2, "hyder_ali": 1}, True, "europe", 0)
    )
    assert pools(game) == {"major": 3, "hyder_ali": 0}


def test_the_player_says_whether_an_event_or_the_minor_action_pays() -> None:
    points = (major(MILITARY, 3), minor(DIPLOMATIC), event(DIPLOMATIC, 2))
    game = acting(BR, pools=points).when(BR, "flag:savoy").asks(BR, "major:0", "minor:0")
    game.when(BR, "major:0").includes(
        PointsPaid(BR, FLAG, "savoy", DIPLOMATIC, 2, {"hyder_ali": 2}, False, "europe", 0)
    )
    assert pools(game) == {"major": 3, "minor": 2, "hyder_ali": 0}


def test_5_2_calico_acts_only_remove_flags_from_markets() -> None:
    """The points of the tile are free; those of the card and Debt that joins them are not."""
    tile = (major(ECONOMIC, 3), minor(DIPLOMATIC))
    game = economic(*tile, br_hand=("calico_acts",), in_round={"tile": "e3_d2_1"})
    game.when(BR, "event:calico_acts")
    points = Pool("calico_acts", ECONOMIC, "event", 2, ONLY_UNFLAG)
    game.includes(PointsGranted(BR, points)).when(BR, "unflag:martinique")
    assert pools(game) == {"major": 3, "minor": 2, "calico_acts": 0}
    game.when(BR, "flag:martinique")
    assert pools(game)["major"] == 1


def test_5_2_debt_that_joins_restricted_points_shares_the_restriction() -> None:
    """Without an economic action on the tile nothing but the removal of flags takes Debt."""
    points = (major(DIPLOMATIC, 3), minor(MILITARY), event(ECONOMIC, 1, ONLY_UNFLAG))
    game = economic(*points, debt={BR: 0, FR: 0}, treaty={BR: 4, FR: 0})
    assert refusal(game, BR, "flag:antigua") == "book 001, 5.2"
    game.when(BR, "unflag:martinique").when(BR, "major:0").includes(DebtSet(BR, 1, 1, UNFLAG))
    assert refusal(game, BR, "flag:antigua") == "book 001, 5.2"


def test_restricted_points_are_spent_before_free_ones() -> None:
    points = (major(ECONOMIC, 3), event(ECONOMIC, 1, ONLY_UNFLAG))
    game = economic(*points).when(BR, "unflag:martinique")
    game.includes(
        PointsPaid(BR, UNFLAG, "martinique", ECONOMIC, 2, {"hyder_ali": 1, "major": 1}, False, "caribbean", 0)
    )


def test_points_for_a_region_buy_nothing_elsewhere() -> None:
    india = Limit(where=Where(regions=("india",)), placed=True)
    game = acting(BR, pools=(event(MILITARY, 4, india),), conflicts={"kurpa": 0, "antigua": 0})
    assert {"clear:kurpa", "deploy:malabar_coast"} <= set(offered(game, BR))
    for pick in ("clear:antigua", "deploy:biscay", "buy", "construct"):
        assert refusal(game, BR, pick) == "book 001, 5.2"


# ── extra points of ministries (3.5.4) ──


def test_extra_points_go_with_an_action_of_their_type() -> None:
    extra = Pool("choiseul", MILITARY, "extra", 1, Limit(verbs=(BUY, DEPLOY)))
    game = acting(FR, pools=(major(MILITARY, 3), extra), fr=("biscay",), br=("balearic",), debt=NO_DEBT)
    game.when(FR, "buy").includes(
        PointsPaid(FR, BUY, "", MILITARY, 2, {"choiseul": 1, "major": 1}, False, "", 0)
    )


def test_extra_points_are_no_action_of_their_own() -> None:
    extra = Pool("choiseul", MILITARY, "extra", 2)
    game = acting(FR, pools=(major(ECONOMIC, 3), extra))
    assert refusal(game, FR, "buy") == "book 001, 5.3.1"


def test_extra_points_may_join_the_minor_action() -> None:
    extra = Pool("pitt_the_elder", DIPLOMATIC, "extra", 1)
    game = acting(BR, pools=(major(ECONOMIC, 3), minor(DIPLOMATIC), extra), debt=NO_DEBT)
    game.when(BR, "flag:russia").includes(
        PointsPaid(BR, FLAG, "russia", DIPLOMATIC, 3, {"minor": 2, "pitt_the_elder": 1}, True, "europe", 0)
    )


# ── turn 6: exchange (5.6.1) ──


def exchanging(points: int = 4, **fields: Any) -> Scenario[State]:
    return acting(BR, turn=6, pools=(major(MILITARY, points), minor(DIPLOMATIC)), war="", **fields)


def test_on_turn_6_two_military_points_become_one_of_another_type() -> None:
    game = exchanging(br=("antilles_channel",), fr=("martinique",), debt=NO_DEBT).when(
        BR, "exchange:economic"
    )
    game.then(
        PointsPaid(BR, EXCHANGE, "", MILITARY, 2, {"major": 2}, False, "", 0), PointsExchanged(BR, ECONOMIC)
    )
    game.when(BR, "exchange:economic").when(BR, "unflag:martinique")
    game.includes(FlagRemoved(FR, "martinique"))


def test_only_one_kind_is_exchanged_for_in_a_round() -> None:
    game = exchanging().when(BR, "exchange:economic")
    assert refusal(game, BR, "exchange:diplomatic") == "book 001, 5.6.1"
    assert "exchange:economic" in offered(game, BR)


def test_exchanged_points_are_not_topped_up() -> None:
    game = exchanging(br=("antilles_channel",), treaty={BR: 4, FR: 0}).when(BR, "exchange:economic")
    assert refusal(game, BR, "flag:antigua") == "book 001, 6.3"
    isolated = exchanging(br=("antilles_channel",), fr=("martinique",)).when(BR, "exchange:economic")
    isolated.when(BR, "unflag:martinique").includes(FlagRemoved(FR, "martinique"))


def test_exchanged_points_join_a_major_action_that_the_tile_has() -> None:
    points = (major(DIPLOMATIC, 2), minor(MILITARY))
    game = acting(BR, turn=6, war="", pools=points, debt=NO_DEBT, fr=("russia",))
    game.when(BR, "exchange:diplomatic").when(BR, "unflag:russia").includes(
        PointsPaid(
            BR, UNFLAG, "russia", DIPLOMATIC, 3, {"exchange_diplomatic": 1, "major": 2}, False, "europe", 0
        )
    )


def test_military_points_for_an_exchange_may_be_borrowed() -> None:
    exchanging(1).when(BR, "exchange:economic").includes(DebtSet(BR, 1, 1, EXCHANGE))


def test_nothing_is_exchanged_before_turn_6_and_no_tile_bought_on_it() -> None:
    early = acting(BR, turn=5, pools=(major(MILITARY, 4),))
    assert refusal(early, BR, "exchange:economic") == "book 001, 5.6.1"
    assert refusal(exchanging(), BR, "buy") == "book 001, 5.6.1"
    assert refusal(exchanging(), BR, "exchange:military") == "book 001, 5.6.1"


# ── the parts of a payment ──


def test_the_parts_of_a_payment_add_up() -> None:
    limited = Limit(verbs=(FLAG,))
    pools = (
        major(DIPLOMATIC, 0),
        event(DIPLOMATIC, 1),
        Pool("hyder_ali.2", DIPLOMATIC, "event", 1, limited),
    )
    s = table(pools=pools, treaty={BR: 1, FR: 0})
    for way in ways(s, BR, Purchase(FLAG, "russia")):
        assert sum(way.working.values()) == way.price.total == 3
        assert way.working["hyder_ali"] == 2


def test_a_squadron_is_constructed_and_deployed_by_one_major_action() -> None:
    game = acting(FR, pools=(major(MILITARY, 4),), navy={BR: 0, FR: 0}).when(FR, "construct")
    game.includes(PointsPaid(FR, CONSTRUCT, "", MILITARY, 4, {"major": 4}, False, "", 0))
    game.when(FR, "deploy:biscay").includes(DebtSet(FR, 1, 1, DEPLOY))
    game.has(navy={BR: 0, FR: 0}, sailed=("biscay",))
    assert NAVY_BOX not in game.table.flags
