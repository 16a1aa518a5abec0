"""Who has which seat of a board's match: by the colour of the pairing, or by a lot."""

from __future__ import annotations

import hashlib

from domain.chance import CHAIN, drawn
from domain.events import Key
from domain.kernel import Refused
from domain.log import b64
from domain.tournaments import events as e
from domain.tournaments.judging import Given
from domain.tournaments.log import New
from domain.tournaments.state import Tournament

SIDES_LOT = 2**20  # possibilities of the lot of a round, of which each board takes one bit


def new_lot(s: Tournament, label: str, n: int, given: Given) -> New:
    """Return the entry of a lot with the next key of the tournament's secret.

    Raises:
        Refused: late, no-place.
    """
    if label in s.lots:
        raise Refused("late", "lot-drawn-already", {"label": label})
    period = s.periods + 1
    if period >= CHAIN:
        raise Refused("no-place", "no-more-lots", {"most": CHAIN - 1})
    key = given.secret.open_key(period)
    result = drawn(key, "", label, 0, n)
    return New(e.LotDrawn, {"label": label, "n": n, "result": result, "key": Key(period, b64(key))})


def label_of(round_number: int) -> str:
    """Return the label of the lot by which the seats of a round are drawn."""
    return f"lot/sides/{round_number}"


def exchanged(lot: int, board: int) -> bool:
    """Does the entrant with the first colour of a board get the second seat, by the lot of its round?"""
    return bool(hashlib.sha256(f"sides {lot} {board}\n".encode()).digest()[0] & 1)
