"""Which cards may lie face down where: all that a viewer's own table holds about the panels of its scene.

A pile of that table lists every id that the viewer cannot place elsewhere (`domain.piles`); a hand, or a
headline, is drawn from such a pile, so the same ids may lie there.  Where no pile stands behind a place (the
ministries of a side, the agents that a side can send) the open part of the table says what is left.  A game
without an entry here has the candidates of its piles alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from domain.cia_vs_kgb.state import State as CiaVsKgb
from domain.imperial_struggle.state import State as ImperialStruggle
from domain.imperial_struggle.steps.flow import eligible
from domain.kernel import HIDDEN, Table
from domain.piles import Cards, Pile
from domain.thirteen_minutes.state import State as ThirteenMinutes
from domain.twilight_struggle.state import State as TwilightStruggle

Places = Iterator[tuple[str, Iterable[str], Cards]]
"""Places of a table by the panel that shows them: what lies there, and what may lie there."""


def candidates(game: str, table: Table) -> dict[str, Cards]:
    """Return the ids that may lie face down in each panel of a table as one viewer saw it.

    A panel is named as in the scene; what a panel of values hides has the name of its row or item behind a
    dot (`sent.kgb`).  Panels without anything face down are left out.
    """
    found: dict[str, Cards] = {name: pile.cards for name, pile in _piles(table) if pile.cards}
    for panel, lying, possible in _PLACES.get(game, _none)(table):
        if HIDDEN in lying and possible:
            found[panel] = tuple(possible)
    return found


def _piles(table: Table) -> Iterator[tuple[str, Pile]]:
    """The piles of a table, with the names of their panels."""
    for name in table.__struct_fields__:
        value = getattr(table, name)
        if isinstance(value, Pile):
            yield name, value
        elif isinstance(value, dict):
            yield from ((f"{name}.{key}", pile) for key, pile in value.items() if isinstance(pile, Pile))


def _none(table: Any) -> Places:
    yield from ()


def _hands(hands: Mapping[str, Cards], deck: Pile) -> Places:
    yield from ((f"hands.{seat}", cards, deck.cards) for seat, cards in hands.items())


def _twilight_struggle(s: TwilightStruggle) -> Places:
    yield from _hands(s.hands, s.deck)
    for side, card in s.chosen.items():
        unseen = s.deck.cards if HIDDEN in s.hands[side] else ()
        yield f"headlines.{side}", (card,), (*(own for own in s.hands[side] if own != HIDDEN), *unseen)


def _thirteen_minutes(s: ThirteenMinutes) -> Places:
    yield from _hands(s.hands, s.deck)
    yield "status.cuba", (s.cuba,), s.deck.cards


def _cia_vs_kgb(s: CiaVsKgb) -> Places:
    for side, agent in s.sent.items():
        yield f"sent.{side}", (agent,), s.headquarters[side]


def _imperial_struggle(s: ImperialStruggle) -> Places:
    yield from _hands(s.hands, s.deck)
    for side, dropped in s.dropped.items():
        yield f"dropped.{side}", dropped, s.deck.cards
    for side, laid in s.ministries.items():
        yield f"ministries.{side}", laid, tuple(id for id in eligible(s, side) if id not in laid)
    for side, tiles in s.front.items():
        yield f"war.{side}", tiles.values(), s.basics[side].cards
    for side, theatres in s.reinforcements.items():
        for theatre, bonuses in theatres.items():
            yield f"reinforcements.{side}.{theatre}", bonuses, s.bonuses[side].cards
    for side, drawn in s.drawn.items():
        yield f"drawn.{side}", drawn, s.bonuses[side].cards


_PLACES: dict[str, Callable[[Any], Places]] = {
    "twilight_struggle": _twilight_struggle,
    "imperial_struggle": _imperial_struggle,
    "thirteen_minutes": _thirteen_minutes,
    "cia_vs_kgb": _cia_vs_kgb,
}
