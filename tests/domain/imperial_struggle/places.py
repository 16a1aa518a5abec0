"""Where every card and tile of Imperial Struggle lies, and how its tables are looked at after every fact."""

from __future__ import annotations

from collections.abc import Iterator

from domain.imperial_struggle.components import SIDES
from domain.imperial_struggle.state import State
from domain.kernel import Fact
from domain.piles import Pile
from tests.domain.played import Played


def places(s: State) -> list[str]:
    """Every event card, investment tile, award and war tile, where it lies; `picked` marks open tiles."""
    return [*events(s), *investments(s), *awards(s), *war_tiles(s)]


def events(s: State) -> list[str]:
    """The event cards; those of a later era are not in the game yet."""
    hands = [card for side in SIDES for card in (*s.hands[side], *s.dropped[side])]
    return [*_all(s.deck), *hands, *s.discards, *s.removed]


def investments(s: State) -> list[str]:
    """The investment tiles."""
    return [*_all(s.stack), *s.shown, *s.used]


def awards(s: State) -> list[str]:
    """The awards; before the first turn they lie beside the board."""
    return [*_all(s.awards), *s.laid.values(), *s.given]


def war_tiles(s: State) -> list[str]:
    """Basic tiles, and the Bonus tiles of the wars that have been set up."""
    found = [*s.gone]
    for side in SIDES:
        found += [*_all(s.basics[side]), *_all(s.bonuses[side]), *s.drawn[side], *s.front[side].values()]
        found += [tile for tiles in s.reinforcements[side].values() for tile in tiles]
    return found


def tables(played: Played) -> Iterator[tuple[Fact[State], State]]:
    """Each fact with the table after it."""
    table = played.start
    for fact in played.facts:
        table = fact.apply(table)
        assert isinstance(table, State)
        yield fact, table


def _all(pile: Pile) -> list[str]:
    return [*pile.cards, *pile.top, *pile.bottom]
