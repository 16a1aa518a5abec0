"""Matches of random actions, and worlds that a seat cannot tell apart."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct

from api.research.answering import Answering
from api.research.state import State
from domain.kernel import Seat, prompt
from tests.domain.agents.laws import unlike


class Seen(Struct, frozen=True):
    """All that a state says to a seat."""

    numbers: bytes
    mask: bytes
    legal: list[int]
    told: str


def seen(state: State, seat: Seat) -> Seen:
    """What a state says to a seat now."""
    numbers, mask = array("f", bytes(4 * state.observation_size)), bytearray(state.num_actions)
    state.observation_tensor(seat, numbers)
    state.legal_actions_mask(mask)
    return Seen(numbers.tobytes(), bytes(mask), state.legal_actions(), state.information_state_string(seat))


def steps(state: State, luck: Random) -> Iterator[State]:
    """The state before each of its random actions, up to its end."""
    while not state.is_terminal():
        yield state
        state.apply_action(luck.choice(state.legal_actions()))


def played(game: str, seed: int, **setting: Any) -> State:
    """A match of random actions, at its end."""
    state = State(game, seed=seed, **setting)
    for _ in steps(state, Random(seed)):
        pass
    return state


def other_world(state: State, luck: Random) -> State | None:
    """The same moment in a world that the acting seat cannot tell apart; None if there seems to be none."""
    seat = state.current_player()
    world = unlike(state._setting.spec, state._table, state.view(seat), luck)
    if world is None or state._answering is None:
        return None
    other = state.clone()
    other._table = world
    question = prompt(other._table, seat)
    assert question is not None
    other._answering = Answering(question, state._setting.actions, state._answering.picked)
    return other
