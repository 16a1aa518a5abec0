"""The processes of a benchmark: new interpreters, or in the tests forks of one that has imported everything.

A new interpreter takes most of a second to import the product.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

_FORKS = os.environ.pop("GLASNOST_FORKS", "")  # the address of the fork server; "": there is none


@contextmanager
def running(arguments: Sequence[str], environment: dict[str, str]) -> Iterator[tuple[IO[str], int]]:
    """Run Python with these arguments until the end of the context; yield its standard output and number.

    Args:
        arguments: begin with `-m` and a module, `-c` and code, or a file.
        environment: all of its variables.
    """
    if _FORKS:
        with _forked(arguments, environment) as started:
            yield started
        return
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            yield process.stdout, process.pid
        finally:
            process.terminate()


@contextmanager
def _forked(arguments: Sequence[str], environment: dict[str, str]) -> Iterator[tuple[IO[str], int]]:
    from tests.services.forked import Attached
    from tests.services.forking import SCRIPT, Request

    kind, what, given = arguments[0], arguments[1:2], list(arguments[2:])
    if kind == "-m":
        request = Request(os.getcwd(), environment, given, module=what[0], attached=True)
    elif kind == "-c":
        request = Request(os.getcwd(), environment, given, code=what[0], attached=True)
    else:
        request = Request(os.getcwd(), environment, list(arguments), code=SCRIPT, attached=True)
    process = Attached(_FORKS, request)
    try:
        yield process.stdout, process.pid
    finally:
        process.terminate()


def output(program: str, *arguments: str) -> str:
    """Run Python code to its end; return what it prints."""
    with running(("-c", program, *arguments), dict(os.environ)) as (stdout, _):
        return stdout.read()
