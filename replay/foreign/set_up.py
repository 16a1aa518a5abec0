"""The set-up of a log: handicap and bid influence may be written in with the rest, so only the sum tells."""

from __future__ import annotations

from collections.abc import Sequence

from domain.twilight_struggle.components import US, USSR
from replay.foreign.structure import InfluenceChange, Log

FREE = {US: 7, USSR: 6}
MOST = 20  # of the option


def summed(changes: Sequence[InfluenceChange]) -> tuple[InfluenceChange, ...]:
    """The changes of the set-up, one for each side and country, with the last totals of the country."""
    found: dict[tuple[str, str], InfluenceChange] = {}
    last = {one.country: one for one in changes}
    for one in changes:
        key, totals = (one.side, one.country), last[one.country]
        by = one.by + (found[key].by if key in found else 0)
        line = max(one.line, found[key].line if key in found else 0)
        found[key] = InfluenceChange(line, one.side, by, one.country, totals.us, totals.ussr)
    return tuple(one for one in found.values() if one.by)


def _extra(said: Log) -> dict[str, int]:
    placed = {side: sum(one.by for one in said.setup if one.side == side) for side in (US, USSR)}
    return {side: placed[side] - FREE[side] for side in (US, USSR)}


def handicap(said: Log) -> int:
    """Extra influence as an option of a match, above 0 for the US: as placed, else as announced."""
    extra = _extra(said)
    if not said.turns or min(extra.values()) or max(extra.values()) > MOST:
        announced = said.handicap.get(US, 0) or -said.handicap.get(USSR, 0)
        return max(-MOST, min(MOST, announced))
    return extra[US] or -extra[USSR]


def is_explained(said: Log) -> bool:
    """Is what was placed what the handicap, or the handicap and a bid, allow?"""
    extra = sum(_extra(said).values())
    announced = sum(said.handicap.values())
    bids = {0, *(bid.influence for bid in said.bids)}
    return not said.turns or extra in {announced + bid for bid in bids}
