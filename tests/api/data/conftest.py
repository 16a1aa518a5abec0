"""A small data set, and a server with a data process over it, for all tests that only ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec import Struct

from api.cli.common import keep_in
from api.http.data_process import DataPlace
from domain.games import GAMES
from replay.dataset.manifest import Manifest
from replay.importers.twilight_struggle.report import imported
from tests.api.http.served import Served, served
from tests.matches import PRODUCT, finished
from tests.replay.dataset.stores import IMPORTED, LARGE, built, opened, put
from tests.replay.importers.short_games import WHOLE
from tests.waiting import soon

SQL_SETTINGS = {"GLASNOST_SQL": "on", "GLASNOST_LOG_LEVEL": "debug"}


class Small(Struct, frozen=True):
    """A store, and a data set of it: one live match of each game, one of bots, one imported."""

    store: Path
    folder: Path
    manifest: Manifest
    imported: str


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """The data set; a test must not change it."""
    home = tmp_path_factory.mktemp("small")
    with opened(home / "games") as store:
        for name in ("twilight_struggle", "cia_vs_kgb", "thirteen_minutes"):
            put(store, finished(GAMES[name], 1, name=f"{name}-live"))
        put(store, finished(GAMES["twilight_struggle"], 2, name="twilight_struggle-bots", bots=True))
        came = imported(WHOLE.encode(), PRODUCT).match
        keep_in(store, came, IMPORTED)
        made = built(store, home / "club", cut=LARGE)
    return Small(home / "games", home / "club", made.manifest, came.id)


@pytest.fixture(scope="session")
def asked(small: Small, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over a store of its own, with a data process that answers; SQL is on."""
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in SQL_SETTINGS.items():
                patch.setenv(name, value)
            place = DataPlace(small.folder, None)
            server = running.enter_context(served(tmp_path_factory.mktemp("asked"), data=place))
        soon(lambda: server.services is not None and server.services.data.is_listening)
        yield server
