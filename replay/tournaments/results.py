"""What is computed from the state of a tournament: a round of the Berger tables, and standings.

Pure functions, for the gate and for a verifier alike.
"""

from __future__ import annotations

import hashlib

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.crosstables import crosstable
from domain.tournaments.formats.round_robin import LEAST, MOST, berger, double_berger
from domain.tournaments.rounds import without_board
from domain.tournaments.state import Tournament
from replay.tournaments.standings import Settings, Standings, standings


def round_robin(s: Tournament, number: int) -> c.PairingDraft:
    """Return a round of the Berger tables, without those who are away; their opponents are free.

    Raises:
        Refused: pairing; there are too few or too many entrants for a table.
    """
    names = [one.id for one in s.numbered]
    if not LEAST <= len(names) <= MOST:
        raise Refused("boards", "table-size", {"least": LEAST, "most": MOST, "count": len(names)})
    tables = double_berger(len(names)) if s.terms.cycles == 2 else berger(len(names))
    if number > len(tables):
        raise Refused("late", "no-more-rounds", {"rounds": len(tables)})
    free = without_board(s, number)
    pairs = [(names[w - 1], names[b - 1]) for w, b in tables[number - 1].boards]
    boards = tuple((w, b, "", "berger") for w, b in pairs if w not in free and b not in free)
    named = {name for board in boards for name in board[:2]}
    left = {name: "pairing_bye" for name in names if name not in named and name not in free}
    text = f"berger {s.terms.cycles} {number}\n{' '.join(names)}\n"
    return c.PairingDraft(
        round=number,
        engine="berger",
        version="1",
        rules="FIDE C.05, annex 1",
        input_sha256=hashlib.sha256(text.encode()).hexdigest(),
        input=text,
        boards=boards,
        byes=free | left,
    )


def settings_of(s: Tournament) -> Settings:
    """Return by what the standings of a tournament are made.

    A lot of the tie-break LOT is drawn for one entrant, with the label `lot/tie/` and the entrant's id.
    """
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    lots = {
        numbers[label.removeprefix("lot/tie/")]: result
        for label, result in s.lots.items()
        if label.removeprefix("lot/tie/") in numbers
    }
    names = tuple(name for name in s.terms.tie_breaks if name != "PTS")
    return Settings(names, s.terms.format == "round_robin", None, lots)


def standings_of(s: Tournament) -> Standings:
    """Return the standings of a state; computing them takes some tenths of a second.

    Raises:
        Refused: not-offered.
    """
    return standings(crosstable(s), settings_of(s))
