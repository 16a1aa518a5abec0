"""A whole tournament through its gate: pairing, matches, results, rulings, publication."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.gate import Key
from api.gate.tournament_commands import state_at
from api.gate.tournament_previews import previewed
from api.store.sqlite import SqliteStore
from domain import kernel
from domain.chance import Secret, drawn, link
from domain.clocks import Bank
from domain.events import BoardOf
from domain.game import Game
from domain.kernel import Refused
from domain.log import Record, b64, canonical, seal, unb64
from domain.tournaments import commands as c
from domain.tournaments.crosstables import crosstable
from domain.tournaments.events import LotDrawn, Paired, Result
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import Actor
from replay.tournaments.pairing import pair
from replay.tournaments.results import standings_of
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, SECOND, TERMS, Cup
from tests.api.store.locations import ACT
from tests.waiting import PATIENCE


def test_a_tournament_from_its_terms_to_the_final_standings(toy_game: Game) -> None:
    async def work() -> Cup:
        cup = await Cup(MemoryStore()).announced()
        for _ in range(3):
            await cup.paired()
            await cup.results()
            await cup.closed()
        entry = (await cup.log()).entry
        await cup.tournaments.publish(cup.id, c.Publish(final=True), DIRECTOR, entry)
        return cup

    cup = run(work())
    log = run(cup.log())
    kinds = [record.kind for record in log.records]
    assert log.state.status == "published"
    assert kinds.count("board_opened") == kinds.count("result_recorded") == kinds.count("confirmed") == 6
    assert {frozenset(b.entrants) for one in log.state.rounds for b in one.boards} == {
        frozenset((f"n{a}", f"n{b}")) for a in range(1, 5) for b in range(a + 1, 5)
    }
    assert unb64(log.records[-1].entry.secret) == cup.store.secret(cup.id)


def test_the_lot_is_checked_with_the_key_that_comes_with_it(toy_game: Game) -> None:
    cup = run(Cup(MemoryStore()).announced())
    log = run(cup.log())
    lot = next(record.entry for record in log.records if isinstance(record.entry, LotDrawn))
    key = unb64(lot.key.key)
    assert link(key) == unb64(log.state.anchor)
    assert drawn(key, "", lot.label, 0, lot.n) == lot.result


def test_a_match_knows_its_board_and_only_its_entrants_sit_down(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        match = await cup.gate.match(board.match)
        place = match.opened.tournament
        assert place is not None
        assert (place.tournament, place.round, place.board) == (cup.id, 1, 1)
        with pytest.raises(Refused) as refused:
            await cup.gate.sit(board.match, "left", "stranger")
        assert refused.value.kind == "reserved"
        w = (await cup.state()).entrants[board.w].player
        await cup.gate.sit(board.match, "left", w)

    run(work())


def test_a_crash_between_pairing_and_opening_opens_nothing_twice(toy_game: Game) -> None:
    async def work() -> None:
        store = MemoryStore()
        cup = await Cup(store).announced()
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        await cup.do(c.PublishRound(round=1))  # and the house died before it opened a match
        first = (await cup.state()).rounds[0].boards[0]
        await cup.tournaments._opened(
            await cup.state(), BoardOf(cup.id, 1, 1), first
        )  # it died before the entry of the first one
        cup.restart()
        await cup.follower.tick()
        await cup.follower.tick(everything=True)
        cup.restart()
        await cup.follower.tick()
        kinds = [record.kind for record in (await cup.log()).records]
        assert kinds.count("board_opened") == 2
        assert len(list(store.matches())) == 2

    run(work())


@pytest.mark.parametrize("races", [20, pytest.param(200, marks=pytest.mark.long)])
def test_two_directors_who_pair_at_once_store_one_pairing(toy_game: Game, races: int) -> None:
    async def work() -> None:
        for _ in range(races):
            cup = await Cup(MemoryStore()).announced()
            drafts = [await cup.tournaments.draft(cup.id, who) for who in (DIRECTOR, SECOND)]
            assert drafts[0] == drafts[1]
            answers = await asyncio.gather(
                *(
                    cup.tournaments.pair(cup.id, 1, draft.sha256, who, draft.entry)
                    for draft, who in zip(drafts, (DIRECTOR, SECOND), strict=True)
                ),
                return_exceptions=True,
            )
            refused = [answer for answer in answers if isinstance(answer, Refused)]
            assert [error.kind for error in refused] == ["stale"]
            log = await cup.log()
            assert sum(isinstance(record.entry, Paired) for record in log.records) == 1

    run(work())


def test_a_repeated_key_gets_the_same_answer_and_adds_nothing(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        key = Key(f"dora {cup.id}", "k1", b"body")
        entry = (await cup.log()).entry
        lot = c.DrawLot(label="lot/tie/n1", n=8)
        first = await cup.tournaments.commands.command(cup.id, lot, DIRECTOR, expect=entry, key=key)
        again = await cup.tournaments.commands.command(cup.id, lot, DIRECTOR, expect=entry, key=key)
        assert (again.first, again.last, again.root) == (first.first, first.last, first.root)
        assert (await cup.log()).entry == entry + 1
        other = replace(key, body=b"another")
        with pytest.raises(Refused) as refused:
            await cup.tournaments.commands.command(cup.id, lot, DIRECTOR, expect=entry, key=other)
        assert refused.value.kind == "key-reused"
        announced = Key("dora", "k2", b"body")
        once = await cup.tournaments.commands.announce(DIRECTOR, "A", TERMS, announced)
        twice = await cup.tournaments.commands.announce(DIRECTOR, "A", TERMS, announced)
        assert once.log is twice.log

    run(work())


def test_only_its_officials_rule_on_a_match_of_a_tournament(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        await cup.gate.play(board.match, [("2",)], player=(await cup.state()).entrants["n1"].player)
        with pytest.raises(Refused) as refused:
            await cup.gate.rule(board.match, "another-organizer", "because", back_to=3)
        assert refused.value.kind == "forbidden"

    run(work())


def test_a_match_of_a_tournament_is_ruled_on_through_its_board_alone(toy_game: Game) -> None:
    """OA21: the match's own door takes no ruling that the tournament's rules have not seen."""

    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        moves = (await cup.gate.match(board.match)).move
        for ruled in ({"void": True}, {"result": kernel.Result("left", "ruling", {})}, {"back_to": 3}):
            with pytest.raises(Refused) as refused:
                await cup.gate.rule(board.match, "dora", "because", **ruled)
            assert (refused.value.kind, refused.value.id) == ("ruling", "rule-on-its-board")
            assert refused.value.values == {"tournament": cup.id, "round": 1, "board": 1}
        assert (await cup.gate.match(board.match)).move == moves

    run(work())


def test_an_official_of_the_same_score_touches_no_match_by_its_own_door(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore(), replace(TERMS, clock=(Bank(main=600),))).announced(4)
        await cup.paired()
        first, second = (await cup.state()).rounds[0].boards
        for board in (first, second):
            await cup.sit(board.match)
        player = (await cup.state()).entrants[first.w].player
        await cup.do(c.Appoint(person=player, office="arbiter"))
        officials = cup.gate.officials
        for match, found in ((first.match, "own-board"), (second.match, "own-score-group")):
            back = cup.gate.rule(match, player, "x", back_to=1)
            for tried in (officials.must_be_official(match, player), back):
                with pytest.raises(Refused) as refused:
                    await tried
                assert (refused.value.kind, refused.value.id) == ("interest", found)
        await officials.must_be_official(second.match, "emil")

    run(work())


def test_the_house_confirms_no_match_that_a_ruling_closed(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        won = kernel.Result("left", "ruling", {})
        await cup.gate.rule(board.match, "dora", "x", result=won, by_tournament=True)  # and the house died
        await cup.follower.tick(everything=True)
        board = (await cup.state()).rounds[0].boards[0]
        assert (board.status, board.confirmed) == ("recorded", "")
        await cup.do(c.Confirm(round=1, board=1))
        assert (await cup.state()).rounds[0].boards[0].status == "confirmed"

    run(work())


def test_a_ruling_ends_a_running_match_first_and_names_its_move(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.sit(board.match)
        entry = (await cup.log()).entry
        rule = c.Rule(round=1, board=1, result="0-1", reason="conduct", text="left the table", note="seen")
        await cup.tournaments.rule(cup.id, rule, DIRECTOR, entry)
        match = await cup.gate.match(board.match)
        assert match.closed is not None
        assert match.closed.by == "ruling"
        ruled = (await cup.log()).records[-1]
        assert ruled.entry.move == match.move - 2
        assert b"seen" not in ruled.leaf
        assert ruled.parts["officials"].text == "seen"
        await cup.follower.tick()
        state = await cup.state()
        assert state.rounds[0].boards[0].result == "0-1"
        assert state.rounds[0].boards[0].outcome is not None
        assert state.rounds[0].boards[0].outcome.result == "0-1"

    run(work())


def test_nobody_rules_on_their_own_board_or_score_group(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(4)
        await cup.do(c.Appoint(person="q1", office="arbiter"))
        await cup.paired()
        one = (await cup.state()).rounds[0]
        own = next(board.number for board in one.boards if "n1" in board.entrants)

        def rule(board: int) -> c.Rule:
            return c.Rule(round=1, board=board, result="1-0", reason="other", text="so it is")

        judge = Actor("q1", "player")
        assert await cup.refused(rule(own), judge) == "interest"
        assert await cup.refused(rule(3 - own), judge) == "interest"
        assert await cup.refused(rule(own), SECOND) == ""

    run(work())


def test_the_state_at_every_entry_is_that_of_its_time(toy_game: Game) -> None:
    async def work() -> None:
        cup, states = await Cup(MemoryStore()).announced(4), {}
        for _ in range(2):
            await cup.paired()
            states[(await cup.log()).entry] = await cup.state()
            await cup.results()
            states[(await cup.log()).entry] = await cup.state()
            await cup.closed()
        cup.restart()
        log = await cup.log()
        assert all(state_at(log, entry) == state for entry, state in states.items())

    run(work())


def test_names_are_in_no_entry_and_forgetting_changes_no_root(toy_game: Game, tmp_path: Path) -> None:
    """OA6, with the people of a real store."""
    with closing(SqliteStore.open(tmp_path / "store")) as store:

        async def work() -> tuple[Cup, list[bytes]]:
            invited, code = store.people.add("Anastasia Verylongname", "player")
            player, _ = store.people.add("Bartholomew Verylongname", "player")
            cup = await Cup(store).announced(2)
            await cup.do(c.Invite(places=(c.Place(invited.id), c.Place(player.id, enters=True))))
            await cup.tournaments.accept(cup.id, c.Accept(entrant="n3"), Actor("q9", "player"), code)
            log = await cup.log()
            assert (log.state.entrants["n3"].player, log.state.entrants["n4"].player) == ("q9", player.id)
            assert not any(b"Verylong" in record.stored for record in log.records)
            for one in (invited, player):
                assert store.people.forget(one.id, ACT)
            assert set(store.people.names([invited.id, player.id]).values()) <= {None}
            return cup, list(log.roots)

        cup, before = run(work())
        log = store.tournament(cup.id)
        assert log is not None
        assert log.roots == before
        assert log.state.entrants["n4"].player == run(cup.state()).entrants["n4"].player


def test_the_text_of_a_call_is_sealed(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.tournaments.commands.command(
            cup.id, c.CallArbiter(text="he looked at my hand"), Actor("q1", "player")
        )
        record = (await cup.log()).records[-1]
        assert record.audiences == ("officials", "party:n1")
        assert b"looked" not in record.leaf
        secret = cup.store.secret(cup.id)
        assert secret is not None
        salt = Secret(secret, cup.id).salt(record.move, "party:n1")
        assert record.entry.sealed["party:n1"] == b64(seal(salt, record.part("party:n1")))

    run(work())


def test_a_round_robin_is_paired_by_its_table(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore(), replace(TERMS, format="round_robin", rounds=40)).announced(5)
        for _ in range(5):
            await cup.paired()
            await cup.results()
            await cup.closed()
        state = await cup.state()
        met = [frozenset(board.entrants) for one in state.rounds for board in one.boards]
        assert (len(met), len(set(met)), state.status) == (10, 10, "finished")
        assert sorted(name for one in state.rounds for name in one.byes) == [f"n{n}" for n in range(1, 6)]

    run(work())


def test_who_does_not_sit_down_in_time_forfeits(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(4)
        await cup.paired()
        first, second = (await cup.state()).rounds[0].boards
        player = (await cup.state()).entrants[first.b].player
        await cup.gate.sit(first.match, "right", player)
        await cup.follower.tick(everything=True)
        assert (await cup.state()).rounds[0].boards[0].ruling is None
        cup.now += (TERMS.grace + 1) * 1_000_000
        await cup.follower.tick(everything=True)
        await cup.follower.tick(everything=True)
        boards = (await cup.state()).rounds[0].boards
        assert [board.result for board in boards] == ["-+", "--"]
        with pytest.raises(Refused) as refused:
            await cup.gate.sit(second.match, "left", (await cup.state()).entrants[second.w].player)
        assert refused.value.kind == "over"

    run(work())


@pytest.mark.parametrize(
    ("rounds", "entrants"), [(3, 5), pytest.param(7, 17, marks=pytest.mark.long)], ids=str
)
def test_the_standings_of_every_entry_are_those_of_its_time(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch, rounds: int, entrants: int
) -> None:
    """OA7: with a bye in each round, a penalty, a ruling on a closed round and a withdrawal."""
    live, accept = dict[int, bytes](), TournamentLog.accept

    def recorded(log: TournamentLog, record: Record) -> None:
        accept(log, record)
        live[log.entry] = canonical(standings_of(log.state))

    async def overruled(cup: Cup) -> None:
        other: Result = "0-1" if (await cup.state()).rounds[0].boards[0].result == "1-0" else "1-0"
        rule = c.Rule(round=1, board=1, result=other, reason="other", text="the board was set up wrongly")
        entry = (await cup.log()).entry
        seen = await previewed(cup.tournaments, cup.id, rule, DIRECTOR, entry)
        await cup.tournaments.rule(cup.id, rule, DIRECTOR, entry, preview=seen.sha256)

    async def work() -> None:
        monkeypatch.setattr(TournamentLog, "accept", recorded)
        cup = Cup(MemoryStore(), replace(TERMS, rounds=rounds))
        cup.tournaments._pairer = pair
        await cup.announced(entrants)
        for number in range(1, rounds + 1):
            await cup.paired()
            await cup.results()
            await cup.closed()
            if number == 1:
                await overruled(cup)
                await cup.do(c.Penalise(entrant="n1", penalty="points", amount=1, text="late"))
                await cup.do(c.Withdraw(entrant="n2"))
        monkeypatch.undo()
        log = await asyncio.to_thread(cup.store.tournament, cup.id)
        assert log is not None
        first = min(live)
        assert sorted(live) == list(range(first, log.entry + 1))
        assert {entry: canonical(standings_of(log.state_at(entry))) for entry in live} == live
        assert len(set(live.values())) > 2 * rounds

    run(work())


def test_the_state_needs_no_pairing_engine(toy_game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """OA3: what standings are made of is read without the engine."""

    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(4)
        await cup.paired()
        await cup.results()
        table = crosstable(await cup.state())
        for name in ("gacrux", "networkx"):
            monkeypatch.setitem(sys.modules, name, None)
        cup.restart()
        state = await cup.state()
        assert crosstable(state) == table
        with pytest.raises(Refused) as refused:
            standings_of(state)
        assert refused.value.kind == "not-offered"

    run(work())


def test_a_ruling_and_a_publication_end_on_a_store_of_several_processes(toy_game: Game) -> None:
    async def work() -> None:
        store = MemoryStore()
        store.shared = True
        cup = await Cup(store).announced(2)
        await cup.paired()
        rule = c.Rule(round=1, board=1, result="1-0", reason="other", text="agreed")
        async with asyncio.timeout(PATIENCE):
            await cup.tournaments.rule(cup.id, rule, DIRECTOR, (await cup.log()).entry)
            await cup.closed()
            await cup.tournaments.publish(cup.id, c.Publish(), DIRECTOR, (await cup.log()).entry)
        assert (await cup.state()).publications

    run(work())


def test_a_program_gets_no_place_in_any_way(toy_game: Game) -> None:
    """Not by itself, by a director, from a list, by an invitation that it was given, nor as a substitute."""

    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        people = cup.store.people
        bot, _ = people.add("Robot", "bot")
        ann, _ = people.add("Ann", "player")
        guest, code = people.add("Guest", "player")
        await cup.do(c.Invite(places=(c.Place(guest.id),)))
        invited = next(one.id for one in (await cup.state()).entrants.values() if one.status == "invited")
        root, own = (await cup.log()).root, Actor(bot.id, "bot")

        async def refused(work: Awaitable[object]) -> str:
            with pytest.raises(Refused) as caught:
                await work
            return caught.value.id

        gate, entry = cup.tournaments, (await cup.log()).entry
        both = c.Invite(places=(c.Place(ann.id, enters=True), c.Place(bot.id, enters=True)))
        swap = c.Replace(entrant="n1", substitute=bot.id, reason="ill")
        enter = c.EnterTournament(player=bot.id)
        attempts: list[Awaitable[object]] = [
            gate.enter(cup.id, c.EnterTournament(), own),
            gate.enter(cup.id, enter, DIRECTOR, expect=entry),
            cup.do(both),
            gate.accept(cup.id, c.Accept(entrant=invited), own, code),
            cup.do(swap),
            previewed(gate, cup.id, enter, DIRECTOR, entry),
        ]
        assert [await refused(one) for one in attempts] == ["bots-do-not-enter"] * len(attempts)
        assert (await cup.log()).root == root
        await gate.enter(cup.id, c.EnterTournament(), Actor(ann.id, "player"))

    run(work())
