"""What the tests of the web client share: a server with a match of each game that is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from api.http.data_process import DataPlace
from domain.games import GAMES
from tests.api.http.served import Served, served
from tests.matches import finished as finished_match
from tests.replay.dataset.stores import LARGE, built, opened, put
from tests.waiting import soon
from tests.web.at_table import Between
from tests.web.browser import WIDE, Watched, lent
from tests.web.matches import bots_match

MATCHES = 70
"""Matches of 13 Minutes in the data set of the pages for analysts: enough for branches of the tree."""
LEAST = {"twilight_struggle": 70, "imperial_struggle": 100, "cia_vs_kgb": 100}
"""Moves that a match has at least which tests of the replay look at; some of these games are over sooner."""
SEEDS = {"twilight_struggle": 2, "imperial_struggle": 4, "cia_vs_kgb": 4}
"""Seeds of such matches that are not long; 1 for the other games."""


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the four games over a store of its own, for tests that change nothing that is there."""
    with served(tmp_path_factory.mktemp("house")) as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server in which tests open and play matches of their own; its clients may ask often."""
    with served(tmp_path_factory.mktemp("server"), requests_per_second=10_000) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own, for games that are not in the house after it."""
    with served(tmp_path, requests_per_second=10_000) as running:
        yield running


@pytest.fixture
def between() -> Between:
    """What stands between a page and the server."""
    return Between()


@pytest.fixture(scope="session")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a data set: 13 Minutes between two players, Twilight Struggle between bots."""
    home = tmp_path_factory.mktemp("studied")
    with opened(home / "games") as store:
        for seed in range(MATCHES):
            put(store, finished_match(GAMES["thirteen_minutes"], seed, name=f"m{seed:02}"))
        put(store, finished_match(GAMES["twilight_struggle"], 15, name="war", bots=True))
        built(store, home / "club", cut=LARGE)
    with served(home / "served", data=DataPlace(home / "club", None)) as server:
        services = server.services
        assert services is not None
        soon(lambda: services.data.is_listening)
        yield server


@pytest.fixture
def watched(browser: Browser, house: Served) -> Iterator[Watched]:
    """A page of that server at 1280 wide, in English; nothing may go wrong in it."""
    with lent(browser, f"http://127.0.0.1:{house.port}", viewport=WIDE, locale="en-GB") as page:
        yield page
    assert page.faults == []


@pytest.fixture
def fresh(browser: Browser, house: Served) -> Iterator[Watched]:
    """Such a page with an empty cache, which no other test uses after it."""
    origin = f"http://127.0.0.1:{house.port}"
    with lent(browser, origin, fresh=True, viewport=WIDE, locale="en-GB") as page:
        yield page
    assert page.faults == []


@pytest.fixture(scope="session")
def finished(house: Served) -> dict[str, str]:
    """The id of a match of each game that bots played to its end; the same matches in every run."""
    return {game: bots_match(house, game, LEAST.get(game, 0), SEEDS.get(game, 1)) for game in GAMES}
