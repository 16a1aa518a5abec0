"""Changes of lobbies, pushed to the sockets that listen.

After a commit, the matches that changed are gathered for a moment; then one query reads all of them.  A
change of a match goes to the players who sit in it.  To all others it goes only if the lists that everybody
sees have changed by it: a seat was taken, play began or ended.  So a move costs as much as there are players
in its match, however many sockets listen and however many matches there are.

What a slow reader has not read yet is one message for each match, at most; if there are too many, it is told
to ask again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import msgspec
from cachetools import LRUCache
from msgspec import Struct

from api.gate.commit import Inbox
from api.http.lobby import Lobbies, LobbyMatch, group_of, players_in
from api.http.read_models import ReadModels
from api.store.interface import Store, StoreError
from domain.kernel import Refused
from projections import read
from projections.matches import OPEN, OVER, RUNNING, MatchRow
from projections.model import BOTS, LIVE

MOST = 200  # matches whose changes wait, here and at a listener
_GATHER = 0.2  # seconds
_AGAIN = 1.0  # seconds after which a failed read is tried again
_SEEN = 20_000  # matches whose state in the public lists is remembered
_log = logging.getLogger("glasnost.http")

Names = Callable[[Sequence[str], str], Awaitable[dict[str, str]]]
encode = msgspec.json.Encoder().encode
_Key = tuple[str, str | None, str]  # match, player, language


class LobbyChange(Struct, frozen=True, omit_defaults=True):
    """A match that is another one in the lobby now.

    `group`: the list of the lobby in which it stands from now on, null: in none; `row`: as it stands there,
    left out where it stands in none.  `stale`: too much has changed; ask for the whole lobby again.
    """

    match: str = ""
    group: str | None = None
    row: LobbyMatch | None = None
    names: dict[str, str] = {}
    stale: bool = False


class LobbyPush(Struct, frozen=True):
    """A change of the lobby that a socket listens to."""

    lobby: LobbyChange


_STALE = encode(LobbyPush(LobbyChange(stale=True)))


class Listener:
    """One socket that listens: whose lobby it is, and the changes that are not sent yet.

    Args:
        player: None for a visitor.
        language: of the words.
        wake: called when there is something to send.
    """

    def __init__(self, player: str | None, language: str, wake: Callable[[], None]) -> None:
        self.player, self.language, self._wake = player, language, wake
        self._waiting: dict[str, bytes] = {}

    def put(self, match: str, message: bytes) -> None:
        """Add a change; an earlier one of the same match is not sent any more."""
        if "" not in self._waiting:
            self._waiting.pop(match, None)
            self._waiting[match] = message
        if len(self._waiting) > MOST:
            self._waiting = {"": _STALE}
        self._wake()

    def take(self) -> bytes | None:
        """Return the next change, None if there is none."""
        for match in self._waiting:
            return self._waiting.pop(match)
        return None


class LobbyFeed:
    """The listeners of one server, and what they are told.

    Args:
        lobbies: describes matches.
        models: say which matches there are.
        store: announces commits, and has the reservations.
        names: the names of players.
    """

    def __init__(self, lobbies: Lobbies, models: ReadModels, store: Store, names: Names) -> None:
        self._lobbies, self._models, self._store, self._names = lobbies, models, store, names
        self._listeners: set[Listener] = set()
        self._by_player: defaultdict[str, set[Listener]] = defaultdict(set)
        self._changed: dict[str, None] = {}
        self._seen: LRUCache[str, object] = LRUCache(_SEEN)
        self._work: asyncio.Task[None] | None = None
        self._is_watching = False

    def __len__(self) -> int:
        return len(self._listeners)

    def add(self, listener: Listener) -> None:
        """From now on, tell a listener of every change."""
        if not self._is_watching:
            self._is_watching = True
            loop, inbox = asyncio.get_running_loop(), Inbox(self.changed)
            self._store.watch(lambda match, position: inbox.put(loop, match))
        self._listeners.add(listener)
        if listener.player is not None:
            self._by_player[listener.player].add(listener)

    def remove(self, listener: Listener) -> None:
        """Tell a listener nothing more."""
        self._listeners.discard(listener)
        if listener.player is not None:
            self._by_player[listener.player].discard(listener)
            if not self._by_player[listener.player]:
                del self._by_player[listener.player]
        if not self._listeners:
            self._changed.clear()
            self._seen.clear()  # what happens now is not seen

    def changed(self, match: str) -> None:
        """Note that a match, or a reservation of it, has changed."""
        if not self._listeners:
            return
        self._changed[match] = None
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        while self._changed and self._listeners:
            await asyncio.sleep(_GATHER)
            matches, self._changed = list(self._changed), {}
            if len(matches) > MOST:
                for listener in self._listeners:
                    listener.put("", _STALE)
                continue
            try:
                await self._tell(matches)
            except (Refused, StoreError):  # the read models are being built, or the store is away
                self._changed = dict.fromkeys(matches) | self._changed
                await asyncio.sleep(_AGAIN)
            except Exception:
                _log.error("error in the server", exc_info=True)

    async def _tell(self, matches: Sequence[str]) -> None:
        rows = {row.match: row for row in await self._models.ask(read.match_rows, matches)}
        reserved = await self._reserved([row.match for row in rows.values() if row.status == OPEN])
        messages: dict[_Key, bytes] = {}
        for match, row in rows.items():
            own = {player for player in row.seats.values() if player and not row.claimed}
            near = {
                listener
                for player in own | reserved.get(match, set())
                for listener in self._by_player.get(player, ())
            }
            for listener in near | (self._listeners if self._is_news(row) else set()):
                player = listener.player if listener in near else None
                key = match, player, listener.language
                if key not in messages:
                    messages[key] = await self._message(row, player, listener.language)
                listener.put(match, messages[key])

    async def _reserved(self, matches: Sequence[str]) -> dict[str, set[str]]:
        """The players for whom seats of open matches are reserved."""
        found = await asyncio.to_thread(self._store.reservations_of, matches)
        return {
            match: {one.player for one in kept.seats.values() if one.player is not None}
            for match, kept in found.items()
        }

    def _is_news(self, row: MatchRow) -> bool:
        """Has a match changed in the lists that everybody sees?  An open one may have been reserved."""
        if row.private or row.origin not in (LIVE, BOTS):
            return False
        now = row.status, tuple(row.seats.values())
        is_news = row.status == OPEN or self._seen.get(row.match) != now
        self._seen[row.match] = now
        return is_news

    async def _message(self, row: MatchRow, player: str | None, language: str) -> bytes:
        (shown,) = await self._lobbies.described([row], player, language)
        group = group_of(shown) or public_group(shown)
        if group is None:
            return encode(LobbyPush(LobbyChange(row.match)))
        names: dict[str, str] = {}
        with suppress(StoreError):
            names = await self._names(players_in([shown]), language)
        return encode(LobbyPush(LobbyChange(row.match, group, shown, names)))


def public_group(row: LobbyMatch) -> str | None:
    """Return the list in which a match stands for a caller who does not sit in it; None: in none."""
    if row.status == OPEN:
        return "seats" if row.free else None
    return {RUNNING: "live", OVER: "finished"}.get(row.status)
