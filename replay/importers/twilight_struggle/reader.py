"""Reading a foreign log: from the bytes of a file to a `Log`.

A log that stops at the end of a line is a game that stopped there.  Only what cannot be a log at all
(nothing, or neither a set-up nor a turn) raises `BadLog`; a line that is not understood stays in the `Log`
as `Unread`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from domain.kernel import Seat
from domain.twilight_struggle.components import US, USSR
from replay.importers.twilight_struggle.lines import SIDES, statement
from replay.importers.twilight_struggle.names import card_of
from replay.importers.twilight_struggle.sections import (
    FINISH,
    PREAMBLE,
    SET_UP,
    UNKNOWN,
    Line,
    Section,
    decoded,
    sections,
)
from replay.importers.twilight_struggle.structure import (
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
    Reveals,
    Score,
    Statement,
    Statements,
    Turn,
    Unread,
    Wins,
)
from replay.importers.twilight_struggle.turns import TurnSections, in_turns

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
LAST_TURN = 10
SHOWING = ("cia_created", "lone_gunman", "aldrich_ames_remix")  # events that show a whole hand
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
        BadLog: it is no log: it is empty or too long, or has neither a set-up nor a turn.
    """
    lines = decoded(data)
    found, more = _one_game(sections(lines))
    if all(section.kind in (PREAMBLE, FINISH) for section in found):
        raise _no_log(lines)
    log = _set_up([line for section in found if section.kind == SET_UP for line in section.lines])
    kept = in_turns(found)
    log = replace(
        log,
        turns=tuple(_finished(map(_turn, kept.turns))),
        misnumbered=tuple(kept.misnumbered),
        end=_end(found),
        strange=(*_preamble(found[0].lines), *log.strange, *kept.left_out, *more),
    )
    return _with_end(log)


def _one_game(found: list[Section]) -> tuple[list[Section], list[Unread]]:
    """The sections up to a second game, and the line with which that begins."""
    begun = 0
    for i, section in enumerate(found):
        if section.kind == SET_UP:
            begun += 1
            if begun > 1 and any(one.turn for one in found[:i]):
                return found[:i], [Unread(section.line, section.lines[0][1])]
    return found, []


def _no_log(lines: list[Line]) -> BadLog:
    line, text = next((line, text) for line, text in lines if text)
    for number, other in lines:
        if UNKNOWN in other:
            return BadLog(number, "expected text, found signs that no text holds: is this file binary?")
    return BadLog(line, f"expected the set-up of a game, found {text[:60]!r}")


# --------------------------------------------------------------------------- before the first turn


def _preamble(lines: Iterable[Line]) -> Iterator[Unread]:
    for line, text in lines:
        if text and not FIRST_LINES.fullmatch(text):
            yield Unread(line, text)


def _set_up(lines: Iterable[Line]) -> Log:
    names: dict[Seat, str] = {}
    log = Log(ussr="", us="")
    for line, text in lines:
        if player := PLAYER.fullmatch(text):
            names[SIDES[player["side"]]] = player["name"]
        elif text:
            log = _set_up_line(log, line, text)
    return replace(log, ussr=names.get("ussr", "USSR"), us=names.get("us", "USA"))


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


def _turn(turn: TurnSections) -> Turn:
    cleanup = None
    if turn.cleanups:  # the turn that is printed is that of the export
        said = _trimmed([one for section in turn.cleanups for one in _said(section.lines)])
        last = turn.cleanups[-1]
        cleanup = Cleanup(line=last.line, said=said, column=last.column)
    headline = _headline(turn.headline) if turn.headline else None
    return Turn(turn.number, headline, tuple(map(_round, turn.rounds)), cleanup)


def _headline(section: Section) -> Headline:
    """Whose card is whose stands below the head, which names that of the USSR first."""
    said = _said(section.lines)
    shown = {one.side: one.card for one in said if isinstance(one, Headlined)}
    named = [card_of(name) for name in section.names.split(" & ")]
    if len(named) == 2 and len(shown) < 2:
        rest = [card or "" for card in named if card not in shown.values()]
        for side in ("ussr", "us") if len(rest) == 2 else ({"ussr", "us"} - set(shown)):
            shown[side] = rest.pop(0) if rest else ""
    return Headline(
        line=section.line,
        said=said,
        column=section.column,
        ussr=shown.get("ussr", ""),
        us=shown.get("us", ""),
    )


def _round(section: Section) -> ActionRound:
    """A card that is not known is a line that is not understood, and so perhaps is what follows of it."""
    card, said = card_of(section.names) or "", _said(section.lines)
    if card in SHOWING:
        said = _with_event(card, said)
    if section.names and not card:
        said = (Unread(section.line, section.names), *said)
    return ActionRound(
        line=section.line,
        said=said,
        column=section.column,
        side=section.side,
        number=section.number,
        card=card,
    )


def _with_event(card: str, said: Statements) -> Statements:
    """What is revealed tells that an event happened, though no line names it."""
    shown = next((i for i, one in enumerate(said) if isinstance(one, Reveals)), None)
    if shown is None or any(isinstance(one, EventNamed) and one.card == card for one in said):
        return said
    return (*said[:shown], EventNamed(said[shown].line, card), *said[shown:])


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
    last = turn.rounds[-1]
    kept, moved = _parted(last.said, (NotInPlay, Discards, Score, Wins), whole=not last.card)
    if not moved:
        return turn
    rounds = (*turn.rounds[:-1], replace(turn.rounds[-1], said=kept))
    return replace(turn, rounds=rounds, cleanup=Cleanup(line=moved[0].line, said=moved))


def _parted(
    said: Statements, kinds: tuple[type[Statement], ...], *, whole: bool = False
) -> tuple[Statements, Statements]:
    """The last paragraphs, as far as they hold nothing but these kinds, apart from what comes before them.

    `whole`: even all of them.
    """
    start = len(said)
    if whole and all(isinstance(one, (*kinds, Paragraph)) and not _lasts(one) for one in said):
        return (), said
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
    whole = isinstance(entry, ActionRound) and not entry.card
    kept, moved = _parted(entry.said, (Score, Wins), whole=whole)
    return (kept, moved) if any(isinstance(one, Wins) for one in moved) else (entry.said, ())


# The set-up of a log: handicap and bid influence may be written in with the rest, so only the sum tells.

FREE = {US: 7, USSR: 6}
MOST = 20  # of the option


def summed(changes: Sequence[InfluenceChange]) -> tuple[InfluenceChange, ...]:
    """The changes of the set-up, one for each side and country, with the last totals that its lines give."""
    found: dict[tuple[str, str], InfluenceChange] = {}
    last = {(one.side, one.country): one for one in changes}
    for one in changes:
        key = (one.side, one.country)
        totals = last[key]
        by = one.by + (found[key].by if key in found else 0)
        line = max(one.line, found[key].line if key in found else 0)
        found[key] = InfluenceChange(line, one.side, by, one.country, totals.us, totals.ussr)
    return tuple(one for one in found.values() if one.by)


def _extra(said: Log) -> dict[str, int]:
    placed = {side: sum(one.by for one in said.setup if one.side == side) for side in (US, USSR)}
    return {side: placed[side] - (0 if said.late_war else FREE[side]) for side in (US, USSR)}


def handicap(said: Log) -> int:
    """Extra influence as an option of a match, above 0 for the US: as placed, else as announced."""
    extra = _extra(said)
    if not said.turns or min(extra.values()) or max(extra.values()) > MOST:
        announced = said.handicap.get(US, 0) or -said.handicap.get(USSR, 0)
        return max(-MOST, min(MOST, announced))
    return extra[US] or -extra[USSR]


def is_explained(said: Log) -> bool:
    """Is what was placed what the handicap, or the handicap and a bid, allow?"""
    extra = sum(_extra(said).values())
    announced = sum(said.handicap.values())
    bids = {0, *(bid.influence for bid in said.bids)}
    return not said.turns or extra in {announced + bid for bid in bids}
