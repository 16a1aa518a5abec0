"""What the tests of the bus share: a Redis of the test's own, which it may kill, stall and empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import services
from tests.api.http.conftest import toy_in_words

__all__ = ["toy_in_words"]


@pytest.fixture
def redis() -> Iterator[services.OwnRedis]:
    """A Redis of the test's own."""
    with services.own_redis() as server:
        yield server
