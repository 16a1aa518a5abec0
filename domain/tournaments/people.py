"""The rules about terms and people: who announces, enters, waits, withdraws and returns."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Refused
from domain.log import b64
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import (
    ADMIN,
    ORGANIZER,
    Actor,
    Given,
    entrant_for,
    entrant_in,
    must_be_director,
    must_be_official,
    must_go_on,
    on,
    round_in,
)
from domain.tournaments.log import New
from domain.tournaments.state import DIRECTOR, Entrant, Tournament
from domain.tournaments.terms import (
    FIELDS,
    FREE_LATER,
    Terms,
    changed,
    digest,
    field_text,
    must_be_plain,
    settled,
)


def announced(
    tournament: str,
    title: str,
    terms: Terms,
    actor: Actor,
    given: Given,
    product: str,
    origin: e.Origin | None = None,
) -> New:
    """Return the first entry of a new tournament, with complete terms; the caller is its director.

    Args:
        origin: of an imported tournament.

    Raises:
        Refused: forbidden, invalid, terms, unknown-game, bad-option.
    """
    must_organize(actor)
    must_be_plain({"title": title})
    if not title.strip() or "\n" in title:
        raise Refused("invalid", "title-blank")
    complete = settled(terms, given.now)
    return New(
        e.Announced,
        {
            "tournament": tournament,
            "title": title.strip(),
            "terms": complete,
            "terms_sha256": digest(complete),
            "commitment": b64(given.secret.commitment),
            "anchor": b64(given.secret.anchor(0)),
            "product": product,
            "origin": origin,
        },
    )


def must_organize(actor: Actor) -> None:
    """Check that a person may announce tournaments on this server.  Raises Refused: forbidden."""
    if actor.role not in (ORGANIZER, ADMIN):
        raise Refused("forbidden", "wrong-role", {"roles": [ORGANIZER, ADMIN], "role": actor.role})


@on(c.ChangeTerms)
def change_terms(s: Tournament, command: c.ChangeTerms, actor: Actor, given: Given) -> list[New]:
    """The director changes fields: any before the first pairing, afterwards few.

    There is an entry for each field that has another value then.
    """
    must_be_director(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    values = {command.path: command.value, **{one.path: one.value for one in command.also}}
    if len(values) <= len(command.also):
        raise Refused("terms", "term-twice")
    terms = changed(s.terms, values, given.now)
    other = {
        path: after for path in FIELDS if (after := field_text(terms, path)) != field_text(s.terms, path)
    }
    if s.rounds:
        other = {path: after for path, after in other.items() if path in values}
        for path in other.keys() - FREE_LATER:
            raise Refused("terms", "term-stands", {"path": path, "free": sorted(FREE_LATER)})
    for group in terms.forbidden or ():
        for name in group.entrants:
            entrant_in(s, name)
    taking_part = sum(one.takes_part for one in s.entrants.values())
    if terms.most_entrants < taking_part:
        raise Refused("terms", "fewer-places-than-entrants", {"count": taking_part})
    return [
        New(
            e.TermsChanged,
            {"path": path, "before": field_text(s.terms, path), "after": after, "reason": command.reason},
        )
        for path, after in other.items()
    ]


@on(c.Appoint)
def appoint(s: Tournament, command: c.Appoint, actor: Actor, given: Given) -> list[New]:
    """The director gives an office."""
    must_be_director(s, actor)
    must_be_plain({"reason": command.reason})
    must_go_on(s)
    if s.is_official(command.person, command.office):
        raise Refused("terms", "has-office", {"office": command.office})
    about = {"person": command.person, "office": command.office, "reason": command.reason}
    return [New(e.Appointed, about)]


@on(c.Dismiss)
def dismiss(s: Tournament, command: c.Dismiss, actor: Actor, given: Given) -> list[New]:
    """The director takes an office away; one director stays."""
    must_be_director(s, actor)
    must_be_plain({"reason": command.reason})
    must_go_on(s)
    if not s.is_official(command.person, command.office):
        raise Refused("terms", "has-not-office", {"office": command.office})
    directors = [person for person, held in s.offices.items() if DIRECTOR in held]
    if command.office == DIRECTOR and len(directors) == 1:
        raise Refused("terms", "last-director")
    about = {"person": command.person, "office": command.office, "reason": command.reason}
    return [New(e.Dismissed, about)]


# ── Entering ──


def _next_id(s: Tournament, more: int = 0) -> str:
    return f"n{len(s.entrants) + 1 + more}"


def _must_be_early(s: Tournament) -> None:
    must_go_on(s)
    if len(s.rounds) > s.terms.late_rounds or s.status == "finished":
        raise Refused("late", "entering-closed", {"rounds": s.terms.late_rounds})


def players_of(command: Struct, actor: Actor) -> list[str]:
    """Return the players to whom a command would give a place."""
    match command:
        case c.EnterTournament():
            return [command.player or actor.person]
        case c.Accept():
            return [actor.person]
        case c.Invite():
            return [place.person for place in command.places]
        case c.Replace():
            return [command.substitute]
    return []


def _must_be_new(s: Tournament, player: str, given: Given) -> None:
    if player in given.bots:
        raise Refused("forbidden", "bots-do-not-enter", {"player": player})
    if s.took_part(player):
        raise Refused("entered", "entered-twice", {"player": player})


def _places_left(s: Tournament) -> int:
    return s.terms.most_entrants - sum(one.takes_part for one in s.entrants.values())


@on(c.EnterTournament)
def enter(s: Tournament, command: c.EnterTournament, actor: Actor, given: Given) -> list[New]:
    """A player enters, or a director enters one; without a free place, onto the waiting list."""
    _must_be_early(s)
    player = command.player or actor.person
    if player != actor.person or command.rating is not None or command.seed_order:
        must_be_director(s, actor)
    _must_be_new(s, player, given)
    stated = command.rating is not None
    about = {
        "entrant": _next_id(s),
        "player": player,
        "rating_before": command.rating if stated else given.rating,
        "rating_source": "director" if stated else given.rating_source,
    }
    if _places_left(s) > 0:
        return [New(e.Entered, {**about, "seed_order": command.seed_order})]
    if not s.terms.waiting_list:
        raise Refused("no-place", "no-place-left", {"most": s.terms.most_entrants})
    return [New(e.Waitlisted, about)]


@on(c.Invite)
def invite(s: Tournament, command: c.Invite, actor: Actor, given: Given) -> list[New]:
    """A director keeps places for people who may have no account yet: all of them or none."""
    must_be_director(s, actor)
    _must_be_early(s)
    people = [place.person for place in command.places]
    if len(set(people)) < len(people):
        raise Refused("entered", "invited-twice")
    for person in people:
        _must_be_new(s, person, given)
    if len(people) > _places_left(s):
        raise Refused("no-place", "no-place-left", {"most": s.terms.most_entrants})
    return [_placed(_next_id(s, more), place) for more, place in enumerate(command.places)]


def _placed(entrant: str, place: c.Place) -> New:
    about = {"entrant": entrant, "seed_order": place.seed_order}
    if not place.enters:
        return New(e.Invited, {**about, "person": place.person, "rating": place.rating})
    rated = {"rating_before": place.rating, "rating_source": "director"}
    return New(e.Entered, {**about, "player": place.person, **rated})


@on(c.Accept)
def accept(s: Tournament, command: c.Accept, actor: Actor, given: Given) -> list[New]:
    """The invited person takes the place, or a player who has shown the invitation."""
    must_go_on(s)
    one = entrant_in(s, command.entrant)
    if one.status != "invited":
        raise Refused("entered", "place-taken", {"entrant": one.id})
    if one.player != actor.person:
        if given.invited != one.id:
            raise Refused("forbidden", "not-your-invitation")
        _must_be_new(s, actor.person, given)
    about = {"entrant": one.id, "player": actor.person, "rating_before": one.rating, "seed_order": one.seed}
    return [New(e.Entered, about)]


@on(c.Admit)
def admit(s: Tournament, command: c.Admit, actor: Actor, given: Given) -> list[New]:
    """An official lets an entrant on the waiting list take part, if there is a place."""
    must_be_official(s, actor)
    _must_be_early(s)
    one = entrant_in(s, command.entrant)
    if one.status != "waiting":
        raise Refused("entered", "not-waiting", {"entrant": one.id})
    if _places_left(s) <= 0:
        raise Refused("no-place", "no-place-left", {"most": s.terms.most_entrants})
    return [New(e.Admitted, {"entrant": one.id})]


@on(c.SeedAll)
def seed(s: Tournament, command: c.SeedAll, actor: Actor, given: Given) -> list[New]:
    """A director orders all who take part, before the first pairing."""
    must_be_director(s, actor)
    must_go_on(s)
    if s.rounds:
        raise Refused("late", "seeded-before-pairing")
    wanted = {one.id for one in s.entrants.values() if one.takes_part}
    if len(set(command.order)) < len(command.order) or set(command.order) != wanted:
        raise Refused("not-entered", "seed-all-once", {"count": len(wanted)})
    return [New(e.Seeded, {"order": command.order})]


# ── Leaving and coming back ──


def unpaired_from(s: Tournament) -> int:
    """Return the number of the first round whose pairings are not published."""
    last = s.round
    return len(s.rounds) + (1 if last is None or last.status != "paired" else 0)


@on(c.Withdraw)
def withdraw(s: Tournament, command: c.Withdraw, actor: Actor, given: Given) -> list[New]:
    """An entrant leaves, from the first round that is not published."""
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    one = entrant_for(s, command.entrant, actor)
    if one.status == "withdrawn":
        raise Refused("not-entered", "withdrawn-already", {"entrant": one.id})
    about = {"entrant": one.id, "from_round": unpaired_from(s), "reason": command.reason}
    return [New(e.Withdrew, about)]


@on(c.Return)
def come_back(s: Tournament, command: c.Return, actor: Actor, given: Given) -> list[New]:
    """An entrant who withdrew is paired again, from the next round on."""
    must_go_on(s)
    one = entrant_for(s, command.entrant, actor)
    if one.status != "withdrawn" or one.expelled:
        raise Refused("not-entered", "not-withdrawn", {"entrant": one.id})
    if _places_left(s) <= 0:
        raise Refused("no-place", "no-place-left", {"most": s.terms.most_entrants})
    return [New(e.Returned, {"entrant": one.id, "from_round": unpaired_from(s)})]


@on(c.Replace)
def replace_player(s: Tournament, command: c.Replace, actor: Actor, given: Given) -> list[New]:
    """An official lets another player take over a place, with its results."""
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    one = entrant_in(s, command.entrant)
    if not one.takes_part:
        raise Refused("not-entered", "does-not-take-part", {"entrant": one.id})
    _must_be_new(s, command.substitute, given)
    about = {
        "entrant": one.id,
        "player": one.player,
        "substitute": command.substitute,
        "from_round": unpaired_from(s),
        "reason": command.reason,
    }
    return [New(e.Replaced, about)]


@on(c.AskBye)
def ask_bye(s: Tournament, command: c.AskBye, actor: Actor, given: Given) -> list[New]:
    """An entrant asks for a bye in a round that is not paired, within what the terms allow."""
    must_go_on(s)
    one = entrant_for(s, command.entrant, actor)
    if not one.takes_part:
        raise Refused("not-entered", "does-not-take-part", {"entrant": one.id})
    if command.round > s.terms.rounds:
        round_in(s, command.round)
    if command.round <= len(s.rounds):
        raise Refused("late", "round-is-paired", {"round": command.round})
    _must_allow_bye(s, one, command.round)
    return [New(e.ByeAsked, {"entrant": one.id, "round": command.round, "points": command.points})]


def _must_allow_bye(s: Tournament, one: Entrant, round_number: int) -> None:
    """Raises Refused: terms."""
    if s.playing.terms.format == "knockout":
        raise Refused("terms", "no-byes-in-knockout")
    if len({*one.byes, round_number}) > s.terms.byes:
        raise Refused("terms", "no-more-byes", {"most": s.terms.byes})
    if round_number > s.terms.rounds - 2 and not s.terms.late_byes:
        raise Refused("terms", "no-late-byes")
