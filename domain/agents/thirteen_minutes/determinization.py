"""13 Minutes: hands, Cuba and the deck; a sealed bid."""

from __future__ import annotations

from msgspec.structs import replace

from domain.agents.determinization import Unseen, below
from domain.agents.spec import Rng
from domain.kernel import HIDDEN
from domain.thirteen_minutes.state import State

LIKELY_BID = 3  # cubes; what is bid is lost, so higher bids are rare


def determinize(view: State, rng: Rng) -> State:
    """A whole table that agrees with what a seat knows; a hidden bid is at most `LIKELY_BID` cubes."""
    unseen = Unseen(view.deck, rng)
    hands = {side: unseen.cards(hand) for side, hand in view.hands.items()}
    cuba = unseen.card(view.cuba)
    bids = {
        side: below(min(LIKELY_BID, view.supply[side]) + 1, rng) if cubes == HIDDEN else cubes
        for side, cubes in view.bids.items()
    }
    return replace(view, hands=hands, cuba=cuba, bids=bids, deck=unseen.pile())
