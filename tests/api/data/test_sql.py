"""SQL over HTTP: off by default, only with a token, within limits, the same rows in each form, in no log."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replay.dataset as glasnost
from api.data import sql_child
from api.data.sql import Penalties, Sql, SqlLimits
from api.data.sql_child import Outcome, Task
from api.data.sql_route import ARROW, PARQUET
from api.http.log_lines import Lines
from domain.kernel import Refused
from tests.api.data.conftest import AWAKE, Small
from tests.api.http.served import Client, Served
from tests.cli.program import run_code, started
from tests.waiting import soon

FORMS = ("application/json", "text/csv", "application/x-ndjson", ARROW, PARQUET)


@pytest.fixture(scope="module")
def ann(asked: Served) -> Client:
    """A player of the server; the first query waits until the data set is copied."""
    client = asked.player()
    soon(lambda: client.post("/v1/sql", {"sql": "SELECT 1"}).status == 200)
    return client


def test_a_query_is_answered_with_snapshot_columns_rows_and_hash(ann: Client, small: Small) -> None:
    sql = "SELECT pool, count(*) AS n FROM matches WHERE game = $game GROUP BY pool ORDER BY pool"
    told = ann.post("/v1/sql", {"sql": sql, "params": {"game": "twilight_struggle"}}).json
    assert told["snapshot"] == small.manifest.snapshot
    assert told["columns"] == [{"name": "pool", "type": "VARCHAR"}, {"name": "n", "type": "BIGINT"}]
    assert told["rows"] == [["bots", 1], ["imported", 1], ["live", 1]]
    assert told["sql_sha256"] == hashlib.sha256(sql.encode()).hexdigest()
    assert not told["truncated"]
    again = ann.post("/v1/sql", {"sql": "SELECT ?::INT + ?", "params": [1, 2], "limit": 1}).json
    assert again["rows"] == [[3]]


def rows_of(form: str, body: bytes) -> list[list[Any]]:
    """The rows in a body, each value as text."""
    if form == FORMS[0]:
        rows = json.loads(body)["rows"]
    elif form == FORMS[1]:
        rows = list(csv.reader(io.StringIO(body.decode())))[1:]
    elif form == FORMS[2]:
        rows = [list(json.loads(line).values()) for line in body.splitlines()]
    else:
        table = pa.ipc.open_stream(body).read_all() if form == ARROW else pq.read_table(io.BytesIO(body))
        rows = [list(row) for row in duckdb.from_arrow(table).fetchall()]  # Arrow has no year 20000
    return [["" if value is None else str(value) for value in row] for row in rows]


RANGE = "SELECT range AS n, 'x' || range AS t, range % 7 = 0 AS b FROM range({})"


@pytest.mark.parametrize(
    ("sql", "limit", "rows", "truncated"),
    [
        (RANGE.format(101), 100, 100, "true"),
        (RANGE.format(100), 100, 100, "false"),
        pytest.param(RANGE.format(10_001), 10_000, 10_000, "true", marks=pytest.mark.long),
        (
            "SELECT match, move, kind, vp, turn AS vp, NULL AS gone, sum(move) OVER () AS huge"
            " FROM ts_positions ORDER BY ALL",
            10_000,
            None,
            "false",
        ),
        (
            "SELECT closed_at - opened_at AS lasted, union_value(a := game) AS u, DATE 'infinity' AS d,"
            " NULL::INTERVAL AS gone, TIMESTAMP '20000-01-01' AS t, DATE '0044-01-01 (BC)' AS old"
            " FROM matches ORDER BY match",
            10_000,
            5,
            "false",
        ),
    ],
)
def test_every_form_holds_the_same_rows(
    ann: Client, sql: str, limit: int, rows: int | None, truncated: str
) -> None:
    """AN13."""
    found = []
    for form in FORMS:
        answer = ann.post("/v1/sql", {"sql": sql, "limit": limit}, accept=form)
        assert answer.status == 200, answer
        assert answer.headers["content-type"].partition(";")[0] == form
        assert answer.headers["glasnost-truncated"] == truncated
        found.append([[cell.lower() for cell in row] for row in rows_of(form, answer.body)])
    assert all(one == found[0] for one in found)
    assert rows in (None, len(found[0]))


def test_the_row_after_ten_thousand_is_left_out_and_said(ann: Client) -> None:
    """AN13: unless the caller asks for fewer."""
    told = [ann.post("/v1/sql", {"sql": RANGE.format(n)}).json for n in (10_000, 10_001)]
    assert [(len(one["rows"]), one["truncated"]) for one in told] == [(10_000, False), (10_000, True)]


def test_an_answer_ends_before_ten_megabytes(ann: Client) -> None:
    """AN13: and the form makes no difference to the rows."""
    sql = "SELECT repeat('x', 1000000) AS t FROM range(20)"
    answers = [ann.post("/v1/sql", {"sql": sql}, accept=form) for form in ("application/x-ndjson", PARQUET)]
    assert [one.headers["glasnost-truncated"] for one in answers] == ["true", "true"]
    lines, table = answers[0].body.splitlines(), pq.read_table(io.BytesIO(answers[1].body))
    assert len(lines) == table.num_rows == 10


def test_what_a_form_cannot_hold_is_said_and_is_no_stopped_query(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_: Task) -> None:
        raise pa.ArrowNotImplementedError("no such type")

    for name, instead in (("step_aside", int), ("_close_output", int), ("_answer", answer)):
        monkeypatch.setattr(sql_child, name, instead)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sql_child.run(theirs, Task("", "SELECT 1", [], 1, "arrow"))
        told = msgspec.json.decode(ours.recv(10_000), type=Outcome)
    assert told == Outcome(sql_child.ERROR, "no such type")


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"sql": "SELECT 1; SELECT 2"}, 422, "sql"),
        ({"sql": "SELEC 1"}, 422, "sql"),
        ({"sql": "SELECT * FROM nothing"}, 422, "sql"),
        ({"sql": "SELECT " + " " * 20_000 + "1"}, 422, "sql"),
        ({"sql": "SELECT 1", "limit": 0}, 422, "invalid"),
        ({"sql": "SELECT 1", "limit": 10_001}, 422, "invalid"),
        ({"sql": "SELECT 1", "more": 1}, 422, "invalid"),
        ({"sql": "SELECT 1", "params": [[1]]}, 422, "invalid"),
        ({"sql": "SELECT ?", "params": [1] * 101}, 422, "invalid"),
        ({"sql": "SELECT ?"}, 422, "sql"),
        ({"sql": "SELECT 1", "snapshot": "sha256:0"}, 404, "not-found"),
        ({}, 422, "invalid"),
    ],
)
def test_what_is_no_query_is_refused(ann: Client, body: Any, status: int, kind: str) -> None:
    ann.post("/v1/sql", body).problem(status, kind)


def test_a_query_needs_a_token(asked: Served) -> None:
    told = asked.client().post("/v1/sql", {"sql": "SELECT 1"})
    told.problem(401, "unauthorized")
    assert "www-authenticate" in told.headers
    forged = asked.client().post("/v1/sql", {"sql": "SELECT 1"}, glasnost_caller="p1")
    forged.problem(401, "unauthorized")


@pytest.fixture
def local(small: Small) -> Iterator[tuple[Client, str]]:
    """A data process on a port of this machine, with SQL; a client, and the token that it has printed.

    Its queries step aside, as those of `asked` do not.
    """
    process = started("data", "serve", small.folder, "--port", "0", GLASNOST_SQL="on")
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().rpartition(b":")[2])
        token = process.stdout.readline().rpartition(b"Bearer ")[2].strip().decode()
        with closing(Client(port)) as client:
            yield client, token
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def test_a_process_on_a_port_answers_sql_only_with_the_token_that_it_has_printed(
    local: tuple[Client, str],
) -> None:
    client, token = local
    body = {"sql": "SELECT count(*) FROM matches"}
    assert len(token) > 40
    client.post("/v1/sql", body).problem(401, "unauthorized")
    client.post("/v1/sql", body, glasnost_caller="p1").problem(401, "unauthorized")
    for wrong in (token[:-1], token.upper(), "é" * 43, "local"):
        client.post("/v1/sql", body, authorization=f"Bearer {wrong}").problem(401, "unauthorized")
    soon(lambda: client.post("/v1/sql", body, authorization=f"Bearer {token}").status == 200)
    assert client.post("/v1/sql", body, authorization=f"Bearer {token}").json["rows"] == [[5]]
    assert client.get("/v1/queries").status == 200


def test_a_query_leaves_a_core_free_and_runs_while_no_other_process_wants_to() -> None:
    """AN12: what it costs a move is measured by `ops/bench/sql.py`."""
    code = "import os; from api.data.sql_child import NICE, step_aside; step_aside()\n"
    code += "print(os.nice(0) == NICE, os.sched_getscheduler(0) == os.SCHED_IDLE, *os.sched_getaffinity(0))"
    said = run_code(code).out.split()
    cores = sorted(os.sched_getaffinity(0))
    assert said[:2] == ["True", "True"]
    assert sorted(map(int, said[2:])) == (cores[1:] or cores)


def test_three_stopped_queries_cost_the_token_ten_minutes() -> None:
    now = 0.0
    penalties = Penalties(SqlLimits(), lambda: now)
    for at in (0.0, 70.0, 80.0):
        now = at
        penalties.check("ann")
        penalties.add("ann")
    penalties.check("ann")
    now = 100.0
    penalties.add("ann")
    penalties.check("ben")
    with pytest.raises(Refused) as refused:
        penalties.check("ann")
    assert (refused.value.kind, refused.value.headers["retry-after"]) == ("limit", "601")
    now = 701.0
    penalties.check("ann")


def test_two_run_eight_wait_and_one_more_is_refused(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And an endless query is killed, though its text is all that is known of it."""
    monkeypatch.setattr("api.data.sql._PARENT", AWAKE)
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"

    async def asked_at_once() -> list[Any]:
        sql = Sql(tmp_path, SqlLimits(seconds=0.05))
        data = glasnost.open(small.folder)
        duckdb.connect(str(tmp_path / f"{'0' * 16}.duckdb")).close()
        sql.database._latest = tmp_path / f"{'0' * 16}.duckdb", data.snapshot
        try:
            asks = [sql.ask(f"p{n}", data, Task("", endless, [], 1, "json")) for n in range(11)]
            return await asyncio.gather(*asks, return_exceptions=True)
        finally:
            sql.close()

    found = asyncio.run(asked_at_once())
    assert [one.id for one in found] == ["sql-stopped"] * 10 + ["sql-busy"]
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_a_query_is_in_a_log(asked: Served, ann: Client, data_log: Path) -> None:
    """AN14: text, parameters and results, also of queries that fail; only hash and duration."""
    lines: list[str] = []
    handler, formatter = logging.Handler(), Lines()
    vars(handler)["emit"] = lambda record: lines.append(formatter.format(record))
    logger = logging.getLogger("glasnost")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        sql = "SELECT 'text' || 'zebra' || $p AS yak, {}"
        for end in ("1", "1/", "error('z' || 'ebra')", "* FROM read_text('zebra')"):
            body = {"sql": sql.format(end), "params": {"p": "lion"}}
            assert ann.post("/v1/sql", body).status in (200, 422)
        ann.post("/v1/sql", {"sql": 7, "zebra": "lion"})
        ann.get("/v1/queries/win_rate?edition=zebra")
        ann.get("/v1/positions?where=zebra")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    logged = data_log.read_text()
    assert hashlib.sha256(sql.format("1").encode()).hexdigest() in logged
    assert '"ms":' in logged
    said = logged + "\n".join(lines)
    assert not [word for word in ("zebra", "lion", "yak", "ebra") if word in said]
