"""Text of strangers, made safe to show: a match file may hold anything, commands to a terminal too."""

from __future__ import annotations

import re

# Control characters, line separators, and the marks that turn the direction of what follows.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def counted(count: int, one: str, several: str) -> str:
    """So many of something: "1 draw", "2 draws"."""
    return f"{count} {one if count == 1 else several}"


def amount(matches: int, moves: int) -> str:
    """How much that is: "1 match, 44 moves"."""
    return f"{counted(matches, 'match', 'matches')}, {counted(moves, 'move', 'moves')}"


def one_line(text: str) -> str:
    """`text` on one line, with a mark in place of each character that is not to be shown."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
