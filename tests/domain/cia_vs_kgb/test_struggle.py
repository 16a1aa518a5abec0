"""The Influence Struggle (book 004, 3): actions, limits, and the four faction powers."""

from __future__ import annotations

import pytest

from domain.cia_vs_kgb.components import GROUPS
from domain.cia_vs_kgb.facts.decks import GroupRecruited, GroupsSeen, TopDiscarded
from domain.cia_vs_kgb.facts.preparation import PhaseBegan
from domain.cia_vs_kgb.facts.struggle import (
    FirstChosen,
    GroupActivated,
    GroupDestroyed,
    GroupTransferred,
    GroupTurned,
    Passed,
    TopLeft,
)
from domain.cia_vs_kgb.rules import influence
from domain.cia_vs_kgb.steps.preparation import LookAtGroups
from domain.cia_vs_kgb.steps.struggle import Act, Recruit, Struggle, UseTop
from domain.kernel import HIDDEN, AnyFact, fold, prompt
from tests.domain.cia_vs_kgb.tables import Groups, contest
from tests.scenario import given


def activate(*groups: str) -> tuple[str, ...]:
    return tuple(f"activate:{group}" for group in groups)


def emptied(keep: Groups = ()) -> list[AnyFact]:
    """The whole group deck lies in the discard pile, except `keep`."""
    return [TopDiscarded("cia", group) for group in GROUPS if group not in keep]


# ── who acts ──


@pytest.mark.parametrize("first", ["cia", "kgb"])
def test_r_balance_the_holder_decides_who_acts_first(first: str) -> None:
    struggle = given(contest(balance="kgb"), do=Struggle()).then(PhaseBegan("influence_struggle"))
    struggle.asks("kgb", "cia", "kgb").refuses("cia", "cia").when("kgb", first)
    struggle.then(FirstChosen("kgb", first)).asks(first, "recruit")


def test_actions_alternate() -> None:
    act = given(contest(cia=["mafia"], kgb=["radio"]), do=Act("cia")).when("cia", "pass")
    act.asks("kgb").when("kgb", "recruit").when("chance", "police").asks("cia")


def test_r_pass_two_passes_in_a_row_end_the_struggle() -> None:
    act = given(contest(cia=["mafia"], kgb=["radio"]), do=Act("kgb")).when("kgb", "pass")
    act.then(Passed("kgb", 1)).when("cia", "pass").then(Passed("cia", 2)).asks_nobody()


def test_r_pass_a_pass_does_not_bind_and_any_action_breaks_the_row() -> None:
    act = given(contest(cia=["mafia"], kgb=["radio"]), do=Act("kgb")).when("kgb", "pass")
    act.when("cia", "recruit").when("chance", "police").when("kgb", "pass").then(Passed("kgb", 1))
    act.asks("cia").when("cia", "activate:police").when("cia", "mafia").asks("kgb").when("kgb", "recruit")


def test_the_question_tells_the_numbers() -> None:
    act = given(contest("cuba", cia=["mafia", "police"], kgb=["radio"]), do=Act("kgb", 1))
    question = prompt(act.table, "kgb")
    assert question is not None
    assert question.why == {
        "objective": "cuba",
        "stability": 9,
        "population": 5,
        "mine": 5,
        "theirs": 6,
        "passes": 1,
    }


# ── recruiting ──


def test_recruiting_turns_up_the_top_group_ready() -> None:
    act = given(contest(), do=Act("cia")).when("cia", "recruit").asks("chance", *GROUPS)
    act.when("chance", "radio").then(GroupRecruited("cia", "radio"))
    act.has(recruited={"cia": ("radio",), "kgb": ()}, mobilized=())


def test_recruiting_is_an_open_draw() -> None:
    assert Recruit("kgb").face_up(contest())
    assert Recruit("kgb").label(contest()) == "group/t1/kgb"


def test_r_must_recruit_without_groups_neither_pass_nor_activation() -> None:
    given(contest(), do=Act("cia")).asks("cia", "recruit").refuses("cia", "pass")


def test_r_must_recruit_holds_again_when_the_last_group_is_lost() -> None:
    act = given(contest(cia=["police"], kgb=["radio"]), do=Act("cia"))
    act.when("cia", "activate:police").when("cia", "radio").asks("kgb", "recruit")


def test_r_must_recruit_can_be_replaced_by_an_event() -> None:
    s = contest(cia=["police"], has={"kgb": ["nuclear_escalation"]})
    given(s, do=Act("kgb")).asks("kgb", "recruit", "event:nuclear_escalation")


def test_recruiting_above_stability_is_allowed() -> None:
    act = given(contest("cuba", cia=["bankers", "radio"]), do=Act("cia")).when("cia", "recruit")
    act.when("chance", "generals")
    assert influence(act.table, "cia") == 17


@pytest.mark.parametrize(("groups", "allowed"), [(2, True), (3, False)])
def test_r_pop_recruiting_up_to_the_population_of_three(groups: int, allowed: bool) -> None:
    act = given(contest("greece", cia=["mafia", "workers", "students"][:groups]), do=Act("cia"))
    question = prompt(act.table, "cia")
    assert question is not None
    assert ("recruit" in question.options) is allowed


def test_r_empty_group_deck_no_recruiting_no_media_and_passing_without_groups() -> None:
    s = fold(contest(cia=["radio"]), emptied(keep=["radio"]))
    given(s, do=Act("cia")).asks("cia", "pass")
    given(s, do=Act("kgb")).asks("kgb", "pass")


def test_r_empty_group_deck_the_last_group_can_be_recruited() -> None:
    s = fold(contest(), emptied(keep=["radio"]))
    act = given(s, do=Act("cia")).when("cia", "recruit").when("chance", "radio")
    assert act.table.groups.size == 0
    act.asks("kgb", "pass")


# ── activating ──


def test_a_mobilized_group_cannot_be_activated_again() -> None:
    s = contest(cia=["radio", "police"], mobilized=["radio"])
    given(s, do=Act("cia")).asks("cia", "recruit", "activate:police", "pass")


def test_activating_mobilizes_the_group() -> None:
    act = given(contest(cia=["radio"]), do=Act("cia")).when("cia", "activate:radio")
    act.then(GroupActivated("cia", "radio")).has(mobilized=("radio",))


def test_only_own_groups_are_activated() -> None:
    given(contest(cia=["radio"], kgb=["television"]), do=Act("cia")).refuses("cia", "activate:television")


@pytest.mark.parametrize(
    ("cia", "kgb"),
    [(["police"], []), (["mafia"], ["workers"]), (["students"], [])],
    ids=["military", "economic", "political"],
)
def test_r_no_target_idle_activation_is_forbidden(cia: Groups, kgb: Groups) -> None:
    given(contest(cia=cia, kgb=kgb), do=Act("cia")).asks("cia", "recruit", "pass")


@pytest.mark.parametrize("group", ["police", "mafia", "students"])
def test_r_no_target_option_idle_activation_has_no_effect_and_is_an_action(group: str) -> None:
    act = given(contest(cia=[group], idle_activation="allowed"), do=Act("cia", 1))
    act.when("cia", *activate(group)).then(GroupActivated("cia", group)).asks("kgb", "recruit")


def test_r_no_target_option_idle_media_with_an_empty_deck() -> None:
    s = fold(contest(cia=["radio"], idle_activation="allowed"), emptied(keep=["radio"]))
    act = given(s, do=Act("cia")).when("cia", "activate:radio").then(GroupActivated("cia", "radio"))
    act.asks("kgb", "pass")


def test_idle_activation_allowed_still_uses_a_power_that_has_a_target() -> None:
    s = contest(cia=["police"], kgb=["radio"], idle_activation="allowed")
    given(s, do=Act("cia")).when("cia", "activate:police").asks("cia", "radio")


# ── military ──


def test_r_military_any_other_group_of_either_side_ready_or_mobilized() -> None:
    s = contest(cia=["police", "mafia"], kgb=["radio", "infantry"], mobilized=["radio"])
    act = given(s, do=Act("cia")).when("cia", "activate:police").asks("cia", "mafia", "radio", "infantry")
    act.refuses("cia", "police").when("cia", "radio").then(GroupDestroyed("cia", "kgb", "radio", "military"))
    act.has(recruited={"cia": ("police", "mafia"), "kgb": ("infantry",)}, discards=("radio",))
    act.has(mobilized=("police",))


def test_r_military_an_own_group_can_be_discarded() -> None:
    act = given(contest(cia=["police", "mafia"]), do=Act("cia")).when("cia", "activate:police")
    act.when("cia", "mafia").then(GroupDestroyed("cia", "cia", "mafia", "military"))


def test_r_military_the_latest_discard_lies_on_top() -> None:
    s = fold(contest(cia=["police"], kgb=["radio"]), [TopDiscarded("kgb", "mafia")])
    act = given(s, do=Act("cia")).when("cia", "activate:police").when("cia", "radio")
    assert act.table.discards == ("mafia", "radio")


# ── economic ──


def test_r_economic_mobilizes_without_the_power() -> None:
    s = contest(cia=["mafia"], kgb=["radio", "bankers"])
    act = given(s, do=Act("cia")).when("cia", "activate:mafia").asks("cia", "radio")
    act.when("cia", "radio").then(GroupTurned("cia", "kgb", "radio", "mobilized"))
    act.has(mobilized=("mafia", "radio")).asks("kgb", "recruit", "activate:bankers", "pass")


def test_r_economic_readies_so_that_it_can_be_activated_again() -> None:
    s = contest(cia=["mafia", "radio"], mobilized=["radio"])
    act = given(s, do=Act("cia")).when("cia", "activate:mafia").when("cia", "radio")
    act.then(GroupTurned("cia", "cia", "radio", "ready")).has(mobilized=("mafia",))


def test_r_economic_never_an_economic_group() -> None:
    s = contest(cia=["mafia", "workers", "police"], kgb=["bankers"])
    given(s, do=Act("cia")).when("cia", "activate:mafia").asks("cia", "police")


# ── political ──


def test_r_political_steal_or_give() -> None:
    s = contest("egypt", cia=["students", "mafia"], kgb=["radio"])
    act = given(s, do=Act("cia")).when("cia", "activate:students").asks("cia", "steal:radio", "give:mafia")
    act.when("cia", "give:mafia").then(GroupTransferred("cia", "cia", "kgb", "mafia", "give"))
    act.has(recruited={"cia": ("students",), "kgb": ("radio", "mafia")})


@pytest.mark.parametrize("mobilized", [[], ["radio"]])
def test_r_political_a_moved_group_stays_as_it_was(mobilized: Groups) -> None:
    s = contest("egypt", cia=["students"], kgb=["radio"], mobilized=mobilized)
    act = given(s, do=Act("cia")).when("cia", "activate:students").when("cia", "steal:radio")
    act.then(GroupTransferred("cia", "kgb", "cia", "radio", "steal"))
    assert set(act.table.mobilized) == {"students", *mobilized}


def test_r_political_self_a_group_does_not_give_itself() -> None:
    s = contest("egypt", cia=["students", "mafia"])
    given(s, do=Act("cia")).when("cia", "activate:students").asks("cia", "give:mafia")


def test_r_pop_neither_stealing_nor_giving_exceeds_the_population() -> None:
    full = contest("greece", cia=["students", "mafia", "workers"], kgb=["artists"])
    given(full, do=Act("cia")).when("cia", "activate:students").asks("cia", "give:mafia", "give:workers")
    full = contest("greece", cia=["students", "mafia"], kgb=["artists", "ngos", "workers"])
    act = given(full, do=Act("cia")).when("cia", "activate:students")
    act.asks("cia", "steal:artists", "steal:ngos", "steal:workers")


@pytest.mark.parametrize(("gift", "legal"), [("police", True), ("infantry", False)])
def test_r_political_a_gift_may_reach_the_opponents_stability_but_not_exceed_it(
    gift: str, legal: bool
) -> None:
    s = contest("cuba", cia=["students", gift], kgb=["radio"])  # stability 9, radio 5
    act = given(s, do=Act("cia")).when("cia", "activate:students")
    question = prompt(act.table, "cia")
    assert question is not None
    assert (f"give:{gift}" in question.options) is legal


def test_r_political_stealing_may_exceed_ones_own_stability() -> None:
    s = contest("cuba", cia=["government"], kgb=["bankers"])
    act = given(s, do=Act("cia")).when("cia", "activate:government").when("cia", "steal:bankers")
    assert influence(act.table, "cia") == 12


def test_r_political_steal_over_from_an_opponent_who_stays_above_stability() -> None:
    s = contest("cuba", cia=["students", "mafia"], kgb=["bankers", "radio", "workers"])
    act = given(s, do=Act("cia")).when("cia", "activate:students")
    act.asks(
        "cia", "steal:bankers", "steal:radio", "steal:workers"
    )  # and no gift: that side is above already


def test_r_political_steal_over_option_forbids_every_use() -> None:
    s = contest("cuba", cia=["students", "mafia"], kgb=["bankers", "radio"], political_ban="every_use")
    given(s, do=Act("cia")).refuses("cia", "activate:students")


def test_r_political_steal_over_option_leaves_an_opponent_exactly_at_stability_alone() -> None:
    s = contest("cuba", cia=["students"], kgb=["bankers", "mercenaries"], political_ban="every_use")
    act = given(s, do=Act("cia")).when("cia", "activate:students")
    act.asks("cia", "steal:bankers", "steal:mercenaries")


# ── media ──


def test_r_media_only_the_user_sees_the_top_group() -> None:
    act = given(contest(cia=["radio"]), do=Act("cia")).when("cia", "activate:radio").asks("chance")
    step = act.table.agenda[-1]
    assert isinstance(step, LookAtGroups)
    assert not step.face_up(act.table)
    assert step.label(act.table) == "media/t1/cia"
    act.when("chance", "mafia").then(GroupsSeen("cia", ("mafia",), "media"))
    assert act.facts[0].seen_by("kgb") == GroupsSeen("cia", (HIDDEN,), "media")
    question = prompt(act.asks("cia", "recruit", "discard", "leave").table, "cia")
    assert question is not None
    assert question.why == {"group": "radio", "top": "mafia"}


def test_r_media_recruit() -> None:
    seen = GroupsSeen("cia", ("mafia",), "media")
    use = given(contest(cia=["radio"]), seen, do=UseTop("cia", "radio")).when("cia", "recruit")
    use.then(GroupRecruited("cia", "mafia")).has(recruited={"cia": ("radio", "mafia"), "kgb": ()})
    assert use.table.groups.top == ()


def test_r_media_discard() -> None:
    seen = GroupsSeen("cia", ("mafia",), "media")
    use = given(contest(cia=["radio"]), seen, do=UseTop("cia", "radio")).when("cia", "discard")
    use.then(TopDiscarded("cia", "mafia")).has(discards=("mafia",))


def test_r_media_leave_and_the_next_recruit_turns_it_up_without_a_draw() -> None:
    seen = GroupsSeen("cia", ("mafia",), "media")
    use = given(contest(cia=["radio"]), seen, do=(UseTop("cia", "radio"), Act("kgb"))).when("cia", "leave")
    use.then(TopLeft("cia")).when("kgb", "recruit").then(GroupRecruited("kgb", "mafia"))


def test_r_media_the_other_side_may_look_at_what_was_left() -> None:
    seen = GroupsSeen("cia", ("mafia",), "media")
    act = given(contest(cia=["radio"], kgb=["television"]), seen, do=Act("kgb"))
    act.when("kgb", "activate:television").includes(GroupsSeen("kgb", ("mafia",), "media"))
    act.asks("kgb", "recruit", "discard", "leave")


def test_r_pop_media_does_not_recruit_beyond_the_population() -> None:
    s = contest("greece", cia=["radio", "mafia", "workers"])
    act = given(s, do=Act("cia")).when("cia", "activate:radio").when("chance", "police")
    act.asks("cia", "discard", "leave")
