"""A Swiss tournament that was begun elsewhere: the entries with which it goes on here.

Its crosstable comes from a file.  The entrants are invited in the order of the file, the results so far are
rulings that are marked as reported, and the pairings name no engine.  In this order: whether the terms fit
the table; the terms that the table gives; the entries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Refused
from domain.tournaments import events as e
from domain.tournaments.crosstable import Crosstable, Line, boards, cell_of, rounds_paired, score
from domain.tournaments.crosstable import Points as TablePoints
from domain.tournaments.drafts import ASKED_BYES, IMPORTED
from domain.tournaments.log import New
from domain.tournaments.terms import BOTH, MOST_ROUNDS, ForbiddenPairs, Points, Terms

MOST_BOARDS = 10_000  # of all rounds; each is an entry
MOST_RULES = 32  # records 260; so many the terms may have
MOST_IN_RULE = 64  # players in one of them
RATING_SOURCE = "trf"
TEXT = "TRF"  # of rulings and penalties that a file makes
_RESULTS: Mapping[tuple[str, str | None, str | None], e.Result] = {
    ("played", "win", "loss"): "1-0",
    ("played", "loss", "win"): "0-1",
    ("played", "draw", "draw"): "½",
    ("played", "loss", "loss"): "0-0",
    ("forfeit", "win", "loss"): "+-",
    ("forfeit", "loss", "win"): "-+",
    ("forfeit", "loss", "loss"): "--",
}


class Begun(Struct, frozen=True):
    """A tournament as a file has it; `origin` says which of its rounds were played, and which are paired."""

    table: Crosstable
    origin: e.Origin


def begun(table: Crosstable, sha256: str, kept: Sequence[str]) -> Begun:
    """Return a table as a tournament that goes on.

    Args:
        sha256: of the file, in hex.
        kept: the lines of the file that nothing here uses.
    """
    paired = rounds_paired(table)
    kinds = {cell_of(line, paired).kind for line in table.lines} if paired else set[str]()
    waits = "pending" in kinds and not kinds & {"played", "forfeit"}
    return Begun(
        table,
        e.Origin(
            sha256=sha256,
            rounds=paired - 1 if waits else paired,
            paired=paired,
            first_colour=table.first_colour,
            accelerations=table.accelerations,
            kept=tuple(kept),
        ),
    )


# ── Terms ──


def terms_with(table: Crosstable, terms: Terms) -> Terms:
    """Return the terms with the prohibited pairs of a table.

    Raises:
        Refused: terms: they contradict the table, or have another format than the table can be of; no-place;
            not-entered; invalid: the table is larger than what is imported.
    """
    if terms.format != "swiss" or terms.sides == BOTH:
        raise Refused("terms", "import-format")
    if table.rounds > MOST_ROUNDS:
        raise Refused("invalid", "import-most-rounds", {"count": table.rounds, "most": MOST_ROUNDS})
    if table.rounds != terms.rounds:
        raise Refused("terms", "import-rounds", {"file": table.rounds, "terms": terms.rounds})
    if worth(table.points) != terms.points:
        about = {"file": _shown(worth(table.points)), "terms": _shown(terms.points)}
        raise Refused("terms", "import-points", about)
    count = len(table.lines)
    if count > terms.most_entrants:
        raise Refused("no-place", "no-place-left", {"most": terms.most_entrants})
    made = sum(1 for number in range(1, rounds_paired(table) + 1) for _ in boards(table, number))
    if made > MOST_BOARDS:
        raise Refused("invalid", "import-boards", {"count": made, "most": MOST_BOARDS})
    groups = (*(terms.forbidden or ()), *_forbidden(table))
    if len(groups) > MOST_RULES or any(len(one.entrants) > MOST_IN_RULE for one in groups):
        raise Refused("invalid", "import-rules", {"most": MOST_RULES, "each": MOST_IN_RULE})
    known = {line.entrant for line in table.lines}
    if unknown := sorted({name for one in groups for name in one.entrants} - known):
        raise Refused("not-entered", "no-such-entrant", {"entrant": unknown[0]})
    return replace(terms, forbidden=groups) if groups else terms


def usual_terms(table: Crosstable, game: str) -> Terms:
    """Return the terms of a game that a table gives; `terms_with` judges them."""
    places = max(500, len(table.lines))
    points = worth(table.points)
    return Terms(game=game, format="swiss", rounds=table.rounds, points=points, most_entrants=places)


def worth(points: TablePoints) -> Points:
    """Return what results are worth in a table, as terms say it."""
    return Points(points.win, points.draw, points.loss, points.pairing_bye)


def _shown(points: Points) -> str:
    return ", ".join(f"{half / 2:g}" for half in (points.win, points.draw, points.loss, points.pairing_bye))


def _forbidden(table: Crosstable) -> tuple[ForbiddenPairs, ...]:
    return tuple(
        ForbiddenPairs(
            tuple(f"n{number}" for number in dict.fromkeys(one.numbers)),
            one.first,
            min(one.last, MOST_ROUNDS),
        )
        for one in table.forbidden
    )


# ── Entries ──


def entries_of(found: Begun, people: Sequence[str], randoms: Sequence[str]) -> Iterator[New]:
    """Yield the entries that follow `announced`.

    Args:
        people: who is invited, in the order of the lines.
        randoms: 16 bytes in base64 for each round that is paired.
    """
    table, origin = found.table, found.origin
    for line, person in zip(table.lines, people, strict=True):
        about = {"entrant": line.entrant, "person": person, "seed_order": line.number, "rating": line.rating}
        yield New(e.Invited, about | {"rating_source": RATING_SOURCE if line.rating else ""})
    for number, random in enumerate(randoms, 1):
        yield from _round(table, origin, number, random)
    for line in table.lines:
        yield from _later(line, table.rounds, origin.paired)
        if line.penalty:
            about = {"entrant": line.entrant, "penalty": "points", "amount": line.penalty, "text": TEXT}
            yield New(e.Penalised, about)


def _round(table: Crosstable, origin: e.Origin, number: int, random: str) -> Iterator[New]:
    """The entries of one round."""
    pairs = sorted(boards(table, number), key=lambda pair: _place(table, pair, number))
    yield New(
        e.Paired,
        {
            "round": number,
            "engine": IMPORTED,
            "version": "",
            "rules": "",
            "input_sha256": hashlib.sha256(b"").hexdigest(),
            "input": "",
            "boards": tuple(
                e.PairedBoard(place, w.entrant, b.entrant) for place, (w, b) in enumerate(pairs, 1)
            ),
            "byes": {
                line.entrant: cell.kind
                for line in table.lines
                if (cell := cell_of(line, number)).opponent is None
            },
            "random": random,
        },
    )
    if number > origin.rounds:
        return
    yield New(e.RoundPublished, {"round": number})
    waiting = []
    for place, (w, b) in enumerate(pairs, 1):
        mine, other = cell_of(w, number), cell_of(b, number)
        if mine.kind == "pending":
            waiting.append(e.Unfinished(place, "adjourn"))
            continue
        result = _RESULTS[mine.kind, mine.outcome, other.outcome]
        ruled: dict[str, Any] = {"round": number, "board": place, "result": result, "reason": "other"}
        ruled |= {"text": TEXT, "reported": True, "unrated": not (mine.rated and other.rated)}
        yield New(e.Ruled, ruled)
    if not waiting or number < origin.paired:
        yield New(e.RoundClosed, {"round": number, "unfinished": tuple(waiting)})


def _place(table: Crosstable, pair: tuple[Line, Line], number: int) -> tuple[int, int, int]:
    """The order of boards: by the higher score before the round, by both, by the better number."""
    scores = [score(table, line, number - 1) for line in pair]
    return -max(scores), -sum(scores), min(line.number for line in pair)


def _later(line: Line, rounds: int, paired: int) -> Iterator[New]:
    """The byes that a file has for rounds to come; who is absent from all of them has withdrawn."""
    kinds = {number: cell_of(line, number).kind for number in range(paired + 1, rounds + 1)}
    if paired and kinds and all(kind in ("absent", "zero_bye") for kind in kinds.values()):
        yield New(e.Withdrew, {"entrant": line.entrant, "from_round": paired + 1, "reason": TEXT})
        return
    for number, kind in kinds.items():
        points = 0 if kind == "absent" else ASKED_BYES.index(kind) if kind in ASKED_BYES else None
        if points is not None:
            yield New(e.ByeAsked, {"entrant": line.entrant, "round": number, "points": points})
