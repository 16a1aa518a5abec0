"""The bracket of a knock-out as its page shows it: columns of contests, with both sides and their games."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from api.web.tournament_parts import Frame, half
from domain.tournaments.formats.bracket import Contest, Game

_HALVES = {"1-0": (2, 0), "+-": (2, 0), "0-1": (0, 2), "-+": (0, 2), "½": (1, 1)}


class GameShown(Struct, frozen=True):
    """A game of one side: its points in words, and the board of the tournament."""

    round: int
    board: int
    result: str


class SideShown(Struct, frozen=True):
    """One side of a contest; `empty` says why no entrant is there: "bye" or "nobody"."""

    entrant: str
    seed: int
    won: bool
    games: tuple[GameShown, ...]
    empty: str = ""


def bracket_of(frame: Frame) -> list[list[tuple[SideShown, SideShown]]]:
    """Return the columns of the bracket; none if there is none, or no round of it is public."""
    s = frame.s
    stage = s.playing
    if stage.terms.format != "knockout" or not any(one.status != "paired" for one in stage.rounds):
        return []
    found = s.bracket
    seeds = {one.id: number for number, one in enumerate(stage.numbered, 1)}
    return [[_sides(frame, one, seeds) for one in column] for column in (found.rounds if found else ())]


def _sides(frame: Frame, one: Contest, seeds: dict[str, int]) -> tuple[SideShown, SideShown]:
    first, second = (
        SideShown(
            name,
            seeds.get(name, 0),
            bool(name) and one.winner == name,
            _games(frame, one.games, name),
            "" if name else "bye" if one.round == 1 else "nobody",
        )
        for name in (one.better, one.worse)
    )
    return first, second


def _games(frame: Frame, games: Sequence[Game], name: str) -> tuple[GameShown, ...]:
    """The games of a side; those of a round that is not public are left out."""
    s, shown = frame.s, list[GameShown]()
    before = s.first_of_stage - 1
    for one in games:
        had = s.rounds[one.round + before - 1]
        board = had.board_of(name)
        if had.status != "paired" and board is not None:
            points = _HALVES.get(one.result, (0, 0))[0 if one.w == name else 1]
            shown.append(GameShown(had.number, board.number, half(points) if one.result else ""))
    return tuple(shown)
