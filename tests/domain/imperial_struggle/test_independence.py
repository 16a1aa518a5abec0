"""The special awards of the American War: flags of the USA and of Canada (7.3, 10.0)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.imperial_struggle.components import BR, FR
from domain.imperial_struggle.facts.board import FlagPlaced, FlagRemoved, FortRepaired
from domain.imperial_struggle.facts.tracks import ScoreMoved, TreatySet
from domain.imperial_struggle.rules.board import is_open
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.conquest import PlaceUsaFlags
from tests.domain.imperial_struggle.battles import battle, question, war_table
from tests.scenario import Scenario, given

COLONIES = ("northern_colonies", "massachusetts_bay", "chesapeake", "carolinas", "georgia")


def revolution(award: str = "usa", **fields: Any) -> Scenario[State]:
    return given(war_table("awi", **fields), do=PlaceUsaFlags("american_revolution", award))


def test_7_3_france_puts_usa_flags_on_any_of_three_territories_of_any_side() -> None:
    game = revolution(br=COLONIES, fr=("san_agustin",), refused={BR: 0, FR: 0})
    game.asks(FR, "northern_colonies", "carolinas", "san_agustin").refuses(FR, "quebec_and_montreal")
    assert question(game, FR).why == {"theatre": "american_revolution", "award": "usa"}
    game.when(FR, "carolinas", "san_agustin")
    game.includes(
        FlagRemoved(BR, "carolinas"), FlagPlaced("usa", "carolinas"), FlagPlaced("usa", "san_agustin")
    )
    assert game.table.flags["northern_colonies"] == BR


def test_7_3_france_may_do_without_usa_flags() -> None:
    revolution(br=COLONIES).when(FR).then().asks_nobody()


def test_7_3_then_forts_of_the_northern_colonies_may_lose_their_flags_and_damage() -> None:
    game = revolution(
        br=("ohio_forks", "halifax", "louisbourg"), fr=("champlain_valley",), damaged=("halifax",)
    )
    game.when(FR, "carolinas").asks(FR, "ohio_forks", "halifax", "champlain_valley").refuses(FR, "louisbourg")
    game.when(FR, "halifax").then(FortRepaired("halifax"), FlagRemoved(BR, "halifax")).asks_nobody()
    assert game.table.flags["ohio_forks"] == BR


def test_7_3_of_the_markets_that_became_isolated_france_chooses_those_that_lose_their_flags() -> None:
    flags = (*COLONIES, "cumberland", "kurpa", "albany", "ohio_forks", "niagara")
    game = revolution(br=flags, conflicts={"cumberland": 0})
    game.when(FR, "northern_colonies", "carolinas").when(FR, "ohio_forks")
    game.asks(FR, "massachusetts_bay", "chesapeake", "georgia", "cumberland", "niagara")
    game.refuses(FR, "albany").refuses(FR, "kurpa")
    game.when(FR, "georgia", "niagara").then(FlagRemoved(BR, "georgia"), FlagRemoved(BR, "niagara"))
    game.asks_nobody()


def test_7_3_the_english_reading_removes_every_market_that_became_isolated_of_both_sides() -> None:
    fields: dict[str, Any] = {"br": COLONIES, "fr": ("champlain_valley", "oswego")}
    game = revolution(options={"usa_isolation": "automatic"}, **fields)
    game.when(FR, "northern_colonies").when(FR, "champlain_valley").asks_nobody()
    game.includes(
        FlagRemoved(FR, "champlain_valley"), FlagRemoved(BR, "massachusetts_bay"), FlagRemoved(FR, "oswego")
    )
    assert not {"massachusetts_bay", "chesapeake", "oswego"} & game.table.flags.keys()
    assert game.table.flags["georgia"] == BR


def test_7_3_markets_of_other_regions_keep_their_flags() -> None:
    game = revolution(
        br=("northern_colonies", "massachusetts_bay", "kurpa"), options={"usa_isolation": "automatic"}
    )
    game.when(FR, "northern_colonies").asks_nobody()
    assert game.table.flags == {"northern_colonies": "usa", "kurpa": BR}


def test_7_3_canada_comes_after_the_usa_and_looks_at_its_own_isolation_only() -> None:
    flags = {"br": ("quebec_and_montreal", "cataraqui", "northern_colonies", "chesapeake")}
    game = battle("awi", "american_revolution", FR, 5, **flags).when(FR, "northern_colonies")
    game.asks(FR, "chesapeake").when(FR).asks(FR, "quebec_and_montreal")
    assert question(game, FR).why == {"theatre": "american_revolution", "award": "canada"}
    game.when(FR, "quebec_and_montreal").asks(FR, "cataraqui").when(FR, "cataraqui").asks_nobody()
    game.then(FlagRemoved(BR, "cataraqui"))
    assert game.table.flags == {"northern_colonies": "usa", "quebec_and_montreal": "usa", "chesapeake": BR}


def test_7_3_without_the_top_row_there_is_no_canada() -> None:
    game = battle("awi", "american_revolution", FR, 4).asks(
        FR, "northern_colonies", "carolinas", "san_agustin"
    )
    game.when(FR).asks_nobody()


def test_7_3_victory_points_come_before_the_flags() -> None:
    game = battle("awi", "american_revolution", FR, 1)
    game.includes(
        ScoreMoved(FR, 2, 17, "american_revolution"), TreatySet(BR, 2, 2, "american_revolution")
    ).asks(FR)


def test_7_3_huguenots_stay_where_a_usa_flag_comes() -> None:
    game = revolution("canada", fr=("quebec_and_montreal",), huguenots={"quebec_and_montreal": True})
    game.when(FR, "quebec_and_montreal").has(huguenots={"quebec_and_montreal": True})


def test_10_0_one_usa_flag_opens_the_political_spaces_of_the_usa_on_turn_6() -> None:
    game = revolution().when(FR, "carolinas")
    assert not is_open(game.table, "usa_prestige_2")
    assert is_open(replace(game.table, turn=6), "usa_prestige_2")
    assert not is_open(replace(revolution().when(FR).table, turn=6), "usa_prestige_2")
