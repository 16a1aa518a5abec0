"""Decode and fold whole matches as they are stored: 1,500 a second is the aim; of Imperial Struggle 1,000.

The floor is bare msgspec decoding of the same bytes (claim: within 2 x).
"""

from __future__ import annotations

from _bench import compared, length, many, rate, say

from domain.folding import tables
from domain.kernel import Table
from domain.log import codec
from domain.match import Match

AIMS = {"imperial_struggle": 1_000}
AIM = 1_500


def main() -> None:
    """One line for each game, and one for each long match."""
    for name, matches in many(20).items():
        _measure(name, length(matches), [match for match, _ in matches])


def _measure(name: str, moves: str, matches: list[Match]) -> None:
    game = matches[0].game
    entry, part = codec(game).entry, codec(game).part
    stored = [[record.stored for record in match.records] for match in matches]
    lines = [line for one in stored for state in one for line in state.split(b"\n")]
    leaves = [line for line in lines if b'"sealed"' in line]
    parts = [line for line in lines if b'"sealed"' not in line]
    facts = sum(len(record.facts) for match in matches for record in match.records)

    def bare() -> None:
        for line in leaves:
            entry(line)
        for line in parts:
            part(line)

    def whole() -> list[Table]:
        return [tables(game, states)[-1] for states in stored]

    assert whole() == [match.positions[-1].table for match in matches]
    floor, ours = compared(bare, whole)
    aim = rate(AIMS.get(game.name, AIM))
    say(
        f"decode + fold, {name}",
        f"{rate(len(matches) / ours)} matches/s (aim: {aim}), {moves}, {rate(facts / ours)} facts/s;"
        f" floor: bare msgspec decode {rate(len(matches) / floor)} matches/s, {rate(facts / floor)} facts/s;"
        f" ratio {ours / floor:.2f} (claim: within 2)",
    )


if __name__ == "__main__":
    main()
