"""What is computed from the state of a tournament: standings of every format, and who is ranked how.

Pure functions, for the gate and for a verifier alike.  The standings of a league hold its divisions one below
the other, those of a tournament in stages the entrants by the stage that they came to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.advancing import play_offs_of
from domain.tournaments.crosstables import crosstable
from domain.tournaments.drafts import drafted
from domain.tournaments.formats.bracket import Bracket
from domain.tournaments.formats.cut import Ranked
from domain.tournaments.state import Tournament
from replay.tournaments.standings import (
    Criterion,
    Explained,
    Place,
    Settings,
    Standings,
    explained,
    rounds_begun,
    standings,
    text_of,
)

RANKED_HERE = "Glasnost, docs/tournaments.md"  # the rules of what no engine ranks
CONTESTS = Criterion("KO", False, "place")
DIVISION = Criterion("DIV", True, "place")
STAGE = Criterion("STAGE", False, "place")
RANK = Criterion("RANK", True, "place")
POINTS = Criterion("PTS", False, "sum")


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
    names = tuple(name for name in s.terms.ranked_by if name != "PTS")
    return Settings(names, s.terms.format == "round_robin", s.terms.vpd_cap or None, lots)


def standings_of(s: Tournament) -> Standings:
    """Return the standings of a state; computing them takes some tenths of a second.

    Raises:
        Refused: not-offered.
    """
    match s.terms.format:
        case "knockout":
            return _of_bracket(s)
        case "league":
            return _of_league(s)
        case "stages":
            return _of_stages(s)
    return standings(crosstable(s), settings_of(s))


def division_standings(s: Tournament, number: int) -> Standings:
    """Return the standings of one division of a league, with the numbers that entrants have in the league.

    Raises:
        Refused: not-offered, not-found.
    """
    if not 1 <= number <= len(s.divisions):
        raise Refused("not-found", "no-such-division", {"division": number, "count": len(s.divisions)})
    found, numbers = standings_of(s.in_division(number)), {one.id: at for at, one in enumerate(s.numbered, 1)}
    return replace(found, places=tuple(replace(one, number=numbers[one.entrant]) for one in found.places))


def ranked_of(s: Tournament) -> tuple[tuple[Ranked, ...], ...]:
    """Return the entrants by place: those of the latest stage, or of each division of a league.

    Raises:
        Refused: not-offered.
    """
    if s.terms.league:
        return tuple(_ranked(division_standings(s, one)) for one in range(1, len(s.divisions) + 1))
    return (_ranked(standings_of(s.playing)),) if s.rounds else ()


def _ranked(found: Standings) -> tuple[Ranked, ...]:
    return tuple(Ranked(one.place, one.entrant) for one in found.places)


def computed_draft(s: Tournament, number: int) -> c.PairingDraft:
    """Return a round of a format that needs no engine; the play-offs of a league follow from its standings.

    Raises:
        Refused: see `domain.tournaments.drafts.drafted`; not-offered.
    """
    is_play_off = bool(s.terms.league) and number > s.league_rounds
    return drafted(s, number, play_offs_of(s, ranked_of(s)) if is_play_off else ())


def parts_of(s: Tournament) -> Iterator[tuple[Tournament, Sequence[str]]]:
    """Yield the parts whose points count apart, each with the entrants whose standing it decides."""
    if s.terms.league:
        for number, names in enumerate(s.divisions, 1):
            yield s.in_division(number), list(names)
        return
    if not s.terms.stages:
        yield s, [one.id for one in s.numbered]
        return
    placed = set[str]()
    for number in range(s.stage, 0, -1):
        view = s.in_stage(number)
        rest = [one.id for one in view.numbered if one.id not in placed]
        placed |= set(rest)
        yield view, rest


def points_in(s: Tournament) -> dict[str, int]:
    """Return the half points of each entrant that its line of the standings shows."""
    return {name: view.score(name) for view, names in parts_of(s) for name in names}


def explained_of(s: Tournament, entrant: str) -> tuple[Explained, ...]:
    """Return how each value of an entrant comes about, in the part of the tournament that decides it.

    Raises:
        Refused: not-offered.
    """
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    view = next((view for view, names in parts_of(s) if entrant in names), s)
    names = [one.id for one in view.numbered]
    settings = settings_of(view)
    if view.terms.format == "knockout":
        settings = replace(settings, tie_breaks=())
    offset = s.begun[view.stage - 2].first - 1 if s.terms.stages and view.stage > 1 else 0
    found = explained(crosstable(view), settings, names.index(entrant) + 1)
    return tuple(_in_whole(one, [numbers[name] for name in names], offset) for one in found)


def _in_whole(one: Explained, numbers: Sequence[int], offset: int) -> Explained:
    """A value of a part, with numbers of entrants and rounds as the whole tournament has them."""
    addends = tuple(
        replace(
            each,
            round=each.round + offset if each.round else 0,
            opponent=None if each.opponent is None else numbers[each.opponent - 1],
        )
        for each in one.addends
    )
    return replace(one, addends=addends)


# ── Formats that are ranked here ──


def _of_bracket(s: Tournament) -> Standings:
    """By the round of the bracket to which an entrant came; those who lose in one round share a place."""
    found, table = s.bracket, crosstable(s)
    reached = {one.id: _reached(found, one.id) for one in s.numbered} if found else {}
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    places = [
        Place(
            1 + sum(other > mine for other in reached.values()),
            numbers[name],
            name,
            (str(_won(found, name)), _points(s, name)),
        )
        for name, mine in reached.items()
    ]
    pending = sum(not board.result for one in s.rounds for board in one.boards)
    ordered = tuple(sorted(places, key=lambda one: (one.place, one.number)))
    return Standings(RANKED_HERE, rounds_begun(table), pending, (CONTESTS, POINTS), ordered)


def _reached(found: Bracket, name: str) -> int:
    """The round in which an entrant went out; of those who are in the bracket one more, of the winner two."""
    last = max(one[0].round for one in found.rounds)
    if found.champion == name:
        return last + 2
    one = found.contest_of(name)
    is_out = one is not None and (one.loser == name or bool(one.by and not one.winner))
    return one.round if one is not None and is_out else last + 1


def _won(found: Bracket | None, name: str) -> int:
    return sum(one.winner == name for had in (found.rounds if found else ()) for one in had)


def _points(s: Tournament, name: str) -> str:
    return text_of(Decimal(s.score(name)) / 2)


def _of_league(s: Tournament) -> Standings:
    tables = [division_standings(s, number) for number in range(1, len(s.divisions) + 1)]
    places, above = list[Place](), 0
    for number, table in enumerate(tables, 1):
        places += [
            Place(above + one.place, one.number, one.entrant, (str(number), *one.values))
            for one in table.places
        ]
        above += len(table.places)
    through = max((one.through for one in tables), default=0)
    criteria = (DIVISION, *tables[0].criteria) if tables else (DIVISION, POINTS)
    rules = tables[0].rules if tables else RANKED_HERE
    return Standings(rules, through, sum(one.pending for one in tables), criteria, tuple(places))


def _of_stages(s: Tournament) -> Standings:
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    places, pending = list[Place](), 0
    for view, names in parts_of(s):
        table = standings_of(view)
        pending += table.pending
        rows = [one for one in table.places if one.entrant in names]
        above = len(places)
        ranks: Mapping[int, int] = {
            one.place: above + place for place, one in reversed(list(enumerate(rows, 1)))
        }
        places += [
            Place(
                ranks[one.place],
                numbers[one.entrant],
                one.entrant,
                (str(view.stage), str(one.place), _points(view, one.entrant)),
            )
            for one in rows
        ]
    criteria = (STAGE, RANK, POINTS)
    return Standings(RANKED_HERE, rounds_begun(crosstable(s)), pending, criteria, tuple(places))
