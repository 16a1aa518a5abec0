"""What each new move changed in the scene, and its sentences, encoded for those who follow a match live.

Followers with the same view and language share the encoded bytes.  They are a function of their key, so what
is kept is never stale: another name, another place in the log or a takeback is another key.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import msgspec
from cachetools import LRUCache
from msgspec import Raw, Struct
from msgspec.structs import replace

from domain.match import Match
from domain.match_base import Chair
from domain.turns import TurnCount
from replay.scenes.positions import shown_move
from replay.words import Words

ROOM = 4 * 1024 * 1024  # bytes that are kept

_encode = msgspec.json.Encoder().encode


class Wanted(Struct, frozen=True):
    """What a follower gets with each move: what it changed in the scene, its sentences.

    `names` are those of the players of the match, which sentences name.
    """

    scene: bool = False
    sentences: bool = False
    language: str = "en"
    names: Mapping[str, str] = {}

    def __bool__(self) -> bool:
        return self.scene or self.sentences


class LivePositions:
    """Encodes moves as `GET .../positions` shows them; use it on the loop's thread only."""

    def __init__(self) -> None:
        self._kept: LRUCache[tuple[object, ...], bytes] = LRUCache(ROOM, getsizeof=len)
        self._turns: WeakKeyDictionary[Match, TurnCount] = WeakKeyDictionary()

    def encoded(self, match: Match, move: int, viewer: Chair | None, wanted: Wanted) -> Raw:
        """One move as this viewer sees it, encoded.

        Raises:
            NoView: see `replay.scenes.positions`.
        """
        told = (wanted.language, tuple(wanted.names.items())) if wanted.sentences else ()
        key = (match.roots[move - 1], viewer, wanted.scene, told, match.stands(move))
        found = self._kept.get(key)
        if found is None:
            found = self._encoded(match, move, viewer, wanted)
            if len(found) <= self._kept.maxsize:
                self._kept[key] = found
        return Raw(found)

    def _encoded(self, match: Match, move: int, viewer: Chair | None, wanted: Wanted) -> bytes:
        counted = self._turns.setdefault(match, TurnCount(None))
        before = len(counted.numbers)
        counted.go_on(match)
        match.records[move - 1].rest()  # facts just made may hold mappings in an order that no log keeps
        words = Words(match, wanted.language) if wanted.sentences else None
        shown = shown_move(
            match,
            move,
            viewer,
            counted.numbers[move - 1],
            scene=wanted.scene,
            words=words,
            people=wanted.names,
        )
        for record in (*match.records[before:], match.records[move - 1]):
            record.rest()  # it was decoded for this alone
        return _encode(replace(shown, view=None))  # the move itself names it
