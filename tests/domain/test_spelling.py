"""Each step that has options says what they look like, and random matches offer nothing else."""

from __future__ import annotations

from random import Random

import pytest

from domain.game import Game, OptionValue
from domain.games import GAMES
from domain.kernel import Answer, Decision, Refused, Table, asked, begin, decide, prompt
from tests.domain.spelling import asking, example, pattern

MATCHES = {"thirteen_minutes": 60, "cia_vs_kgb": 20, "twilight_struggle": 8, "imperial_struggle": 6}


def started(game: Game, luck: Random) -> Table:
    """The first question of a match with an edition and options at random."""
    while True:
        given: dict[str, OptionValue] = {
            option.name: luck.choice(option.choices)
            for option in game.options
            if option.choices and luck.random() < 0.5
        }
        try:
            table = game.table(*game.settle(luck.choice(game.editions), given))
        except Refused:  # not these together
            continue
        begun: Decision[Table] = begin(table, game.first(table))
        return begun.table


@pytest.mark.parametrize("game", GAMES)
def test_every_question_says_how_its_picks_are_spelt(game: str) -> None:
    kinds = asking(GAMES[game])
    assert kinds
    for kind in kinds:
        assert kind.spelling, kind.__name__
        for form in kind.spelling:
            assert pattern(GAMES[game], kind).fullmatch(example(GAMES[game], form)), form


@pytest.mark.parametrize("game", GAMES)
def test_options_are_spelt_as_their_question_says(game: str) -> None:
    for seed in range(MATCHES[game]):
        luck = Random(seed)
        table = started(GAMES[game], luck)
        while seats := asked(table):
            question = prompt(table, seats[0])
            assert question is not None
            fits = pattern(GAMES[game], type(table.agenda[-1])).fullmatch
            assert all(map(fits, question.options)), (question.ask, question.options)
            count = luck.randint(question.least, min(question.most, len(question.options)))
            picks = tuple(luck.sample(question.options, count))
            table = decide(table, Answer(question.seat, picks), question).table
