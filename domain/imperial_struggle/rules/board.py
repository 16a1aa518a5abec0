"""Questions about the board: who has what, which spaces fit, protection, connection, isolation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from domain.imperial_struggle.components import (
    BOARD,
    MARKETS,
    MINISTRIES,
    NAVAL,
    NEXT,
    OTHER,
    USA,
    Space,
    Where,
)
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Seat


def is_open(s: State, space: str) -> bool:
    """3.2.1: some political spaces open later; the two of the USA only if a USA flag is on the board."""
    face = BOARD[space]
    if not face.opens:
        return True
    return face.opens <= s.turn and (face.country != USA or USA in s.flags.values())


def opposing(s: State, me: Seat, space: str) -> bool:
    """3.2.8: the other player's flag (or, with 12.1, a Spanish one); USA flags belong to no side and stay."""
    owner = s.flags.get(space)
    return owner is not None and owner not in (me, USA)


def empty(s: State, space: str) -> bool:
    """No flag stands there, and one may."""
    return space not in s.flags and is_open(s, space)


def counts(s: State, me: Seat, space: str) -> bool:
    """3.8: `me` has the space, and no Conflict marker lies there."""
    return s.flags.get(space) == me and space not in s.conflicts


def held(s: State, me: Seat, among: Iterable[str]) -> tuple[str, ...]:
    """Those spaces that count for a side."""
    return tuple(space for space in among if s.flags.get(space) == me and space not in s.conflicts)


def flagged(s: State, me: Seat, among: Iterable[str]) -> tuple[str, ...]:
    """Those spaces where an event finds a flag of a side; option `conflicted_flags` reads 3.8 for it."""
    if s.options.conflicted_flags == "counted":
        return tuple(space for space in among if s.flags.get(space) == me)
    return held(s, me, among)


def squadrons(s: State, me: Seat, regions: Iterable[str] = ()) -> tuple[str, ...]:
    """The naval spaces where a side has a Squadron, in these Regions or (none named) anywhere."""
    found = tuple(space for space in NAVAL if s.flags.get(space) == me)
    wanted = tuple(regions)
    return tuple(space for space in found if BOARD[space].region in wanted) if wanted else found


def fits(s: State, me: Seat, where: Where, space: str) -> bool:
    """Whether a space fits the description now."""
    return space in printed(where) and _stands(s, me, where, space)


@lru_cache(maxsize=1024)  # descriptions stand on cards and tiles, and few are made up by an event
def printed(where: Where) -> Picks:
    """The spaces that fit by what stands on the board, in its order."""
    return tuple(id for id, face in BOARD.items() if _printed(where, face))


def _printed(where: Where, face: Space) -> bool:
    """The part of `fits` that stands on the board."""
    if where.kinds and face.kind not in where.kinds:
        return False
    if where.regions and face.region not in where.regions:
        return False
    if where.subregions and face.subregion not in where.subregions:
        return False
    if where.countries and face.country not in where.countries:
        return False
    if where.spaces and face.id not in where.spaces:
        return False
    if where.goods and face.good not in where.goods:
        return False
    return not (
        (where.alliance and not face.alliance)
        or (where.local and not face.local)
        or (where.ordinary and face.prestige)
        or face.country in where.not_countries
    )


def _stands(s: State, me: Seat, where: Where, space: str) -> bool:
    """The part of `fits` that depends on flags."""
    if where.owner and s.flags.get(space) != where.owner:
        return False
    if where.near_own and not any(
        BOARD[line].kind == "market" for line in flagged(s, me, BOARD[space].lines)
    ):
        return False
    return not (where.unprotected and protected(s, space))


def matching(s: State, me: Seat, where: Where) -> Picks:
    """The spaces that fit and are open, in the order of the board."""
    return tuple([space for space in printed(where) if is_open(s, space) and _stands(s, me, where, space)])


def to_unflag(s: State, me: Seat, where: Where, *, conflicted: bool = True) -> Picks:
    """Opposing flags that fit, on markets and political spaces: nothing else loses its flag to an event."""
    return tuple(
        space
        for space in matching(s, me, where)
        if BOARD[space].kind in ("political", "market")
        and opposing(s, me, space)
        and (conflicted or space not in s.conflicts)
    )


def to_shift(s: State, me: Seat, where: Where) -> Picks:
    """What one shift may touch."""
    return tuple(
        space
        for space in matching(s, me, where)
        if BOARD[space].kind in ("political", "market") and (space not in s.flags or opposing(s, me, space))
    )


def to_trouble(s: State, me: Seat, where: Where) -> Picks:
    """3.8: markets and political spaces without a Conflict marker, flagged by either side or empty."""
    return tuple(_troubled(s, me, where))


def finds_trouble(s: State, me: Seat, where: Where) -> bool:
    """Whether there is such a space."""
    return next(_troubled(s, me, where), None) is not None


def _troubled(s: State, me: Seat, where: Where) -> Iterator[str]:
    for space in printed(where):
        if (
            space not in s.conflicts
            and BOARD[space].kind in ("political", "market")
            and s.flags.get(space) != USA
            and is_open(s, space)
            and _stands(s, me, where, space)
        ):
            yield space


def protected(s: State, space: str) -> bool:
    """3.2.8: flagged, and connected to a Squadron or an undamaged Fort of the same side."""
    owner = s.flags.get(space)
    return owner is not None and any(
        s.flags.get(line) == owner and line not in s.damaged for line in NEXT[space]["guards"]
    )


def connected(s: State, me: Seat, space: str) -> bool:
    """5.4.1: whether a side may shift this market, as the action round stands."""
    return space in reached(s, me)


@remembered
def reached(s: State, me: Seat) -> frozenset[str]:
    """The markets next to a base of a side, or to a market of it that connects others.

    Such a market has no Conflict marker, and was this side's and not isolated when the action round began.
    """
    now = s.round
    cut_off = (*s.conflicts, *now.isolated, *now.changed) if now else s.conflicts
    return frozenset(
        market
        for space, owner in s.flags.items()
        if owner == me and not (space in cut_off and BOARD[space].kind == "market")
        for market in NEXT[space]["markets"]
    )


def isolated(flags: Mapping[str, Seat], conflicts: Mapping[str, int]) -> tuple[str, ...]:
    """5.4.1: flagged markets without a chain of own, unconflicted markets to an own base.

    A Conflict marker on the market itself does not isolate it, but nothing beyond it is reached through it.
    A damaged Fort is a base.  USA flags are bases of neither side; Spanish markets are never isolated.
    """
    chained: set[str] = set()
    pending = [
        space
        for space in MARKETS
        if (owner := flags.get(space)) is not None
        and owner in [flags.get(line) for line in NEXT[space]["bases"]]
    ]
    while pending:
        space = pending.pop()
        if space in chained:
            continue
        chained.add(space)
        if space not in conflicts:
            owner = flags[space]
            near = NEXT[space]["markets"]
            pending += [line for line in near if line not in chained and flags.get(line) == owner]
    return tuple([space for space in MARKETS if space not in chained and flags.get(space) in OTHER])


def harmless(s: State, markets: Picks) -> Picks:
    """Those of these markets whose loss isolates no other market."""
    before = set(isolated(s.flags, s.conflicts))

    def isolates(space: str) -> bool:
        left = {other: owner for other, owner in s.flags.items() if other != space}
        return any(other not in before for other in isolated(left, s.conflicts))

    return tuple(space for space in markets if not isolates(space))


def in_play(s: State, ministry: str) -> bool:
    """Whether a ministry lies open before its side."""
    return ministry in s.revealed


def keywords(s: State, me: Seat, keyword: str) -> int:
    """How many open ministries of a side have a keyword."""
    return sum(keyword in MINISTRIES[card].keywords for card in s.revealed if MINISTRIES[card].side == me)


def available_debt(s: State, me: Seat) -> int:
    """6.4: Debt Limit less Debt."""
    return s.limit[me] - s.debt[me]
