"""Games that were played elsewhere: what a ruling takes from a match file, and which files it refuses."""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import signal
import zipfile
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec
import pytest

from api.gate import reported_files
from api.gate.reported_files import MOST_FILE, Examined, examined, in_a_process
from api.gate.tournament_previews import previewed
from domain.events import BoardOf
from domain.game import Game
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor
from domain.tournaments.reported import ReportedMatch
from domain.tournaments.state import Ruling
from tests.api.gate.elsewhere import LEFT, RIGHT, flipped, played_elsewhere, still_running, unread
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, SECOND, TERMS, Cup
from tests.waiting import soon


async def examined_here(data: bytes, keys: Any) -> Examined:
    """Verify in this process: a process of its own is tested where it is the question."""
    return examined(data, keys)


async def hall(terms: Any = TERMS, store: MemoryStore | None = None) -> Cup:
    """A tournament with two boards of its first round published."""
    cup = Cup(store or MemoryStore(), terms)
    cup.tournaments.files.examine = examined_here
    await cup.announced()
    await cup.paired()
    return cup


async def taken(cup: Cup, data: bytes, actor: Actor = DIRECTOR) -> ReportedMatch:
    return await cup.tournaments.files.take(cup.id, data, actor)


def ruling(file: str, result: str = "1-0", board: int = 1, **also: Any) -> c.Rule:
    about = {"round": 1, "board": board, "result": result, "reason": "agreed", "text": "in the hall"}
    return msgspec.convert({"do": "rule", **about, "reported": True, "file": file, **also}, c.Rule)


async def ruled(cup: Cup, command: c.Rule, actor: Actor = DIRECTOR) -> Ruling:
    await cup.tournaments.rule(cup.id, command, actor, (await cup.log()).entry)
    found = (await cup.state()).rounds[0].boards[command.board - 1].ruling
    assert found is not None
    return found


async def refusal(work: Coroutine[Any, Any, Any]) -> tuple[str, str]:
    """Why something is refused: the kind, and the id of the sentence or of the first finding."""
    with pytest.raises(Refused) as caught:
        await work
    values: Mapping[str, Any] = caught.value.values
    found = values.get("findings")
    return caught.value.kind, str(getattr(found[0], "id", found[0]) if found else caught.value.id)


def in_a_hall(work: Callable[[Cup], Coroutine[Any, Any, None]]) -> None:
    async def begun() -> None:
        await work(await hall())

    run(begun())


def test_a_ruling_names_the_file_its_match_and_its_root(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        # given: the file of a game that the first seat won
        data = await played_elsewhere()
        match = await taken(cup, data)
        # when: an official rules by it, after a preview
        order = ruling(match.sha256)
        seen = await previewed(cup.tournaments, cup.id, order, DIRECTOR, (await cup.log()).entry)
        found = await ruled(cup, order)
        # then: the entry names it, the preview was right, and the file is kept as it came
        assert (found.file, found.file_match) == (match.sha256, match.ended.match)
        assert found.file_root == match.ended.root
        assert seen.facts[0]["file_root"] == match.ended.root
        assert cup.store.reported_files.content(cup.id, match.sha256) == data

    in_a_hall(work)


def test_a_ruling_without_a_file_keeps_its_bytes(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        plain = c.Rule(round=1, board=1, result="1-0", reason="agreed", text="said so", reported=True)
        await ruled(cup, plain)
        entries = [record.leaf for record in (await cup.log()).records if record.kind == "ruled"]
        assert len(entries) == 1
        assert not any(name in entries[0] for name in (b"file", b"statement", b"agreed_"))

    in_a_hall(work)


@pytest.mark.parametrize(
    ("winner", "result", "fits"),
    [
        (LEFT, "1-0", True),
        (LEFT, "0-1", False),
        (RIGHT, "0-1", True),
        (RIGHT, "1-0", False),
        (LEFT, "½", False),
        (LEFT, "+-", False),
        (LEFT, "0-0", False),
    ],
)
def test_the_result_is_that_of_the_file(toy_game: Game, winner: str, result: str, fits: bool) -> None:
    async def work(cup: Cup) -> None:
        order = ruling((await taken(cup, await played_elsewhere(winner))).sha256, result)
        if fits:
            assert (await ruled(cup, order)).result == result
        else:
            assert await refusal(ruled(cup, order)) == ("bad-file", "reported-result")

    in_a_hall(work)


def test_seats_that_are_exchanged_are_refused(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        # given: a file in which both entrants of the board play, with each other's seats
        s = await cup.state()
        w, b = (s.entrants[name].player for name in s.rounds[0].boards[0].seated)
        turned = await taken(cup, await played_elsewhere(players=(b, w)))
        # then: whatever is ruled by it is refused, and by a file with the right seats it is not
        for result in ("1-0", "0-1"):
            order = ruling(turned.sha256, result)
            assert await refusal(ruled(cup, order)) == ("bad-file", "reported-exchanged")
        right = await taken(cup, await played_elsewhere(players=(w, b)))
        assert (await ruled(cup, ruling(right.sha256))).result == "1-0"

    in_a_hall(work)


def test_the_file_of_other_entrants_is_refused(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        s = await cup.state()
        one, other = (s.entrants[name].player for name in s.rounds[0].boards[1].seated)
        for players in ((one, other), (one, "stranger")):
            file = await taken(cup, await played_elsewhere(players=players))
            assert await refusal(ruled(cup, ruling(file.sha256))) == ("bad-file", "reported-players")

    in_a_hall(work)


def test_a_file_with_other_options_is_refused(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        file = await taken(cup, await played_elsewhere(options={"rounds": 3}))
        assert await refusal(ruled(cup, ruling(file.sha256))) == ("bad-file", "reported-options")

    in_a_hall(work)


def test_a_file_of_another_game_is_refused(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        data = await played_elsewhere("us", game="thirteen_minutes")
        assert await refusal(taken(cup, data)) == ("bad-file", "reported-game")

    in_a_hall(work)


def test_a_match_of_another_tournament_is_refused(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        here = BoardOf(cup.id, 1, 1)
        for place in (BoardOf("tother", 1, 1), BoardOf(cup.id, 1, 2), here):
            file = await taken(cup, await played_elsewhere(place=place))
            if place == here:
                assert (await ruled(cup, ruling(file.sha256))).file == file.sha256
            else:
                assert await refusal(ruled(cup, ruling(file.sha256))) == ("bad-file", "reported-place")

    in_a_hall(work)


def test_the_same_match_counts_on_one_board(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        # given: a board that was ruled by a file
        data = await played_elsewhere()
        file = await taken(cup, data)
        await ruled(cup, ruling(file.sha256))
        # when: it is to count on another board, as it is or packed otherwise
        assert (await taken(cup, data)).sha256 == file.sha256
        assert await refusal(ruled(cup, ruling(file.sha256, board=2))) == ("bad-file", "reported-twice")
        assert await refusal(taken(cup, repacked(data))) == ("bad-file", "reported-elsewhere")
        # then: it does so only when the first board is ruled otherwise
        plain = c.Rule(round=1, board=1, result="½", reason="agreed", text="a mistake", reported=True)
        await ruled(cup, plain)
        assert (await ruled(cup, ruling(file.sha256, board=2))).file == file.sha256

    in_a_hall(work)


def repacked(data: bytes, old: bytes = b"", new: bytes = b"") -> bytes:
    """The same match file, compressed; with other bytes in place of some."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as one, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as two:
        for name in one.namelist():
            two.writestr(name, one.read(name).replace(old, new))
    return out.getvalue()


def test_the_same_match_counts_in_one_tournament(toy_game: Game) -> None:
    async def work() -> None:
        # given: two tournaments of one store, both with the same file
        first = await hall()
        second = await hall(store=first.store)  # type: ignore[arg-type]
        data = await played_elsewhere()
        file = await taken(first, data)
        # when: one of them is ruled by it
        await ruled(first, ruling(file.sha256))
        # then: the other cannot even take it
        assert await refusal(taken(second, data)) == ("bad-file", "reported-elsewhere")
        assert await refusal(ruled(second, ruling(file.sha256))) == ("not-found", "no-such-reported-file")

    run(work())


def bomb() -> bytes:
    """An archive of some kB whose log would have 60 MB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.ndjson", b"0" * 60_000_000)
    return out.getvalue()


def test_forged_and_hostile_files_are_refused(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        sound = await played_elsewhere()
        for data in (
            flipped(sound, b'"kind":"seated"'),
            flipped(sound, b'"winner"'),
            repacked(sound, b"stranger-1", b"stranger-3"),  # a sound archive whose proof is not
            sound[: len(sound) // 2],
            bomb(),
            unread(1000),
            b"",
            await still_running(),
        ):
            assert (await refusal(taken(cup, data)))[0] == "bad-file"
        assert (await refusal(taken(cup, unread(MOST_FILE + 1))))[0] == "too-large"
        assert await refusal(taken(cup, await still_running())) == ("bad-file", "file-of-running-match")

    in_a_hall(work)


def endless(data: bytes, keys: object) -> None:
    """Verify for ever."""
    while True:
        signal.pause()


def test_the_process_of_a_file_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reported_files, "examined", endless)
    monkeypatch.setattr(reported_files, "MOST_SECONDS", 0)
    before = set(multiprocessing.active_children())
    assert run(refusal(in_a_process(b"", ()))) == ("bad-file", "file-not-verified")
    soon(lambda: set(multiprocessing.active_children()) <= before)


def test_only_officials_upload_and_a_file_needs_its_mark(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        data = await played_elsewhere()
        assert (await refusal(taken(cup, data, Actor("q1", "player"))))[0] == "forbidden"
        file = await taken(cup, data, SECOND)
        order = ruling(file.sha256, reported=False)
        assert await refusal(ruled(cup, order)) == ("invalid", "only-reported")
        assert await refusal(ruled(cup, ruling("0" * 64))) == ("not-found", "no-such-reported-file")

    in_a_hall(work)


def test_two_officials_at_once_rule_once(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        # given: one file, and two officials who rule two boards by it
        file = await taken(cup, await played_elsewhere())
        entry = (await cup.log()).entry
        tries = [
            cup.tournaments.rule(cup.id, ruling(file.sha256, board=board), actor, entry)
            for board, actor in ((1, DIRECTOR), (2, SECOND))
        ]
        # when: they do so at once
        done = await asyncio.gather(*tries, return_exceptions=True)
        # then: the second one is stale, and one board has it
        assert sorted(type(one).__name__ for one in done) == ["Accepted", "Refused"]
        boards = (await cup.state()).rounds[0].boards
        assert [bool(board.ruling and board.ruling.file) for board in boards].count(True) == 1

    in_a_hall(work)


def test_two_tournaments_at_once_name_it_once(toy_game: Game) -> None:
    async def work() -> None:
        first = await hall()
        second = await hall(store=first.store)  # type: ignore[arg-type]
        data = await played_elsewhere()
        done = await asyncio.gather(*(_ruled_by(cup, data) for cup in (first, second)))
        assert sorted(done) == [False, True]

    run(work())


async def _ruled_by(cup: Cup, data: bytes) -> bool:
    try:
        await ruled(cup, ruling((await taken(cup, data)).sha256))
    except Refused:
        return False
    return True


# ── Statements ──


def stated(board: int = 1) -> c.Rule:
    about = {"statement": "We played it at the club, and Ann won.", "reported": True}
    return c.Rule(round=1, board=board, result="1-0", reason="agreed", text="a form", **about)  # type: ignore[arg-type]


def test_both_entrants_confirm_a_statement(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        # given: a ruling with a statement
        found = await ruled(cup, stated())
        s = await cup.state()
        board = s.rounds[0].boards[0]
        one, other = (s.entrants[name] for name in board.entrants)
        # when: both confirm it, one of them twice, with no `expect`
        for player in (one.player, one.player, other.player):
            order = c.ConfirmStatement(ruling=found.entry)
            await cup.tournaments.commands.command(cup.id, order, Actor(player, "player"))
        # then: the state has both once, and nothing else changed
        after = (await cup.state()).rounds[0].boards[0]
        assert after.ruling is not None
        assert after.ruling.agreed == (one.id, other.id)
        assert (after.confirmed, after.status) == (board.confirmed, "ruled")
        kinds = [record.kind for record in (await cup.log()).records]
        assert kinds[-2:] == ["confirmed", "confirmed"]

    in_a_hall(work)


def test_nobody_else_confirms_a_statement(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        first = await ruled(cup, stated())
        s = await cup.state()
        player = s.entrants[s.rounds[0].boards[0].w].player
        other = s.entrants[s.rounds[0].boards[1].w].player

        async def confirm(who: str, entry: int) -> tuple[str, str]:
            order = c.ConfirmStatement(ruling=entry)
            return await refusal(cup.tournaments.commands.command(cup.id, order, Actor(who, "player")))

        assert await confirm(other, first.entry) == ("interest", "statement-of-others")
        assert await confirm("dora", first.entry) == ("not-entered", "you-have-not-entered")
        assert await confirm(player, 1) == ("not-found", "no-such-ruling")
        # a later ruling leaves nothing of the confirmations to the first
        later = await ruled(cup, stated())
        assert later.agreed == ()
        assert await confirm(player, first.entry) == ("late", "ruled-again")
        plain = await ruled(cup, c.Rule(round=1, board=1, result="1-0", reason="agreed", text="so"))
        assert await confirm(player, plain.entry) == ("not-found", "no-statement")

    in_a_hall(work)


def test_a_statement_needs_its_mark(toy_game: Game) -> None:
    async def work(cup: Cup) -> None:
        order = msgspec.structs.replace(stated(), reported=False)
        assert await refusal(ruled(cup, order)) == ("invalid", "only-reported")

    in_a_hall(work)
