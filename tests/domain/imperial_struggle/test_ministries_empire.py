"""The ministries of the Empire era (11 to 18), ability by ability."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY, NAVY_BOX, UNBUILT
from domain.imperial_struggle.facts.board import AdvantageUsed, FlagPlaced, FlagRemoved, SquadronMoved
from domain.imperial_struggle.facts.cards import AbilityUsed, DebtIgnored
from domain.imperial_struggle.facts.flow import (
    AwardScored,
    EffectBegan,
    GoodScored,
    PointsGranted,
    PointsPaid,
    TurnBegan,
)
from domain.imperial_struggle.facts.tracks import DebtSet, TreatySet
from domain.imperial_struggle.points import (
    BUY,
    CONSTRUCT,
    DEPLOY,
    FLAG,
    SHIFT,
    UNFLAG,
    Limit,
    Pool,
    Purchase,
)
from domain.imperial_struggle.rules.paying import ways
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.rounds import UseAdvantage
from domain.kernel import CHANCE
from tests.domain.imperial_struggle.governing import (
    PLAIN_AWARDS,
    abilities,
    acting,
    hidden,
    offered,
    pools,
    scored,
    scoring,
    total,
    treaties,
)
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

SPY = "charles_hanbury_williams"
POMPADOUR = "pompadour_and_du_barry"

# ── 11 Choiseul ──


def minister(*, tile: tuple[Pool, ...] = (major(MILITARY, 2),), **fields: Any) -> Scenario[State]:
    return acting(FR, "choiseul", turn=3, pools=tile, **fields)


def test_choiseul_adds_a_military_point_for_bonus_tiles_and_deployments() -> None:
    game = minister().when(FR, "ability:choiseul")
    game.then(
        AbilityUsed(FR, "choiseul", True),
        PointsGranted(FR, Pool("choiseul", MILITARY, "extra", 1, Limit(verbs=(BUY, DEPLOY)))),
    )
    game.when(FR, "buy").includes(
        PointsPaid(FR, BUY, "", MILITARY, 2, {"choiseul": 1, "major": 1}, False, "", 0)
    )
    game.asks(CHANCE)
    assert pools(game) == {"choiseul": 0, "major": 1}


def test_choiseuls_point_deploys_a_squadron() -> None:
    game = minister().when(FR, "ability:choiseul").when(FR, "deploy:biscay")
    game.then(
        PointsPaid(FR, DEPLOY, "biscay", MILITARY, 1, {"choiseul": 1}, False, "europe", 0),
        SquadronMoved(FR, NAVY_BOX, "biscay", True),
    )


def test_choiseuls_point_pays_for_nothing_else() -> None:
    game = minister(tile=(major(MILITARY, 3),), conflicts={"antigua": 0}).when(FR, "ability:choiseul")
    paid = ways(game.table, FR, Purchase("clear", "antigua"))
    assert [way.used for way in paid] == [{"major": 2}]
    assert [way.debts for way in ways(game.table, FR, Purchase(CONSTRUCT))] == [1]


def test_choiseuls_point_of_a_minor_action_sends_no_squadron_home() -> None:
    game = minister(tile=(major(ECONOMIC, 4), minor(MILITARY)), br=("biscay",)).when(FR, "ability:choiseul")
    game.refuses(FR, "deploy:biscay")
    game.when(FR, "buy").includes(PointsPaid(FR, BUY, "", MILITARY, 2, {"minor": 2}, True, "", 0))


def test_choiseuls_point_is_no_action_of_its_own() -> None:
    """It needs a military action, and goes when a Minor one is spent."""
    assert abilities(minister(tile=(major(ECONOMIC, 4), minor(DIPLOMATIC))), FR) == set()
    game = minister(tile=(major(ECONOMIC, 4), minor(MILITARY))).when(FR, "ability:choiseul")
    game.when(FR, "deploy:biscay").refuses(FR, "deploy:balearic")


def test_choiseul_constructs_for_2_with_a_squadron_in_north_america() -> None:
    game = minister(fr=("gulf_of_maine",)).when(FR, "ability:choiseul.construct")
    game.then(
        AbilityUsed(FR, "choiseul.construct", True),
        PointsPaid(FR, CONSTRUCT, "", MILITARY, 2, {"major": 2}, False, "", 0),
        SquadronMoved(FR, UNBUILT, NAVY_BOX),
    )
    assert abilities(game, FR) == {"choiseul"}


@pytest.mark.parametrize("fields", [{"fr": ("biscay",)}, {"br": ("cabot_strait",)}])
def test_choiseul_constructs_nothing_without_that_squadron(fields: dict[str, Any]) -> None:
    assert abilities(minister(**fields), FR) == {"choiseul"}


# ── 12 Dupleix ──

INDIA = {**PLAIN_AWARDS, "india": "award_1t_a"}


def test_dupleix_gets_a_treaty_point_more_for_india_and_for_cotton_and_spice() -> None:
    game = scoring("dupleix", fr=("kurpa", "calicut"), turn=3, laid=INDIA, demand=("spice", "cotton", "furs"))
    game.includes(
        AwardScored("india", "award_1t_a", 0, 2, FR, 1, 2, ("dupleix",)),
        GoodScored("spice", 0, 1, FR, 2, -1, 1, True),
        GoodScored("cotton", 0, 1, FR, 2, 0, 2, True),
    )
    game.has(treaty={BR: 0, FR: 5})


def test_dupleix_gets_nothing_for_other_regions_and_goods() -> None:
    game = scoring("dupleix", fr=("caicos",), turn=3, laid=INDIA, demand=("sugar", "tobacco"))
    assert treaties(game, "tobacco") == {}
    assert treaties(game, "award_1b") == {}


def test_dupleix_gets_nothing_for_what_britain_wins() -> None:
    game = scoring("dupleix", br=("kurpa",), turn=3, laid=INDIA, demand=("cotton",))
    game.has(treaty={BR: 2, FR: 0})


def test_dupleix_face_down_gets_nothing() -> None:
    game = scoring(fr=("calicut",), turn=3, laid=INDIA, demand=("spice",), **hidden(FR, "dupleix"))
    game.has(treaty={BR: 0, FR: 1})


# ── 13 Pompadour & Du Barry ──


def exhausting(seat: str, *tiles: str, **fields: Any) -> Scenario[State]:
    """A side uses these advantages, one after the other."""
    start = table(seat=seat, turn=4, pools=(major(MILITARY, 4),), **fields)
    return given(start, do=tuple(UseAdvantage(seat, tile) for tile in tiles))


def test_pompadour_gets_a_treaty_point_for_an_advantage_in_europe() -> None:
    game = exhausting(FR, "baltic_trade", fr=("denmark_norway", "prussia_alliance_1"), revealed=(POMPADOUR,))
    game.then(
        AdvantageUsed(FR, "baltic_trade", True),
        EffectBegan(FR, POMPADOUR),
        TreatySet(FR, 1, 1, POMPADOUR),
    )


def test_pompadour_is_paid_once_a_round() -> None:
    fields: dict[str, Any] = {"fr": ("denmark_norway", "prussia_alliance_1"), "revealed": (POMPADOUR,)}
    game = exhausting(FR, "baltic_trade", in_round={"effects": (POMPADOUR,)}, **fields)
    assert treaties(game, POMPADOUR) == {}


def test_pompadour_gets_nothing_elsewhere_nor_for_british_advantages() -> None:
    game = exhausting(FR, "slaving_contracts", fr=("asiento",), revealed=(POMPADOUR,))
    assert treaties(game, POMPADOUR) == {}
    baltic = ("denmark_norway", "prussia_alliance_1")
    assert treaties(exhausting(BR, "baltic_trade", br=baltic, revealed=(POMPADOUR,)), POMPADOUR) == {}


# ── 14 Voltaire ──


@pytest.mark.parametrize(
    ("spaces", "points"),
    [
        (("ireland_prestige", "spain_prestige_2"), 2),
        (("spain_prestige_2", "spain_prestige_3"), 1),
        (("prussia_prestige_1", "dutch_republic_prestige", "austria_prestige_upper", "scotland_prestige"), 3),
        (("sweden", "russia", "minorca", "biscay", "spain_alliance_upper"), 0),
    ],
)
def test_voltaire_counts_countries_of_several_spaces(spaces: tuple[str, ...], points: int) -> None:
    game = scoring("voltaire", fr=spaces, turn=3)
    assert treaties(game, "voltaire") == ({FR: points} if points else {})


def test_voltaire_counts_the_usa_once_they_are_open() -> None:
    game = scoring("voltaire", fr=("usa_prestige_2",), flags={"northern_colonies": "usa"}, turn=6)
    assert treaties(game, "voltaire") == {FR: 1}


def test_voltaire_leaves_conflicted_spaces_out() -> None:
    game = scoring("voltaire", fr=("ireland_prestige",), conflicts={"ireland_prestige": 0}, turn=3)
    assert treaties(game, "voltaire") == {}


@pytest.mark.parametrize(
    ("british", "option", "points"),
    [
        (("savoy",), "always", 1),  # a tie: the award goes to no side
        (("savoy",), "when_given", 0),
        (("savoy", "bavaria"), "always", 1),
        (("savoy", "bavaria"), "when_given", 1),
    ],
)
def test_option_voltaire_says_whether_the_award_must_be_given(
    british: tuple[str, ...], option: str, points: int
) -> None:
    game = scoring("voltaire", br=british, fr=("ireland_prestige",), turn=3, options={"voltaire": option})
    assert treaties(game, "voltaire") == ({FR: points} if points else {})


# ── 15 Pitt the Elder ──


def pitt(*tile: Pool, **fields: Any) -> Scenario[State]:
    return acting(BR, "pitt_the_elder", turn=3, pools=tile or (major(DIPLOMATIC, 1),), **fields)


def test_pitt_adds_a_diplomatic_point_for_spaces_without_prestige() -> None:
    game = pitt(fr=("savoy",)).when(BR, "ability:pitt_the_elder")
    (granted,) = (fact for fact in game.facts if isinstance(fact, PointsGranted))
    assert granted.pool.limit is not None
    assert granted.pool.limit.verbs == SHIFT
    game.when(BR, "unflag:savoy").then(
        PointsPaid(BR, UNFLAG, "savoy", DIPLOMATIC, 2, {"pitt_the_elder": 1, "major": 1}, False, "europe", 0),
        FlagRemoved(FR, "savoy"),
    )


def test_pitts_point_pays_outside_europe_too_but_for_no_prestige_and_no_card() -> None:
    game = pitt(major(DIPLOMATIC, 4), deck=("byngs_trial",)).when(BR, "ability:pitt_the_elder")
    paid = {space: ways(game.table, BR, Purchase(FLAG, space))[0].used for space in ("algonquin", "sweden")}
    assert paid == {"algonquin": {"pitt_the_elder": 1, "major": 1}, "sweden": {"major": 2}}
    assert ways(game.table, BR, Purchase("draw"))[0].used == {"major": 3}


def test_pitts_point_keeps_the_limits_of_a_minor_action() -> None:
    game = pitt(major(ECONOMIC, 4), minor(DIPLOMATIC), fr=("savoy",)).when(BR, "ability:pitt_the_elder")
    game.refuses(BR, "unflag:savoy")
    game.when(BR, "flag:german_states_3").then(
        PointsPaid(
            BR,
            FLAG,
            "german_states_3",
            DIPLOMATIC,
            3,
            {"minor": 2, "pitt_the_elder": 1},
            True,
            "europe",
            0,
        ),
        FlagPlaced(BR, "german_states_3"),
    )


def test_pitts_point_needs_a_diplomatic_action() -> None:
    assert "pitt_the_elder" not in abilities(pitt(major(MILITARY, 4), minor(ECONOMIC)), BR)


def test_pitts_point_goes_with_the_action_of_an_event() -> None:
    event = Pool("great_northern_war", DIPLOMATIC, "event", 1)
    game = pitt(major(MILITARY, 1), event).when(BR, "ability:pitt_the_elder")
    assert "flag:savoy" in offered(game, BR)


def test_pitt_constructs_for_2_wherever_the_squadrons_are() -> None:
    game = pitt(major(MILITARY, 4)).when(BR, "ability:pitt_the_elder.construct")
    game.includes(
        PointsPaid(BR, CONSTRUCT, "", MILITARY, 2, {"major": 2}, False, "", 0),
        SquadronMoved(BR, UNBUILT, NAVY_BOX),
    )
    game.when(BR, "construct").includes(
        PointsPaid(BR, CONSTRUCT, "", MILITARY, 4, {"major": 2}, False, "", 2)
    )


# ── 16 Charles Hanbury Williams ──

FRENCH = ("prussia_prestige_1", "german_states_2", "russia", "bavaria", "sweden", "austria_alliance_3")


def envoy(**fields: Any) -> Scenario[State]:
    fields.setdefault("pools", (major(DIPLOMATIC, 4),))
    return acting(BR, SPY, turn=3, **fields)


def test_hanbury_williams_removes_french_flags_of_three_countries_for_1_less() -> None:
    game = envoy(fr=FRENCH).when(BR, f"ability:{SPY}")
    game.then(AbilityUsed(BR, SPY, True), EffectBegan(BR, SPY))
    assert [total(game.table, BR, UNFLAG, space) for space in FRENCH] == [2, 1, 2, 3, 2, 3]
    assert total(game.table, BR, FLAG, "prussia_alliance_1") == 2


def test_hanbury_williams_serves_all_through_the_round() -> None:
    game = envoy(fr=FRENCH).when(BR, f"ability:{SPY}").when(BR, "unflag:russia")
    game.when(BR, "unflag:prussia_prestige_1").includes(
        PointsPaid(BR, UNFLAG, "prussia_prestige_1", DIPLOMATIC, 2, {"major": 2}, False, "europe", 0)
    )


@pytest.mark.parametrize(
    "fields",
    [{"fr": ("bavaria",)}, {"fr": ("russia",), "pools": (major(MILITARY, 4),)}, {"br": ("russia",)}],
)
def test_hanbury_williams_needs_such_a_flag_and_a_diplomatic_action(fields: dict[str, Any]) -> None:
    assert abilities(envoy(**fields), BR) == set()


# ── 17 Merchant Banks ──


def banks(points: int, **fields: Any) -> Scenario[State]:
    fields.setdefault("debt", {BR: 6, FR: 0})
    fields.setdefault("pools", (major(ECONOMIC, points),))
    return acting(BR, "merchant_banks", turn=3, br=("jamaica",), **fields)


def test_merchant_banks_ignore_2_debt_for_economic_points_even_at_the_limit() -> None:
    game = banks(0).when(BR, "flag:santiago")
    game.then(
        PointsPaid(BR, FLAG, "santiago", ECONOMIC, 2, {}, False, "caribbean", 2),
        DebtIgnored(BR, 2, 2),
        FlagPlaced(BR, "santiago"),
    )
    game.has(debt={BR: 6, FR: 0}, merchants=2).refuses(BR, "flag:cayman_passage")


def test_merchant_banks_ignore_no_third_debt_of_a_turn() -> None:
    game = banks(0, debt={BR: 0, FR: 0}, merchants=1).when(BR, "flag:santiago")
    game.includes(DebtIgnored(BR, 1, 2), DebtSet(BR, 1, 1, FLAG))


def test_merchant_banks_ignore_debt_again_in_the_next_turn() -> None:
    assert TurnBegan(4, "empire").apply(table(turn=3, merchants=2)).merchants == 0


def test_merchant_banks_ignore_no_debt_of_other_types() -> None:
    banks(0, pools=(major(DIPLOMATIC, 0),)).refuses(BR, "flag:savoy")


def test_merchant_banks_do_nothing_for_france_or_face_down() -> None:
    fields: dict[str, Any] = {"pools": (major(ECONOMIC, 0),), "debt": {BR: 6, FR: 6}}
    acting(FR, "merchant_banks", fr=("st_domingue",), **fields).refuses(FR, "flag:caicos")
    acting(BR, br=("jamaica",), **fields, **hidden(BR, "merchant_banks")).refuses(BR, "flag:santiago")


# ── 18 Samuel Johnson ──

EUROPE_1 = {**PLAIN_AWARDS, "europe": "award_1a", "north_america": "award_0t_a"}


@pytest.mark.parametrize(
    ("laid", "fields", "points"),
    [
        (EUROPE_1, {"br": ("savoy",)}, {BR: 2}),
        (PLAIN_AWARDS, {"br": ("savoy",)}, {BR: 1}),
        (EUROPE_1, {"fr": ("savoy",)}, {}),
        (PLAIN_AWARDS, {"fr": ("savoy",)}, {}),
        (EUROPE_1, {}, {}),
    ],
)
def test_samuel_johnson_makes_the_european_award_better_for_britain_and_worse_for_france(
    laid: dict[str, str], fields: dict[str, Any], points: dict[str, int]
) -> None:
    game = scoring("samuel_johnson", turn=3, laid=laid, **fields)
    assert scored(game, laid["europe"]) == points


def test_samuel_johnson_takes_1_from_a_french_award_of_3() -> None:
    game = scoring(
        "samuel_johnson", turn=3, laid={**PLAIN_AWARDS, "europe": "award_3"}, fr=("savoy", "bavaria")
    )
    assert scored(game, "award_3") == {FR: 2}
