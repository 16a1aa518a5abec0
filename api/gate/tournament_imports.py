"""The import of a tournament that was begun elsewhere: one append of all that its file says, or none."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from msgspec import Struct

from api.gate.tournament_commands import Accepted, TournamentCommands
from api.store.interface import People
from domain.chance import Secret
from domain.log import b64
from domain.tournaments.imports import entries_of
from domain.tournaments.judging import Actor, Given
from domain.tournaments.log import Draft
from domain.tournaments.rules import opened
from replay.local_time import must_be_zone
from replay.tournaments.trf import Kept
from replay.tournaments.trf_import import ImportedTrf

PLAYER = "player"  # the role of those who are invited


class InvitedPerson(Struct, frozen=True):
    """A place that is kept, and the code with which its person signs in; it is not stored."""

    entrant: str
    person: str
    name: str
    code: str


class ImportedTournament(Struct, frozen=True):
    """A tournament that was imported: its first entries, who is invited, and what became of other records.

    played, paired: see `domain.tournaments.events.Origin`.
    """

    accepted: Accepted
    played: int
    paired: int
    invited: tuple[InvitedPerson, ...]
    kept: tuple[Kept, ...]
    left_out: tuple[Kept, ...]


async def import_tournament(
    commands: TournamentCommands, people: People, actor: Actor, found: ImportedTrf, names: Sequence[str]
) -> ImportedTournament:
    """Announce a tournament with the entrants, rounds and results of a file; the caller is its director.

    Args:
        people: where those who are invited are added.
        names: of them, in the order of the file.

    Raises:
        Refused: forbidden, invalid, terms, unknown-game, bad-option, unavailable, in-doubt.
    """
    tried = [f"?{number}" for number in range(1, len(names) + 1)]
    must_be_zone(found.terms.time_zone)
    known = commands.for_first_records(Secret(bytes(32), "t"))
    await asyncio.to_thread(_drafted, found, tried, actor, known, "")  # before the first of them is added
    added = [await asyncio.to_thread(people.add, name, PLAYER) for name in names]

    def make(known: Given, product: str) -> Draft:
        return _drafted(found, [person.id for person, _ in added], actor, known, product)

    accepted = await commands.announce_begun(make)
    invited = tuple(
        InvitedPerson(line.entrant, person.id, person.name or "", code)
        for line, (person, code) in zip(found.begun.table.lines, added, strict=True)
    )
    origin = found.begun.origin
    return ImportedTournament(accepted, origin.rounds, origin.paired, invited, found.kept, found.left_out)


def _drafted(found: ImportedTrf, people: Sequence[str], actor: Actor, known: Given, product: str) -> Draft:
    """All records of the new tournament.  Raises Refused."""
    origin = found.begun.origin
    draft = opened(known.secret.match, found.title, found.terms, actor, known, product, origin)
    for new in entries_of(found.begun, people, [b64(os.urandom(16)) for _ in range(origin.paired)]):
        draft.add(new)
    return draft
