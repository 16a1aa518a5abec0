"""Random matches of every game, with options drawn at random: a sample, or the whole number with --full.

Each match is checked in every way that `tests.domain.properties` knows, and played once more through
`domain.match`, whose log is then verified: log, chance, fold and rules.

A game whose editions or scenarios differ much names them as `LINES`; its matches go through them in turn.
Twilight Struggle has 2,000 matches for each line: every check over the first 500, and over the others that
they end, where every card lies after every fact, and that its numbers stay within their tracks.  A match of
Imperial Struggle is long, so the sample of it is smaller.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.game import Game, Option, OptionValue
from domain.games import GAMES
from domain.kernel import Refused
from replay.verify import verify_records
from tests.domain import properties
from tests.domain.cia_vs_kgb.test_properties import places as places_of_cia_vs_kgb
from tests.domain.imperial_struggle.places import places as places_of_imperial_struggle
from tests.domain.twilight_struggle.test_properties import check_numbers
from tests.domain.twilight_struggle.test_properties import places as places_of_twilight_struggle
from tests.matches import finished

Line = tuple[str, dict[str, OptionValue]]  # an edition, and the options that are not drawn

SAMPLE = {"thirteen_minutes": 12, "cia_vs_kgb": 4, "twilight_struggle": 6, "imperial_struggle": 2}
SAMPLE_BLOCK = {"thirteen_minutes": 12, "cia_vs_kgb": 4, "twilight_struggle": 3, "imperial_struggle": 1}
BLOCK = {"thirteen_minutes": 25, "cia_vs_kgb": 25, "twilight_struggle": 25, "imperial_struggle": 15}
FULL = {"thirteen_minutes": 1000, "cia_vs_kgb": 1000, "twilight_struggle": 1500, "imperial_struggle": 1000}
PLAYED, PLAYED_BLOCK = 6000, 250
PLACES: dict[str, Callable[[Any], list[str]]] = {
    "cia_vs_kgb": places_of_cia_vs_kgb,
    "imperial_struggle": places_of_imperial_struggle,
    "twilight_struggle": places_of_twilight_struggle,
}
LINES: dict[str, tuple[Line, ...]] = {
    "twilight_struggle": (
        ("deluxe", {"scenario": "standard"}),
        ("second", {}),
        ("deluxe", {"scenario": "late_war"}),
    )
}


def drawn_value(option: Option, luck: Random) -> OptionValue:
    """A legal value; the range of a number is kept near its beginning, so that matches stay short."""
    if option.least is not None and option.most is not None and luck.random() < 0.5:
        return luck.randint(option.least, min(option.most, 40))
    return luck.choice([*option.choices, option.default])


def drawn_options(game: Game, edition: str, luck: Random) -> dict[str, OptionValue]:
    """The defaults in every other match, else any reading of everything that the edition has."""
    if luck.random() < 0.5:
        return {}
    drawn = {option.name: drawn_value(option, luck) for option in game.options}
    return {name: value for name, value in drawn.items() if is_possible(game, edition, name, value)}


def is_possible(game: Game, edition: str, name: str, value: OptionValue) -> bool:
    """Whether the edition has this value of an option."""
    try:
        game.settle(edition, {name: value})
    except Refused:
        return False
    return True


def settled(game: Game, seed: int) -> tuple[Random, Line]:
    """The luck of a seed, and the edition and options of its match."""
    luck = Random(seed)
    lines = LINES.get(game.name, ((game.editions[0], {}),))
    edition, fixed = lines[seed % len(lines)]
    return luck, (edition, {**drawn_options(game, edition, luck), **fixed})


def check_block(game: Game, first: int, last: int) -> int:
    """Check the matches from seed `first` to the one before `last`; gives the number of their answers."""
    answers = 0
    for seed in range(first, last):
        luck, (edition, options) = settled(game, seed)
        played = properties.random_match(game, luck, edition, options)
        properties.check_all(game, played, PLACES.get(game.name))
        if game.name == "twilight_struggle":
            check_numbers(played)
        answers += len(played)
        match = finished(game, seed, edition=edition, options=options, bots=True).match
        report = verify_records(match.records)
        assert report.ok, (seed, edition, options, report)
    return answers


def blocks(first: int, last: int, size: int) -> list[tuple[int, int]]:
    """Blocks of seeds: where each begins and ends."""
    return [(start, min(start + size, last)) for start in range(first, last, size)]


def long_blocks(first: int, last: int, size: int) -> list[tuple[int, int]]:
    """The same; without --full one block is enough to collect."""
    return blocks(first, last, size) if os.environ.get("GLASNOST_FULL") else [(first, first + size)]


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [(name, *block) for name in sorted(GAMES) for block in blocks(0, SAMPLE[name], SAMPLE_BLOCK[name])],
)
def test_a_sample_of_random_matches(name: str, first: int, last: int) -> None:
    assert check_block(GAMES[name], first, last) > last - first


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        (name, *block)
        for name in sorted(GAMES)
        for block in long_blocks(SAMPLE[name], FULL[name], BLOCK[name])
    ],
)
def test_all_random_matches(name: str, first: int, last: int) -> None:
    answers = check_block(GAMES[name], first, last)
    print(f"{name}: seeds {first} to {last - 1}, {answers} answers, every check passed")


@pytest.mark.long
@pytest.mark.parametrize(("first", "last"), long_blocks(FULL["twilight_struggle"], PLAYED, PLAYED_BLOCK))
def test_two_thousand_matches_of_each_line_of_twilight_struggle(first: int, last: int) -> None:
    """The rest of them: none is stuck, every card lies in one place, and the numbers hold."""
    game, answers = GAMES["twilight_struggle"], 0
    for seed in range(first, last):
        luck, (edition, options) = settled(game, seed)
        played = properties.random_match(game, luck, edition, options)
        properties.check_ended(game, played)
        properties.check_places(played, places_of_twilight_struggle)
        check_numbers(played)
        answers += len(played)
    print(f"{game.name}: seeds {first} to {last - 1}, {answers} answers; ends, places and numbers checked")
