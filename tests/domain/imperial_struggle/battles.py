"""Tables of a war for tests: the display, and theatres that end with the margin that a test wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.imperial_struggle.components import BR, FR, OTHER, SIDES, WAR_TILES, WARS
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.wars import Battle
from domain.kernel import Prompt, prompt
from domain.piles import Cards, Pile
from tests.domain.imperial_struggle.table import table
from tests.scenario import Scenario, given

Display = Mapping[str, Mapping[str, Cards]]  # side -> theatre -> the Basic tile and the Bonus tiles
TURN = {"wss": 1, "was": 3, "syw": 4, "awi": 5}


def war_table(war: str, tiles: Display | None = None, **fields: Any) -> State:
    """A war with an empty board, and these tiles.

    Where nothing is said both have a Basic tile of 1, so that the display makes no difference.
    """
    wanted = tiles or {}
    front = {side: _front(war, side, wanted.get(side, {})) for side in SIDES}
    bonus = {side: {name: laid[1:] for name, laid in wanted.get(side, {}).items()} for side in SIDES}
    used = {tile for side in SIDES for laid in wanted.get(side, {}).values() for tile in laid}
    used |= {tile for side in SIDES for tile in front[side].values()}
    start = table(
        turn=TURN[war],
        front=front,
        reinforcements=bonus,
        basics={side: Pile.of(_own(side, "", used)) for side in SIDES},
        bonuses={side: Pile.of(_own(side, war, used)) for side in SIDES},
        **{"round": None, "phase": war, "navy": {BR: 0, FR: 0}, **fields},
    )
    assert start.war == war
    return start


def _front(war: str, side: str, wanted: Mapping[str, Cards]) -> dict[str, str]:
    theatres = WARS[war].theatres
    return {
        face.id: wanted.get(face.id, (f"{side}_one_{number}",))[0] for number, face in enumerate(theatres, 1)
    }


def _own(side: str, war: str, used: set[str]) -> Cards:
    found = (tile.id for tile in WAR_TILES.values() if (tile.side, tile.war) == (side, war))
    return tuple(tile for tile in found if tile not in used)


def lead(war: str, theatre: str, side: str, margin: int) -> dict[str, dict[str, Cards]]:
    """Tiles with which a side has so much more strength in a theatre, where the board adds nothing."""
    plain = [tile for tile in WAR_TILES.values() if (tile.side, tile.war) == (side, war) and not tile.symbol]
    threes = [tile.id for tile in plain if tile.value == 3]
    twos = [tile.id for tile in plain if tile.value == 2]
    two = f"{side}_two_1"
    laid = {
        0: (f"{side}_one_1",),
        1: (two,),
        2: (f"{side}_one_1", twos[0]),
        3: (two, twos[0]),
        4: (two, threes[0]),
        5: (f"{side}_one_1", twos[0], threes[0]),
        6: (two, twos[0], threes[0]),
    }[margin]
    return {side: {theatre: laid}, OTHER[side]: {theatre: (f"{OTHER[side]}_one_1",)}}


def battle(war: str, theatre: str, side: str = BR, margin: int = 0, **fields: Any) -> Scenario[State]:
    """A theatre that a side wins by a margin, were the board empty."""
    return given(war_table(war, lead(war, theatre, side, margin), **fields), do=Battle(theatre))


def duel(war: str, theatre: str, british: Cards, french: Cards, **fields: Any) -> Scenario[State]:
    """A theatre with these tiles, the Basic one first."""
    start = war_table(war, {BR: {theatre: british}, FR: {theatre: french}}, **fields)
    return given(start, do=Battle(theatre))


def question(game: Scenario[State], seat: str) -> Prompt:
    """What a seat is asked now."""
    found = prompt(game.table, seat)
    assert found is not None
    return found
