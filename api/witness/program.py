"""Runs a witness: follows logs in the main thread, and answers over HTTP in another one."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.witness.http import application
from api.witness.memory import CannotRemember
from api.witness.witness import NotCosigned, Witness
from domain.log import Damaged
from replay.fetching import CannotFetch
from replay.transparency.client import LogReader
from replay.transparency.cosignature import Cosigner
from replay.transparency.findings import AnyFinding, saved
from replay.transparency.following import Caught

CONNECTIONS = 64  # at once; one more is answered with 503
HEAD_BYTES = 16_384
STOPPING_SECONDS = 5
MOST_FINDINGS = 100  # files that are written; a lie that differs each time must not fill the disk

Tell = Callable[[str], None]


class Program:
    """A witness that follows logs.

    Args:
        folder: where the findings are written.
        tell: prints a line; loud: prints a line about a lie.
    """

    def __init__(
        self, witness: Witness, logs: Sequence[LogReader], folder: Path, tell: Tell, loud: Tell
    ) -> None:
        self._witness, self._logs, self._folder = witness, logs, folder
        self._tell, self._loud = tell, loud
        self._stop = threading.Event()
        self._latest: dict[str, str] = {}
        self.caught_any = False
        self.failed = False

    def run(self, every: float | None, listener: socket.socket | None = None) -> None:
        """Follow the logs, once or every so many seconds until a signal comes.

        Raises:
            CannotRemember: the file of the witness cannot be written.
        """
        with self._signals(), ExitStack() as stack:
            if listener is not None:
                url = stack.enter_context(answering(self._witness, self.caught, listener))
                self._tell(f"listening on {url}")
            while True:
                for log in self._logs:
                    self._follow(log)
                if every is None or self._stop.wait(every):
                    return

    def caught(self, finding: AnyFinding) -> None:
        """Write a finding, and say so; each one once."""
        self.caught_any = True
        path, is_new = saved(finding, self._folder, MOST_FINDINGS)
        if is_new:
            self._loud(f"CAUGHT: {finding.check(self._witness.keys)}; the proof is in {path}")

    def _follow(self, log: LogReader) -> None:
        try:
            stated = self._witness.follow(log)
            self._say(log, f"cosigned: {stated.origin}, {stated.size} leaves", self._tell)
        except Caught as error:
            self.caught(error.finding)
        except NotCosigned:
            return  # overtaken by the log itself; the next round sees it
        except (CannotFetch, Damaged) as error:
            self.failed = True
            self._say(log, f"not cosigned: {error}", self._loud)

    def _say(self, log: LogReader, text: str, tell: Tell) -> None:
        """Say it, unless it was the last thing said of this log."""
        if self._latest.get(log.url) != text:
            self._latest[log.url] = text
            tell(text)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, lambda *_: self._stop.set()) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)


@contextmanager
def answering(
    witness: Witness, caught: Callable[[AnyFinding], None], listener: socket.socket
) -> Iterator[str]:
    """Answer over HTTP in another thread for as long as the context lasts; gives the URL."""
    config = uvicorn.Config(
        application(witness, caught),
        http="h11",  # it limits the head
        h11_max_incomplete_event_size=HEAD_BYTES,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=STOPPING_SECONDS,
        timeout_graceful_shutdown=STOPPING_SECONDS,
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), name="http")
    thread.start()
    server.answers.wait()
    host, port = listener.getsockname()[:2]
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
    finally:
        server.should_exit = True
        thread.join()


class _Server(uvicorn.Server):
    """uvicorn, which says when it answers (or has ended without that)."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        try:
            await super().startup(sockets)
        finally:
            self.answers.set()


def now() -> int:
    """The time in seconds since 1970."""
    return int(time.time())


def opened_key(path: Path, name: str | None) -> tuple[Cosigner, bool]:
    """Return the key of a witness from its file, and whether it was made now, under this name.

    Raises:
        CannotRemember: there is no such file and no name for a new key, or others can read it, or it is
            damaged.
    """
    try:
        if not path.exists() and name is not None:
            cosigner = Cosigner(name, Ed25519PrivateKey.generate())
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(f"{cosigner.text}\n")
                file.flush()
                os.fsync(file.fileno())
            return cosigner, True
        if path.stat().st_mode & 0o077:
            raise CannotRemember(
                f"{path} can be read by others: chmod 600 it, and think who may have read it"
            )
        return Cosigner.parse(path.read_text("ascii")), False
    except FileNotFoundError as error:
        raise CannotRemember(f"{path} does not exist: name the witness with --name to make a key") from error
    except OSError as error:
        raise CannotRemember(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise CannotRemember(f"{path}: {error}") from error
