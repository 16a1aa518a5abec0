"""The lobby: whom each match waits for, as one player or a visitor sees it.

The read models say which matches there are.  Whom a running match asks, its turn and its score follow from
its log alone (`Standing`); they are kept by match and move, so a match is read again only after a commit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from cachetools import LRUCache
from msgspec import UNSET, Struct, UnsetType

from api.gate import Gate
from api.http.read_models import ReadModels
from api.store.interface import Reservations, Store, StoreError
from domain.games import GAMES
from domain.imported import name_of
from domain.kernel import Refused, Result, Seat
from domain.log import Damaged
from domain.match import Match
from domain.turns import TurnCount
from projections import read
from projections.matches import OPEN, OVER, RUNNING, WAITING, MatchRow
from projections.moments import key_moments
from projections.sentences import turn_name, why
from projections.turns import summarize, usual_viewer
from replay.clocks import ClockShown, clock_after

MINE, THEIRS = "mine", "theirs"
DAY = 86_400_000_000  # microseconds
OVER_DAYS = 7
SEATS = 50  # open seats in a lobby
_STANDINGS = 20_000  # are kept
_NEW_HIGHLIGHTS = 3  # are worked out for one page
_AT_ONCE = 2  # lobbies that load matches at once: others wait, so that commands find threads


class LobbyMatch(Struct, frozen=True, kw_only=True):
    """A match in a lobby; times in microseconds UTC.

    `own`: the caller's seats; `free`: those that the caller may take.  `asked`: who is asked, and since when;
    `takeback`: who asked for a takeback that waits for an answer; `unopened`: whose salts are not open yet.
    `turn` is in words, and `score` is by seat; both are empty if the match has not begun, or is over.
    `private`: players who do not sit in it, and for whom no seat is reserved, do not see it.
    `clock`: what the clock of a running match shows; left out if it has none.
    `frozen`: an organizer froze the match, so `asked` is empty; left out in any other match.
    """

    match: str
    game: str
    title: str
    edition: str
    origin: str
    status: str
    seats: dict[Seat, str | None]
    bots: dict[Seat, str]
    own: tuple[Seat, ...]
    free: tuple[Seat, ...]
    asked: dict[Seat, int | None]
    takeback: Seat | None
    unopened: tuple[Seat, ...]
    turn: str
    score: dict[Seat, int]
    move: int
    opened_at: int | None
    changed_at: int | None
    closed_at: int | None
    by: str
    result: Result | None
    private: bool = False
    clock: ClockShown | UnsetType = UNSET
    frozen: bool | UnsetType = UNSET

    @property
    def waits_for_me(self) -> bool:
        """Must the caller do something now?"""
        return any(seat in self.asked or seat in self.unopened for seat in self.own)

    @property
    def since(self) -> int:
        """Since when the match waits for the caller; else when it was changed last."""
        times = [at for seat, at in self.asked.items() if seat in self.own and at is not None]
        return min(times, default=self.changed_at or 0)


class Lobby(Struct, frozen=True):
    """What a player can do next, and what there is to watch.

    The matches of the player: `mine` wait for the player, the longest first; `theirs` wait for somebody else;
    `open` still have a free seat; `over` closed lately, the latest first.  All others: `seats` may be taken
    by the caller, `live` are running, `finished` closed lately.  `names`: of the players.
    """

    player: str | None
    mine: list[LobbyMatch]
    theirs: list[LobbyMatch]
    open: list[LobbyMatch]
    over: list[LobbyMatch]
    seats: list[LobbyMatch]
    live: list[LobbyMatch]
    finished: list[LobbyMatch]
    names: dict[str, str]

    @property
    def matches(self) -> Iterable[LobbyMatch]:
        """All matches in it."""
        for group in (self.mine, self.theirs, self.open, self.over, self.seats, self.live, self.finished):
            yield from group


class Standing(Struct, frozen=True):
    """What follows from the log of a running match: see `LobbyMatch`; `turn` is (kind, number)."""

    move: int
    asked: dict[Seat, int | None]
    takeback: Seat | None
    turn: tuple[str, int]
    score: dict[Seat, int]
    clock: ClockShown | UnsetType
    frozen: bool


class Highlight(Struct, frozen=True):
    """The heaviest key moment of a match before its end: the move, and why, in words ("": there is none)."""

    move: int
    why: str


class Lobbies:
    """Makes lobbies.

    Args:
        gate: has the matches.
        store: has the reservations.
        models: say which matches there are.
    """

    def __init__(self, gate: Gate, store: Store, models: ReadModels) -> None:
        self._gate, self._store, self._models = gate, store, models
        self._standings: LRUCache[str, Standing] = LRUCache(_STANDINGS)
        self._turns: LRUCache[str, tuple[Match, TurnCount]] = LRUCache(_STANDINGS // 20)
        self._highlights: LRUCache[tuple[str, str], Highlight] = LRUCache(_STANDINGS)
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def of(self, player: str | None, since: int, language: str) -> Lobby:
        """Return the lobby of a player (None: a visitor), without names.

        `since`: when a match of the player must have closed to be in it.

        Raises:
            Refused: unavailable, while the read models are being built.
        """
        hidden = await self._models.hidden()
        rows = await self._models.ask(read.lobby, player, since, hidden)
        own = await self.described(rows.own, player, language)
        ids = {row.match for row in own}
        others = await self.described([row for row in rows.open if row.match not in ids], player, language)
        kept = await self.described([row for row in rows.private if row.match not in ids], player, language)
        seats = [row for row in (*kept, *others) if row.free]
        running = [row for row in rows.running if row.match not in ids]
        over = await self.described(rows.over, player, language)
        finished = await self.described(rows.finished, player, language)
        mine = sorted((row for row in own if row.waits_for_me), key=lambda row: (row.since, row.match))
        rest = [row for row in own if not row.waits_for_me]
        theirs = [row for row in rest if row.status != OPEN]
        return Lobby(
            player=player,
            mine=mine,
            theirs=sorted(theirs, key=lambda row: (row.changed_at or 0, row.match), reverse=True),
            open=[row for row in rest if row.status == OPEN],
            over=over,
            seats=seats[:SEATS],
            live=await self.described(running, player, language),
            finished=[row for row in finished if not row.own],
            names={},
        )

    async def described(
        self, rows: Sequence[MatchRow], player: str | None, language: str
    ) -> list[LobbyMatch]:
        """Return matches as they stand in the lobby of a player (None: a visitor)."""
        reserved: Mapping[str, Reservations] | None = {}
        if free := [row.match for row in rows if row.status == OPEN]:
            reserved = None
            with suppress(StoreError):  # no seat can be taken now
                reserved = await asyncio.to_thread(self._store.reservations_of, free)
        async with self._room:
            return [_described(row, await self._standing(row), player, reserved, language) for row in rows]

    async def highlights(self, rows: Iterable[LobbyMatch], language: str) -> dict[str, Highlight]:
        """Return the heaviest key moment of each match that is over, by match.

        Those that are not known yet are worked out, but only `_NEW_HIGHLIGHTS` of them; the others are left
        out this time, so that no page waits for many matches to be read.
        """
        found, left = dict[str, Highlight](), _NEW_HIGHLIGHTS
        for row in rows:
            key = row.match, language
            if row.status != OVER or (key not in self._highlights and not left):
                continue
            if key not in self._highlights:
                left -= 1
                async with self._room:
                    await self._add_highlight(key)
            if (known := self._highlights.get(key)) and known.why:
                found[row.match] = known
        return found

    async def _add_highlight(self, key: tuple[str, str]) -> None:
        with suppress(Refused, StoreError, Damaged):
            match = (await self._gate.cached(key[0])).match
            self._highlights[key] = await asyncio.to_thread(_highlight, match, key[1])

    async def _standing(self, row: MatchRow) -> Standing | None:
        """How a running match stands; None of any other one, or if it cannot be read."""
        if row.status != RUNNING:
            return None
        known = self._standings.get(row.match)
        if known is not None and known.move >= row.move:
            return known
        try:
            match = (await self._gate.cached(row.match)).match
        except (Refused, StoreError, Damaged):
            return None
        known = self._standings[row.match] = self._stands(match)
        return known

    def _stands(self, match: Match) -> Standing:
        counted = self._turns.get(match.id)
        if counted is None or counted[0] is not match:
            counted = self._turns[match.id] = match, TurnCount(None)
        turns = counted[1]
        turns.go_on(match)
        asked, request = match.asked, match.request
        seats: dict[Seat, int | None] = {}
        if asked is not None and not match.frozen:
            seats = {seat: match.records[move - 1].entry.at for seat, move in asked.seats.items()}
        if request is not None:
            at = match.records[request.move - 1].entry.at
            others = [seat for seat in match.seats if not match.takeback_answer_refused(seat, request.move)]
            seats |= {seat: at for seat in others if seat not in seats}
        turn = turns.names.get(turns.current, ("", turns.current))
        score, clock = match.game.score(match.live), clock_after(match, match.move)
        return Standing(
            match.move,
            seats,
            request.seat if request else None,
            turn,
            score,
            clock,
            match.frozen is not None,
        )


def _highlight(match: Match, language: str) -> Highlight:
    """The heaviest key moment of a match that is over; its end stands in every list anyway."""
    summary = summarize(match, match.move, usual_viewer(match, match.move))
    before = [moment for moment in key_moments(match, summary, match.move) if moment.move < match.move]
    if not before:
        return Highlight(0, "")
    heaviest = max(before, key=lambda moment: moment.weight)
    words = match.game.words(language, match.opened.options, match.opened.edition)
    return Highlight(heaviest.move, next(iter(why(match.game, words, summary, heaviest)), ""))


def _described(
    row: MatchRow,
    standing: Standing | None,
    player: str | None,
    reserved: Mapping[str, Reservations] | None,
    language: str,
) -> LobbyMatch:
    game = GAMES[row.game]
    words = game.texts[language]
    own = () if row.claimed or player is None else _seats_of(row, player)
    score: dict[Seat, int] = dict(standing.score) if standing else {}
    if row.result is not None:
        score = dict(row.result.score)
    return LobbyMatch(
        match=row.match,
        game=row.game,
        title=words.name(row.game),
        edition=row.edition,
        origin=row.origin,
        status=row.status,
        seats=row.seats,
        bots=row.bots,
        own=own,
        free=_free(row, player, reserved),
        asked=standing.asked if standing else {},
        takeback=standing.takeback if standing else None,
        unopened=row.unopened if row.status == WAITING else (),
        turn=turn_name(words, *standing.turn) if standing else "",
        score=score,
        move=max(row.move, standing.move) if standing else row.move,
        opened_at=row.opened_at,
        changed_at=row.changed_at,
        closed_at=row.closed_at,
        by=row.by,
        result=row.result,
        private=row.private,
        clock=standing.clock if standing else UNSET,
        frozen=True if standing and standing.frozen else UNSET,
    )


def _seats_of(row: MatchRow, player: str) -> tuple[Seat, ...]:
    return tuple(seat for seat, sits in row.seats.items() if sits == player)


def _free(row: MatchRow, player: str | None, reserved: Mapping[str, Reservations] | None) -> tuple[Seat, ...]:
    """The free seats that a player may take; `reserved` is None if that is not known now.

    Of a private match a player who does not sit in it sees only those that are reserved for that player.
    """
    if row.status != OPEN or reserved is None:
        return ()
    kept = reserved.get(row.match, Reservations()).seats
    free = [seat for seat, sits in row.seats.items() if sits is None]
    own = [seat for seat in free if player and seat in kept and kept[seat].player == player]
    if row.private and not (player and _seats_of(row, player)):
        return tuple(own)
    return tuple(seat for seat in free if seat not in kept or seat in own)


def players_in(matches: Iterable[LobbyMatch]) -> list[str]:
    """Return the players whose names a lobby shows, once each."""
    found = (player for row in matches for player in row.seats.values() if player)
    return sorted(player for player in set(found) if not player.startswith("bot:") and not name_of(player))


def group_of(row: LobbyMatch) -> str | None:
    """Return the list of the caller's matches in which this one stands; None: in none of them."""
    if not row.own:
        return None
    if row.status == OVER:
        return "over"
    if row.waits_for_me:
        return MINE
    return "open" if row.status == OPEN else THEIRS
