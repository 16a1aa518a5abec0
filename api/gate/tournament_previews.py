"""Previews: what a command would add to a tournament, and change in it.

All is worked out on a copy, and nothing is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from api.gate.tournament_rulings import on_board, on_match
from api.gate.tournaments import TournamentGate, preview_hash, shown_before
from domain.chance import Secret
from domain.kernel import Refused, Seat
from domain.match import Match
from domain.match_base import LIVE, pool_of
from domain.tournaments import commands as c
from domain.tournaments.advancing import due, must_be_over
from domain.tournaments.drafts import pairs_of, winners
from domain.tournaments.events import LotDrawn
from domain.tournaments.fold import applied
from domain.tournaments.judging import Actor, Given, role_of
from domain.tournaments.outcomes import sides_of, sitting, winner_of
from domain.tournaments.rounds import qualifies
from domain.tournaments.rules import judged
from domain.tournaments.state import Board, Tournament
from domain.tournaments.totals import BOTH_LOST
from projections.ratings import RatedAs, RatingChange
from replay.tournaments.results import ranked_of, standings_of


class Moved(Struct, frozen=True):
    """An entrant whose line of the standings changes: place and values before (None: not in them) and after.

    The scores are in half points; the values are those of the criteria, in their order.
    """

    entrant: str
    score_before: int
    score_after: int
    place_before: int | None
    place_after: int | None
    before: tuple[str | None, ...]
    after: tuple[str | None, ...]


class NextPairing(Struct, frozen=True):
    """The next round as the engine would pair it now and after the command: first colour, other entrant.

    refused: why it cannot be paired after the command, by the kind of the refusal; "" if it can be.
    """

    round: int
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    refused: str = ""


class GoesOn(Struct, frozen=True):
    """Who goes on, and by what, as an entry of this kind ("qualified", "promoted", "relegated") says it."""

    kind: str
    entrant: str
    origin: str
    to: str
    rule: str


class GoingOn(Struct, frozen=True):
    """Who would go on now: from the contests of a bracket, to the next stage, or between divisions.

    Who has gone on already stays, and is not here.
    level_before, level_after: those who share a place across a line, so that the director has to decide.
    """

    before: tuple[GoesOn, ...]
    after: tuple[GoesOn, ...]
    level_before: tuple[str, ...] = ()
    level_after: tuple[str, ...] = ()


class Preview(Struct, frozen=True):
    """What a command would do to the tournament as it is after `entry`.

    sha256: of `facts`, which is to be sent with a ruling on a closed round.
    facts: the entries that the command would add, but for their times.
    match_move: the move by which a running match would take it; 0: no match is touched.
    going_on: who goes on differently; None if nothing changes in it.
    rates: does the match count otherwise for ratings than it does now?
    ratings: whose ratings change, if they are at hand.
    """

    entry: int
    sha256: str
    facts: tuple[Any, ...]
    criteria: tuple[str, ...]
    standings: tuple[Moved, ...]
    pairing: NextPairing | None
    status: str
    match_move: int = 0
    going_on: GoingOn | None = None
    rates: bool = False
    ratings: tuple[RatingChange, ...] = ()


async def previewed(
    gate: TournamentGate, tournament: str, command: c.Previewed, actor: Actor, expect: int | None
) -> Preview:
    """Return what a command would do; only officials are shown how the next round would be paired.

    Raises:
        Refused: what the command itself would be refused for; invalid: it would draw a lot.
    """
    cached = await gate.commands.cached(tournament)
    log, now = cached.log, gate.gate.commits.clock()
    if cached.secret is None:
        raise Refused("unavailable", "secret-not-here")
    s = log.state
    known = await gate.commands.with_bots(command, actor, _known(cached.secret, s, now))
    given = await _outside(gate, s, command, actor, known)
    draft = judged(s, log.tree, command, actor, given, expect)
    if any(isinstance(entry, LotDrawn) for entry in draft.entries):
        raise Refused("invalid", "preview-draws-lot")
    after = s
    for entry in draft.entries:
        after = applied(after, entry)
    is_official = role_of(s, actor) in ("director", "arbiter", "admin")
    criteria, moved = await asyncio.to_thread(_standings, s, after)
    pairing = await asyncio.to_thread(_pairing, gate, s, after) if is_official else None
    facts, digest = shown_before(draft), preview_hash(draft)
    going = await asyncio.to_thread(_going_on, s, after) if isinstance(command, _CHANGE_RESULTS) else None
    rated = await _rated_as(gate, s, command) if isinstance(command, c.Rule) else None
    ratings = await gate.rating_changes(rated) if rated and gate.rating_changes else ()
    return Preview(
        s.entry,
        digest,
        facts,
        criteria,
        moved,
        pairing,
        after.status,
        given.moved,
        going,
        rated is not None,
        ratings,
    )


_CHANGE_RESULTS = (c.Rule, c.Penalise, c.Confirm, c.CloseRound, c.Withdraw, c.Return)


def _going_on(s: Tournament, after: Tournament) -> GoingOn | None:
    """Who goes on before and after, if it differs."""
    if s.terms.format in ("swiss", "round_robin"):
        return None
    (old, old_level), (new, new_level) = _due(s), _due(after)
    return None if (old, old_level) == (new, new_level) else GoingOn(old, new, old_level, new_level)


def _due(s: Tournament) -> tuple[tuple[GoesOn, ...], tuple[str, ...]]:
    """Who would go on now, and who stands level on a line."""
    found, level = [qualifies(one) for one in winners(s)], tuple[str, ...]()
    try:
        must_be_over(s)
        found += due(s, ranked_of(s))
    except Refused as error:
        names = error.values.get("entrants") if error.id == "place-contested" else ()
        level = tuple(map(str, names)) if isinstance(names, list) else ()
    kinds = [str(one.kind.__struct_config__.tag) for one in found]
    return tuple(GoesOn(kind, **one.fields) for kind, one in zip(kinds, found, strict=True)), level


async def _rated_as(gate: TournamentGate, s: Tournament, command: c.Rule) -> RatedAs | None:
    """How a ruling lets the match of its board count for ratings; None: as it does now, or not at all."""
    board = s.rounds[command.round - 1].boards[command.board - 1]
    if not board.opened:
        return None
    match = await gate.gate.match(board.match)
    players = {seat: one.player for seat, one in match.players.items() if one is not None and one.player}
    is_rated = not match.opened.private and pool_of(LIVE, players.values(), False) == LIVE
    if len(players) < len(match.seats) or not is_rated:
        return None
    result = command.result or on_board(s, board, match, on_match(s, board, match, command))
    if not result:
        return None
    now = _effect(s, board, match, board.ruling.result) if board.ruling else None
    if match.closed:
        if match.closed.result is None:
            return None
        now = now or (match.closed.result.winner, True)
    elif result in BOTH_LOST:
        return None
    winner, counts = then = _effect(s, board, match, result)
    opened = match.opened
    return None if now == then else RatedAs(match.id, opened.game, opened.edition, players, winner, counts)


def _effect(s: Tournament, board: Board, match: Match, result: str) -> tuple[Seat | None, bool]:
    """Who has won a match by a result of its board, and whether it counts for ratings."""
    sides, winner = sides_of(s, board, sitting(match)), winner_of(result, board.w, board.b)
    return next((seat for seat, name in sides.items() if name == winner), None), result not in BOTH_LOST


def _known(secret: Secret, s: Tournament, now: int | None) -> Given:
    return Given(now=None if now is None else max(now, s.at or 0), secret=secret)


async def _outside(
    gate: TournamentGate, s: Tournament, command: c.Previewed, actor: Actor, known: Given
) -> Given:
    if isinstance(command, c.EnterTournament):
        return await gate.with_rating(s, command, actor, known)
    if isinstance(command, c.CloseRound):
        return await gate.with_heads(s, command, known)
    if isinstance(command, c.Advance):
        return await gate.with_ranks(s, known)
    if isinstance(command, c.Rule):
        return await gate.with_move(s, command, actor, await gate.files.with_file(s, command, known))
    return known


def _standings(s: Tournament, after: Tournament) -> tuple[tuple[str, ...], tuple[Moved, ...]]:
    """The criteria, and the lines that change, in the order of the new places."""
    if not s.rounds:
        return (), ()
    old, new = standings_of(s), standings_of(after)
    lines = [
        {one.entrant: (state.score(one.entrant), one.place, tuple(one.values)) for one in table.places}
        for state, table in ((s, old), (after, new))
    ]
    names = dict.fromkeys([*lines[1], *lines[0]])
    changed = [name for name in names if lines[0].get(name) != lines[1].get(name)]
    return tuple(one.name for one in new.criteria), tuple(_moved(name, *lines) for name in changed)


_Line = tuple[int, int | None, tuple[str | None, ...]]


def _moved(name: str, before: Mapping[str, _Line], after: Mapping[str, _Line]) -> Moved:
    nowhere: _Line = (0, None, ())
    score_before, place_before, old = before.get(name, nowhere)
    score_after, place_after, new = after.get(name, nowhere)
    return Moved(name, score_before, score_after, place_before, place_after, old, new)


def _pairing(gate: TournamentGate, s: Tournament, after: Tournament) -> NextPairing | None:
    """The next pairing before and after; None if no round is to be paired, before or after."""
    before, number, _ = _paired(gate, s)
    boards, round_after, refused = _paired(gate, after)
    if refused in ("late", "unfinished"):
        return None
    return NextPairing(round_after or number, before, boards, refused)


def _paired(gate: TournamentGate, s: Tournament) -> tuple[tuple[tuple[str, str], ...], int, str]:
    try:
        draft = gate.drafted(s)
    except Refused as error:
        return (), 0, error.kind
    return tuple((w, b) for w, b, _, _ in pairs_of(s.terms, draft.boards)), draft.round, ""
