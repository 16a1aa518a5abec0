"""A server knows every struct before it has threads: two that meet one half-known would end it."""

from __future__ import annotations

import subprocess
import sys

from api.store.events import learn

_THREADS_MEET = """
import sys
from pathlib import Path
from threading import Thread
from typing import Literal

import msgspec

from api.http import server as serving

kinds = [
    msgspec.defstruct(f"Kind{number}", [("one", Literal["a", f"b{number}"]), ("two", int | None, None)])
    for number in range(3_000)
]


def make() -> None:
    for kind in kinds:
        msgspec.convert({"one": "a"}, kind)


def opened(location: Path) -> None:
    sys.setswitchinterval(1e-6)
    threads = [Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit("they met")


serving.open_store = opened
serving.serve(Path("nowhere"), port=0)
"""


def test_threads_of_a_server_may_make_the_same_struct_for_the_first_time() -> None:
    done = subprocess.run([sys.executable, "-c", _THREADS_MEET], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "they met\n")


def test_what_was_learnt_is_not_learnt_again() -> None:
    assert learn() == learn() > 0
