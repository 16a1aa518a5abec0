"""Realignments: targets, modifiers, who loses what, and the optional rules about them (6.2)."""

from __future__ import annotations

import pytest

from domain.twilight_struggle.facts.board import InfluenceSet, RealignmentRolled
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.rules.operations import REALIGN, Ops, realignment_modifier, targets
from domain.twilight_struggle.steps.operations import Realign, RollRealignment
from domain.twilight_struggle.steps.play import PlayCard
from tests.domain.twilight_struggle.table import US, USSR, table
from tests.scenario import given

# --------------------------------------------------------------------------- targets and points


def test_6_2_1_own_influence_is_not_needed_but_enemy_influence_is() -> None:
    """Neither there nor nearby (book 003 states the second half, the aid card of book 000 too)."""
    s = table(us={"panama": 2, "iran": 1}, ussr={"zimbabwe": 1, "iran": 1})
    given(s, do=Realign(US, Ops("nato", 4))).asks(US, "zimbabwe", "iran")


def test_6_2_1_each_roll_is_seen_before_the_next_target_and_targets_repeat() -> None:
    """3 points: Angola twice, a tie and a success, then Zimbabwe."""
    s = table(ussr={"angola": 3, "zimbabwe": 1}, us_hand=("containment",))
    play = given(s, do=PlayCard(US)).when(US, "realign:containment").when(US, "angola")
    play.asks("chance").when("chance", "32").then(
        RealignmentRolled(US, "angola", {US: 3, USSR: 2}, {US: 0, USSR: 1})
    )
    play.when(US, "angola").when("chance", "61").includes(InfluenceSet(USSR, "angola", -3, 0))
    play.asks(US, "zimbabwe", "done").when(US, "zimbabwe").when("chance", "11")
    play.includes(CardPutAway("containment", "discards")).asks_nobody()


def test_6_2_1_a_target_that_holds_nothing_any_more_is_none() -> None:
    """The last point has no use, and the card is done."""
    s = table(ussr={"zimbabwe": 1}, us_hand=("fidel",))
    play = given(s, do=PlayCard(US)).when(US, "realign:fidel").when(US, "zimbabwe").when("chance", "61")
    play.includes(InfluenceSet(USSR, "zimbabwe", -1, 0), CardPutAway("fidel", "removed")).asks_nobody()


def test_realignments_may_stop_after_a_roll_not_before() -> None:
    s = table(ussr={"angola": 9})
    realign = given(s, do=Realign(US, Ops("nato", 4))).refuses(US, "done").when(US, "angola")
    realign.when("chance", "11").when(US, "done").asks_nobody()


@pytest.mark.parametrize(
    ("defcon", "open_"),
    [
        (5, {"italy", "iran", "thailand", "chile"}),
        (4, {"iran", "thailand", "chile"}),
        (3, {"iran", "chile"}),
        (2, {"chile"}),
    ],
)
def test_8_1_5_defcon_closes_regions(defcon: int, open_: set[str]) -> None:
    s = table(defcon=defcon, ussr={"italy": 1, "iran": 1, "thailand": 1, "chile": 1})
    assert set(targets(s, US, Ops("nato", 4), REALIGN)) == open_


def test_8_2_2_realignments_are_no_military_operations_and_leave_defcon_alone() -> None:
    realign = given(table(ussr={"chile": 1}), do=Realign(US, Ops("nasser", 1))).when(US, "chile")
    realign.when("chance", "66").has(military={US: 0, USSR: 0}, defcon=5)


def test_nato_and_the_pact_bar_realignments_the_reformer_does_not() -> None:
    held = {"italy": 2, "spain_portugal": 1, "japan": 1}
    ops = Ops("nato", 4)
    assert targets(table(us=held, beside=("nato",)), USSR, ops, REALIGN) == ("spain_portugal", "japan")
    pact = table(us=held, beside=("us_japan_mutual_defense_pact", "the_reformer"))
    assert targets(pact, USSR, ops, REALIGN) == ("spain_portugal", "italy")


# --------------------------------------------------------------------------- modifiers


@pytest.mark.parametrize(
    ("us", "ussr", "country", "expected"),
    [
        ({}, {"iran": 1}, "iran", (0, 1)),
        ({"iran": 1}, {"iran": 1}, "iran", (0, 0)),
        ({"iran": 2}, {"iran": 1}, "iran", (1, 0)),
        ({"iraq": 3}, {"iran": 1, "afghanistan": 2, "pakistan": 2}, "iran", (1, 3)),
        ({"iraq": 2}, {"iran": 1, "afghanistan": 1}, "iran", (0, 1)),
        ({}, {"cuba": 1}, "cuba", (1, 1)),
        ({"haiti": 1, "nicaragua": 1}, {"cuba": 3}, "cuba", (3, 1)),
        ({"finland": 1}, {}, "finland", (1, 1)),
    ],
)
def test_6_2_2_modifiers(
    us: dict[str, int], ussr: dict[str, int], country: str, expected: tuple[int, int]
) -> None:
    """+1 for each controlled neighbour, for more influence there, for the own superpower next to it."""
    s = table(us=us, ussr=ussr)
    assert (realignment_modifier(s, US, country), realignment_modifier(s, USSR, country)) == expected


def test_iran_contra_takes_1_off_the_us() -> None:
    s = table(ussr={"cuba": 1}, effects=(("iran_contra_scandal", US),))
    assert (realignment_modifier(s, US, "cuba"), realignment_modifier(s, USSR, "cuba")) == (0, 1)


# --------------------------------------------------------------------------- the result


def test_6_2_2_the_higher_total_takes_the_difference() -> None:
    """6 against 1 and 1 for more influence: 4 of the USSR's 5 go, and nothing is added (6.2.3)."""
    given(table(ussr={"angola": 5}), do=RollRealignment(US, "angola")).when("chance", "61").then(
        RealignmentRolled(US, "angola", {US: 6, USSR: 1}, {US: 0, USSR: 1}),
        InfluenceSet(USSR, "angola", -4, 1),
    )


def test_6_2_2_the_acting_player_may_lose() -> None:
    """The US attacks, rolls 1 against 4, and loses what it has there, 2 instead of 3."""
    s = table(us={"angola": 2}, ussr={"angola": 2})
    given(s, do=RollRealignment(US, "angola")).when("chance", "14").then(
        RealignmentRolled(US, "angola", {US: 1, USSR: 4}, {US: 0, USSR: 0}),
        InfluenceSet(US, "angola", -2, 0),
    )


def test_6_2_2_equal_totals_change_nothing() -> None:
    """3 and 1 against 4."""
    s = table(us={"angola": 2}, ussr={"angola": 1})
    given(s, do=RollRealignment(US, "angola")).when("chance", "34").then(
        RealignmentRolled(US, "angola", {US: 3, USSR: 4}, {US: 1, USSR: 0})
    )


def test_6_2_3_nothing_is_ever_added() -> None:
    """The USSR wins 6 and 1 against 1; the US has nothing there to lose, and the USSR gets no more."""
    s = table(ussr={"angola": 1})
    given(s, do=RollRealignment(US, "angola")).when("chance", "16").has(
        influence={US: {}, USSR: {"angola": 1}}
    )


# --------------------------------------------------------------------------- points of modifiers


def test_vietnam_revolts_adds_a_roll_in_southeast_asia() -> None:
    """A card of 1: two rolls there, one elsewhere."""
    s = table(phasing=USSR, us={"thailand": 9, "angola": 9}, effects=(("vietnam_revolts", USSR),))
    there = given(s, do=Realign(USSR, Ops("nasser", 1))).when(USSR, "thailand").when("chance", "11")
    there.asks(USSR, "thailand", "done").when(USSR, "thailand").when("chance", "11").asks_nobody()
    elsewhere = given(s, do=Realign(USSR, Ops("nasser", 1))).when(USSR, "angola")
    elsewhere.when("chance", "11").asks_nobody()


# --------------------------------------------------------------------------- optional rules of both books


def test_optional_realignments_ignore_defcon() -> None:
    s = table(defcon=2, ussr={"italy": 1}, options={"realignment_ignores_defcon": True})
    given(s, do=Realign(US, Ops("nasser", 1))).asks(US, "italy")


def test_optional_the_phasing_player_is_safe() -> None:
    s = table(us={"angola": 2}, ussr={"angola": 2}, options={"realignment_phasing_player_safe": True})
    safe = given(s, do=RollRealignment(US, "angola")).when("chance", "14")
    safe.then(RealignmentRolled(US, "angola", {US: 1, USSR: 4}, {US: 0, USSR: 0}))


def test_optional_one_card_for_influence_and_realignments() -> None:
    """No country sees both: not Angola, where influence went, and then not Zimbabwe, which was realigned."""
    s = table(
        us={"angola": 1},
        ussr={"angola": 1, "zimbabwe": 1},
        options={"realignment_mixed": True},
        us_hand=("nato",),
    )
    play = given(s, do=PlayCard(US)).when(US, "influence:nato").when(US, "angola").when(US, "realign")
    play.asks(US, "zimbabwe", "done").refuses(US, "angola").when(US, "zimbabwe")
    play.when("chance", "11").when(US, "influence").refuses(US, "zimbabwe").when(US, "zaire")
    play.when(US, "canada").includes(CardPutAway("nato", "discards")).asks_nobody()


def test_without_the_option_the_uses_do_not_mix() -> None:
    s = table(us={"angola": 1}, ussr={"zimbabwe": 1}, us_hand=("nato",))
    given(s, do=PlayCard(US)).when(US, "influence:nato").when(US, "angola").refuses(US, "realign")
