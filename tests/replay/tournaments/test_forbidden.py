"""Forbidden pairs and acceleration of the terms reach the engine (TRF26 `260`, `250`) and are kept to."""

from __future__ import annotations

import pytest

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.terms import ForbiddenPairs, Terms, settled
from replay.tournaments.pairing import pair
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup

pytestmark = pytest.mark.usefixtures("house")


async def begun(entrants: int, value: str = "", *, accelerated: bool = False) -> Cup:
    cup = Cup(MemoryStore(), Terms(game="toy", format="swiss", rounds=3, accelerated=accelerated))
    cup.tournaments._pairer = pair
    await cup.announced(entrants)
    if value:
        await cup.do(c.ChangeTerms(path="forbidden", value=value, reason="one club"))
    return cup


def test_a_forbidden_pair_is_not_made_and_the_engine_is_told_of_it() -> None:
    async def pairs(value: str) -> tuple[list[set[str]], str]:
        cup = await begun(8, value)
        draft = (await cup.tournaments.draft(cup.id, DIRECTOR)).draft
        return [{w, b} for w, b, _, _ in draft.boards], draft.input

    made, text = run(pairs(""))
    assert {"n1", "n5"} in made
    assert "\n260 " not in text
    made, text = run(pairs('[{"entrants": ["n1", "n5"], "last": 2}]'))
    assert {"n1", "n5"} not in made
    assert "\n260   1   2    1    5\n" in text


def test_if_no_pairing_is_left_the_engine_refuses() -> None:
    async def work() -> str:
        cup = await begun(4, '[{"entrants": ["n1", "n2", "n3", "n4"]}]')
        with pytest.raises(Refused) as caught:
            await cup.tournaments.draft(cup.id, DIRECTOR)
        return caught.value.kind

    assert run(work()) == "pairing"


def test_acceleration_is_a_record_of_the_input() -> None:
    async def work() -> str:
        cup = await begun(8, accelerated=True)
        return (await cup.tournaments.draft(cup.id, DIRECTOR)).draft.input

    assert "\n250  0.0  1.0 " in run(work())


@pytest.mark.parametrize(
    "value",
    [
        '[{"entrants": ["n1"]}]',
        '[{"entrants": ["n1", "n1"]}]',
        '[{"entrants": ["n1", "n2"], "first": 3, "last": 2}]',
        '[{"entrants": ["n1", "n99"]}]',
        '[{"entrants": ["n1", "p1"]}]',
        '{"n1": "n2"}',
    ],
)
def test_what_names_no_pairs_is_refused(value: str) -> None:
    async def work() -> str:
        cup = await begun(4)
        return await cup.refused(c.ChangeTerms(path="forbidden", value=value, reason="one club"))

    assert run(work()) in ("terms", "not-entered")


def test_only_a_swiss_tournament_forbids_pairs() -> None:
    robin = Terms(game="toy", format="round_robin", rounds=3, forbidden=(ForbiddenPairs(("n1", "n2")),))
    with pytest.raises(Refused) as caught:
        settled(robin, None)
    assert caught.value.id == "forbidden-pairs"
