"""Random matches of every game, with options drawn at random: a sample, or 1,000 each with --full.

Each match is checked in every way that `tests.domain.properties` knows, and played once more through
`domain.match`, whose log is then verified: log, chance, fold and rules.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.game import Game, Option, OptionValue
from domain.games import GAMES
from replay.verify import verify_records
from tests.domain import properties
from tests.domain.cia_vs_kgb.test_properties import places as places_of_cia_vs_kgb
from tests.matches import finished

SAMPLE, FULL, BLOCK = 50, 1000, 25
PLACES: dict[str, Callable[[Any], list[str]]] = {"cia_vs_kgb": places_of_cia_vs_kgb}


def drawn_value(option: Option, luck: Random) -> OptionValue:
    """A legal value; the range of a number is kept near its beginning, so that matches stay short."""
    if option.least is not None and option.most is not None and luck.random() < 0.5:
        return luck.randint(option.least, min(option.most, 40))
    return luck.choice([*option.choices, option.default])


def drawn_options(game: Game, luck: Random) -> dict[str, OptionValue]:
    """The defaults in every other match, else any reading of everything."""
    if luck.random() < 0.5:
        return {}
    return {option.name: drawn_value(option, luck) for option in game.options}


def check_block(game: Game, first: int) -> int:
    """Check a block of matches, from seed `first`; gives the number of their answers."""
    answers = 0
    for seed in range(first, first + BLOCK):
        luck = Random(seed)
        options = drawn_options(game, luck)
        played = properties.random_match(game, luck, options=options)
        properties.check_all(game, played, PLACES.get(game.name))
        answers += len(played)
        match = finished(game, seed, options=options, bots=True).match
        report = verify_records(match.records)
        assert report.ok, (seed, options, report)
    return answers


@pytest.mark.parametrize("first", range(0, SAMPLE, BLOCK))
@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_sample_of_random_matches(name: str, first: int) -> None:
    assert check_block(GAMES[name], first) > BLOCK


@pytest.mark.long
@pytest.mark.parametrize("first", range(SAMPLE, FULL, BLOCK) if os.environ.get("GLASNOST_FULL") else [SAMPLE])
@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_thousand_random_matches(name: str, first: int) -> None:
    answers = check_block(GAMES[name], first)
    print(f"{name}: seeds {first} to {first + BLOCK - 1}, {answers} answers, every check passed")
