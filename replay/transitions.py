"""The third question, *fold*: may each entry be at its place, and do the facts give what is recorded?

This module knows the order of a log, but no rule of any game: who sits, who is asked, what ends a match.
`may_follow` checks an entry before the match takes it in, `must_agree` checks the table after it.
"""

from __future__ import annotations

from typing import Any

from domain.branches import BRANCH
from domain.chance import SCHEME, is_long_enough
from domain.clocks import clock_refused
from domain.events import (
    Asked,
    ClockPaused,
    ClockResumed,
    ClockSet,
    ClockStopped,
    Closed,
    FactEntry,
    Frozen,
    Opened,
    Played,
    Released,
    Resigned,
    Restated,
    Ruled,
    SaltOpened,
    Seated,
    SecretOpened,
    TakebackAnswered,
    TakebackAsked,
    TakenBack,
    TimedOut,
)
from domain.imported import IMPORTED
from domain.kernel import AnyFact, Result
from domain.log import HOUSE, Record, codec, unb64
from domain.match import Match
from domain.match_clock import BY_TIME
from domain.refusals import Sentence
from replay.report import FOLD, Wrong

HASH = 32  # bytes


def may_follow(match: Match, record: Record) -> None:
    """Check that this entry may come next.

    Raises:
        Wrong: it may not.
    """
    reason = _refusal(match, record.entry)
    if reason:
        raise Wrong(FOLD, record.move, reason)


def must_agree(match: Match, record: Record) -> None:
    """Check that `record`, the latest of `match`, states what the facts give.

    Raises:
        Wrong: it states something else.
    """
    entry = record.entry
    if isinstance(entry, FactEntry):
        reason = _disclosed_wrongly(match, record) or _asked_wrongly(match, entry)
    elif isinstance(entry, Closed):
        reason = _closed_wrongly(match, entry)
    elif isinstance(entry, TakenBack):
        reason = _taken_back_wrongly(match, entry)
    else:
        reason = None
    if reason:
        raise Wrong(FOLD, record.move, reason)


# ── the order of a log ──


def _refusal(match: Match, entry: Any) -> Sentence | None:
    """The reason why `entry` may not come next; None if it may."""
    if isinstance(entry, Opened):
        return _opening_refused(entry) if not match.records else Sentence("opened-already")
    if match.closed:
        return Sentence("closed-already")
    if match.opened.clock and (entry.at is None or entry.at < (match.records[-1].entry.at or 0)):
        return Sentence("clock-time-order")
    due = _due(match)
    if due is not None and not isinstance(entry, due):
        return Sentence("must-follow", {"due": due.__name__, "entry": type(entry).__name__})
    if isinstance(entry, (SecretOpened, Closed, TakenBack)):
        may_stop = not match.provable or match.status == "waiting"
        allowed = due is not None or (isinstance(entry, SecretOpened) and may_stop)
        return None if allowed else Sentence("nothing-leads-to", {"entry": type(entry).__name__})
    if isinstance(entry, Ruled):
        return match.ruling_refused(entry)
    if isinstance(entry, Seated):
        return _seating_refused(match, entry)
    if isinstance(entry, SaltOpened):
        return _salt_refused(match, entry)
    if match.status == "waiting":
        return Sentence("not-begun-salt-closed", {"list": list(match.unopened)})
    if match.status != "running":
        return Sentence("not-begun-seat-free")
    if isinstance(entry, Restated):
        return None if match.imported else Sentence("position-stated-here")
    if isinstance(entry, ClockStopped):
        return match.clock_stop_refused(entry.start, entry.end, entry.at or 0)
    return _timed_wrongly(match, entry) or _while_running(match, entry)


def _opening_refused(entry: Opened) -> Sentence | None:
    """Why this is not how a match opens: a branch, and nothing else, says from where it goes on."""
    if entry.clock and (reason := _clock_refused(entry)):
        return reason
    branch = entry.branch
    if (entry.origin == BRANCH) != (branch is not None):
        return Sentence("branch-and-origin", {"origin": repr(entry.origin[:40])})
    if branch is None:
        return None
    is_named = branch.match != entry.match and branch.move >= 1 and len(unb64(branch.root)) == HASH
    return None if is_named and entry.chance.scheme == SCHEME else Sentence("branch-of-nothing")


def _clock_refused(entry: Opened) -> Sentence | None:
    """Why a match that opens so has no such clock."""
    if entry.origin in (BRANCH, IMPORTED):
        return Sentence("clock-not-kept")
    return clock_refused(entry.clock, entry.at)


def _due(match: Match) -> type | None:
    """The kind of entry that must follow the latest one; None if several kinds may."""
    last = match.records[-1].entry
    if isinstance(last, SecretOpened):
        return Closed
    if isinstance(last, (Resigned, TimedOut)) or match.positions[-1].table.result is not None:
        return SecretOpened
    if isinstance(last, Ruled):
        return SecretOpened if last.back_to is None else TakenBack
    if isinstance(last, TakebackAnswered) and last.agree:
        return TakenBack
    return None


def _seating_refused(match: Match, entry: Seated[Any]) -> Sentence | None:
    if match.seats.get(entry.seat, entry) is not None:
        return Sentence("no-free-seat", {"seat": repr(entry.seat)})
    if entry.salt_hash is not None and (entry.salt is not None or entry.bot):
        return Sentence("hash-beside-salt")
    if entry.agent and not entry.bot:
        return Sentence("agent-without-bot")
    return None


def _salt_refused(match: Match, entry: SaltOpened[Any]) -> Sentence | None:
    if match.status == "open":
        return Sentence("salt-opened-too-early")
    if entry.seat not in match.unopened:
        return Sentence("salt-never-hashed", {"seat": repr(entry.seat)})
    return None if is_long_enough(entry.salt) else Sentence("salt-of-wrong-form")


def _timed_wrongly(match: Match, entry: Any) -> Sentence | None:
    """Why the clocks do not allow this entry: it notes that no time is up, or comes when one is."""
    out = None if entry.at is None else match.run_out(entry.at)
    if isinstance(entry, TimedOut):
        right = out is not None and match.timed_out(out) == (entry.seat, entry.left)
        return None if right else Sentence("timed-out-wrongly", {"who": repr(entry.seat)})
    return Sentence("after-time-was-up", {"who": match.timed_out(out)[0]}) if out is not None else None


def _while_running(match: Match, entry: Any) -> Sentence | None:
    if isinstance(entry, ClockSet):
        return match.clock_set_refused(entry)
    if isinstance(entry, (ClockPaused, ClockResumed, Frozen, Released)):
        return match.standing_refused(entry)
    if entry.seat not in match.seats:
        return Sentence("not-a-seat", {"seat": repr(entry.seat)})
    if match.frozen and not isinstance(entry, TimedOut):
        return Sentence("match-frozen")
    if isinstance(entry, Played):
        asked = match.asked
        if asked is None or entry.seat not in asked.seats or entry.ask != asked.ask:
            return Sentence("answers-unasked", {"who": entry.seat, "ask": entry.ask})
    if isinstance(entry, TakebackAsked):
        return match.takeback_refused(entry.to)
    if isinstance(entry, TakebackAnswered):
        return match.takeback_answer_refused(entry.seat, entry.request)
    return None


# ── what the facts give ──


def _disclosed_wrongly(match: Match, record: Record) -> Sentence | None:
    """Why the facts are not disclosed to exactly the seats that may know them; None if they are."""
    entry = record.entry
    if not match.begun and (entry.facts or entry.draws or entry.keys):
        return Sentence("facts-too-early")
    begins_branch = match.opened.branch is not None and match.begun == entry.move
    if begins_branch and (entry.draws or entry.keys or entry.anchor):
        return Sentence("branch-draws")
    if not record.sealed:
        return None
    if begins_branch and record.parts[HOUSE].draws:
        return Sentence("branch-draws")
    private: dict[int, dict[str, AnyFact]] = {}
    for audience, part in record.parts.items():
        for place, fact in part.facts:
            private.setdefault(place, {})[audience] = fact
    if not all(0 <= place < len(entry.facts) for place in private):
        return Sentence("fact-in-no-place")
    for place, public in enumerate(entry.facts):
        reason = _fact_disclosed_wrongly(public, private.get(place, {}))
        if reason:
            return Sentence(
                "fact-told-wrongly", {"place": place + 1, "name": type(public).__name__, "within": reason}
            )
    return _agenda_wrong(match, record)


def _fact_disclosed_wrongly(public: AnyFact, private: dict[str, AnyFact]) -> Sentence | None:
    full = next(iter(private.values()), public)
    known = full.known_to()
    audiences = () if known is None else known or (HOUSE,)
    if set(audiences) != set(private):
        return Sentence("told-to-others", {"given": ", ".join(private) or "everybody"})
    if any(fact != full for fact in private.values()):
        return Sentence("told-differently")
    if private and full.outside() != public:
        return Sentence("told-otherwise")
    return None


def _agenda_wrong(match: Match, record: Record) -> Sentence | None:
    change = record.parts[HOUSE].agenda
    if (change is not None) != (match.begun is not None):
        return Sentence("agenda-missing") if match.begun else Sentence("agenda-too-early")
    if change is None:
        return Sentence("secret-draws-too-early") if record.parts[HOUSE].draws else None
    if not 0 <= change.keep <= len(match.positions[-2].agenda):
        return Sentence("agenda-keeps", {"keep": change.keep, "count": len(match.positions[-2].agenda)})
    for raw in change.then:
        codec(match.game).step(raw)
    if match.positions[-1].table.result is not None and match.positions[-1].agenda:
        return Sentence("over-with-agenda")
    return None


def _asked_wrongly(match: Match, entry: FactEntry[Any]) -> Sentence | None:
    """Why the recorded question is wrong; a running game asks at least one seat."""
    table = match.positions[-1].table
    if match.opened.branch and match.begun == entry.move and table.result is not None:
        return Sentence("branch-after-end")
    if not match.begun or table.result is not None:
        return Sentence("question-to-nobody") if entry.asked else None
    if entry.asked is None or not entry.asked.seats:
        return Sentence("nobody-asked")
    for seat, move in entry.asked.seats.items():
        if seat not in match.seats or not 1 <= move <= entry.move:
            return Sentence("asked-by-impossible-move", {"who": repr(seat), "move": move})
    return None


def _taken_back_wrongly(match: Match, entry: TakenBack) -> Sentence | None:
    last = match.records[-2].entry
    if isinstance(last, Ruled):
        to, by = last.back_to, "ruling"
    else:
        to, by = match.records[last.request - 1].entry.to, "agreement"
    if (entry.to, entry.by) != (to, by):
        return Sentence("back-to-another-move", {"to": entry.to, "by": entry.by, "other": str(to)})
    back = match.positions[entry.to - 1].asked
    if entry.asked is None or back is None or entry.to >= entry.move - 1:
        return Sentence("no-such-table", {"move": entry.to})
    if entry.asked != Asked(back.ask, dict.fromkeys(back.seats, entry.move)):
        return Sentence("question-not-as-it-stood")
    return None


def _closed_wrongly(match: Match, entry: Closed) -> Sentence | None:
    """Why the recorded result does not follow from what ended the match; None if it does."""
    cause = match.records[-3].entry
    if entry.by == "salt":
        return _closed_wrongly_for_a_salt(match, entry, cause)
    if entry.unopened:
        return Sentence("closed-with-salts", {"by": entry.by})
    table: Result | None = match.positions[-1].table.result
    if table is not None:
        return _differs(entry, "play", table)
    if isinstance(cause, Ruled):
        return _differs(entry, "ruling", cause.result)
    if isinstance(cause, Resigned):
        other = next(name for name in match.seats if name != cause.seat)
        right = entry.result and (entry.result.winner, entry.result.reason) == (other, "resignation")
        return (
            None
            if right and entry.by == "resignation"
            else Sentence("winner-by-resignation", {"who": cause.seat, "other": other})
        )
    if isinstance(cause, TimedOut):
        score = entry.result.score if entry.result else {}
        return _differs(entry, BY_TIME, match.result_of_time_out(cause.seat, cause.left, score))
    right = entry.by == "record" and not match.provable
    return None if right else Sentence("closed-by-nothing", {"by": entry.by})


def _closed_wrongly_for_a_salt(match: Match, entry: Closed, cause: Any) -> Sentence | None:
    if not isinstance(cause, FactEntry) or not match.unopened or not all(match.seats.values()):
        return Sentence("closed-for-no-salt")
    if entry.unopened != match.unopened:
        return Sentence(
            "closed-for-another-salt", {"named": list(entry.unopened), "list": list(match.unopened)}
        )
    return Sentence("result-for-salt", {"result": result_words(entry.result)}) if entry.result else None


def _differs(entry: Closed, by: str, result: Result | None) -> Sentence | None:
    if entry.by != by:
        return Sentence("ended-otherwise", {"by": entry.by, "other": by})
    if entry.result != result:
        return Sentence(
            "another-result", {"ours": result_words(entry.result), "theirs": result_words(result)}
        )
    return None


def result_words(result: Result | None) -> str:
    """Return a result in ids, for reports."""
    if result is None:
        return "none"
    score = ", ".join(f"{seat} {points}" for seat, points in result.score.items())
    return f"{result.winner or 'no winner'} ({result.reason}{': ' if score else ''}{score})"
