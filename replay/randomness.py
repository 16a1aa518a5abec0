"""The second question, *chance*: do the commitments open, and is every draw what the scheme gives?

While a match runs, the open draws of a period are checked when its key is opened.  Once the match's secret is
open, everything is recomputed from it: seals, salts, keys and draws.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.chance import CHAIN, SCHEME, Drawn, Ledger, Secret, drawn, link, salt_hash
from domain.events import FactEntry, Key, Opened, SaltOpened, Seated, SecretOpened, TakenBack
from domain.log import HOUSE, Damaged, Record, b64, said_of, seal, unb64
from domain.match import Match
from domain.refusals import Sentence
from replay.report import CHANCE, Wrong
from replay.sanitize import counted

Salts = dict[str, str]  # audience: base64


class Luck:
    """Follows a match move by move and checks its draws, keys and seals.

    Args:
        opened: the first entry.
        secret: the opened secret, or the server's own; None while it is unknown.
    """

    def __init__(self, opened: Opened, secret: Secret | None) -> None:
        self._secret, self._provable = secret, opened.chance.scheme == SCHEME
        self._opened = opened
        self._anchors: dict[int, str] = {0: opened.chance.anchor}
        self._waiting: dict[int, list[tuple[int, Drawn, str]]] = {}
        self._last_key = b""
        self._derived = (0, b"")
        self._ledger = Ledger()
        self._draws = 0  # recomputed

    def check_opening(self) -> None:
        """Check the commitment and the first anchor, if the secret is known.  Raises Wrong."""
        if self._secret is None or not self._provable:
            return
        if self._opened.chance.commitment != b64(self._secret.commitment):
            raise Wrong(CHANCE, 1, Sentence("another-commitment"))
        if self._opened.chance.anchor != b64(self._secret.anchor(0)):
            raise Wrong(CHANCE, 1, Sentence("anchor-not-derived"))

    def notes(self, match: Match) -> list[str]:
        """Return the notes for the report."""
        if not self._provable:
            return ["chance: recorded, not provable"]
        waiting = sum(map(len, self._waiting.values()))
        one, several = "open one waits for the key of its", "open ones wait for the key of their"
        wait = f", {counted(waiting, one, several)} period" if waiting else ""
        sealed = "" if self._secret else "; secret draws and parts stay sealed until the end"
        draws = counted(self._draws, "draw", "draws")
        return [f"chance: {draws} recomputed{wait}, {_salts_said(match)}{sealed}"]

    def check(self, match: Match, record: Record, salts: Salts | None) -> None:
        """Check the latest move of `match`; `salts` are the salts that the file holds for it.

        Raises:
            Wrong: something in the move is not what the scheme gives.
        """
        if self._secret is not None and record.sealed:
            self._check_seals(record, salts, self._secret)
        entry = record.entry
        if isinstance(entry, (Seated, SaltOpened)):
            _check_salt(match, entry)
        if isinstance(entry, FactEntry):
            first, last = self._ledger.period, self._ledger.period + len(entry.keys)
            self._check_keys(entry, first)
            self._check_draws(record, last, match.salts)
            self._open(entry.keys)
        elif isinstance(entry, SecretOpened):
            self._check_secret(entry)
        elif isinstance(entry, TakenBack):
            self._ledger = match.ledger.fork()

    def _check_secret(self, entry: SecretOpened) -> None:
        if self._secret is None or entry.secret != b64(self._secret.bytes):
            raise Wrong(CHANCE, entry.move, Sentence("another-secret"))

    def _check_seals(self, record: Record, salts: Salts | None, secret: Secret) -> None:
        if salts is not None and salts.keys() != record.entry.sealed.keys():
            raise Wrong(CHANCE, record.move, Sentence("part-salts-missing"))
        for audience, commitment in record.entry.sealed.items():
            salt = secret.salt(record.move, audience)
            if salts is not None and salts[audience] != b64(salt):
                raise Wrong(CHANCE, record.move, Sentence("part-salt-not-derived", {"who": audience}))
            if audience not in record.sealed:
                raise Wrong(CHANCE, record.move, Sentence("private-part-missing", {"who": audience}))
            if b64(seal(salt, record.sealed[audience])) != commitment:
                raise Wrong(CHANCE, record.move, Sentence("private-part-not-sealed", {"who": audience}))

    def _check_keys(self, entry: FactEntry[Any], first: int) -> None:
        """Check opened keys: of successive periods, chained to the last one, derived from the secret."""
        for period, key in enumerate(entry.keys, first):
            if key.period != period:
                raise Wrong(
                    CHANCE,
                    entry.move,
                    Sentence("period-key-of-another", {"period": key.period, "other": period}),
                )
            if self._provable:
                self._check_key(entry.move, key)
            elif key.key:
                raise Wrong(CHANCE, entry.move, Sentence("keys-of-recorded"))
        self._check_anchor(entry, first)

    def _check_key(self, move: int, key: Key) -> None:
        data = _key(move, key)
        chain, place = divmod(key.period - 1, CHAIN)
        before = self._last_key if place else _hash(move, self._anchors.get(chain, ""))
        if link(data) != before:
            raise Wrong(CHANCE, move, Sentence("period-key-off-chain", {"period": key.period}))
        if self._secret is not None and data != self._open_key(key.period, self._secret):
            raise Wrong(CHANCE, move, Sentence("period-key-not-derived", {"period": key.period}))
        self._last_key = data

    def _check_anchor(self, entry: FactEntry[Any], first: int) -> None:
        """Check a new chain's anchor: it is in the entry that uses the last link of the old chain."""
        last = [period + 1 for period in range(first, first + len(entry.keys)) if (period + 1) % CHAIN == 0]
        if not (last and self._provable):
            if entry.anchor:
                raise Wrong(CHANCE, entry.move, Sentence("anchor-out-of-place"))
            return
        chain = last[-1] // CHAIN
        if len(_hash(entry.move, entry.anchor)) != 32:
            raise Wrong(CHANCE, entry.move, Sentence("anchor-length"))
        if self._secret is not None and entry.anchor != b64(self._secret.anchor(chain)):
            raise Wrong(CHANCE, entry.move, Sentence("anchor-not-derived"))
        self._anchors[chain] = entry.anchor

    def _check_draws(self, record: Record, last: int, salts: str) -> None:
        """Check the place of every draw; after that the periods up to `last` are over."""
        ledger = self._ledger
        for draw in _all_draws(record):
            while ledger.period < min(draw.period, last):
                ledger.close_period()
            self._check_place(record.move, draw, ledger)
            self._check_result(record.move, draw, salts)
        while ledger.period < last:
            ledger.close_period()

    def _check_result(self, move: int, draw: Drawn, salts: str) -> None:
        """Recompute a draw now, or when its key is opened; secret draws have no key before the end."""
        if not self._provable:
            return
        if self._secret is None and not draw.period:
            return
        if self._secret is None:
            self._waiting.setdefault(draw.period, []).append((move, draw, salts))
        elif draw.period:
            self._recompute(move, draw, self._open_key(draw.period, self._secret), salts)
        else:
            self._recompute(move, draw, self._secret.draw_key, salts)

    def _open_key(self, period: int, secret: Secret) -> bytes:
        """The key of a period, remembered because the draws of a period follow one another."""
        if period != self._derived[0]:
            self._derived = (period, secret.open_key(period))
        return self._derived[1]

    def _check_place(self, move: int, draw: Drawn, ledger: Ledger) -> None:
        """Check period, counter and range, but not the result."""
        if draw.period not in (0, ledger.period):
            raise Wrong(
                CHANCE,
                move,
                Sentence("draw-period", {"draw": draw.label, "period": draw.period, "other": ledger.period}),
            )
        expected = ledger.counter(draw.label, draw.period > 0)
        if draw.counter != expected:
            raise Wrong(
                CHANCE,
                move,
                Sentence("draw-counter", {"draw": draw.label, "counter": draw.counter, "other": expected}),
            )
        if not 0 <= draw.result < draw.n < 2**53:
            raise Wrong(
                CHANCE,
                move,
                Sentence("impossible-draw", {"draw": draw.label, "result": draw.result, "n": draw.n}),
            )
        if draw.forced == self._provable:
            of = "forced" if draw.forced else "not forced"
            raise Wrong(CHANCE, move, Sentence("draw-of-other-kind", {"draw": draw.label, "forced": of}))

    def _open(self, keys: Iterable[Key]) -> None:
        """Recompute the open draws of the periods that have ended."""
        for key in keys:
            for move, draw, salts in self._waiting.pop(key.period, ()):
                self._recompute(move, draw, unb64(key.key), salts)

    def _recompute(self, move: int, draw: Drawn, key: bytes, salts: str) -> None:
        result = drawn(key, salts, draw.label, draw.counter, draw.n)
        if result != draw.result:
            place = f"{draw.label}, counter {draw.counter}"
            raise Wrong(
                CHANCE,
                move,
                Sentence(
                    "scheme-draws-otherwise",
                    {"draw": place, "ours": result, "n": draw.n, "theirs": draw.result},
                ),
            )
        self._draws += 1


def _check_salt(match: Match, entry: Seated[Any] | SaltOpened[Any]) -> None:
    """Check that a hash has the form of one, and that an opened salt has the hash that was committed."""
    if isinstance(entry, SaltOpened):
        seated = match.seats[entry.seat]
        if seated is None or seated.salt_hash != b64(salt_hash(match.id, entry.seat, entry.salt)):
            raise Wrong(CHANCE, entry.move, Sentence("opened-another-salt", {"seat": entry.seat}))
    elif entry.salt_hash is not None and len(_hash(entry.move, entry.salt_hash)) != 32:
        raise Wrong(CHANCE, entry.move, Sentence("salt-hash-length", {"seat": entry.seat}))


def _salts_said(match: Match) -> str:
    """Which seats gave salts for the draws, in words."""
    if match.house_seeded:
        return "house-seeded (no seat gave a salt)"
    words = {"committed": "committed", "clear": "in clear", "none": "none", None: "none"}
    return "salts: " + ", ".join(f"{seat} {words[mark]}" for seat, mark in match.salt_marks.items())


def _all_draws(record: Record) -> list[Drawn]:
    """Open draws, then secret ones, each in their order; check that none is among the others."""
    house = record.parts.get(HOUSE)
    hidden = house.draws if house else ()
    public = record.entry.draws
    if any(draw.period for draw in hidden) or not all(draw.period for draw in public):
        raise Wrong(CHANCE, record.move, Sentence("draw-among-others"))
    return [*public, *hidden]


def _key(move: int, key: Key) -> bytes:
    data = _hash(move, key.key)
    if len(data) != 32:
        raise Wrong(CHANCE, move, Sentence("period-key-length", {"period": key.period}))
    return data


def _hash(move: int, text: str) -> bytes:
    try:
        return unb64(text)
    except Damaged as error:
        raise Wrong(CHANCE, move, said_of(error)) from error
