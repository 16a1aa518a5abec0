"""The integrity table of a tournament: lights for each match, and what players did, for its officials."""

from __future__ import annotations

import asyncio
import csv
import io
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from api.gate.match_evidence import MatchEvidence, of_match
from api.gate.tournaments import TournamentGate
from domain.tournaments.outcomes import sides_of
from domain.tournaments.state import Board, Round, Tournament
from replay.dice import Faces, faces_of
from replay.evidence import Think
from replay.sanitize import no_formula

SENTENCE = {
    "en": "Statistics are a reason to look, never a proof.",
    "ru": "Статистика — повод присмотреться, но не доказательство.",
}
LIGHTS = ("log", "chance", "fold", "rules", "salts", "clocks")
"""What is asked of a match; a light is "ok", "failed", "not run", "running" or "none" (nothing to check)."""


class BoardIntegrity(Struct, frozen=True):
    """The lights of one match; `evidence`: the address of its dispute room."""

    round: int
    board: int
    match: str
    lights: dict[str, str]
    evidence: str


class PlayerIntegrity(Struct, frozen=True):
    """What an entrant did in all matches so far; thinks in microseconds, with the match of the longest."""

    entrant: str
    matches: int
    answers: int
    takebacks_asked: int
    takebacks_agreed: int
    longest_think: Think | None
    longest_in: str
    dice: Faces | None = None


class Integrity(Struct, frozen=True):
    """The table after `entry`; `sentence` is how to read it."""

    sentence: str
    tournament: str
    entry: int
    boards: tuple[BoardIntegrity, ...]
    players: tuple[PlayerIntegrity, ...]


class _Sums:
    """What is added up over the matches."""

    def __init__(self) -> None:
        self.players: dict[str, PlayerIntegrity] = {}
        self.dice: dict[str, Counter[str]] = {}

    def add(self, s: Tournament, board: Board, match: MatchEvidence) -> None:
        """Add one match: by who sat down where."""
        sides = sides_of(s, board, match.players)
        first = {match.first[seat]: name for seat, name in sides.items()}
        for seat, seen in match.seats.items():
            name = first[seat]
            old = self.players.get(name, PlayerIntegrity(name, 0, 0, 0, 0, None, ""))
            longest = old.longest_think, old.longest_in
            if seen.longest_think and (not longest[0] or longest[0].took < seen.longest_think.took):
                longest = seen.longest_think, board.match
            self.players[name] = PlayerIntegrity(
                name,
                old.matches + 1,
                old.answers + seen.answers,
                old.takebacks_asked + len(seen.takebacks_asked),
                old.takebacks_agreed + len(seen.agreed),
                *longest,
            )
        for seat, faces in match.dice.items():
            self.dice.setdefault(sides[seat], Counter()).update(faces)

    def done(self) -> tuple[PlayerIntegrity, ...]:
        """The lines of all players, in the order of their ids."""
        faces = faces_of(self.dice)
        return tuple(
            replace(one, dice=faces.get(name))
            for name, one in sorted(self.players.items(), key=lambda item: int(item[0][1:]))
        )


async def integrity_of(gate: TournamentGate, tournament: str, language: str) -> Integrity:
    """Return the integrity table; it reads every match of the tournament once after its end.

    Raises:
        Refused: unknown-tournament, unavailable.
    """
    s, sums = (await gate.commands.log(tournament)).state, _Sums()
    boards: list[BoardIntegrity] = []
    for one, board in [(had, board) for had in s.rounds for board in had.boards if board.opened]:
        match = await _evidence(gate, board.match)
        sums.add(s, board, match)
        boards.append(_lights(s, one, board, match))
    return Integrity(SENTENCE[language], s.id, s.entry, tuple(boards), sums.done())


async def _evidence(gate: TournamentGate, name: str) -> MatchEvidence:
    """What a match shows; it is kept if the match is over."""
    found = gate.evidence.get(name)
    if found is None:
        match = await gate.gate.match(name)
        found = await asyncio.to_thread(of_match, match)
        match.rest()
        if found.over:
            gate.evidence[name] = found
    return found


def _lights(s: Tournament, one: Round, board: Board, match: MatchEvidence) -> BoardIntegrity:
    checked = board.outcome.checked if board.outcome else {}
    waiting = "not run" if board.outcome else "running"
    found = {name: checked.get(name, waiting) for name in LIGHTS[:4]}
    found["salts"] = _salts(match, found["chance"])
    found["clocks"] = _clocks(match, found)
    evidence = f"/v1/tournaments/{s.id}/disputes/{board.match}"
    return BoardIntegrity(one.number, board.number, board.match, found, evidence)


def _clocks(match: MatchEvidence, found: dict[str, str]) -> str:
    """Time-outs are judged again when a log is read: a wrong one spoils the log, the fold or the rules."""
    if not match.clocked:
        return "none"
    return next((found[name] for name in ("log", "fold", "rules") if found[name] != "ok"), "ok")


def _salts(match: MatchEvidence, chance: str) -> str:
    """The players' salts enter every draw, so the check of the draws covers them; none if they gave none."""
    if match.unopened:
        return "failed" if match.over else "running"
    return chance if match.salts else "none"


def as_csv(table: Integrity) -> str:
    """Return the table as CSV (RFC 4180): the sentence, a line for each match, then for each player."""
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow([table.sentence])
    writer.writerow(["round", "board", "match", *LIGHTS, "evidence"])
    for board in table.boards:
        lights = [board.lights[name] for name in LIGHTS]
        writer.writerow([board.round, board.board, no_formula(board.match), *lights, board.evidence])
    faces, odds = [f"face_{n}" for n in range(1, 7)], [f"p_{n}" for n in range(1, 7)]
    head = ["entrant", "matches", "answers", "takebacks_asked", "takebacks_agreed"]
    writer.writerow([*head, "longest_think_seconds", "longest_in", *faces, *odds])
    for one in table.players:
        think = f"{one.longest_think.took / 1_000_000:.3f}" if one.longest_think else ""
        dice = [*one.dice.counts, *(f"{p:.6f}" for p in one.dice.p)] if one.dice else [""] * 12
        asked = [one.takebacks_asked, one.takebacks_agreed]
        writer.writerow([one.entrant, one.matches, one.answers, *asked, think, one.longest_in, *dice])
    return target.getvalue()
