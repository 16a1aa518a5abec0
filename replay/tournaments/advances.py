"""Who went on, checked: each entry `qualified`, `promoted` or `relegated` follows from the log before it.

What the director decided is listed, not judged.
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.refusals import Sentence
from domain.tournaments.advancing import DECISION, lines_of
from domain.tournaments.drafts import going_on
from domain.tournaments.events import Promoted, Qualified, Relegated
from domain.tournaments.formats.stages import qualified
from domain.tournaments.state import Tournament
from domain.tournaments.terms import stages_of
from replay.tournaments.report import Disproved
from replay.tournaments.results import ranked_of

Advance = Qualified | Promoted | Relegated
Places = Mapping[tuple[str, str], str]
"""Who comes from an origin to a place; of a league (entrant, origin) and the place."""


class Advances:
    """Checks the entries of a log one after the other; those of one command are worked out once."""

    def __init__(self) -> None:
        self._last: tuple[int, Places] = (0, {})
        self.decided: list[Sentence] = []

    def check(self, entry: Advance, before: Tournament) -> None:
        """Check an entry against the state before it.

        Raises:
            Disproved: another entrant goes on, or none does.
            Refused: not-offered: standings cannot be computed here.
        """
        right = self._expected(entry, before)
        if entry.rule.startswith(DECISION):
            entrant = entry.entrant[:40]
            self.decided.append(Sentence("decided-by-director", {"entrant": entrant, "entry": entry.entry}))
            return
        if right.get(_key(entry)) != _value(entry):
            said = Sentence("goes-on-otherwise", {"entrant": entry.entrant[:40], "to": entry.to[:40]})
            raise Disproved(entry.entry, said)

    def _expected(self, entry: Advance, before: Tournament) -> Places:
        """What may be written; entries that follow one another belong to one command."""
        at, known = self._last
        if not (at and at + 1 == entry.entry):
            known = _due(entry, before)
        self._last = (entry.entry, known)
        return known


def _key(entry: Advance) -> tuple[str, str]:
    return (entry.origin, entry.to) if isinstance(entry, Qualified) else (entry.entrant, entry.origin)


def _value(entry: Advance) -> str:
    return entry.entrant if isinstance(entry, Qualified) else entry.to


def _due(entry: Advance, before: Tournament) -> Places:
    if not isinstance(entry, Qualified):
        return _of_league(before)
    if entry.to.count("/") > 1:
        return {(origin, to): name for name, origin, to, _ in going_on(before)}
    return _of_stage(before)


def _of_stage(s: Tournament) -> Places:
    if s.is_last_stage:
        return {}
    size, ranked = stages_of(s.terms)[s.stage].entrants, ranked_of(s)
    gone = [one.id for one in s.entrants.values() if not one.takes_part]
    line = qualified(ranked[0] if ranked else (), size, gone)
    to = f"stage/{s.stage + 1}"
    return {(f"stage/{s.stage}/place/{place}", to): name for place, name in enumerate(line.certain, 1)}


def _of_league(s: Tournament) -> Places:
    if not s.terms.league:
        return {}
    found = dict[tuple[str, str], str]()
    for place, line in enumerate(lines_of(s, ranked_of(s)), 1):
        origin = f"division/{place}"
        found |= {(name, origin): f"division/{place - 1}" for name in line.up.certain}
        found |= {(name, origin): f"division/{place + 1}" for name in line.down.others}
    return found
