"""Imperial Struggle: what a table is worth, in victory points, and how far a playout goes.

The terms are those of the rulebook's scoring as if it came now, the next war as if it were fought now, and
what a side can still do: Debt, Treaty Points, event cards, Squadrons.
"""

from __future__ import annotations

from domain.imperial_struggle.components import BR, FR, LAST_TURN, MARKETS_OF, MEMBERS, WARS
from domain.imperial_struggle.rules.board import available_debt
from domain.imperial_struggle.rules.scoring import EVEN, award, good, prestige
from domain.imperial_struggle.rules.wars import strength
from domain.imperial_struggle.state import State
from domain.kernel import Seat

WON = 1_000.0  # far more than the track has points
SCORED = 0.8  # of what scoring would bring now: it may still change
MARGIN = 0.12  # of each space more in a Region, and each market more of a good
SPACE = 0.1  # of each space at all
STRENGTH = 0.45  # of a point of strength in a theatre, up to `DECISIVE` of them
DECISIVE = 4
TREATY, DEBT, CARD, SQUADRON = 0.35, 0.18, 0.3, 0.25


def evaluate(s: State, seat: Seat) -> float:
    """The points by which a seat leads, with those that its spaces and its strength will bring."""
    if s.result is not None:
        return 0.0 if s.result.winner is None else WON if s.result.winner == seat else -WON
    lead = s.vp - EVEN + _scoring(s) + _war(s) + _spaces(s) + _means(s, FR) - _means(s, BR)
    return lead if seat == FR else -lead


def _for_france(winner: Seat | None, points: float) -> float:
    return 0.0 if winner is None else points if winner == FR else -points


def _scoring(s: State) -> float:
    """What the end of the turn would bring France; in the last turn it counts in full."""
    total = 0.0
    for region in s.laid:
        found = award(s, region)
        total += _for_france(found.winner, found.vp + TREATY * found.treaty)
    shown = prestige(s)
    total += _for_france(shown.winner, shown.vp)
    for name in s.demand:
        reward = good(s, name, demanded=True)
        total += _for_france(reward.winner, reward.vp + DEBT * reward.debt + TREATY * reward.treaty)
    return total * (1.0 if s.turn == LAST_TURN else SCORED)


def _war(s: State) -> float:
    """How much stronger France is in the theatres of the war whose tiles lie."""
    if not s.war:
        return 0.0
    total = 0.0
    for theatre in WARS[s.war].theatres:
        if theatre.id in s.front[BR] and theatre.id in s.front[FR] and theatre.id not in s.fought:
            more = sum(strength(s, FR, theatre.id).values()) - sum(strength(s, BR, theatre.id).values())
            total += STRENGTH * max(-DECISIVE, min(DECISIVE, more))
    return total


def _spaces(s: State) -> float:
    """The spaces that France has more, where they count for a majority, and anywhere."""
    total = SPACE * sum(1 if side == FR else -1 if side == BR else 0 for side in s.flags.values())
    for region in s.laid:
        total += MARGIN * _more(s, MEMBERS[region])
    for name in s.demand:
        total += MARGIN * _more(s, MARKETS_OF[name])
    return total


def _more(s: State, spaces: tuple[str, ...]) -> int:
    owners = [s.flags.get(space) for space in spaces if space not in s.conflicts]
    return max(-4, min(4, owners.count(FR) - owners.count(BR)))


def _means(s: State, side: Seat) -> float:
    """What a side can still do."""
    squadrons = s.navy[side] + s.away[side]
    return (
        TREATY * s.treaty[side]
        + DEBT * available_debt(s, side)
        + CARD * len(s.hands[side])
        + SQUADRON * squadrons
        + CARD * sum(card in s.revealed for card in s.ministries[side])
    )


def is_quiet(before: State, now: State) -> bool:
    """A playout may be cut at the next action round, or outside of one."""
    return now.round is None or before.round is None or now.round.number != before.round.number
