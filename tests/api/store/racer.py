"""One of several processes that play the same moves of the same match into one store.

python -m tests.api.store.racer LOCATION: begins when it reads a line; prints the moves whose append it won.
"""

from __future__ import annotations

import sys

from api.store.interface import Conflict, Exists
from api.store.open import located, open_store
from domain.games import GAMES
from tests.api.store.appends import appends
from tests.domain import toy
from tests.matches import finished


def main() -> None:
    """Race."""
    GAMES["toy"] = toy.GAME
    store = open_store(located(sys.argv[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    for append in appends(finished(toy.GAME)):
        refusal = store.submit(append).exception()
        if refusal is None:
            print(append.records[-1].move, flush=True)
        elif not isinstance(refusal, (Conflict, Exists)):
            raise refusal
    store.close()


if __name__ == "__main__":
    main()
