"""`./ops/glasnost` for a document: has the fork server at $GLASNOST_FORKS run the command.

If its only argument is "-", it is `python -W error -` for a document: the code is read from standard input.

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
_STRICT = "import warnings; warnings.simplefilter('error')\n"


def main() -> int:
    """Run the command that the arguments are, or the code; its exit code, as a shell reports it."""
    environment = dict(os.environ)
    address = environment.pop(FORKS)
    request = {"folder": os.getcwd(), "environment": environment, "attached": True}
    if sys.argv[1:] == ["-"]:
        request |= {"arguments": [], "code": _STRICT + sys.stdin.read()}
    else:
        request |= {"arguments": sys.argv[1:], "module": _MODULE}
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
