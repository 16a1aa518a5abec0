"""How the log of a tournament is written and read: with the leaves, roots and seals of `domain.log`.

The private parts of an entry are sealed for `OFFICIALS`, in every entry, and for the party that an entry of
some kinds names in public anyway; so the presence of a commitment reveals nothing.  They are stored in the
order of their audiences' names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import msgspec
from msgspec import Struct

from domain.chance import Secret
from domain.log import NOTHING, TOURNAMENT, Damaged, Record, canonical, chained
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.tournaments.events import OFFICIALS, PARTY, AnyEntry, Entry, Role, Sealed


class _Envelope(Struct, gc=False):
    kind: str
    sealed: dict[str, str]


_envelope = msgspec.json.Decoder(_Envelope).decode
_entry = msgspec.json.Decoder(AnyEntry).decode
_part = msgspec.json.Decoder(Sealed).decode
_EMPTY = Sealed()


class TournamentCodec:
    """Reads the records of tournaments."""

    topic = TOURNAMENT

    def entry(self, leaf: bytes) -> AnyEntry:
        """A leaf, decoded.  Raises msgspec.DecodeError: it is not an entry."""
        found: AnyEntry = _entry(leaf)
        return found

    def parts(self, sealed: dict[str, bytes]) -> dict[str, Sealed]:
        """Private parts, decoded, by audience.  Raises msgspec.DecodeError: they are none."""
        return {name: _EMPTY if part == NOTHING else _part(part) for name, part in sealed.items()}

    def kind(self, leaf: bytes) -> str:
        """The kind of an entry, from its leaf.  Raises msgspec.DecodeError: it is not an entry."""
        return _envelope(leaf).kind

    def kind_of(self, entry: Entry) -> str:
        """The kind of an entry."""
        return str(entry.__struct_config__.tag)

    def read(self, tournament: str, number: int, stored: bytes) -> Record:
        """The record that stored bytes hold; they are decoded when they are used.

        Raises:
            Damaged: these are not the bytes of an entry of a tournament.
        """
        leaf, *parts = stored.split(b"\n")
        try:
            audiences = tuple(_envelope(leaf).sealed)
        except msgspec.DecodeError as error:
            raise Damaged(f"tournament {tournament}, entry {number}: {error}") from error
        if len(parts) != len(audiences):
            raise Damaged(Sentence("parts-count", {"count": len(parts), "wanted": len(audiences)}))
        return Record(self, tournament, number, stored, audiences)


@cache
def codec() -> TournamentCodec:
    """The codec of all tournaments."""
    return TournamentCodec()


class New(Struct, frozen=True):
    """A new entry before it has a number.

    sealed: the private part of each audience that knows more than the leaf.
    party: the entrant who is an audience beside the officials; named in public by this kind of entry.
    unnamed: the leaf does not say which official acts; a sealed part does.
    """

    kind: type[Entry]
    fields: Mapping[str, Any] = {}
    sealed: Mapping[str, Sealed] = {}
    party: str = ""
    unnamed: bool = False

    @property
    def audiences(self) -> tuple[str, ...]:
        """All audiences, in their order."""
        return (OFFICIALS, f"{PARTY}{self.party}") if self.party else (OFFICIALS,)


class Draft:
    """The records that one command adds, while they are put together.

    Args:
        secret: of the tournament.
        tree: the tree over the entries so far; it is copied.
        now: the time in microseconds UTC; None if it is not known.
        by, role: who acts.
    """

    def __init__(self, secret: Secret, tree: Tree, now: int | None, by: str, role: Role) -> None:
        self.records: list[Record] = []
        self.tree = tree.copy()
        self._secret, self._now, self._by, self._role = secret, now, by, role

    def add(self, new: New) -> None:
        """Append an entry."""
        number = self.tree.size + 1
        names = new.audiences
        known = {name: new.sealed.get(name, _EMPTY) for name in names}
        stored = {name: NOTHING if part is _EMPTY else canonical(part) for name, part in known.items()}
        by, role = ("", "official") if new.unnamed else (self._by, self._role)
        who: dict[str, Any] = {"at": self._now, "by": by, "role": role}

        def make(prev: str, sealed: dict[str, str]) -> Entry:
            return new.kind(entry=number, prev=prev, sealed=sealed, **who, **new.fields)

        entry, whole = chained(self.tree, partial(self._secret.salt, number), stored, make)
        self.records.append(Record(codec(), self._secret.match, number, whole, names, entry, known))

    @property
    def entries(self) -> Sequence[AnyEntry]:
        """The new entries, in order."""
        return [record.entry for record in self.records]
