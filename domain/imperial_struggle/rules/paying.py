"""How a purchase can be paid: as Major or as Minor action, from which points, with Debt or Treaty Points.

A purchase of a type is paid either as a Major action would (the tile's Major action, events, exchanged
points) or by the Minor action, to which event points may be added.  Points of a ministry go with either.
Debt and Treaty Points add to an action of that type and share its restriction (5.2, 6.1, 9.1).
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from domain.imperial_struggle.components import BOARD, BR, COUNTRIES, DIPLOMATIC, ECONOMIC, FR
from domain.imperial_struggle.points import DEPLOY, EXPEL, SEIZE, UNFLAG, Limit, Pool, Price, Purchase
from domain.imperial_struggle.rules.board import available_debt, fits, held, in_play
from domain.imperial_struggle.rules.prices import at_most, price, type_of
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Seat

BURKE, TURGOT = "edmund_burke", "turgot"
IGNORED = 2  # Debt a turn that Merchant Banks ignore


class Way(Struct, frozen=True, gc=False):
    """One way to pay: `used` of each pool, `treaty`, and `debts` taken, of which `ignored` do not count.

    `spare`: the extra point of Turgot that this payment leaves over.
    """

    price: Price
    minor: bool
    used: dict[str, int]
    treaty: int
    debts: int
    ignored: int
    spare: int

    @property
    def pick(self) -> str:
        """How the way is called in an answer: the action, and the Treaty Points."""
        return f"{'minor' if self.minor else 'major'}:{self.treaty}"

    @property
    def working(self) -> dict[str, int]:
        """What each source pays; several pools of a card are one source."""
        parts: dict[str, int] = {}
        for name, points in self.used.items():
            source = name.partition(".")[0]
            parts[source] = parts.get(source, 0) + points
        parts |= {"treaty_points": self.treaty, "debt": self.debts}
        parts[TURGOT] = parts.get(TURGOT, 0) + self.price.total - sum(parts.values())
        return {source: points for source, points in parts.items() if points}


@remembered
def ways(s: State, me: Seat, bought: Purchase) -> tuple[Way, ...]:
    """Every way to pay for something now; () where it cannot be paid."""
    cost = price(s, me, bought)
    return tuple(
        way
        for minor in (False, True)
        if not (minor and barred_to_minor(s, me, bought))
        for way in _funded(s, me, cost, payers(s, bought, cost.type, minor=minor), minor=minor)
    )


class Purse(Struct, frozen=True, gc=False):
    """The most that a Major and a Minor action of a type can pay now; -1 where there is none."""

    major: int
    minor: int


NO_ACTION = Purse(-1, -1)
ANYTHING = Purchase("")


@remembered
def purse(s: State, me: Seat, kind: str) -> Purse | None:
    """What can be paid for anything of a type; None where that depends on what is bought."""
    now = s.round
    assert now is not None
    mine = [pool for pool in now.pools if pool.type == kind]
    if {pool.kind for pool in mine} <= {"extra"}:
        return NO_ACTION
    if [pool for pool in mine if pool.limit]:
        return None
    if kind == DIPLOMATIC and (in_play(s, BURKE) or BURKE in now.spent):
        return None
    return _purse_of(s, me, kind, ANYTHING, mine)


def may_hold(known: Purse | None) -> bool:
    """Whether there may be points in a purse; None: that depends on what is bought."""
    return known is None or known.major > 0 or known.minor > 0


def _purse_of(s: State, me: Seat, kind: str, bought: Purchase, mine: list[Pool]) -> Purse:
    """What these pools, which may pay for this very thing, can pay for it."""
    added = most_added(s, me, kind)
    major = _payers(s, bought, kind, mine, minor=False)
    minor = _payers(s, bought, kind, mine, minor=True)
    return Purse(most_paid(major, added), most_paid(minor, added))


def affordable(s: State, me: Seat, bought: Purchase) -> bool:
    """Whether there is a way to pay."""
    return bool(payable(s, me, (bought,), type_of(bought)))


def payable(s: State, me: Seat, among: Iterable[Purchase], kind: str) -> list[Purchase]:
    """What of these things, which all cost points of one type, there is a way to pay for."""
    known = purse(s, me, kind)
    if known is None:
        return [bought for bought in among if _in_purse(s, me, (bought,), _purse_for(s, me, kind, bought))]
    return _in_purse(s, me, among, known) if may_hold(known) else []


def _purse_for(s: State, me: Seat, kind: str, bought: Purchase) -> Purse:
    """What can be paid for this very thing."""
    return _purse_of(s, me, kind, bought, _usable(s, bought, kind))


def _in_purse(s: State, me: Seat, among: Iterable[Purchase], known: Purse) -> list[Purchase]:
    """Those of these for which there are points enough: mostly in a Major action, or in the Minor one."""
    if known.minor <= known.major:
        return at_most(s, me, among, known.major)
    if known.major < 0:
        allowed = [bought for bought in among if not barred_to_minor(s, me, bought)]
        return at_most(s, me, allowed, known.minor)
    return [
        bought
        for bought in among
        if at_most(s, me, (bought,), known.major if barred_to_minor(s, me, bought) else known.minor)
    ]


def most_paid(pools: tuple[Pool, ...], added: int) -> int:
    """The points of these pools, and what can be `added` to an action; -1 without a pool."""
    if not pools:
        return -1
    points = sum([pool.points for pool in pools])
    return points + added if can_be_topped(pools) else points


def can_be_topped(pools: tuple[Pool, ...]) -> bool:
    """9.1, 5.6.1: Debt and Treaty Points add to an action; exchanged points are none, nor are extra ones."""
    return not {pool.kind for pool in pools} <= {"exchange", "extra"}


def most_added(s: State, me: Seat, kind: str) -> int:
    """The most points of a type that Treaty Points and Debt can add to a payment now."""
    debts = max(0, available_debt(s, me)) + _ignorable(s, me, kind)
    return s.treaty[me] + debts + (1 if debts and _turgot(s, me) else 0)


def _ignorable(s: State, me: Seat, kind: str) -> int:
    """Merchant Banks: Debt of this turn that would not count."""
    if kind != ECONOMIC or me != BR or not in_play(s, "merchant_banks"):
        return 0
    return IGNORED - s.merchants


def has_action(s: State, kind: str) -> bool:
    """Whether this round has an action of a type, used up or not (6.1)."""
    now = s.round
    return now is not None and kind in [pool.type for pool in now.pools if pool.kind != "extra"]


# --------------------------------------------------------------------------- which points


def payers(s: State, bought: Purchase, kind: str, *, minor: bool) -> tuple[Pool, ...]:
    """The pools that pay for it, in the order in which they are emptied; () where no action allows it."""
    return _payers(s, bought, kind, _usable(s, bought, kind), minor=minor)


def _usable(s: State, bought: Purchase, kind: str) -> list[Pool]:
    """The pools of a type that may pay for it, whatever the action."""
    now = s.round
    assert now is not None
    return [pool for pool in now.pools if pool.type == kind and allows(s, now.seat, pool.limit, bought)]


def _payers(s: State, bought: Purchase, kind: str, mine: list[Pool], *, minor: bool) -> tuple[Pool, ...]:
    """Those of these pools that pay in one action; see `payers`."""
    kinds = [pool.kind for pool in mine]
    if minor:
        if "minor" not in kinds:
            return ()
        carrying = [pool for pool in mine if pool.kind in ("minor", "event")]
    else:
        carrying = [pool for pool in mine if pool.kind in ("major", "event", "exchange")]
        if not carrying or (kind == DIPLOMATIC and _burke_binds(s, bought)):
            return ()
    if "exchange" in kinds and all(pool.kind == "exchange" for pool in carrying):
        return tuple(carrying)  # 5.6.1: no action, so nothing joins it
    extra = [pool for pool in mine if pool.kind == "extra"]
    if not minor and kind == DIPLOMATIC:
        extra += burke(s, bought)
    paying = extra + carrying
    return tuple(sorted(paying, key=_turn) if len(paying) > 1 else paying)


def _turn(pool: Pool) -> int:
    """When a pool is emptied: what can buy the least comes first, and last what would bind the rest."""
    if pool.name == BURKE:
        return 6
    if pool.limit and pool.kind == "event":
        return 2
    return {"minor": 0, "extra": 1, "exchange": 3, "event": 4, "major": 5}[pool.kind]


def allows(s: State, me: Seat, limit: Limit | None, bought: Purchase) -> bool:
    """Whether restricted points may pay for it."""
    if limit is None:
        return True
    if limit.verbs and bought.verb not in limit.verbs:
        return False
    if not bought.space:
        return not limit.placed
    return fits(s, me, limit.where, bought.space)


def barred_to_minor(s: State, me: Seat, bought: Purchase) -> bool:
    """5.3.2: a Minor action removes no opposing flag without a Conflict marker, and never a Squadron."""
    if bought.verb == UNFLAG:
        if bought.space in s.conflicts:
            return False
        return me != BR or not (_swift(s, bought) or _townshend(s, bought))
    return bought.verb in (SEIZE, EXPEL) or (bought.verb == DEPLOY and bought.space in s.flags)


def _swift(s: State, bought: Purchase) -> bool:
    """Jonathan Swift: with a space of Ireland, Minor diplomatic actions remove French flags in Europe."""
    face = BOARD[bought.space]
    return (
        in_play(s, "jonathan_swift")
        and face.kind == "political"
        and not bought.with_military
        and face.region == "europe"
        and s.flags.get(bought.space) == FR
        and bool(held(s, BR, COUNTRIES["ireland"]))
    )


def _townshend(s: State, bought: Purchase) -> bool:
    """Townshend Acts: Minor economic actions remove flags from markets of one good."""
    return bool(s.townshend) and BOARD[bought.space].good == s.townshend


# --------------------------------------------------------------------------- Edmund Burke


def burke(s: State, bought: Purchase) -> list[Pool]:
    """A diplomatic point for each space of Ireland, while the Major action stays in Europe."""
    now = s.round
    assert now is not None
    if now.seat != BR or not in_play(s, BURKE) or region(bought) != "europe":
        return []
    if any(item.type == DIPLOMATIC and not item.minor and item.region != "europe" for item in now.payments):
        return []
    points = len(held(s, BR, COUNTRIES["ireland"])) - now.spent.get(BURKE, 0)
    return [Pool(BURKE, DIPLOMATIC, "extra", points)] if points > 0 else []


def _burke_binds(s: State, bought: Purchase) -> bool:
    """Once a point of Burke is spent, Major diplomatic points stay in Europe."""
    now = s.round
    return now is not None and BURKE in now.spent and region(bought) != "europe"


def region(bought: Purchase) -> str:
    """The Region where the points go; "" for cards, tiles and new Squadrons."""
    return BOARD[bought.space].region if bought.space else ""


# --------------------------------------------------------------------------- Debt and Treaty Points


def _funded(s: State, me: Seat, cost: Price, pools: tuple[Pool, ...], *, minor: bool) -> tuple[Way, ...]:
    """The ways with these pools: each with another number of Treaty Points."""
    if not pools:
        return ()
    used, short = _drawn(pools, cost.total)
    if not short:
        return (Way(cost, minor, used, 0, 0, 0, 0),)
    if not can_be_topped(pools):
        return ()
    found = (
        _topped(s, me, cost, used, short, treaty, minor=minor)
        for treaty in range(min(short, s.treaty[me]) + 1)
    )
    return tuple(way for way in found if way is not None)


def _drawn(pools: tuple[Pool, ...], total: int) -> tuple[dict[str, int], int]:
    """What each pool pays, and what is missing."""
    used: dict[str, int] = {}
    for pool in pools:
        points = min(pool.points, total)
        if points:
            used[pool.name] = points
            total -= points
    return used, total


def _topped(
    s: State, me: Seat, cost: Price, used: dict[str, int], short: int, treaty: int, *, minor: bool
) -> Way | None:
    """`short` points from Treaty Points and Debt; None where the Debt Limit forbids it (6.3)."""
    debts, spare = short - treaty, 0
    if debts and _turgot(s, me):
        debts, spare = (debts - 1, 0) if debts > 1 else (debts, 1)
    ignored = min(debts, _ignorable(s, me, cost.type))
    if debts - ignored > max(0, available_debt(s, me)):
        return None
    return Way(cost, minor, used, treaty, debts, ignored, spare)


def _turgot(s: State, me: Seat) -> bool:
    """Turgot: the first Debt of a round brings a point more, with more Available Debt than Britain."""
    now = s.round
    if me != FR or not in_play(s, TURGOT) or now is None or now.debts:
        return False
    taken = 1 if s.options.turgot == "after" else 0
    return available_debt(s, FR) - taken > available_debt(s, BR)
