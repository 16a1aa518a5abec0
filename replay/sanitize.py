"""Makes unknown text safe to show: a match file may hold anything, even commands to a terminal."""

from __future__ import annotations

import re

# Control characters, line separators, and the marks that turn the direction of what follows.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet computes


def counted(count: int, one: str, several: str) -> str:
    """Return a number with its noun: "1 draw", "2 draws"."""
    return f"{count} {one if count == 1 else several}"


def amount(matches: int, moves: int) -> str:
    """Return both numbers with their nouns: "1 match, 44 moves"."""
    return f"{counted(matches, 'match', 'matches')}, {counted(moves, 'move', 'moves')}"


def one_line(text: str) -> str:
    """Return `text` on one line, with a mark in place of each unsafe character."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def no_formula(text: str) -> str:
    """Return a cell of a table that no spreadsheet computes: what might be a formula gets an apostrophe."""
    return f"'{text}" if text.startswith(_FORMULA) else text
