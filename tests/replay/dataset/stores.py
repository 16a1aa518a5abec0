"""A small store for the tests of data sets: twelve matches of our own bots, and some that are special."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from api.cli.common import keep_in
from api.store.data_source import DataSource
from api.store.interface import Append
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Result
from domain.match import Match
from replay.dataset.build import Builder, Built
from replay.dataset.manifest import Manifest, Part, Settings
from replay.importers.twilight_struggle.report import imported
from tests.matches import PRODUCT, Sitting, finished, resigned
from tests.replay.importers.short_games import WHOLE

CUT = 500  # positions of a slice: a few small matches fill several
SLICES = 2  # that are merged
LARGE = 1_800  # the same for the small store with matches of all games
RUNNING = "m-runs"
IMPORTED = bytes(32)


def put(store: SqlStore, sitting: Sitting) -> Match:
    """Store a match of a test; if it is over, with its checkpoint."""
    match = sitting.match
    if match.closed:
        keep_in(store, match, sitting.secret.bytes)
    else:
        store.submit(Append(match.records, secret=sitting.secret.bytes)).result()
    return match


def with_rulings(game: Game, name: str) -> Sitting:
    """A match with a takeback declined and one agreed, a ruling back, and a result by ruling."""
    sitting = Sitting(game, 5, name=name).seat_all(salts=True).play_on(2)
    match = sitting.match
    first, second = game.seats
    while match.takeback_refused(match.move - 1):  # a draw or a secret was shown
        sitting.play_on(1)
    mover, to = match.records[-1].entry.seat, match.move - 1
    for agree in (False, True):
        sitting.accept(match.ask_takeback(sitting.context, mover, to))
        other = second if mover == first else first
        sitting.accept(match.answer_takeback(sitting.context, other, match.move, agree))
    sitting.play_on(3)
    back = match.records[-1].move - 1
    sitting.accept(match.rule(sitting.context, "p-organizer", "the clock | stood\nstill", back_to=back))
    sitting.play_on(2)
    result = Result(second, "agreed", {first: 3, second: 7})
    sitting.accept(match.rule(sitting.context, "p-organizer", "both agreed", result=result))
    return sitting


def sittings() -> Iterator[Sitting]:
    """The matches of the small store: three of each game, of the pools live, bots and (short) seeded."""
    for name, game in GAMES.items():
        yield finished(game, 1, name=f"{name}-live")
        yield finished(game, 2, name=f"{name}-bots", bots=True)
        yield resigned(Sitting(game, 3, name=f"{name}-seeded", origin="seeded").seat_all(), 30)


def fill(store: SqlStore) -> list[Match]:
    """Fill a store; return the matches that are over, in the order in which they closed.

    Beside the twelve there are one with rulings, one that is void, one imported, and one that runs.
    """
    runs = Sitting(GAMES["twilight_struggle"], 9, name=RUNNING).seat_all().play_on(40)
    put(store, runs)
    found = [put(store, sitting) for sitting in sittings()]
    found.append(put(store, with_rulings(GAMES["thirteen_minutes"], "m-ruled")))
    void = Sitting(GAMES["cia_vs_kgb"], 6, name="m-void").seat_all()
    void.accept(void.match.rule(void.context, "p-organizer", "nobody came", void=True))
    found.append(put(store, void))
    came = imported(WHOLE.encode(), PRODUCT).match
    keep_in(store, came, IMPORTED)
    return [*found, came]


@contextmanager
def building(
    store: SqlStore,
    folder: Path,
    said: list[str] | None = None,
    cut: int = CUT,
    slices: int = SLICES,
    **settings: Any,
) -> Iterator[Builder]:
    """A builder of the data set in `folder`, with its state beside it; `said` takes what it reports."""
    state = folder.with_name(f"{folder.name}.state")
    state.mkdir(exist_ok=True)
    report = (said if said is not None else []).append
    with closing(DataSource(store, state, report)) as source:
        yield Builder(
            folder, state, source, Settings(**settings), PRODUCT, report=report, cut=cut, slices=slices
        )


def built(
    store: SqlStore,
    folder: Path,
    said: list[str] | None = None,
    cut: int = CUT,
    slices: int = SLICES,
    **settings: Any,
) -> Built:
    """Build the data set in `folder` up to the last record of the store."""
    with building(store, folder, said, cut, slices, **settings) as builder:
        return builder.build()


def content(folder: Path, manifest: Manifest) -> dict[str, bytes]:
    """Every file that counts in a data set, by its path."""
    names = ["manifest.json", "schema.json", "DICTIONARY.md", *(part.path for part in manifest.parts)]
    return {name: (folder / name).read_bytes() for name in names}


def plain(folder: Path, parts: Iterable[Part]) -> bytes:
    """Every value of these parts, without compression: for tests that look for bytes."""
    sink = pa.BufferOutputStream()
    for part in parts:
        table = pq.read_table(folder / part.path, partitioning=None)
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


@contextmanager
def opened(folder: Path) -> Iterator[SqliteStore]:
    """An embedded store in `folder`, open for writing."""
    with closing(SqliteStore.open(folder, name="games.example")) as store:
        yield store
