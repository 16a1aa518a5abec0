"""Scoreboards in Redis: the bytes of the read models, moved once, built anew where something is missing."""

from __future__ import annotations

import asyncio
import base64
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.bus.board_scripts import BESIDE, KEPT, MOVED
from api.bus.boards import Boards
from api.bus.link import Address, Health, Link
from domain.game import Game
from domain.log import Record
from projections import read
from projections.board_changes import Board
from projections.read import Asked
from projections.runner import Runner
from tests.api.http.served import served
from tests.projections.support import FakeSource
from tests.projections.test_boards import won_by
from tests.services import OwnRedis

BOARDS: tuple[Board, ...] = (("toy", "first", "live"), ("toy", "first", "seeded"), ("toy", "none", "live"))


class Worker:
    """One worker's read models, and its hand at the boards."""

    def __init__(self, url: str, log: FakeSource, path: Path) -> None:
        self.log = log
        self.runner = Runner({"": log}, path)
        address = Address(url)
        self.health = Health(address)
        self.link = Link(address, self.health)
        logs: Any = {"": log}
        self.boards = Boards(self.link, "test", path, logs, self.runner.lasts)
        self.models = read.connect(path)

    async def moved(self) -> int:
        """Take everything in and bring it to Redis."""
        self.runner.catch_up()
        return await self.boards.move()

    async def agrees(self, limits: tuple[int, ...] = (1, 3, 200)) -> bool:
        """Does Redis give every page of every board, and each as the read models do?"""
        for board in BOARDS:
            for limit in limits:
                after: str | None = None
                while True:
                    own = self.page(board, Asked(limit, after))
                    if await self.copied(board, Asked(limit, after)) != own:
                        return False
                    after = own[1]["next"]
                    if after is None:
                        break
        return True

    def page(self, board: Board, asked: Asked) -> Any:
        """A page from the read models."""
        game, edition, pool = board
        totals = read.totals(self.models, game, edition, pool)
        return plain((totals, read.standings(self.models, game, edition, asked, pool)))

    async def copied(self, board: Board, asked: Asked) -> Any:
        """A page from Redis."""
        answer = await self.boards.read(board, asked)
        return plain((answer.totals, answer.page)) if answer else None

    async def close(self) -> None:
        """Let go."""
        self.models.close()
        self.runner.stop()
        await self.link.close()


def plain(answer: Any) -> Any:
    """What a client would be told."""
    return msgspec.json.decode(msgspec.json.encode(answer))


def matches(game: Game, count: int, seed: int) -> Iterator[list[Record]]:
    """So many matches of twelve players, on a rated board and on one where many are equal."""
    luck = random.Random(seed)
    for number in range(count):
        left, right = luck.sample([f"p{n}" for n in range(12)], 2)
        winner = luck.choice(("left", "right", None))
        origin = luck.choice(("live", "seeded"))
        yield won_by(game, seed * 1_000 + number, left, right, winner, origin).match.records


@pytest.fixture
def scene(redis: OwnRedis, toy_game: Game, tmp_path: Path) -> Callable[..., None]:
    """Runs a scene with two workers over one log of twenty matches."""

    def run(play: Callable[[FakeSource, Worker, Worker], Awaitable[None]]) -> None:
        async def work() -> None:
            log = FakeSource()
            for records in matches(toy_game, 20, 1):
                log.add(records)
            workers = [Worker(redis.url, log, tmp_path / name) for name in ("one.db", "other.db")]
            try:
                await play(log, *workers)
            finally:
                for worker in workers:
                    await worker.close()

        asyncio.run(work())

    return run


def kept(redis: OwnRedis) -> dict[str, Any]:
    """Everything that Redis holds, whatever the generation is called."""
    with redis.client() as client:
        found: dict[str, Any] = {}
        generation = b""
        for name in client.scan_iter():
            kind = client.type(name)
            if kind == b"zset":
                found[name.decode()] = client.zrange(name, 0, -1, withscores=True)
            else:
                found[name.decode()] = client.hgetall(name)
                generation = found[name.decode()].pop(b"generation", generation)
            assert client.ttl(name) == -1
        assert generation
        return {name.replace(generation.decode(), "G"): value for name, value in found.items()}


def test_every_page_is_that_of_the_read_models_ties_and_all(scene: Callable[..., None]) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        assert await one.boards.read(BOARDS[0], Asked()) is None  # nothing was brought there yet
        assert await one.moved() == MOVED
        assert await one.agrees()
        rows = one.page(BOARDS[1], Asked(200))[1]["rows"]
        assert len({row["won"] for row in rows}) < len(rows)  # some are equal but for their ids

    scene(play)


def test_a_cursor_is_good_whose_row_has_moved_on(scene: Callable[..., None], toy_game: Game) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        cursors = [one.page(board, Asked(3))[1]["next"] for board in BOARDS[:2]]
        for records in matches(toy_game, 20, 2):
            log.add(records)
        assert await one.moved() == MOVED
        for board, cursor in zip(BOARDS, cursors, strict=False):
            assert await one.copied(board, Asked(5, cursor)) == one.page(board, Asked(5, cursor))

    scene(play)


def test_a_cursor_that_is_none_is_left_to_the_read_models(scene: Callable[..., None]) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        far = base64.urlsafe_b64encode(b'[99999999999999999999,1,"p"]').decode()
        for cursor in ("nonsense", far):
            assert await one.boards.read(BOARDS[0], Asked(5, cursor)) is None

    scene(play)


def test_the_boards_are_moved_along_match_by_match(scene: Callable[..., None], toy_game: Game) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        for records in matches(toy_game, 6, 3):
            log.add(records[:1])  # a move that changes no board
            assert await one.boards.read(BOARDS[0], Asked()) is None  # behind
            assert await one.moved() == MOVED
            log.add(records[1:])
            assert await one.moved() == MOVED
            assert await one.agrees((200,))

    scene(play)


def test_what_another_worker_has_brought_is_refused_and_nothing_changes(
    scene: Callable[..., None], redis: OwnRedis, toy_game: Game
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        assert await one.moved() == MOVED
        before = kept(redis)
        assert await one.moved() == KEPT
        assert await other.moved() == KEPT
        assert kept(redis) == before
        turns = (one, other, other, one, one, other)
        for worker, records in zip(turns, matches(toy_game, 6, 4), strict=True):
            log.add(records)
            assert await worker.moved() == MOVED
            assert await worker.agrees((200,))
        assert await one.moved() == KEPT
        assert await one.agrees()

    scene(play)


def test_a_worker_that_is_behind_moves_nothing_back(
    scene: Callable[..., None], redis: OwnRedis, toy_game: Game
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        assert await other.moved() == MOVED
        for records in matches(toy_game, 5, 5):
            log.add(records)
        assert await one.moved() == MOVED
        before = kept(redis)
        assert await other.boards.move() == KEPT  # its read models have not followed
        assert kept(redis) == before
        answer = await other.copied(BOARDS[0], Asked())  # and yet it tells what is committed
        assert answer == one.page(BOARDS[0], Asked())

    scene(play)


def test_after_flushall_the_same_is_built_again(
    scene: Callable[..., None], redis: OwnRedis, toy_game: Game
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        assert await one.moved() == MOVED
        for records in matches(toy_game, 10, 6):
            log.add(records)
            assert await one.moved() == MOVED
        before = kept(redis)
        redis.empty()
        assert await one.boards.read(BOARDS[0], Asked()) is None
        assert await other.moved() == MOVED
        assert kept(redis) == before
        assert await one.moved() == KEPT
        assert await one.agrees()

    scene(play)


def test_a_worker_that_missed_what_is_in_redis_fills_the_gap(
    scene: Callable[..., None], redis: OwnRedis, toy_game: Game
) -> None:
    """After FLUSHALL a slower worker is first to build; one that knows more does not move its boards but
    builds them anew, for what lies between was brought by nobody."""

    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        other.runner.catch_up()
        for records in matches(toy_game, 5, 7):
            log.add(records)
        assert await one.moved() == MOVED
        redis.empty()
        assert await other.boards.move() == MOVED
        for records in matches(toy_game, 1, 8):
            log.add(records)
        assert await one.moved() == MOVED
        assert await one.agrees()
        assert len(kept(redis)) == 1 + 2 * 2  # nothing is left of what was replaced

    scene(play)


def test_workers_that_share_their_read_models_move_the_boards_as_one(
    redis: OwnRedis, toy_game: Game, tmp_path: Path
) -> None:
    """One takes the log in; whoever looks first brings the change to Redis, the other one finds it there."""

    async def play() -> None:
        log = FakeSource()
        leader, follower = (Worker(redis.url, log, tmp_path / "shared.db") for _ in range(2))
        for number, looking in enumerate(([leader, follower], [follower, leader], [leader, follower])):
            for records in matches(toy_game, 5, number + 11):
                log.add(records)
            leader.runner.catch_up()
            assert [await worker.boards.move() for worker in looking] == [MOVED, KEPT]
            assert await follower.agrees()
            assert await leader.agrees()
        await follower.close()
        await leader.close()

    asyncio.run(play())


@pytest.mark.parametrize("part", ["order", "rows", "now"])
def test_a_board_of_which_redis_has_lost_a_part_is_not_shown(
    scene: Callable[..., None], redis: OwnRedis, part: str
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        with redis.client() as client:
            lost = [name for name in client.scan_iter() if name.decode().endswith(f":{part}")]
            client.delete(*lost)
        assert await one.boards.read(BOARDS[0], Asked()) is None

    scene(play)


@pytest.mark.parametrize("nonsense", [b"{", b"{}", b'"\xff"'])
def test_a_board_that_cannot_be_read_is_not_shown(
    scene: Callable[..., None], redis: OwnRedis, nonsense: bytes
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        with redis.client() as client:
            (now,) = [name for name in client.scan_iter() if name.endswith(b":now")]
            totals = [field for field in client.hkeys(now) if field.startswith(b"totals:")]
            client.hset(now, mapping=dict.fromkeys(totals, nonsense))
        assert await one.boards.read(BOARDS[0], Asked()) is None

    scene(play)


def test_boards_of_a_store_that_was_restored_to_an_earlier_time_are_thrown_away(
    scene: Callable[..., None], redis: OwnRedis, toy_game: Game, tmp_path: Path
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        del log.items[-20:]
        for records in matches(toy_game, 30, 9):
            log.add(records)
        again = Worker(redis.url, log, tmp_path / "again.db")
        assert await again.boards.read(BOARDS[0], Asked()) is None
        assert await again.moved() == MOVED
        assert await again.agrees()
        await again.close()

    scene(play)


@pytest.mark.hurried
@pytest.mark.parametrize("how", ["killed", "stalled"])
def test_without_redis_nobody_waits_and_the_read_models_answer(
    scene: Callable[..., None], redis: OwnRedis, how: str
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        if how == "killed":
            redis.kill()
        with redis.stalled() if how == "stalled" else nullcontext():
            assert await one.boards.read(BOARDS[0], Asked()) is None

    scene(play)


def test_over_http_the_answer_has_the_same_bytes_with_and_without_redis(
    toy_in_words: Game, redis: OwnRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, redis=redis.url) as server:
        for name in ("Ann", "Ben", "Cid"):
            first, second = server.player(name), server.player("Dan")
            match = first.post("/v1/matches", {"game": "toy"}).json["match"]
            for seat, player in (("left", first), ("right", second)):
                assert player.post(f"/v1/matches/{match}/seats/{seat}").status == 201
            assert first.post(f"/v1/matches/{match}/resignation").status == 201
        paths = [
            f"/v1/scoreboards/toy?limit={limit}{more}" for limit in (1, 50) for more in ("", "&pool=bots")
        ]
        services = server.services
        assert services is not None
        boards = services.boards
        assert boards is not None
        own = [server.client().get(path).body for path in paths]
        answered = 0

        async def counted(board: Board, page: Asked) -> Any:
            nonlocal answered
            while (answer := await boards.read(board, page)) is None:
                await asyncio.sleep(0.01)
            answered += 1
            return answer

        class Counting:
            read = staticmethod(counted)

        monkeypatch.setattr(services, "boards", Counting())
        assert [server.client().get(path).body for path in paths] == own
        assert answered == len(paths)
        monkeypatch.setattr(services, "boards", boards)
        redis.kill()
        assert [server.client().get(path).body for path in paths] == own
        assert len(server.client().get(paths[2]).json["standings"]) == 6


def test_of_a_divided_store_each_log_counts(redis: OwnRedis, toy_game: Game, tmp_path: Path) -> None:
    """Of two workers that each know more of one log neither may move the other's boards back."""

    async def work() -> None:
        home, east = FakeSource(), FakeSource()
        workers = []
        for name in ("one", "other"):
            worker = Worker(redis.url, home, tmp_path / f"{name}.db")
            worker.runner.stop()
            logs: Any = {"home": home, "east": east}
            worker.runner = Runner(logs, tmp_path / f"{name}.db")
            worker.boards = Boards(worker.link, "test", tmp_path / f"{name}.db", logs, worker.runner.lasts)
            workers.append(worker)
        one, other = workers
        source = matches(toy_game, 9, 10)
        home.add(next(source))
        east.add(next(source))
        assert [await one.moved(), await other.moved()] == [MOVED, KEPT]
        home.add(next(source))
        one.runner.catch_up()
        east.add(next(source))
        hidden = home.items[-1:]
        del home.items[-1:]
        other.runner.catch_up()
        home.items += hidden
        assert await one.boards.move() == MOVED
        assert await other.boards.move() == BESIDE
        assert await one.boards.read(BOARDS[0], Asked()) is None  # of neither all is there
        assert await other.moved() == MOVED
        assert await other.agrees((200,))
        for worker in workers:
            await worker.close()

    asyncio.run(work())
