"""The ministry phase: what is laid down, what stays, the third French ministry (book 001, 3.5.1, 4.1.7)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BR, ERAS, FR, MINISTRIES, OTHER, SIDES
from domain.imperial_struggle.facts.cards import (
    JacobitesDefeated,
    MinistriesChosen,
    MinistriesReturned,
    MinistryRevealed,
    UprisingsAdded,
)
from domain.imperial_struggle.facts.flow import InitiativeSet, TurnBegan
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.flow import ChooseMinistries, OfferUprisings, TakeInitiative
from domain.imperial_struggle.steps.rounds import TakeTile
from domain.kernel import asked, prompt
from tests.domain import properties
from tests.domain.imperial_struggle.course import NO_ROUND, begun, by_chance, passed
from tests.domain.imperial_struggle.places import tables
from tests.domain.imperial_struggle.table import table
from tests.scenario import Scenario, given

UPRISINGS = "jacobite_uprisings"
FRENCH = {1: ("john_law", "the_cardinal_ministers"), 3: ("choiseul", "dupleix"), 5: ("lavoisier", "turgot")}
BRITISH = {
    1: ("edmond_halley", "robert_walpole"),
    3: ("merchant_banks", "pitt_the_elder"),
    5: ("edmund_burke", "james_watt"),
}


def choosing(turn: int, **fields: Any) -> Scenario[State]:
    """The ministry phase of a turn, with its initiative phase after it."""
    start = table(turn=turn, **{**NO_ROUND, "shown": ("e4_d2_1",), **fields})
    return given(start, do=(OfferUprisings(), ChooseMinistries(SIDES), TakeInitiative()))


def of_era(turn: int, side: str) -> set[str]:
    """The ministries of a side with the era of a turn."""
    return {card.id for card in MINISTRIES.values() if card.side == side and ERAS[turn] in card.eras}


# --------------------------------------------------------------------------- the first turn of an era


@pytest.mark.parametrize("turn", [1, 3, 5])
@pytest.mark.parametrize("side", SIDES)
def test_4_1_7_each_side_chooses_two_of_its_own_that_show_the_era(turn: int, side: str) -> None:
    game = choosing(turn).asks(side, *of_era(turn, side))
    first, second, third, *_ = sorted(of_era(turn, side))
    game.refuses(side, first).refuses(side, first, second, third).refuses(side)
    game.when(side, second, first).includes(MinistriesChosen(side, (first, second)))
    assert game.table.ministries[side] == (first, second)
    assert game.table.revealed == ()


@pytest.mark.parametrize("side", SIDES)
def test_4_1_7_both_choose_at_once_and_neither_sees_the_others_choice(side: str) -> None:
    own = {FR: FRENCH[1], BR: BRITISH[1]}
    game = choosing(1).asks(BR).asks(FR)
    before = prompt(game.table, OTHER[side])
    game.when(side, *own[side]).then(MinistriesChosen(side, own[side]))
    (chosen,) = game.facts
    assert chosen.seen_by(side) == chosen
    assert chosen.seen_by(OTHER[side]) == chosen.seen_by(None) == MinistriesChosen(side, ("?", "?"))
    assert prompt(game.table, OTHER[side]) == before
    game.when(OTHER[side], *own[OTHER[side]]).asks(FR, BR, FR)


@pytest.mark.parametrize("turn", [3, 5])
def test_4_1_7_at_a_new_era_all_come_back_open_or_not(turn: int) -> None:
    laid = {BR: ("robert_walpole", "east_india_company"), FR: ("john_law", UPRISINGS)}
    game = begun(turn, ministries=laid, revealed=("east_india_company", UPRISINGS), third=False)
    assert MinistriesReturned() in by_chance(game)
    game.has(ministries={BR: (), FR: ()}, revealed=())
    game.asks(BR, *of_era(turn, BR)).asks(FR, *of_era(turn, FR))


@pytest.mark.parametrize("turn", [1, 2, 4, 6])
def test_4_1_7_on_other_turns_they_stay(turn: int) -> None:
    game = begun(turn)
    assert MinistriesReturned() not in by_chance(game)


def test_4_1_7_ministries_serve_until_their_phase_in_a_new_era() -> None:
    """They come back in phase 7, after cards and tiles were dealt."""
    facts = passed()
    back = facts.index(MinistriesReturned())
    turn = max(fact.turn for fact in facts[:back] if isinstance(fact, TurnBegan))
    assert turn == 3
    assert isinstance(facts[back + 1], MinistriesChosen)


# --------------------------------------------------------------------------- the second turn of an era


@pytest.mark.parametrize("turn", [2, 4, 6])
def test_4_1_7_those_that_lie_face_down_may_be_replaced(turn: int) -> None:
    old, new = FRENCH[turn - 1], sorted(of_era(turn, FR) - set(FRENCH[turn - 1]))
    game = choosing(turn, ministries={BR: (), FR: old}).asks(FR, *of_era(turn, FR))
    game.when(FR, *new[:2])
    assert game.table.ministries[FR] == tuple(new[:2])


@pytest.mark.parametrize("turn", [2, 4, 6])
def test_4_1_7_they_may_be_kept_as_well(turn: int) -> None:
    game = choosing(turn, ministries={BR: BRITISH[turn - 1], FR: ()})
    game.when(BR, *BRITISH[turn - 1])
    assert game.table.ministries[BR] == BRITISH[turn - 1]


@pytest.mark.parametrize("turn", [2, 4, 6])
def test_4_1_7_an_open_one_stays_and_only_the_other_is_chosen(turn: int) -> None:
    open_one, hidden = BRITISH[turn - 1]
    other = sorted(of_era(turn, BR) - {open_one, hidden})[0]
    laid = {BR: (open_one, hidden), FR: ()}
    game = choosing(turn, ministries=laid, revealed=(open_one,)).asks(BR, *(of_era(turn, BR) - {open_one}))
    game.refuses(BR, other, hidden).when(BR, other)
    game.has(revealed=(open_one,))
    assert game.table.ministries[BR] == tuple(sorted((open_one, other)))


def test_4_1_7_who_has_two_open_ones_is_not_asked() -> None:
    game = choosing(2, ministries={BR: BRITISH[1], FR: FRENCH[1]}, revealed=BRITISH[1])
    assert asked(game.table) == (FR,)
    game.when(FR, *FRENCH[1])
    assert game.table.ministries == {BR: BRITISH[1], FR: FRENCH[1]}


def test_4_1_7_if_all_are_open_the_phase_asks_no_seat() -> None:
    laid = {BR: BRITISH[1], FR: FRENCH[1]}
    choosing(2, vp=14, ministries=laid, revealed=(*BRITISH[1], *FRENCH[1])).then(InitiativeSet(FR)).asks(FR)


def test_3_5_1_a_ministry_is_revealed_in_an_own_action_round() -> None:
    start = table(
        seat=BR, ministries={BR: BRITISH[1], FR: FRENCH[1]}, shown=("e4_d2_1",), in_round={"tile": ""}
    )
    game = given(start, do=TakeTile(BR)).refuses(BR, "reveal:john_law")
    game.when(BR, "reveal:edmond_halley").then(MinistryRevealed(BR, "edmond_halley"))
    game.has(revealed=("edmond_halley",))


# --------------------------------------------------------------------------- Jacobite Uprisings


def test_7_3_the_third_ministry_comes_face_up_besides_two_others() -> None:
    game = choosing(4, uprisings=True, ministries={BR: BRITISH[3], FR: FRENCH[3]}, revealed=BRITISH[3])
    game.asks(FR, "yes", "no").when(FR, "yes").then(UprisingsAdded(FR))
    game.asks(FR, *(of_era(4, FR) - {UPRISINGS})).when(FR, *FRENCH[3])
    game.has(revealed=(*BRITISH[3], UPRISINGS), third=True)
    assert set(game.table.ministries[FR]) == {*FRENCH[3], UPRISINGS}


def test_7_3_with_both_others_open_the_third_takes_no_place() -> None:
    game = choosing(4, uprisings=True, ministries={BR: (), FR: FRENCH[3]}, revealed=(*FRENCH[3], *BRITISH[3]))
    game.when(FR, "yes").has(third=True)
    assert game.table.ministries[FR] == (*FRENCH[3], UPRISINGS)
    game.asks(FR, BR, FR)


def test_7_3_one_that_lay_face_down_as_one_of_the_two_makes_room() -> None:
    laid = {BR: (), FR: ("choiseul", UPRISINGS)}
    game = choosing(4, uprisings=True, ministries=laid, revealed=("choiseul", *BRITISH[3])).when(FR, "yes")
    game.when(FR, "dupleix")
    assert set(game.table.ministries[FR]) == {"choiseul", "dupleix", UPRISINGS}
    assert game.table.revealed[-1] == UPRISINGS


def test_7_3_without_the_permission_it_may_still_be_one_of_the_two() -> None:
    game = choosing(4, revealed=BRITISH[3], ministries={BR: BRITISH[3], FR: ()})
    game.when(FR, UPRISINGS, "choiseul")
    assert game.table.ministries[FR] == ("choiseul", UPRISINGS)


@pytest.mark.parametrize("turn", [4, 5, 6])
def test_7_3_it_is_offered_in_every_ministry_phase_until_it_is_taken(turn: int) -> None:
    game = choosing(turn, uprisings=True).asks(FR, "yes", "no").when(FR, "no").has(third=False)
    assert UPRISINGS in of_era(turn, FR)
    game.asks(FR, *of_era(turn, FR))


def test_7_3_the_third_one_stays_open_in_the_second_turn_of_the_era() -> None:
    laid = {BR: (), FR: (*FRENCH[5], UPRISINGS)}
    game = choosing(6, uprisings=True, third=True, ministries=laid, revealed=(UPRISINGS,))
    game.asks(FR, *(of_era(6, FR) - {UPRISINGS})).when(FR, *FRENCH[5])
    game.has(third=True)
    assert set(game.table.ministries[FR]) == {*FRENCH[5], UPRISINGS}


def test_7_3_at_a_new_era_it_goes_back_and_is_offered_again() -> None:
    laid = {BR: (), FR: (*FRENCH[3], UPRISINGS)}
    game = begun(5, uprisings=True, third=True, ministries=laid, revealed=(UPRISINGS,))
    by_chance(game)
    game.has(third=False, revealed=()).asks(FR, "yes", "no")


@pytest.mark.parametrize("turn", [4, 5, 6])
def test_7_3_after_the_defeat_it_may_not_be_chosen_at_all(turn: int) -> None:
    game = choosing(turn, uprisings=True, defeated=True)
    game.asks(FR, *(of_era(turn, FR) - {UPRISINGS})).refuses(FR, UPRISINGS, FRENCH[5][0])


@pytest.mark.parametrize("revealed", [(), (UPRISINGS,)])
def test_7_3_the_defeat_takes_it_away_face_down_or_open(revealed: tuple[str, ...]) -> None:
    start = table(ministries={BR: (), FR: ("choiseul", UPRISINGS)}, revealed=revealed, third=False)
    s = JacobitesDefeated(True).apply(start)
    assert (s.ministries[FR], s.revealed, s.defeated) == (("choiseul",), (), True)


def test_7_3_the_place_that_the_defeat_left_is_filled_in_the_next_ministry_phase() -> None:
    """A reading: the book does not say it, but two ministries are chosen wherever fewer are open."""
    game = choosing(
        6, defeated=True, ministries={BR: BRITISH[5], FR: ("turgot",)}, revealed=(*BRITISH[5], "turgot")
    )
    game.when(FR, "lavoisier")
    assert game.table.ministries[FR] == ("lavoisier", "turgot")


# --------------------------------------------------------------------------- over whole matches


@pytest.mark.parametrize("seed", range(4))
def test_a_side_has_at_most_two_ministries_and_a_third_one(seed: int) -> None:
    for _, s in tables(properties.random_match(GAME, Random(seed))):
        for side in SIDES:
            most = 3 if s.third and side == FR else 2
            assert len(s.ministries[side]) <= most
            assert all(MINISTRIES[card].side == side for card in s.ministries[side])
        assert set(s.revealed) <= {*s.ministries[BR], *s.ministries[FR]}
