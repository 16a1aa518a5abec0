"""PostgreSQL: the server of the tests, where each has a database of its own; and those that may be killed."""

from __future__ import annotations

import atexit
import base64
import hashlib
import hmac
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.services.leash import Leashed, NoServer, free_port, scratch
from tests.services.programs import POSTGRES, other_user, postgres_programs, reachable

PASSWORD = "tests-only"
_MADE = "TEST_POSTGRES_MADE"
_EMPTY = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    "SET client_min_messages = error",
    "DROP SCHEMA IF EXISTS glasnost, glasnost_models, glasnost_lists, public CASCADE",
    "CREATE SCHEMA public",
)


def located(url: str, **changed: Any) -> str:
    """The URL of another place: the same as this one but for some of its parts, in the words of libpq."""
    parts = {"host": "127.0.0.1", "port": 5432, **conninfo_to_dict(url), **changed}
    who = f"{parts['user']}:{parts['password']}" if parts.get("password") else str(parts["user"])
    return f"postgresql://{who}@{parts['host']}:{parts['port']}/{parts['dbname']}"


class Postgres:
    """A PostgreSQL server in which every test gets a database of its own.

    Args:
        url: how to reach it, as a user who may create databases.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._empty: list[str] = []  # databases that were used and emptied again: sooner done than made

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of an empty database."""
        if not self._empty:
            name = f"glasnost_test_{secrets.token_hex(6)}"
            _run(self.url, f"CREATE DATABASE {name}")
            self._empty.append(name)
        name = self._empty.pop()
        yield self.url_of(name)
        _run(self.url, f"ALTER DATABASE {name} RESET ALL")
        _run(self.url_of(name), *_EMPTY)
        self._empty.append(name)

    def drop(self) -> None:
        """Drop the databases."""
        while self._empty:
            _run(self.url, f"DROP DATABASE {self._empty.pop()} WITH (FORCE)")

    def url_of(self, database: str) -> str:
        """The URL of a database of this server."""
        return located(self.url, dbname=database)


def _run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _made() -> Path:
    """The folder with what `initdb` made, for this process and for those that it starts."""
    if _MADE not in os.environ:
        os.environ[_MADE] = tempfile.mkdtemp(prefix="glasnost-tests-initdb-")
        atexit.register(shutil.rmtree, os.environ[_MADE], ignore_errors=True)
    return Path(os.environ[_MADE])


def _copied(data: Path, to: Path) -> None:
    subprocess.run(["cp", "-a", data, to], check=True)  # the files stay those of their user


class OwnPostgres(Postgres):
    """A PostgreSQL server that was started here, and may be killed and started again."""

    def __init__(
        self, programs: Path, folder: Path, settings: Sequence[str] = (), making: Sequence[str] = ()
    ) -> None:
        self.user, self._settings, self._making = other_user(), settings, making
        self.programs = programs  # where pg_dump and its like are, too
        self.programs, self.folder = reachable(programs, folder, self.user), folder
        self._process: Leashed | None = None
        self._make()
        super().__init__("")
        self.start()

    def _make(self) -> None:
        """Make its files: `initdb` takes half a second, so it runs once, and the others are copies."""
        data = self.folder / "data"
        if data.exists():
            return
        made = _made() / hashlib.sha256(" ".join(self._making).encode()).hexdigest()
        if not made.exists():
            self._initialize()
            copy = made.with_name(f"{made.name}-{secrets.token_hex(6)}")
            _copied(data, copy)
            with suppress(OSError):  # another process was sooner
                copy.rename(made)
            return
        if self.user:
            shutil.chown(self.folder, self.user)
        _copied(made, data)

    def _initialize(self) -> None:
        password = self.folder / "password"
        password.write_text(_scram_secret(PASSWORD))
        if self.user:
            for path in (self.folder, password):
                shutil.chown(path, self.user)
        made = self._initialized("--auth=scram-sha-256", f"--pwfile={password}", *self._making)
        if made.returncode:
            raise NoServer(f"PostgreSQL's initdb failed: {made.stdout}{made.stderr}")

    def _initialized(self, *how: str) -> subprocess.CompletedProcess[str]:
        program, data = str(self.programs / "initdb"), str(self.folder / "data")
        command = [program, "-D", data, "-U", "glasnost", "-E", "UTF8", "--locale=C", "--no-sync", *how]
        return subprocess.run(command, capture_output=True, text=True, user=self.user, cwd="/")

    def start(self) -> None:
        """Start it, on the port that it had before."""
        for _ in range(20):
            port = int(conninfo_to_dict(self.url)["port"] or 0) if self.url else free_port()
            url = make_conninfo(
                host="127.0.0.1", port=port, user="glasnost", password=PASSWORD, dbname="postgres"
            )
            self._process = Leashed(self._command(port), self.folder / "log", self.user)
            if self._process.answering(partial(_greet, url), psycopg.OperationalError):
                self.url = url
                return
            self._process.end()  # the port was taken meanwhile, or what was killed is not gone yet
            time.sleep(0.05)
        raise NoServer(f"PostgreSQL does not start:\n{self._process.printed if self._process else ''}")

    def _command(self, port: int) -> list[str]:
        settings = (
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "max_connections=60",
            "shared_buffers=16MB",
            *self._settings,
        )
        given = [word for setting in settings for word in ("-c", setting)]
        return [str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-p", str(port), *given]

    @contextmanager
    def replica(self) -> Iterator[OwnPostgres]:
        """A server that follows this one, and is only read."""
        with scratch() as folder:
            yield from self._followed(folder)

    def _followed(self, folder: Path) -> Iterator[OwnPostgres]:
        if self.user:
            shutil.chown(folder, self.user)
        program = self.programs / "pg_basebackup"
        command = [str(program), "-D", str(folder / "data"), "-d", self.url, "-R", "-c", "fast", "--no-sync"]
        copied = subprocess.run(command, capture_output=True, text=True, user=self.user, cwd="/")
        if copied.returncode:
            raise NoServer(f"PostgreSQL's pg_basebackup failed: {copied.stderr}")
        follower = OwnPostgres(self.programs, folder, self._settings)
        try:
            yield follower
        finally:
            follower.end()

    def kill(self) -> None:
        """kill -9 of all its processes; they are gone when this returns."""
        os.kill(self._number(), signal.SIGSTOP)  # so that it starts no further one meanwhile
        first, *others = self.processes()
        for number in (first, *others):
            with suppress(ProcessLookupError):  # it has ended
                os.kill(number, signal.SIGKILL)
        self.end()
        while any(_lives(number) for number in others):
            time.sleep(0.01)

    def processes(self) -> list[int]:
        """The numbers of its processes: the first one, which starts the others, and those.  Linux only."""
        first, found = self._number(), list[int]()
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                if int(stat.read_text().rpartition(")")[2].split()[1]) == first:
                    found.append(int(stat.parent.name))
        return [first, *found]

    def _number(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def end(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.end()
            self._process = None


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _greet(url: str) -> None:
    psycopg.connect(url).close()


def _scram_secret(password: str) -> str:
    """A password as PostgreSQL stores it (RFC 5803), hashed once instead of 4,096 times.

    The tests connect some ten thousand times, and would else hash for half of the time of each connection.
    """
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations=1)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    salt64, stored64, server64 = (
        base64.b64encode(part).decode()
        for part in (salt, stored, hmac.digest(salted, b"Server Key", "sha256"))
    )
    return f"SCRAM-SHA-256$1:{salt64}${stored64}:{server64}"


@contextmanager
def postgres() -> Iterator[Postgres]:
    """The PostgreSQL of the tests.

    Raises:
        NoServer.
    """
    if url := os.environ.get(POSTGRES.variable):
        named = Postgres(url)
        yield named
        named.drop()
        return
    with own_postgres() as server:
        yield server


@contextmanager
def own_postgres(*settings: str, making: Sequence[str] = ()) -> Iterator[OwnPostgres]:
    """A PostgreSQL server for tests that kill it: never one that was running before.

    `settings` are lines of its configuration, such as "fsync=on"; without them it is quick, not durable.
    `making` are words for initdb.

    Raises:
        NoServer.
    """
    with scratch() as folder:
        server = OwnPostgres(postgres_programs(), folder, settings, making)
        try:
            yield server
        finally:
            server.end()
