"""The result of a verification, and its line of text."""

from __future__ import annotations

from msgspec import Struct

from domain.refusals import Sentence
from domain.signed_notes import Signed
from replay.sanitize import counted, one_line

LOG, CHANCE, FOLD, RULES = CHECKS = ("log", "chance", "fold", "rules")


class Wrong(Exception):
    """A check failed: at a move, or (None) in a part that belongs to no move."""

    def __init__(self, check: str, move: int | None, said: str | Sentence) -> None:
        super().__init__(str(said))
        self.failure = Failure(check, move, said)


class Failure(Struct, frozen=True):
    """A question that got "no": which of the four, at which move first, and why."""

    check: str
    move: int | None
    said: str | Sentence

    def __str__(self) -> str:
        return str(self.sentence)

    @property
    def reason(self) -> str:
        """Why, in English."""
        return str(self.said)

    @property
    def sentence(self) -> Sentence:
        """The whole failure, as a sentence in any language."""
        check = Sentence(f"check-{self.check}") if self.check in CHECKS else self.check
        if self.move is None:
            return Sentence("finding", {"check": check, "said": self.said})
        return Sentence("finding-at-move", {"check": check, "move": self.move, "said": self.said})


class Report(Struct, frozen=True):
    """The result for one match: the first failure of each question, and notes for the reader.

    Failures are in the order of their moves; those that belong to no single move come first.

    `signed` says which keys signed, and which are only named; `pinned`: one of the given keys signed.
    """

    match: str = ""
    game: str = ""
    moves: int = 0
    signed: Signed = Signed()
    pinned: bool = False
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Did no question get "no"?"""
        return not self.failures

    @property
    def check(self) -> str:
        """The question that got "no" first: log, chance, fold or rules; "" if none did."""
        return self.failures[0].check if self.failures else ""

    @property
    def move(self) -> int | None:
        """The first bad move; None if a whole part or the signature is bad."""
        return self.failures[0].move if self.failures else None

    @property
    def reason(self) -> str:
        """Why, in one sentence."""
        return self.failures[0].reason if self.failures else ""


def line(report: Report) -> str:
    """Return one line: "ok: N moves ...", or each question that got "no" with the move and the reason."""
    if report.failures:
        return one_line("wrong: " + "; ".join(map(str, report.failures)))
    moves = counted(report.moves, "move", "moves")
    first = f"ok: {moves} of {report.game} {report.match}, {report.signed.text()}"
    return one_line("; ".join([first, *report.notes]))
