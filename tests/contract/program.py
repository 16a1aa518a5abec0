"""The program as a process in which nothing is left to chance: neither the clock nor the random source.

It is started by its entry point, `glasnost`, and by nothing else of ours, so that the same recorder serves
every version.
"""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PATIENCE = 120.0

# Random bytes follow from the command, and from how often so many were asked for before.
_PRELUDE = """
import collections, hashlib, importlib.metadata, os, random, sys, time
counts = collections.Counter()
def urandom(n):
    counts[n] += 1
    return hashlib.shake_256(repr((sys.argv[1:], n, counts[n])).encode()).digest(n)
os.urandom = random._urandom = urandom
time.time_ns = lambda: 1_800_000_000_000_000_000
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
Ed25519PrivateKey.generate = classmethod(lambda cls: cls.from_private_bytes(urandom(32)))
(entry,) = importlib.metadata.entry_points(group="console_scripts", name="glasnost")
sys.argv = ["glasnost", *sys.argv[1:]]
sys.exit(entry.load()())
"""
_QUIET = {
    "GLASNOST_LOG_LEVEL": "error",
    "GLASNOST_PLAYERS_PER_MINUTE": "100000",
    "GLASNOST_REQUESTS_PER_MINUTE": "1000000",
    "LC_ALL": "C.UTF-8",
    "TERM": "dumb",
    "COLUMNS": "100",
    "PYTHONPATH": str(ROOT),
    "PYTHONHASHSEED": "0",
}


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GLASNOST_")}
    return {**kept, **_QUIET}


def run(folder: Path, *arguments: str, **settings: str) -> tuple[int, str, str]:
    """One command in `folder`: its exit code, and what it printed to either stream."""
    command = [sys.executable, "-c", _PRELUDE, *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env=_environment() | settings,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@contextmanager
def serving(folder: Path, store: str = "store", **settings: str) -> Iterator[int]:
    """A server over this store, which may be empty or new; its port."""
    command = [sys.executable, "-c", _PRELUDE, "serve", "--empty", "--port", "0", "--store", store]
    process = subprocess.Popen(
        command, cwd=folder, env=_environment() | settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert line.startswith("listening on "), line
        port = int(line.rpartition(":")[2])
        _ready(port)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def _ready(port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        connection.request("GET", "/readyz")
        status = connection.getresponse().status
        connection.close()
        if status == 200:
            return
        time.sleep(0.01)
    raise AssertionError("the server is not ready")
