"""A process that is meant to be killed: it stores matches without end and says what was acknowledged.

python -m tests.api.store.loader LOCATION: one line "<match> <move>" for each append, once it is durable.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from threading import Thread

from api.store.open import located, open_store
from api.store.sql import SqlStore
from domain.games import GAMES
from tests.api.store.appends import appends
from tests.domain import toy
from tests.matches import finished

CLIENTS = 8


def load(store: SqlStore, seeds: Iterator[int]) -> None:
    """Store one match after another, waiting for each append."""
    for seed in seeds:
        for append in appends(finished(toy.GAME, seed)):
            store.submit(append).result()
            os.write(1, f"m{seed} {append.records[-1].move}\n".encode())


def main() -> None:
    """Serve until killed."""
    GAMES["toy"] = toy.GAME
    store = open_store(located(sys.argv[1]))
    seeds = [itertools.count(client, CLIENTS) for client in range(CLIENTS)]
    clients = [Thread(target=load, args=(store, own)) for own in seeds]
    for client in clients:
        client.start()
    for client in clients:
        client.join()


if __name__ == "__main__":
    main()
