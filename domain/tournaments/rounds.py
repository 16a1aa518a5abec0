"""The rules about rounds: pairing, publishing, results, closing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from domain.kernel import Refused
from domain.refusals import Sentence
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.drafts import (
    OWN_ENGINES,
    PLAY_OFF,
    drafted,
    going_on,
    in_tournament,
    needs_engine,
    on_both_sides,
    pairs_of,
    without_board,
)
from domain.tournaments.judging import (
    Actor,
    Given,
    Head,
    board_in,
    must_be_house,
    must_be_official,
    must_go_on,
    must_not_be_interested,
    on,
    round_in,
)
from domain.tournaments.log import New
from domain.tournaments.opinions import opinion
from domain.tournaments.outcomes import WAITS, lacks_salt, result_of, why_it_waits
from domain.tournaments.sides import SIDES_LOT, label_of, new_lot
from domain.tournaments.state import Board, Round, Tournament
from domain.tournaments.terms import BY_LOT, must_be_plain
from domain.tournaments.totals import FORFEITS

VERIFIED = "ok"  # what a question of `verify` says if all is well
RULING = "ruling"  # what closed a match that was not played to its end
PAIRED_BY_HAND = frozenset({"swiss", "round_robin"})  # the formats whose rounds an official may pair by hand
BEHIND_NOW = 60_000_000  # microseconds by which the opening of a round may lie in the past


def next_round(s: Tournament) -> int:
    """Return the number of the round to be paired now: the next one, or the latest if it is not published.

    Raises:
        Refused: late, unfinished.
    """
    must_go_on(s)
    last = s.round
    if last is not None and last.status == "paired":
        return last.number
    if last is not None:
        must_be_done(s, last)
    number = len(s.rounds) + 1
    if number > s.last_round and not s.is_last_stage:
        raise Refused("unfinished", "stage-over", {"stage": s.stage})
    if number > s.last_round and (s.terms.format != "league" or s.moves):
        raise Refused("late", "no-more-rounds", {"rounds": s.last_round})
    return number


def must_have_opponents(s: Tournament) -> None:
    """Check, before the first round, that an engine finds opponents for all the rounds of the terms.

    Raises:
        Refused: terms.
    """
    if s.rounds or not needs_engine(s):
        return
    rounds, count = s.last_round, len(s.numbered)
    if rounds > count - 1:
        about = {"rounds": rounds, "count": count, "most": max(count - 1, 0)}
        raise Refused("terms", "more-rounds-than-opponents", about)


def must_be_done(s: Tournament, one: Round) -> None:
    """Check that a round is closed, and that each board has a result or is adjourned.

    Raises:
        Refused: unfinished.
    """
    if one.status != "closed":
        raise Refused("unfinished", "round-not-closed", {"round": one.number})
    waiting = [
        board
        for board in one.boards
        if not board.stands and (board.policy is None or board.policy.policy != "adjourn")
    ]
    if waiting:
        raise _unfinished_boards(s, one, waiting)


def _unfinished_boards(s: Tournament, one: Round, boards: Sequence[Board]) -> Refused:
    """The refusal that names boards without a result that stands, and why a recorded result waits."""
    named = list[str | Sentence]()
    for board in boards[:20]:
        why = [WAITS[name] for name in why_it_waits(s, one.number, board)]
        named.append(
            Sentence("board-waits", {"board": board.number, "why": why}) if why else str(board.number)
        )
    return Refused("unfinished", "boards-unfinished", {"round": one.number, "boards": named})


@on(c.Pair)
def pair(s: Tournament, command: c.Pair, actor: Actor, given: Given) -> list[New]:
    """An official commits the pairing that an engine gave for the state as it is now."""
    must_be_official(s, actor)
    draft, number = command.draft, next_round(s)
    if command.round != number or draft.round != number:
        raise Refused("boards", "another-round", {"round": number})
    if hashlib.sha256(draft.input.encode()).hexdigest() != draft.input_sha256:
        raise Refused("boards", "input-hash")
    must_have_opponents(s)
    _must_be_the_engine(s, f"{draft.engine} {draft.version}")
    _must_be_due(s, draft)
    boards = tuple(
        e.PairedBoard(place, w, b, floats, colour)
        for place, (w, b, floats, colour) in enumerate(draft.boards, 1)
    )
    about = {
        "round": number,
        "engine": draft.engine,
        "version": draft.version,
        "rules": draft.rules,
        "input_sha256": draft.input_sha256,
        "input": draft.input,
        "boards": boards,
        "byes": draft.byes,
        "random": given.random,
    }
    return [*went_on(s), New(e.Paired, about)]


def went_on(s: Tournament) -> list[New]:
    """Return the entries of those who go on to the round of a bracket that is paired now."""
    return [qualifies(one) for one in going_on(s)]


def qualifies(one: tuple[str, str, str, str]) -> New:
    """Return the entry of one who goes on: entrant, origin, to, and by what."""
    return New(e.Qualified, dict(zip(("entrant", "origin", "to", "rule"), one, strict=True)))


def _must_be_due(s: Tournament, draft: c.PairingDraft) -> None:
    """Check a pairing: that of an engine for what it must hold, any other for being the one that is due.

    Raises:
        Refused: boards.
    """
    pairs = [(w, b) for w, b, _, _ in pairs_of(s.terms, draft.boards)]
    if needs_engine(s):
        view, within = s.playing, draft.round - s.first_of_stage + 1
        known = {one.id for one in view.numbered}
        mine = {name: why for name, why in draft.byes.items() if name in known}
        must_be_a_pairing(view, within, pairs, mine)
        if in_tournament(s, draft.boards, mine) != draft.byes:
            raise Refused("boards", "everybody-once")
        if again := _met_before(view, within, pairs):
            raise Refused("boards", "rematch", {"entrants": again})
        return
    if s.terms.format == "league" and draft.round > s.league_rounds:
        _must_cover(s, pairs, draft.byes)
        if any(s.division_of(w) != s.division_of(b) for w, b in pairs) or any(
            rule != PLAY_OFF for *_, rule in draft.boards
        ):
            raise Refused("boards", "not-the-due-pairing", {"round": draft.round})
        return
    due = drafted(s, draft.round)
    if (due.boards, due.byes) != (draft.boards, draft.byes):
        raise Refused("boards", "not-the-due-pairing", {"round": draft.round})


def _must_be_the_engine(s: Tournament, engine: str) -> None:
    """A tournament stays with the engine and version of its first pairing, or that of the terms."""
    if not needs_engine(s):
        return
    first = next((one.pairing for one in s.rounds if one.pairing.engine not in OWN_ENGINES), None)
    wanted = s.terms.engine or (f"{first.engine} {first.version}" if first else engine)
    if engine != wanted:
        raise Refused("boards", "another-engine", {"engine": engine, "wanted": wanted})


def must_be_a_pairing(
    s: Tournament, number: int, pairs: Sequence[tuple[str, str]], byes: Mapping[str, str]
) -> None:
    """Check that each entrant who takes part has exactly one board or one reason to have none.

    Raises:
        Refused: pairing.
    """
    free = without_board(s, number)
    named = [name for both in pairs for name in both]
    wanted = {one.id for one in s.numbered}
    if len(set(named)) < len(named) or set(named) & set(byes) or {*named, *byes} != wanted:
        raise Refused("boards", "everybody-once")
    if not pairs:
        raise Refused("boards", "nobody-to-pair")
    if any(byes.get(name) != why for name, why in free.items()):
        raise Refused("boards", "byes-differ")
    others = [why for name, why in byes.items() if name not in free]
    if any(why != "pairing_bye" for why in others) or len(others) > 1:
        raise Refused("boards", "one-pairing-bye")


def _met_before(s: Tournament, number: int, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The first pair that has played already; a forfeit is no game."""
    met = {
        frozenset(had[0].entrants)
        for one in s.rounds[: number - 1]
        for had in one.pairs
        if s.result_of(had) not in FORFEITS
    }
    return next((list(both) for both in pairs if frozenset(both) in met), [])


@on(c.ChangePairing)
def change_pairing(s: Tournament, command: c.ChangePairing, actor: Actor, given: Given) -> list[New]:
    """An official pairs a round by hand, before it is published; both pairings stay in the log."""
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"text": command.text})
    one = round_in(s, command.round)
    if one.status != "paired":
        raise Refused("late", "round-published", {"round": one.number})
    if s.terms.format not in PAIRED_BY_HAND:
        raise Refused("boards", "paired-by-rule")
    pairs = [(pairing.w, pairing.b) for pairing in command.boards]
    named = {name for both in pairs for name in both}
    free = without_board(s, one.number)
    if named & free.keys():
        raise Refused("boards", "byes-differ")
    left = [entrant.id for entrant in s.numbered if entrant.id not in named and entrant.id not in free]
    # Only an engine gives a full-point bye, so nobody comes back to collect one by hand.
    kept = [name for name in left if one.byes.get(name) == "pairing_bye"]
    byes = free | {name: "pairing_bye" if name in kept else "absent" for name in left}
    _must_cover(s, pairs, byes)
    due = on_both_sides(s.terms, tuple((w, b, "", "") for w, b in pairs))
    boards = tuple(e.PairedBoard(place, *one) for place, one in enumerate(due, 1))
    about = {
        "round": one.number,
        "boards": boards,
        "byes": byes,
        "reason": command.reason,
        "text": command.text,
        "opinion": opinion(s, one.number, pairs),
    }
    return [New(e.PairingChanged, about)]


def _must_cover(s: Tournament, pairs: Sequence[tuple[str, str]], byes: Mapping[str, str]) -> None:
    named = [name for both in pairs for name in both]
    if not pairs or len(set(named)) < len(named) or {*named, *byes} != {one.id for one in s.numbered}:
        raise Refused("boards", "everybody-once")


@on(c.PublishRound)
def publish_round(s: Tournament, command: c.PublishRound, actor: Actor, given: Given) -> list[New]:
    """An official publishes the pairings of the latest round."""
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"despite_calls": command.despite_calls})
    one = round_in(s, command.round)
    if one.status != "paired":
        raise Refused("late", "round-published", {"round": one.number})
    _must_still_fit(s, one)
    if s.terms.calls_hold and s.standing_calls and not command.despite_calls:
        calls = [str(call.entry) for call in s.standing_calls[:20]]
        raise Refused("unfinished", "calls-stand", {"calls": calls})
    opens, until = _window(s, command, given.now)
    about = {"round": one.number, "opens_at": opens, "until": until, "reason": command.despite_calls}
    published = New(e.RoundPublished, about)
    if s.terms.sides != BY_LOT:
        return [published]
    return [new_lot(s, label_of(one.number), SIDES_LOT, given), published]


def _must_still_fit(s: Tournament, one: Round) -> None:
    """Check that nobody withdrew or asked for a bye since the round was paired.  Raises Refused: pairing."""
    named = [name for board in one.boards for name in board.entrants]
    view = s.playing
    free = without_board(view, one.number - s.first_of_stage + 1)
    if set(named) & free.keys() or {*named, *one.byes} != {entrant.id for entrant in s.numbered}:
        raise Refused("boards", "pair-again")


def _window(s: Tournament, command: c.PublishRound, now: int | None) -> tuple[int | None, int | None]:
    """When the matches of a round open, and until when they are played.  Raises Refused: window."""
    place = command.round - 1
    known = s.terms.windows[place] if place < len(s.terms.windows) else None
    opens = command.opens_at if command.opens_at is not None else (known.opens if known else now)
    until = command.until if command.until is not None else (known.until if known else s.terms.until)
    if command.opens_at is not None and now is not None and command.opens_at < now - BEHIND_NOW:
        raise Refused("window", "opens-in-the-past")
    if until is not None and until <= max(opens or 0, now or 0):
        raise Refused("window", "until-in-the-past")
    return opens, until


# ── What the house writes: matches opened, results read ──


@on(c.OpenBoard)
def open_board(s: Tournament, command: c.OpenBoard, actor: Actor, given: Given) -> list[New]:
    """The house opened a match, once."""
    must_be_house(actor)
    one = round_in(s, command.round)
    board = board_in(one, command.board)
    if board.opened or s.ended:
        return []
    if one.status == "paired" or board.match != command.match:
        raise Refused("boards", "another-match", {"board": board.number})
    return [
        New(
            e.BoardOpened,
            {"round": one.number, "board": board.number, "match": command.match, "root": command.root},
        )
    ]


@on(c.RecordResult)
def record_result(s: Tournament, command: c.RecordResult, actor: Actor, given: Given) -> list[New]:
    """The house records what a match came to, once, and confirms what was played if everything verifies.

    If `verify` could not be run at first, the house confirms it when it was run.

    What a ruling decided stands by the entry of that ruling, never by a confirmation of the house.  A match
    to which no player added a salt waits for an official, if the terms want salts.
    """
    must_be_house(actor)
    one = round_in(s, command.round)
    board = board_in(one, command.board)
    if board.match != command.match:
        raise Refused("boards", "another-match", {"board": board.number})
    if s.ended == "published":
        return []
    if board.outcome is not None:
        if (board.outcome.closed_move, board.outcome.root) != (command.closed_move, command.root):
            raise Refused("boards", "another-result-of-match", {"board": board.number})
        is_proved = board.not_verified and board.result and _is_confirmed(s, board, command)
        means = {"round": one.number, "board": board.number, "means": "verify", "checked": command.checked}
        return [New(e.Confirmed, means)] if is_proved else []
    about: dict[str, Any] = {
        name: getattr(command, name)
        for name in ("round", "board", "match", "closed_move", "root", "reason", "winner", "score", "sides")
    }
    result = result_of(board, command.winner, command.drawn)
    about |= {"result": result, "checked": command.checked, "not_run": command.not_run}
    about |= {"end_turn": command.end_turn, "house_seeded": lacks_salt(s, command.house_seeded)}
    recorded = New(e.ResultRecorded, about)
    if not result or not _is_confirmed(s, board, command):
        return [recorded]
    means = {"round": one.number, "board": board.number, "means": "verify"}
    return [recorded, New(e.Confirmed, means)]


def _is_confirmed(s: Tournament, board: Board, command: c.RecordResult) -> bool:
    called = any((call.round, call.board) == (command.round, command.board) for call in s.standing_calls)
    green = bool(command.checked) and all(found == VERIFIED for found in command.checked.values())
    counts = not lacks_salt(s, command.house_seeded)
    return green and counts and not called and command.closed_by != RULING


@on(c.Confirm)
def confirm(s: Tournament, command: c.Confirm, actor: Actor, given: Given) -> list[New]:
    """An official confirms a recorded result that the house did not confirm."""
    must_be_official(s, actor)
    must_go_on(s)
    one = round_in(s, command.round)
    board = board_in(one, command.board)
    must_not_be_interested(s, one, board, actor)
    if board.outcome is None or not board.outcome.result:
        raise Refused("unfinished", "nothing-to-confirm", {"board": board.number})
    if board.confirmed:
        raise Refused("late", "confirmed-already", {"board": board.number})
    return [New(e.Confirmed, {"round": one.number, "board": board.number, "means": "arbiter"})]


# ── Closing ──


@on(c.CloseRound)
def close_round(s: Tournament, command: c.CloseRound, actor: Actor, given: Given) -> list[New]:
    """An official closes a round; each board without a result that stands has a policy."""
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    one = round_in(s, command.round)
    if one.status != "published":
        raise Refused("late", "round-not-open", {"round": one.number})
    policies = {policy.board: policy for policy in command.boards}
    if len(policies) < len(command.boards):
        raise Refused("invalid", "board-twice")
    for number in policies:
        board_in(one, number)
    open_boards = [board for board in one.boards if not board.stands]
    missing = [board for board in open_boards if board.number not in policies]
    if missing:
        raise _unfinished_boards(s, one, missing)
    unfinished = tuple(
        _unfinished(s, one, board, policies[board.number], actor, given.heads) for board in open_boards
    )
    return [New(e.RoundClosed, {"round": one.number, "unfinished": unfinished, "reason": command.reason})]


def _unfinished(
    s: Tournament, one: Round, board: Board, policy: c.BoardPolicy, actor: Actor, heads: Mapping[int, Head]
) -> e.Unfinished:
    forfeits = policy.result in ("+-", "-+", "--")
    decided = bool(policy.result) and not forfeits
    fits = {"adjourn": policy.result is None, "forfeit": forfeits, "adjudicate": decided}
    if not fits[policy.policy]:
        raise Refused("invalid", "policy-result", {"board": board.number, "policy": policy.policy})
    if policy.policy != "adjourn":
        must_not_be_interested(s, one, board, actor)
    head = heads.get(board.number, Head(0, ""))
    return e.Unfinished(board.number, policy.policy, head.move, head.root, policy.result or "")


@on(c.ApplyPolicy)
def apply_policy(s: Tournament, command: c.ApplyPolicy, actor: Actor, given: Given) -> list[New]:
    """The forfeit or the adjudication of a closed round stands, once its match's gate took it."""
    must_be_house(actor)
    board = board_in(round_in(s, command.round), command.board)
    if board.ruling is not None or board.policy is None or not board.policy.result:
        return []
    about = {"round": command.round, "board": board.number, "result": board.policy.result}
    return [New(e.Ruled, {**about, "reason": "other", "text": board.policy.policy, "move": given.moved})]


@on(c.NoShow)
def no_show(s: Tournament, command: c.NoShow, actor: Actor, given: Given) -> list[New]:
    """The house rules a forfeit against who did not sit down in the time of grace."""
    must_be_house(actor)
    one = round_in(s, command.round)
    board = board_in(one, command.board)
    if board.ruling is not None or board.confirmed or s.ended:
        return []
    about = {"round": one.number, "board": board.number, "result": command.result, "move": given.moved}
    return [New(e.Ruled, {**about, "reason": "no_show", "text": "grace", "rule": "grace"})]


@on(c.ReopenRound)
def reopen_round(s: Tournament, command: c.ReopenRound, actor: Actor, given: Given) -> list[New]:
    """An official opens the latest round again, before the next one is paired."""
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    one = round_in(s, command.round)
    if one.status != "closed" or one.number != len(s.rounds):
        raise Refused("late", "round-not-last", {"round": one.number})
    return [New(e.RoundReopened, {"round": one.number, "reason": command.reason})]
