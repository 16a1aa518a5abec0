"""The sides of a tournament's matches: colours, lots, handicaps, and bids in both editions."""

from __future__ import annotations

import csv
import io

import pytest

from api.gate.tournament_bids import BidReport, bids_of
from domain.events import BoardOf
from domain.game import Game, OptionValue
from domain.kernel import Refused
from domain.match import Match
from domain.tournaments import commands as c
from domain.tournaments.crosstables import crosstable
from domain.tournaments.events import LotDrawn
from domain.tournaments.history import TournamentLog
from domain.tournaments.sides import exchanged, label_of
from domain.tournaments.state import Board
from domain.tournaments.terms import Terms, settled
from projections.seat_swaps import settles
from replay.tournaments.exports import Wanted, exported
from replay.tournaments.trf import TrfFile, written
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup

TWILIGHT = "twilight_struggle"


def refusal(terms: Terms) -> str:
    with pytest.raises(Refused) as caught:
        settled(terms, None)
    return caught.value.id


def twilight(edition: str, bid: str, sides: str) -> Terms:
    options: dict[str, OptionValue] = {"bid": bid, "tournament": True}
    return Terms(game=TWILIGHT, format="swiss", rounds=1, edition=edition, options=options, sides=sides)


def test_a_bid_needs_the_option_of_the_game_and_the_option_needs_a_bid() -> None:
    assert refusal(twilight("second", "none", "bid")) == "sides-and-bid"
    assert refusal(twilight("second", "victory_points", "colours")) == "sides-and-bid"
    assert refusal(Terms(game="cia_vs_kgb", format="swiss", rounds=1, sides="bid")) == "sides-and-bid"
    assert (
        refusal(Terms(game="cia_vs_kgb", format="swiss", rounds=1, sides="handicap:+2")) == "no-such-option"
    )


def test_a_handicap_is_an_option_of_every_match() -> None:
    terms = Terms(game=TWILIGHT, format="swiss", rounds=1, sides="handicap:+2")
    assert settled(terms, None).options["handicap"] == 2
    other = Terms(game=TWILIGHT, format="swiss", rounds=1, sides="handicap:+2", options={"handicap": 3})
    assert refusal(other) == "two-handicaps"


def test_a_lot_that_can_be_checked_gives_the_seats(toy_game: Game) -> None:
    async def work() -> tuple[Cup, list[tuple[str | None, ...]]]:
        cup = Cup(MemoryStore(), Terms(game="toy", format="swiss", rounds=1, sides="lot"))
        await cup.announced(12)
        await cup.paired()
        seated = list[tuple[str | None, ...]]()
        s = await cup.state()
        for board in s.rounds[0].boards:
            held = cup.store.reservations(board.match).seats
            seated.append(tuple(held[seat].player for seat in toy_game.seats))
        await cup.results()
        return cup, seated

    cup, seated = run(work())
    s = run(cup.state())
    lot = next(
        record.entry
        for record in run(cup.log()).records
        if isinstance(record.entry, LotDrawn) and record.entry.label == label_of(1)
    )
    boards = s.rounds[0].boards
    assert [board.exchanged for board in boards] == [exchanged(lot.result, board.number) for board in boards]
    assert seated == [tuple(s.entrants[name].player for name in board.seated) for board in boards]
    for board in boards:
        assert board.outcome is not None
        assert tuple(board.outcome.sides[seat] for seat in toy_game.seats) == board.seated
        assert seats_in_files(cup, board) == dict(zip(toy_game.seats, board.seated, strict=True))
    assert {exchanged(number, 1) for number in range(20)} == {True, False}


def seats_in_files(cup: Cup, board: Board) -> dict[str, str]:
    """The entrant of each seat of a board of round 1, as the exported CSV and TRF have it."""
    log = run(cup.log())
    numbers = {number: one.id for number, one in enumerate(log.state.numbered, 1)}
    trf = exported(log, log.state, Wanted("trf"), {}, "x").decode()
    comment = next(
        line for line in trf.splitlines() if line.startswith(f"### round 1 board {board.number}: ")
    )
    said = [one.split() for one in comment.partition(": ")[2].split(", ")]
    table = exported(log, log.state, Wanted("csv", table="boards"), {}, "x").decode()
    row = next(one for one in csv.DictReader(io.StringIO(table)) if one["board"] == str(board.number))
    found = {row["w_seat"]: row["w"], row["b_seat"]: row["b"]}
    assert found == {seat: numbers[int(number)] for seat, number in said}
    return found


@pytest.mark.parametrize(
    "terms",
    [
        Terms(game="toy", format="swiss", rounds=1, sides="lot"),
        twilight("second", "victory_points", "bid"),
    ],
)
def test_files_name_no_seat_before_the_lot_or_the_bids(terms: Terms, toy_game: Game) -> None:
    async def work() -> TournamentLog:
        cup = await Cup(MemoryStore(), terms).announced(2)
        if terms.sides == "bid":
            await cup.paired()
        else:
            draft = await cup.tournaments.draft(cup.id, DIRECTOR)
            await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        return await cup.log()

    log = run(work())
    assert "###" not in exported(log, log.state, Wanted("trf"), {}, "x").decode()
    (row,) = csv.DictReader(
        io.StringIO(exported(log, log.state, Wanted("csv", table="boards"), {}, "x").decode())
    )
    assert (row["w"], row["w_seat"], row["b"], row["b_seat"]) == ("n1", "", "n2", "")


async def bid(cup: Cup, name: str) -> Match:
    """Both players sit down and answer until the sides are settled: the first option each time."""
    await cup.sit(name)
    for _ in range(40):
        match = await cup.gate.match(name)
        if any(settles(record.entry) for record in match.records):
            return match
        assert match.asked is not None
        seat = next(iter(match.asked.seats))
        question = match.prompt(seat)
        assert question is not None
        picks = question[1].options[: max(question[1].least, 1)]
        await cup.gate.play(name, [picks], seat=seat, expect=question[0])
    raise AssertionError("the bids did not end")


@pytest.mark.parametrize(("edition", "kind"), [("second", "victory_points"), ("deluxe", "influence")])
def test_after_bids_the_trf_keeps_the_colours_and_the_tables_the_seats_played(
    edition: str, kind: str
) -> None:
    async def work() -> Cup:
        cup = Cup(MemoryStore(), twilight(edition, kind, "bid"))
        await cup.announced(8)
        await cup.paired()
        for board in (await cup.state()).rounds[0].boards:
            match = await bid(cup, board.match)
            winner = next(seated.player for seated in match.players.values() if seated)
            await cup.gate.resign(board.match, player=winner)
        await cup.follower.tick(everything=True)
        return cup

    cup = run(work())
    s = run(cup.state())
    lines = written(TrfFile(crosstable(s))).splitlines()
    colours = {int(line[4:8]): line[96] for line in lines if line.startswith("001")}
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    for board in s.rounds[0].boards:
        assert (colours[numbers[board.w]], colours[numbers[board.b]]) == ("w", "b")
        match = run(cup.gate.match(board.match))
        people = {one.player: name for name, one in s.entrants.items()}
        assert board.outcome is not None
        seats = {seat: people[seated.player] for seat, seated in match.players.items() if seated}
        assert board.outcome.sides == seats
        assert seats_in_files(cup, board) == seats


def test_a_board_that_was_opened_with_other_options_is_refused() -> None:
    async def work() -> str:
        cup = await Cup(MemoryStore(), twilight("second", "victory_points", "bid")).announced(2)
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        board = (await cup.state()).rounds[0].boards[0]
        place = BoardOf(cup.id, 1, 1)
        await cup.gate.open(None, TWILIGHT, "second", {}, match=board.match, tournament=place)
        try:
            await cup.tournaments.publish_round(
                cup.id, c.PublishRound(round=1), DIRECTOR, (await cup.log()).entry
            )
        except Refused as error:
            return error.id
        return ""

    assert run(work()) == "another-match"


async def bought(cup: Cup, name: str, wanted: list[str]) -> Match:
    """Both players sit down and bid: each takes the first of these answers that is offered."""
    await cup.sit(name)
    left = list(wanted)
    while True:
        match = await cup.gate.match(name)
        if any(settles(record.entry) for record in match.records):
            return match
        assert match.asked is not None
        seat = next(iter(match.asked.seats))
        question = match.prompt(seat)
        assert question is not None
        pick = next((one for one in left if one in question[1].options), "")
        assert pick, (left, question[1].options)
        left.remove(pick)
        await cup.gate.play(name, [(pick,)], seat=seat, expect=question[0])


@pytest.mark.parametrize(
    ("edition", "kind", "answers"),
    [
        ("second", "victory_points", [["ussr:2", "pass"], ["ussr:2", "ussr:3", "pass"], ["pass", "pass"]]),
        ("deluxe", "influence", [["ussr:2", "ussr:1"], ["ussr:1", "ussr:3"], ["ussr:1", "us:2"]]),
    ],
)
def test_the_report_of_bids_counts_the_bought_sides_that_won(
    edition: str, kind: str, answers: list[list[str]]
) -> None:
    async def work() -> BidReport:
        cup = Cup(MemoryStore(), twilight(edition, kind, "bid"))
        await cup.announced(8)
        await cup.paired()
        boards = (await cup.state()).rounds[0].boards
        for board, wanted in zip(boards, answers, strict=False):
            match = await bought(cup, board.match, wanted)
            us = match.players["us"]
            assert us is not None
            await cup.gate.resign(board.match, player=us.player)
        found = await bids_of(cup.tournaments, cup.id)
        assert len(cup.tournaments.bids) == 3  # those that are over are not read again
        assert await bids_of(cup.tournaments, cup.id) == found
        return found

    found = run(work())
    assert [(one.side, one.points, one.matches, one.won) for one in found.bids] == [
        ("ussr", 2, 1, 1),
        ("ussr", 3, 1, 1),
    ]
    assert (found.free, found.open) == (1, 1)
    assert all(0.2 < one.low < 0.21 and one.high == 1 for one in found.bids)
