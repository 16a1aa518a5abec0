"""Standings of a table: places by points and tie-breaks, and every addend of each value.

The engine gacrux computes the tie-breaks that have names in the rules of FIDE, and ranks.  Four are our own,
because no library has them; they are given to it as values:

- VPD: the victory points by which the entrant led, minus those by which it was behind, each game capped;
- FAST: the turn in which won games ended, on average; earlier is better;
- LOT: the place that was drawn;
- GP: the points of all single matches, where pairs play both sides.

Values are decimals as texts, so that equal standings are equal bytes.  A board without a result counts as a
game that was not played, so standings are preliminary until a round is complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments.crosstable import Cell, Crosstable, Line, cell_of, points_of, score
from domain.tournaments.terms import DEFAULT_TIE_BREAKS, TIE_BREAKS
from replay.tournaments.gacrux_form import gacrux_form

MOST_TIE_BREAKS = 12
_AVERAGES = ("ARO", "AOB", "FAST")
_PLACES = ("DE", "LOT")
_LOWER = ("DE", "FAST", "LOT")  # of which the lower value is the better one
_OWN = ("VPD", "FAST", "LOT", "GP")
_LAST = Decimal(10**9)  # what the engine gets for a value that there is not: behind all others

How = Literal["sum", "average", "place"]


class Criterion(Struct, frozen=True):
    """A tie-break: its name, is lower better, and what its value is of its addends."""

    name: str
    lower_is_better: bool
    how: How


class Place(Struct, frozen=True):
    """An entrant in the standings; equal entrants share a place.  `values`: one for each criterion."""

    place: int
    number: int
    entrant: str
    values: tuple[str | None, ...]


class Standings(Struct, frozen=True):
    """The standings after `through` rounds, by rules of a date; `pending`: boards without a result."""

    rules: str
    through: int
    pending: int
    criteria: tuple[Criterion, ...]
    places: tuple[Place, ...]


class Addend(Struct, frozen=True):
    """What a round gives to a value.

    `opponent_points`: half points of the opponent; `adjustment`: by how much the rules for unplayed games
    changed what the opponent's points alone would give, for values that count these.  `cut`: left out.
    Round 0 is what arbiters took away.
    """

    round: int
    value: str
    opponent: int | None
    opponent_points: int | None
    adjustment: str | None
    cut: bool


class Explained(Struct, frozen=True):
    """A value with its addends: their sum without the cut ones is `total`.

    "sum": the value is the total.  "average": it is the total, divided by their number.  "place": it orders
    those who were still tied.  For DE the addends are what they scored against each other, and `passes` the
    engine's own words for it, one for each pass: points, and after a stroke the most that was possible.
    """

    name: str
    how: How
    value: str | None
    total: str
    addends: tuple[Addend, ...]
    passes: tuple[str, ...] = ()


class Settings(Struct, frozen=True):
    """By what standings are made.

    `tie_breaks`: names in their order; points come first in any case.  `round_robin`: by these rules unplayed
    games count as if they had been played.  `cap`: of the victory points of a game.  `lots`: the drawn
    places, by number of entrant.
    """

    tie_breaks: tuple[str, ...] = DEFAULT_TIE_BREAKS
    round_robin: bool = False
    cap: int | None = None
    lots: Mapping[int, int] = {}


def standings(table: Crosstable, settings: Settings) -> Standings:
    """Return the standings of a table; only its cells count, not the order in which results arrived.

    Raises:
        Refused: `invalid`: a tie-break is unknown, or there are too many; `not-offered`: the engine is not
            installed.
        ValueError: the table contradicts itself.
    """
    computed = _Computed(table, settings)
    places = sorted((computed.place(line) for line in table.lines), key=lambda one: (one.place, one.number))
    pending = sum(
        cell.kind == "pending" and cell.colour == "w"
        for line in table.lines
        for cell in line.cells[: computed.through]
    )
    return Standings(computed.rules, computed.through, pending, computed.criteria, tuple(places))


def explained(table: Crosstable, settings: Settings, number: int) -> tuple[Explained, ...]:
    """Return how each value of an entrant (by its number) comes about.

    Raises:
        Refused: see `standings`.
    """
    computed = _Computed(table, settings)
    line = table.lines[number - 1]
    return tuple(computed.explained(index, line) for index in range(len(computed.criteria)))


def rounds_begun(table: Crosstable) -> int:
    """Return the number of the last round of which a result is known."""
    return max(
        (
            number
            for line in table.lines
            for number, cell in enumerate(line.cells, 1)
            if cell.kind in ("played", "forfeit")
        ),
        default=0,
    )


class _Computed:
    """The engine's work on one table; `rules`: the date of its rules."""

    def __init__(self, table: Crosstable, settings: Settings) -> None:
        self.criteria = _criteria(settings.tie_breaks)
        self.through = rounds_begun(table)
        self._settings = settings
        lines = tuple(replace(line, cells=line.cells[: self.through]) for line in table.lines)
        self._table = replace(table, lines=lines)
        self._ranks: list[dict[int, int]] = []  # of all entrants, before each criterion
        self._adjusted: list[dict[int, Decimal]] = []  # points for Buchholz and Sonneborn-Berger, after each
        self._entrants: dict[int, dict[str, Any]] = {}
        self.rules = ""
        if lines:
            self._run()

    def _run(self) -> None:
        engine, tournament = _engine(self._table, self.through, self._settings)
        engine.find_tmversion(tournament)
        self.rules, self._entrants = engine.TIEBREAK_RULES[engine.rulesversion], engine.cmps
        self._give_own(engine)
        for order, criterion in enumerate(self.criteria, 1):
            self._ranks.append({number: one["rank"] for number, one in engine.cmps.items()})
            engine.compute_single_tiebreak(engine.parse_tiebreak(order, criterion.name))
            nothing: dict[str, Decimal] = {"val": Decimal(0)}
            after = {number: one["tbval"].get("points_abh", nothing) for number, one in engine.cmps.items()}
            self._adjusted.append({number: one["val"] for number, one in after.items()})

    def _give_own(self, engine: Any) -> None:
        """Let the engine know our own values under their names."""
        for name in _OWN:
            builtin = {"name": name, "func": engine.get_builtin, "rev": name not in _LOWER, "flag": ""}
            engine.tiebreaklist[name] = builtin
            for line in self._table.lines:
                value = self._own_value(name, line)
                given = {"val": _LAST if value is None else value}
                engine.cmps[line.number]["tbval"][f"points_{name.lower()}"] = given

    def _own_value(self, name: str, line: Line) -> Decimal | None:
        if name == "LOT":
            lot = self._settings.lots.get(line.number)
            return None if lot is None else Decimal(lot)
        rounds = self._own_rounds(name, line).values()
        if name in ("VPD", "GP"):
            return sum(rounds, Decimal(0))
        return _average(list(rounds))

    def _own_rounds(self, name: str, line: Line) -> dict[int, Decimal]:
        """What each round gives to one of our own values."""
        if name == "GP":
            given = {number: cell.game_points for number, cell in enumerate(line.cells, 1)}
            return {number: Decimal(points) / 2 for number, points in given.items() if points is not None}
        played = {number: cell for number, cell in enumerate(line.cells, 1) if cell.kind == "played"}
        if name == "VPD":
            cap = self._settings.cap
            return {
                number: Decimal(_capped(cell.victory_points, cap))
                for number, cell in played.items()
                if cell.victory_points is not None
            }
        return {
            number: Decimal(cell.end_turn)
            for number, cell in played.items()
            if name == "FAST" and cell.outcome == "win" and cell.end_turn is not None
        }

    def place(self, line: Line) -> Place:
        """Where an entrant stands."""
        own = self._entrants[line.number]
        values = tuple(_shown(value) for value in own["tiebreakScore"])
        return Place(own["rank"], line.number, line.entrant, values)

    def explained(self, index: int, line: Line) -> Explained:
        """How one value of an entrant comes about."""
        criterion, details = self.criteria[index], self._entrants[line.number]["tiebreakDetails"][index]
        name = criterion.name
        cut = details.get("cut", [])
        rounds = self._rounds(index, line, details)
        addends = [
            self._addend(index, line, number, value, number in cut) for number, value in rounds.items()
        ]
        if name == "PTS" and line.penalty:
            addends.append(Addend(0, text_of(Decimal(-line.penalty) / 2), None, None, None, False))
        total = sum((Decimal(one.value) for one in addends if not one.cut), Decimal(0))
        passes = tuple(str(one) for key, one in details.items() if str(key).isdigit()) if name == "DE" else ()
        value = _shown(details["val"])
        return Explained(name, criterion.how, value, text_of(total), tuple(addends), passes)

    def _rounds(self, index: int, line: Line, details: Mapping[Any, Any]) -> dict[int, Decimal]:
        """What each round gives to a value."""
        name = self.criteria[index].name
        if name in _OWN:
            return self._own_rounds(name, line)
        if name == "DE":
            return self._encounters(index, line)
        given = {int(key): value for key, value in details.items() if str(key).isdigit()}
        return {number: Decimal(value) for number, value in sorted(given.items())}

    def _encounters(self, index: int, line: Line) -> dict[int, Decimal]:
        """The points against those who were still tied; of several games with one the average counts."""
        ranks = self._ranks[index]
        counted = ("played", "forfeit") if self._settings.round_robin else ("played",)
        games = {
            number: cell
            for number, cell in enumerate(line.cells, 1)
            if cell.kind in counted and ranks[cell.opponent or line.number] == ranks[line.number]
        }
        often = Counter(cell.opponent for cell in games.values())
        return {
            number: Decimal(points_of(self._table.points, cell)) / (2 * often[cell.opponent])
            for number, cell in games.items()
        }

    def _addend(self, index: int, line: Line, number: int, value: Decimal, cut: bool) -> Addend:
        cell = cell_of(line, number)
        if cell.opponent is None:
            return Addend(number, text_of(value), None, None, None, cut)
        points = score(self._table, self._table.lines[cell.opponent - 1])
        adjustment = None
        if self.criteria[index].name[:2] in ("BH", "FB", "SB") and self._counts(cell):
            adjustment = text_of(self._adjusted[index][cell.opponent] - Decimal(points) / 2)
        return Addend(number, text_of(value), cell.opponent, points, adjustment, cut)

    def _counts(self, cell: Cell) -> bool:
        """Is the opponent's score used for this round, rather than one made up for an unplayed game?"""
        return cell.kind == "played" or self._settings.round_robin


def _criteria(names: Sequence[str]) -> tuple[Criterion, ...]:
    if len(names) > MOST_TIE_BREAKS:
        raise Refused("invalid", "too-many-tie-breaks", {"most": MOST_TIE_BREAKS})
    for name in names:
        if name not in TIE_BREAKS:
            raise Refused("invalid", "unknown-tie-break", {"name": name[:50]})
    ordered = names if "PTS" in names[:1] else ("PTS", *names)
    return tuple(
        Criterion(
            name, name in _LOWER, "place" if name in _PLACES else "average" if _averages(name) else "sum"
        )
        for name in ordered
    )


def _engine(table: Crosstable, through: int, settings: Settings) -> tuple[Any, Any]:
    """The engine, and the table in its form."""
    try:
        from gacrux import tiebreak
    except ImportError as error:
        raise Refused("not-offered", "no-standings-extra") from error
    tournament = gacrux_form(table)
    kind = {"pre_determined": True} if settings.round_robin else {"swiss": True}
    return tiebreak.tiebreak(tournament, through, kind), tournament


def _capped(points: int, cap: int | None) -> int:
    return points if cap is None else max(-cap, min(cap, points))


def _averages(name: str) -> bool:
    return name.partition("/")[0] in _AVERAGES


def _average(values: Sequence[Decimal]) -> Decimal | None:
    """The average as it is shown; none without values."""
    if not values:
        return None
    return (sum(values, Decimal(0)) / len(values)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def _shown(value: Decimal | int | None) -> str | None:
    return None if value is None or value == _LAST else text_of(Decimal(value))


def text_of(value: Decimal) -> str:
    """Return a decimal without superfluous noughts, and never with an exponent."""
    plain = format(value, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
