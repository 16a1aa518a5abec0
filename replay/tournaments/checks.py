"""The questions *results*, *standings* and *lots* about a tournament, each for one entry of its log."""

from __future__ import annotations

import re

import msgspec
from msgspec.structs import replace

from domain.chance import Secret, drawn, link
from domain.kernel import Refused
from domain.log import Damaged, b64, unb64
from domain.refusals import Sentence
from domain.tournaments.events import (
    AnyEntry,
    BoardOpened,
    Confirmed,
    LotDrawn,
    Published,
    ResultRecorded,
    Ruled,
)
from domain.tournaments.outcomes import (
    EndedMatch,
    RulingInMatch,
    for_result,
    lacks_salt,
    recorded,
    result_of,
    sides_of,
)
from domain.tournaments.reported import ReportedMatch, must_be_result
from domain.tournaments.rounds import VERIFIED
from domain.tournaments.state import Board, Tournament
from replay.tournaments.pairing import engine_at_hand
from replay.tournaments.pairings import engine_of
from replay.tournaments.published import bundle_sha256, sha256, standings_bytes
from replay.tournaments.report import Disproved
from replay.tournaments.results import points_in, standings_of
from replay.tournaments.standings import Standings

_POINTS = re.compile(r"(?P<minus>-?)(?P<whole>[0-9]{1,6})(?P<half>\.5)?")
_FIELDS = ("match", "closed_move", "root", "winner", "reason", "score", "sides")


def place_of(entry: AnyEntry) -> Sentence | None:
    """Return the board or the round that an entry is about."""
    round_number, board = getattr(entry, "round", 0), getattr(entry, "board", 0)
    match = getattr(entry, "match", "")
    if round_number and board and match:
        return Sentence("at-match", {"round": round_number, "board": board, "match": match[:64]})
    if round_number and board:
        return Sentence("at-board", {"round": round_number, "board": board})
    return Sentence("at-round", {"round": round_number}) if round_number else None


# ── results ──


def check_result(entry: ResultRecorded, before: Tournament, match: EndedMatch | None) -> None:
    """Check a recorded result against its match file (None: that one is not proved).

    Raises:
        Disproved: the result is not that of the match, or the board has one already.
    """
    board, place = _board(entry, before), place_of(entry)
    if board.match != entry.match:
        raise Disproved(entry.entry, Sentence("match-of-another-board", {"match": entry.match[:64]}), place)
    if board.outcome is not None:
        raise Disproved(entry.entry, Sentence("result-twice"), place)
    if match is None:
        return
    right = recorded(before, entry.round, board, match, entry.checked)
    values = {name: getattr(right, name) for name in _FIELDS}
    values["result"] = result_of(board, right.winner, right.drawn)
    if entry.end_turn:  # older entries do not say it
        values["end_turn"] = right.end_turn
    if entry.house_seeded:
        values["house_seeded"] = lacks_salt(before, right.house_seeded)
    for name, value in values.items():
        if getattr(entry, name) != value:
            about = {"field": name, "given": _shown(getattr(entry, name)), "found": _shown(value)}
            raise Disproved(entry.entry, Sentence("result-not-of-match", about), place)


def _board(entry: BoardOpened | ResultRecorded | Confirmed | Ruled, s: Tournament) -> Board:
    one = s.at_round(entry.round)
    found = one.board(entry.board) if one else None
    if found is None:
        raise Disproved(entry.entry, Sentence("board-not-paired"), place_of(entry))
    return found


def _shown(value: object) -> str:
    return msgspec.json.encode(value).decode()[:200]


def check_board(entry: BoardOpened | Confirmed | Ruled, before: Tournament, match: EndedMatch | None) -> None:
    """Check what an entry says of a board against its match file (None: it has none, or not a proved one).

    Raises:
        Disproved: it says something else.
    """
    board, place = _board(entry, before), place_of(entry)
    if isinstance(entry, Ruled):
        _check_ruled(entry, before, board, match)
    elif isinstance(entry, Confirmed) and entry.ruling:
        _check_agreed(entry, before, board)
    elif isinstance(entry, Confirmed):
        found = entry.checked or (board.outcome.checked if board.outcome else {})
        if entry.means == "verify" and not (found and all(one == VERIFIED for one in found.values())):
            raise Disproved(entry.entry, Sentence("confirmed-unverified"), place)
    elif match is not None and (entry.match, entry.root) != (match.match, match.first_root):
        raise Disproved(entry.entry, Sentence("opened-another-match"), place)


def _check_ruled(entry: Ruled, before: Tournament, board: Board, match: EndedMatch | None) -> None:
    """Check a ruling against the move of the match that took it; older entries name the move alone.

    Raises:
        Disproved: there is no such ruling, or it decided something else.
    """
    place = place_of(entry)
    if entry.match and entry.match != board.match:
        raise Disproved(entry.entry, Sentence("match-of-another-board", {"match": entry.match[:64]}), place)
    if not entry.result and not (entry.match and entry.move):
        raise Disproved(entry.entry, Sentence("ruling-without-result"), place)
    if match is None or not entry.move:
        return
    found = match.rulings.get(entry.move)
    if found is None:
        raise Disproved(entry.entry, Sentence("ruling-not-in-match", {"move": entry.move}), place)
    if entry.match and _decided(entry, before, board, match, found) != found:
        raise Disproved(entry.entry, Sentence("ruling-otherwise-in-match", {"move": entry.move}), place)


def _decided(
    entry: Ruled, before: Tournament, board: Board, match: EndedMatch, found: RulingInMatch
) -> RulingInMatch:
    """What the match must have taken by an entry; its score is that of the match alone."""
    if not entry.result:
        return RulingInMatch(entry.back_to or None, None, entry.void)
    asked = for_result(sides_of(before, board, match.players), board, entry.result)
    if asked.result is None or found.result is None:
        return asked
    return RulingInMatch(result=replace(found.result, winner=asked.result.winner))


def _check_agreed(entry: Confirmed, s: Tournament, board: Board) -> None:
    """Check that an entrant of a board confirmed the statement of its latest ruling.  Raises Disproved."""
    one, ruling = s.entrants.get(entry.entrant), board.ruling
    is_theirs = one is not None and one.id in board.entrants and entry.by == one.player
    is_it = ruling is not None and ruling.entry == entry.ruling and bool(ruling.statement)
    if not (entry.means == "players" and is_theirs and is_it):
        raise Disproved(entry.entry, Sentence("statement-not-confirmed"), place_of(entry))


def check_reported(entry: Ruled, before: Tournament, match: ReportedMatch) -> None:
    """Check a ruling against the match file that it names, which proves its match.

    Raises:
        Disproved: it names another match, or the board cannot have this result by it.
    """
    place, board = place_of(entry), _board(entry, before)
    if (entry.file_match, entry.file_root) != (match.ended.match, match.ended.root):
        raise Disproved(entry.entry, Sentence("reported-another-match", {"match": match.ended.match}), place)
    try:
        must_be_result(before, before.rounds[entry.round - 1], board, match, entry.result)
    except Refused as error:
        raise Disproved(entry.entry, Sentence(error.id, error.values), place) from error


# ── standings ──


def check_published(
    entry: Published, before: Tournament, root: bytes, member: bytes | None
) -> Sentence | None:
    """Check what was published against the log before it; return why a part was not checked, if so.

    Args:
        root: over the entries before it.
        member: the standings in the file, if they are there.

    Raises:
        Disproved: the standings or the contents of the file are not those that were published.
    """
    if entry.at_entry != before.entry:
        raise Disproved(entry.entry, Sentence("published-elsewhere", {"at": entry.at_entry}))
    if entry.bundle_sha256 != bundle_sha256(before, root):
        raise Disproved(entry.entry, Sentence("bundle-hash"))
    if member is not None:
        if sha256(member) != entry.standings_sha256:
            raise Disproved(entry.entry, Sentence("standings-hash"))
        _check_points(entry, before, member)
    try:
        found = standings_bytes(standings_of(before))
    except Refused as error:
        if error.kind == "not-offered":
            return Sentence("tie-breaks-not-at-hand")
        raise Disproved(entry.entry, Sentence(error.id, error.values)) from error
    if sha256(found) == entry.standings_sha256:
        return None
    engines = {engine_of(one.pairing) for one in before.rounds}
    if before.terms.format != "knockout" and engine_at_hand() not in engines:
        return Sentence("engine-not-at-hand", {"engine": ", ".join(sorted(engines))[:100]})
    raise Disproved(entry.entry, Sentence("standings-otherwise"))


def _check_points(entry: Published, s: Tournament, member: bytes) -> None:
    """Check the points in published standings, for which no engine is needed.  Raises Disproved."""
    try:
        found = msgspec.json.decode(member, type=Standings)
        column = [one.name for one in found.criteria].index("PTS")
        points = {one.entrant: _half_points(one.values[column] or "") for one in found.places}
        ours = points_in(s)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, IndexError) as error:
        raise Disproved(entry.entry, Sentence("standings-unread")) from error
    wrong = sorted(name for name in points.keys() | ours.keys() if points.get(name) != ours.get(name))
    if wrong:
        raise Disproved(entry.entry, Sentence("points-otherwise", {"entrant": wrong[0][:40]}))


def _half_points(text: str) -> int:
    """Points as standings show them.  Raises ValueError."""
    found = _POINTS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    half = 2 * int(found["whole"]) + bool(found["half"])
    return -half if found["minus"] else half


# ── lots ──


def check_lot(entry: LotDrawn, before: Tournament, last_key: bytes, secret: Secret | None) -> bytes:
    """Check a lot; return its key.

    Args:
        last_key: the key of the lot before; of the first one, the anchor.
        secret: of the tournament, once it is open.

    Raises:
        Disproved: the key is not the next one, or the lot is not what it gives.
    """
    place, period = Sentence("at-lot", {"label": entry.label[:80]}), before.periods + 1
    try:
        key = unb64(entry.key.key)
        if entry.key.period != period:
            periods = {"period": entry.key.period, "other": period}
            raise Disproved(entry.entry, Sentence("period-key-of-another", periods), place)
        if link(key) != last_key:
            raise Disproved(entry.entry, Sentence("period-key-off-chain", {"period": period}), place)
        if secret is not None and secret.open_key(period) != key:
            raise Disproved(entry.entry, Sentence("period-key-not-derived", {"period": period}), place)
        if entry.label in before.lots:
            raise Disproved(entry.entry, Sentence("lot-twice"), place)
        result = drawn(key, "", entry.label, 0, entry.n)
    except (Damaged, ValueError) as error:
        said = {"error": str(error)[:200]}
        raise Disproved(entry.entry, Sentence("cannot-be-checked", said), place) from error
    if result != entry.result:
        about: dict[str, str | int] = {
            "draw": entry.label[:80],
            "ours": result,
            "n": entry.n,
            "theirs": entry.result,
        }
        raise Disproved(entry.entry, Sentence("scheme-draws-otherwise", about), place)
    return key


def check_secret(s: Tournament, secret: Secret) -> None:
    """Check the opened secret against what was announced.  Raises Disproved."""
    if s.commitment != b64(secret.commitment):
        raise Disproved(1, Sentence("another-commitment"))
    if s.anchor != b64(secret.anchor(0)):
        raise Disproved(1, Sentence("anchor-not-derived"))
