"""The cost of a move at move 3,000 of a match compared with move 30, in CPU time: within 5 % is the aim.

The same questions are asked at both: late in the match an organizer's ruling has gone back to the table after
move 30, or to a later one.  So only the moves before differ.  The floor is the move at move 30.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from _bench import QUICK, START, accept, say
from _long import GAME, asked, back, context_of, long_match

from api.gate import Gate
from api.gate.command_handler import CommandResult
from api.settings import product
from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.drafts import Context
from domain.kernel import Picks, Seat
from domain.match import Match

EARLY, LATE = 30, 300 if QUICK else 3_000  # moves
MATCHES = 1 if QUICK else 24
QUESTIONS = 6  # in a row, in each match
ROUNDS = 3  # the shortest of so many times counts, where a move can be judged more than once

Times = tuple[float, float]  # seconds at the early move, and at the late one


def main() -> None:
    """Print two lines: the match alone, and the whole way through the gate into a store."""
    matches = {seed: long_match(seed, LATE) for seed in range(MATCHES)}
    gc.collect()
    gc.freeze()
    alone = [times for seed, match in matches.items() for times in _alone(seed, match)]
    _say("in the match alone", alone)
    with tempfile.TemporaryDirectory() as scratch:
        _say("through gate and store", asyncio.run(_stored(Path(scratch), matches)))


def _say(what: str, found: list[Times]) -> None:
    early, late = (sum(times) / len(found) * 1e6 for times in zip(*found, strict=True))
    say(
        f"a move at move {LATE}, {GAME.name}, {what}",
        f"{late:.0f} µs; floor: the same at move {EARLY} {early:.0f} µs; ratio {late / early:.3f}"
        f" (aim: 1.05), {len(found)} moves each",
    )


def _alone(seed: int, long: Match) -> Iterator[Times]:
    """Judged, put together and taken in, in memory."""
    contexts = context_of(seed), context_of(seed)  # each keeps the key that it derived last
    for move in range(EARLY, EARLY + QUESTIONS):
        if long.positions[move - 1].asked is None:  # the next turn has been drawn meanwhile
            continue
        short = Match.project(None, long.records[:move])
        assert short is not None
        back(long, contexts[1], move)
        seat, question = asked(short)
        assert asked(long) == (seat, question)
        picks = question.options[: max(question.least, 1)]
        yield _move(short, contexts[0], seat, picks), _move(long, contexts[1], seat, picks)


def _move(match: Match, context: Context, seat: Seat, picks: Picks) -> float:
    """Seconds until it is judged and put together, and then taken in."""
    judged = []
    for _ in range(ROUNDS):
        began = time.process_time()
        draft = match.play(context, seat, [picks])
        judged.append(time.process_time() - began)
    began = time.process_time()
    accept(match, draft)
    return min(judged) + time.process_time() - began


async def _stored(folder: Path, matches: dict[int, Match]) -> list[Times]:
    """The same from the gate until the move is durable: the early matches in a store of their own."""
    found: list[Times] = []
    with (
        closing(SqliteStore.open(folder / "early")) as early,
        closing(SqliteStore.open(folder / "late")) as late,
    ):
        gates = [Gate(store, store.keys, lambda: START, product()) for store in (early, late)]
        order = gates.copy()
        for seed, match in matches.items():
            context = context_of(seed)
            back(match, context, EARLY)
            for store, records in ((early, match.records[:EARLY]), (late, match.records)):
                store.submit(Append(records, context.secret.bytes)).result()
            found += [times async for times in _played(gates, order, match.id)]
        for gate in gates:
            await gate.close()
    return found


async def _played(gates: list[Gate], order: list[Gate], name: str) -> AsyncIterator[Times]:
    """The same answers to both, as long as the same is asked: what is drawn differs."""
    for gate in gates:  # the keys of a match's draws are derived once, whatever its length
        desk = await gate.cached(name)
        assert desk.secret is not None
        desk.secret.open_key(1)
    matches = [await gate.match(name) for gate in gates]
    for _ in range(QUESTIONS):
        (seat, question), other = map(asked, matches)
        if other != (seat, question):
            return
        picks = question.options[: max(question.least, 1)]
        times = {gate: await _command(gate.play(name, [picks], seat=seat)) for gate in order}
        yield times[gates[0]], times[gates[1]]
        order.reverse()  # what the first one warms up helps the second


async def _command(command: Coroutine[Any, Any, CommandResult]) -> float:
    """Seconds of the processor, the store's writer included."""
    began = time.process_time()
    await command
    return time.process_time() - began


if __name__ == "__main__":
    main()
