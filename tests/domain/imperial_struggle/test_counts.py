"""How many ways to answer there are, one and two answers deep, from named positions (see `counting`).

Every number was also worked out by hand from the rules, as each position says.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from domain.imperial_struggle.components import BR, DIPLOMATIC, ECONOMIC, FR, MILITARY
from domain.imperial_struggle.points import FLAG, Purchase
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.flow import ChooseFirst, ChooseMinistries, DropCards, SealBid
from domain.imperial_struggle.steps.rounds import Act
from domain.imperial_struggle.steps.spending import Pay
from domain.imperial_struggle.steps.upgrades import Upgrade
from domain.kernel import Step, asked, begin, prompt
from domain.piles import Pile
from tests.domain.counting import answers, count, how_many
from tests.domain.imperial_struggle.table import major, minor, table

SIDES = (BR, FR)
NOTHING_TO_BORROW = {BR: 0, FR: 0}
TILES = (
    *("e4_d2_1", "e3_d2_1", "e2_d2_1", "d4_e2_1", "d3_e2_1", "d2_e2_1", "m4_e2_1", "m3_e2_1", "m2_e2_1"),
)
POSITIONS: dict[str, tuple[Callable[[], State], tuple[int, int]]] = {}


def position(first: int, second: int) -> Callable[[Callable[[], State]], Callable[[], State]]:
    """The decorator over a position: its counts at depth 1 and 2."""

    def register(made: Callable[[], State]) -> Callable[[], State]:
        POSITIONS[made.__name__] = (made, (first, second))
        return made

    return register


def doing(s: State, *steps: Step[State]) -> State:
    """The table at the first question of these steps."""
    return begin(s, steps).table


# --------------------------------------------------------------------------- the positions


@position(31, 961)
def sealed_bids() -> State:
    """0 to 30 Treaty Points for one side, then for the other."""
    return doing(table(options={"bid": FR}), SealBid(SIDES))


@position(10, 100)
def first_ministries() -> State:
    """Each has 5 of the Succession Era, Jacobite Uprisings among the French: 2 of 5, twice."""
    return doing(table(), ChooseMinistries(SIDES))


@position(10, 40)
def cards_to_lay_aside() -> State:
    """2 of 5 cards, then 1 of 4."""
    cards = ("calico_acts", "carnatic_war", "tax_reform", "acts_of_union", "vatican_politics")
    others = ("tropical_diseases", "great_northern_war", "famine_in_ireland", "interest_payments")
    return doing(table(br_hand=cards, fr_hand=others), DropCards(SIDES))


@position(2, 22)
def first_tile() -> State:
    """Either side plays first; it has 9 tiles, and 2 ministries that it may reveal before."""
    ministries = {BR: ("robert_walpole", "bank_of_england"), FR: ("john_law", "the_cardinal_ministers")}
    return doing(table(shown=TILES, ministries=ministries, round=None), ChooseFirst(FR))


@position(3, 2)
def minor_action_in_jamaica() -> State:
    """Santiago or Cayman Passage for 2, or passing; a Minor action serves once, so only the end is left."""
    s = table(br=("jamaica",), pools=(minor(ECONOMIC),), limit=NOTHING_TO_BORROW)
    return doing(s, Act(BR))


@position(3, 4)
def major_action_in_jamaica() -> State:
    """The same with 4 points: then the other market or the end.  A market flagged just now connects none."""
    s = table(br=("jamaica",), pools=(major(ECONOMIC, 4),), limit=NOTHING_TO_BORROW)
    return doing(s, Act(BR))


@position(4, 4)
def major_action_and_debt() -> State:
    """Two markets, or passing with 0 or 1 Debt paid back.

    With 3 points a market for 2 leaves 1, and 1 more Debt buys the other market: that, or the end.
    """
    s = table(br=("jamaica",), pools=(major(ECONOMIC, 3),), limit={BR: 2, FR: 0}, debt={BR: 1, FR: 0})
    return doing(s, Act(BR))


@position(13, 133)
def military_points_at_gibraltar() -> State:
    """A Bonus War tile for 2, a Squadron to any of 11 naval spaces for 1, or passing.

    The tile is one of 12.  A second Squadron has 10 spaces left, or the round ends: 12 + 11 x 11.
    """
    s = table(br=("gibraltar",), pools=(major(MILITARY, 2),), limit=NOTHING_TO_BORROW)
    return doing(s, Act(BR))


@position(14, 123)
def military_points_on_turn_6() -> State:
    """No tile any more, but one economic or diplomatic point for 2; nothing costs as little, so the end.

    11 x 11 as before, and the end twice.
    """
    s = table(br=("gibraltar",), turn=6, pools=(major(MILITARY, 2),), limit=NOTHING_TO_BORROW)
    return doing(s, Act(BR))


@position(3, 0)
def two_points_short() -> State:
    """Ireland costs 3, and there is 1 point: 0, 1 or 2 Treaty Points, the rest is Debt."""
    s = table(pools=(major(DIPLOMATIC, 1),), treaty={BR: 2, FR: 0})
    return doing(s, Pay(BR, Purchase(FLAG, "ireland_prestige")))


@position(4, 48)
def military_upgrade() -> State:
    """Any of 4 theatres, and one of 12 tiles for it."""
    return doing(laid_out(), Upgrade(BR))


@position(5, 54)
def planned_military_upgrade() -> State:
    """Or two of the 4 tiles change places, in 6 ways."""
    return doing(laid_out(planned_upgrades=True), Upgrade(BR))


def laid_out(**options: bool) -> State:
    """Four of 16 British Basic tiles lie on the display of the first war."""
    front = {"central_europe": "br_one_1", "spain": "br_one_2"}
    front |= {"queen_annes_war": "br_one_3", "jacobite_rebellion": "br_one_4"}
    s = table(options=options, front={BR: front, FR: {}})
    left = Pile.of(tile for tile in s.basics[BR].cards if tile not in front.values())
    return table(options=options, front={BR: front, FR: {}}, basics={BR: left, FR: s.basics[FR]})


# --------------------------------------------------------------------------- counting


@pytest.mark.parametrize("name", POSITIONS)
def test_count(name: str) -> None:
    made, expected = POSITIONS[name]
    s = made()
    assert tuple(count(s, depth) for depth in (1, 2)) == expected


@pytest.mark.parametrize("name", POSITIONS)
def test_what_is_counted_is_what_is_listed(name: str) -> None:
    """The formula and the list of answers agree, and all of them are different."""
    s = POSITIONS[name][0]()
    question = prompt(s, asked(s)[0])
    assert question is not None
    listed = list(answers(question))
    assert len(listed) == len(set(listed)) == how_many(question)
