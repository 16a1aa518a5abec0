"""The line to a server that can go bad is no worse than it says."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.api.store.proxy import Line, line
from tests.services.leash import free_port

_PATIENCE = 30.0  # seconds; it takes a moment
Put = tuple[Line, socket.socket, socket.socket]


@pytest.fixture
def put() -> Iterator[Put]:
    """A line, a client that is put through, and the server's end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(_PATIENCE)
        with (
            line(server.getsockname()[1]) as one,
            socket.create_connection(("127.0.0.1", one.port), _PATIENCE) as client,
            server.accept()[0] as served,
        ):
            served.settimeout(_PATIENCE)
            client.sendall(b"a question")
            assert served.recv(100) == b"a question"
            served.sendall(b"an answer")
            assert client.recv(100) == b"an answer"
            yield one, client, served


@pytest.mark.parametrize("trouble", ["", "muted", "dark"])
def test_a_client_that_gives_up_keeps_no_session_at_the_server(put: Put, trouble: str) -> None:
    one, client, served = put
    if trouble:
        getattr(one, trouble).set()
        served.sendall(b"an answer that is swallowed")
        assert one.swallowed.wait(_PATIENCE)
    client.close()
    assert served.recv(100) == b""


def test_a_client_sees_that_the_server_closes_the_connection(put: Put) -> None:
    _, client, served = put
    served.close()
    assert client.recv(100) == b""


def test_a_line_that_is_cut_is_cut_at_both_ends(put: Put) -> None:
    one, client, served = put
    one.dark.set()
    client.sendall(b"a question that is swallowed")
    assert one.swallowed.wait(_PATIENCE)
    one.cut()
    assert (client.recv(100), served.recv(100)) == (b"", b"")
    assert not one.dark.is_set()


def test_a_proxy_outlives_a_server_that_refuses_connections() -> None:
    with line(port := free_port()) as one:
        with socket.create_connection(("127.0.0.1", one.port), _PATIENCE) as client:
            assert client.recv(100) == b""  # no process listens there
        with (
            socket.create_server(("127.0.0.1", port)) as server,
            socket.create_connection(("127.0.0.1", one.port), _PATIENCE) as client,
        ):
            server.settimeout(_PATIENCE)
            with server.accept()[0] as served:
                served.sendall(b"an answer")
                assert client.recv(100) == b"an answer"
