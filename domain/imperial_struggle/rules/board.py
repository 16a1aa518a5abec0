"""Questions about the board: who has what, which spaces fit, protection, connection, isolation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache, lru_cache

from domain.imperial_struggle.components import (
    BASES,
    BOARD,
    GUARDS,
    MARKETS,
    MINISTRIES,
    NAVAL,
    OTHER,
    POLITICAL,
    TRADE,
    USA,
    Space,
    Where,
)
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Seat

_MARKETS = frozenset(MARKETS)
USA_OPENS = min(BOARD[space].opens for space in POLITICAL if BOARD[space].country == USA)


def is_open(s: State, space: str) -> bool:
    """3.2.1: some political spaces open later; the two of the USA only if a USA flag is on the board."""
    face = BOARD[space]
    if not face.opens:
        return True
    return face.opens <= s.turn and (face.country != USA or USA in s.flags.values())


def open_political(s: State) -> Picks:
    """The political spaces that are open."""
    return _open_political(s.turn, s.turn >= USA_OPENS and USA in s.flags.values())


@cache
def _open_political(turn: int, usa: bool) -> Picks:
    """Those that are open on a turn; `usa`: a USA flag is on the board."""
    return tuple([id for id in POLITICAL if BOARD[id].opens <= turn and (usa or BOARD[id].country != USA)])


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
    found = tuple([space for space in NAVAL if s.flags.get(space) == me])
    wanted = tuple(regions)
    return tuple([space for space in found if BOARD[space].region in wanted]) if wanted else found


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
    spaces = [space for space in printed(where) if not BOARD[space].opens or is_open(s, space)]
    if where.owner or where.near_own or where.unprotected:
        spaces = [space for space in spaces if _stands(s, me, where, space)]
    return tuple(spaces)


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
    return owner is not None and owner in [
        s.flags.get(line) for line in GUARDS[space] if line not in s.damaged
    ]


def connected(s: State, me: Seat, space: str) -> bool:
    """5.4.1: whether a side may shift this market, as the action round stands."""
    return space in reached(s, me)


def connected_markets(s: State, me: Seat) -> Picks:
    """5.4.1: the markets that a side may shift, unless its own flag or one of the USA stands there."""
    near = reached(s, me)
    return tuple([market for market in MARKETS if market in near])


@remembered
def reached(s: State, me: Seat) -> Set[str]:
    """The markets next to a base of a side, or to a market of it that connects others.

    Such a market has no Conflict marker, and was this side's and not isolated when the action round began.
    """
    now = s.round
    cut_off = _MARKETS.intersection((*s.conflicts, *now.isolated, *now.changed) if now else s.conflicts)
    return set().union(
        *[TRADE[space] for space, owner in s.flags.items() if owner == me and space not in cut_off]
    )


def isolated(flags: Mapping[str, Seat], conflicts: Mapping[str, int]) -> tuple[str, ...]:
    """5.4.1: flagged markets without a chain of own, unconflicted markets to an own base.

    A Conflict marker on the market itself does not isolate it, but nothing beyond it is reached through it.
    A damaged Fort is a base.  USA flags are bases of neither side; Spanish markets are never isolated.
    """
    by_base = {(market, flags[base]) for base in BASES if base in flags for market in TRADE[base]}
    apart = [space for space in MARKETS if space in flags and (space, flags[space]) not in by_base]
    while True:
        beyond = {*conflicts, *apart}
        left = [space for space in apart if not _joins(flags, beyond, space)]
        if len(left) == len(apart):
            return tuple([space for space in left if flags[space] in OTHER])
        apart = left


def _joins(flags: Mapping[str, Seat], beyond: Set[str], space: str) -> bool:
    """Whether a market is next to one of its side that is not in conflict or apart itself (`beyond`)."""
    return flags[space] in [flags.get(line) for line in TRADE[space] if line not in beyond]


def harmless(s: State, markets: Picks) -> Picks:
    """Those of these markets whose loss isolates no other market."""
    before = set(isolated(s.flags, s.conflicts))

    def isolates(space: str) -> bool:
        if s.flags[space] not in [s.flags.get(line) for line in TRADE[space]]:
            return False  # no market of its side is next to it
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
