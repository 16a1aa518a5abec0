"""What is printed, counted: the numbers of the board, the tiles and the cards (book 001, 3.0)."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from domain.imperial_struggle.components import (
    ADVANTAGES,
    AWARDS,
    BOARD,
    BR,
    COUNTRIES,
    DEMAND,
    ERAS,
    FORTS,
    FR,
    GOODS,
    INVESTMENTS,
    LINKED,
    MARKETS,
    MARKETS_OF,
    MEMBERS,
    MINISTRIES,
    NAVAL,
    POLITICAL,
    PRESTIGE,
    REGIONS,
    SIDES,
    TERRITORIES,
    TYPES,
    WAR_AFTER,
    WAR_TILES,
    WARS,
)
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.faces import describe_components
from tests.domain.imperial_struggle.printed import REWARDS

KEYWORDS = {"finance", "mercantilism", "governance", "style", "scholarship"}


# --------------------------------------------------------------------------- spaces


def test_there_are_112_spaces_in_four_regions() -> None:
    assert len(BOARD) == 112
    assert {region: len(spaces) for region, spaces in MEMBERS.items()} == {
        "north_america": 30,
        "europe": 30,
        "caribbean": 30,
        "india": 22,
    }


def test_the_kinds_of_spaces() -> None:
    assert Counter(space.kind for space in BOARD.values()) == {
        "political": 36,
        "market": 41,
        "territory": 18,
        "naval": 11,
        "fort": 6,
    }
    assert [len(kind) for kind in (POLITICAL, MARKETS, TERRITORIES, NAVAL, FORTS)] == [36, 41, 18, 11, 6]


def test_3_2_2_the_markets_of_the_goods_and_chesapeake_without_one() -> None:
    assert {good: len(spaces) for good, spaces in MARKETS_OF.items()} == {
        "furs": 9,
        "spice": 5,
        "fish": 4,
        "tobacco": 7,
        "sugar": 9,
        "cotton": 6,
    }
    assert [space for space in MARKETS if not BOARD[space].good] == ["chesapeake"]
    assert not any(space.good for space in BOARD.values() if space.kind != "market")


def test_there_are_107_connections_inside_regions() -> None:
    lines = [(space.id, line) for space in BOARD.values() for line in space.lines]
    assert len(lines) == 2 * 107
    assert all(here in BOARD[there].lines and here != there for here, there in lines)
    assert all(BOARD[here].region == BOARD[there].region for here, there in lines)


def test_political_spaces_have_no_connections_and_every_market_has_one() -> None:
    assert not any(BOARD[space].lines for space in POLITICAL)
    assert all(BOARD[space].lines for space in MARKETS)


def test_3_2_6_there_are_19_military_routes_and_one_more_with_12_3() -> None:
    routes = [(space.id, other) for space in BOARD.values() for other in space.routes]
    assert len(routes) == 2 * 19
    assert all(here in BOARD[there].routes for here, there in routes)
    assert all("territory" in (BOARD[here].kind, BOARD[there].kind) for here, there in routes)
    assert {space.id: space.fort_routes for space in BOARD.values() if space.fort_routes} == {
        "louisbourg": ("halifax",),
        "halifax": ("louisbourg",),
    }


def test_3_2_1_prestige_alliances_and_local_alliances() -> None:
    assert Counter(BOARD[space].kind for space in PRESTIGE) == {"political": 13, "naval": 2, "territory": 1}
    assert {BOARD[space].region for space in PRESTIGE if "usa" not in space} == {"europe"}
    assert sum(space.alliance for space in BOARD.values()) == 18
    assert sum(space.local for space in BOARD.values()) == 8


def test_3_2_1_what_opens_later() -> None:
    assert {space.id: space.opens for space in BOARD.values() if space.opens} == {
        "prussia_alliance_2": 3,
        "prussia_prestige_2": 3,
        "sons_of_liberty": 5,
        "usa_prestige_2": 6,
        "usa_prestige_3": 6,
    }


def test_3_2_1_the_countries_of_several_spaces() -> None:
    assert {country: len(spaces) for country, spaces in COUNTRIES.items() if len(spaces) > 1} == {
        "ireland": 2,
        "scotland": 2,
        "prussia": 4,
        "dutch_republic": 2,
        "german_states": 2,
        "austria": 4,
        "spain": 4,
        "usa": 2,
    }


def test_only_naval_spaces_have_no_cost() -> None:
    assert {space.id for space in BOARD.values() if not space.cost} == set(NAVAL)
    assert {space: BOARD[space].cost for space in FORTS} == {
        "louisbourg": 3,
        "halifax": 3,
        "ohio_forks": 3,
        "champlain_valley": 4,
        "arcot": 2,
        "vandavasi": 4,
    }


def test_the_sub_regions() -> None:
    assert Counter(space.subregion for space in BOARD.values() if space.region == "india").keys() == {
        "carnatic_coast",
        "hooghly_river",
    }
    assert {space.subregion for space in BOARD.values()} == {
        "",
        "northern_colonies",
        "canada",
        "carnatic_coast",
        "hooghly_river",
    }


# --------------------------------------------------------------------------- tiles


def test_there_are_22_advantages_each_in_one_region() -> None:
    assert len(ADVANTAGES) == 22
    assert all(BOARD[space].region == tile.region for tile in ADVANTAGES.values() for space in tile.spaces)


def test_a_local_alliance_feeds_one_advantage() -> None:
    assert [len(LINKED[space.id]) for space in BOARD.values() if space.local] == [1] * 8


def test_3_3_the_24_investment_tiles() -> None:
    assert len(INVESTMENTS) == 24
    counts = Counter((tile.major, tile.minor, tile.points) for tile in INVESTMENTS.values())
    for major in TYPES:
        for minor in TYPES:
            expected = [0, 0, 0] if major == minor else [1, 1, 2]
            assert [counts[major, minor, points] for points in (2, 3, 4)] == expected


def test_3_3_events_come_with_3_and_2_points_and_upgrades_with_2() -> None:
    assert all(tile.event == (tile.points < 4) for tile in INVESTMENTS.values())
    assert all(tile.upgrade == (tile.points == 2) for tile in INVESTMENTS.values())


def test_3_9_the_eight_awards() -> None:
    assert Counter((tile.vp, tile.treaty_points, tile.lead) for tile in AWARDS.values()) == {
        (3, 0, 2): 1,
        (2, 0, 2): 1,
        (1, 0, 1): 2,
        (1, 1, 1): 2,
        (0, 1, 1): 2,
    }


def test_4_1_12_the_table_of_global_demand() -> None:
    """Victory points, Debt, Treaty Points; the order of the goods is that of the table."""
    found = {
        era: {good: (reward.vp, reward.debt, reward.treaty_points) for good, reward in rewards.items()}
        for era, rewards in DEMAND.items()
    }
    assert found == REWARDS
    assert GOODS == ("furs", "spice", "fish", "tobacco", "sugar", "cotton")


# --------------------------------------------------------------------------- war tiles and wars


def test_there_are_128_war_tiles() -> None:
    assert len(WAR_TILES) == 128
    assert Counter((tile.side, tile.war) for tile in WAR_TILES.values()) == {
        (side, war): 12 if war else 16 for side in SIDES for war in ("", *WARS)
    }


@pytest.mark.parametrize("side", SIDES)
def test_3_7_the_basic_war_tiles(side: str) -> None:
    assert faces(side, "") == {
        (2, ""): 3,
        (1, ""): 4,
        (0, "debt"): 4,
        (0, "strike"): 2,
        (-1, "unflag"): 3,
    }


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("war", WARS)
def test_3_7_the_bonus_war_tiles_are_the_same_in_every_war(side: str, war: str) -> None:
    assert faces(side, war) == {
        (3, ""): 2,
        (2, ""): 4,
        (1, ""): 2,
        (1, "debt"): 2,
        (1, "strike"): 2,
    }


def faces(side: str, war: str) -> dict[tuple[int, str], int]:
    """How many tiles of a set have a value and a symbol."""
    return Counter(
        (tile.value, tile.symbol) for tile in WAR_TILES.values() if (tile.side, tile.war) == (side, war)
    )


def test_2_1_the_four_wars_and_their_15_theatres() -> None:
    assert WAR_AFTER == {1: "wss", 3: "was", 4: "syw", 5: "awi"}
    assert {war.id: len(war.theatres) for war in WARS.values()} == {"wss": 4, "was": 4, "syw": 4, "awi": 3}


# --------------------------------------------------------------------------- cards


def test_there_are_41_events_in_three_eras() -> None:
    assert {card.number: card.era for card in EVENTS.values()} == {
        number: "succession" if number < 16 else "empire" if number < 31 else "revolution"
        for number in range(1, 42)
    }


def test_3_4_4_the_actions_that_events_ask_for() -> None:
    assert Counter(card.requires for card in EVENTS.values()) == {
        "": 20,
        "economic": 8,
        "military": 7,
        "diplomatic": 6,
    }


def test_an_event_has_a_text_for_both_sides() -> None:
    assert all(card.effect("base", side) for card in EVENTS.values() for side in SIDES)


def test_3_4_3_a_bonus_has_a_condition() -> None:
    for card in EVENTS.values():
        bonus = any(card.effect("bonus", side) for side in SIDES)
        assert bonus == (card.bonus_if is not None), card.id


def test_there_are_26_ministries() -> None:
    assert Counter(card.side for card in MINISTRIES.values()) == {BR: 13, FR: 13}
    assert sorted(card.number for card in MINISTRIES.values()) == list(range(1, 27))
    assert {word for card in MINISTRIES.values() for word in card.keywords} == KEYWORDS


@pytest.mark.parametrize(
    ("era", "british", "french"), [("succession", 5, 5), ("empire", 5, 5), ("revolution", 6, 7)]
)
def test_3_5_1_the_ministries_of_an_era(era: str, british: int, french: int) -> None:
    assert Counter(card.side for card in MINISTRIES.values() if era in card.eras) == {BR: british, FR: french}


def test_2_1_the_eras_of_the_turns() -> None:
    assert list(ERAS.values()) == ["succession"] * 2 + ["empire"] * 2 + ["revolution"] * 2


# --------------------------------------------------------------------------- for clients


def test_the_components_are_plain_data() -> None:
    told = msgspec.json.decode(msgspec.json.encode(describe_components()))
    assert {name: len(items) for name, items in told.items()} == {
        "spaces": 112,
        "advantages": 22,
        "investments": 24,
        "awards": 8,
        "demand": 3,
        "war_tiles": 128,
        "wars": 4,
        "events": 41,
        "ministries": 26,
    }
    assert [space["id"] for space in told["spaces"]] == [*BOARD]


def test_no_two_things_share_an_id() -> None:
    ids = [
        *BOARD,
        *ADVANTAGES,
        *INVESTMENTS,
        *AWARDS,
        *GOODS,
        *MINISTRIES,
        *WAR_TILES,
        *EVENTS,
        *WARS,
        *REGIONS,
    ]
    assert [id for id, count in Counter(ids).items() if count > 1] == []
