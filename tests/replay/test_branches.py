"""Verification of branches: alone, with their parent at hand, and forged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import json, structs

from domain.branches import line_of
from domain.draws import draws
from domain.events import Branch, FactEntry
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Decision
from domain.match import Match
from domain.refusals import Sentence
from replay.narration import narrated
from replay.report import FOLD, Report
from replay.verify import verify, verify_records
from replay.words import Words
from tests.matches import Branching, Sitting, finished
from tests.replay import stranger
from tests.replay.files import KEY, PINNED, file_of

SEED = 3


def checked(branch: Match, *parents: Match) -> Report:
    """What the verifier says of the file of a branch, with these matches at hand."""
    known = {parent.id: parent for parent in parents}
    return verify(file_of(branch), PINNED, parent=known.get)


def reason(report: Report) -> str:
    """The id of the sentence that says what is wrong with the fold."""
    (failure,) = (one for one in report.failures if one.check == FOLD)
    assert isinstance(failure.said, Sentence)
    return failure.said.id


@pytest.fixture
def parent(toy_game: Game) -> Match:
    """A whole match."""
    return finished(toy_game, SEED).match


def begun(parent: Match) -> int:
    """The move with which its play began."""
    assert parent.begun is not None
    return parent.begun


@pytest.mark.parametrize("game", sorted(GAMES))
def test_branches_of_every_game_verify(game: str) -> None:
    # Given a random match between bots, and branches from its first move, its last one and one between
    parent = finished(GAMES[game], SEED, bots=True).match
    last = parent.move - 3
    for at in (begun(parent), (begun(parent) + last) // 2, last):
        # When bots play a branch to its end
        branch = Branching(parent, at, bots=True).seat_all(salts=False).play_on().match
        # Then every question is answered with yes, by both verifiers, and the beginning is compared
        report = checked(branch, parent)
        assert report.ok, report.failures
        assert any("compared, they are those" in note for note in report.notes)
        made = sum(len(draws(record)) for record in branch.records if isinstance(record.entry, FactEntry))
        assert stranger.verify(file_of(branch), KEY.verifying.text) == made
        # And it can be told
        for language in ("en", "ru"):
            told = list(narrated(branch, Words(branch, language), "all"))
            assert parent.id in told[0].text
            assert str(at) in told[0].text
            assert told[2].facts == ()
            assert parent.id in told[2].text


def test_without_the_parent_the_report_says_that_nothing_was_compared(parent: Match) -> None:
    report = checked(Branching(parent, begun(parent)).seat_all().play_on().match)
    assert report.ok
    (note,) = (note for note in report.notes if note.startswith("branch:"))
    assert parent.id in note
    assert f"move {begun(parent)}" in note
    assert "not compared" in note


def test_running_branch_is_compared_as_far_as_it_is_public(parent: Match) -> None:
    sitting = Branching(parent, begun(parent) + 1)
    assert checked(sitting.match, parent).ok
    branch = sitting.seat_all().match
    assert checked(branch, parent).ok
    report = verify_records(branch.records, secret=sitting.secret.bytes, parent={parent.id: parent}.get)
    assert report.ok, report.failures


def test_branch_of_a_branch_verifies(parent: Match) -> None:
    first = Branching(parent, begun(parent), 4).seat_all().play_on().match
    second = Branching(first, first.move - 3, 5).seat_all().play_on().match
    assert checked(second, first).ok


Line = Callable[[Decision[Any]], Decision[Any]]


class Forging(Branching):
    """A branch written by a forger, who signs whatever they wrote."""

    def __init__(self, parent: Match, at: int, line: Line = lambda line: line, **changed: Any) -> None:
        self._change = line
        super().__init__(parent, at, 9)
        opened = structs.replace(self.match.opened, **changed)
        record = self.match.records[0]
        forged = type(record)(
            record._codec,
            record.match,
            1,
            b"\n".join((_canonical(opened), *record.sealed.values())),
            record.audiences,
        )
        match = Match.project(None, [forged])
        assert match is not None
        self.match = match

    def seat_all(self, **more: Any) -> Forging:
        line = self._change(line_of(self.parent, self.at))
        for seat in self.match.game.seats:
            sat = self.match.sit(self.context, seat, f"p-{seat}", salt=None, bot="", source=None, line=line)
            self.accept(sat)
        return self


def _canonical(entry: Any) -> bytes:
    return json.encode(entry, order="sorted")


def without_the_last_fact(line: Decision[Any]) -> Decision[Any]:
    return Decision(line.facts[:-1], line.table)


def with_a_changed_fact(line: Decision[Any]) -> Decision[Any]:
    facts: list[Any] = line.facts
    place, fact = next((i, fact) for i, fact in enumerate(facts) if hasattr(fact, "card"))
    other: Any = structs.replace(fact, card="card-2" if fact.card == "card-1" else "card-1")
    return Decision([*line.facts[:place], other, *line.facts[place + 1 :]], line.table)


def with_another_agenda(line: Decision[Any]) -> Decision[Any]:
    return Decision(line.facts, structs.replace(line.table, agenda=(line.table.agenda[-1],) * 2))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (without_the_last_fact, "branch-facts"),
        (with_a_changed_fact, "branch-fact"),
        (with_another_agenda, "branch-agenda"),
    ],
)
def test_forged_beginning_is_found_with_the_parent_at_hand(parent: Match, change: Line, found: str) -> None:
    forged = Forging(parent, begun(parent) + 1, change).seat_all()
    forged.accept(forged.match.resign(forged.context, next(iter(forged.match.seats))))
    assert reason(checked(forged.match, parent)) == found


def test_other_root_match_or_move_is_found(parent: Match) -> None:
    at = begun(parent)
    true = Branching(parent, at).match.opened.branch
    assert true is not None
    wrong = [
        (structs.replace(true, root=Branching(parent, at + 1).match.opened.branch.root), "branch-root"),  # type: ignore[union-attr]
        (structs.replace(true, move=at + 1), "branch-root"),
        (structs.replace(true, move=10_000), "branch-root"),
    ]
    for branch, found in wrong:
        assert reason(checked(Forging(parent, at, branch=branch).match, parent)) == found
    stranger_match = structs.replace(true, match="m-elsewhere")
    report = verify(file_of(Forging(parent, at, branch=stranger_match).match), parent=lambda match: parent)
    assert reason(report) == "branch-of-another"


def test_claim_of_a_running_parent_is_found(toy_game: Game, parent: Match) -> None:
    running = Sitting(toy_game, SEED).seat_all().match
    forged = Forging(parent, begun(parent)).match
    assert reason(verify(file_of(forged), parent=lambda match: running)) == "branch-of-running"


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"origin": "live"}, "branch-and-origin"),
        ({"branch": None}, "branch-and-origin"),
        ({"branch": Branch("b9", 3, "A" * 43 + "=")}, "branch-of-nothing"),
        ({"branch": Branch("m3", 0, "A" * 43 + "=")}, "branch-of-nothing"),
        ({"branch": Branch("m3", 3, "AAAA")}, "branch-of-nothing"),
    ],
)
def test_opening_that_names_no_place_is_wrong_also_without_the_parent(
    parent: Match, changed: dict[str, Any], found: str
) -> None:
    assert reason(checked(Forging(parent, begun(parent), **changed).match)) == found


def test_facts_of_a_match_that_is_no_branch_are_still_checked_by_the_rules(parent: Match) -> None:
    # Given a match whose opening was made one of an ordinary match, and which begins in the middle
    forged = Forging(parent, parent.move - 3)
    forged.seat_all()
    # Then leaving out the branch does not hide it: the origin must go too, and the rules draw a set-up
    live = Forging(parent, parent.move - 3, origin="live", branch=None)
    live.match.opened = structs.replace(live.match.opened, branch=forged.match.opened.branch)
    report = verify_records(live.seat_all().match.records, secret=live.secret.bytes)
    assert not report.ok
