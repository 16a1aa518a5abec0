"""The question *pairings*: does the engine pair so again, from what the log says it was given?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from domain.kernel import Refused
from domain.refusals import Sentence
from domain.tournaments.crosstables import table_for_pairing
from domain.tournaments.drafts import (
    IMPORTED,
    in_tournament,
    needs_engine,
    on_both_sides,
    pairs_of,
    without_board,
)
from domain.tournaments.events import Paired, PairedBoard, PairingChanged
from domain.tournaments.state import Tournament
from replay.tournaments.pairing import PairingAnswer, engine_at_hand
from replay.tournaments.published import sha256
from replay.tournaments.report import Disproved
from replay.tournaments.results import computed_draft
from replay.tournaments.trf import pairing_input
from replay.tournaments.trf_reading import read

Pairer = Callable[[str], PairingAnswer]


def named_boards(answer: PairingAnswer, names: Mapping[int, str]) -> tuple[tuple[str, str, str, str], ...]:
    """Return the boards of an answer by entrants: w, b, floats, and the rule that gave the colours.

    Args:
        names: the entrant of each number.
    """
    return tuple(
        (names[one.w], names[one.b], ",".join(way or "" for way in one.floats).strip(","), one.colour_rule)
        for one in answer.boards
    )


def engine_of(entry: Paired) -> str:
    """Return the engine of a pairing with its version."""
    return f"{entry.engine} {entry.version}"


def is_imported(entry: Paired, before: Tournament) -> bool:
    """Did the tournament have this pairing when it was imported?  Then no engine is asked about it.

    Args:
        before: the tournament before the round was paired.
    """
    paired = before.origin.paired if before.origin else 0
    return entry.engine == IMPORTED and len(before.rounds) < entry.round <= paired


def check_input(entry: Paired, before: Tournament) -> None:
    """Check that the engine was given what the log says until then.

    Args:
        before: the tournament before the round was paired.

    Raises:
        Disproved: it was given something else.
    """
    place = Sentence("at-round", {"round": entry.round})
    if entry.round not in (len(before.rounds), len(before.rounds) + 1) or not entry.round:
        raise Disproved(entry.entry, Sentence("round-out-of-order"), place)
    if sha256(entry.input.encode()) != entry.input_sha256:
        raise Disproved(entry.entry, Sentence("input-hash"), place)
    if entry.engine == IMPORTED and not is_imported(entry, before):
        raise Disproved(entry.entry, Sentence("round-not-imported"), place)
    if not needs_engine(before) or is_imported(entry, before):
        return  # it follows from the log alone (see `check_answer`), or from a file
    view, within = before.playing, entry.round - before.first_of_stage + 1
    try:
        ours = pairing_input(table_for_pairing(view, within), within)
        same = ours == entry.input or read(ours.encode()).table == read(entry.input.encode()).table
    except Exception as error:  # a forged log may give a table that is none
        what = f"{type(error).__name__}: {error}"[:200]
        raise Disproved(entry.entry, Sentence("cannot-be-checked", {"error": what}), place) from error
    if not same:
        raise Disproved(entry.entry, Sentence("input-not-of-log"), place)


def check_answer(entry: Paired, before: Tournament, pairer: Pairer) -> Sentence | None:
    """Run the engine again and compare; return why that was not possible, if it was not.

    Raises:
        Disproved: the engine pairs otherwise.
    """
    place = Sentence("at-round", {"round": entry.round})
    if is_imported(entry, before):
        return None
    if not needs_engine(before):
        return _check_computed(entry, before, place)
    if engine_of(entry) != engine_at_hand():
        return Sentence("engine-not-at-hand", {"engine": engine_of(entry)[:100]})
    view, within = before.playing, entry.round - before.first_of_stage + 1
    names = {number: one.id for number, one in enumerate(view.numbered, 1)}
    try:
        answer = pairer(entry.input)
    except Refused as error:
        about = {"said": Sentence(error.id, error.values)}
        raise Disproved(entry.entry, Sentence("engine-refuses", about), place) from error
    byes = without_board(view, within) | {names[one]: "pairing_bye" for one in answer.byes}
    boards = on_both_sides(before.terms, named_boards(answer, names))
    _compare(entry, boards, in_tournament(before, boards, byes), place)
    return None


def check_by_hand(entry: PairingChanged, before: Tournament) -> None:
    """Check that each pair of a pairing by hand plays both sides, if terms say so.

    Raises:
        Disproved: one does not.
    """
    boards = tuple((one.w, one.b, one.floats, one.colour_rule) for one in entry.boards)
    try:
        pairs_of(before.terms, boards)
    except Refused as error:
        place = Sentence("at-round", {"round": entry.round})
        raise Disproved(entry.entry, Sentence(error.id, error.values), place) from error


def _check_computed(entry: Paired, before: Tournament, place: Sentence) -> Sentence | None:
    """Do as `check_answer`, for a round that needs no engine."""
    try:
        draft = computed_draft(before, entry.round)
    except Refused as error:
        if error.kind == "not-offered":
            return Sentence("tie-breaks-not-at-hand")
        about = {"said": Sentence(error.id, error.values)}
        raise Disproved(entry.entry, Sentence("engine-refuses", about), place) from error
    if (entry.engine, entry.version) != (draft.engine, draft.version):
        return Sentence("engine-not-at-hand", {"engine": engine_of(entry)[:100]})
    if entry.input != draft.input:
        raise Disproved(entry.entry, Sentence("input-not-of-log"), place)
    _compare(entry, draft.boards, draft.byes, place)
    return None


def _compare(
    entry: Paired, named: Sequence[tuple[str, str, str, str]], byes: Mapping[str, str], place: Sentence
) -> None:
    """Compare a pairing with what the engine gives.  Raises Disproved."""
    boards = tuple(PairedBoard(number, *board) for number, board in enumerate(named, 1))
    for ours, theirs in zip(boards, entry.boards, strict=False):
        if ours != theirs:
            raise Disproved(entry.entry, _differs(ours, theirs), place)
    if len(boards) != len(entry.boards) or byes != entry.byes:
        raise Disproved(entry.entry, Sentence("byes-paired-otherwise"), place)


def _differs(ours: PairedBoard, theirs: PairedBoard) -> Sentence:
    about: dict[str, str | int] = {
        "board": theirs.board,
        "ours": f"{ours.w} - {ours.b} {ours.floats} {ours.colour_rule}".strip(),
        "theirs": f"{theirs.w} - {theirs.b} {theirs.floats} {theirs.colour_rule}".strip()[:200],
    }
    return Sentence("paired-otherwise", about)
