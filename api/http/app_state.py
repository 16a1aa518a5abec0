"""What the routes work with, kept in `app.state`: the gate, names of players, limits, tickets, metrics."""

from __future__ import annotations

import asyncio
import math
import os
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from cachetools import FIFOCache, LRUCache

from api.bots.analysis import Analyses
from api.bus import Bus
from api.gate import Gate
from api.gate.cosignatures import Cosignatures
from api.gate.log_follower import LogFollower
from api.gate.match_verifier import MatchVerifier
from api.gate.tournament_files import TournamentFiles
from api.gate.tournament_follower import TournamentFollower
from api.gate.tournament_proofs import TournamentProofs
from api.gate.tournaments import TournamentGate
from api.http.auth import Changes, Tickets, Tokens
from api.http.caching import Packed
from api.http.connections import Connections, allowed, proxies
from api.http.data_process import DataPlace, DataProcess
from api.http.health import HealthMonitor
from api.http.live_positions import LivePositions
from api.http.lobby import Lobbies
from api.http.lobby_feed import LobbyFeed
from api.http.metrics import Metrics, OfTheBus, OfTheGate, OfTheMail, OfTheStore
from api.http.middleware import Borders
from api.http.rate_limits import AtOnce, Buckets
from api.http.read_models import ReadModels
from api.http.tournament_feed import TournamentFeed
from api.http.verifications import Verifications
from api.mail.links import PURPOSE, Links
from api.mail.settings import MailSettings
from api.mail.worker import MailWorker
from api.settings import Settings
from api.store.accounts import folded
from api.store.interface import People, SessionBounds, StoreError
from api.store.log_writer import LogWriter
from api.store.sql import SqlStore
from domain.kernel import Refused
from domain.match import Match
from domain.tournaments.commands import RATING
from projections import read
from projections.model import LIVE
from replay.sanitize import one_line
from replay.tournaments.pairing_twice import pair_twice
from replay.transparency.policy import Policy

# ── The sockets that are open: how many each visitor has, and their common end ──


class Sockets(AtOnce):
    """All sockets of one server; `most` is the limit for one visitor."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._ends: dict[asyncio.Task[None], Callable[[], None]] = {}

    @contextmanager
    def registered(self, end: Callable[[], None]) -> Iterator[None]:
        """Register the running task as one that serves a socket; `end` asks it to close the socket."""
        task = asyncio.current_task()
        assert task is not None, "a socket is served by a task"
        self._ends[task] = end
        try:
            yield
        finally:
            del self._ends[task]

    async def stop(self, seconds: float) -> None:
        """Ask all sockets to close, and wait for them for at most this time."""
        for end in self._ends.values():
            end()
        if self._ends:
            await asyncio.wait(tuple(self._ends), timeout=seconds)


# ── Player names: any script, but no invisible, blank or misleading name ──

_BLANK = {0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0}  # letters that show nothing
_UNSEEN = ("Cc", "Cf", "Cs", "Cn", "Mn", "Me", "Zs", "Zl", "Zp")
_RESERVED = ("bot:", "import:")
FORGOTTEN = {"en": "(name forgotten)", "ru": "(имя забыто)"}
"""What is shown in the place of a name that an administrator had the server forget."""


def checked(name: str) -> str:
    """Return the name without blanks around it.

    Raises:
        Refused: invalid; the text says why.
    """
    name = name.strip()
    if not name:
        raise Refused("invalid", "name-blank")
    for character, safe in zip(name, one_line(name), strict=True):
        if character != safe:
            character = f"U+{ord(character):04X}"
            raise Refused(
                "invalid",
                "name-character",
                {"character": character},
            )
    shown = [character for character in name if _is_seen(character)]
    if not shown:
        raise Refused("invalid", "name-invisible")
    if unicodedata.normalize("NFKC", "".join(shown)).casefold().startswith(_RESERVED):
        raise Refused("invalid", "name-prefix-reserved")
    if folded("".join(shown)) in map(_compact, FORGOTTEN.values()):
        raise Refused("invalid", "name-of-forgotten")
    return name


def _compact(name: str) -> str:
    return folded("".join(character for character in name if _is_seen(character)))


def _is_seen(character: str) -> bool:
    return ord(character) not in _BLANK and unicodedata.category(character) not in _UNSEEN


# ── Services of the routes: the gate, the store's people, the limits, the tickets, the metrics ──


_FILES = 2  # match files written or verified at once: each keeps a thread and a core busy
_PAGES = 16 * 1024 * 1024  # bytes of pages of positions in memory
_NAMES = 50_000  # names held in memory
_NAME_SECONDS = 60.0  # then the store is asked again: the news that a name was forgotten may have been lost
_MINUTE, _DAY = 60_000_000, 86_400_000_000  # microseconds
_NEVER = (-math.inf, None)


class Names:
    """The names of players; those that are known are held in memory for a while, and a changed one is
    dropped at once.

    Args:
        people: the store's people.
        clock: seconds that never run backwards.
    """

    def __init__(self, people: People, clock: Callable[[], float]) -> None:
        self._people, self._clock = people, clock
        self._known: FIFOCache[str, tuple[float, str | None]] = FIFOCache(_NAMES)
        self._changes = Changes(people)

    async def of(self, players: Sequence[str], language: str) -> dict[str, str]:
        """Return the names of those players that have one, by id; a forgotten one as `FORGOTTEN` says.

        If the store is not available, known names are used, however old.

        Raises:
            StoreError: the store is not available, and a name is not known.
        """
        self._changes.drop_from(self._known, lambda player, _: player)
        now, changes = self._clock(), self._changes.count
        old = [player for player in players if now - self._known.get(player, _NEVER)[0] > _NAME_SECONDS]
        found: dict[str, str | None] = {}
        if old:
            try:
                found = await asyncio.to_thread(self._people.names, old)
            except StoreError:
                if not self._known.keys() >= set(old):
                    raise
        if changes == self._changes.count:  # else they may be others already
            self._known.update((player, (now, name)) for player, name in found.items())
        registered = {player: kept[1] for player in players if (kept := self._known.get(player))} | found
        return {
            player: registered[player] or FORGOTTEN[language] for player in players if player in registered
        }


class Services:
    """One server's parts, in one place.

    Args:
        gate: takes every command.
        store: where people and everything else are kept.
        models: the read models.
        settings: the limits.
        clock: the time in microseconds UTC.
        pulse: seconds that never run backwards.
        mail: how mail is sent; None: there is no mail.
        data: where the data set is; None: there is none.
        witnesses: who is asked to cosign the log; None: no witness is.
    """

    def __init__(
        self,
        gate: Gate,
        store: SqlStore,
        models: ReadModels,
        settings: Settings,
        clock: Callable[[], int],
        pulse: Callable[[], float] = time.monotonic,
        mail: MailSettings | None = None,
        data: DataPlace | None = None,
        witnesses: Policy | None = None,
    ) -> None:
        self.gate, self.store, self.models = gate, store, models
        self.settings, self.clock = settings, clock
        self.requests = Buckets(settings.requests_per_second, 1.0, pulse)
        self.new_players = Buckets(settings.players_per_minute, 60.0, pulse)
        self.sign_ins = Buckets(settings.sign_ins_per_minute, 60.0, pulse)
        self.searches = Buckets(settings.searches_per_minute, 60.0, pulse)
        self.files = asyncio.Semaphore(_FILES)
        self.rendering = asyncio.Semaphore(1)  # a second thread would not be faster, and files wait elsewhere
        self.pages: LRUCache[tuple[object, ...], bytes] = LRUCache(_PAGES, getsizeof=len)
        self.live = LivePositions()
        self.data = DataProcess(data)
        self.verifications = Verifications(pulse)
        self.analyses = Analyses(settings.bot_workers > 0)
        self.packed = Packed()
        self.borders = Borders(settings.hosts or (gate.keys.present.name.lower(),), settings.origins)
        trusted = proxies(os.environ) if settings.trust_proxy else ()
        most = allowed(settings.connections)
        self.connections = Connections(most, settings.connections_per_address, trusted)
        self.visits = AtOnce(self.connections.each)
        self.streams = AtOnce(settings.streams_per_viewer)
        self.sockets = Sockets(settings.streams_per_viewer)
        self.session_bounds = SessionBounds(
            settings.session_days * _DAY,
            settings.link_minutes * _MINUTE,
            settings.sessions_per_player,
            settings.links_per_player,
        )
        self.tokens = Tokens(store.people, self.requests, pulse, clock, self.session_bounds)
        self.tickets = Tickets(settings.ticket_seconds, pulse)
        self.names = Names(store.people, pulse)
        self.tournaments = TournamentGate(gate, pair_twice, self._rating)
        self.tournaments.rating_changes = lambda asked: models.ask(read.rating_changes, asked)
        self.tournament_feed = TournamentFeed(self.tournaments.commands, store)
        self.tournament_files = TournamentFiles(store)
        self.tournament_proofs = TournamentProofs(self.tournament_files)
        self.verifier = MatchVerifier()
        self.log_writer = LogWriter(store, gate.keys, clock)
        self.log_follower = LogFollower(self.log_writer, store, self._leads)
        self.cosignatures: Cosignatures | None = None
        if witnesses is not None:
            self.cosignatures = Cosignatures(witnesses, store, gate.keys, self._leads)
        self.follower = TournamentFollower(self.tournaments, self.verifier, self._leads)
        self.lobbies = Lobbies(gate, store, models)
        self.lobby_feed = LobbyFeed(self.lobbies, models, store, self.names.of)
        self.links = Links(gate.keys.derived(PURPOSE))
        self.tournaments.opens_place = lambda code, tournament, entrant, person: self.links.opens_place(
            code, tournament, entrant, person, clock()
        )
        self.mail: MailWorker | None = None
        if mail is not None:
            ways = self._match, self.names.of, self._leads, self._present
            self.mail = MailWorker(mail, store, self.links, *ways, clock, self.tournaments.commands.log)
        self.timekeeper = gate.timekeeper(lambda: models.ask(read.clocked), self._leads)
        self.bus: Bus | None = None
        self.monitor = HealthMonitor(store, models, self.log_follower.remark, pulse)
        self.metrics = Metrics(
            OfTheGate(gate, self.streams, self.sockets, self.connections),
            OfTheStore(gate, self.monitor),
            OfTheBus(lambda: self.bus, pulse),
            OfTheMail(self.mail.figures if self.mail else None),
        )

    async def _match(self, match: str) -> Match:
        return (await self.gate.cached(match)).match

    async def _rating(self, game: str, edition: str, player: str) -> tuple[int, str]:
        """The rating of a player on the scoreboard of an edition of a game; 0 if there is none."""
        rows = await self.models.ask(read.standings_of, player)
        for row in rows:
            if (row.game, row.edition, row.pool) == (game, edition, LIVE):
                return min(max(row.rating, 0), RATING), f"scoreboard {game} {edition}"
        return 0, ""

    def _leads(self) -> bool:
        """Is this process the one that writes the read models, and sends mail?"""
        return self.models.runner.moves

    def _present(self) -> set[str]:
        """The clients with an open socket or stream; most of them are players."""
        return self.sockets.visitors | self.streams.visitors

    def share(self, bus: Bus) -> None:
        """Share limits and tickets with the other workers; before the bus begins."""
        self.bus = bus
        limits = {
            "requests": self.requests,
            "newcomers": self.new_players,
            "searches": self.searches,
            "sign-ins": self.sign_ins,
        }
        for name, limit in limits.items():
            limit.share()
            bus.share(name, limit)
        self.tickets.share(bus.tickets)
        bus.run(self.tickets.stay)
