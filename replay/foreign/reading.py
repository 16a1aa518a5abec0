"""Reading a foreign log: from the bytes of a file to a `Log`.

A log that stops at the end of a line is a game that stopped there.  What cannot be a log at all (no set-up,
turns out of order, a last line that breaks off, unknown cards or countries) raises `BadLog`; any other line
that nobody understands stays in the `Log` as `Unread`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from domain.kernel import Seat
from replay.foreign.lines import SIDES, card_at, statement
from replay.foreign.sections import (
    CLEANUP,
    FINISH,
    HEADLINE,
    PREAMBLE,
    ROUND,
    SET_UP,
    Line,
    Section,
    decoded,
    sections,
)
from replay.foreign.structure import (
    ActionRound,
    BadLog,
    Bid,
    Cleanup,
    Discards,
    Entry,
    EventNamed,
    Headline,
    Headlined,
    InfluenceChange,
    Log,
    NotInPlay,
    OpsHeader,
    Paragraph,
    Score,
    Statement,
    Statements,
    Turn,
    Unread,
    Wins,
)

FIRST_LINES = re.compile(r"REPLAY \d+|[A-Z_]+=\S*")
PLAYER = re.compile(r"(?P<name>.+) will play as (?P<side>USSR|USA?)\.?")
BID = re.compile(r"(?P<name>.+) bids (?P<points>\d{1,2}) Influence for (?P<side>USSR|USA?)\.?")
HANDICAP = re.compile(
    r"(?:Handicap influence|Additional Influence from bidding): "
    r"(?:None|(?P<side>USSR|USA?) \+?(?P<points>-?\d{1,2}))"
)
SCENARIO = re.compile(r"Scenario: (?P<name>.+)")
ADDED = re.compile(r"(?P<name>.+) Added")
CLOCK = re.compile(r"Time per Player: (?P<clock>.+)")
LATE_WAR, LAST_TURN = 8, 10  # a scenario begins with the Late War
ROUNDS_OF_LAST_TURN = 7
ENDS_WITH_TURN = frozenset(
    (
        "aldrich_ames_remix",
        "brezhnev_doctrine",
        "chernobyl",
        "containment",
        "cuban_missile_crisis",
        "iran_contra_scandal",
        "latin_american_death_squads",
        "north_sea_oil",
        "nuclear_subs",
        "red_scare_purge",
        "salt_negotiations",
        "u2_incident",
        "vietnam_revolts",
        "yuri_and_samantha",
    )
)


def read(data: bytes) -> Log:
    """The log that a file holds.

    Raises:
        BadLog: it cannot be read as a log.
    """
    lines = decoded(data)
    found = sections(lines)
    if SET_UP not in (section.kind for section in found[:2]):
        line, text = next((line, text) for line, text in lines if text)
        raise BadLog(line, f"expected the set-up of a game, found {text[:60]!r}")
    log = replace(
        _set_up(found[1].lines),
        turns=tuple(_finished(_turns(found[2:]))),
        end=_end(found[2:]),
    )
    log = replace(log, strange=(*_preamble(found[0].lines), *log.strange))
    _check_last_line(data, lines, log)
    return _with_end(log)


def _check_last_line(data: bytes, lines: list[Line], log: Log) -> None:
    """A file that ends without an end of line may have lost a part of it."""
    last, text = next((line, text) for line, text in reversed(lines) if text)
    if not data.rstrip(b" \t").endswith((b"\n", b"\r")) and last in (one.line for one in log.unread):
        raise BadLog(last, f"expected a whole line; the file breaks off after {text[-60:]!r}")


# --------------------------------------------------------------------------- before the first turn


def _preamble(lines: Iterable[Line]) -> Iterator[Unread]:
    for line, text in lines:
        if text and not FIRST_LINES.fullmatch(text):
            yield Unread(line, text)


def _set_up(lines: tuple[Line, ...]) -> Log:
    names: dict[Seat, str] = {}
    log = Log(ussr="", us="")
    for line, text in lines:
        if player := PLAYER.fullmatch(text):
            names[SIDES[player["side"]]] = player["name"]
        elif text:
            log = _set_up_line(log, line, text)
    for side in ("ussr", "us"):
        if side not in names:
            raise BadLog(lines[0][0], f"expected in the set-up who plays the {side.upper()}")
    return replace(log, ussr=names["ussr"], us=names["us"])


def _set_up_line(log: Log, line: int, text: str) -> Log:
    if bid := BID.fullmatch(text):
        made = Bid(bid["name"], int(bid["points"]), SIDES[bid["side"]])
        return replace(log, bids=(*log.bids, made))
    if handicap := HANDICAP.fullmatch(text):
        given = {SIDES[handicap["side"]]: int(handicap["points"])} if handicap["side"] else {}
        return replace(log, handicap=given)
    if scenario := SCENARIO.fullmatch(text):
        return replace(log, scenario=scenario["name"])
    if added := ADDED.fullmatch(text):
        return replace(log, added=(*log.added, added["name"]))
    if clock := CLOCK.fullmatch(text):
        return replace(log, clock=clock["clock"])
    said = statement(line, text)
    if isinstance(said, InfluenceChange):
        return replace(log, setup=(*log.setup, said))
    return replace(log, strange=(*log.strange, Unread(line, text)))


# --------------------------------------------------------------------------- statements


def _said(lines: Iterable[Line]) -> Statements:
    """The statements of an entry; each Operations header knows the event in whose paragraph it stands."""
    said: list[Statement] = []
    event = ""
    for line, text in lines:
        if not text:
            event = ""
            if said and not isinstance(said[-1], Paragraph):
                said.append(Paragraph(line))
            continue
        one = statement(line, text)
        if isinstance(one, EventNamed):
            event = one.card
        said.append(replace(one, inside_event=event) if isinstance(one, OpsHeader) else one)
    return _trimmed(said)


def _trimmed(said: list[Statement]) -> Statements:
    """Without ends of paragraphs at both ends."""
    kept = [i for i, one in enumerate(said) if not isinstance(one, Paragraph)]
    return tuple(said[kept[0] : kept[-1] + 1]) if kept else ()


# --------------------------------------------------------------------------- turns


def _turns(found: list[Section]) -> Iterator[Turn]:
    turn: Turn | None = None
    for section in found:
        if section.kind == SET_UP:
            raise BadLog(section.line, "expected one game, found a second set-up")
        number = turn.number if turn else 0
        if section.kind == HEADLINE or (section.kind == ROUND and section.turn == number + 1):
            if turn:
                yield turn
            turn = Turn(section.turn)
            if section.turn != number + 1 and (number or section.turn != LATE_WAR):
                raise BadLog(section.line, f"expected turn {number + 1}, found turn {section.turn}")
        if section.kind not in (FINISH, PREAMBLE):
            turn = _with_entry(turn, section)
    if turn:
        yield turn


def _with_entry(turn: Turn | None, section: Section) -> Turn:
    if turn is None:
        raise BadLog(section.line, "expected the headline phase of the first turn")
    if section.kind == HEADLINE:
        return replace(turn, headline=_headline(section))
    if section.kind == CLEANUP:  # the turn that is printed is that of the export
        said = (*(turn.cleanup.said if turn.cleanup else ()), *_said(section.lines))
        return replace(turn, cleanup=Cleanup(line=section.line, said=said, column=section.column))
    if section.turn != turn.number:
        raise BadLog(section.line, f"expected turn {turn.number}, found turn {section.turn}")
    if any((one.side, one.number) == (section.side, section.number) for one in turn.rounds):
        raise BadLog(section.line, f"expected every action round once, found AR{section.number} again")
    return replace(turn, rounds=(*turn.rounds, _round(section)))


def _headline(section: Section) -> Headline:
    """Whose card is whose stands below the head, which names them in the order of their being shown."""
    said = _said(section.lines)
    shown = {one.side: one.card for one in said if isinstance(one, Headlined)}
    named = [card_at(section.line, name) for name in section.names.split(" & ") if name.strip()]
    if not shown and len(named) == 2:
        shown = {"ussr": named[0], "us": named[1]}
    return Headline(
        line=section.line,
        said=said,
        column=section.column,
        ussr=shown.get("ussr", ""),
        us=shown.get("us", ""),
    )


def _round(section: Section) -> ActionRound:
    card = card_at(section.line, section.names) if section.names else ""
    said = _said(section.lines)
    return ActionRound(
        line=section.line,
        said=said,
        column=section.column,
        side=section.side,
        number=section.number,
        card=card,
    )


def _end(found: list[Section]) -> Statements:
    return tuple(one for section in found if section.kind == FINISH for one in _said(section.lines))


# --------------------------------------------------------------------------- ends without a head


def _finished(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Older logs give the end of a turn no head: it follows the last action round."""
    before: Turn | None = None
    for turn in turns:
        if before is not None:
            yield _split(before)
        before = turn
    if before is not None:
        over = (
            before.number == LAST_TURN and before.rounds and before.rounds[-1].number >= ROUNDS_OF_LAST_TURN
        )
        yield _split(before) if over else before


def _split(turn: Turn) -> Turn:
    """The turn with the paragraphs that belong to its end taken out of its last action round."""
    if turn.cleanup is not None or not turn.rounds:
        return turn
    kept, moved = _parted(turn.rounds[-1].said, (NotInPlay, Discards, Score, Wins))
    if not moved:
        return turn
    rounds = (*turn.rounds[:-1], replace(turn.rounds[-1], said=kept))
    return replace(turn, rounds=rounds, cleanup=Cleanup(line=moved[0].line, said=moved))


def _parted(said: Statements, kinds: tuple[type[Statement], ...]) -> tuple[Statements, Statements]:
    """The last paragraphs, as far as they hold nothing but these kinds, apart from what comes before them."""
    start = len(said)
    for i in range(len(said) - 1, -1, -1):
        if isinstance(said[i], Paragraph):
            start = i
        elif not isinstance(said[i], kinds) or _lasts(said[i]):
            break
    return said[:start], said[start + 1 :]


def _lasts(one: Statement) -> bool:
    return isinstance(one, NotInPlay) and one.card not in ENDS_WITH_TURN


def _with_end(log: Log) -> Log:
    """What follows the last turn in its last entry, without a head, belongs to the end of the game."""
    if not log.turns or log.end:
        return log
    turn = log.turns[-1]
    entry = turn.entries()[-1]
    kept, moved = _parted_end(entry, turn.number == LAST_TURN)
    if not moved:
        return log
    if isinstance(entry, Cleanup):
        turn = replace(turn, cleanup=replace(entry, said=kept) if kept else None)
    elif isinstance(entry, ActionRound):
        turn = replace(turn, rounds=(*turn.rounds[:-1], replace(entry, said=kept)))
    else:
        turn = replace(turn, headline=replace(entry, said=kept))
    return replace(log, turns=(*log.turns[:-1], turn), end=moved)


def _parted_end(entry: Entry, last: bool) -> tuple[Statements, Statements]:
    if isinstance(entry, Cleanup) and last:
        kept: Statements = tuple(one for one in entry.said if isinstance(one, NotInPlay | Discards))
        return kept, _trimmed([one for one in entry.said if one not in kept])
    kept, moved = _parted(entry.said, (Score, Wins))
    return (kept, moved) if any(isinstance(one, Wins) for one in moved) else (entry.said, ())
