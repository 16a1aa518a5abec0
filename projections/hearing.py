"""Plays as turn summaries want them, read from stored records: no more is decoded than they need."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from domain.game import Game
from domain.kernel import Fact, Picks, Seat
from domain.log import canonical
from domain.upcast import decoder
from projections.summary import Play


class _Leaf(Struct, gc=False):
    kind: str
    move: int
    seat: Seat
    ask: str = ""
    picks: Picks | None = None
    facts: tuple[Raw, ...] = ()


class _Part(Struct, gc=False):
    picks: Picks | None = None
    facts: tuple[tuple[int, Raw], ...] = ()


Heard = tuple[Play, list[Fact]]  # a play, and its facts decoded

_leaf = msgspec.json.Decoder(_Leaf).decode
_part = msgspec.json.Decoder(_Part).decode


def in_public(game: Game, stored: bytes) -> Heard:
    """A play, or the set-up that came with the last seat, as a spectator was told it."""
    return _heard(game, _leaf(stored.partition(b"\n")[0]), {}, None)


def in_full(game: Game, stored: bytes) -> Heard:
    """The same with what only seats, or nobody, were told."""
    leaf, *parts = stored.split(b"\n")
    picks, known = None, dict[int, Raw]()
    for line in parts:
        if b'"facts":' in line or b'"picks":' in line:  # most hold at most an agenda
            part = _part(line)
            known.update(part.facts)
            picks = part.picks if picks is None else picks
    return _heard(game, _leaf(leaf), known, picks)


def _heard(game: Game, leaf: _Leaf, known: dict[int, Raw], picks: Picks | None) -> Heard:
    fact = _fact(game)
    raws = tuple([known.get(place, raw) for place, raw in enumerate(leaf.facts)]) if known else leaf.facts
    facts = [fact(raw) for raw in raws]
    if game.upcasters:  # a row knows today's tags only
        raws = tuple([Raw(canonical(found)) for found in facts])
    if leaf.kind != "played":
        return Play(leaf.move, raws), facts
    return Play(leaf.move, raws, leaf.seat, leaf.ask, picks if leaf.picks is None else leaf.picks), facts


@lru_cache
def _fact(game: Game) -> Callable[[Raw], Any]:
    return decoder(game.facts, game.upcasters)
