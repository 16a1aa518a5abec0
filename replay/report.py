"""What a verification found, and the line that tells it."""

from __future__ import annotations

from msgspec import Struct

from domain.refusals import Sentence
from domain.signed_notes import Signed
from replay.sanitize import counted, one_line

LOG, CHANCE, FOLD, RULES = CHECKS = ("log", "chance", "fold", "rules")


class Wrong(Exception):
    """A check failed: at a move, or (None) in a part that no move is concerned with."""

    def __init__(self, check: str, move: int | None, said: str | Sentence) -> None:
        super().__init__(str(said))
        self.failure = Failure(check, move, said)


class Failure(Struct, frozen=True):
    """Which of the four questions got "no", at which move first, and why."""

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
        """All of it, in whatever language."""
        check = Sentence(f"check-{self.check}") if self.check in CHECKS else self.check
        if self.move is None:
            return Sentence("finding", {"check": check, "said": self.said})
        return Sentence("finding-at-move", {"check": check, "move": self.move, "said": self.said})


class Report(Struct, frozen=True):
    """The result for one match: the first failure of each question, and what a reader should know besides.

    Failures come in the order of their moves; those that concern no single move come first.

    `signed` tells who signed, and who is only named; `pinned`: one of the keys given has.
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
        """Nothing was found wrong."""
        return not self.failures

    @property
    def check(self) -> str:
        """The question that got "no" first: log, chance, fold or rules; "" where none did."""
        return self.failures[0].check if self.failures else ""

    @property
    def move(self) -> int | None:
        """The first bad move; None where a whole part, or the signature, is concerned."""
        return self.failures[0].move if self.failures else None

    @property
    def reason(self) -> str:
        """Why, in one sentence."""
        return self.failures[0].reason if self.failures else ""


def line(report: Report) -> str:
    """One line: "ok: N moves ..." or each question that got "no", with the move and the reason."""
    if report.failures:
        return one_line("wrong: " + "; ".join(map(str, report.failures)))
    moves = counted(report.moves, "move", "moves")
    first = f"ok: {moves} of {report.game} {report.match}, {report.signed.text()}"
    return one_line("; ".join([first, *report.notes]))
