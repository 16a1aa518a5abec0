"""The worker of mail: it follows the log, fills the outbox, and sends what is due.

Of the processes of a shared store one does this: the one that writes the read models; the others only note
whose tabs are open.  A message is removed from the outbox after it was sent, so a process that is killed in
between lets it be sent again, with the same Message-ID.  The mail server is spoken to in a thread of its own,
and nothing but this worker waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress

from api.mail import kinds, messages, tournament_kinds
from api.mail.links import PLACE_LASTS, Links
from api.mail.settings import MOST_A_DAY, MailSettings
from api.mail.smtp import AddressRefused, NotSent, send
from api.store.interface import Item, Notice, Outgoing, Store, Stored, StoreError, Subscription
from api.store.outbox import CONFIRM, PLACE, PLANNED
from domain.kernel import Refused
from domain.log import TOURNAMENT, Damaged
from domain.match import Match
from domain.tournaments.history import TournamentLog

IDLE = 1.0  # seconds after which the outbox is looked at unasked
AT_ONCE, HOURLY, DAILY, NEVER = "at-once", "hourly", "daily", "never"
OFTEN = (AT_ONCE, HOURLY, DAILY, NEVER)
MINUTE, HOUR, DAY = 60_000_000, 3_600_000_000, 86_400_000_000  # microseconds
CONFIRM_LASTS = 3 * DAY  # so long a confirmation link works
_DAILY_AT = 7 * HOUR  # UTC
_BATCH = 500  # records that are followed together
_OLD = DAY  # no notice is made of what happened longer ago
GAPS = tuple(min(MINUTE << number, 4 * HOUR) for number in range(13))  # between two tries: a day in all
_SEEN = 30.0  # seconds after which open tabs are noted again
_OPEN = MINUTE  # so long after it was noted, a tab counts as open
_HELD = HOUR  # so long a message waits for a tab to be closed, at most
_HOLD = 15_000_000  # microseconds after which it is looked at again
_log = logging.getLogger("glasnost.mail")


class Figures:
    """What the metrics tell of mail."""

    def __init__(self) -> None:
        self.sent = self.failed = self.refused = self.dropped = 0
        self.waiting: int | None = None


class MailWorker:
    """Follows the log and sends mail.

    Args:
        settings: of the mail server.
        store: the log and the outbox.
        links: makes secret links.
        match: returns a match as it is now.
        names: returns the names of players in a language.
        leads: is this process the one that sends?
        present: the players with an open tab here.
        clock: microseconds UTC.
        tournament: returns the log of a tournament; None: tournaments tell nothing.
    """

    def __init__(
        self,
        settings: MailSettings,
        store: Store,
        links: Links,
        match: Callable[[str], Awaitable[Match]],
        names: Callable[[Sequence[str], str], Awaitable[dict[str, str]]],
        leads: Callable[[], bool],
        present: Callable[[], Collection[str]],
        clock: Callable[[], int],
        tournament: Callable[[str], Awaitable[TournamentLog]] | None = None,
    ) -> None:
        self.settings, self.figures = settings, Figures()
        self._store, self._outbox, self._links = store, store.outbox, links
        self._match, self._names, self._tournament = match, names, tournament
        self._leads, self._present, self._clock = leads, present, clock
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Run on this event loop until `stop`."""
        self._tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._note_tabs())]

    async def stop(self) -> None:
        """Stop; a message that is being sent may be sent again later."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        while True:
            goes_on = False
            try:
                if self._leads():
                    followed = await self.follow()
                    goes_on = await self.send_next() or followed
                    self.figures.waiting = await asyncio.to_thread(self._outbox.waiting)
                else:
                    self.figures.waiting = None
            except (StoreError, Refused):  # the store is away
                pass
            except Exception:
                _log.error("error in the mail worker", exc_info=True)
            if not goes_on:
                await asyncio.sleep(IDLE)

    async def _note_tabs(self) -> None:
        while True:
            if players := sorted(self._present()):
                with suppress(StoreError):
                    await asyncio.to_thread(self._outbox.see, players, self._clock())
            await asyncio.sleep(_SEEN)

    # ── from the log into the outbox ──

    async def follow(self) -> bool:
        """Put what the next records tell into the outbox; return whether there were any."""
        outbox, before = self._outbox, await asyncio.to_thread(self._outbox.position)
        if before is None:  # no notice is made of what was played before
            last = await asyncio.to_thread(self._store.last)
            return await asyncio.to_thread(outbox.advance, None, last, (), self._clock())
        stored = await asyncio.to_thread(self._store.after, before, _BATCH)
        if not stored:
            return False
        found: list[Notice] = []
        for match, moves in _moves(stored, of_tournaments=False).items():
            found += await self._notices(match, moves)
        for name, entries in _moves(stored, of_tournaments=True).items():
            found += await self._tournament_notices(name, entries)
        return await asyncio.to_thread(outbox.advance, before, stored[-1].position, found, self._clock())

    async def _notices(self, name: str, moves: range) -> list[Notice]:
        """The notices that some moves of a match bring to the players who want them."""
        try:
            match = await self._match(name)
        except (Refused, Damaged) as error:
            if isinstance(error, Refused) and error.kind == "unavailable":
                raise
            return []
        people = players_of(match)
        wanted = await asyncio.to_thread(self._outbox.among, sorted(set(people.values())))
        by_player = {one.player: one for one in wanted}
        now, notices = self._clock(), list[Notice]()
        for item in kinds.items(match) if wanted else ():
            one = by_player.get(people.get(item.seat, ""))
            if one is None or item.move not in moves:
                continue
            kind, often = kinds.KINDS[item.kind], one.matches.get(name, one.often)
            if often == NEVER:
                continue
            if kind.planned:
                at = max(now, kinds.planned_for(item, match, now))
                notices.append(Notice(one.player, f"{PLANNED}{item.kind} {name}", item, at))
            elif not _is_old(match, item, now):
                notices.append(Notice(one.player, often, item, due(often, now) + kind.waits))
        return notices

    async def _tournament_notices(self, name: str, entries: range) -> list[Notice]:
        """The notices that some entries of a tournament bring to the players who want them."""
        log = await self._log_of(name)
        found = list(tournament_kinds.items(log, entries)) if log is not None else []
        wanted = await asyncio.to_thread(self._outbox.among, sorted({player for player, _ in found}))
        by_player, now, notices = {one.player: one for one in wanted}, self._clock(), list[Notice]()
        for player, item in found:
            one = by_player.get(player)
            often = one.matches.get(name, one.often) if one is not None else NEVER
            at = log.records[item.move - 1].entry.at if log is not None else None
            if often != NEVER and (at is None or now - at <= _OLD):
                notices.append(Notice(player, often, item, due(often, now)))
        return notices

    async def _log_of(self, name: str) -> TournamentLog | None:
        """The log of a tournament; None if it cannot be read."""
        try:
            return None if self._tournament is None else await self._tournament(name)
        except (Refused, Damaged) as error:
            if isinstance(error, Refused) and error.kind == "unavailable":
                raise
            return None

    # ── from the outbox to the mail server ──

    async def send_next(self) -> bool:
        """Send the message that is due the longest; return whether there was one."""
        now = self._clock()
        found = await asyncio.to_thread(self._outbox.next, now)
        if found is None:
            return False
        wanted = await asyncio.to_thread(self._outbox.of, found.player)
        if found.often and wanted.state != "confirmed":
            await asyncio.to_thread(self._outbox.remove, found.id)
        elif (later := await self._planned_for(found, now)) > now:
            await asyncio.to_thread(self._outbox.defer, found.id, later)
        elif self._is_held(found, wanted, now):
            await asyncio.to_thread(self._outbox.defer, found.id, now + _HOLD)
        else:
            await self._send(found, wanted, now)
        return True

    async def _planned_for(self, found: Outgoing, now: int) -> int:
        """When a planned message is to be sent, by the clocks of its match as they are now."""
        if not found.often.startswith(PLANNED):
            return now
        with suppress(Refused, Damaged):
            match = await self._match(found.items[-1].match)
            if kinds.still_stands(found.items[-1], match):
                return kinds.planned_for(found.items[-1], match, now)
        return now

    def _is_held(self, found: Outgoing, wanted: Subscription, now: int) -> bool:
        """Does a message wait because a tab of its player is open?"""
        if found.often != AT_ONCE or found.tries or wanted.while_open or now - found.made > _HELD:
            return False
        return now - wanted.seen < _OPEN or found.player in self._present()

    async def _send(self, found: Outgoing, wanted: Subscription, now: int) -> None:
        outbox, day = self._outbox, now // DAY
        letter = await self._letter(found, wanted)
        if letter is None:
            await self._ended(found, now)
            return
        taken = await asyncio.to_thread(outbox.take, found.id, wanted.address, day, MOST_A_DAY)
        if taken is None:
            await asyncio.to_thread(outbox.defer, found.id, (day + 1) * DAY)
            return
        if taken.items != found.items:  # a notice joined meanwhile
            letter = await self._letter(taken, wanted) or letter
        message = messages.composed(letter, found.id, found.made, wanted.address, self.settings)
        try:
            await send(self.settings, message)
        except AddressRefused as error:
            self.figures.refused += 1
            await asyncio.to_thread(outbox.stop, wanted.address, str(error))
            await self._ended(found, now)
        except NotSent:
            self.figures.failed += 1
            _log.warning("mail not sent", extra={"tries": taken.tries})
            await self._retry(taken)
        else:
            self.figures.sent += 1
            await self._ended(found, now)

    async def _retry(self, taken: Outgoing) -> None:
        """Let a message that was not sent wait, longer each time; after a day, give it up."""
        if taken.tries > len(GAPS):
            self.figures.dropped += 1
            await self._ended(taken, self._clock())
        else:
            await asyncio.to_thread(self._outbox.defer, taken.id, self._clock() + GAPS[taken.tries - 1])

    async def _ended(self, found: Outgoing, now: int) -> None:
        """Remove a message; with the code of a place goes the address, which was given for it alone."""
        if found.items[0].kind == PLACE:
            with suppress(Refused):  # the player was forgotten meanwhile
                nothing = Subscription(player=found.player, asked=now)
                await asyncio.to_thread(self._outbox.change, nothing, 0)
        await asyncio.to_thread(self._outbox.remove, found.id)

    async def _place(self, item: Item, wanted: Subscription) -> messages.Letter | None:
        """The message with the code of a place; None if the place is not kept any more."""
        log = await self._log_of(item.match)
        if log is None or not tournament_kinds.is_kept(log.state, item.seat, wanted.player):
            return None
        until = wanted.asked // 1_000_000 + PLACE_LASTS
        code = self._links.place(item.match, item.seat, wanted.player, until)
        link = f"{self.settings.url}/t/{item.match}/place/{item.seat}/{code}"
        return messages.place(wanted.language, log.state.title, self.settings.url, link)

    async def _letter(self, found: Outgoing, wanted: Subscription) -> messages.Letter | None:
        """What a message says; None if it says nothing any more."""
        url, player = self.settings.url, found.player
        if not found.often:
            if wanted.state != "unconfirmed":
                return None
            if found.items[0].kind == PLACE:
                return await self._place(found.items[0], wanted)
            if found.items[0].kind != CONFIRM:
                return None
            code = self._links.confirm(player, wanted.address, wanted.asked)
            return messages.confirmation(wanted.language, url, f"{url}/mail/confirm/{player}/{code}")
        matches: dict[str, Match] = {}
        for name in {item.match for item in found.items if item.kind in kinds.KINDS}:
            with suppress(Refused, Damaged):
                matches[name] = await self._match(name)
        lines = [
            await self._line(item, matches[item.match], wanted)
            for item in found.items
            if item.match in matches
            and kinds.still_stands(item, matches[item.match])
            and players_of(matches[item.match]).get(item.seat) == player
        ]
        lines += await self._tournament_lines(found)
        if not lines:
            return None
        code = self._links.stop(player, wanted.address)
        return messages.notices(lines, wanted.language, url, f"{url}/mail/stop/{player}/{code}")

    async def _tournament_lines(self, found: Outgoing) -> list[messages.Line]:
        lines = list[messages.Line]()
        items = [item for item in found.items if item.kind in tournament_kinds.NAMES]
        logs = {name: await self._log_of(name) for name in {item.match for item in items}}
        for item in items:
            log = logs[item.match]
            if log is not None and tournament_kinds.still_stands(item, log.state, found.player):
                place = f"t/{item.match}?at={item.move}"
                lines.append(messages.Line(item.kind, log.state.title, item.match, item.move, (), place))
        return lines

    async def _line(self, item: Item, match: Match, wanted: Subscription) -> messages.Line:
        others = [player for player in players_of(match).values() if player != wanted.player]
        names = await self._names(others, wanted.language)
        title = match.game.texts[wanted.language].name(match.game.name)
        return messages.Line(item.kind, title, item.match, item.move, sorted(names.values()))


def players_of(match: Match) -> Mapping[str, str]:
    """Return the people at the table, by seat; none if the log does not prove them, or was imported."""
    if match.claimed or match.imported:
        return {}
    return {
        seat: seated.player for seat, seated in match.players.items() if seated is not None and not seated.bot
    }


def due(often: str, now: int) -> int:
    """Return when a notice is to be sent by this wish; times in microseconds UTC."""
    if often == HOURLY:
        return now + HOUR
    if often == DAILY:
        return (now - _DAILY_AT) // DAY * DAY + DAY + _DAILY_AT
    return now


def _moves(stored: Sequence[Stored], *, of_tournaments: bool) -> dict[str, range]:
    """The moves of each match (or the entries of each tournament) among these records.

    Those of uploads, which were played long ago, are not among them.
    """
    found: dict[str, range] = {}
    for one in stored:
        if not one.uploaded and (one.record.topic == TOURNAMENT) == of_tournaments:
            first = found.get(one.record.match, range(one.record.move, 0)).start
            found[one.record.match] = range(first, one.record.move + 1)
    return found


def _is_old(match: Match, item: Item, now: int) -> bool:
    at = match.records[item.move - 1].entry.at
    return at is not None and now - at > _OLD
