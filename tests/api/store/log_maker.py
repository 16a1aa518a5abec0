"""A process that is meant to be killed: it makes the transparency log of a store record by record.

python -m tests.api.store.log_maker LOCATION: one line "<leaves>" after each record;
then it waits to be killed.
"""

from __future__ import annotations

import os
import signal
import sys

from api.store import log_writer
from api.store.log_writer import LogWriter
from api.store.open import located, open_store
from domain.games import GAMES
from tests.domain import toy


def main() -> None:
    """Take in one record at a time, until killed."""
    GAMES["toy"] = toy.GAME
    log_writer.BATCH = 1
    store = open_store(located(sys.argv[1]))
    writer = LogWriter(store, store.keys, lambda: 0)
    while writer.step():
        os.write(1, f"{store.transparency.size()}\n".encode())
    signal.pause()


if __name__ == "__main__":
    main()
