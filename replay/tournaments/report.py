"""The result of the verification of a tournament file, and how it is said."""

from __future__ import annotations

from msgspec import Struct

from domain.refusals import Sentence
from domain.signed_notes import Signed, visible
from replay.sanitize import counted, one_line

LOG, MATCHES, RESULTS, PAIRINGS, STANDINGS, LOTS = QUESTIONS = (
    "log",
    "matches",
    "results",
    "pairings",
    "standings",
    "lots",
)
OK, WRONG, UNCHECKED = "ok", "wrong", "not checked"


class Disproved(Exception):
    """Something is not what the file says: at an entry of the log (None: at none), and at a board if any."""

    def __init__(self, entry: int | None, said: str | Sentence, place: Sentence | None = None) -> None:
        super().__init__(str(said))
        self.entry, self.said, self.place = entry, said, place


class Failure(Struct, frozen=True):
    """A question that got "no": at which entry first, at which board or round, and why."""

    question: str
    entry: int | None
    said: str | Sentence
    place: Sentence | None = None

    @property
    def sentence(self) -> Sentence:
        """The whole failure, as a sentence in any language."""
        said = (
            self.said
            if self.place is None
            else Sentence("at-place", {"place": self.place, "said": self.said})
        )
        about: dict[str, str | int | Sentence] = {"check": Sentence(f"check-{self.question}"), "said": said}
        if self.entry is None:
            return Sentence("finding", about)
        return Sentence("finding-at-entry", {**about, "entry": self.entry})


class Report(Struct, frozen=True):
    """The result for one tournament: the first failure of each question, and what was not checked.

    failures: in the order of their entries; those that belong to none come first.
    unchecked: why a question, or a part of it, was not answered; by question.
    answers: of each question "ok", "wrong" or "not checked".
    signed, pinned: see `replay.report.Report`.
    logged: what the proof from the server's log shows, in words; "" if there is none.
    """

    tournament: str = ""
    entries: int = 0
    rounds: int = 0
    matches: int = 0
    signed: Signed = Signed()
    pinned: bool = False
    logged: str = ""
    failures: tuple[Failure, ...] = ()
    unchecked: dict[str, Sentence] = {}
    notes: tuple[Sentence, ...] = ()

    @property
    def ok(self) -> bool:
        """Did no question get "no"?  Some may not be answered: see `unchecked`."""
        return not self.failures

    @property
    def answers(self) -> dict[str, str]:
        """The answer to each question."""
        wrong = {failure.question for failure in self.failures}
        if self.failures and not self.entries:
            return {one: WRONG if one in wrong else UNCHECKED for one in QUESTIONS}
        return {
            one: WRONG if one in wrong else UNCHECKED if one in self.unchecked else OK for one in QUESTIONS
        }


def lines(report: Report) -> list[str]:
    """Return the report in English: one line for the whole, and one for each question that needs words."""
    said = [f"{one}: {answer}" for one, answer in report.answers.items()]
    found = [one_line(str(failure.sentence)) for failure in report.failures]
    found += [one_line(f"{one}: not checked: {why}") for one, why in report.unchecked.items()]
    if report.failures:
        return [f"wrong: {found[0]}", *found[1:], ", ".join(said)]
    amounts = ", ".join(
        (
            counted(report.entries, "entry", "entries"),
            counted(report.rounds, "round", "rounds"),
            counted(report.matches, "match", "matches"),
        )
    )
    first = f"ok: {amounts} of tournament {visible(report.tournament)}, {report.signed.text()}"
    found += [one_line(report.logged)] if report.logged else []
    return [one_line(first), *found, *(one_line(str(note)) for note in report.notes), ", ".join(said)]
