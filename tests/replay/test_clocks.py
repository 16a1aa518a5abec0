"""What verifiers say of clocks: they find a time-out that is none, and an answer that came too late."""

from __future__ import annotations

from typing import Any

import pytest

from domain.clocks import SECOND, Bank, Clock, Days, Until
from domain.events import ClockStopped, TimedOut
from domain.game import Game
from domain.games import GAMES
from domain.match import Match
from replay.narration import narrated
from replay.verify import verify, verify_records
from replay.words import Words
from tests.domain.test_clocks import CLOCKS, QUICK, REPORTING, T0, answer, at, begun, wandering
from tests.matches import Sitting
from tests.replay import stranger
from tests.replay.files import KEY, PINNED, file_of, rewritten

VKEY = KEY.verifying.text


def disproved(data: bytes, move: int, words: str = "") -> None:
    """Both verifiers find it; ours names the move and says why."""
    report = verify(data, PINNED)
    assert (report.check, report.move) == ("fold", move), report
    assert words in report.reason
    with pytest.raises(stranger.Disproved):
        stranger.verify(data, VKEY)


def timed_out(game: Game, terms: Clock = QUICK) -> Sitting:
    """The time of right is up: move 5 notes it, move 7 closes the match."""
    sitting = begun(game, terms)
    answer(sitting, 13, "left", "2")
    sitting.accept(sitting.match.time_out(at(sitting, 63.5)))
    return sitting


def forged(sitting: Sitting, kind: type[Any], seconds: float, **fields: Any) -> Match:
    """The server writes an entry that the match would refuse, and nothing after it."""
    draft = sitting.match._drafting(at(sitting, seconds))
    draft.add(kind, **fields)
    sitting.accept(draft.done())
    return sitting.match


@pytest.mark.parametrize("terms", CLOCKS)
def test_matches_with_clocks_verify(toy_game: Game, terms: str) -> None:
    for seed in range(1, 4):
        data = file_of(wandering(toy_game, CLOCKS[terms], seed).match)
        report = verify(data, PINNED)
        assert report.ok, report
        assert stranger.verify(data, VKEY) >= 0


def test_a_running_match_with_a_clock_verifies_with_and_without_its_secret(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    assert verify(file_of(sitting.match), PINNED).ok
    assert verify_records(sitting.match.records, secret=sitting.secret.bytes).ok


@pytest.mark.parametrize("name", GAMES)
def test_a_time_out_of_every_game_verifies(name: str) -> None:
    sitting = Sitting(GAMES[name], 5, terms=(Bank(main=3600),)).seat_all().play_on(30)
    sitting.clock += 7_200 * SECOND
    sitting.accept(sitting.match.time_out(sitting.context))
    data = file_of(sitting.match)
    assert verify(data, PINNED).ok
    assert stranger.verify(data, VKEY) > 0


def test_an_answer_that_came_too_late_is_found(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    answer(sitting, 62.9, "right", "1")
    match, late = sitting.match, T0 + 63 * SECOND
    disproved(rewritten(match, 5, b"1790000062900000", str(late).encode()), 5, "time of right was up")
    assert verify(rewritten(match, 5, b"1790000062900000", str(late - 1).encode()), PINNED).ok


def test_a_time_that_runs_backwards_or_is_missing_is_found(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    answer(sitting, 23, "right", "1")
    match = sitting.match
    disproved(rewritten(match, 5, b'"at":1790000023000000', b'"at":1790000012999999'), 5, "before that")
    disproved(rewritten(match, 5, b'"at":1790000023000000,', b""), 5, "before that")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seat":"right"', b'"seat":"left"'),
        (b'"seat":"right"', b'"seat":"nobody"'),
        (b'"right":0', b'"right":1'),
        (b'"left":60000000', b'"left":59999999'),
        (b'"left":60000000,', b""),
        (b'"at":1790000063500000', b'"at":1790000062999999'),
    ],
)
def test_a_forged_time_out_is_found(toy_game: Game, old: bytes, new: bytes) -> None:
    disproved(rewritten(timed_out(toy_game).match, 5, old, new), 5)


def reported(game: Game, terms: str = "increment") -> Sitting:
    """The time of right is up 123 seconds after T0; it answers at 133, and left plays on."""
    sitting = begun(game, REPORTING[terms])
    answer(sitting, 13, "left", "2")
    answer(sitting, 133, "right", "1")
    return sitting


@pytest.mark.parametrize("terms", REPORTING)
def test_matches_that_go_on_after_a_time_is_up_verify(toy_game: Game, terms: str) -> None:
    for seed in range(1, 4):
        data = file_of(wandering(toy_game, REPORTING[terms], seed).match)
        report = verify(data, PINNED)
        assert report.ok, report
        assert stranger.verify(data, VKEY) >= 0


def test_a_time_out_where_a_time_is_only_reported_is_found(toy_game: Game) -> None:
    """A server that lies lets a player lose whose time is up, although the terms say otherwise."""
    sitting = begun(toy_game, REPORTING["increment"])
    answer(sitting, 13, "left", "2")
    match = forged(sitting, TimedOut, 133, seat="right", left={"left": 150_000_000, "right": 0})
    disproved(file_of(match), 5, "'right' is up first")


def test_a_match_that_went_on_under_terms_that_let_it_be_lost_is_found(toy_game: Game) -> None:
    """A server that lies takes the word `report` out of the terms, or gives the two terms different ones."""
    match, word = reported(toy_game).match, b',"time_up":"report"'
    assert verify(file_of(match), PINNED).ok
    disproved(rewritten(match, 1, word, b""), 5, "time of right was up")
    disproved(rewritten(reported(toy_game, "bank until").match, 1, word, b""), 1, "`time_up`")


def test_a_forged_result_of_a_time_out_is_found(toy_game: Game) -> None:
    match = timed_out(toy_game).match
    for old, new in (
        (b'"winner":"left"', b'"winner":"right"'),
        (b'"winner":"left"', b'"winner":null'),
        (b'"reason":"time"', b'"reason":"points"'),
        (b'"by":"time"', b'"by":"resignation"'),
    ):
        disproved(rewritten(match, 7, old, new), 7)


def test_the_score_of_a_time_out_is_that_of_the_rules(toy_game: Game) -> None:
    data = rewritten(timed_out(toy_game).match, 7, b'"score":{"left":0', b'"score":{"left":9')
    assert verify(data, PINNED).check == "rules"


def test_nothing_else_closes_a_match_by_time(toy_game: Game) -> None:
    sitting = begun(toy_game)
    sitting.accept(sitting.match.resign(at(sitting, 10), "left"))
    disproved(rewritten(sitting.match, 6, b'"by":"resignation"', b'"by":"time"'), 6)


def test_a_time_out_or_a_stop_without_a_clock_is_found(toy_game: Game) -> None:
    disproved(
        file_of(forged(Sitting(toy_game).seat_all(), TimedOut, 10**6, seat="left", left={"left": 0})), 4
    )
    stop = {"start": T0 + 10 * SECOND, "end": T0 + 20 * SECOND}
    disproved(file_of(forged(Sitting(toy_game).seat_all(), ClockStopped, 100, **stop)), 4, "no clock")


def test_a_stop_that_lies_before_a_move_or_after_its_own_time_is_found(toy_game: Game) -> None:
    for start, end in ((2, 20), (20, 20), (20, 10), (20, 51), (-(10**9), 20)):
        stop = {"start": T0 + start * SECOND, "end": T0 + end * SECOND}
        disproved(file_of(forged(begun(toy_game), ClockStopped, 50, **stop)), 4, "a stop of the server")
    sitting = begun(toy_game)
    sitting.accept(sitting.match.stop_clock(at(sitting, 50), T0 + 10 * SECOND, T0 + 40 * SECOND))
    again = {"start": T0 + 39 * SECOND, "end": T0 + 45 * SECOND}
    disproved(file_of(forged(sitting, ClockStopped, 50, **again)), 5)


@pytest.mark.parametrize("origin", [b"branch", b"imported"])
def test_a_clock_of_a_branch_or_an_imported_match_is_found(toy_game: Game, origin: bytes) -> None:
    match = begun(toy_game).match
    changed = b'"origin":"%b"' % origin
    disproved(rewritten(match, 1, b'"origin":"live"', changed), 1)


def test_terms_that_no_match_can_keep_are_found(toy_game: Game) -> None:
    match = begun(toy_game, (Days(days=3, cap=7), Until(until=T0 + 10**12))).match
    for old, new in (
        (b'"cap":7', b'"cap":2'),
        (b'"until":1791000000000000', b'"until":1790000000000000'),
        (b'{"mode":"until","until":1791000000000000}', b'{"days":1,"mode":"days"}'),
    ):
        report = verify(rewritten(match, 1, old, new), PINNED)
        assert (report.check, report.move) == ("fold", 1), report


@pytest.mark.parametrize(
    ("language", "stop", "end", "closed"),
    [
        ("en", "The server was stopped from 2026-09-21 14:13:40 UTC", "The time of ", "the time was up"),
        ("ru", "Сервер не работал с 2026-09-21 14:13:40 UTC", "время истекло.", "время истекло"),
    ],
)
def test_a_stop_and_a_time_out_are_told(language: str, stop: str, end: str, closed: str) -> None:
    sitting = Sitting(GAMES["thirteen_minutes"], terms=QUICK).seat_all()
    match = sitting.match
    sitting.accept(match.stop_clock(at(sitting, 60), T0 + 20 * SECOND, T0 + 50 * SECOND))
    sitting.accept(match.time_out(at(sitting, 100)))
    told = [one.done for one in narrated(match, Words(match, language))]
    assert stop in told[3]
    assert end in told[4]
    assert closed in told[6]
