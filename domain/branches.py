"""Branches: a match of its own that goes on from a move of another one, its parent.

A branch has its own id, secret and players; nothing is drawn with a key of its parent.  Where another match
has its set-up, it brings the facts that led to the parent's table after that move, and asks what was asked
there.  These facts are outcomes, so no rule is needed to fold them.  What a seat alone may know of them is
sealed again, under the secret of the branch.

Only a match that is over has branches: before, one could see in them what is still hidden.
"""

from __future__ import annotations

from itertools import chain

from domain import bounds, kernel
from domain.drafts import Context, Draft
from domain.events import Branch, Opened, Resigned, Ruled, TimedOut
from domain.history import History
from domain.kernel import Decision, Refused, Table
from domain.log import b64, codec
from domain.match import open_match
from domain.match_base import Outline
from domain.refusals import Sentence, Value

BRANCH = "branch"  # the origin of such a match
_CLOSING = 2  # the entries that end every log: the secret is opened, the match is closed


def open_branch(context: Context, parent: History, at: int, *, match: str, opener: str | None) -> Draft:
    """The first record of a branch of `parent` that goes on after its move `at`.

    A branch names its parent, so the branch of a private match is private.  A branch has no clock.

    Raises:
        Refused: branch (the parent runs, is imported, or lacks private parts; nothing is asked after that
            move, or today's rules cannot ask it), unknown-move.
    """
    must_have_branches(parent)
    if not 1 <= at <= parent.move:
        raise Refused("unknown-move", "no-such-move", {"last": parent.move})
    if reason := _refused_at(parent, at):
        raise Refused("branch", reason.id, reason.values)
    opened = parent.opened
    return open_match(
        context,
        parent.game,
        opened.edition,
        opened.options,
        match=match,
        origin=BRANCH,
        opener=opener,
        branch=Branch(parent.id, at, b64(parent.root_at(at))),
        private=parent.private,
    )


def must_have_branches(parent: Outline) -> None:
    """Check that a match may have branches: all of it is known, and may be seen by all.

    Raises:
        Refused: branch.
    """
    if parent.closed is None:
        raise Refused("branch", "branch-of-running")
    if parent.imported:
        raise Refused("branch", "branch-of-imported")
    if parent.audiences != frozenset(codec(parent.game).audiences):
        raise Refused("branch", "branch-without-parts")


def line_of(parent: History, at: int) -> Decision[Table]:
    """The facts that led to the table after move `at`, and that table with its agenda."""
    return Decision(parent.facts_to(at), parent.table_with_agenda(at))


def opened_wrongly(opened: Opened, parent: History) -> Sentence | None:
    """Why `opened` does not open a branch of `parent`; None if it does."""
    branch, theirs = opened.branch, parent.opened
    if branch is None:
        return Sentence("not-a-branch", {"match": opened.match})
    if branch.match != parent.id:
        return Sentence("branch-of-another", {"match": branch.match, "given": parent.id})
    try:
        must_have_branches(parent)
    except Refused as refusal:
        return Sentence(refusal.id, refusal.values)
    if not 1 <= branch.move <= parent.move or branch.root != b64(parent.root_at(branch.move)):
        return Sentence("branch-root", {"match": parent.id, "move": branch.move})
    same = (theirs.game, theirs.edition, theirs.options) == (opened.game, opened.edition, opened.options)
    if not same:
        return Sentence("branch-options", {"match": parent.id})
    return _refused_at(parent, branch.move)


def begun_wrongly(branch: History, parent: History) -> Sentence | None:
    """Why a branch of `parent` does not begin with its line; None if it does, or has not begun."""
    said, begun = branch.opened.branch, branch.begun
    if said is None or begun is None:
        return None
    record, line = branch.records[begun - 1], line_of(parent, said.move)
    here, there = record.facts, line.facts
    if not record.audiences:  # the file of a running match has no private parts
        there = [fact if fact.known_to() is None else fact.outside() for fact in there]
    about: dict[str, Value] = {"match": parent.id, "move": said.move}
    for place, (ours, theirs) in enumerate(zip(here, there, strict=False), 1):
        if ours != theirs:
            return Sentence("branch-fact", {**about, "place": place})
    if len(here) != len(there):
        return Sentence("branch-facts", {**about, "count": len(here), "wanted": len(there)})
    if record.audiences and branch.table_with_agenda(begun) != line.table:
        return Sentence("branch-agenda", about)
    return None


def _refused_at(parent: History, at: int) -> Sentence | None:
    """Why no branch goes on after move `at`; None if one may."""
    if parent.begun is None or at < parent.begun:
        return Sentence("branch-before-play")
    entry, asked = parent.entry_at(at), parent.asked_at(at)
    is_last = isinstance(entry, (Resigned, TimedOut)) or (isinstance(entry, Ruled) and entry.back_to is None)
    if asked is None or is_last or at > parent.move - _CLOSING:
        return Sentence("branch-after-end")
    size = sum(len(parent.records[move - 1].stored) for move in chain(*parent.line_to(at)))
    if size > bounds.LINE:
        return Sentence("branch-too-large", {"size": size, "most": bounds.LINE})
    try:
        table = parent.table_with_agenda(at)
        seats = kernel.asked(table)
        can_be_asked = bool(seats) and all(kernel.prompt(table, seat) for seat in seats)
    except Exception:  # rules may raise anything on a table that other rules made
        can_be_asked = False
    return None if can_be_asked and set(seats) == set(asked.seats) else Sentence("branch-by-other-rules")
