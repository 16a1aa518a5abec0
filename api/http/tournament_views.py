"""What the answers about tournaments say, from a state; pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from api.gate.tournament_commands import Accepted
from api.gate.tournaments import DraftedRound
from api.http.schemas import DraftBoard
from api.http.tournament_schemas import (
    BoardResult,
    BoardView,
    DraftView,
    EntrantView,
    Entries,
    PairView,
    ReportedView,
    RoundListed,
    RoundView,
    ScheduledGame,
    ScheduledRound,
    ScheduleView,
    SideView,
    TournamentListed,
    TournamentView,
)
from api.http.tournament_seats import Sitting
from domain.games import GAMES
from domain.log import b64
from domain.tournaments.history import TournamentLog
from domain.tournaments.outcomes import seating, seats_are_open, why_it_waits
from domain.tournaments.state import Board, Entrant, Round, Tournament, results_of
from domain.tournaments.totals import summed
from projections.tournaments import TournamentRow
from replay.tournaments.calendar import window_of


def entries_of(accepted: Accepted) -> Entries:
    """Return the answer to a command: the leaves of its entries."""
    log, last = accepted.log, max(accepted.last, 1)
    facts = tuple(msgspec.Raw(record.leaf) for record in log.records[accepted.first - 1 : accepted.last])
    return Entries(log.id, last, b64(log.roots[last - 1]), facts)


def listed(row: TournamentRow) -> TournamentListed:
    """Return a row of a list."""
    return TournamentListed(
        row.tournament,
        row.title,
        row.game,
        row.format,
        row.status,
        row.entrants,
        row.round,
        row.rounds,
        row.announced_at,
    )


def tournament_view(log: TournamentLog, s: Tournament, names: dict[str, str]) -> TournamentView:
    """Return a tournament as it is shown."""
    return TournamentView(
        s.id,
        s.title,
        s.status,
        s.entry,
        b64(log.roots[s.entry - 1]),
        s.terms,
        s.changes,
        dict(s.offices),
        sum(one.takes_part for one in s.entrants.values()),
        sum(one.status == "waiting" for one in s.entrants.values()),
        tuple(_round_listed(one) for one in s.rounds),
        s.last_round,
        dict(s.lots),
        len(s.standing_calls),
        s.publications,
        names,
        s.origin,
    )


def _round_listed(one: Round) -> RoundListed:
    unfinished = sum(not board.stands for board in one.boards)
    return RoundListed(one.number, one.status, len(one.boards), unfinished, one.opens_at, one.until)


def people_of(s: Tournament) -> list[str]:
    """Return the ids of all people whom a tournament names."""
    return sorted({*s.offices, *(one.player for one in s.entrants.values())})


def entrant_views(s: Tournament, some: Iterable[Entrant]) -> tuple[EntrantView, ...]:
    """Return entrants as they are shown."""
    numbers = {one.id: number for number, one in enumerate(s.numbered, 1)}
    return tuple(
        EntrantView(
            one.id,
            one.player,
            numbers.get(one.id, 0),
            one.status,
            one.rating,
            one.rating_source,
            one.seed,
            s.score(one.id),
            one.penalty,
            one.players,
            {str(number): points for number, points in one.byes.items()},
        )
        for one in some
    )


def round_view(
    log: TournamentLog, s: Tournament, one: Round, names: dict[str, str], sitting: Sitting
) -> RoundView:
    """Return a round with its boards; `sitting`: see `board_view`."""
    return RoundView(
        s.id,
        s.entry,
        b64(log.roots[s.entry - 1]),
        one.number,
        one.status,
        one.opens_at,
        one.until,
        f"{one.pairing.engine} {one.pairing.version}",
        one.pairing.input_sha256,
        tuple(board_view(s, one, board, sitting) for board in one.boards),
        dict(one.byes),
        names,
    )


def board_view(s: Tournament, one: Round, board: Board, sitting: Sitting) -> BoardView:
    """Return a board as it is shown.

    Args:
        sitting: who sits where in matches that run (`api.http.tournament_seats.sitting_in`).
    """
    players = sitting.get(board.match)
    seats = GAMES[s.terms.game].seats[:2] if players or not seats_are_open(s, board) else ("", "")
    seated = dict(zip(seating(s, board, players), seats, strict=True))
    checked = dict(board.outcome.checked) if board.outcome else {}
    return BoardView(
        board.number,
        one.number,
        SideView(board.w, seated[board.w]),
        SideView(board.b, seated[board.b]),
        board.match,
        board.status,
        _result(board),
        _light(checked),
        checked,
        {"floats": board.floats, "colour_rule": board.colour_rule, "group": _group(s, one, board)},
        board.policy.policy if board.policy else "",
        board.ruling.entry if board.ruling else board.outcome.entry if board.outcome else board.opened,
        why_it_waits(s, one.number, board),
        pair_view(s, one, board),
        _reported(board),
    )


def _reported(board: Board) -> ReportedView | UnsetType:
    one = board.ruling
    if one is None or not one.reported:
        return UNSET
    return ReportedView(one.entry, one.statement, one.agreed, one.file, one.file_match, one.file_root)


def _group(s: Tournament, one: Round, board: Board) -> str:
    """The half points that the better one of a board had before the round."""
    before = replace(s, rounds=s.rounds[: one.number - 1])
    return str(max(before.score(name) for name in board.entrants))


def schedule_view(
    log: TournamentLog, s: Tournament, player: str | None, names: dict[str, str]
) -> ScheduleView:
    """Return the dates of a tournament, and of the games of a player."""
    windows = [(number, *window_of(s, number)) for number in range(1, s.last_round + 1)]
    entrant = s.entrant_of(player) if player else None
    games = [
        _scheduled(one, board, entrant.id)
        for one in (s.rounds if entrant else ())
        if entrant and one.status != "paired"
        for board in one.boards_of(entrant.id)
    ]
    return ScheduleView(
        s.id,
        s.entry,
        b64(log.roots[s.entry - 1]),
        s.terms.time_zone,
        s.terms.until,
        tuple(ScheduledRound(*window) for window in windows),
        tuple(games),
        names,
    )


def _scheduled(one: Round, board: Board, entrant: str) -> ScheduledGame:
    opponent = next(name for name in board.entrants if name != entrant)
    opens = one.opens_at if board.adjourned is None else board.adjourned
    until = one.until if board.extended is None else board.extended
    return ScheduledGame(one.number, board.number, board.match, entrant, opponent, board.status, opens, until)


def pair_view(s: Tournament, one: Round, board: Board) -> PairView | UnsetType:
    """Return what the pair of a board comes to, seen from this board; unset if it has one board."""
    pair = sorted(one.boards_of(board.w), key=lambda found: found.number != board.number)
    if len(pair) < 2:
        return UNSET
    w, b = summed(s.terms.points, results_of(pair))
    return PairView(pair[1].number, w, b, s.result_of(pair))


def _result(board: Board) -> BoardResult | None:
    score = dict(board.outcome.score) if board.outcome else {}
    if board.ruling is not None:
        how = "reported" if board.ruling.reported else "ruling"
        return BoardResult(board.ruling.result, board.ruling.reason, score, how)
    if board.outcome is None:
        return None
    return BoardResult(board.outcome.result, board.outcome.reason, score, board.confirmed or "match")


def _light(checked: dict[str, str]) -> str:
    if not checked:
        return "none"
    return "green" if all(found == "ok" for found in checked.values()) else "red"


def draft_view(log: TournamentLog, found: DraftedRound) -> DraftView:
    """Return a draft with the reasons of the engine."""
    draft = found.draft
    boards = tuple(
        DraftBoard(place, w, b, floats, colour)
        for place, (w, b, floats, colour) in enumerate(draft.boards, 1)
    )
    return DraftView(
        log.id,
        found.entry,
        b64(log.roots[found.entry - 1]),
        draft.round,
        found.sha256,
        draft.engine,
        draft.version,
        draft.rules,
        draft.input_sha256,
        boards,
        draft.byes,
    )
