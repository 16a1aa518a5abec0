"""The server's transparency log in the tables of a store: leaves, tiles, and signed checkpoints.

The leaves follow from the order of the store (`api.store.log_writer` makes them).  They are appended together
with the position up to which the store was followed, so each is there exactly once.  The tables' own triggers
let no program change or delete a leaf, or change a hash in a tile.

A proof reads a few tiles, however many leaves there are, and nothing is computed at a start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from api.store.accounts import Cursor, Writing
from api.store.events import Rows
from domain.merkle import leaf_hash
from domain.signed_notes import MOST_SIGNATURES, Checkpoint, Note
from replay.transparency.tiles import ENTRIES, HASH, WIDTH, Tile, bundle, grown, hash_at
from replay.transparency.tree import At, root

FOLLOWER = "transparency"  # the name in `followers`
OWN = ""  # the topic of leaves that do not follow from the log of the store: keys, restores
_ROWS = 200  # rows of one statement
_LEAVES = "INSERT INTO log_leaves (number, topic, kind, leaf) VALUES "
_OPEN = "INSERT INTO log_openings (topic, number, opener, at) VALUES (?, ?, ?, ?)"
_SIZE = "SELECT coalesce(max(number) + 1, 0) FROM log_leaves"
_LOCK = "UPDATE followers SET position = position WHERE name = ?"  # others that append wait
_TILE = "SELECT hashes FROM log_tiles WHERE level = ? AND number = ?"
_PUT_TILE = (
    "INSERT INTO log_tiles (level, number, hashes) VALUES (?, ?, ?)"
    " ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes"
)
_MATCH = "SELECT state FROM stored_events WHERE originator_id = ? AND originator_version <= ?"
_COUNT = "length(cosignatures) - length(replace(cosignatures, ?, ''))"  # lines: `?` is a newline

CheckCosignature = Callable[[Checkpoint, str], str | None]
"""Returns the name of the known witness whose valid signature over a checkpoint a line is; else None."""


class NewLeaf(Struct, frozen=True):
    """A leaf to be appended.

    topic: the match or tournament whose it is, or `OWN`.
    kind: of the leaf; "opened" and "closed" keep the list of matches that are not over.
    opener: of an opening: the player's random id, or "".
    at: microseconds UTC; 0 if unknown.
    """

    topic: str
    kind: str
    leaf: bytes
    opener: str = ""
    at: int = 0


class SignedSize(Struct, frozen=True):
    """A published checkpoint: its number of leaves, the signed note, and the lines of witnesses."""

    size: int
    note: str
    cosignatures: str = ""

    @property
    def text(self) -> str:
        """The note with the lines of the witnesses."""
        return self.note + self.cosignatures


class Openings(Struct, frozen=True):
    """The matches of one opener ("": the house, or private matches) that have no end in the log.

    `oldest` and `newest` are when they were opened, in microseconds UTC.
    """

    opener: str
    count: int
    oldest: int
    newest: int


class SqlTransparency:
    """The transparency log of one store.

    Args:
        reading: runs queries.
        writing: does work in one durable transaction.
    """

    def __init__(self, reading: Rows, writing: Writing) -> None:
        self._reading, self._write = reading, writing

    # ── reading ──

    def size(self) -> int:
        """Return the number of leaves."""
        return int(self._reading.rows(_SIZE)[0][0])

    def position(self) -> int | None:
        """Return up to which record of the store leaves were made; None at the beginning."""
        rows = self._reading.rows("SELECT position FROM followers WHERE name = ?", (FOLLOWER,))
        return rows[0][0] if rows else None

    def tile(self, level: int, number: int) -> bytes:
        """Return the hashes that a tile has now; b"" if there is no such tile."""
        rows = self._reading.rows(_TILE, (level, number))
        return bytes(rows[0][0]) if rows else b""

    def hashes(self) -> At:
        """Return the function for the hashes of complete subtrees; it keeps the tiles that it reads."""
        return hash_at(self.tile)

    def root(self, size: int) -> bytes:
        """Return the root over the first `size` leaves.  Raises Damaged: there are fewer."""
        return root(size, self.hashes())

    def leaves(self, first: int, end: int) -> list[bytes]:
        """Return the leaves from number `first` up to `end`, without `end`."""
        select = "SELECT leaf FROM log_leaves WHERE number >= ? AND number < ? ORDER BY number"
        return [bytes(row[0]) for row in self._reading.rows(select, (first, end))]

    def of(self, topic: str) -> list[tuple[int, bytes]]:
        """Return the first and the last leaf of a match or tournament, each with its number; at most two."""
        found = list[tuple[int, bytes]]()
        for order in ("number", "number DESC"):
            select = f"SELECT number, leaf FROM log_leaves WHERE topic = ? ORDER BY {order} LIMIT 1"
            found += [(number, bytes(leaf)) for number, leaf in self._reading.rows(select, (topic,))]
        return sorted(set(found))

    def first(self, topic: str, most: int) -> list[tuple[int, bytes]]:
        """Return the first leaves of a match or tournament, each with its number; at most so many."""
        select = "SELECT number, leaf FROM log_leaves WHERE topic = ? ORDER BY number LIMIT ?"
        return [(number, bytes(leaf)) for number, leaf in self._reading.rows(select, (topic, most))]

    def leaf_of(self, topic: str, nth: int) -> tuple[int, bytes] | None:
        """Return leaf `nth` of a match or tournament, from 1, with its number; None if there is none."""
        select = "SELECT number, leaf FROM log_leaves WHERE topic = ? ORDER BY number LIMIT 1 OFFSET ?"
        rows = self._reading.rows(select, (topic, nth - 1))
        return (rows[0][0], bytes(rows[0][1])) if rows else None

    def own(self) -> list[tuple[int, bytes]]:
        """Return all leaves that do not follow from the log of the store, each with its number."""
        select = "SELECT number, leaf FROM log_leaves WHERE topic = ? ORDER BY number"
        return [(number, bytes(leaf)) for number, leaf in self._reading.rows(select, (OWN,))]

    def number_of(self, kind: str) -> int:
        """Return how many of these own leaves are of a kind."""
        select = "SELECT count(*) FROM log_leaves WHERE topic = ? AND kind = ?"
        return int(self._reading.rows(select, (OWN, kind))[0][0])

    def served(self, tile: Tile) -> bytes | None:
        """Return what is served for a tile or a bundle; None if it is not there, or not so wide yet."""
        if tile.level == ENTRIES:
            first = tile.number * WIDTH
            leaves = self.leaves(first, first + tile.width)
            return bundle(leaves) if len(leaves) == tile.width else None
        found = self.tile(tile.level, tile.number)[: tile.width * HASH]
        return found if len(found) == tile.width * HASH else None

    def match_leaves(self, match: str, upto: int) -> list[bytes]:
        """Return the leaves of the log of a match, or of a tournament, up to a move."""
        rows = self._reading.rows(f"{_MATCH} ORDER BY originator_version", (match, upto))
        return [bytes(row[0]).partition(b"\n")[0] for row in rows]

    def openings(self, most: int) -> list[Openings]:
        """Return the matches without an end of at most so many openers, the most matches first."""
        select = "SELECT opener, count(*), min(at), max(at) FROM log_openings GROUP BY opener"
        rows = self._reading.rows(f"{select} ORDER BY count(*) DESC, opener LIMIT ?", (most,))
        return [Openings(*row) for row in rows]

    def ages(self, limits: Sequence[int]) -> list[int]:
        """Return how many matches without an end were opened before each of these times (microseconds)."""
        sums = ", ".join("coalesce(sum(CASE WHEN at < ? THEN 1 ELSE 0 END), 0)" for _ in limits)
        return [int(count) for count in self._reading.rows(f"SELECT {sums} FROM log_openings", limits)[0]]

    # ── writing ──

    def append(
        self, before: int | None, position: int, leaves: Sequence[NewLeaf], first: int | None = None
    ) -> bool:
        """Append leaves and store the new position, if the stored one is still `before`.

        Args:
            first: the number that the first leaf must get; None: whatever is next.  Leaves of the log's own
                move no position, so only their number shows that another process has added them.

        Returns whether it was done: another process may have been faster.
        """

        def work(cursor: Cursor) -> bool:
            cursor.execute(_LOCK, (FOLLOWER,))
            cursor.execute(_SIZE)
            size = int(cursor.fetchone()[0])
            if first not in (None, size) or not _moved(cursor, before, position):
                return False
            _insert(cursor, size, leaves)
            _grow(cursor, size, leaves)
            for number, one in enumerate(leaves, size):
                _note_opening(cursor, number, one)
            return True

        return self._write(work)

    # ── checkpoints ──

    def publish(self, size: int, note: str) -> None:
        """Store a signed checkpoint over `size` leaves.

        Older ones stay while they have more cosignatures than every later one.
        """

        def work(cursor: Cursor) -> None:
            cursor.execute(
                "INSERT INTO log_checkpoints (size, note, cosignatures) VALUES (?, ?, '')"
                " ON CONFLICT (size) DO UPDATE SET note = excluded.note,"
                " cosignatures = CASE WHEN log_checkpoints.note = excluded.note"
                " THEN log_checkpoints.cosignatures ELSE '' END",
                (size, note),
            )
            _prune(cursor)

        self._write(work)

    def latest(self) -> SignedSize | None:
        """Return the newest published checkpoint; None before the first one."""
        return self.cosigned(0)

    def cosigned(self, least: int) -> SignedSize | None:
        """Return the newest published checkpoint with at least so many cosignatures; None: there is none."""
        rows = self._reading.rows(
            f"SELECT size, note, cosignatures FROM log_checkpoints WHERE {_COUNT} >= ?"
            " ORDER BY size DESC LIMIT 1",
            ("\n", least),
        )
        return SignedSize(*rows[0]) if rows else None

    def best(self) -> SignedSize | None:
        """Return the checkpoint with the most cosignatures, of several the newest; None if there is none."""
        rows = self._reading.rows(
            f"SELECT size, note, cosignatures FROM log_checkpoints ORDER BY {_COUNT} DESC, size DESC LIMIT 1",
            ("\n",),
        )
        return SignedSize(*rows[0]) if rows else None

    def cosign(self, size: int, lines: Iterable[str], check: CheckCosignature) -> list[str]:
        """Keep the lines of known witnesses beside the published checkpoint over `size` leaves.

        A line counts only if `check` accepts it for exactly that checkpoint; a newer line of a witness
        replaces its older one.

        Args:
            lines: signature lines of a note, without the newline.

        Returns:
            The names of the witnesses whose lines were kept.
        """

        def work(cursor: Cursor) -> list[str]:
            cursor.execute("SELECT note, cosignatures FROM log_checkpoints WHERE size = ?", (size,))
            row = cursor.fetchone()
            if row is None:
                return []
            checkpoint = Checkpoint.parse(Note.parse(row[0]).text)
            known = {check(checkpoint, line): line for line in row[1].splitlines()}
            fresh = {name: line for line in lines if (name := check(checkpoint, line)) and "\n" not in line}
            kept = [line for name, line in (known | fresh).items() if name][: MOST_SIGNATURES - 1]
            text = "".join(f"{line}\n" for line in kept)
            cursor.execute("UPDATE log_checkpoints SET cosignatures = ? WHERE size = ?", (text, size))
            _prune(cursor)
            return sorted(name for name, line in fresh.items() if line in kept)

        return self._write(work)

    def forget_checkpoints(self, above: int) -> None:
        """Delete the published checkpoints over more than `above` leaves: the log was restored."""
        self._write(lambda cursor: cursor.execute("DELETE FROM log_checkpoints WHERE size > ?", (above,)))


def _moved(cursor: Cursor, before: int | None, position: int) -> bool:
    """Store the position if it is still `before`; return whether it was."""
    if before is None:
        insert = "INSERT INTO followers (name, position) VALUES (?, ?) ON CONFLICT DO NOTHING"
        cursor.execute(f"{insert} RETURNING name", (FOLLOWER, position))
    else:
        update = "UPDATE followers SET position = ? WHERE name = ? AND position = ?"
        cursor.execute(f"{update} RETURNING name", (position, FOLLOWER, before))
    return cursor.fetchone() is not None


def _insert(cursor: Cursor, size: int, leaves: Sequence[NewLeaf]) -> None:
    rows = [(number, one.topic, one.kind, one.leaf) for number, one in enumerate(leaves, size)]
    for first in range(0, len(rows), _ROWS):
        some = rows[first : first + _ROWS]
        marks = ", ".join(["(?, ?, ?, ?)"] * len(some))
        cursor.execute(_LEAVES + marks, [value for row in some for value in row])


def _grow(cursor: Cursor, size: int, leaves: Sequence[NewLeaf]) -> None:
    """Append the hashes of leaves to the tiles."""

    def read(level: int, number: int) -> bytes:
        cursor.execute(_TILE, (level, number))
        row = cursor.fetchone()
        return bytes(row[0]) if row else b""

    changed = grown(size, [leaf_hash(one.leaf) for one in leaves], read)
    for (level, number), content in changed.items():
        cursor.execute(_PUT_TILE, (level, number, content))


def _note_opening(cursor: Cursor, number: int, one: NewLeaf) -> None:
    if one.kind == "opened":
        cursor.execute(_OPEN, (one.topic, number, one.opener, one.at))
    elif one.kind == "closed":
        cursor.execute("DELETE FROM log_openings WHERE topic = ?", (one.topic,))


def _prune(cursor: Cursor) -> None:
    """Delete the checkpoints that a later one replaces, because it has as many cosignatures at least."""
    later = (
        "SELECT 1 FROM log_checkpoints AS later WHERE later.size > log_checkpoints.size"
        " AND length(later.cosignatures) - length(replace(later.cosignatures, ?, ''))"
        " >= length(log_checkpoints.cosignatures) - length(replace(log_checkpoints.cosignatures, ?, ''))"
    )
    cursor.execute(f"DELETE FROM log_checkpoints WHERE EXISTS ({later})", ("\n", "\n"))
