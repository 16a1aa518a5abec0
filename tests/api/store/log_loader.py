"""A process that is meant to be killed: it stores matches and keeps the transparency log, without end.

python -m tests.api.store.log_loader LOCATION FIRST: the matches have the seeds from FIRST on; one line
"<leaves>" each time when the log was signed.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from threading import Thread

from api.store.log_writer import LogWriter
from api.store.open import located, open_store
from api.store.sql import SqlStore
from domain.games import GAMES
from tests.api.store.appends import appends
from tests.domain import toy
from tests.matches import Sitting

CLIENTS = 2


def load(store: SqlStore, first: int, client: int) -> None:
    """Store one short match after another, waiting for each append."""
    for number in itertools.count(client, CLIENTS):
        sitting = Sitting(toy.GAME, first + number)
        sitting.accept(sitting.match.rule(sitting.context, "p9", "nobody came", void=True))
        for append in appends(sitting):
            store.submit(append).result()


def main() -> None:
    """Store and sign until killed."""
    GAMES["toy"] = toy.GAME
    store, first = open_store(located(sys.argv[1])), int(sys.argv[2])
    for client in range(CLIENTS):
        Thread(target=load, args=(store, first, client), daemon=True).start()
    writer = LogWriter(store, store.keys, lambda: time.time_ns() // 1_000)
    while True:
        writer.step()
        if (signed := writer.publish()) is not None:
            os.write(1, f"{signed.size}\n".encode())


if __name__ == "__main__":
    main()
