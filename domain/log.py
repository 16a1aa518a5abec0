"""How the log of a match is written: its entries (`domain.events`) as leaves with private parts.

Every entry is one numbered move.  Its *leaf* is the canonical JSON (RFC 8785) of what a spectator sees, with
`prev`, the root before it (`domain.merkle` has the tree), and `sealed`, salted commitments to its private
parts: one for each seat and one for the house (what no seat knows), always all of them, so that the presence
of a commitment reveals nothing.

The full entry is the sum of leaf and parts: the facts of the leaf, overlaid with those of the parts.  Leaf
and parts are kept as the bytes first written; roots, exports and proofs use these bytes only.

A record is read in three depths, each of which costs several times the one before: its *kind*
(`Record.kind`), its *facts* with the play that led to them (`Leaf` and `Known`: decoded if a table is folded,
as bytes if they are only passed on), and *everything* (`Record.entry` and `Record.parts`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from domain.events import (
    ClockPaused,
    ClockResumed,
    ClockSet,
    ClockStopped,
    Closed,
    Frozen,
    Opened,
    Part,
    Played,
    Released,
    Resigned,
    Restated,
    Ruled,
    SaltOpened,
    Seated,
    SecretOpened,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
    TimedOut,
)
from domain.game import Game
from domain.kernel import AnyFact, Picks, Seat, SeatsSettled
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.sharing import shared
from domain.upcast import decoder

HOUSE = "house"  # the audience of what no seat knows
TOURNAMENT = "tournament"  # the topic of the records of tournaments; that of a match is the name of its game
NOTHING = b"{}"  # a private part that holds nothing
PLAYED = "played"  # the kind of a play
SEATS_SETTLED = "seats_settled"  # the kind of a play that settles who plays which seat

E = TypeVar("E", bound=Struct)
F = TypeVar("F", bound=AnyFact)
T = TypeVar("T")
R = TypeVar("R")
V = TypeVar("V")  # a fact, decoded or as bytes

canonical = msgspec.json.Encoder(order="sorted").encode
"""Canonical JSON: ASCII keys, whole numbers within 53 bits and text, so it equals RFC 8785 byte for byte."""


class Damaged(ValueError):
    """Stored or exported bytes are not what was once written; the text says where.

    What users may read, about a match file, is a sentence by its id; what only the operator reads is a text.
    """

    def __init__(self, said: str | Sentence = "") -> None:
        super().__init__(str(said))
        self.said = said


def said_of(error: Exception) -> str | Sentence:
    """What an error says: its sentence if it has one, else its text."""
    return error.said if isinstance(error, Damaged) else str(error)


def b64(data: bytes) -> str:
    """Base64 with padding: the one spelling of hashes, keys and salts, as in a signed checkpoint."""
    return binascii.b2a_base64(data, newline=False).decode()


def unb64(text: str) -> bytes:
    """The bytes that `text` spells.

    Raises:
        Damaged: not base64, or not the one spelling of these bytes (spare bits, missing padding).
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Damaged(Sentence("not-base64", {"text": repr(text[:60])})) from error
    if b64(data) != text:
        raise Damaged(Sentence("base64-not-canonical", {"text": repr(text[:60])}))
    return data


# ── What is read of a record: its kind, its facts, or everything ──


class _Tag(Struct, gc=False):
    fact: str


class _Envelope(Struct, gc=False):
    """The fields that say of which kind a record is."""

    kind: str
    at: int | None = None
    facts: tuple[_Tag, ...] = ()


class Leaf(Struct, Generic[V], gc=False):
    """What folding needs of a leaf: its facts, or the move `to` which the match goes back."""

    kind: str
    move: int
    to: int = 0
    facts: tuple[V, ...] = ()


class PlayLeaf(Leaf[V], Generic[V], gc=False):
    """The same with what led to the facts: which seat answered what."""

    seat: Seat = ""
    ask: str = ""
    picks: Picks | None = None


class Known(Struct, Generic[V], gc=False):
    """What a private part adds to the leaf: facts by place, secret picks and draws."""

    facts: tuple[tuple[int, V], ...] = ()
    picks: Picks | None = None
    draws: tuple[Raw, ...] = ()


_envelope = msgspec.json.Decoder(_Envelope).decode
_leaf = msgspec.json.Decoder(PlayLeaf[Raw]).decode
_known = msgspec.json.Decoder(Known[Raw]).decode


def time_of(leaf: bytes) -> int | None:
    """When a move was made, in microseconds UTC; None if unknown."""
    return _envelope(leaf).at


def overlaid(facts: tuple[V, ...], parts: Iterable[Known[V] | Part[Any]]) -> tuple[V, ...]:
    """The facts of a leaf, with those of private parts in their places.

    Raises:
        IndexError: a part holds a fact for a place that the move does not have.
    """
    known = [pair for part in parts for pair in part.facts]
    if not known:
        return facts
    full = list(facts)
    for place, fact in known:
        full[place] = fact
    return tuple(full)


class _Reader(Protocol):
    """What a record must know to read its bytes: a codec, of a game or of tournaments."""

    topic: str

    def entry(self, leaf: bytes) -> Any:
        """A leaf, decoded."""

    def parts(self, sealed: dict[str, bytes]) -> Any:
        """Private parts, decoded, by audience."""

    def kind(self, leaf: bytes) -> str:
        """See `Record.kind`; from the leaf."""

    def kind_of(self, entry: Any) -> str:
        """See `Record.kind`; from the entry."""


class Record:
    """One entry as it is stored, and what its bytes say.

    It is an entry of a match or of a tournament: `match` is the id of either, `move` the number of the entry.

    `stored` is the leaf and the private parts of `audiences` (all of them, or those that a viewer's file
    holds), a line each.  Entry and parts are decoded on first use, unless the caller gives them, and `rest`
    drops them again: decoded, a move takes three times the memory.

    Reading them raises `Damaged` if these are not the bytes of an entry of the game.
    """

    __slots__ = ("_codec", "_entry", "_facts", "_parts", "audiences", "match", "move", "stored")

    def __init__(
        self,
        codec: _Reader,
        match: str,
        move: int,
        stored: bytes,
        audiences: tuple[str, ...],
        entry: Any = None,
        parts: dict[str, Any] | None = None,
    ) -> None:
        self._codec, self.match, self.move = codec, match, move
        self.stored, self.audiences = stored, audiences
        self._entry: Any = entry
        self._parts = parts
        self._facts: tuple[AnyFact, ...] | None = None

    @property
    def topic(self) -> str:
        """The name of the match's game, or `TOURNAMENT`."""
        return self._codec.topic

    @property
    def leaf(self) -> bytes:
        """The bytes of the leaf."""
        return self.stored.partition(b"\n")[0]

    @property
    def sealed(self) -> dict[str, bytes]:
        """The bytes of each private part, by audience."""
        return dict(zip(self.audiences, self.stored.split(b"\n")[1:], strict=True))

    def part(self, audience: str) -> bytes:
        """The bytes of one private part."""
        place = self.audiences.index(audience) + 1
        return self.stored.split(b"\n", place + 1)[place]

    @property
    def entry(self) -> Any:
        """The leaf, decoded."""
        entry = self._entry  # a local name, because another thread may put the record to rest meanwhile
        if entry is None:
            entry = self._entry = self._looked_at(self._codec.entry, self.leaf)
        return entry

    @property
    def parts(self) -> dict[str, Any]:
        """The private parts, decoded, by audience."""
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
        self._entry = self._parts = self._facts = None

    @property
    def kind(self) -> str:
        """The kind of its entry, such as "played"; `SEATS_SETTLED` if it is a play that settles the seats."""
        if self._entry is None:
            return self._looked_at(self._codec.kind, self.leaf)
        return self._codec.kind_of(self._entry)

    def known(self, audiences: Collection[str]) -> list[Known[Raw]]:
        """What these audiences add to the leaf, facts as bytes; one item per audience that adds anything."""
        parts = [self.part(name) for name in self.audiences if name in audiences]
        return [self._looked_at(_known, part) for part in parts if part != NOTHING]

    def leaf_for(self, audiences: Collection[str]) -> PlayLeaf[Raw]:
        """The leaf, completed with the private parts of these audiences; its facts as bytes."""
        leaf, parts = self._looked_at(_leaf, self.leaf), self.known(audiences)
        leaf.facts = overlaid(leaf.facts, parts)
        if leaf.picks is None:
            leaf.picks = next((part.picks for part in parts if part.picks is not None), None)
        return leaf

    @property
    def facts(self) -> tuple[AnyFact, ...]:
        """The facts in full."""
        facts = self._facts
        if facts is None:
            facts = self._facts = overlaid(_facts(self.entry), self.parts.values())
        return facts

    def facts_for(self, viewer: Seat | None) -> tuple[AnyFact, ...]:
        """The facts as a viewer (None: a spectator) saw them."""
        return overlaid(_facts(self.entry), (self.parts[viewer],) if viewer in self.parts else ())

    @property
    def picks(self) -> Picks | None:
        """The picks of a played entry, secret ones included."""
        picks: Picks | None = self.entry.picks
        own = self.parts.get(self.entry.seat)
        return own.picks if picks is None and own is not None else picks


def _facts(entry: Any) -> tuple[AnyFact, ...]:
    facts: tuple[AnyFact, ...] = getattr(entry, "facts", ())
    return facts


class Codec:
    """Encodes and decodes the records of one game."""

    def __init__(self, game: Game) -> None:
        self.game, self.topic = game, game.name
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
            | TimedOut
            | ClockStopped
            | ClockSet
            | ClockPaused
            | ClockResumed
            | Frozen
            | Released
            | Ruled
            | SecretOpened
            | Closed,
            game.upcasters,
        )
        self.part = decoder(over(Part, game.facts), game.upcasters)
        self.step = decoder(game.steps, game.upcasters)
        self._settling = _settling(game)
        self._none: Part[Any] = Part()

    def entry(self, leaf: bytes) -> Any:
        """A leaf, decoded; options that are data are shared.  Raises msgspec.DecodeError: see `read`."""
        entry = self._entry(leaf)
        return replace(entry, options=shared(entry.options)) if type(entry) is Opened else entry

    def read(self, match: str, stored: bytes) -> Record:
        """The record that stored bytes hold.

        Raises:
            Damaged: these are not the bytes of an entry of this game.
        """
        leaf, *parts = stored.split(b"\n")
        if len(parts) != len(self.audiences):
            raise Damaged(Sentence("parts-count", {"count": len(parts), "wanted": len(self.audiences)}))
        return self._record(match, stored, leaf, dict(zip(self.audiences, parts, strict=True)))

    def join(self, match: str, leaf: bytes, sealed: dict[str, bytes]) -> Record:
        """The record of a leaf and its parts (some may be missing: a viewer's record); see `read`."""
        return self._record(match, b"\n".join((leaf, *sealed.values())), leaf, sealed)

    def kind(self, leaf: bytes) -> str:
        """See `Record.kind`; from the leaf.  Raises msgspec.DecodeError: see `read`."""
        found = _envelope(leaf)
        is_settling = found.kind == PLAYED and any(tag.fact in self._settling for tag in found.facts)
        return SEATS_SETTLED if is_settling else found.kind

    def kind_of(self, entry: Any) -> str:
        """See `Record.kind`; from the entry."""
        if not isinstance(entry, Played):
            return str(entry.__struct_config__.tag)
        return SEATS_SETTLED if any(isinstance(fact, SeatsSettled) for fact in entry.facts) else PLAYED

    @cached_property
    def fact(self) -> Callable[[bytes | Raw], Any]:
        """Decodes one fact."""
        return decoder(self.game.facts, self.game.upcasters)

    @cached_property
    def _leaf(self) -> Callable[[bytes], Any]:
        return decoder(over(Leaf, self.game.facts), self.game.upcasters)

    @cached_property
    def _known(self) -> Callable[[bytes], Any]:
        return decoder(over(Known, self.game.facts), self.game.upcasters)

    def leaf_with(self, leaf: bytes, parts: Sequence[bytes]) -> Leaf[Any]:
        """The leaf, completed with these private parts; its facts are decoded.

        Raises:
            msgspec.DecodeError: see `read`.
            IndexError: a part holds a fact for a place that the move does not have.
        """
        found: Leaf[Any] = self._leaf(leaf)
        read = self._known
        known = [own for part in parts if part != NOTHING and (own := read(part)).facts]
        if known:
            found.facts = overlaid(found.facts, known)
        return found

    def parts(self, sealed: dict[str, bytes]) -> dict[str, Part[Any]]:
        """Private parts, decoded.  Raises msgspec.DecodeError: see `read`."""
        return {name: self._none if part == NOTHING else self.part(part) for name, part in sealed.items()}

    def _record(self, match: str, stored: bytes, leaf: bytes, sealed: dict[str, bytes]) -> Record:
        try:
            parts = self.parts(sealed)
            entry = self.entry(leaf)
        except msgspec.DecodeError as error:
            raise Damaged(str(error)) from error
        return Record(self, match, entry.move, stored, tuple(sealed), entry, parts)


def _settling(game: Game) -> frozenset[str]:
    """The tags of facts that settle which player plays which seat, and all old tags, which may be of such."""
    facts = typing.get_args(game.facts) or (game.facts,)
    tags = [str(fact.__struct_config__.tag) for fact in facts if issubclass(fact, SeatsSettled)]
    return frozenset((*tags, *(tag for field, tag in game.upcasters if field == "fact")))


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


def chained(
    tree: Tree,
    salt: Callable[[str], bytes],
    parts: Mapping[str, bytes],
    make: Callable[[str, dict[str, str]], E],
) -> tuple[E, bytes]:
    """Seal the private parts of an entry and chain it to the root before it.

    Args:
        tree: gets the new leaf.
        salt: returns the salt, 32 bytes, of an audience.
        parts: the bytes of each part, by audience, in the order in which they are stored.
        make: returns the entry for `prev` and `sealed`.

    Returns:
        The entry, and the bytes to be stored: the leaf and the parts, a line each.
    """
    entry = make(b64(tree.root), {name: b64(seal(salt(name), part)) for name, part in parts.items()})
    leaf = canonical(entry)
    tree.add(leaf)
    return entry, b"\n".join((leaf, *parts.values()))
