"""What is stored is encoded alike whether it was just made or read back from its bytes."""

from __future__ import annotations

import typing
from typing import Any

import msgspec
import pytest

from domain import events
from domain.chance import Drawn
from domain.games import GAMES
from domain.log import codec
from tests.matches import finished

SHARED = (
    Drawn,
    events.Asked,
    events.Key,
    events.Chance,
    *events.Entry.__subclasses__(),
    *events.FactEntry.__subclasses__(),
    events.Part,
)


def vocabulary(name: str) -> list[Any]:
    game = GAMES[name]
    return [game.state, *typing.get_args(game.facts), *typing.get_args(game.steps), *SHARED]


def is_told_apart_by_value(default: Any) -> bool:
    """msgspec leaves a default out only if it is the very same object, or an empty one."""
    return default is None or isinstance(default, bool | int) or not default


@pytest.mark.parametrize("name", sorted(GAMES))
def test_no_field_has_a_default_that_only_identity_leaves_out(name: str) -> None:
    for kind in vocabulary(name):
        if kind.__struct_config__.omit_defaults:
            for field in msgspec.structs.fields(kind):
                default = field.default
                small = not isinstance(default, int) or -5 <= default <= 256
                assert (
                    default is msgspec.NODEFAULT
                    or isinstance(default, msgspec.Struct)
                    or (is_told_apart_by_value(default) and small)
                ), (kind, field.name)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_table_is_encoded_alike_live_and_read_again(name: str) -> None:
    match = finished(GAMES[name], 5).match
    again = type(match).project(None, [codec(match.game).read(match.id, r.stored) for r in match.records])
    assert again is not None
    for live, read in zip(match.positions, again.positions, strict=True):
        assert msgspec.json.encode(live.table) == msgspec.json.encode(read.table)
