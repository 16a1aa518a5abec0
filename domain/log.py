"""The log of a match: its entries, their leaf bytes and private parts, and the Merkle tree over the leaves.

Every entry is one numbered move.  Its *leaf* is the canonical JSON (RFC 8785) of what a spectator sees, with
`prev`, the root before it, and `sealed`, salted commitments to its private parts: one for each seat and one
for the house (what no seat knows), always all of them, so that presence tells nothing.

The full entry is the sum of leaf and parts: the facts of the leaf, overlaid with those of the parts.  Leaf
and parts are kept as the bytes first written; roots, exports and proofs use these bytes only.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Raw, Struct

from domain.chance import Drawn
from domain.game import Game, OptionValue
from domain.kernel import Fact, Picks, Result, Seat
from domain.upcast import decoder

HOUSE = "house"  # the audience of what no seat knows
NOTHING = b"{}"  # a private part that holds nothing

F = TypeVar("F", bound=Fact)

canonical = msgspec.json.Encoder(order="sorted").encode
"""Canonical JSON: ASCII keys, whole numbers within 53 bits and text, so it equals RFC 8785 byte for byte."""


class Damaged(ValueError):
    """Stored or exported bytes that are not what was once written; the text says where."""


def b64(data: bytes) -> str:
    """Base64 with padding: the one spelling of hashes, keys and salts, as in a signed checkpoint."""
    return base64.b64encode(data).decode()


def unb64(text: str) -> bytes:
    """The bytes behind `text`.

    Raises:
        Damaged: not base64, or not the one spelling of these bytes (spare bits, missing padding).
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Damaged(f"{text[:60]!r} is not base64") from error
    if b64(data) != text:
        raise Damaged(f"{text[:60]!r} is not the canonical base64 of its bytes")
    return data


# ── entries ──


class Asked(Struct, frozen=True, gc=False, omit_defaults=True):
    """The question that stands: its name, and for each seat asked the number of the move that put it."""

    ask: str
    seats: dict[Seat, int]


class Key(Struct, frozen=True, gc=False):
    """The key of the open draws of a finished period."""

    period: int
    key: str


class Chance(Struct, frozen=True, omit_defaults=True):
    """Where the draws come from: `rng/1` with its commitment and first anchor, or "recorded"."""

    scheme: str
    commitment: str = ""
    anchor: str = ""


class Entry(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="kind"):
    """One stored event of a match; `at` is in microseconds UTC, None where the time is unknown."""

    move: int
    prev: str
    sealed: dict[str, str]
    at: int | None = None


class Opened(Entry, frozen=True, kw_only=True, tag="opened"):
    """A match begins to exist; every option is written out."""

    match: str
    game: str
    edition: str
    options: dict[str, OptionValue]
    origin: str
    rules: str
    product: str
    chance: Chance
    opener: str | None = None


class Told(Entry, Generic[F], frozen=True, kw_only=True):
    """An entry that brings facts: open draws, opened keys and the next question come with them.

    `rules` and `product` stand where they differ from those before; `anchor` where a new chain begins.
    """

    facts: tuple[F, ...] = ()
    draws: tuple[Drawn, ...] = ()
    keys: tuple[Key, ...] = ()
    anchor: str = ""
    asked: Asked | None = None
    rules: str = ""
    product: str = ""


class Seated(Told[F], Generic[F], frozen=True, kw_only=True, tag="seated"):
    """A player sits down; the last one's entry brings the set-up.  `bot`: the house plays the seat."""

    seat: Seat
    player: str
    salt: str | None = None
    bot: str = ""


class Played(Told[F], Generic[F], frozen=True, kw_only=True, tag="played"):
    """One player action: the answer, every draw it led to, every fact, and what is asked next."""

    seat: Seat
    ask: str
    picks: Picks | None = None  # None: told only to the seat


class TakebackAsked(Entry, frozen=True, kw_only=True, tag="takeback_asked"):
    """`seat` asks to go back to the table after move `to`."""

    seat: Seat
    to: int


class TakebackAnswered(Entry, frozen=True, kw_only=True, tag="takeback_answered"):
    """`seat` answers the request made at move `request`."""

    seat: Seat
    request: int
    agree: bool


class TakenBack(Entry, frozen=True, kw_only=True, tag="taken_back"):
    """The table is again as it was after move `to`; `by` is "agreement" or "ruling"."""

    to: int
    by: str
    asked: Asked | None = None


class Resigned(Entry, frozen=True, kw_only=True, tag="resigned"):
    """`seat` gives up."""

    seat: Seat


class Ruled(Entry, frozen=True, kw_only=True, tag="ruled"):
    """An organizer ruled, for a reason: back to a move, a result, or the match is void: exactly one."""

    by: str
    reason: str
    back_to: int | None = None
    result: Result | None = None
    void: bool = False


class SecretOpened(Entry, frozen=True, kw_only=True, tag="secret_opened"):
    """The match is over: its secret, and with it every key and salt, is public."""

    secret: str


class Closed(Entry, frozen=True, kw_only=True, tag="closed"):
    """The match is over, `by` play, resignation, ruling or record; `result` is None where void or unknown."""

    by: str
    result: Result | None = None


# ── private parts ──


class Agenda(Struct, frozen=True, gc=False):
    """The agenda as a change: keep the lowest `keep` steps, then put these on top."""

    keep: int
    then: tuple[Raw, ...]


class Part(Struct, Generic[F], frozen=True, gc=False, omit_defaults=True):
    """What one audience knows beyond the leaf: facts by place, secret picks and draws, the agenda."""

    facts: tuple[tuple[int, F], ...] = ()
    picks: Picks | None = None
    draws: tuple[Drawn, ...] = ()
    agenda: Agenda | None = None


class Record:
    """One entry as it is stored: leaf bytes, the bytes of every private part, and what they say."""

    __slots__ = ("entry", "leaf", "match", "parts", "sealed")

    def __init__(self, match: str, leaf: bytes, sealed: dict[str, bytes], entry: Any, parts: Any) -> None:
        self.match, self.leaf, self.sealed = match, leaf, sealed
        self.entry: Any = entry
        self.parts: dict[str, Part[Any]] = parts

    @property
    def move(self) -> int:
        """The number of the move, from 1."""
        number: int = self.entry.move
        return number

    @property
    def stored(self) -> bytes:
        """The bytes to store: the leaf and the parts in the order of the audiences, a line each."""
        return b"\n".join((self.leaf, *self.sealed.values()))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in full."""
        return overlaid(self.entry, self.parts.values())

    def facts_for(self, viewer: Seat | None) -> tuple[Fact, ...]:
        """The facts as a viewer (None: a spectator) was told them."""
        return overlaid(self.entry, (self.parts[viewer],) if viewer in self.parts else ())

    @property
    def picks(self) -> Picks | None:
        """The picks of a played entry, secret ones included."""
        picks: Picks | None = self.entry.picks
        own = self.parts.get(self.entry.seat)
        return own.picks if picks is None and own is not None else picks


def overlaid(entry: Any, parts: Any) -> tuple[Fact, ...]:
    """The facts of an entry, those of `parts` in their places."""
    facts: tuple[Fact, ...] = getattr(entry, "facts", ())
    known = [pair for part in parts for pair in part.facts]
    if not known:
        return facts
    full = list(facts)
    for place, fact in known:
        full[place] = fact
    return tuple(full)


class Codec:
    """Encodes and decodes the entries of one game."""

    def __init__(self, game: Game) -> None:
        self.audiences = (*game.seats, HOUSE)
        self.entry = decoder(
            Opened
            | over(Seated, game.facts)
            | over(Played, game.facts)
            | TakebackAsked
            | TakebackAnswered
            | TakenBack
            | Resigned
            | Ruled
            | SecretOpened
            | Closed,
            game.upcasters,
        )
        self.part = decoder(over(Part, game.facts), game.upcasters)
        self.step = decoder(game.steps, game.upcasters)
        self._none: Part[Any] = Part()

    def read(self, match: str, stored: bytes) -> Record:
        """The record behind stored bytes.

        Raises:
            Damaged: these are not the bytes of an entry of this game.
        """
        leaf, *parts = stored.split(b"\n")
        if len(parts) != len(self.audiences):
            raise Damaged(f"{len(parts)} private parts, not {len(self.audiences)}")
        return self.join(match, leaf, dict(zip(self.audiences, parts, strict=True)))

    def join(self, match: str, leaf: bytes, sealed: dict[str, bytes]) -> Record:
        """The record of a leaf and its parts (some may be missing: a viewer's record); see `read`."""
        known: dict[str, Part[Any]] = {}
        try:
            for name, part in sealed.items():
                known[name] = self._none if part == NOTHING else self.part(part)
            return Record(match, leaf, sealed, self.entry(leaf), known)
        except msgspec.DecodeError as error:
            raise Damaged(str(error)) from error


def over(entry: Any, facts: Any) -> Any:
    """`entry` over one game's union of facts."""
    return entry[facts]


@lru_cache
def codec(game: Game) -> Codec:
    """The codec of a game; building one is slow."""
    return Codec(game)


# ── commitments and the tree ──


def seal(salt: bytes, part: bytes) -> bytes:
    """The commitment to a private part: SHA-256(0x02, the 32-byte salt, the part's bytes)."""
    return hashlib.sha256(b"\x02" + salt + part).digest()


class Tree:
    """The Merkle tree (RFC 6962, SHA-256) over the leaves so far, as its frontier: O(log n) hashes."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []

    def copy(self) -> Tree:
        """A tree that may go on without touching this one."""
        other = Tree()
        other.size, other._peaks = self.size, self._peaks.copy()
        return other

    def add(self, leaf: bytes) -> None:
        """Append a leaf's bytes."""
        peak, rest = hashlib.sha256(b"\x00" + leaf).digest(), self.size
        while rest & 1:
            peak, rest = _node(self._peaks.pop(), peak), rest >> 1
        self._peaks.append(peak)
        self.size += 1

    @property
    def root(self) -> bytes:
        """The root over all leaves; of none: SHA-256 of nothing."""
        if not self._peaks:
            return hashlib.sha256(b"").digest()
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = _node(peak, root)
        return root


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
