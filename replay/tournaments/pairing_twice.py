"""Pairs a round in two processes of their own, which must agree; neither can hold the caller up for long.

The processes differ in what must not matter: the seed of Python's hashes.  They limit their own memory, and
they are killed, with all that they have started, when their time is over.  They run one after the other,
niced, and where there are several cores not on the first: the moves of the server find one that is free.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from domain.kernel import Refused
from replay.affinity import leave_a_core
from replay.tournaments.pairing import PairingAnswer

SECONDS = 150.0  # for each pairing; ops/bench/tournaments.py prints what large ones take
NICENESS = 10  # more than the caller's: moves come first
COMMAND = (sys.executable, "-m", "replay.tournaments.pairing_process")
_ROOT = Path(__file__).parents[2]
_SEEDS = ("1", "2")


class _Refusal(msgspec.Struct):
    kind: str
    id: str
    values: dict[str, str | int] = {}


class _Said(msgspec.Struct):
    refused: _Refusal


def pair_twice(trf: str, seconds: float = SECONDS, command: tuple[str, ...] = COMMAND) -> PairingAnswer:
    """Pair the round that follows those in a TRF, in two processes, one after the other.

    Blocks until both have answered, for `seconds` each at most: a server calls it in a thread.

    Raises:
        Refused: as `pairing.pair`; `pairing` also if a process fails or is too slow, or if the answers
            differ.
    """
    first, second = (_answered(trf, seconds, command, seed) for seed in _SEEDS)
    if first != second:
        raise Refused("pairing", "pairing-differs")
    return _read(first)


def pair_once(trf: str, seconds: float = SECONDS, command: tuple[str, ...] = COMMAND) -> PairingAnswer:
    """Pair in one process of its own, as a verifier does: it compares the answer with a stored one.

    Raises:
        Refused: see `pair_twice`.
    """
    return _read(_answered(trf, seconds, command, _SEEDS[0]))


def _answered(trf: str, seconds: float, command: tuple[str, ...], seed: str) -> bytes:
    """What one process prints; afterwards nothing of it is left."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(_ROOT)},
        process_group=0,  # and no session of its own: between sessions niceness does not count, sched(7)
    )
    niceness = os.getpriority(os.PRIO_PROCESS, process.pid) + NICENESS
    os.setpriority(os.PRIO_PROCESS, process.pid, niceness)  # before its interpreter imports anything
    leave_a_core(process.pid)
    try:
        said, _ = process.communicate(trf.encode(), timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise Refused("pairing", "pairing-too-slow", {"seconds": str(seconds)}) from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if process.returncode != 0:
        raise Refused("pairing", "pairing-failed", {"code": process.returncode})
    return said


def _read(said: bytes) -> PairingAnswer:
    """The answer in what a process printed.

    Raises:
        Refused: the process refused, or printed something else.
    """
    with contextlib.suppress(msgspec.DecodeError):
        return msgspec.json.decode(said, type=PairingAnswer)
    try:
        refused = msgspec.json.decode(said, type=_Said).refused
    except msgspec.DecodeError as error:
        raise Refused("pairing", "pairing-failed", {"code": 0}) from error
    raise Refused(refused.kind, refused.id, refused.values)
