"""The servers that the tests run against are real, found wherever they are, and end with the tests."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from tests import services
from tests.docs.glasnost import FORKS
from tests.docs.session import CLIENT
from tests.services import forked
from tests.services.forked import Forked
from tests.waiting import PATIENCE, soon

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


def test_a_forked_program_has_its_own_arguments_variables_folder_and_streams(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = """
import os, sys
print(sys.argv[1:], dict(os.environ), os.getcwd(), os.listdir("/proc/self/fd")[3:], __name__)
sys.exit("ended by itself")
"""
    program = Forked(code, "one", "two", environment={"ONLY": "this"})
    said, told = program.communicate()
    assert said.decode() == f"['one', 'two'] {{'ONLY': 'this'}} {tmp_path} ['3'] __main__\n"
    assert (told, program.returncode) == (b"ended by itself\n", 1)


@pytest.mark.parametrize(
    ("code", "ended", "said"),
    [
        ("print('said')", 0, "said\nlast\n"),
        ("sys.exit(3)", 3, "last\n"),
        ("sys.exit(256 + 7)", 7, "last\n"),
        ("threading.Timer(0.01, print, ['late']).start()", 0, "late\nlast\n"),
        ("ThreadPoolExecutor().submit(print, 'late')", 0, "late\nlast\n"),
        ("threading.Thread(target=signal.pause, daemon=True).start()", 0, "last\n"),
        ("raise KeyboardInterrupt", -signal.SIGINT, "last\n"),
    ],
)
def test_a_forked_program_ends_as_an_interpreter_ends(code: str, ended: int, said: str) -> None:
    begun = "import atexit, signal, sys, threading; from concurrent.futures import ThreadPoolExecutor\n"
    begun += "atexit.register(print, 'last')\n"
    forked_program = Forked(begun + code, environment={})
    assert (forked_program.communicate()[0].decode(), forked_program.returncode) == (said, ended)
    interpreter = subprocess.run([sys.executable, "-c", begun + code], capture_output=True, text=True)
    assert (interpreter.stdout, interpreter.returncode) == (said, ended)


def test_a_forked_program_is_killed_and_waited_for_like_any_child() -> None:
    program = Forked("import time; print('runs', flush=True); time.sleep(600)", environment={})
    assert program.stdout.readline() == b"runs\n"
    assert program.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(0.01)
    program.kill()
    assert program.wait(PATIENCE) == -signal.SIGKILL
    assert program.communicate() == (b"", b"")


def test_a_command_of_a_document_ends_with_the_code_and_the_life_of_its_client(tmp_path: Path) -> None:
    command = (sys.executable, "-SEI", str(CLIENT))
    given = {**os.environ, FORKS: forked.server()}
    refused = subprocess.run((*command, "games", "chess"), env=given, capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "chess" in refused.stderr
    serve = (*command, "serve", "--empty", "--port", "0", "--store", str(tmp_path / "store"))
    for end, code in ((signal.SIGTERM, 0), (signal.SIGKILL, -9)):
        with subprocess.Popen(serve, env=given, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout is not None
            port = int(client.stdout.readline().rpartition(":")[2])
            client.send_signal(end)
            assert client.wait() == code
        soon(is_free, port)


def is_free(port: int) -> bool:
    """Does no process listen there?"""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
