"""Events: the language of steps, and the thirteen cards of the reconstruction (book 002, Event)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.piles import Pile
from domain.thirteen_minutes.board import OPPONENT, SIDES, SPHERE, US, USSR, Territory
from domain.thirteen_minutes.commands import Command
from domain.thirteen_minutes.components import RECONSTRUCTION
from domain.thirteen_minutes.events import (
    ExchangeTop,
    LookAtCuba,
    LookAtHand,
    LookAtTop,
    Place,
    PlaceCount,
    Remove,
    RemoveCount,
    Shift,
    TransferFrom,
    TransferTo,
)
from domain.thirteen_minutes.facts import (
    CardDrawn,
    CommandDeclined,
    CubaSeen,
    CubesPlaced,
    CubesRemoved,
    EventUsed,
    HandSeen,
    TerritorySlid,
    TopExchanged,
    TopSeen,
)
from domain.thirteen_minutes.state import State
from domain.thirteen_minutes.turns import ChooseAction, Turns
from tests.domain.thirteen_minutes.tables import lying, own_set, table
from tests.scenario import Scenario, given


def using(me: str, card: str, s: State) -> Scenario[State]:
    """`me` has just played `card` and chooses its event."""
    return given(s, do=ChooseAction(me, card)).when(me, "event").includes(EventUsed(me, card))


def own(*steps: dict[str, Any], **changes: Any) -> State:
    """A table with a card set whose first card, card-1, has this event; colours go round from political."""
    cards = own_set()
    cards["cards"][0]["event"]["steps"] = list(steps)
    return table({"card_set": cards}, **changes)


# --------------------------------------------------------------------------- the cards


@pytest.mark.parametrize(("me", "card"), [(US, "us-1"), (USSR, "ussr-1")])
def test_us_1_and_ussr_1_place_one_cube_on_each_of_two_neutral_territories(me: str, card: str) -> None:
    """One cube each, no number to be asked; each slides toward its owner."""
    s = table(territories=lying(cuba=("n", 0, 0), un_1=("n", 0, 0), us_2=("us", 0, 0), ussr_2=("ussr", 0, 0)))
    event = using(me, card, s).asks(me, "cuba", "un-1").when(me, "cuba", "un-1")
    event.then(
        CubesPlaced(me, "cuba", 1, 1, 9),
        TerritorySlid("cuba", SPHERE[me]),
        CubesPlaced(me, "un-1", 1, 1, 8),
        TerritorySlid("un-1", SPHERE[me]),
    ).asks_nobody()


@pytest.mark.parametrize(("me", "card"), [(US, "us-2"), (USSR, "ussr-2")])
def test_us_2_and_ussr_2_place_up_to_three_on_a_face_up_military_territory(me: str, card: str) -> None:
    """Never on the hidden Cuba, though it be military."""
    s = table(cuba="un-2", territories=lying(cuba=("n", 0, 0), us_1=("n", 0, 0), un_1=("n", 0, 0)))
    event = using(me, card, s).asks(me, "us-1").when(me, "us-1").asks(me, "1", "2", "3").when(me, "3")
    event.then(CubesPlaced(me, "us-1", 3, 3, 7), TerritorySlid("us-1", SPHERE[me])).asks_nobody()


@pytest.mark.parametrize(("me", "card"), [(US, "us-3"), (USSR, "ussr-3")])
def test_us_3_and_ussr_3_move_up_to_two_cubes(me: str, card: str) -> None:
    """The first territory slides away from the owner, the second toward him."""
    four = {me: 4, OPPONENT[me]: 0}
    s = table(territories={"un-1": Territory("neutral", **four), "cuba": Territory("neutral")})
    event = using(me, card, s).asks(me, "1:un-1", "2:un-1").when(me, "2:un-1").asks(me, "cuba")
    event.when(me, "cuba").then(
        CubesRemoved(me, me, "un-1", 2, 2, 12),
        TerritorySlid("un-1", SPHERE[OPPONENT[me]]),
        CubesPlaced(me, "cuba", 2, 2, 10),
        TerritorySlid("cuba", SPHERE[me]),
    )


@pytest.mark.parametrize(("me", "card"), [(US, "us-4"), (USSR, "ussr-4")])
def test_us_4_and_ussr_4_remove_the_opponents_cubes_outside_the_opponents_sphere(me: str, card: str) -> None:
    """Up to two, from one territory; it slides away from their owner, back to whose supply they go."""
    foe = OPPONENT[me]
    two, one = {foe: 2, me: 0}, {foe: 1, me: 0}
    s = table(
        territories={
            "un-1": Territory("neutral", **two),
            "un-2": Territory(SPHERE[me], **one),
            "un-3": Territory(SPHERE[foe], **two),
            "cuba": Territory("neutral"),
        }
    )
    event = using(me, card, s).asks(me, "un-1", "un-2").when(me, "un-1").asks(me, "1", "2").when(me, "2")
    event.then(CubesRemoved(me, foe, "un-1", 2, 0, 12), TerritorySlid("un-1", SPHERE[me])).asks_nobody()


@pytest.mark.parametrize(("me", "card"), [(US, "us-5"), (USSR, "ussr-5")])
def test_us_5_and_ussr_5_look_at_cuba_then_slide_two_territories(me: str, card: str) -> None:
    """Either direction, one step, two different territories, no cubes."""
    s = table(cuba="us-3", territories=lying(cuba=("n", 0, 0), un_1=("us", 0, 0)))
    event = using(me, card, s).then(EventUsed(me, card), CubaSeen(me, me, "us-3"))
    event.asks(me, "us_sphere:cuba", "ussr_sphere:cuba", "neutral:un-1")
    event.when(me, "ussr_sphere:cuba").then(TerritorySlid("cuba", "ussr_sphere")).asks(me, "neutral:un-1")
    event.when(me, "neutral:un-1").then(TerritorySlid("un-1", "neutral")).asks_nobody()


def test_un_1_slides_two_territories_back_to_the_neutral_zone() -> None:
    """Out of either sphere; one direction only, so both are picked at once."""
    s = table(territories=lying(cuba=("n", 0, 0), un_1=("us", 2, 0), un_2=("ussr", 0, 0)))
    event = using(USSR, "un-1", s).asks(USSR, "neutral:un-1", "neutral:un-2")
    event.when(USSR, "neutral:un-1", "neutral:un-2")
    event.then(TerritorySlid("un-1", "neutral"), TerritorySlid("un-2", "neutral")).asks_nobody()


def test_un_2_looks_at_cuba_then_commands_two_cubes_there() -> None:
    """Only Cuba; two cubes although the card's own Command is 3."""
    s = table(cuba="us-3", territories=lying(cuba=("n", 1, 0), un_1=("n", 0, 0)))
    event = using(US, "un-2", s).includes(CubaSeen(US, US, "us-3")).asks(US, "cuba").when(US, "cuba")
    event.asks(US, "place:1", "place:2", "remove:1").when(US, "place:2")
    event.then(CubesPlaced(US, "cuba", 2, 3, 8), TerritorySlid("cuba", "us_sphere")).asks_nobody()


def test_un_3_looks_at_the_top_may_exchange_then_commands_one_cube() -> None:
    """The top is fixed by a secret draw; the exchange and the Command may be declined."""
    event = using(US, "un-3", table(hands={US: ("us-1",), USSR: ("ussr-1", "un-1")}))
    event.asks("chance", *table().deck.cards).when("chance", "us-4").then(TopSeen(US, US, "us-4"))
    event.asks(US, "us-1").when(US, "us-1").then(TopExchanged(US, US, "us-1", "us-4"))
    event.has(hands={US: ("us-4",), USSR: ("ussr-1", "un-1")})
    assert event.table.deck.top == ("us-1",)
    assert event.table.deck.size == 6
    event.asks(US, "cuba").when(US, "cuba").asks(US, "place:1")


def test_un_3_keeps_the_hand_where_nothing_is_exchanged() -> None:
    """Declined: the looked-at card stays on top, its position fixed."""
    event = using(US, "un-3", table()).when("chance", "us-4").when(US).then().asks(US, "cuba")
    assert event.table.deck == Pile(("un-1", "un-2", "us-5", "ussr-4", "ussr-5"), 6, top=("us-4",))


def test_un_3_with_one_card_in_the_deck_gets_the_given_card_back_at_the_end_of_the_turn() -> None:
    """What was put on top is the next card, and of fixed position: the draw takes no lot."""
    s = table(deck=Pile.of(("us-4",)), hands={US: ("un-3", "ussr-2"), USSR: ("ussr-1",)}, plays=6)
    event = given(s, do=Turns()).when(US, "neutral:un-3").when(US, "event").asks("chance", "us-4")
    event.when("chance", "us-4").when(US, "ussr-2").then(TopExchanged(US, US, "ussr-2", "us-4"))
    event.when(US).then(CommandDeclined(US, "un-3"), CardDrawn(US, US, "ussr-2")).asks(USSR)
    event.has(hands={US: ("us-4", "ussr-2"), USSR: ("ussr-1",)}, deck=Pile())


def test_un_3_with_an_empty_deck_only_commands() -> None:
    """Nothing to look at, nothing to exchange."""
    using(US, "un-3", table(deck=Pile())).then(EventUsed(US, "un-3")).asks(US, "cuba")


def test_all_thirteen_cards_of_the_reconstruction_have_a_scenario() -> None:
    """The names of the tests above cover the set."""
    tested = [name for name in globals() if name.startswith("test_u")]
    for card in RECONSTRUCTION.cards:
        assert any(card.id.replace("-", "_") in name.replace("and_", "") for name in tested), card.id


# --------------------------------------------------------------------------- rulings


def test_t_event_slide_one_step_per_territory_and_event_step() -> None:
    """T-EVENT-SLIDE: three cubes, one step."""
    s = table(territories=lying(us_1=("ussr", 0, 0)))
    event = using(US, "us-2", s).when(US, "us-1").when(US, "3")
    event.then(CubesPlaced(US, "us-1", 3, 3, 7), TerritorySlid("us-1", "neutral"))


def test_t_event_slide_away_from_the_owner_of_removed_cubes() -> None:
    """T-EVENT-SLIDE: also where the opponent removes them; a sphere is the end of the line."""
    s = table(territories=lying(un_1=("us", 0, 1)))
    using(US, "us-4", s).when(US, "un-1").then(CubesRemoved(US, USSR, "un-1", 1, 0, 11))


@pytest.mark.parametrize("card", [card.id for card in RECONSTRUCTION.cards])
@pytest.mark.parametrize("me", SIDES)
def test_every_event_step_may_be_declined(card: str, me: str) -> None:
    """The reconstruction's language: every step is "up to"; declining all moves nothing on the table."""
    s = table(
        hands={US: ("us-1", "ussr-2"), USSR: ("ussr-1", "un-3")},
        territories=lying(cuba=("n", 2, 2), us_1=("n", 1, 1), un_1=("us", 2, 2), un_2=("ussr", 1, 1)),
    )
    event = using(me, card, s)
    while event.table.agenda:
        top = event.table.agenda[-1]
        event.when("chance", "us-4") if top.asks(event.table) == ("chance",) else event.when(me)
    event.has(territories=s.territories, supply=s.supply, hands=s.hands)


def test_t_supply_limits_events_too() -> None:
    """T-SUPPLY: one cube left reaches one territory."""
    s = table(supply={US: 1, USSR: 5}, territories=lying(cuba=("n", 0, 0), un_1=("n", 0, 0)))
    using(US, "us-1", s).asks(US, "cuba", "un-1").refuses(US, "cuba", "un-1").when(US, "cuba").asks_nobody()


def test_t_supply_empty_passes_over_a_placing_step() -> None:
    """T-SUPPLY: no seat is asked for what cannot be done."""
    using(US, "us-1", table(supply={US: 0, USSR: 5})).then(EventUsed(US, "us-1")).asks_nobody()


def test_t_cap_limits_events_too() -> None:
    """T-CAP, option max_cubes_per_territory: placing and transferring leave no more than the limit."""
    capped = {"max_cubes_per_territory": 3}
    lie = lying(cuba=("n", 3, 0), us_1=("n", 2, 0), us_2=("n", 0, 0))
    using(US, "us-1", table(capped, territories=lie)).asks(US, "us-1", "us-2")
    using(US, "us-2", table(capped, territories=lie)).when(US, "us-1").then(
        CubesPlaced(US, "us-1", 1, 3, 9), TerritorySlid("us-1", "us_sphere")
    )
    full = lying(cuba=("n", 3, 0), us_1=("n", 2, 0))
    event = using(US, "us-3", table(capped, territories=full))
    event.asks(US, "1:cuba").when(US, "1:cuba").asks(US, "us-1")


# --------------------------------------------------------------------------- any owner's set


def test_op_place_keeps_a_cube_for_each_chosen_territory() -> None:
    """Three cubes, two territories, up to 2 each: the first may take 2, the second then 1."""
    s = own(
        {"op": "place", "per_territory": 2, "territories": 2},
        supply={US: 3, USSR: 9},
        territories=lying(cuba=("n", 0, 0), card_2=("n", 0, 0)),
    )
    event = given(s, do=Place(US, "card-1", 0)).when(US, "cuba", "card-2").asks(US, "1", "2").when(US, "2")
    event.includes(CubesPlaced(US, "cuba", 2, 2, 1), CubesPlaced(US, "card-2", 1, 1, 0)).asks_nobody()
    tight = given(s, CubesPlaced(US, "cuba", 1, 1, 2), do=PlaceCount(US, "card-1", 0, ("cuba", "card-2")))
    tight.includes(CubesPlaced(US, "cuba", 1, 2, 1)).asks_nobody()


def test_op_remove_takes_own_cubes_where_the_card_says_so() -> None:
    """cubes_of executor: they slide away from their owner."""
    step = {"op": "remove", "cubes_of": "executor", "per_territory": 2, "territories": 1}
    s = own(step, territories=lying(cuba=("n", 2, 3)))
    event = given(s, do=Remove(US, "card-1", 0)).when(US, "cuba").asks(US, "1", "2").when(US, "1")
    event.then(CubesRemoved(US, US, "cuba", 1, 1, 11), TerritorySlid("cuba", "ussr_sphere"))
    given(s, do=RemoveCount(US, "card-1", 0, ("cuba",))).asks(US, "1", "2")


def test_op_transfer_needs_another_territory_that_passes_the_filter() -> None:
    """Source and target both pass; without a target no source is offered."""
    step = {"op": "transfer", "up_to": 2, "filter": {"zone": ["neutral"]}}
    lie = lying(cuba=("n", 2, 0), card_2=("us", 2, 0), card_3=("n", 0, 0))
    given(own(step, territories=lie), do=TransferFrom(US, "card-1", 0)).asks(US, "1:cuba", "2:cuba")
    alone = own(step, territories=lying(cuba=("n", 2, 0), card_2=("us", 2, 0)))
    given(alone, do=TransferFrom(US, "card-1", 0)).then().asks_nobody()
    given(own(step, territories=lie), do=TransferTo(US, "card-1", 0, "cuba", 1)).asks(US, "card-3")


@pytest.mark.parametrize(
    ("direction", "options"),
    [
        ("toward_executor", ["us_sphere:cuba", "neutral:card-3"]),
        ("toward_opponent", ["ussr_sphere:cuba", "neutral:card-2"]),
        ("toward_neutral", ["neutral:card-2", "neutral:card-3"]),
        ("either", ["us_sphere:cuba", "ussr_sphere:cuba", "neutral:card-2", "neutral:card-3"]),
    ],
)
def test_op_shift_directions(direction: str, options: list[str]) -> None:
    """One step; what cannot move that way is not offered."""
    lie = lying(cuba=("n", 0, 0), card_2=("us", 0, 0), card_3=("ussr", 0, 0))
    s = own({"op": "shift", "territories": 2, "direction": direction}, territories=lie)
    given(s, do=Shift(US, "card-1", 0)).asks(US, *options)


def test_op_shift_never_moves_a_territory_twice() -> None:
    """Up to so many DIFFERENT territories."""
    lie = lying(cuba=("us", 0, 0), card_2=("us", 0, 0))
    s = own({"op": "shift", "territories": 2, "direction": "either"}, territories=lie)
    event = given(s, do=Shift(US, "card-1", 0)).when(US, "neutral:cuba").asks(US, "neutral:card-2")
    event.when(US, "neutral:card-2").asks_nobody()


def test_op_peek_hand_shows_the_opponents_hand_to_the_executor_only() -> None:
    """All viewers learn that the player looked, and only the player what the card was."""
    seen = HandSeen(US, US, USSR, ("ussr-1", "un-3"))
    given(table(), do=LookAtHand(US, "us-1", 0)).then(seen)
    assert seen.seen_by(USSR) == seen.seen_by(None) == HandSeen(US, US, USSR, ("?", "?"))
    assert seen.seen_by(US) == seen
    assert HandSeen.reveals


def test_op_peek_cuba_shows_it_to_the_executor_only() -> None:
    """T-CUBA, notes A8: that viewer only."""
    seen = CubaSeen(USSR, USSR, "us-3")
    given(table(), do=LookAtCuba(USSR, "ussr-5", 0)).then(seen)
    assert seen.seen_by(US) == seen.seen_by(None) == CubaSeen(USSR, USSR, "?")
    assert CubaSeen.reveals


def test_op_swap_looks_again_at_a_top_that_is_fixed_already() -> None:
    """No second draw for the same position."""
    s = table(deck=Pile(("us-5",), 2, top=("us-4",)))
    given(s, do=LookAtTop(USSR, "un-3", 0)).then(TopSeen(USSR, USSR, "us-4")).asks(USSR, "ussr-1", "un-3")


def test_op_swap_is_secret() -> None:
    """Neither the card given nor the one taken is shown to others; the pick is secret as well."""
    exchanged = TopExchanged(US, US, "us-1", "us-4")
    assert exchanged.seen_by(USSR) == TopExchanged(US, US, "?", "?")
    assert ExchangeTop.secret


def test_op_command_uses_its_own_number_and_filter() -> None:
    """A Command of the event's strength, on a territory that passes."""
    step = {"op": "command", "cubes": 4, "filter": {"colour": ["world_opinion"]}}
    s = own(step, territories=lying(cuba=("n", 0, 0), card_2=("n", 0, 0), card_3=("n", 0, 0)))
    event = given(s, do=Command(US, "card-1", 0)).asks(US, "card-2").when(US, "card-2")
    event.asks(US, "place:1", "place:2", "place:3", "place:4")


@pytest.mark.parametrize(
    ("where", "passing"),
    [
        ({}, ["cuba", "card-2", "card-3", "card-4"]),
        ({"colour": ["military", "political"]}, ["card-3", "card-4"]),
        ({"zone": ["executor"]}, ["card-2"]),
        ({"zone": ["opponent", "neutral"]}, ["cuba", "card-3", "card-4"]),
        ({"cuba": True}, ["cuba"]),
        ({"cuba": False}, ["card-2", "card-3", "card-4"]),
        ({"has_opponent_cubes": True}, ["card-4"]),
        ({"zone": ["neutral"], "cuba": False}, ["card-4"]),
    ],
)
def test_filter_conditions(where: dict[str, Any], passing: list[str]) -> None:
    """Every condition must hold; a colour never means the hidden Cuba."""
    lie = lying(cuba=("n", 1, 0), card_2=("us", 0, 0), card_3=("ussr", 1, 0), card_4=("n", 0, 1))
    s = own({"op": "command", "cubes": 1, "filter": where}, cuba="card-6", territories=lie)
    given(s, do=Command(US, "card-1", 0)).asks(US, *passing)
