"""Verification of whole match files (log, chance, fold, rules): under 150 ms for each is the aim.

For Imperial Struggle the aim is under 200 ms.  The floor is to decode and fold the same moves.

Then logs that a forger has made long: 10,000 and 100,000 takeback requests, takebacks and rulings in one
match; ten times as many entries must take at most eleven times as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from _bench import QUICK, compared, many, rate, say

from api.seeded import SeededKeys, note_by
from domain import kernel
from domain.chance import Secret
from domain.drafts import Context, Draft
from domain.games import GAMES
from domain.log import codec
from domain.match import Match, open_match
from replay import matchfile
from replay.verify import verify

AIMS = {"imperial_struggle": 200}
AIM = 150


def main() -> None:
    """One line for each game, and one for each long match."""
    key = SeededKeys().signing
    for name, matches in many(6).items():
        chosen = [match for match, _ in matches]
        files = [matchfile.write(match.records, note_by(key, match)) for match in chosen]
        _measure(name, chosen, files)
    fewer, more = (50, 200) if QUICK else (10_000, 100_000)
    for kind, step in LONG.items():
        floor, ours = _long(step, fewer), _long(step, more)
        say(
            f"verify, {kind}",
            f"{ours:.1f} s of CPU for {more:,} moves; floor: {floor:.1f} s for {fewer:,};"
            f" ratio {ours / floor:.1f} (aim: 11)",
        )


_CONTEXT = Context(Secret(bytes(32), "long"), None, "bench")


def _declined(match: Match) -> list[Draft]:
    """Request a takeback to the beginning, and decline it."""
    return [
        _accepted(match, match.ask_takeback(_CONTEXT, "kgb", 3)),
        _accepted(match, match.answer_takeback(_CONTEXT, "cia", match.move, agree=False)),
    ]


def _agreed(match: Match) -> list[Draft]:
    """Take back an answer by agreement, and give it again."""
    return [
        _accepted(match, match.ask_takeback(_CONTEXT, "cia")),
        _accepted(match, match.answer_takeback(_CONTEXT, "kgb", match.move, agree=True)),
        _accepted(match, match.play(_CONTEXT, "cia", [("left",)])),
    ]


def _ruled(match: Match) -> list[Draft]:
    """Rule, as an organizer, that the match goes back to its beginning."""
    return [_accepted(match, match.rule(_CONTEXT, "o", "again", back_to=3))]


LONG: dict[str, Callable[[Match], list[Draft]]] = {
    "takeback requests declined": _declined,
    "takebacks agreed": _agreed,
    "rulings": _ruled,
}


def _accepted(match: Match, draft: Draft) -> Draft:
    match.add(draft)
    return draft


def _long(step: Callable[[Match], list[Draft]], moves: int) -> float:
    """Seconds of CPU to verify a match of so many moves, all made by `step`."""
    game = GAMES["cia_vs_kgb"]
    opening = open_match(_CONTEXT, game, *game.settle(None, {}), match="long", origin="live", opener=None)
    match = Match.project(None, opening.records)
    assert match is not None, "an opening is a record"
    for seat in game.seats:
        _accepted(match, match.sit(_CONTEXT, seat, seat, salt=None, bot="", source=None))
    _accepted(match, match.play(_CONTEXT, "cia", [("left",)]))
    while match.move < moves - 8:
        step(match)
    _accepted(match, match.resign(_CONTEXT, "cia"))
    file = matchfile.write(match.records, note_by(SeededKeys().signing, match))
    began = time.process_time()
    report = verify(file)
    seconds = time.process_time() - began
    assert report.ok, report
    return seconds


def _measure(name: str, matches: list[Match], files: list[bytes]) -> None:
    game, moves = matches[0].game, sum(match.move for match in matches)
    read = codec(game).read
    stored = [[record.stored for record in match.records] for match in matches]

    def floor_task() -> None:
        for match, states in zip(matches, stored, strict=True):
            table = game.table(match.opened.edition, match.opened.options)
            for state in states:
                table = kernel.fold(table, read(match.id, state).facts)

    def ours_task() -> None:
        for file in files:
            assert verify(file).ok

    floor, ours = compared(floor_task, ours_task)
    aim = AIMS.get(game.name, AIM)
    say(
        f"verify, {name}",
        f"{ours / len(files) * 1000:.0f} ms a match (aim: {aim}), {moves / len(files):.0f} moves each,"
        f" {rate(moves / ours)} moves/s; floor: decode + fold alone {rate(moves / floor)} moves/s;"
        f" ratio {ours / floor:.1f}",
    )


if __name__ == "__main__":
    main()
