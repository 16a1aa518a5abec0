"""The limits on what users write into a log; requests are checked against them, and uploaded logs, too.

Lengths are in characters, sizes in bytes.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

MOST = 2**53 - 1  # what canonical JSON can hold (RFC 8785)
TEXT = 200  # characters of any other text, such as the id of a card
ENTRY = 64 * 1024  # bytes of an entry with its private parts; the longest seen in any game has 6,465
LINE = (
    4 * 1024 * 1024
)  # bytes of the entry with which a branch begins, and of the moves whose facts it brings
OPENING = 256 * 1024  # bytes of the first one, which holds the options: a card set, in two languages

Number = Annotated[int, Meta(ge=1, le=MOST)]
Score = Annotated[int, Meta(ge=-MOST, le=MOST)]
MatchId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
SeatName = Annotated[str, Meta(min_length=1, max_length=64)]
BotName = Annotated[str, Meta(min_length=1, max_length=64)]
AgentVersion = Annotated[str, Meta(pattern=r"^[0-9a-f]{0,64}$(?!\n)")]
PlayerId = Annotated[str, Meta(min_length=1, max_length=128, pattern=r"^[^\u0000-\u001f\u007f]+$(?!\n)")]
Pick = Annotated[str, Meta(max_length=200)]
Picks = Annotated[tuple[Pick, ...], Meta(max_length=200)]
Reason = Annotated[str, Meta(min_length=1, max_length=2000)]
Salt = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9+/=_-]{1,64}$(?!\n)",
        description="Enters every draw of the match, in clear; 16 random bytes in base64 are plenty.",
    ),
]
SaltHash = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$(?!\n)",
        description=(
            "SHA-256 over `glasnost rng/1 salt`, the match, the seat and the salt, a line each without a last"
            " newline; in base64."
        ),
    ),
]
OpenedSalt = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9+/=_-]{22,64}$(?!\n)",
        description="The salt whose hash the seat brought: at least 16 random bytes, in base64 or hex.",
    ),
]
