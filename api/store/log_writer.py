"""Makes the transparency log of a store: it follows the store's order, appends leaves, and signs checkpoints.

One process does this at a time: the one that writes the read models.  If two do it for a moment, the
position that is stored with the leaves lets only one of them append.  Each step is one transaction, so a kill
at any moment leaves whole leaves, and the next step goes on after them.  A checkpoint is signed only over
leaves that are durable, and is kept beside the keys before it is published.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterator

from cachetools import LRUCache

from api.store.interface import Stored, StoreError
from api.store.keys import Keys
from api.store.log_guard import OwnLeaf, checkpoint_of, due, log_origin
from api.store.sql import SqlStore
from api.store.transparency import OWN, NewLeaf
from domain.log import TOURNAMENT, b64
from domain.merkle import Tree
from domain.signed_notes import Checkpoint, Note, VerifyingKey
from replay.transparency.leaf import (
    KeyLeaf,
    RestoredLeaf,
    closed_leaf,
    is_logged,
    opened_leaf,
    read,
    tournament_leaf,
)

BATCH = 500  # records that are followed together
FAR = 5_000  # records without a leaf after which the position is stored
KEY, RESTORED = "key", "restored"  # kinds of the log's own leaves
_TREES = 200  # tournaments whose trees are kept
_PROGRESS = 10.0  # seconds between two lines about how far a new log has come
_log = logging.getLogger("glasnost.log")


class LogWriter:
    """Makes the log of one store.

    Args:
        store: whose order is followed.
        ring: the keys that sign the log.
        clock: microseconds UTC.
    """

    def __init__(self, store: SqlStore, ring: Keys, clock: Callable[[], int]) -> None:
        self._store, self._ring, self._clock = store, ring, clock
        self._log, self._guard = store.transparency, store.log_guard
        self._stored: int | None = None  # the position in the store; None: at the beginning
        self._read = -1  # up to which record this process has looked; -1: not known
        self._trees: LRUCache[str, Tree] = LRUCache(_TREES)
        self._said = time.monotonic()

    def step(self) -> bool:
        """Take in the next records; return whether there may be more.

        Raises:
            StoreError: the store is away, or was lost meanwhile; the next step begins with what is stored.
        """
        try:
            return self._step()
        except BaseException:
            self._read = -1
            raise

    def _step(self) -> bool:
        self._look()
        last, after = self._store.last(), self._read
        records = self._store.brief(after, BATCH) if after < last else []
        if not records:
            return self._add_own()
        leaves = [leaf for one in records for leaf in self._leaves(one)]
        self._read = records[-1].position
        if leaves or self._read - (self._stored or 0) >= FAR:
            size = self._log.size()
            self._append(self._read, list(self._with_own(leaves, size)), size)
        self._say(last)
        return True

    def position(self) -> int:
        """Return up to which record leaves are made; up to `FAR` less where another process makes them."""
        return max(self._read, self._log.position() or 0)

    def catch_up(self) -> None:
        """Take in all records that are there."""
        while self.step():
            pass

    def publish(self) -> Checkpoint | None:
        """Sign the log as it is, and make the checkpoint public; None if it is published already.

        Raises:
            StoreError: the log is behind what was signed, or the key folder cannot be written.
        """
        self._guard.check()
        size, latest = self._log.size(), self._log.latest()
        if latest is not None and latest.size == size and self._signed_by_present(latest.note):
            return None
        checkpoint = Checkpoint(log_origin(self._ring), size, self._log.root(size))
        note = self._ring.signing.sign(checkpoint.text)
        self._guard.keep(note)
        self._log.publish(size, note)
        return checkpoint

    def restored(self, reason: str) -> RestoredLeaf:
        """Take in an operator's statement that signed leaves are lost, and sign the log again.

        Returns the leaf that holds the statement.

        Raises:
            StoreError: no leaf is lost, or nothing can be written.
        """
        self.catch_up()
        gap = self._guard.gap()
        if gap is None:
            raise StoreError("the log holds every leaf that was signed: there is nothing to say")
        keys = self._new_keys(0)  # before the statement: they are older than it
        leaf = RestoredLeaf(
            at=self._clock(),
            size=gap.size + len(keys),
            lost=gap.lost,
            signed=gap.signed,
            root=b64(gap.root),
            reason=reason,
        )
        self._append(self._stored or 0, [*keys, NewLeaf(OWN, RESTORED, leaf.bytes)], gap.size)
        self._log.forget_checkpoints(gap.size)
        self._guard.release()
        self.publish()
        return leaf

    def _signed_by_present(self, note: str) -> bool:
        return Note.parse(note).signed_by((self._ring.present,)) is not None

    def _look(self) -> None:
        """Read the stored position, unless this process knows that it has come further."""
        stored = self._log.position()
        if self._read < 0 or stored != self._stored:
            self._stored, self._read = stored, stored or 0
            self._trees.clear()

    def _append(self, position: int, leaves: list[NewLeaf], size: int) -> None:
        """Append leaves to a log that has so many."""
        if self._log.append(self._stored, position, leaves, size):
            self._stored = position
        else:  # another process was faster: look where it is
            self._read = -1

    # ── leaves of the store ──

    def _leaves(self, one: Stored) -> Iterator[NewLeaf]:
        record, at = one.record, one.record.entry.at if _matters(one) else None
        if one.record.topic == TOURNAMENT:
            tree = self._tree(record.match, record.move, record.leaf)
            entered = tournament_leaf(self._store.first(record.match), record, tree.root)
            yield NewLeaf(record.match, "tournament", entered.bytes, at=at or 0)
        elif record.kind == "opened" and not one.uploaded and is_logged(record.entry):
            opened = opened_leaf(record)
            yield NewLeaf(record.match, "opened", opened.bytes, opened.opener, at or 0)
        elif record.kind == "closed" and not one.uploaded:
            first = self._store.first(record.match)
            if is_logged(first.entry):
                tree = Tree()
                for move in self._log.match_leaves(record.match, record.move):
                    tree.add(move)
                yield NewLeaf(record.match, "closed", closed_leaf(first, record, tree.root).bytes, at=at or 0)

    def _tree(self, tournament: str, number: int, leaf: bytes) -> Tree:
        """The tree over the entries of a tournament up to this one."""
        tree = self._trees.get(tournament)
        if tree is None or tree.size != number - 1:
            tree = Tree()
            for before in self._log.match_leaves(tournament, number - 1):
                tree.add(before)
            self._trees[tournament] = tree
        tree.add(leaf)
        return tree

    # ── leaves of the log's own ──

    def _with_own(self, leaves: list[NewLeaf], size: int) -> Iterator[NewLeaf]:
        """The leaves that come after the first `size`, with the log's own ones among them.

        If the log is made again, its own leaves have their old places.  A new key comes before the first leaf
        that is younger: so no key looks backdated in a log that is made of an older store.
        """
        number, signed, own = size, self._signed(), self._own()
        new = self._new_keys(sum(_kind(one) == KEY for one in own if one.number >= size))
        for leaf in leaves:
            while found := due(own, number):
                yield _own_leaf(found)
                number += 1
            while new and number >= signed and new[0].at < leaf.at:
                yield new.pop(0)
                number += 1
            yield leaf
            number += 1

    def _signed(self) -> int:
        """How many leaves the last signed checkpoint covers."""
        state = self._guard.state
        return 0 if state is None else checkpoint_of(state.checkpoint).size

    def _own(self) -> tuple[OwnLeaf, ...]:
        """The log's own leaves that it had when it was signed, if it is behind that."""
        state = self._guard.state
        if state is None or self._log.size() >= checkpoint_of(state.checkpoint).size:
            return ()
        return state.own

    def _new_keys(self, coming: int) -> list[NewLeaf]:
        """The leaves of the rotations that the log does not have, without the next `coming` of them."""
        rotations = self._ring.rotations
        known = coming + self._log.number_of(KEY) if rotations else 0
        return [_key_leaf(note, number) for number, note in enumerate(rotations[known:], known + 1)]

    def _add_own(self) -> bool:
        """Add the log's own leaf that is next, if any; return whether one was added."""
        size = self._log.size()
        found = due(self._own(), size)
        if found is not None:
            self._append(self._stored or 0, [_own_leaf(found)], size)
            return True
        new = [] if self._guard.is_behind else self._new_keys(0)
        if new:
            self._append(self._stored or 0, new[:1], size)
        return bool(new)

    def _say(self, last: int) -> None:
        """Say how far the log is behind, if it is far, now and then."""
        now = time.monotonic()
        if last - self._read >= FAR and now - self._said >= _PROGRESS:
            self._said = now
            _log.warning("the log is being made", extra={"records": self._read, "of": last})


def _matters(one: Stored) -> bool:
    return one.record.topic == TOURNAMENT or one.record.kind in ("opened", "closed")


def _own_leaf(found: OwnLeaf) -> NewLeaf:
    return NewLeaf(OWN, _kind(found), found.leaf.encode())


def _kind(found: OwnLeaf) -> str:
    return KEY if isinstance(read(found.leaf.encode()), KeyLeaf) else RESTORED


def _key_leaf(note: str, number: int) -> NewLeaf:
    """The leaf of a rotation note (see `api.store.keys.rotation`)."""
    _, old, new, at = Note.parse(note).text.splitlines()
    leaf = KeyLeaf(
        at=int(at),
        number=number,
        before=VerifyingKey.parse(old).id,
        key=VerifyingKey.parse(new).id,
        note=b64(hashlib.sha256(note.encode()).digest()),
    )
    return NewLeaf(OWN, KEY, leaf.bytes, at=int(at))
