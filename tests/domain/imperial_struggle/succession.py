"""How these tests play an event: from the menu of an action round whose tile shows the symbol and fits it."""

from __future__ import annotations

from typing import Any

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, INVESTMENTS, MILITARY
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.points import Pool, Purchase
from domain.imperial_struggle.rules.paying import allows
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps import Act
from tests.domain.imperial_struggle.table import major, minor, table
from tests.scenario import Scenario, given

TILES = {"": "e3_d2_1", ECONOMIC: "e3_d2_1", DIPLOMATIC: "d3_e2_1", MILITARY: "m3_d2_1"}
KEYWORDS = {
    ("br", "mercantilism"): "east_india_company",
    ("br", "finance"): "bank_of_england",
    ("br", "governance"): "robert_walpole",
    ("br", "style"): "jonathan_swift",
    ("br", "scholarship"): "edmond_halley",
    ("fr", "mercantilism"): "new_world_huguenots",
    ("fr", "finance"): "john_law",
    ("fr", "governance"): "the_cardinal_ministers",
    ("fr", "style"): "court_of_the_sun_king",
    ("fr", "scholarship"): "court_of_the_sun_king",
}


def plays(card: str, seat: str = BR, *, bonus: str = "", tile: str = "", **fields: Any) -> Scenario[State]:
    """`seat` plays a card of its hand; `bonus`: the keyword of a ministry that lies open before it."""
    face = INVESTMENTS[tile or TILES[EVENTS[card].requires]]
    if bonus:
        fields["revealed"] = (KEYWORDS[seat, bonus],)
    fields = {
        "pools": (major(face.major, face.points), minor(face.minor)),
        "in_round": {"tile": face.id},
        f"{seat}_hand": (card,),
        **fields,
    }
    return given(table(seat=seat, **fields), do=Act(seat)).when(seat, f"event:{card}")


def pool(game: Scenario[State], name: str) -> Pool:
    """The points of this name."""
    assert game.table.round is not None
    return next(pool for pool in game.table.round.pools if pool.name == name)


def may_buy(game: Scenario[State], name: str, verb: str, space: str = "") -> bool:
    """Whether the restriction of these points allows a purchase."""
    assert game.table.round is not None
    return allows(game.table, game.table.round.seat, pool(game, name).limit, Purchase(verb, space))
