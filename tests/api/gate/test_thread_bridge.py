"""The thread bridge: results of another thread reach the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import Any

import pytest

from api.gate.commit import ThreadBridge


def elsewhere(work: Callable[[], object]) -> None:
    """Do something in another thread; the loop stands still meanwhile."""
    thread = Thread(target=work)
    thread.start()
    thread.join()


def _itself(future: Future[int]) -> Future[int]:
    return future


async def waiting(bridge: ThreadBridge, futures: list[Future[int]]) -> list[asyncio.Task[int]]:
    """A task for each future, all of them waiting, and all work handed over."""
    tasks = [asyncio.create_task(bridge.result(partial(_itself, future))) for future in futures]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


def test_each_caller_gets_its_own_result_or_error() -> None:
    async def run() -> None:
        futures: list[Future[int]] = [Future() for _ in range(3)]
        tasks = await waiting(ThreadBridge(), futures)
        elsewhere(lambda: futures[2].set_result(2))
        elsewhere(lambda: futures[1].set_exception(LookupError("no such thing")))
        futures[0].set_result(0)
        assert (await tasks[0], await tasks[2]) == (0, 2)
        with pytest.raises(LookupError, match="no such thing"):
            await tasks[1]

    asyncio.run(run())


def test_results_that_arrive_together_wake_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        futures: list[Future[int]] = [Future() for _ in range(100)]
        tasks = await waiting(ThreadBridge(), futures)
        loop, calls = asyncio.get_running_loop(), list[Any]()
        call = loop.call_soon_threadsafe

        def noted(work: Callable[[], object]) -> asyncio.Handle:
            calls.append(work)
            return call(work)

        def settle() -> None:
            for number, future in enumerate(futures):
                future.set_result(number)

        monkeypatch.setattr(loop, "call_soon_threadsafe", noted)
        elsewhere(settle)
        assert await asyncio.gather(*tasks) == list(range(100))
        assert len(calls) == 1

    asyncio.run(run())


def test_result_that_is_ready_before_waiting_is_returned() -> None:
    async def run() -> None:
        done: Future[int] = Future()
        done.set_result(7)
        assert await ThreadBridge().result(lambda: done) == 7

    asyncio.run(run())


def test_cancelled_caller_cancels_work_that_has_not_begun() -> None:
    async def run() -> None:
        bridge, futures = ThreadBridge(), [Future[int](), Future[int]()]
        given_up, other = await waiting(bridge, futures)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert futures[0].cancelled()
        futures[1].set_result(1)
        assert await other == 1

    asyncio.run(run())


def test_work_of_one_loop_turn_is_submitted_when_the_turn_ends() -> None:
    async def run() -> None:
        bridge, begun = ThreadBridge(), list[int]()

        def begin(number: int) -> Future[int]:
            begun.append(number)
            done: Future[int] = Future()
            done.set_result(number)
            return done

        tasks = [asyncio.create_task(bridge.result(partial(begin, number))) for number in range(3)]
        await asyncio.sleep(0)
        assert begun == []
        tasks[1].cancel()
        assert [await tasks[0], await tasks[2]] == [0, 2]
        assert begun == [0, 2]

    asyncio.run(run())


def test_what_cannot_be_handed_over_fails_at_its_own_caller() -> None:
    async def run() -> None:
        bridge, done = ThreadBridge(), Future[int]()
        done.set_result(1)

        def refuses() -> Future[int]:
            raise LookupError("no such thing")

        failing, other = (asyncio.create_task(bridge.result(begin)) for begin in (refuses, lambda: done))
        with pytest.raises(LookupError, match="no such thing"):
            await failing
        assert await other == 1

    asyncio.run(run())


def test_result_after_the_loop_closed_is_dropped() -> None:
    begun: Future[int] = Future()

    async def run() -> None:
        (task,) = await waiting(ThreadBridge(), [begun])
        begun.set_running_or_notify_cancel()
        task.cancel()

    asyncio.run(run())
    elsewhere(lambda: begun.set_result(1))
    assert begun.result() == 1
