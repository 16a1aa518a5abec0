"""Action points, what they buy, and what has happened in the action round that is being played."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.imperial_struggle.components import Where
from domain.kernel import Seat

# What points buy.  "flag" and "unflag" are the two halves of a shift (3.2.8).
FLAG, UNFLAG = "flag", "unflag"
DRAW = "draw"  # an event card, 5.5.3
BUY, CLEAR, BUILD, REPAIR, SEIZE = "buy", "clear", "build", "repair", "seize"  # 5.6.1 to 5.6.4
CONSTRUCT, DEPLOY, EXPEL = "construct", "deploy", "expel"  # 5.6.5, 5.6.6; expel: a Squadron is sent home
SCORE, EXCHANGE = "score", "exchange"  # the second ability of Jacobite Uprisings; 5.6.1 on turn 6
SHIFT = (FLAG, UNFLAG)


class Limit(Struct, frozen=True, gc=False, omit_defaults=True):
    """What restricted points may buy: these verbs (any, where none is named), in these spaces.

    `placed`: only what happens in a space, so neither cards nor Bonus War tiles nor new Squadrons.
    """

    verbs: tuple[str, ...] = ()
    where: Where = Where()
    placed: bool = False


class Pool(Struct, frozen=True, gc=False, omit_defaults=True):
    """Points of one type from one source.

    `kind`: "major" and "minor" are the actions of the tile; "event" is a Major action of its own, and adds to
    either; "exchange" (turn 6, 5.6.1) buys as a Major action does but cannot be topped up.  "extra" points of
    a ministry go with an action of their type that the round has.
    """

    name: str
    type: str
    kind: Literal["major", "minor", "event", "exchange", "extra"]
    points: int
    limit: Limit | None = None


class Price(Struct, frozen=True, gc=False, omit_defaults=True):
    """What something costs, and why: (reason, points) in the order of the rules, which add up to `total`."""

    type: str
    total: int
    working: tuple[tuple[str, int], ...] = ()


class Purchase(Struct, frozen=True, gc=False, omit_defaults=True, cache_hash=True):
    """Something that points buy: a verb, its space (or none), and what makes it cheaper or possible (`via`).

    `origin` is where a deployed Squadron comes from; `with_military`: the Jacobites shift with military
    points; `free`: the advantage is not Exhausted by it.
    """

    verb: str
    space: str = ""
    via: str = ""
    origin: str = ""
    with_military: bool = False
    free: bool = False


class Payment(Struct, frozen=True, gc=False, omit_defaults=True):
    """Where points of a type went in this round (region "": into no Region), and by which kind of action."""

    type: str
    region: str
    minor: bool


class ActionRound(Struct, frozen=True, gc=False, omit_defaults=True):
    """What has happened in the action round that is being played.

    `isolated` and `at_start`: the isolated markets, and every flag, when it began.  `pools` are the points
    that are left, `spent` what each pool has paid, `payments` where that went.  `acted`: it is too late to
    pass.  `changed`: spaces that changed hands; `taken`: advantages that came to this side; `used`: those it
    used.  `effects` last for the round.  `debts`: Debt taken by choice.  `troubled`: where Conflict markers
    lay when it began.
    """

    seat: Seat
    number: int
    isolated: tuple[str, ...] = ()
    at_start: dict[str, Seat] = {}
    tile: str = ""
    pools: tuple[Pool, ...] = ()
    spent: dict[str, int] = {}
    payments: tuple[Payment, ...] = ()
    event: str = ""
    bonus: bool = False
    upgrade: bool = False
    acted: bool = False
    bought: int = 0
    changed: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    exchanged: str = ""
    debts: int = 0
    troubled: tuple[str, ...] = ()
