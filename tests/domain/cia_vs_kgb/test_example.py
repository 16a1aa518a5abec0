"""The publisher's worked turn: Cuba, move by move, under both readings of a tie."""

from __future__ import annotations

import pytest

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.facts.decks import GroupRecruited, GroupsSeen
from domain.cia_vs_kgb.facts.outcome import (
    AgentTerminated,
    AgentWentOnLeave,
    IconCompared,
    InfluenceCounted,
    ObjectiveClaimed,
    TokenPlaced,
    TokenReturned,
    TurnEnded,
)
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, BalanceGiven
from domain.cia_vs_kgb.facts.struggle import GroupActivated, GroupTransferred, GroupTurned
from domain.cia_vs_kgb.rules import influence
from domain.cia_vs_kgb.state import State
from domain.kernel import asked
from tests.domain.cia_vs_kgb.tables import fresh
from tests.scenario import Scenario, given


def cuba(tie_break: str) -> Scenario[State]:
    """Up to the KGB's last pass, which ends the struggle."""
    s = fresh(tie_break=tie_break)
    turn = given(s, do=GAME.first(s)).when("chance", "cuba")
    turn.when("cia", "left").when("kgb", "right").includes(BalanceGiven("cia", "guess"))
    turn.when("cia", "assassin").when("kgb", "master_spy").when("cia", "cia")
    turn.when("cia", "recruit").when("chance", "opposition").then(GroupRecruited("cia", "opposition"))
    turn.when("kgb", "recruit").when("chance", "industry").then(GroupRecruited("kgb", "industry"))
    turn.when("cia", "activate:opposition").then(GroupActivated("cia", "opposition"))
    turn.when("cia", "steal:industry").then(GroupTransferred("cia", "kgb", "cia", "industry", "steal")).has(
        mobilized=("opposition",)
    )
    assert (influence(turn.table, "cia"), influence(turn.table, "kgb")) == (9, 0)
    turn.asks("kgb", "recruit").when("kgb", "recruit").when("chance", "newspapers")
    turn.when("cia", "activate:industry").when("cia", "newspapers")
    turn.then(GroupTurned("cia", "kgb", "newspapers", "mobilized"))
    turn.asks("kgb", "recruit", "pass").when("kgb", "recruit").when("chance", "mafia").when("cia", "pass")
    turn.when("kgb", "activate:mafia").when("kgb", "newspapers")
    turn.then(GroupTurned("kgb", "kgb", "newspapers", "ready")).when("cia", "pass")
    turn.when("kgb", "activate:newspapers").when("chance", "food_companies")
    turn.then(GroupsSeen("kgb", ("food_companies",), "media")).when("kgb", "recruit")
    assert (influence(turn.table, "cia"), influence(turn.table, "kgb")) == (9, 9)
    return turn.when("cia", "pass").when("kgb", "pass")


def test_cuba_by_the_highest_group_as_the_publisher_prints_it() -> None:
    turn = cuba("highest_group").includes(
        InfluenceCounted(9, 9, 9),
        IconCompared("economic", "highest", 4, 3),
        TokenPlaced("cia", "icon"),
        AgentRevealed("cia", "assassin", "debriefing"),
        AgentRevealed("kgb", "master_spy", "debriefing"),
        ObjectiveClaimed("kgb", "cuba", "master_spy", 10, 10),
        AgentTerminated("kgb", "master_spy", "assassin"),
        TokenReturned("cia"),
        AgentWentOnLeave("cia", "assassin", "detente"),
        TurnEnded(1, 0, 10),
    )
    turn.has(fallen={"cia": (), "kgb": ("master_spy",)}, leave={"cia": ("assassin",), "kgb": ()})
    assert asked(turn.table) == ("chance",)


def test_cuba_by_the_sum_of_the_faction_as_our_rulebook_reads() -> None:
    turn = cuba("faction_sum").includes(
        InfluenceCounted(9, 9, 9),
        IconCompared("economic", "sum", 4, 5),
        TokenPlaced("kgb", "icon"),
        ObjectiveClaimed("cia", "cuba", "master_spy", 10, 10),
        TokenReturned("kgb"),
        AgentWentOnLeave("cia", "assassin", "detente"),
        AgentWentOnLeave("kgb", "master_spy", "detente"),
        TurnEnded(1, 10, 0),
    )
    turn.has(fallen={"cia": (), "kgb": ()})


@pytest.mark.parametrize(("tie_break", "holder"), [("highest_group", "cia"), ("faction_sum", "kgb")])
def test_the_side_with_fewer_points_then_gets_the_balance_token(tie_break: str, holder: str) -> None:
    assert cuba(tie_break).when("chance", "iran").table.balance == holder
