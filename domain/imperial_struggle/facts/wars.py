"""War tiles, the display of the next war, and what happens in a war.

A face-down tile is known to its owner alone, so the opponent's view of a display may hold unknown faces.
"""

from __future__ import annotations

from msgspec.structs import replace

from domain.imperial_struggle.state import State
from domain.kernel import Fact, Seat
from domain.piles import Cards, Pile, sorted_cards, without


def _reinforced(s: State, seat: Seat, theatre: str, tiles: Cards) -> dict[Seat, dict[str, Cards]]:
    """The Bonus tiles on the display, with these in one theatre."""
    return {**s.reinforcements, seat: {**s.reinforcements[seat], theatre: sorted_cards(tiles)}}


class WarSet(Fact[State], frozen=True):
    """The display of the next war is laid out, with its sets of Bonus tiles."""

    war: str
    bonuses: dict[Seat, Cards]

    def apply(self, s: State) -> State:
        piles = {seat: Pile.of(tiles) for seat, tiles in self.bonuses.items()}
        s = replace(
            s, fought={}, margins={}, resisted=(), refused={"br": 0, "fr": 0}, owed={"br": 0, "fr": 0}
        )
        return replace(s, war=self.war, bonuses=piles)

    def opens(self) -> tuple[str, int]:
        return "layout", 0  # until the turn begins, which is not before the tiles lie


class BasicsLaid(Fact[State], frozen=True):
    """A side's Basic tiles lie face down, one in each theatre."""

    conceals = ("tiles",)
    seat: Seat
    tiles: dict[str, str]

    def apply(self, s: State) -> State:
        tiles = tuple(self.tiles.values())
        waiting = s.drawn[self.seat]
        front = dict(sorted(self.tiles.items()))  # as they are read again: a log keeps no other order
        s = replace(s, front={**s.front, self.seat: front})
        if waiting:
            return replace(s, drawn={**s.drawn, self.seat: ()})
        return replace(s, basics={**s.basics, self.seat: s.basics[self.seat].drawn(tiles)})


class BasicsDrawn(Fact[State], frozen=True):
    """A side draws Basic tiles, to lay them out itself (12.2), or one to choose from (5.3.3)."""

    conceals = ("tiles",)
    seat: Seat
    tiles: Cards

    def apply(self, s: State) -> State:
        pile = s.basics[self.seat].drawn(self.tiles)
        return replace(
            s,
            basics={**s.basics, self.seat: pile},
            drawn={**s.drawn, self.seat: sorted_cards(s.drawn[self.seat], self.tiles)},
        )


class BasicKept(Fact[State], frozen=True):
    """A military upgrade: `kept` lies in a theatre, `other` went back to the pool."""

    conceals = ("kept", "other")
    seat: Seat
    theatre: str
    kept: str
    other: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            front={**s.front, self.seat: {**s.front[self.seat], self.theatre: self.kept}},
            basics={**s.basics, self.seat: s.basics[self.seat].shuffled_in((self.other,))},
            drawn={**s.drawn, self.seat: ()},
        )


class BasicRemoved(Fact[State], frozen=True):
    """A military upgrade: `kept` lies in a theatre, `removed` left the game for all to see."""

    reveals = True
    conceals = ("kept",)
    seat: Seat
    theatre: str
    kept: str
    removed: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            front={**s.front, self.seat: {**s.front[self.seat], self.theatre: self.kept}},
            basics={**s.basics, self.seat: s.basics[self.seat].located(self.removed)},
            drawn={**s.drawn, self.seat: ()},
            gone=(*s.gone, self.removed),
        )


class BasicsSwapped(Fact[State], frozen=True):
    """Two Basic tiles of a side change places (12.2)."""

    seat: Seat
    theatres: Cards

    def apply(self, s: State) -> State:
        here, there = self.theatres
        tiles = s.front[self.seat]
        return replace(s, front={**s.front, self.seat: {**tiles, here: tiles[there], there: tiles[here]}})


class BonusDrawn(Fact[State], frozen=True):
    """A side draws a Bonus tile; `bought`: it paid for it, of which there are two a round (5.6.1)."""

    conceals = ("tile",)
    seat: Seat
    tile: str
    bought: bool

    def apply(self, s: State) -> State:
        s = replace(
            s,
            bonuses={**s.bonuses, self.seat: s.bonuses[self.seat].drawn((self.tile,))},
            drawn={**s.drawn, self.seat: sorted_cards(s.drawn[self.seat], (self.tile,))},
        )
        if not self.bought or s.round is None:
            return s
        return replace(s, round=replace(s.round, bought=s.round.bought + 1))


class BonusPlaced(Fact[State], frozen=True):
    """The drawn Bonus tile lies face down in a theatre."""

    conceals = ("tile",)
    seat: Seat
    tile: str
    theatre: str

    def apply(self, s: State) -> State:
        held = s.reinforcements[self.seat].get(self.theatre, ())
        return replace(
            s,
            reinforcements=_reinforced(s, self.seat, self.theatre, (*held, self.tile)),
            drawn={**s.drawn, self.seat: without(s.drawn[self.seat], self.tile)},
        )


class BonusMoved(Fact[State], frozen=True):
    """A Bonus tile makes room: it goes, face down, from one theatre to another."""

    conceals = ("tile",)
    seat: Seat
    tile: str
    origin: str
    theatre: str

    def apply(self, s: State) -> State:
        tiles = s.reinforcements[self.seat]
        left = without(tiles[self.origin], self.tile)
        s = replace(s, reinforcements=_reinforced(s, self.seat, self.origin, left))
        held = s.reinforcements[self.seat].get(self.theatre, ())
        return replace(s, reinforcements=_reinforced(s, self.seat, self.theatre, (*held, self.tile)))


class BonusReturned(Fact[State], frozen=True):
    """A Bonus tile of a side goes from the display back to its pool, unseen."""

    conceals = ("tile",)
    seat: Seat
    tile: str
    theatre: str

    def apply(self, s: State) -> State:
        left = without(s.reinforcements[self.seat][self.theatre], self.tile)
        return replace(
            s,
            reinforcements=_reinforced(s, self.seat, self.theatre, left),
            bonuses={**s.bonuses, self.seat: s.bonuses[self.seat].shuffled_in((self.tile,))},
        )


class ByngPlaced(Fact[State], frozen=True):
    """The Byng marker, 2 strength for Britain, lies in a theatre."""

    theatre: str

    def apply(self, s: State) -> State:
        return replace(s, byng=self.theatre)


class WarBegan(Fact[State], frozen=True):
    """A war begins; every Squadron may take one space."""

    turning = True
    war: str

    def apply(self, s: State) -> State:
        return replace(s, phase=self.war, sailed=())

    def opens(self) -> tuple[str, int]:
        return self.war, 0


class TilesRevealed(Fact[State], frozen=True):
    """Both turn up their tiles of a theatre."""

    reveals = True
    theatre: str
    br: Cards
    fr: Cards

    def apply(self, s: State) -> State:
        front, reinforcements, basics, bonuses = s.front, s.reinforcements, s.basics, s.bonuses
        for seat, (basic, *extra) in (("br", self.br), ("fr", self.fr)):
            front = {**front, seat: {**front[seat], self.theatre: basic}}
            shown = {**reinforcements[seat], self.theatre: sorted_cards(extra)}
            reinforcements = {**reinforcements, seat: shown}
            basics = {**basics, seat: basics[seat].located(basic)}
            for tile in extra:
                bonuses = {**bonuses, seat: bonuses[seat].located(tile)}
        return replace(s, front=front, reinforcements=reinforcements, basics=basics, bonuses=bonuses)


class TheatreFought(Fact[State], frozen=True):
    """A theatre is decided: the strength of both, the winner (None: a tie), and by how much.

    `working`: each side's strength by source (tiles, alliances, keywords, conflicts, squadrons, forts, byng,
    dominance).
    """

    turning = True
    theatre: str
    br: int
    fr: int
    winner: Seat | None
    margin: int
    working: dict[Seat, dict[str, int]]

    def apply(self, s: State) -> State:
        return replace(
            s,
            fought={**s.fought, self.theatre: self.winner or ""},
            margins={**s.margins, self.theatre: self.margin},
        )


class SpoilsTaken(Fact[State], frozen=True):
    """What a theatre brings: victory and conquest points to `winner`, Treaty Points to the loser."""

    turning = True
    theatre: str
    winner: Seat
    vp: int
    cp: int
    treaty: int


class DominanceWon(Fact[State], frozen=True):
    """A side has the Atlantic Dominance tile: 2 strength in the French & Indian War."""

    side: Seat

    def apply(self, s: State) -> State:
        return replace(s, dominance=self.side)


class SpaceConquered(Fact[State], frozen=True):
    """A side spends `points` conquest points on a space of `owner`; the next facts say what changes."""

    turning = True
    seat: Seat
    space: str
    points: int
    owner: Seat | None = None


class CaptureResisted(Fact[State], frozen=True):
    """A side keeps a Territory, which cannot be taken again in this war."""

    turning = True
    seat: Seat
    space: str

    def apply(self, s: State) -> State:
        refused = {**s.refused, self.seat: s.refused[self.seat] + 1}
        return replace(s, refused=refused, resisted=(*s.resisted, self.space))


class ShiftOwed(Fact[State], frozen=True):
    """An empty Spanish Territory was taken: `side`, the other, may shift a space of Spain (12.1)."""

    side: Seat

    def apply(self, s: State) -> State:
        return replace(s, owed={**s.owed, self.side: s.owed[self.side] + 1})


class ShiftSettled(Fact[State], frozen=True):
    """A side shifts a space of Spain that it was owed, or (`space` empty) does without."""

    side: Seat
    space: str

    def apply(self, s: State) -> State:
        return replace(s, owed={**s.owed, self.side: s.owed[self.side] - 1})


class ConquestDeclined(Fact[State], frozen=True):
    """A side leaves conquest points unspent, by choice or because nothing can be taken."""

    seat: Seat
    points: int


class WarEnded(Fact[State], frozen=True):
    """The display is cleared: Basic tiles return to their pools, Bonus tiles of this war leave the game.

    Tiles that no side drew are turned up with the rest, so every hidden tile of the set is known now.
    """

    ends_period = True
    reveals = True
    war: str
    carried: dict[Seat, int]

    def apply(self, s: State) -> State:
        basics, gone = dict(s.basics), s.gone
        for seat in ("br", "fr"):
            basics[seat] = basics[seat].shuffled_in(tuple(s.front[seat].values()))
            gone += tuple(tile for tiles in s.reinforcements[seat].values() for tile in tiles)
            gone += s.bonuses[seat].cards
        return replace(
            s,
            basics=basics,
            gone=gone,
            front={"br": {}, "fr": {}},
            reinforcements={"br": {}, "fr": {}},
            bonuses={"br": Pile(), "fr": Pile()},
            carried=self.carried,
            byng="",
            dominance="",
            war="",
        )
