"""The server beside which the documents run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.docs.session import Server, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server, as `./ops/run` starts it."""
    with serving(tmp_path_factory.mktemp("server")) as started:
        yield started
