"""A match whose answers, those of chance included, come from a record: a script, or a game played elsewhere.

The kernel checks each answer at once; when the next answer of a seat is due, the answer before it and the
draws that it led to become a move of the match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain import kernel
from domain.chance import Forced, Secret
from domain.drafts import Context, Draft
from domain.game import Game, Options
from domain.kernel import (
    CHANCE,
    Answer,
    AnyFact,
    AnyStep,
    Decision,
    Draw,
    Picks,
    Prompt,
    Refused,
    Result,
    Seat,
    Table,
)
from domain.log import canonical
from domain.match import Match, open_match

PREFIXES = {"scripted": "script", "imported": "import"}  # of a match's id, by origin


class Wrong(Exception):
    """An answer that is not legal at its place; the text says which one, and what would be legal."""


def digest_of(content: bytes) -> bytes:
    """Return the hash of a record, from which the match derives its id and its secret."""
    return hashlib.sha256(b"glasnost script\n" + content).digest()


class _Stated(Struct, frozen=True):
    """A position that the record states at a line, and the facts that follow from it."""

    line: int
    decision: Decision[Table]


class RecordedMatch:
    """A match from a record, answer by answer; the same game, options and `content` give the same bytes.

    Args:
        edition, options: complete, as `Game.settle` returns them.
        content: the record itself, from which the match's id and secret are derived.
        product: the version of this program.
        origin: "scripted" or "imported".
        players: the player of each seat; by default an id that is made from the seat.

    `live` is the table now, also in the middle of a move; `match` has only whole moves.
    """

    def __init__(
        self,
        game: Game,
        edition: str,
        options: Options,
        content: bytes,
        product: str,
        *,
        origin: str = "scripted",
        players: Mapping[Seat, str] | None = None,
    ) -> None:
        digest = digest_of(content)
        self.game, name = game, f"{PREFIXES[origin]}-{digest.hex()[:24]}"
        self.players = players or {seat: f"script:{seat}" for seat in game.seats}
        self.secret = hashlib.sha256(b"glasnost script secret\n" + digest).digest()
        self.context = Context(Secret(self.secret, name), None, product)
        opening = open_match(
            self.context, game, edition, options, match=name, origin=origin, opener=None, recorded=True
        )
        self.match = Match(opening.records[0].entry)
        self.match.accept(opening.records[0])
        for seat in game.seats[:-1]:
            self._sit(seat, [])
        self.live: Table = self.match.live
        self._pending: tuple[Seat, Picks] | _Stated | None = None
        self._luck: list[Picks] = []

    def begin(self) -> list[AnyFact]:
        """Begin the game; return the facts before its first question."""
        begun = kernel.begin(self.live, self.game.first(self.live))
        self.live = begun.table
        self._store_move()
        return begun.facts

    def answer(self, seat: Seat, picks: Picks) -> Decision[Table]:
        """Give the next answer; return the decision that follows from it.

        Raises:
            Wrong: the seat is not asked, or the answer is not legal.
        """
        try:
            decision = kernel.decide(self.live, Answer(seat, picks))
        except Refused as error:
            legal = [error.legal] if error.legal else self.questions()
            rule = f" ({error.rule})" if error.rule else ""
            raise Wrong(f"{self._message(error)}{rule}; {_legal(legal, self.live)}") from error
        if seat == CHANCE:
            self._luck.append(picks)
        else:
            self._pending = (seat, picks)
        self.live = decision.table
        self._store_move()
        return decision

    def restate(
        self, line: int, facts: Sequence[AnyFact], steps: Sequence[AnyStep] | None = None
    ) -> list[AnyFact]:
        """Set the position that the record of an imported match states at `line`; return all facts.

        An unfinished move is dropped.  `steps` replace the agenda, in the order in which they are to be done;
        None keeps the agenda.
        """
        self._luck = []
        table = kernel.fold(self.match.live, facts)
        begun = Decision([], table) if steps is None else kernel.begin(replace(table, agenda=()), steps)
        decision = Decision([*facts, *begun.facts], begun.table)
        self._pending, self.live = _Stated(line, decision), decision.table
        self._store_move()
        return decision.facts

    def _message(self, error: Refused) -> str:
        """What is wrong with an answer, in the words of its game; for chance there are no such words."""
        if error.legal is None or error.fault is None or error.legal.seat == CHANCE:
            return str(error)
        opened = self.match.opened
        words = self.game.words("en", opened.options, opened.edition)
        return f"{error.legal.ask}: {words.refused(error.legal, error.fault)}"

    @property
    def whole(self) -> bool:
        """Is the latest move whole, so that chance has nothing left to answer?"""
        return kernel.asked(self.live) != (CHANCE,)

    def close(self, result: Result | None = None) -> None:
        """Close the match after its latest whole move, unless it is over; `result`: that of the record."""
        if self.match.status != "over":
            self._accept(self.match.close_record(self.context, result))

    def questions(self) -> list[Prompt]:
        """Return the questions that are asked now, of seats or of chance."""
        found = (kernel.prompt(self.live, seat) for seat in kernel.asked(self.live))
        return [question for question in found if question]

    def _store_move(self) -> None:
        """Add a whole move to the match: the answer, and the answers of chance."""
        if not self.whole:
            return
        if self.match.status == "open":
            self._sit(self.game.seats[-1], self._luck)
        elif isinstance(self._pending, _Stated):
            stated, source = self._pending, Forced(iter(self._luck))
            self._accept(self.match.restate(self.context, stated.line, stated.decision, source))
        elif self._pending:
            seat, picks = self._pending
            self._accept(self.match.play(self.context, seat, [picks], source=Forced(iter(self._luck))))
        self._pending, self._luck = None, []

    def _sit(self, seat: Seat, luck: list[Picks]) -> None:
        source = Forced(iter(luck))
        self._accept(self.match.sit(self.context, seat, self.players[seat], salt=None, bot="", source=source))

    def _accept(self, draft: Draft) -> None:
        self.match.add(draft)


def content_of(game: str, edition: str, options: Options, answers: Sequence[Answer]) -> bytes:
    """Return a script as canonical JSON, which `glasnost script` reads."""
    lines = [{"seat": answer.seat, "picks": answer.picks} for answer in answers]
    return canonical({"game": game, "edition": edition, "options": options, "answers": lines}) + b"\n"


def _legal(questions: Sequence[Prompt], table: Table) -> str:
    if not questions:
        return "the game is over"
    return "; ".join(f"asked is {one.seat}: {one.ask} {which(one, table)}" for one in questions)


def which(question: Prompt, table: Table) -> str:
    """Return how many picks of which options, after the label if chance draws: "die/t3, pick 1 of: 1, 2"."""
    step = table.agenda[-1]
    label = f"{step.label(table)}, " if isinstance(step, Draw) else ""
    least, most = question.least, question.most
    count = f"{least}" if least == most else f"{least} to {most}"
    return f"{label}pick {count} of: {', '.join(question.options)}"
