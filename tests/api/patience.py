"""Patience on a slow machine.

The product waits for a moment and then answers with what it has, or refuses.  Where the machine stood still
for that moment a test would see an answer that is right, and not the one it is about.
"""

from __future__ import annotations

from collections.abc import Callable

from api.http import health, read_models, server
from api.store import postgres
from tests.waiting import PATIENCE

# What a process carries out first that is to be as patient.
AT_FIRST = "from tests.api.patience import be_patient\nbe_patient(setattr)\n"


def be_patient(change: Callable[[object, str, object], None]) -> None:
    """Let the start wait for the first matches, readers for the read models, and the health check for the
    store, as long as tests do.

    Args:
        change: sets an attribute.
    """
    change(server, "FIRST_SECONDS", PATIENCE)
    change(read_models, "_PATIENCE", PATIENCE)
    change(health, "PATIENCE", PATIENCE)
    change(postgres, "PATIENCE", int(PATIENCE * 1_000))
