"""Verification of a tournament, on its file alone: six questions, and the first bad thing of each.

    log        Are the entries canonical, chained, covered by the root; is it signed; do sealed parts open?
    matches    Does each match file prove its match (`replay.verify`), and is it that of its board?
    results    Is every recorded result that of its match file, and does only a ruling differ from one?
    pairings   Was the engine given what the log says, and does it pair so again?
    standings  Are the published standings those that follow from the log?
    lots       Is each lot what the tournament's own key gives?

A file from elsewhere may hold anything: no input makes the verification raise, and the limits of
`replay.tournaments.file` bound its work.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from domain.chance import Secret
from domain.events import BoardOf
from domain.kernel import Refused
from domain.log import Damaged, unb64
from domain.refusals import Sentence
from domain.signed_notes import Signed, VerifyingKey
from domain.tournaments.drafts import IMPORTED
from domain.tournaments.events import (
    Announced,
    AnyEntry,
    BoardOpened,
    Confirmed,
    LotDrawn,
    Paired,
    PairingChanged,
    Promoted,
    Published,
    Qualified,
    Relegated,
    ResultRecorded,
    Ruled,
)
from domain.tournaments.outcomes import EndedMatch
from domain.tournaments.reported import ReportedMatch
from domain.tournaments.state import Tournament
from replay.matchfile import BadFile
from replay.tournaments import checks, leaves
from replay.tournaments.advances import Advance, Advances
from replay.tournaments.file import (
    CHECKPOINT,
    MANIFEST,
    PRIVATE,
    README,
    REQUIRED,
    TournamentFile,
    manifest_bytes,
    opened,
    round_members,
    secret_of,
)
from replay.tournaments.leaves import Keys, TournamentChain
from replay.tournaments.matches import MatchFound, MatchWork, ReportedWork, all_checked, all_reported
from replay.tournaments.pairing import pair
from replay.tournaments.pairings import Pairer, check_answer, check_by_hand, check_input
from replay.tournaments.published import (
    boards_played,
    boards_reported,
    match_member,
    reported_member,
    sha256,
    standings_member,
)
from replay.tournaments.report import (
    LOG,
    LOTS,
    MATCHES,
    PAIRINGS,
    QUESTIONS,
    RESULTS,
    STANDINGS,
    Disproved,
    Failure,
    Report,
)
from replay.transparency import evidence
from replay.transparency.policy import Policy


def verify(
    path: Path,
    keys: Sequence[VerifyingKey] = (),
    known: Sequence[VerifyingKey] = (),
    *,
    without: Collection[str] = (),
    processes: int = 1,
    pairer: Pairer = pair,
    policy: Policy | None = None,
    held: Sequence[bytes] = (),
) -> Report:
    """Verify a tournament file; with `keys`, only signatures by one of them count.

    Args:
        known: other keys, whose signatures must be valid if they are named.
        without: questions that are not to be answered: `PAIRINGS`.
        processes: in so many the match files are verified; 1: in this one.
        pairer: runs the engine.
        policy: the entries and all matches must be in a log that it knows; None: they may hold no proof.
        held: the leaves of a log that was kept (`leaves.held_leaves`): this one may only go on after them.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        with opened(path) as file:
            found = _Findings(path, file, (keys, known), frozenset(without), processes, pairer, policy, held)
            found.attempt(LOG, found.look)
            return found.report()
    except BadFile as error:
        return Report(failures=(Failure(LOG, error.move, error.said),))


class _Step(Struct, frozen=True):
    """An entry with the tournament before and after it; there is nothing before the first one."""

    entry: AnyEntry
    before: Tournament
    after: Tournament


class _Findings:
    """The verification of one file, and its findings: for each question the first failure."""

    def __init__(
        self,
        path: Path,
        file: TournamentFile,
        keys: tuple[Keys, Keys],
        without: frozenset[str],
        processes: int,
        pairer: Pairer,
        policy: Policy | None,
        held: Sequence[bytes],
    ) -> None:
        self._path, self._file, self._keys, self._without = path, file, keys, without
        self._processes, self._pairer, self._policy = processes, pairer, policy
        self._held = held
        self._failures: dict[str, Failure] = {}
        self._unchecked: dict[str, Sentence] = {}
        self._notes: list[Sentence] = []
        self._signed, self._pinned, self._logged = Signed(), False, ""
        self._entries: list[AnyEntry] = []
        self._state: Tournament | None = None
        self._advances = Advances()
        self._matches: dict[str, EndedMatch] = {}  # those that are proved, by member
        self._reported: dict[str, ReportedMatch] = {}  # the same of those that rulings name

    def report(self) -> Report:
        """Return the report; failures that belong to no entry come first."""

        def place(failure: Failure) -> tuple[int, int]:
            return failure.entry or 0, QUESTIONS.index(failure.question)

        s = self._state
        if s is not None and (imported := sum(one.pairing.engine == IMPORTED for one in s.rounds)):
            self._notes.append(Sentence("rounds-imported", {"last": imported}))
        return Report(
            tournament=s.id if s else self._file.manifest.tournament[:64],
            entries=len(self._entries),
            rounds=len(s.rounds) if s else 0,
            matches=len(list(boards_played(s))) if s else 0,
            signed=self._signed,
            pinned=self._pinned,
            logged=self._logged,
            failures=tuple(sorted(self._failures.values(), key=place)),
            unchecked=self._unchecked,
            notes=(*self._notes, *self._advances.decided),
        )

    def attempt(self, question: str, task: Callable[[], None]) -> None:
        """Carry out one check, unless its question has a failure already."""
        if question in self._failures:
            return
        try:
            task()
        except Disproved as error:
            self._failures[question] = Failure(question, error.entry, error.said, error.place)
        except BadFile as error:
            self._failures[question] = Failure(question, error.move, error.said)
        except OSError:
            raise
        except Exception as error:  # a forged file may make anything raise
            what = f"{type(error).__name__}: {error}"[:300]
            self._failures[question] = Failure(question, None, Sentence("cannot-be-checked", {"error": what}))

    # ── the log, then what it says ──

    def look(self) -> None:
        """Answer all questions, as far as the log can be read.  Raises Disproved, BadFile."""
        note = self._file.text(CHECKPOINT)
        stated = leaves.stated_root(note)
        chain = leaves.chained(self._file.leaves(), stated)
        steps, unfolded = self._folded(chain)
        secret = self._secret(chain)
        self._ask(steps, chain, secret)
        if chain.broken is not None:
            number, why = chain.broken
            raise Disproved(number, why, checks.place_of(chain.entries[number - 1]))
        self.attempt(LOG, partial(leaves.check_end, self._file, chain, stated))
        if unfolded is not None:
            raise unfolded
        self.attempt(LOG, partial(self._check_note, note, chain))
        self.attempt(LOG, partial(leaves.check_private, self._file, chain, secret))
        self.attempt(LOG, partial(self._check_logged, chain))
        self.attempt(LOG, partial(self._check_held, chain))
        self.attempt(LOG, partial(self._check_parts, chain))

    def _folded(self, chain: TournamentChain) -> tuple[list[_Step], Disproved | None]:
        """The entries with what stands before and after each, as far as they can be folded."""
        steps: list[_Step] = []
        self._entries = chain.entries
        try:
            for entry, before, after in leaves.states(chain.entries):
                self._state = after
                if before is not None:
                    steps.append(_Step(entry, before, after))
        except Disproved as error:
            return steps, error
        return steps, None

    def _secret(self, chain: TournamentChain) -> Secret | None:
        first = chain.entries[0]
        assert isinstance(first, Announced), "the first entry is checked"
        try:
            return secret_of(first.tournament, chain.entries)
        except Damaged as error:
            self._failures[LOTS] = Failure(LOTS, None, error.said)
            return None

    def _check_note(self, note: str, chain: TournamentChain) -> None:
        self._signed, self._pinned = leaves.check_note(note, chain, self._keys)

    def _check_logged(self, chain: TournamentChain) -> None:
        self._logged = leaves.check_logged(self._file, chain, self._policy)

    def _check_held(self, chain: TournamentChain) -> None:
        if self._held:
            self._notes.insert(0, leaves.check_held(self._file.leaves(), chain, self._held))

    def _ask(self, steps: Sequence[_Step], chain: TournamentChain, secret: Secret | None) -> None:
        self.attempt(MATCHES, self._check_matches)
        self.attempt(MATCHES, self._check_reported)
        self.attempt(LOTS, partial(self._check_lots, steps, secret))
        for step in steps:
            self._ask_about(step, chain)

    def _ask_about(self, step: _Step, chain: TournamentChain) -> None:
        entry, before = step.entry, step.before
        if isinstance(entry, ResultRecorded):
            self.attempt(RESULTS, partial(checks.check_result, entry, before, self._match(step)))
        elif isinstance(entry, BoardOpened | Confirmed | Ruled):
            self.attempt(RESULTS, partial(checks.check_board, entry, before, self._match(step)))
            if isinstance(entry, Ruled) and entry.file:
                self._ask_about_file(entry, before)
        elif isinstance(entry, Paired):
            self.attempt(PAIRINGS, partial(self._check_pairing, entry, before))
        elif isinstance(entry, PairingChanged):
            about = {"round": entry.round, "entry": entry.entry}
            self._notes.append(Sentence("paired-by-hand", about))
            self.attempt(PAIRINGS, partial(check_by_hand, entry, before))
        elif isinstance(entry, Qualified | Promoted | Relegated):
            self.attempt(STANDINGS, partial(self._check_advance, entry, before))
        elif isinstance(entry, Published):
            self.attempt(STANDINGS, partial(self._check_published, entry, before, chain))

    def _ask_about_file(self, entry: Ruled, before: Tournament) -> None:
        """Ask about the file of a ruling, if it is that of the latest one of its board, and proved."""
        match = self._reported.get(reported_member(entry.round, entry.board, entry.file))
        if match is not None and match.sha256 == entry.file:
            self.attempt(RESULTS, partial(checks.check_reported, entry, before, match))

    def _match(self, step: _Step) -> EndedMatch | None:
        """The match of the board of an entry, if its file is proved."""
        number, board = getattr(step.entry, "round", 0), getattr(step.entry, "board", 0)
        one = step.before.at_round(number)
        found = one.board(board) if one else None
        return self._matches.get(match_member(number, board, found.match)) if found else None

    # ── matches ──

    def _check_matches(self) -> None:
        s = self._state
        assert s is not None, "the first entry is folded"
        works = [self._work(s.id, one.number, board.number, board.match) for one, board in boards_played(s)]
        present = [work for work in works if work is not None]
        failed: Disproved | None = None
        for work, found in zip(present, all_checked(present, self._processes), strict=True):
            failed = failed or self._wrong(work, found)
            if found.ended is not None:
                self._matches[work.member] = found.ended
        if failed is not None:
            raise failed
        for one, board in boards_played(s):
            if match_member(one.number, board.number, board.match) not in self._file.names:
                place = _at_match(one.number, board.number, board.match)
                raise Disproved(None, Sentence("part-missing"), place)

    def _check_reported(self) -> None:
        s = self._state
        assert s is not None, "the first entry is folded"
        works = [self._reported_work(*one) for one in boards_reported(s)]
        failed: Disproved | None = None
        for work, found in zip(works, all_reported(works, self._processes), strict=True):
            place = Sentence("at-board", {"round": work.round, "board": work.board})
            if found.wrong is not None:
                said = Sentence("reported-file-wrong", {"part": work.member, "said": found.wrong})
                failed = failed or Disproved(None, said, place)
            elif self._file.manifest.parts.get(work.member) != work.file:
                failed = failed or Disproved(None, Sentence("part-not-covered", {"part": work.member}), place)
            elif found.match is not None:
                self._reported[work.member] = found.match
        if failed is not None:
            raise failed

    def _reported_work(self, round_number: int, board: int, file: str) -> ReportedWork:
        """The work of a file that a ruling names.  Raises Disproved: it is missing."""
        member = reported_member(round_number, board, file)
        if member not in self._file.names:
            place = Sentence("at-board", {"round": round_number, "board": board})
            missing = Sentence("in-part", {"part": member, "said": Sentence("part-missing")})
            raise Disproved(None, missing, place)
        at, length = self._file.place(member)
        known = tuple(key.text for keys in self._keys for key in keys)
        checksum, path = self._file.checksum(member), str(self._path.absolute())
        return ReportedWork(path, member, at, length, checksum, round_number, board, file, known)

    def _work(self, tournament: str, round_number: int, board: int, match: str) -> MatchWork | None:
        """The work of one match file; None if it is missing."""
        member = match_member(round_number, board, match)
        if member not in self._file.names:
            return None
        at, length = self._file.place(member)
        pinned, known = (tuple(key.text for key in keys) for keys in self._keys)
        place, checksum = BoardOf(tournament, round_number, board), self._file.checksum(member)
        path, policy = str(self._path.absolute()), self._policy
        return MatchWork(path, member, at, length, checksum, match, place, pinned, known, policy)

    def _wrong(self, work: MatchWork, found: MatchFound) -> Disproved | None:
        place = _at_match(work.place.round, work.place.board, work.match)
        if found.wrong is not None:
            return Disproved(None, found.wrong, place)
        if self._file.manifest.parts.get(work.member) != found.sha256:
            return Disproved(None, Sentence("part-not-covered", {"part": work.member}), place)
        return None

    # ── pairings, standings, lots ──

    def _check_pairing(self, entry: Paired, before: Tournament) -> None:
        check_input(entry, before)
        if PAIRINGS in self._without:
            self._unchecked.setdefault(PAIRINGS, Sentence("left-out"))
        elif (why := check_answer(entry, before, self._pairer)) is not None:
            self._unchecked.setdefault(PAIRINGS, why)

    def _check_advance(self, entry: Advance, before: Tournament) -> None:
        try:
            self._advances.check(entry, before)
        except Refused as error:
            if error.kind != "not-offered":
                raise
            self._unchecked.setdefault(STANDINGS, Sentence("tie-breaks-not-at-hand"))

    def _check_published(self, entry: Published, before: Tournament, chain: TournamentChain) -> None:
        name = standings_member(entry.at_entry)
        member = self._file.part(name) if name in self._file.names else None
        why = checks.check_published(entry, before, chain.roots[entry.entry - 2], member)
        if why is not None:
            self._unchecked.setdefault(STANDINGS, why)

    def _check_lots(self, steps: Sequence[_Step], secret: Secret | None) -> None:
        s = self._state
        assert s is not None, "the first entry is folded"
        if secret is not None:
            checks.check_secret(s, secret)
        last = unb64(s.anchor)
        for step in steps:
            if isinstance(step.entry, LotDrawn):
                last = checks.check_lot(step.entry, step.before, last, secret)

    # ── the parts of the file ──

    def _check_parts(self, chain: TournamentChain) -> None:
        """Compare each part with the manifest, and with what follows from the log.  Raises Disproved."""
        s, file = self._state, self._file
        assert s is not None, "the first entry is folded"
        derived, allowed = round_members(s), self._allowed(s)
        for name in file.names:
            if name not in allowed:
                raise Disproved(None, Sentence("foreign-member", {"name": name}))
            if name.startswith(("matches/", "reported/")):
                continue
            content = file.part(name)
            if name != MANIFEST and file.manifest.parts.get(name) != sha256(content):
                raise Disproved(None, Sentence("part-not-covered", {"part": name}))
            if derived.get(name, content) != content:
                raise Disproved(None, Sentence("part-not-of-entries", {"part": name}))
            if zlib.crc32(content) != file.checksum(name):
                raise Disproved(None, Sentence("wrong-checksum", {"part": name}))
        if missing := sorted(derived.keys() - set(file.names)):
            raise Disproved(None, Sentence("in-part", {"part": missing[0], "said": Sentence("part-missing")}))
        first = chain.entries[0]
        assert isinstance(first, Announced), "the first entry is checked"
        right = manifest_bytes(s, first.product, chain.roots[-1], self._sums())
        if file.part(MANIFEST) != right:
            raise Disproved(None, Sentence("part-not-of-entries", {"part": MANIFEST}))

    def _sums(self) -> dict[str, str]:
        """The SHA-256 that the manifest states for the members that are there."""
        stated = self._file.manifest.parts
        return {name: stated.get(name, "") for name in self._file.names if name != MANIFEST}

    def _allowed(self, s: Tournament) -> set[str]:
        """The names that members of this tournament may have."""
        played = {match_member(one.number, board.number, board.match) for one, board in boards_played(s)}
        published = {standings_member(one.at_entry) for one in s.publications}
        reported = {reported_member(*one) for one in boards_reported(s)}
        derived = {*round_members(s), *published, *reported}
        return {*REQUIRED, README, PRIVATE, evidence.MEMBER, *played, *derived}


def _at_match(round_number: int, board: int, match: str) -> Sentence:
    return Sentence("at-match", {"round": round_number, "board": board, "match": match[:64]})
