"""Cold War: CIA vs. KGB, for two players: book 004 and the publisher's rulebook of 2007."""

from __future__ import annotations

from domain.cia_vs_kgb.components import AGENTS, GROUPS, OBJECTIVES, describe_components
from domain.cia_vs_kgb.editions import EDITIONS, OPTIONS, first, table
from domain.cia_vs_kgb.rules import SEATS, score
from domain.cia_vs_kgb.state import State
from domain.game import Game, closed_union
from domain.kernel import Ended, Fact, Step

GAME = Game(
    name="cia_vs_kgb",
    seats=SEATS,
    editions=EDITIONS,
    options=OPTIONS,
    table=table,
    first=first,
    state=State,
    facts=closed_union(Fact, __name__) | Ended,
    steps=closed_union(Step, __name__),
    score=score,
    components=describe_components,
    ids={"objective": OBJECTIVES, "group": GROUPS, "agent": AGENTS},
)
