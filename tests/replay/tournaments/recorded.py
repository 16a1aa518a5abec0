"""Recorded tournaments: which boards an engine made in each round, and what it read before."""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from domain.tournaments.crosstable import Crosstable, boards, cell_of
from replay.tournaments.trf import pairing_input
from replay.tournaments.trf_reading import read

FOLDER = Path(__file__).parents[2] / "vectors" / "pairings"


class Recorded(Struct, frozen=True):
    """A tournament as an engine paired it: the plan's players and seed, and the TRF after the last round."""

    engine: str
    version: str
    players: int
    seed: int
    trf: str


class RecordedRound(Struct, frozen=True):
    """What an engine read, and what it answered: boards (w, b) in any order, and byes."""

    number: int
    trf: str
    boards: frozenset[tuple[int, int]]
    byes: tuple[int, ...]


def files() -> list[Path]:
    """The files of all engines."""
    return sorted(FOLDER.glob("*.ndjson.xz"))


def load(path: Path) -> list[Recorded]:
    """The tournaments of a file."""
    lines = lzma.decompress(path.read_bytes()).splitlines()
    return [msgspec.json.decode(line, type=Recorded) for line in lines]


def save(path: Path, recorded: Iterable[Recorded]) -> None:
    """Write a file; equal tournaments give equal bytes."""
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in recorded)
    path.write_bytes(lzma.compress(lines, preset=9 | lzma.PRESET_EXTREME))


def rounds(recorded: Recorded) -> Iterator[RecordedRound]:
    """The rounds of a tournament, from its table after the last one."""
    table: Crosstable = read(recorded.trf.encode()).table
    for number in range(1, table.rounds + 1):
        made = frozenset((w.number, b.number) for w, b in boards(table, number))
        byes = tuple(line.number for line in table.lines if cell_of(line, number).kind == "pairing_bye")
        yield RecordedRound(number, pairing_input(table, number), made, byes)
