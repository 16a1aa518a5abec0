"""Questions about the table: sums, limits, targets, ties, scores.  `me` is the seat that would act."""

from __future__ import annotations

from domain.cia_vs_kgb.components import GROUPS, OBJECTIVES, Objective
from domain.cia_vs_kgb.state import State
from domain.kernel import Picks, Seat
from domain.piles import Cards, Pile

SEATS: tuple[Seat, Seat] = ("cia", "kgb")
OTHER: dict[Seat, Seat] = {"cia": "kgb", "kgb": "cia"}
DEPUTY = "deputy_director"

FACTION: dict[str, str] = {group.id: group.faction for group in GROUPS.values()}
INFLUENCE: dict[str, int] = {group.id: group.influence for group in GROUPS.values()}
POINTS: dict[str, int] = {objective.id: objective.points for objective in OBJECTIVES.values()}


# ── sums and limits ──


def contested(s: State) -> Objective:
    """The card of the contested objective."""
    assert s.objective is not None
    return OBJECTIVES[s.objective]


def influence(s: State, seat: Seat) -> int:
    """The influence of a side; ready and mobilized groups count alike."""
    return sum([INFLUENCE[group] for group in s.recruited[seat]])


def score(s: State) -> dict[Seat, int]:
    """The victory points of both sides: those of the objectives they won and still have."""
    return {seat: sum([POINTS[objective] for objective in cards]) for seat, cards in s.won.items()}


def has_room(s: State, seat: Seat) -> bool:
    """May this side have one more group (R-POP)?  Reaching the population exactly is allowed."""
    return len(s.recruited[seat]) < contested(s).population


def unruly(s: State) -> tuple[Seat, ...]:
    """The sides in civil disorder: only more than the stability counts (R-EQUAL-STABILITY)."""
    stability = contested(s).stability
    return tuple(seat for seat in SEATS if influence(s, seat) > stability)


# ── what a group can do ──


def can_activate(s: State, me: Seat, group: str) -> bool:
    """Is the group ready, and has its power a target (R-NO-TARGET; an option allows idle activation)?"""
    if group in s.mobilized:
        return False
    return s.options.idle_activation == "allowed" or has_target(s, me, group)


def has_target(s: State, me: Seat, group: str) -> bool:
    """Does the power of this group have a target?"""
    faction = FACTION[group]
    if faction == "media":
        return s.groups.size > 0
    if faction == "military":
        return len(s.recruited["cia"]) + len(s.recruited["kgb"]) > 1
    return bool(economic_targets(s) if faction == "economic" else political_targets(s, me, group))


def military_targets(s: State, me: Seat, group: str) -> Picks:
    """Any other group of either side (R-MILITARY)."""
    return tuple(other for other in s.recruited[OTHER[me]] + s.recruited[me] if other != group)


def economic_targets(s: State) -> Picks:
    """Any group of either side that is not economic (R-ECONOMIC)."""
    groups = s.recruited["cia"] + s.recruited["kgb"]
    return tuple(group for group in groups if FACTION[group] != "economic")


def political_targets(s: State, me: Seat, group: str) -> Picks:
    """ "steal:<group>" and "give:<group>" within the limits (R-POLITICAL, R-POLITICAL-SELF).

    A gift may not leave the opponent above the stability, nor move them further above it; after a theft
    either side may be above it (R-POLITICAL-STEAL-OVER), unless the option `political_ban` forbids every use
    against an opponent who exceeds it.
    """
    foe = OTHER[me]
    slack = contested(s).stability - influence(s, foe)
    if slack < 0 and s.options.political_ban == "every_use":
        return ()
    stolen = [f"steal:{theirs}" for theirs in s.recruited[foe]] if has_room(s, me) else []
    if not has_room(s, foe):
        return tuple(stolen)
    gifts = (mine for mine in s.recruited[me] if mine != group and INFLUENCE[mine] <= slack)
    return (*stolen, *(f"give:{mine}" for mine in gifts))


def military_in_play(s: State) -> Cards:
    """Every military group in front of either side."""
    return tuple(group for group in s.recruited["cia"] + s.recruited["kgb"] if FACTION[group] == "military")


def owner(s: State, group: str) -> Seat:
    """The seat in front of which a group lies."""
    return "cia" if group in s.recruited["cia"] else "kgb"


# ── what an event can do ──


def struggle_events(s: State, me: Seat) -> Picks:
    """The events `me` may use instead of or before an action: each must have an effect."""
    won = s.won[me]
    found = []
    if "live_benefit" in won and s.discards and has_room(s, me):
        found.append("event:live_benefit")
    if "nuclear_escalation" in won and military_in_play(s):
        found.append("event:nuclear_escalation")
    if "summit_meeting" in won and OTHER[me] in s.sent:
        found.append("event:summit_meeting")
    return tuple(found)


def detente_events(s: State, me: Seat) -> Picks:
    """The events `me` may use in Detente: Space Race, if an objective is left to look at; Olympic Games, with
    the agent to bring back."""
    won = s.won[me]
    race = ("event:space_race",) if "space_race" in won and s.objectives.size else ()
    if "olympic_games" not in won:
        return race
    return (*race, *(f"olympic_games:{agent}" for agent in s.fallen[me]))


# ── decks ──


def is_fixed_above(pile: Pile) -> bool:
    """Is the position of the uppermost card fixed, so that it is turned up without a draw?"""
    return bool(pile.top) or not pile.loose


def is_fixed_below(pile: Pile) -> bool:
    """Is the position of the undermost card fixed?"""
    return bool(pile.bottom) or not pile.loose


def to_draw(pile: Pile, count: int) -> int:
    """How many of the `count` uppermost cards chance must still choose."""
    return max(0, min(count - len(pile.top), pile.loose))


def uppermost(pile: Pile, count: int, drawn: Picks) -> Cards:
    """The `count` uppermost cards (fewer if the pile is smaller); `drawn` come from the loose part."""
    return (pile.top + drawn + pile.bottom)[:count]


# ── who prevails, whose agent acts ──


def compared(s: State, faction: str) -> dict[Seat, int]:
    """The weight of each side on one icon of a tie (R-TIE): its sum, or its highest group."""
    weights: dict[Seat, int] = {}
    for seat in SEATS:
        values = [INFLUENCE[group] for group in s.recruited[seat] if FACTION[group] == faction]
        summed = s.options.tie_break == "faction_sum"
        weights[seat] = sum(values) if summed else max(values, default=0)
    return weights


def senders(s: State, agent: str) -> tuple[Seat, ...]:
    """The sides whose revealed, living Agent X is this agent."""
    return tuple(seat for seat in SEATS if s.exposed.get(seat) == agent)


def double_agents(s: State) -> tuple[Seat, ...]:
    """The sides whose Double Agent acts; of two, only that of the token's owner."""
    both = senders(s, "double_agent")
    return both if len(both) < 2 else tuple(seat for seat in both if seat == s.token)


def analysts(s: State) -> tuple[Seat, ...]:
    """The sides whose Analyst acts; of two, only one, and the option `double_analyst` says which."""
    both = senders(s, "analyst")
    if len(both) < 2:
        return both
    if s.token is None:
        return ()
    return (s.token if s.options.double_analyst == "token_owner" else OTHER[s.token],)


def leader(points: dict[Seat, int]) -> Seat | None:
    """The side with more points; None if they are equal."""
    if points["cia"] == points["kgb"]:
        return None
    return "cia" if points["cia"] > points["kgb"] else "kgb"
