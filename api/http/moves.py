"""Moves on the wire, put together from the bytes that are stored: facts are never written a second time.

What goes out is the leaf without `prev` and `sealed`, its facts overlaid with the viewer's own part.  The
salt that a seat chose for the draws (in `seated`) goes out as `chance_salt`, because `salt` is the one that
opens the commitment to the viewer's own part.

A player is told each move as the seat that he plays after it.  So where two players change places (see
`domain.kernel.SeatsSettled`) nobody is ever told more than he was at the time, also not of moves that were
taken back, and what he was told stays the same for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct

from domain.chance import Secret
from domain.kernel import Seat
from domain.log import HOUSE, NOTHING, Record, b64
from domain.match import Match
from domain.outline import ALL, Chair

SPECTATOR = "spectator"
_FIRST = ("move", "kind", "seat", "ask", "picks", "facts", "at", "root")
_UNTOLD = ("prev", "sealed")

_leaf = msgspec.json.Decoder(dict[str, Raw]).decode
_raws = msgspec.json.Decoder(list[Raw]).decode
_encode = msgspec.json.Encoder().encode
_NULL, _NO_FACTS = Raw(b"null"), Raw(b"[]")


class _Part(Struct):
    """A private part, its content as stored."""

    facts: list[tuple[int, Raw]] = []
    picks: Raw = Raw(b"")
    draws: list[Raw] = []


class _Told(Struct):
    """The facts of a leaf."""

    facts: list[Raw] = []


_part = msgspec.json.Decoder(_Part).decode
_told = msgspec.json.Decoder(_Told).decode


class Sight(Struct, frozen=True):
    """How a match is looked at: as which viewer, and (`proof`) with what checks the log.

    `viewer`: the player who sat down there; None: a spectator; `ALL`.
    """

    match: Match
    viewer: Chair | None
    secret: Secret | None
    proof: bool = False

    def seat_at(self, number: int) -> Seat | None:
        """As which seat the viewer is told a move."""
        return self.match.seat_of(self.viewer, number) if self.viewer else None

    def move(self, number: int) -> dict[str, Any]:
        """One move, ready to be encoded."""
        record = self.match.records[number - 1]
        told = _leaf(record.leaf)
        parts = [_part(part) for part in self._parts(record)]
        move: dict[str, Any] = dict.fromkeys(_FIRST, _NULL)
        move |= {"facts": _NO_FACTS, **{name: raw for name, raw in told.items() if name not in _UNTOLD}}
        _overlay(move, parts)
        move["root"] = b64(self.match.roots[number - 1])
        if "salt" in told:
            move["chance_salt"] = move.pop("salt")
        return self._with_own(move, record)

    def facts(self, first: int, last: int) -> list[Raw]:
        """The facts of some moves in a row."""
        return [fact for number in range(first, last + 1) for fact in self._facts(number)]

    def lines(self, numbers: Iterable[int]) -> bytes:
        """Moves as NDJSON."""
        return b"".join(_encode(self.move(number)) + b"\n" for number in numbers)

    def events(self, numbers: Iterable[int]) -> bytes:
        """Moves as server-sent events; the id is the move's number."""
        return b"".join(b"id: %d\ndata: %b\n\n" % (number, _encode(self.move(number))) for number in numbers)

    def _facts(self, number: int) -> list[Raw]:
        record = self.match.records[number - 1]
        facts = _told(record.leaf).facts
        for part in self._parts(record):
            for place, fact in _part(part).facts:
                facts[place] = fact
        return facts

    def _parts(self, record: Record) -> list[bytes]:
        """The private parts that this viewer knows, save those that hold nothing."""
        if self.viewer == ALL:
            return [part for part in record.sealed.values() if part != NOTHING]
        own = record.sealed.get(self.seat_at(record.move) or "", NOTHING)
        return [own] if own != NOTHING else []

    def _with_own(self, move: dict[str, Any], record: Record) -> dict[str, Any]:
        """Add what lets the viewer check the log; and as which seat he is told it, where that is not the one
        on which he sat down.

        The salt of a part that holds nothing is told with `proof` only: it opens what the seat knows anyway,
        and would make most moves an eighth longer.
        """
        seat = self.seat_at(record.move)
        own = seat if seat != HOUSE and seat in record.sealed else None
        if seat != self.viewer:
            move["view"] = seat
        if own and self.secret and (self.proof or record.sealed[own] != NOTHING):
            move["salt"] = b64(self.secret.salt(record.move, own))
        if self.proof:
            move["leaf"] = record.leaf.decode()
        if self.proof and own:
            move["part"] = record.sealed[own].decode()
        return move


def _overlay(move: dict[str, Any], parts: list[_Part]) -> None:
    """Put what the parts tell into its places."""
    known = [pair for part in parts for pair in part.facts]
    if known:
        facts = _raws(move["facts"])
        for place, fact in known:
            facts[place] = fact
        move["facts"] = facts
    for part in parts:
        if part.picks != Raw(b""):
            move["picks"] = part.picks
        if part.draws:
            move["draws"] = [*_raws(move.get("draws", _NO_FACTS)), *part.draws]
