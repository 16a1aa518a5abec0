"""The questions *results*, *standings* and *lots* about a tournament, each for one entry of its log."""

from __future__ import annotations

import re

import msgspec

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
from domain.tournaments.outcomes import EndedMatch, recorded, result_of
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
    if isinstance(entry, Confirmed):
        found = entry.checked or (board.outcome.checked if board.outcome else {})
        if entry.means == "verify" and not (found and all(one == VERIFIED for one in found.values())):
            raise Disproved(entry.entry, Sentence("confirmed-unverified"), place)
    elif match is None:
        return
    elif isinstance(entry, BoardOpened) and (entry.match, entry.root) != (match.match, match.first_root):
        raise Disproved(entry.entry, Sentence("opened-another-match"), place)
    elif isinstance(entry, Ruled) and entry.move and entry.move not in match.rulings:
        raise Disproved(entry.entry, Sentence("ruling-not-in-match", {"move": entry.move}), place)


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
