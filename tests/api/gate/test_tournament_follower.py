"""Results reach their tournament exactly once, whenever the follower dies (OA4), and in any order (OA5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from random import Random

import msgspec
import pytest

from api.gate.match_verifier import MatchVerifier, NotVerified, Work, lights
from domain.game import Game
from domain.kernel import Refused
from domain.log import b64
from domain.tournaments import commands as c
from domain.tournaments.events import Result
from domain.tournaments.judging import Actor, Given, Head
from domain.tournaments.outcomes import why_it_waits
from domain.tournaments.rounds import next_round
from domain.tournaments.state import Tournament
from replay.tournaments.results import explained_of, standings_of
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, TERMS, Cup, closed_while_it_ends
from tests.salts import salt_of


async def killed(cup: Cup, steps: int) -> None:
    """Let the follower run for so many turns of the loop, then kill it, with all that it had in memory."""
    task = asyncio.create_task(cup.follower.tick(everything=True))
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await cup.tournaments.commands.finish()
    cup.restart()


async def played(kills: int, boards: int, seed: int) -> list[bytes]:
    """The entries of a round whose matches end while the follower is killed; without times."""
    cup, random = await Cup(MemoryStore()).announced(2 * boards), Random(seed)
    await cup.paired()
    one = (await cup.state()).rounds[0]
    order = list(one.boards)
    Random(1).shuffle(order)
    for number, board in enumerate(order):
        await cup.ended(board.match, Random(board.number))
        for _ in range(kills * (number + 1) // boards - kills * number // boards):
            await killed(cup, random.randrange(60))
    while await cup.follower.tick(everything=True):
        pass
    log = await cup.log()
    recorded = [record.entry for record in log.records if record.kind == "result_recorded"]
    assert len(recorded) == len({(one.round, one.board) for one in recorded}) == boards
    assert all(board.confirmed == "verify" for board in log.state.rounds[0].boards)
    return sorted(
        f"{entry.w} {entry.b} {entry.result} {entry.outcome and entry.outcome.closed_move}".encode()
        for entry in log.state.rounds[0].boards
    )


@pytest.mark.parametrize(
    ("kills", "boards"), [(20, 10), pytest.param(50, 200, marks=pytest.mark.long)], ids=str
)
def test_a_killed_follower_records_each_result_once(toy_game: Game, kills: int, boards: int) -> None:
    assert run(played(kills, boards, 3)) == run(played(0, boards, 4))


@pytest.mark.parametrize("orders", [10, pytest.param(100, marks=pytest.mark.long)])
def test_the_order_of_results_changes_no_standing(toy_game: Game, orders: int) -> None:
    async def work(seed: int) -> bytes:
        cup = await Cup(MemoryStore()).announced(6)
        await cup.do(c.SeedAll(order=tuple(f"n{number}" for number in range(1, 7))))
        await cup.paired()
        boards = list((await cup.state()).rounds[0].boards)
        Random(seed).shuffle(boards)
        for board in boards:
            await cup.ended(board.match, Random(board.number))
            await cup.follower.tick(everything=True)
        return msgspec.json.encode(standings_of(await cup.state()))

    colour_free = {run(work(seed)) for seed in range(orders)}
    assert len(colour_free) <= 2  # the lot for the colour is drawn anew in each tournament


def test_a_verification_that_fails_to_run_asks_an_arbiter_after_three_tries(toy_game: Game) -> None:
    async def broken(work: Work) -> dict[str, str]:
        raise NotVerified("BrokenProcessPool")

    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        cup.follower._verifier = broken
        await cup.ended(board.match, Random(1))
        for tries in (1, 2):
            assert not await cup.follower.tick(everything=True), tries
        assert await cup.follower.tick(everything=True)
        board = (await cup.state()).rounds[0].boards[0]
        assert board.status == "recorded"
        assert board.outcome is not None
        assert board.outcome.checked == {"verify": "not run"}
        await cup.do(c.Confirm(round=1, board=1))
        assert (await cup.state()).rounds[0].boards[0].status == "confirmed"

    run(work())


def test_a_called_arbiter_keeps_a_result_from_being_confirmed(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        call = c.CallArbiter(text="a doubt", round=1, board=1)
        await cup.tournaments.commands.command(cup.id, call, Actor("q1", "player"))
        await cup.results()
        assert (await cup.state()).rounds[0].boards[0].status == "recorded"

    run(work())


@pytest.mark.parametrize(("allowed", "salted"), [(False, False), (False, True), (True, False)])
def test_a_match_without_salts_waits_for_an_official_if_the_terms_want_salts(
    toy_game: Game, allowed: bool, salted: bool
) -> None:
    async def work() -> None:
        cup = Cup(MemoryStore(), msgspec.structs.replace(TERMS, house_seeded=allowed))
        await cup.announced(2)
        await cup.paired()
        match = (await cup.state()).rounds[0].boards[0].match
        if salted:
            seat, held = next(iter(cup.store.reservations(match).seats.items()))
            await cup.gate.sit(match, seat, held.player, salt=salt_of(seat))
        await cup.results()
        board = (await cup.state()).rounds[0].boards[0]
        assert board.status == ("confirmed" if allowed or salted else "recorded")
        if not board.confirmed:
            await cup.do(c.Confirm(round=1, board=1))
            assert (await cup.state()).rounds[0].boards[0].status == "confirmed"

    run(work())


def test_a_result_that_waits_says_why(toy_game: Game) -> None:
    async def work() -> None:
        cup = Cup(MemoryStore(), msgspec.structs.replace(TERMS, house_seeded=False))
        await cup.announced(4)
        await cup.paired()
        call = c.CallArbiter(text="a doubt", round=1, board=2)
        s = await cup.state()
        caller = Actor(s.entrants[s.rounds[0].boards[1].w].player, "player")
        await cup.tournaments.commands.command(cup.id, call, caller)
        await cup.ended(s.rounds[0].boards[1].match, Random(2))
        await cup.follower.tick(everything=True)
        s = await cup.state()
        first, second = s.rounds[0].boards
        assert (why_it_waits(s, 1, first), why_it_waits(s, 1, second)) == ((), ("no_salt", "called"))
        with pytest.raises(Refused) as refused:
            await cup.do(c.CloseRound(round=1))
        assert refused.value.text("en") == (
            "boards of round 1 without a result that stands: 1, 2 (no player of its match added a salt,"
            " and the terms want one; the arbiter is called)"
        )
        assert "2 (ни один игрок партии не добавил свою соль, а положение её требует; вызван судья)" in (
            refused.value.text("ru")
        )
        await cup.do(c.Confirm(round=1, board=2))
        s = await cup.state()
        assert why_it_waits(s, 1, s.rounds[0].boards[1]) == ()

    run(work())


def test_a_result_says_in_which_turn_its_match_ended_and_earlier_wins_come_first(toy_game: Game) -> None:
    async def work() -> None:
        cup = Cup(MemoryStore(), msgspec.structs.replace(TERMS, tie_breaks=("FAST",)))
        await cup.announced(6)
        await cup.paired()
        ends = {1: 1, 2: 1, 3: 0}  # the turns that are over before an entrant resigns
        for board in (await cup.state()).rounds[0].boards:
            await cup.played_out(board.match, Random(5), ends[board.number])
        await cup.follower.tick(everything=True)
        s = await cup.state()
        boards = s.rounds[0].boards
        assert [board.outcome and board.outcome.end_turn for board in boards] == [2, 2, 1]
        places = {one.entrant: (one.place, one.values) for one in standings_of(s).places}
        winners = [board.outcome.winner for board in boards if board.outcome]
        assert [places[name] for name in winners] == [(2, ("1", "2")), (2, ("1", "2")), (1, ("1", "1"))]
        assert {places[name] for name in places if name not in winners} == {(4, ("0", None))}
        _, fast = explained_of(s, winners[0])
        assert [(one.round, one.value) for one in fast.addends] == [(1, "2")]
        assert (fast.how, fast.total, fast.value) == ("average", "2", "2")
        same: Result = "1-0" if winners[2] == boards[2].w else "0-1"
        ruled = c.Rule(round=1, board=3, result=same, reason="other", text="so it stays")
        await cup.tournaments.rule(cup.id, ruled, DIRECTOR, (await cup.log()).entry)
        places = {one.entrant: (one.place, one.values) for one in standings_of(await cup.state()).places}
        assert places[winners[2]] == (3, ("1", None))

    run(work())


def test_matches_are_verified_in_a_process_of_their_own() -> None:
    async def work() -> None:
        verifier = MatchVerifier()
        try:
            work = Work("m1", "cia_vs_kgb", [b"no entry\n{}\n{}\n{}"], "", [])
            assert await verifier(work) == lights(work)
            with pytest.raises(NotVerified):
                await verifier(Work("m1", "no_such_game", [], "", []))
        finally:
            verifier.close()

    asyncio.run(work())


# ── A round that is closed while its games end (OA25) ──


@pytest.mark.parametrize("runs", [20, pytest.param(500, marks=pytest.mark.long)])
def test_a_closed_round_and_a_finishing_game_agree(toy_game: Game, runs: int) -> None:
    ends = {run(closed_while_it_ends(MemoryStore(), seed)) for seed in range(runs)}
    assert ends == {"ruling", "resignation"}


def test_a_match_that_went_on_is_forfeited_but_not_adjudicated(toy_game: Game) -> None:
    async def work(policy: str, result: str) -> Cup:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        match = await cup.gate.match(board.match)
        seen = Head(match.move, b64(match.roots[-1]))
        left = match.players["left"]
        assert left is not None
        await cup.gate.play(board.match, [("2",)], player=left.player)

        async def gather(s: Tournament, known: Given) -> Given:
            return msgspec.structs.replace(known, heads={1: seen})

        boards = (msgspec.convert({"board": 1, "policy": policy, "result": result}, c.BoardPolicy),)
        close = c.CloseRound(round=1, boards=boards)
        entry = (await cup.log()).entry
        await cup.tournaments.commands.command(cup.id, close, DIRECTOR, expect=entry, gather=gather)
        await cup.follower.tick(everything=True)
        return cup

    forfeited = run(run_state(work("forfeit", "+-")))
    assert forfeited.rounds[0].boards[0].result == "+-"
    went_on = run(run_state(work("adjudicate", "1-0")))
    assert went_on.rounds[0].boards[0].status == "running"
    with pytest.raises(Refused) as refused:
        next_round(went_on)
    assert refused.value.kind == "unfinished"


async def run_state(made: Awaitable[Cup]) -> Tournament:
    """The state of a tournament that is still being made."""
    return await (await made).state()
