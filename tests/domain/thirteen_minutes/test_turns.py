"""The turn: playing a card, whose event it is, drawing (book 002)."""

from __future__ import annotations

from random import Random

import pytest

from domain.piles import Pile
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.board import NEUTRAL, OPPONENT, SIDES, SPHERE, US, USSR
from domain.thirteen_minutes.facts import (
    CardDrawn,
    CardPlayed,
    CommandDeclined,
    EventDeclined,
    EventUsed,
)
from domain.thirteen_minutes.turns import DrawCard, PlayCard, Refill, Turns
from tests.domain.properties import random_match
from tests.domain.thirteen_minutes.tables import lying, table
from tests.scenario import given


@pytest.mark.parametrize("seed", range(20))
def test_t_order_sides_alternate_with_five_plays_each(seed: int) -> None:
    """T-ORDER: the order of the first round stays for the whole battle."""
    played = random_match(GAME, Random(seed))
    sides = [fact.side for fact in played.facts if isinstance(fact, CardPlayed)]
    assert sides == [sides[0], OPPONENT[sides[0]]] * 5
    assert played.end.first == sides[0]


def test_t_order_follows_the_choice_and_the_number_of_plays() -> None:
    """T-ORDER: who is chosen begins; after an odd number of plays it is the other's turn."""
    given(table(first=USSR), do=Turns()).asks(USSR)
    given(table(first=USSR, plays=1), do=Turns()).asks(US)
    given(table(first=USSR, plays=2), do=Turns()).asks(USSR)


def test_t_place_neutral_zone_or_own_sphere_never_the_opponents() -> None:
    """T-PLACE: each hand card may lie in either of two zones."""
    given(table(), do=PlayCard(US)).asks(
        US, "neutral:us-1", "us_sphere:us-1", "neutral:ussr-2", "us_sphere:ussr-2"
    ).refuses(US, "ussr_sphere:us-1").refuses(US, "neutral:un-1")


@pytest.mark.parametrize("zone", [NEUTRAL, SPHERE[US]])
def test_t_place_card_lies_face_up_before_any_effect(zone: str) -> None:
    """Book 002: the played card becomes a territory first, then the action is chosen."""
    played = given(table(), do=PlayCard(US)).when(US, f"{zone}:us-1").then(CardPlayed(US, "us-1", zone, 1))
    played.asks(US, "event", "command")
    assert played.table.territories["us-1"].zone == zone
    assert played.table.hands[US] == ("ussr-2",)
    assert CardPlayed.reveals


def test_t_own_card_is_either_event_or_command() -> None:
    """T-OWN: an own card, one of the two actions, not both."""
    event = given(table(), do=PlayCard(US)).when(US, "neutral:us-1").when(US, "event")
    event.then(EventUsed(US, "us-1")).asks(US, "cuba", "us-1").when(US).then().asks_nobody()
    command = given(table(), do=PlayCard(US)).when(US, "neutral:us-1").when(US, "command")
    command.when(US).then(CommandDeclined(US, "us-1")).asks_nobody()


def test_t_own_card_of_the_un_is_either_event_or_command_for_both_sides() -> None:
    """Book 002, Event: neutral cards may be used by the side that plays them."""
    for me in SIDES:
        s = table(hands={US: ("un-1", "us-1"), USSR: ("un-1", "us-1")})
        given(s, do=PlayCard(me)).when(me, "neutral:un-1").asks(me, "event", "command")


def test_t_opp_opponent_may_run_the_event_before_the_command() -> None:
    """T-OPP: the opponent's event first, as if played by the opponent; then the player's Command."""
    play = given(table(), do=PlayCard(US)).when(US, "us_sphere:ussr-2").asks(USSR, "event")
    play.when(USSR, "event").then(EventUsed(USSR, "ussr-2")).asks(USSR, "ussr-2")
    play.when(USSR, "ussr-2").asks(USSR, "1", "2", "3").when(USSR, "3")
    assert play.table.territories["ussr-2"].ussr == 3
    assert play.table.territories["ussr-2"].zone == NEUTRAL
    play.asks(US, "cuba", "ussr-2")


def test_t_opp_opponent_may_decline() -> None:
    """T-OPP: the opponent may use the event, but need not."""
    play = given(table(), do=PlayCard(US)).when(US, "us_sphere:ussr-2")
    play.when(USSR).then(EventDeclined(USSR, "ussr-2")).asks(US, "cuba", "ussr-2")


def test_t_opp_player_himself_may_only_command() -> None:
    """T-OPP: the player of an opponent's card is never offered its event."""
    play = given(table(), do=PlayCard(US)).when(US, "us_sphere:ussr-2").refuses(US, "event").when(USSR)
    play.refuses(US, "event").when(US, "cuba").asks(US, "place:1", "place:2")


def test_t_old_events_of_territories_are_never_offered_again() -> None:
    """T-OLD-EVENTS: a turn asks for a hand card; what lies on the table already is only a territory."""
    s = table(territories=lying(cuba=("n", 0, 0), us_2=("us", 1, 0), un_2=("n", 0, 0)))
    play = given(s, do=PlayCard(US)).refuses(US, "neutral:us-2").when(US, "neutral:us-1")
    play.asks(US, "event", "command").when(US, "event").then(EventUsed(US, "us-1"))


def test_t_draw_one_card_at_the_end_of_the_turn() -> None:
    """Book 002, Draw a new card: one, unseen by the others."""
    drawn = given(table(), do=Refill(US)).asks("chance", *table().deck.cards).when("chance", "un-2")
    drawn.then(CardDrawn(US, US, "un-2"))
    assert drawn.table.hands[US] == ("un-2", "us-1", "ussr-2")
    assert CardDrawn(US, US, "un-2").seen_by(USSR) == CardDrawn(US, US, "?")


def test_t_draw_has_a_label_for_each_turn() -> None:
    """Coordinates of the draw: battle, seat, number of the play."""
    assert DrawCard(US).label(table(plays=7, battle=2)) == "draw/b2/us/7"
    assert not DrawCard(US).face_up(table())


def test_t_draw_nothing_from_an_empty_deck() -> None:
    """Book 002: when the deck is empty, no side draws any more."""
    given(table(deck=Pile()), do=Refill(US)).then().asks_nobody()


def test_t_draw_takes_a_known_top_card_without_lot() -> None:
    """A position that a card fixed is turned up, not drawn again."""
    s = table(deck=Pile(("us-4", "us-5"), 3, top=("un-1",)))
    given(s, do=Refill(US)).then(CardDrawn(US, US, "un-1")).has(deck=Pile.of(("us-4", "us-5")))


def test_t_draw_battle_ends_when_each_keeps_one_card_and_the_deck_is_empty() -> None:
    """T-DRAW: four rounds with a draw, the fifth without."""
    last = table(deck=Pile(), hands={US: ("us-1",), USSR: ("ussr-1",)})
    given(last, do=Turns()).then().asks_nobody()
    given(table(deck=Pile(), hands={US: ("us-1", "un-1"), USSR: ("ussr-1",)}), do=Turns()).asks(US)


@pytest.mark.parametrize("seed", range(20))
def test_t_draw_always_ten_plays_and_eight_draws(seed: int) -> None:
    """T-DRAW, notes A4: the arithmetic of 13 cards."""
    facts = random_match(GAME, Random(seed)).facts
    assert sum(isinstance(fact, CardPlayed) for fact in facts) == 10
    assert sum(isinstance(fact, CardDrawn) for fact in facts) == 8
