"""What a log of a game played elsewhere says: its turns, and in each entry the statements, in their order.

First the statements, one for each kind of line; then the entries that hold them, and the `Log`.  Cards,
countries and sides are our ids, and a score is above 0 for the US.  Nothing of a log is lost: a line that
is not understood is a statement too, `Unread`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from domain.kernel import Seat

NOBODY = ""


class BadLog(Exception):
    """A file that cannot be read as a log: the line, and what was expected there."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line, self.text = line, text


# --------------------------------------------------------------------------- statements


class Statement(Struct, frozen=True, gc=False, tag_field="says", tag=True):
    """One line of an entry."""

    line: int


class Paragraph(Statement, frozen=True):
    """Here a paragraph ends: one or more blank lines."""


class Unread(Statement, frozen=True):
    """A line that is not understood."""

    text: str


class InfluenceChange(Statement, frozen=True):
    """A side's influence in a country changes by `by`; then the US has `us` there and the USSR `ussr`."""

    side: Seat
    by: int
    country: str
    us: int
    ussr: int


class OpsHeader(Statement, frozen=True):
    """Operations begin.  `kind` is influence, coup, realign or space, as in an answer to the rules.

    `inside_event`: the card whose event heads the same paragraph and so conducts them; "" where the player
    uses their own card.  What `points` means depends on the kind: for influence and realignments the
    value printed on the card, else the modified one.
    """

    kind: str
    points: int
    inside_event: str = ""


class EventNamed(Statement, frozen=True):
    """An event happens (some logs say so twice)."""

    card: str


class Headlined(Statement, frozen=True):
    """A side shows its headline."""

    side: Seat
    card: str


class Target(Statement, frozen=True):
    """Where the Coup or realignment that follows strikes."""

    country: str


class CoupRoll(Statement, frozen=True):
    """A Coup: the die and, where the log gives the sum, its other parts and the result `net`."""

    success: bool
    die: int
    ops: int | None = None
    modifier: int = 0
    stability: int | None = None
    net: int | None = None


class RealignmentRoll(Statement, frozen=True):
    """One side's die in a realignment."""

    side: Seat
    die: int
    modifier: int
    total: int


class WarBegins(Statement, frozen=True):
    """A war card strikes a country."""

    country: str


class WarRoll(Statement, frozen=True):
    """How a war ends: the die and its modifier against what victory needs."""

    success: bool
    die: int
    modifier: int
    needed: int


class SpaceRoll(Statement, frozen=True):
    """An attempt in the Space Race; it needs a die of at most `needed`."""

    success: bool
    die: int
    needed: int


class SpaceAdvance(Statement, frozen=True):
    """A side's new box of the Space Race."""

    side: Seat
    box: int


class TrapRoll(Statement, frozen=True):
    """A try to escape from Quagmire or Bear Trap; it needs a die of at most `needed`."""

    die: int
    needed: int
    escaped: bool


class Military(Statement, frozen=True):
    """A side's Military Operations, as they stand now."""

    side: Seat
    to: int


class Defcon(Statement, frozen=True):
    """DEFCON, as it stands now."""

    to: int
    improves: bool


class Score(Statement, frozen=True):
    """`side` gains `by` points (no side gains 0), and the score is `now`, above 0 for the US."""

    side: Seat
    by: int
    now: int


class InPlay(Statement, frozen=True):
    """A card's lasting effect begins."""

    card: str


class NotInPlay(Statement, frozen=True):
    """A card's lasting effect is over."""

    card: str


class Reshuffle(Statement, frozen=True):
    """The discards become the draw pile."""


class Discards(Statement, frozen=True):
    """A card is discarded: from this side's hand, save under Our Man in Tehran (from the draw pile)."""

    side: Seat
    card: str


class Reveals(Statement, frozen=True):
    """A card is shown; what that means depends on the event (handed over, taken back, or only shown)."""

    side: Seat
    card: str
    from_hand: bool = False


class Plays(Statement, frozen=True):
    """A card is played by way of another one (UN Intervention, Grain Sales)."""

    side: Seat
    card: str


class Returns(Statement, frozen=True):
    """A card that was drawn from a hand goes back to `to`."""

    side: Seat
    card: str
    to: Seat


class HasNone(Statement, frozen=True):
    """A side has no cards to reveal, or to discard (`what`)."""

    side: Seat
    what: str


class ChoosesRegion(Statement, frozen=True):
    """A side names a region (Chernobyl)."""

    side: Seat
    region: str


class Olympics(Statement, frozen=True):
    """A side takes part in the Olympic Games, or boycotts them."""

    side: Seat
    takes_part: bool


class Wins(Statement, frozen=True):
    """The game is over; `side` is empty if it is drawn."""

    side: Seat
    why: str


Statements = tuple[Statement, ...]


# --------------------------------------------------------------------------- entries


class Column(Struct, frozen=True):
    """The score and DEFCON that some logs print before an entry: the score may be stale, DEFCON is not."""

    line: int
    score: int
    defcon: int


class Entry(Struct, frozen=True, kw_only=True):
    """What happened in one part of a turn.  `line`: where it begins."""

    line: int
    said: Statements = ()
    column: Column | None = None


class Headline(Entry, frozen=True, kw_only=True):
    """The headline phase; a card is "" where the log does not name it."""

    ussr: str = ""
    us: str = ""

    def of(self, side: Seat) -> str:
        """One side's headline."""
        return self.us if side == "us" else self.ussr


class ActionRound(Entry, frozen=True, kw_only=True):
    """One side's action round; without a card it was passed, or the log stops here."""

    side: Seat
    number: int
    card: str = ""


class Cleanup(Entry, frozen=True, kw_only=True):
    """The end of a turn."""


class Turn(Struct, frozen=True):
    """One turn.  A log that stops early lacks what would follow."""

    number: int
    headline: Headline | None = None
    rounds: tuple[ActionRound, ...] = ()
    cleanup: Cleanup | None = None

    def entries(self) -> tuple[Entry, ...]:
        """Headline phase, action rounds and end, in order."""
        return tuple(entry for entry in (self.headline, *self.rounds, self.cleanup) if entry is not None)


class Bid(Struct, frozen=True):
    """A player's bid for a side, in influence."""

    player: str
    influence: int
    side: Seat


class Log(Struct, frozen=True, kw_only=True):
    """A whole log.

    `handicap`: extra influence by side, placed with the rest (`setup`, which holds every change to the
    printed influence).  `added`: what is in the game besides the standard, as the log calls it.
    `misnumbered`: heads of another turn than that in which they stand, with both numbers.
    """

    ussr: str
    us: str
    handicap: dict[Seat, int] = {}
    bids: tuple[Bid, ...] = ()
    scenario: str = "Standard"
    added: tuple[str, ...] = ()
    clock: str = ""
    setup: tuple[InfluenceChange, ...] = ()
    turns: tuple[Turn, ...] = ()
    end: Statements = ()
    strange: tuple[Unread, ...] = ()
    misnumbered: tuple[tuple[int, int, int], ...] = ()

    @property
    def optional_cards(self) -> bool:
        """Whether the optional cards are in the game."""
        return any(name.lower() == "optional cards" for name in self.added)

    @property
    def late_war(self) -> bool:
        """Whether it is the scenario that begins with turn 8."""
        return self.scenario.lower() == "late war"

    def said(self) -> Iterator[Statement]:
        """Every statement of the turns and of the end."""
        for turn in self.turns:
            for entry in turn.entries():
                yield from entry.said
        yield from self.end

    @property
    def unread(self) -> tuple[Unread, ...]:
        """Every line that is not understood."""
        return (*self.strange, *(one for one in self.said() if isinstance(one, Unread)))
