"""Matches whose scenes are looked at: one of each game, and two that differ in unseen cards only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from domain.chance import Drawn, Forced, Ledger, Provable, Secret
from domain.games import GAMES
from domain.kernel import HIDDEN, Picks, Seat
from domain.log import canonical
from domain.match import Match
from domain.thirteen_minutes.facts import BattleBegan
from replay.scenes.vocabulary import Data
from tests.domain.played import piles
from tests.matches import Sitting, finished

SEED = 3
LATE_WAR = {"scenario": "late_war"}


@cache
def whole(game: str, seed: int = SEED) -> Match:
    """A whole random match."""
    return finished(GAMES[game], seed).match


@cache
def late_war() -> Match:
    """A whole random match of the Late War scenario."""
    return finished(GAMES["twilight_struggle"], SEED, options=LATE_WAR).match


def viewers(match: Match) -> tuple[Seat | None, ...]:
    """Everybody who looks at a match that is over."""
    return (None, *match.game.seats, "all")


class Told:
    """The draws of the scheme, and a memory of them."""

    def __init__(self, sitting: Sitting) -> None:
        self.answers: list[Picks] = []
        self._scheme = Provable(Secret(sitting.secret.bytes, sitting.id), "")

    def draw(self, label: str, face_up: bool, options: Picks, count: int, ledger: Ledger) -> list[Drawn]:
        """See `Source.draw`."""
        drawn = self._scheme.draw(label, face_up, options, count, ledger)
        self.answers.append(tuple(draw.pick for draw in drawn))
        return drawn


class Course:
    """The first answers of a recorded match, of seats and of chance, so that it can be played again."""

    def __init__(self, game: str, answers: int) -> None:
        self.game = game
        sitting = self._sitting()
        told = Told(sitting)
        sitting.seat_all(source=told)
        self.picks: list[tuple[Seat, Picks]] = []
        while sitting.match.status == "running" and len(self.picks) < answers:
            asked = sitting.match.asked
            assert asked is not None
            seat = sitting.random.choice(sorted(asked.seats))
            standing = sitting.match.prompt(seat)
            assert standing is not None
            question = standing[1]
            picks = tuple(sitting.random.sample(question.options, question.least or 1))
            sitting.answer(seat, *picks, source=told)
            self.picks.append((seat, picks))
        self.drawn, self.match = told.answers, sitting.match

    def _sitting(self) -> Sitting:
        return Sitting(GAMES[self.game], SEED, recorded=True)

    def twin(self, first: str, second: str, by: Seat | None = None) -> Match:
        """The same match with two cards exchanged, in what chance drew and what seats (or one) answered."""
        names = {first: second, second: first}
        sitting = self._sitting()
        chance = Forced(iter([tuple(names.get(pick, pick) for pick in picks) for picks in self.drawn]))
        sitting.seat_all(source=chance)
        for seat, picks in self.picks:
            swapped = names if by in (None, seat) else {}
            sitting.answer(seat, *(_exchanged(pick, swapped) for pick in picks), source=chance)
        return sitting.match


def _exchanged(pick: str, names: dict[str, str]) -> str:
    return ":".join(names.get(part, part) for part in pick.split(":"))


def strings(value: Any) -> Iterator[str]:
    """Every text in plain data, and every part of one that stands between dots or colons."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield from (value, *value.replace(":", ".").split("."))


def unseen(match: Match, viewer: Seat | None) -> set[str]:
    """The ids that the viewer expects in a face-down pile, and was never told."""
    expected = {card for pile in piles(match.table_at(match.move, viewer)) for card in pile.cards}
    told = [
        msgspec.to_builtins(fact)
        for record in match.records
        for fact in match.facts_for(record, viewer)
        if not isinstance(fact, BattleBegan)  # it lists the cards of the battle, and places none
    ]
    return expected - set(strings(told)) - {HIDDEN}


def same(one: Any, two: Any) -> bool:
    """Are these the same bytes?"""
    return bool(canonical(one) == canonical(two))


def patched(before: Data, changes: Data) -> Data:
    """`before` with the changes of a merge patch (RFC 7396), as a client applies it; neither is changed."""
    after = dict(before)
    for key, value in changes.items():
        if value is None:
            after.pop(key, None)
        elif isinstance(value, dict):
            old = after.get(key)
            after[key] = patched(old if isinstance(old, dict) else {}, value)
        else:
            after[key] = value
    return after
