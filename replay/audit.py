"""The fourth question, *rules*: runs today's rules answer by answer with the recorded draws.

The export uses this module, too: it lists what the seat could have answered at every move.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from domain import kernel
from domain.chance import Drawn, Forced, Ledger, NoDraw
from domain.events import (
    Asked,
    Closed,
    FactEntry,
    Played,
    Resigned,
    Restated,
    SaltOpened,
    Seated,
    TakenBack,
    TimedOut,
)
from domain.game import Game
from domain.kernel import CHANCE, Answer, AnyFact, Decision, Picks, Prompt, Refused, Result, Seat, Table
from domain.log import HOUSE, Record, canonical
from domain.match import Match
from domain.refusals import Sentence


class Differs(Exception):
    """Today's rules give something else than the record; `said` says what."""

    def __init__(self, said: Sentence) -> None:
        super().__init__(str(said))
        self.said = said


class Rerun(Struct, frozen=True):
    """The result of one answer by today's rules: facts, open and secret draws, table with agenda."""

    facts: list[AnyFact]
    public: list[Drawn]
    hidden: list[Drawn]
    table: Table


class Audit:
    """Runs today's rules along a match.  After a difference it continues from the record."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._live: Table | None = None
        self._ledger = Ledger()

    def check(self, match: Match, record: Record) -> None:
        """Compare one move, which `match` has just taken in.

        Raises:
            Differs: today's rules give something else.
        """
        try:
            self._step(match, record)
        except Differs:
            self._go_on_from_record(match)
            raise
        except Exception as error:  # rules may raise anything on a table that other rules made
            self._go_on_from_record(match)
            raise Differs(Sentence("rules-fail", {"error": f"{type(error).__name__}: {error}"})) from error

    def _step(self, match: Match, record: Record) -> None:
        entry = record.entry
        if isinstance(entry, Restated):  # no rule led there
            self._go_on_from_record(match)
        elif match.opened.branch is not None and match.begun == entry.move:  # the rules led there elsewhere
            self._go_on_from_record(match)
            asked = _question(match, record, match.table_with_agenda(match.move))
            _compare_question(asked, entry.asked)
        elif isinstance(entry, FactEntry) and match.begun:
            before = self._live or match.table_with_agenda(match.move - 1)
            rerun = self._rerun(before, record)
            _compare(match, record, before, rerun)
            self._live = rerun.table
        elif isinstance(entry, TakenBack):
            self._go_on_from_record(match)
        elif isinstance(entry, Closed):
            self._check_score(match, entry)

    def _go_on_from_record(self, match: Match) -> None:
        self._live, self._ledger = None, match.ledger.fork()

    def _rerun(self, before: Table, record: Record) -> Rerun:
        source = Recorded(record)
        try:
            decision = self._first(before, record)
            facts = list(decision.facts)
            public, hidden = list[Drawn](), list[Drawn]()
            while True:
                self._close_periods(decision.facts)
                if kernel.asked(decision.table) != (CHANCE,):
                    source.must_be_empty()
                    return Rerun(facts, public, hidden, decision.table)
                draws, face_up = source.draw(decision.table, self._ledger)
                (public if face_up else hidden).extend(draws)
                picks = tuple(draw.pick for draw in draws)
                decision = kernel.decide(decision.table, Answer(CHANCE, picks))
                facts += decision.facts
        except (Refused, NoDraw) as error:
            raise Differs(Sentence("rules-refuse", {"error": str(error)})) from error

    def _close_periods(self, facts: list[AnyFact]) -> None:
        for fact in facts:
            if fact.ends_period:
                self._ledger.close_period()

    def _first(self, before: Table, record: Record) -> Decision[Table]:
        entry = record.entry
        if isinstance(entry, (Seated, SaltOpened)):
            return kernel.begin(before, self._game.first(before))
        picks = record.picks
        if picks is None:
            raise Differs(Sentence("picks-not-recorded"))
        return kernel.decide(before, Answer(entry.seat, picks))

    def _check_score(self, match: Match, entry: Closed) -> None:
        """Compare the score of a resignation or a time-out, which the rules compute."""
        last = match.records[-3].entry
        if isinstance(last, (Resigned, TimedOut)):
            score = self._game.score(match.table_with_agenda(match.move))
            if entry.result is None or entry.result.score != score:
                raise Differs(
                    Sentence("score-differs", {"ours": str(score), "theirs": str(_score(entry.result))})
                )


class Recorded:
    """The draws of one record as a source of draws: open ones and secret ones, each in their order."""

    def __init__(self, record: Record) -> None:
        house = record.parts.get(HOUSE)
        self._public = list(record.entry.draws)
        self._hidden = list(house.draws) if house else []

    def draw(self, table: Table, ledger: Ledger) -> tuple[list[Drawn], bool]:
        """Return the next recorded draws, as today's rules would have recorded them.  Raises NoDraw."""
        step: Any = table.agenda[-1]
        options = step.options(table, CHANCE)
        _, count = step.bounds(table, CHANCE)
        face_up: bool = step.face_up(table)
        source = Forced(iter([self.picks(table)]))
        return source.draw(step.label(table), face_up, options, count, ledger), face_up

    def picks(self, table: Table) -> Picks:
        """Return what was drawn next, on a table that asks chance; fewer picks if the record ends."""
        step: Any = table.agenda[-1]
        _, count = step.bounds(table, CHANCE)
        queue = self._public if step.face_up(table) else self._hidden
        picks = tuple(draw.pick for draw in queue[:count])
        del queue[:count]
        return picks

    def must_be_empty(self) -> None:
        """Raise Differs if the rules did not ask for all recorded draws."""
        if self._public or self._hidden:
            left = (self._public + self._hidden)[0]
            raise Differs(Sentence("draw-unknown", {"label": left.label}))


def _compare(match: Match, record: Record, before: Table, rerun: Rerun) -> None:
    """Compare facts, draws, ends of periods, the agenda and the question."""
    entry, full = record.entry, record.facts
    for place, (ours, theirs) in enumerate(zip(rerun.facts, full, strict=False), 1):
        if ours != theirs:
            raise Differs(
                Sentence("fact-differs", {"place": place, "ours": str(ours), "theirs": str(theirs)})
            )
    if len(rerun.facts) != len(full):
        raise Differs(Sentence("facts-differ", {"ours": len(rerun.facts), "theirs": len(full)}))
    house = record.parts.get(HOUSE)
    _compare_draws(rerun.public, entry.draws)
    _compare_draws(rerun.hidden, house.draws if house else ())
    if sum(fact.ends_period for fact in full) != len(entry.keys):
        raise Differs(Sentence("keys-differ"))
    _compare_agenda(before.agenda, rerun.table.agenda, house.agenda if house else None)
    _compare_question(_question(match, record, rerun.table), entry.asked)


def _compare_draws(ours: list[Drawn], theirs: tuple[Drawn, ...]) -> None:
    for one, two in zip(ours, theirs, strict=True):
        if _coordinates(one) != _coordinates(two):
            drawn = {"ours": str(_coordinates(one)), "theirs": str(_coordinates(two))}
            raise Differs(Sentence("draw-differs", drawn))


def _coordinates(draw: Drawn) -> tuple[str, int, int, int, int, str]:
    return draw.label, draw.counter, draw.period, draw.n, draw.result, draw.pick


def _compare_agenda(before: tuple[Any, ...], after: tuple[Any, ...], change: Any) -> None:
    keep = 0
    while keep < min(len(before), len(after)) and before[keep] == after[keep]:
        keep += 1
    if change is None or change.keep != keep:
        raise Differs(Sentence("agenda-begins-elsewhere"))
    if [canonical(step) for step in after[keep:]] != [bytes(raw) for raw in change.then]:
        names = ", ".join(type(step).__name__ for step in after[keep:])
        raise Differs(Sentence("agenda-differs", {"names": names}))


def _question(match: Match, record: Record, table: Table) -> Asked | None:
    """The current question; if a seat is asked the same as before, the question keeps its number."""
    seats = kernel.asked(table)
    if not seats:
        return None
    ask = type(table.agenda[-1]).__name__
    before = match.positions[-2].asked
    same_players = match.positions[-2].table.exchanged == table.exchanged
    stood = before.seats if before and before.ask == ask and same_players else {}
    answered = record.entry.seat if isinstance(record.entry, Played) else None
    return Asked(
        ask, {seat: stood[seat] if seat in stood and seat != answered else record.move for seat in seats}
    )


def _compare_question(ours: Asked | None, theirs: Asked | None) -> None:
    if ours != theirs:
        raise Differs(Sentence("question-differs", {"ours": _ask(ours), "theirs": _ask(theirs)}))


def _ask(asked: Asked | None) -> str:
    return f"{asked.ask} of {', '.join(asked.seats)}" if asked else "no seat"


def _score(result: Result | None) -> Any:
    return result.score if result else None


class Offer(Struct, frozen=True):
    """The possible answers of a seat at a move: any `least` to `most` different `options`."""

    move: int
    seat: Seat
    ask: str
    options: Picks
    least: int
    most: int
    picks: Picks


def offered(match: Match, first: int = 1, last: int | None = None) -> Iterator[Offer]:
    """For each played move from `first` to `last`, yield the options by today's rules on the recorded table.

    A move that today's rules cannot read any more (an older step) is left out.
    """
    for record in match.records[first - 1 : last]:
        if isinstance(record.entry, Played):
            question = _standing(match, record)
            if question is not None:
                yield Offer(
                    record.move,
                    question.seat,
                    question.ask,
                    question.options,
                    question.least,
                    question.most,
                    record.picks or (),
                )


def _standing(match: Match, record: Record) -> Prompt | None:
    try:
        return kernel.prompt(match.table_with_agenda(record.move - 1), record.entry.seat)
    except Exception:  # an old step under new rules may raise anything
        return None
