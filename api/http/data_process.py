"""The data process as the server sees it: started, watched, started again, and asked over a Unix socket.

Nothing that plays a match waits for it.  GLASNOST_DATA names the folder of a data set, and then the server
starts `glasnost data serve` for it; or, as `unix:PATH`, the socket of a process that somebody else runs.  The
process gets no setting of the store, the keys or the people, and inherits no open file.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import httptools
from msgspec import Struct

from api.settings import ANALYSIS, PREFIX, BadSetting, missing
from domain.kernel import Refused

VARIABLE = PREFIX + "DATA"
UNIX = "unix:"
CALLER = "glasnost-caller"  # the header that says who asks
SQL = PREFIX + "SQL"
RETRY = {"retry-after": "5"}
PASSED = (  # what the process is told of the server's environment
    *("PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH"),
    *(SQL, PREFIX + "LOG_LEVEL"),
)
AGAIN_SECONDS = 0.2  # from the end of a process that answered to the start of the next
LATER_SECONDS = 5.0  # the same where it did not come to answer
STOPPING_SECONDS = 5.0
HEAD_SECONDS = 60.0  # until the head of an answer comes: waiting for a place and computing
BODY_SECONDS = 30.0  # between two parts of a body
_CHUNK = 65_536
_MOST_HEAD = 65_536


class DataPlace(Struct, frozen=True):
    """Where the data set is: a folder for which the server starts a process, or the socket of another one."""

    folder: Path | None
    socket: Path | None


def read_data(environment: Mapping[str, str]) -> DataPlace | None:
    """Return where an environment says that the data set is; None if it names none.

    Raises:
        BadSetting: it is no folder and no socket.
    """
    text = environment.get(VARIABLE, "")
    if not text:
        return None
    if text.startswith(UNIX):
        path = Path(text.removeprefix(UNIX))
        if not path.is_absolute():
            raise BadSetting(
                f"{VARIABLE} names a socket by its whole path, such as unix:/run/x, not {text!r}"
            )
        return DataPlace(None, path)
    if not Path(text).is_dir():
        raise BadSetting(f"{VARIABLE} is the folder of a data set, or unix:PATH; there is no folder {text!r}")
    return DataPlace(Path(text).absolute(), None)


class DataProcess:
    """The process of one server.

    Args:
        place: where the data set is; None: there is none.
        environment: what the process may be told is taken from here.
    """

    def __init__(self, place: DataPlace | None, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self._environment = {name: given[name] for name in PASSED if name in given}
        self._place = place
        self._home: Path | None = None
        self._socket = place.socket if place else None
        self._lack = "" if place is None or place.folder is None else missing(ANALYSIS, VARIABLE)
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: asyncio.Task[None] | None = None
        self.is_listening = False

    @property
    def is_offered(self) -> bool:
        """Is there a data set, and what is needed to answer from it?"""
        return self._place is not None and not self._lack

    @property
    def pid(self) -> int | None:
        """The id of the process that was started last."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process, if this server is to run one, and see to it that one runs."""
        if self._place is not None and self._place.folder is not None and not self._lack:
            self._home = Path(tempfile.mkdtemp(prefix="glasnost-"))
            self._socket = self._home / "socket"
            self._watch = asyncio.create_task(self._keep(self._place.folder, self._socket))

    async def stop(self) -> None:
        """End the process."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        if self._home is not None:
            await asyncio.to_thread(self._end)
            shutil.rmtree(self._home, ignore_errors=True)

    def _end(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()  # it ends by itself then, also if this server is killed
        try:
            process.wait(STOPPING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    async def _keep(self, folder: Path, path: Path) -> None:
        """Start the process, and start it again whenever it ends."""
        work = path.with_name("work")  # for what SQL reads; the next process deletes what one has left
        work.mkdir()
        command = [sys.executable, "-m", "api.cli.main", "data", "serve", str(folder), "--attached"]
        command += ["--socket", str(path), "--work", str(work)]
        while True:
            self._process = await asyncio.to_thread(self._started, command)
            try:
                answered = await self._until_it_ends(self._process)
            finally:
                self.is_listening = False
            await asyncio.to_thread(self._end)
            await asyncio.sleep(AGAIN_SECONDS if answered else LATER_SECONDS)

    def _started(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=self._environment, process_group=0)

    async def _until_it_ends(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait until the process ends; return whether it came to answer."""
        assert process.stdout is not None
        lines, answered = asyncio.StreamReader(), False
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(os.dup(process.stdout.fileno()), "rb")
        )
        try:
            while await lines.read(1_024):  # it says one line, when it listens
                self.is_listening = answered = True
        finally:
            transport.close()
        return answered

    # ── asking ──

    async def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> Exchange:
        """Pass a request on, and return the answer as soon as its head is there; the caller closes it.

        Args:
            target: path and query, as they came.

        Raises:
            Refused: not-offered (there is no data set, or the extra is missing), data-away.
        """
        if self._place is None:
            raise Refused("not-offered", "data-not-named")
        if self._lack:
            raise Refused("not-offered", "data-extra")
        assert self._socket is not None
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=_CHUNK)
        except OSError:
            raise Refused("data-away", "data-being-started", {}, RETRY) from None
        exchange = Exchange(reader, writer, has_body=method != "HEAD")
        try:
            writer.write(_request(method, target, headers, body))
            await asyncio.wait_for(exchange.head(), HEAD_SECONDS)
        except (OSError, EOFError, TimeoutError, httptools.HttpParserError):
            exchange.close()
            raise Refused("data-away", "data-broke-off", {}, RETRY) from None
        except BaseException:
            exchange.close()
            raise
        return exchange


def _request(method: str, target: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """The bytes of a request; a server never passes on a header with a line end in it."""
    head = {"host": "data", "connection": "close", **headers}
    if body:
        head["content-length"] = str(len(body))
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


class Exchange:
    """One request and its answer: `status`, `headers` with names in lower case, and the body in parts."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, has_body: bool) -> None:
        self._reader, self._writer, self._has_body = reader, writer, has_body
        self._parser = httptools.HttpResponseParser(self)
        self._parts: list[bytes] = []
        self._read = 0
        self._has_head = self._is_whole = False
        self.status, self.headers = 0, dict[str, str]()

    @property
    def length(self) -> int | None:
        """How long the body is; None: that is not known."""
        said = self.headers.get("content-length", "")
        return int(said) if said.isdecimal() else None

    # what httptools calls

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The head has come."""
        self.status, self._has_head = self._parser.get_status_code(), True
        self._is_whole = not self._has_body

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._parts.append(body)

    def on_message_complete(self) -> None:
        """All has come."""
        self._is_whole = True

    async def head(self) -> None:
        """Read until the head has come.  Raises EOFError, HttpParserError, OSError."""
        while not self._has_head:
            if self._read > _MOST_HEAD:
                raise EOFError
            await self._feed()

    async def body(self) -> AsyncGenerator[bytes]:
        """The body in parts; the connection is closed afterwards."""
        try:
            while True:
                parts, self._parts = self._parts, []
                for part in parts:
                    yield part
                if self._is_whole:
                    return
                await asyncio.wait_for(self._feed(), BODY_SECONDS)
        finally:
            self.close()

    async def _feed(self) -> None:
        data = await self._reader.read(_CHUNK)
        if not data:
            raise EOFError("the data process has closed the connection")
        self._read += len(data)
        self._parser.feed_data(data)

    async def whole(self) -> bytes:
        """The whole body; see `body`."""
        return b"".join([part async for part in self.body()])

    def close(self) -> None:
        """Hang up."""
        self._writer.close()
