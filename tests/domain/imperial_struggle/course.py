"""Peace turns for tests: tables at the beginning or the end of a turn, and what leads through it."""

from __future__ import annotations

from typing import Any, TypeVar

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import AWARDS, ERAS, INVESTMENTS, OTHER, REGIONS
from domain.imperial_struggle.editions import first
from domain.imperial_struggle.editions import table as empty_table
from domain.imperial_struggle.facts.flow import TurnBegan
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.flow import Turn, events_of
from domain.imperial_struggle.steps.scoring import CheckVictory, EndTurn, FinalScoring, ScoreTurn
from domain.kernel import CHANCE, Answer, Fact, asked, begin, decide, prompt
from domain.piles import Pile
from tests.domain.imperial_struggle.table import table
from tests.scenario import Scenario, given

PLAIN = dict(zip(REGIONS, ("award_1a", "award_1b", "award_1t_a", "award_1t_b"), strict=True))
LATER = ("award_3", "award_2", "award_0t_a", "award_0t_b")
NO_ROUND: dict[str, Any] = {"round": None, "phase": "peace"}
F = TypeVar("F", bound=Fact[State])


def having(side: str, own: tuple[str, ...], other: tuple[str, ...] = ()) -> dict[str, Any]:
    """The flags of a table: of a side, and of the other."""
    return {side: own, OTHER[side]: other}


def opened(**options: Any) -> Scenario[State]:
    """A match of the house, from its first step."""
    start = empty_table(*GAME.settle(None, options))
    return given(start, do=first(start))


def before(turn: int, **fields: Any) -> State:
    """The table on which a turn is about to begin: everything of its era that is needed, and no flags."""
    second = ERAS.get(turn - 1) == ERAS[turn]
    era = ERAS[max(1, turn - 1)]
    waiting = {
        "stack": Pile.of(INVESTMENTS),
        "awards": Pile.of(LATER) if second else Pile(),
        "given": tuple(award for award in AWARDS if award not in LATER) if second else (),
        "deck": events_of(era),
    }
    return table(turn=max(1, turn - 1), **{**NO_ROUND, **waiting, **fields})


def begun(turn: int, **fields: Any) -> Scenario[State]:
    """A turn from its first phase."""
    return given(before(turn, **fields), do=Turn(turn))


def by_chance(game: Scenario[State]) -> list[Fact[State]]:
    """Chance gives the first of what it may, until a player is asked; all facts since the last answer."""
    facts = list(game.facts)
    while asked(game.table) == (CHANCE,):
        question = prompt(game.table, CHANCE)
        assert question is not None
        game.when(CHANCE, *question.options[: question.least])
        facts += game.facts
    return facts


def laid_out(turn: int, **fields: Any) -> tuple[Scenario[State], list[Fact[State]]]:
    """A turn up to the first question to a player, and everything that happened until then."""
    game = begun(turn, **fields)
    return game, by_chance(game)


def ended(turn: int = 1, **fields: Any) -> Scenario[State]:
    """What follows the last action round: phases 10 to 12."""
    return given(table(turn=turn, **{**NO_ROUND, "laid": PLAIN, **fields}), do=EndTurn())


def scored(turn: int = 1, **fields: Any) -> Scenario[State]:
    """The scoring phase of a turn."""
    return given(table(turn=turn, **{**NO_ROUND, "laid": PLAIN, **fields}), do=ScoreTurn())


def checked(turn: int = 1, **fields: Any) -> Scenario[State]:
    """The scoring phase and the victory check after it."""
    start = table(turn=turn, **{**NO_ROUND, "laid": PLAIN, **fields})
    return given(start, do=(ScoreTurn(), CheckVictory()))


def finished(**fields: Any) -> Scenario[State]:
    """Final scoring."""
    return given(table(turn=6, **{**NO_ROUND, **fields}), do=FinalScoring())


def only(game: Scenario[State], kind: type[F]) -> list[F]:
    """The facts of one kind, in order."""
    return [fact for fact in game.facts if isinstance(fact, kind)]


def turns(facts: list[Fact[State]]) -> list[list[Fact[State]]]:
    """The facts of a match, cut at the beginning of each turn."""
    cut: list[list[Fact[State]]] = []
    for fact in facts:
        if isinstance(fact, TurnBegan):
            cut.append([])
        if cut:
            cut[-1].append(fact)
    return cut


def passed(**options: Any) -> list[Fact[State]]:
    """The facts of a match in which everybody passes, and chance gives the first of what it may."""
    start = empty_table(*GAME.settle(None, options))
    decision = begin(start, first(start))
    facts = list(decision.facts)
    while seats := asked(decision.table):
        question = prompt(decision.table, seats[0])
        assert question is not None
        idle = [pick for pick in question.options if pick.startswith("pass:")]
        picks = tuple(idle[-1:]) or question.options[: question.least]
        decision = decide(decision.table, Answer(seats[0], picks))
        facts += decision.facts
    return facts
