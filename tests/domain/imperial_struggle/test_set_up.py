"""How a match is set up: flags, advantages, tracks, Squadrons (the reference book's page)."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import ADVANTAGES, BOARD, BR, FR, TERRITORIES
from domain.imperial_struggle.editions import table as empty_table
from tests.domain.imperial_struggle.printed import BRITISH, EMPTY, FRENCH


def test_the_set_up_has_16_british_and_17_french_flags() -> None:
    assert Counter(space.flag for space in BOARD.values() if space.flag) == {BR: 16, FR: 17}


def test_the_territories_of_the_set_up() -> None:
    owners = {side: {space for space in TERRITORIES if BOARD[space].flag == side} for side in ("", BR, FR)}
    assert owners == {BR: set(BRITISH), FR: set(FRENCH), "": set(EMPTY)}


def test_12_1_the_spanish_markets_of_the_set_up() -> None:
    assert {space.id for space in BOARD.values() if space.spanish} == {
        "havana",
        "santiago",
        "puerto_principe",
    }


@pytest.mark.parametrize(("side", "held"), [(BR, ["wheat"]), (FR, ["algonquin_raids"])])
def test_the_advantages_of_the_set_up_are_those_that_the_flags_give(side: str, held: list[str]) -> None:
    fed = [tile.id for tile in ADVANTAGES.values() if all(BOARD[space].flag == side for space in tile.spaces)]
    assert fed == held
    table = empty_table(*GAME.settle(None, {}))
    assert [tile for tile, owner in table.advantages.items() if owner == side] == held


def test_the_table_of_the_set_up() -> None:
    table = empty_table(*GAME.settle(None, {}))
    assert (table.vp, table.initiative, table.flags) == (15, FR, flags_of_the_board())
    assert (table.debt, table.limit, table.treaty) == ({BR: 0, FR: 0}, {BR: 6, FR: 6}, {BR: 0, FR: 0})
    assert (table.navy, table.unbuilt, table.away) == ({BR: 2, FR: 1}, {BR: 6, FR: 7}, {BR: 0, FR: 0})
    assert (table.conflicts, table.damaged, table.hands) == ({}, (), {BR: (), FR: ()})
    assert (table.deck.size, table.stack.size, table.basics[BR].size, table.basics[FR].size) == (
        15,
        24,
        16,
        16,
    )


def flags_of_the_board() -> dict[str, str]:
    """What is printed."""
    return {space.id: space.flag for space in BOARD.values() if space.flag}
