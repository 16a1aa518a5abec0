"""How `glasnost tournament` carries out a command: over a store, through the gate of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import IO, TYPE_CHECKING, TypeVar

from api.cli.common import CannotBeDone, must_hold_a_store, opened_store
from api.cli.tournament_backend import (
    Added,
    Drafted,
    ImportedHere,
    InvitationCode,
    KeptRecord,
    Table,
    converted,
    named_pairs,
)

if TYPE_CHECKING:
    from api.gate.tournament_commands import Accepted
    from api.gate.tournament_imports import ImportedTournament
    from api.gate.tournament_integrity import Integrity
    from api.gate.tournament_previews import Preview
    from api.gate.tournament_tasks import OpenTask
    from api.gate.tournaments import DraftedRound, TournamentGate
    from api.store.open import Location
    from api.store.sql import SqlStore
    from domain.tournaments import commands as c
    from domain.tournaments.history import TournamentLog
    from domain.tournaments.judging import Actor
    from domain.tournaments.state import Tournament
    from domain.tournaments.terms import Terms
    from replay.tournaments.entrant_list import ListedEntrant
    from replay.tournaments.exports import Wanted

T = TypeVar("T")


def run_at(store: Location, work: Callable[[TournamentGate], Awaitable[T]]) -> T:
    """Do some work with the gate of a store.

    Raises:
        CannotBeDone: there is no store, it is in use, or the command is refused.
    """
    from api.gate import Gate
    from api.gate.tournaments import TournamentGate
    from api.http.server import clock
    from api.settings import product
    from replay.tournaments.pairing_twice import pair_twice

    must_hold_a_store(store)
    with opened_store(store) as opened:

        async def over() -> T:
            gate = Gate(opened, opened.keys, clock, product())
            tournaments = TournamentGate(gate, pair_twice)
            try:
                return await work(tournaments)
            finally:
                await tournaments.commands.finish()
                await gate.close()

        return asyncio.run(over())


async def acting(gate: TournamentGate, person: str, s: Tournament | None = None) -> Actor:
    """Return the person who acts; without a name, the opener of the tournament.

    Raises:
        CannotBeDone: there is no such person.
    """
    from domain.tournaments.judging import Actor

    name = person or (s.opener if s else "")
    known = gate.gate.store.people.known(name)
    if known is None:
        raise CannotBeDone(f"--as: there is no person {name!r}; `glasnost people find` shows ids")
    return Actor(known.id, known.role)


class StoreBackend:
    """Carries out the commands over a store; see `api.cli.tournament_backend.Backend`.

    Args:
        person: the id of the official who acts; "": the opener of the tournament.
        language: of the sentence of the integrity table.
        expect: the latest entry that the caller has seen; None: the latest one of the store.
    """

    def __init__(self, store: Location, person: str, language: str, expect: int | None = None) -> None:
        self._store, self._person, self._language, self._expect = store, person, language, expect

    def announce(self, title: str, terms: Terms) -> Added:
        """Announce a tournament."""
        if not self._person:
            raise CannotBeDone("--as: name the director, an organizer or an admin")

        async def work(gate: TournamentGate) -> Accepted:
            return await gate.commands.announce(await acting(gate, self._person), title, terms)

        return _added(run_at(self._store, work))

    def import_trf(self, content: bytes, terms: Terms | str, title: str) -> ImportedHere:
        """Import a running tournament."""
        from replay.tournaments.trf_import import read_running

        if not self._person:
            raise CannotBeDone("--as: name the director, an organizer or an admin")
        found = read_running(content, terms, title)

        async def work(gate: TournamentGate) -> ImportedTournament:
            from api.gate.tournament_imports import import_tournament

            actor, people = await acting(gate, self._person), gate.gate.store.people
            return await import_tournament(gate.commands, people, actor, found, found.names)

        made = run_at(self._store, work)
        kept, left_out = (
            tuple(KeptRecord(one.line, one.text, one.known) for one in some)
            for some in (made.kept, made.left_out)
        )
        codes = tuple(InvitationCode(one.name, one.person, one.code) for one in made.invited)
        return ImportedHere(_added(made.accepted), made.played, made.paired, codes, kept, left_out)

    def change_terms(self, tournament: str, order: c.ChangeTerms) -> Added:
        """Give fields of the terms other values."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            return await gate.commands.command(tournament, order, actor, expect=log.entry)

        return self._carried_out(tournament, work)

    def enter(self, tournament: str, listed: list[ListedEntrant]) -> tuple[Added, tuple[InvitationCode, ...]]:
        """Enter all of a list, or none of them; no mail is sent."""
        if any(one.mail for one in listed):
            raise CannotBeDone("only a server sends mail: name it with --url, or leave the column mail out")
        codes: list[InvitationCode] = []

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            from domain.tournaments import commands as c
            from domain.tournaments.rules import dry_run

            tried = tuple(
                c.Place(one.player or f"?{one.line}", one.seed, one.rating, bool(one.player))
                for one in listed
            )
            bots = gate.gate.store.people.bots([one.player for one in listed if one.player])
            dry_run(log.state, c.Invite(places=tried), actor, log.entry, frozenset(bots))
            places = []
            for one in listed:
                who = one.player
                if not who:
                    known, code = gate.gate.store.people.add(one.name, "player")
                    who = known.id
                    codes.append(InvitationCode(one.name, who, code))
                places.append(c.Place(who, one.seed, one.rating, bool(one.player)))
            order = c.Invite(places=tuple(places))
            return await gate.commands.command(tournament, order, actor, expect=log.entry)

        return self._carried_out(tournament, work), tuple(codes)

    def draft(self, tournament: str) -> Drafted:
        """Pair the next round, and store nothing."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> DraftedRound:
            return await gate.draft(tournament, actor)

        found = self._with_log(tournament, work)
        draft = found.draft
        return Drafted(found.entry, draft, found.sha256, draft.boards, draft.byes)

    def pair(self, tournament: str) -> Added:
        """Pair the next round; the lot for the first colour is drawn before the first one."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            from domain.tournaments import commands as c
            from domain.tournaments.crosstables import FIRST_COLOUR, first_colour
            from domain.tournaments.drafts import needs_engine

            if needs_engine(log.state) and first_colour(log.state) is None:
                lot = c.DrawLot(label=FIRST_COLOUR, n=2)
                await gate.commands.command(tournament, lot, actor, expect=log.entry)
            found = await gate.draft(tournament, actor)
            return await gate.pair(tournament, found.draft.round, found.sha256, actor, found.entry)

        return _added(self._with_log(tournament, work, _must_be_unpaired))

    def publish_round(self, tournament: str, despite_calls: str) -> Added:
        """Publish the latest round."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            from domain.tournaments import commands as c

            number = max(len(log.state.rounds), 1)
            order = converted(c.PublishRound, do="publish_round", round=number, despite_calls=despite_calls)
            return await gate.publish_round(tournament, order, actor, log.entry)

        return self._carried_out(tournament, work)

    def publish_standings(self, tournament: str, *, final: bool) -> Added:
        """Publish the standings."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            from domain.tournaments import commands as c

            return await gate.publish(tournament, c.Publish(final=final), actor, log.entry)

        return self._carried_out(tournament, work)

    def close_round(self, tournament: str, boards: list[dict[str, object]], reason: str) -> Added:
        """Close the latest round."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            from domain.tournaments import commands as c

            number = max(len(log.state.rounds), 1)
            order = converted(c.CloseRound, do="close_round", round=number, boards=boards, reason=reason)
            return await gate.close_round(tournament, order, actor, log.entry)

        return self._carried_out(tournament, work)

    def rule(self, tournament: str, order: c.Rule, seen: str) -> Added:
        """Decide the result of a board."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            return await gate.rule(tournament, order, actor, log.entry, preview=seen)

        return self._carried_out(tournament, work)

    def upload(self, tournament: str, content: bytes) -> str:
        """Keep the match file of a game that was played elsewhere."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> str:
            return (await gate.files.take(tournament, content, actor)).sha256

        return self._with_log(tournament, work)

    def preview(self, tournament: str, order: c.Rule) -> Preview:
        """What a ruling would change."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Preview:
            from api.gate.tournament_previews import previewed

            return await previewed(gate, tournament, order, actor, log.entry)

        return self._with_log(tournament, work)

    def advance(self, tournament: str, order: c.Advance) -> Added:
        """Let those go on who have qualified."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            return await gate.advance(tournament, order, actor, log.entry)

        return self._carried_out(tournament, work)

    def measure(self, tournament: str, order: c.Measure) -> Added:
        """Freeze or release a match; extend or adjourn boards, pause their clocks, or let them run."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> Accepted:
            from api.gate.tournament_measures import carry_out

            return await carry_out(gate, tournament, order, actor, log.entry)

        return self._carried_out(tournament, work)

    def time_zone(self, tournament: str) -> str:
        """The time zone of its terms; a store that is served is read, too."""
        with opened_store(self._store, write=False) as opened:
            return log_of(opened, tournament).state.terms.time_zone

    def standings(self, tournament: str, at: int | None, entrant: str | None, *, named: bool) -> Table:
        """The standings after an entry; a store that is served is read, too."""
        from api.gate.tournament_commands import state_at
        from domain.tournaments.judging import entrant_in
        from replay.tournaments.results import explained_of, standings_of

        with opened_store(self._store, write=False) as opened:
            state = state_at(log_of(opened, tournament), at)
            known = opened.people.names([one.player for one in state.numbered]) if named else {}
            why = None if entrant is None else explained_of(state, entrant_in(state, entrant).id)
            names = {id: name for id, one in state.entrants.items() if (name := known.get(one.player))}
            return Table(state.title, state.entry, standings_of(state), names, why)

    def tasks(self, tournament: str) -> tuple[OpenTask, ...]:
        """What its officials have to do."""

        async def work(gate: TournamentGate, log: TournamentLog, actor: Actor) -> tuple[OpenTask, ...]:
            from api.gate.tournament_tasks import open_tasks
            from domain.tournaments.judging import must_be_official

            must_be_official(log.state, actor)
            return await open_tasks(gate, log.state)

        return self._with_log(tournament, work)

    def integrity(self, tournament: str) -> Integrity:
        """The integrity table."""

        async def work(gate: TournamentGate) -> Integrity:
            from api.gate.tournament_integrity import integrity_of

            return await integrity_of(gate, tournament, self._language)

        return run_at(self._store, work)

    def export(self, tournament: str, wanted: Wanted, into: IO[bytes], *, with_proofs: bool = False) -> None:
        """Write an export to a file; a store that is served is read, too."""
        from api.gate.tournament_commands import state_at
        from replay.tournaments.exports import exported

        with opened_store(self._store, write=False) as opened:
            log = log_of(opened, tournament)
            state = state_at(log, wanted.at)
            if wanted.format == "bundle":
                write_bundle(opened, log, state.entry, into, with_proofs=with_proofs)
                return
            names = opened.people.names([one.player for one in state.entrants.values()])
            known = {person: name for person, name in names.items() if name}
            into.write(exported(log, state, wanted, known, opened.keys.signing.verifying.name))

    def close(self) -> None:
        """Nothing is held between two commands."""

    def _with_log(
        self,
        tournament: str,
        work: Callable[[TournamentGate, TournamentLog, Actor], Awaitable[T]],
        must_be_seen: Callable[[TournamentLog, int], None] | None = None,
    ) -> T:
        async def over(gate: TournamentGate) -> T:
            log = await gate.commands.log(tournament)
            if self._expect is not None:
                (must_be_seen or _must_be_latest)(log, self._expect)
            return await work(gate, log, await acting(gate, self._person, log.state))

        return run_at(self._store, over)

    def _carried_out(
        self, tournament: str, work: Callable[[TournamentGate, TournamentLog, Actor], Awaitable[Accepted]]
    ) -> Added:
        return _added(self._with_log(tournament, work))


def _must_be_latest(log: TournamentLog, expect: int) -> None:
    from domain.tournaments.judging import must_be_latest

    must_be_latest(log.state, expect)


def _must_be_unpaired(log: TournamentLog, expect: int) -> None:
    """See `must_be_unpaired`.  Raises CannotBeDone: with the pairing that another official committed."""
    from api.gate.tournaments import PairedBefore, must_be_unpaired

    try:
        must_be_unpaired(log, expect)
    except PairedBefore as error:
        boards = named_pairs((one.board, one.w, one.b) for one in error.paired.boards)
        raise CannotBeDone(f"{error}{boards}") from error


def log_of(store: SqlStore, tournament: str) -> TournamentLog:
    """Return the log of a tournament.  Raises CannotBeDone: there is none of this id."""
    log = store.tournament(tournament)
    if log is None:
        raise CannotBeDone(f"there is no tournament {tournament}")
    return log


def _added(accepted: Accepted) -> Added:
    from domain.log import b64

    log, last = accepted.log, max(accepted.last, 1)
    kinds = tuple(record.kind for record in log.records[accepted.first - 1 : accepted.last])
    return Added(log.id, last, b64(log.roots[last - 1]), kinds)


def write_bundle(
    store: SqlStore, log: TournamentLog, at: int, out: IO[bytes], *, with_proofs: bool = False
) -> None:
    """Write the tournament file of the first entries; `with_proofs`: with those from the server's log.

    Raises:
        CannotBeDone: a match is not at hand, or the signed log does not hold the last of these entries.
    """
    from api.gate.tournament_commands import KIND
    from api.store.log_proofs import TournamentProofs
    from domain.signed_notes import checkpoint
    from replay import matchfile
    from replay.tournaments.file import none_reported, write

    def of(name: str) -> bytes:
        match, note = store.match(name), store.note(name)
        if match is None or note is None:
            raise CannotBeDone(f"match {name} is not in this store, or not over")
        return matchfile.write(match.records, note, proofs.of_match(name) if proofs else None)

    def reported(file: str) -> bytes:
        content = store.reported_files.content(log.id, file)
        return none_reported(file) if content is None else content

    proofs = TournamentProofs(store, log.id, at) if with_proofs else None
    proof = proofs.of_entries() if proofs else None
    if with_proofs and (proof is None or len(proof.proofs) < at):
        raise CannotBeDone(f"the signed log does not hold entry {at} yet: serve the store, and try again")
    keys = store.keys
    note = checkpoint(keys.signing, log, at, log.roots[at - 1], KIND)
    write(out, log, note, [keys.present, *keys.retired], of, at, proof, reported)
