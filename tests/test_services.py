"""The servers that the tests run against are real, found wherever they are, and end with the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from tests import services

ROOT = Path(__file__).parents[1]
START = """
import time
from tests import services
with services.own_postgres() as server:
    print(server.folder, server.url, sep="\\n", flush=True)
    time.sleep(600)
"""


def test_every_test_has_an_empty_database_of_its_own(postgres: services.Postgres, database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("CREATE TABLE mine (word text)")
    with postgres.database() as other, psycopg.connect(other) as connection:
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE tablename = 'mine'").fetchone()
    assert found == (0,)


def test_redis_keeps_streams_whose_ids_are_positions(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
        client.xadd("moves", {"match": "m1"}, id="7-0")
        with pytest.raises(redis.ResponseError, match="equal or smaller"):
            client.xadd("moves", {"match": "m1"}, id="7-0")


def test_a_killed_server_comes_back_with_what_was_committed() -> None:
    with services.own_postgres() as server:
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        server.kill()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(server.url)
        server.start()
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


def test_a_server_ends_with_the_process_that_started_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        folder, url = (owner.stdout.readline().strip() for _ in range(2))
        with psycopg.connect(url, autocommit=True) as connection:
            os.kill(owner.pid, signal.SIGKILL)
            with pytest.raises(psycopg.errors.AdminShutdown):
                connection.execute("SELECT pg_sleep(600)")
    while (Path(folder) / "data" / "postmaster.pid").exists():
        pass
    shutil.rmtree(folder)


def test_where_no_server_is_found_the_tests_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_REDIS_URL", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(services.NoServer, match=r"redis-server.*TEST_REDIS_URL"), services.redis_server():
        pass


def test_a_running_server_is_used_where_it_is_named(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_POSTGRES_URL", database)
    with services.postgres() as named:
        assert named.url == database
        with named.database() as other, psycopg.connect(other) as connection:
            connection.execute("CREATE TABLE mine (word text)")
