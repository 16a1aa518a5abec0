"""Options, the empty table, and how a match begins."""

from __future__ import annotations

import msgspec

from domain.game import Option, Options
from domain.imperial_struggle.components import BOARD, BR, FR, INVESTMENTS, SPAIN, WAR_TILES
from domain.imperial_struggle.rules.registry import SUCCESSION
from domain.imperial_struggle.state import Readings, State
from domain.imperial_struggle.steps.flow import SetUp, events_of
from domain.kernel import Step
from domain.piles import Pile

EDITIONS = ("second_printing",)
YES_NO = (True, False)

OPTIONS = (
    Option("bid", "none", choices=("none", BR, FR)),
    Option("spanish_empire", False, choices=YES_NO),
    Option("planned_upgrades", False, choices=YES_NO),
    Option("planned_layout", False, choices=YES_NO),
    Option("tougher_forts", False, choices=YES_NO),
    Option("region_switch", "beyond_first", choices=("beyond_first", "per_change")),
    Option("usa_isolation", "optional", choices=("optional", "automatic")),
    Option("last_upgrade", "used", choices=("used", "taken")),
    Option("fixed_price", "with_increases", choices=("with_increases", "exact")),
    Option("conflicted_flags", "ignored", choices=("ignored", "counted")),
    Option("carnatic_fort", "india", choices=("india", "anywhere")),
    Option("immediate_advantage", "free", choices=("free", "limited")),
    Option("austro_spanish_india", "both", choices=("both", "economic")),
    Option("european_refresh", "own", choices=("own", "any")),
    Option("townshend_goods", "in_demand", choices=("in_demand", "any")),
    Option("voltaire", "always", choices=("always", "when_given")),
    Option("turgot", "after", choices=("after", "before")),
    Option("conquered_damage", "kept", choices=("kept", "repaired")),
    Option("card_draw", "deck", choices=("deck", "reshuffle")),
)


def table(edition: str, options: Options) -> State:
    """The board as it is set up (the set-up page of the reference book)."""
    readings = msgspec.convert(options, Readings)
    flags = {space.id: space.flag for space in BOARD.values() if space.flag}
    if readings.spanish_empire:
        flags |= {space.id: SPAIN for space in BOARD.values() if space.spanish}
    return State(
        edition=edition,
        options=readings,
        initiative=FR,
        first=FR,
        limit={BR: 6, FR: 6},
        navy={BR: 2, FR: 1},
        unbuilt={BR: 6, FR: 7},
        flags=flags,
        advantages={"wheat": BR, "algonquin_raids": FR},
        deck=Pile.of(events_of(SUCCESSION)),
        stack=Pile.of(INVESTMENTS),
        basics={
            side: Pile.of(tile.id for tile in WAR_TILES.values() if tile.side == side and not tile.war)
            for side in (BR, FR)
        },
    )


def first(s: State) -> tuple[Step[State], ...]:
    """A match begins with its set-up."""
    return (SetUp(),)
