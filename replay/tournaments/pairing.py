"""Pairs a round of a Swiss tournament: the Dutch system, by the engine gacrux, from the text of a TRF alone.

`pair` runs the engine in this process and checks its answer by `legality`.  `pairing_twice` is
what a server calls: two processes, which must agree.

The engine never reads the text itself, but gets what we have read in it: so both know the same, and records
that only the engine would understand change nothing.  It draws nothing, either: without record 152 it
would draw the first colour, so that is refused.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from domain.kernel import Refused
from domain.tournaments.crosstable import Crosstable, boards, cell_of, rounds_paired
from domain.tournaments.legality import ColourFlag, breaches, colour_flags, expected
from replay.tournaments.gacrux_form import gacrux_form
from replay.tournaments.trf import before_round
from replay.tournaments.trf_reading import read

ENGINE = "gacrux"
Float = Literal["down", "up"]


class PairedBoard(Struct, frozen=True):
    """A board: the numbers of its entrants, `floats` of both, and the rule that gave the colours.

    `group`: the half points of the score group in which the pair was made, accelerations included.
    """

    board: int
    w: int
    b: int
    floats: tuple[Float | None, Float | None]
    colour_rule: str
    group: int


class PairingAnswer(Struct, frozen=True):
    """The pairing of a round, and who says so: engine, version, and the date of the rules that it follows.

    `byes`: the entrant for whom no opponent is left.  `flags`: colours that an arbiter should look at.
    """

    engine: str
    version: str
    rules: str
    round: int
    boards: tuple[PairedBoard, ...]
    byes: tuple[int, ...]
    flags: tuple[ColourFlag, ...] = ()


def pair(trf: str) -> PairingAnswer:
    """Pair the round that follows those in a TRF (see `replay.tournaments.trf.pairing_input`).

    Raises:
        Refused: `invalid`: the text is no TRF, or not one of which a round can be paired; `pairing`: the
            engine refuses, or its answer breaks a rule; `not-offered`: the engine is not installed.
    """
    table = read(trf.encode()).table
    round_number = _next_round(table)
    answer = _ask_engine(before_round(table, round_number), round_number)
    pairs = [(board.w, board.b) for board in answer.boards]
    for found in breaches(table, round_number, pairs, answer.byes):
        numbers = ", ".join(map(str, found.numbers[:10]))
        raise Refused("pairing", "pairing-breach", {"what": found.breach, "numbers": numbers})
    return msgspec.structs.replace(answer, flags=tuple(colour_flags(table, round_number, pairs)))


def engine_at_hand() -> str:
    """Return the engine that is installed, with its version, as a pairing names them; "" if there is none."""
    try:
        import networkx
        from gacrux import version
    except ImportError:
        return ""
    return f"{ENGINE} {version.__version__}, networkx {networkx.__version__}"


def _next_round(table: Crosstable) -> int:
    round_number = rounds_paired(table) + 1
    if round_number > table.rounds:
        raise Refused("invalid", "pairing-no-more-rounds", {"rounds": table.rounds})
    if table.first_colour is None:
        raise Refused("invalid", "pairing-no-colour")
    for earlier in range(1, round_number):
        if any(cell_of(w, earlier).kind == "pending" for w, _ in boards(table, earlier)):
            raise Refused("invalid", "pairing-unfinished", {"round": earlier})
    if len(expected(table, round_number)) < 2:
        raise Refused("invalid", "pairing-too-few")
    return round_number


def _ask_engine(table: Crosstable, round_number: int) -> PairingAnswer:
    """The engine's answer, unchecked."""
    try:
        from gacrux import gacruxexeptions as errors
        from gacrux import pairingdutch
    except ImportError as error:
        raise Refused("not-offered", "no-pairing-extra") from error
    try:
        engine = pairingdutch.pairing_dutch(
            gacrux_form(table), round_number, {"experimental": [], "verbose": 0}
        )
        brackets = engine.compute_pairing(False)
    except errors.GacruxNoLegalPairing as error:
        raise Refused("pairing", "pairing-impossible", {"said": str(error)[:300]}) from error
    except Exception as error:  # whatever a young engine fails with is its refusal
        raise Refused(
            "pairing", "pairing-engine", {"said": f"{type(error).__name__}: {error}"[:300]}
        ) from error
    made = sorted((one for bracket in brackets for one in bracket["pairs"]), key=lambda one: one["board"])
    scores = [competitor["acc"] for competitor in engine.competitors]
    return PairingAnswer(
        engine=ENGINE,
        version=engine_at_hand().removeprefix(f"{ENGINE} "),
        rules=engine.rules,
        round=round_number,
        boards=tuple(_board(one, scores) for one in made if one["w"] and one["b"]),
        byes=tuple(one["w"] or one["b"] for one in made if not (one["w"] and one["b"])),
    )


def _board(pair: dict[str, Any], scores: list[Any]) -> PairedBoard:
    w, b = scores[pair["w"]], scores[pair["b"]]
    floats: tuple[Float | None, Float | None] = (None, None)
    if w != b:
        floats = ("down", "up") if w > b else ("up", "down")
    return PairedBoard(pair["board"], pair["w"], pair["b"], floats, pair["colorrule"], int(2 * max(w, b)))
