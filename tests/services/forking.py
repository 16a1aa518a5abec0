"""A fork server: a process that has imported the product once, and forks for each program that a test starts.

An interpreter that imports the server takes about a second of one core; a fork takes some milliseconds.  Each
program is a process of its own all the same, with its own arguments, variables, folder and streams.  At its
end it does all that an interpreter does but clear its memory, which takes as long as ten forks.

A client connects to the socket and sends one message: a `Request` (`packed`), with its standard streams as
file descriptors.  The answer is the number of the process.  A process that is `attached` belongs to the
connection: the second answer is how it ended (as `os.waitstatus_to_exitcode` says it), and it is killed when
the connection is closed.  Another one becomes a child of the process that started this server, which is a
subreaper meanwhile.

The server ends when its standard input is closed.  It must have one thread, so that a fork copies all of it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from types import ModuleType
from typing import NoReturn

import msgspec
from msgspec import Struct

_LARGEST = 1 << 20  # bytes of a request; the variables of the tests take a few thousand
THREADLESS = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""The variables with which NumPy and PyArrow start no thread when they are imported."""
# What the programs import that tests start.  Modules that start threads may not be among them.
_IMPORTED = (
    "api.http.server",
    "api.data.serving",
    "psycopg",
    "duckdb",
    "numpy",
    "pyarrow.compute",
    "pyarrow.parquet",
    "tests.api.patience",
)
SCRIPT = """
import os, runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""The code of a request that does what `python FILE` does, with the file as its first argument."""


class Request(Struct, frozen=True):
    """A program to be started: a module (as `python -m` does), or code (as `python -c` does)."""

    folder: str
    environment: dict[str, str]
    arguments: list[str]
    module: str = ""
    code: str = ""
    attached: bool = False


def packed(request: Request) -> bytes:
    """The message of a request.  The client of documents starts for each command, and must import little."""
    return marshal.dumps(msgspec.to_builtins(request))


Accepted = tuple[Request, list[int]]
"""A request, and its standard streams as file descriptors."""


class _Attached(Struct):
    """A process that belongs to a connection."""

    pid: int
    connection: socket.socket


def main() -> None:
    """The server at the address that the first argument names; it prints a line when it listens."""
    accepted = _serve(sys.argv[1])
    if accepted is not None:
        _become(*accepted)
        _end(accepted[0])


def _import_all() -> None:
    from api.cli.main import COMMANDS

    for name in (*_IMPORTED, *sorted({module for module, _ in COMMANDS.values()})):
        importlib.import_module(name)
    tasks = os.listdir("/proc/self/task")
    assert len(tasks) == 1, f"a module that is imported beforehand starts threads: {len(tasks)}"
    gc.collect()
    gc.freeze()


def _serve(address: str) -> Accepted | None:
    """Serve; return what was accepted in the process that was forked for it, and None in the server."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener,
        selectors.DefaultSelector() as events,
    ):
        listener.bind(address)
        listener.listen(64)
        _import_all()
        print("listening", flush=True)
        events.register(0, selectors.EVENT_READ)
        events.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in events.select():
                if key.fd == 0:
                    return None
                if key.fileobj is listener:
                    if (accepted := _accept(listener, events)) is not None:
                        return accepted
                elif key in events.get_map().values():  # one of two events may have ended both
                    _ended(key, events)


def _accept(listener: socket.socket, events: selectors.BaseSelector) -> Accepted | None:
    """Fork for one client; return what it asks for in the new process, and None in the server."""
    connection, _ = listener.accept()
    message, streams, _, _ = socket.recv_fds(connection, _LARGEST, 3)
    if not message:  # the client was killed
        connection.close()
        return None
    request = msgspec.convert(marshal.loads(message), Request)
    pid = os.fork() if request.attached else _forked_twice()
    if pid == 0:
        return request, streams
    for stream in streams:
        os.close(stream)
    with suppress(OSError):  # the client was killed: the event of its connection says so
        connection.send(str(pid).encode())
    if request.attached:
        process = _Attached(pid, connection)
        events.register(connection, selectors.EVENT_READ, process)
        events.register(os.pidfd_open(pid), selectors.EVENT_READ, process)
    else:
        connection.close()
    return None


def _ended(key: selectors.SelectorKey, events: selectors.BaseSelector) -> None:
    """Answer how a process ended; kill it first if its client is gone."""
    process: _Attached = key.data
    if key.fileobj is process.connection:
        os.kill(process.pid, signal.SIGKILL)
    _, status = os.waitpid(process.pid, 0)
    with suppress(OSError):
        process.connection.send(str(os.waitstatus_to_exitcode(status)).encode())
    for other in [one for one in events.get_map().values() if one.data is process]:
        events.unregister(other.fileobj)
        if other.fileobj is not process.connection:
            os.close(other.fd)
    process.connection.close()


def _forked_twice() -> int:
    """Fork a process whose parent has ended; return its number once that is so, and 0 in it."""
    reader, writer = os.pipe()
    if parent := os.fork():
        os.close(writer)
        os.waitpid(parent, 0)
        with open(reader, "rb") as pipe:
            return int(pipe.read())
    if pid := os.fork():
        os.write(writer, str(pid).encode())
        os._exit(0)
    return 0


def _become(request: Request, streams: list[int]) -> None:
    """Make of the forked process what a new interpreter would be."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, max(map(int, os.listdir("/proc/self/fd"))) + 1)
    os.environ.clear()
    os.environ.update(request.environment)
    time.tzset()
    os.chdir(request.folder)
    sys.stdin = os.fdopen(0, "r", encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _end(request: Request) -> NoReturn:
    """Run the program, and end as an interpreter does; only what the system does anyway is left to it."""
    try:
        _run(request)
        code = 0
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        code = ended.code or 0
    others = set(threading.enumerate()) - {threading.current_thread()}
    if not all(thread.daemon for thread in others):
        sys.exit(code)  # it waits for them
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # None: the program has closed it
                stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # it says so
    os._exit(code & 0xFF)


def _run(request: Request) -> None:
    """Run the program as the main module; its exceptions are those of the interpreter's main module."""
    if request.module:
        sys.argv = [request.module, *request.arguments]
        sys.modules.pop(request.module, None)  # it was imported as another one than the main module
        runpy.run_module(request.module, run_name="__main__", alter_sys=True)
        return
    sys.argv = ["-c", *request.arguments]
    sys.modules["__main__"] = made = ModuleType("__main__")
    exec(compile(request.code, "<string>", "exec"), made.__dict__)


if __name__ == "__main__":
    main()
