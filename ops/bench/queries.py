"""Saved queries over many matches, and the memory of the process that answers them over HTTP.

Matches of all games between random bots are copied under other names.  A query is asked again and again on an
open data set, and its shortest time counts.  It is in one of three groups: it reads positions (and matches
and seats) alone, it reads `decisions` (each answer with all its options), or it reads something else.  The
floor of the slowest query of a group is to count the matches in the largest table that it reads, or of
`decisions` to read all options.

The process is `glasnost data serve`: it answers every saved query of Twilight Struggle and a search over
100,000 matches, one after the other; the floor is what it has when it has answered nothing.
"""

from __future__ import annotations

import json
import re
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from _bench import PLAYER, QUICK, milliseconds, played, say, seconds
from _enlarged import GAME, POOL, enlarge
from _load import Server, server

import replay.dataset as glasnost
from api.cli.common import keep_in
from api.settings import product
from api.store.data_source import DataSource
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from replay.dataset.build import Builder
from replay.dataset.manifest import Settings
from replay.dataset.queries import Query, queries
from replay.tables import registry

MATCHES = 1 if QUICK else 25  # of each game, which are copied
MANY = 1 if QUICK else 10_000  # of each game
MOST = 2 if QUICK else 100_000  # of Twilight Struggle
IN_SLICE = 4 if QUICK else 2_000
TIMES = 1 if QUICK else 3
DECISIONS, POSITIONS = "decisions", "positions alone"
GOALS = {POSITIONS: (300, 1_000), DECISIONS: (5_000, 5_000), "other tables": (300, None)}  # ms, by size
SEARCH = {"where": "ussr controls iran and defcon = 2 and turn < 4"}
OPTIONS = {GAME: "finland", "imperial_struggle": "end", "cia_vs_kgb": "pass", "thirteen_minutes": "event"}
GIVEN = {"player": PLAYER, "a": PLAYER, "b": PLAYER, "space": "antigua"}
MEMORY = 1_000  # MB


def main() -> None:
    """Three lines for each of the two sizes, and one for the memory."""
    with tempfile.TemporaryDirectory() as scratch:
        club, many, most = (Path(scratch) / name for name in ("club", "many", "most"))
        _build(Path(scratch) / "games", club)
        of_one = [query for query in queries().values() if query.game == GAME]
        everything = of_one if QUICK else [*queries().values()]
        enlarge(club, many, MANY * len(GAMES), IN_SLICE, GAMES, _read_by(everything))
        _ask(many, everything, f"{MANY:,} matches of each game", 0)
        count = enlarge(club, most, MOST, IN_SLICE, (GAME,), _read_by(of_one))
        _ask(most, of_one, f"{count:,} matches of {GAME}", 1)
        with server("-m", "api.cli.main", "data", "serve", str(most), "--port", "0") as real:
            _remember(real, of_one, count)


def _build(folder: Path, club: Path) -> None:
    """A store with the matches that are copied, and a data set of it."""
    state = club.with_name("state")
    state.mkdir()
    with closing(SqliteStore.open(folder)) as store:
        for game in GAMES.values():
            for seed in range(MATCHES):
                match, secret = played(game, seed)
                keep_in(store, match, secret.bytes)
        with closing(DataSource(store, state)) as source:
            Builder(club, state, source, Settings(), product()).build()


def _tables_of(query: Query) -> set[str]:
    """The tables that a query reads."""
    words = set(re.findall(r"\w+", query.rows))
    return {"matches", *(table.name for table in registry.tables() if table.name in words)}


def _read_by(some: Iterable[Query]) -> set[str]:
    """The tables that some queries or a search read."""
    return {"seats", "rules_versions"}.union(*map(_tables_of, some))


def _group_of(query: Query) -> str:
    """Which of the three groups of queries this one belongs to."""
    tables = _tables_of(query)
    if DECISIONS in tables:
        return DECISIONS
    rest = {name for name in tables if not name.endswith("_positions")} - {"matches", "seats"}
    return "other tables" if rest else POSITIONS


def _given(query: Query) -> dict[str, str]:
    """The parameters with which a query is asked."""
    values = {**GIVEN, "option": OPTIONS[query.game], "pool": POOL}
    return {name: value for name, value in values.items() if name in query.parameters}


def _ask(folder: Path, some: Iterable[Query], what: str, size: int) -> None:
    """Ask each query; a line for each group."""
    data = glasnost.open(folder)
    rows = Counter[str]()
    for part in data.manifest.parts:
        rows[part.table] += part.rows
    times: dict[str, dict[str, float]] = {group: {} for group in GOALS}
    for query in some:
        times[_group_of(query)][query.name] = _time_of(data, query)
    for group, found in times.items():
        slowest = max(found, key=lambda name: found[name])
        took = found[slowest] * 1000
        table = max(_tables_of(queries()[slowest]), key=lambda name: rows[name])
        least, sql = f"count the matches in {table}", f"SELECT count(DISTINCT match) FROM {table}"
        if group == DECISIONS:
            least, sql = "read all options", f"SELECT sum(len(options)) FROM {DECISIONS}"
        floor = min(seconds(partial(data.fetch, sql)) for _ in range(TIMES)) * 1000
        goal = GOALS[group][size]
        say(
            f"{len(found)} saved queries over {group}, {what}",
            f"p50 {milliseconds([*found.values()], 0.5):.0f} ms, slowest {slowest} {took:.0f} ms;"
            f" goal: {f'{goal} each' if goal else 'none'};"
            f" floor: {floor:.0f} ms to {least};"
            f" ratio {took / floor:.1f}",
        )


def _time_of(data: glasnost.DataSet, query: Query) -> float:
    """The shortest time in which a query is answered, in seconds."""
    answer = data.query(query.name, **_given(query))
    if not QUICK:
        list(answer)  # the views are made, and what the system caches is in memory
    return min(seconds(lambda: list(answer)) for _ in range(TIMES))


def _remember(real: Server, some: Iterable[Query], matches: int) -> None:
    """The memory of the data process after each answer."""
    before = real.memory()
    after: dict[str, int] = {}
    for query in some:
        _get(real, f"queries/{query.name}", _given(query))
        after[query.name] = real.memory()
    _get(real, "positions", {**SEARCH, "pool": POOL})
    after["a search"] = real.memory()
    largest = max(after, key=lambda name: after[name])
    most = after[largest] / 2**20
    say(
        f"memory of the data process, {matches:,} matches",
        f"{most:.0f} MB, after {largest} of {len(after)} answers; goal: {MEMORY};"
        f" floor: {before / 2**20:.0f} MB before the first; ratio {most / before * 2**20:.1f}",
    )


def _get(real: Server, path: str, given: Mapping[str, str]) -> object:
    """What the process answers.  Raises OSError: it refuses."""
    with urllib.request.urlopen(f"http://127.0.0.1:{real.port}/v1/{path}?{urlencode(given)}") as answer:
        return json.loads(answer.read())


if __name__ == "__main__":
    main()
