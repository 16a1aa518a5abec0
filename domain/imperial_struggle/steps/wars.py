"""A war: its theatres in order, each with tiles, strength and spoils; the check, the reset, the layout (7.0).

`War` puts the whole of it on the agenda.  A theatre is `Battle`, then the symbols of the tiles, `Compare` and
`ShareSpoils`; conquest points and the awards of the American War stand in `conquest`.
"""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import (
    BOARD,
    BR,
    FR,
    GONE,
    OTHER,
    SIDES,
    UNBUILT,
    WAR_TILES,
    WARS,
    Spoils,
    Where,
)
from domain.imperial_struggle.facts.cards import JacobitesDefeated, JacobiteVictory, UprisingsAllowed
from domain.imperial_struggle.facts.wars import (
    DominanceWon,
    SpoilsTaken,
    TilesRevealed,
    WarBegan,
    WarEnded,
    WarSet,
)
from domain.imperial_struggle.rules.board import to_unflag
from domain.imperial_struggle.rules.scoring import points_winner, score
from domain.imperial_struggle.rules.wars import (
    MOST_VICTORIES,
    carried,
    conqueror,
    losable,
    order,
    outcome,
    places_of_squadrons,
    spent_conflicts,
    spoils,
    strikes,
    tiles,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.conquest import Conquer, PlaceUsaFlags, SettleSpain, Single
from domain.imperial_struggle.steps.deeds import (
    clear_conflict,
    damage,
    force_debt,
    gain,
    lose_squadron,
    send_home,
    treaty,
    unbuild_squadron,
    unflag,
)
from domain.imperial_struggle.steps.tiles import DrawBonus, LayBasics, PlanLayout
from domain.kernel import Ended, Picks, Resolution, Seat, Step

FIRST_WAR, FIRST_BONUS = "wss", "central_europe"  # where France starts with a Bonus tile
UPRISINGS = "jacobite_uprisings"


class War(Step[State], frozen=True):
    """7.0: a whole war, up to the layout of the next one, without the peace turn after it."""

    rule: ClassVar[str] = "book 001, 7.0: the course of a war"
    war: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield WarBegan(self.war)
        for theatre in WARS[self.war].theatres:
            yield Battle(theatre.id)
        yield CheckWar()
        yield ResetWar()
        following = next((war.id for war in WARS.values() if war.number == WARS[self.war].number + 1), "")
        if following:
            yield Layout(following)


# --------------------------------------------------------------------------- tiles


class Battle(Step[State], frozen=True):
    """7.1.1, 7.1.2: both reveal their tiles; one side's symbols take effect, then the other's.

    A side's own symbols follow the order of its tiles, the Basic one first: the book leaves that open.
    """

    rule: ClassVar[str] = "book 001, 7.1.1: revealing war tiles"
    theatre: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield TilesRevealed(self.theatre, tiles(s, BR, self.theatre), tiles(s, FR, self.theatre))
        for side in order(s):
            for tile in tiles(s, side, self.theatre):
                if WAR_TILES[tile].symbol:
                    yield SYMBOLS[WAR_TILES[tile].symbol](side, self.theatre, tile)
        yield Compare(self.theatre)


class DebtSymbol(Step[State], frozen=True):
    """7.1.2: the opponent takes 1 Debt, even beyond the Debt Limit."""

    rule: ClassVar[str] = "book 001, 7.1.2: the Debt symbol"
    seat: Seat
    theatre: str
    tile: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from force_debt(s, OTHER[self.seat], 1, self.tile)


class StrikeSymbol(Single, frozen=True):
    """7.1.2: an undamaged opposing Fort is damaged, or an opposing Squadron goes to the Navy Box."""

    spelling = ("{space}",)
    rule: ClassVar[str] = "book 001, 7.1.2: the symbol of Forts and Squadrons"
    tile: str

    def options(self, s: State, seat: Seat) -> Picks:
        return strikes(s, self.seat, self.theatre)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "tile": self.tile}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for space in self.chosen(s, picks):
            s = yield from (damage if BOARD[space].kind == "fort" else send_home)(s, space)


class FlagSymbol(Single, frozen=True):
    """7.1.2: an opposing flag without a Conflict marker goes; compulsory, as the symbols all are."""

    spelling = ("{space}",)
    rule: ClassVar[str] = "book 001, 7.1.2: the flag symbol"
    tile: str

    def options(self, s: State, seat: Seat) -> Picks:
        return losable(s, self.seat, self.theatre)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "tile": self.tile}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for space in self.chosen(s, picks):
            s = yield from unflag(s, space)


SYMBOLS: dict[str, type[DebtSymbol] | type[StrikeSymbol] | type[FlagSymbol]] = {
    "debt": DebtSymbol,
    "strike": StrikeSymbol,
    "unflag": FlagSymbol,
}


# --------------------------------------------------------------------------- strength and spoils


class Compare(Step[State], frozen=True):
    """7.1.3, 7.1.4: strength on the board as the symbols left it."""

    rule: ClassVar[str] = "book 001, 7.1.4: the strength in a theatre"
    theatre: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield outcome(s, self.theatre)
        yield ShareSpoils(self.theatre)


class ShareSpoils(Step[State], frozen=True):
    """7.2: what the row brings, in the order of the digital version: the book prescribes none."""

    rule: ClassVar[str] = "book 001, 7.2: spoils"
    theatre: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        row, winner = spoils(s, self.theatre), s.fought[self.theatre]
        if row is None:
            return
        for to, count in ((UNBUILT, row.unbuilt), (GONE, row.removed)):
            if count:
                yield LoseSquadrons(OTHER[winner], self.theatre, to, count)
        yield CollectSpoils(self.theatre)
        if row.cp:
            yield Conquer(winner, self.theatre, row.cp)
        if row.unflag is not None:
            yield TakeFlag(winner, self.theatre, row.unflag)
        yield from _awards(row, self.theatre)
        if s.options.spanish_empire:
            yield SettleSpain(self.theatre)


def _awards(row: Spoils, theatre: str) -> Resolution[State]:
    """7.3: the special awards of a row, as steps."""
    if row.dominance or row.jacobite_victory or row.jacobite_defeat:
        yield Honour(theatre)
    if row.usa:
        yield PlaceUsaFlags(theatre, "usa")
    if row.canada:
        yield PlaceUsaFlags(theatre, "canada")


class LoseSquadrons(Single, frozen=True):
    """7.2: the loser chooses and gives up Squadrons on the map or in the Navy Box, while it has any."""

    spelling = ("navy_box", "{naval}")
    rule: ClassVar[str] = "book 001, 7.2: spoils, Squadrons of the loser"
    to: str
    count: int

    def options(self, s: State, seat: Seat) -> Picks:
        return places_of_squadrons(s, self.seat)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "to": self.to, "count": self.count}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        leave = unbuild_squadron if self.to == UNBUILT else lose_squadron
        for origin in self.chosen(s, picks):
            yield from leave(s, self.seat, origin)
            if self.count > 1:
                yield LoseSquadrons(self.seat, self.theatre, self.to, self.count - 1)


class CollectSpoils(Step[State], frozen=True):
    """7.2: victory points of the winner, Treaty Points of the loser."""

    rule: ClassVar[str] = "book 001, 7.2: spoils"
    theatre: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        row, winner = spoils(s, self.theatre), s.fought[self.theatre]
        assert row is not None
        s = yield SpoilsTaken(self.theatre, winner, row.vp, row.cp, row.treaty_points)
        s = yield from gain(s, winner, row.vp, self.theatre)
        yield from treaty(s, OTHER[winner], row.treaty_points, self.theatre)


class TakeFlag(Single, frozen=True):
    """7.2: the winner removes an opposing flag; one with a Conflict marker, or one that isolates, may do."""

    spelling = ("{space}",)
    rule: ClassVar[str] = "book 001, 7.2: spoils, removing a flag"
    where: Where

    def options(self, s: State, seat: Seat) -> Picks:
        return to_unflag(s, self.seat, self.where)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for space in self.chosen(s, picks):
            s = yield from unflag(s, space)


class Honour(Step[State], frozen=True):
    """7.3: Atlantic Dominance, and what the Jacobites win or lose.

    There is no third marker and no second permission, and a card that has left the game is not permitted.
    """

    rule: ClassVar[str] = "book 001, 7.3: special awards"
    theatre: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        row = spoils(s, self.theatre)
        assert row is not None
        if row.dominance:
            s = yield DominanceWon(s.fought[self.theatre])
        if row.jacobite_victory and s.victories < MOST_VICTORIES:
            s = yield JacobiteVictory(s.victories + 1)
        if row.uprisings and not (s.uprisings or s.defeated):
            s = yield UprisingsAllowed()
        if row.jacobite_defeat and not s.defeated:
            yield JacobitesDefeated(UPRISINGS in s.ministries[FR])


# --------------------------------------------------------------------------- after the last theatre


class CheckWar(Step[State], frozen=True):
    """7.4: a war won in every theatre by the highest row, then the marker."""

    rule: ClassVar[str] = "book 001, 7.4: the victory check of a war"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for winner, reason in ((conqueror(s), "war_sweep"), (points_winner(s), "victory_points")):
            if winner is not None:
                yield Ended(winner, reason, score(s))


class ResetWar(Step[State], frozen=True):
    """7.5: Conflict markers that gave strength leave, and so do the tiles.

    The Bonus tiles leave the game (3.7); that 7.5 returns them to the mats is only where they are kept.
    """

    rule: ClassVar[str] = "book 001, 7.5: the reset of a war"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for space in spent_conflicts(s):
            s = yield from clear_conflict(s, space)
        yield WarEnded(s.war, carried(s))


class Layout(Step[State], frozen=True):
    """7.6: the display of a war, with a Basic tile of each side in each theatre, placed by chance or 12.2.

    The first one also holds a French Bonus tile from the start.
    """

    rule: ClassVar[str] = "book 001, 7.6: the layout of a war"
    war: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        own = {
            side: tuple(tile.id for tile in WAR_TILES.values() if (tile.side, tile.war) == (side, self.war))
            for side in SIDES
        }
        s = yield WarSet(self.war, own)
        if self.war == FIRST_WAR:
            yield DrawBonus(FR, theatre=FIRST_BONUS)
        yield LayBasics(BR)
        yield LayBasics(FR)
        if s.options.planned_layout:
            yield PlanLayout(SIDES)
