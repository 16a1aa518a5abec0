"""What the tests of the bus share: a Redis of the test's own, which it may kill, stall and empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.bus import Address
from tests import services
from tests.api.http.conftest import toy_in_words
from tests.waiting import PATIENCE

__all__ = ["toy_in_words"]


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No question to Redis fails because the machine stood still, but in tests where Redis falls silent."""
    client = Address.client
    if request.node.get_closest_marker("hurried") is None:
        monkeypatch.setattr(Address, "client", lambda self, patience: client(self, max(patience, PATIENCE)))


@pytest.fixture
def redis() -> Iterator[services.OwnRedis]:
    """A Redis of the test's own."""
    with services.own_redis() as server:
        yield server
