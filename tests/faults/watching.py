"""Subscribers that go from worker to worker, and keep all that they were shown."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Sequence
from typing import Any

from tests.api.http.served import GONE
from tests.api.http.streaming import Listener
from tests.faults.workers import Door
from tests.waiting import PATIENCE

_PAUSE = 0.02  # seconds between two attempts


class Watcher:
    """A viewer who follows one match, and resumes at any worker when a stream ends.

    Args:
        doors: the workers.
        match: the match.
        seed: decides which worker is asked.
    """

    def __init__(self, doors: Sequence[Door], match: str, seed: int) -> None:
        self.match, self.shown = match, list[tuple[int, Any]]()  # the ids of events, and their data
        self.streams = 0
        self.failures: list[BaseException] = []
        self._doors, self._random = doors, random.Random(seed)
        self._stopping = threading.Event()
        self._stream: Listener | None = None
        self._thread = threading.Thread(target=self._work, name=f"watcher of {match}", daemon=True)
        self._thread.start()

    def stop(self, upto: int) -> None:
        """Wait until move `upto` was shown, then close the stream."""
        end = time.monotonic() + PATIENCE
        while len(self.shown) < upto and self._thread.is_alive():
            assert time.monotonic() < end, (self.match, upto, len(self.shown))
            time.sleep(_PAUSE)
        self._stopping.set()
        if self._stream is not None:
            self._stream.hang_up()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _work(self) -> None:
        try:
            while not self._stopping.is_set() and not self._is_over():
                self._listen()
        except BaseException as error:
            self.failures.append(error)

    def _is_over(self) -> bool:
        return bool(self.shown) and self.shown[-1][1]["kind"] == "closed"

    def _listen(self) -> None:
        host, port = self._random.choice(self._doors)
        resumed = {"last-event-id": str(self.shown[-1][0])} if self.shown else {}
        try:
            self._stream = stream = Listener(port, f"/v1/matches/{self.match}/moves", resumed, host=host)
        except GONE:
            time.sleep(_PAUSE)
            return
        try:
            self._read(stream)
        except GONE:
            pass
        finally:
            stream.close()

    def _read(self, stream: Listener) -> None:
        if stream.status == 503:  # the store is away
            time.sleep(_PAUSE)
            return
        assert stream.status == 200, stream.status
        self.streams += 1
        number = 0
        for line in stream.lines():
            if line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"data: "):
                self.shown.append((number, json.loads(line[6:])))
            if self._stopping.is_set():
                return
