"""Verification of whole match files (log, chance, fold, rules): under 150 ms each is the aim.

Of Imperial Struggle it is under 200 ms.  The floor is decoding and folding the same moves.
"""

from __future__ import annotations

from _bench import compared, many, rate, say

from api.cli.files import SeededKeys, note_by
from domain import kernel
from domain.log import codec
from domain.match import Match
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
