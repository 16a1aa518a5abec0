"""A second set of standings, from the text of a TRF alone: it uses nothing of this project, and no engine.

Written after the tie-break rules of FIDE (C.07, of 2026-03-01) for Swiss tournaments: points, Buchholz
without its worst addend, Buchholz, Sonneborn-Berger, direct encounter, wins; scoring 1, a half, 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

HALF = Fraction(1, 2)
WORTH = {**dict.fromkeys("1+UFW", Fraction(1)), **dict.fromkeys("=HD", HALF)}
PLAYED = "1=0WDL"
WANTED = PLAYED + "U+F"  # the entrant wanted to play, or was to


@dataclass
class Round:
    """What one round gave: `opponent` 0 for none, `code` as in the file."""

    opponent: int
    code: str

    @property
    def points(self) -> Fraction:
        return WORTH.get(self.code, Fraction(0))

    @property
    def was_played(self) -> bool:
        return self.opponent > 0 and self.code in PLAYED


@dataclass
class Entrant:
    """A line of the file and what is computed from it."""

    number: int
    rounds: list[Round] = field(default_factory=list)

    @property
    def points(self) -> Fraction:
        return sum((one.points for one in self.rounds), Fraction(0))

    @property
    def for_opponents(self) -> Fraction:
        """Rounds at the end in which the entrant did not want to play count as draws."""
        last = max((at for at, one in enumerate(self.rounds) if one.code in WANTED), default=-1)
        return sum(
            (one.points if at <= last or one.opponent else HALF for at, one in enumerate(self.rounds)),
            Fraction(0),
        )


def read(trf: str) -> dict[int, Entrant]:
    """The entrants by number."""
    entrants = {}
    for line in trf.split("\n"):
        if line.startswith("001"):
            entrant = Entrant(int(line[4:8]))
            for start in range(91, len(line), 10):
                piece = line[start : start + 8].ljust(8)
                entrant.rounds.append(Round(int(piece[:4].strip() or 0), piece[7]))
            entrants[entrant.number] = entrant
    through = max(len(one.rounds) for one in entrants.values())
    for one in entrants.values():
        one.rounds += [Round(0, "Z")] * (through - len(one.rounds))
    return entrants


def addends(entrants: dict[int, Entrant], one: Entrant) -> Iterator[tuple[Round, Fraction]]:
    """Each round with the score that counts for it: the opponent's, or that of one who was made up."""
    for played in one.rounds:
        if played.was_played:
            yield played, entrants[played.opponent].for_opponents
        elif played.opponent:
            yield played, min(one.points, entrants[played.opponent].for_opponents)
        else:
            yield played, min(one.points, HALF * len(one.rounds))


def buchholz(entrants: dict[int, Entrant], one: Entrant, cut: int) -> Fraction:
    """The sum of the scores, after so many were cut: first those of rounds that the entrant gave up."""
    scores = [(played.code in WANTED, score) for played, score in addends(entrants, one)]
    return sum((score for _, score in sorted(scores)[cut:]), Fraction(0))


def sonneborn_berger(entrants: dict[int, Entrant], one: Entrant) -> Fraction:
    return sum((played.points * score for played, score in addends(entrants, one)), Fraction(0))


def direct(tied: list[Entrant]) -> list[list[Entrant]]:
    """The tied ones in the order of their games against each other; whom these do not part, stay together."""
    if len(tied) == 1:
        return [tied]
    numbers = {one.number for one in tied}
    scores, met = {}, {}
    for one in tied:
        games = [played for played in one.rounds if played.was_played and played.opponent in numbers]
        scores[one.number] = sum((played.points for played in games), Fraction(0))
        met[one.number] = len({played.opponent for played in games})
    missing = {number: len(tied) - 1 - count for number, count in met.items()}
    groups = [[one] for one in sorted(tied, key=lambda one: -scores[one.number])]
    if any(missing.values()):
        groups = list(_certain([one for (one,) in groups], scores, missing))
    else:
        groups = list(_equal([one for (one,) in groups], scores))
    if len(groups) == 1:
        return groups
    return [part for group in groups for part in direct(group)]


def _equal(tied: list[Entrant], scores: dict[int, Fraction]) -> Iterator[list[Entrant]]:
    for value in sorted(set(scores.values()), reverse=True):
        yield [one for one in tied if scores[one.number] == value]


def _certain(
    tied: list[Entrant], scores: dict[int, Fraction], missing: dict[int, int]
) -> Iterator[list[Entrant]]:
    """One after the other who is first however the missing games would end; the rest together."""
    rest = list(tied)
    while len(rest) > 1:
        first = rest[0]
        if any(scores[one.number] + missing[one.number] >= scores[first.number] for one in rest[1:]):
            break
        yield [rest.pop(0)]
    if rest:
        yield rest


def standings(trf: str) -> list[tuple[int, int, list[str]]]:
    """Place, number, and points, Buchholz less one, Buchholz, Sonneborn-Berger, wins of each entrant."""
    entrants = read(trf)
    values = {
        one.number: (
            one.points,
            buchholz(entrants, one, 1),
            buchholz(entrants, one, 0),
            sonneborn_berger(entrants, one),
        )
        for one in entrants.values()
    }
    wins = {one.number: sum(played.points == 1 for played in one.rounds) for one in entrants.values()}
    ordered: list[list[Entrant]] = []
    for value in sorted(set(values.values()), reverse=True):
        for group in direct([one for one in entrants.values() if values[one.number] == value]):
            for count in sorted({wins[one.number] for one in group}, reverse=True):
                ordered.append([one for one in group if wins[one.number] == count])
    found, place = [], 1
    for group in ordered:
        for one in sorted(group, key=lambda one: one.number):
            said = [*map(_text, values[one.number]), str(wins[one.number])]
            found.append((place, one.number, said))
        place += len(group)
    return found


def by_encounters(trf: str) -> list[tuple[int, int]]:
    """Place and number by points, then direct encounter."""
    entrants = list(read(trf).values())
    found, place = [], 1
    for value in sorted({one.points for one in entrants}, reverse=True):
        for group in direct([one for one in entrants if one.points == value]):
            found += [(place, one.number) for one in sorted(group, key=lambda one: one.number)]
            place += len(group)
    return found


def _text(value: Fraction) -> str:
    whole, quarters = divmod(value * 4, 4)
    return f"{whole}{('', '.25', '.5', '.75')[int(quarters)]}"
