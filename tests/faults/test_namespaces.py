"""Four workers on two machines, one database with a replica, and machines that are cut off in turn.

The sample has two addresses of one machine, and a line to the database for each; the full proof has networks
of their own, with lines between them that go dead without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.store.open import REPLICA
from tests.api.store.locations import Database
from tests.api.store.proxy import line_to
from tests.faults import lab
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working
from tests.services import own_postgres
from tests.services.leash import free_port

HOSTS = ("127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3")  # of the workers
SAMPLE, FULL = 1, 10  # partitions
DARK = 40.0  # seconds of the first one: longer than TCP waits here (30)
BETWEEN = 20  # moves between two faults, at least


def two_addresses(folder: Path) -> Proof:
    """Cut the first two workers off from the database for a while; the other two do not notice."""
    with own_postgres() as server, server.replica() as replica, ExitStack() as stack:
        url = server.url_of("postgres")
        lines = {host: stack.enter_context(line_to(url)) for host in set(HOSTS)}
        environment = {REPLICA: replica.url_of("postgres")}
        place = Database(url, folder / "keys")
        lab.make(place, replica)
        workers = Workers(place, len(HOSTS), environment=environment)
        workers.doors = [(host, free_port(host)) for host in HOSTS]
        workers.locations = [lines[host][1] for host in HOSTS]
        with working(workers):
            crowd, elsewhere = Crowd(workers.doors, 14, pairs=4), Crowd(workers.doors[2:], 15, pairs=2)
            crowd.play_on(BETWEEN)
            lines[HOSTS[0]][0].dark.set()
            elsewhere.play_on(BETWEEN)
            assert elsewhere.away == 0
            lines[HOSTS[0]][0].cut()
            crowd.play_on(BETWEEN)
            crowd.pairs += elsewhere.pairs
            return proved(workers, crowd, folder)


def test_workers_at_two_addresses_of_which_one_is_cut_off(tmp_path: Path) -> None:
    assert two_addresses(tmp_path).acknowledged > 3 * BETWEEN


@pytest.mark.long
def test_two_machines_that_are_cut_off_in_turn(often: Callable[[int, int], int]) -> None:
    partitions = often(SAMPLE, FULL)
    told = lab.start(partitions, DARK if partitions == FULL else lab.SHORT)
    print(f"two machines, {partitions} partitions: {told}")
