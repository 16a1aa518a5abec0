"""A world that a seat cannot tell from the true one: what the other seat knows there, and its dice."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec.structs import replace

from api.research.episode import Episode
from domain.agents.spec import Rng
from domain.chance import Provable, Secret, Source
from domain.kernel import HIDDEN, Seat, Table
from domain.piles import Pile

T = TypeVar("T", bound=Table)


def fresh_source(episode: Episode, rng: Rng) -> Source:
    """Draws that have nothing to do with those of the true match."""
    secret = Secret(bytes(int(rng.random() * 256) for _ in range(32)), episode.match)
    return Provable(secret, episode.setting.salts)


def known_to(seat: Seat, public: T, table: T) -> T:
    """What a seat knows that sees what is public and its own hidden cards.

    Args:
        public: the table as a spectator folds it.
        table: the whole table.
    """
    side = next((side for side, who in getattr(table, "seats", {}).items() if who == seat), seat)
    own: dict[str, Any] = {}
    found: set[str] = set()
    for name in public.__struct_fields__:
        value = getattr(public, name)
        if isinstance(value, dict) and side in value and value[side] != (real := getattr(table, name)[side]):
            own[name] = {**value, side: real}
            found.update(_faces(real))
    for name in public.__struct_fields__:
        value = getattr(public, name)
        if isinstance(value, Pile):
            own[name] = replace(value, cards=tuple(card for card in value.cards if card not in found))
    return replace(public, **own, agenda=())


def _faces(value: Any) -> list[str]:
    """The cards in a part of a table that belongs to one side."""
    if isinstance(value, Pile):
        return []
    if isinstance(value, dict):
        return [face for item in value.values() for face in _faces(item)]
    if isinstance(value, tuple):
        return [face for item in value for face in _faces(item)]
    return [value] if isinstance(value, str) and value != HIDDEN else []
