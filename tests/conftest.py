"""What all tests share."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import hypothesis
import pytest
from hypothesis import HealthCheck
from playwright.sync_api import Browser, Page

from api.garbage import collect_less
from domain.game import Game
from domain.games import GAMES
from tests import services
from tests.domain import swap, toy

# The tests start hundreds of processes: without stored bytecode each compiles the whole project, in 0.7 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A machine that does something else for a while makes no example wrong.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage as seldom as the programs do: all test modules are imported, and stay."""
    collect_less()


@pytest.fixture
def toy_game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game, in the house for one test."""
    monkeypatch.setitem(GAMES, "toy", toy.GAME)
    return toy.GAME


@pytest.fixture
def swap_game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The game whose players may change places, in the house for one test."""
    monkeypatch.setitem(GAMES, "swap", swap.GAME)
    return swap.GAME


@pytest.fixture(scope="session")
def running_browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """The Chromium of all tests of this process, and the event loop in which Playwright drives it."""
    with services.chromium() as running:
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield running, loop
        asyncio._set_running_loop(loop)


@pytest.fixture
def browser(running_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """That Chromium, for one test: the loop of Playwright counts as running only meanwhile.

    Playwright never leaves its loop, and in a thread with a running loop `asyncio.run` refuses.
    """
    running, loop = running_browser
    asyncio._set_running_loop(loop)
    yield running
    asyncio._set_running_loop(None)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own in that browser."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[services.Postgres]:
    """The PostgreSQL server of all tests of this process."""
    with services.postgres() as server:
        yield server


@pytest.fixture
def database(postgres: services.Postgres) -> Iterator[str]:
    """The URL of an empty PostgreSQL database of the test's own."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def databases(postgres: services.Postgres) -> Iterator[Callable[[], str]]:
    """Gives the URL of one more empty PostgreSQL database with each call."""
    with ExitStack() as used:
        yield lambda: used.enter_context(postgres.database())


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The Redis server of all tests of this process; a test empties it for itself."""
    with services.redis_server() as url:
        yield url


@pytest.fixture
def often() -> Callable[[int, int], int]:
    """How often: the sample, or with GLASNOST_FULL=1 the full number."""
    return lambda sample, full: full if os.environ.get("GLASNOST_FULL") == "1" else sample
