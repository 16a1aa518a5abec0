"""What the tests of the HTTP API share: a server with the toy game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.game import Game
from tests.api.http.browser import Browser
from tests.api.http.served import Client, Served, served
from tests.api.http.words import TEXTS


@pytest.fixture
def toy_in_words(toy_game: Game, monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game, with words."""
    monkeypatch.setitem(vars(toy_game), "texts", TEXTS)
    return toy_game


@pytest.fixture
def server(toy_in_words: Game, tmp_path: Path) -> Iterator[Served]:
    """A server with the toy game over an empty store."""
    with served(tmp_path) as running:
        yield running


@pytest.fixture
def ann(server: Served) -> Client:
    """A player with a token."""
    return server.player("Ann")


@pytest.fixture
def signed_in(server: Served, ann: Client) -> Browser:
    """A browser in which Ann is signed in."""
    found = Browser(server)
    found.sign_in(ann.token)
    return found
