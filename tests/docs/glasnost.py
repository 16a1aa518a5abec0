"""`./ops/glasnost` for a document: has the fork server at $GLASNOST_FORKS run the command.

If its only argument is "-", it is `python -W error -` for a document: the code is read from standard input.

It passes on its arguments, variables, folder, streams and signals, and ends as the command ends.  It starts
in a few milliseconds: it imports nothing of the project (`python -SEI`), and only what imports little itself.
"""

from __future__ import annotations

import marshal
import os
import signal
import struct
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket
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
    connection = socket(AF_UNIX, SOCK_SEQPACKET)
    connection.connect(address)
    connection.sendmsg([marshal.dumps(request)], [(SOL_SOCKET, SCM_RIGHTS, struct.pack("3i", 0, 1, 2))])
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
