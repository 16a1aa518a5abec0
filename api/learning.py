"""Structs are learnt before there are threads.

msgspec learns the fields of a struct when it is first asked to make one of JSON or of a mapping, and lets
other threads see the struct before it knows them all (0.22).  Whoever makes one in that moment ends the
process: two matches that were loaded at once, right after a start, have done so.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct


def learn() -> int:
    """Let msgspec learn every struct that there is, the house's and others'; how many these are.

    A process calls this before it begins its threads, when all its modules are loaded.
    """
    learnt = 0
    waiting = Struct.__subclasses__()
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        learnt += _learn(kind)
    return learnt


def _learn(kind: type[Struct]) -> bool:
    """Learn one; False where nobody can make it of anything, as it holds what msgspec does not know."""
    try:
        msgspec.json.Decoder(kind)
    except (TypeError, NameError):
        return False
    return True
