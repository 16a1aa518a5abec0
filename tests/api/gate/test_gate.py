"""The gate: committed moves are visible, refused ones leave no trace, a key gets the same answer again."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable
from threading import Event

import pytest

from api.gate import Key
from api.store.interface import Unavailable
from domain.events import Closed, SecretOpened
from domain.kernel import Refused, Result
from domain.signed_notes import Checkpoint, Note
from tests.api.gate.memory import Keys
from tests.api.gate.tables import NOW, Table, run

pytestmark = pytest.mark.usefixtures("toy_game")


async def denied(work: Awaitable[object], kind: str) -> Refused:
    """The refusal, which must be of this kind."""
    with pytest.raises(Refused) as caught:
        await work
    assert caught.value.kind == kind
    return caught.value


def test_opening_takes_no_seat_and_the_last_seat_starts_the_play() -> None:
    async def scene() -> None:
        table = Table()
        accepted = await table.gate.open("ann", "toy", None, {}, match="m1")
        assert (accepted.first, accepted.last) == (1, 1)
        assert (await table.state()).status == "open"
        await table.gate.sit("m1", "right", "ben", salt="pepper")
        assert (await table.state()).status == "open"
        await table.gate.sit("m1", "left", "ann")
        match = await table.state()
        assert match.status == "running"
        assert match.salts == "left=,right=pepper"
        assert match.asked is not None
        assert match.asked.seats == {"left": 3, "right": 3}

    run(scene())


@pytest.mark.parametrize(
    ("game", "edition", "options", "kind"),
    [
        ("chess", None, {}, "unknown-game"),
        ("toy", "second", {}, "bad-option"),
        ("toy", None, {"rounds": 9}, "bad-option"),
        ("toy", None, {"board": 1}, "bad-option"),
        ("toy", None, {"rounds": 1.5}, "bad-option"),
    ],
)
def test_invalid_match_is_not_opened(
    game: str, edition: str | None, options: dict[str, object], kind: str
) -> None:
    async def scene() -> None:
        table = Table()
        await denied(table.gate.open("ann", game, edition, options), kind)
        assert table.store.last() == 0
        assert [refusal.kind for refusal in table.gate.refusals.latest(9)] == [kind]

    run(scene())


def test_match_with_an_existing_id_is_never_replaced() -> None:
    async def scene() -> None:
        table = await Table().seated()
        before = table.store.digest()
        await denied(table.gate.open("eve", "toy", None, {}, match="m1"), "exists")
        assert table.store.digest() == before

    run(scene())


def test_move_is_not_visible_before_its_commit() -> None:
    async def scene() -> None:
        table = await Table().seated()
        match = await table.state()
        table.store.held = True
        answer = asyncio.create_task(table.play("ann", "2"))
        await asyncio.sleep(0.01)
        assert len(table.store.waiting) == 1
        assert await table.state() is match
        assert (match.move, match.prompt("left") is not None, len(match.roots)) == (3, True, 3)
        assert not answer.done()
        table.store.release()
        assert (await answer).last == 4
        assert (match.move, match.prompt("left")) == (4, None)

    run(scene())


def test_next_command_waits_and_is_judged_on_the_committed_state() -> None:
    async def scene() -> None:
        table = await Table().seated()
        table.store.held = True
        first = asyncio.create_task(table.play("ann", "2"))
        second = asyncio.create_task(table.play("ann", "3"))
        await asyncio.sleep(0.01)
        assert len(table.store.waiting) == 1
        table.store.release()
        await first
        assert (await denied(second, "stale")).expect == 3
        assert (await table.state()).move == 4

    run(scene())


def test_two_seats_asked_at_once_do_not_make_each_other_stale() -> None:
    async def scene() -> None:
        table = await Table().seated()
        await table.gate.play("m1", [("2",)], player="ann", expect=3)
        await table.gate.play("m1", [("1",)], player="ben", expect=3)
        assert (await table.state()).move == 5

    run(scene())


def test_full_disk_changes_nothing_and_the_same_move_is_accepted_afterwards() -> None:
    async def scene() -> None:
        table = await Table().seated()
        before = table.store.digest()
        table.store.failing = Unavailable("the disk is full")
        await denied(table.play("ann", "2"), "unavailable")
        assert (table.store.digest(), (await table.state()).move) == (before, 3)
        table.store.failing = None
        assert (await table.play("ann", "2")).last == 4

    run(scene())


def test_outdated_worker_reloads_and_judges_once_more() -> None:
    async def scene() -> None:
        table = await Table().seated()
        other = Table()
        other.store = table.store
        other.gate = type(table.gate)(table.store, Keys(), lambda: NOW, "test")
        await other.state()
        await table.play("ann", "2")
        await other.gate.play("m1", [("1",)], player="ben", expect=3)
        assert (await other.state()).move == 5
        await denied(table.gate.play("m1", [("1",)], player="ben", expect=3), "stale")
        assert (await table.state()).move == 5

    run(scene())


def test_command_is_carried_out_though_its_caller_is_cancelled() -> None:
    async def scene() -> None:
        table = await Table().seated()
        table.store.held = True
        answer = asyncio.create_task(table.play("ann", "2"))
        await asyncio.sleep(0.01)
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)
        table.store.held = False
        table.store.release()
        await table.gate.close()
        assert (await table.state()).move == 4
        assert table.gate.counts.commands["play"] == 1

    run(scene())


def test_refusal_for_a_cancelled_caller_is_recorded_and_raises_nothing() -> None:
    async def scene() -> None:
        troubles: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, told: troubles.append(told))
        table = await Table().seated()
        table.store.held, table.store.failing = True, Unavailable("away")
        answer = asyncio.create_task(table.play("ann", "2"))
        await asyncio.sleep(0.01)
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)
        table.store.held = False
        table.store.release()
        await table.gate.close()
        gc.collect()
        assert troubles == []
        assert [refusal.kind for refusal in table.gate.refusals.latest(1)] == ["unavailable"]

    run(scene())


@pytest.mark.parametrize("how", ["command", "look"])
def test_store_failure_for_a_cancelled_caller_raises_nothing(how: str) -> None:
    async def scene() -> None:
        troubles, away = list[object](), Event()
        asyncio.get_running_loop().set_exception_handler(lambda loop, told: troubles.append(told))
        table = await Table(cached_matches=1).seated()
        await Table.seated(_another(table))  # the first match is not at hand any more

        def match(name: str) -> None:
            away.wait(60)
            raise Unavailable("away")

        vars(table.store)["match"] = match
        asking = asyncio.create_task(
            table.gate.play("m1", [("2",)], player="ann") if how == "command" else table.gate.cached("m1")
        )
        await asyncio.sleep(0.01)
        loading = list(table.gate._cache._loading.values())
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        away.set()
        await table.gate.close()
        await asyncio.wait(loading)
        del loading, asking  # asyncio reports an unretrieved error of a task that is no longer referenced
        gc.collect()
        assert troubles == []

    run(scene())


def _another(table: Table) -> Table:
    other = Table()
    other.store, other.gate, other.match = table.store, table.gate, "m2"
    return other


# ── keys ──


def test_repeated_key_gets_the_same_answer_after_later_moves() -> None:
    async def scene() -> None:
        table = await Table().seated()
        key = Key("ann m1", "k", b"hash", "ru")
        first = await table.play("ann", "2", key=key)
        await table.play("ben", "1")
        again = await table.play("ann", "3", key=key)
        assert (again.seat, again.first, again.last, again.settled, again.form) == ("left", 4, 4, 4, "ru")
        assert (first.seat, first.first, first.last, first.settled, first.form) == ("left", 4, 4, 4, "ru")
        assert (await table.state()).move == 5

    run(scene())


def test_a_key_with_another_body_is_refused() -> None:
    async def scene() -> None:
        table = await Table().seated()
        await table.play("ann", "2", key=Key("ann m1", "k", b"hash"))
        await denied(table.play("ann", "2", key=Key("ann m1", "k", b"other")), "key-reused")
        await table.play("ben", "1", key=Key("ben m1", "k", b"another scope"))

    run(scene())


def test_refused_request_does_not_bind_its_key() -> None:
    async def scene() -> None:
        table = await Table().seated()
        await denied(table.play("ann", "7", key=Key("ann m1", "k", b"hash")), "illegal")
        await table.play("ann", "2", key=Key("ann m1", "k", b"other"))
        assert len(table.store.kept) == 1

    run(scene())


def test_concurrent_identical_requests_are_carried_out_once() -> None:
    async def scene() -> None:
        table = await Table().seated()
        key = Key("ann m1", "k", b"hash")
        answers = await asyncio.gather(*(table.play("ann", "2", key=key) for _ in range(20)))
        assert {answer.last for answer in answers} == {4}
        assert (await table.state()).move == 4

    run(scene())


# ── who may ──


def test_command_of_a_non_player_is_refused() -> None:
    async def scene() -> None:
        table = await Table().seated()
        gate, before = table.gate, table.store.digest()
        await denied(gate.play("m1", [("2",)], player="eve", expect=3), "foreign")
        await denied(gate.resign("m1", player="eve"), "foreign")
        await denied(gate.ask_takeback("m1", player="eve"), "foreign")
        await denied(gate.answer_takeback("m1", 3, True, player="eve"), "foreign")
        await denied(gate.play("m9", [("2",)], player="ann", expect=3), "unknown-match")
        await denied(gate.sit("m1", "left", "eve"), "seat-taken")
        await denied(gate.sit("m1", "middle", "eve"), "unknown-seat")
        assert table.store.digest() == before

    run(scene())


def test_only_the_opener_or_a_player_invites_a_bot() -> None:
    async def scene() -> None:
        table = Table()
        await table.gate.open("ann", "toy", None, {}, match="m1")
        await denied(table.gate.sit("m1", "left", "eve", bot="random"), "foreign")
        await denied(table.gate.sit("m1", "left", "ann", bot="clever"), "unknown-bot")
        await table.gate.sit("m1", "left", "ann", bot="random")
        seated = (await table.state()).seats["left"]
        assert seated is not None
        assert (seated.player, seated.bot) == ("bot:random", "random")

    run(scene())


def test_player_of_the_match_cannot_rule_and_a_score_names_seats() -> None:
    async def scene() -> None:
        table = await Table().seated()
        await denied(table.gate.rule("m1", "ann", "because", void=True), "foreign")
        score = Result("left", "ruling", {"middle": 3})
        await denied(table.gate.rule("m1", "olga", "because", result=score), "ruling")
        await table.gate.rule("m1", "olga", "because", void=True)
        assert (await table.state()).status == "over"

    run(scene())


def test_one_player_may_take_both_seats() -> None:
    async def scene() -> None:
        table = await Table().seated("ann", "ann")
        await table.gate.play("m1", [("2",)], player="ann", expect=3)
        await table.gate.play("m1", [("1",)], player="ann", expect=3)
        await table.gate.play("m1", [("wave",)], player="ann", expect=5)
        asked = await table.gate.ask_takeback("m1", player="ann")
        await table.gate.answer_takeback("m1", asked.last, True, player="ann")
        assert (await table.state()).move == 9

    run(scene())


# ── the end ──


def test_final_checkpoint_is_signed_and_stored_in_the_same_append() -> None:
    async def scene() -> None:
        table = await Table().seated()
        accepted = await table.gate.resign("m1", player="ann")
        match = await table.state()
        assert (accepted.first, accepted.last, accepted.settled, match.move) == (4, 4, 6, 6)
        assert isinstance(match.records[4].entry, SecretOpened)
        assert isinstance(match.records[5].entry, Closed)
        note = Note.parse(table.store.note("m1") or "")
        assert note.signed_by([Keys().present]) == Keys().present
        assert Checkpoint.parse(note.text) == Checkpoint("test.example/match/m1", 6, match.roots[-1])
        assert table.gate.checkpoint(match, 6) == table.store.note("m1")
        await denied(table.gate.resign("m1", player="ben"), "over")

    run(scene())


def test_the_time_of_a_match_never_runs_backwards() -> None:
    async def scene() -> None:
        table = await Table().seated()
        table.now = NOW - 5_000_000
        await table.play("ann", "2")
        assert (await table.state()).records[-1].entry.at == NOW

    run(scene())


# ── the record of refusals, the matches at hand ──


def test_recent_refusals_are_bounded_and_hold_no_picks() -> None:
    async def scene() -> None:
        table = await Table(kept_refusals=3).seated()
        for number in range(5):
            await denied(table.play("ann", f"card-{number}"), "illegal")
        kept = table.gate.refusals.latest(10)
        assert len(kept) == 3
        assert table.gate.refusals.counts["illegal"] == 5
        assert "card" not in repr(kept)
        assert (kept[0].command, kept[0].match, kept[0].player, kept[0].move) == ("play", "m1", "ann", 3)

    run(scene())


def test_match_cache_is_bounded_except_for_matches_in_use() -> None:
    async def scene() -> None:
        table = Table(cached_matches=3)
        for number in range(6):
            await table.gate.open("ann", "toy", None, {}, match=f"m{number}")
        assert table.gate.at_hand == 3
        desk, loads = await table.gate.cached("m5"), table.store.loads
        with desk.used():
            for number in range(5):
                await table.gate.match(f"m{number}")
            assert await table.gate.cached("m5") is desk
        assert table.store.loads == loads + 5

    run(scene())


def test_concurrent_reads_of_one_match_read_the_store_once() -> None:
    async def scene() -> None:
        table = Table(cached_matches=1)
        await table.gate.open("ann", "toy", None, {}, match="m1")
        await table.gate.open("ann", "toy", None, {}, match="m2")
        found = await asyncio.gather(*(table.gate.match("m1") for _ in range(50)))
        assert len({id(match) for match in found}) == 1
        assert table.store.loads == 1

    run(scene())
