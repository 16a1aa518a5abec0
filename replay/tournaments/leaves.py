"""The first question about a tournament, *log*: are the entries as written, chained, signed, and foldable?

In this order: one leaf by itself, the chain of all, the checkpoint over them, the sealed parts, the fold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from domain.chance import Secret
from domain.log import Damaged, Record, b64, said_of, seal
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.signed_notes import Checkpoint, Note, Signed, VerifyingKey, visible
from domain.tournaments.events import (
    Announced,
    AnyEntry,
    Confirmed,
    Entered,
    Invited,
    Paired,
    PairingChanged,
    PrivilegedRead,
    Published,
    Qualified,
    Sealed,
    Seeded,
    Waitlisted,
)
from domain.tournaments.fold import applied, folded
from domain.tournaments.log import codec
from domain.tournaments.state import Tournament
from replay.chain import NOT_CONTINUED, blamed, must_be_canonical
from replay.matchfile import BadFile
from replay.sanitize import counted
from replay.tournaments.chain import tournament_entry
from replay.tournaments.file import CHECKPOINT, LOG, PRIVATE, TournamentFile, opened, read_private
from replay.tournaments.report import Disproved
from replay.transparency import evidence
from replay.transparency.logged import logged
from replay.transparency.policy import Policy

Keys = Sequence[VerifyingKey]
MOST_LEAF = 4 * 1024 * 1024  # bytes; the longest entry holds a pairing of 1,000 entrants
MOST_ENTRANTS = 4_000  # those on a waiting list, too
MOST_OF_A_KIND = 400  # pairings, and publications: each takes the engine some seconds to check
_WHY = {
    "beyond-checkpoint": "entry-beyond-checkpoint",
    "prev-not-root": "entry-prev-not-root",
    "prev-not-empty-root": "prev-not-empty-root",
    NOT_CONTINUED: "entry-not-continued",
}


class TournamentChain(Struct, frozen=True):
    """The entries of a log, the root after each, and what breaks the chain, if anything does."""

    entries: list[AnyEntry]
    roots: list[bytes]
    broken: tuple[int, Sentence] | None = None


def chained(leaves: Sequence[bytes], stated: bytes | None) -> TournamentChain:
    """Return the entries of leaves; `stated` is the root that the checkpoint states over all of them.

    Raises:
        Disproved: a leaf cannot be read.
    """
    entries = [_entry(leaf, number) for number, leaf in enumerate(leaves, 1)]
    tree, roots, broken = Tree(), list[bytes](), None
    for number, (leaf, entry) in enumerate(zip(leaves, entries, strict=True), 1):
        if broken is None and entry.prev != b64(tree.root):
            bad, why = blamed(leaves, number, entry.prev, tree, stated)
            broken = (bad, Sentence(_WHY[why], {"entry": number} if why == NOT_CONTINUED else {}))
        tree.add(leaf)
        roots.append(tree.root)
    return TournamentChain(entries, roots, broken)


def _entry(leaf: bytes, number: int) -> AnyEntry:
    """One leaf, decoded.  Raises Disproved."""
    if len(leaf) > MOST_LEAF:
        raise Disproved(number, Sentence("entry-too-large", {"size": len(leaf), "most": MOST_LEAF}))
    try:
        return tournament_entry(leaf, number)
    except (Damaged, RecursionError, ValueError) as error:
        raise Disproved(number, said_of(error)) from error


def stated_root(note: str) -> bytes | None:
    """Return the root that a checkpoint states, whether or not its signatures are valid."""
    try:
        return Checkpoint.parse(Note.parse(note).text).root
    except ValueError:
        return None


def held_leaves(path: Path) -> list[bytes]:
    """Return the leaves of a tournament file that was kept, if its own checkpoint covers them.

    Raises:
        BadFile: it is no such file, or is damaged.
        OSError: it cannot be read.
    """
    with opened(path) as file:
        leaves = file.leaves()
        try:
            chain = chained(leaves, None)
        except Disproved as error:
            raise BadFile(LOG, error.said, error.entry) from error
        if chain.broken is not None:
            raise BadFile(LOG, chain.broken[1], chain.broken[0])
        if stated_root(file.text(CHECKPOINT)) != chain.roots[-1]:
            raise BadFile(CHECKPOINT, Sentence("note-of-another-log"))
        return leaves


def check_held(leaves: Sequence[bytes], found: TournamentChain, held: Sequence[bytes]) -> Sentence:
    """Return how many of these entries a log that was kept has; it must have no other one.

    Raises:
        Disproved: from which entry on it is another log.
    """
    kept, tournament = tournament_entry(held[0], 1), _tournament(found)
    assert isinstance(kept, Announced), "the first entry is checked"
    if kept.tournament != tournament:
        about = {"given": visible(tournament[:64]), "wanted": visible(kept.tournament[:64])}
        raise Disproved(None, Sentence("another-tournament", about))
    for number, (leaf, other) in enumerate(zip(leaves, held, strict=False), 1):
        if leaf != other:
            raise Disproved(number, Sentence("forked-at", {"entry": number}))
    if len(held) > len(leaves):
        return Sentence("held-has-more", {"count": len(leaves), "more": len(held) - len(leaves)})
    return Sentence("held-is-beginning", {"count": len(held)})


def check_end(file: TournamentFile, found: TournamentChain, stated: bytes | None) -> None:
    """Check the last leaf, which no `prev` covers, against the checkpoint and the manifest.

    Raises:
        Disproved: it is not covered, or entries are missing at the end.
    """
    last, expected = len(found.entries), file.manifest.entries
    if found.roots[-1] == stated:
        return
    if last < expected:
        raise Disproved(last + 1, Sentence("entry-missing", {"count": expected}))
    if last > expected:
        raise Disproved(expected + 1, Sentence("entry-too-many", {"count": expected}))
    raise Disproved(last, Sentence("leaf-not-covered"))


def check_note(note: str, found: TournamentChain, keys: tuple[Keys, Keys]) -> tuple[Signed, bool]:
    """Return who signed the checkpoint, and whether a key that counts did.

    Args:
        keys: those whose signatures count, and others that are known.

    Raises:
        Disproved: it is not over this log, or no key that counts signed it.
    """
    pinned, known = keys
    tournament = _tournament(found)
    try:
        parsed = Note.parse(note)
        checkpoint = Checkpoint.parse(parsed.text)
        signed = parsed.checked((*pinned, *known))
        counts = parsed.signed_by(pinned) is not None
    except ValueError as error:
        raise Disproved(None, Sentence("in-part", {"part": CHECKPOINT, "said": said_of(error)})) from error
    if checkpoint.root != found.roots[-1] or checkpoint.size != len(found.entries):
        raise Disproved(None, Sentence("note-of-another-log"))
    if not checkpoint.origin.endswith(f"/tournament/{tournament}"):
        about = {"origin": visible(checkpoint.origin[:120]), "tournament": visible(tournament[:64])}
        raise Disproved(None, Sentence("note-for-another", about))
    if pinned and not counts:
        raise Disproved(None, Sentence("note-unsigned", {"key": parsed.names}))
    return signed, counts


def _tournament(found: TournamentChain) -> str:
    first = found.entries[0]
    assert isinstance(first, Announced), "the first entry is checked"
    return first.tournament


def check_logged(file: TournamentFile, found: TournamentChain, policy: Policy | None) -> str:
    """Return in words what the file's proof from the server's log shows; "" if there is none.

    Args:
        policy: which logs and witnesses count; None: the proof may be missing, and who signed is not checked.

    Raises:
        Disproved: see `replay.transparency.logged.logged`.
    """
    tournament, entries = _tournament(found), enumerate(zip(file.leaves(), found.entries, strict=True), 1)
    records = [Record(codec(), tournament, number, leaf, (), entry) for number, (leaf, entry) in entries]
    try:
        return logged(file.log_proof(), evidence.tournament_leaves(records), policy, _entries)
    except Damaged as error:
        raise Disproved(
            None, Sentence("in-part", {"part": evidence.MEMBER, "said": said_of(error)})
        ) from error


def _entries(count: int) -> str:
    return counted(count, "entry", "entries")


def check_private(file: TournamentFile, found: TournamentChain, secret: Secret | None) -> None:
    """Check that each sealed part opens its commitment, once the secret is open.

    Raises:
        Disproved: `private.ndjson` is missing, out of place, or does not fit.
    """
    try:
        lines = file.private()
        if (lines is None) != (secret is None):
            raise Disproved(None, Sentence("sealed-out-of-place" if lines else "sealed-missing"))
        if lines is None or secret is None:
            return
        if len(lines) != len(found.entries):
            about = {"count": len(lines), "entries": len(found.entries)}
            raise Disproved(min(len(lines), len(found.entries)) + 1, Sentence("lines-and-entries", about))
        for number, (line, entry) in enumerate(zip(lines, found.entries, strict=True), 1):
            _check_sealed(line, number, entry, secret)
    except BadFile as error:
        raise Disproved(error.move, error.said) from error


def _check_sealed(line: bytes, number: int, entry: AnyEntry, secret: Secret) -> None:
    opened = read_private(line, number)
    if not opened.parts.keys() == opened.salts.keys() == entry.sealed.keys():
        raise Disproved(
            number, Sentence("in-part", {"part": PRIVATE, "said": Sentence("part-salts-missing")})
        )
    for name, raw in opened.parts.items():
        salt, part = secret.salt(number, name), bytes(raw)
        who = {"who": visible(name[:80])}
        if opened.salts[name] != b64(salt):
            raise Disproved(number, Sentence("part-salt-not-derived", who))
        if b64(seal(salt, part)) != entry.sealed[name]:
            raise Disproved(number, Sentence("private-part-not-sealed", who))
        try:
            must_be_canonical(part)
            found = msgspec.json.decode(part, type=Sealed)
        except (msgspec.DecodeError, Damaged, UnicodeDecodeError) as error:
            raise Disproved(number, Sentence("private-part-unread", {"within": said_of(error)})) from error
        if isinstance(entry, PrivilegedRead) and not entry.person and found.read is None:
            raise Disproved(number, Sentence("read-says-nothing"))


def states(entries: Sequence[AnyEntry]) -> Iterator[tuple[AnyEntry, Tournament | None, Tournament]]:
    """Yield each entry with the state before and after it.

    Raises:
        Disproved: an entry does not fit what stands before it, or there is more than can be checked.
    """
    s: Tournament | None = None
    count: Counter[type[AnyEntry]] = Counter()
    for entry in entries:
        before = s
        count[type(entry)] += 1
        if (s and len(s.entrants) > MOST_ENTRANTS) or max(count[Paired], count[Published]) > MOST_OF_A_KIND:
            raise Disproved(entry.entry, Sentence("more-than-checked"))
        unknown = next((name for name in _entrants_of(entry) if s and name not in s.entrants), None)
        if unknown is not None:
            raise Disproved(entry.entry, Sentence("entrant-not-entered", {"entrant": unknown[:40]}))
        try:
            s = folded(None, [entry]) if before is None else applied(before, entry)
        except Exception as error:  # a forged entry may make a fold raise anything
            what = f"{type(error).__name__}: {error}"[:200]
            raise Disproved(entry.entry, Sentence("entry-not-folded", {"error": what})) from error
        assert s is not None, "the first entry is `announced`"
        yield entry, before, s


def _entrants_of(entry: AnyEntry) -> Sequence[str]:
    """The entrants that an entry names, but for one that it enters."""
    match entry:
        case Invited() | Entered() | Waitlisted():
            return ()
        case Seeded():
            return entry.order
        case Paired() | PairingChanged():
            return [name for board in entry.boards for name in (board.w, board.b)] + list(entry.byes)
        case Confirmed() | Qualified():
            return (entry.entrant,) if entry.entrant else ()
    named = getattr(entry, "entrant", None)
    return () if named is None else (named,)
