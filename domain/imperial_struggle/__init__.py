"""Imperial Struggle, for two players: book 001 (2nd printing)."""

from __future__ import annotations

from domain.game import Game, closed_union
from domain.imperial_struggle.components import (
    ADVANTAGES,
    AWARDS,
    BOARD,
    FORTS,
    GOODS,
    INVESTMENTS,
    MARKETS,
    MINISTRIES,
    NAVAL,
    POLITICAL,
    SIDES,
    TERRITORIES,
    WAR_TILES,
    WARS,
)
from domain.imperial_struggle.editions import EDITIONS, OPTIONS, first, table
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.faces import describe_components
from domain.imperial_struggle.ministries import ABILITIES
from domain.imperial_struggle.rules.scoring import score
from domain.imperial_struggle.state import State
from domain.kernel import Ended, Fact, Step

GAME = Game(
    name="imperial_struggle",
    seats=SIDES,
    editions=EDITIONS,
    options=OPTIONS,
    table=table,
    first=first,
    state=State,
    facts=closed_union(Fact, __name__) | Ended,
    steps=closed_union(Step, __name__),
    score=score,
    components=describe_components,
    ids={
        "space": BOARD,
        "market": MARKETS,
        "political": POLITICAL,
        "naval": NAVAL,
        "fort": FORTS,
        "territory": TERRITORIES,
        "investment": INVESTMENTS,
        "event": EVENTS,
        "ministry": MINISTRIES,
        "ability": ABILITIES,
        "advantage": ADVANTAGES,
        "award": AWARDS,
        "good": GOODS,
        "tile": WAR_TILES,
        "theatre": [theatre.id for war in WARS.values() for theatre in war.theatres],
    },
    backstage=("round", "swept", "owed"),
    idle=("carried", "merchants", "refused", "victories"),
)
