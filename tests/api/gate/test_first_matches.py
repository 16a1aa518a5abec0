"""Servers that start together open the same first matches: the second one records no refusal."""

from __future__ import annotations

import pytest

from domain.kernel import Refused
from tests.api.gate.tables import Table, run

pytestmark = pytest.mark.usefixtures("toy_game")


@pytest.mark.parametrize(("player", "counted"), [(None, {}), ("ann", {"exists": 1})])
def test_first_match_that_exists_already_is_not_counted_as_a_refusal(
    player: str | None, counted: dict[str, int]
) -> None:
    async def scene() -> None:
        table = Table()
        await table.gate.open(None, "toy", None, {}, match="m1")
        with pytest.raises(Refused) as refused:
            await table.gate.open(player, "toy", None, {}, match="m1")
        assert refused.value.kind == "exists"
        assert table.gate.refusals.counts == counted
        assert len(table.gate.refusals.latest(9)) == len(counted)

    run(scene())


def test_other_refusals_of_first_matches_are_counted() -> None:
    async def scene() -> None:
        table = Table()
        with pytest.raises(Refused):
            await table.gate.open(None, "chess", None, {})
        assert table.gate.refusals.counts == {"unknown-game": 1}

    run(scene())
