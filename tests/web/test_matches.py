"""The matches that the tests of the web client look at are the same in every run."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from tests.web.conftest import LEAST
from tests.web.matches import seeded_match


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_bots_has_the_same_moves_each_time(game: str) -> None:
    one, other = (seeded_match(game, LEAST.get(game, 0)).match for _ in range(2))
    assert one.move >= LEAST.get(game, 0)
    assert [record.stored for record in one.records] == [record.stored for record in other.records]
