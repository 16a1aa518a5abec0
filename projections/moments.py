"""The key moments of a match: the few moves that somebody who did not watch should look at.

Any game has them: the ends of the lead of one side, the largest gains of the score, the largest step of each
track, the facts that the game marks as turning points, rulings, and the end.  Each reason has a weight from 1
to 100.  It depends on how the reason compares with others of its kind in this match, so the moments of a
running match may change, and those of a match that is over never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from domain.events import Ruled
from domain.game import Game
from domain.kernel import Seat
from domain.match import Match
from projections.summary import (
    AnyPoint,
    AnyReason,
    Change,
    LeadChanged,
    Over,
    RuledBack,
    ScoreSwung,
    Summary,
    TrackMoved,
    Turned,
    fact_decoder,
)

MOST = 12
END, RULING, TRACK = 100, 95, 46
LEADS = (76, 68, 60, 52, 44, 36)  # of those changes of the lead after which it lasted longest
GAINS = (80, 74, 68, 62, 56, 50)  # of the largest gains of one move
TURNING, RARE = 30, 24  # of a turning point, and what one adds that comes once in a match
REASONS, MORE = 3, 4  # of a moment, and what each further one adds to the heaviest


class Weighed(Struct, frozen=True):
    """A reason with its weight, and its turn: one move can end a turn and open the next."""

    weight: int
    turn: int
    reason: AnyReason


class Moment(Struct, frozen=True):
    """A move with what happened there: at most `REASONS`, the heaviest first."""

    move: int
    turn: int
    weight: int
    reasons: tuple[Weighed, ...]


def key_moments(match: Match, summary: Summary, move: int) -> tuple[Moment, ...]:
    """Return the heaviest moments of a match as it was after `move`, at most `MOST`, by move."""
    found = [
        *_ends(summary),
        *_rulings(match, summary, move),
        *_leads(summary, move),
        *_gains(summary.changes),
        *_turned(match.game, summary),
    ]
    gained = {weighed.reason.move for weighed in found if isinstance(weighed.reason, ScoreSwung)}
    found += [weighed for weighed in _tracks(summary.changes) if weighed.reason.move not in gained]
    by_move: dict[int, list[Weighed]] = {}
    for weighed in found:
        by_move.setdefault(weighed.reason.move, []).append(weighed)
    moments = [_moment(at, reasons) for at, reasons in by_move.items()]
    heaviest = sorted(moments, key=lambda moment: (-moment.weight, -moment.move))[:MOST]
    return tuple(sorted(heaviest, key=lambda moment: moment.move))


def _moment(move: int, reasons: list[Weighed]) -> Moment:
    reasons = sorted(reasons, key=lambda weighed: -weighed.weight)[:REASONS]
    first = reasons[0]
    more = MORE * (len(reasons) - 1)
    weight = first.weight if first.weight >= RULING else min(first.weight + more, RULING - 1)
    return Moment(move, first.turn, weight, tuple(reasons))


def _ends(summary: Summary) -> Iterator[Weighed]:
    for turn, point in _points(summary):
        if isinstance(point, Over):
            yield Weighed(END, turn, point)


def _points(summary: Summary) -> Iterator[tuple[int, AnyPoint]]:
    """The turning points, each with the number of its turn."""
    return ((turn.number, point) for turn in summary.turns for point in turn.points)


def _rulings(match: Match, summary: Summary, move: int) -> Iterator[Weighed]:
    """Rulings that took something back; one that ends the match is its end."""
    for record in match.records[:move]:
        entry = record.entry
        if isinstance(entry, Ruled) and entry.back_to is not None:
            turn = next((turn.number for turn in reversed(summary.turns) if turn.first <= record.move), 1)
            yield Weighed(RULING, turn, RuledBack(record.move, entry.back_to, entry.reason))


def _leads(summary: Summary, last: int) -> Iterator[Weighed]:
    """Changes of the lead, by the number of moves until the next one."""
    points = [(turn, point) for turn, point in _points(summary) if isinstance(point, LeadChanged)]
    ends = [*(point.move for _, point in points), last][1:]
    lasted = [(end - point.move, turn, point) for (turn, point), end in zip(points, ends, strict=True)]
    lasted.sort(key=lambda lead: (-lead[0], -lead[2].move))
    for weight, (_, turn, point) in zip(LEADS, lasted, strict=False):
        yield Weighed(weight, turn, point)


def _gains(changes: Iterable[Change]) -> Iterator[Weighed]:
    """The largest gains of one side over the others in one move."""
    gains = [gain for change in changes if (gain := _gain(change)) is not None]
    gains.sort(key=lambda gain: (-gain[0], -gain[1].move))
    for weight, (_, change, seat) in zip(GAINS, gains, strict=False):
        yield Weighed(weight, change.turn, ScoreSwung(change.move, seat, change.before, change.after))


def _gain(change: Change) -> tuple[int, Change, Seat] | None:
    """Which side gained most on the best of the others, and how much; None if no side did."""
    gained = {seat: _ahead(change.after, seat) - _ahead(change.before, seat) for seat in change.after}
    seat = max(gained, key=lambda seat: gained[seat], default="")
    return (gained[seat], change, seat) if seat and gained[seat] > 0 else None


def _ahead(score: dict[Seat, int], seat: Seat) -> int:
    """How many points a side has more than the best of the others."""
    return score.get(seat, 0) - max((points for other, points in score.items() if other != seat), default=0)


def _turned(game: Game, summary: Summary) -> Iterator[Weighed]:
    """The facts that the game marks, but no ends of turns; those of a kind that is rare here weigh more."""
    decode = fact_decoder(game).decode
    facts = {(turn.number, play.move): play.facts for turn in summary.turns for play in turn.plays}
    found = [
        (turn, point, type(decode(facts[turn, point.move][point.place])))
        for turn, point in _points(summary)
        if isinstance(point, Turned)
    ]
    kinds = Counter(kind for _, _, kind in found)
    for turn, point, kind in found:
        if not kind.ends_period:
            yield Weighed(TURNING + RARE // kinds[kind], turn, point)


def _tracks(changes: Iterable[Change]) -> Iterator[Weighed]:
    """The largest step of each track, the latest of equal ones; a step of one is none.

    Steps at the end of a turn do not count: most of them put a track back to its start.
    """
    largest: dict[str, tuple[int, TrackMoved]] = {}
    for change in changes:
        for track, (before, now) in change.tracks.items():
            field, _, seat = track.partition("/")
            known = abs(largest[field][1].now - largest[field][1].before) if field in largest else 2
            if abs(now - before) >= known and not change.ends_turn:
                largest[field] = change.turn, TrackMoved(change.move, field, before, now, seat or None)
    for turn, moved in largest.values():
        yield Weighed(TRACK, turn, moved)
