"""A witness that is killed at any moment never cosigns two histories.

Two histories of one log are submitted at the same time, over and over, while the process is killed and
started again.  Whatever was cosigned must be of one history.
"""

from __future__ import annotations

import http.client
import random
import subprocess
import threading
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from domain.signed_notes import Checkpoint, Note
from replay.transparency.submission import MOST_ANSWER, Submission
from replay.transparency.tree import consistency
from tests.cli.program import process
from tests.replay.transparency.liar import Liar, mth
from tests.waiting import PATIENCE

STEPS = 12  # leaves by which both histories grow while a process lives


class Histories:
    """Two histories of one log that differ from the third leaf on, and what was cosigned of them."""

    def __init__(self, kills: int) -> None:
        self.both = (Liar(), Liar())
        for number, liar in enumerate(self.both):
            liar.many(2)
            liar.opens("one" if number else "other")
            liar.many((kills + 1) * STEPS)
        self.cosigned = list[tuple[int, int]]()  # which history, and how many leaves
        self._one = threading.Lock()

    def submission(self, which: int, old: int, size: int) -> Submission:
        leaves = self.both[which].leaves[:size]

        def at(level: int, index: int) -> bytes:
            return mth(leaves[index << level : (index + 1) << level])

        point = Checkpoint(f"{self.both[which].key.verifying.name}/log", size, mth(leaves))
        note = self.both[which].key.sign(point.text)
        return Submission(old, tuple(consistency(old, size, at)), note)

    def submit(self, address: str, which: int) -> None:
        """Submit larger and larger trees, until the witness is gone."""
        url = urlsplit(address)
        old, size = 0, 3
        connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=PATIENCE)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            for _ in range(STEPS):
                connection.request("POST", "/add-checkpoint", self.submission(which, old, size).body)
                answer = connection.getresponse()
                body = answer.read(MOST_ANSWER).decode()
                if answer.status == 200:
                    with self._one:
                        self.cosigned.append((which, size))
                    old, size = size, size + 1
                elif answer.status == 409 and body.strip().isdecimal():
                    old = int(body)
                    size = max(old + 1, 3)


def started(folder: Path, liar: Liar) -> tuple[subprocess.Popen[str], str]:
    files = ("--state", folder / "state", "--key", folder / "key", "--name", "w1.example")
    witness = process("witness", "--log", liar.key.verifying.text, *files, "--listen", "127.0.0.1:0")
    assert witness.stdout is not None
    for line in witness.stdout:
        if line.startswith("listening on "):
            return witness, line.removeprefix("listening on ").strip()
    raise AssertionError(witness.communicate()[1])


def ask(address: str) -> tuple[int, str]:
    """The status and the text of the checkpoint that the witness shows."""
    url = urlsplit(address)
    with closing(http.client.HTTPConnection(url.hostname or "", url.port, timeout=PATIENCE)) as connection:
        connection.request("GET", "/checkpoint")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def killed(folder: Path, kills: int) -> list[tuple[int, int]]:
    """Kill a witness so many times under two histories; return what it cosigned, last what it remembers."""
    histories, luck = Histories(kills), random.Random(20)
    for _ in range(kills):
        witness, address = started(folder, histories.both[0])
        ask(address)  # the first request takes longest
        threads = [threading.Thread(target=histories.submit, args=(address, which)) for which in (0, 1)]
        for thread in threads:
            thread.start()
        with suppress(subprocess.TimeoutExpired):
            witness.wait(luck.uniform(0, 0.3))
        witness.kill()
        witness.communicate()
        for thread in threads:
            thread.join()
    witness, address = started(folder, histories.both[0])
    status, found = ask(address)
    witness.terminate()
    assert witness.wait(60) in (0, 1)
    witness.communicate()
    if status == 200:
        stated = Checkpoint.parse(Note.parse(found).text)
        which = next(n for n in (0, 1) if mth(histories.both[n].leaves[: stated.size]) == stated.root)
        histories.cosigned.append((which, stated.size))
    return histories.cosigned


def check(cosigned: list[tuple[int, int]], kills: int) -> None:
    assert cosigned, f"nothing was cosigned in {kills} lives: the test shows nothing"
    assert len({which for which, _ in cosigned}) == 1, cosigned
    remembered = cosigned[-1][1]
    assert max(size for _, size in cosigned) <= remembered


def test_a_killed_witness_has_one_history(tmp_path: Path) -> None:
    check(killed(tmp_path, 2), 2)


@pytest.mark.long
def test_a_witness_that_is_killed_a_hundred_times_has_one_history(tmp_path: Path) -> None:
    check(killed(tmp_path, 100), 100)
