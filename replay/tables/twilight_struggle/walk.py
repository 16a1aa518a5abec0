"""The line of play that stands, fact by fact, with the tables around each fact and what led to it.

The line is folded once for all tables.  The tables are folds of stored facts, which know no rule, so another
version of the rules gives the same ones.  What led to a fact (`card`, `cause`) follows from the question that
was answered, which the log holds with its card, and from the facts before it in the move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, cast

import msgspec
from msgspec import Struct

from domain.events import FactEntry, Played, Restated
from domain.game import Game
from domain.kernel import AnyFact, Seat
from domain.log import HOUSE, codec
from domain.match import Match
from domain.match_base import ALL
from domain.sharing import empty_table
from domain.twilight_struggle.facts.board import CoupRolled, RealignmentRolled
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, CardRevived, ChinaPlayed
from domain.twilight_struggle.facts.flow import EventBegan, HeadlineBegan
from domain.twilight_struggle.rules.operations import CHINA, COUP, INFLUENCE, REALIGN
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import Choosing
from domain.twilight_struggle.steps.operations import RANSOM, Conducting, Coup, Realign
from domain.twilight_struggle.steps.setup import SETUP, PlaceExtra
from replay.tables.schema import Row

OPS, EVENT, STATED = "ops", "event", "stated"
CAUSES = {INFLUENCE: OPS, COUP: COUP, REALIGN: REALIGN}
"""What changes influence if a card is played in one of these ways."""


class At(Struct, gc=False):
    """One fact of the line, where it stands, and the tables before and after it.

    `previous` is the fact before it in its move, and `earlier` the table before that one; `following` are the
    facts of its move behind it.
    `card` is the card whose operations or event are carried out, `cause` what changes influence (see the
    column `cause`), `by` the side that makes the choices.
    """

    move: int
    place: int
    fact: Any
    before: State
    after: State
    previous: AnyFact | None
    earlier: State
    following: tuple[AnyFact, ...]
    card: str | None
    cause: str
    by: Seat | None


Reader = Callable[[At], None]
Readers = Mapping[type, Reader]
"""What is done with the facts of a kind."""


class Collector(Protocol):
    """The rows of one table, which its readers make while the line is walked."""

    @property
    def readers(self) -> Readers:
        """What it reads."""

    @property
    def rows(self) -> list[Row]:
        """The rows, when all facts are read."""


def sees_all(match: Match) -> bool:
    """Does the data set show the hidden parts: is the match over, not imported, and are they in its log?"""
    return match.closed is not None and not match.imported and HOUSE in match.audiences


def start(match: Match) -> State:
    """The table before the first fact, with the printed influence."""
    opened = match.opened
    return cast(State, empty_table(match.game, opened.edition, opened.options))


def walk(match: Match) -> Iterator[At]:
    """The facts of the moves that stand, in order; of an imported match as a spectator sees them."""
    viewer = ALL if sees_all(match) else None
    s: Any = start(match)
    game = match.game
    for move in reversed(list(match.line())):
        record = match.records[move - 1]
        if not isinstance(record.entry, FactEntry):
            continue
        facts = record.facts if viewer else record.facts_for(None)
        if not facts:
            continue
        context = _Context(game, match, record.entry)
        previous, earlier = None, s
        for place, fact in enumerate(facts):
            before = s
            s = fact.apply(s)
            context.note(fact)
            following = facts[place + 1 :]
            card, cause, by = context.card, context.cause, context.by
            yield At(move, place, fact, before, s, previous, earlier, following, card, cause, by)
            previous, earlier = fact, before


class _Context:
    """What leads to the facts of a move, kept up to date from fact to fact."""

    def __init__(self, game: Game, match: Match, entry: Any) -> None:
        self.card: str | None = None
        self.cause, self.by = EVENT, None
        self._both: str | None = None  # the card whose event happens before its operations
        if isinstance(entry, Restated):
            self.cause = STATED
        elif isinstance(entry, Played):
            self.by = entry.seat
            self._begin(_asked(game, match, entry.move), entry.picks)
        else:
            self.cause = SETUP
        self._is_play = isinstance(entry, Played)

    def _begin(self, step: Any, picks: tuple[str, ...] | None) -> None:
        """What the question says that was answered."""
        if isinstance(step, Conducting):
            self.card = step.ops.card
            self.cause = COUP if isinstance(step, Coup) else REALIGN if isinstance(step, Realign) else OPS
        elif isinstance(step, Choosing):
            if step.card == SETUP:
                self.cause = SETUP
            else:
                self.card = step.card.partition(".")[0]  # a question may add a word to the card
        elif isinstance(step, PlaceExtra):
            self.cause = step.card
        if picks and picks[0].startswith(f"{RANSOM}:"):
            self.card, self.cause = "cuban_missile_crisis", RANSOM

    def note(self, fact: AnyFact) -> None:
        """Take in the next fact, before it is read."""
        kind = type(fact)
        if kind in _NOTED and self.cause != STATED:
            _NOTED[kind](self, fact)

    def _event(self, fact: EventBegan) -> None:
        self.card, self.cause, self.by = fact.card, EVENT, fact.seat

    def _headline(self, fact: HeadlineBegan) -> None:
        self.card, self.cause, self.by = fact.card, EVENT, fact.seat

    def _played(self, fact: CardPlayed) -> None:
        self.card, self.cause, self.by = fact.card, CAUSES.get(fact.how, EVENT), fact.seat
        self._both = fact.card if fact.how == "event_first" else None

    def _china(self, fact: ChinaPlayed) -> None:
        self.card, self.cause, self.by = CHINA, CAUSES.get(fact.how, EVENT), fact.seat

    def _revived(self, fact: CardRevived) -> None:
        self.card, self.cause, self.by = fact.card, EVENT, fact.seat

    def _put_away(self, fact: CardPutAway) -> None:
        """In the moves that a branch took over, operations may follow on the event of the same card."""
        if not self._is_play and fact.card == self._both:
            self.card, self.cause = fact.card, OPS

    def _rolled(self, fact: CoupRolled | RealignmentRolled) -> None:
        self.cause, self.by = COUP if isinstance(fact, CoupRolled) else REALIGN, fact.seat


_NOTED: dict[type, Callable[[_Context, Any], None]] = {
    EventBegan: _Context._event,
    HeadlineBegan: _Context._headline,
    CardPlayed: _Context._played,
    ChinaPlayed: _Context._china,
    CardRevived: _Context._revived,
    CardPutAway: _Context._put_away,
    CoupRolled: _Context._rolled,
    RealignmentRolled: _Context._rolled,
}


def _asked(game: Game, match: Match, move: int) -> Any:
    """The question that a move answered; None if its agenda is not there, or of a form no longer known."""
    agenda = match.positions[move - 2].agenda
    try:
        return codec(game).step(agenda[-1]) if agenda else None
    except msgspec.DecodeError:
        return None
