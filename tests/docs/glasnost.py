"""`./ops/glasnost` for a document: has the fork server at $GLASNOST_FORKS run the command.

It passes on its arguments, variables, folder, streams and signals, and ends as the command ends.  It starts
in a few milliseconds, as it imports nothing of the project (`python -SEI`).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from types import FrameType

FORKS = "GLASNOST_FORKS"
_MODULE = "api.cli.main"


def main() -> int:
    """Run the command that the arguments are; its exit code, as a shell reports it."""
    environment = dict(os.environ)
    address = environment.pop(FORKS)
    request = {
        "folder": os.getcwd(),
        "environment": environment,
        "arguments": sys.argv[1:],
        "module": _MODULE,
        "attached": True,
    }
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(address)
        socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2])
        pid = int(connection.recv(16))

        def passed_on(number: int, frame: FrameType | None) -> None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, passed_on)
        ended = int(connection.recv(16))
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    sys.exit(main())
