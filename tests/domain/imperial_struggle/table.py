"""Tables of Imperial Struggle for tests: an empty board, and whatever the test puts on it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.imperial_struggle.components import ADVANTAGES, BR, ECONOMIC, FR, MINISTRIES, WAR_TILES
from domain.imperial_struggle.points import ActionRound, Pool
from domain.imperial_struggle.rules.board import isolated
from domain.imperial_struggle.state import Readings, State
from domain.piles import Cards, Pile

NEXT_WAR = {1: "wss", 2: "was", 3: "was", 4: "syw", 5: "awi", 6: ""}


def table(
    *,
    br: tuple[str, ...] = (),
    fr: tuple[str, ...] = (),
    seat: str = BR,
    turn: int = 1,
    pools: tuple[Pool, ...] | None = None,
    options: dict[str, Any] | None = None,
    deck: Cards = (),
    br_hand: Cards = (),
    fr_hand: Cards = (),
    revealed: Cards = (),
    in_round: dict[str, Any] | None = None,
    **fields: Any,
) -> State:
    """An action round of `seat` with these flags (Squadrons on naval spaces) and nothing else on the board.

    `pools`: its points; without them, 4 economic of a Major action.  `revealed`: open ministries, which also
    lie before their sides.  `in_round`: fields of the action round.  Advantages lie where the flags put them.
    """
    flags = {**dict.fromkeys(br, BR), **dict.fromkeys(fr, FR), **fields.pop("flags", {})}
    conflicts = fields.pop("conflicts", {})
    points = (major(ECONOMIC, 4),) if pools is None else pools
    now = ActionRound(seat, 1, isolated(flags, conflicts), flags, tile="e4_d2_1", pools=points)
    now = replace(now, troubled=tuple(conflicts))
    start = State(
        edition="second_printing",
        options=replace(Readings(), **(options or {})),
        turn=turn,
        phase="action",
        war=NEXT_WAR[turn],
        initiative=FR,
        first=FR,
        round=replace(now, **(in_round or {})),
        limit={BR: 6, FR: 6},
        navy={BR: 2, FR: 1},
        unbuilt={BR: 6, FR: 7},
        flags=flags,
        conflicts=conflicts,
        advantages=advantages(flags),
        deck=Pile.of(deck),
        hands={BR: br_hand, FR: fr_hand},
        ministries={side: tuple(card for card in revealed if _side(card) == side) for side in (BR, FR)},
        revealed=revealed,
        basics={side: Pile.of(_tiles(side, "")) for side in (BR, FR)},
        bonuses={side: Pile.of(_tiles(side, NEXT_WAR[turn])) for side in (BR, FR)},
    )
    return replace(start, **fields)


def major(type: str, points: int) -> Pool:
    """The Major action of a tile."""
    return Pool("major", type, "major", points)


def minor(type: str, points: int = 2) -> Pool:
    """The Minor action of a tile."""
    return Pool("minor", type, "minor", points)


def advantages(flags: dict[str, str]) -> dict[str, str]:
    """Who holds which advantage with these flags."""
    found = {}
    for tile in ADVANTAGES.values():
        owners = {flags.get(space) for space in tile.spaces}
        owner = owners.pop() if len(owners) == 1 else None
        if owner in (BR, FR):
            found[tile.id] = str(owner)
    return found


def _tiles(side: str, war: str) -> Cards:
    return tuple(tile.id for tile in WAR_TILES.values() if tile.side == side and tile.war == war)


def _side(ministry: str) -> str:
    return MINISTRIES[ministry].side
