"""How the log of a match is written: its entries (`domain.events`) as leaves with private parts.

Every entry is one numbered move.  Its *leaf* is the canonical JSON (RFC 8785) of what a spectator sees, with
`prev`, the root before it (`domain.merkle` has the tree), and `sealed`, salted commitments to its private
parts: one for each seat and one for the house (what no seat knows), always all of them, so that presence
tells nothing.

The full entry is the sum of leaf and parts: the facts of the leaf, overlaid with those of the parts.  Leaf
and parts are kept as the bytes first written; roots, exports and proofs use these bytes only.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import typing
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from domain.events import (
    Closed,
    Opened,
    Part,
    Played,
    Resigned,
    Restated,
    Ruled,
    SaltOpened,
    Seated,
    SecretOpened,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
)
from domain.game import Game
from domain.kernel import AnyFact, Picks, Seat, SeatsSettled
from domain.sharing import shared
from domain.upcast import decoder

HOUSE = "house"  # the audience of what no seat knows
NOTHING = b"{}"  # a private part that holds nothing
PLAYED = b'"kind":"played","move":'  # stands in the bytes of every play, and of no other record

F = TypeVar("F", bound=AnyFact)
T = TypeVar("T")
R = TypeVar("R")

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


class Record:
    """One entry as it is stored, and what its bytes say.

    `stored` is the leaf and the private parts of `audiences` (all of them, or those that a viewer's file
    holds), a line each.  Entry and parts are read from it when somebody looks, unless they are at hand, and
    `rest` forgets them again: decoded, a move takes three times the memory.

    Reading them raises `Damaged` where these are not the bytes of an entry of the game.
    """

    __slots__ = ("_codec", "_entry", "_parts", "audiences", "match", "move", "stored")

    def __init__(
        self,
        codec: Codec,
        match: str,
        move: int,
        stored: bytes,
        audiences: tuple[str, ...],
        entry: Any = None,
        parts: dict[str, Part[Any]] | None = None,
    ) -> None:
        self._codec, self.match, self.move = codec, match, move
        self.stored, self.audiences = stored, audiences
        self._entry: Any = entry
        self._parts = parts

    @property
    def leaf(self) -> bytes:
        """The bytes of the leaf."""
        return self.stored.partition(b"\n")[0]

    @property
    def sealed(self) -> dict[str, bytes]:
        """The bytes of each private part, by audience."""
        return dict(zip(self.audiences, self.stored.split(b"\n")[1:], strict=True))

    @property
    def entry(self) -> Any:
        """What the leaf says."""
        entry = self._entry  # a name of its own: meanwhile another thread may put the record to rest
        if entry is None:
            entry = self._entry = self._looked_at(self._codec.entry, self.leaf)
        return entry

    @property
    def parts(self) -> dict[str, Part[Any]]:
        """What each private part says, by audience."""
        parts = self._parts
        if parts is None:
            parts = self._parts = self._looked_at(self._codec.parts, self.sealed)
        return parts

    def _looked_at(self, read: Callable[[T], R], data: T) -> R:
        try:
            return read(data)
        except msgspec.DecodeError as error:
            raise Damaged(f"match {self.match}, move {self.move}: {error}") from error

    def rest(self) -> None:
        """Hold nothing but the bytes."""
        self._entry = self._parts = None

    @property
    def only_plays(self) -> bool:
        """Is it the entry of a play that settles no seats?  Told by its bytes alone, so quickly.

        Canonical JSON writes the kind of an entry before its move, and a quotation mark within a text never
        bare.
        """
        stored = self.stored
        if PLAYED not in stored:
            return False
        settling = self._codec.settling
        return not settling or all(tag not in stored for tag in settling)

    @property
    def facts(self) -> tuple[AnyFact, ...]:
        """The facts in full."""
        return overlaid(self.entry, self.parts.values())

    def facts_for(self, viewer: Seat | None) -> tuple[AnyFact, ...]:
        """The facts as a viewer (None: a spectator) was told them."""
        return overlaid(self.entry, (self.parts[viewer],) if viewer in self.parts else ())

    @property
    def picks(self) -> Picks | None:
        """The picks of a played entry, secret ones included."""
        picks: Picks | None = self.entry.picks
        own = self.parts.get(self.entry.seat)
        return own.picks if picks is None and own is not None else picks


def overlaid(entry: Any, parts: Any) -> tuple[AnyFact, ...]:
    """The facts of an entry, those of `parts` in their places."""
    facts: tuple[AnyFact, ...] = getattr(entry, "facts", ())
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
        self._entry = decoder(
            Opened
            | over(Seated, game.facts)
            | over(SaltOpened, game.facts)
            | over(Played, game.facts)
            | over(Restated, game.facts)
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
        self.settling = _settling(game)
        self._none: Part[Any] = Part()

    def entry(self, leaf: bytes) -> Any:
        """What a leaf says; options that are data are shared.  Raises msgspec.DecodeError: see `read`."""
        entry = self._entry(leaf)
        return replace(entry, options=shared(entry.options)) if type(entry) is Opened else entry

    def read(self, match: str, stored: bytes) -> Record:
        """The record behind stored bytes.

        Raises:
            Damaged: these are not the bytes of an entry of this game.
        """
        leaf, *parts = stored.split(b"\n")
        if len(parts) != len(self.audiences):
            raise Damaged(f"{len(parts)} private parts, not {len(self.audiences)}")
        return self._record(match, stored, leaf, dict(zip(self.audiences, parts, strict=True)))

    def join(self, match: str, leaf: bytes, sealed: dict[str, bytes]) -> Record:
        """The record of a leaf and its parts (some may be missing: a viewer's record); see `read`."""
        return self._record(match, b"\n".join((leaf, *sealed.values())), leaf, sealed)

    def parts(self, sealed: dict[str, bytes]) -> dict[str, Part[Any]]:
        """What private parts say.  Raises msgspec.DecodeError: see `read`."""
        return {name: self._none if part == NOTHING else self.part(part) for name, part in sealed.items()}

    def _record(self, match: str, stored: bytes, leaf: bytes, sealed: dict[str, bytes]) -> Record:
        try:
            parts = self.parts(sealed)
            entry = self.entry(leaf)
        except msgspec.DecodeError as error:
            raise Damaged(str(error)) from error
        must_be_marked(stored, entry)
        return Record(self, match, entry.move, stored, tuple(sealed), entry, parts)


def must_be_marked(stored: bytes, entry: Any) -> None:
    """Stores and read models tell plays from the rest by bytes alone, so nothing else may look like one.

    Raises:
        Damaged: it does, or a play does not.
    """
    if (PLAYED in stored) != isinstance(entry, Played):
        raise Damaged(f"move {entry.move} is written like what it is not: a play, or none")


def _settling(game: Game) -> tuple[bytes, ...]:
    """How a fact that settles who plays which seat begins in canonical JSON; old tags may have become one."""
    facts = typing.get_args(game.facts) or (game.facts,)
    tags = [fact.__struct_config__.tag for fact in facts if issubclass(fact, SeatsSettled)]
    tags += [tag for field, tag in game.upcasters if field == "fact"]
    return tuple(f'"fact":"{tag}"'.encode() for tag in tags)


def over(entry: Any, facts: Any) -> Any:
    """`entry` over one game's union of facts."""
    return entry[facts]


@lru_cache
def codec(game: Game) -> Codec:
    """The codec of a game; building one is slow."""
    return Codec(game)


# ── commitments ──


def seal(salt: bytes, part: bytes) -> bytes:
    """The commitment to a private part: SHA-256(0x02, the 32-byte salt, the part's bytes)."""
    return hashlib.sha256(b"\x02" + salt + part).digest()
