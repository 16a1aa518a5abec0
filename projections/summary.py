"""Turn summaries of one match, pure: what each turn brought.  `turns` keeps them as rows.

A *turn* is the stretch up to a fact that `ends_period` (a battle, a round), whatever the game calls it.  What
follows that fact in the same move opens the next turn, unless the match ends there.

Whoever calls says which facts: those that a spectator was told, or the truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from domain import kernel
from domain.game import Game
from domain.kernel import Ended, Fact, Picks, Result, Seat, Table


class Play(Struct, frozen=True, omit_defaults=True):
    """What one move brought to a turn: who answered what, and the facts that followed.

    `seat` is None where nobody's answer led to the facts: the set-up, or what a turn opens with.  `picks` is
    None where they were secret.
    """

    move: int
    facts: tuple[Raw, ...]
    seat: Seat | None = None
    ask: str = ""
    picks: Picks | None = None


class Point(Fact, frozen=True, tag_field="point"):
    """A turning point, after which the match stood otherwise; told in words like a fact."""

    move: int


class LeadChanged(Point, frozen=True, tag="lead"):
    """`seat` leads alone; the last to do so was `before` (None: nobody yet)."""

    seat: Seat
    before: Seat | None


class Turned(Point, frozen=True, tag="fact"):
    """A fact that the game itself marks as turning: the `place`-th of the move's play, from 0."""

    place: int


class Over(Point, frozen=True, tag="over"):
    """The match closed; `ruling` is the organizer's reason, `void`: it has no result."""

    by: str
    winner: Seat | None
    reason: str
    ruling: str = ""
    void: bool = False


AnyPoint = LeadChanged | Turned | Over


class Turn(Struct, frozen=True, omit_defaults=True):
    """One turn: its moves, the score of each seat before and after it, its plays and turning points.

    `paths`: where each track of the game stood, from the turn before on (see `Fact.marks`).  `called` and
    `ordinal`: what the game calls this turn, where it has several kinds of them (see `Fact.opens`).
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


class Summary(Struct, frozen=True):
    """How far the summaries of a match have come.

    `leader` led alone last.  `turns` begins with the running turn as given to `told`, and goes on with those
    opened since; () before the first play.
    """

    table: Table
    score: dict[Seat, int]
    leader: Seat | None = None
    turns: tuple[Turn, ...] = ()


def beginning(game: Game, table: Table) -> Summary:
    """Nothing has happened on this empty table."""
    return Summary(table, game.score(table))


def told(game: Game, so_far: Summary, play: Play, facts: Sequence[Fact]) -> Summary:
    """The summaries after one more move; `facts` are those of the play, decoded."""
    for start, end in _pieces(facts):
        # The answer led to the first piece; the later ones open turns of their own accord.
        answer = (play.seat, play.ask, play.picks) if start == 0 else ()
        told_as = Play(play.move, play.facts[start:end], *answer)
        so_far = _with_piece(game, so_far, told_as, facts[start:end])
    return so_far


def closed(so_far: Summary, over: Over) -> Summary:
    """The summaries after the match closed; a match without a play has none."""
    if not so_far.turns:
        return so_far
    last = so_far.turns[-1]
    last = replace(last, last=max(last.last, over.move), ended=True, points=(*last.points, over))
    return replace(so_far, turns=(*so_far.turns[:-1], last))


def leader(score: dict[Seat, int]) -> Seat | None:
    """Who leads alone."""
    most = max(score.values(), default=0)
    best = [seat for seat, points in score.items() if points == most]
    return best[0] if len(best) == 1 else None


def over(move: int, by: str, result: Result | None, ruling: str = "") -> Over:
    """The turning point of a match's end."""
    if result is None:
        return Over(move, by, None, "", ruling, void=True)
    return Over(move, by, result.winner, result.reason, ruling)


def _pieces(facts: Sequence[Fact]) -> Iterator[tuple[int, int]]:
    """Where to cut the facts of one move: after each that ends a turn; a match's end stays with its turn."""
    start = 0
    for place, fact in enumerate(facts, 1):
        if fact.ends_period and _opens_turn(facts[place:]):
            yield start, place
            start = place
    yield start, len(facts)


def _opens_turn(rest: Sequence[Fact]) -> bool:
    """Do the facts after the end of a turn open the next one?"""
    last_turn = any(isinstance(fact, Ended) for fact in rest) and not any(fact.ends_period for fact in rest)
    return bool(rest) and not last_turn


def _with_piece(game: Game, so_far: Summary, play: Play, facts: Sequence[Fact]) -> Summary:
    table = kernel.fold(so_far.table, facts)
    score = game.score(table)
    leads = leader(score) or so_far.leader
    turn = _named(_running(so_far, play.move), facts)
    turn = replace(
        turn,
        last=play.move,
        after=score,
        plays=(*turn.plays, play),
        points=(*turn.points, *_points(so_far, play.move, facts, leads)),
        ended=any(fact.ends_period for fact in facts),
        paths=_longer(turn.paths, facts, so_far.table),
    )
    before = tuple(known for known in so_far.turns if known.number < turn.number)
    return Summary(table, score, leads, (*before, turn))


def _named(turn: Turn, facts: Sequence[Fact]) -> Turn:
    for fact in facts:
        name = fact.opens()
        if name is not None:
            turn = replace(turn, called=name[0], ordinal=name[1])
    return turn


def _longer(
    paths: dict[str, tuple[int, ...]], facts: Sequence[Fact], before: Table
) -> dict[str, tuple[int, ...]]:
    """The paths with what these facts mark; one that begins here begins where its track stood `before`."""
    paths = dict(paths)
    for track, now in (mark for fact in facts for mark in fact.marks()):
        known = paths.get(track) or (_standing(before, track),)
        paths[track] = known if known[-1] == now else (*known, now)
    return paths


def _standing(table: Table, track: str) -> int:
    field, _, seat = track.partition("/")
    found = getattr(table, field)
    return int(found[seat] if seat else found)


def _points(
    so_far: Summary, move: int, facts: Sequence[Fact], leads: Seat | None
) -> Iterator[LeadChanged | Turned]:
    for place, fact in enumerate(facts):
        if fact.turning:
            yield Turned(move, place)
    if leads is not None and leads != so_far.leader:
        yield LeadChanged(move, leads, so_far.leader)


def _running(so_far: Summary, move: int) -> Turn:
    """The turn to which a move belongs: the running one, or a new one."""
    if so_far.turns and not so_far.turns[-1].ended:
        return so_far.turns[-1]
    number = so_far.turns[-1].number + 1 if so_far.turns else 1
    stood = so_far.turns[-1].paths if so_far.turns else {}
    paths = {track: path[-1:] for track, path in stood.items()}
    return Turn(number, move, move, so_far.score, so_far.score, paths=paths)


@lru_cache
def fact_decoder(game: Game) -> msgspec.json.Decoder[Any]:
    """Decodes the facts of a game; building one is slow."""
    return msgspec.json.Decoder(game.facts)
