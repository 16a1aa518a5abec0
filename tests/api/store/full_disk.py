"""A process whose disk fills up: it may not write files beyond a size, until it may again.

python -m tests.api.store.full_disk FOLDER: prints one line, "<stored> <refused> <afterwards>": how many
appends were acknowledged, how many refused as unavailable, and how many of those were stored when there was
room again.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from api.store.interface import Append, Unavailable
from api.store.sqlite import SqliteStore
from api.store.sqlite_schema import FILE
from domain.games import GAMES
from tests.api.store.appends import store_all
from tests.domain import toy
from tests.matches import finished

ROOM = 60_000  # bytes that may still be written


def limit(size: int) -> None:
    """No file of this process may grow beyond `size` bytes: the system refuses the write."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))


def attempt(store: SqliteStore, given: list[Append]) -> list[Append]:
    """Submit all; the refused ones."""
    done = [(append, store.submit(append)) for append in given]
    return [append for append, future in done if isinstance(future.exception(), Unavailable)]


def main() -> None:
    """Fill up, be refused, get room, and go on."""
    GAMES["toy"] = toy.GAME
    store = SqliteStore.open(Path(sys.argv[1]))
    given = [
        Append(finished(toy.GAME, seed).match.records, secret=bytes(32), note=f"note {seed}")
        for seed in range(40)
    ]
    store_all(store, finished(toy.GAME, 99))
    limit((store.folder / f"{FILE}-wal").stat().st_size + ROOM)
    refused = attempt(store, given)
    limit(resource.RLIM_INFINITY)
    still = attempt(store, refused)
    store.close()
    print(len(given) - len(refused), len(refused), len(refused) - len(still))


if __name__ == "__main__":
    main()
