"""Building a data set: seconds and bytes for a match, and the memory of a build; and searching a large one.

The store holds matches of all games between random bots.  The floor is reading the same log: every record of
every match, as it is stored, without folding it.  A build with all tables stands beside one without the
table `decisions`, whose options the rules compute again, and which is shown game by game, too: the parts are
written when the last match was read, and belong to no game.  These are seconds of CPU time, of one core; the
goals are for matches of `MEASURE` moves.

A search is measured over 100,000 synthetic matches, before and after compaction: first with files that no
cache of the system holds and a new connection, then again.  The floor is reading one column that it needs.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
from _bench import QUICK, long_match, played, say
from _enlarged import enlarge
from _programs import output

import replay.dataset as glasnost
from api.cli.common import keep_in
from api.garbage import collect_less
from api.settings import product
from api.store.data_source import DataSource
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from replay.dataset.build import Builder, Built
from replay.dataset.manifest import Settings

MATCHES = 1 if QUICK else 100  # of each game
MORE = 2 if QUICK else 400  # of each game: they fill several slices of the log
MEASURE = 331  # moves of a match of Twilight Struggle between calm bots
GOALS = {(): 6, ("decisions",): 20}  # matches of so many moves a second, by the tables that are left out
MANY = 4 if QUICK else 100_000  # matches of the large data set
IN_SLICE = 2 if QUICK else 300
SEARCH = "ussr controls iran and defcon = 2 and turn < 4"
TIMES = 1 if QUICK else 7


def main() -> None:
    """Two lines for each of the two builds, and one for each game of the second; then seven for questions to
    many matches, and two for the memory."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(SqliteStore.open(Path(scratch) / "games")) as store,
    ):
        names = _put(store, range(MATCHES))
        floors = _read_log(store, names)
        collect_less()  # as the command does
        for without in GOALS:
            folder = Path(scratch) / "-".join(("club", *without))
            meter = _Meter(names)
            made = _built(store, folder, without, meter)
            _say(without, meter, floors, store.last())
            sizes = _sizes(made)
            shown = ", ".join(f"{table} {size / len(names):.0f}" for table, size in list(sizes.items())[:8])
            whole, kept = sum(sizes.values()) / len(names), store.size() / len(names)
            say(
                "bytes a match",
                f"{whole:.0f}: {shown}; floor: the store {kept:.0f}; ratio {whole / kept:.2f}",
            )
        large = Path(scratch) / "large"
        count = enlarge(Path(scratch) / "club", large, MANY, IN_SLICE)
        _ask(large, count, "as built")
        _merge(large)
        _ask(large, count, "merged")
        floor = _peak("check", f"{scratch}/club")
        _say_memory(store, scratch, "few", floor)
        _put(store, range(MATCHES, MORE))
        _say_memory(store, scratch, "more", floor)


def _say_memory(store: SqliteStore, scratch: str, name: str, floor: float) -> None:
    """The memory of the command that builds a data set of all matches."""
    peak = _peak("build", f"{scratch}/{name}", "--store", f"{scratch}/games")
    matches = glasnost.open(Path(scratch) / name).manifest.matches
    say(
        f"memory of a build, {matches:,} matches, {store.last():,} records of the log",
        f"{peak:.0f} MB; goal: 500; floor: a check {floor:.0f}; ratio {peak / floor:.1f}",
    )


def _merge(folder: Path) -> None:
    """Merge the parts, in a process of its own; the floor is reading them."""
    parts = glasnost.open(folder).manifest.parts
    floor = _seconds(lambda: [pq.read_table(folder / part.path, partitioning=None) for part in parts])
    began = time.perf_counter()
    peak = _peak_of(_MERGED, str(folder))
    took, left = time.perf_counter() - began, len(glasnost.open(folder).manifest.parts)
    what = f"{len(parts)} parts to {left} in {took:.1f} s with {peak:.0f} MB; goal: 500 MB"
    say("compaction", f"{what}; floor: {floor:.1f} s to read them; ratio {took / floor:.1f}")


def _ask(folder: Path, matches: int, state: str) -> None:
    """A search over a large data set, without and with caches, and a saved query."""
    _forget(folder)
    cold = _seconds(lambda: list(glasnost.open(folder).find(SEARCH)))
    _forget(folder)
    floor = _seconds(lambda: _one_column(glasnost.open(folder)))
    rows = sum(part.rows for part in glasnost.open(folder).manifest.parts if part.table == "ts_positions")
    what = f"{rows:,} positions of {matches:,} matches"
    line = "{:.0f} ms over {}; goal: {}; floor: {:.0f} ms to read one column; ratio {:.1f}"
    say(f"position search, {state}, cold", line.format(cold * 1000, what, 1000, floor * 1000, cold / floor))
    data = glasnost.open(folder)
    list(data.find(SEARCH))
    floor = min(_seconds(lambda: _one_column(data)) for _ in range(TIMES))
    for name, goal, task in (
        (f"position search, {state}, warm", 200, lambda: list(data.find(SEARCH))),
        (f"saved query vp_path, {state}, warm", 1000, lambda: list(data.query("vp_path"))),
    ):
        warm = min(_seconds(task) for _ in range(TIMES))
        say(name, line.format(warm * 1000, what, goal, floor * 1000, warm / floor))


def _one_column(data: glasnost.DataSet) -> None:
    data.sql("SELECT count(*) FROM ts_positions WHERE turn < 4").fetchall()


def _forget(folder: Path) -> None:
    """Drop the files of a folder from the cache of the system."""
    for path in folder.rglob("*.parquet"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


_COMMAND = """\
from api.cli.main import run
code = run(["data", *sys.argv[1:]])
"""
_MERGED = f"""\
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from _enlarged import compact
compact(Path(sys.argv[1]))
code = 0
"""
_MARK = """\
if code == 0:
    (peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))
    print(peak)
"""


def _peak(*arguments: str) -> float:
    """The most memory that a command about data sets has, in MB."""
    return _peak_of(_COMMAND, *arguments)


def _peak_of(program: str, *arguments: str) -> float:
    """The most memory that a program has, in MB.

    The process reads its own mark: what `wait4` says of a child begins with the memory of its parent.
    """
    return int(output(f"import sys\n{program}{_MARK}", *arguments).split()[-1]) / 1024


def _put(store: SqliteStore, seeds: range) -> dict[str, str]:
    """Store a match of each game for each seed, and at first a long one; return the game of each."""
    found = {name: [played(game, seed) for seed in seeds] for name, game in GAMES.items()}
    if 0 in seeds:
        found["long"] = [long_match(GAMES["twilight_struggle"])]
    kept = {match.id: (match, secret) for pairs in found.values() for match, secret in pairs}
    for match, secret in kept.values():
        keep_in(store, match, secret.bytes)
    return {name: match.game.name for name, (match, _) in kept.items()}


class _Meter:
    """What takes how long, by game: the CPU time from one match that is met to the next, in seconds.

    Attributes:
        times: the seconds; those of "" are of no game.
        moves: how many moves the matches have.
        matches: how many there are.
    """

    def __init__(self, games: Mapping[str, str]) -> None:
        self.times = defaultdict[str, float](float)
        self.moves, self.matches = Counter[str](), Counter[str]()
        self._games, self._game, self._began = {**games, "": ""}, "", time.process_time()

    def meet(self, moves: int, match: str) -> None:
        """Go on to a match; to "" when all are read."""
        now = time.process_time()
        self.times[self._game] += now - self._began
        self._game, self._began = self._games[match], now
        self.moves[self._game] += moves
        self.matches[self._game] += bool(match)


def _read_log(store: SqliteStore, games: Mapping[str, str]) -> dict[str, float]:
    """The seconds of CPU time in which the log of all matches is read, by game."""
    meter = _Meter(games)
    for name in games:
        meter.meet(0, name)
        store.since(name, 0)
    meter.meet(0, "")
    return meter.times


def _built(store: SqliteStore, folder: Path, without: tuple[str, ...], meter: _Meter) -> Built:
    state = folder.with_name(f"{folder.name}.state")
    state.mkdir()
    with closing(DataSource(store, state)) as source:
        settings = Settings(without=without)
        made = Builder(folder, state, source, settings, product(), advance=meter.meet).build()
    meter.meet(0, "")
    return made


def _seconds(task: Callable[[], object]) -> float:
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def _sizes(built: Built) -> dict[str, int]:
    """The bytes of each table, the largest first."""
    sizes: dict[str, int] = {}
    for part in built.manifest.parts:
        sizes[part.table] = sizes.get(part.table, 0) + part.bytes
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _say(without: tuple[str, ...], meter: _Meter, floors: dict[str, float], moves: int) -> None:
    what = f"build, without {', '.join(without)}" if without else "build, all tables"
    _say_one(
        what, meter.matches.total(), moves, sum(meter.times.values()), sum(floors.values()), GOALS[without]
    )
    for game in floors if without else ():
        if game:
            values = (meter.matches[game], meter.moves[game], meter.times[game], floors[game])
            _say_one(f"{what}, {game}", *values, GOALS[without])


def _say_one(what: str, matches: int, moves: int, took: float, floor: float, goal: int) -> None:
    speed = f"{took / matches * 1000:.1f} ms of CPU a match of {moves / matches:.0f} moves"
    speed += f", {moves / MEASURE / took:.1f} matches of {MEASURE} moves a second; goal: {goal}"
    say(what, f"{speed}; floor: {floor / matches * 1000:.1f} ms to read the log; ratio {took / floor:.1f}")


if __name__ == "__main__":
    main()
