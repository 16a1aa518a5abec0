"""The outcomes of an arena: kept in a file, so that it can be stopped and go on, and put into lines."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import msgspec

from api.bots.arena import Outcome, Pairing, Standing, agents_of, outcome_of
from domain.kernel import Refused


class BadResults(Exception):
    """A file that holds no outcomes; the text says why."""


class Results:
    """The outcomes that are known; those of other agents than today's, or of other budgets, do not count.

    Args:
        path: the file in which they are kept, one line each; None: only in memory.

    Raises:
        BadResults: the file holds something else.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        whole = path.read_bytes() if path is not None and path.exists() else b""
        kept = whole[: whole.rfind(b"\n") + 1]  # without the line at which the arena was stopped
        try:
            found = [msgspec.json.decode(line, type=Outcome) for line in kept.splitlines()]
        except msgspec.DecodeError as error:
            raise BadResults(f"{path} holds no outcomes of an arena: {error}") from error
        if path is not None and kept != whole:
            path.write_bytes(kept)
        current = [outcome for outcome in found if _is_current(outcome)]
        self.outcomes = {outcome.pairing: outcome for outcome in current}

    def add(self, outcome: Outcome) -> None:
        """Keep one more outcome."""
        self.outcomes[outcome.pairing] = outcome
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(outcome) + b"\n")


def _is_current(outcome: Outcome) -> bool:
    """Did the agents of today play, with today's budgets?"""
    try:
        return outcome.agents == agents_of(outcome.pairing)
    except Refused:
        return False  # there is no such level any more


def play_missing(wanted: Sequence[Pairing], results: Results, workers: int) -> Iterator[Outcome]:
    """Play the matches whose outcomes are not known, keep each outcome, and give it."""
    missing = [pairing for pairing in wanted if pairing not in results.outcomes]
    for outcome in _played(missing, workers):
        results.add(outcome)
        yield outcome


def _played(pairings: Sequence[Pairing], workers: int) -> Iterator[Outcome]:
    if workers == 1:
        yield from map(outcome_of, pairings)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        try:
            for done in as_completed([pool.submit(outcome_of, pairing) for pairing in pairings]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def line_of(row: Standing) -> str:
    """A standing as a line: wins, draws, losses, and the share of the points with its interval."""
    low, high = row.interval
    seat = f" as {row.seat}" if row.seat else ""
    score = f"{row.wins} won, {row.draws} drawn, {row.losses} lost of {row.matches}"
    share = f"{100 * row.points / row.matches:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{row.level} against {row.against}{seat}: {score}: {share}"


def milliseconds(outcomes: Sequence[Outcome], level: str) -> dict[str, float]:
    """Milliseconds of the decisions of a level, by the clock: their mean, the p99 and the most."""
    return _summary(one for outcome in outcomes for one in outcome.seconds.get(level, ()))


def processor_milliseconds(outcomes: Sequence[Outcome], level: str) -> dict[str, float]:
    """The processor's milliseconds of the actions of a level, all answers in a row: mean, p99 and most."""
    return _summary(one for outcome in outcomes for one in outcome.processor.get(level, ()))


def answers_a_second(outcomes: Sequence[Outcome]) -> float:
    """Answers of all levels for each second, by the clock, in which one of them searched for its answer."""
    seconds = sum(sum(found) for outcome in outcomes for found in outcome.seconds.values())
    return round(sum(outcome.answers for outcome in outcomes) / seconds, 1) if seconds else 0.0


def _summary(seconds: Iterable[float]) -> dict[str, float]:
    times = sorted(1000 * one for one in seconds)
    if not times:
        return {"mean": 0.0, "p99": 0.0, "most": 0.0}
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    return {"mean": round(sum(times) / len(times), 3), "p99": round(p99, 3), "most": round(times[-1], 3)}
