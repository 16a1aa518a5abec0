"""2,000 matches give the same tables and the same answers a second way: by replaying the match files.

A quarter of the matches is of each game.  Random answers play them, with the options of the tests of its
tables; `played` says how they end.  Match by match, the oracles fold the file, the tables of the data set are
compared with that, and the cases of each saved query are counted and added up; then the data set is asked.
Each column of each answer is compared but those that no log states (`answers.BY_RULES`), and so are all
matches behind an answer, and those behind some of its rows.

TEST_LOGS names a folder of logs of Twilight Struggle, if there is one: they are imported, and compared in
their own pool.  Such logs are never committed.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import replay.dataset as glasnost
from api.cli.common import keep_in
from api.store.sqlite import SqliteStore
from domain.clocks import Bank
from domain.games import GAMES
from domain.kernel import Result
from domain.match import Match
from replay import matchfile
from replay.importers.twilight_struggle.report import imported
from replay.tables import registry
from replay.tables.schema import Table
from tests.matches import PRODUCT, Branching, Sitting, finished, resigned
from tests.replay.dataset import oracle
from tests.replay.dataset.cases import PREFIXES, TS, replayed, tables_in
from tests.replay.dataset.conftest import in_memory
from tests.replay.dataset.second_way import Counted, Keys, Rows, compare_answer, count, names_of
from tests.replay.dataset.stores import IMPORTED, built, opened, put
from tests.replay.tables import test_games, test_twilight_struggle

AT_ONCE = 100  # matches that one process compares with the data set before it says what it counted
LOGS = "TEST_LOGS"
POOLS = "live,bots,seeded,branch"
VARIANTS: dict[str, list[dict[str, Any]]] = {
    **{game: [{"options": one} for one in some] for game, some in test_games.VARIANTS.items()},
    TS: [
        {name: value for name, value in one.items() if name != "seed"}
        for one in test_twilight_struggle.VARIANTS.values()
    ],
}


# ── the matches ──


def played(game: str, number: int) -> Sitting:
    """A match; of ten with consecutive numbers, five run to their end between people.

    The others: one is resigned; one has takebacks, declined and agreed, and a ruling that goes back; a ruling
    ends one; one is between bots, or seeded; one is out of time, or a branch.
    """
    name = f"{game}-{number}"
    more = {**VARIANTS[game][number % len(VARIANTS[game])], "name": name}
    kind = number % 10
    if kind == 5:
        return resigned(Sitting(GAMES[game], number, **more).seat_all(), number % 60)
    if kind == 6:
        return argued(Sitting(GAMES[game], number, **more).seat_all(salts=True), number)
    if kind == 7:
        return ruled(Sitting(GAMES[game], number, **more).seat_all(), number)
    if kind == 8:
        pool = {"bots": True} if number % 20 == 8 else {"origin": "seeded"}
        return finished(GAMES[game], number, **pool, **more)
    if kind == 9:
        return branch(game, number, name) if number % 20 == 9 else out_of_time(game, number, more)
    return finished(GAMES[game], number, **more)


def argued(sitting: Sitting, number: int) -> Sitting:
    """A match with takebacks and a ruling that goes back, unless it is over before."""
    match = sitting.play_on(4 + number % 50).match
    while match.status == "running" and (not match.asked or match.takeback_refused(match.move - 1)):
        sitting.play_on(1)
    if match.status == "running":
        first, second = match.game.seats
        mover, to = match.records[-1].entry.seat, match.move - 1
        for agree in (False, True):
            sitting.accept(match.ask_takeback(sitting.context, mover, to))
            other = second if mover == first else first
            sitting.accept(match.answer_takeback(sitting.context, other, match.move, agree))
        sitting.play_on(10)
    if match.status == "running":
        back = next(move for move in range(match.move - number % 12, 0, -1) if match.is_table(move))
        sitting.accept(match.rule(sitting.context, "p9", "a cup of tea", back_to=back))
    return sitting.play_on()


def ruled(sitting: Sitting, number: int) -> Sitting:
    """A match that a ruling ends: with a winner, without one, or void."""
    match = sitting.play_on(number % 40).match
    first, second = match.game.seats
    winner = (first, second, None, "")[number // 10 % 4]
    if match.status == "running" and winner == "":
        sitting.accept(match.rule(sitting.context, "p9", "both asked for it", void=True))
    elif match.status == "running":
        result = Result(winner, "agreed", {first: 3, second: 7})
        sitting.accept(match.rule(sitting.context, "p9", "both agreed", result=result))
    return sitting


def out_of_time(game: str, number: int, more: dict[str, Any]) -> Sitting:
    """A match in which a player's time is up, unless it is over before."""
    sitting = Sitting(GAMES[game], number, terms=(Bank(main=3_600),), **more).seat_all()
    match = sitting.play_on(5 + number % 60).match
    if match.status == "running":
        sitting.clock += 7_200_000_000
        sitting.accept(match.time_out(sitting.context))
    return sitting


def branch(game: str, number: int, name: str) -> Sitting:
    """A match that goes on from an early move of another one, which is not in the store."""
    parent = finished(GAMES[game], number).match
    moves = [move for move in range(1, 30) if parent.is_table(move) and parent.asked_at(move)]
    return Branching(parent, moves[number % len(moves)], number, name=name).seat_all().play_on()


def kept(store: SqliteStore, folder: Path, match: Match) -> str:
    """Write the file of a match that is stored; return its name."""
    data = matchfile.write(match.records, store.note(match.id) or "")
    (folder / match.id).write_bytes(data)
    return match.id


# ── the second way ──


def replay_files(folder: Path, game: str, names: Sequence[str]) -> tuple[dict[str, Rows], Counter[str]]:
    """Compare the tables of some matches of a game with their files.

    Returns what the queries count in them, and how many rows of each table were compared.
    """
    data = glasnost.open(folder / "club")
    tables = {
        table.name: rows_of(data, table, names) for table in registry.tables() if table.game in (None, game)
    }
    found, compared = defaultdict[str, Rows](Rows), Counter[str]()
    for name in names:
        file = (folder / "files" / name).read_bytes()
        core_tables = oracle.expected.__wrapped__(file)
        made = {table: rows.get(name, []) for table, rows in tables.items()}
        for table, wanted in core_tables.items():
            assert made[table] == wanted, (name, table)
        own_tables = tables_in(game, file)
        if game == TS:
            test_twilight_struggle.compare_rows(own_tables, made)
        else:
            of_game = {table: rows for table, rows in made.items() if table.startswith(PREFIXES[game])}
            test_games.check_rows(game, file, own_tables, of_game)
        match = replayed(file, core_tables, own_tables)
        for query in names_of(game) if match.about["reason"] else ():
            count(found[query], match, query)
        compared.update({table: len(rows) for table, rows in made.items()})
    return dict(found), compared


def rows_of(data: glasnost.DataSet, table: Table, names: Sequence[str]) -> dict[str, list[Keys]]:
    """The rows of some matches in a table, by match, as the oracles write them."""
    columns = [column.name for column in table.columns]
    if "match" not in columns:
        return {}
    shown = [
        f'epoch_us("{column.name}")' if column.type == "TIMESTAMP" else f'"{column.name}"'
        for column in table.columns
    ]
    sql = f'SELECT {", ".join(shown)} FROM "{table.name}" WHERE list_contains($names, match)'
    found: dict[str, list[Keys]] = defaultdict(list)
    for row in data.fetch(sql, {"names": list(names)}):
        if table.name == "facts":
            row = (*row[:-1], json.loads(row[-1]))
        found[row[columns.index("match")]].append(row)
    places = [columns.index(name) for name in ("move", "place") if name in columns]
    for rows in found.values():  # DuckDB may read row groups in any order
        rows.sort(key=lambda row: [-1 if row[place] is None else row[place] for place in places])
    return found


# ── the tests ──


def kept_import(store: SqliteStore, path: Path) -> Match:
    """Import a log into a store."""
    match = imported(path.read_bytes(), PRODUCT).match
    keep_in(store, match, IMPORTED)
    return match


def added_up(
    folder: Path, game: str, names: Sequence[str], at_once: int
) -> tuple[dict[str, Rows], Counter[str]]:
    """See `replay_files`: of many matches, in so many processes."""
    chunks = [names[at : at + AT_ONCE] for at in range(0, len(names), AT_ONCE)]
    found, compared = defaultdict[str, Rows](Rows), Counter[str]()
    with processes(at_once) as carry_out:
        for part, rows in carry_out(partial(replay_files, folder, game), chunks):
            compared.update(rows)
            for query, counted in part.items():
                for keys, row in counted.items():
                    found[query].setdefault(keys, Counted()).add(row)
    return found, compared


@contextmanager
def processes(number: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """What calls a function with many arguments: in so many processes, or if it is one, here."""
    if number == 1:
        yield map
        return
    with ProcessPoolExecutor(number, get_context("spawn")) as pool:
        yield pool.map


def logs() -> list[Path]:
    """The logs of Twilight Struggle that are at hand."""
    return sorted(Path(os.environ[LOGS]).glob("*.txt")) if LOGS in os.environ else []


@pytest.mark.parametrize(
    ("each", "few", "at_once", "step"), [(1, 0, 1, 4), pytest.param(500, 5, 2, 1, marks=pytest.mark.long)]
)
def test_the_tables_and_answers_are_those_of_the_match_files(
    each: int, few: int, at_once: int, step: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Quick: every fourth query of a game is asked; `test_behind.py` asks each over the small store."""
    (tmp_path / "files").mkdir()
    samples = logs()
    files: dict[tuple[str, str], list[str]] = {}  # by game and pools
    with opened(tmp_path / "games") as store:
        for place, game in enumerate(GAMES, 6):
            matches = (put(store, played(game, number)) for number in range(place, place + each))
            files[game, POOLS] = [kept(store, tmp_path / "files", match) for match in matches]
        matches = (kept_import(store, path) for path in samples)
        if samples:
            files[TS, "imported"] = [kept(store, tmp_path / "files", match) for match in matches]
        built(store, tmp_path / "club", cut=100_000)
    data, said = in_memory(tmp_path / "club"), []
    for (game, pools), names in files.items():
        found, compared = added_up(tmp_path, game, names, at_once)
        for query in [*names_of(game)][::step]:
            compare_answer(data, game, query, found[query], few, pool=pools, unproven=pools == "imported")
        cases = sum(row.n for rows in found.values() for row in rows.values())
        said.append(
            f"{game}, {pools}: {len(names)} matches, {compared.total()} rows of tables;"
            f" {len(found)} answers of {sum(map(len, found.values()))} rows with {cases} cases"
        )
    said.append(f"{len(samples)} logs of Twilight Struggle ({LOGS})")
    with capsys.disabled() if each > 1 else nullcontext():
        print("", *said, sep="\n")
