"""The ministries of the Succession era, and Jacobite Uprisings, which France may have in all three.

Elsewhere: Jonathan Swift (`rules.prices`, `rules.paying`), the economic event of Bank of England
(`rules.menu`), John Law, Court of the Sun King and East India Company (`steps.scoring`).
"""

from __future__ import annotations

from domain.imperial_struggle.components import (
    BOARD,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    TERRITORIES,
)
from domain.imperial_struggle.facts.board import HuguenotsPlaced, HuguenotsTurned
from domain.imperial_struggle.facts.cards import CardDiscarded
from domain.imperial_struggle.facts.flow import PointsRaised
from domain.imperial_struggle.points import CONSTRUCT, SCORE, Purchase
from domain.imperial_struggle.rules.board import held, squadrons
from domain.imperial_struggle.rules.paying import affordable, has_action
from domain.imperial_struggle.rules.prices import HUGUENOTS
from domain.imperial_struggle.rules.purchases import RISING, allowed, shifts
from domain.imperial_struggle.rules.registry import ability, choice
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import Choose
from domain.imperial_struggle.steps.deeds import begin_effect, change_limit, treaty
from domain.imperial_struggle.steps.spending import Pay
from domain.imperial_struggle.steps.tiles import DrawCards, ReshuffleEvents
from domain.kernel import Picks, Resolution, Seat


def _hand(s: State, me: Seat) -> Picks:
    return s.hands[me]


# --------------------------------------------------------------------------- 1 The Cardinal Ministers

CARDINAL_SPACES = (
    "savoy",
    "sardinia",
    "spain_prestige_2",
    "spain_prestige_3",
    "austria_prestige_upper",
    "austria_prestige_lower",
)
MOST_BY_CARDINALS = 3


def _court_abroad(s: State, me: Seat) -> bool:
    """Right after the tile, which shows a diplomatic action, and with a space that counts."""
    now = s.round
    if now is None or now.acted or not held(s, me, CARDINAL_SPACES):
        return False
    return any(pool.type == DIPLOMATIC for pool in now.pools)


@ability("the_cardinal_ministers", _court_abroad)
def the_cardinal_ministers(s: State, me: Seat) -> Resolution[State]:
    """The tile's diplomatic action grows by a point for each of six spaces, at most 3."""
    assert s.round is not None
    points = min(MOST_BY_CARDINALS, len(held(s, me, CARDINAL_SPACES)))
    pool = next(pool for pool in s.round.pools if pool.type == DIPLOMATIC)
    yield PointsRaised(me, pool.name, points, "the_cardinal_ministers")


# --------------------------------------------------------------------------- 4 Jacobite Uprisings

SCORED = "jacobite_uprisings.score"  # as an effect: it was used in this round


def _may_rise(s: State, me: Seat) -> bool:
    """Not in the round that scored, and with something that military points could shift."""
    if s.round is None or SCORED in s.round.effects:
        return False
    return any(
        affordable(s, me, Purchase(bought.verb, bought.space, with_military=True))
        for bought in shifts(s, me, (*COUNTRIES["ireland"], *COUNTRIES["scotland"]))
    )


@ability(RISING, _may_rise)
def rising(s: State, me: Seat) -> Resolution[State]:
    """For this round, military points shift spaces of Ireland and Scotland."""
    yield from begin_effect(s, me, RISING)


def _may_score(s: State, me: Seat) -> bool:
    return s.round is not None and RISING not in s.round.effects and affordable(s, me, Purchase(SCORE))


@ability(SCORED, _may_score)
def uprisings_score(s: State, me: Seat) -> Resolution[State]:
    """3 military points for victory points."""
    yield from begin_effect(s, me, SCORED)
    yield Pay(me, Purchase(SCORE))


# --------------------------------------------------------------------------- 5 Robert Walpole


def _may_draw(s: State, me: Seat) -> bool:
    """There is a card to draw; only option `card_draw` reshuffles the discards for it."""
    return bool(s.deck.size) or (s.options.card_draw == "reshuffle" and bool(s.discards))


@ability("robert_walpole", _may_draw, early=True)
def robert_walpole(s: State, me: Seat) -> Resolution[State]:
    """An event card more, then one less."""
    if not s.deck.size:
        yield ReshuffleEvents()
    yield DrawCards(me, 1)
    yield Choose(me, "robert_walpole")


@choice("robert_walpole", _hand)
def walpole_discards(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """Any card of the hand, the drawn one too."""
    for card in picks:
        yield CardDiscarded(me, card, "robert_walpole")


# --------------------------------------------------------------------------- 8 Bank of England


@ability("bank_of_england", lambda s, me: True, early=True)
def bank_of_england(s: State, me: Seat) -> Resolution[State]:
    """A higher Debt Limit, for good."""
    yield from change_limit(s, me, 1, "bank_of_england")


# --------------------------------------------------------------------------- 9 New World Huguenots

REFUGES = tuple(space for space in TERRITORIES if BOARD[space].region in ("north_america", "caribbean"))
TURN = "new_world_huguenots.turn"


def _refuges(s: State, me: Seat) -> Picks:
    """French Territories of the New World without a marker."""
    return tuple(space for space in REFUGES if s.flags.get(space) == me and space not in s.huguenots)


@ability(HUGUENOTS, lambda s, me: bool(_refuges(s, me)), early=True)
def new_world_huguenots(s: State, me: Seat) -> Resolution[State]:
    """A marker comes into a Territory."""
    yield Choose(me, HUGUENOTS)


@choice(HUGUENOTS, _refuges)
def huguenots_settle(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """The Territory that was chosen has the marker."""
    for space in picks:
        yield HuguenotsPlaced(space)


def _ready(s: State, me: Seat) -> Picks:
    """Markers that may be turned now: a market of their Region can be shifted, and none waits for one."""
    if s.round is None or not s.huguenots or not has_action(s, ECONOMIC):
        return ()
    regions = {BOARD[bought.space].region for bought in allowed(s, me, ECONOMIC)}
    waiting = s.round.effects
    return tuple(
        space
        for space, ready in s.huguenots.items()
        if ready and BOARD[space].region in regions and f"{HUGUENOTS}/{BOARD[space].region}" not in waiting
    )


@ability(TURN, lambda s, me: bool(_ready(s, me)), exhausts=False, lasting=True)
def huguenots_trade(s: State, me: Seat) -> Resolution[State]:
    """A marker is turned, and the next market of its Region costs a point less."""
    yield Choose(me, HUGUENOTS, name=TURN)


@choice(TURN, _ready)
def huguenots_turn(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """The marker that was chosen is used."""
    for space in picks:
        s = yield HuguenotsTurned(space, False)
        yield from begin_effect(s, me, f"{HUGUENOTS}/{BOARD[space].region}")


# --------------------------------------------------------------------------- 10 Edmond Halley

CHARTED = Purchase(CONSTRUCT, via="edmond_halley")


def _may_chart(s: State, me: Seat) -> bool:
    return bool(s.unbuilt[me]) and affordable(s, me, CHARTED)


@ability("edmond_halley", _may_chart)
def edmond_halley(s: State, me: Seat) -> Resolution[State]:
    """A Squadron for 2 military points."""
    yield Pay(me, CHARTED)


def _may_write(s: State, me: Seat) -> bool:
    return bool(s.hands[me]) and bool(squadrons(s, me, ("europe",)))


@ability("edmond_halley.letters", _may_write, early=True)
def halley_letters(s: State, me: Seat) -> Resolution[State]:
    """An event card for a Treaty Point, with a Squadron in Europe."""
    yield Choose(me, "edmond_halley", name="edmond_halley.letters")


@choice("edmond_halley.letters", _hand)
def halley_discards(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """The card that was chosen goes, and the Treaty Point comes."""
    for card in picks:
        s = yield CardDiscarded(me, card, "edmond_halley")
        s = yield from treaty(s, me, 1, "edmond_halley")
