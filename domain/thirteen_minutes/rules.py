"""Questions about the table: whose turn it is, what may be touched, who controls what, who started a war."""

from __future__ import annotations

from domain.kernel import Ended, Seat
from domain.thirteen_minutes.board import (
    CAMPAIGN_TARGET,
    COLOURS,
    CUBA,
    CUBES,
    MILITARY,
    NEUTRAL,
    OPPONENT,
    SIDES,
    SPHERE,
    US,
    USSR,
    WAR_SYMBOLS,
    ZONES,
    Side,
    Territory,
    Zone,
)
from domain.thirteen_minutes.components import RECONSTRUCTION, Card, CardSet, Filter
from domain.thirteen_minutes.state import State

VP_CUBA = 2
_RECONSTRUCTED = {card.id: card for card in RECONSTRUCTION.cards}

# --------------------------------------------------------------------------- the cards of the match


def card(s: State, card_id: str) -> Card:
    """A card of the set that this match is played with."""
    own = s.options.card_set
    if isinstance(own, CardSet):
        return next(card for card in own.cards if card.id == card_id)
    return _RECONSTRUCTED[card_id]


def card_ids(s: State) -> tuple[str, ...]:
    """The ids of all cards of this match."""
    own = s.options.card_set
    return tuple(card.id for card in (own if isinstance(own, CardSet) else RECONSTRUCTION).cards)


# --------------------------------------------------------------------------- the course of a battle


def side_to_move(s: State) -> Side:
    """The sides alternate; the order of the first round stays (ruling T-ORDER)."""
    return s.first if s.plays % 2 == 0 else OPPONENT[s.first]


def all_played(s: State) -> bool:
    """The deck is empty and each side holds its last card."""
    return s.deck.size == 0 and all(len(hand) == 1 for hand in s.hands.values())


def is_opponents(s: State, me: Side, card_id: str) -> bool:
    """Does the card belong to the other superpower?"""
    return card(s, card_id).alignment == OPPONENT[me]


# --------------------------------------------------------------------------- cubes and the line of zones


def one_step(zone: Zone, toward: Side) -> Zone:
    """The next zone toward a side's edge of the table; at the end of the line a territory stays."""
    i = ZONES.index(zone) + (-1 if toward == US else 1)
    return ZONES[min(max(i, 0), len(ZONES) - 1)]


def room(s: State, me: Side, territory: str) -> int:
    """How many more cubes of the side may lie there (option max_cubes_per_territory, each side by itself)."""
    cap = s.options.max_cubes_per_territory
    return CUBES if cap is None else max(0, cap - s.territories[territory].cubes(me))


def placeable(s: State, me: Side, territory: str) -> int:
    """How many cubes the side can place there from its supply."""
    return min(s.supply[me], room(s, me, territory))


def passes(s: State, where: Filter, me: Side, territory: str) -> bool:
    """May this step, executed by `me`, touch this territory?"""
    lies = s.territories[territory]
    return (
        (not where.colour or (territory != CUBA and card(s, territory).defcon in where.colour))
        and (not where.zone or lies.zone in _zones(where, me))
        and (where.cuba is None or where.cuba == (territory == CUBA))
        and not (where.has_opponent_cubes and not lies.cubes(OPPONENT[me]))
    )


def _zones(where: Filter, me: Side) -> list[Zone]:
    named = {"neutral": NEUTRAL, "executor": SPHERE[me], "opponent": SPHERE[OPPONENT[me]]}
    return [named[place] for place in where.zone]


# --------------------------------------------------------------------------- scoring


def controller(territory: Territory) -> Side | None:
    """More cubes control; equal numbers, none included: the side in whose sphere it lies (T-CONTROL)."""
    if territory.us != territory.ussr:
        return US if territory.us > territory.ussr else USSR
    return in_sphere(territory)


def in_sphere(territory: Territory) -> Side | None:
    """The side in whose sphere the territory lies."""
    return next((side for side in SIDES if SPHERE[side] == territory.zone), None)


def controlled(s: State, side: Side | None) -> tuple[str, ...]:
    """The territories that a side (None: neither side) controls."""
    return tuple(name for name, lies in s.territories.items() if controller(lies) == side)


def territory_points(s: State, side: Side) -> int:
    """1 VP for each territory under control, 2 for Cuba."""
    return sum(VP_CUBA if name == CUBA else 1 for name in controlled(s, side))


def symbol(s: State, territory: str) -> Card:
    """The card that lies there; callers ask it of Cuba only once that card is turned over."""
    return card(s, s.cuba if territory == CUBA else territory)


def military(s: State, side: Side) -> tuple[str, ...]:
    """The military territories that count for a side, by control or by sphere (option military_by)."""
    counts_for = controller if s.options.military_by == "control" else in_sphere
    return tuple(
        name
        for name, lies in s.territories.items()
        if symbol(s, name).defcon == MILITARY and counts_for(lies) == side
    )


def aftermath(s: State, side: Side) -> int:
    """The numbers printed on the superpower's cards among the two last ones, in either hand, added up."""
    last = [card(s, hand[0]) for hand in s.hands.values()]
    return sum(kept.command for kept in last if kept.alignment == side)


def higher(us: int, ussr: int) -> Side | None:
    """The side with the higher number, None when they are equal."""
    return None if us == ussr else US if us > ussr else USSR


def symbols(s: State, side: Side) -> dict[str, int]:
    """How many symbols of each colour lie in a side's sphere, controlled by it or not."""
    lying: list[str] = [
        symbol(s, name).defcon for name, lies in s.territories.items() if in_sphere(lies) == side
    ]
    return {colour: lying.count(colour) for colour in COLOURS}


def started_war(us: dict[str, int], ussr: dict[str, int]) -> str:
    """Three symbols of one colour in one's sphere start the war: "us", "ussr", "both" or "" (neither)."""
    starters = [side for side, found in ((US, us), (USSR, ussr)) if max(found.values()) >= WAR_SYMBOLS]
    return "both" if len(starters) == 2 else "".join(starters)


# --------------------------------------------------------------------------- results


def battle_winner(s: State) -> Side | None:
    """The winner of the battle; None with equal VP (option equal_vp) or if both started the war."""
    if s.war:
        return None if s.war == "both" else OPPONENT[s.war]
    return higher(s.vp[US], s.vp[USSR])


def totals(s: State) -> dict[Seat, int]:
    """The VP of each seat over all battles, this one included."""
    return {seat: s.totals.get(seat, 0) + s.vp[side] for side, seat in sorted(s.seats.items())}


def outcome(s: State) -> Ended[State] | None:
    """How the match ends after this battle; None if the campaign goes on."""
    if s.war:
        winner = battle_winner(s)
        reason = "nuclear_war" if winner else "nuclear_war_both"
        return Ended(s.seats[winner] if winner else None, reason, s.totals)
    if not s.options.campaign:
        return _by_points(s, "more_points", "equal_points")
    last = s.battle >= s.options.campaign_battles
    if max(s.totals.values()) < CAMPAIGN_TARGET:
        return _by_points(s, "campaign_over", "campaign_equal") if last else None
    play_on = s.options.campaign_equal == "play_on" and not last
    return _by_points(s, "campaign_points", "" if play_on else "campaign_equal")


def _by_points(s: State, reason: str, equal: str) -> Ended[State] | None:
    """The higher total wins; equal totals end the match for the reason `equal`, or not at all without one."""
    most = max(s.totals.values())
    leaders = [seat for seat, points in s.totals.items() if points == most]
    if len(leaders) == 1:
        return Ended(leaders[0], reason, s.totals)
    return Ended(None, equal, s.totals) if equal else None


def score(s: State) -> dict[Seat, int]:
    """The VP of each seat: those of finished battles, and those of the current one.

    Before the current battle is scored, its territories count as they lie now: that needs no colour and no
    hidden card, so every viewer computes the same.
    """
    if s.over or not s.seats:
        return {seat: s.totals.get(seat, 0) for seat in SIDES}
    current = s.vp or {side: territory_points(s, side) for side in SIDES}
    return {seat: s.totals.get(seat, 0) + current[side] for side, seat in sorted(s.seats.items())}
