"""AN10: 43 attacks by SQL.  After each a file, a port that listens and the database are as before.

What an attack may bring is one of: refused (no SELECT, or DuckDB says no), stopped (killed, or out of
memory), or harmless (it is answered, with nothing but what everybody may know).
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from msgspec import Struct

import replay.dataset as glasnost
from api.data import sql_child
from api.data.sql import Sql, SqlLimits
from api.data.sql_child import Task
from domain.kernel import Refused
from tests.api.data.conftest import AWAKE, Small
from tests.waiting import soon

SECRET = "the secret of a match that runs"
PATIENT = SqlLimits(seconds=100.0, stopped=100)
HASTY = SqlLimits(seconds=0.1, stopped=100)  # for queries that never end


class Target(Struct):
    """What an attack must leave alone, and what it works on."""

    sql: Sql
    data: glasnost.DataSet
    database: Path
    before: tuple[int, int]
    marker: Path
    port: int
    listener: socket.socket
    loop: asyncio.AbstractEventLoop

    def tried(self, text: str) -> tuple[str, bytes]:
        """How a query ends, and what is answered."""
        task = Task("", text.format(marker=self.marker, port=self.port, db=self.database), [], 100, "json")
        try:
            answered = self.loop.run_until_complete(self.sql.ask("p1", self.data, task))
        except Refused as refused:
            stopped = refused.id in ("sql-stopped", "sql-memory")
            return "stopped" if stopped else "refused", str(refused).encode()
        return "harmless", answered.body

    def must_be_untouched(self) -> None:
        """The file, the port and the database are as before; no place is taken."""
        assert self.marker.read_text() == SECRET
        assert sorted(self.marker.parent.iterdir()) == [self.marker]
        with pytest.raises(BlockingIOError):
            self.listener.accept()
        assert _written(self.database) == self.before
        assert self.sql.free == PATIENT.at_once


def _written(path: Path) -> tuple[int, int]:
    """When a file was written last, and its size."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@pytest.fixture(scope="module")
def target(small: Small, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """SQL over the small data set, with a file and a port that it must not reach."""
    loop = asyncio.new_event_loop()
    marker = tmp_path_factory.mktemp("secrets") / "marker.csv"
    marker.write_text(SECRET)
    work = tmp_path_factory.mktemp("work")
    sql, data = Sql(work, PATIENT), glasnost.open(small.folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        database, _ = loop.run_until_complete(sql.database.of(data))
        port, content = listener.getsockname()[1], database.read_bytes()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("api.data.sql._PARENT", AWAKE)
            yield Target(sql, data, database, _written(database), marker, port, listener, loop)
        assert database.read_bytes() == content, "it is as before, after all attacks"
    sql.close()
    loop.close()


@pytest.fixture(scope="module")
def database(target: Target) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database with the settings of a child; an attack that changes them fails its test."""
    with duckdb.connect(str(target.database), read_only=True) as found:
        for setting in sql_child.SETTINGS:
            found.execute(setting)
        yield found


NO_FILE = [
    "SELECT * FROM read_csv('{marker}')",
    "SELECT * FROM read_text('{marker}')",
    "SELECT * FROM read_blob('{marker}')",
    "SELECT * FROM read_json('{marker}')",
    "SELECT * FROM read_parquet('{marker}')",
    "SELECT * FROM parquet_metadata('{marker}')",
    "SELECT * FROM sniff_csv('{marker}')",
    "SELECT * FROM glob('{marker}*')",
    "SELECT * FROM '{marker}'",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_text('/proc/self/environ')",
    "SELECT * FROM query('SELECT * FROM read_text(''{marker}'')')",
    "SELECT * FROM query_table('{marker}')",
    "SELECT * FROM read_csv('http://127.0.0.1:{port}/x.csv')",
    "SELECT * FROM read_parquet('s3://127.0.0.1:{port}/x.parquet')",
    "SELECT * FROM read_duckdb('{db}')",
]
NO_SELECT = [
    "COPY (SELECT 1) TO '{marker}'",
    "COPY matches FROM '{marker}'",
    "ATTACH '{marker}' AS other",
    "EXPORT DATABASE '{marker}.d'",
    "IMPORT DATABASE '{marker}.d'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET memory_limit",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY (SELECT 1) TO '{marker}'",
    "UPDATE matches SET winner = 'us'",
    "CREATE TABLE evil (x INTEGER)",
    "PREPARE evil AS SELECT 1",
    "EXPLAIN ANALYZE SELECT count(*) FROM matches",
    "CREATE SECRET evil (TYPE s3, KEY_ID 'x', SECRET 'y')",
]
STOPPED = [
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range < 0",
    "SELECT x FROM range(300000000) t(x) ORDER BY hash(x) DESC",
    "SELECT list(range) FROM range(2000000000)",
    "SELECT length(repeat('x', 3000000000))",
]
HARMLESS = [
    "SELECT * FROM range(5000000)",
    "SELECT * FROM duckdb_settings()",
    "SELECT getenv('HOME')",
]
DEEP = "SELECT " + "(" * 9_990 + "1" + ")" * 9_990
WIDE = "SELECT " + ", ".join(["1"] * 60_000)


def test_there_are_as_many_attacks_as_the_brief_tells() -> None:
    assert len([*NO_FILE, *NO_SELECT, *STOPPED, *HARMLESS]) == 43


@pytest.fixture(autouse=True)
def patient(target: Target) -> None:
    """Only a query that is to be stopped is stopped, however busy the machine is."""
    target.sql.limits = PATIENT


@pytest.mark.parametrize("sql", [*NO_FILE, *NO_SELECT, DEEP, WIDE], ids=lambda sql: sql[:40])
def test_an_attack_is_refused(sql: str, target: Target) -> None:
    how, said = target.tried(sql)
    assert how == "refused", said[:500]
    assert SECRET.encode() not in said
    assert b"root:" not in said
    target.must_be_untouched()


@pytest.mark.parametrize("sql", STOPPED, ids=lambda sql: sql[:40])
def test_an_attack_on_time_or_memory_is_stopped(sql: str, target: Target) -> None:
    target.sql.limits = HASTY
    how, said = target.tried(sql)
    assert how == "stopped", said[:500]
    target.must_be_untouched()


@pytest.mark.parametrize("sql", HARMLESS, ids=lambda sql: sql[:40])
def test_an_attack_is_answered_with_nothing_that_is_secret(sql: str, target: Target) -> None:
    how, said = target.tried(sql)
    assert how in ("harmless", "refused")
    assert SECRET.encode() not in said
    assert os.environ["HOME"].encode() not in said.replace(str(target.database).encode(), b"")
    target.must_be_untouched()


@pytest.mark.parametrize("sql", [*NO_FILE, *NO_SELECT], ids=lambda sql: sql[:40])
def test_the_settings_of_the_database_alone_let_no_attack_out(
    sql: str, target: Target, database: duckdb.DuckDBPyConnection
) -> None:
    """Also what is no SELECT reaches no file and no network, and changes nothing, if it were run."""
    harmless = ("CALL", "SELECT 1; SELECT 2", "PREPARE", "EXPLAIN")
    text = sql.format(marker=target.marker, port=target.port, db=target.database)
    if sql.startswith(harmless):
        database.execute(text)
    else:
        with pytest.raises(duckdb.Error):
            database.execute(text)
    target.must_be_untouched()


def test_nothing_of_a_query_is_left(target: Target) -> None:
    """AN12, in small: after endless queries, several at once, all places are free and no child is there."""
    target.sql.limits = HASTY

    async def several() -> list[BaseException | object]:
        task = Task("", STOPPED[0], [], 1, "json")
        asks = [target.sql.ask("p2", target.data, task) for _ in range(3)]
        return await asyncio.gather(*asks, return_exceptions=True)

    said = target.loop.run_until_complete(several())
    assert [one.id for one in said if isinstance(one, Refused)] == ["sql-stopped"] * 3
    target.must_be_untouched()
    parent = target.sql._parent._process
    assert parent is not None
    soon(lambda: not _children(parent.pid))
    environment = Path(f"/proc/{parent.pid}/environ").read_bytes().split(b"\0")
    names = {line.partition(b"=")[0].decode() for line in environment if line}
    assert names <= {"LC_ALL", "LC_CTYPE", "OPENBLAS_NUM_THREADS", "PYTHONPATH"}


def _children(pid: int) -> list[int]:
    """The processes below one, of whatever depth, that are no zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            child = int(stat.parent.name)
            found += [child, *_children(child)]
    return found
