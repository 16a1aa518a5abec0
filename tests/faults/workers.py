"""Real worker processes over one store, which are killed, stopped and started again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from api.http.read_models import FILE
from tests.api.http.processes import Process
from tests.api.store.locations import Folder, Place
from tests.services.leash import free_port

Door = tuple[str, int]  # the host and the port where a worker is reached
LOCAL = "127.0.0.1"
_UNLIMITED = {
    "GLASNOST_REQUESTS_PER_SECOND": "1000000000",
    "GLASNOST_STREAMS_PER_VIEWER": "1000000",
    "GLASNOST_CONNECTIONS_PER_ADDRESS": "1000000",
}


class Workers:
    """Workers over one store; each keeps its port over its lives.

    Args:
        place: where the store is; the workers of one embedded store are one.
        count: how many.
        environment: variables for all of them.

    What differs from one to another (`doors`, `locations`, `under`, `first`) can be set before it
    starts.
    """

    def __init__(
        self,
        place: Place,
        count: int = 1,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        assert count == 1 or not isinstance(place, Folder)
        self.place, self._environment = place, environment or {}
        self.doors: list[Door] = [(LOCAL, free_port()) for _ in range(count)]
        self.locations = [str(place.location)] * count
        self.under: list[Sequence[str]] = [()] * count  # see `Process`
        self.first = [""] * count  # see `Process`
        self.running: list[Process | None] = [None] * count
        self.errors: list[str] = []  # what workers printed besides their address: nothing is expected

    def start(self, number: int) -> Process:
        """Start one that does not run."""
        host, port = self.doors[number]
        self.running[number] = process = Process(
            self.locations[number],
            port,
            host=host,
            keys=self.place.keys,
            under=self.under[number],
            first=self.first[number],
            environment={**_UNLIMITED, **self._environment},
        )
        return process

    @property
    def models(self) -> Path | str:
        """Where the read models are: a file, or the URL of a database."""
        return self.place.folder / FILE if isinstance(self.place, Folder) else str(self.place.location)

    def process(self, number: int) -> Process:
        """One that runs."""
        found = self.running[number]
        assert found is not None
        return found

    def kill(self, number: int) -> None:
        """kill -9."""
        self._note(self.process(number).kill())
        self.running[number] = None

    def stop(self) -> None:
        """Ask all to stop, and see that they end as they should."""
        for found in self.running:
            if found is not None:
                found.ask_to_stop()
        for number, found in enumerate(self.running):
            if found is not None:
                code, printed = found.ended()
                self.running[number] = None
                assert code == 0, printed
                self._note(printed)
        assert not self.errors, self.errors[0][:2_000]

    def close(self) -> None:
        """See that they are gone."""
        for found in self.running:
            if found is not None:
                found.close()

    def _note(self, told: str) -> None:
        if told:
            self.errors.append(told)


@contextmanager
def working(workers: Workers) -> Iterator[Workers]:
    """All of them run."""
    try:
        with ThreadPoolExecutor(len(workers.doors)) as threads:
            list(threads.map(workers.start, range(len(workers.doors))))
        yield workers
    finally:
        workers.close()
