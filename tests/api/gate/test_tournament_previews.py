"""Previews and measures: a preview is what is stored then; matches take measures before their tournament."""

from __future__ import annotations

import msgspec
import pytest

from api.gate.tournament_measures import carry_out, penalise
from api.gate.tournament_previews import Preview, previewed
from domain.clocks import Bank
from domain.game import Game
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.events import Result
from domain.tournaments.judging import Actor
from projections.boards import BOARDS
from projections.ratings import RatingRow
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, NOW, TERMS, Cup
from tests.projections.support import folded, items

RULE = c.Rule(round=1, board=1, result="0-1", reason="conduct", text="left the table", note="seen")


async def preview(cup: Cup, command: c.Previewed) -> Preview:
    return await previewed(cup.tournaments, cup.id, command, DIRECTOR, (await cup.log()).entry)


async def measure(cup: Cup, command: c.Measure, actor: Actor = DIRECTOR) -> str:
    try:
        await carry_out(cup.tournaments, cup.id, command, actor, (await cup.log()).entry)
    except Refused as error:
        return error.kind
    return ""


async def closed_round() -> Cup:
    cup = await Cup(MemoryStore()).announced()
    await cup.paired()
    await cup.results()
    await cup.closed()
    return cup


PREVIEWED: list[c.Previewed] = [
    c.Penalise(entrant="n1", penalty="points", amount=2, text="late"),
    c.Withdraw(entrant="n2"),
    c.CallArbiter(text="look here"),
    c.ReopenRound(round=1, reason="mistake"),
    c.Extend(round=1, until=NOW + 1, reason="storm"),
]


@pytest.mark.parametrize("command", PREVIEWED, ids=lambda one: type(one).__name__)
def test_a_preview_is_what_is_stored_then(toy_game: Game, command: c.Previewed) -> None:
    """OA22."""

    async def work() -> None:
        cup = await closed_round()
        actor = Actor("q1", "player") if isinstance(command, c.CallArbiter) else DIRECTOR
        before = (await cup.log()).root
        found = await previewed(cup.tournaments, cup.id, command, actor, (await cup.log()).entry)
        assert (await cup.log()).root == before
        assert (await cup.store_root()) == before
        await cup.do(command, actor)
        stored = [msgspec.json.decode(record.leaf) for record in (await cup.log()).records[found.entry :]]
        assert [one.pop("at") for one in stored] == [cup.now] * len(stored)
        assert list(found.facts) == stored

    run(work())


@pytest.mark.parametrize("sides", ["colours", "lot"])
def test_a_preview_draws_no_lot(toy_game: Game, sides: str) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore(), msgspec.structs.replace(TERMS, sides=sides)).announced(2)
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        publish = c.PublishRound(round=1)
        if sides == "lot":
            with pytest.raises(Refused) as refused:
                await preview(cup, publish)
            assert (refused.value.kind, refused.value.id) == ("invalid", "preview-draws-lot")
        else:
            assert [fact["kind"] for fact in (await preview(cup, publish)).facts] == ["round_published"]
        assert await cup.refused(publish) == ""

    run(work())


def test_a_ruling_on_a_closed_round_needs_its_own_preview(toy_game: Game) -> None:
    """OA21 and OA22."""

    async def work() -> None:
        cup = await closed_round()
        entry = (await cup.log()).entry

        async def ruled(command: c.Rule, sha256: str) -> str:
            try:
                await cup.tournaments.rule(cup.id, command, DIRECTOR, entry, preview=sha256)
            except Refused as error:
                return error.kind
            return ""

        found = await preview(cup, RULE)
        other = msgspec.structs.replace(RULE, text="another text")
        assert [await ruled(RULE, ""), await ruled(RULE, "0" * 64)] == ["preview", "preview"]
        assert await ruled(other, found.sha256) == "preview"
        assert (await cup.log()).entry == entry
        winner = (await cup.state()).rounds[0].boards[0].result[0]
        assert bool(found.standings) == (winner == "1")
        assert found.pairing is not None
        assert (found.pairing.round, found.pairing.refused) == (2, "")
        assert await ruled(RULE, found.sha256) == ""
        [stored] = [msgspec.json.decode(one.leaf) for one in (await cup.log()).records[entry:]]
        assert stored.pop("at") == cup.now
        assert list(found.facts) == [stored]
        state = await cup.state()
        for line in found.standings:
            assert (line.score_after, line.score_before != line.score_after) == (
                state.score(line.entrant),
                True,
            )
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        assert found.pairing.after == tuple((w, b) for w, b, _, _ in draft.draft.boards)

    run(work())


def test_a_preview_names_the_move_by_which_a_running_match_takes_the_ruling(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        found = await preview(cup, RULE)
        moves = (await cup.gate.match(board.match)).move
        assert found.match_move == moves + 1
        await cup.tournaments.rule(cup.id, RULE, DIRECTOR, found.entry, preview=found.sha256)
        assert (await cup.log()).records[-1].entry.move == found.match_move

    run(work())


@pytest.mark.parametrize("rated", [True, False])
@pytest.mark.parametrize(("result", "rates"), [("0-1", True), ("+-", True), ("½", True), ("--", False)])
def test_a_preview_says_whether_ratings_change_as_the_scoreboards_then_have_it(
    toy_game: Game, result: Result, rates: bool, rated: bool
) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore(), msgspec.structs.replace(TERMS, rated=rated)).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        rule = msgspec.structs.replace(RULE, result=result)
        found = await preview(cup, rule)
        assert found.rates == (rates and rated)
        await cup.tournaments.rule(cup.id, rule, DIRECTOR, found.entry, preview=found.sha256)
        records = (await cup.gate.match(board.match)).records
        assert bool(folded(BOARDS, items(records)).all(RatingRow)) == found.rates
        assert not (await preview(cup, rule)).rates  # the same again changes nothing
        otherwise = msgspec.structs.replace(RULE, result="1-0" if result == "0-1" else "0-1")
        again = await preview(cup, otherwise)
        assert again.rates == (rates and rated)  # a match that ended void was never rated

    run(work())


def test_the_match_is_frozen_first_and_its_players_can_do_nothing(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        match = (await cup.state()).rounds[0].boards[0].match
        await cup.sit(match)
        freeze = c.FreezeMatch(match=match, reason="a doubt about the dice")
        assert await measure(cup, freeze, Actor("q1", "player")) == "forbidden"
        assert await measure(cup, c.FreezeMatch(match="mabc", reason="x")) == "not-found"
        assert await measure(cup, freeze) == ""
        assert (await cup.gate.match(match)).frozen is not None
        assert (await cup.state()).rounds[0].boards[0].frozen
        with pytest.raises(Refused) as refused:
            await cup.gate.resign(match, player="q1")
        assert refused.value.kind == "frozen"
        assert await measure(cup, freeze) == "freeze"
        assert await measure(cup, c.ReleaseMatch(match=match, reason="settled")) == ""
        assert (await cup.gate.match(match)).frozen is None

    run(work())


def test_a_freeze_that_crashed_half_way_is_completed(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        match = (await cup.state()).rounds[0].boards[0].match
        await cup.sit(match)
        await cup.gate.officials.freeze(match, "dora", "a doubt", frozen=True)  # and the house died
        assert await measure(cup, c.FreezeMatch(match=match, reason="a doubt")) == ""
        assert (await cup.state()).rounds[0].boards[0].frozen

    run(work())


def test_an_extended_board_is_not_forfeited_in_the_meantime(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(4)
        await cup.paired()
        grace = (TERMS.grace + 1) * 1_000_000
        late = c.Extend(round=1, until=NOW + 2 * grace, reason="a storm", boards=(2,))
        assert await measure(cup, c.Extend(round=1, until=NOW, reason="late")) == "window"
        assert await measure(cup, late) == ""
        cup.now += grace
        await cup.follower.tick(everything=True)
        assert [board.result for board in (await cup.state()).rounds[0].boards] == ["--", ""]
        cup.now += grace
        await cup.follower.tick(everything=True)
        assert [board.result for board in (await cup.state()).rounds[0].boards] == ["--", "--"]

    run(work())


def test_clocks_are_paused_and_run_again_in_the_matches(toy_game: Game) -> None:
    async def work() -> None:
        terms = msgspec.structs.replace(TERMS, clock=(Bank(main=600),))
        cup = await Cup(MemoryStore(), terms).announced(4)
        await cup.paired()
        first, second = (await cup.state()).rounds[0].boards
        for board in (first, second):
            await cup.sit(board.match)
        assert await measure(cup, c.Pause(round=1, reason="alarm")) == ""
        kinds = [(await cup.gate.match(one.match)).records[-1].kind for one in (first, second)]
        assert kinds == ["clock_paused"] * 2
        assert await measure(cup, c.Resume(round=1, reason="false alarm", boards=(2,))) == ""
        kinds = [(await cup.gate.match(one.match)).records[-1].kind for one in (first, second)]
        assert kinds == ["clock_paused", "clock_resumed"]

    run(work())


def test_a_time_penalty_is_taken_from_the_clock_of_the_match_once(toy_game: Game) -> None:
    async def work() -> None:
        terms = msgspec.structs.replace(TERMS, clock=(Bank(main=600),))
        cup = await Cup(MemoryStore(), terms).announced(2)
        penalty = c.Penalise(entrant="n1", penalty="time", amount=60, text="late again")
        assert await cup.refused(penalty) == "boards"
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)

        async def penalised(command: c.Penalise, actor: Actor = DIRECTOR) -> str:
            try:
                await penalise(cup.tournaments, cup.id, command, actor, (await cup.log()).entry)
            except Refused as error:
                return error.kind
            return ""

        seat = list(toy_game.seats)[board.seated.index("n1")]
        match = await cup.gate.match(board.match)
        before, move = match.left_of(seat, cup.now), match.move
        assert await penalised(penalty, Actor("q2", "player")) == "forbidden"
        assert await penalised(msgspec.structs.replace(penalty, amount=3_600)) == "clock"
        assert ((await cup.gate.match(board.match)).move, (await cup.log()).records[-1].kind) == (
            move,
            "board_opened",
        )
        why = f"tournament {cup.id}, entry {(await cup.log()).entry + 1}: late again"
        await cup.gate.officials.set_clock(board.match, "dora", seat, why, more=-60_000_000)  # and it died
        assert await penalised(penalty) == ""
        match = await cup.gate.match(board.match)
        assert (match.left_of(seat, cup.now), match.move) == (before - 60_000_000, move + 1)
        assert match.records[-1].kind == "clock_set"
        assert (await cup.log()).records[-1].kind == "penalised"
        await cup.results()
        assert await penalised(penalty) == "boards"

    run(work())


def test_without_clocks_no_time_can_be_taken(toy_game: Game) -> None:
    async def work() -> str:
        cup = await Cup(MemoryStore()).announced(2)
        return await cup.refused(c.Penalise(entrant="n1", penalty="time", amount=60, text="late"))

    assert run(work()) == "clock"
