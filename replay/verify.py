"""Verification of a match, on its file alone or from a store: four questions, and the first bad move.

    log      Are the leaves canonical, chained, covered by the root, and is the root signed?
    chance   Do the commitments open, and is every draw what the scheme gives?
    fold     May each entry stand where it stands, and do the facts give the recorded result?
    rules    Do today's rules give the same facts, draws and questions?

A file from elsewhere may hold anything: no input makes the verification raise, and the limits of
`replay.matchfile` bound its work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from domain import branches
from domain.chance import Secret
from domain.events import Closed, FactEntry, Opened, Restated, SecretOpened
from domain.imported import MARK
from domain.log import Damaged, Record, b64, codec, said_of, unb64
from domain.match import Match
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.signed_notes import Checkpoint, Note, Signed, VerifyingKey, visible
from replay import archive, chain, matchfile, transitions
from replay.audit import Audit, Differs
from replay.matchfile import BadFile, MatchFile
from replay.randomness import Luck, Salts
from replay.report import CHANCE, CHECKS, FOLD, LOG, RULES, Failure, Report, Wrong
from replay.sanitize import counted
from replay.transparency import evidence
from replay.transparency.logged import logged
from replay.transparency.policy import Policy

Keys = Sequence[VerifyingKey]
Parent = Callable[[str], Match | None] | None

MOST_TABLES = 1 << 30  # bytes of JSON that the tables after all moves may take; all of them are in memory


def verify(
    source: Path | bytes,
    keys: Keys = (),
    known: Keys = (),
    receipt: str | None = None,
    parent: Parent = None,
    policy: Policy | None = None,
) -> Report:
    """Verify a match file; with `keys`, only a signature by one of them counts.

    A signature that names one of `keys` or of `known` must be valid; any other signature is not checked, and
    the report says so.  `receipt`: the signed checkpoint over the first move, which the server gave when the
    match was opened.  `parent`: finds the match with whose facts a branch begins, by its id; the caller has
    verified it.  Without it the report says that the beginning of a branch was not compared.  `policy`: the
    file must hold a proof that the match is in a log that it knows, under enough cosignatures.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        file = matchfile.read(source)
    except BadFile as error:
        return Report(failures=(Failure(LOG, error.move, error.said),))
    findings = _Findings(file.manifest.match, file.manifest.game)
    findings.attempt(LOG, partial(_verify_file, file, (keys, known), findings, parent, policy))
    if receipt is not None:
        findings.attempt(LOG, partial(_check_receipt, receipt, file, (keys, known), findings))
    return findings.report()


def verify_records(
    records: Sequence[Record],
    note: str = "",
    keys: Keys = (),
    secret: bytes | None = None,
    known: Keys = (),
    parent: Parent = None,
) -> Report:
    """Verify a match of a store, from its first record.

    Args:
        note: the checkpoint over the records; "" if there is none.
        keys, known, parent: see `verify`.
        secret: the secret of a running match, with which its hidden parts and draws are checked too.
    """
    findings = _Findings(records[0].match if records else "", "")
    findings.attempt(LOG, partial(_verify_stored, records, note, (keys, known), secret, findings, parent))
    return findings.report()


class _Findings:
    """The findings so far: for each question the first failure."""

    def __init__(self, match: str, game: str) -> None:
        self.match, self.game, self.moves = match, game, 0
        self.signed, self.pinned = Signed(), False
        self.notes: list[str] = []
        self._failures: dict[str, Failure] = {}

    @property
    def ok(self) -> bool:
        """Has no check failed so far?"""
        return not self._failures

    def add(self, check: str, move: int | None, said: str | Sentence) -> None:
        """Add a failure, unless its question has one already."""
        self._failures.setdefault(check, Failure(check, move, said))

    def attempt(self, check: str, task: Callable[[], None], move: int | None = None) -> None:
        """Carry out one check, unless its question has a failure already."""
        if check in self._failures:
            return
        try:
            task()
        except Wrong as wrong:
            failure = wrong.failure
            self.add(failure.check, failure.move, failure.said)
        except Exception as error:  # a forged record may make a fold or a rule raise anything
            what = f"{type(error).__name__}: {error}"
            self.add(check, move, Sentence("cannot-be-checked", {"error": what}))

    def report(self) -> Report:
        """Return the report; failures of the whole file come first, then those of moves."""

        def place(failure: Failure) -> tuple[int, int]:
            return failure.move or 0, CHECKS.index(failure.check)

        failures = tuple(sorted(self._failures.values(), key=place))
        notes = () if failures else tuple(self.notes)
        return Report(self.match, self.game, self.moves, self.signed, self.pinned, failures, notes)


# ── the log, and the parts of a file ──


def _verify_file(
    file: MatchFile, keys: tuple[Keys, Keys], findings: _Findings, parent: Parent, policy: Policy | None
) -> None:
    try:
        leaves, note = file.leaves, file.note
    except BadFile as error:
        raise Wrong(LOG, error.move, error.said) from error
    found = chain.chained(leaves, _stated(note))
    _check_last(file, found, _stated(note))
    records, salts = _opened_parts(file, found, leaves)
    _verify_moves(records, salts, None, findings, parent)
    findings.attempt(LOG, partial(_check_note, note, found, keys, findings))
    if findings.ok:
        findings.attempt(LOG, partial(_check_parts, file, records, note, findings))
        findings.attempt(LOG, partial(_check_log_proof, file, records, policy, findings))


def _verify_stored(
    records: Sequence[Record],
    note: str,
    keys: tuple[Keys, Keys],
    secret: bytes | None,
    findings: _Findings,
    parent: Parent,
) -> None:
    if not records:
        raise Wrong(LOG, None, Sentence("no-moves"))
    found = chain.chained([record.leaf for record in records], _stated(note))
    findings.game, read = found.game.name, list[Record]()
    for record in records:
        try:
            read.append(codec(found.game).join(found.match, record.leaf, record.sealed))
        except (Damaged, RecursionError, UnicodeDecodeError) as error:
            raise Wrong(
                CHANCE, record.move, Sentence("private-part-unread", {"within": said_of(error)})
            ) from error
    _verify_moves(read, None, secret, findings, parent)
    if note:
        findings.attempt(LOG, partial(_check_note, note, found, keys, findings))


def _stated(note: str) -> bytes | None:
    """The root that a checkpoint states, whether or not its signatures are valid."""
    try:
        return Checkpoint.parse(Note.parse(note).text).root
    except ValueError:
        return None


def _check_last(file: MatchFile, found: chain.Chain, stated: bytes | None) -> None:
    """Check the last leaf, which no `prev` covers, against the checkpoint and the manifest."""
    last, expected = len(found.entries), file.manifest.moves
    if found.root == stated or b64(found.root) == file.manifest.root:
        return
    if last < expected:
        raise Wrong(LOG, last + 1, Sentence("move-missing", {"count": expected}))
    if last > expected:
        raise Wrong(LOG, expected + 1, Sentence("move-too-many", {"count": expected}))
    raise Wrong(LOG, last, Sentence("leaf-not-covered"))


def _opened_parts(
    file: MatchFile, found: chain.Chain, leaves: list[bytes]
) -> tuple[list[Record], list[Salts] | None]:
    """The records with their opened parts, and the salts that the file holds for each."""
    over = isinstance(found.entries[-1], Closed)
    if over != (matchfile.PRIVATE in file.parts):
        what = Sentence("private-missing") if over else Sentence("private-out-of-place")
        raise Wrong(CHANCE, None, what)
    try:
        private = file.private
        _must_be_canonical(private or [])
        records = matchfile.decoded(found.game, found.match, leaves, private)
    except BadFile as error:
        raise Wrong(CHANCE, error.move, error.said) from error
    return records, None if private is None else [line.salts for line in private]


def _must_be_canonical(private: Sequence[matchfile.Private]) -> None:
    """Check the spelling of each private part: it is sealed as it stands, whatever its spelling is."""
    for line in private:
        for part in line.parts.values():
            try:
                chain.must_be_canonical(bytes(part))
            except Damaged as error:
                raise Wrong(
                    CHANCE, line.move, Sentence("private-part-unread", {"within": error.said})
                ) from error


def _check_note(note: str, found: chain.Chain, keys: tuple[Keys, Keys], findings: _Findings) -> None:
    """Check that the checkpoint covers this log and is signed by a key that counts.

    A signature that names a known key must be valid.
    """
    pinned, known = keys
    try:
        parsed = Note.parse(note)
        checkpoint = Checkpoint.parse(parsed.text)
        signed = parsed.checked((*pinned, *known))
        counts = parsed.signed_by(pinned) is not None
    except ValueError as error:
        raise Wrong(
            LOG, None, Sentence("in-part", {"part": matchfile.CHECKPOINTS, "said": said_of(error)})
        ) from error
    if checkpoint.root != found.root or checkpoint.size != len(found.entries):
        raise Wrong(LOG, None, Sentence("checkpoint-of-another-log"))
    if not checkpoint.origin.endswith(f"/match/{found.match}"):
        raise Wrong(
            LOG,
            None,
            Sentence(
                "checkpoint-for-another", {"origin": visible(checkpoint.origin[:120]), "match": found.match}
            ),
        )
    if pinned and not counts:
        raise Wrong(LOG, None, Sentence("checkpoint-unsigned", {"key": parsed.names}))
    findings.signed, findings.pinned = signed, counts


def _check_receipt(receipt: str, file: MatchFile, keys: tuple[Keys, Keys], findings: _Findings) -> None:
    """Check that the receipt covers only the opening move, and that a key that counts signed it."""
    match, (pinned, known) = file.manifest.match, keys
    try:
        note = Note.parse(receipt)
        checkpoint, signed = Checkpoint.parse(note.text), note.checked((*pinned, *known))
        counts = note.signed_by(pinned) is not None
    except ValueError as error:
        raise Wrong(LOG, None, Sentence("receipt-damaged", {"within": said_of(error)})) from error
    if not checkpoint.origin.endswith(f"/match/{match}"):
        raise Wrong(
            LOG,
            None,
            Sentence("receipt-for-another", {"origin": visible(checkpoint.origin[:120]), "match": match}),
        )
    if checkpoint.size != 1:
        raise Wrong(LOG, None, Sentence("receipt-too-wide", {"size": checkpoint.size}))
    if pinned and not counts:
        raise Wrong(LOG, None, Sentence("receipt-unsigned", {"key": note.names}))
    opening = Tree()
    opening.add(file.leaves[0])
    if checkpoint.root != opening.root:
        raise Wrong(LOG, 1, Sentence("receipt-of-another-opening"))
    findings.notes.append(f"receipt: over this opening move, {signed.text()}")


def _check_parts(file: MatchFile, records: list[Record], note: str, findings: _Findings) -> None:
    """Compare each part, then the whole archive, with what this version writes from the same records."""
    for name in matchfile.DATA:
        if name in file.parts and file.manifest.parts.get(name) != _hex(file.parts[name]):
            raise Wrong(LOG, None, Sentence("part-not-covered", {"part": name}))
    right = matchfile.parts(records, note)
    if evidence.MEMBER in file.parts:
        right[evidence.MEMBER] = file.parts[evidence.MEMBER]  # it does not follow from the records
    for name in (*matchfile.DATA, matchfile.MANIFEST):
        if file.parts.get(name) != right.get(name):
            raise Wrong(LOG, None, Sentence("part-not-given", {"part": name}))
    if file.parts.get(matchfile.README) != right[matchfile.README]:
        findings.notes.append("README.txt is not the one that this version writes; every part is intact")
    elif archive.pack(right) != file.data:
        findings.notes.append("the archive was repacked; every part is intact")


def _check_log_proof(
    file: MatchFile, records: list[Record], policy: Policy | None, findings: _Findings
) -> None:
    """Check that the opening and the end are in the server's log, if the file or the caller says so."""
    try:
        leaves = evidence.match_leaves(records)
        said = logged(
            file.parts.get(evidence.MEMBER), leaves, policy, ("", "opening", "opening and end").__getitem__
        )
    except Damaged as error:
        raise Wrong(LOG, None, said_of(error)) from error
    findings.notes += [said] if said else []


def _hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ── the moves: chance, fold, rules ──


def _verify_moves(
    records: Sequence[Record],
    salts: list[Salts] | None,
    secret: bytes | None,
    findings: _Findings,
    parent: Parent,
) -> None:
    opened = _secret(records, secret)
    match, luck, rules = Match(records[0].entry), Luck(records[0].entry, opened), _Rules(opened is not None)
    tables, branch = _Tables(MOST_TABLES), _Beginning(records[0].entry, parent)
    findings.attempt(CHANCE, luck.check_opening)
    for number, record in enumerate(records):
        findings.attempt(FOLD, partial(_take_in, match, record, tables), record.move)
        if match.move != record.move:
            break
        findings.attempt(FOLD, partial(branch.check, match, record), record.move)
        given = None if salts is None else salts[number]
        findings.attempt(CHANCE, partial(luck.check, match, record, given), record.move)
        findings.attempt(RULES, partial(rules.check, match, record), record.move)
    findings.moves = len(records)
    origin = [MARK["en"]] if match.imported else []
    stated = _stated_positions(records)
    findings.notes += [
        _status(match),
        *origin,
        *branch.notes(match),
        *stated,
        *luck.notes(match),
        rules.note(match),
    ]


class _Beginning:
    """Compares the beginning of a branch with the line of its parent, if that is at hand."""

    def __init__(self, opened: Opened, parent: Parent) -> None:
        self._branch = opened.branch
        self._parent = parent(opened.branch.match) if parent and opened.branch else None

    def check(self, match: Match, record: Record) -> None:
        """Compare the latest move of `match`, if it opens the branch or begins it.  Raises Wrong."""
        if self._parent is None:
            return
        reason = None
        if match.move == 1:
            reason = branches.opened_wrongly(match.opened, self._parent)
        elif match.begun == record.move:
            reason = branches.begun_wrongly(match, self._parent)
        if reason is not None:
            raise Wrong(FOLD, record.move, reason)

    def notes(self, match: Match) -> list[str]:
        """Return what is said of the beginning of a branch."""
        if self._branch is None:
            return []
        come = "its first facts come" if match.begun else "its first facts will come"
        where = f"match {visible(self._branch.match[:120])}, move {self._branch.move}"
        said = f"branch: {come} from {where}, root {visible(self._branch.root[:64])}"
        if self._parent is None:
            return [f"{said}; not compared, because that match is not at hand"]
        if not match.begun:
            return [f"{said}; that root is right"]
        public = "" if match.audiences else ", as far as they are public"
        return [f"{said}; compared, they are those{public}"]


def _stated_positions(records: Sequence[Record]) -> list[str]:
    """The note on how many positions of an imported match are set from the record, not by the rules."""
    count = sum(isinstance(record.entry, Restated) for record in records)
    if not count:
        return []
    return [f"{counted(count, 'position', 'positions')} set from the record, not by the rules"]


def _secret(records: Sequence[Record], known: bytes | None) -> Secret | None:
    """The match's secret: opened by its last entries, or known to the server."""
    match = records[0].match
    for record in records[-2:]:
        if isinstance(record.entry, SecretOpened):
            try:
                return Secret(unb64(record.entry.secret), match)
            except ValueError as error:
                raise Wrong(
                    CHANCE, record.move, Sentence("not-a-secret", {"within": said_of(error)})
                ) from error
    return Secret(known, match) if known is not None else None


def _take_in(match: Match, record: Record, tables: _Tables) -> None:
    transitions.may_follow(match, record)
    match.accept(record)
    transitions.must_agree(match, record)
    tables.add(match)


class _Tables:
    """Limits the size of all tables of a match, because forged facts can make a table grow without end.

    Args:
        most: bytes that all tables together may have.
    """

    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def add(self, match: Match) -> None:
        """Add the table after the latest move, if that move changed it.  Raises Wrong."""
        if not isinstance(match.records[-1].entry, FactEntry):
            return
        latest = match.positions[-1]
        self._left -= len(_encode(latest.table)) + sum(map(len, latest.agenda))
        if self._left < 0:
            raise Wrong(FOLD, match.move, Sentence("tables-too-large", {"most": self._most}))


_encode = msgspec.json.Encoder().encode


def _status(match: Match) -> str:
    """The note on the status; if the match is not over, a log cannot show that it is complete."""
    if match.closed is None:
        return f"{match.status}: nothing here shows whether it went on after move {match.move}"
    if match.closed.unopened:
        return f"over, without a result: the salt of {', '.join(match.closed.unopened)} was not opened"
    result = match.result
    return f"over: {transitions.result_words(result)}" if result else "over, without a result"


class _Rules:
    """Compares the match with today's rules; if other rules decided it, notes where today's would differ."""

    def __init__(self, full: bool) -> None:
        self._full, self._other = full, ""
        self._first: tuple[int, str] | None = None
        self._count = 0
        self._audit: Audit | None = None

    def check(self, match: Match, record: Record) -> None:
        """Audit the latest move of `match`.  Raises Wrong if the same rules decided it and it differs."""
        if not self._full:
            return
        self._audit = self._audit or Audit(match.game)
        same = match.rules == match.game.rules
        self._other = self._other if same else match.rules
        try:
            self._audit.check(match, record)
        except Differs as error:
            if same:
                raise Wrong(RULES, record.move, error.said) from error
            self._first = self._first or (record.move, str(error))
            self._count += 1

    def note(self, match: Match) -> str:
        """Return the note for the report."""
        if not self._full:
            return "rules: checked when the match is over"
        if not self._other:
            return "rules: today's give the same"
        between = f"rules: decided under {self._other}, today's are {match.game.rules}"
        if self._first is None:
            return f"{between} and give the same"
        move, reason = self._first
        moves = counted(self._count, "move", "moves")
        return f"{between} and differ at {moves}, first at move {move}: {reason}"
