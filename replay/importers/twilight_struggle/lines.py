"""One line of a foreign log: which statement it makes.

`FORMS` is the table: a pattern for the whole line, and what it says.  A line without a pattern is `Unread`,
and so is one that names a card or country that we do not know: no line makes a log unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from domain.kernel import Seat
from replay.importers.twilight_struggle.names import card_of, country_of, region_of
from replay.importers.twilight_struggle.structure import (
    NOBODY,
    BadLog,
    ChoosesRegion,
    CoupRoll,
    Defcon,
    Discards,
    EventNamed,
    HasNone,
    Headlined,
    InfluenceChange,
    InPlay,
    Military,
    NotInPlay,
    Olympics,
    OpsHeader,
    Plays,
    RealignmentRoll,
    Reshuffle,
    Returns,
    Reveals,
    Score,
    SpaceAdvance,
    SpaceRoll,
    Statement,
    Target,
    TrapRoll,
    Unread,
    WarBegins,
    WarRoll,
    Wins,
)

Said = re.Match[str]
Maker = Callable[[int, Said], Statement]

SIDES: dict[str, Seat] = {"US": "us", "USA": "us", "USSR": "ussr"}
LONGEST = 300  # a longer line says nothing that we know
KINDS = {
    "Place Influence": "influence",
    "Coup": "coup",
    "Realignment": "realign",
    "Space Race": "space",
}
SIDE = r"(?P<side>USSR|USA?)"
DIE = r"(?P<die>[1-6])"
MODIFIER = r"(?: \((?P<modifier>[+-]?\d{1,2})\))? *"
SUM = rf"\[ \+ (?P<ops>\d){MODIFIER} ?- 2x(?P<stability>\d) = (?P<net>-?\d{{1,2}}) \]"
SCORE = r"Score is (?:even|(?P<ahead>USSR|US) (?P<points>\d{1,3}))\."


def card_at(line: int, name: str) -> str:
    """The id of a card that must be known.

    Raises:
        BadLog: it is not.
    """
    card = card_of(name)
    if card is None:
        raise BadLog(line, f"expected the name of a card, found {name.strip()[:60]!r}")
    return card


def country_at(line: int, name: str) -> str:
    """The id of a country that must be known.

    Raises:
        BadLog: it is not.
    """
    country = country_of(name)
    if country is None:
        raise BadLog(line, f"expected the name of a country, found {name.strip()[:60]!r}")
    return country


# --------------------------------------------------------------------------- what the patterns say


def _side(said: Said) -> Seat:
    return SIDES[said["side"]]


def _card(line: int, said: Said) -> str:
    return card_at(line, said["card"])


def _number(said: Said, name: str) -> int:
    return int(said[name] or 0)


def _influence(line: int, said: Said) -> Statement:
    country = country_at(line, said["country"])
    return InfluenceChange(line, _side(said), int(said["by"]), country, int(said["us"]), int(said["ussr"]))


def _coup(line: int, said: Said) -> Statement:
    success = said["outcome"] == "SUCCESS"
    if said["net"] is None:
        return CoupRoll(line, success, int(said["die"]))
    parts = (int(said["ops"]), _number(said, "modifier"), int(said["stability"]), int(said["net"]))
    return CoupRoll(line, success, int(said["die"]), *parts)


def _realignment(line: int, said: Said) -> Statement:
    die = int(said["die"])
    total = die if said["total"] is None else int(said["total"])
    return RealignmentRoll(line, _side(said), die, _number(said, "modifier"), total)


def _war(line: int, said: Said) -> Statement:
    success = said["outcome"] == "VICTORY"
    return WarRoll(line, success, int(said["die"]), _number(said, "modifier"), int(said["needed"]))


def _space(line: int, said: Said) -> Statement:
    return SpaceRoll(line, said["outcome"] == "Success", int(said["die"]), int(said["needed"]))


def _trap(line: int, said: Said) -> Statement:
    return TrapRoll(line, int(said["die"]), int(said["needed"]), said["escaped"] is not None)


def _score(line: int, said: Said) -> Statement:
    now = _number(said, "points") * (-1 if said["ahead"] == "USSR" else 1)
    found = said.groupdict()
    side = SIDES[found["side"]] if found.get("side") else NOBODY
    return Score(line, side, int(found.get("by") or 0), now)


def _region(line: int, said: Said) -> Statement:
    region = region_of(said["region"])
    return Unread(line, said.string) if region is None else ChoosesRegion(line, _side(said), region)


FORMS: tuple[tuple[str, Maker], ...] = (
    (
        rf"{SIDE} (?P<by>[+-]\d{{1,3}}) in (?P<country>.+?) ?\[(?P<us>\d{{1,3}})\]\[(?P<ussr>\d{{1,3}})\]",
        _influence,
    ),
    (
        r"(?P<kind>Place Influence|Coup|Realignment|Space Race) \((?P<points>\d{1,2}) Ops?\):",
        lambda line, said: OpsHeader(line, KINDS[said["kind"]], int(said["points"])),
    ),
    (r"Event: (?P<card>.+)", lambda line, said: EventNamed(line, _card(line, said))),
    (r"Target: (?P<country>.+)", lambda line, said: Target(line, country_at(line, said["country"]))),
    (rf"(?P<outcome>SUCCESS|FAILURE): {DIE}(?: {SUM})?", _coup),
    (rf"{SIDE} rolls {DIE}{MODIFIER}(?:= (?P<total>-?\d{{1,2}}))?", _realignment),
    (r"War in (?P<country>.+)", lambda line, said: WarBegins(line, country_at(line, said["country"]))),
    (rf"(?P<outcome>VICTORY|DEFEAT): {DIE}{MODIFIER}(?:>=|<) (?P<needed>\d)", _war),
    (
        rf"Die roll: {DIE} -- (?P<outcome>Success|Failed)! \(Needed (?P<needed>\d) or less\)",
        _space,
    ),
    (
        rf"{SIDE} advances to (?P<box>\d) in the Space Race\.",
        lambda line, said: SpaceAdvance(line, _side(said), int(said["box"])),
    ),
    (
        rf"Trap Roll: {DIE} (?:<=|>) (?P<needed>\d) -- Trap (?:(?P<escaped>Escaped)|Remains in Effect)",
        _trap,
    ),
    (
        rf"{SIDE} Military Ops to (?P<to>\d)",
        lambda line, said: Military(line, _side(said), int(said["to"])),
    ),
    (
        r"DEFCON (?P<way>improves|degrades) to (?P<to>[1-5])",
        lambda line, said: Defcon(line, int(said["to"]), said["way"] == "improves"),
    ),
    (rf"(?:{SIDE} gains (?P<by>\d{{1,3}}) VP\. ){SCORE}", _score),
    (rf"(?:No VP awarded\. )?{SCORE}", _score),
    (
        rf"(?:{SIDE} chooses )?(?P<card>.+) is now in play\.",
        lambda line, said: InPlay(line, _card(line, said)),
    ),
    (r"(?P<card>.+) is no longer in play\.", lambda line, said: NotInPlay(line, _card(line, said))),
    (r"\*RESHUFFLE\*", lambda line, said: Reshuffle(line)),
    (
        rf"{SIDE} Headlines (?P<card>.+)",
        lambda line, said: Headlined(line, _side(said), _card(line, said)),
    ),
    (
        rf"{SIDE} has no cards(?: in hand)? to (?P<what>reveal|discard)\.?",
        lambda line, said: HasNone(line, _side(said), said["what"]),
    ),
    (rf"{SIDE} discards (?P<card>.+)", lambda line, said: Discards(line, _side(said), _card(line, said))),
    (
        rf"{SIDE} reveals (?P<card>.+?)(?P<hand> from hand)?",
        lambda line, said: Reveals(line, _side(said), _card(line, said), said["hand"] is not None),
    ),
    (rf"{SIDE} plays (?P<card>.+)", lambda line, said: Plays(line, _side(said), _card(line, said))),
    (
        rf"{SIDE} returns (?P<card>.+) to (?P<to>USSR|US)",
        lambda line, said: Returns(line, _side(said), _card(line, said), SIDES[said["to"]]),
    ),
    (
        rf"{SIDE} chooses to (?P<what>participate in|boycott) the Olympics\.?",
        lambda line, said: Olympics(line, _side(said), said["what"] != "boycott"),
    ),
    (rf"{SIDE} chooses (?P<region>.+)", _region),
    (
        rf"{SIDE} wins(?: by (?P<why>.+?))?[.!]?",
        lambda line, said: Wins(line, _side(said), said["why"] or ""),
    ),
    (
        r"(?:The )?[Gg]ame (?:is|ends in) a (?P<why>draw|tie)[.!]?",
        lambda line, said: Wins(line, NOBODY, said["why"]),
    ),
)
PATTERNS = tuple((re.compile(form), maker) for form, maker in FORMS)


def statement(line: int, text: str) -> Statement:
    """What one line says; `text` has no blanks at its ends."""
    for pattern, maker in PATTERNS if len(text) <= LONGEST else ():
        said = pattern.fullmatch(text)
        if said is not None:
            try:
                return maker(line, said)
            except BadLog:  # a name that we do not know; another pattern may find one that we do
                continue
    return Unread(line, text[:LONGEST])
