"""The rules of thumb by which `hard` plays out 13 Minutes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec.structs import replace

from domain.agents import AGENTS
from domain.agents.observation import table_of
from domain.agents.search import random_picks
from domain.agents.spec import Rng
from domain.agents.thirteen_minutes.deep import policy
from domain.kernel import CHANCE, Answer, Picks, Prompt, Seat, asked, begin, decide, prompt
from domain.piles import Cards
from domain.thirteen_minutes.board import NEUTRAL, SPHERE, US, USSR, Territory
from domain.thirteen_minutes.commands import Command, CommandCubes
from domain.thirteen_minutes.state import State
from domain.thirteen_minutes.turns import PlayCard
from tests.domain.agents.test_determinization import asked_of

SPEC = AGENTS["thirteen_minutes"]
MATCHES = 24

Policy = Callable[[Any, Seat, Prompt, Rng], Picks]


def test_each_kind_of_question_gets_a_legal_answer_that_repeats() -> None:
    kinds = set[str]()
    for seed in range(8):
        for number, question in enumerate(asked_of(SPEC, seed)):
            asked, view = question.observation.prompt, table_of(SPEC.game, question.observation)
            tables: tuple[Any, ...] = (view, SPEC.determinize(view, Random(number)))
            for table in tables:
                picks = policy(table, question.seat, asked, Random(number))
                decide(question.world, Answer(question.seat, picks), asked)
                assert picks == policy(table, question.seat, asked, Random(number))
            kinds.add(asked.ask)
    assert kinds >= {"Bid", "Command", "CommandCubes", "Place", "PlayCard", "Remove", "Shift", "TransferTo"}


def picks_of(table: State, step: Any) -> set[Picks]:
    """What the US answers to a step, with several random numbers."""
    table = replace(table, agenda=(step,))
    question = prompt(table, "us")
    assert question is not None
    return {policy(table, "us", question, Random(seed)) for seed in range(20)}


def a_table(**lies: Territory) -> State:
    """A table late in a battle, at which these territories lie; `us_1` stands for the card us-1."""
    territories = {name.replace("_", "-"): territory for name, territory in lies.items()}
    seats, supply = {US: "us", USSR: "ussr"}, {US: 6, USSR: 6}
    hands: dict[str, Cards] = {US: ("us-2", "us-3"), USSR: ("ussr-3", "ussr-4")}
    return State(
        battle=1,
        seats=seats,
        supply=supply,
        hands=hands,
        cuba="un-3",
        plays=6,
        first=US,
        territories=territories,
    )


def test_a_third_symbol_of_a_colour_does_not_come_into_the_own_sphere() -> None:
    """Two military cards lie there: us-2 is a third one, us-3 is political."""
    table = a_table(us_1=Territory(SPHERE[US]), ussr_1=Territory(SPHERE[US]))
    assert ("us_sphere:us-2",) not in picks_of(table, PlayCard(US))
    assert ("us_sphere:us-3",) in picks_of(table, PlayCard(US))


def test_a_command_slides_no_third_symbol_toward_the_own_sphere() -> None:
    """To place cubes on un-2 would start a war; on the political ussr-3 they win a territory."""
    table = a_table(
        us_1=Territory(SPHERE[US], us=1), ussr_1=Territory(SPHERE[US], us=1),
        un_2=Territory(NEUTRAL, ussr=1), ussr_3=Territory(NEUTRAL, ussr=1),
    )  # fmt: skip
    assert picks_of(table, Command(US, "us-3", None)) == {("ussr-3",)}


def test_a_command_takes_control_where_it_can() -> None:
    table = a_table(ussr_3=Territory(NEUTRAL, ussr=1), un_1=Territory(NEUTRAL, ussr=9))
    assert picks_of(table, Command(US, "us-1", None)) == {("ussr-3",)}
    cubes = picks_of(table, CommandCubes(US, "us-1", None, "ussr-3"))
    assert cubes <= {("place:2",), ("place:3",)}


def test_the_rules_of_thumb_win_most_matches_against_random_answers() -> None:
    points, wars = 0.0, 0
    for number in range(MATCHES):
        own: Seat = ("us", "ussr")[number % 2]
        result = played(own, Random(number)).result
        assert result is not None
        points += 0.5 if result.winner is None else float(result.winner == own)
        wars += result.reason == "nuclear_war" and result.winner != own
    assert points > 0.9 * MATCHES
    assert wars <= 1


def played(own: Seat, luck: Random) -> State:
    """The table at the end of a match of one seat's rules of thumb against random answers."""
    empty = SPEC.game.table(*SPEC.game.settle(None, {}))
    table: State = begin(empty, SPEC.game.first(empty)).table
    while table.result is None:
        seat = asked(table)[0]
        question = prompt(table, seat)
        assert question is not None
        thumb = seat == own and seat != CHANCE
        picks = policy(table, seat, question, luck) if thumb else random_picks(question, luck)
        table = decide(table, Answer(seat, picks), question).table
    return table
