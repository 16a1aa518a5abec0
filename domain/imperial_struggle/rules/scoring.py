"""What Regions, prestige and goods are worth now, and who has won (4.1.12, 4.1.13, 11.0)."""

from __future__ import annotations

from domain.imperial_struggle.components import (
    AWARDS,
    BOARD,
    BR,
    DEMAND,
    ERAS,
    FR,
    MARKETS_OF,
    MEMBERS,
    OTHER,
    PRESTIGE,
    REGIONS,
    SIDES,
    TERRITORIES,
    USA,
)
from domain.imperial_struggle.facts.flow import (
    AwardScored,
    DebtCompared,
    GoodScored,
    PrestigeScored,
    TerritoriesCounted,
)
from domain.imperial_struggle.rules.board import available_debt, held, in_play, is_open
from domain.imperial_struggle.state import State
from domain.kernel import Seat

BRITAIN_WINS, FRANCE_WINS, EVEN = 0, 30, 15
PRESTIGE_POINTS = 2
MOST_FOR_DEBT = 4
TERRITORY_POINTS = 2
DUPLEIX = "dupleix"
IN_EUROPE = {BR: {"samuel_johnson": 1}, FR: {"court_of_the_sun_king": 1, "samuel_johnson": -1}}


def score(s: State) -> dict[Seat, int]:
    """How far the one marker stands from each side's end of the track."""
    return {BR: FRANCE_WINS - s.vp, FR: s.vp}


def leader(br: int, fr: int, lead: int = 1) -> Seat | None:
    """The side that has more, by at least `lead`."""
    if abs(br - fr) < lead:
        return None
    return BR if br > fr else FR


def _counted(s: State, spaces: tuple[str, ...]) -> tuple[int, int]:
    open_ones = tuple(space for space in spaces if is_open(s, space))
    return len(held(s, BR, open_ones)), len(held(s, FR, open_ones))


def award(s: State, region: str) -> AwardScored:
    """A Region: every space counts, Squadrons included; some tiles ask for a lead of 2 (3.9)."""
    tile = AWARDS[s.laid[region]]
    br, fr = _counted(s, MEMBERS[region])
    winner = leader(br, fr, tile.lead)
    if winner is None:
        return AwardScored(region, tile.id, br, fr, None, 0, 0)
    if region == "india" and winner == FR and in_play(s, DUPLEIX):
        return AwardScored(region, tile.id, br, fr, winner, tile.vp, tile.treaty_points + 1, (DUPLEIX,))
    changes = _european(s, winner) if region == "europe" else {}
    points = tile.vp + sum(changes.values())
    ministries = tuple(changes) if points >= 0 else ()  # below 0 there is nothing to take away
    return AwardScored(region, tile.id, br, fr, winner, max(0, points), tile.treaty_points, ministries)


def _european(s: State, winner: Seat) -> dict[str, int]:
    """What ministries add to the European award of its winner."""
    return {ministry: by for ministry, by in IN_EUROPE[winner].items() if in_play(s, ministry)}


def prestige(s: State) -> PrestigeScored:
    """More Prestige spaces: two points; those of the USA count once they are open."""
    br, fr = _counted(s, PRESTIGE)
    winner = leader(br, fr)
    return PrestigeScored(br, fr, winner, PRESTIGE_POINTS if winner else 0)


def good(s: State, name: str, *, demanded: bool) -> GoodScored:
    """A good: more of its markets; the reward is that of the era."""
    br, fr = _counted(s, MARKETS_OF[name])
    winner = leader(br, fr)
    if winner is None:
        return GoodScored(name, br, fr, None, 0, 0, 0, demanded)
    reward = DEMAND[ERAS[s.turn]][name]
    bonus = winner == FR and name in ("cotton", "spice") and in_play(s, DUPLEIX)
    return GoodScored(name, br, fr, winner, reward.vp, reward.debt, reward.treaty_points + bonus, demanded)


def final_good(s: State, name: str) -> GoodScored:
    """11.0: one point for a good, in demand or not."""
    br, fr = _counted(s, MARKETS_OF[name])
    winner = leader(br, fr)
    return GoodScored(name, br, fr, winner, 1 if winner else 0, 0, 0, False)


def debts(s: State) -> DebtCompared:
    """11.0: one point for each 2 more Available Debt, at most 4."""
    br, fr = available_debt(s, BR), available_debt(s, FR)
    winner = leader(br, fr)
    return DebtCompared(br, fr, winner, min(MOST_FOR_DEBT, abs(br - fr) // 2))


def captured(s: State, side: Seat) -> TerritoriesCounted:
    """11.0: two points for a Territory that the other side held at the start; USA flags are French here."""
    spaces = tuple(
        space
        for space in TERRITORIES
        if BOARD[space].flag == OTHER[side]
        and (s.flags.get(space) == side or (side == FR and s.flags.get(space) == USA))
    )
    return TerritoriesCounted(side, spaces, TERRITORY_POINTS * len(spaces))


def sweeper(s: State) -> Seat | None:
    """4.1.13: who won all four awards and every good in demand; prestige is no part of it."""
    rewards = len(REGIONS) + len(s.demand)
    return next((side for side in SIDES if s.swept[side] == rewards), None)


def points_winner(s: State) -> Seat | None:
    """2.4: 30 or more for France, 0 or less for Britain."""
    if s.vp >= FRANCE_WINS:
        return FR
    return BR if s.vp <= BRITAIN_WINS else None


def final_winner(s: State) -> Seat:
    """4.1.14: the marker, then Available Debt, then Britain."""
    if s.vp != EVEN:
        return FR if s.vp > EVEN else BR
    return FR if available_debt(s, FR) > available_debt(s, BR) else BR
