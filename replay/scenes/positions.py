"""The positions of a match for one viewer: every move with what it changed in the scene.

The patch of the first move is against nothing, every other one against the scene of the move before it by
number, also where that was taken back: whoever folds them needs to know nothing of takebacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from domain.game import Game
from domain.kernel import Seat, Table
from domain.match import Match
from domain.texts import Marked
from replay.narration import People, narrate
from replay.periods import turns
from replay.positions import NoView, kind_of, must_see, table_at
from replay.scenes import cia_vs_kgb, imperial_struggle, thirteen_minutes, twilight_struggle
from replay.scenes.generic import generic_scene
from replay.scenes.patches import Data, patch
from replay.scenes.vocabulary import Scene, plain_scene
from replay.words import Words

MOST = 2_000  # moves in one answer
SPECTATOR = "spectator"

SCENES: dict[str, Callable[[Any], Scene]] = {
    "twilight_struggle": twilight_struggle.scene,
    "imperial_struggle": imperial_struggle.scene,
    "thirteen_minutes": thirteen_minutes.scene,
    "cia_vs_kgb": cia_vs_kgb.scene,
}
"""What the tables of these games look like; any other game has the generic scene."""


class ShownMove(Struct, frozen=True, omit_defaults=True):
    """One move: what it was, who is asked after it, the merge patch of its scene, and its sentences.

    `at` is in microseconds UTC, None where unknown; `stands`: it was not taken back.
    """

    move: int
    kind: str
    seat: Seat | None
    at: int | None
    stands: bool
    turn: int
    asked: tuple[Seat, ...]
    scene: Data
    sentences: tuple[Marked, ...] = ()


class Positions(Struct, frozen=True):
    """Moves that follow on `after` (0: nothing); `next` is the `after` of the rest, None at the end."""

    match: str
    view: str
    after: int
    moves: tuple[ShownMove, ...]
    next: int | None


def scene(game: Game, table: Table) -> Scene:
    """How a table, as one viewer was told it, looks; nothing else is known to the scene."""
    made = SCENES.get(game.name)
    return made(table) if made else generic_scene(table, game)


def scene_at(match: Match, move: int, viewer: Seat | None) -> Scene:
    """The scene after `move`, as `viewer` (None: a spectator; ALL) was told it.

    Raises:
        NoView: see `replay.positions`.
    """
    return scene(match.game, table_at(match, move, viewer))


def positions(
    match: Match,
    viewer: Seat | None = None,
    after: int = 0,
    until: int | None = None,
    words: Words | None = None,
    people: People | None = None,
) -> Positions:
    """The moves behind `after`, up to `until` (None: the latest), for `viewer`; at most `MOST` of them.

    Without `words` the moves have no sentences.

    Raises:
        NoView: no such moves or viewer, or a viewer whose parts are not there.
    """
    must_see(match, viewer)
    last = match.move if until is None else min(until, match.move)
    if not 0 <= after <= match.move:
        raise NoView(f"there is no move {after}; the match has the moves 1 to {match.move}")
    stop = min(last, after + MOST)
    sentences = partial(_sentences, match, viewer, words, people or {})
    moves = tuple(_moves(match, viewer, after, stop, sentences))
    return Positions(match.id, viewer or SPECTATOR, after, moves, stop if stop < last else None)


def _moves(
    match: Match, viewer: Seat | None, after: int, stop: int, sentences: Callable[[int], tuple[Marked, ...]]
) -> Iterator[ShownMove]:
    numbers, _ = turns(match, viewer)
    stands = set(match.line())
    before = plain_scene(scene_at(match, after, viewer)) if after else {}
    for record in match.records[after:stop]:
        now = plain_scene(scene_at(match, record.move, viewer))
        asked = None if record.move == match.move and match.closed else match.asked_at(record.move)
        yield ShownMove(
            record.move,
            kind_of(record.entry),
            getattr(record.entry, "seat", None),
            record.entry.at,
            record.move in stands,
            numbers[record.move - 1],
            tuple(asked.seats) if asked else (),
            patch(before, now),
            sentences(record.move),
        )
        before = now


def _sentences(
    match: Match, viewer: Seat | None, words: Words | None, people: People, move: int
) -> tuple[Marked, ...]:
    return narrate(match, move, words, viewer, people).sentences if words else ()
