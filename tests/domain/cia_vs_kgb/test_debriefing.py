"""Debriefing (book 004, 5): the six agents by their initiative, and who claims in the end."""

from __future__ import annotations

from typing import Any

import pytest

from domain.cia_vs_kgb.components import AGENTS, OBJECTIVES
from domain.cia_vs_kgb.facts.decks import BottomClaimed, ObjectiveBuried, ObjectivesSeen, ObjectiveTurnedUp
from domain.cia_vs_kgb.facts.outcome import (
    AgentTerminated,
    AgentWentHome,
    AgentWentOnLeave,
    ObjectiveClaimed,
    PromiseMade,
    TokenPlaced,
    TokenReturned,
)
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, LeaveEnded, PhaseBegan
from domain.cia_vs_kgb.steps.detente import Detente
from domain.cia_vs_kgb.steps.outcome import ClaimBottom, Debrief, InstructDoubleAgent
from domain.cia_vs_kgb.steps.preparation import Plan
from domain.kernel import AnyFact, fold
from tests.domain.cia_vs_kgb.tables import contest
from tests.scenario import Scenario, given


def debrief(
    cia: str, kgb: str, token: str, *facts: AnyFact, then: bool = False, **options: Any
) -> Scenario[Any]:
    """Debriefing over Cuba (10 points) with `token` on it."""
    s = contest("cuba", ["mafia"], ["radio"], agents={"cia": cia, "kgb": kgb}, **options)
    steps = (Debrief(), Detente()) if then else (Debrief(),)
    return given(s, *facts, TokenPlaced(token, "influence"), do=steps)


def revealed(cia: str, kgb: str) -> list[AnyFact]:
    return [
        PhaseBegan("debriefing"),
        AgentRevealed("cia", cia, "debriefing"),
        AgentRevealed("kgb", kgb, "debriefing"),
    ]


def test_agents_are_revealed_and_the_tokens_owner_claims() -> None:
    debrief("deputy_director", "deputy_director", "kgb").then(
        *revealed("deputy_director", "deputy_director"),
        ObjectiveClaimed("kgb", "cuba", "token", 10, 10),
        TokenReturned("kgb"),
    ).has(won={"cia": (), "kgb": ("cuba",)}, token=None)


def test_agents_act_by_their_initiative() -> None:
    """Analyst (4) before Director (6), in either side's service."""
    debrief("director", "analyst", "cia").includes(PromiseMade("kgb", "analyst")).asks("chance")
    debrief("analyst", "double_agent", "cia").asks("kgb").when("kgb", "watch").includes(
        PromiseMade("kgb", "watch"), PromiseMade("cia", "analyst")
    )


# ── Master Spy ──


def test_master_spy_steals_the_objective_with_the_other_token_on_it() -> None:
    debrief("master_spy", "analyst", "kgb").includes(ObjectiveClaimed("cia", "cuba", "master_spy", 10, 10))


def test_master_spy_loses_the_objective_with_the_own_token_on_it() -> None:
    debrief("master_spy", "analyst", "cia").includes(ObjectiveClaimed("kgb", "cuba", "master_spy", 10, 10))


@pytest.mark.parametrize(("token", "winner"), [("cia", "kgb"), ("kgb", "cia")])
def test_two_master_spies_are_one_claim(token: str, winner: str) -> None:
    debrief("master_spy", "master_spy", token).then(
        *revealed("master_spy", "master_spy"),
        ObjectiveClaimed(winner, "cuba", "master_spy", 10, 10),
        TokenReturned(token),
    )


# ── Deputy Director ──


def test_deputy_director_does_nothing_and_goes_home_in_the_same_turn() -> None:
    after = debrief("deputy_director", "analyst", "kgb", then=True)
    after.includes(AgentWentHome("cia", "deputy_director", "detente"))
    assert "deputy_director" in after.table.headquarters["cia"]


# ── Double Agent ──


@pytest.mark.parametrize("token", ["cia", "kgb"])
def test_double_agent_works_under_either_token(token: str) -> None:
    debrief("double_agent", "director", token).asks("cia")


@pytest.mark.parametrize(
    ("options", "deputy"),
    [({}, ("leave:deputy_director",)), ({"double_agent_target": "not_deputy_director"}, ())],
)
def test_r_da_target_any_agent_at_the_other_headquarters(
    options: dict[str, Any], deputy: tuple[str, ...]
) -> None:
    """Book 004, 5.3: "any agent of the opponent"; the other reading leaves the Deputy Director out."""
    choice = debrief("double_agent", "director", "cia", **options).asks(
        "cia", "watch", "leave:master_spy", "leave:double_agent", "leave:analyst", "leave:assassin", *deputy
    )
    choice.when("cia", "leave:assassin").includes(AgentWentOnLeave("kgb", "assassin", "double_agent"))
    choice.has(leave={"cia": (), "kgb": ("assassin",)})
    assert "assassin" not in choice.table.headquarters["kgb"]


def test_r_da_target_the_deputy_director_misses_the_next_planning_alone() -> None:
    """Book 004, 5.3: the agent leaves headquarters and cannot be sent in the next turn."""
    choice = debrief("double_agent", "director", "cia").when("cia", "leave:deputy_director")
    gone = choice.includes(AgentWentOnLeave("kgb", "deputy_director", "double_agent")).table
    plan = given(gone, do=(Plan(), Plan())).refuses("kgb", "deputy_director").when("cia", "analyst")
    plan.when("kgb", "analyst").includes(LeaveEnded("kgb", ("deputy_director",)))
    assert "deputy_director" in plan.table.headquarters["kgb"]


def test_double_agent_may_watch_the_next_choice() -> None:
    choice = debrief("double_agent", "director", "cia").when("cia", "watch")
    choice.includes(PromiseMade("cia", "watch")).has(promises={"watch": "cia"})


def test_r_da_target_without_an_agent_to_send_away_the_double_agent_can_still_watch() -> None:
    dead: list[AnyFact] = []
    for agent in AGENTS:
        if agent not in ("deputy_director", "director"):
            dead += [AgentRevealed("kgb", agent, "disorder"), AgentTerminated("kgb", agent, "disorder")]
    s = fold(contest(), dead)
    s = fold(s, [AgentRevealed("kgb", "director", "debriefing")])
    given(s, do=InstructDoubleAgent("cia")).asks("cia", "watch", "leave:deputy_director")
    away = AgentWentOnLeave("kgb", "deputy_director", "double_agent")
    given(s, away, do=InstructDoubleAgent("cia")).asks("cia", "watch")


@pytest.mark.parametrize(("token", "other"), [("cia", "kgb"), ("kgb", "cia")])
def test_of_two_double_agents_only_that_of_the_tokens_owner_works(token: str, other: str) -> None:
    choice = debrief("double_agent", "double_agent", token).asks(token).refuses(other, "watch")
    choice.when(token, "watch").then(
        PromiseMade(token, "watch"), ObjectiveClaimed(token, "cuba", "token", 10, 10), TokenReturned(token)
    )


def test_the_promise_of_a_double_agent_outlives_the_agent() -> None:
    choice = debrief("assassin", "double_agent", "cia").when("kgb", "watch")
    choice.includes(PromiseMade("kgb", "watch"), AgentTerminated("kgb", "double_agent", "assassin"))
    choice.has(promises={"watch": "kgb"})


# ── Analyst ──


@pytest.mark.parametrize("token", ["cia", "kgb"])
def test_r_analyst_works_under_either_token(token: str) -> None:
    debrief("analyst", "director", token).includes(PromiseMade("cia", "analyst"))


def test_r_analyst_killed_by_the_assassin_has_already_worked() -> None:
    debrief("analyst", "assassin", "kgb").includes(
        PromiseMade("cia", "analyst"), AgentTerminated("cia", "analyst", "assassin")
    ).has(promises={"analyst": "cia"})


@pytest.mark.parametrize(
    ("reading", "token", "works"),
    [
        ("token_owner", "cia", "cia"),
        ("token_owner", "kgb", "kgb"),
        ("other_side", "cia", "kgb"),
        ("other_side", "kgb", "cia"),
    ],
)
def test_of_two_analysts_one_works(reading: str, token: str, works: str) -> None:
    debrief("analyst", "analyst", token, double_analyst=reading).has(promises={"analyst": works})


# ── Assassin ──


def test_assassin_with_the_own_token_kills_agent_x_and_buries_the_objective() -> None:
    after = debrief("assassin", "director", "cia")
    after.then(
        *revealed("assassin", "director"),
        AgentTerminated("kgb", "director", "assassin"),
        ObjectiveBuried("cuba", "assassin"),
        TokenReturned("cia"),
    )
    after.has(won={"cia": (), "kgb": ()}, fallen={"cia": (), "kgb": ("director",)})
    assert after.table.objectives.bottom == ("cuba",)


def test_assassin_with_the_other_token_does_nothing() -> None:
    debrief("assassin", "analyst", "kgb").then(
        *revealed("assassin", "analyst"),
        PromiseMade("kgb", "analyst"),
        ObjectiveClaimed("kgb", "cuba", "token", 10, 10),
        TokenReturned("kgb"),
    )


def test_assassin_does_not_kill_the_deputy_director_but_buries_the_objective() -> None:
    debrief("assassin", "deputy_director", "cia", then=True).then(
        *revealed("assassin", "deputy_director"),
        ObjectiveBuried("cuba", "assassin"),
        TokenReturned("cia"),
        PhaseBegan("detente"),
        AgentWentOnLeave("cia", "assassin", "detente"),
        AgentWentHome("kgb", "deputy_director", "detente"),
    )


def test_of_two_assassins_only_that_of_the_tokens_owner_works() -> None:
    debrief("assassin", "assassin", "kgb").has(fallen={"cia": ("assassin",), "kgb": ()})


def test_r_ms_vs_assassin_the_master_spy_claims_first_and_is_killed_all_the_same() -> None:
    debrief("assassin", "master_spy", "cia").then(
        *revealed("assassin", "master_spy"),
        ObjectiveClaimed("kgb", "cuba", "master_spy", 10, 10),
        AgentTerminated("kgb", "master_spy", "assassin"),
        TokenReturned("cia"),
    )


def test_r_assassin_no_target_after_a_disorder_the_objective_stays_claimed() -> None:
    dead = (AgentRevealed("kgb", "director", "disorder"), AgentTerminated("kgb", "director", "disorder"))
    claimed = ObjectiveClaimed("cia", "cuba", "disorder", 10, 10)
    debrief("assassin", "director", "cia", *dead, claimed).then(
        PhaseBegan("debriefing"), AgentRevealed("cia", "assassin", "debriefing"), TokenReturned("cia")
    )


# ── Director ──


def test_director_with_the_own_token_also_claims_the_bottom_of_the_deck() -> None:
    after = debrief("director", "analyst", "cia").asks("chance", *(set(OBJECTIVES) - {"cuba"}))
    after.when("chance", "turkey").then(
        BottomClaimed("cia", "turkey", 15, 15),
        ObjectiveClaimed("cia", "cuba", "token", 10, 25),
        TokenReturned("cia"),
    )


def test_director_with_the_other_token_does_nothing() -> None:
    debrief("director", "deputy_director", "kgb").has(won={"cia": (), "kgb": ("cuba",)})


def test_director_takes_a_card_that_was_put_under_the_deck_before() -> None:
    s = contest("cuba", agents={"cia": "director", "kgb": "analyst"})
    buried = (ObjectiveBuried("cuba", "disorder"), ObjectiveTurnedUp("iran"))
    given(s, *buried, TokenPlaced("cia", "influence"), do=Debrief()).includes(
        BottomClaimed("cia", "cuba", 10, 10), ObjectiveClaimed("cia", "iran", "token", 15, 25)
    )


def test_the_directors_draw_is_open_unless_space_race_hides_what_lies_on_top() -> None:
    assert ClaimBottom("cia").face_up(contest())
    assert ClaimBottom("cia").label(contest()) == "director/t1/cia"
    seen = fold(contest(), [ObjectivesSeen("kgb", ("iran", "chile", "egypt"))])
    assert not ClaimBottom("cia").face_up(seen)


def test_director_takes_the_last_of_the_cards_that_space_race_ordered() -> None:
    rest = [card for card in OBJECTIVES if card not in ("cuba", "iran", "chile")]
    s = fold(contest("cuba", has={"kgb": rest}), [ObjectivesSeen("kgb", ("iran", "chile"))])
    given(s, do=ClaimBottom("cia")).then(BottomClaimed("cia", "chile", 10, 10))
    assert given(s, do=ClaimBottom("cia")).table.objectives.top == ("iran",)


def test_r_ms_vs_director_each_gets_a_card() -> None:
    after = debrief("director", "master_spy", "cia").includes(
        ObjectiveClaimed("kgb", "cuba", "master_spy", 10, 10)
    )
    after.when("chance", "egypt").then(BottomClaimed("cia", "egypt", 20, 20), TokenReturned("cia"))


def test_r_director_last_card_there_is_nothing_extra() -> None:
    rest = [card for card in OBJECTIVES if card != "cuba"]
    s = contest("cuba", agents={"cia": "director", "kgb": "analyst"}, has={"kgb": rest})
    after = given(s, TokenPlaced("cia", "influence"), do=Debrief()).asks_nobody()
    after.has(won={"cia": ("cuba",), "kgb": tuple(rest)})
