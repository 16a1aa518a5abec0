"""Tables to begin a test with, made of facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import OBJECTIVES
from domain.cia_vs_kgb.facts.decks import GroupRecruited, ObjectiveTurnedUp
from domain.cia_vs_kgb.facts.outcome import ObjectiveClaimed
from domain.cia_vs_kgb.facts.preparation import AgentSent, BalanceGiven, TurnBegan
from domain.cia_vs_kgb.facts.struggle import GroupActivated
from domain.cia_vs_kgb.state import State
from domain.kernel import Answer, Decision, Fact, decide, fold

Groups = Sequence[str]


def fresh(**options: Any) -> State:
    """The empty table under these options."""
    edition, settled = GAME.settle(None, options)
    table = GAME.table(edition, settled)
    assert isinstance(table, State)
    return table


def won(seat: str, *objectives: str) -> list[Fact[State]]:
    """A side has won these objectives."""
    facts: list[Fact[State]] = []
    for objective in objectives:
        facts.append(ObjectiveTurnedUp(objective))
        facts.append(ObjectiveClaimed(seat, objective, "token", OBJECTIVES[objective].points, 0))
    return facts


def contest(
    objective: str = "cuba",
    cia: Groups = (),
    kgb: Groups = (),
    *,
    mobilized: Groups = (),
    agents: dict[str, str] | None = None,
    has: dict[str, Groups] | None = None,
    balance: str = "cia",
    **options: Any,
) -> State:
    """Turn 1, the struggle for `objective`: groups in front of both, Agents X face down, objectives won."""
    facts: list[Fact[State]] = [TurnBegan(1), BalanceGiven(balance, "guess")]
    for seat, cards in (has or {}).items():
        facts += won(seat, *cards)
    facts.append(ObjectiveTurnedUp(objective))
    facts += [AgentSent(seat, agent) for seat, agent in (agents or {}).items()]
    facts += [GroupRecruited("cia", group) for group in cia]
    facts += [GroupRecruited("kgb", group) for group in kgb]
    facts += [GroupActivated("cia" if group in cia else "kgb", group) for group in mobilized]
    return fold(fresh(**options), facts)


def play(table: State, *answers: tuple[str, ...]) -> list[Decision[State]]:
    """What follows from each answer: (seat, pick, pick, ...)."""
    decisions = []
    for seat, *picks in answers:
        decisions.append(decide(table, Answer(seat, tuple(picks))))
        table = decisions[-1].table
    return decisions
