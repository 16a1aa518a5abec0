"""Turn summaries in words, English and Russian, from the game's own texts, made when they are read."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from domain.game import Game
from domain.kernel import Fact, Seat, Table
from domain.texts import Texts
from projections.moments import Moment
from projections.summary import (
    AnyPoint,
    AnyReason,
    LeadChanged,
    Over,
    Play,
    ScoreSwung,
    Summary,
    TrackMoved,
    Turn,
    Turned,
    fact_decoder,
)

_LONGEST = 500  # characters of a reason


class Heading(Fact[Table], frozen=True):
    """Which turn this is; `turn` is the id of the game's name for such turns; `number` 0: no number."""

    number: int
    first: int
    last: int
    single: bool
    turn: str


class Scored(Fact[Table], frozen=True):
    """How a turn changed the score of a seat."""

    seat: Seat
    before: int
    after: int
    gained: int


class Answered(Fact[Table], frozen=True):
    """An answer that no fact followed."""

    seat: Seat
    picks: tuple[str, ...]


class Path(Fact[Table], frozen=True):
    """The values of a track of the game, in order; `seat` is set if each seat has its own track."""

    track: str
    stood: tuple[int, ...]
    seat: Seat | None = None


class Step(Fact[Table], frozen=True):
    """How the score of a seat changed in one move."""

    seat: Seat
    before: int
    after: int


class Gained(Fact[Table], frozen=True):
    """The score moved towards a seat; `steps`: of each seat whose score changed, in words."""

    seat: Seat
    steps: str


class PlayTold(Struct, frozen=True):
    """One move of a turn in sentences."""

    move: int
    seat: Seat | None
    sentences: tuple[str, ...]


class TurnTold(Struct, frozen=True):
    """One turn in words: heading, score of each seat, turning points, the game's tracks, and move by move."""

    number: int
    heading: str
    score: tuple[str, ...]
    points: tuple[str, ...]
    plays: tuple[PlayTold, ...]
    paths: tuple[str, ...] = ()


def tell(game: Game, words: Texts, turn: Turn) -> TurnTold:
    """Return a turn in the language of `words`, the game's words for this match (see `Game.words`)."""
    ours = _with_own(words)
    return TurnTold(
        turn.number,
        _heading(ours, turn),
        tuple(
            ours.sentence(
                Scored(seat, turn.before[seat], turn.after[seat], turn.after[seat] - turn.before[seat])
            )
            for seat in game.seats
            if seat in turn.before
        ),
        tuple(_point(game, words, ours, turn, point) for point in turn.points),
        tuple(PlayTold(play.move, play.seat, tuple(_play(game, words, ours, play))) for play in turn.plays),
        tuple(_path(words, ours, track, stood) for track, stood in turn.paths.items()),
    )


def why(game: Game, words: Texts, summary: Summary, moment: Moment) -> tuple[str, ...]:
    """Return what happened at a key moment, the most important first; no sentence twice, and none is long."""
    ours = _with_own(words)
    reasons = (
        _reason(game, words, ours, summary.turns[weighed.turn - 1], weighed.reason)
        for weighed in moment.reasons
    )
    return tuple(dict.fromkeys(map(_cut, reasons)))


def _cut(sentence: str) -> str:
    """A sentence of at most `_LONGEST` characters: a file from elsewhere may hold facts of any length."""
    return sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST - 1]}…"


def _reason(game: Game, words: Texts, ours: Texts, turn: Turn, point: AnyReason) -> str:
    if isinstance(point, TrackMoved):
        named = words.field(point.track) or words.name(point.track)
        return ours.sentence(replace(point, track=named))
    if isinstance(point, ScoreSwung):
        return ours.sentence(Gained(point.seat, _steps(game, ours, point)))
    if isinstance(point, Turned | LeadChanged | Over):
        return _point(game, words, ours, turn, point)
    return ours.sentence(point)


def _steps(game: Game, ours: Texts, swing: ScoreSwung) -> str:
    before, after = swing.before, swing.after
    changed = (seat for seat in game.seats if before.get(seat) != after.get(seat))
    return "; ".join(ours.sentence(Step(seat, before[seat], after[seat])) for seat in changed)


def turn_name(words: Texts, called: str, number: int) -> str:
    """Return the name of a turn: that of its kind (`called`, "" for a plain turn), and its number."""
    name = _with_own(words).name(called or "turn")
    return f"{name} {number}" if number else name


def heading(words: Texts, turn: Turn) -> str:
    """Return the name of a turn and its moves, in the language of `words`."""
    return _heading(_with_own(words), turn)


def _heading(ours: Texts, turn: Turn) -> str:
    single = turn.first == turn.last
    name, number = (turn.called, turn.ordinal) if turn.called else ("turn", turn.number)
    return ours.sentence(Heading(number, turn.first, turn.last, single, name))


def _path(words: Texts, ours: Texts, track: str, stood: tuple[int, ...]) -> str:
    field, _, seat = track.partition("/")
    return ours.sentence(Path(words.field(field) or words.name(field), stood, seat or None))


def _play(game: Game, words: Texts, ours: Texts, play: Play) -> Iterator[str]:
    if not play.facts and play.seat and play.picks:
        labels = tuple(words.label(play.ask, pick) for pick in play.picks)
        yield ours.sentence(Answered(play.seat, labels))
    for raw in play.facts:
        yield words.sentence(fact_decoder(game).decode(raw))


def _point(game: Game, words: Texts, ours: Texts, turn: Turn, point: AnyPoint) -> str:
    if not isinstance(point, Turned):
        return ours.sentence(point)
    play = next(play for play in turn.plays if play.move == point.move)
    return words.sentence(fact_decoder(game).decode(play.facts[point.place]))


def _with_own(words: Texts) -> Texts:
    ours = _own(words.language)
    return ours.with_names({**ours.names, **words.names})


@lru_cache
def _own(language: str) -> Texts:
    return Texts.read(language, importlib.resources.files("projections"))
