"""The scoring of regions, and the winner (book 003 and 000, section 10)."""

from __future__ import annotations

from msgspec.structs import replace

from domain.kernel import Seat
from domain.twilight_struggle.components import (
    BATTLEGROUNDS,
    MEMBERS,
    OTHER,
    REGIONS,
    SOUTHEAST_ASIA_POINTS,
    US,
    USSR,
)
from domain.twilight_struggle.facts.tracks import RegionScored, Tally
from domain.twilight_struggle.rules.board import controlled, in_force, touches
from domain.twilight_struggle.state import State

MOST = 20
EUROPE_CONTROLLED = 0  # what Control of Europe scores: it wins the game instead


def score(s: State) -> dict[Seat, int]:
    """The victory points as each side sees them."""
    return {US: s.vp, USSR: -s.vp}


def leader(vp: int) -> Seat | None:
    """The side that leads on the victory track; None at 0."""
    return None if vp == 0 else US if vp > 0 else USSR


def scored(s: State, region: str, left_out: str = "") -> RegionScored:
    """10.1: how a region scores; `left_out` is not counted for the USSR (Shuttle Diplomacy)."""
    if region == "southeast_asia":
        us, ussr = _southeast_asia(s, US), _southeast_asia(s, USSR)
    else:
        held = {side: controlled(s, side, MEMBERS[region]) for side in (US, USSR)}
        held[USSR] = tuple(country for country in held[USSR] if country != left_out)
        us, ussr = (_tally(s, region, side, held) for side in (US, USSR))
    return RegionScored(region, us, ussr, us.points - ussr.points)


def _southeast_asia(s: State, side: Seat) -> Tally:
    countries = controlled(s, side, tuple(SOUTHEAST_ASIA_POINTS))
    return Tally("none", sum(SOUTHEAST_ASIA_POINTS[country] for country in countries), countries)


def _tally(s: State, region: str, side: Seat, held: dict[Seat, tuple[str, ...]]) -> Tally:
    grounds = {one: _battlegrounds(s, region, held[one]) for one in (US, USSR)}
    every = len(BATTLEGROUNDS[region]) + taiwan_counts(s, region)
    status = _status(held[side], held[OTHER[side]], grounds[side], grounds[OTHER[side]], every)
    adjacent = tuple(country for country in held[side] if touches(OTHER[side], country))
    points = _worth(region, status) + len(grounds[side]) + len(adjacent)
    return Tally(status, points, held[side], grounds[side], adjacent)


def _battlegrounds(s: State, region: str, held: tuple[str, ...]) -> tuple[str, ...]:
    taiwan = ("taiwan",) if taiwan_counts(s, region) else ()
    return tuple(country for country in held if country in BATTLEGROUNDS[region] or country in taiwan)


def taiwan_counts(s: State, region: str) -> bool:
    """Formosan Resolution: Taiwan is a battleground of Asia while the US controls it."""
    return region == "asia" and in_force(s, "formosan_resolution") and bool(controlled(s, US, ("taiwan",)))


def _status(
    own: tuple[str, ...], their: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...], every: int
) -> str:
    """10.1.1: Presence, Domination or Control."""
    if not own:
        return "none"
    if len(own) > len(their) and len(ours) == every:
        return "control"
    more = len(own) > len(their) and len(ours) > len(theirs)
    return "domination" if more and ours and len(own) > len(ours) else "presence"


def _worth(region: str, status: str) -> int:
    worth = REGIONS[region]
    if status == "control":
        return worth.control or EUROPE_CONTROLLED
    return {"none": 0, "presence": worth.presence, "domination": worth.domination}[status]


def status_of(s: State, region: str, side: Seat) -> str:
    """What a side has in a region now, for Summit; Formosan Resolution counts for scoring only."""
    beside = tuple(card for card in s.beside if card != "formosan_resolution")
    working = scored(replace(s, beside=beside), region)
    return working.us.status if side == US else working.ussr.status


def winner_of_europe(working: RegionScored) -> Seat | None:
    """The side that wins the game by Control of Europe; None if neither does."""
    if working.region != "europe":
        return None
    return next(
        (side for side, tally in ((US, working.us), (USSR, working.ussr)) if tally.status == "control"), None
    )


def final_winner(s: State, vp: int) -> Seat | None:
    """10.3.2: the leader wins; in the Late War scenario the US needs 20 points, else the USSR wins."""
    if s.options.scenario == "late_war":
        return US if vp >= MOST else USSR
    return leader(vp)
