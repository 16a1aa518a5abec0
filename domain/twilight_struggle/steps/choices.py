"""The questions that cards share: where influence goes or is lost, and any other choice of a card."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.kernel import Detail, Pick, Picks, Resolution, Seat, Step
from domain.twilight_struggle.components import US
from domain.twilight_struggle.facts.flow import ChoiceMade
from domain.twilight_struggle.rules.board import Where, in_force, influence, matching
from domain.twilight_struggle.rules.registry import CHOICES
from domain.twilight_struggle.rules.scoring import scored
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.deeds import Deed, add, clear, record, remove

CARD_TEXT = "book 003, 5.5: the text of the card rules"
DONE, NONE = "done", "none"


class Choosing(Step[State], frozen=True):
    """`seat` chooses for `card`."""

    rule: ClassVar[str] = CARD_TEXT
    seat: Seat
    card: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)


class AddEach(Choosing, frozen=True):
    """`each` influence of `side` in each of `count` different countries; all of them, or at least `least`."""

    spelling = ("{country}",)
    side: Seat
    where: Where
    count: int
    each: int = 1
    least: int | None = None

    def asks(self, s: State) -> tuple[Seat, ...]:
        choice = self.least is not None or len(matching(s, self.where)) > self.count
        return (self.seat,) if choice else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return matching(s, self.where)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        most = min(self.count, len(matching(s, self.where)))
        return most if self.least is None else min(self.least, most), most

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "side": self.side, "count": self.count, "each": self.each}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for country in picks if self.asks(s) else matching(s, self.where):
            s = yield from add(s, self.side, country, self.each)


class RemoveEach(Choosing, frozen=True):
    """`side` loses `each` influence (0: all of it) in each of `count` different countries."""

    spelling = ("{country}",)
    side: Seat
    where: Where
    count: int
    each: int = 1

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(self.options(s, self.seat)) > self.count else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return matching(s, replace(self.where, holding=self.side))

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        most = min(self.count, len(self.options(s, seat)))
        return most, most

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "side": self.side, "count": self.count, "each": self.each or "all"}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for country in picks or self.options(s, seat):
            if self.each:
                s = yield from remove(s, self.side, country, self.each)
            else:
                s = yield from clear(s, self.side, country)


class OneByOne(Choosing, frozen=True):
    """`left` of `of` influence of `side` still change, one by one, at most `most` in one country.

    `done` is how much has changed in each country.
    """

    spelling = ("{country}",)
    side: Seat
    where: Where
    left: int
    of: int
    most: int
    done: dict[str, int] = {}

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(c for c in matching(s, self.where) if self.done.get(c, 0) < self.most)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "side": self.side, "left": self.left, "of": self.of, "most": self.most}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for country in picks:
            yield from self.change(s, country)
            if self.left > 1:
                done = {**self.done, country: self.done.get(country, 0) + 1}
                yield replace(self, left=self.left - 1, done=done)

    def change(self, s: State, country: str) -> Deed:
        """One influence more, or less, in a country."""
        raise NotImplementedError


class Adding(OneByOne, frozen=True):
    """Influence that is added."""

    def change(self, s: State, country: str) -> Deed:
        return add(s, self.side, country, 1)


class Spread(Adding, frozen=True):
    """Influence that a card adds."""


class Drain(OneByOne, frozen=True):
    """Influence that a card removes."""

    spelling = ("{country}",)

    def options(self, s: State, seat: Seat) -> Picks:
        held = matching(s, replace(self.where, holding=self.side))
        return tuple(country for country in held if self.done.get(country, 0) < self.most)

    def change(self, s: State, country: str) -> Deed:
        return remove(s, self.side, country, 1)


class Double(Choosing, frozen=True):
    """`side` doubles its influence in each of `count` different countries."""

    spelling = ("{country}",)
    side: Seat
    where: Where
    count: int

    def options(self, s: State, seat: Seat) -> Picks:
        return matching(s, replace(self.where, holding=self.side))

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        most = min(self.count, len(self.options(s, seat)))
        return most, most

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "side": self.side, "count": self.count}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for country in picks:
            s = yield from add(s, self.side, country, influence(s, self.side, country))


class Choose(Choosing, frozen=True):
    """Any other choice of a card: the options, and what follows, are defined beside the card (`@choice`).

    `name` is that of the question: the card, or the card and a word.  `told`: a fact says what was chosen,
    because the facts that follow do not show it.
    """

    spelling = (
        "add",
        "boycott",
        "decline",
        "degrade",
        "end",
        "go_on",
        "improve",
        "leave",
        "neighbours",
        "none",
        "participate",
        "remove",
        "{card}",
        "{country}",
        "{number}",
        "{region}",
    )
    name: str = ""
    told: bool = False

    def options(self, s: State, seat: Seat) -> Picks:
        return CHOICES[self.name or self.card].options(s, seat)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return CHOICES[self.name or self.card].bounds(s, seat)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "question": f"ask.{self.name or self.card}"}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        known = CHOICES[self.name or self.card].details
        return known(s, self.seat) if known else {}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if self.told and picks:
            s = yield ChoiceMade(self.seat, self.card, picks[0])
        yield from CHOICES[self.name or self.card].then(s, self.seat, picks)


class Relocate(Choosing, frozen=True):
    """`side` takes up to `most` influence, one by one, from anywhere; as much goes to `where`.

    `taken` is what it has taken; at most `each` may go into one country.
    """

    spelling = ("done", "{country}")
    side: Seat
    where: Where
    most: int
    each: int
    taken: int = 0

    def options(self, s: State, seat: Seat) -> Picks:
        return (*matching(s, Where(holding=self.side)), DONE)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "side": self.side, "left": self.most - self.taken, "of": self.most}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        taken = self.taken
        if picks[0] != DONE:
            s = yield from remove(s, self.side, picks[0], 1)
            taken += 1
        if picks[0] != DONE and taken < self.most:
            yield replace(self, taken=taken)
        elif taken:
            yield Spread(self.seat, self.card, self.side, self.where, taken, taken, self.each)


class OrderHand(Choosing, frozen=True):
    """Aldrich Ames (2nd edition): the USSR puts the US hand in order."""

    spelling = ("{card}",)
    ordered: ClassVar[bool] = True

    def options(self, s: State, seat: Seat) -> Picks:
        return s.hands["us"]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = len(s.hands["us"])
        return count, count

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from CHOICES[self.card].then(s, self.seat, picks)


def score_region(s: State, region: str) -> Resolution[State]:
    """A scoring card; Shuttle Diplomacy lets the US leave a battleground out of Asia or the Middle East."""
    if region in ("asia", "middle_east") and in_force(s, "shuttle_diplomacy"):
        yield Choose(US, "shuttle_diplomacy", name=f"shuttle_diplomacy.{region}")
    else:
        yield from record(s, scored(s, region))
