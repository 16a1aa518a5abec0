"""Tables of Twilight Struggle for tests: an empty map, and whatever the test puts on it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.kernel import Ended
from domain.piles import Cards, Pile
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.state import Effect, InPlay, Readings, State


def table(
    *,
    us: dict[str, int] | None = None,
    ussr: dict[str, int] | None = None,
    us_hand: Cards = (),
    ussr_hand: Cards = (),
    deck: Cards = (),
    edition: str = "deluxe",
    options: dict[str, Any] | None = None,
    effects: tuple[tuple[str, str], ...] = (),
    **fields: Any,
) -> State:
    """An action round of the US on turn 1 at DEFCON 5 on an empty map, and then what the test says.

    `us` and `ussr` are the influence, `effects` pairs of (card, seat).  Operations reach from this influence.
    """
    influence = {US: dict(us or {}), USSR: dict(ussr or {})}
    start = State(
        edition=edition,
        options=replace(Readings(), **(options or {})),
        turn=1,
        phase="rounds",
        round=1,
        phasing=US,
        influence=influence,
        at_start=influence,
        china=USSR,
        hands={US: us_hand, USSR: ussr_hand},
        deck=Pile.of(deck),
        effects=tuple(Effect(card, seat) for card, seat in effects),
    )
    return replace(start, **fields)


def resolving(s: State, card: str, player: str) -> State:
    """The same table with a card lying there as just played by `player`."""
    return replace(s, playing=(*s.playing, InPlay(card, player)), phasing=s.phasing or player)


def nuclear_war(winner: str, vp: int = 0) -> Ended[State]:
    """DEFCON 1."""
    return Ended(winner, "nuclear_war", {US: vp, USSR: -vp})


__all__ = ["GAME", "US", "USSR", "nuclear_war", "resolving", "table"]
