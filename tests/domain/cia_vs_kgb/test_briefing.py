"""Set-up and Briefing (book 004, 1): the objective, the balance token, the group deck, the Analyst."""

from __future__ import annotations

import pytest

from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.components import AGENTS, GROUPS, OBJECTIVES
from domain.cia_vs_kgb.facts.decks import (
    GroupRecruited,
    GroupsArranged,
    GroupsReshuffled,
    GroupsSeen,
    ObjectiveBuried,
    ObjectivesArranged,
    ObjectivesSeen,
    ObjectiveTurnedUp,
)
from domain.cia_vs_kgb.facts.outcome import NobodyPrevailed, PromiseMade, TokenPlaced
from domain.cia_vs_kgb.facts.preparation import (
    BalanceGiven,
    HandClosed,
    HandsOpened,
    PhaseBegan,
    PromiseKept,
    TurnBegan,
)
from domain.cia_vs_kgb.facts.struggle import GroupDestroyed
from domain.cia_vs_kgb.rules import score
from domain.cia_vs_kgb.steps.preparation import (
    ArrangeGroups,
    Brief,
    DrawBalance,
    LookAtGroups,
    PrepareGroups,
    SettleBalance,
    TurnUpObjective,
)
from domain.cia_vs_kgb.steps.struggle import Recruit
from domain.cia_vs_kgb.steps.turn import Turn
from domain.kernel import HIDDEN, fold
from tests.domain.cia_vs_kgb.tables import contest, fresh, play, won
from tests.scenario import given


def test_set_up() -> None:
    s = fresh()
    assert s.objectives.cards == tuple(sorted(OBJECTIVES))
    assert s.groups.cards == tuple(sorted(GROUPS))
    assert s.headquarters == {"cia": tuple(AGENTS), "kgb": tuple(AGENTS)}
    assert score(s) == {"cia": 0, "kgb": 0}


def test_six_phases_in_order() -> None:
    turn = given(contest(), do=Turn())
    facts = list(turn.facts)
    for answer in (
        ("chance", "egypt"),
        ("cia", "master_spy"),
        ("kgb", "director"),
        ("cia", "cia"),
        ("cia", "recruit"),
        ("chance", "mafia"),
        ("kgb", "recruit"),
        ("chance", "workers"),
        ("cia", "pass"),
        ("kgb", "pass"),
    ):
        facts += turn.when(*answer).facts
    phases = [fact.phase for fact in facts if isinstance(fact, PhaseBegan)]
    assert phases == [
        "briefing",
        "planning",
        "influence_struggle",
        "cease_fire",
        "debriefing",
        "detente",
        "briefing",
    ]


# ── the objective ──


def test_r_face_the_objective_is_turned_up_and_stays_until_it_is_claimed_or_buried() -> None:
    turned = given(fresh(), TurnBegan(1), do=TurnUpObjective())
    turned.asks("chance", *OBJECTIVES).when("chance", "iran").then(ObjectiveTurnedUp("iran"))
    assert turned.table.objective == "iran"
    assert turned.table.objectives.size == 20
    assert fold(turned.table, [ObjectiveBuried("iran", "disorder")]).objectives.bottom == ("iran",)


def test_turning_up_the_objective_is_an_open_draw() -> None:
    s = fold(fresh(), [TurnBegan(7)])
    assert TurnUpObjective().face_up(s)
    assert TurnUpObjective().label(s) == "objective/t7"


def test_an_objective_of_fixed_position_is_turned_up_without_a_draw() -> None:
    top = ("cuba", "iran", "chile")
    seen = given(
        fresh(),
        ObjectivesSeen("cia", top),
        ObjectivesArranged("cia", ("chile", "iran", "cuba")),
        do=TurnUpObjective(),
    )
    seen.then(ObjectiveTurnedUp("chile")).asks_nobody()


def test_the_last_objective_was_put_under_the_deck_before_and_is_known() -> None:
    nations = [card for card in OBJECTIVES if card != "cuba"]
    facts = [ObjectiveTurnedUp("cuba"), ObjectiveBuried("cuba", "disorder"), *won("cia", *nations)]
    given(fresh(), *facts, do=TurnUpObjective()).then(ObjectiveTurnedUp("cuba"))


# ── the balance token ──


def test_r_balance_first_turn_the_cia_hides_and_the_kgb_guesses_right() -> None:
    hands = given(fresh(), TurnBegan(1), do=SettleBalance()).asks("cia", "left", "right")
    hands.when("kgb", "left").then(HandClosed("kgb", "left")).asks("cia", "left", "right")
    hands.refuses("kgb", "right").when("cia", "left")
    hands.then(HandClosed("cia", "left"), HandsOpened("left", "left"), BalanceGiven("kgb", "guess"))


def test_r_balance_first_turn_a_wrong_guess_leaves_the_token_with_the_cia() -> None:
    hands = given(fresh(), TurnBegan(1), do=SettleBalance()).when("cia", "left").when("kgb", "right")
    hands.includes(HandsOpened("left", "right"), BalanceGiven("cia", "guess")).has(fists={})


def test_hands_are_secret_until_both_are_chosen() -> None:
    assert HandClosed("cia", "left").seen_by("kgb") == HandClosed("cia", HIDDEN)
    assert HandClosed("cia", "left").seen_by(None) == HandClosed("cia", HIDDEN)
    assert HandClosed("cia", "left").seen_by("cia") == HandClosed("cia", "left")


def test_first_balance_by_an_open_draw() -> None:
    drawn = given(fresh(first_balance="draw"), TurnBegan(1), do=SettleBalance()).asks("chance", "cia", "kgb")
    assert DrawBalance().face_up(drawn.table)
    assert DrawBalance().label(drawn.table) == "balance"
    drawn.when("chance", "kgb").then(BalanceGiven("kgb", "draw"))


def test_r_balance_fewer_points() -> None:
    s = contest(has={"cia": ["cuba"], "kgb": ["egypt"]}, objective="iran", balance="kgb")
    given(s, do=SettleBalance()).then(BalanceGiven("cia", "fewer_points", 10, 20))


@pytest.mark.parametrize(("winner", "loser"), [("cia", "kgb"), ("kgb", "cia")])
def test_r_balance_at_level_scores_the_loser_of_the_latest_cease_fire(winner: str, loser: str) -> None:
    s = contest(balance="cia")
    given(s, TokenPlaced(winner, "influence"), do=SettleBalance()).then(BalanceGiven(loser, "lost", 0, 0))


@pytest.mark.parametrize("why", ["disorder", "complete_tie"])
def test_r_balance_unchanged_after_double_disorder_or_a_complete_tie(why: str) -> None:
    before = TokenPlaced("kgb", "influence")  # an earlier turn, no longer the latest Cease-fire
    unruly = given(contest(balance="kgb"), before, NobodyPrevailed(why), do=SettleBalance())
    unruly.then(BalanceGiven("kgb", "unchanged", 0, 0))


# ── the group deck ──


def test_used_groups_are_shuffled_back() -> None:
    s = contest(cia=["mafia", "police"], kgb=["radio"], mobilized=["mafia"])
    destroyed = GroupDestroyed("cia", "kgb", "radio", "military")
    shuffled = given(s, destroyed, TurnBegan(2), do=PrepareGroups()).then(GroupsReshuffled())
    assert shuffled.table.groups == fresh().groups
    shuffled.has(recruited={"cia": (), "kgb": ()}, discards=(), mobilized=())


def test_the_first_turn_needs_no_reshuffle() -> None:
    given(fresh(), TurnBegan(1), do=PrepareGroups()).then()


def test_known_positions_do_not_survive_the_reshuffle() -> None:
    s = fold(contest(), [GroupsSeen("cia", ("mafia",), "media"), TurnBegan(2), GroupsReshuffled()])
    assert s.groups == fresh().groups


def test_r_analyst_orders_the_top_three_groups_at_the_end_of_the_next_briefing() -> None:
    look = given(contest(), PromiseMade("kgb", "analyst"), TurnBegan(2), do=PrepareGroups())
    look.then(GroupsReshuffled(), PromiseKept("kgb", "analyst")).asks("chance", *GROUPS)
    look.when("chance", "mafia", "police", "radio").then(
        GroupsSeen("kgb", ("mafia", "police", "radio"), "analyst")
    )
    look.asks("kgb", "mafia", "police", "radio").refuses("kgb", "mafia", "police")
    look.when("kgb", "radio", "mafia", "police").then(GroupsArranged("kgb", ("radio", "mafia", "police")))
    look.has(promises={}).asks_nobody()
    assert look.table.groups.top == ("radio", "mafia", "police")


def test_r_analyst_works_after_the_reshuffle_and_before_planning() -> None:
    briefing = given(
        contest(), PromiseMade("kgb", "analyst"), TurnBegan(2), TokenPlaced("kgb", "influence"), do=Brief()
    )
    briefing.when("chance", "iran").includes(
        ObjectiveTurnedUp("iran"),
        BalanceGiven("cia", "lost"),
        GroupsReshuffled(),
        PromiseKept("kgb", "analyst"),
    )


def test_the_analysts_look_is_a_secret_draw_and_the_order_a_secret_answer() -> None:
    s = fold(contest(), [TurnBegan(4)])
    look = LookAtGroups("kgb", 3, "analyst")
    assert not look.face_up(s)
    assert look.label(s) == "analyst/t4/kgb"
    assert look.bounds(s, "chance") == (3, 3)
    assert ArrangeGroups.secret
    assert ArrangeGroups.ordered


def test_groups_that_the_analyst_ordered_are_recruited_in_that_order_without_a_draw() -> None:
    fixed = GroupsSeen("kgb", ("radio", "mafia", "police"), "analyst")
    given(contest(), fixed, do=(Recruit("cia"), Recruit("kgb"))).then(
        GroupRecruited("cia", "radio"), GroupRecruited("kgb", "mafia")
    )


def test_a_match_begins_with_the_first_objective() -> None:
    decisions = play(
        given(fresh(), do=GAME.first(fresh())).table,
        ("chance", "cuba"),
        ("cia", "left"),
        ("kgb", "left"),
    )
    assert decisions[-1].facts[-2:] == [BalanceGiven("kgb", "guess"), PhaseBegan("planning")]
