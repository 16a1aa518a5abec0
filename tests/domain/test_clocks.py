"""Clocks: what is left follows from the recorded times, and a time-out from what is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from msgspec.structs import replace

from domain.branches import open_branch
from domain.clocks import (
    DAY,
    FARTHEST,
    SECOND,
    Bank,
    Clock,
    Days,
    Until,
    budget_of,
    dues,
    flags_at,
    left_at,
)
from domain.drafts import Context
from domain.events import ClockStopped, Closed, TimedOut
from domain.game import Game
from domain.games import GAMES
from domain.history import History
from domain.kernel import Refused, Result
from domain.log import Damaged, canonical, codec
from domain.match import Match, open_match
from replay.verify import verify_records
from tests.domain.swap import DARK, LIGHT
from tests.matches import PRODUCT, Sitting, finished
from tests.replay import stranger

MINUTE = 60 * SECOND
T0 = 1_790_000_000_000_000  # before the first command of a sitting
QUICK: Clock = (Bank(main=60, increment=10, cap=90),)
CLOCKS: dict[str, Clock] = {
    "bank": (Bank(main=300),),
    "increment": (Bank(main=120, increment=30),),
    "cap": (Bank(main=120, increment=100, cap=150),),
    "days": (Days(days=3),),
    "saved days": (Days(days=3, cap=7),),
    "until": (Until(until=T0 + 9 * DAY),),
    "days until": (Days(days=3, cap=4), Until(until=T0 + 9 * DAY)),
    "bank until": (Bank(main=3600), Until(until=T0 + 1_800 * SECOND)),
}
REPORTING: dict[str, Clock] = {
    name: tuple(replace(term, time_up="report") for term in terms) for name, terms in CLOCKS.items()
}
"""The same clocks, with which a player whose time is up plays on."""


STORED = Path(__file__).parents[1] / "stored" / "toy_clocks.records"
"""Two matches as they were stored when clocks first came; the file is never written anew."""

ROOTS = {  # by match: where its records stand in the file, the root over them, and who won
    "mclock1": (0, 12, "63afb8f6de2caacf3ec07c4bb0ebe82768832571509413f8e2948a596f5826aa", "left"),
    "mclock2": (12, 18, "699e687357f6056858712dcfa1795f589f28b0d511bc8655767ca3ffae09b27c", None),
}
LINES = 4  # a record: the leaf, a part for each seat, and the house's


def begun(game: Game, terms: Clock = QUICK, seed: int = 1) -> Sitting:
    """Both seats are taken at T0 + 3 s, and both are asked for a bid."""
    return Sitting(game, seed, terms=terms).seat_all()


def at(sitting: Sitting, seconds: float) -> Context:
    """The context of a command so many seconds after T0."""
    sitting.clock = T0 + round(seconds * SECOND)
    return Context(sitting.secret, sitting.clock, PRODUCT)


def answer(sitting: Sitting, seconds: float, seat: str, *picks: str) -> None:
    sitting.accept(sitting.match.play(at(sitting, seconds), seat, [picks]))


def left(match: Match) -> dict[str, float]:
    """Seconds that each seat has left after the latest move."""
    return {seat: rest / SECOND for seat, rest in left_of(match, match.move).items()}


def left_of(match: Match, move: int) -> dict[str, int]:
    state = match.clock_at(move)
    assert state is not None
    return left_at(match.opened.clock, state, state.at)


def flags(match: Match, seconds: float) -> dict[str, float]:
    """Since when the time of each flagged seat is up, in seconds after T0, read so many seconds after it."""
    found = match.flagged(T0 + round(seconds * SECOND))
    return {seat: (since - T0) / SECOND for seat, since in found.items()}


def due(match: Match) -> dict[str, float]:
    """When the time of each seat that is asked is up, in seconds after T0."""
    state = match.clock_at(match.move)
    assert state is not None
    return {seat: (moment - T0) / SECOND for seat, moment in dues(match.opened.clock, state).items()}


def refused(kind: str, command: Callable[[], Any]) -> Refused:
    with pytest.raises(Refused) as caught:
        command()
    assert caught.value.kind == kind
    return caught.value


# ── the terms ──


def test_a_match_without_a_clock_says_nothing_of_clocks(toy_game: Game) -> None:
    match = finished(toy_game).match
    assert not any(b"clock" in record.leaf for record in match.records)
    assert all(position.clock is None for position in match.positions)


def test_the_terms_stand_in_the_first_move_and_are_read_again(toy_game: Game) -> None:
    for terms in CLOCKS.values():
        match = begun(toy_game, terms).match
        said = json.loads(match.records[0].leaf)["clock"]
        assert msgspec.convert(said, Clock) == terms == match.opened.clock
        assert History.project(None, match.records).opened.clock == terms  # type: ignore[union-attr]


def test_a_date_stands_last(toy_game: Game) -> None:
    days, date = CLOCKS["days until"]
    assert begun(toy_game, (date, days)).match.opened.clock == (days, date)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ((Bank(main=60), Days(days=1)), "clock-terms"),
        ((Bank(main=60), Bank(main=60)), "clock-terms"),
        ((Until(until=T0 + DAY), Until(until=T0 + DAY)), "clock-terms"),
        ((Days(days=1), Bank(main=60), Until(until=T0 + DAY)), "clock-terms"),
        ((Days(days=1, time_up="report"), Until(until=T0 + DAY)), "clock-time-up"),
        ((Days(days=1), Until(until=T0 + DAY, time_up="report")), "clock-time-up"),
        ((Bank(main=60, cap=59),), "clock-cap"),
        ((Days(days=3, cap=2),), "clock-cap"),
        ((Until(until=T0),), "clock-date"),
        ((Until(until=0),), "clock-date"),
        ((Until(until=T0 + SECOND + FARTHEST + 1),), "clock-date"),
    ],
)
def test_terms_that_no_match_can_keep_are_refused(toy_game: Game, terms: Clock, reason: str) -> None:
    assert refused("bad-option", lambda: Sitting(toy_game, terms=terms)).id == reason


def test_a_match_whose_moves_have_no_time_has_no_clock(toy_game: Game) -> None:
    sitting = Sitting(toy_game)
    context = Context(sitting.secret, None, PRODUCT)
    given: dict[str, Any] = {"match": "m1", "origin": "live", "opener": None}
    settled = toy_game.settle(None, {})
    assert open_match(context, toy_game, *settled, **given).records
    wrong = refused(
        "bad-option", lambda: open_match(context, toy_game, *settled, **given, clock=(Days(days=1),))
    )
    assert wrong.id == "clock-without-time"


@pytest.mark.parametrize(
    "terms",
    [
        '{"mode":"bank","main":0}',
        '{"mode":"bank","main":-1}',
        '{"mode":"bank","main":31536001}',
        '{"mode":"bank","main":1.5}',
        '{"mode":"bank","main":60,"increment":-1}',
        '{"mode":"bank","main":60,"increment":604801}',
        '{"mode":"bank","main":60,"cap":31536001}',
        '{"mode":"bank","main":60,"bonus":5}',
        '{"mode":"days","days":0}',
        '{"mode":"days","days":366}',
        '{"mode":"days","days":3,"cap":366}',
        '{"mode":"days","days":"3"}',
        '{"mode":"until","until":-1}',
        '{"mode":"until","until":9007199254740992}',
        '{"mode":"byoyomi","main":60}',
        '{"main":60}',
        "[]",
        "60",
    ],
)
def test_terms_beyond_their_bounds_are_not_read_from_a_log(toy_game: Game, terms: str) -> None:
    leaf, *parts = Sitting(toy_game, terms=QUICK).match.records[0].stored.split(b"\n")
    said = msgspec.json.encode(json.loads(leaf)["clock"], order="sorted")
    assert said in leaf
    forged = b"\n".join((leaf.replace(said, f"[{terms}]".encode()), *parts))
    with pytest.raises(Damaged):
        codec(toy_game).read("m1", forged)


# ── vectors: what is left after each move, in seconds ──


def test_both_clocks_run_while_both_are_asked_and_an_answer_earns_the_increment(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["increment"])
    assert left(sitting.match) == {"left": 120, "right": 120}
    assert due(sitting.match) == {"left": 123, "right": 123}
    answer(sitting, 13, "left", "2")
    assert left(sitting.match) == {"left": 140, "right": 110}  # 120 - 10 + 30, and 120 - 10
    assert due(sitting.match) == {"right": 123}
    answer(sitting, 53.000001, "right", "1")  # now left is asked, who bid more
    assert left(sitting.match) == {"left": 140, "right": 99.999999}  # 110 - 40.000001 + 30
    assert due(sitting.match) == {"left": 193.000001}


def test_a_stretch_earns_once_however_many_answers_it_takes(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["increment"])
    answer(sitting, 3.5, "left", "2")
    answer(sitting, 4, "right", "1")
    for second in (10, 20, 30):
        answer(sitting, second, "left", "wave")
    assert left(sitting.match) == {"left": 149.5 - 26, "right": 149}
    answer(sitting, 40, "left", "stop")  # the round is over, and both bid again: the stretch goes on
    assert left(sitting.match)["left"] == 149.5 - 36


def test_a_tied_bid_goes_on_in_the_same_stretch(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["increment"])
    answer(sitting, 8, "left", "1")
    answer(sitting, 18, "right", "1")  # a tie: both are asked again
    assert left(sitting.match) == {"left": 145, "right": 105}
    assert due(sitting.match) == {"left": 163, "right": 123}


def test_a_bank_holds_no_more_than_its_cap(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["cap"])
    answer(sitting, 13, "left", "2")
    assert left(sitting.match) == {"left": 150, "right": 110}


def test_days_are_new_for_each_stretch_and_saved_up_to_the_cap(toy_game: Game) -> None:
    day = DAY / SECOND
    for terms, rest in (("days", 3 * day), ("saved days", 5 * day)):
        sitting = begun(toy_game, CLOCKS[terms])
        answer(sitting, 3 + day, "left", "2")
        assert left(sitting.match) == {"left": rest, "right": 2 * day}


def test_a_date_limits_the_players_who_are_asked(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["until"])
    day = DAY / SECOND
    answer(sitting, 5 * day, "left", "2")
    assert left(sitting.match) == {"right": 4 * day}
    both = begun(toy_game, CLOCKS["days until"])
    assert due(both.match) == {"left": 3 * day + 3, "right": 3 * day + 3}
    answer(both, 2.5 * day, "left", "2")
    answer(both, 3 * day, "right", "1")
    assert due(both.match) == {"left": 6.5 * day + 3}
    answer(both, 6 * day, "left", "stop")
    assert due(both.match)["right"] == 9 * day  # three days and what it saved would be later


def test_a_day_has_as_many_seconds_when_the_clocks_of_a_country_change() -> None:
    zone = ZoneInfo("Europe/Berlin")
    for month, shift in ((3, 1), (10, -1)):  # the clocks go forward in March, back in October
        since = datetime(2026, month, 24, 20, 0, tzinfo=zone)
        micros = int(since.timestamp()) * SECOND
        sitting = Sitting(GAMES["thirteen_minutes"], terms=(Days(days=7),))
        sitting.clock = micros - 2 * SECOND
        sitting.seat_all()
        state = sitting.match.clock_at(sitting.match.move)
        assert state is not None
        moments = set(dues(sitting.match.opened.clock, state).values())
        assert moments == {micros + 7 * DAY}
        shown = datetime.fromtimestamp(moments.pop() / SECOND, zone)
        assert shown.replace(tzinfo=None) == (since + timedelta(days=7, hours=shift)).replace(tzinfo=None)


# ── terms that only report that a time is up ──


def test_what_is_usual_is_not_written(toy_game: Game) -> None:
    said = msgspec.json.decode(b'[{"mode":"bank","main":60,"time_up":"lose"}]', type=Clock)
    assert json.loads(begun(toy_game, said).match.records[0].leaf)["clock"] == [{"mode": "bank", "main": 60}]
    plain, _ = begun(toy_game, (Bank(main=60),)), begun(toy_game, said)
    assert msgspec.json.encode(said) == msgspec.json.encode(plain.match.opened.clock)


def test_a_flag_falls_at_the_microsecond_and_ends_nothing(toy_game: Game) -> None:
    sitting = begun(toy_game, REPORTING["increment"])  # both have 120 seconds from the third on
    match = sitting.match
    answer(sitting, 13, "left", "2")
    assert flags(match, 122.999999) == {}
    assert flags(match, 123) == {"right": 123} == flags(match, 500)
    assert match.run_out(T0 + 500 * SECOND) is None
    assert refused("time", lambda: match.time_out(at(sitting, 500))).id == "time-left"
    answer(sitting, 133, "right", "1")
    assert match.status == "running"
    assert left(match)["right"] == 30  # the ten seconds that it was late are not taken from the increment
    assert flags(match, 134) == {"right": 123}  # it stays until more time is given
    sitting.accept(match.set_clock(at(sitting, 140), "right", "judge", "a broken line", left=50 * SECOND))
    assert flags(match, 140) == {}


def test_both_flags_fall_and_a_gift_lifts_one(toy_game: Game) -> None:
    sitting = begun(toy_game, REPORTING["bank"])
    match = sitting.match
    assert flags(match, 303) == {"left": 303, "right": 303}
    giver = match.players["right"].player  # type: ignore[union-attr]
    sitting.accept(match.set_clock(at(sitting, 310), "left", giver, more=SECOND))
    assert left(match) == {"left": 1, "right": 0}
    assert flags(match, 310) == {"right": 303}
    assert flags(match, 311) == {"left": 311, "right": 303}
    answer(sitting, 320, "left", "2")
    answer(sitting, 330, "right", "1")
    assert flags(match, 330) == {"left": 311, "right": 303}


def test_a_date_flags_those_who_are_asked_then(toy_game: Game) -> None:
    sitting, day = begun(toy_game, REPORTING["days until"]), DAY // SECOND
    answer(sitting, 2 * day, "left", "2")
    assert flags(sitting.match, 3 * day + 3) == {"right": 3 * day + 3}  # the days of one
    until = begun(toy_game, REPORTING["until"])
    answer(until, 5 * day, "left", "2")
    assert flags(until.match, 9 * day) == {"right": 9 * day}
    judge = ("right", "judge", "ill")
    until.accept(until.match.set_clock(at(until, 10 * day), *judge, until=T0 + 12 * DAY))
    assert flags(until.match, 11 * day) == {}
    assert flags(until.match, 12 * day) == {"right": 12 * day}


def test_no_flag_falls_while_clocks_stand_and_none_rises_with_them(toy_game: Game) -> None:
    sitting = begun(toy_game, REPORTING["bank"])
    match = sitting.match
    sitting.accept(match.pause_clock(at(sitting, 103), "judge", "a storm", paused=True))
    assert flags(match, 900) == {}
    sitting.accept(match.pause_clock(at(sitting, 903), "judge", "it is over", paused=False))
    assert flags(match, 1_103) == {"left": 1_103, "right": 1_103}
    sitting.accept(match.freeze(at(sitting, 1_200), "judge", "a doubt", frozen=True))
    assert flags(match, 1_300) == {"left": 1_103, "right": 1_103}


def test_a_stop_may_give_back_the_time_with_which_a_flag_fell(toy_game: Game) -> None:
    sitting = begun(toy_game, REPORTING["bank"])
    match = sitting.match
    sitting.accept(match.stop_clock(at(sitting, 310), T0 + 100 * SECOND, T0 + 101 * SECOND))
    assert flags(match, 310) == {"left": 304, "right": 304}
    sitting.accept(match.stop_clock(at(sitting, 311), T0 + 101 * SECOND, T0 + 200 * SECOND))
    assert flags(match, 311) == {}
    assert due(match) == {"left": 403, "right": 403}


def test_a_takeback_lifts_no_flag_and_no_flag_outlives_the_match(toy_game: Game) -> None:
    sitting = begun(toy_game, REPORTING["increment"])
    match = sitting.match
    answer(sitting, 130, "left", "2")
    sitting.accept(match.rule(at(sitting, 140), "judge", "a wrong die", back_to=3))
    assert flags(match, 141) == {"left": 123, "right": 123}
    sitting.accept(match.rule(at(sitting, 150), "judge", "late", result=Result("right", "ruling", {})))
    assert flags(match, 151) == {}
    state = match.clock_at(match.move)
    assert state is not None
    assert flags_at(match.opened.clock, state, T0 + DAY) == {
        "left": T0 + 123 * SECOND,
        "right": T0 + 123 * SECOND,
    }


def test_going_back_sets_no_clock_back_and_earns_nothing(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["increment"])
    match = sitting.match
    answer(sitting, 13, "left", "2")
    asked = match.ask_takeback(at(sitting, 23), "left")
    sitting.accept(asked)
    assert left(match) == {"left": 140, "right": 100}  # a request stops no clock
    sitting.accept(match.answer_takeback(at(sitting, 33), "right", match.move, True))
    assert left(match) == {"left": 140, "right": 90}
    assert due(match) == {"left": 173, "right": 123}  # both are asked again
    answer(sitting, 43, "left", "1")
    assert left(match) == {"left": 160, "right": 80}
    answer(sitting, 53, "right", "0")
    sitting.accept(match.rule(at(sitting, 63), "judge", "a wrong die", back_to=4))
    assert left(match) == {"left": 150, "right": 100}  # the stretch of left was broken off: no increment
    assert due(match) == {"right": 163}


def test_no_clock_runs_before_play_begins_or_after_the_match_is_over(toy_game: Game) -> None:
    sitting = Sitting(toy_game, terms=QUICK)
    assert due(sitting.match) == {}
    sitting.clock += 500 * SECOND
    sitting.seat_all()
    assert left(sitting.match) == {"left": 60, "right": 60}
    sitting.clock += 20 * SECOND
    sitting.accept(sitting.match.resign(sitting.context, "left"))
    assert left(sitting.match) == {"left": 39, "right": 39}
    assert due(sitting.match) == {}
    assert sitting.match.run_out(sitting.clock + DAY) is None


def test_time_stays_with_the_player_when_players_change_places(swap_game: Game) -> None:
    sitting = Sitting(swap_game, terms=CLOCKS["bank"]).seat_all()
    other = {DARK: LIGHT, LIGHT: DARK}
    answer(sitting, 13, DARK, LIGHT)
    answer(sitting, 43, LIGHT, DARK)  # they change places
    match = sitting.match
    assert match.positions[-1].table.exchanged
    assert left(match) == {DARK: 290, LIGHT: 260}  # by the seats on which they sat down
    answering = match.asked
    assert answering is not None
    chairs = {other[seat] for seat in answering.seats}
    assert due(match).keys() == chairs
    context = at(sitting, 1_000)
    draft = match.time_out(context)
    seat = draft.records[0].entry.seat
    assert seat in answering.seats
    assert draft.records[0].entry.left == {seat: 0, other[seat]: left(match)[seat] * SECOND}


# ── time-outs ──


def test_the_house_notes_a_time_out_and_the_other_seat_wins(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    match = sitting.match
    assert refused("time", lambda: match.time_out(at(sitting, 62.999999))).id == "time-left"
    draft = sitting.accept(match.time_out(at(sitting, 63)))
    kinds = [type(record.entry).__name__ for record in draft.records]
    assert kinds == ["TimedOut", "SecretOpened", "Closed"]
    noted = draft.records[0].entry
    assert isinstance(noted, TimedOut)
    assert (noted.seat, noted.left) == ("right", {"left": 60 * SECOND, "right": 0})
    closed = draft.records[-1].entry
    assert isinstance(closed, Closed)
    assert (closed.by, closed.result) == ("time", Result("left", "time", {"left": 0, "right": 0}))
    assert match.status == "over"


def test_of_two_clocks_the_one_that_was_up_first_decides_however_late_it_is_noted(toy_game: Game) -> None:
    sitting = begun(toy_game, (Bank(main=60, increment=5),))
    answer(sitting, 13, "left", "1")
    answer(sitting, 23, "right", "1")  # a tie: left has 55, right 40, and both go on
    sitting.accept(sitting.match.time_out(at(sitting, 5_000)))
    noted = sitting.match.records[-3].entry
    assert (noted.seat, noted.left) == ("right", {"left": 15 * SECOND, "right": 0})


def test_if_both_times_are_up_at_once_neither_wins(toy_game: Game) -> None:
    sitting = begun(toy_game)
    sitting.accept(sitting.match.time_out(at(sitting, 63)))
    assert sitting.match.records[-3].entry.left == {"left": 0, "right": 0}
    assert sitting.match.result == Result(None, "time", {"left": 0, "right": 0})


def test_a_player_who_is_asked_at_the_date_loses(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["until"])
    answer(sitting, 100, "left", "1")
    sitting.accept(sitting.match.time_out(at(sitting, 9 * DAY // SECOND)))
    assert sitting.match.records[-3].entry.left == {"right": 0}
    assert sitting.match.result is not None
    assert sitting.match.result.winner == "left"


def test_an_answer_is_in_time_until_the_last_microsecond(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 62.999999, "left", "2")
    assert left(sitting.match) == {"left": 10.000001, "right": 0.000001}


@pytest.mark.parametrize(("late", "told"), [(0, "0.000"), (0.001, "0.001"), (3_600, "3600.000")])
def test_an_answer_that_is_late_is_refused_and_told_by_how_much(
    toy_game: Game, late: float, told: str
) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    match, root = sitting.match, sitting.match.roots[-1]
    commands = (
        lambda: match.play(at(sitting, 63 + late), "right", [("1",)]),
        lambda: match.resign(at(sitting, 63 + late), "left"),
        lambda: match.ask_takeback(at(sitting, 63 + late), "left"),
    )
    said = f"the time of right was up {told} seconds before this, so the match is over"
    assert {str(refused("time", command)) for command in commands} == {said}
    assert match.roots[-1] == root
    sitting.accept(match.time_out(at(sitting, 63 + late)))
    assert {str(refused("time", command)) for command in commands} == {said}


def test_an_organizer_may_still_rule_when_a_time_is_up(toy_game: Game) -> None:
    sitting = begun(toy_game)
    sitting.accept(sitting.match.rule(at(sitting, 500), "judge", "illness", void=True))
    assert sitting.match.closed is not None
    assert sitting.match.closed.by == "ruling"


def test_there_is_no_time_out_without_a_clock_or_before_play(toy_game: Game) -> None:
    plain = Sitting(toy_game).seat_all()
    assert refused("time", lambda: plain.match.time_out(at(plain, 10**8))).id == "time-left"
    early = Sitting(toy_game, terms=QUICK)
    refused("not-running", lambda: early.match.time_out(at(early, 10**6)))
    over = begun(toy_game)
    over.accept(over.match.resign(at(over, 10), "left"))
    refused("over", lambda: over.match.time_out(at(over, 100)))


def test_a_batch_is_late_as_a_whole(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 4, "left", "2")
    answer(sitting, 5, "right", "1")
    many = [("wave",)] * 3
    refused("time", lambda: sitting.match.play(at(sitting, 500), "left", many))


# ── stops of the server ──


def test_a_stopped_server_burns_no_time(toy_game: Game) -> None:
    sitting = begun(toy_game, CLOCKS["days until"])
    answer(sitting, 13, "left", "2")
    match, before = sitting.match, due(sitting.match)
    sitting.accept(match.stop_clock(at(sitting, 900), T0 + 23 * SECOND, T0 + 823 * SECOND))
    assert isinstance(match.records[-1].entry, ClockStopped)
    assert b'"from":1790000023000000' in match.records[-1].leaf
    assert due(match) == {seat: moment + 800 for seat, moment in before.items()}
    state = match.clock_at(match.move)
    assert state is not None
    assert state.stopped == 800 * SECOND  # and by so much the date is later


def test_a_stop_gives_time_back_that_had_run_out_meanwhile(toy_game: Game) -> None:
    sitting = begun(toy_game)
    sitting.accept(sitting.match.stop_clock(at(sitting, 300), T0 + 23 * SECOND, T0 + 300 * SECOND))
    assert left(sitting.match) == {"left": 40, "right": 40}
    answer(sitting, 310, "left", "1")
    assert left(sitting.match) == {"left": 40, "right": 30}


def test_a_time_that_was_up_before_the_stop_stays_up(toy_game: Game) -> None:
    sitting = begun(toy_game)
    sitting.accept(sitting.match.stop_clock(at(sitting, 300), T0 + 64 * SECOND, T0 + 300 * SECOND))
    assert sitting.match.run_out(T0 + 300 * SECOND) is not None


def test_several_stops_are_noted_one_by_one_and_none_twice(toy_game: Game) -> None:
    sitting = begun(toy_game)
    match = sitting.match
    for start, end in ((10, 110), (120, 290)):
        sitting.accept(match.stop_clock(at(sitting, 300), T0 + start * SECOND, T0 + end * SECOND))
    assert left(match) == {"left": 33, "right": 33}
    for start, end in ((10, 110), (120, 290), (289, 299)):
        given = T0 + start * SECOND, T0 + end * SECOND
        with pytest.raises(Refused, match="a stop of the server begins after"):
            match.stop_clock(at(sitting, 300), *given)


@pytest.mark.parametrize(("start", "end"), [(2, 50), (50, 50), (60, 50), (50, 101)])
def test_a_stop_lies_between_the_latest_move_and_now(toy_game: Game, start: int, end: int) -> None:
    sitting = begun(toy_game)
    given = (at(sitting, 100), T0 + start * SECOND, T0 + end * SECOND)
    assert refused("time", lambda: sitting.match.stop_clock(*given)).id == "clock-stop-times"
    plain = Sitting(toy_game).seat_all()
    assert refused("time", lambda: plain.match.stop_clock(*given)).id == "no-clock"


# ── logs ──


def test_a_branch_has_no_clock(toy_game: Game) -> None:
    sitting = begun(toy_game)
    sitting.accept(sitting.match.time_out(at(sitting, 63)))
    context = Context(sitting.secret, T0 + 100 * SECOND, PRODUCT)
    draft = open_branch(context, sitting.match, sitting.match.begun or 0, match="b1", opener=None)
    assert draft.records[0].entry.clock == ()
    refused(
        "branch", lambda: open_branch(context, sitting.match, sitting.match.move - 2, match="b1", opener=None)
    )


def test_a_match_with_a_clock_read_again_shows_the_same(toy_game: Game) -> None:
    match = wandering(toy_game, CLOCKS["increment"], 3).match
    again = Match.project(None, match.records)
    assert again is not None
    assert [position.clock for position in again.positions] == [one.clock for one in match.positions]


def wandering(game: Game, terms: Clock, seed: int) -> Sitting:
    """A match with answers, takebacks, rulings and stops at odd times, until a time is up or it is over."""
    sitting, chance = begun(game, terms, seed), Random(seed)
    budget = budget_of(terms)
    most = 9 * DAY if budget is None else budget.main
    match = sitting.match
    for _ in range(40):
        if match.status != "running":
            break
        before = sitting.clock
        sitting.clock += chance.randrange(1, most // 2)
        context = Context(sitting.secret, sitting.clock, PRODUCT)
        if match.run_out(sitting.clock) is not None:
            sitting.accept(match.time_out(context))
        elif (way := chance.random()) < 0.1:
            length = (sitting.clock - before) // 2
            sitting.accept(match.stop_clock(context, before, before + length)) if length else None
        elif way < 0.2 and match.is_table(match.move - 1):
            sitting.accept(match.rule(context, "judge", "a doubt", back_to=match.move - 1))
        elif way < 0.3 and match.request is None and match.takeback_refused(match.move - 1) is None:
            sitting.accept(match.ask_takeback(context, "left", match.move - 1))
            sitting.accept(match.answer_takeback(context, "right", match.move, True))
        else:
            sitting.clock -= SECOND  # the next command comes a second later
            sitting.random_answer()
    return sitting


@pytest.mark.parametrize("terms", CLOCKS)
def test_an_independent_verifier_reads_the_same_times_from_the_leaves(toy_game: Game, terms: str) -> None:
    ends = set()
    for seed in range(1, 9):
        match = wandering(toy_game, CLOCKS[terms], seed).match
        told = stranger.check_clocks([json.loads(record.leaf) for record in match.records])
        assert told == [{}, *(left_of(match, move) for move in range(2, match.move + 1))]
        ends.add(match.closed.by if match.closed else "")
    assert "time" in ends


@pytest.mark.parametrize("terms", REPORTING)
def test_an_independent_verifier_reads_the_same_flags_from_the_leaves(toy_game: Game, terms: str) -> None:
    """OA17 with terms that only report: times and flags after each move, to the microsecond."""
    flagged = late = 0
    for seed in range(1, 9):
        match = wandering(toy_game, REPORTING[terms], seed).match
        leaves = [json.loads(record.leaf) for record in match.records]
        told = stranger.check_clocks(leaves)
        assert told == [{}, *(left_of(match, move) for move in range(2, match.move + 1))]
        for move in range(2, match.move + 1):
            state = match.clock_at(move)
            assert state is not None
            assert stranger.flags(leaves[:move]) == dict(state.flagged)
            late += any(rest < 0 for rest in state.left.values())
        flagged += bool(match.clock and match.clock.flagged)
        assert "timed_out" not in [record.kind for record in match.records]
    assert flagged
    assert late or terms == "until"


def test_stored_bytes_of_clocks_are_read_for_ever(toy_game: Game) -> None:
    """A bank with a stop, a takeback and a time-out; days and a date at which both are asked."""
    lines, read = STORED.read_bytes().removesuffix(b"\n").split(b"\n"), codec(toy_game).read
    stored = [b"\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]
    for name, (first, last, root, winner) in ROOTS.items():
        match = Match.project(None, [read(name, record) for record in stored[first:last]])
        assert match is not None
        assert match.result is not None
        assert (match.id, match.roots[-1].hex(), match.result.winner) == (name, root, winner)
        assert verify_records(match.records).ok
        assert [canonical(record.entry) for record in match.records] == [r.leaf for r in match.records]
