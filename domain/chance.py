"""Labelled, verifiable draws: the scheme `rng/1`, and draws taken from a record.

One 256-bit secret per match decides everything; its commitment stands in the first event.  From the secret
derive, by HKDF-SHA256 with the info strings below, the key of the secret draws, the end of each hash chain
whose links are the keys of the open draws, and the salts of the private parts.

A draw is a function of (key, the seats' salts, label, counter), not the next value of a stream, so neither a
correction of the rules nor a branch changes a later die.  `docs/protocol.md` describes the same for authors
of other verifiers, and `tests/vectors/rng1.json` holds the published vectors.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

from domain.kernel import Picks, Seat

SCHEME = "rng/1"
RECORDED = "recorded"  # the scheme of a match whose draws come from a record
CHAIN = 4096  # links of one hash chain
_STRIDE = 64  # one link in so many is kept, and the last stretch between two of them: 10 KB a cached match
_WORDS = struct.Struct(">4Q")  # a block of HMAC-SHA256
_OPENED_SALT = re.compile(r"[A-Za-z0-9+/=_-]{22,64}")
MOST = 2**63  # a draw chooses among 1 to MOST possibilities


class Drawn(Struct, frozen=True, gc=False, omit_defaults=True):
    """One draw: the `counter`-th under `label`, among `n` possibilities sorted by id bytes.

    `result` is the place of the chosen one, from 0; `pick` is its id.  `period` is the period whose key an
    open draw uses, 0 for a secret draw.  `forced`: taken from a record, not from the scheme.
    """

    label: str
    n: int
    result: int
    pick: str
    counter: int = 0
    period: int = 0
    forced: bool = False


class NoDraw(ValueError):
    """The record holds no fitting draw at this place."""


class _Period(NamedTuple):
    """The number of a period, the key of its open draws, and HMAC-SHA256 with that key."""

    number: int
    key: bytes
    mac: HMAC


class Secret:
    """What derives from the secret of one match.

    Args:
        secret: 32 bytes.
        match: the match's id, which enters every derivation.
    """

    def __init__(self, secret: bytes, match: str) -> None:
        if len(secret) != 32:
            raise ValueError(f"a match's secret has 32 bytes, not {len(secret)}")
        self.bytes, self.match = secret, match
        self._chains: dict[int, list[bytes]] = {}
        self._stretch: tuple[int, int, list[bytes]] = (0, 0, [])  # its chain, its number, its links
        self._latest: _Period | None = None

    @cached_property
    def commitment(self) -> bytes:
        """SHA-256 of a fixed text, the match and the secret, 32 bytes; published before the first draw."""
        return hashlib.sha256(f"glasnost {SCHEME} commitment\n{self.match}\n".encode() + self.bytes).digest()

    @cached_property
    def draw_key(self) -> bytes:
        """The key of every secret draw."""
        return self._derive("secret draws")

    @cached_property
    def draw_mac(self) -> HMAC:
        """HMAC-SHA256 with the key of every secret draw (760 bytes), ready to be copied."""
        return HMAC(self.draw_key, SHA256())

    def open_key(self, period: int) -> bytes:
        """The key of the open draws of a period (1, 2, ...), which `link` checks."""
        return self._opened(period).key

    def open_mac(self, period: int) -> HMAC:
        """HMAC-SHA256 with the key of the open draws of a period, ready to be copied."""
        return self._opened(period).mac

    def _opened(self, period: int) -> _Period:
        latest = self._latest
        if latest is None or latest.number != period:  # most draws are of the same period as the draw before
            chain, before = divmod(period - 1, CHAIN)
            key = self._link(chain, before + 1)
            latest = self._latest = _Period(period, key, HMAC(key, SHA256()))
        return latest

    def anchor(self, chain: int) -> bytes:
        """The published start of a hash chain; never a key."""
        return self._kept(chain)[0]

    def salt(self, move: int, audience: str) -> bytes:
        """The salt of a move's private part for an audience (a seat, or the house)."""
        mac = self._salts.copy()
        mac.update(f"{move}\n{audience}".encode())
        return mac.finalize()

    @cached_property
    def _salts(self) -> HMAC:
        """HMAC-SHA256 with the key of the salts, ready to be copied; twice as fast as Python's own.

        `hmac.digest` releases the interpreter lock in each call, and a thread that waits for it then holds it
        longer than a whole move takes (measured: 140 us a call under load).
        """
        return HMAC(self._derive("part salts"), SHA256())

    def _link(self, chain: int, number: int) -> bytes:
        """Link `number` (from 1) of a chain: one of the stretch up to the nearest kept link above it.

        The next periods need links of the same stretch, so it is hashed only once.
        """
        above = -(-number // _STRIDE)
        stretch = self._stretch  # once, because another thread may exchange it
        if stretch[:2] != (chain, above):
            links = [self._kept(chain)[above]]
            for _ in range(_STRIDE - 1):
                links.append(link(links[-1]))
            self._stretch = stretch = chain, above, links
        return stretch[2][above * _STRIDE - number]

    def _kept(self, chain: int) -> list[bytes]:
        """The links 0, 64, 128, ... 4096 of a chain; the last one derives from the secret."""
        if chain not in self._chains:
            kept, key, sha256 = [self._derive(f"open draws {chain}")], b"", hashlib.sha256
            for _ in range(CHAIN // _STRIDE):
                key = kept[-1]
                for _ in range(_STRIDE):
                    key = sha256(key).digest()  # as `link` does; a call each would take half as long again
                kept.append(key)
            self._chains[chain] = kept[::-1]
        return self._chains[chain]

    def _derive(self, purpose: str) -> bytes:
        info = f"glasnost {SCHEME} {purpose}\n{self.match}".encode()
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(self.bytes)


def link(key: bytes) -> bytes:
    """The key before `key` in its hash chain: K(t-1) = SHA-256(K(t))."""
    return hashlib.sha256(key).digest()


def joined(salts: dict[Seat, str | None]) -> str:
    """The seats' salts as they enter every draw: "seat=salt" by commas, in the order of the seats."""
    return ",".join(f"{seat}={salt or ''}" for seat, salt in salts.items())


def salt_hash(match: str, seat: Seat, salt: str) -> bytes:
    """The hash, 32 bytes, that commits a seat to its salt; it fits no other seat and no other match."""
    return hashlib.sha256(f"glasnost {SCHEME} salt\n{match}\n{seat}\n{salt}".encode()).digest()


def is_long_enough(salt: str) -> bool:
    """Is a salt long enough to hold 16 random bytes, so that its hash does not give it away?"""
    return _OPENED_SALT.fullmatch(salt) is not None


def drawn(key: bytes, salts: str, label: str, counter: int, n: int) -> int:
    """One draw: a number from 0 to n - 1, every one equally likely.

    HMAC-SHA256 gives blocks of four 64-bit words (big-endian); the first word below the greatest multiple of
    n is taken modulo n.  A word beyond it is rejected: a remainder alone would favour small numbers.
    """
    return _drawn_with(HMAC(key, SHA256()), salts, label, counter, n)


def _drawn_with(mac: HMAC, salts: str, label: str, counter: int, n: int) -> int:
    """The same with `mac`, HMAC-SHA256 with the key: draws with one key need not make it anew each time."""
    if not 1 <= n <= MOST:
        raise ValueError(f"a draw chooses among 1 to 2^63 possibilities, not {n}")
    limit = 2**64 // n * n
    block = 0
    while True:
        of_block = mac.copy()
        of_block.update(f"{SCHEME}\n{salts}\n{label}\n{counter}\n{block}".encode())
        for word in _WORDS.unpack(of_block.finalize()):
            if word < limit:
                return int(word % n)
        block += 1


class Counts:
    """How many draws each label has had: an immutable map, so that every move can keep its own.

    It is a trie over the hash of the label, and `with_count` copies one path of small nodes: the cost does
    not grow with the match, and a takeback costs nothing.
    """

    __slots__ = ("_root",)

    def __init__(self, root: _Node | None = None) -> None:
        self._root: _Node = {} if root is None else root

    def get(self, label: str) -> int:
        """The count of a label; 0 if it has none."""
        node, path = self._root, hash(label)
        while isinstance(node, tuple):
            node, path = node[path % _FANOUT], path // _FANOUT
        return node.get(label, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and dict(_leaves(self._root)) == dict(_leaves(other._root))

    def with_count(self, label: str, count: int) -> Counts:
        """The same counts, except for one label."""
        return Counts(_with_count(self._root, hash(label), label, count))


_FANOUT = 16  # children of a node; a leaf with more labels becomes one
_DEEPEST = 12  # levels of nodes; deeper ones would need more bits than a hash has
_Node: TypeAlias = "dict[str, int] | tuple[_Node, ...]"


def _with_count(node: _Node, path: int, label: str, count: int, depth: int = 0) -> _Node:
    if isinstance(node, tuple):
        place = path % _FANOUT
        child = _with_count(node[place], path // _FANOUT, label, count, depth + 1)
        return (*node[:place], child, *node[place + 1 :])
    leaf = {**node, label: count}
    if len(leaf) <= _FANOUT or depth == _DEEPEST:
        return leaf
    children: list[dict[str, int]] = [{} for _ in range(_FANOUT)]
    for name, known in leaf.items():
        children[hash(name) // _FANOUT**depth % _FANOUT][name] = known
    return tuple(children)


def _leaves(node: _Node) -> Iterator[tuple[str, int]]:
    if isinstance(node, tuple):
        for child in node:
            yield from _leaves(child)
    else:
        yield from node.items()


_NONE = Counts()


class Ledger:
    """The running period, and how many draws each label has had on the line of play that stands.

    The log counts periods and never reuses one.  `open` counts the draws of the running period only, `secret`
    those of the whole match, because all of them share one key.
    """

    def __init__(self, period: int = 1, open: Counts = _NONE, secret: Counts = _NONE) -> None:
        self.period, self.open, self.secret = period, open, secret

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and (self.period, self.open, self.secret) == (
            other.period,
            other.open,
            other.secret,
        )

    def fork(self) -> Ledger:
        """A ledger with the same counts, which goes on without changing this one."""
        return Ledger(self.period, self.open, self.secret)

    def gone_back(self, to: Ledger) -> Ledger:
        """This ledger after the match went back to a move that had the ledger `to`.

        The period stays, because its predecessors' keys are open; no draw of it was made before it began.
        """
        return Ledger(self.period, to.open if to.period == self.period else _NONE, to.secret)

    def counter(self, label: str, face_up: bool) -> int:
        """The number of the next draw under `label`; that draw is counted."""
        counter = (self.open if face_up else self.secret).get(label)
        self._set(label, face_up, counter + 1)
        return counter

    def count(self, draw: Drawn) -> None:
        """Count a draw that was made: a secret one, or an open one of the running period."""
        face_up = draw.period > 0
        if face_up and draw.period != self.period:
            return
        known = (self.open if face_up else self.secret).get(draw.label)
        self._set(draw.label, face_up, max(draw.counter + 1, known))

    def _set(self, label: str, face_up: bool, count: int) -> None:
        if face_up:
            self.open = self.open.with_count(label, count)
        else:
            self.secret = self.secret.with_count(label, count)

    def close_period(self) -> int:
        """End the running period and return its number."""
        self.period, self.open = self.period + 1, _NONE
        return self.period - 1


class Source(Protocol):
    """Where the answers of chance come from."""

    def draw(self, label: str, face_up: bool, options: Picks, count: int, ledger: Ledger) -> list[Drawn]:
        """`count` draws without replacement among `options`.

        Raises:
            NoDraw: the record holds none that fits.
        """


class Provable:
    """Draws by `rng/1`."""

    def __init__(self, secret: Secret, salts: str) -> None:
        self._secret, self._salts = secret, salts

    def draw(self, label: str, face_up: bool, options: Picks, count: int, ledger: Ledger) -> list[Drawn]:
        """See `Source.draw`."""
        mac = self._secret.open_mac(ledger.period) if face_up else self._secret.draw_mac

        def place(counter: int, left: list[str]) -> int:
            return _drawn_with(mac, self._salts, label, counter, len(left))

        return _drawn(label, face_up, options, count, ledger, place, forced=False)


class Forced:
    """Draws taken from a record: `answers` gives the picks of chance, one answer at a time, in order."""

    def __init__(self, answers: Iterator[Picks]) -> None:
        self._answers = answers

    def draw(self, label: str, face_up: bool, options: Picks, count: int, ledger: Ledger) -> list[Drawn]:
        """See `Source.draw`."""
        picks = next(self._answers, None)
        if picks is None:
            raise NoDraw(f"{label}: the record ends before this draw")
        if len(picks) != count:
            raise NoDraw(f"{label}: {count} to be drawn, the record has {len(picks)}: {', '.join(picks)}")
        rest = iter(picks)

        def place(counter: int, left: list[str]) -> int:
            pick = next(rest)
            if pick not in left:
                raise NoDraw(f"{label}: {pick!r} is not among the possibilities: {', '.join(left)}")
            return left.index(pick)

        return _drawn(label, face_up, options, count, ledger, place, forced=True)


def _drawn(
    label: str,
    face_up: bool,
    options: Picks,
    count: int,
    ledger: Ledger,
    place: Callable[[int, list[str]], int],
    *,
    forced: bool,
) -> list[Drawn]:
    left = sorted(options)  # by code points, which is the order of the id bytes: UTF-8 keeps it
    draws: list[Drawn] = []
    for _ in range(count):
        counter, n = ledger.counter(label, face_up), len(left)
        result = place(counter, left)
        period = ledger.period if face_up else 0
        draws.append(Drawn(label, n, result, left.pop(result), counter, period, forced))
    return draws
