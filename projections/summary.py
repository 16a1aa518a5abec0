"""Turn summaries of one match, as pure functions: what each turn brought.  `turns` calls them for a match.

A *turn* is the stretch up to a fact that `ends_period` (a battle, a round), whatever the game calls it.  What
follows that fact in the same move opens the next turn, unless the match ends there.

The caller passes the facts: those that a spectator may see, or all of them in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Annotated

import msgspec
from msgspec import Meta, Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.game import Game
from domain.kernel import AnyFact, Ended, Fact, Picks, Result, Seat, Table

_LONG, _END = 1_000, 500  # most values of a path, and how many of each end are shown if it has more


class Play(Struct, frozen=True, omit_defaults=True):
    """What one move brought to a turn: who answered what, and the facts that followed.

    `seat` is None if no answer led to the facts: the set-up, or what a turn opens with.  `picks` is None if
    the picks were secret.
    """

    move: int
    facts: tuple[Annotated[Raw, Meta(extra_json_schema={"type": "object"})], ...]
    seat: Seat | None = None
    ask: str = ""
    picks: Picks | None = None


class Point(Fact[Table], frozen=True, tag_field="point"):
    """A turning point of the match; it has sentences, as a fact has."""

    move: int


class LeadChanged(Point, frozen=True, tag="lead"):
    """`seat` leads alone; the last to do so was `before` (None: no seat yet)."""

    seat: Seat
    before: Seat | None


class Turned(Point, frozen=True, tag="fact"):
    """A fact that the game marks as a turning point: the `place`-th of the move's play, from 0."""

    place: int


class Over(Point, frozen=True, tag="over"):
    """The match closed; `ruling` is the organizer's reason, `void`: it has no result."""

    by: str
    winner: Seat | None
    reason: str
    ruling: str = ""
    void: bool = False


class ScoreSwung(Point, frozen=True, tag="gain"):
    """In one move `seat` gained on the best of the others; the scores before and after it."""

    seat: Seat
    before: dict[Seat, int]
    after: dict[Seat, int]


class TrackMoved(Point, frozen=True, tag="track"):
    """The largest step of a track, that of a `seat` if each has its own."""

    track: str
    before: int
    now: int
    seat: Seat | None = None


class RuledBack(Point, frozen=True, tag="ruling"):
    """The organizer ruled that the match goes on from the table after move `to`."""

    to: int
    ruling: str


AnyPoint = LeadChanged | Turned | Over
AnyReason = AnyPoint | ScoreSwung | TrackMoved | RuledBack


class Turn(Struct, frozen=True, omit_defaults=True):
    """One turn: its moves, the score of each seat before and after it, its plays and turning points.

    `paths`: the values of each track of the game, beginning with that of the turn before (see `Fact.marks`).
    `called` and `ordinal`: the game's name for this turn, if it has several kinds of turns (see
    `Fact.opens`).
    """

    number: int
    first: int
    last: int
    before: dict[Seat, int]
    after: dict[Seat, int]
    plays: tuple[Play, ...] = ()
    points: tuple[AnyPoint, ...] = ()
    ended: bool = False
    paths: dict[str, tuple[int, ...]] = {}
    called: str = ""
    ordinal: int = 0


class Change(Struct, frozen=True):
    """What one play changed: the score of each seat before and after it, and the tracks that it moved.

    `tracks`: the values before and after it, by track (see `Fact.marks`).  `ends_turn`: it ended its turn.
    """

    move: int
    turn: int
    before: dict[Seat, int]
    after: dict[Seat, int]
    tracks: dict[str, tuple[int, int]]
    ends_turn: bool


class Summary(Struct, frozen=True):
    """A match in turns, and what each play after the set-up changed."""

    turns: tuple[Turn, ...]
    changes: tuple[Change, ...]

    def without_points(self, move: int | None) -> Summary:
        """Return the same without the turning points of one move."""
        turns = [replace(turn, points=tuple(p for p in turn.points if p.move != move)) for turn in self.turns]
        return replace(self, turns=tuple(turns))

    def closed(self, over: Over) -> Summary:
        """Return the same with the end of the match in the last turn; without plays there are no turns."""
        if not self.turns:
            return self
        last = self.turns[-1]
        last = replace(last, last=max(last.last, over.move), ended=True, points=(*last.points, over))
        return replace(self, turns=(*self.turns[:-1], last))


def summarized(game: Game, table: Table, plays: Iterable[tuple[Play, Sequence[AnyFact]]]) -> Summary:
    """Return the summary of a match from its plays, each with its decoded facts; `table` is the empty table.

    Scores and tracks are open to all, so the facts may be those that a spectator sees, while the play holds
    what another viewer sees.
    """
    telling = _Telling(game, table)
    for play, facts in plays:
        telling.tell(play, facts)
    return Summary(telling.done(), tuple(telling.changes))


def fitting(turn: Turn, first: int, size: int) -> int:
    """Return how many plays, from the `first` on, have facts of at most `size` bytes together; at least 1."""
    for count, play in enumerate(turn.plays[first:]):
        size -= sum(len(bytes(fact)) for fact in play.facts)
        if size < 0:
            return max(count, 1)
    return len(turn.plays) - first


def part(turn: Turn, first: int, last: int) -> Turn:
    """Return a turn with only its plays from the `first` up to the `last`, and their turning points.

    A path that is longer than any real game makes is cut to its two ends.
    """
    paths = {
        track: path if len(path) <= _LONG else path[:_END] + path[-_END:]
        for track, path in turn.paths.items()
    }
    after = turn.plays[first - 1].move if first else -1
    until = turn.plays[last - 1].move if last < len(turn.plays) else None
    points = tuple(p for p in turn.points if after < p.move and (until is None or p.move <= until))
    return replace(turn, plays=turn.plays[first:last], points=points, paths=paths)


def leader(score: dict[Seat, int]) -> Seat | None:
    """Return the seat that leads alone; None if no seat does."""
    most = max(score.values(), default=0)
    best = [seat for seat, points in score.items() if points == most]
    return best[0] if len(best) == 1 else None


def over(move: int, by: str, result: Result | None, ruling: str = "") -> Over:
    """Return the turning point of a match's end."""
    if result is None:
        return Over(move, by, None, "", ruling, void=True)
    return Over(move, by, result.winner, result.reason, ruling)


def _pieces(facts: Sequence[AnyFact]) -> Iterator[tuple[int, int]]:
    """Cut the facts of one move after each that ends a turn; the end of a match stays with its turn."""
    start = 0
    for place, fact in enumerate(facts, 1):
        if fact.ends_period and _opens_turn(facts[place:]):
            yield start, place
            start = place
    yield start, len(facts)


def _opens_turn(rest: Sequence[AnyFact]) -> bool:
    """Do the facts after the end of a turn open the next one?"""
    last_turn = any(isinstance(fact, Ended) for fact in rest) and not any(fact.ends_period for fact in rest)
    return bool(rest) and not last_turn


class _Telling:
    """Builds the summaries: holds the current turn, and the finished ones."""

    def __init__(self, game: Game, table: Table) -> None:
        self._game, self._table = game, table
        self._score = game.score(table)
        self._leader: Seat | None = None  # the last seat that led alone
        self._turns: list[Turn] = []
        self._running: _Running | None = None
        self.changes: list[Change] = []

    def done(self) -> tuple[Turn, ...]:
        """All turns so far, the current one included."""
        return (*self._turns, self._running.turn(self._score)) if self._running else tuple(self._turns)

    def tell(self, play: Play, facts: Sequence[AnyFact]) -> None:
        """Add a move."""
        if not any(fact.ends_period for fact in facts):
            self._tell(play, facts)
            return
        for start, end in _pieces(facts):
            # The answer led to the first piece only; the later ones open turns of their own.
            answer = (play.seat, play.ask, play.picks) if start == 0 else ()
            self._tell(Play(play.move, play.facts[start:end], *answer), facts[start:end])

    def _tell(self, play: Play, facts: Sequence[AnyFact]) -> None:
        running = self._running = self._running or self._opened(play.move)
        before, score = self._table, self._score
        tracks: dict[str, tuple[int, int]] = {}
        self._table = kernel.fold(before, facts)
        running.last = play.move
        running.plays.append(play)
        for place, fact in enumerate(facts):
            kind = _speaks(type(fact))
            if kind.opens and (name := fact.opens()) is not None:
                running.called, running.ordinal = name
            if kind.marks:
                running.mark(fact, before, tracks)
            if fact.turning:
                running.points.append(Turned(play.move, place))
            if fact.ends_period:
                running.ended = True
        self._count(running, play.move)
        if (tracks or score != self._score) and (play.seat or self.changes):
            self.changes.append(Change(play.move, running.number, score, self._score, tracks, running.ended))
        if running.ended:
            self._turns.append(running.turn(self._score))
            self._running = None

    def _count(self, running: _Running, move: int) -> None:
        score = self._game.score(self._table)
        if score == self._score and self._leader is not None:
            return
        self._score = score
        leads = leader(score)
        if leads is not None and leads != self._leader:
            running.points.append(LeadChanged(move, leads, self._leader))
            self._leader = leads

    def _opened(self, move: int) -> _Running:
        last = self._turns[-1] if self._turns else None
        paths = {track: path[-1:] for track, path in last.paths.items()} if last else {}
        return _Running(len(self._turns) + 1, move, self._score, paths)


class _Running:
    """The current turn, which grows with each play."""

    def __init__(
        self, number: int, first: int, before: dict[Seat, int], paths: dict[str, tuple[int, ...]]
    ) -> None:
        self.number, self._first, self._before, self._paths = number, first, before, paths
        self.last, self.ended = first, False
        self.called, self.ordinal = "", 0
        self.plays: list[Play] = []
        self.points: list[AnyPoint] = []

    def turn(self, score: dict[Seat, int]) -> Turn:
        """Return the turn as it is now."""
        return Turn(
            self.number,
            self._first,
            self.last,
            self._before,
            score,
            plays=tuple(self.plays),
            points=tuple(self.points),
            ended=self.ended,
            paths=self._paths,
            called=self.called,
            ordinal=self.ordinal,
        )

    def mark(self, fact: AnyFact, before: Table, tracks: dict[str, tuple[int, int]]) -> None:
        """Add what a fact marks to the paths, and to `tracks` where each stood and stands.

        A new path begins with the value of its track `before`.
        """
        for track, now in fact.marks():
            known = self._paths.get(track) or (_standing(before, track),)
            tracks[track] = (tracks[track][0] if track in tracks else known[-1], now)
            self._paths[track] = known if known[-1] == now else (*known, now)


class _Speaks(Struct, frozen=True):
    """Do facts of a kind name turns, or mark tracks?"""

    opens: bool
    marks: bool


@cache
def _speaks(kind: type[AnyFact]) -> _Speaks:
    return _Speaks(kind.opens is not Fact.opens, kind.marks is not Fact.marks)


def _standing(table: Table, track: str) -> int:
    field, _, seat = track.partition("/")
    found = getattr(table, field)
    return int(found[seat] if seat else found)


@lru_cache
def fact_decoder(game: Game) -> msgspec.json.Decoder[AnyFact]:
    """Return a decoder for the facts of a game; building one is slow, so it is cached."""
    return msgspec.json.Decoder(game.facts)
