"""What speaks against a pairing by hand: rematches, colours, differences of points."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Refused
from domain.tournaments.crosstables import table_for_pairing
from domain.tournaments.legality import breaches, colour_flags
from domain.tournaments.state import Tournament

IN_ENTRIES = {"rematch": "rematch", "colours": "colour", "in_a_row": "colour", "points": "float"}
"""How `pairing_changed` names each kind."""


class Warned(Struct, frozen=True):
    """What speaks against a board of a pairing, by kind, and the entrant or board that it is about."""

    kind: str
    about: str
    number: int = 0


def warnings(s: Tournament, number: int, pairs: list[tuple[str, str]]) -> list[Warned]:
    """Return what speaks against the pairs of a round: rematches, colours, differences of points.

    Raises:
        Refused: not-entered: an entrant does not take part.
    """
    table = table_for_pairing(s, number)
    numbers = {line.entrant: line.number for line in table.lines}
    names = {line.number: line.entrant for line in table.lines}
    if not all(w in numbers and b in numbers for w, b in pairs):
        raise Refused("not-entered", "no-such-entrant", {"entrant": "?"})
    known = [(numbers[w], numbers[b]) for w, b in pairs]
    rematches = [
        Warned("rematch", names[found.numbers[0]])
        for found in breaches(table, number, known, ())
        if found.breach == "rematch"
    ]
    colours = [
        Warned("in_a_row" if flag.in_a_row > flag.difference else "colours", names[flag.number])
        for flag in colour_flags(table, number, known)
    ]
    apart = [
        Warned("points", w, place)
        for place, (w, b) in enumerate(pairs, 1)
        if abs(s.score(w) - s.score(b)) > s.terms.points.win // 2
    ]
    return [*rematches, *colours, *apart]


def opinion(s: Tournament, number: int, pairs: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return the kinds of what speaks against the pairs of a round, as an entry names them, each once."""
    return tuple(dict.fromkeys(IN_ENTRIES[one.kind] for one in warnings(s, number, pairs)))
