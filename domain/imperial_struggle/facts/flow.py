"""The course of a match: turns, action rounds, points granted and paid, scoring, the end."""

from __future__ import annotations

from msgspec.structs import replace

from domain.imperial_struggle.points import ActionRound, Payment, Pool
from domain.imperial_struggle.state import State
from domain.kernel import Fact, Seat, SeatsSettled
from domain.piles import Cards

# --------------------------------------------------------------------------- bids for the sides


class BidMade(Fact[State], frozen=True):
    """A sealed bid of Treaty Points for the side that both want."""

    conceals = ("bid",)
    seat: Seat
    bid: str

    def apply(self, s: State) -> State:
        return replace(s, bids={**s.bids, self.seat: self.bid})


class BidsOpened(Fact[State], frozen=True):
    """Both bids are shown."""

    reveals = True
    br: str
    fr: str

    def apply(self, s: State) -> State:
        return replace(s, bids={"br": self.br, "fr": self.fr})


class SidesSettled(SeatsSettled[State], frozen=True):
    """Who plays which side; the side that was not wanted gets `gift` Treaty Points."""

    gift_to: Seat
    gift: int

    def apply(self, s: State) -> State:
        return replace(s, exchanged=self.exchanged, bids={})


# --------------------------------------------------------------------------- turns


class TurnBegan(Fact[State], frozen=True):
    """A peace turn begins."""

    turn: int
    era: str

    def apply(self, s: State) -> State:
        swept = {"br": 0, "fr": 0}
        return replace(s, turn=self.turn, phase="peace", townshend="", merchants=0, swept=swept)

    def opens(self) -> tuple[str, int]:
        return "turn", self.turn


class MarkersReset(Fact[State], frozen=True):
    """The reset phase: nothing is Exhausted; Squadrons on the Turn Track return to the Navy Box."""

    returned: dict[Seat, int]

    def apply(self, s: State) -> State:
        navy = {seat: s.navy[seat] + self.returned[seat] for seat in s.navy}
        away = {seat: s.away[seat] - self.returned[seat] for seat in s.away}
        return replace(s, exhausted=(), navy=navy, away=away)


class InitiativeSet(Fact[State], frozen=True):
    """A side holds the initiative."""

    side: Seat

    def apply(self, s: State) -> State:
        return replace(s, initiative=self.side)


class FirstChosen(Fact[State], frozen=True):
    """The holder of the initiative says who plays first."""

    seat: Seat
    first: Seat

    def apply(self, s: State) -> State:
        return replace(s, first=self.first)


class TurnEnded(Fact[State], frozen=True):
    """A peace turn is over."""

    ends_period = True
    turn: int
    vp: int

    def apply(self, s: State) -> State:
        return replace(s, round=None)


# --------------------------------------------------------------------------- action rounds


class RoundBegan(Fact[State], frozen=True):
    """An action round of a side; these markets, of both sides, are isolated until it ends."""

    seat: Seat
    number: int
    isolated: tuple[str, ...]

    def apply(self, s: State) -> State:
        now = ActionRound(self.seat, self.number, self.isolated, s.flags, troubled=tuple(s.conflicts))
        return replace(s, round=now, sailed=(), phase="action")


def _round(s: State) -> ActionRound:
    """The action round that is being played."""
    assert s.round is not None
    return s.round


class TileTaken(Fact[State], frozen=True):
    """A side takes an investment tile, with its points; `upgrade`: it shows a military upgrade."""

    seat: Seat
    tile: str
    pools: tuple[Pool, ...]
    upgrade: bool

    def apply(self, s: State) -> State:
        now = replace(_round(s), tile=self.tile, pools=self.pools, upgrade=self.upgrade)
        return replace(s, round=now, picked={**s.picked, self.seat: (*s.picked[self.seat], self.tile)})


class RoundPassed(Fact[State], frozen=True):
    """A side uses nothing of its tile."""

    seat: Seat


class PointsGranted(Fact[State], frozen=True):
    """Points that do not come from the tile; `points` of a pool that is there already are added to it."""

    seat: Seat
    pool: Pool

    def apply(self, s: State) -> State:
        now = _round(s)
        here = any(pool.name == self.pool.name for pool in now.pools)
        if not here:
            return replace(s, round=replace(now, pools=(*now.pools, self.pool)))
        pools = tuple(
            replace(pool, points=pool.points + self.pool.points) if pool.name == self.pool.name else pool
            for pool in now.pools
        )
        return replace(s, round=replace(now, pools=pools))


class PointsRaised(Fact[State], frozen=True):
    """A ministry adds points to an action of the tile."""

    seat: Seat
    pool: str
    points: int
    why: str

    def apply(self, s: State) -> State:
        now = _round(s)
        pools = tuple(
            replace(pool, points=pool.points + self.points) if pool.name == self.pool else pool
            for pool in now.pools
        )
        return replace(s, round=replace(now, pools=pools))


class PointsPaid(Fact[State], frozen=True):
    """Points bought something: `used` of each pool, `debt` and `treaty` on top.

    `verb` and `space` say what for, `region` where the points went (""; nowhere).  `minor`: it was the Minor
    action, whose points serve once, so what is left of them is lost.  `debts`: Debt taken, ignored or not.
    """

    seat: Seat
    verb: str
    space: str
    type: str
    cost: int
    used: dict[str, int]
    minor: bool
    region: str
    debts: int

    def apply(self, s: State) -> State:
        now, used = _round(s), self.used
        pools = [
            replace(pool, points=pool.points - used[pool.name]) if pool.name in used else pool
            for pool in now.pools
            if not (self.minor and pool.name == "minor")
        ]
        spent = now.spent.copy()
        for name in sorted(used):
            spent[name] = spent.get(name, 0) + used[name]
        now = replace(
            now,
            pools=tuple(pools),
            spent=spent,
            payments=(*now.payments, Payment(self.type, self.region, self.minor)),
            debts=now.debts + self.debts,
            acted=True,
        )
        return replace(s, round=now)


class PointsExchanged(Fact[State], frozen=True):
    """Turn 6: two military points became one of another type (5.6.1)."""

    seat: Seat
    type: str

    def apply(self, s: State) -> State:
        now = _round(s)
        name = f"exchange_{self.type}"
        kept = tuple(pool for pool in now.pools if pool.name != name)
        old = next((pool.points for pool in now.pools if pool.name == name), 0)
        pools = (*kept, Pool(name, self.type, "exchange", old + 1))
        return replace(s, round=replace(now, pools=pools, exchanged=self.type))


class EffectBegan(Fact[State], frozen=True):
    """Something holds for the rest of this action round."""

    seat: Seat
    effect: str

    def apply(self, s: State) -> State:
        now = _round(s)
        return replace(s, round=replace(now, effects=(*now.effects, self.effect)))


class EffectEnded(Fact[State], frozen=True):
    """It was used up."""

    seat: Seat
    effect: str

    def apply(self, s: State) -> State:
        now = _round(s)
        effects = list(now.effects)
        effects.remove(self.effect)
        return replace(s, round=replace(now, effects=tuple(effects)))


class UpgradeUsed(Fact[State], frozen=True):
    """The military upgrade of the tile is used."""

    seat: Seat

    def apply(self, s: State) -> State:
        return replace(s, round=replace(_round(s), upgrade=False, acted=True))


class ChoiceMade(Fact[State], frozen=True):
    """What a side chose for a card, where it does not speak for itself."""

    seat: Seat
    card: str
    pick: str


class RoundEnded(Fact[State], frozen=True):
    """The action round is over."""

    seat: Seat

    def apply(self, s: State) -> State:
        return replace(s, round=None)


# --------------------------------------------------------------------------- scoring


class AwardScored(Fact[State], frozen=True):
    """A Region's award: spaces of both, the winner (None: a tie, or too small a lead), what it brings.

    `ministries`: those that changed what the tile says.
    """

    turning = True
    region: str
    award: str
    br: int
    fr: int
    winner: Seat | None
    vp: int
    treaty: int
    ministries: Cards = ()

    def apply(self, s: State) -> State:
        swept = s.swept
        if self.winner is not None:
            swept = {**swept, self.winner: swept[self.winner] + 1}
        laid = {region: award for region, award in s.laid.items() if region != self.region}
        return replace(s, laid=laid, given=(*s.given, self.award), swept=swept)


class PrestigeScored(Fact[State], frozen=True):
    """Who has more Prestige spaces."""

    turning = True
    br: int
    fr: int
    winner: Seat | None
    vp: int


class GoodScored(Fact[State], frozen=True):
    """A good: markets of both, who has more, what it brings; `demanded`: it is a reward of the turn."""

    turning = True
    good: str
    br: int
    fr: int
    winner: Seat | None
    vp: int
    debt: int
    treaty: int
    demanded: bool

    def apply(self, s: State) -> State:
        if self.winner is None or not self.demanded:
            return s
        return replace(s, swept={**s.swept, self.winner: s.swept[self.winner] + 1})


class DebtCompared(Fact[State], frozen=True):
    """Final scoring: the Available Debt of both, and what the difference is worth."""

    turning = True
    br: int
    fr: int
    winner: Seat | None
    vp: int


class TerritoriesCounted(Fact[State], frozen=True):
    """Final scoring: Territories that the other side held at the start."""

    turning = True
    side: Seat
    spaces: tuple[str, ...]
    vp: int


class SidesCounted(Fact[State], frozen=True):
    """An event compares both sides; `side` wins the comparison, or neither side does."""

    card: str
    br: int
    fr: int
    winner: Seat | None
