"""Snapshots of a data set: made and signed, checked, and compared.

A snapshot is a folder that never changes: the manifest, hard links to the parts, the dictionary with what was
seen in each column, a licence, how to cite it, and a signed note over all of them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.log import Damaged
from domain.signed_notes import Note, Signed, SigningKey, VerifyingKey
from replay.dataset import manifest as manifests
from replay.dataset.build import is_sound
from replay.dataset.manifest import DICTIONARY, MANIFEST, SCHEMA, BadDataSet, Manifest, Part, Schema, Seen

LICENCE, CITE, SIGNATURE = "LICENCE", "CITE", "signature.txt"
_SIGNED = (SCHEMA, DICTIONARY, LICENCE, CITE)  # the files beside the manifest that the note covers
_encode = msgspec.msgpack.Encoder(enc_hook=repr).encode
_MOST_BYTES = 64 * 1024 * 1024  # of one of these files
_NO_LICENCE = """\
No licence was stated for this data set. Ask {name} before you publish parts of it.
The rules, the cards and their names belong to the publishers of the games.
"""
_CITE = """\
Matches of {name}, a data set of {matches} matches up to record {to} of its log,
written by Glasnost {product}. {snapshot}

Name this identifier with every number: the same identifier means the same bytes.
"""


class Snapshot(Struct, frozen=True):
    """A snapshot: its manifest, and how many parts are copies because they could not be linked."""

    manifest: Manifest
    copied: int


def make(folder: Path, target: Path, key: SigningKey, licence: str | None = None) -> Snapshot:
    """Make a snapshot of the data set in `folder` as the new folder `target`.

    Args:
        licence: the text of the file LICENCE; None: a text which says that there is none.

    Raises:
        BadDataSet: there is no data set, or a part is damaged; or `target` exists.
        OSError: `target` cannot be written; nothing of it stays.
    """
    manifest = manifests.read(folder)
    if manifest is None:
        raise BadDataSet(f"{folder}: no data set; `glasnost data build {folder}` builds one")
    if target.exists():
        raise BadDataSet(f"{target}: exists already; a snapshot never changes, so name a new folder")
    schema = manifests.read_schema(folder, manifest)
    fresh = target.with_name(f".{target.name}.part")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True)
        copied = sum(_linked(folder, fresh, part) for part in manifest.parts)
        name = key.verifying.name
        texts = {
            SCHEMA: schema.data,
            DICTIONARY: _dictionary(fresh, manifest, schema).encode(),
            LICENCE: (_NO_LICENCE.format(name=name) if licence is None else licence).encode(),
            CITE: _cite(manifest, name).encode(),
        }
        note = key.sign(_statement(manifest, texts))
        for file, data in {**texts, SIGNATURE: note.encode(), MANIFEST: manifest.data}.items():
            manifests.write(fresh, file, data)
        fresh.rename(target)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    manifests.sync(target.parent)
    return Snapshot(manifest, copied)


def _linked(folder: Path, fresh: Path, part: Part) -> bool:
    """Link a part into a new folder, or copy it where that is not possible; return whether it was copied."""
    if not is_sound(folder, part):
        raise BadDataSet(
            f"{folder / part.path}: damaged or missing; delete it, and `glasnost data build` makes it again"
        )
    place = fresh / part.path
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(folder / part.path, place)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
            raise
        shutil.copyfile(folder / part.path, place)
        return True
    return False


def _cite(manifest: Manifest, name: str) -> str:
    return _CITE.format(
        name=name,
        matches=manifest.matches,
        to=manifest.to,
        product=manifest.product,
        snapshot=manifest.snapshot,
    )


def _statement(manifest: Manifest, texts: Mapping[str, bytes]) -> str:
    """The text that is signed; it can be taken for no checkpoint, whose second line is a number."""
    lines = [f"{name} sha256:{hashlib.sha256(texts[name]).hexdigest()}\n" for name in _SIGNED]
    return f"{manifests.FORMAT}\n{MANIFEST} {manifest.snapshot}\n{''.join(lines)}"


# ── the dictionary, with what was seen ──


def _dictionary(folder: Path, manifest: Manifest, schema: Schema) -> str:
    rows = dict.fromkeys(manifests.names(schema), 0)
    seen: dict[tuple[str, str], Seen] = {}
    for part in manifest.parts:
        rows[part.table] += part.rows
        for column, values in _seen(folder / part.path, part, seen).items():
            seen[part.table, column] = values
    return manifests.dictionary(schema, rows, seen)


def _seen(path: Path, part: Part, known: Mapping[tuple[str, str], Seen]) -> dict[str, Seen]:
    """What was seen in each column, with the values of one more part."""
    from pyarrow.parquet import ParquetFile

    found: dict[str, Seen] = {}
    with ParquetFile(path) as file:
        before = {name: known.get((part.table, name), Seen()) for name in file.schema_arrow.names}
        unseen = [name for name, seen in before.items() if seen.example is None]
        first = next(file.iter_batches(100, columns=unseen)) if part.rows and unseen else None
        places = {file.schema.column(place).path: place for place in range(len(file.schema))}
        for column, seen in before.items():
            if column in places:  # a list is stored under another path, and has no statistics
                for group in range(file.metadata.num_row_groups):
                    seen = _with_group(seen, file.metadata.row_group(group).column(places[column]))
            if seen.example is None and first is not None:
                example = next((value.as_py() for value in first.column(column) if value.is_valid), None)
                seen = Seen(seen.least, seen.greatest, seen.nulls, example)
            found[column] = seen
    return found


def _with_group(seen: Seen, chunk: Any) -> Seen:
    """What was seen in a column, with the statistics of its values in one more row group."""
    found = chunk.statistics
    if found is None:
        return seen
    least, greatest = seen.least, seen.greatest
    if found.has_min_max:
        now = (found.min, found.max)
        least = now[0] if least is None else min(least, now[0])
        greatest = now[1] if greatest is None else max(greatest, now[1])
    return Seen(least, greatest, seen.nulls + found.null_count, seen.example)


# ── checking ──


class Checked(Struct, frozen=True):
    """What was found: the manifest, a sentence for each wrong file, who signed it (None: no signature)."""

    manifest: Manifest
    wrong: list[str]
    signed: Signed | None


def check(folder: Path, keys: Sequence[VerifyingKey] = ()) -> Checked:
    """Compare every file of a data set or a snapshot with the manifest, and check the signature.

    Args:
        keys: the keys whose signatures count.

    Raises:
        BadDataSet: there is no manifest that this program reads.
        OSError: it cannot be read.
    """
    manifest = manifests.read(folder)
    if manifest is None:
        raise BadDataSet(f"{folder}: no data set")
    wrong = []
    if (folder / MANIFEST).read_bytes() != manifest.data:
        wrong.append(f"{MANIFEST}: not in its canonical form, so its hash says nothing")
    try:
        manifests.read_schema(folder, manifest)
    except BadDataSet as error:
        wrong.append(str(error))
    for part in manifest.parts:
        if not is_sound(folder, part):
            there = "other bytes than the manifest says" if (folder / part.path).exists() else "missing"
            wrong.append(f"{part.path}: {there}")
    signed, unsigned = _signature(folder, manifest, keys)
    return Checked(manifest, wrong + unsigned, signed)


def _signature(
    folder: Path, manifest: Manifest, keys: Sequence[VerifyingKey]
) -> tuple[Signed | None, list[str]]:
    """Who signed a snapshot, and what is wrong about it."""
    try:
        note = Note.parse(_content(folder / SIGNATURE).decode())
        signed = note.checked(keys)
    except FileNotFoundError:
        return None, []
    except (Damaged, UnicodeDecodeError) as error:
        return None, [f"{SIGNATURE}: {error}"]
    texts = {name: _content(folder / name) if (folder / name).is_file() else b"" for name in _SIGNED}
    expected = _statement(manifest, texts).splitlines()
    said = note.text.splitlines()
    wrong = [line.split(" ")[0] for line in expected if line not in said]
    if len(said) != len(expected) and not wrong:
        wrong = [SIGNATURE]
    return signed, [f"{name}: not what the signature covers" for name in wrong]


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


# ── comparing ──


class Differences(Struct, frozen=True):
    """What differs between two data sets.

    added, removed: matches that only the second one, or only the first one has.
    changed: what differs in the other matches: columns of `matches` with both values, else whole tables.
    changes: the rows of `changes` that only the second one has.
    tables: tables that only one of them has, or that have other columns in the second one.
    """

    added: list[str]
    removed: list[str]
    changed: dict[str, list[str]]
    changes: list[str]
    tables: list[str]


def differences(one: Path, two: Path) -> Differences:
    """Compare two data sets; parts that are the same are not read.

    Raises:
        BadDataSet: one of them is no data set, or a part is damaged.
        OSError: one of them cannot be read.
    """
    sides = [_side(folder) for folder in (one, two)]
    (first, before), (second, after) = sides
    same = {part.path for part in first.parts} & {part.path for part in second.parts}
    tables = _other_tables(before, after)
    rows = [_rows(folder, manifest, same) for folder, (manifest, _) in zip((one, two), sides, strict=True)]
    ours, theirs = rows
    matches = [{match for table, match in found if table == "matches"} for found in rows]
    added, removed = matches[1] - matches[0], matches[0] - matches[1]
    changed: dict[str, list[str]] = {}
    for table, match in sorted(ours.keys() | theirs.keys(), key=lambda key: (key[1], key[0])):
        here, there = ours.get((table, match)), theirs.get((table, match))
        if match not in added | removed and here != there:
            changed.setdefault(match, []).extend(_difference(table, here, there))
    late = _late(two, second) - _late(one, first)
    return Differences(sorted(added), sorted(removed), changed, sorted(late), tables)


def _side(folder: Path) -> tuple[Manifest, Schema]:
    manifest = manifests.read(folder)
    if manifest is None:
        raise BadDataSet(f"{folder}: no data set")
    return manifest, manifests.read_schema(folder, manifest)


def _other_tables(one: Schema, two: Schema) -> list[str]:
    columns = [{table.name: table.columns for table in schema.tables} for schema in (one, two)]
    names = columns[0].keys() | columns[1].keys()
    return sorted(name for name in names if columns[0].get(name) != columns[1].get(name))


Found = dict[tuple[str, str], dict[str, Any]]


def _rows(folder: Path, manifest: Manifest, same: set[str]) -> Found:
    """By table and match, what is in the parts that differ: the row of `matches`, a sum over others."""
    found: Found = {}
    for part in manifest.parts:
        if part.pool is None or part.path in same:
            continue
        for names, rows in _read(folder, part):
            if part.table == "matches":
                for row in rows:
                    values = dict(zip(names, row, strict=True))
                    found[part.table, values["match"]] = {**values, "pool": part.pool}
            else:  # a sum does not depend on the order of the rows
                head, place = _encode(names), names.index("match")
                for row in rows:
                    sums = found.setdefault((part.table, row[place]), {"sum": 0})
                    sums["sum"] += int.from_bytes(hashlib.sha256(head + _encode(row)).digest(), "big")
    return found


def _read(folder: Path, part: Part) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    """Yield the names of the columns with some rows, until there are no more."""
    from pyarrow.parquet import ParquetFile

    if not is_sound(folder, part):
        raise BadDataSet(f"{folder / part.path}: damaged or missing")
    with ParquetFile(folder / part.path) as file:
        for batch in file.iter_batches(10_000):
            yield batch.schema.names, zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _difference(table: str, one: dict[str, Any] | None, two: dict[str, Any] | None) -> list[str]:
    if table != "matches" or one is None or two is None:
        return [table]
    names = [name for name in two if one.get(name) != two[name]]
    return [f"matches.{name}: {one.get(name)} -> {two[name]}" for name in names]


def _late(folder: Path, manifest: Manifest) -> set[str]:
    """The rows of `changes`, as text."""
    return {
        " ".join(str(value) for value in row if value is not None)
        for part in manifest.parts
        if part.table == "changes"
        for _, rows in _read(folder, part)
        for row in rows
    }
