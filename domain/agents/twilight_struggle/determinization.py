"""Twilight Struggle: hands and the deck; a headline that lies face down in a hand; a sealed bid."""

from __future__ import annotations

from msgspec.structs import replace

from domain.agents.determinization import Unseen, choose
from domain.agents.spec import Rng
from domain.kernel import HIDDEN, Seat
from domain.twilight_struggle.rules.hand import headlines
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import NONE

LIKELY_BID = 3  # influence that a player of equal strength would give for a side


def determinize(view: State, rng: Rng) -> State:
    """A whole table that agrees with what a seat knows; any card that a side could headline is as likely."""
    unseen = Unseen(view.deck, rng)
    hands = {seat: unseen.cards(hand) for seat, hand in view.hands.items()}
    bids = {seat: _bid(bid, rng) for seat, bid in view.bids.items()}
    table = replace(view, hands=hands, bids=bids, deck=unseen.pile())
    if HIDDEN not in table.chosen.values():
        return table
    return replace(table, chosen={seat: _chosen(table, seat, rng) for seat in table.chosen})


def _chosen(table: State, seat: Seat, rng: Rng) -> str:
    known = table.chosen[seat]
    return known if known != HIDDEN else choose(headlines(table, seat) or (NONE,), rng)


def _bid(bid: str, rng: Rng) -> str:
    if bid != HIDDEN:
        return bid
    return choose([f"{side}:{points}" for side in ("us", "ussr") for points in range(LIKELY_BID + 1)], rng)
