"""The positions of a match for one viewer: every move with what it changed in the scene.

The patch of the first move is against nothing, every other one against the scene of the move before it by
number, also where that was taken back: so a client needs to know nothing of takebacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.chance import Drawn
from domain.events import Closed, TakenBack
from domain.game import Game
from domain.kernel import Seat, Table
from domain.log import Record
from domain.match import Match
from domain.match_base import ALL, Chair, Outline
from domain.texts import Marked
from domain.turns import turns
from replay.clocks import ClockShown, clock_after
from replay.narration import People, narrate
from replay.positions import NoView, kind_of, must_see, table_at
from replay.scenes import cia_vs_kgb, imperial_struggle, thirteen_minutes, twilight_struggle
from replay.scenes.generic import generic_scene
from replay.scenes.vocabulary import Data, Scene, plain_scene
from replay.words import Words

MOST = 2_000  # moves in one answer
SPECTATOR = "spectator"
FACES = frozenset("123456")

SCENES: dict[str, Callable[[Any], Scene]] = {
    "twilight_struggle": twilight_struggle.scene,
    "imperial_struggle": imperial_struggle.scene,
    "thirteen_minutes": thirteen_minutes.scene,
    "cia_vs_kgb": cia_vs_kgb.scene,
}
"""What the tables of these games look like; any other game has the generic scene."""


class ShownMove(Struct, frozen=True, omit_defaults=True):
    """One move: what it was, who is asked after it, the merge patch of its scene, and its sentences.

    `at` is in microseconds UTC, None where unknown; `stands`: it was not taken back.  `back_to`: it went back
    to the table after that move, so no move between the two stands any more.  `view`: the seat that the
    viewer played after it, where that is not the one of the whole answer.  `dice`: the faces
    of the dice that were rolled in the open.  `templates` are there in place of
    `sentences` if they were asked for: see `domain.texts.Marked.template`.  `clock`: what the clocks showed
    after it, if the match has a clock.
    """

    move: int
    kind: str
    seat: Seat | None
    at: int | None
    stands: bool
    turn: int
    asked: tuple[Seat, ...]
    scene: Data | UnsetType = UNSET
    sentences: tuple[Marked, ...] = ()
    back_to: int | None = None
    view: Seat | None = None
    templates: tuple[str, ...] = ()
    clock: ClockShown | UnsetType = UNSET
    dice: tuple[int, ...] = ()


class Positions(Struct, frozen=True):
    """The moves of a match behind `after` (0: from the first), each with what it changed in the scene.

    `view` is the seat that the viewer plays now, "spectator" or "all".  The scene of a move is a JSON merge
    patch (RFC 7396): the first one follows on the scene of the move `after`, or on `{}` if `after` is 0.
    `next` is the `after` of the next page, null at the end.
    """

    match: str
    view: str
    after: int
    moves: tuple[ShownMove, ...]
    next: int | None


def scene(game: Game, table: Table) -> Scene:
    """How a table, as one viewer saw it, looks; nothing else is known to the scene."""
    made = SCENES.get(game.name)
    return made(table) if made else generic_scene(table, game)


def scene_at(match: Outline, move: int, viewer: Seat | None) -> Scene:
    """The scene after `move`, as `viewer` (None: a spectator; ALL) saw it.

    Raises:
        NoView: see `replay.positions`.
    """
    return scene(match.game, table_at(match, move, viewer))


def positions(
    match: Match,
    viewer: Chair | Seat | None = None,
    after: int = 0,
    until: int | None = None,
    words: Words | None = None,
    people: People | None = None,
    most: int = MOST,
    templates: bool = False,
) -> Positions:
    """The moves behind `after`, up to `until` (None: the latest), for `viewer`; at most `most` of them.

    `viewer`: the player who sat down there, who sees each move as the seat that they play after it; None:
    a spectator; ALL.  Without `words` the moves have no sentences.  `templates`: with templates in
    place of sentences, which makes a compressed answer a third smaller.  Another thread may add moves
    meanwhile.

    Raises:
        NoView: no such moves or viewer, or a viewer whose parts are not there.
    """
    must_see(match, viewer)
    latest = match.move
    last = latest if until is None else min(until, latest)
    if not 0 <= after <= latest:
        raise NoView(f"there is no move {after}; the match has the moves 1 to {latest}")
    stop = min(last, after + min(most, MOST))
    view = _seat_of(match, viewer, latest)
    moves = tuple(_moves(match, viewer, range(after, stop), partial(_sentences, match, words, people or {})))
    if templates:
        moves = tuple(map(_with_templates, moves))
    told = tuple(move if move.view != view else replace(move, view=None) for move in moves)
    return Positions(match.id, view or SPECTATOR, after, told, stop if stop < last else None)


def _with_templates(move: ShownMove) -> ShownMove:
    """The same move, with templates in place of its sentences."""
    return replace(move, sentences=(), templates=tuple(told.template for told in move.sentences))


def shown_move(
    match: Match,
    move: int,
    viewer: Chair | Seat | None,
    turn: int,
    *,
    scene: bool = True,
    words: Words | None = None,
    people: People | None = None,
) -> ShownMove:
    """One move, as `positions` shows it.

    Args:
        turn: the turn of the move (see `domain.turns`).
        scene: with what it changed in the scene.
        words: if given, with its sentences.

    Raises:
        NoView: see `positions`.
    """
    must_see(match, viewer)
    seat, record = _seat_of(match, viewer, move), match.records[move - 1]
    changes: Data | UnsetType = UNSET
    if scene:
        changes = patch(_scene_after(match, viewer, move - 1), _scene_after(match, viewer, move))
    sentences = _sentences(match, words, people or {}, move, seat)
    return _shown(match, record, turn, match.stands(move), changes, sentences, seat)


def _scene_after(match: Match, viewer: Chair | Seat | None, move: int) -> Data:
    """The scene after a move as plain data; before the first one there is nothing."""
    return plain_scene(scene_at(match, move, _seat_of(match, viewer, move))) if move else {}


def _seat_of(match: Match, viewer: Chair | Seat | None, move: int) -> Seat | None:
    """As which seat the viewer sees a move."""
    return match.seat_of(Chair(viewer), move) if viewer else None


def _moves(
    match: Match,
    viewer: Chair | Seat | None,
    places: range,
    sentences: Callable[[int, Seat | None], tuple[Marked, ...]],
) -> Iterator[ShownMove]:
    """The moves that follow on these, each with the seat that sees it."""
    numbers, _ = turns(match, viewer if viewer == ALL else None)
    stands = set(match.line())
    before = _scene_after(match, viewer, places.start) if places else {}
    for record in match.records[places.start : places.stop]:
        move = record.move
        now, seat = _scene_after(match, viewer, move), _seat_of(match, viewer, move)
        told = sentences(move, seat)
        yield _shown(match, record, numbers[move - 1], move in stands, patch(before, now), told, seat)
        before = now


def _shown(
    match: Match,
    record: Record,
    turn: int,
    stands: bool,
    changes: Data | UnsetType,
    sentences: tuple[Marked, ...],
    seat: Seat | None,
) -> ShownMove:
    entry = record.entry
    asked = None if isinstance(entry, Closed) else match.asked_at(record.move)
    return ShownMove(
        record.move,
        kind_of(entry),
        getattr(entry, "seat", None),
        entry.at,
        stands,
        turn,
        tuple(asked.seats) if asked else (),
        changes,
        sentences,
        entry.to if isinstance(entry, TakenBack) else None,
        seat,
        clock=clock_after(match, record.move),
        dice=tuple(face for draw in getattr(entry, "draws", ()) for face in _faces(draw)),
    )


def _faces(draw: Drawn) -> tuple[int, ...]:
    """The faces of dice that fell in a draw; none if it was no throw of one die or of several at once."""
    is_throw = set(draw.pick) <= FACES and draw.n == len(FACES) ** len(draw.pick)
    return tuple(map(int, draw.pick)) if is_throw else ()


def _sentences(
    match: Match, words: Words | None, people: People, move: int, viewer: Seat | None
) -> tuple[Marked, ...]:
    return narrate(match, move, words, viewer, people).sentences if words else ()


# ── Merge patches (RFC 7396) between plain data without nulls: scenes have none ──


def patch(before: Data, after: Data) -> Data:
    """What makes `after` of `before`: only what differs, null where something is gone."""
    changes: Data = {key: None for key in before if key not in after}
    for key, value in after.items():
        old: Any = before.get(key)
        if old is value or (old == value and type(old) is type(value)):
            continue
        whole = not (isinstance(old, dict) and isinstance(value, dict))
        changes[key] = value if whole else patch(old, value)
    return changes
