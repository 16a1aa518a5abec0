"""The course of a peace turn: its phases, its eras, the initiative, the action rounds (book 001, 4.1)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BR, FR, SIDES
from domain.imperial_struggle.facts.cards import (
    AwardsLaid,
    AwardsShuffled,
    CardsDealt,
    CardsDropped,
    DemandSet,
    DropsShown,
    EventsAdded,
    EventsRetired,
    InvestmentsShown,
    InvestmentsUsed,
    MinistriesChosen,
    MinistriesReturned,
    UprisingsAdded,
    UprisingsDeclined,
)
from domain.imperial_struggle.facts.flow import (
    AwardScored,
    FirstChosen,
    GoodScored,
    InitiativeSet,
    MarkersReset,
    PrestigeScored,
    RoundBegan,
    RoundEnded,
    TurnBegan,
    TurnEnded,
)
from domain.imperial_struggle.facts.tracks import DebtSet, LimitSet, TreatySet
from domain.imperial_struggle.facts.wars import BasicsLaid, WarBegan, WarEnded, WarSet
from domain.imperial_struggle.steps.flow import TakeInitiative
from domain.kernel import AnyFact, Ended, fold
from tests.domain import properties
from tests.domain.imperial_struggle.course import NO_ROUND, before, begun, ended, laid_out, passed, turns
from tests.domain.imperial_struggle.table import table
from tests.scenario import given

PHASES: tuple[tuple[type[AnyFact], ...], ...] = (
    (TurnBegan,),
    (EventsRetired, EventsAdded),  # 4.1.1
    (LimitSet,),
    (AwardsShuffled, AwardsLaid),
    (DemandSet,),
    (MarkersReset, InvestmentsUsed),  # 4.1.5
    (InvestmentsShown, CardsDealt, CardsDropped, DropsShown),
    (MinistriesReturned, UprisingsAdded, UprisingsDeclined, MinistriesChosen),
    (InitiativeSet, FirstChosen),
    (RoundBegan, RoundEnded),
    (),  # 4.1.10 has its own reason
    (),  # 4.1.11 too
    (AwardScored, PrestigeScored, GoodScored),
    (TurnEnded,),
)


def phase(fact: AnyFact) -> int | None:
    """The phase of the turn to which a fact belongs by its kind; None where it might be any."""
    if isinstance(fact, TreatySet) and fact.why == "surplus":
        return 10
    if isinstance(fact, DebtSet) and fact.why == "john_law":
        return 11
    return next((number for number, kinds in enumerate(PHASES) if isinstance(fact, kinds)), None)


def outside_rounds(facts: list[AnyFact]) -> list[AnyFact]:
    """The facts of a turn without what happens in its action rounds."""
    found, inside = [], False
    for fact in facts:
        inside = inside and not isinstance(fact, RoundEnded)
        if not inside:
            found.append(fact)
        inside = inside or isinstance(fact, RoundBegan)
    return found


def until_its_end(facts: list[AnyFact]) -> list[AnyFact]:
    """The facts of a turn without the war and whatever else follows it."""
    kinds = [type(fact) for fact in facts]
    return facts[: kinds.index(TurnEnded) + 1]


@pytest.mark.parametrize("seed", range(8))
def test_4_1_the_phases_of_a_turn_follow_each_other(seed: int) -> None:
    """Phases 1 to 13 in every turn of every match; what a round brings is none of them."""
    for facts in turns(properties.random_match(GAME, Random(seed)).facts):
        if not any(isinstance(fact, TurnEnded) for fact in facts):
            continue
        found = [phase(fact) for fact in until_its_end(outside_rounds(facts))]
        numbers = [number for number in found if number is not None]
        assert numbers == sorted(numbers)
        assert {0, 3, 4, 5, 6, 8, 9, 12, 13} <= set(numbers)
        assert isinstance(facts[0], TurnBegan)
        assert 7 in numbers or facts[0].turn in (2, 4, 6)  # if all are open, no side chooses
        assert ({1, 2} <= set(numbers)) == (facts[0].turn in (3, 5))


def test_2_1_six_turns_with_four_wars_between_them() -> None:
    facts = passed()
    course: list[Any] = []
    for fact in facts:
        if isinstance(fact, TurnBegan):
            course.append(fact.turn)
        elif isinstance(fact, WarBegan | WarEnded):
            course.append(fact.war)
    assert course == [1, "wss", "wss", 2, 3, "was", "was", 4, "syw", "syw", 5, "awi", "awi", 6]


def test_the_set_up_lays_out_the_first_war_before_the_first_turn() -> None:
    facts = passed()
    kinds = [type(fact) for fact in facts]
    assert kinds[0] == WarSet
    assert kinds.index(TurnBegan) > kinds.index(BasicsLaid)


# --------------------------------------------------------------------------- 4.1.1 and 4.1.2: a new era


@pytest.mark.parametrize("turn", [1, 2, 4, 6])
def test_4_1_1_no_cards_come_or_go_but_on_turns_3_and_5(turn: int) -> None:
    facts = laid_out(turn)[1]
    assert not [fact for fact in facts if isinstance(fact, EventsAdded | EventsRetired | MinistriesReturned)]


@pytest.mark.parametrize(("turn", "now"), [(3, 10), (5, 14)])
def test_4_1_2_both_debt_limits_rise_by_4_on_turns_3_and_5(turn: int, now: int) -> None:
    game, facts = laid_out(turn, limit={BR: now - 4, FR: now - 4})
    raised = [fact for fact in facts if isinstance(fact, LimitSet)]
    assert raised == [LimitSet(side, 4, now, ERAS_OF[turn]) for side in SIDES]
    game.has(limit={BR: now, FR: now})


ERAS_OF = {3: "empire", 5: "revolution"}


def test_4_1_2_a_raised_or_lowered_limit_rises_by_4_as_well() -> None:
    """Bank of England, Interest Payments."""
    laid_out(3, limit={BR: 8, FR: 5})[0].has(limit={BR: 12, FR: 9})


@pytest.mark.parametrize("turn", [1, 2, 4, 6])
def test_4_1_2_no_debt_limit_rises_on_other_turns(turn: int) -> None:
    laid_out(turn)[0].has(limit={BR: 6, FR: 6})


# --------------------------------------------------------------------------- 4.1.5: the reset phase


def test_4_1_5_nothing_is_exhausted_any_more() -> None:
    laid_out(2, exhausted=("rum", "robert_walpole"))[0].has(exhausted=())


def test_4_1_5_squadrons_on_the_turn_track_return_to_the_navy_box() -> None:
    game, facts = laid_out(4, away={BR: 2, FR: 1}, navy={BR: 1, FR: 0})
    assert MarkersReset({BR: 2, FR: 1}) in facts
    game.has(away={BR: 0, FR: 0}, navy={BR: 3, FR: 1})


def test_4_1_5_the_open_tiles_taken_or_not_are_used_ones() -> None:
    shown = ("e4_d2_1", "m2_e2_1", "d3_m2_1")
    fields: dict[str, Any] = {"shown": shown, "picked": {BR: shown[:1], FR: ()}, "used": ("e2_d2_1",)}
    game, facts = laid_out(2, **fields, stack=before(2).stack.drawn((*shown, "e2_d2_1")))
    assert InvestmentsUsed() in facts
    game.has(used=("e2_d2_1", *shown), picked={BR: (), FR: ()})
    assert len(game.table.shown) == 9


def test_4_1_5_the_townshend_acts_marker_leaves() -> None:
    laid_out(6, townshend="fish")[0].has(townshend="")


def test_merchant_banks_ignore_debt_anew_every_turn() -> None:
    laid_out(6, merchants=2)[0].has(merchants=0)


# --------------------------------------------------------------------------- 4.1.8: the initiative


@pytest.mark.parametrize(
    ("vp", "before_it", "side"),
    [(14, BR, FR), (0, BR, FR), (-3, FR, FR), (16, FR, BR), (33, FR, BR)],
)
def test_4_1_8_who_is_behind_has_the_initiative(vp: int, before_it: str, side: str) -> None:
    game = given(table(turn=2, vp=vp, initiative=before_it, **NO_ROUND), do=TakeInitiative())
    game.then(InitiativeSet(side)).has(initiative=side).asks(side, BR, FR)


@pytest.mark.parametrize("side", SIDES)
def test_4_1_8_at_15_the_initiative_stays_where_it_is(side: str) -> None:
    given(table(turn=2, vp=15, initiative=side, **NO_ROUND), do=TakeInitiative()).then().asks(side)


def test_4_1_8_on_turn_1_france_has_it_and_chooses() -> None:
    start = table(turn=1, vp=20, shown=("e4_d2_1",), **NO_ROUND)
    game = given(start, do=TakeInitiative()).then().asks(FR, BR, FR)
    game.when(FR, BR).includes(FirstChosen(FR, BR), RoundBegan(BR, 1, ())).has(first=BR)


# --------------------------------------------------------------------------- 4.1.9: the action phase


@pytest.mark.parametrize(("first", "second"), [(BR, FR), (FR, BR)])
def test_4_1_9_eight_rounds_alternate_from_the_first_player_on(first: str, second: str) -> None:
    shown = (
        "e4_d2_1",
        "e4_d2_2",
        "e4_m2_1",
        "e4_m2_2",
        "e3_d2_1",
        "e3_m2_1",
        "d4_e2_1",
        "d4_e2_2",
        "d4_m2_1",
    )
    game = given(table(turn=2, initiative=first, shown=shown, **NO_ROUND), do=TakeInitiative())
    game.when(first, first)
    for number in range(1, 9):
        seat = first if number % 2 else second
        round = game.table.round
        assert round is not None
        assert (round.seat, round.number) == (seat, number)
        game.when(seat, shown[number - 1]).when(seat, "pass:0")
    game.asks_nobody().has(picked={first: shown[0:8:2], second: shown[1:8:2]})


def test_4_1_9_every_turn_of_a_match_has_eight_rounds() -> None:
    for facts in turns(passed()):
        rounds = [fact for fact in facts if isinstance(fact, RoundBegan)]
        assert [fact.number for fact in rounds] == list(range(1, 9))
        assert [fact.seat for fact in rounds] == [rounds[0].seat, rounds[1].seat] * 4
        assert rounds[0].seat != rounds[1].seat


def test_4_1_9_four_of_the_nine_tiles_go_to_each_side() -> None:
    """The ninth is left over, and used as well."""
    facts = passed()
    s = before(1)
    for fact in turns(facts)[0]:
        s = fold(s, (fact,))
        if isinstance(fact, RoundEnded):
            last = s
    assert [len(last.picked[side]) for side in SIDES] == [4, 4]
    assert len(last.shown) == 9


# --------------------------------------------------------------------------- 4.1.10 and 4.1.11


@pytest.mark.parametrize(("points", "left"), [(9, 4), (5, 4), (4, 4), (3, 3), (0, 0)])
@pytest.mark.parametrize("side", SIDES)
def test_4_1_10_treaty_points_above_4_are_lost(side: str, points: int, left: int) -> None:
    game = ended(treaty={BR: 0, FR: 0, side: points})
    lost = [fact for fact in game.facts if isinstance(fact, TreatySet)]
    assert lost == ([TreatySet(side, left - points, left, "surplus")] if points > 4 else [])
    assert game.table.treaty[side] == left


def test_9_2_treaty_points_above_4_are_kept_until_phase_10() -> None:
    """Those of a war, for example, through all of the turn that follows it."""
    laid_out(2, treaty={BR: 8, FR: 6})[0].has(treaty={BR: 8, FR: 6})


def test_9_2_treaty_points_of_the_scoring_phase_may_exceed_4() -> None:
    """It comes after phase 10; the awards of the Caribbean and of India give one each."""
    game = ended(treaty={BR: 7, FR: 0}, br=("jamaica", "madras"))
    game.includes(TreatySet(BR, -3, 4, "surplus"), TreatySet(BR, 1, 5, "award_1t_a")).has(
        treaty={BR: 6, FR: 0}
    )


@pytest.mark.parametrize(("scotland", "by"), [(False, 1), (True, 2)])
def test_4_1_11_john_law_reduces_debt_by_more_with_a_space_of_scotland(scotland: bool, by: int) -> None:
    flags = ("scotland_alliance",) if scotland else ()
    ended(revealed=("john_law",), fr=flags, debt={BR: 3, FR: 3}).includes(
        DebtSet(FR, -by, 3 - by, "john_law")
    ).has(debt={BR: 3, FR: 3 - by})


def test_4_1_11_john_law_does_not_count_a_conflicted_space_of_scotland() -> None:
    fields: dict[str, Any] = {"fr": ("scotland_alliance",), "conflicts": {"scotland_alliance": 0}}
    ended(revealed=("john_law",), debt={BR: 0, FR: 3}, **fields).includes(DebtSet(FR, -1, 2, "john_law"))


def test_4_1_11_john_law_reduces_debt_not_below_0() -> None:
    game = ended(revealed=("john_law",), fr=("scotland_alliance",), debt={BR: 0, FR: 1})
    game.includes(DebtSet(FR, -1, 0, "john_law"))


def test_4_1_11_a_john_law_that_lies_face_down_does_nothing() -> None:
    ended(ministries={BR: (), FR: ("john_law",)}, debt={BR: 0, FR: 3}).has(debt={BR: 0, FR: 3})


def test_the_phases_10_to_12_come_in_this_order() -> None:
    game = ended(treaty={BR: 0, FR: 6}, revealed=("john_law",), debt={BR: 0, FR: 1}, fr=("ireland_prestige",))
    numbers = [number for fact in game.facts if (number := phase(fact)) is not None]
    assert numbers[:3] == [10, 11, 12]
    assert set(numbers) == {10, 11, 12}


def test_a_turn_after_the_last_is_final_scoring() -> None:
    kinds = [type(fact) for fact in turns(passed())[-1]]
    assert kinds.index(TurnEnded) < kinds.index(Ended)


def test_a_turn_begins_with_its_number_and_era() -> None:
    begun(4).includes(TurnBegan(4, "empire")).has(turn=4, phase="peace", swept={BR: 0, FR: 0})
