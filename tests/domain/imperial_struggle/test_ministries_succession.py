"""The French ministries of the Succession era (1 to 4, 9), ability by ability."""

from __future__ import annotations

from typing import Any

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY, USA
from domain.imperial_struggle.facts.board import (
    FlagPlaced,
    FlagRemoved,
    HuguenotsPlaced,
    HuguenotsRemoved,
    HuguenotsTurned,
)
from domain.imperial_struggle.facts.cards import AbilityUsed
from domain.imperial_struggle.facts.flow import (
    AwardScored,
    EffectBegan,
    EffectEnded,
    PointsPaid,
    PointsRaised,
)
from domain.imperial_struggle.facts.tracks import DebtSet, ScoreMoved, TreatySet
from domain.imperial_struggle.points import FLAG, SCORE, UNFLAG
from domain.imperial_struggle.rules.wars import targets
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import take_control
from domain.imperial_struggle.steps.scoring import EndTurn
from domain.kernel import Picks, Resolution, Seat, Step
from tests.domain.imperial_struggle.governing import (
    PLAIN_AWARDS,
    abilities,
    acting,
    choosing,
    hidden,
    offered,
    pools,
    scored,
    scoring,
    total,
)
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

CARDINALS = "the_cardinal_ministers"
UPRISINGS = "jacobite_uprisings"
SHIFT, SCORED = f"{UPRISINGS}.shift", f"{UPRISINGS}.score"
HUGUENOTS, TURN = "new_world_huguenots", "new_world_huguenots.turn"
IN_EUROPE = ("savoy", "sardinia", "spain_prestige_2", "austria_prestige_upper")

# ── 1 The Cardinal Ministers ──


def cardinals(*, fr: tuple[str, ...] = IN_EUROPE, **fields: Any) -> Scenario[State]:
    fields.setdefault("pools", (major(DIPLOMATIC, 4), minor(ECONOMIC)))
    return acting(FR, CARDINALS, fr=fr, **fields)


def test_cardinal_ministers_raise_4_major_diplomatic_points_to_7() -> None:
    """The reference book's turn 1; four of their spaces are worth no more than three."""
    game = cardinals().when(FR, f"ability:{CARDINALS}")
    game.then(AbilityUsed(FR, CARDINALS, True), PointsRaised(FR, "major", 3, CARDINALS))
    assert pools(game) == {"major": 7, "minor": 2}
    assert abilities(game, FR) == set()


@pytest.mark.parametrize(
    "space",
    [
        "savoy",
        "sardinia",
        "spain_prestige_2",
        "spain_prestige_3",
        "austria_prestige_upper",
        "austria_prestige_lower",
    ],
)
def test_cardinal_ministers_count_six_spaces(space: str) -> None:
    game = cardinals(fr=(space, "bavaria", "spain_alliance_upper")).when(FR, f"ability:{CARDINALS}")
    game.includes(PointsRaised(FR, "major", 1, CARDINALS))


def test_cardinal_ministers_add_to_a_minor_action_under_its_limits() -> None:
    tile = (major(ECONOMIC, 4), minor(DIPLOMATIC))
    game = cardinals(fr=("savoy",), br=("sardinia",), pools=tile).when(FR, f"ability:{CARDINALS}")
    game.includes(PointsRaised(FR, "minor", 1, CARDINALS))
    game.refuses(FR, "unflag:sardinia")
    game.when(FR, "flag:russia").then(
        PointsPaid(FR, FLAG, "russia", DIPLOMATIC, 3, {"minor": 3}, True, "europe", 0),
        FlagPlaced(FR, "russia"),
    )


def test_cardinal_ministers_lose_the_surplus_of_a_minor_action() -> None:
    tile = (major(ECONOMIC, 4), minor(DIPLOMATIC))
    game = cardinals(fr=("savoy", "sardinia"), pools=tile).when(FR, f"ability:{CARDINALS}")
    game.when(FR, "flag:sweden")
    assert pools(game) == {"major": 4}


def test_cardinal_ministers_leave_conflicted_spaces_out() -> None:
    game = cardinals(fr=("savoy", "sardinia"), conflicts={"savoy": 0}).when(FR, f"ability:{CARDINALS}")
    game.includes(PointsRaised(FR, "major", 1, CARDINALS))
    assert abilities(cardinals(fr=("savoy",), conflicts={"savoy": 0}), FR) == set()


def test_cardinal_ministers_need_a_diplomatic_action_on_the_tile() -> None:
    assert abilities(cardinals(pools=(major(MILITARY, 4), minor(ECONOMIC))), FR) == set()
    assert abilities(choosing(FR, CARDINALS, fr=IN_EUROPE), FR) == set()


def test_cardinal_ministers_come_right_after_the_tile() -> None:
    """Not after an event was played or points were spent."""
    game = cardinals()
    assert abilities(game, FR) == {CARDINALS}
    assert abilities(game.when(FR, "flag:sweden"), FR) == set()


# ── 2 John Law ──


def at_the_end(*ministries: str, **fields: Any) -> Scenario[State]:
    fields.setdefault("laid", PLAIN_AWARDS)
    return given(table(revealed=ministries, **fields), do=EndTurn())


def test_john_law_reduces_french_debt_by_1() -> None:
    game = at_the_end("john_law", debt={BR: 3, FR: 3})
    game.includes(DebtSet(FR, -1, 2, "john_law")).has(debt={BR: 3, FR: 2})


@pytest.mark.parametrize("space", ["scotland_alliance", "scotland_prestige"])
def test_john_law_reduces_it_by_2_with_a_space_of_scotland(space: str) -> None:
    at_the_end("john_law", fr=(space,), debt={BR: 0, FR: 3}).has(debt={BR: 0, FR: 1})


def test_john_law_leaves_a_conflicted_space_of_scotland_out() -> None:
    game = at_the_end(
        "john_law", fr=("scotland_alliance",), conflicts={"scotland_alliance": 0}, debt={BR: 0, FR: 3}
    )
    game.has(debt={BR: 0, FR: 2})


def test_john_law_must_have_been_revealed() -> None:
    at_the_end(debt={BR: 0, FR: 3}, **hidden(FR, "john_law")).has(debt={BR: 0, FR: 3})


# ── 3 Court of the Sun King ──


def test_sun_king_makes_the_european_award_a_point_better_even_one_of_0() -> None:
    game = scoring("court_of_the_sun_king", fr=("savoy",))
    game.includes(
        AwardScored("europe", "award_0t_a", 0, 1, FR, 1, 1, ("court_of_the_sun_king",)),
        ScoreMoved(FR, 1, 16, "award_0t_a"),
        TreatySet(FR, 1, 1, "award_0t_a"),
    )


def test_sun_king_adds_nothing_to_prestige_nor_to_other_regions() -> None:
    game = scoring("court_of_the_sun_king", fr=("balearic", "algonquin"))
    assert scored(game, "prestige") == {FR: 2}
    assert scored(game, "award_1a") == {FR: 1}


@pytest.mark.parametrize("fields", [{"br": ("savoy",)}, {"br": ("savoy",), "fr": ("sardinia",)}])
def test_sun_king_gives_nothing_without_the_award(fields: dict[str, Any]) -> None:
    assert scored(scoring("court_of_the_sun_king", **fields), "award_0t_a") == {}


def test_sun_king_face_down_gives_nothing() -> None:
    assert scored(scoring(fr=("savoy",), **hidden(FR, "court_of_the_sun_king")), "award_0t_a") == {}


# ── 4 Jacobite Uprisings ──


def rebels(**fields: Any) -> Scenario[State]:
    fields.setdefault("pools", (major(MILITARY, 4), minor(ECONOMIC)))
    return acting(FR, UPRISINGS, **fields)


def test_jacobites_shift_with_military_points_at_the_political_cost() -> None:
    game = rebels(br=("scotland_prestige",), fr=("ireland_alliance",))
    assert not [pick for pick in offered(game, FR) if pick.startswith("rise")]
    game.when(FR, f"ability:{SHIFT}").then(AbilityUsed(FR, SHIFT, True), EffectBegan(FR, SHIFT))
    risings = {pick for pick in offered(game, FR) if pick.startswith("rise")}
    assert risings == {"rise:scotland_prestige", "rise:scotland_alliance", "rise:ireland_prestige"}
    game.when(FR, "rise:scotland_prestige").then(
        PointsPaid(FR, UNFLAG, "scotland_prestige", MILITARY, 3, {"major": 3}, False, "europe", 0),
        FlagRemoved(BR, "scotland_prestige"),
    )


def test_jacobites_may_shift_several_spaces_in_their_round() -> None:
    game = rebels(pools=(major(MILITARY, 4),)).when(FR, f"ability:{SHIFT}")
    game.when(FR, "rise:scotland_alliance").when(FR, "rise:ireland_alliance")
    game.includes(FlagPlaced(FR, "ireland_alliance"))
    assert pools(game) == {"major": 0}


def test_jacobites_pay_1_for_a_conflicted_space_and_nothing_for_another_region() -> None:
    game = rebels(br=("ireland_prestige",), conflicts={"ireland_prestige": 0, "antigua": 0})
    game.when(FR, "clear:antigua").when(FR, f"ability:{SHIFT}").when(FR, "rise:ireland_prestige")
    game.includes(PointsPaid(FR, UNFLAG, "ireland_prestige", MILITARY, 1, {"major": 1}, False, "europe", 0))


def test_jacobites_remove_no_flag_with_minor_military_points() -> None:
    game = rebels(br=("scotland_alliance",), pools=(major(ECONOMIC, 4), minor(MILITARY)))
    game.when(FR, f"ability:{SHIFT}").refuses(FR, "rise:scotland_alliance")
    game.when(FR, "rise:ireland_alliance").includes(FlagPlaced(FR, "ireland_alliance"))


def test_jacobites_need_a_military_action() -> None:
    tile = (major(DIPLOMATIC, 4), minor(ECONOMIC))
    assert abilities(rebels(fr=("ireland_alliance",), pools=tile), FR) == set()


def test_jacobites_score_for_flags_and_victories() -> None:
    game = rebels(fr=("ireland_alliance", "scotland_alliance", "savoy"), victories=1)
    game.when(FR, f"ability:{SCORED}").then(
        AbilityUsed(FR, SCORED, True),
        EffectBegan(FR, SCORED),
        PointsPaid(FR, SCORE, "", MILITARY, 3, {"major": 3}, False, "", 0),
        ScoreMoved(FR, 3, 18, UPRISINGS),
    )


def test_jacobites_score_4_at_most() -> None:
    game = rebels(fr=("ireland_alliance", "ireland_prestige", "scotland_alliance"), victories=2)
    assert scored(game.when(FR, f"ability:{SCORED}"), UPRISINGS) == {FR: 4}


def test_jacobites_score_nothing_for_a_conflicted_space() -> None:
    game = rebels(fr=("ireland_alliance", "ireland_prestige"), conflicts={"ireland_alliance": 0})
    assert scored(game.when(FR, f"ability:{SCORED}"), UPRISINGS) == {FR: 1}


def test_jacobites_score_with_minor_points_and_debt() -> None:
    game = rebels(fr=("ireland_alliance",), pools=(major(ECONOMIC, 4), minor(MILITARY)))
    game.when(FR, f"ability:{SCORED}").includes(DebtSet(FR, 1, 1, SCORE), ScoreMoved(FR, 1, 16, UPRISINGS))


def test_jacobites_use_their_abilities_in_different_rounds_of_a_turn() -> None:
    shifting = rebels().when(FR, f"ability:{SHIFT}")
    assert abilities(shifting, FR) == set()
    scoring_now = rebels(victories=1).when(FR, f"ability:{SCORED}")
    assert abilities(scoring_now, FR) == set()
    assert abilities(rebels(victories=1, exhausted=(SHIFT,)), FR) == {SCORED}
    assert abilities(rebels(victories=1, exhausted=(SCORED,)), FR) == {SHIFT}


# ── 9 New World Huguenots ──


def test_huguenots_settle_in_a_french_territory_of_the_new_world() -> None:
    settled = ("acadia", "pondicherry", "guadeloupe", "louisiana", "gibraltar")
    game = choosing(FR, HUGUENOTS, fr=settled, br=("jamaica",), huguenots={"acadia": True})
    game.when(FR, f"ability:{HUGUENOTS}").asks(FR, "guadeloupe", "louisiana")
    game.when(FR, "louisiana").then(HuguenotsPlaced("louisiana"))
    game.has(huguenots={"acadia": True, "louisiana": True})
    assert abilities(game, FR) == set()


def test_huguenots_find_no_second_home_in_a_territory() -> None:
    assert abilities(choosing(FR, HUGUENOTS, fr=("acadia",), huguenots={"acadia": False}), FR) == set()


@pytest.mark.parametrize("ready", [True, False])
def test_huguenots_make_their_territory_dearer_to_conquer(ready: bool) -> None:
    s = table(br=("antilles_channel",), fr=("guadeloupe",), turn=4, huguenots={"guadeloupe": ready})
    bare = table(br=("antilles_channel",), fr=("guadeloupe",), turn=4)
    assert targets(bare, BR, "french_and_indian_war", 3)["guadeloupe"] == 1
    assert targets(s, BR, "french_and_indian_war", 3)["guadeloupe"] == 2
    assert "guadeloupe" not in targets(s, BR, "french_and_indian_war", 1)


def traders(**fields: Any) -> Scenario[State]:
    """No ministry is open: the markers work when it has left."""
    fields.setdefault("fr", ("st_domingue",))
    fields.setdefault("huguenots", {"st_domingue": True})
    return acting(FR, **fields)


def test_a_marker_makes_one_market_of_its_region_cheaper_even_without_the_ministry() -> None:
    game = traders().when(FR, f"ability:{TURN}").asks(FR, "st_domingue").when(FR, "st_domingue")
    game.then(
        HuguenotsTurned("st_domingue", False),
        EffectBegan(FR, f"{HUGUENOTS}/caribbean"),
    )
    game.when(FR, "flag:port_de_paix").then(
        PointsPaid(FR, FLAG, "port_de_paix", ECONOMIC, 2, {"major": 2}, False, "caribbean", 0),
        EffectEnded(FR, f"{HUGUENOTS}/caribbean"),
        FlagPlaced(FR, "port_de_paix"),
    )
    assert total(game.table, FR, FLAG, "caicos") == 2
    assert abilities(game, FR) == set()


def test_a_marker_reduces_the_removal_of_a_flag_before_increases() -> None:
    effect = {"effects": (f"{HUGUENOTS}/caribbean",)}
    s = table(seat=FR, br=("caicos", "bahamas_run"), fr=("st_domingue",), in_round=effect)
    assert total(s, FR, UNFLAG, "caicos") == 2
    s = table(
        seat=FR, br=("caicos", "bahamas_run"), fr=("st_domingue",), conflicts={"caicos": 0}, in_round=effect
    )
    assert total(s, FR, UNFLAG, "caicos") == 1


def test_a_marker_does_not_help_in_another_region_nor_with_other_spaces() -> None:
    s = table(seat=FR, fr=("st_domingue",), in_round={"effects": (f"{HUGUENOTS}/caribbean",)})
    assert total(s, FR, FLAG, "cataraqui") == 2
    assert total(s, FR, FLAG, "privateers") == 2


def test_a_marker_is_turned_only_where_a_market_can_be_shifted_with_economic_points() -> None:
    assert abilities(traders(pools=(major(MILITARY, 4), minor(DIPLOMATIC))), FR) == set()
    assert abilities(traders(fr=("asiento", "karaikal"), huguenots={"asiento": True}), FR) == set()
    assert abilities(traders(huguenots={"st_domingue": False}), FR) == set()


def test_one_marker_after_the_other_is_turned_in_a_region() -> None:
    """The reading: a market is made cheaper by one marker."""
    game = traders(fr=("st_domingue", "louisiana"), huguenots={"st_domingue": True, "louisiana": True})
    game.when(FR, f"ability:{TURN}").asks(FR, "st_domingue", "louisiana").when(FR, "louisiana")
    assert abilities(game, FR) == set()
    game.when(FR, "flag:caicos")
    assert abilities(game, FR) == {TURN}


class TakeOver(Step[State], frozen=True):
    """A side takes a space."""

    side: Seat
    space: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from take_control(s, self.side, self.space)


@pytest.mark.parametrize(("side", "leaves"), [(BR, True), (USA, False)])
def test_a_marker_leaves_for_good_with_a_territory_that_becomes_british(side: str, leaves: bool) -> None:
    start = table(fr=("guadeloupe",), huguenots={"guadeloupe": True})
    game = given(start, do=TakeOver(side, "guadeloupe"))
    assert (HuguenotsRemoved("guadeloupe") in game.facts) == leaves
    game.has(huguenots={} if leaves else {"guadeloupe": True})
