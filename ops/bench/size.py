"""Bytes of a move, stored and pushed to a seat, with the share of each part (claims: 700 and 400).

A whole match in at most 150 KB is the aim.

The floor is the facts that a spectator sees, as JSON.
"""

from __future__ import annotations

from collections import Counter

import msgspec
from _bench import many, say
from msgspec import Raw

from api.http.views import LogView
from domain.chance import Secret
from domain.events import Played
from domain.match import Match
from domain.match_base import Chair

_fields = msgspec.json.Decoder(dict[str, Raw]).decode


def main() -> None:
    """Two lines for each game, and two for each long match."""
    for name, matches in many(20).items():
        _stored(name, [match for match, _ in matches])
        _pushed(name, matches)


def _stored(name: str, matches: list[Match]) -> None:
    parts: Counter[str] = Counter()
    for match in matches:
        for record in match.records:
            if isinstance(record.entry, Played):
                parts.update(_leaf(record.leaf))
                parts["private parts"] += sum(len(part) + 1 for part in record.sealed.values())
    whole = sum(len(record.stored) for match in matches for record in match.records) / len(matches)
    _say(f"stored, {name}", parts, matches, f"claim: 700; {whole / 1000:.0f} KB a match, aim: 150")


def _pushed(name: str, matches: list[tuple[Match, Secret]]) -> None:
    parts: Counter[str] = Counter()
    for match, secret in matches:
        sight = LogView(match, Chair(match.game.seats[0]), secret)
        for record in match.records:
            if isinstance(record.entry, Played):
                event = sight.events([record.move])
                data = event.split(b"data: ")[1][:-2]
                parts.update(_leaf(data))
                parts["event frame"] += len(event) - len(data)
    _say(f"pushed, {name}", parts, [match for match, _ in matches], "claim: 400")


def _leaf(data: bytes) -> Counter[str]:
    """The bytes of each field of an object, its name, quotes, colon and comma included."""
    found = Counter({field: len(field) + 4 + len(bytes(value)) for field, value in _fields(data).items()})
    found["braces"] = len(data) - found.total()
    return found


def _say(claim: str, parts: Counter[str], matches: list[Match], target: str) -> None:
    played = [record for match in matches for record in match.records if isinstance(record.entry, Played)]
    facts = sum(len(msgspec.json.encode(record.facts_for(None))) for record in played) / len(played)
    total = parts.total() / len(played)
    shares = ", ".join(f"{part} {count / parts.total():.0%}" for part, count in parts.most_common(9))
    say(
        claim,
        f"{total:.0f} bytes/move ({target}): {shares}; floor: a spectator's facts {facts:.0f} bytes;"
        f" ratio {total / facts:.1f}",
    )


if __name__ == "__main__":
    main()
