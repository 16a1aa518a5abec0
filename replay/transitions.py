"""The third question, *fold*: may each entry stand where it stands, and do the facts give what is recorded?

Knows the order in which a log may go on, no rule of any game: who sits, who is asked, what ends a match.
`may_follow` looks at an entry before the match takes it in, `must_agree` at the table after it.
"""

from __future__ import annotations

from typing import Any

from domain.chance import is_long_enough
from domain.events import (
    Asked,
    Closed,
    Opened,
    Played,
    Resigned,
    Restated,
    Ruled,
    SaltOpened,
    Seated,
    SecretOpened,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
    Told,
)
from domain.kernel import AnyFact, Result
from domain.log import HOUSE, Record, codec
from domain.match import Match
from replay.report import FOLD, Wrong


def may_follow(match: Match, record: Record) -> None:
    """May this entry come next?

    Raises:
        Wrong: it may not.
    """
    reason = _refusal(match, record.entry)
    if reason:
        raise Wrong(FOLD, record.move, reason)


def must_agree(match: Match, record: Record) -> None:
    """`match` has just taken in `record`: is what it says what the facts give?

    Raises:
        Wrong: it is not.
    """
    entry = record.entry
    if isinstance(entry, Told):
        reason = _disclosed_wrongly(match, record) or _asked_wrongly(match, entry)
    elif isinstance(entry, Closed):
        reason = _closed_wrongly(match, entry)
    elif isinstance(entry, TakenBack):
        reason = _taken_back_wrongly(match, entry)
    else:
        reason = ""
    if reason:
        raise Wrong(FOLD, record.move, reason)


# ── the order of a log ──


def _refusal(match: Match, entry: Any) -> str:
    """Why `entry` may not come next; "" where it may."""
    if isinstance(entry, Opened):
        return "" if not match.records else "the match was opened already"
    if match.closed:
        return "the match was closed already"
    due = _due(match)
    if due is not None and not isinstance(entry, due):
        return f"{due.__name__} must follow, not {type(entry).__name__}"
    if isinstance(entry, (SecretOpened, Closed, TakenBack)):
        may_stop = not match.provable or match.status == "waiting"
        allowed = due is not None or (isinstance(entry, SecretOpened) and may_stop)
        return "" if allowed else f"nothing before it leads to {type(entry).__name__}"
    if isinstance(entry, Ruled):
        return _ruling_refused(match, entry)
    if isinstance(entry, Seated):
        return _seating_refused(match, entry)
    if isinstance(entry, SaltOpened):
        return _salt_refused(match, entry)
    if match.status == "waiting":
        return f"the match has not begun: the salt of {', '.join(match.unopened)} is not open"
    if match.status != "running":
        return "the match has not begun: a seat is free"
    if isinstance(entry, Restated):
        return "" if match.imported else "a position that a record states, in a match that was played here"
    return _while_running(match, entry)


def _due(match: Match) -> type | None:
    """The kind of entry that the latest one makes necessary."""
    last = match.records[-1].entry
    if isinstance(last, SecretOpened):
        return Closed
    if isinstance(last, Resigned) or match.positions[-1].table.result is not None:
        return SecretOpened
    if isinstance(last, Ruled):
        return SecretOpened if last.back_to is None else TakenBack
    if isinstance(last, TakebackAnswered) and last.agree:
        return TakenBack
    return None


def _seating_refused(match: Match, entry: Seated[Any]) -> str:
    if match.seats.get(entry.seat, entry) is not None:
        return f"no free seat {entry.seat!r}"
    if entry.salt_hash is not None and (entry.salt is not None or entry.bot):
        return "a hash of a salt beside a salt in clear, or of a bot"
    return ""


def _salt_refused(match: Match, entry: SaltOpened[Any]) -> str:
    if match.status == "open":
        return "a salt is opened before every seat is taken"
    if entry.seat not in match.unopened:
        return f"{entry.seat!r} has no salt to open"
    return (
        "" if is_long_enough(entry.salt) else "the salt is not one of 22 to 64 characters that may be opened"
    )


def _ruling_refused(match: Match, entry: Ruled) -> str:
    if not entry.reason.strip():
        return "a ruling without a reason"
    if sum((entry.back_to is not None, entry.result is not None, entry.void)) != 1:
        return "a ruling says exactly one of: back to a move, a result, void"
    if entry.back_to is not None and not match.is_table(entry.back_to):
        return f"there is no table of a running game after move {entry.back_to}"
    return ""


def _while_running(match: Match, entry: Any) -> str:
    if entry.seat not in match.seats:
        return f"no seat {entry.seat!r}"
    if isinstance(entry, Played):
        asked = match.asked
        if asked is None or entry.seat not in asked.seats or entry.ask != asked.ask:
            return f"{entry.seat} answers {entry.ask}, which it is not asked"
    if isinstance(entry, TakebackAsked):
        return "a request waits for its answer already" if match.request else match.bar_to(entry.to)
    if isinstance(entry, TakebackAnswered):
        waiting = match.request
        if waiting is None or waiting.move != entry.request or waiting.seat == entry.seat:
            return f"{entry.seat} answers a request of move {entry.request} that does not wait for it"
    return ""


# ── what the facts give ──


def _disclosed_wrongly(match: Match, record: Record) -> str:
    """Is everybody told what happened, and only what he may know?"""
    entry = record.entry
    if not match.begun and (entry.facts or entry.draws or entry.keys):
        return "facts or draws before the game begins"
    if not record.sealed:
        return ""
    private: dict[int, dict[str, AnyFact]] = {}
    for audience, part in record.parts.items():
        for place, fact in part.facts:
            private.setdefault(place, {})[audience] = fact
    if not all(0 <= place < len(entry.facts) for place in private):
        return "a private part holds a fact in no place of the move"
    for place, public in enumerate(entry.facts):
        reason = _fact_disclosed_wrongly(public, private.get(place, {}))
        if reason:
            return f"fact {place + 1}, {type(public).__name__}: {reason}"
    return _agenda_wrong(match, record)


def _fact_disclosed_wrongly(public: AnyFact, private: dict[str, AnyFact]) -> str:
    full = next(iter(private.values()), public)
    known = full.known_to()
    audiences = () if known is None else known or (HOUSE,)
    if set(audiences) != set(private):
        return f"told in full to {', '.join(private) or 'everybody'}, not to those who may know it"
    if any(fact != full for fact in private.values()):
        return "two seats are told different things"
    if private and full.outside() != public:
        return "everybody is told something else than what happened"
    return ""


def _agenda_wrong(match: Match, record: Record) -> str:
    change = record.parts[HOUSE].agenda
    if (change is not None) != (match.begun is not None):
        return "the agenda is missing" if match.begun else "an agenda before the game begins"
    if change is None:
        return "secret draws before the game begins" if record.parts[HOUSE].draws else ""
    if not 0 <= change.keep <= len(match.positions[-2].agenda):
        return f"the agenda keeps {change.keep} steps of {len(match.positions[-2].agenda)}"
    for raw in change.then:
        codec(match.game).step(raw)
    if match.positions[-1].table.result is not None and match.positions[-1].agenda:
        return "the game is over, yet something remains to be done"
    return ""


def _asked_wrongly(match: Match, entry: Told[Any]) -> str:
    """A running game asks somebody; a question was put by a move that has been."""
    table = match.positions[-1].table
    if not match.begun or table.result is not None:
        return "a question where nobody can be asked" if entry.asked else ""
    if entry.asked is None or not entry.asked.seats:
        return "the game is not over, yet nobody is asked"
    for seat, move in entry.asked.seats.items():
        if seat not in match.seats or not 1 <= move <= entry.move:
            return f"{seat!r} is asked by move {move}"
    return ""


def _taken_back_wrongly(match: Match, entry: TakenBack) -> str:
    last = match.records[-2].entry
    if isinstance(last, Ruled):
        to, by = last.back_to, "ruling"
    else:
        to, by = match.records[last.request - 1].entry.to, "agreement"
    if (entry.to, entry.by) != (to, by):
        return f"back to move {entry.to} by {entry.by}, where move {to} was agreed or ruled"
    back = match.positions[entry.to - 1].asked
    if entry.asked is None or back is None or entry.to >= entry.move - 1:
        return f"there is no table of a running game after move {entry.to}"
    if entry.asked != Asked(back.ask, dict.fromkeys(back.seats, entry.move)):
        return "the question is not put again as it stood"
    return ""


def _closed_wrongly(match: Match, entry: Closed) -> str:
    """The recorded result, against what ended the match."""
    cause = match.records[-3].entry
    if entry.by == "salt":
        return _closed_wrongly_for_a_salt(match, entry, cause)
    if entry.unopened:
        return f"closed by {entry.by}, yet it names salts that were not opened"
    table: Result | None = match.positions[-1].table.result
    if table is not None:
        return _differs(entry, "play", table)
    if isinstance(cause, Ruled):
        return _differs(entry, "ruling", cause.result)
    if isinstance(cause, Resigned):
        other = next(name for name in match.seats if name != cause.seat)
        right = entry.result and (entry.result.winner, entry.result.reason) == (other, "resignation")
        return "" if right and entry.by == "resignation" else f"{cause.seat} resigned, so {other} has won"
    right = entry.by == "record" and not match.provable
    return "" if right else f"closed by {entry.by}, but nothing of the kind happened"


def _closed_wrongly_for_a_salt(match: Match, entry: Closed, cause: Any) -> str:
    if not isinstance(cause, Told) or not match.unopened or not all(match.seats.values()):
        return "closed for a salt, but the match did not wait for one"
    if entry.unopened != match.unopened:
        return f"closed for the salt of {', '.join(entry.unopened)}, not of {', '.join(match.unopened)}"
    return f"closed for a salt, with the result {result_words(entry.result)}" if entry.result else ""


def _differs(entry: Closed, by: str, result: Result | None) -> str:
    if entry.by != by:
        return f"closed by {entry.by}, but it ended by {by}"
    if entry.result != result:
        return (
            f"the recorded result is {result_words(entry.result)}, but the facts give {result_words(result)}"
        )
    return ""


def result_words(result: Result | None) -> str:
    """A result in ids, for reports."""
    if result is None:
        return "none"
    score = ", ".join(f"{seat} {points}" for seat, points in result.score.items())
    return f"{result.winner or 'nobody'} ({result.reason}{': ' if score else ''}{score})"
