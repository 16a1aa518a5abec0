"""`glasnost serve`: it says where it listens, and ends cleanly."""

from __future__ import annotations

import signal
import socket
import urllib.request
from pathlib import Path

from tests.cli.program import MAIN, Program, process, run_code, started
from tests.waiting import PATIENCE


def test_it_serves_until_ctrl_c(glasnost: Program) -> None:
    with process("serve", "--store", Path("s").absolute(), "--port", "0", "--empty") as served:
        assert served.stdout is not None
        line = served.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:")
        with urllib.request.urlopen(f"{line.split()[-1]}/healthz") as answer:
            assert answer.status == 200
        glasnost("play", "cia_vs_kgb", "--store", "s").refused(2, line.split()[-1])
        served.send_signal(signal.SIGINT)
        out, _ = served.communicate(timeout=PATIENCE)
    assert (served.returncode, out) == (0, "")


def refused(*arguments: str, **environment: str) -> str:
    """What a server says that does not start: one line, exit code 2."""
    ended = run_code(MAIN, "serve", "--store", Path("s").absolute(), *arguments, **environment)
    ended.refused(2)
    assert ended.out == ""
    return ended.err


def test_a_taken_port_is_refused(glasnost: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port}" in refused("--port", str(port))


def test_a_wrong_port_host_or_setting_is_refused(glasnost: Program) -> None:
    assert "65536" in refused("--port", "65536")
    assert "999.1.1.1" in refused("--host", "999.1.1.1", "--port", "0")
    assert "GLASNOST_BODY_BYTES" in refused("--port", "0", GLASNOST_BODY_BYTES="many")


def test_a_store_that_the_environment_names_wrongly_is_refused_and_not_made(glasnost: Program) -> None:
    quoted = '"postgresql://me:open-sesame@h/d"'  # a file of variables may keep the quotes
    served = started("serve", "--port", "0", "--empty", GLASNOST_STORE=quoted)
    assert served.stdout is not None
    first = served.stdout.readline()
    served.send_signal(signal.SIGINT)
    _, err = served.communicate()
    assert (served.returncode, first) == (2, b"")
    assert b"GLASNOST_STORE: this names no store" in err
    assert b"open-sesame" not in err
    assert not list(glasnost.folder.iterdir())
