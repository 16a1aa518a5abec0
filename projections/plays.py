"""Plays as turn summaries want them, read from stored records: no more is decoded than they need."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from domain.game import Game
from domain.kernel import AnyFact, Picks, Seat
from domain.log import canonical
from domain.upcast import decoder
from projections.summary import Play


class _Leaf(Struct, gc=False):
    kind: str
    move: int
    seat: Seat = ""
    ask: str = ""
    picks: Picks | None = None
    facts: tuple[Raw, ...] = ()


class _Part(Struct, gc=False):
    picks: Picks | None = None
    facts: tuple[tuple[int, Raw], ...] = ()


Heard = tuple[Play, list[AnyFact]]  # a play, and its facts decoded

_leaf = msgspec.json.Decoder(_Leaf).decode
_part = msgspec.json.Decoder(_Part).decode


def hidden(stored: bytes) -> bytes:
    """Those private parts of a stored record that hold facts or picks; most records have none."""
    _, *parts = stored.split(b"\n")
    return b"\n".join([part for part in parts if b'"facts":' in part or b'"picks":' in part])


def heard(game: Game, leaf: bytes, hidden: bytes = b"") -> Heard:
    """A play, or the set-up that came with the last seat, as a spectator was told it; in full with what was
    `hidden` in it."""
    told, picks, known = _leaf(leaf), None, dict[int, Raw]()
    for line in hidden.splitlines():
        part = _part(line)
        known.update(part.facts)
        picks = part.picks if picks is None else picks
    raws = tuple([known.get(place, raw) for place, raw in enumerate(told.facts)]) if known else told.facts
    fact = _fact(game)
    facts = [fact(raw) for raw in raws]
    if game.upcasters:  # whoever tells them knows today's tags only
        raws = tuple([Raw(canonical(found)) for found in facts])
    if told.kind != "played":
        return Play(told.move, raws), facts
    return Play(told.move, raws, told.seat, told.ask, picks if told.picks is None else told.picks), facts


@lru_cache
def _fact(game: Game) -> Callable[[Raw], Any]:
    return decoder(game.facts, game.upcasters)
