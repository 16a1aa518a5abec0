"""A file cut into sections: the set-up, headline phases, action rounds, ends of turns, the end of the game.

Bytes become lines (`decoded`), and lines become sections (`sections`).  A section begins at the head of an
entry (`Turn 3, US AR2: ...`), or at the rule with the same words that some logs draw before it.  Where such a
rule stands alone it repeats the words of the entry before: it is the end of the turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from domain.twilight_struggle.components import US
from domain.twilight_struggle.rules.hand import rounds
from replay.importers.twilight_struggle.structure import ActionRound, BadLog, Column, Log, Turn

Line = tuple[int, str]

MOST = 500_000  # bytes; a whole game takes about forty thousand
BOM = b"\xef\xbb\xbf"
BREAKS = re.compile(r"\r\n|\n|\r")
BLANKS = re.compile(r"\s+")
UNKNOWN = "\ufffd"
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
HEAD = re.compile(
    r"Turn (?P<turn>\d{1,2}), "
    r"(?:(?P<headline>Headline Phase)|(?P<cleanup>Cleanup)|(?P<side>USSR|US) AR(?P<number>\d{1,2}))"
    r"(?:: ?(?P<rest>.*))?"
)
RULE = re.compile(
    r"--- Turn (?P<turn>\d{1,2}), "
    r"(?:both (?P<headline>Headline)|(?:both )?(?P<cleanup>Cleanup)|(?P<side>USSR|US) AR(?P<number>\d{1,2}))"
    r"(?:: ?(?P<rest>.*?))? ?---"
)
COLUMN = re.compile(r"\[score (?P<score>-?\d{1,3})\] \[defcon (?P<defcon>[1-5])\]")
SETUP = re.compile(r"SETUP:(?: :)? ?(?P<rest>.*)")
END = re.compile(r": :(?: (?P<rest>.*))?")
HEADS = ("Turn ", "--- ", "SETUP:", ": :")
LONGEST = 300  # a longer line heads nothing
TURNS, ROUNDS = range(1, 11), range(1, 9)

PREAMBLE, SET_UP, HEADLINE, ROUND, CLEANUP, FINISH = (
    "preamble",
    "setup",
    "headline",
    "round",
    "cleanup",
    "end",
)


class Section(Struct, frozen=True, kw_only=True):
    """A section: what it is, where it begins, its lines; `names` are the cards in its head.

    `rule`: what the rule before it says; where `headless`, nothing but that rule heads it.
    """

    kind: str
    line: int
    turn: int = 0
    side: str = ""
    number: int = 0
    names: str = ""
    rule: str = ""
    headless: bool = False
    column: Column | None = None
    lines: tuple[Line, ...] = ()


# --------------------------------------------------------------------------- bytes and lines


def decoded(data: bytes) -> list[Line]:
    """The lines of a file, numbered from 1, with single blanks between words and none at the ends.

    Raises:
        BadLog: the file is empty or too long.
    """
    if len(data) > MOST:
        raise BadLog(1, f"expected a log of at most {MOST:,} bytes, found {len(data):,}")
    lines = BREAKS.split(_text(data.removeprefix(BOM)))
    if not any(line.strip() for line in lines):
        raise BadLog(1, "expected a log, found an empty file")
    return [(number, _plain(line) if line else "") for number, line in enumerate(lines, start=1)]


def _plain(line: str) -> str:
    """A line with single blanks, and a mark for each sign that no text holds."""
    return CONTROL.sub(UNKNOWN, BLANKS.sub(" ", line).strip())


def _text(data: bytes) -> str:
    """UTF-8; a file where not every line is so may be of the older code page of Windows, line by line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(_line(line) for line in data.splitlines(keepends=True))


def _line(data: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


# --------------------------------------------------------------------------- sections


def sections(lines: list[Line]) -> list[Section]:
    """The sections of a file, in order; the first is what stands before the set-up."""
    heads = [Section(kind=PREAMBLE, line=1)]
    bodies: list[list[Line]] = [[]]
    for number, text in lines:
        begun, column = _begun(number, text), COLUMN.fullmatch(text)
        if begun is not None:
            if _is_rule_of(heads[-1], bodies[-1], begun):
                rule, _ = heads.pop(), bodies.pop()
                begun = replace(begun, column=rule.column, rule=rule.rule, lines=_agreed(rule, begun))
            heads.append(begun)
            bodies.append(list(begun.lines))
        elif column is not None:
            shown = Column(number, int(column["score"]), int(column["defcon"]))
            heads[-1] = replace(heads[-1], column=shown)
        else:
            bodies[-1].append((number, text))
    return list(_closed([replace(head, lines=tuple(body)) for head, body in zip(heads, bodies, strict=True)]))


def _begun(number: int, text: str) -> Section | None:
    """The section that a line begins, if it begins one."""
    if not text.startswith(HEADS) or len(text) > LONGEST:
        return None
    if rule := RULE.fullmatch(text):
        return _headed(number, rule, rule=text, headless=True)
    if head := HEAD.fullmatch(text):
        return _headed(number, head)
    if setup := SETUP.fullmatch(text):
        return Section(kind=SET_UP, line=number, lines=((number, setup["rest"]),))
    if end := END.fullmatch(text):
        return Section(kind=FINISH, line=number, lines=((number, end["rest"] or ""),))
    return None


def _headed(number: int, head: re.Match[str], rule: str = "", *, headless: bool = False) -> Section | None:
    turn, rest = int(head["turn"]), (head["rest"] or "").strip()
    if turn not in TURNS or (head["number"] and int(head["number"]) not in ROUNDS):
        return None  # such a turn or round cannot be: the line says nothing
    if head["cleanup"]:
        lines = ((number, rest.removeprefix(":").strip()),)
        return Section(kind=CLEANUP, line=number, turn=turn, rule=rule, headless=headless, lines=lines)
    names, _, first = (rest, "", "") if headless else rest.partition(":")
    return Section(
        kind=HEADLINE if head["headline"] else ROUND,
        line=number,
        turn=turn,
        side=(head["side"] or "").lower(),
        number=int(head["number"] or 0),
        names=names.strip(),
        rule=rule,
        headless=headless,
        lines=((number, first.strip()),),
    )


def _is_rule_of(rule: Section, body: list[Line], begun: Section) -> bool:
    """Whether a section turns out to be no more than the rule before the one that begins now."""
    if not rule.headless or begun.headless or any(text for _, text in body):
        return False
    same = (rule.kind, rule.turn, rule.side) == (begun.kind, begun.turn, begun.side)
    return (same and (rule.number == begun.number or rule.names == begun.names)) or begun.kind == CLEANUP


def _agreed(rule: Section, begun: Section) -> tuple[Line, ...]:
    """The first lines of a section; a rule that numbers it otherwise cannot be understood, and is kept."""
    if begun.kind != ROUND or rule.number == begun.number:
        return begun.lines
    return ((rule.line, rule.rule), *begun.lines)


def _closed(found: list[Section]) -> Iterator[Section]:
    """The sections once more; a rule that stands alone ends a turn, or hands its column past the set-up."""
    last, column = "", None
    for i, section in enumerate(found):
        if section.headless and i + 1 < len(found) and found[i + 1].kind == SET_UP:
            column, last = section.column, section.rule
            continue
        if section.headless and section.rule == last:
            yield replace(section, kind=CLEANUP)
            continue
        if section.kind == HEADLINE and section.column is None:
            section, column = replace(section, column=column), None
        yield section
        last = section.rule or last


# ── Action rounds whose number cannot be right: it does not fit between those before and after ──

Misnumbered = tuple[int, int, int]  # the line, the number that is stated, the number that fits


def in_order(said: Log) -> tuple[Log, list[Misnumbered]]:
    """The log with numbers that fit, and what was changed."""
    wrong: list[Misnumbered] = []
    turns = []
    for turn in said.turns:
        fitting = tuple(replace(entry, number=number) for entry, number in _numbered(turn))
        wrong += [
            (entry.line, entry.number, other.number)
            for entry, other in zip(turn.rounds, fitting, strict=True)
            if entry.number != other.number
        ]
        turns.append(replace(turn, rounds=fitting))
    return replace(said, turns=tuple(turns)), wrong


def _numbered(turn: Turn) -> Iterator[tuple[ActionRound, int]]:
    """Each action round with the number that fits: its own, or the one between its neighbours."""
    order = [_place(entry) for entry in turn.rounds]
    beyond = 2 * (rounds(turn.number) + 2)
    before = 1  # the place of the headlines: round 1 of the USSR has place 2
    for i, entry in enumerate(turn.rounds):
        after = order[i + 1] if i + 1 < len(order) else beyond
        due = before + 1 if (before + 1) % 2 == (entry.side == US) else before + 2
        fits = before < order[i] < after and not (order[i] != due and after == due + 1)
        before = order[i] if fits else due
        yield entry, before // 2


def _place(entry: ActionRound) -> int:
    """Where a round stands in its turn, the USSR first."""
    return 2 * entry.number + (entry.side == US)
