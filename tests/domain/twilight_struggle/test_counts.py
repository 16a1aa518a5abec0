"""How many ways to answer there are, one, two and three answers deep, from named positions (see `counting`).

Every number was also worked out by hand from the rules, as each position says.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from domain.kernel import Step, asked, begin, prompt
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, Headlines
from domain.twilight_struggle.steps.operations import Coup, PlaceInfluence, Realign
from domain.twilight_struggle.steps.play import Event
from tests.domain.counting import answers, count, how_many
from tests.domain.twilight_struggle.optional import dealt, opened, placed
from tests.domain.twilight_struggle.table import resolving, table

Counts = tuple[int, int, int]
POSITIONS: dict[str, tuple[Callable[[], State], Counts]] = {}


def position(first: int, second: int, third: int) -> Callable[[Callable[[], State]], Callable[[], State]]:
    """The decorator over a position: its counts at depth 1, 2 and 3."""

    def register(made: Callable[[], State]) -> Callable[[], State]:
        POSITIONS[made.__name__] = (made, (first, second, third))
        return made

    return register


def doing(s: State, *steps: Step[State]) -> State:
    """The table at the first question of these steps."""
    return begin(s, steps).table


# --------------------------------------------------------------------------- the positions


@position(9, 81, 729)
def opening_of_the_ussr() -> State:
    """6 influence, and any of the 9 countries of Eastern Europe each time (Austria and Finland too)."""
    return dealt(opened()).table


@position(14, 196, 2744)
def opening_of_the_us() -> State:
    """7 influence, and any of the 14 countries of Western Europe each time."""
    return placed(dealt(opened()), USSR, "poland", 6).table


@position(3, 12, 39033)
def first_headlines() -> State:
    """The US has 3 of its 4 cards, UN Intervention is none; for each of them the USSR has 4.

    Marshall Plan, first of any pair, asks for 7 of 14 countries: 4 x 3432.  Decolonization asks for 4 of 25
    (twice 12650), Blockade for Marshall Plan or nothing, and after Nasser also for Duck and Cover: 2 + 3.
    """
    s = table(
        us_hand=("duck_and_cover", "marshall_plan", "un_intervention", "nasser"),
        ussr_hand=("decolonization", "europe_scoring", "blockade", "captured_nazi_scientist"),
        phase="deal",
        us={"west_germany": 4},
    )
    return doing(s, Headlines())


@position(38, 419, 4915)
def full_hand_of_the_ussr() -> State:
    """Round 1 after an ordinary set-up: 34 ways to play the hand, and 4 for the China Card.

    A scoring card 1.  A card of 2 or more: event (or event first), influence, Coup, realignment and space, 5
    each for Comecon, Fidel, Duck and Cover and Olympic Games.  A card of 1 has no space: 4 for Nasser and for
    CIA Created.  UN Intervention has no event: 3.  It cancels either card of the US: 2.

    Second: 19 countries in reach, 5 targets for a Coup or a realignment, 6 dice.  Comecon chooses 4 of 9;
    where nothing is asked the US has 5 ways to play NATO: 5 + 161 + 40 + 34 + 38 + 33 + 37 + 29 + 7, and 35.

    Third, card by card: 40 + 1250 + 662 + 347 + 645 + 322 + 660 + 305 + 64, and 620.
    """
    hand = ("asia_scoring", "comecon", "fidel", "nasser", "duck_and_cover", "cia_created", "olympic_games")
    s = table(
        us={"iran": 1, "italy": 4, "west_germany": 3, "japan": 1, "panama": 1},
        ussr={"poland": 4, "east_germany": 4, "north_korea": 3, "iraq": 1, "syria": 1},
        ussr_hand=(*hand, "un_intervention"),
        us_hand=("nato",),
    )
    return doing(s, Act(1, USSR), Act(1, US))


@position(9, 83, 252)
def placement_against_enemy_control() -> State:
    """3 points of the US from Turkey: it and 4 neighbours, and the 4 countries next to the US.

    Syria, Romania and Bulgaria are controlled by the USSR and cost 2.  Second: after each of the 6 others all
    9 again, or done; after Syria or Romania, whose control is broken, 7 or done; after Bulgaria, where 4
    stand against 1 and stability is 3, 6 or done: 60 + 16 + 7.  Third: 6 x 6 x (6 or done); all else is
    spent.
    """
    s = table(us={"turkey": 2}, ussr={"syria": 2, "romania": 3, "bulgaria": 4})
    return doing(s, PlaceInfluence(US, Ops("duck_and_cover", 3)))


@position(4, 6, 24)
def coups_at_defcon_2() -> State:
    """Poland, Iran and Vietnam are closed; a Coup in Angola, Cuba or Chile ends the game before any die.

    Ethiopia leaves 6 dice, and then the USSR plays Nasser in 4 ways (event, influence, Coup, realignment).
    """
    ussr = {"poland": 3, "iran": 2, "vietnam": 1, "angola": 1, "cuba": 3, "chile": 1, "ethiopia": 1}
    s = table(defcon=2, us={"panama": 2}, ussr=ussr, ussr_hand=("nasser",), china=None)
    return doing(s, Coup(US, Ops("nato", 4)), Act(2, USSR))


@position(3, 108, 60)
def realignments_in_a_bonus_region() -> State:
    """1 point of the USSR under Vietnam Revolts: a second roll only in Southeast Asia.

    36 rolls for each of 3 targets.  After Thailand the US keeps influence there unless the USSR rolls 3 more
    than the US, which 6 of the 36 do: 30 times Thailand again, or done.
    """
    s = table(us={"thailand": 2, "japan": 1, "panama": 1}, effects=(("vietnam_revolts", USSR),))
    return doing(s, Realign(USSR, Ops("nasser", 1)))


@position(2, 12, 48)
def in_quagmire() -> State:
    """NATO or Fidel, worth 2 at least; a die; and then Nasser of the USSR in 4 ways, escaped or not."""
    s = table(
        us={"panama": 1},
        us_hand=("nato", "fidel", "cia_created", "asia_scoring"),
        ussr_hand=("nasser",),
        beside=("quagmire",),
        china=None,
    )
    return doing(s, Act(1, US), Act(2, USSR))


@position(2, 8, 16)
def under_scoring_pressure() -> State:
    """2 rounds are left for 2 scoring cards; in between Nasser of the USSR in 4 ways.

    Third: after Nasser's event the other scoring card; or 5 countries next to the USSR, or the one target of
    a Coup or of a realignment: 8, twice.
    """
    s = table(
        us={"panama": 1},
        us_hand=("asia_scoring", "middle_east_scoring", "nato"),
        ussr_hand=("nasser",),
        china=None,
    )
    return doing(s, Act(5, US), Act(6, USSR), Act(6, US))


@position(3, 14, 45)
def grain_sales() -> State:
    """3 cards of the USSR; Fidel in 5 ways, NATO in 5, Asia Scoring in 1, or returned each.

    Third: 7 countries, 1 target, 6 dice; 3 kinds of Operations after Fidel's event, and 4 answers to the
    Operations of the returned card: 22 for Fidel, 19 for NATO, 4 for Asia Scoring.
    """
    s = table(us={"panama": 1}, ussr={"cuba": 2}, ussr_hand=("fidel", "nato", "asia_scoring"))
    return doing(resolving(s, "grain_sales_to_soviets", US), Event(US, "grain_sales_to_soviets"))


@position(19, 61, 324)
def with_un_intervention() -> State:
    """UN Intervention 3; Fidel 5 and cancelled 1; Nasser 4 and cancelled 1; NATO 5.

    Second: 9 + 22 + 15 + 15; Fidel, cancelled, has 4 uses, as space is open to it, and Nasser 3.
    Third: 42 + 122 + 62 + 98.
    """
    s = table(us={"panama": 1}, ussr={"cuba": 2}, us_hand=("un_intervention", "fidel", "nasser", "nato"))
    return doing(s, Act(1, US))


@position(4, 18, 186)
def owing_missile_envy() -> State:
    """Missile Envy and nothing else: influence, Coup, realignment or space.

    Second: 8 countries, 2 targets each, 6 dice.  Third: 8 x (8 or done), 2 x 6 dice, 2 x 36 pairs, and after
    each of the 6 dice 5 ways to play NATO.
    """
    s = table(
        us={"panama": 1, "iran": 1},
        ussr={"cuba": 2},
        ussr_hand=("missile_envy", "fidel", "nato", "comecon"),
        us_hand=("nato",),
        envy=USSR,
    )
    return doing(s, Act(1, USSR), Act(1, US))


@position(16, 125, 0)
def ask_not() -> State:
    """Any of 4 cards goes: 2 to the fourth power; as many are drawn from 5: 4 x 5 + 6 x 10 + 4 x 10 + 5."""
    hand = ("nato", "fidel", "nasser", "asia_scoring")
    s = table(us_hand=hand, deck=("comecon", "containment", "cia_created", "blockade", "norad"))
    return doing(resolving(s, "ask_not_what_your_country", US), Event(US, "ask_not_what_your_country"))


@position(120, 552, 4680)
def aldrich_ames_of_the_2nd_edition() -> State:
    """5 cards in any order; then only the first of them may be played, each first 24 times.

    5 ways for NATO, Fidel and Comecon, 4 for the two cards of 1: 24 x 23.
    Third: 24 x (15 + 18 + 12 + 141 + 9).
    """
    hand = ("nato", "fidel", "nasser", "comecon", "captured_nazi_scientist")
    s = table(edition="second", us_hand=hand, ussr={"cuba": 2}, us={"panama": 1})
    return doing(resolving(s, "aldrich_ames_2nd", USSR), Event(USSR, "aldrich_ames_2nd"), Act(1, US))


# --------------------------------------------------------------------------- counting


@pytest.mark.parametrize("name", POSITIONS)
def test_count(name: str) -> None:
    made, expected = POSITIONS[name]
    s = made()
    assert tuple(count(s, depth) for depth in (1, 2, 3)) == expected


@pytest.mark.parametrize("name", POSITIONS)
def test_what_is_counted_is_what_is_listed(name: str) -> None:
    """The formula and the list of answers agree, and all of them are different."""
    s = POSITIONS[name][0]()
    question = prompt(s, asked(s)[0])
    assert question is not None
    listed = list(answers(question))
    assert len(listed) == len(set(listed)) == how_many(question)
