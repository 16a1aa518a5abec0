"""Cease-fire (book 004, 4): influence, ties, civil disorder."""

from __future__ import annotations

from typing import Any

import pytest

from domain.cia_vs_kgb.facts.decks import BottomClaimed, ObjectiveBuried, TopDiscarded
from domain.cia_vs_kgb.facts.outcome import (
    AgentTerminated,
    AgentWentHome,
    AgentWentOnLeave,
    DisorderBroke,
    IconCompared,
    InfluenceCounted,
    NobodyPrevailed,
    ObjectiveClaimed,
    PromiseMade,
    TokenPlaced,
    TokenReturned,
)
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, BalanceGiven, PhaseBegan
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.detente import Detente
from domain.cia_vs_kgb.steps.outcome import CeaseFire, Debrief
from domain.cia_vs_kgb.steps.preparation import SettleBalance
from domain.kernel import fold
from tests.domain.cia_vs_kgb.tables import Groups, contest
from tests.scenario import given

AGENTS = {"cia": "assassin", "kgb": "analyst"}


def cease_fire(cia: Groups, kgb: Groups, objective: str = "cuba", **more: Any) -> State:
    return contest(objective, cia, kgb, **{"agents": AGENTS, **more})


# ── influence ──


@pytest.mark.parametrize(
    ("cia", "kgb", "winner"), [(["mafia"], ["workers"], "cia"), (["mafia"], ["radio"], "kgb")]
)
def test_more_influence_places_the_token(cia: Groups, kgb: Groups, winner: str) -> None:
    fight = given(cease_fire(cia, kgb), do=CeaseFire())
    assert fight.facts[-1] == TokenPlaced(winner, "influence")
    fight.has(token=winner, prevailed=winner, objective="cuba")


def test_ready_and_mobilized_groups_both_count() -> None:
    s = cease_fire(["mafia", "police"], ["radio"], mobilized=["police"])
    given(s, do=CeaseFire()).then(
        PhaseBegan("cease_fire"), InfluenceCounted(6, 5, 9), TokenPlaced("cia", "influence")
    )


def test_r_equal_stability_is_no_disorder() -> None:
    s = cease_fire(["infantry", "police"], ["mafia"])
    given(s, do=CeaseFire()).includes(InfluenceCounted(9, 2, 9), TokenPlaced("cia", "influence"))


# ── ties ──


def test_r_tie_faction_sum_reads_the_icons_from_the_largest_down() -> None:
    """Cuba: economic, military, political, media."""
    s = cease_fire(["mafia", "militia", "workers"], ["food_companies", "ngos"])
    given(s, do=CeaseFire()).includes(
        InfluenceCounted(5, 5, 9),
        IconCompared("economic", "sum", 3, 3),
        IconCompared("military", "sum", 2, 0),
        TokenPlaced("cia", "icon"),
    )


def test_r_tie_highest_group_takes_the_best_card_of_the_faction() -> None:
    s = cease_fire(["mafia", "militia", "workers"], ["food_companies", "ngos"], tie_break="highest_group")
    given(s, do=CeaseFire()).includes(IconCompared("economic", "highest", 2, 3), TokenPlaced("kgb", "icon"))


def test_r_tie_highest_group_goes_to_the_next_icon_only_if_neither_has_a_group_of_it() -> None:
    s = cease_fire(["students", "artists"], ["trade_union"], tie_break="highest_group")
    given(s, do=CeaseFire()).includes(
        IconCompared("economic", "highest", 0, 0),
        IconCompared("military", "highest", 0, 0),
        IconCompared("political", "highest", 1, 2),
        TokenPlaced("kgb", "icon"),
    )


def complete_tie(**more: Any) -> State:
    return cease_fire(["mercenaries"], ["guerilla", "militia"], **more)


def test_r_tie_complete_the_objective_goes_under_the_deck_and_no_token_is_placed() -> None:
    fight = given(complete_tie(), TokenPlaced("kgb", "influence"), do=CeaseFire())
    fight.includes(
        IconCompared("military", "sum", 3, 3),
        IconCompared("media", "sum", 0, 0),
        NobodyPrevailed("complete_tie"),
        ObjectiveBuried("cuba", "complete_tie"),
    )
    fight.has(prevailed=None, objective=None)
    assert fight.table.objectives.bottom == ("cuba",)


def test_r_tie_complete_agents_still_come_home_and_act_where_no_token_matters() -> None:
    nobody = (NobodyPrevailed("complete_tie"), ObjectiveBuried("cuba", "complete_tie"))
    after = given(complete_tie(), *nobody, do=(Debrief(), Detente()))
    after.then(
        PhaseBegan("debriefing"),
        AgentRevealed("cia", "assassin", "debriefing"),
        AgentRevealed("kgb", "analyst", "debriefing"),
        PromiseMade("kgb", "analyst"),
        PhaseBegan("detente"),
        AgentWentOnLeave("cia", "assassin", "detente"),
        AgentWentOnLeave("kgb", "analyst", "detente"),
    )


@pytest.mark.parametrize("agents", [("master_spy", "director"), ("analyst", "analyst")])
def test_r_tie_complete_powers_that_look_at_the_token_do_nothing(agents: tuple[str, str]) -> None:
    s = complete_tie(agents={"cia": agents[0], "kgb": agents[1]})
    nobody = (NobodyPrevailed("complete_tie"), ObjectiveBuried("cuba", "complete_tie"))
    given(s, *nobody, do=Debrief()).has(promises={}, won={"cia": (), "kgb": ()}).asks_nobody()


@pytest.mark.parametrize(("holder", "winner"), [("cia", "kgb"), ("kgb", "cia")])
def test_r_tie_complete_option_the_side_without_the_balance_token(holder: str, winner: str) -> None:
    fight = given(complete_tie(balance=holder, complete_tie="non_balance_player"), do=CeaseFire())
    assert fight.facts[-1] == TokenPlaced(winner, "balance")
    fight.has(objective="cuba", prevailed=winner)


def test_r_tie_complete_cannot_happen_with_highest_groups() -> None:
    fight = given(complete_tie(tie_break="highest_group"), do=CeaseFire())
    assert fight.facts[-1] == TokenPlaced("cia", "icon")


def test_r_tie_complete_of_two_sides_without_groups() -> None:
    s = fold(cease_fire([], [], tie_break="highest_group"), [TopDiscarded("cia", "mafia")])
    given(s, do=CeaseFire()).includes(InfluenceCounted(0, 0, 9), NobodyPrevailed("complete_tie"))


# ── disorder of one side ──


def test_r_disorder_one_agent_x_dies_and_the_other_side_claims_at_once() -> None:
    fight = given(cease_fire(["bankers", "police"], ["workers"]), do=CeaseFire())
    fight.then(
        PhaseBegan("cease_fire"),
        InfluenceCounted(10, 1, 9),
        DisorderBroke("cia", 10, 9),
        AgentRevealed("cia", "assassin", "disorder"),
        AgentTerminated("cia", "assassin", "disorder"),
        TokenPlaced("kgb", "disorder"),
        ObjectiveClaimed("kgb", "cuba", "disorder", 10, 10),
    )
    fight.has(sent={"kgb": "analyst"}, fallen={"cia": ("assassin",), "kgb": ()}, objective=None)


def disorder_of_the_cia(survivor: str, **more: Any) -> State:
    return cease_fire(["bankers", "police"], ["workers"], agents={"cia": "analyst", "kgb": survivor}, **more)


def test_r_disorder_one_debriefing_still_runs_for_the_surviving_agent() -> None:
    fight = given(disorder_of_the_cia("director"), do=(CeaseFire(), Debrief())).asks("chance")
    fight.when("chance", "iran").then(BottomClaimed("kgb", "iran", 15, 25), TokenReturned("kgb"))


@pytest.mark.parametrize("survivor", ["master_spy", "assassin"])
def test_r_disorder_one_master_spy_and_assassin_find_the_objective_claimed(survivor: str) -> None:
    fight = given(disorder_of_the_cia(survivor), do=(CeaseFire(), Debrief()))
    assert fight.facts[-3:] == [
        PhaseBegan("debriefing"),
        AgentRevealed("kgb", survivor, "debriefing"),
        TokenReturned("kgb"),
    ]
    fight.has(won={"cia": (), "kgb": ("cuba",)})


def test_r_disorder_one_option_the_claim_waits_for_the_end_of_debriefing() -> None:
    s = disorder_of_the_cia("analyst", disorder_claim="at_debriefing")
    fight = given(s, do=(CeaseFire(), Debrief()))
    assert fight.facts[-6:] == [
        TokenPlaced("kgb", "disorder"),
        PhaseBegan("debriefing"),
        AgentRevealed("kgb", "analyst", "debriefing"),
        PromiseMade("kgb", "analyst"),
        ObjectiveClaimed("kgb", "cuba", "token", 10, 10),
        TokenReturned("kgb"),
    ]


def test_r_disorder_one_option_a_surviving_master_spy_gives_the_objective_away() -> None:
    s = disorder_of_the_cia("master_spy", disorder_claim="at_debriefing")
    given(s, do=(CeaseFire(), Debrief())).includes(ObjectiveClaimed("cia", "cuba", "master_spy", 10, 10))


def test_r_disorder_one_option_a_surviving_assassin_buries_the_objective() -> None:
    s = disorder_of_the_cia("assassin", disorder_claim="at_debriefing")
    given(s, do=(CeaseFire(), Debrief())).includes(ObjectiveBuried("cuba", "assassin"))


@pytest.mark.parametrize("survivor", ["deputy_director", "double_agent", "analyst", "director"])
def test_r_disorder_one_option_the_other_survivors_leave_the_claim_to_the_token(survivor: str) -> None:
    s = disorder_of_the_cia(survivor, disorder_claim="at_debriefing")
    fight = given(s, do=(CeaseFire(), Debrief()))
    if survivor == "double_agent":
        fight.when("kgb", "watch")
    if survivor == "director":
        fight.when("chance", "iran").includes(BottomClaimed("kgb", "iran", 15, 15))
    total = 25 if survivor == "director" else 10
    fight.includes(ObjectiveClaimed("kgb", "cuba", "token", 10, total), TokenReturned("kgb")).asks_nobody()


def test_r_disorder_one_the_deputy_director_goes_home_at_once() -> None:
    s = cease_fire(["bankers", "police"], ["workers"], agents={"cia": "deputy_director", "kgb": "analyst"})
    fight = given(s, do=CeaseFire()).includes(
        AgentRevealed("cia", "deputy_director", "disorder"),
        AgentWentHome("cia", "deputy_director", "disorder"),
    )
    assert "deputy_director" in fight.table.headquarters["cia"]
    fight.has(exposed={}, fallen={"cia": (), "kgb": ()})


def test_r_disorder_one_an_agent_already_seen_is_not_revealed_again() -> None:
    s = fold(disorder_of_the_cia("analyst"), [AgentRevealed("cia", "analyst", "summit_meeting")])
    fight = given(s, do=CeaseFire()).includes(AgentTerminated("cia", "analyst", "disorder"))
    assert not any(isinstance(fact, AgentRevealed) for fact in fight.facts)


def test_r_balance_the_unruly_side_lost_the_cease_fire() -> None:
    """The KGB reaches 15 points with Cuba, as many as the CIA has."""
    s = disorder_of_the_cia("analyst", has={"cia": ["iran"], "kgb": ["live_benefit"]}, balance="kgb")
    after = given(s, do=(CeaseFire(), Debrief(), SettleBalance()))
    assert after.facts[-1] == BalanceGiven("cia", "lost", 15, 15)


def test_r_balance_the_side_that_prevailed_in_a_complete_tie_has_not_lost() -> None:
    """Option complete_tie: the CIA, with the balance token, lost this Cease-fire and keeps it."""
    s = cease_fire(["infantry", "guerilla"], ["generals"], complete_tie="non_balance_player")
    s = fold(s, [BalanceGiven("cia", "lost")])
    after = given(s, do=(CeaseFire(), SettleBalance())).includes(TokenPlaced("kgb", "balance"))
    assert after.facts[-1] == BalanceGiven("cia", "lost", 0, 0)


# ── disorder of both ──


def both_unruly(**agents: str) -> State:
    return cease_fire(["bankers", "police"], ["generals", "industry"], agents={**AGENTS, **agents})


def test_r_disorder_both_agents_die_and_no_side_wins() -> None:
    before = (TokenPlaced("kgb", "influence"), TokenReturned("kgb"))  # of the turn before
    fight = given(both_unruly(), *before, do=(CeaseFire(), Debrief()))
    fight.then(
        PhaseBegan("cease_fire"),
        InfluenceCounted(10, 10, 9),
        DisorderBroke("cia", 10, 9),
        AgentRevealed("cia", "assassin", "disorder"),
        DisorderBroke("kgb", 10, 9),
        AgentRevealed("kgb", "analyst", "disorder"),
        AgentTerminated("cia", "assassin", "disorder"),
        AgentTerminated("kgb", "analyst", "disorder"),
        NobodyPrevailed("disorder"),
        ObjectiveBuried("cuba", "disorder"),
        PhaseBegan("debriefing"),
    )
    fight.has(prevailed=None, token=None).asks_nobody()


def test_r_disorder_both_the_deputy_director_survives() -> None:
    fight = given(both_unruly(kgb="deputy_director"), do=CeaseFire())
    fight.includes(
        AgentTerminated("cia", "assassin", "disorder"), AgentWentHome("kgb", "deputy_director", "disorder")
    )


def test_r_disorder_both_the_bottom_cards_are_public() -> None:
    buried = given(both_unruly(), do=CeaseFire()).table
    assert buried.objectives.bottom == ("cuba",)
    assert ObjectiveBuried("cuba", "disorder").seen_by(None) == ObjectiveBuried("cuba", "disorder")


@pytest.mark.parametrize("has", [{}, {"kgb": ["nobel_peace_prize"]}])
def test_r_no_agent_civil_disorder_of_a_side_without_agent_x_costs_no_agent(has: dict[str, Groups]) -> None:
    """Headquarters were empty: the objective is lost all the same, and no prize is asked for."""
    s = cease_fire(["mafia"], ["infantry", "police", "workers"], agents={"cia": "assassin"}, has=has)
    cease = given(s, do=CeaseFire()).asks_nobody().has(fallen={"cia": (), "kgb": ()})
    cease.then(
        PhaseBegan("cease_fire"),
        InfluenceCounted(2, 10, 9),
        DisorderBroke("kgb", 10, 9),
        TokenPlaced("cia", "disorder"),
        ObjectiveClaimed("cia", "cuba", "disorder", 10, 10),
    )
