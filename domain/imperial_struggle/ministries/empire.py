"""The ministries of the Empire era.

Elsewhere: Merchant Banks (`rules.paying`), Pompadour & Du Barry (`steps.deeds`), Dupleix, Samuel Johnson
(`rules.scoring`) and Voltaire (`steps.scoring`); what Charles Hanbury Williams saves (`rules.prices`).
"""

from __future__ import annotations

from domain.imperial_struggle.components import DIPLOMATIC, FR, MILITARY, Where
from domain.imperial_struggle.points import BUY, CONSTRUCT, DEPLOY, SHIFT, Limit, Purchase
from domain.imperial_struggle.rules.board import squadrons, to_unflag
from domain.imperial_struggle.rules.paying import affordable, has_action
from domain.imperial_struggle.rules.prices import CHEAP_SHIFTS
from domain.imperial_struggle.rules.registry import ability
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import attach, begin_effect
from domain.imperial_struggle.steps.spending import Pay
from domain.kernel import Resolution, Seat


def _may_construct(s: State, me: Seat, ministry: str) -> bool:
    return bool(s.unbuilt[me]) and affordable(s, me, Purchase(CONSTRUCT, via=ministry))


# --------------------------------------------------------------------------- 11 Choiseul


@ability("choiseul", lambda s, me: has_action(s, MILITARY))
def choiseul(s: State, me: Seat) -> Resolution[State]:
    """A military point more, for Bonus War tiles and deployments."""
    yield from attach(s, me, "choiseul", MILITARY, 1, Limit(verbs=(BUY, DEPLOY)))


@ability(
    "choiseul.construct",
    lambda s, me: bool(squadrons(s, me, ("north_america",))) and _may_construct(s, me, "choiseul"),
)
def choiseul_construct(s: State, me: Seat) -> Resolution[State]:
    """A Squadron for 2 military points, with a Squadron in North America."""
    yield Pay(me, Purchase(CONSTRUCT, via="choiseul"))


# --------------------------------------------------------------------------- 15 Pitt the Elder


@ability("pitt_the_elder", lambda s, me: has_action(s, DIPLOMATIC))
def pitt_the_elder(s: State, me: Seat) -> Resolution[State]:
    """A diplomatic point more, for political spaces without prestige."""
    ordinary = Limit(verbs=SHIFT, where=Where(kinds=("political",), ordinary=True))
    yield from attach(s, me, "pitt_the_elder", DIPLOMATIC, 1, ordinary)


@ability("pitt_the_elder.construct", lambda s, me: _may_construct(s, me, "pitt_the_elder"))
def pitt_construct(s: State, me: Seat) -> Resolution[State]:
    """A Squadron for 2 military points."""
    yield Pay(me, Purchase(CONSTRUCT, via="pitt_the_elder"))


# --------------------------------------------------------------------------- 16 Charles Hanbury Williams

SPY = "charles_hanbury_williams"
FRENCH_FRIENDS = Where(countries=CHEAP_SHIFTS[SPY], owner=FR)


def _may_spy(s: State, me: Seat) -> bool:
    return has_action(s, DIPLOMATIC) and bool(to_unflag(s, me, FRENCH_FRIENDS))


@ability(SPY, _may_spy)
def charles_hanbury_williams(s: State, me: Seat) -> Resolution[State]:
    """For this round, French flags of three countries are a point cheaper to remove."""
    yield from begin_effect(s, me, SPY)
