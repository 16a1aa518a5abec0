"""The statements of one entry that are not used yet: each is answered by something that our rules did.

A change of influence may be answered in several steps ("+3 in Chile" is three markers), so it counts down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from domain.kernel import Seat
from replay.importers.twilight_struggle.structure import (
    EventNamed,
    HasNone,
    Headlined,
    InfluenceChange,
    InPlay,
    NotInPlay,
    OpsHeader,
    Paragraph,
    Reshuffle,
    Statement,
    Statements,
)

S = TypeVar("S", bound=Statement)


ASIDE = (InPlay, NotInPlay, HasNone, Headlined, Reshuffle)  # what answers no question


class Item:
    """A statement, the paragraph in which it stands, and how much of it is still to come."""

    __slots__ = ("left", "paragraph", "said", "used")

    def __init__(self, said: Statement, paragraph: int) -> None:
        self.said, self.paragraph, self.used = said, paragraph, False
        self.left = abs(said.by) if isinstance(said, InfluenceChange) else 1

    def take(self, count: int = 1) -> None:
        """So much of the statement has come."""
        self.left -= count
        self.used = self.left <= 0


class Pool:
    """The statements of an entry that are not used yet, in the order of the log."""

    def __init__(self, said: Statements = (), line: int = 0) -> None:
        self.line = line
        self.items: list[Item] = []
        self.paragraph = 0
        self.headed: OpsHeader | None = None
        self.goes_on = False  # does the log have entries after this one?
        self.ends = False  # does it have more to say of the end of the game?
        self.extend(said)

    def extend(self, said: Iterable[Statement]) -> None:
        """Statements of an entry that continues this one."""
        paragraph = self.items[-1].paragraph + 1 if self.items else 0
        for one in said:
            if isinstance(one, Paragraph):
                paragraph += 1
            else:
                self.items.append(Item(one, paragraph))

    def copy(self) -> Pool:
        """A pool that may be used up without touching this one."""
        other = Pool((), self.line)
        other.paragraph, other.goes_on = self.paragraph, self.goes_on
        for item in self.items:
            twin = Item(item.said, item.paragraph)
            twin.left, twin.used = item.left, item.used
            other.items.append(twin)
        return other

    def unused(self, kind: type[S]) -> Iterator[tuple[Item, S]]:
        """The statements of a kind that are left."""
        for item in self.items:
            if not item.used and isinstance(item.said, kind):
                yield item, item.said

    def first(self, kind: type[S], fits: Callable[[S], bool] = lambda said: True) -> tuple[Item, S] | None:
        """The first statement of a kind that is left and fits."""
        return next(((item, said) for item, said in self.unused(kind) if fits(said)), None)

    def near(self, kind: type[S], fits: Callable[[S], bool] = lambda said: True) -> tuple[Item, S] | None:
        """The first that fits where the match stands; else further down, and last of all further up."""
        below = self.here(kind, fits)
        if below is None:
            found = ((item, said) for item, said in self.unused(kind) if item.paragraph > self.paragraph)
            below = next(((item, said) for item, said in found if fits(said)), None)
        return below or self.first(kind, fits)

    def here(self, kind: type[S], fits: Callable[[S], bool] = lambda said: True) -> tuple[Item, S] | None:
        """The first that fits in the paragraph where the match stands."""
        found = ((item, said) for item, said in self.unused(kind) if item.paragraph == self.paragraph)
        return next(((item, said) for item, said in found if fits(said)), None)

    def changes(self, side: Seat, *, up: bool, here: bool) -> list[InfluenceChange]:
        """The changes of a side's influence that are left, gains or losses."""
        return [
            said
            for item, said in self.unused(InfluenceChange)
            if said.side == side and (said.by > 0) == up and (item.paragraph == self.paragraph or not here)
        ]

    def declined(self, header: Item) -> bool:
        """Is a header empty though the log goes on, so that its Operations were not conducted?"""
        after = self.items[self.items.index(header) + 1 :]
        below = after[0] if after and after[0].paragraph == header.paragraph else None
        if below is not None and not isinstance(below.said, (OpsHeader, EventNamed)):
            return False
        return bool(after) or self.goes_on or self.ends

    @property
    def stops(self) -> bool:
        """Has everything been said, with no entry after this one?  The log stops here."""
        return not self.goes_on and all(item.used or isinstance(item.said, ASIDE) for item in self.items)

    def enter(self, item: Item) -> None:
        """The match stands now where this statement does."""
        self.paragraph = item.paragraph

    def head(self, item: Item, said: OpsHeader) -> None:
        """Operations begin under this header."""
        item.take()
        self.enter(item)
        self.headed = said
