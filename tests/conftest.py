"""What all tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import hypothesis
import pytest
from hypothesis import HealthCheck

from domain.game import Game
from domain.games import GAMES
from tests import services
from tests.domain import swap, toy

# A machine that does something else for a while makes no example wrong.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")


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
