"""The saved queries: answers computed by hand, the matches behind each row, intervals, pools, bad parameters.

Every game has the same twelve matches (`MATCHES`); the rows of the other tables and the answers stand in
`saved/<game>.toml`.  The tables are as the games describe them.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from scipy.stats import binomtest

from domain.games import GAMES
from domain.kernel import Refused
from replay.dataset import queries as saved
from replay.dataset.explorer import openings
from replay.dataset.queries import MOST_TEXT, Query, Statement, queries, query, wilson
from replay.tables import core, registry

FOLDER = Path(__file__).parent / "saved"
CORE = {
    table.name: table for table in core.TABLES if table.name in ("matches", "moves", "decisions", "seats")
}
FIRST, SECOND = 0, 1
MATCHES = (  # pool, winner (the first or second seat, None), reason, by, proof, turns
    ("live", FIRST, "points", "play", "ok", 10),
    ("live", FIRST, "points", "play", "ok", 10),
    ("live", SECOND, "nuclear_war", "play", "ok", 3),
    ("live", FIRST, "points", "play", "ok", 10),
    ("live", SECOND, "points", "resignation", "ok", 7),
    ("live", None, "draw", "play", "ok", 10),
    ("live", None, None, "ruling", "ok", 2),
    ("live", FIRST, "points", "play", "unproven", 10),
    ("bots", FIRST, "points", "play", "ok", 10),
    ("bots", SECOND, "points", "play", "ok", 9),
    ("imported", FIRST, "points", "record", "unproven", 10),
    ("live", None, None, "record", "ok", 10),
)


@cache
def fixture(game: str) -> dict[str, Any]:
    """The rows and answers of a game."""
    return tomllib.loads((FOLDER / f"{game}.toml").read_text("utf-8"))


def described(game: str) -> dict[str, str]:
    """The tables as SQL; those of a game that has none yet hold the columns of the fixture."""
    tables = dict(CORE)
    module = registry.of_game(game)
    if module is not None:
        tables |= {table.name: table for table in module.TABLES}
    found = {
        name: ", ".join(f'"{one.name}" {one.type}' for one in table.columns) + ", pool VARCHAR"
        for name, table in tables.items()
    }
    kinds = {bool: "BOOLEAN", int: "INTEGER", float: "DOUBLE", str: "VARCHAR"}
    for table, rows in fixture(game)["tables"].items():
        if table not in found:
            columns = {name: kinds[type(value)] for row in rows for name, value in row.items()}
            found[table] = ", ".join(f'"{name}" {kind}' for name, kind in columns.items()) + ", pool VARCHAR"
    return found


@pytest.fixture(scope="module")
def databases() -> Iterator[dict[str, duckdb.DuckDBPyConnection]]:
    """The twelve matches of each game."""
    found = {game: filled(game) for game in GAMES}
    yield found
    for database in found.values():
        database.close()


def filled(game: str) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(config={"threads": 1})
    database.execute("BEGIN")
    for table, columns in described(game).items():
        database.execute(f"CREATE TABLE {table} ({columns})")
    seats, rows = GAMES[game].seats, Rows()
    options = '{"bid": "none", "handicap": 2}'
    for number, (pool, winner, reason, by, proof, turns) in enumerate(MATCHES, 1):
        row = {
            "match": f"m{number}",
            "game": game,
            "edition": "first",
            "options": options,
            "closed_at": datetime(2026, 1, number),
            "seat_a": seats[0],
            "seat_b": seats[1],
            "winner": None if winner is None else seats[winner],
            "reason": reason,
            "by": by,
            "score_a": number,
            "turns": turns,
            "moves": 99,
            "proof": proof,
        }
        rows.add("matches", row, pool)
        for seat in seats:
            sitting = {"match": f"m{number}", "seat": seat, "player": f"p-{seat}", "sat_down_on": seat}
            rows.add("seats", sitting, pool)
    for table, some in fixture(game)["tables"].items():
        for row in some:
            rows.add(table, row, MATCHES[int(row["match"][1:]) - 1][0])
    rows.insert_into(database)
    database.execute("COMMIT")
    return database


class Rows:
    """Rows with their pools, by their table and columns; the columns that a row does not name are missing."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, ...], list[list[Any]]] = {}

    def add(self, table: str, row: dict[str, Any], pool: str) -> None:
        """Add a row."""
        self._rows.setdefault((table, *row, "pool"), []).append([*row.values(), pool])

    def insert_into(self, database: duckdb.DuckDBPyConnection) -> None:
        """Insert all, those of the same columns together: DuckDB takes row by row slowly."""
        for (table, *names), rows in self._rows.items():
            columns = ", ".join(f'"{name}"' for name in names)
            values = ", ".join([f"({','.join('?' * len(names))})"] * len(rows))
            sql = f"INSERT INTO {table} ({columns}) VALUES {values}"
            database.execute(sql, [value for row in rows for value in row])


def answer(
    database: duckdb.DuckDBPyConnection, statement: Statement
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows."""
    cursor = database.execute(statement.sql, statement.values)
    return [column[0] for column in cursor.description or ()], cursor.fetchall()


def given_for(asked: Query) -> dict[str, str]:
    """The parameters that the fixture gives to a query."""
    given: dict[str, str] = fixture(asked.game).get("given", {}).get(asked.name, {})
    return given


def shown(row: tuple[Any, ...], width: int) -> list[Any]:
    """The first columns of a row, as the fixture writes them."""
    return ["null" if value is None else value for value in row[:width]]


NAMES = sorted(queries())


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_equals_the_one_computed_by_hand_and_leads_to_as_many_matches_as_it_says(
    name: str, databases: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    asked, given = query(name), given_for(query(name))
    default, statement = asked.statement(given), asked.statement(given | {"pool": "live,bots"})
    assert statement.sql == default.sql
    assert default.values == {**statement.values, "pool": "live", "pools": ["live"]}
    columns, rows = answer(databases[asked.game], statement)
    width = 2 + len(asked.keys) + len(asked.answer)
    wanted = fixture(asked.game)["answers"][name]
    assert wanted
    assert tuple(columns) == asked.columns
    live = [shown(row, width) for row in rows if row[0] == "live"]
    assert live == [pytest.approx(row, abs=1e-9) for row in wanted]
    for row in rows:
        values = dict(zip(columns, row, strict=True))
        assert all(values[f"{mean}_{end}"] is None for mean in asked.means for end in ("lo", "hi"))  # too few
        for rate, n in asked.rates.items():
            prefix = "" if len(asked.rates) == 1 else f"{rate}_"
            interval = (values[f"{prefix}lo"], values[f"{prefix}hi"])
            assert interval == bounds_of(values[rate], values[n])
    behind_one(asked, given, dict(zip(columns, random.Random(name).choice(rows), strict=True)), databases)


def behind_one(
    asked: Query, given: dict[str, str], row: dict[str, Any], databases: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    """Are the matches behind a row as many as it says, and of its pool?"""
    keys = {key: "" if row[key] is None else str(row[key]) for key in asked.keys}
    statement = asked.behind(given | keys | {"pool": "live,bots", "in_pool": row["pool"]})
    names, behind = answer(databases[asked.game], statement)
    assert names == ["pool", "match", "move"]
    assert len(behind) == row["n"]
    assert {MATCHES[int(match[1:]) - 1][0] for _, match, _ in behind} == {row["pool"]}
    if "match" in asked.keys:
        assert {match for _, match, _ in behind} == {row["match"]}


@cache
def bounds_of(rate: float | None, n: int) -> Any:
    """Wilson's interval by scipy; None, None for a rate of no case."""
    if rate is None or n == 0:
        return (None, None)
    found = binomtest(round(rate * n), n).proportion_ci(method="wilson")
    return pytest.approx((found.low, found.high), abs=1e-9)


def test_the_interval_is_that_of_scipy_and_lies_within_0_and_1(often: Callable[[int, int], int]) -> None:
    dice = random.Random(17)
    pairs = [(dice.randint(0, n), n) for n in (dice.randint(1, 5000) for _ in range(often(100, 1000)))]
    pairs += [(won, n) for n in (1, 2, 3, 100_000) for won in (0, n)]
    low, high = wilson("(won / n)", "n")
    with duckdb.connect() as database:
        database.execute("CREATE TABLE pairs (place INTEGER, won INTEGER, n INTEGER)")
        values = ", ".join(f"({place}, {won}, {n})" for place, (won, n) in enumerate(pairs))
        database.execute(f"INSERT INTO pairs VALUES {values}")
        found = database.execute(f"SELECT {low}, {high} FROM pairs ORDER BY place").fetchall()
    for (won, n), (least, most) in zip(pairs, found, strict=True):
        wanted = binomtest(won, n).proportion_ci(method="wilson")
        assert (least, most) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
        assert 0.0 <= least <= won / n <= most <= 1.0
        assert won or least == 0.0
        assert won < n or most == 1.0


@pytest.mark.parametrize("name", ["win_rate", "is_awards", "cvk_agents", "tm_bids"])
def test_the_matches_behind_all_rows_together_are_as_many_as_they_say(
    name: str, databases: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    asked = query(name)
    given, database = given_for(asked) | {"pool": "live,bots"}, databases[asked.game]
    columns, rows = answer(database, asked.statement(given))
    everything = sum(row[columns.index("n")] for row in rows)
    assert len(answer(database, asked.behind(given))[1]) == everything > 0


def test_the_bid_of_a_match_is_that_of_the_explorer(
    databases: dict[str, duckdb.DuckDBPyConnection],
) -> None:
    statement, database = query("win_rate").behind({"bid": "5"}), databases["twilight_struggle"]
    assert answer(database, statement)[1] == [("live", "m2", 99)]
    sql = f"WITH m AS (FROM matches) {openings()['twilight_struggle'].bid}"
    bids: dict[str, int] = dict(database.execute(sql).fetchall())
    assert (bids["m1"], bids["m2"], bids["m3"]) == (2, 5, -2)


def test_pools_are_never_mixed_unless_the_caller_says_so(
    databases: dict[str, duckdb.DuckDBPyConnection],
) -> None:
    asked, database = query("is_win_rate"), databases["imperial_struggle"]

    def rates(pool: str) -> list[tuple[Any, ...]]:
        return [(row[0], row[3], row[4]) for row in answer(database, asked.statement({"pool": pool}))[1]]

    assert rates("live") == [("live", 5, 0.4)]
    assert rates("bots,live") == [("live", 5, 0.4), ("bots", 2, 0.5)]
    assert rates("*") == [("*", 7, pytest.approx(3 / 7))]
    assert rates("imported") == []
    assert not asked.statement({}).selection_unknown
    assert asked.statement({"pool": "*"}).selection_unknown
    assert asked.statement({"pool": "live,imported"}).selection_unknown


def test_what_does_not_count_is_counted_by_its_reason(
    databases: dict[str, duckdb.DuckDBPyConnection],
) -> None:
    asked, database = query("win_rate"), databases["twilight_struggle"]
    columns, rows = answer(database, asked.excluded({"pool": "live,bots,imported"}))
    assert columns == ["pool", "matches", "void", "no_result", "unproven"]
    assert rows == [("bots", 2, 0, 0, 0), ("imported", 1, 0, 0, 1), ("live", 9, 1, 1, 1)]
    _, rows = answer(database, asked.statement({"unproven": "1", "pool": "imported"}))
    assert [row[3:5] for row in rows] == [(1, 1.0)]


def test_the_common_parameters_choose_matches(databases: dict[str, duckdb.DuckDBPyConnection]) -> None:
    asked, database = query("end_modes"), databases["twilight_struggle"]

    def count(**given: str) -> int:
        return sum(row[4] for row in answer(database, asked.statement(given))[1])

    assert count() == 6
    assert count(edition="first") == 6
    assert count(edition="second") == count(tournament="t1") == 0
    assert count(since="2026-01-04") == 3
    assert count(since="2026-01-04T00:00:01Z") == count(since="2026-01-04T03:00:01+03:00") == 2
    assert count(min_n="2") == 3


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("win_rate", {"country": "iran"}),
        ("win_rate", {"pools": "live"}),
        ("win_rate", {"in_pool": "live"}),
        ("win_rate", {"pool": "live'"}),
        ("win_rate", {"pool": ""}),
        ("win_rate", {"pool": "live,,bots"}),
        ("win_rate", {"min_n": "-99999999"}),
        ("win_rate", {"min_n": "1e3"}),
        ("win_rate", {"min_n": "٣"}),
        ("win_rate", {"since": "yesterday"}),
        ("win_rate", {"since": "0001-01-01T00:00:00+23:59"}),
        ("win_rate", {"unproven": "yes"}),
        ("win_rate", {"edition": "x" * (MOST_TEXT + 1)}),
        ("win_rate", {"edition": "a\x00b"}),
        ("not_taken", {}),
        ("is_space_life", {}),
        ("is_space_life", {"space": 'antigua", (SELECT 1)) --'}),
        ("is_space_life", {"space": "antigua_"}),
    ],
)
def test_a_parameter_that_is_not_known_or_not_legal_is_refused(name: str, given: dict[str, str]) -> None:
    asked = query(name)
    for make in (asked.statement, asked.excluded):
        with pytest.raises(Refused) as refused:
            make(given)
        assert refused.value.kind == "invalid"
        assert len(str(refused.value)) < 2000


def test_a_query_that_is_not_there_is_refused() -> None:
    with pytest.raises(Refused, match="there is no saved query 'winrate'") as refused:
        query("winrate")
    assert refused.value.kind == "not-found"


@pytest.mark.parametrize("evil", ["' OR 1=1 --", '"; DROP TABLE matches; --', "$pool", "%", "\\", "{option}"])
def test_the_text_of_a_caller_is_never_part_of_the_sql(
    evil: str, databases: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    for name in ("not_taken", "is_not_taken", "cvk_not_taken", "tm_not_taken"):
        asked = query(name)
        harmless = asked.statement({"option": "x", "edition": "x"}).sql
        statement = asked.statement({"option": evil, "edition": evil})
        assert statement.sql == harmless
        assert answer(databases[asked.game], statement)[1] == []
        behind = asked.behind({"option": evil, "ask": evil, "in_pool": evil})
        assert answer(databases[asked.game], behind)[1] == []
    assert databases["twilight_struggle"].execute("SELECT count(*) FROM matches").fetchall() == [(12,)]


def test_every_query_has_its_sentences_and_only_columns_of_its_own() -> None:
    names = "win_rate end_modes headlines headline_pairs event_or_ops coups first_coup luck dice_fair"
    names += " control_wins find vp_path comebacks held not_taken could_coup country_life big_swings"
    names += " defcon_losses think_time between player_record player_pace player_luck opponents_luck"
    names += " player_headlines player_ratings player_forced"
    assert [one.name for one in queries().values() if one.game == "twilight_struggle"] == names.split()
    for game in GAMES:
        assert sum(one.game == game for one in queries().values()) >= 16
    for asked in queries().values():
        assert asked.en.endswith("?")
        assert asked.ru.endswith("?")
        assert any("а" <= letter <= "я" for letter in asked.ru)
        assert len(set(asked.columns)) == len(asked.columns)
        assert not set(asked.own) & {*asked.keys, *saved.COMMON, "in_pool"}
        assert set(asked.rates) <= set(asked.answer)
        assert set(asked.rates.values()) <= {"n", *asked.answer}
        for parameter in asked.parameters.values():
            assert parameter.en
            assert parameter.ru
