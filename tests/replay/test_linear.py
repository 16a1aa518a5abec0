"""What verifying costs grows with the size of the log alone, whatever kind of entry it is made of."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from domain.events import Agenda, Asked, Part, Played
from domain.game import Game
from domain.log import HOUSE
from domain.match import Match
from replay import verify as verifying
from replay.report import FOLD
from replay.verify import verify
from tests.domain.toy import Rolled
from tests.matches import Sitting
from tests.replay.files import file_of

SMALL, TIMES = 120, 10
MOST_TIMES = 11
TURN = (
    5  # the table at which the first seat has its turn: it may wave as often as it likes, which shows nothing
)


def begun(game: Game) -> Sitting:
    """A match in which a seat has its turn, and has waved once."""
    sitting = Sitting(game).seat_all()
    sitting.answer("left", "3")
    sitting.answer("right", "1")
    assert sitting.match.move == TURN
    plays(sitting)
    return sitting


def plays(sitting: Sitting) -> None:
    sitting.answer("left", "wave")


def requests_refused(sitting: Sitting) -> None:
    match = sitting.match
    sitting.accept(match.ask_takeback(sitting.context, "left", TURN))
    sitting.accept(match.answer_takeback(sitting.context, "right", match.move, agree=False))


def requests_refused_before_the_last_answer(sitting: Sitting) -> None:
    match = sitting.match
    sitting.accept(match.ask_takeback(sitting.context, "left"))
    sitting.accept(match.answer_takeback(sitting.context, "right", match.move, agree=False))


def requests_that_lapse(sitting: Sitting) -> None:
    sitting.accept(sitting.match.ask_takeback(sitting.context, "left", TURN))
    plays(sitting)


def takebacks(sitting: Sitting) -> None:
    match = sitting.match
    plays(sitting)
    sitting.accept(match.ask_takeback(sitting.context, "left", TURN))
    sitting.accept(match.answer_takeback(sitting.context, "right", match.move, agree=True))


def takebacks_one_after_the_other(sitting: Sitting) -> None:
    match = sitting.match
    plays(sitting)
    plays(sitting)
    sitting.accept(match.ask_takeback(sitting.context, "left"))
    sitting.accept(match.answer_takeback(sitting.context, "right", match.move, agree=True))


def rulings(sitting: Sitting) -> None:
    sitting.accept(sitting.match.rule(sitting.context, "o", "again", back_to=TURN))


def rulings_to_the_latest_table(sitting: Sitting) -> None:
    match = sitting.match
    plays(sitting)
    sitting.accept(match.rule(sitting.context, "o", "again", back_to=match.move - 1))


def rulings_between_two_lines(sitting: Sitting) -> None:
    """Each goes from the end of one long line of play to the end of another one."""
    match = sitting.match
    went_back = match.move > TURN + 2 and not match.stands(TURN + 2)
    if match.move > SMALL // 4 and not went_back:
        sitting.accept(match.rule(sitting.context, "o", "again", back_to=TURN))
    elif went_back:
        sitting.accept(match.rule(sitting.context, "o", "again", back_to=match.move - 4))
    plays(sitting)


def dice(sitting: Sitting) -> None:
    """A die is rolled, and taken back by a ruling, so that the ledger goes back each time."""
    match = sitting.match
    hand = match.live.hands["left"]
    sitting.answer("left", *hand)
    sitting.accept(match.rule(sitting.context, "o", "again", back_to=TURN))


KINDS: list[Callable[[Sitting], None]] = [
    plays,
    requests_refused,
    requests_refused_before_the_last_answer,
    requests_that_lapse,
    takebacks,
    takebacks_one_after_the_other,
    rulings,
    rulings_to_the_latest_table,
    rulings_between_two_lines,
    dice,
]


@contextmanager
def counting() -> Iterator[list[int]]:
    """Count the calls of functions and the steps of generators, ours and the library's."""
    found = [0]

    def count(frame: object, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            found[0] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield found
    finally:
        sys.setprofile(before)


def work(game: Game, kind: Callable[[Sitting], None], entries: int) -> tuple[int, int, int]:
    """Steps to verify a log that ends with a resignation, steps to write it, and its moves."""
    with counting() as written:
        sitting = begun(game)
        while sitting.match.move < entries:
            kind(sitting)
        sitting.accept(sitting.match.resign(sitting.context, "left"))
    file = file_of(sitting.match)
    with counting() as verified:
        report = verify(file)
    assert report.ok, report
    return verified[0], written[0], sitting.match.move


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_ten_times_as_many_entries_cost_ten_times_as_much(
    toy_game: Game, kind: Callable[[Sitting], None]
) -> None:
    small, large = (work(toy_game, kind, entries) for entries in (SMALL, SMALL * TIMES))
    assert large[2] >= small[2] * TIMES * 0.95
    assert large[0] <= small[0] * MOST_TIMES
    assert large[1] <= small[1] * MOST_TIMES


def test_a_table_that_forged_facts_let_grow_is_refused(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under other rules than ours no fact can be called wrong; the limit on the size ends it."""
    with monkeypatch.context() as patched:
        patched.setattr(toy_game, "rules", "rules-of-my-own")
        sitting = begun(toy_game)
        for number in range(300):
            _forge(sitting, number)
        sitting.accept(sitting.match.resign(sitting.context, "left"))
    file = file_of(sitting.match)
    assert verify(file).ok
    monkeypatch.setattr(verifying, "MOST_TABLES", 200_000)
    report = verify(file)
    assert (report.check, report.ok) == (FOLD, False)
    assert report.reason.endswith("the tables until here take more than 200000 bytes")
    assert report.move is not None
    assert report.move < 200


def _forge(sitting: Sitting, number: int) -> None:
    """A play that brings the points of a seat that does not exist."""
    match: Match = sitting.match
    draft = match._drafting(sitting.context)
    agenda = Agenda(len(match.positions[-1].agenda), ())
    draft.add(
        Played,
        {HOUSE: Part(agenda=agenda)},
        seat="left",
        ask="Turn",
        picks=("wave",),
        facts=(Rolled(f"seat-{number}", 1, number),),
        asked=Asked("Turn", {"left": match.move + 1}),
    )
    sitting.accept(draft.done())
