"""A process that pairs one round: a TRF on standard input, the answer or the refusal on standard output.

python -m replay.tournaments.pairing_process < round.trf
"""

from __future__ import annotations

import contextlib
import resource
import sys
from typing import Any

import msgspec

from domain.kernel import Refused
from replay.tournaments.pairing import PairingAnswer, pair

MEMORY = 4 * 1024**3  # bytes of address space


def main() -> None:
    """Read a TRF from standard input; print the answer, or the refusal, as JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with contextlib.redirect_stdout(sys.stderr):  # whatever the engine might print is no answer
            said: PairingAnswer | dict[str, Any] = pair(sys.stdin.buffer.read().decode())
    except Refused as error:
        said = {"refused": {"kind": error.kind, "id": error.id, "values": error.values}}
    sys.stdout.buffer.write(msgspec.json.encode(said))


if __name__ == "__main__":
    main()
