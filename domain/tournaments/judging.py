"""What every rule of a tournament needs: who acts, what comes from outside, and the checks that many share.

A rule is a function (state, command, actor, given) -> new entries.  It raises `Refused` before any entry, and
an empty list says that the command was carried out already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from domain.chance import Secret
from domain.kernel import Refused
from domain.tournaments.events import Role
from domain.tournaments.formats.cut import Ranked
from domain.tournaments.log import New
from domain.tournaments.reported import ReportedMatch
from domain.tournaments.state import ARBITER, DIRECTOR, Board, Call, Entrant, Round, Tournament

ADMIN, ORGANIZER, HOUSE = "admin", "organizer", "house"
C = TypeVar("C", bound=Struct)
Rule = Callable[[Tournament, Any, "Actor", "Given"], list[New]]
RULES: dict[type[Struct], Rule] = {}
"""The rule of each command."""


class Actor(Struct, frozen=True):
    """Who acts: a person and the role on the server; the house has no id and the role "house"."""

    person: str
    role: str


THE_HOUSE = Actor("", HOUSE)


class Head(Struct, frozen=True):
    """The latest move of a match, and the root after it."""

    move: int
    root: str


class Given(Struct, frozen=True, kw_only=True):
    """What a command needs from outside.

    now: the time in microseconds UTC; None if it is not known.
    secret: of the tournament; lots derive from it.
    random: 16 bytes in base64, for a new pairing.
    rating, rating_source: of the player who enters.
    invited: the entrant whose invitation the caller has shown.
    bots: those of the players to whom the command gives a place who are programs.
    heads: the latest move of the match of each unfinished board.
    moved: the move of the match by which its gate took a ruling.
    match_result: the result that a ruling on the match gives its board; "" if none.
    file: the match in the file that a ruling names.
    standings_sha256, bundle_sha256: of what is published.
    ranked: the entrants of the latest stage by place, or of each division of a league.
    """

    now: int | None
    secret: Secret
    random: str = ""
    rating: int = 0
    rating_source: str = ""
    invited: str = ""
    bots: frozenset[str] = frozenset()
    heads: Mapping[int, Head] = {}
    moved: int = 0
    match_result: str = ""
    file: ReportedMatch | None = None
    standings_sha256: str = ""
    bundle_sha256: str = ""
    ranked: tuple[tuple[Ranked, ...], ...] = ()


def on(kind: type[C]) -> Callable[[Callable[[Tournament, C, Actor, Given], list[New]]], Rule]:
    """Note a function as the rule of a command."""

    def note(rule: Rule) -> Rule:
        RULES[kind] = rule
        return rule

    return note


def role_of(s: Tournament, actor: Actor) -> Role:
    """Return the role in which a person acts in a tournament."""
    if actor.role == HOUSE:
        return "house"
    if s.is_official(actor.person, DIRECTOR):
        return "director"
    if s.is_official(actor.person, ARBITER):
        return "arbiter"
    if actor.role == ADMIN:
        return "admin"
    return "entrant" if s.entrant_of(actor.person) else "player"


def must_be_director(s: Tournament, actor: Actor) -> None:
    """Raises Refused: forbidden."""
    if role_of(s, actor) not in ("director", "admin"):
        raise Refused("forbidden", "only-director")


def must_be_official(s: Tournament, actor: Actor) -> None:
    """Raises Refused: forbidden."""
    if role_of(s, actor) not in ("director", "arbiter", "admin"):
        raise Refused("forbidden", "only-officials")


def must_be_latest(s: Tournament, expect: int) -> None:
    """Check that this is the latest entry.  Raises Refused: stale."""
    if expect != s.entry:
        raise Refused("stale", "tournament-went-on", {"entry": s.entry, "expect": expect})


def must_be_house(actor: Actor) -> None:
    """Raises Refused: forbidden."""
    if actor.role != HOUSE:
        raise Refused("forbidden", "only-house")


def must_go_on(s: Tournament) -> None:
    """Check that the tournament is not over.  Raises Refused: late."""
    if s.ended:
        raise Refused("late", "tournament-over")


def entrant_in(s: Tournament, name: str) -> Entrant:
    """Return an entrant.  Raises Refused: not-entered."""
    if name not in s.entrants:
        raise Refused("not-entered", "no-such-entrant", {"entrant": name})
    return s.entrants[name]


def entrant_for(s: Tournament, named: str | None, actor: Actor) -> Entrant:
    """Return the entrant that a command is about: the caller, or another one if an official acts.

    Raises:
        Refused: not-entered, forbidden.
    """
    own = s.entrant_of(actor.person)
    if named is None or (own is not None and own.id == named):
        if own is None:
            raise Refused("not-entered", "you-have-not-entered")
        return own
    must_be_official(s, actor)
    return entrant_in(s, named)


def round_in(s: Tournament, number: int) -> Round:
    """Return a round.  Raises Refused: not-found."""
    found = s.at_round(number)
    if found is None:
        raise Refused("not-found", "no-such-round", {"round": number, "rounds": len(s.rounds)})
    return found


def board_in(one: Round, number: int) -> Board:
    """Return a board.  Raises Refused: not-found."""
    found = one.board(number)
    if found is None:
        raise Refused("not-found", "no-such-board", {"board": number, "boards": len(one.boards)})
    return found


def must_not_be_interested(s: Tournament, one: Round, board: Board, actor: Actor) -> None:
    """Check that an official does not play on this board, and is not near to an entrant who does.

    Raises:
        Refused: interest.
    """
    if actor.role == HOUSE:
        return
    if any(actor.person in (s.entrants[name].player, *s.entrants[name].players) for name in board.entrants):
        raise Refused("interest", "own-board")
    must_not_be_near(s, board.entrants, actor)


def must_not_be_near(s: Tournament, entrants: Iterable[str], actor: Actor) -> None:
    """Check that an official does not play in the score group or the division of one of these entrants.

    Raises:
        Refused: interest.
    """
    own = s.entrant_of(actor.person)
    if own is None or not own.takes_part:
        return
    names = tuple(entrants)
    if s.score(own.id) in {s.score(name) for name in names}:
        raise Refused("interest", "own-score-group")
    division = s.division_of(own.id)
    if division and division in {s.division_of(name) for name in names}:
        raise Refused("interest", "own-division", {"division": division})


def board_of_call(s: Tournament, call: Call) -> tuple[Round, Board] | None:
    """Return the round and the board that a call is about, or that the ruling is about to which it objects.

    None: it names neither.
    """
    ruled = s.rulings.get(call.ruling)
    number, place = (ruled.round, ruled.board) if ruled else (call.round, call.board)
    one = s.at_round(number)
    board = one.board(place) if one else None
    return (one, board) if one and board else None
