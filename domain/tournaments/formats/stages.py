"""Stages: several formats, each of which takes its entrants from the standings of the one before."""

from __future__ import annotations

from collections.abc import Sequence

from domain.tournaments.formats.cut import Cut, Ranked, cut


def qualified(ranked: Sequence[Ranked], count: int, gone: Sequence[str] = ()) -> Cut:
    """Return who goes on to the next stage, in the order of the seeds there.

    `gone`: entrants who withdrew; those behind them take their places.  A contested place stays open until it
    is played off, or drawn (`domain.tournaments.formats.cut.settled`).
    """
    away = set(gone)
    return cut([one for one in ranked if one.entrant not in away], count)
