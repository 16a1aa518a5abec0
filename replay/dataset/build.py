"""Builds a data set from a store, beside the process that serves it.

A match enters the data set when it closes, in the order of the log.  The log is cut into slices of `CUT`
positions, and the parts of a slice follow from the store alone: so a build that goes on, one that was
interrupted and one from nothing give the same bytes.  What changes later replaces parts of its slice, and is
a row of `changes`: a match is withdrawn, a player is forgotten, or a match is rated again after a ruling of a
tournament (`replay.dataset.late_ratings`).  No other ruling comes later: the log of a match that is over
takes none.

A slice is built as a whole: first its parts get their names, then one rename of the manifest makes them
count.  The parts of a complete group of slices are merged in the same way (`replay.dataset.compaction`).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from domain.games import GAMES
from domain.log import Damaged, canonical
from domain.match import Match
from replay.dataset import compaction, late_ratings
from replay.dataset import manifest as manifests
from replay.dataset.compaction import Group
from replay.dataset.manifest import (
    DICTIONARY,
    FORMAT,
    MANIFEST,
    POOL,
    SCHEMA,
    VERSION,
    BadDataSet,
    LeftOut,
    Manifest,
    Part,
    Settings,
    Slice,
    in_order,
)
from replay.dataset.parts import PartWriter, batch_of, matches_of, write_part, writer
from replay.dataset.source import Source, publishable
from replay.tables import core, registry
from replay.tables.core import Beside
from replay.tables.schema import Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

CUT = 100_000  # positions of the log in one slice
_UNUSED = 600  # seconds after which a part that no manifest names is deleted: a reader may still use it
_NONE = Slice(0, 0, -1)
_LONGEST = 200  # characters of why a match is left out
_IDS = {"seats": "player", "ratings": "player", "rulings": "by"}  # the columns that hold ids of people

Batches = dict[str, "pa.RecordBatch"]


class Busy(Exception):
    """Another process builds the same data set; the text says which one."""


class _Unfit(Exception):
    """The log of a match cannot be made into rows; the text says why."""


class Built(Struct, frozen=True):
    """What a build did: the manifest, and how many matches and parts it wrote."""

    manifest: Manifest
    matches: int
    parts: int


class Builder:
    """Builds and continues the data set in one folder.

    Args:
        folder: the folder of the data set.
        state: a folder of this builder's own, in which an unfinished manifest waits.
        report: is called with one line for everything that a user should know.
        advance: is called with the number of positions of the log that were read, and a match.
        cut: how many positions a slice covers; another number makes another data set.
        slices: how many slices are merged, 2 or more.
    """

    def __init__(
        self,
        folder: Path,
        state: Path,
        source: Source,
        settings: Settings,
        product: str,
        *,
        report: Callable[[str], None] = lambda line: None,
        advance: Callable[[int, str], None] = lambda positions, match: None,
        cut: int = CUT,
        slices: int = compaction.SLICES,
    ) -> None:
        self._folder, self._state, self._source, self._settings = folder, state, source, settings
        self._report, self._advance = report, advance
        self._group_length = cut * slices
        decisions = "decisions" not in settings.without
        self._tables = tuple(registry.tables(running=settings.running, decisions=decisions))
        self._schema = manifests.schema_of(self._tables)
        self._by_name = {table.name: table for table in self._tables}
        self._empty = Manifest(
            FORMAT,
            VERSION,
            "",
            0,
            cut,
            product,
            writer(),
            {name: game.rules for name, game in GAMES.items()},
            hashlib.sha256(self._schema.data).hexdigest(),
            settings,
        )
        self._written = [0, 0]  # matches, parts
        self._sound_parts = set[str]()  # those that this builder wrote or has checked

    def build(self) -> Built:
        """Bring the data set to the last record of the store.

        Raises:
            BadDataSet: the folder holds something else, or a data set of another store or other settings.
            OSError: it cannot be written; what was there before is unchanged.
        """
        self._written = [0, 0]
        self._folder.mkdir(parents=True, exist_ok=True)
        served = manifests.read(self._folder)
        manifest, target = self._begin(served)
        upto = self._source.last()
        if upto < manifest.to:
            raise BadDataSet(
                f"{self._folder}: built up to record {manifest.to}, but the store ends with record {upto}:"
                " it is an older copy, or another store; build into another folder"
            )
        self._clear_away(served, manifest)
        manifest = replace(manifest, log=self._source.identity())
        hidden, forgotten = self._source.hidden(), self._source.forgotten()
        build = self._running if self._settings.running else self._closed
        for step in build(manifest, upto, hidden, forgotten):
            manifest = step
            manifests.write(target, MANIFEST, manifest.data)
        manifest = self._finished(manifest, upto, forgotten)
        rows = dict.fromkeys(manifests.names(self._schema), 0)
        for part in manifest.parts:
            rows[part.table] += part.rows
        self._write(SCHEMA, self._schema.data)
        self._write(DICTIONARY, manifests.dictionary(self._schema, rows, {}).encode())
        self._write(MANIFEST, manifest.data)
        if target != self._folder:
            (target / MANIFEST).unlink(missing_ok=True)
        return Built(manifest, *self._written)

    def _write(self, name: str, data: bytes) -> None:
        """Write a file of the data set, unless it is there already."""
        path = self._folder / name
        if not path.exists() or path.read_bytes() != data:
            manifests.write(self._folder, name, data)

    def is_behind(self) -> bool:
        """Has anything changed since the data set was built?

        That is: a match closed, was withdrawn or was rated again, or a player was forgotten.

        Raises:
            BadDataSet, OSError: see `build`.
        """
        manifest = manifests.read(self._folder)
        if manifest is None or self._settings.running:
            return manifest is None or manifest.to < self._source.last()
        if self._source.closings(manifest.to, self._source.last()):
            return True
        names = _hash(self._source.forgotten().values())
        if names != manifest.forgotten or self._rehidden(manifest, self._source.hidden()):
            return True
        return bool(late_ratings.outdated(manifest, self._source.ratings_changed(manifest.cut)))

    # ── what is there already ──

    def _begin(self, served: Manifest | None) -> tuple[Manifest, Path]:
        """The manifest to continue from, and the folder in which its next state is written.

        A data set of another version of the program is built anew beside the one that is served.
        """
        if served is None:
            if any(self._others()):
                raise BadDataSet(f"{self._folder}: not empty, and no data set; name a new or an empty folder")
            manifests.write(self._folder, SCHEMA, self._schema.data)
            return self._empty, self._folder
        if served.settings != self._settings or served.cut != self._empty.cut:
            raise BadDataSet(
                f"{self._folder}: built with {_options(served.settings)}, not with"
                f" {_options(self._settings)}; use the same options, or build into another folder"
            )
        identity = self._source.identity()
        if served.log not in ("", identity):
            raise BadDataSet(f"{self._folder}: built from another store; build into another folder")
        if self._continues(served):
            return served, self._folder
        self._report(
            f"{self._folder}: built by another version ({_versions(served)}, now {_versions(self._empty)});"
            " it is built anew, and the old one stays until that is done"
        )
        waiting = manifests.read(self._state)
        if waiting is not None and self._continues(waiting) and waiting.log == identity:
            return waiting, self._state
        return self._empty, self._state

    def _others(self) -> Iterator[Path]:
        """What is in the folder besides what an interrupted first build leaves there."""
        own = {table.folder.partition("/")[0] for table in self._schema.tables}
        own |= {f"{name}{end}" for name in (MANIFEST, SCHEMA, DICTIONARY) for end in ("", ".part")}
        return (path for path in self._folder.iterdir() if path.name not in own)

    def _continues(self, found: Manifest) -> bool:
        """Was it made as this builder makes it?"""
        own = self._empty
        return (found.product, found.writer, found.rules, found.schema, found.settings, found.cut) == (
            own.product,
            own.writer,
            own.rules,
            own.schema,
            own.settings,
            own.cut,
        )

    def _clear_away(self, *manifests: Manifest | None) -> None:
        """Delete unfinished parts, and parts that have been in no manifest for some time."""
        named = {part.path for manifest in manifests if manifest for part in manifest.parts}
        for path in self._folder.rglob(".*part"):
            path.unlink(missing_ok=True)
        for path in self._folder.rglob("*.parquet"):
            if path.relative_to(self._folder).as_posix() not in named and _age(path) > _UNUSED:
                path.unlink(missing_ok=True)

    # ── groups of slices ──

    def _closed(
        self, manifest: Manifest, upto: int, hidden: frozenset[str], forgotten: Mapping[str, str]
    ) -> Iterator[Manifest]:
        """Build what is missing or has changed; yield the manifest after each step."""
        outdated = self._rehidden(manifest, hidden) | self._renamed(manifest, forgotten)
        outdated |= self._incomplete(manifest)
        changed = self._source.ratings_changed(manifest.cut)
        if again := late_ratings.outdated(manifest, changed):
            manifest, damaged = self._rated_again(manifest, again, changed, forgotten)
            outdated |= damaged
            yield manifest
        for group in compaction.groups(upto, self._group_length):
            firsts = range(group.first, min(group.last, upto) + 1, manifest.cut)
            known = {one.first: one for one in manifest.slices}
            ends = {first: min(first + manifest.cut - 1, upto) for first in firsts}
            stale = [
                first for first in firsts if first in outdated or known.get(first, _NONE).to != ends[first]
            ]
            if stale and any(map(group.is_merged, manifest.parts)):
                manifest, lost = self._apart(manifest, group)
                stale = list(firsts) if lost else stale
                yield manifest
            if group.last <= upto:
                stale += sorted(self._unsound(manifest, group) - {*stale})
            for first in stale:
                manifest = self._anew(manifest, first, upto, outdated, hidden, forgotten)
                manifest = late_ratings.with_ratings(manifest, {}, changed, {first})
                yield manifest
            if group.last <= upto and not all(map(group.is_merged, filter(group.holds, manifest.parts))):
                manifest = self._merged(manifest, group)
                yield manifest

    def _rated_again(
        self, manifest: Manifest, slices: set[int], changed: Mapping[int, int], forgotten: Mapping[str, str]
    ) -> tuple[Manifest, set[int]]:
        """The manifest with the ratings of these slices as they are now; the slices with a damaged part."""
        damaged, fresh = set[int](), dict[str, Part]()
        for part in late_ratings.parts_of(manifest, slices):
            if not self._will_do(part, is_read=True):
                damaged |= {one for one in slices if part.first <= one <= part.last}
                continue
            ratings = {
                match: {forgotten.get(player, player): points for player, points in of_match.items()}
                for match, of_match in self._source.changed_ratings(part.first, part.last).items()
            }
            table = self._by_name[part.table]
            fresh[part.path] = late_ratings.rewritten(self._folder, table, part, manifest.cut, ratings)
        self._written[1] += sum(part.path != path for path, part in fresh.items())
        self._sound_parts |= {part.path for part in fresh.values()}
        return late_ratings.with_ratings(manifest, fresh, changed, slices - damaged), damaged

    def _apart(self, manifest: Manifest, group: Group) -> tuple[Manifest, bool]:
        """The manifest with the parts of a group split by slices; or without them, if one is damaged."""
        held = [part for part in manifest.parts if group.holds(part)]
        if not all(is_sound(self._folder, part) for part in held):
            slices = tuple(one for one in manifest.slices if not group.first <= one.first <= group.last)
            parts = tuple(part for part in manifest.parts if part not in held)
            return replace(manifest, slices=slices, parts=parts), True
        matches = {
            (one.first, one.last): frozenset(
                match for _, match in self._source.closings(one.first - 1, one.to)
            )
            for one in manifest.slices
            if group.first <= one.first <= group.last
        }
        return compaction.split(self._folder, self._by_name, manifest, group, matches), False

    def _closings(self, slice: Slice) -> frozenset[str]:
        """The matches that closed in a slice."""
        return frozenset(match for _, match in self._source.closings(slice.first - 1, slice.to))

    def _merged(self, manifest: Manifest, group: Group) -> Manifest:
        """The manifest with the parts of a complete group merged."""
        found = compaction.merge(self._folder, self._by_name, manifest, group)
        self._written[1] += sum(map(group.is_merged, found.parts))
        self._clear_away(manifest, found)
        return found

    def _unsound(self, manifest: Manifest, group: Group) -> set[int]:
        """The slices with parts that would be merged, but are damaged."""
        return {
            part.first
            for part in manifest.parts
            if group.holds(part) and not group.is_merged(part) and not self._will_do(part, is_read=True)
        }

    # ── slices ──

    def _anew(
        self,
        manifest: Manifest,
        first: int,
        upto: int,
        outdated: Collection[int],
        hidden: frozenset[str],
        forgotten: Mapping[str, str],
    ) -> Manifest:
        """The manifest with a slice that is built up to a position, or continued if nothing of it changed."""
        last = first + manifest.cut - 1
        known = {one.first: one for one in manifest.slices}.get(first)
        begin = known if known and first not in outdated and known.to < min(last, upto) else None
        begin, end = begin or Slice(first, last, first - 1), min(last, upto)
        closings = self._source.closings(begin.to, end)
        made, parts = self._slice(manifest, begin, end, closings, hidden, forgotten)
        made = replace(made, hidden=self._hidden_in(first, last, hidden))
        return _with(manifest, made, parts)

    def _slice(
        self,
        manifest: Manifest,
        begin: Slice,
        end: int,
        closings: Sequence[tuple[int, str]],
        hidden: frozenset[str],
        forgotten: Mapping[str, str],
    ) -> tuple[Slice, dict[tuple[str, str | None], Part]]:
        """Build a slice from what is there of it (`begin`) up to the position `end`."""
        known = {
            (part.table, part.pool): part
            for part in manifest.parts
            if part.first == begin.first and begin.to >= begin.first
        }
        count, left_out = 0, list(begin.left_out)
        with _Parts(self._folder, begin, known) as parts:
            position = begin.to
            for closed_at, match in closings:
                self._advance(closed_at - position, match)
                position = closed_at
                try:
                    count += self._take(parts, match, hidden, forgotten)
                except (Damaged, _Unfit) as error:
                    left_out.append(LeftOut(match, str(error)[:_LONGEST]))
                    self._report(f"match {match!r} is left out: {error}")
            self._advance(end - position, "")
            made = parts.complete()
        self._written[0] += count
        self._written[1] += len(made)
        self._sound_parts |= {part.path for part in made.values()}
        slice = replace(begin, to=end, matches=begin.matches + count, left_out=tuple(left_out))
        return slice, known | made

    def _take(self, parts: _Parts, name: str, hidden: frozenset[str], forgotten: Mapping[str, str]) -> bool:
        """Put the rows of a match into the parts of its pool; return whether it may be there.

        Raises:
            Damaged, _Unfit: its log cannot be made into rows; nothing was put there.
        """
        match = None if name in hidden else self._source.match(name)
        if match is None or not publishable(match, hidden):
            return False
        if (match.closed is None) != self._settings.running:
            return False
        batches = self._batches(match, replace(self._source.beside(match), ids=forgotten))
        for table, batch in batches.items():
            parts.add(table, match.pool, batch)
        return True

    def _batches(self, match: Match, beside: Beside) -> dict[Table, pa.RecordBatch]:
        """The rows of a match, by table.  Raises _Unfit: see `_take`."""
        if not POOL.fullmatch(match.pool):
            raise _Unfit(f"its origin {match.pool[:60]!r} is none that this program knows")
        is_over = match.closed is not None
        decisions = is_over and "decisions" not in self._settings.without
        own = registry.of_game(match.game.name) if is_over else None
        coarse_times = self._settings.coarse_times
        try:
            rows = core.rows(match, beside, decisions=decisions) | (own.rows(match) if own else {})
            return {
                table: batch_of(table, rows[table.name], coarse_times=coarse_times)
                for table in self._tables
                if rows.get(table.name)
            }
        except Exception as error:  # the log of an uploaded match may hold anything
            raise _Unfit(f"{type(error).__name__}: {error}") from error

    # ── running matches ──

    def _running(
        self, manifest: Manifest, upto: int, hidden: frozenset[str], forgotten: Mapping[str, str]
    ) -> Iterator[Manifest]:
        """Build all matches that run; the parts of the build before are replaced."""
        names = [name for name in self._source.running() if name not in hidden]
        closings = list(enumerate(names, 1))
        begin = Slice(0, 0, -1)
        made, parts = self._slice(manifest, begin, len(names), closings, hidden, forgotten)
        yield _with(manifest, replace(made, to=0), parts)

    # ── what has changed since ──

    def _rehidden(self, manifest: Manifest, hidden: frozenset[str]) -> set[int]:
        """The slices in which another match than before may not be seen."""
        now = self._hidden_by_slice(manifest.cut, hidden)
        return {one.first for one in manifest.slices if one.hidden != _hash(now.get(one.first, ()))}

    def _hidden_in(self, first: int, last: int, hidden: frozenset[str]) -> str:
        return _hash(self._hidden_by_slice(last - first + 1, hidden).get(first, ()))

    def _hidden_by_slice(self, cut: int, hidden: frozenset[str]) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for match, position in self._source.closed_at(hidden).items() if hidden else ():
            found.setdefault(_first_of(position, cut), []).append(match)
        return found

    def _renamed(self, manifest: Manifest, forgotten: Mapping[str, str]) -> set[int]:
        """The slices whose matches hold the id of a player who was forgotten since."""
        if manifest.forgotten == _hash(forgotten.values()):
            return set()
        matches = set[str]()
        for part in manifest.parts:
            if part.table in _IDS and (self._folder / part.path).exists():
                matches |= matches_of(self._folder, part, _IDS[part.table], forgotten.keys())
        positions = self._source.closed_at(matches).values() if matches else ()
        return {_first_of(position, manifest.cut) for position in positions}

    def _incomplete(self, manifest: Manifest) -> set[int]:
        """The slices of which a part is missing or has another size, or will be continued and is damaged."""
        unfinished = {one.first for one in manifest.slices if one.to < one.last}
        lost = [part for part in manifest.parts if not self._will_do(part, is_read=part.first in unfinished)]
        return {one.first for one in manifest.slices for part in lost if part.first <= one.first <= part.last}

    def _will_do(self, part: Part, *, is_read: bool) -> bool:
        if _size(self._folder / part.path) != part.bytes:
            return False
        if is_read and part.path not in self._sound_parts:
            if not is_sound(self._folder, part):
                return False
            self._sound_parts.add(part.path)
        return True

    def _finished(self, manifest: Manifest, upto: int, forgotten: Mapping[str, str]) -> Manifest:
        """The manifest with the tables that have no pools."""
        parts = [part for part in manifest.parts if part.pool is not None]
        known = {part.table: part for part in manifest.parts if part.pool is None}
        for table in self._tables:
            found = known.get(table.name)
            if table.name == "components" and found and self._will_do(found, is_read=False):
                parts.append(found)  # they follow from the version of the program alone
            elif table.name in registry.UNPOOLED:
                rows: Sequence[Row] = core.components() if table.name == "components" else self._changes()
                made = write_part(self._folder, table, rows, coarse_times=self._settings.coarse_times)
                self._written[1] += made is not None and made != found
                parts += [made] if made else []
        return replace(manifest, to=upto, forgotten=_hash(forgotten.values()), parts=in_order(parts))

    def _changes(self) -> list[Row]:
        if self._settings.running:
            return []
        found = sorted(
            self._source.changes(), key=lambda one: (one.at or 0, one.match or "", one.player or "")
        )
        return [(one.at, one.what, one.match, one.player) for one in found]


class _Parts:
    """The parts of one slice that are being written, by table and pool."""

    def __init__(
        self,
        folder: Path,
        slice: Slice,
        known: Mapping[tuple[str, str | None], Part],
    ) -> None:
        self._folder, self._slice, self._known = folder, slice, known
        self._writers: dict[tuple[str, str | None], PartWriter] = {}

    def __enter__(self) -> _Parts:
        return self

    def __exit__(self, *problem: object) -> None:
        for made in self._writers.values():
            made.abandon()

    def add(self, table: Table, pool: str, batch: pa.RecordBatch) -> None:
        """Append rows to the part of a table and pool, after those that were there before."""
        key = (table.name, pool)
        if key not in self._writers:
            fresh = PartWriter(self._folder, table, pool, self._slice.first, self._slice.last)
            self._writers[key] = fresh
            if key in self._known:
                fresh.continue_from(self._known[key])
        self._writers[key].add(batch)

    def complete(self) -> dict[tuple[str, str | None], Part]:
        """Give all parts their names; return them."""
        return {key: made.complete() for key, made in self._writers.items()}


def _with(manifest: Manifest, slice: Slice, parts: Mapping[tuple[str, str | None], Part]) -> Manifest:
    """The manifest with another state of one slice."""
    slices = [one for one in manifest.slices if one.first != slice.first]
    others = [part for part in manifest.parts if part.pool is None or part.first != slice.first]
    return replace(
        manifest,
        to=max(manifest.to, slice.to),
        slices=tuple(sorted((*slices, slice), key=lambda one: one.first)),
        parts=in_order((*others, *parts.values())),
    )


def _first_of(position: int, cut: int) -> int:
    """The first position of the slice that holds a position."""
    return (position - 1) // cut * cut + 1


def is_sound(folder: Path, part: Part) -> bool:
    """Is the file of a part there, with the bytes that the manifest says?"""
    try:
        with (folder / part.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == part.sha256
    except OSError:
        return False


@contextmanager
def alone(state: Path) -> Iterator[None]:
    """Hold the right to build: only one process at a time has it.

    Args:
        state: the builder's own folder, which is made if it is missing.

    Raises:
        Busy: another process has it.
        OSError: the folder cannot be made.
    """
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(state / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip() or "another one"
            raise Busy(f"process {holder} builds this data set; wait for it, or stop it") from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _hash(names: Iterable[str]) -> str:
    """A hash over names, in any order; "" for none."""
    ordered = sorted(names)
    return hashlib.sha256(canonical(ordered)).hexdigest() if ordered else ""


def _options(settings: Settings) -> str:
    """The options of the command that make these settings."""
    given = ["--running"] * settings.running + ["--coarse-times"] * settings.coarse_times
    given += [f"--without {table}" for table in settings.without]
    return " ".join(given) or "no options"


def _versions(manifest: Manifest) -> str:
    return f"version {manifest.product} with {manifest.writer}"


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
