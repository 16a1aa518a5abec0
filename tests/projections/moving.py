"""A worker that moves read models until it is killed: python -m tests.projections.moving LOG URL."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from projections.runner import Runner
from tests.projections.support import LONG, FakeSource, database_of, read_log


def main(log: str, url: str) -> None:
    """Say so when everything is taken in."""
    source = FakeSource(read_log(Path(log)))
    runner = Runner(source, database_of(url))
    runner.start()
    assert runner.wait(source.last(), LONG)
    assert runner.moves
    print("moves them", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
