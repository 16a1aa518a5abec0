"""The first question, *log*: are the leaves as they were written, each chained to all before it?

Order: one leaf by itself, then the chain of the leaves, then the first wrong move if the chain breaks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, Protocol, TypeVar

import msgspec
from msgspec import Struct

from domain.events import Entry, Opened
from domain.game import Game
from domain.games import GAMES
from domain.log import Codec, Damaged, b64, canonical, codec, said_of, unb64
from domain.merkle import Tree
from domain.refusals import Sentence
from replay.report import LOG, Wrong

_LONG = re.compile(rb"[:,\[]-?(\d{17,}|9\d{15})")  # may lie beyond the 53 bits of a canonical number
_MOST = 2**53 - 1
NOT_CONTINUED = "leaf-not-continued"


class Chain(Struct, frozen=True):
    """A log with an unbroken chain: game and match, the entries, and the root over them."""

    game: Game
    match: str
    entries: list[Entry]
    root: bytes


class _First(Struct):
    """The fields of the first leaf that are needed before anything else can be read."""

    kind: str
    game: str
    match: str


def game_of(leaf: bytes) -> tuple[Game, str]:
    """Return the game and the match's id from the first leaf.  Raises Wrong."""
    try:
        first = msgspec.json.decode(leaf, type=_First)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Wrong(LOG, 1, Sentence("not-an-opening", {"within": said_of(error)})) from error
    if first.kind != "opened":
        raise Wrong(LOG, 1, Sentence("first-not-opened", {"kind": repr(first.kind[:40])}))
    if first.game not in GAMES:
        raise Wrong(LOG, 1, Sentence("game-not-known", {"game": repr(first.game[:80]), "known": list(GAMES)}))
    return GAMES[first.game], first.match


def chained(leaves: Sequence[bytes], stated: bytes | None) -> Chain:
    """Return the entries of chained leaves; `stated` is the root that a checkpoint states over all of them.

    Raises:
        Wrong: a leaf is damaged, or the chain breaks; the first bad move is named.
    """
    game, match = game_of(leaves[0])
    known = codec(game)
    entries, root = continued(leaves, stated, lambda leaf, number: _entry(leaf, number, known))
    return Chain(game, match, entries, root)


class _Chained(Protocol):
    """An entry that says what the root before it is."""

    @property
    def prev(self) -> str:
        """That root, in base64."""


E = TypeVar("E", bound=_Chained)


def continued(
    leaves: Sequence[bytes], stated: bytes | None, read: Callable[[bytes, int], E]
) -> tuple[list[E], bytes]:
    """Return the entries of chained leaves, and the root over them; of matches and of tournaments.

    Args:
        stated: the root that a checkpoint states over all of them; None if there is none.
        read: reads the leaf with this number; raises Damaged if it is none.

    Raises:
        Wrong: see `chained`.
    """
    tree, entries = Tree(), list[E]()
    for number, leaf in enumerate(leaves, 1):
        try:
            entry = read(leaf, number)
        except (Damaged, RecursionError, ValueError) as error:
            raise Wrong(LOG, number, said_of(error)) from error
        if entry.prev != b64(tree.root):
            bad, why = blamed(leaves, number, entry.prev, tree, stated)
            raise Wrong(LOG, bad, Sentence(why, {"move": number} if why == NOT_CONTINUED else {}))
        tree.add(leaf)
        entries.append(entry)
    return entries, tree.root


def must_be_canonical(data: bytes) -> None:
    """Check that the bytes are canonical by RFC 8785: sorted keys, no blanks, whole numbers within 53 bits.

    Raises:
        Damaged: they are not canonical.
    """
    try:
        value = _plain.decode(data)
        same = canonical(value) == data
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise Damaged(Sentence("not-canonical-json", {"within": said_of(error)})) from error
    if not same or (_LONG.search(data) and _beyond(value)):
        raise Damaged(Sentence("not-canonical"))


def _float(text: str) -> NoReturn:
    raise Damaged(Sentence("not-a-whole-number", {"text": text[:40]}))


_plain = msgspec.json.Decoder(float_hook=_float)


def _beyond(value: Any) -> bool:
    """Is there a number beyond 53 bits in it?"""
    if isinstance(value, dict):
        return any(map(_beyond, value.values()))
    if isinstance(value, list):
        return any(map(_beyond, value))
    return type(value) is int and abs(value) > _MOST


def _entry(leaf: bytes, number: int, codec: Codec) -> Entry:
    must_be_canonical(leaf)
    try:
        entry: Entry = codec.entry(leaf)
    except msgspec.DecodeError as error:
        raise Damaged(Sentence("not-an-entry", {"within": said_of(error)})) from error
    if entry.move != number:
        raise Damaged(Sentence("leaf-of-another-move", {"move": entry.move}))
    if isinstance(entry, Opened) != (number == 1):
        raise Damaged(Sentence("opened-once"))
    if sorted(entry.sealed) != sorted(codec.audiences):
        raise Damaged(
            Sentence(
                "sealed-for-others", {"given": ", ".join(entry.sealed)[:80], "wanted": list(codec.audiences)}
            )
        )
    must_be_hashes((entry.prev, *entry.sealed.values()))
    return entry


def must_be_hashes(texts: Iterable[str]) -> None:
    """Check that each text spells 32 bytes in base64.

    Raises:
        Damaged: one does not.
    """
    for text in texts:
        if len(unb64(text)) != 32:
            raise Damaged(Sentence("not-a-hash", {"text": repr(text[:60])}))


def blamed(
    leaves: Sequence[bytes], number: int, prev: str, tree: Tree, stated: bytes | None
) -> tuple[int, str]:
    """Return which leaf is bad, and why, if leaf `number` does not continue those before it.

    It is this leaf if the leaf with the right `prev` fits the root stated after it, and else the one before.

    Args:
        tree: over the leaves before this one.
        stated: the root that a checkpoint states over all leaves.
    """
    if tree.root == stated:
        return number, "beyond-checkpoint"
    mended = tree.copy()
    mended.add(leaves[number - 1].replace(prev.encode(), b64(tree.root).encode(), 1))
    if mended.root == _stated_after(leaves, number, stated):
        return number, "prev-not-root"
    if number == 1:
        return 1, "prev-not-empty-root"
    return number - 1, NOT_CONTINUED


def _stated_after(leaves: Sequence[bytes], number: int, stated: bytes | None) -> bytes | None:
    """The root after leaf `number`, as the next leaf or the checkpoint states it."""
    if number == len(leaves):
        return stated
    try:
        return unb64(msgspec.json.decode(leaves[number], type=_Prev).prev)
    except (msgspec.DecodeError, Damaged, RecursionError, UnicodeDecodeError):
        return None


class _Prev(Struct):
    prev: str
