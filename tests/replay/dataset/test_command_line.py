"""`glasnost sql`, `query` and `find`: tables, other formats, and errors at their column."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from api.cli import analysis
from domain.games import GAMES
from replay.dataset import DataSet
from replay.dataset.queries import queries
from replay.dataset.search import PARAMETERS, parse
from replay.dataset.wrong_query import WrongQuery
from tests.cli.program import Done, Program, started
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.ready import use_ready
from tests.waiting import PATIENCE

REASONS = "SELECT pool, reason, count(*) AS n FROM matches GROUP BY ALL ORDER BY ALL"
SEARCH = "turn < 3 and defcon < 5 and not us controls iran"


@pytest.fixture
def on_files(
    club: Club, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Program:
    """The program in an empty folder; `club` there is the data set of the small store."""
    monkeypatch.chdir(tmp_path)
    Path("club").symlink_to(club.folder)
    return Program(capsys, tmp_path)


@pytest.fixture
def glasnost(on_files: Program, opened_club: DataSet, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The same, but it finds the tables of the data set ready: one test of each command reads the files."""
    use_ready(monkeypatch, opened_club)
    return on_files


def lines(done: Done) -> list[list[str]]:
    """The words of each line of a table, without the line below the head."""
    found = [line.split() for line in done.out.splitlines()]
    return [found[0], *found[2:]]


# ── glasnost sql ──


def test_sql_prints_a_table_whose_missing_values_are_empty(glasnost: Program, opened_club: DataSet) -> None:
    done = glasnost("sql", REASONS, "--data", "club")
    assert done.err == ""
    head, *rows = lines(done)
    assert head == ["pool", "reason", "n"]
    expected = opened_club.sql(REASONS).fetchall()
    assert rows == [[str(value) for value in row if value is not None] for row in expected]
    assert done.out.endswith("\n")
    assert not done.out.endswith("\n\n")


def test_all_formats_hold_the_same_rows(on_files: Program, opened_club: DataSet) -> None:
    """Numbers, text, lists, times, a sum of 128 bits, and two types that Arrow or Parquet does not have."""
    sql = """
        SELECT match, moves, pool, complete, opened_at, score_a / 7 AS share, NULL AS nothing,
          (SELECT list(player ORDER BY seat) FROM seats s WHERE s.match = m.match) AS players,
          sum(moves) OVER () AS total, closed_at - opened_at AS lasted, DATE 'infinity' AS never
        FROM matches m ORDER BY match
    """
    data = opened_club
    relation = data.sql(sql)
    expected = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    assert any(row["opened_at"] for row in expected)
    for row in expected:
        row["opened_at"] = row["opened_at"] and row["opened_at"].isoformat()
        row["lasted"] = row["lasted"] and str(row["lasted"])
        row["never"] = "9999-12-31"
    ndjson = on_files("sql", sql, "--data", "club", "--format", "ndjson").ok()
    assert [json.loads(line) for line in ndjson.out.splitlines()] == expected
    found = on_files("sql", sql, "--data", "club", "--json").json
    assert [column["name"] for column in found["columns"]] == list(expected[0])
    assert found["rows"] == [list(row.values()) for row in expected]
    assert found["snapshot"] == data.snapshot
    assert len(found["sql_sha256"]) == 64
    assert on_files("sql", sql, "--data", "club", "--format", "csv", "--out", "m.csv").ok().out == (
        f"m.csv: {len(expected)} rows\n"
    )
    with Path("m.csv").open(newline="", encoding="utf-8") as file:
        assert [row["players"] for row in csv.DictReader(file)] == [
            json.dumps(row["players"]) for row in expected
        ]
        file.seek(0)
        assert [row["share"] for row in csv.DictReader(file)] == [
            "" if row["share"] is None else str(row["share"]) for row in expected
        ]
    on_files("sql", sql, "--data", "club", "--format", "parquet", "--out", "m.parquet").ok()
    names = ["match", "players", "total", "lasted"]
    parquet = pq.read_table("m.parquet", columns=names).to_pylist()
    assert parquet == [{name: row[name] for name in names} for row in expected]


def test_a_table_is_cut_and_other_formats_are_not(glasnost: Program, opened_club: DataSet) -> None:
    many = "SELECT move AS n FROM moves ORDER BY ALL"
    cut = glasnost("sql", many, "--data", "club")
    assert len(lines(cut)) == 1 + 200
    assert "the first 200 rows" in cut.err
    whole = glasnost("sql", many, "--data", "club", "--format", "csv").ok().out.count("\n") - 1
    assert [(whole,)] == opened_club.sql("SELECT count(*) FROM moves").fetchall()
    wide = glasnost("sql", "SELECT * FROM tm_positions LIMIT 2", "--data", "club").ok()
    assert [line for line in wide.out.splitlines() if not line.startswith("  ")] == ["row 1", "row 2"]


def test_what_a_value_holds_is_no_markup_and_moves_no_cursor(glasnost: Program) -> None:
    hostile = "SELECT '[bold]x[/]' || chr(27) || '[2J' || chr(10) || 'y' AS \"a[red]\""
    done = glasnost("sql", hostile, "--data", "club").ok()
    assert "[bold]x[/]\ufffd[2J\ufffdy" in done.out
    assert "\x1b" not in done.out
    assert "a[red]" in done.out


def test_tables_and_columns_are_listed(glasnost: Program, opened_club: DataSet) -> None:
    data = opened_club
    rows = [json.loads(line) for line in glasnost(*LISTED, "--tables").ok().out.splitlines()]
    assert [row["table"] for row in rows] == list(data.tables)
    assert {"table": "matches", "rows": 15, "meaning": "One row is a match."} in rows
    found = [json.loads(line) for line in glasnost(*LISTED, "--columns", "seats").ok().out.splitlines()]
    assert [row["column"] for row in found] == data.sql("SELECT * FROM seats").columns[:-1]
    glasnost("sql", "--data", "club", "--columns", "x").refused(2, "no table 'x'", "matches")


LISTED = ("sql", "--data", "club", "--format", "ndjson")


def test_an_error_of_sql_points_at_its_column(glasnost: Program) -> None:
    done = glasnost("sql", "SELECT pool,\n  raeson FROM matches", "--data", "club")
    assert (done.code, done.out) == (2, "")
    said = done.err.splitlines()
    assert said[0].startswith('glasnost: line 2, column 3: Referenced column "raeson" not found')
    assert said[-2:] == ["    raeson FROM matches", "    ^"]
    for query, text in (
        ("SELEC 1", 'line 1, column 1: syntax error at or near "SELEC"'),
        ("SELECT * FROM nothing", "line 1, column 15: Table with name nothing does not exist"),
        ("", "this statement gives no rows"),
        ("SELECT $x", "Values were not provided"),
        ("SELECT pool::INT FROM matches", "Could not convert string"),
        ("SELECT é FROM matches", "line 1, column 8"),
    ):
        wrong = glasnost("sql", query, "--data", "club")
        assert (wrong.code, text in wrong.err, "Traceback" in wrong.err) == (2, True, False), wrong


def test_a_mark_stays_under_its_place_in_a_long_line() -> None:
    wrong = WrongQuery("x" * 500 + "é WRONG " + "y" * 500 + "\nz", "no", 502)
    first, line, mark = wrong.lines
    assert first == "line 1, column 503: no"
    assert line[mark.index("^") :].startswith("WRONG")
    assert len(line) < 110


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("sql",), "write a QUERY"),
        (("sql", "SELECT 1", "--tables"), "write a QUERY"),
        (("sql", "SELECT 1", "--data", "nowhere"), "nowhere: no data set"),
        (("sql", "SELECT 1", "--data", "http://127.0.0.1:1"), "refused"),
        (("sql", "SELECT 1", "--data", "club", "--format", "parquet"), "name the file with --out"),
        (("sql", "SELECT 1", "--data", "club", "--out", "no/folder"), "no/folder: cannot be written"),
        (("query", "headlnes"), "similar: headlines"),
        (("query", "headlines", "--data", "club", "--pool", "'"), "query headlines: parameter pool"),
        (("query", "headlines", "--data", "club", "--row", "seat=us"), "--row goes with --matches"),
        (("query", "headlines", "--data", "club", "--matches", "--row", "seat"), "KEY=VALUE"),
        (("query", "headlines", "--data", "club", "--matches", "--row", "x=1"), "no parameter 'x'"),
        (("query", "not_taken", "--data", "club"), "--option"),
        (("find", "vp > 3", "--data", "club"), "fits several games"),
        (("find", "vp > 3", "--data", "club", "--game", "x"), "there are twilight_struggle"),
        (("find", "us controls iran", "--data", "club", "--limit", "0"), "parameter limit"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    on_files: Program, arguments: tuple[str, ...], part: str
) -> None:
    on_files(*arguments).refused(2, part)


def test_a_reader_that_goes_away_ends_it_quietly(club: Club) -> None:
    found = started("sql", "SELECT * FROM range(1000000)", "--data", club.folder, "--format", "csv")
    assert found.stdout is not None
    assert found.stderr is not None
    found.stdout.close()
    with found.stderr:
        assert (found.stderr.read(), found.wait(timeout=PATIENCE)) == (b"", 2)


# ── glasnost query ──


def test_queries_are_listed_with_their_questions(glasnost: Program) -> None:
    help = " ".join(glasnost("query", "--help").ok().out.split())
    for one in queries().values():
        assert f" {one.name} " in help
    assert queries()["coups"].en in help
    assert not {"place", "kind", "out", "matches", "row", "sql"} & {
        name for one in queries().values() for name in one.parameters
    }


def test_the_help_of_a_query_tells_its_parameters_and_columns(glasnost: Program) -> None:
    help = " ".join(glasnost("query", "control_wins", "--help").ok().out.split())
    for text in (
        "--country TEXT",
        "such as iran",
        "[default: iran]",
        "--min-n N",
        "--unproven",
        "Keys: in_pool,",
    ):
        assert text in help
    assert "Columns: pool, turn, control, n, us, lo, hi." in help


def test_a_query_answers_as_python_does_and_says_what_it_rests_on(
    on_files: Program, opened_club: DataSet
) -> None:
    arguments = ("--data", "club", "--pool", "live,bots")
    done = on_files("query", "tm_end_modes", *arguments, "--format", "ndjson").ok()
    found = [tuple(json.loads(line).values()) for line in done.out.splitlines()]
    answer = opened_club.query("tm_end_modes", pool="live,bots")
    assert found == list(answer)
    assert sum(row[answer.query.columns.index("n")] for row in found) == 3
    table = on_files("query", "tm_end_modes", *arguments)
    assert table.err == "pool bots: 1 match\npool live: 2 matches\n"
    assert answer.comparisons == 0
    void = on_files("query", "cvk_end_modes", *arguments)
    assert "pool live: 2 matches; not counted: 1 void\n" in void.err
    none = on_files("query", "tm_end_modes", "--data", "club", "--pool", "solo")
    assert none.err == "no match in these pools; pools of this data set: bots, imported, live, seeded\n"
    imported = on_files("query", "end_modes", "--data", "club", "--pool", "imported")
    assert "not counted: 1 not proved" in imported.err
    assert "how they were chosen is not known" in imported.err


def test_a_query_says_how_many_rates_it_compares_and_which_differ(
    glasnost: Program,
    opened_club: DataSet,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("replay.dataset.rates.LEVEL", 2)  # every rate differs
    answer = opened_club.query("tm_territories", pool="live")
    assert len(answer.marks) == answer.comparisons == 2 * len(list(answer)) > 4
    analysis._say_marks(answer)
    said = capsys.readouterr().err
    assert said.startswith(f"{answer.comparisons} rates compared; differing from the rest at 5 %")
    assert said.endswith("; and 2 more\n")
    found = glasnost("query", "tm_territories", "--data", "club", "--json").ok().json
    assert found["comparisons"] == answer.comparisons
    assert found["marks"] == [{"row": one.row, "rate": one.rate, "p": one.p} for one in answer.marks]
    rules = [GAMES["thirteen_minutes"].rules]
    assert found["rules_seen"] == answer.rules == rules
    counts = {"matches": 2, "counted": 2, "void": 0, "no_result": 0, "unproven": 0}
    assert found["pools"] == [{"pool": "live", **counts}]
    hits = opened_club.find("us in cuba >= 1", "thirteen_minutes")
    same = {name: found[name] for name in ("pools", "selection_unknown", "rules_seen")}
    assert analysis._sample(opened_club, hits.counts, hits.rules) == same


def test_the_matches_behind_a_row_are_as_many_as_it_counts(glasnost: Program) -> None:
    asked = ("query", "headlines", "--data", "club", "--pool", "*", "--format", "ndjson")
    rows = [json.loads(line) for line in glasnost(*asked).ok().out.splitlines()]
    assert len(rows) > 10
    for row in rows[:3]:
        keys = [f"--row={key}={row[key]}" for key in ("seat", "turn", "card")]
        behind = glasnost(*asked, "--matches", *keys).ok().out.splitlines()
        assert len(behind) == row["n"]
        assert set(json.loads(behind[0])) == {"pool", "match", "move"}


def test_the_printed_sql_gives_the_same_rows(
    glasnost: Program, opened_club: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = opened_club
    for name, given in (
        ("headlines", {"pool": "live,bots", "min_n": "1"}),
        ("not_taken", {"option": "it's", "pool": "*"}),
        ("is_end_modes", {"since": "2026-01-01T00:00:00", "unproven": "1", "pool": "seeded"}),
    ):
        options = [
            f"--{key.replace('_', '-')}" + ("" if key == "unproven" else f"={value}")
            for key, value in given.items()
        ]
        sql = glasnost("query", name, "--sql", *options).ok().out
        assert "$" not in sql
        assert data.sql(sql).fetchall() == list(data.query(name, **given)), name
    sql = glasnost("find", SEARCH, "--pool", "*", "--sql", "--data", "club").ok().out
    assert data.sql(sql).fetchall() == list(data.find(SEARCH, pool="*"))
    monkeypatch.setattr("sys.stdin", io.StringIO(sql))
    found = glasnost("sql", "-", "--data", "club", "--format", "csv").ok().out
    assert found.count("\n") - 1 == len(list(data.find(SEARCH, pool="*"))) > 3


# ── glasnost find ──


def test_find_prints_hits_and_how_often_the_first_seat_won(
    on_files: Program, opened_club: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = ("find", SEARCH, "--data", "club", "--pool", "live,bots,seeded")
    done = on_files(*search)
    head, *rows = lines(done)
    assert head[:6] == ["pool", "match", "move", "kind", "turn", "round"]
    hits = opened_club.find(SEARCH, pool="live,bots,seeded")
    assert [(row[1], int(row[2])) for row in rows] == [(match, move) for _, match, move, *_ in hits]
    assert len(rows) > 5
    summary = hits.summary.fetchall()
    pool, matches, positions, n, won, low, high = summary[0]
    assert done.err.startswith(
        f"pool {pool}: {positions} positions in {matches} match"
        f"{'es' if matches > 1 else ''}; us won {won:.0%} of {n} ({low:.0%} to {high:.0%})\n"
    )
    use_ready(monkeypatch, opened_club)
    first = on_files(*search, "--first", "--format", "csv").ok().out.splitlines()
    assert len(first) - 1 == sum(row[1] for row in summary)
    none = on_files("find", "ussr controls iran", "--data", "club", "--pool", "solo")
    assert none.err.startswith("no such position in the pool solo; pools of this data set: bots,")


def test_an_error_of_a_search_points_at_its_column(glasnost: Program) -> None:
    done = glasnost("find", "ussr controls iram and defcon = 2", "--data", "club")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "glasnost: column 15: 'iram' is not known in a search of twilight_struggle",
        "  ussr controls iram and defcon = 2",
        "                ^",
    ]
    ended = glasnost("find", "br controls ohio_forks and", "--data", "club")
    assert ended.err.splitlines()[0].startswith("glasnost: column 27: ")
    assert ended.err.splitlines()[-1].index("^") == 2 + 26


def test_the_examples_of_the_help_are_searches(glasnost: Program) -> None:
    help = glasnost("find", "--help").ok().out
    tests = help.partition("join:\n")[2].partition("Every column")[0]
    found = [text.strip() for line in tests.splitlines() for text in line.split("   ") if text.strip()]
    assert len(found) == 13
    for text in found:
        assert parse("twilight_struggle", text).where
    for name in PARAMETERS:
        assert f"--{name.replace('_', '-')}" in help


def test_standard_input_is_bounded(glasnost: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("-" * (analysis.MOST_SQL + 1)))
    glasnost("sql", "-", "--data", "club").refused(2, "more than 1048576 characters")
