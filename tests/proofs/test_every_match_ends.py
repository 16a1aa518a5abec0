"""Every match of every game ends, however stubborn its players are.

A stubborn player always answers in the same way: with the first options or the last, as few or as many as may
be.  Both do the same, or one does what the other does not.  Each match must end within a number of answers
that follows from the game: so many turns of so many answers at most.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

from domain.game import Game, OptionValue
from domain.games import GAMES
from domain.kernel import CHANCE, Answer, Picks, Prompt, Seat, asked, begin, decide, prompt

Way = Callable[[Prompt], Picks]

BATTLE = 300  # answers: ten cards with their events and Commands, and the bids
TURN = 200  # of CIA vs. KGB: each of 24 groups is recruited, used and readied once, with passes between
CARD = 40  # of Twilight Struggle: a card with its event and its Operations
ROUND = 60  # of Imperial Struggle: an action round; a war is no longer than eight of them


def few(question: Prompt) -> int:
    """As few picks as possible: a seat that may decline does."""
    return question.least


def one(question: Prompt) -> int:
    """One pick, if possible: no seat declines."""
    return max(question.least, min(1, question.most))


def many(question: Prompt) -> int:
    """As many picks as may be."""
    return min(question.most, len(question.options))


def first(count: Callable[[Prompt], int]) -> Way:
    """Always the first options."""
    return lambda question: question.options[: count(question)]


def last(count: Callable[[Prompt], int]) -> Way:
    """Always the last options."""
    return lambda question: question.options[len(question.options) - count(question) :]


WAYS = {
    "first few": first(few),
    "first one": first(one),
    "first many": first(many),
    "last few": last(few),
    "last one": last(one),
    "last many": last(many),
}
PAIRS = [
    *((way, way) for way in WAYS),
    ("first one", "last one"),
    ("last one", "first one"),
    ("first many", "last few"),
    ("last few", "first many"),
]
MATCHES: dict[str, tuple[tuple[str | None, dict[str, OptionValue]], ...]] = {
    "thirteen_minutes": (
        (None, {}),
        (None, {"campaign": True}),
        (None, {"campaign": True, "campaign_sides": "swapped", "equal_bids": 100}),
    ),
    "cia_vs_kgb": (
        (None, {}),
        (None, {"score_limit": 100_000, "idle_activation": "allowed"}),
        (None, {"tie_break": "highest_group", "disorder_claim": "at_debriefing", "turn_limit": 100}),
    ),
    "twilight_struggle": (
        ("deluxe", {}),
        ("second", {"bid": "victory_points"}),
        ("deluxe", {"scenario": "late_war", "realignment_mixed": True}),
        ("deluxe", {"chinese_civil_war": True, "bid": "influence", "tournament": True}),
    ),
    "imperial_struggle": (
        (None, {}),
        (None, {"bid": "br", "spanish_empire": True, "planned_layout": True, "planned_upgrades": True}),
    ),
}


def most_answers(game: Game, options: Mapping[str, Any]) -> int:
    """More answers than any match of the game can take."""
    if game.name == "thirteen_minutes":
        battles = options["campaign_battles"] if options["campaign"] else 1
        return int(battles * (BATTLE + 2 * options["equal_bids"]))
    if game.name == "cia_vs_kgb":
        return int(options["turn_limit"] * TURN)
    if game.name == "twilight_struggle":
        return 10 * (2 + 2 * 8) * CARD
    return (6 + 4) * 8 * ROUND


def answers_until_the_end(
    game: Game, ways: Mapping[Seat, Way], seed: int, edition: str | None, given: Mapping[str, OptionValue]
) -> int:
    """How many answers the players give; fails where the match does not end in time."""
    luck = Random(seed)
    settled, options = game.settle(edition, given)
    empty = game.table(settled, options)
    table = begin(empty, game.first(empty)).table
    answers, most = 0, most_answers(game, options)
    while seats := asked(table):
        question = prompt(table, seats[0])
        assert question is not None
        if question.seat == CHANCE:
            picks = tuple(luck.sample(question.options, question.least))
        else:
            picks = ways[question.seat](question)
            answers += 1
            assert answers <= most, f"{game.name} goes on: {question.ask} after {answers} answers"
        table = decide(table, Answer(question.seat, picks), question).table
    assert table.result is not None
    return answers


def _ends(name: str, pair: tuple[str, str], seed: int) -> None:
    game = GAMES[name]
    for edition, options in MATCHES[name]:
        ways = {seat: WAYS[way] for seat, way in zip(game.seats, pair, strict=True)}
        assert answers_until_the_end(game, ways, seed, edition, options)


def test_every_game_is_played_stubbornly() -> None:
    assert set(MATCHES) == set(GAMES)


@pytest.mark.parametrize("pair", PAIRS, ids=" against ".join)
@pytest.mark.parametrize("name", GAMES)
def test_a_match_between_stubborn_players_ends(name: str, pair: tuple[str, str]) -> None:
    _ends(name, pair, 3)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140) if os.environ.get("GLASNOST_FULL") else [100])
@pytest.mark.parametrize("name", GAMES)
def test_many_matches_between_stubborn_players_end(name: str, seed: int) -> None:
    for pair in PAIRS:
        _ends(name, pair, seed)
