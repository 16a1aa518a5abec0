"""Running the program in a test: in this process, or as a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from api.cli.main import run
from tests.services import forked
from tests.services.forked import Forked

ROOT = Path(__file__).parents[2]
MAIN = "from api.cli.main import main; main()"
"""The program as code: for processes of a fork server."""


class Done(Struct, frozen=True):
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one line of JSON that was printed, and nothing else."""
        assert self.code == 0, self
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    def ok(self) -> Done:
        """It went well, without a word on standard error."""
        assert (self.code, self.err) == (0, ""), self
        return self

    def refused(self, code: int, *parts: str) -> Done:
        """It ended with this code and one line on standard error that has these parts."""
        assert self.code == code, self
        assert self.err.startswith("glasnost: "), self
        assert self.err.count("\n") == 1, self.err
        for part in parts:
            assert part in self.err, self.err
        return self


class Program:
    """The program in this process, in a folder of the test's own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capsys, self.folder = capsys, folder

    def __call__(self, *arguments: str | Path) -> Done:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        said = self._capsys.readouterr()
        return Done(code, said.out, said.err)


def process(*arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """The program as a process, which Ctrl-C ends even where the tests run in the background of a script."""
    command = [sys.executable, "-m", "api.cli.main", *map(str, arguments)]
    pipe = subprocess.PIPE
    own = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.Popen(
        command,
        stdout=pipe,
        stderr=pipe,
        stdin=subprocess.DEVNULL,
        text=True,
        env=own,
        preexec_fn=_heed_ctrl_c,
    )


def started(*arguments: str | Path, before: str = "", **environment: str) -> Forked | subprocess.Popen[bytes]:
    """The program as a process of the fork server, which imports nothing; `process` where there is none.

    The caller ends it, and reads it to the end by `communicate`.

    Args:
        before: Python code that the process runs first, such as one that shortens its pauses.
    """
    return _started(f"{before}\n{MAIN}", arguments, environment)


def run_code(code: str, *arguments: object, **environment: str) -> Done:
    """Run Python code to its end as a process of its own, which a fork server starts where there is one."""
    process = _started(code, arguments, environment)
    out, err = process.communicate()
    assert process.returncode is not None
    return Done(process.returncode, out.decode(), err.decode())


def _started(
    code: str, arguments: Sequence[object], environment: Mapping[str, str]
) -> Forked | subprocess.Popen[bytes]:
    given = [str(argument) for argument in arguments]
    own = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    if forked.AVAILABLE:
        return Forked(code, *given, environment=own)
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code, *given], stdout=pipe, stderr=pipe, env=own)


def on_a_terminal(*arguments: str | Path, terminal: str = "xterm") -> bytes:
    """What the program writes to a terminal."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "api.cli.main", *map(str, arguments)]
    own = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": terminal, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=own):
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # Linux says so when the last writer is gone
            while some := os.read(ours, 4096):
                shown += some
    os.close(ours)
    return shown


def screen(written: str) -> list[str]:
    """The lines that a terminal of endless width shows in the end; it knows what progress bars need."""
    lines, row, column = [""], 0, 0
    for code, up, text in re.findall(r"\x1b\[(?:(2K)|(\d*)A|[0-9;?]*[a-zA-Z])|([^\x1b])", written):
        if code:
            lines[row] = ""
        elif up:
            row = max(row - int(up), 0)
        elif text == "\r":
            column = 0
        elif text == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif text:
            lines[row] = lines[row].ljust(column)[:column] + text + lines[row][column + 1 :]
            column += 1
    return lines


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
