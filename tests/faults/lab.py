"""Two machines with workers, one with the database, its replica and all who play, each in its own network.

python -m tests.faults.lab PARTITIONS SECONDS: carries out the proof of `test_namespaces` in the network
namespace in which it is started, and prints what was compared.  It must be allowed to make further ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from api.store.open import REPLICA
from tests.api.store.locations import ROOT, Database
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import LOCAL, Workers, working
from tests.services import OwnPostgres, own_postgres

HERE, THERE, NETWORK = "10.77.{}.1", "10.77.{}.2", "10.77.0.0/16"
MACHINES = (1, 2)
WORKERS = 2  # on each machine
BETWEEN = 20  # moves between two faults, at least
SHORT = 3.0  # seconds of every partition but the first
_PORT = 8_000
_WAYS = (  # how a program gets a network namespace: as root, or as any user if that is allowed
    ("unshare", "--net"),
    ("unshare", "--user", "--map-current-user", "--keep-caps", "--net"),
)
_NEEDED = (
    "network namespaces are needed, and this machine lets us have none: run the long tests as root, or where"
    " user namespaces are allowed to all, with util-linux (unshare, nsenter) and iproute2 (ip) installed"
)


def start(partitions: int, seconds: float) -> str:
    """Carry the proof out in a network namespace of its own; what it prints."""
    for way in _WAYS:
        probe = subprocess.run([*way, "ip", "link", "set", "lo", "up"], capture_output=True, check=False)
        if probe.returncode == 0:
            command = [*way, sys.executable, "-m", "tests.faults.lab", str(partitions), str(seconds)]
            ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            return ran.stdout
    raise AssertionError(_NEEDED)


def ip(*words: str, under: Sequence[str] = ()) -> None:
    """Set something up."""
    subprocess.run([*under, "ip", *words], check=True)


@contextmanager
def machine(number: int) -> Iterator[list[str]]:
    """A machine with one line to here; gives the words under which a program is started there."""
    with subprocess.Popen(["unshare", "--net", "sleep", "infinity"]) as holder:
        space = f"/proc/{holder.pid}/ns/net"
        while os.readlink(space) == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        under, line = ["nsenter", f"--net={space}"], f"line-{number}"
        ip("link", "add", line, "type", "veth", "peer", "name", "uplink", "netns", str(holder.pid))
        for at, name, where in ((HERE, line, ()), (THERE, "uplink", tuple(under))):
            ip("address", "add", f"{at.format(number)}/24", "dev", name, under=where)
            ip("link", "set", name, "up", under=where)
        ip("link", "set", "lo", "up", under=under)
        try:
            yield under
        finally:
            holder.kill()


@contextmanager
def partitioned(number: int, seconds: float) -> Iterator[None]:
    """For so long all packets to and from this machine are dropped, without an error."""
    ip("link", "set", f"line-{number}", "down")
    yield
    time.sleep(seconds)
    ip("link", "set", f"line-{number}", "up")


def let_in(server: OwnPostgres) -> None:
    """The database takes connections from the machines."""
    with (server.folder / "data" / "pg_hba.conf").open("a") as rules:
        rules.write(f"\nhost all all {NETWORK} scram-sha-256\n")
    with psycopg.connect(server.url) as connection:
        connection.execute("SELECT pg_reload_conf()")


def make(place: Database, replica: OwnPostgres) -> None:
    """An empty store that the replica holds, too: a worker does not start beside one that is not its own."""
    place.open().close()
    while True:
        try:
            with psycopg.connect(replica.url) as connection:
                connection.execute("SELECT 1 FROM glasnost.meta")
                return
        except psycopg.errors.UndefinedTable:
            time.sleep(0.02)


def spread(workers: Workers, number: int, under: Sequence[str], server: OwnPostgres, replica: str) -> None:
    """Put the workers of one machine where they belong."""
    here, there = HERE.format(number), THERE.format(number)
    first = (number - 1) * WORKERS
    for one in range(first, first + WORKERS):
        workers.doors[one] = (there, _PORT + one)
        workers.locations[one] = server.url_of("postgres").replace(LOCAL, here)
        workers.under[one] = [*under, "env", f"{REPLICA}={replica.replace(LOCAL, here)}"]


def proof(folder: Path, partitions: int, seconds: float) -> Proof:
    """Four workers on two machines, which are cut off in turn."""
    with own_postgres("listen_addresses=*") as server, ExitStack() as stack:
        let_in(server)
        replica = stack.enter_context(server.replica())
        place = Database(server.url_of("postgres"), folder / "keys")
        make(place, replica)
        workers = Workers(place, WORKERS * len(MACHINES))
        for number in MACHINES:
            under = stack.enter_context(machine(number))
            spread(workers, number, under, server, replica.url_of("postgres"))
        with working(workers):
            crowd = Crowd(workers.doors, seed=13, pairs=4)
            for number in range(partitions):
                cut = MACHINES[number % len(MACHINES)]
                others = [door for door in workers.doors if door[0] != THERE.format(cut)]
                crowd.play_on(BETWEEN)
                elsewhere = Crowd(others, seed=100 + number, pairs=2)
                with partitioned(cut, seconds if number == 0 else SHORT):
                    elsewhere.play_on(BETWEEN)
                elsewhere.stop()
                assert elsewhere.away == 0
                crowd.pairs += elsewhere.pairs
            crowd.play_on(BETWEEN)
            return proved(workers, crowd, folder)


def main() -> None:
    """Set up, prove, and say what was compared."""
    ip("link", "set", "lo", "up")
    with tempfile.TemporaryDirectory(prefix="glasnost-tests-") as name:
        print(proof(Path(name), int(sys.argv[1]), float(sys.argv[2])))


if __name__ == "__main__":
    main()
