"""What cards do with Bonus War tiles that only their owner knows."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import FORTS, OTHER
from domain.imperial_struggle.facts.wars import BonusReturned
from domain.imperial_struggle.rules.board import squadrons
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import CARD_TEXT, Choosing
from domain.imperial_struggle.steps.deeds import damage, send_home
from domain.imperial_struggle.steps.tiles import place
from domain.kernel import Draw, Picks, Resolution, Seat

DAMAGE, SEND_HOME, RETURN = "damage", "send_home", "return"


class ReturnTheirs(Choosing, frozen=True):
    """`seat` takes a Bonus tile of the other side off the display: it names the theatre and takes blindly."""

    spelling = ("{theatre}",)

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(self.options(s, self.seat)) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(theatre for theatre, tiles in s.reinforcements[OTHER[self.seat]].items() if tiles)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "side": OTHER[self.seat]}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for theatre in picks or self.options(s, self.seat):
            yield DrawReturned(OTHER[self.seat], theatre)


class DrawReturned(Draw[State], frozen=True):
    """One of the Bonus tiles that `seat` has in a theatre goes back to its pool; chance says which."""

    spelling = ("{tile}",)
    rule: ClassVar[str] = CARD_TEXT
    seat: Seat
    theatre: str

    def options(self, s: State, seat: Seat) -> Picks:
        return s.reinforcements[self.seat].get(self.theatre, ())

    def label(self, s: State) -> str:
        return f"returned/{place(s)}/{self.theatre}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for tile in picks:
            yield BonusReturned(self.seat, tile, self.theatre)


class GiveUp(Choosing, frozen=True):
    """`seat` damages a Fort of its own, sends a Squadron home or returns a Bonus tile to its pool.

    The answer is secret because it names a tile; the facts say as much of it as is public.
    """

    spelling = ("damage:{fort}", "return:{tile}", "send_home:{naval}")
    secret: ClassVar[bool] = True

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(self.options(s, self.seat)) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        me = self.seat
        forts = (space for space in FORTS if s.flags.get(space) == me and space not in s.damaged)
        tiles = (tile for held in s.reinforcements[me].values() for tile in held)
        return (
            *(f"{DAMAGE}:{space}" for space in forts),
            *(f"{SEND_HOME}:{space}" for space in squadrons(s, me)),
            *(f"{RETURN}:{tile}" for tile in tiles),
        )

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for pick in picks or self.options(s, self.seat):
            verb, _, id = pick.partition(":")
            if verb == DAMAGE:
                yield from damage(s, id)
            elif verb == SEND_HOME:
                yield from send_home(s, id)
            else:
                yield BonusReturned(self.seat, id, _theatre_of(s, self.seat, id))


def _theatre_of(s: State, side: Seat, tile: str) -> str:
    """Where a Bonus tile of a side lies."""
    return next(theatre for theatre, tiles in s.reinforcements[side].items() if tile in tiles)
