"""What each viewer knows: the facts as that viewer sees them, folded into a table."""

from __future__ import annotations

from typing import get_args

from domain.kernel import Fact, fold
from domain.piles import Pile
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.board import US, USSR
from domain.thirteen_minutes.facts import (
    BidMade,
    BidsOpened,
    CardDrawn,
    CardPlayed,
    CubaDealt,
    CubaSeen,
    HandDealt,
    HandSeen,
    TopExchanged,
    TopSeen,
)
from domain.thirteen_minutes.scoring_facts import CubaTurned, LastCardsRevealed
from domain.thirteen_minutes.state import State
from tests.domain.thirteen_minutes.tables import table

FRESH = table(deck=Pile.of(("a", "b", "c", "d", "e", "f", "g")), hands={US: (), USSR: ()}, cuba="")
DEALT: tuple[Fact[State], ...] = (
    HandDealt(US, US, ("a", "b")),
    HandDealt(USSR, USSR, ("c", "d")),
    CubaDealt("e"),
)


def seen(viewer: str | None, *facts: Fact[State]) -> State:
    """The table that a viewer folds."""
    return fold(FRESH, [fact.seen_by(viewer) for fact in (*DEALT, *facts)])


def test_own_hand_is_known_to_its_owner_only() -> None:
    """Notes A8: the opponent's hand and the deck are one heap of possibilities."""
    assert seen(US).hands == {US: ("a", "b"), USSR: ("?", "?")}
    assert seen(US).deck == Pile(("c", "d", "e", "f", "g"), 2)
    assert seen(None).hands == {US: ("?", "?"), USSR: ("?", "?")}


def test_cuba_is_hidden_until_it_is_turned() -> None:
    """Notes A8: no side, unless it looks."""
    assert seen(US).cuba == seen(USSR).cuba == seen(None).cuba == "?"
    assert seen(None, CubaTurned("e", "military")).cuba == "e"
    assert "e" not in seen(None, CubaTurned("e", "military")).deck.cards


def test_cuba_looked_at_is_known_to_that_viewer() -> None:
    """The player knows its place from now on; the others do not."""
    assert seen(US, CubaSeen(US, US, "e")).cuba == "e"
    assert "e" not in seen(US, CubaSeen(US, US, "e")).deck.cards
    assert seen(USSR, CubaSeen(US, US, "e")).cuba == "?"


def test_bids_are_known_to_the_bidder() -> None:
    """Notes A8: the own one, until both are opened."""
    assert seen(US, BidMade(US, US, 1, 3)).bids == {US: 3}
    assert seen(USSR, BidMade(US, US, 1, 3)).bids == {US: "?"}


def test_drawn_card_is_known_to_its_owner() -> None:
    """The deck shrinks for everybody."""
    drawn = CardDrawn(US, US, "f")
    assert seen(US, drawn).hands[US] == ("a", "b", "f")
    assert seen(USSR, drawn).hands[US] == ("?", "?", "?")
    assert seen(USSR, drawn).deck.size == 1


def test_hand_looked_at_stays_known_until_it_is_played() -> None:
    """A later draw is hidden again."""
    facts = (
        HandSeen(US, US, USSR, ("c", "d")),
        CardDrawn(USSR, USSR, "g"),
        CardPlayed(USSR, "d", "neutral", 1),
    )
    assert seen(US, *facts).hands[USSR] == ("?", "c")
    assert seen(None, *facts).hands[USSR] == ("?", "?")
    assert seen(USSR, *facts).hands[USSR] == ("c", "g")


def test_known_top_is_known_in_the_hand_that_draws_it() -> None:
    """A viewer who saw the top card knows where it went; the drawer learns it, others do not."""
    facts = TopSeen(US, US, "f"), CardDrawn(USSR, USSR, "f")
    assert seen(US, *facts).hands[USSR] == ("?", "?", "f")
    assert seen(USSR, *facts).hands[USSR] == ("c", "d", "f")
    assert seen(None, *facts).hands[USSR] == ("?", "?", "?")
    assert seen(USSR, TopSeen(US, US, "f")).deck == Pile(("a", "b", "e", "f", "g"), 2, top=("?",))


def test_exchange_makes_a_looked_at_hand_uncertain_again() -> None:
    """Which of the known cards was given, the other side cannot tell; all of them are possible again."""
    facts = HandSeen(US, US, USSR, ("c", "d")), TopSeen(USSR, USSR, "f"), TopExchanged(USSR, USSR, "d", "f")
    mine = seen(US, *facts)
    assert mine.hands[USSR] == ("?", "?")
    assert mine.deck == Pile(("c", "d", "e", "f", "g"), 2, top=("?",))
    assert seen(USSR, *facts).hands[USSR] == ("c", "f")
    assert seen(USSR, *facts).deck.top == ("d",)


def test_exchange_of_the_only_card_in_a_known_hand_is_no_riddle() -> None:
    """With one card in the hand it must be that one; and a viewer who knew the top knows what was taken."""
    facts = (
        CardPlayed(USSR, "c", "neutral", 1),
        HandSeen(US, US, USSR, ("d",)),
        TopSeen(US, US, "f"),
        TopSeen(USSR, USSR, "f"),
        TopExchanged(USSR, USSR, "d", "f"),
    )
    assert seen(US, *facts).hands[USSR] == ("f",)
    assert seen(US, *facts).deck.top == ("d",)
    assert seen(None, *facts).hands[USSR] == ("?",)


def test_everything_is_public_at_the_end() -> None:
    """Notes A8: Cuba and the last cards are turned up for all."""
    played = CardPlayed(US, "a", "neutral", 1), CardPlayed(USSR, "c", "neutral", 2)
    end = seen(None, *played, CubaTurned("e", "military"), LastCardsRevealed("b", "d"))
    assert (end.cuba, end.hands) == ("e", {US: ("b",), USSR: ("d",)})
    assert end.deck.cards == ("f", "g")


def test_whatever_shows_something_hidden_says_so() -> None:
    """Architecture 2: behind such a fact no takeback goes by agreement, and a batch ends there."""
    shows = {HandDealt, BidsOpened, CardPlayed, CubaSeen, HandSeen, TopSeen, CardDrawn}
    at_the_end = {CubaTurned, LastCardsRevealed}
    assert {fact for fact in get_args(GAME.facts) if fact.reveals} == shows | at_the_end
