"""The rules of a tournament: a command and a state in, new entries or one precise refusal out.

`domain.tournaments.people`, `rounds`, `advancing`, `arbiters` and `measures` hold the rules themselves; here
is how one is chosen and how `expect` is compared.
"""

from __future__ import annotations

from msgspec import Struct

from domain.chance import Secret
from domain.kernel import Refused
from domain.merkle import Tree
from domain.tournaments import advancing, arbiters, measures, people, rounds
from domain.tournaments.commands import OwnCommand
from domain.tournaments.events import Origin
from domain.tournaments.judging import RULES, Actor, Given, must_be_latest, role_of
from domain.tournaments.log import Draft
from domain.tournaments.people import announced
from domain.tournaments.state import Tournament
from domain.tournaments.terms import Terms

MODULES = (people, rounds, advancing, arbiters, measures)  # each notes its rules when it is imported


def opened(
    tournament: str,
    title: str,
    terms: Terms,
    actor: Actor,
    given: Given,
    product: str,
    origin: Origin | None = None,
) -> Draft:
    """Return the first record of a new tournament; `origin`: of an imported one.

    Raises:
        Refused: see `domain.tournaments.people.announced`.
    """
    first = announced(tournament, title, terms, actor, given, product, origin)
    draft = Draft(given.secret, Tree(), given.now, actor.person, "director")
    draft.add(first)
    return draft


def dry_run(
    s: Tournament, command: Struct, actor: Actor, expect: int | None, bots: frozenset[str] = frozenset()
) -> None:
    """Judge a command without carrying it out; `bots`: see `Given`.  Raises Refused: see `judged`."""
    given = Given(now=s.at, secret=Secret(bytes(32), s.id), bots=bots)
    judged(s, Tree(), command, actor, given, expect)


def judged(
    s: Tournament, tree: Tree, command: Struct, actor: Actor, given: Given, expect: int | None = None
) -> Draft:
    """Return the records that a command adds; none if it was carried out already.

    Args:
        tree: the tree over the entries so far; it is not changed.
        command: one of `domain.tournaments.commands`.
        expect: the latest entry that the caller has seen; None of the house, and of an entrant's own command.

    Raises:
        Refused: stale, and what the rule of the command refuses.
    """
    if expect is None and actor.role != "house" and not isinstance(command, OwnCommand):
        raise Refused("stale", "expect-needed", {"entry": s.entry})
    if expect is not None:
        must_be_latest(s, expect)
    new = RULES[type(command)](s, command, actor, given)
    draft = Draft(given.secret, tree, given.now, actor.person, role_of(s, actor))
    for one in new:
        draft.add(one)
    return draft
