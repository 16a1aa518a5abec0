"""A small data set, and a server with a data process over it, for all tests that only ask."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec import Struct

from api.cli.common import keep_in
from api.http.data_process import DataPlace, DataProcess
from domain.games import GAMES
from replay.dataset import manifest as manifests
from replay.dataset.manifest import Manifest
from replay.importers.twilight_struggle.report import imported
from tests.api.http.served import Served, served
from tests.made_once import made_once
from tests.matches import PRODUCT, finished
from tests.replay.dataset.stores import IMPORTED, LARGE, built, opened, put
from tests.replay.importers.short_games import WHOLE
from tests.services import forked
from tests.services.forked import Forked
from tests.waiting import soon

SQL_SETTINGS = {"GLASNOST_SQL": "on", "GLASNOST_LOG_LEVEL": "debug"}
_AWAKE = "from api.data import sql_child, sql_parent; vars(sql_child)['step_aside'] = int; sql_parent.main()"
AWAKE = (sys.executable, "-c", _AWAKE)
"""The warm parent of queries that do not step aside: other tests want all cores all the time."""
_WITH_AWAKE = f"from api.data import sql; vars(sql)['_PARENT'] = {AWAKE!r}"
_LOGGED = """
import os
os.setsid()
os.dup2(os.open({log!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
"""


class Small(Struct, frozen=True):
    """A store, and a data set of it: one live match of each game, one of bots, one imported."""

    store: Path
    folder: Path
    manifest: Manifest
    imported: str


def make_small(home: Path) -> None:
    """Make the store and its data set."""
    with opened(home / "games") as store:
        for name in ("twilight_struggle", "cia_vs_kgb", "thirteen_minutes"):
            put(store, finished(GAMES[name], 1, name=f"{name}-live"))
        put(store, finished(GAMES["twilight_struggle"], 2, name="twilight_struggle-bots", bots=True))
        came = imported(WHOLE.encode(), PRODUCT).match
        keep_in(store, came, IMPORTED)
        built(store, home / "club", cut=LARGE)
    (home / "imported").write_text(came.id)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """The data set; a test must not change it."""
    home = made_once(tmp_path_factory, "small", make_small)
    manifest = manifests.read(home / "club")
    assert manifest is not None
    return Small(home / "games", home / "club", manifest, (home / "imported").read_text())


def fork_data_processes(patch: pytest.MonkeyPatch, log: Path) -> None:
    """Let servers of this process start data processes by the fork server, where there is one.

    They import nothing, which takes an interpreter most of a second, and log to a file.
    """

    def started(self: DataProcess, command: Sequence[str]) -> Forked | subprocess.Popen[bytes]:
        if not forked.AVAILABLE:
            pipe, own = subprocess.PIPE, self._environment
            with log.open("ab") as errors:
                return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=own)
        code = _LOGGED.format(log=str(log)) + _WITH_AWAKE + "\nfrom api.cli.main import main; main()"
        process = Forked(code, *command[3:], environment=self._environment, is_fed=True)
        process.stderr.close()
        return process

    patch.setattr(DataProcess, "_started", started)


@pytest.fixture(scope="session")
def data_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the data process of `asked` logs."""
    return tmp_path_factory.mktemp("log") / "data.log"


@pytest.fixture(scope="session")
def asked(small: Small, data_log: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over a store of its own, with a data process that answers; SQL is on."""
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in SQL_SETTINGS.items():
                patch.setenv(name, value)
            fork_data_processes(patch, data_log)
            place = DataPlace(small.folder, None)
            server = running.enter_context(served(tmp_path_factory.mktemp("asked"), data=place))
            soon(lambda: server.services is not None and server.services.data.is_listening)
        yield server
