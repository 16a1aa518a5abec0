"""Records read by several threads at once, in a process that has just begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from domain.games import GAMES
from tests.api.store.locations import ROOT
from tests.matches import finished

_PROGRAM = """
import sys, threading
from pathlib import Path
import api.store.events
from domain.games import GAMES
from domain.log import Codec
sys.setswitchinterval(0.000_005)
records = Path(sys.argv[1]).read_bytes().split(b"\\n\\n")
together = threading.Barrier(3)
def read():
    together.wait()
    codec = Codec(GAMES[sys.argv[2]])
    for stored in records:
        codec.read("m", stored)
for thread in [threading.Thread(target=read) for _ in range(3)]:
    thread.start()
"""


def test_threads_that_begin_to_read_at_once_do_not_end_the_process(tmp_path: Path) -> None:
    game = GAMES["twilight_struggle"]
    records = [record.stored for record in finished(game).match.records[:50]]
    (tmp_path / "records").write_bytes(b"\n\n".join(records))
    command = [sys.executable, "-c", _PROGRAM, str(tmp_path / "records"), game.name]
    for _ in range(5):  # where they made them in their threads, most of such processes died
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
