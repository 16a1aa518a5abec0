"""Seconds to pair a Swiss round and to compute standings, for 128 players x 7 rounds and 500 x 9.

The aims: 128 players are paired in 10 s, 500 in 60 s, in processes of their own; the standings of 128 are
computed in 0.5 s, those of 500 in 2 s.

Then a tournament of 448 matches: all its match files, verified in one process for each core (the aim is 120 s
on two cores).  They are copies of one long match, so each costs what any such match costs.

Then a server with 500 players, 9 rounds and 2,250 matches: its pages (the aim is 200 ms), the report, and the
memory that it takes (200 MB); and moves of other matches while a round is paired, beside moves while none is
(the aim: within 20 % at p99).

The floor of a pairing is reading its input; that of standings is a sum of the points of all; that of
verifying is to read and fold the same matches; that of pages is the shortest answer of the server.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

from _bench import QUICK, long_match, say, seconds
from _desk import moves, pages

from api.seeded import SeededKeys, note_by
from domain.events import BoardOf
from domain.games import GAMES
from domain.tournaments.crosstable import Crosstable, score
from replay import matchfile
from replay.tournaments.matches import MatchWork, all_checked
from replay.tournaments.pairing import PairingAnswer, pair
from replay.tournaments.pairing_twice import pair_twice
from replay.tournaments.simulation import Plan, SimulatedRound, simulate
from replay.tournaments.standings import Settings, standings
from replay.tournaments.trf_reading import read

SIZES = ((12, 3),) if QUICK else ((128, 7), (500, 9))
AIMS = {128: (10.0, 0.5), 500: (60.0, 2.0)}  # seconds of a pairing, and of standings
NO_AIM = (1.0, 1.0)
MATCHES = 4 if QUICK else 448
GAME = "twilight_struggle"


def main() -> None:
    """Two lines for each size, one for verifying, two for pages and memory, one for moves of each size."""
    for players, rounds in SIZES:
        times: list[float] = []

        def timed(trf: str, times: list[float] = times) -> PairingAnswer:
            began = time.perf_counter()
            answer = pair(trf)
            times.append(time.perf_counter() - began)
            return answer

        plan = Plan(players, rounds, forfeits=0.05, byes=0.03, withdrawals=0.02, seed=7)
        *_, last = simulate(plan, timed)
        _pairing(f"{players} players, {rounds} rounds", times, last)
        _standings(f"{players} players, {rounds} rounds", last.after)
    _verifying(1 if QUICK else os.cpu_count() or 1)
    pages()
    moves()


def _pairing(size: str, times: list[float], last: SimulatedRound) -> None:
    aim, _ = AIMS.get(len(last.before.lines), NO_AIM)
    floor = seconds(lambda: read(last.trf.encode()))
    twice = seconds(lambda: pair_twice(last.trf))
    median, worst = sorted(times)[len(times) // 2], max(times)
    say(
        f"pairing, {size}",
        f"median {median:.2f} s, worst {worst:.2f} s, the last round in two processes {twice:.2f} s"
        f" (aim: {aim} s); floor: reading the TRF {floor:.3f} s; ratio {median / floor:.0f}",
    )


def _standings(size: str, table: Crosstable) -> None:
    _, aim = AIMS.get(len(table.lines), NO_AIM)
    floor = min(seconds(lambda: [score(table, line) for line in table.lines]) for _ in range(3))
    took = min(seconds(lambda: standings(table, Settings())) for _ in range(3))
    say(
        f"standings, {size}",
        f"{took:.3f} s with seven tie-breaks (aim: {aim} s); floor: points alone {floor:.5f} s;"
        f" ratio {took / floor:.0f}",
    )


def _verifying(processes: int) -> None:
    match, _ = long_match(GAMES[GAME])
    content = matchfile.write(match.records, note_by(SeededKeys().signing, match))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matches"
        path.write_bytes(content)
        place = BoardOf("t", 1, 1)
        one = MatchWork(str(path), "matches/one", 0, len(content), 0, match.id, place, (), ())
        before = _processor_time()
        took = seconds(lambda: list(all_checked([one] * MATCHES, processes)))
        used = _processor_time() - before
    floor = min(seconds(lambda: matchfile.read(content).match()) for _ in range(3)) * MATCHES / processes
    size = MATCHES * len(content) / 2**20
    say(
        f"verifying, {MATCHES} matches of {match.move} moves",
        f"{took:.1f} s in {processes} processes, {used:.1f} s of CPU, {size:.0f} MiB (aim: 120 s on 2 cores)"
        f"; floor: reading and folding {floor:.1f} s; ratio {took / floor:.1f}",
    )


def _processor_time() -> float:
    """Seconds of CPU that this process and those that it has ended have used."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


if __name__ == "__main__":
    main()
