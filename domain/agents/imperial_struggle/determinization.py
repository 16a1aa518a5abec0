"""Imperial Struggle: event cards, investment tiles, awards and war tiles; ministries, and a sealed bid."""

from __future__ import annotations

from msgspec.structs import replace

from domain.agents.determinization import Unseen, below, sample
from domain.agents.spec import Rng
from domain.imperial_struggle.components import SIDES
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.flow import eligible
from domain.kernel import HIDDEN, Seat
from domain.piles import Cards, sorted_cards

LIKELY_BID = 3  # Treaty Points that a player of equal strength would give for a side


def determinize(view: State, rng: Rng) -> State:
    """A whole table that agrees with what a seat knows; any ministries of the era are as likely."""
    table = _with_cards(view, rng)
    for seat in SIDES:
        table = _with_war_tiles(table, seat, rng)
    ministries = {seat: _ministries(table, seat, rng) for seat in SIDES}
    bids = {
        seat: str(below(LIKELY_BID + 1, rng)) if bid == HIDDEN else bid for seat, bid in view.bids.items()
    }
    return replace(table, ministries=ministries, bids=bids)


def _with_cards(view: State, rng: Rng) -> State:
    deck, stack, awards = Unseen(view.deck, rng), Unseen(view.stack, rng), Unseen(view.awards, rng)
    return replace(
        view,
        hands={seat: deck.cards(hand) for seat, hand in view.hands.items()},
        dropped={seat: deck.cards(cards) for seat, cards in view.dropped.items()},
        deck=deck.pile(),
        stack=stack.pile(),
        awards=awards.pile(),
    )


def _with_war_tiles(table: State, seat: Seat, rng: Rng) -> State:
    """The tiles of one side; a tile that is being placed is a Basic one if its pool misses one."""
    basics, bonuses = Unseen(table.basics[seat], rng), Unseen(table.bonuses[seat], rng)
    front = {theatre: basics.card(tile) for theatre, tile in table.front[seat].items()}
    extra = {theatre: bonuses.cards(tiles) for theatre, tiles in table.reinforcements[seat].items()}
    drawn = (basics if basics.elsewhere else bonuses).cards(table.drawn[seat])
    return replace(
        table,
        front={**table.front, seat: front},
        reinforcements={**table.reinforcements, seat: extra},
        drawn={**table.drawn, seat: drawn},
        basics={**table.basics, seat: basics.pile()},
        bonuses={**table.bonuses, seat: bonuses.pile()},
    )


def _ministries(table: State, seat: Seat, rng: Rng) -> Cards:
    held = table.ministries[seat]
    hidden = held.count(HIDDEN)
    if not hidden:
        return held
    known = tuple(card for card in held if card != HIDDEN)
    possible = [card for card in eligible(table, seat) if card not in known]
    return sorted_cards(known, sample(possible, hidden, rng))
