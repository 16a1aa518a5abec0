"""A watcher: is every match of mine in the server's log, and does the log say of it what the match says?

It reads the whole log once and then what is new, keeps the frontier of the tree, and so sees that the log
only grew.  What it remembers is one file; what it catches is a finding (`replay.transparency.findings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from domain.log import Damaged, b64, unb64
from domain.merkle import Tree, leaf_hash
from domain.signed_notes import Checkpoint, Note, VerifyingKey, visible
from replay.fetching import CannotFetch, fetched
from replay.transparency import leaf as leaves
from replay.transparency.client import SECONDS, LogReader, signed_checkpoint
from replay.transparency.findings import (
    LATE,
    SKEW,
    AnyFinding,
    Backdated,
    Contradiction,
    Missing,
    note_hash,
    signed_match,
    signed_rotation,
)
from replay.transparency.following import Caught, bare, continued
from replay.transparency.leaf import ClosedLeaf, KeyLeaf, OpenedLeaf, RestoredLeaf
from replay.transparency.tree import inclusion

MOST_ANSWER = 1 << 20  # bytes of one answer of the API
MOST_PAGES = 20  # of a list of matches
MOST_ASKED = 200  # matches that are asked for in one look
MOST_BYTES = 1 << 28  # of the file in which a watcher remembers
ROWS = 100  # of a page

T = TypeVar("T")


class Known(Struct):
    """A match that is watched.

    receipt, opening: the checkpoint over its first move, and the leaf of that move in base64 ("": not seen).
    logged: the place of its opening in the log; closed: the leaf of its end, and its place; -1: not there.
    settled: its end was compared with the log.
    """

    receipt: str = ""
    opening: str = ""
    logged: int = -1
    closed: int = -1
    closing: str = ""
    settled: bool = False


class Open(Struct, frozen=True):
    """A match that the log holds as opened and not as closed; `at` in microseconds UTC."""

    match: str
    opener: str
    at: int
    index: int


class Memory(Struct):
    """What a watcher remembers of one server.

    keys: the vkeys that it trusts; note: the latest checkpoint of the log; peaks: the frontier of its tree.
    open: by the root over the first move.  youngest: the leaf with the latest time so far, and its place.
    """

    keys: list[str] = []
    note: str = ""
    size: int = 0
    peaks: list[str] = []
    open: dict[str, Open] = {}
    matches: dict[str, Known] = {}
    rotations: dict[str, int] = {}
    youngest: tuple[int, str, int] = (0, "", -1)
    restored: int = 0

    @classmethod
    def read(cls, path: Path) -> Memory:
        """Read the file; a new memory if there is none.

        Raises:
            Damaged: it is not the file of a watcher.
        """
        if not path.exists():
            return cls()
        if path.stat().st_size > MOST_BYTES:
            raise Damaged(f"{path}: longer than the {MOST_BYTES} bytes of a watcher's file")
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Damaged(f"{path}: not the file of a watcher: {error}") from error

    def write(self, path: Path) -> None:
        """Replace the file as a whole."""
        fresh = path.with_name(f".{path.name}.part")
        fresh.write_bytes(msgspec.json.encode(self))
        fresh.replace(path)


class Seen(Struct, frozen=True):
    """The result of one look: how far the log is, what is wrong (with its proof, if any), and counts.

    unclosed: by opener, how many openings have no closing, and the time of the oldest.
    """

    size: int
    matches: int
    wrong: tuple[tuple[str, AnyFinding | None], ...]
    unclosed: tuple[tuple[str, int, int], ...]
    restored: int


class _Listed(Struct):
    match: str
    origin: str
    opened_at: int | None = None
    closed_at: int | None = None


class _List(Struct):
    matches: list[_Listed]
    next: str | None = None


class _Keys(Struct):
    present: str
    retired: list[str] = []
    rotations: list[str] = []


class _Move(Struct):
    leaf: str


class _Moves(Struct):
    moves: list[_Move]


class Watcher:
    """Looks at one server.

    Args:
        url: of the server, without `/log`.
        player: whose matches are watched; "" for all that the server lists.
        memory: is changed.
        now: microseconds UTC.
    """

    def __init__(self, url: str, player: str, memory: Memory, now: Callable[[], int]) -> None:
        self._url, self._player, self._memory, self._now = url.rstrip("/"), player, memory, now
        self._log = LogReader(f"{self._url}/log")
        self._wrong: dict[str, AnyFinding | None] = {}
        self._rotations: list[str] = []  # all signed notes that the server shows

    def trust(self, keys: Sequence[VerifyingKey]) -> None:
        """Trust these keys of the server, besides those that are remembered."""
        for key in keys:
            if key.text not in self._memory.keys:
                self._memory.keys.append(key.text)

    def offered(self) -> VerifyingKey:
        """The key that the server says is its own; for the first look, if none is known otherwise.

        Raises:
            CannotFetch, Damaged: it cannot be read.
        """
        return VerifyingKey.parse(self._asked("/v1/keys", _Keys).present)

    def remember(self, receipts: Sequence[str]) -> None:
        """Watch the matches of these receipts, too.

        Raises:
            Damaged: one is not a receipt by a known key.
        """
        for receipt in receipts:
            match, stated = signed_match(receipt, self._keys)
            if stated.size != 1:
                raise Damaged("a receipt is the checkpoint over the first move")
            known = self._memory.matches.setdefault(match, Known())
            known.receipt = known.receipt or receipt

    def look(self) -> Seen:
        """Look once.

        Raises:
            CannotFetch: the server does not answer, or not in time, or too much.
            Damaged: what it answers cannot be read, or is signed by no known key.
        """
        self._follow_keys()
        listed = self._listed()  # before the log: what is listed must be in a log that is fetched later
        try:
            self._grow()
        except Caught as caught:
            self._say(caught.finding)
            return self._seen()
        self._judge_keys()
        self._judge_matches(listed)
        return self._seen()

    @property
    def _keys(self) -> list[VerifyingKey]:
        return [VerifyingKey.parse(text) for text in self._memory.keys]

    def _say(self, finding: AnyFinding) -> None:
        self._wrong[finding.check(self._keys)] = finding

    # ── keys ──

    def _follow_keys(self) -> None:
        """Take in the rotations that known keys signed."""
        shown = self._asked("/v1/keys", _Keys)
        for note in shown.rotations:
            signed_rotation(note, self._keys)
            new = VerifyingKey.parse(Note.parse(note).text.split("\n")[2])
            self.trust([new])
        if VerifyingKey.parse(shown.present) not in self._keys:
            raise Damaged(f"the key {visible(shown.present[:120])} follows from none of the known keys")
        self._rotations = shown.rotations

    def _judge_keys(self) -> None:
        """Is each new key in the log, once the log is younger than the rotation?"""
        for note in self._rotations:
            _, at = signed_rotation(note, self._keys)
            if note_hash(note) not in self._memory.rotations and self._memory.youngest[0] > at + LATE:
                self._say(self._missing(note, ""))

    # ── the log ──

    def _grow(self) -> None:
        """Read what is new in the log.  Raises Caught, CannotFetch, Damaged."""
        memory = self._memory
        note = self._log.latest()
        stated = signed_checkpoint(note, self._keys)
        note = bare(note, self._keys)
        older = (memory.note, Checkpoint.parse(Note.parse(memory.note).text)) if memory.note else None
        if older and older[1].origin != stated.origin:
            raise Damaged(f"this is another log: {visible(stated.origin[:120])}")
        continued(self._log, older, (note, stated))
        tree = Tree.resumed(memory.size, [unb64(peak) for peak in memory.peaks])
        new = list(self._log.leaves(memory.size, stated.size))
        for one in new:
            tree.add(one)
        if tree.root != stated.root:
            raise Damaged(f"{self._log.url}: the entries do not lead to the root of the signed checkpoint")
        first = memory.size
        memory.note, memory.size = note, stated.size
        memory.peaks = [b64(peak) for peak in tree.peaks]
        for index, data in enumerate(new, first):
            self._take(index, data)

    def _take(self, index: int, data: bytes) -> None:
        """Take in one leaf."""
        memory, found = self._memory, leaves.read(data)
        if isinstance(found, OpenedLeaf):
            memory.open[found.root] = Open(found.match, found.opener, found.at or 0, index)
            for known in self._of(found.match, found.root):
                known.logged = index
        elif isinstance(found, ClosedLeaf):
            memory.open.pop(found.opening, None)
            for known in self._of(found.match, found.opening):
                known.closed, known.closing = index, b64(data)
        elif isinstance(found, KeyLeaf):
            memory.rotations[found.note] = index
            self._judge_rotation(index, data, found)
        elif isinstance(found, RestoredLeaf):
            memory.restored += found.lost
        if (found.at or 0) > memory.youngest[0]:
            memory.youngest = (found.at or 0, b64(data), index)

    def _of(self, match: str, root: str) -> Iterator[Known]:
        """The watched match that a leaf is of: by its id; a private one by the root over its first move."""
        if match:
            if match in self._memory.matches or not self._player:
                yield self._memory.matches.setdefault(match, Known())
            return
        for known in self._memory.matches.values():
            if known.receipt and b64(Checkpoint.parse(Note.parse(known.receipt).text).root) == root:
                yield known

    def _judge_rotation(self, index: int, data: bytes, found: KeyLeaf) -> None:
        """Is a rotation older than what the log had before it?"""
        before, young, place = self._memory.youngest
        notes = [note for note in self._rotations if note_hash(note) == found.note]
        if not notes:
            self._wrong[f"the log holds a rotation (leaf {index}) that /v1/keys does not show"] = None
        elif before > signed_rotation(notes[0], self._keys)[1] + SKEW:
            self._say(
                Backdated(
                    rotation=notes[0],
                    leaf=b64(data),
                    index=index,
                    path=self._path(index),
                    before=young,
                    before_index=place,
                    before_path=self._path(place),
                    point=self._memory.note,
                )
            )

    def _path(self, index: int) -> tuple[str, ...]:
        size = self._memory.size
        return tuple(map(b64, inclusion(index, size, self._log.at(size))))

    def _missing(self, signed: str, opening: str) -> AnyFinding:
        memory = self._memory
        entries = tuple(map(b64, self._log.leaves(0, memory.size)))
        return Missing(signed=signed, opening=opening, point=memory.note, entries=entries)

    # ── the matches ──

    def _listed(self) -> list[_Listed]:
        """The matches that the server lists, played here; new ones are remembered with their receipt."""
        found, after = list[_Listed](), ""
        whose = f"&player={self._player}" if self._player else ""
        for _ in range(MOST_PAGES):
            page = self._asked(f"/v1/matches?limit={ROWS}{whose}{after}", _List)
            found += [one for one in page.matches if one.origin not in ("imported", "uploaded")]
            if page.next is None:
                break
            after = f"&after={page.next}"
        for one in found[:MOST_ASKED]:
            known = self._memory.matches.setdefault(one.match, Known())
            if not known.opening and known.logged < 0:
                self._receive(one.match, known)
        return found

    def _receive(self, match: str, known: Known) -> None:
        """Fetch the receipt of a match, and the leaf of its first move."""
        known.receipt = known.receipt or self._text(f"/v1/matches/{match}/checkpoint?move=1")
        _, stated = signed_match(known.receipt, self._keys)
        moves = self._asked(f"/v1/matches/{match}/moves?proof=true&limit=1", _Moves).moves
        data = moves[0].leaf.encode() if moves else b""
        if leaf_hash(data) != stated.root:
            what = f"match {visible(match)}: its first move is not the one of its receipt"
            self._wrong[what] = None
            return
        known.opening = b64(data)
        root = b64(stated.root)
        if root in self._memory.open:
            known.logged = self._memory.open[root].index

    def _judge_matches(self, listed: Sequence[_Listed]) -> None:
        shown = {one.match: one for one in listed}
        asked = 0
        for match, known in self._memory.matches.items():
            if known.settled:
                continue
            if known.logged < 0:
                self._judge_opening(match, known, shown.get(match))
            elif asked < MOST_ASKED and (known.closed >= 0 or (self._player and match not in shown)):
                asked += 1
                self._judge_end(match, known)
            elif match in shown:
                self._judge_unclosed(match, shown[match])

    def _judge_opening(self, match: str, known: Known, listed: _Listed | None) -> None:
        """The match is not in the log."""
        if known.opening:
            finding = self._missing(known.receipt, known.opening)
            try:
                self._say(finding)
            except Damaged:  # the log may not have come so far
                self._judge_late(match, listed)
        else:
            self._wrong[f"match {visible(match)}, of which there is a receipt, is not in the log"] = None

    def _judge_late(self, match: str, listed: _Listed | None) -> None:
        opened = listed.opened_at if listed else None
        if opened is not None and self._now() > opened + SKEW:
            self._wrong[f"match {visible(match)} is not in the log, ten minutes after it was opened"] = None

    def _judge_unclosed(self, match: str, listed: _Listed) -> None:
        """The match is open in the log: is it over for the server?"""
        if listed.closed_at is not None and self._memory.youngest[0] > listed.closed_at + LATE:
            what = f"match {visible(match)} is over, and the log, which is younger, holds no end of it"
            self._wrong[what] = None

    def _judge_end(self, match: str, known: Known) -> None:
        """The match is closed in the log, or the server does not list it: compare its own checkpoint."""
        try:
            note = self._text(f"/v1/matches/{match}/checkpoint")
        except CannotFetch as error:
            if "the answer is 404" in str(error):
                where = f"match {visible(match)} is in the log (leaf {known.logged})"
                self._wrong[f"{where}, and the server does not show it"] = None
            return
        if known.closed < 0:
            return
        finding = Contradiction(
            leaf=known.closing,
            index=known.closed,
            path=self._path(known.closed),
            point=self._memory.note,
            match=note,
        )
        try:
            self._say(finding)
        except Damaged:
            known.settled = True

    # ── counts, and answers ──

    def _seen(self) -> Seen:
        memory = self._memory
        counts = dict[str, tuple[int, int]]()
        for one in memory.open.values():
            count, oldest = counts.get(one.opener, (0, one.at))
            counts[one.opener] = count + 1, min(oldest, one.at)
        unclosed = sorted(((opener, *found) for opener, found in counts.items()), key=lambda row: -row[1])
        return Seen(
            memory.size, len(memory.matches), tuple(self._wrong.items()), tuple(unclosed), memory.restored
        )

    def _text(self, path: str) -> str:
        data = fetched(f"{self._url}{path}", most=MOST_ANSWER, seconds=SECONDS, redirects=False)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise CannotFetch(f"{self._url}{path}: not UTF-8") from error

    def _asked(self, path: str, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(self._text(path), type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise CannotFetch(f"{self._url}{path}: {error}") from error
