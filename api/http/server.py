"""Serving one store: one process, uvicorn on uvloop, until it is asked to stop.

A stop is graceful: streams end, those who wait for an answer get it, then the store is closed.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import os
import resource
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress

import uvicorn
import uvloop

from api.bots.levels import EASY
from api.bus import VARIABLE as REDIS
from api.bus import Address, Bus
from api.garbage import collect_less
from api.gate import Gate
from api.gate.cosignatures import read_witnesses
from api.http.app import build
from api.http.app_state import Services
from api.http.connections import proxies
from api.http.data_process import DataPlace, read_data
from api.http.log_lines import set_up
from api.http.protocols import IDLE_SECONDS, Config
from api.http.read_models import ReadModels, open_read_models
from api.http.ws_protocol import SocketProtocol
from api.mail.settings import MailSettings, read_mail
from api.settings import Settings, product, read, unknown
from api.store.events import learn
from api.store.open import Location, open_store
from api.store.sql import SqlStore
from domain.games import GAMES
from domain.kernel import Refused
from replay.transparency.policy import Policy

# ── Serving one store: one process, uvicorn on uvloop, until a signal stops it ──


_SILENT_HEARTBEATS = 4  # unanswered pings after which a socket is closed
BACKLOG = 2_048  # connections that wait to be accepted
_TURN = 0.002  # seconds after which a thread gives way to another: measured; with less they mostly wait
_log = logging.getLogger("glasnost.serve")


class CannotServe(Exception):
    """The server cannot start; the text says why, and the way out."""


def serve(
    location: Location,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    empty: bool = False,
    environment: Mapping[str, str] | None = None,
    tell: Callable[[str], None] = lambda line: print(line, flush=True),
) -> None:
    """Serve the store at `location` until SIGINT or SIGTERM.

    Args:
        port: 0 for a free one.
        empty: leave an empty store empty; else bots play one match of each game in it, once clients are
            served.
        tell: is given the one line that says where the server listens.

    Raises:
        CannotServe: the address is taken or is none, or the read models have no place.
        StoreError: see `api.store.open.open_store`.
        BadSetting: see `api.settings.read`, `api.bus.Address` and `api.gate.cosignatures.read_witnesses`.
    """
    given = os.environ if environment is None else environment
    settings, mail, data, witnesses = read(given), read_mail(given), read_data(given), read_witnesses(given)
    redis = Address(given[REDIS]) if given.get(REDIS) else None
    set_up(settings.log_level)
    for variable, like in unknown(given).items():
        _log.warning("unknown setting", extra={"variable": variable, "like": like})
    _open_as_many_as_allowed()
    sys.setswitchinterval(_TURN)
    learn()  # what came with modules that were loaded since the first time
    with listening(host, port) as listener, closing(open_store(location)) as store:
        uvloop.run(_serve(store, listener, settings, mail, data, witnesses, redis, empty, tell))


def _open_as_many_as_allowed() -> None:
    """Each connection is an open file, and a process may open few at first: 1,024 on most systems."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # where the system allows less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def clock() -> int:
    """The time in microseconds UTC."""
    return time.time_ns() // 1_000


def _read_models(store: SqlStore) -> ReadModels:
    try:
        return open_read_models(store)
    except (OSError, sqlite3.OperationalError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise CannotServe(f"{store.home} cannot hold the read models: {why}") from error


async def _serve(
    store: SqlStore,
    listener: socket.socket,
    settings: Settings,
    mail: MailSettings | None,
    data: DataPlace | None,
    witnesses: Policy | None,
    redis: Address | None,
    empty: bool,
    tell: Callable[[str], None],
) -> None:
    gate = Gate(store, store.keys, clock, product(), settings)
    models = _read_models(store)
    try:
        is_new = not empty and store.last() == 0
        services = Services(gate, store, models, settings, clock, mail=mail, data=data, witnesses=witnesses)
        if redis is not None:
            services.share(Bus(redis, store.keys.derived("redis"), store))
        server = Server(gate, services, settings, begins=is_new)
        address = _address(listener)
        store.announce(address)
        collect_less()
        await server.run_on(listener, lambda: tell(f"listening on {address}"))
    finally:
        _hang_up_later(store, settings.stopping_seconds)
        await gate.close()
        models.close()


def _hang_up_later(store: SqlStore, seconds: float) -> None:
    """Let go of those who still wait for a database: a frozen one would hold them up for ever."""
    timer = threading.Timer(seconds, store.hang_up)
    timer.daemon = True  # it holds nothing up that has ended before
    with suppress(RuntimeError):  # no thread can be had
        timer.start()


async def play_one_of_each(gate: Gate) -> None:
    """Play one match of each game between bots of the level easy, so that a new user sees real games soon.

    Where no process can search, random answers stand for it in the games in which easy has to.

    If several servers start together on an empty store, one of them plays each: the ids are the same.
    """
    for game in GAMES.values():
        name = _first_match(game.name) if gate.store.shared else None
        try:
            match = (await gate.open(None, game.name, None, {}, origin="bots", match=name)).cached.match
        except Refused as error:
            if error.kind != "exists":
                raise
            continue
        offered = gate.bots_of(game.name)
        for seat in game.seats:
            await gate.sit(match.id, seat, None, bot=EASY if EASY in offered else offered[0])
        await gate.settled(match.id)


async def _first_matches(gate: Gate) -> None:
    try:
        await play_one_of_each(gate)
    except Exception:  # a server without them serves as well
        _log.exception("the first matches could not be played")


def _first_match(game: str) -> str:
    """The id of the match of a game that is played on an empty store; it looks like any other."""
    digest = hashlib.sha256(f"the first match of {game}".encode()).digest()
    return "m" + base64.b32encode(digest[:10]).decode().lower()


class Server(uvicorn.Server):
    """uvicorn, which says when it answers, and lets streams end before it waits for connections to close.

    Args:
        gate: it is stopped before the connections are closed.
        services: what the application works with.
        settings: the limits.
        begins: the store is empty, and bots are to play the first matches in it.
    """

    def __init__(self, gate: Gate, services: Services, settings: Settings, *, begins: bool = False) -> None:
        super().__init__(
            Config(
                build(services),
                services,
                h11_max_incomplete_event_size=settings.head_bytes,  # our protocol's, too
                ws=SocketProtocol,
                ws_max_size=settings.body_bytes,
                ws_ping_interval=settings.heartbeat_seconds,
                ws_ping_timeout=_SILENT_HEARTBEATS * settings.heartbeat_seconds,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=settings.trust_proxy,
                forwarded_allow_ips=proxies(os.environ),
                backlog=BACKLOG,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=settings.stopping_seconds,
            )
        )
        self._gate, self._bus, self._mail = gate, services.bus, services.mail
        self._timekeeper = services.timekeeper
        self._follower, self._verifier = services.follower, services.verifier
        self._log_follower, self._cosignatures = services.log_follower, services.cosignatures
        self._proofs = services.tournament_proofs
        self._feed = services.tournament_feed
        self._data, self._analyses = services.data, services.analyses
        self._sockets, self._patience = services.sockets, settings.stopping_seconds
        self._ready: Callable[[], None] = lambda: None
        self._begins, self._first = begins, set[asyncio.Task[None]]()

    async def run_on(self, listener: socket.socket, ready: Callable[[], None]) -> None:
        """Serve on a socket until a signal comes; `ready` is called when requests are answered."""
        self._ready = ready
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.stop)
        await self.serve(sockets=[listener])

    def stop(self) -> None:
        """Stop serving; on the second call, without waiting for open requests."""
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled on the loop, and end the process only when all is closed."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        self._gate.follow(self._bus)
        if self._bus is not None:
            self._bus.start()
        self._timekeeper.start()
        self._follower.start()
        self._log_follower.start()
        if self._cosignatures is not None:
            self._cosignatures.start()
        if self._mail is not None:
            self._mail.start()
        self._data.start()
        await super().startup(sockets)
        self._ready()
        if self._begins:
            self._first.add(asyncio.create_task(_first_matches(self._gate)))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        self._gate.stop()
        self._feed.stop()
        for playing in self._first:
            playing.cancel()
        if self._mail is not None:
            await self._mail.stop()
        await self._timekeeper.stop()
        await self._follower.stop()
        if self._cosignatures is not None:
            self._cosignatures.stop()
        await self._log_follower.stop()
        self._verifier.close()
        await self._proofs.stop()
        await self._data.stop()
        await self._analyses.stop()
        await self._sockets.stop(self._patience / 2)  # uvicorn would break them off without an answer
        await super().shutdown(sockets)
        if self._bus is not None:
            await self._bus.close()


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket on this address, before anything costly begins.

    Raises:
        CannotServe.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        hint = "; choose another port (--port), or 0 for a free one" if port else ""
        raise CannotServe(f"cannot listen on {host} port {port}: {error.strerror}{hint}") from error
    with listener:
        listener.setblocking(False)
        yield listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
