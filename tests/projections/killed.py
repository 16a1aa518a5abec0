"""A runner that kills itself: python -m tests.projections.killed LOG READ_MODELS [REBUILD COUNT DIE_AT]...

The statements that SQLite is about to execute are counted: all of them, those that do not write rows
("borders": of transactions and savepoints, and the positions), or those that let readers see a new generation
("swap").  At number DIE_AT (0: never) the process is killed as by `kill -9`.  REBUILD names a projection to
build anew, or is empty.  Each three words are one process, a fork of this one; for each it prints its exit
code, and before it what the runner reports: nothing, if all is well.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from projections.file import FileTables
from projections.runner import Runner
from tests.projections.support import WITH_CHAIN, FakeSource, read_log

ROWS = ("SELECT", "INSERT OR REPLACE", "DELETE FROM")
SWAP = ("DROP", "CREATE VIEW", "UPDATE generations SET served")
COUNTED: dict[str, Callable[[str], bool]] = {
    "all": lambda statement: True,
    "borders": lambda statement: not statement.startswith(ROWS),
    "swap": lambda statement: statement.startswith(SWAP),
}


def main(log: str, read_models: str, rebuild: str, which: str, die_at: str) -> None:
    """Catch up, unless killed before."""
    left = int(die_at)

    def count(statement: str) -> None:
        nonlocal left
        left -= COUNTED[which](statement)
        if left == 0 and COUNTED[which](statement):
            os.kill(os.getpid(), signal.SIGKILL)

    source = FakeSource(read_log(Path(log)), again=3)
    runner = Runner(source, Path(read_models), projections=WITH_CHAIN, batch=20, report=print)
    assert isinstance(runner._tables, FileTables)
    runner._tables.connection.set_trace_callback(count)
    if rebuild:
        runner.rebuild(rebuild)
    runner.catch_up()
    runner.stop()


if __name__ == "__main__":
    kept, tables, *kills = sys.argv[1:]
    for kill in zip(kills[::3], kills[1::3], kills[2::3], strict=True):
        if (child := os.fork()) == 0:
            main(kept, tables, *kill)
            sys.exit()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
