"""Bytes that are pushed for each move and viewer, by event stream and by socket, and which fields take them.

It counts the bytes inside TLS: a move as its viewer gets it, the framing of the event or message, and that of
the chunk or frame; averaged over a spectator and every seat.  The floor is the facts alone.  The size with
permessage-deflate is printed, too; it is off, because a player's own cards and the opponent's picks would
share one dictionary, so that the lengths reveal cards to an eavesdropper.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from _bench import QUICK, many, say

from api.http.views import LogView
from api.http.ws_session import pushed
from domain.chance import Secret
from domain.match import Match

AIM = 300
MATCHES = 1 if QUICK else 10
NAMED = 6  # fields that are named; the others are summed up
_FRAME, _CHUNK = 4, 7  # bytes around a message and around an event of this length
_WINDOW, _MEMORY = 12, 5  # of the compression that uvicorn would negotiate


def sights(matches: Sequence[tuple[Match, Secret]]) -> Iterator[LogView]:
    """Yield these matches as a spectator and each seat see them."""
    for match, secret in matches:
        for seat in (None, *match.seats):
            yield LogView(match, match.chair_of(seat) if seat else None, secret)


def main() -> None:
    """One line for each game."""
    for game, matches in many(MATCHES).items():
        _measure(game, matches)


def _measure(game: str, matches: Sequence[tuple[Match, Secret]]) -> None:
    moves = events = messages = lean = squeezed = 0
    fields: Counter[str] = Counter()
    for sight in sights(matches):
        squeeze = zlib.compressobj(wbits=-_WINDOW, memLevel=_MEMORY)
        for number in range(1, sight.match.move + 1):
            message = pushed(sight, number, lean=False)
            moves += 1
            events += len(sight.events((number,))) + _CHUNK
            messages += len(message) + _FRAME
            lean += len(pushed(sight, number, lean=True)) + _FRAME
            squeezed += len(squeeze.compress(message) + squeeze.flush(zlib.Z_SYNC_FLUSH))
            fields.update({name: _size(name, value) for name, value in sight.move(number).items()})
    named = fields.most_common(NAMED)
    rest = messages - sum(size for _, size in named)
    where = ", ".join(f"{name} {size / moves:.0f}" for name, size in (*named, ("all else", rest)))
    floor = fields["facts"] / moves
    say(
        f"bytes pushed for a move and viewer, {game}",
        f"{events / moves:.0f} by event stream, {messages / moves:.0f} by socket, {lean / moves:.0f} lean"
        f" (aim {AIM}); of a message {where}; compressed {squeezed / moves:.0f};"
        f" floor: the facts alone {floor:.0f}; ratio {messages / moves / floor:.1f}",
    )


def _size(name: str, value: Any) -> int:
    """The bytes of a field with its name and its comma."""
    return len(name) + 4 + len(msgspec.json.encode(value))


if __name__ == "__main__":
    main()
