"""What officials and opponents do to a match: time given or set, clocks paused, a match frozen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.clocks import DAY, MOST_LEFT, SECOND, Bank, Clock, Days, Until
from domain.drafts import Context
from domain.events import KINDS
from domain.game import Game
from domain.log import canonical, codec
from domain.match import Match
from replay.verify import verify_records
from tests.domain.swap import DARK, LIGHT
from tests.domain.test_clocks import (
    CLOCKS,
    LINES,
    QUICK,
    T0,
    answer,
    at,
    begun,
    due,
    left,
    left_of,
    refused,
)
from tests.matches import PRODUCT, Sitting
from tests.partial_matches import Reader
from tests.replay import stranger

STORED = Path(__file__).parents[1] / "stored"
ROOTS = {  # of matches as they were stored; the files are never written anew
    "mdesk1": (  # when gifts, pauses and frozen matches first came
        "toy_officials.records",
        "a7b9cb9a6b74aecfe9b28682685f3d3e69ed7d39d19fee0833cbd13cae22867c",
        {"left": 173_730_000_000, "right": 35_000_000},
    ),
    "m1": (  # when dates were first set
        "toy_dates.records",
        "ea5b0f707ef6cb07b4d13652e8a49bd622091b609dd32481890e36c87f362714",
        {"left": 4 * DAY, "right": 0},
    ),
}
KINDS_OF_OFFICIALS = {"clock_set", "clock_paused", "clock_resumed", "frozen", "released"}


def accept(sitting: Sitting, seconds: float, command: str, *given: Any, **named: Any) -> None:
    """Carry out one command at a time."""
    sitting.accept(getattr(sitting.match, command)(at(sitting, seconds), *given, **named))


def player(sitting: Sitting, seat: str) -> str:
    """The id of the player of a seat."""
    seated = sitting.match.player_of(seat)
    assert seated is not None
    return seated.player


# ── extra time ──


def test_an_opponent_gives_time_and_an_organizer_sets_it(toy_game: Game) -> None:
    sitting = begun(toy_game)
    accept(sitting, 13, "set_clock", "left", player(sitting, "right"), more=900 * SECOND)
    assert left(sitting.match) == {"left": 950, "right": 50}
    assert due(sitting.match) == {"left": 963, "right": 63}
    accept(sitting, 23, "set_clock", "right", "judge", "the bell rang", left=5 * SECOND)
    assert left(sitting.match) == {"left": 940, "right": 5}
    leaves = [json.loads(record.leaf) for record in sitting.match.records[-2:]]
    fields = [{name: leaf.get(name) for name in ("kind", "seat", "left", "by", "why")} for leaf in leaves]
    assert fields == [
        {
            "kind": "clock_set",
            "seat": "left",
            "left": 950 * SECOND,
            "by": player(sitting, "right"),
            "why": None,
        },
        {"kind": "clock_set", "seat": "right", "left": 5 * SECOND, "by": "judge", "why": "the bell rang"},
    ]


def test_time_above_the_cap_stays_and_earns_nothing_more(toy_game: Game) -> None:
    sitting = begun(toy_game)  # the cap is 90 seconds
    accept(sitting, 3, "set_clock", "left", player(sitting, "right"), more=100 * SECOND)
    answer(sitting, 13, "left", "2")
    assert left(sitting.match)["left"] == 150


def test_a_seat_gets_time_while_the_other_is_asked(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    accept(sitting, 23, "set_clock", "left", player(sitting, "right"), more=SECOND)
    assert left(sitting.match) == {"left": 61, "right": 40}
    assert due(sitting.match).keys() == {"right"}


def test_extra_time_moves_a_date_for_that_seat_alone(toy_game: Game) -> None:
    day = DAY / SECOND
    sitting = begun(toy_game, CLOCKS["until"])
    accept(sitting, 8 * day, "set_clock", "left", player(sitting, "right"), more=2 * DAY)
    assert due(sitting.match) == {"left": 11 * day, "right": 9 * day}
    accept(sitting, 8.5 * day, "set_clock", "right", "judge", "too late", left=SECOND)
    assert due(sitting.match) == {"left": 11 * day, "right": 8.5 * day + 1}
    both = begun(toy_game, CLOCKS["days until"])
    accept(both, 10, "set_clock", "left", player(both, "right"), more=DAY)
    assert due(both.match)["left"] == 4 * day + 3  # the date is not reached, so it stays
    accept(both, 20, "set_clock", "left", "judge", "illness", left=20 * DAY)
    assert due(both.match) == {"left": 20 * day + 20, "right": 3 * day + 3}


DAY_LONG = DAY // SECOND
Moves = list[tuple[float, str, tuple[Any, ...], dict[str, Any]]]


def dated(seconds: float, until: float, seat: str = "left") -> tuple[float, str, tuple[Any, ...], Any]:
    """At a time an organizer sets the date of a seat; both in seconds after T0."""
    return seconds, "set_clock", (seat, "judge", "a storm"), {"until": T0 + round(until * SECOND)}


def standing(seconds: float, *, paused: bool) -> tuple[float, str, tuple[Any, ...], Any]:
    """At a time an organizer pauses the clocks, or lets them run."""
    return seconds, "pause_clock", ("judge", "a break"), {"paused": paused}


@pytest.mark.parametrize(
    ("terms", "moves", "left_then", "ends"),
    [
        ("until", [dated(10, 20 * DAY_LONG)], 20 * DAY_LONG - 10, (20 * DAY_LONG, 9 * DAY_LONG)),
        ("until", [dated(10, 5 * DAY_LONG)], 5 * DAY_LONG - 10, (5 * DAY_LONG, 9 * DAY_LONG)),
        ("days until", [dated(10, 20 * DAY_LONG)], 3 * DAY_LONG - 7, (3 * DAY_LONG + 3, 3 * DAY_LONG + 3)),
        ("days until", [dated(10, DAY_LONG)], DAY_LONG - 10, (DAY_LONG, 3 * DAY_LONG + 3)),
        ("days until", [dated(10, DAY_LONG), dated(20, 4 * DAY_LONG)], 3 * DAY_LONG - 17, (259_203, 259_203)),
        ("bank until", [dated(10, 2_400)], 2_390, (2_400, 1_800)),
        ("bank until", [dated(10, 9_000)], 3_593, (3_603, 1_800)),
        ("bank until", [dated(10.000001, 2_400.25)], 2_390.249999, (2_400.25, 1_800)),
        # an extension in a pause: the rest of the pause makes the date later, too
        (
            "bank until",
            [standing(100, paused=True), dated(200, 2_400), standing(500, paused=False)],
            2_200,
            (2_700, 2_200),
        ),
        # after a stop of the server the date is the one that is named
        (
            "bank until",
            [(900, "stop_clock", (T0 + 100 * SECOND, T0 + 600 * SECOND), {}), dated(1_000, 2_400)],
            1_400,
            (2_400, 2_300),
        ),
        # a ruling back changes no clock
        (
            "bank until",
            [dated(10, 2_400), (20, "rule", ("judge", "a doubt"), {"back_to": 3})],
            2_390,
            (2_400, 1_800),
        ),
        # time that was set before is part of no date that is set after it
        (
            "bank until",
            [(5, "set_clock", ("left", "judge", "x"), {"left": 3_000 * SECOND}), dated(10, 1_200)],
            1_190,
            (1_200, 1_800),
        ),
        # a penalty of time after it is taken from what is left
        (
            "bank until",
            [dated(10, 9_000), (20, "set_clock", ("left", "judge", "late"), {"more": -600 * SECOND})],
            3_593,
            (3_003, 1_800),
        ),
    ],
)
def test_a_date_is_set_and_banks_stay(
    toy_game: Game, terms: str, moves: Moves, left_then: float, ends: tuple[float, float]
) -> None:
    """OA17 for dates that are set."""
    sitting = begun(toy_game, CLOCKS[terms])
    for seconds, command, given, named in moves:
        accept(sitting, seconds, command, *given, **named)
    match = sitting.match
    (*_, entry) = [one.entry for one in match.records if getattr(one.entry, "until", None)]
    assert entry.left == round(left_then * SECOND)
    assert due(match) == {"left": ends[0], "right": ends[1]}
    told = stranger.check_clocks([json.loads(record.leaf) for record in match.records])
    assert told == [{}, *(left_of(match, move) for move in range(2, match.move + 1))]
    assert verify_records(match.records, secret=sitting.secret.bytes).ok


@pytest.mark.parametrize(
    ("terms", "seat", "by", "why", "named", "id"),
    [
        ("bank", "left", "judge", "a storm", {"until": T0 + DAY}, "clock-without-date"),
        ("until", "left", "ben", "", {"until": T0 + 10 * DAY}, "without-reason"),
        ("until", "left", "judge", " ", {"until": T0 + 10 * DAY}, "without-reason"),
        ("until", "nobody", "judge", "x", {"until": T0 + 10 * DAY}, "not-a-seat"),
        ("until", "left", "judge", "x", {"until": T0 + 13 * SECOND}, "clock-until"),
        ("until", "left", "judge", "x", {"until": 0}, "clock-until"),
        ("until", "left", "judge", "x", {"until": -(2**80)}, "clock-until"),
        ("until", "left", "judge", "x", {"until": 2**53 - 1}, "clock-until"),
        ("until", "left", "judge", "x", {"until": T0 + 13 * SECOND + MOST_LEFT + 1}, "clock-until"),
        ("until", "left", "judge", "x", {"until": T0 + DAY, "left": SECOND}, "not-one-time"),
        ("until", "left", "judge", "x", {"until": T0 + DAY, "more": SECOND}, "not-one-time"),
    ],
)
def test_a_date_that_cannot_be_set_is_refused(
    toy_game: Game, terms: str, seat: str, by: str, why: str, named: dict[str, Any], id: str
) -> None:
    sitting = begun(toy_game, CLOCKS[terms])
    by = player(sitting, "right") if by == "ben" else by
    match, root = sitting.match, sitting.match.roots[-1]
    assert refused("clock", lambda: match.set_clock(at(sitting, 13), seat, by, why, **named)).id == id
    assert match.roots[-1] == root


def test_a_date_goes_with_the_player_when_players_change_places(swap_game: Game) -> None:
    sitting = Sitting(swap_game, terms=CLOCKS["until"]).seat_all()
    answer(sitting, 13, DARK, LIGHT)
    answer(sitting, 43, LIGHT, DARK)
    match = sitting.match
    accept(sitting, 43, "set_clock", DARK, "judge", "a storm", until=T0 + 20 * DAY)
    assert match.date_of(DARK, sitting.clock) == T0 + 20 * DAY
    assert match.clock is not None
    assert match.clock.later.keys() == {LIGHT}  # where this player sat down


def test_time_goes_with_the_player_when_players_change_places(swap_game: Game) -> None:
    sitting = Sitting(swap_game, terms=CLOCKS["bank"]).seat_all()
    answer(sitting, 13, DARK, LIGHT)
    answer(sitting, 43, LIGHT, DARK)
    match, owner = sitting.match, sitting.match.chair_of(DARK)
    assert owner == LIGHT
    before = left(match)
    accept(sitting, 43, "set_clock", DARK, "judge", "a break", more=50 * SECOND)
    assert left(match)[owner] == before[owner] + 50
    assert match.records[-1].entry.left == (before[owner] + 50) * SECOND


@pytest.mark.parametrize(
    ("seat", "by", "given", "id"),
    [
        ("left", "ann", {"more": SECOND}, "clock-without-reason"),  # to oneself
        ("left", "eve", {"more": SECOND}, "clock-without-reason"),
        ("left", "ben", {"left": 50 * SECOND}, "gift-takes"),
        ("left", "ben", {}, "not-one-time"),
        ("left", "ben", {"left": 1, "more": 1}, "not-one-time"),
        ("left", "ben", {"left": MOST_LEFT + 1}, "clock-left"),
        ("left", "ben", {"left": 0}, "clock-left"),
        ("left", "ben", {"left": -(10**15)}, "clock-left"),
        ("nobody", "ben", {"more": SECOND}, "not-a-seat"),
        ("nobody", "ben", {"left": SECOND}, "not-a-seat"),
    ],
)
def test_what_is_no_gift_is_refused(
    toy_game: Game, seat: str, by: str, given: dict[str, Any], id: str
) -> None:
    sitting = begun(toy_game)
    ids = {"ann": player(sitting, "left"), "ben": player(sitting, "right")}
    match, root = sitting.match, sitting.match.roots[-1]
    command = lambda: match.set_clock(at(sitting, 13), seat, ids.get(by, by), **given)  # noqa: E731
    assert refused("clock", command).id == id
    assert match.roots[-1] == root


def test_a_clock_holds_at_most_a_year(toy_game: Game) -> None:
    sitting = begun(toy_game)
    accept(sitting, 4, "set_clock", "left", player(sitting, "right"), more=2 * MOST_LEFT)
    assert sitting.match.records[-1].entry.left == MOST_LEFT


# ── pauses ──


def test_paused_clocks_stand_and_moves_stay_possible(toy_game: Game) -> None:
    sitting = begun(toy_game, (Days(days=3), Until(until=T0 + 9 * DAY)))
    day = DAY / SECOND
    accept(sitting, day, "pause_clock", "judge", "holidays", paused=True)
    paused = left(sitting.match)
    assert due(sitting.match) == {}
    assert sitting.match.run_out(T0 + 300 * DAY) is None
    answer(sitting, 20 * day, "left", "2")
    assert left(sitting.match) == {"left": 3 * day, "right": paused["right"]}
    accept(sitting, 30 * day, "pause_clock", "judge", "over", paused=False)
    assert due(sitting.match) == {"right": 30 * day + paused["right"]}
    answer(sitting, 30 * day + 60, "right", "1")
    assert due(sitting.match) == {"left": 33 * day + 60}  # the date is 29 days later, too


def test_pauses_and_freezes_do_not_lift_each_other(toy_game: Game) -> None:
    sitting = begun(toy_game)
    accept(sitting, 13, "pause_clock", "judge", "a break", paused=True)
    accept(sitting, 1_000, "freeze", "judge", "a dispute", frozen=True)
    accept(sitting, 2_000, "freeze", "judge", "settled", frozen=False)
    assert due(sitting.match) == {}
    accept(sitting, 3_000, "freeze", "judge", "again", frozen=True)
    accept(sitting, 4_000, "pause_clock", "judge", "on", paused=False)
    assert due(sitting.match) == {}
    accept(sitting, 5_000, "freeze", "judge", "settled", frozen=False)
    assert due(sitting.match) == {"left": 5_050, "right": 5_050}


def test_a_stop_of_the_server_in_a_pause_takes_and_gives_nothing(toy_game: Game) -> None:
    sitting = begun(toy_game)
    accept(sitting, 13, "pause_clock", "judge", "a break", paused=True)
    accept(sitting, 900, "stop_clock", T0 + 20 * SECOND, T0 + 800 * SECOND)
    accept(sitting, 1_000, "pause_clock", "judge", "on", paused=False)
    assert due(sitting.match) == {"left": 1_050, "right": 1_050}


@pytest.mark.parametrize(
    ("before", "command", "named", "id"),
    [
        ([], "pause_clock", {"paused": False}, "clock-not-paused"),
        ([("pause_clock", {"paused": True})], "pause_clock", {"paused": True}, "clock-paused-already"),
        ([("freeze", {"frozen": True})], "freeze", {"frozen": True}, "frozen-already"),
        ([], "freeze", {"frozen": False}, "not-frozen"),
    ],
)
def test_what_is_so_already_is_refused(
    toy_game: Game, before: list[tuple[str, dict[str, bool]]], command: str, named: dict[str, bool], id: str
) -> None:
    sitting = begun(toy_game)
    for earlier, given in before:
        accept(sitting, 13, earlier, "judge", "a break", **given)
    kind = "freeze" if command == "freeze" else "clock"
    run = lambda: getattr(sitting.match, command)(at(sitting, 14), "judge", "why", **named)  # noqa: E731
    assert refused(kind, run).id == id


def test_each_needs_a_reason_and_a_match_that_runs(toy_game: Game) -> None:
    sitting, plain, early = begun(toy_game), Sitting(toy_game).seat_all(), Sitting(toy_game, terms=QUICK)
    for command, named, kind in (
        ("pause_clock", {"paused": True}, "clock"),
        ("freeze", {"frozen": True}, "freeze"),
    ):
        run = getattr(sitting.match, command)
        wrong = refused(kind, lambda run=run, named=named: run(at(sitting, 5), "judge", " ", **named))  # type: ignore[misc]
        assert wrong.id == "without-reason"
        run = getattr(early.match, command)
        refused("not-running", lambda run=run, named=named: run(at(early, 5), "judge", "why", **named))  # type: ignore[misc]
    assert refused(
        "clock", lambda: plain.match.pause_clock(plain.context, "judge", "why", paused=True)
    ).id == ("no-clock")
    assert refused(
        "clock", lambda: plain.match.set_clock(plain.context, "left", "judge", "why", left=1)
    ).id == ("no-clock")


def test_an_official_who_saw_an_earlier_move_is_refused(toy_game: Game) -> None:
    sitting = begun(toy_game)
    match, seen = sitting.match, sitting.match.move
    answer(sitting, 13, "left", "2")
    for command in (
        lambda: match.set_clock(at(sitting, 14), "left", "judge", "why", left=SECOND, expect=seen),
        lambda: match.pause_clock(at(sitting, 14), "judge", "why", paused=True, expect=seen),
        lambda: match.freeze(at(sitting, 14), "judge", "why", frozen=True, expect=seen),
    ):
        refused("stale", command)


# ── frozen matches ──


def test_the_players_of_a_frozen_match_can_do_nothing(toy_game: Game) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    asked = sitting.match.move
    accept(sitting, 23, "freeze", "judge", "a dispute", frozen=True)
    match, root = sitting.match, sitting.match.roots[-1]
    commands: list[Callable[[], Any]] = [
        lambda: match.play(at(sitting, 500), "right", [("1",)]),
        lambda: match.resign(at(sitting, 500), "right"),
        lambda: match.ask_takeback(at(sitting, 500), "left"),
        lambda: match.answer_takeback(at(sitting, 500), "right", asked, True),
        lambda: match.set_clock(at(sitting, 500), "right", player(sitting, "left"), more=SECOND),
    ]
    for command in commands:
        assert refused("frozen", command).id == "match-frozen"
    refused("time", lambda: match.time_out(at(sitting, 500)))
    assert match.roots[-1] == root
    accept(sitting, 600, "set_clock", "right", "judge", "for the wait", more=SECOND)
    accept(sitting, 1_000, "freeze", "judge", "settled", frozen=False)
    assert match.frozen is None
    assert left(match)["right"] == 41  # it had 40 at 23, and one more
    answer(sitting, 1_010, "right", "1")


@pytest.mark.parametrize("how", ["back", "result", "void"])
def test_a_frozen_match_takes_rulings(toy_game: Game, how: str) -> None:
    sitting = begun(toy_game)
    answer(sitting, 13, "left", "2")
    accept(sitting, 23, "freeze", "judge", "a dispute", frozen=True)
    ruling: dict[str, Any] = {"back_to": 3} if how == "back" else {"void": True}
    accept(sitting, 900, "rule", "judge", "a wrong card", **ruling)
    assert (sitting.match.status, sitting.match.frozen is not None) == (
        ("running", True) if how == "back" else ("over", True)
    )
    assert verify_records(sitting.match.records, secret=sitting.secret.bytes).ok


def test_a_match_without_a_clock_can_be_frozen(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    sitting.accept(sitting.match.freeze(sitting.context, "judge", "a dispute", frozen=True))
    refused("frozen", lambda: sitting.match.play(sitting.context, "left", [("1",)]))
    assert verify_records(sitting.match.records, secret=sitting.secret.bytes).ok


# ── the log ──


def officiated(game: Game, terms: Clock, seed: int) -> Sitting:
    """A match with answers, gifts, times set, pauses, freezes, stops, takebacks; until a time is up."""
    sitting, chance = begun(game, terms, seed), Random(seed)
    match, most = sitting.match, 90 * SECOND if isinstance(terms[0], Bank) else 2 * DAY
    for _ in range(60):
        if match.status != "running":
            break
        before = sitting.clock
        sitting.clock += chance.randrange(1, most // 2)
        context = Context(sitting.secret, sitting.clock, PRODUCT)
        seat = chance.choice(list(match.seats))
        clock = match.clock
        assert clock is not None
        if match.run_out(sitting.clock) is not None:
            sitting.accept(match.time_out(context))
        elif (way := chance.random()) < 0.08:
            rest = chance.randrange(1, most)
            dated = any(isinstance(term, Until) for term in terms) and chance.random() < 0.5
            time = {"until": sitting.clock + rest} if dated else {"left": rest}
            sitting.accept(match.set_clock(context, seat, "judge", "a doubt", **time))
        elif way < 0.2 and not match.frozen:
            giver = match.player_of(next(other for other in match.seats if other != seat))
            assert giver is not None
            sitting.accept(match.set_clock(context, seat, giver.player, more=chance.randrange(1, most)))
        elif way < 0.3:
            sitting.accept(match.pause_clock(context, "judge", "a break", paused=not clock.paused))
        elif way < 0.4 or match.frozen:
            sitting.accept(match.freeze(context, "judge", "a dispute", frozen=not match.frozen))
        elif way < 0.46 and sitting.clock - before > 1:
            sitting.accept(match.stop_clock(context, before, before + (sitting.clock - before) // 2))
        elif way < 0.52 and match.is_table(match.move - 1):
            sitting.accept(match.rule(context, "judge", "a doubt", back_to=match.move - 1))
        else:
            sitting.clock -= SECOND  # the next command comes a second later
            if sitting.clock > before and match.run_out(sitting.clock + SECOND) is None:
                sitting.random_answer()
    return sitting


@pytest.mark.parametrize("terms", CLOCKS)
def test_the_independent_verifier_and_one_position_alone_show_the_same_times(
    toy_game: Game, swap_game: Game, terms: str
) -> None:
    kinds = set()
    for seed in range(1, 7):
        game = toy_game if seed % 2 else swap_game
        sitting = officiated(game, CLOCKS[terms], seed)
        match = sitting.match
        told = stranger.check_clocks([json.loads(record.leaf) for record in match.records])
        assert told == [{}, *(left_of(match, move) for move in range(2, match.move + 1))]
        reader = Reader(game, match.id, [record.stored for record in match.records])
        alone = [reader.partial_match(move).clock_at(move) for move in range(1, match.move)]
        assert alone == [match.clock_at(move) for move in range(1, match.move)]
        assert verify_records(match.records, secret=None if match.closed else sitting.secret.bytes).ok
        kinds |= {record.kind for record in match.records}
    assert kinds >= KINDS_OF_OFFICIALS


@pytest.mark.parametrize("name", ROOTS)
def test_stored_bytes_of_officials_are_read_for_ever(toy_game: Game, name: str) -> None:
    file, root, rests = ROOTS[name]
    lines, read = (STORED / file).read_bytes().removesuffix(b"\n").split(b"\n"), codec(toy_game).read
    stored = [b"\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]
    match = Match.project(None, [read(name, record) for record in stored])
    assert match is not None
    assert match.roots[-1].hex() == root
    kinds = KINDS_OF_OFFICIALS if name == "mdesk1" else {"clock_set"}
    assert {record.kind for record in match.records} >= kinds
    assert kinds <= KINDS
    assert left_of(match, match.move) == rests
    assert verify_records(match.records).ok
    assert [canonical(record.entry) for record in match.records] == [record.leaf for record in match.records]
