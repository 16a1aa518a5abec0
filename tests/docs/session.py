"""Runs the blocks of one document, in their order, in one shell, beside one real server.

What a document calls localhost:8000 is the address of that server, and var/store its store.  `./ops/run` is
what started it, and `./ops/test` is what runs this very test: of these two a block gets the help.  A request
that the server refuses ends a `bash` block; a `console` block may show refusals.

A document that names a database gets a PostgreSQL server of its own, whose port, password and programs the
environment tells; and free ports for the servers that it starts.  What it leaves running is ended with it.

Each command and each block of Python is a process.  Most of them are forked from one that has imported the
program (`tests.services.forking`): a new interpreter takes half a second of one core, and the documents show
more than a hundred commands.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from api.cli.common import keep_in
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from tests import services
from tests.docs.documents import ROOT, Block, Document
from tests.docs.glasnost import FORKS
from tests.matches import finished
from tests.services.leash import free_port

CLIENT = ROOT / "tests" / "docs" / "glasnost.py"
SHOWN = "localhost:8000"
DATABASE = "postgresql://"
_SECONDS = 240
_OWN_PORT = re.compile(r"\b(?:localhost:|--port )(800[1-9])\b")
_LEAVE = "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n"
_PREAMBLE = 'set -euo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n'
_STARTS = re.compile(r"^(\./ops/(?:run|test))(?![\w/])", flags=re.MULTILINE)


class Failed(Exception):
    """A block that does not do what the document says; the text says which, and what it printed."""


class Shown(Struct, frozen=True):
    """One command of a `console` block and the lines that the document shows below it."""

    command: str
    expected: list[str]


class Server:
    """The server that `./ops/run` started; its store lies in `folder`."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self.folder = address, folder

    @property
    def host(self) -> str:
        """Its address without the scheme."""
        return self.address.removeprefix("http://")


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server as `./ops/run` starts it, with a store in `folder`, on a free port.

    The documents need one of the matches that bots play on a new store, so only one is there.

    Raises:
        Failed: it ended without listening.
    """
    with closing(SqliteStore.open(folder / "store")) as store:
        played = finished(GAMES["thirteen_minutes"], bots=True)
        keep_in(store, played.match, played.secret.bytes)
    command = [str(ROOT / "ops" / "run"), "--port", "0", "--store", str(folder / "store"), "--empty"]
    said, told = folder / "said", folder / "told"
    with said.open("w") as out, told.open("w") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment())
    try:
        yield Server(_listening(process, said, told), folder)
    finally:
        process.terminate()
        process.wait()


def environment() -> dict[str, str]:
    """What the blocks find: English, no colours, no settings of the user who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLASNOST_", "LC_"))}
    venv = {"GLASNOST_VENV": sys.prefix}
    return {**kept, **venv, "LANG": "C.UTF-8", "TERM": "dumb", "COLUMNS": "100", "PYTHON": sys.executable}


def _listening(process: subprocess.Popen[bytes], said: Path, told: Path) -> str:
    """The address in the one line that the server prints when it answers."""
    while True:
        ended = process.poll() is not None
        lines = said.read_text("utf-8").split("\n")
        for line in lines[:-1]:
            if line.startswith("listening on "):
                return line.removeprefix("listening on ")
        if ended:
            raise Failed(f"./ops/run ended before it listened:\n{told.read_text('utf-8')[-2000:]}")
        time.sleep(0.05)


def parsed(block: Block) -> None:
    """Raises where a block of data is not what its language says."""
    if block.language == "json":
        json.loads(block.text)
    elif block.language == "toml":
        tomllib.loads(block.text)


def shown(block: Block) -> list[Shown]:
    """The commands of a `console` block, each with what it shows."""
    found: list[Shown] = []
    for line in block.text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append(Shown(line[2:], []))
        else:
            found[-1].expected.append(line)
    return found


def run(
    document: Document, blocks: Sequence[Block], server: Server, folder: Path, forks: str | None = None
) -> dict[tuple[int, int], list[str]]:
    """Run blocks of a document in `folder`; gives what each command of a console block printed, by the line
    of the block and the place of the command in it.

    Args:
        forks: the address of a fork server, which is to run the commands of `./ops/glasnost` and the blocks
            of Python in the place of new interpreters.

    Raises:
        Failed: a block did not run to its end.
    """
    _commands(folder / "ops", forks)
    (folder / "var").symlink_to(server.folder)
    (folder / ".printed").mkdir()
    script = _LEAVE + _PREAMBLE
    for block in blocks:
        parsed(block)
        if block.name:
            (folder / block.name).write_text(block.text, "utf-8")
        script += _part(block, forks)
    script = _own_ports(script.replace(SHOWN, server.host))
    with database(script) as known:
        _execute(document, script, folder, {**environment(), **known, **({FORKS: forks} if forks else {})})
    return {
        (block.line, number): _printed(folder, block, number, server)
        for block in blocks
        if block.language == "console"
        for number, _ in enumerate(shown(block))
    }


def _commands(folder: Path, forks: str | None) -> None:
    """Make `ops` as the documents know it."""
    if forks is None:
        folder.symlink_to(ROOT / "ops")
        return
    folder.mkdir()
    for path in (ROOT / "ops").iterdir():
        if path.name != "glasnost":
            (folder / path.name).symlink_to(path)
    (folder / "glasnost").write_text(f'#!/bin/sh\nexec "{sys.executable}" -SEI "{CLIENT}" "$@"\n', "utf-8")
    (folder / "glasnost").chmod(0o755)


def _part(block: Block, forks: str | None) -> str:
    """What the shell runs for one block."""
    mark = f"printf '%s\\n' '@ {block.place}' >&2\n"
    if block.language == "bash":
        return mark + _STARTS.sub(r"\1 --help #", block.text)
    if block.language == "python":
        python = f'-SEI "{CLIENT}"' if forks else "-W error"
        return f"{mark}\"$PYTHON\" {python} - <<'END_OF_BLOCK'\n{block.text}END_OF_BLOCK\n"
    if block.language == "console":
        commands = (
            f"{{ unset -f curl; {one.command}\n}} >.printed/{block.line}-{number} 2>&1 || true\n"
            for number, one in enumerate(shown(block))
        )
        return mark + "".join(commands) + _PREAMBLE
    return ""


@contextmanager
def database(script: str) -> Iterator[dict[str, str]]:
    """What the environment tells of a PostgreSQL server, where the script needs one."""
    if DATABASE not in script:
        yield {}
        return
    with services.own_postgres() as started:
        parts = conninfo_to_dict(started.url)
        path = f"{started.programs}{os.pathsep}{os.environ['PATH']}"
        yield {"PGPORT": str(parts["port"]), "PGPASSWORD": str(parts["password"]), "PATH": path}


def _own_ports(script: str) -> str:
    """Each port of a server that the script starts itself becomes a free one."""
    for port in sorted(set(_OWN_PORT.findall(script))):
        script = re.sub(rf"\b{port}\b", str(free_port()), script)
    return script


def _execute(document: Document, script: str, folder: Path, told: dict[str, str]) -> None:
    with subprocess.Popen(
        ["bash", "-s"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=told,
        start_new_session=True,
    ) as process:
        try:
            done = "".join(process.communicate(script, timeout=_SECONDS))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        tail = "\n".join(done.split("\n")[-25:])
        raise Failed(f"{document.name}: exit code {process.returncode} in the block named last:\n{tail}")


def _printed(folder: Path, block: Block, number: int, server: Server) -> list[str]:
    text = (folder / ".printed" / f"{block.line}-{number}").read_text("utf-8")
    lines = text.replace(server.host, SHOWN).rstrip("\n").split("\n")
    return [line.rstrip() for line in lines] if text.strip() else []


def agrees(expected: list[str], printed: list[str]) -> bool:
    """Is this what a document shows?  A line "..." stands for any lines, "…" in a line for any text."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None
