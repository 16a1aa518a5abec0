"""The gate of tournaments: drafts of pairings, rounds and their matches, rulings, standings.

What touches both a tournament and a match is two appends, never one: the match's own gate first, then the
tournament's entry.  Each step may come late or twice; `open_matches` and `settle` do what is missing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal

import msgspec
from cachetools import LRUCache
from msgspec import Struct
from msgspec.structs import replace

from api.gate.command_handler import Key
from api.gate.commit import UNTOLD
from api.gate.gate import Gate
from api.gate.match_evidence import MatchEvidence
from api.gate.reported_files import ReportedFiles
from api.gate.tournament_commands import Accepted, TournamentCommands
from api.gate.tournament_rulings import (
    must_be_possible,
    on_board,
    on_match,
    reason_in_match,
    taken,
)
from api.store.interface import Reservation
from domain.clocks import SECOND
from domain.events import BoardOf, Ruled
from domain.games import GAMES
from domain.kernel import Refused, Seat
from domain.log import b64, canonical
from domain.match import Match
from domain.tournaments import commands as c
from domain.tournaments.crosstables import table_for_pairing
from domain.tournaments.drafts import in_tournament, needs_engine, on_both_sides, options_of, without_board
from domain.tournaments.events import Paired
from domain.tournaments.history import TournamentLog
from domain.tournaments.judging import (
    THE_HOUSE,
    Actor,
    Given,
    Head,
    entrant_in,
    must_be_latest,
    must_be_official,
)
from domain.tournaments.log import Draft
from domain.tournaments.outcomes import RulingInMatch, for_result, sides_of, sitting
from domain.tournaments.rounds import must_have_opponents, next_round
from domain.tournaments.rules import judged
from domain.tournaments.state import Board, Entrant, Round, Tournament
from projections.ratings import RatedAs, RatingChange
from replay.tournaments.pairing import PairingAnswer
from replay.tournaments.pairings import named_boards
from replay.tournaments.published import published_hashes
from replay.tournaments.results import (
    computed_draft,
    division_standings,
    explained_of,
    ranked_of,
    standings_of,
)
from replay.tournaments.standings import Explained, Standings
from replay.tournaments.trf import pairing_input

Pairer = Callable[[str], PairingAnswer]
"""An engine: the TRF of a tournament in, the pairing of the next round out (see `pairing.pair`)."""
Ratings = Callable[[str, str, str], Awaitable[tuple[int, str]]]
"""The rating of a player (the last argument) in an edition of a game, and where it comes from; 0: none."""
RatingChanges = Callable[[RatedAs], Awaitable[tuple[RatingChange, ...]]]
PaidBid = tuple[Seat, int, bool]
"""The side that was bought in a match that is over, for how much (0: for nothing), and whether it won."""
_TABLES = 64  # standings that are kept
_MATCHES = 4_096  # matches that are over, of which the evidence is kept: some 2 kB each
HOUSE_RULES = "house"  # who rules if the house does


class DraftedRound(Struct, frozen=True):
    """A pairing that is not stored: for the state after `entry`, with the hash by which it is committed."""

    entry: int
    draft: c.PairingDraft
    sha256: str


class PairedBefore(Refused):
    """Another official has paired since: the refusal of kind stale with what they committed.

    entry: the number of `paired`; root: the root after it; sha256: the hash of their draft.
    """

    def __init__(self, log: TournamentLog, paired: Paired) -> None:
        super().__init__("stale", "paired-before", {"round": paired.round, "entry": paired.entry})
        self.tournament, self.entry, self.paired = log.id, paired.entry, paired
        self.root = b64(log.roots[paired.entry - 1])
        about = {name: getattr(paired, name) for name in c.PairingDraft.__struct_fields__}
        boards = tuple((one.w, one.b, one.floats, one.colour_rule) for one in paired.boards)
        self.sha256 = _sha256_of(c.PairingDraft(**{**about, "boards": boards}))


def must_be_unpaired(log: TournamentLog, expect: int) -> None:
    """Check that `expect` is the latest entry.

    Raises:
        PairedBefore: a round was paired since.
        Refused: stale; something else happened since.
    """
    since = (record.entry for record in reversed(log.records[expect:]))
    paired = next((entry for entry in since if isinstance(entry, Paired)), None)
    if paired is not None:
        raise PairedBefore(log, paired)
    must_be_latest(log.state, expect)


def _sha256_of(draft: c.PairingDraft) -> str:
    return hashlib.sha256(canonical(draft)).hexdigest()


class TournamentGate:
    """All commands to all tournaments of a store.

    Args:
        gate: of the matches.
        pairer: pairs Swiss rounds; None: it is not installed.
        ratings: of players who enter; None: they enter without.
    """

    def __init__(self, gate: Gate, pairer: Pairer | None, ratings: Ratings | None = None) -> None:
        self.gate, self._pairer, self._ratings = gate, pairer, ratings
        self.commands = TournamentCommands(gate.store, gate.commits)
        keys = [key.text for key in (gate.keys.present, *gate.keys.retired)]
        self.files = ReportedFiles(gate.store, self.commands, keys, gate.commits.clock)
        self._drafts: dict[str, DraftedRound] = {}
        self._engine = asyncio.Semaphore(1)  # each pairing and each table takes a core for a while
        self._tables: LRUCache[tuple[str, int, int], Standings] = LRUCache(_TABLES)
        self.evidence: LRUCache[str, MatchEvidence] = LRUCache(_MATCHES)  # of matches that are over
        self.bids: LRUCache[str, PaidBid] = LRUCache(_MATCHES)  # of matches that are over
        self.agreeing: LRUCache[str, bool] = LRUCache(_MATCHES)  # matches that end as they were recorded
        self._begun: set[str] = set()  # matches whose players have sat down: they are not looked at again
        self.moved: LRUCache[tuple[str, int], bool] = LRUCache(_MATCHES)  # matches and the dates they got
        self.opens_place: Callable[[str, str, str, str], bool] = lambda *_: False
        """Is this (code, tournament, entrant, person) a code that was sent by mail?"""
        self.rating_changes: RatingChanges | None = None
        """Whose ratings change if a match counts so; None: ratings are not at hand."""
        gate.must_judge = self.commands.must_judge

    # ── people ──

    async def enter(
        self,
        tournament: str,
        command: c.EnterTournament,
        actor: Actor,
        *,
        expect: int | None = None,
        key: Key | None = None,
    ) -> Accepted:
        """A player enters, or is entered; the rating is copied.  Raises Refused: see `people.enter`."""

        async def gather(s: Tournament, known: Given) -> Given:
            return await self.with_rating(s, command, actor, known)

        return await self.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)

    async def with_rating(
        self, s: Tournament, command: c.EnterTournament, actor: Actor, known: Given
    ) -> Given:
        """Return what is given for entering: with the rating of the player, if the command names none."""
        if self._ratings is None or command.rating is not None:
            return known
        player, edition = command.player or actor.person, s.terms.edition or ""
        rating, source = await self._ratings(s.terms.game, edition, player)
        return replace(known, rating=rating, rating_source=source)

    async def accept(
        self, tournament: str, command: c.Accept, actor: Actor, code: str = "", *, key: Key | None = None
    ) -> Accepted:
        """A player takes the place that is kept for them, or for another account.

        `code`: the token of that account, or the code that was sent by mail for its place.

        Raises:
            Refused: see `people.accept`.
        """

        async def gather(s: Tournament, known: Given) -> Given:
            one = s.entrants.get(command.entrant)
            person = await asyncio.to_thread(self.gate.store.people.by_token, code) if code else None
            is_shown = one is not None and person is not None and person.id == one.player
            if one is not None and not is_shown:
                is_shown = self.opens_place(code, tournament, command.entrant, one.player)
            return replace(known, invited=command.entrant if is_shown else "")

        accepted = await self.commands.command(tournament, command, actor, key=key, gather=gather)
        await self.reserve_again(tournament, command.entrant)
        return accepted

    async def replace_player(
        self, tournament: str, command: c.Replace, actor: Actor, *, key: Key | None = None
    ) -> Accepted:
        """Another player takes over a place, and its free seats.  Raises Refused."""
        accepted = await self.commands.command(tournament, command, actor, expect=command.expect, key=key)
        await self.reserve_again(tournament, command.entrant)
        return accepted

    async def reserve_again(self, tournament: str, entrant: str) -> None:
        """Reserve the free seats of an entrant for the player who has the place now."""
        log = await self.commands.log(tournament)
        one = log.state.entrants.get(entrant)
        for had in log.state.rounds:
            for board in had.boards_of(entrant):
                if one is not None and board.opened:
                    await self._reserve(log.state, board, one)

    async def _reserve(self, s: Tournament, board: Board, one: Entrant) -> None:
        match = await self.gate.match(board.match)
        seat = GAMES[s.terms.game].seats[board.seated.index(one.id)]
        if match.closed is None and match.seats[seat] is None:
            await self.gate.reserve(board.match, seat, Reservation(one.player), None)

    # ── pairing ──

    async def draft(self, tournament: str, actor: Actor, expect: int | None = None) -> DraftedRound:
        """Pair the next round for the state as it is, and store nothing.

        Raises:
            Refused: forbidden, stale, late, unfinished, pairing, not-offered.
        """
        log = await self.commands.log(tournament)
        must_be_official(log.state, actor)
        if expect is not None:
            must_be_unpaired(log, expect)
        known = self._drafts.get(tournament)
        if known is not None and known.entry == log.entry:
            return known
        state, entry = log.state, log.entry
        async with self._engine:
            known = self._drafts.get(tournament)
            if known is not None and known.entry == entry:  # another official asked for the same meanwhile
                return known
            draft = await asyncio.to_thread(self.drafted, state)
        found = DraftedRound(entry, draft, _sha256_of(draft))
        self._drafts = {**dict(list(self._drafts.items())[-15:]), tournament: found}
        return found

    def drafted(self, s: Tournament) -> c.PairingDraft:
        """Pair the next round of a state; it takes a while.  Raises Refused: see `draft`."""
        number = next_round(s)
        if not needs_engine(s):
            return computed_draft(s, number)
        must_have_opponents(s)
        view, within = s.playing, number - s.first_of_stage + 1
        table = table_for_pairing(view, within)
        if table.first_colour is None:
            raise Refused("boards", "draw-the-colour-first")
        if self._pairer is None:
            raise Refused("not-offered", "no-pairing-extra")
        text = pairing_input(table, within)
        answer = self._pairer(text)
        names = {line.number: line.entrant for line in table.lines}
        boards = on_both_sides(s.terms, named_boards(answer, names))
        byes = without_board(view, within) | {names[one]: "pairing_bye" for one in answer.byes}
        return c.PairingDraft(
            round=number,
            engine=answer.engine,
            version=answer.version,
            rules=answer.rules,
            input_sha256=hashlib.sha256(text.encode()).hexdigest(),
            input=text,
            boards=boards,
            byes=in_tournament(s, boards, byes),
        )

    async def pair(
        self,
        tournament: str,
        round_number: int,
        sha256: str,
        actor: Actor,
        expect: int,
        key: Key | None = None,
    ) -> Accepted:
        """Commit a draft that was shown: it is made again, and must be the same.

        Raises:
            PairedBefore: another official was faster.
            Refused: forbidden, stale, pairing, and what `draft` refuses.
        """
        if key is not None and (before := await self.commands.answered(tournament, key)) is not None:
            return before
        log = await self.commands.log(tournament)
        must_be_official(log.state, actor)
        must_be_unpaired(log, expect)
        try:
            known = self._drafts.get(tournament)
            found = known if known and known.entry == expect else await self.draft(tournament, actor)
            if found.sha256 != sha256:
                raise Refused("stale", "another-draft")
            command = c.Pair(round=round_number, draft=found.draft)
            return await self.commands.command(tournament, command, actor, expect=expect, key=key)
        except Refused as error:
            if error.kind in UNTOLD:
                raise
            must_be_unpaired(await self.commands.log(tournament), expect)  # it may have gone on meanwhile
            raise

    # ── rounds ──

    async def publish_round(
        self, tournament: str, command: c.PublishRound, actor: Actor, expect: int, key: Key | None = None
    ) -> Accepted:
        """Publish a round, and open its matches if their time has come.  Raises Refused."""
        accepted = await self.commands.command(tournament, command, actor, expect=expect, key=key)
        await self.open_matches(tournament)
        return accepted

    async def open_matches(self, tournament: str) -> int:
        """Open the matches of published rounds that are due and not open yet; return how many.

        A match that was opened before a crash is found by its id, so nothing is opened twice.
        """
        log, now, opened = await self.commands.log(tournament), self.gate.commits.clock(), 0
        state = log.state
        for one in () if state.ended else state.rounds:
            is_due = one.opens_at is None or now is None or one.opens_at <= now
            is_here = one.status != "paired" and not state.was_played_elsewhere(one.number)
            for board in one.boards if is_here and is_due else ():
                if not board.opened:
                    await self._open(state, one, board)
                    opened += 1
        return opened

    async def _open(self, s: Tournament, one: Round, board: Board) -> None:
        match = await self._opened(s, BoardOf(s.id, one.number, board.number), board)
        command = c.OpenBoard(
            round=one.number, board=board.number, match=board.match, root=b64(match.roots[0])
        )
        await self.commands.command(s.id, command, THE_HOUSE)

    async def _opened(self, s: Tournament, place: BoardOf, board: Board) -> Match:
        """The match of a board, opened now or before."""
        seats, terms = GAMES[s.terms.game].seats, s.terms
        options = options_of(terms, board)
        people = tuple(s.entrants[name].player for name in board.seated)
        reserved = {seat: Reservation(person) for seat, person in zip(seats, people, strict=False)}
        try:
            accepted = await self.gate.open(
                None,
                terms.game,
                terms.edition,
                options,
                match=board.match,
                reserved=reserved,
                private=not terms.rated or terms.visibility == "link",
                clock=terms.clock,
                tournament=place,
            )
            return accepted.cached.match
        except Refused as error:
            if error.kind != "exists":
                raise
        match = await self.gate.match(board.match)
        same = (match.opened.edition, match.opened.options) == (terms.edition, options)
        if match.opened.tournament != place or not same:
            raise Refused("boards", "another-match", {"board": board.number})
        return match

    async def close_round(
        self, tournament: str, command: c.CloseRound, actor: Actor, expect: int, key: Key | None = None
    ) -> Accepted:
        """Close a round; what it leaves to happen goes to the gates of the matches.  Raises Refused."""

        async def gather(s: Tournament, known: Given) -> Given:
            return await self.with_heads(s, command, known)

        accepted = await self.commands.command(
            tournament, command, actor, expect=expect, key=key, gather=gather
        )
        await self.settle(tournament)
        return accepted

    async def with_heads(self, s: Tournament, command: c.CloseRound, known: Given) -> Given:
        """Return what is given for closing a round: with the latest moves of its unfinished matches."""
        one = s.at_round(command.round)
        boards = [one.board(policy.board) for policy in command.boards] if one else []
        heads = {board.number: await self._head(board) for board in boards if board and board.opened}
        return replace(known, heads=heads)

    async def _head(self, board: Board) -> Head:
        match = await self.gate.match(board.match)
        return Head(match.move, b64(match.roots[-1]))

    async def settle(self, tournament: str) -> int:
        """Have the gates of matches take the forfeits and adjudications of closed rounds; return how many.

        A match that ended first keeps its result; one that merely went on is forfeited all the same, but not
        adjudicated: an official must look at it again.
        """
        log, done = await self.commands.log(tournament), 0
        for one in log.state.rounds:
            for board in one.boards if one.status == "closed" else ():
                policy = board.policy
                if policy is None or policy.policy == "adjourn" or board.ruling is not None:
                    continue
                done += await self._settled(log.state, one, board)
        return done

    async def _settled(self, s: Tournament, one: Round, board: Board) -> bool:
        assert board.policy is not None, "only a board with a policy is settled"
        policy, moved = board.policy, 0
        if board.opened:
            reason = f"tournament {s.id}, round {one.number}, board {board.number}: {policy.policy}"
            expect = policy.move if policy.policy == "adjudicate" else None
            moved = await self._end_match(s, board, policy.result, one.closed_by, reason, expect)
            is_void = board.outcome is not None and not board.outcome.result
            if not moved and not is_void:
                return False
        command = c.ApplyPolicy(round=one.number, board=board.number)

        async def gather(s: Tournament, known: Given) -> Given:
            return replace(known, moved=moved)

        accepted = await self.commands.command(s.id, command, THE_HOUSE, gather=gather)
        return accepted.last >= accepted.first

    async def _end_match(
        self, s: Tournament, board: Board, result: str, by: str, reason: str, expect: int | None
    ) -> int:
        """Have a match's gate take a result; return its move, 0 if the match ended first or went on."""
        match = await self.gate.match(board.match)
        if match.closed is None:
            asked = for_result(sides_of(s, board, sitting(match)), board, result)
            try:
                await self._rule_match(match, asked, by, reason, expect)
            except Refused as error:
                if error.kind not in ("over", "stale"):
                    raise
            match = await self.gate.match(board.match)
        ruled = [record for record in match.records[-4:] if isinstance(record.entry, Ruled)]
        return next((record.move for record in ruled if record.entry.reason == reason), 0)

    async def _rule_match(
        self, match: Match, asked: RulingInMatch, by: str, reason: str, expect: int | None
    ) -> int:
        """Have a match's gate take a ruling; return its move.  Raises Refused: see `Gate.rule`."""
        accepted = await self.gate.rule(
            match.id,
            by,
            reason,
            expect=expect,
            back_to=asked.back_to,
            result=asked.result,
            void=asked.void,
            by_tournament=True,
        )
        return accepted.first

    async def forfeit_no_shows(self, tournament: str) -> int:
        """Rule forfeits on boards whose entrants did not sit down in the time of grace; return how many.

        The match is closed void first, so no play can begin meanwhile.
        """
        log, now, done = await self.commands.log(tournament), self.gate.commits.clock(), 0
        s = log.state
        for one in s.rounds if now is not None else ():
            since = max((board.opened for board in one.boards), default=0)
            opened_at = log.records[since - 1].entry.at if since else None
            due = None if opened_at is None else max(opened_at, one.opens_at or 0) + s.terms.grace * SECOND
            for board in one.boards if due is not None and now is not None and due <= now else ():
                is_open = board.opened and board.outcome is None and board.ruling is None
                is_extended = now is not None and now < max(board.extended or 0, board.adjourned or 0)
                if is_open and not is_extended and not board.frozen and board.match not in self._begun:
                    done += await self._forfeited(s, one, board)
        return done

    async def _forfeited(self, s: Tournament, one: Round, board: Board) -> bool:
        match = await self.gate.match(board.match)
        seats = list(match.seats)
        came = [match.seats[seat] is not None and seat not in match.unopened for seat in seats[:2]]
        if match.begun or all(came) or (match.closed and match.closed.by != "ruling"):
            self._begun.add(board.match)
            return False
        reason = f"tournament {s.id}, round {one.number}, board {board.number}: no show"
        moved = await self._end_match(s, board, "--", HOUSE_RULES, reason, match.move)
        if not moved:
            return False
        w, b = came if board.seated == board.entrants else reversed(came)
        result: Literal["+-", "-+", "--"] = "+-" if w else "-+" if b else "--"

        async def gather(s: Tournament, known: Given) -> Given:
            return replace(known, moved=moved)

        command = c.NoShow(round=one.number, board=board.number, result=result)
        accepted = await self.commands.command(s.id, command, THE_HOUSE, gather=gather)
        return accepted.last >= accepted.first

    # ── rulings, standings ──

    async def rule(
        self,
        tournament: str,
        command: c.Rule,
        actor: Actor,
        expect: int,
        key: Key | None = None,
        preview: str = "",
    ) -> Accepted:
        """Decide the result of a board, or rule on its match; a match that runs takes it first.

        Args:
            preview: the hash of a preview of this command, which a closed round needs.

        Raises:
            Refused: preview, and see `arbiters.rule`; of a ruling on the match also over, stale and ruling.
        """

        async def gather(s: Tournament, known: Given) -> Given:
            tree = self._locked(tournament).tree
            known = await self.files.with_file(s, command, known)
            before = await self.with_move(s, command, actor, known)
            draft = judged(s, tree, command, actor, before, expect)
            one = s.rounds[command.round - 1]
            if one.status == "closed" and not preview:
                raise Refused("preview", "preview-needed")
            if preview and preview != preview_hash(draft):
                raise Refused("preview", "preview-differs")
            await self.files.note_named(s, command)
            if not before.moved:
                return known
            moved = await self._take(s, one.boards[command.board - 1], command, actor, before, preview)
            if preview and moved != before.moved:
                raise Refused("preview", "preview-differs")
            return replace(before, moved=moved)

        return await self.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)

    async def _take(
        self, s: Tournament, board: Board, command: c.Rule, actor: Actor, before: Given, preview: str
    ) -> int:
        """Have the match of a board take a ruling, unless it did so before a crash; return its move."""
        match = await self.gate.match(board.match)
        asked = on_match(s, board, match, command)
        if (moved := taken(s, match, asked, actor.person, command.text)) > 0:
            return moved
        seen, reason = before.moved - 1 if preview else None, reason_in_match(s, command.text)
        if command.match is None:
            return await self._end_match(s, board, command.result or "", actor.person, reason, seen)
        seen = command.match.expect if seen is None else seen
        return await self._rule_match(match, asked, actor.person, reason, seen)

    async def with_move(self, s: Tournament, command: c.Rule, actor: Actor, known: Given) -> Given:
        """Return what is given for a ruling: with the move by which a running match will take it.

        Raises:
            Refused: forbidden; over, stale, ruling: the match will not take it.
        """
        must_be_official(s, actor)
        one = s.at_round(command.round)
        board = one.board(command.board) if one else None
        if board is None or not board.opened or (command.result is None) == (command.match is None):
            return known
        match = await self.gate.match(board.match)
        asked = on_match(s, board, match, command)
        moved = taken(s, match, asked, actor.person, command.text)
        if command.match is not None and not moved:
            must_be_possible(match, asked, actor.person, command.match.expect)
        if not moved and match.closed:
            return known
        given = on_board(s, board, match, asked) if command.match else ""
        return replace(known, moved=moved or match.move + 1, match_result=given)

    async def standings(self, s: Tournament, division: int | None = None) -> Standings:
        """Return the standings of a state; the latest ones that were computed are kept.

        Args:
            division: of a league, from 1; None: all of them.

        Raises:
            Refused: not-offered; not-found: there is no such division.
        """
        key = s.id, s.entry, division or 0
        if (found := self._tables.get(key)) is not None:
            return found
        async with self._engine:
            if (found := self._tables.get(key)) is None:
                work = partial(division_standings, number=division) if division else standings_of
                found = self._tables[key] = await asyncio.to_thread(work, s)
        return found

    async def explained(self, s: Tournament, entrant: str) -> tuple[Explained, ...]:
        """Return how each value of an entrant comes about.

        Raises:
            Refused: not-entered, not-offered.
        """
        if entrant_in(s, entrant) not in s.numbered:
            raise Refused("not-entered", "no-such-entrant", {"entrant": entrant})
        async with self._engine:
            return await asyncio.to_thread(explained_of, s, entrant)

    async def advance(
        self, tournament: str, command: c.Advance, actor: Actor, expect: int | None, key: Key | None = None
    ) -> Accepted:
        """Let those go on who have qualified.  Raises Refused: see `advancing.advance`."""

        async def gather(s: Tournament, known: Given) -> Given:
            return await self.with_ranks(s, known)

        return await self.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)

    async def with_ranks(self, s: Tournament, known: Given) -> Given:
        """Return what is given for going on: with the entrants by place.  Raises Refused: not-offered."""
        async with self._engine:
            return replace(known, ranked=await asyncio.to_thread(ranked_of, s))

    async def publish(
        self, tournament: str, command: c.Publish, actor: Actor, expect: int, key: Key | None = None
    ) -> Accepted:
        """Publish the standings as they are.  Raises Refused: see `arbiters.publish`."""

        async def gather(s: Tournament, known: Given) -> Given:
            if not s.rounds:
                return known
            root = self._locked(tournament).root
            hashes = published_hashes(await self.standings(s), s, root)
            return replace(known, standings_sha256=hashes.standings, bundle_sha256=hashes.bundle)

        return await self.commands.command(tournament, command, actor, expect=expect, key=key, gather=gather)

    def _locked(self, tournament: str) -> TournamentLog:
        """The log of a tournament whose lock is held; `commands.log` would wait for that lock."""
        found = self.commands.peek(tournament)
        assert found is not None, "it is in use"
        return found


def shown_before(draft: Draft) -> tuple[dict[str, object], ...]:
    """Return the entries that a command would add, as the log would have them but for their times."""
    found = [msgspec.json.decode(record.leaf) for record in draft.records]
    return tuple({name: value for name, value in one.items() if name != "at"} for one in found)


def preview_hash(draft: Draft) -> str:
    """Return the SHA-256 of what a command would add, in hex: it binds the state before it, too."""
    return hashlib.sha256(canonical(shown_before(draft))).hexdigest()
