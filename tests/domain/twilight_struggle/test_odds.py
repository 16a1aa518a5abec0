"""The chances that players are shown are those of the dice: every face is played, and the boards compared."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel import CHANCE, Answer, Chance, Step, asked, begin, decide, detailed, prompt
from domain.twilight_struggle.components import MAP, OTHER, SIDES, US, USSR
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.operations import Coup, Realign, TrySpace
from domain.twilight_struggle.steps.play import PlayCard
from tests.domain.twilight_struggle.table import table


def random_board(rng: Random) -> State:
    """Influence anywhere, DEFCON at 5, and whatever changes dice."""
    influence = {
        side: {country: rng.randint(1, 5) for country in rng.sample(sorted(MAP), 40)} for side in SIDES
    }
    effects = [
        (card, rng.choice(SIDES))
        for card in ("salt_negotiations", "latin_american_death_squads", "containment", "iran_contra_scandal")
        if rng.random() < 0.5
    ]
    options = {"realignment_phasing_player_safe": rng.random() < 0.3}
    return table(us=influence[US], ussr=influence[USSR], effects=tuple(effects), options=options)


def shown(s: State, seat: str, pick: str) -> dict[tuple[tuple[str, int], ...], tuple[int, int]]:
    """The chances that a prompt tells of one option."""
    question = prompt(s, seat)
    assert question is not None
    return _as_dict(detailed(s, question).details[pick].chances)


def _as_dict(chances: tuple[Chance, ...]) -> dict[tuple[tuple[str, int], ...], tuple[int, int]]:
    return {tuple(sorted(chance.outcome.items())): (chance.ways, chance.of) for chance in chances}


def enumerated(
    s: State, seat: str, pick: str, country: str
) -> dict[tuple[tuple[str, int], ...], tuple[int, int]]:
    """What every face of the dice does to the influence in a country."""
    rolling = decide(s, Answer(seat, (pick,))).table
    question = prompt(rolling, CHANCE)
    assert question is not None
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for face in question.options:
        after = decide(rolling, Answer(CHANCE, (face,))).table
        change = {
            side: after.influence[side].get(country, 0) - s.influence[side].get(country, 0) for side in SIDES
        }
        found[tuple(sorted((side, by) for side, by in change.items() if by))] += 1
    return {outcome: (ways, len(question.options)) for outcome, ways in found.items()}


def put(s: State, step: Step[State]) -> State:
    """The table at the question of a step."""
    after = begin(s, (step,)).table
    assert asked(after)
    return after


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", [Coup, Realign])
def test_coups_and_realignments(kind: type[Coup] | type[Realign], seed: int) -> None:
    """6.3.2, 6.2.2: the chances shown equal those of all 6, or 36, throws."""
    rng = Random(seed)
    seat = rng.choice(SIDES)
    s = put(random_board(rng), kind(seat, Ops("nato", rng.randint(1, 4))))
    question = prompt(s, seat)
    assert question is not None
    targets = [country for country in question.options if country in MAP]
    for country in rng.sample(targets, min(8, len(targets))):
        assert shown(s, seat, country) == enumerated(s, seat, country, country)


@pytest.mark.parametrize("box", range(8))
def test_the_space_race(box: int) -> None:
    """6.4: success and its points, for each box and for who comes second."""
    s = table(space={US: box, USSR: 8 if box % 2 else 0}, options={"space_without_roll": True})
    s = put(s, TrySpace(US, Ops("nato", 4)))
    rolling = decide(s, Answer(US, ("roll",))).table
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for face in "123456":
        after = decide(rolling, Answer(CHANCE, (face,))).table
        reached = {"box": after.space[US], "vp": after.vp} if after.space[US] > box else {}
        found[tuple(sorted(reached.items()))] += 1
    assert shown(s, US, "roll") == {outcome: (ways, 6) for outcome, ways in found.items()}


@pytest.mark.parametrize(("card", "country"), [("korean_war", "south_korea"), ("arab_israeli_war", "israel")])
@pytest.mark.parametrize("seed", range(6))
def test_wars(card: str, country: str, seed: int) -> None:
    """7.6: a war is won as often as the prompt says."""
    s = random_board(Random(seed))
    s = put(_with_hand(s, card), PlayCard(USSR))
    question = f"event:{card}"
    rolling = decide(s, Answer(USSR, (question,))).table
    won = 0
    for face in "123456":
        won += decide(rolling, Answer(CHANCE, (face,))).table.vp < 0
    expected = {(("vp", 2), ("won", 1)): (won, 6), (("won", 0),): (6 - won, 6)}
    assert shown(s, USSR, question) == {outcome: ways for outcome, ways in expected.items() if ways[0]}


def _with_hand(s: State, card: str) -> State:
    return replace(s, hands={USSR: (card,), US: ()}, phasing=USSR)


def test_a_trap() -> None:
    """Quagmire: 4 of 6 rolls escape."""
    s = put(table(us_hand=("nato",), beside=("quagmire",)), PlayCard(US))
    assert shown(s, US, "discard:nato") == {(("escaped", 0),): (2, 6), (("escaped", 1),): (4, 6)}
    escaped = [
        OTHER[US]
        for face in "123456"
        if not decide(decide(s, Answer(US, ("discard:nato",))).table, Answer(CHANCE, (face,))).table.beside
    ]
    assert len(escaped) == 4


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"defcon": 2}, "nuclear_war"),
        ({"effects": (("cuban_missile_crisis", US),)}, "cuban_missile_crisis"),
    ],
)
def test_a_coup_that_ends_the_game_says_so(fields: dict[str, Any], outcome: str) -> None:
    """8.1.3 and the card Cuban Missile Crisis: no die falls any more."""
    s = put(table(ussr={"panama": 2}, **fields), Coup(US, Ops("nato", 4)))
    assert shown(s, US, "panama") == {((outcome, 1),): (1, 1)}
    after = decide(s, Answer(US, ("panama",))).table
    assert after.result is not None
    assert after.result.reason == outcome
