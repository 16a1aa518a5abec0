"""The terms of a tournament: what its director promises before the first pairing.

Every field is written out in the first entry of the log.  A field that is not known is refused, because it
could change what players agree to.  All points are whole numbers of half points; times are in microseconds
UTC, `grace` is in seconds.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields, replace

from domain.bounds import MOST
from domain.clocks import Clock, Term, clock_refused
from domain.game import OptionValue
from domain.games import GAMES
from domain.kernel import Refused
from domain.log import canonical
from domain.tournaments.formats.knockout import BestOf

MOST_ROUNDS = 40
MOST_ENTRANTS = 1_000
MOST_OF_BOTH_SIDES = MOST_ENTRANTS // 2  # they have as many boards as twice as many entrants with one each
MOST_BYES = 3
MOST_GRACE = 30 * 86_400  # seconds
MOST_STAGES = 6
MOST_CAP = 1_000  # points of one round
TITLE = 200  # characters

GAME_POINTS = "GP"  # the tie-break that sums the points of all single matches
TIE_BREAKS = frozenset(
    {"PTS", "BH", "BH/C1", "BH/C2", "BH/M1", "FB", "FB/C1", "SB", "SB/C1", "DE", "WIN", "WON", "BPG", "BWG"}
    | {"PS", "PS/C1", "KS", "ARO", "ARO/C1", "AOB", "REP", "VPD", "FAST", "LOT", GAME_POINTS}
)
"""The names that terms may list; those after `REP` are computed here, the others by the pairing engine.

Older terms may also have TPR, GE or STD, which nothing computes.
"""

DEFAULT_TIE_BREAKS = ("BH/C1", "BH", "SB", "DE", "WIN", "LOT")
_OF_FORMAT = {"round_robin": ("DE", "SB", "WIN", "LOT"), "league": ("DE", "SB", "VPD")}

Time = Annotated[int, Meta(ge=0, le=MOST)]
HalfPoints = Annotated[int, Meta(ge=0, le=40)]
Title = Annotated[str, Meta(min_length=1, max_length=TITLE)]
TieBreak = Annotated[str, Meta(min_length=2, max_length=12, pattern=r"^[A-Z][A-Z0-9/-]{1,11}$(?!\n)")]
Zone = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_+/-]{1,64}$(?!\n)")]
EngineName = Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9._+, -]{0,100}$(?!\n)")]
Sides = Annotated[str, Meta(pattern=r"^(colours|both|bid|lot|handicap:[+-][0-9]{1,2})$(?!\n)")]
HANDICAP, BID = "handicap", "bid"  # options of games; what a game without a bid has is "none"
BY_LOT = "lot"  # the sides of terms by which the seats are drawn
AFTER_MATCH = "after_match"  # when terms may show a privileged read of a running match
BOTH = "both"  # the sides of terms by which each pair plays two matches, the sides exchanged
Options = dict[Annotated[str, Meta(max_length=64)], OptionValue]
StageFormat = Literal["swiss", "round_robin", "knockout"]
Format = Literal["swiss", "round_robin", "knockout", "league", "stages"]
ENGINE_FORMATS = frozenset({"swiss"})
"""The formats whose rounds an engine pairs; all others follow from the log alone."""
FREE_LATER = frozenset({"until", "windows", "tie_breaks", "engine"})
"""The fields that may change after the first pairing, each time with a reason."""


class Points(Struct, frozen=True, forbid_unknown_fields=True):
    """What a result is worth, in half points; a lost forfeit and a zero-point bye are worth nothing."""

    win: HalfPoints = 2
    draw: HalfPoints = 1
    loss: HalfPoints = 0
    pairing_bye: HalfPoints = 2


class Window(Struct, frozen=True, forbid_unknown_fields=True):
    """When the matches of one round open, and until when they are to be played."""

    opens: Time
    until: Time


class Knockout(Struct, frozen=True, forbid_unknown_fields=True):
    """The contests of a knock-out.

    best_of: so many games; the sides are exchanged after each.  One drawn game is followed by a second one,
        two level games by a third.
    decider: the options of that last game that are other than those of the other games, such as a bid.
    """

    best_of: BestOf = 1
    decider: Options = {}


class League(Struct, frozen=True, forbid_unknown_fields=True):
    """The divisions of a league, the highest first.

    divisions: so many entrants each, by seed or rating; the last takes all that remain.
    up, down: so many are promoted from each division but the first, relegated from each but the last.
    """

    divisions: Annotated[tuple[Annotated[int, Meta(ge=2, le=64)], ...], Meta(min_length=1, max_length=64)]
    up: Annotated[int, Meta(ge=0, le=32)] = 2
    down: Annotated[int, Meta(ge=0, le=32)] = 2


class Stage(Struct, frozen=True, forbid_unknown_fields=True):
    """A stage: a format of its own, for the first `entrants` of the stage before (0, the first one: all)."""

    format: StageFormat
    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
    entrants: Annotated[int, Meta(ge=0, le=MOST_ENTRANTS)] = 0
    cycles: Annotated[int, Meta(ge=1, le=2)] = 1
    best_of: BestOf = 1


class ForbiddenPairs(Struct, frozen=True, forbid_unknown_fields=True):
    """Entrants of whom no two meet in the rounds from `first` to `last`, such as members of one club."""

    entrants: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^n[1-9][0-9]{0,4}$(?!\n)")], ...],
        Meta(min_length=2, max_length=64),
    ]
    first: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 1
    last: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = MOST_ROUNDS


class Terms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms of a tournament.

    game, edition, options: of every match; None and missing options mean the defaults of the game.
    format: "swiss" (Dutch system), "round_robin" (Berger tables; `cycles` times), "knockout", "league"
        (divisions, a round robin in each) or "stages" (several, each for the best of the one before).
    rounds: how many.  Where they follow from the entrants and results, this is the most there may be.
    sides: who has which seat.  "colours": the first colour is the first seat.  "both": the same, in two
        matches of each pair, the sides exchanged; their points together decide the round.  "bid": the same
        as colours, until the players bid in the match (an option `bid` of the game).  "lot": drawn with the
        publication of a round.
        "handicap:+2" (-20 to +20): as colours, and every match has this handicap.
    clock: of every match (`domain.clocks`); empty: none.
    tie_breaks: in their order, after the points; not given: the usual ones of the format.
    vpd_cap: the most points of one round that the tie-break VPD counts for or against; not given: all.
    until: the date of the whole tournament, if it has one.
    windows: one for each round from the first; a round without one opens when it is published.
    time_zone: in which dates are shown (a name of the IANA database).
    most_entrants: later ones are put on the waiting list, or refused if `waiting_list` is false.
    late_rounds: so many rounds may be paired before entering ends.
    byes: so many an entrant may ask for; `late_byes`: in the last two rounds, too.
    grace: seconds after the round opens, in which an entrant must sit down.
    calls_hold: no round is published while an arbiter is called and has not answered.
    visibility: "public", or "link": no list shows the tournament.
    rated: do its matches count for ratings?
    house_seeded: does a match count whose players added no salt of their own?  Else an official confirms it.
    accelerated: are the first rounds accelerated (Baku)?
    engine: the pairing engine with its version; "" is that of the first pairing.
    knockout, league, stages: what that format needs; other formats have no such field.
    privileged_reads: when everybody sees who looked at the hidden half of a running match, at which moves and
        why: "at_once", or "after_match"; not given: at once.
    forbidden: pairs that a Swiss tournament does not make; entrants are named, so it is set after they enter.
    """

    game: Annotated[str, Meta(min_length=1, max_length=64)]
    format: Format
    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
    edition: Annotated[str, Meta(max_length=64)] | None = None
    options: Options = {}
    cycles: Annotated[int, Meta(ge=1, le=2)] = 1
    sides: Sides = "colours"
    clock: Annotated[Clock, Meta(max_length=2)] = ()
    tie_breaks: Annotated[tuple[TieBreak, ...], Meta(max_length=10)] | UnsetType = UNSET
    points: Points = Points()
    until: Time | None = None
    windows: Annotated[tuple[Window, ...], Meta(max_length=MOST_ROUNDS)] = ()
    time_zone: Zone = "UTC"
    most_entrants: Annotated[int, Meta(ge=2, le=MOST_ENTRANTS)] = 500
    waiting_list: bool = True
    late_rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] = 0
    byes: Annotated[int, Meta(ge=0, le=MOST_BYES)] = 1
    late_byes: bool = False
    grace: Annotated[int, Meta(ge=0, le=MOST_GRACE)] = 86_400
    calls_hold: bool = True
    visibility: Literal["public", "link"] = "public"
    rated: bool = True
    house_seeded: bool = True
    accelerated: bool = False
    engine: EngineName = ""
    knockout: Knockout | UnsetType = UNSET
    league: League | UnsetType = UNSET
    stages: Annotated[tuple[Stage, ...], Meta(min_length=2, max_length=MOST_STAGES)] | UnsetType = UNSET

    forbidden: Annotated[tuple[ForbiddenPairs, ...], Meta(max_length=32)] | UnsetType = UNSET
    vpd_cap: Annotated[int, Meta(ge=1, le=MOST_CAP)] | UnsetType = UNSET
    privileged_reads: Literal["at_once", "after_match"] | UnsetType = UNSET

    @property
    def ranked_by(self) -> tuple[str, ...]:
        """The tie-breaks; those of the format if none are given."""
        return usual_tie_breaks(self.format) if self.tie_breaks is UNSET else self.tie_breaks

    @property
    def contests(self) -> Knockout:
        """The terms of contests; the usual ones if there are none."""
        return self.knockout or Knockout()


def usual_tie_breaks(format_: str) -> tuple[str, ...]:
    """Return the tie-breaks that a tournament of this format has if its terms give none."""
    return _OF_FORMAT.get(format_, DEFAULT_TIE_BREAKS)


class GivenTerms(Terms, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Terms as a director writes them: a clock of one term may stand without a list."""

    clock: Term | Annotated[Clock, Meta(max_length=2)] = ()  # type: ignore[assignment]

    @property
    def listed(self) -> Terms:
        """The same terms, the clock as a list."""
        plain = {name: getattr(self, name) for name in FIELDS}
        return Terms(**plain | {"clock": _listed(self.clock)})


def _listed(clock: Term | Clock) -> Clock:
    return clock if isinstance(clock, tuple) else (clock,)


FIELDS = tuple(field.name for field in fields(Terms))
"""The names of all fields, in their order."""


def settled(terms: Terms, now: int | None) -> Terms:
    """Return the terms with edition and all options written out.

    Args:
        now: the time at which the tournament is announced; None if times are not known.

    Raises:
        Refused: terms, unknown-game, bad-option.
    """
    if terms.game not in GAMES:
        raise Refused("unknown-game", "unknown-game", {"game": repr(terms.game), "games": list(GAMES)})
    edition, options = GAMES[terms.game].settle(terms.edition, _with_handicap(terms))
    if reason := clock_refused(terms.clock, now):
        raise Refused("terms", reason.id, reason.values)
    must_fit(terms, now)
    if (terms.sides == BID) != (options.get(BID, "none") != "none"):
        raise Refused("terms", "sides-and-bid", {"sides": terms.sides})
    complete = replace(terms, edition=edition, options=options, tie_breaks=terms.ranked_by)
    return replace(complete, knockout=_settled_contests(complete))


def _settled_contests(terms: Terms) -> Knockout | UnsetType:
    """The terms of contests, which a format with a knock-out has; no other.  Raises Refused: bad-option."""
    if not any(one.format == "knockout" for one in stages_of(terms)):
        return UNSET
    contests = terms.contests
    GAMES[terms.game].settle(terms.edition, {**terms.options, **contests.decider})
    return contests


def stages_of(terms: Terms) -> tuple[Stage, ...]:
    """Return the stages; any format but "stages" and "league" is one stage, and a league has none."""
    if terms.stages:
        return terms.stages
    if terms.format == "league" or terms.format == "stages":
        return ()
    return (Stage(terms.format, terms.rounds, 0, terms.cycles, terms.contests.best_of),)


def _with_handicap(terms: Terms) -> dict[str, OptionValue]:
    """The options with the handicap that the sides name.  Raises Refused: terms."""
    if not terms.sides.startswith(HANDICAP):
        return terms.options
    handicap = int(terms.sides.removeprefix(f"{HANDICAP}:"))
    if terms.options.get(HANDICAP, handicap) not in (0, handicap):
        raise Refused("terms", "two-handicaps", {"sides": terms.sides})
    return {**terms.options, HANDICAP: handicap}


def must_fit(terms: Terms, now: int | None) -> None:
    """Check that the fields do not contradict one another.  Raises Refused: terms."""
    _must_name_tie_breaks(terms.ranked_by)
    if len(terms.windows) > terms.rounds:
        raise Refused("terms", "more-windows-than-rounds", {"rounds": terms.rounds})
    before = 0
    for number, window in enumerate(terms.windows, 1):
        if not before <= window.opens < window.until:
            raise Refused("terms", "window-order", {"round": number})
        before = window.opens
    if terms.until is not None and now is not None and terms.until <= now:
        raise Refused("terms", "until-is-past")
    if terms.format not in ("round_robin", "league") and terms.cycles > 1:
        raise Refused("terms", "cycles-of-swiss")
    if terms.format != "swiss" and terms.accelerated:
        raise Refused("terms", "accelerated-round-robin")
    if terms.format != "swiss" and terms.late_rounds:
        raise Refused("terms", "late-in-round-robin")
    if terms.sides == BOTH:
        _must_fit_both_sides(terms)
    elif GAME_POINTS in terms.ranked_by:
        raise Refused("terms", "game-points-of-one-match")
    _must_fit_format(terms)


def _must_fit_both_sides(terms: Terms) -> None:
    """Check what only matches in pairs need.  Raises Refused: terms."""
    if any(one.format == "knockout" for one in stages_of(terms)):
        raise Refused("terms", "both-sides-of-knockout")
    if terms.most_entrants > MOST_OF_BOTH_SIDES:
        raise Refused("terms", "both-sides-entrants", {"most": MOST_OF_BOTH_SIDES})


def _must_fit_format(terms: Terms) -> None:
    """Check what only one format has.  Raises Refused: terms."""
    for name in ("league", "stages"):
        if (terms.format == name) != bool(getattr(terms, name)):
            raise Refused("terms", "terms-of-format", {"field": name})
    if terms.knockout and not any(one.format == "knockout" for one in stages_of(terms)):
        raise Refused("terms", "terms-of-format", {"field": "knockout"})
    if terms.league and terms.league.up + terms.league.down > min(terms.league.divisions):
        raise Refused("terms", "more-move-than-stay", {"least": min(terms.league.divisions)})
    for group in terms.forbidden or ():
        if (
            terms.format != "swiss"
            or group.first > group.last
            or len(set(group.entrants)) < len(group.entrants)
        ):
            raise Refused("terms", "forbidden-pairs")
    if not terms.stages:
        return
    sizes = [one.entrants for one in terms.stages]
    if sizes[0] or not all(size >= 2 for size in sizes[1:]) or sizes[1:] != sorted(sizes[1:], reverse=True):
        raise Refused("terms", "stage-sizes")
    if sum(one.rounds for one in terms.stages) > terms.rounds:
        raise Refused("terms", "stage-rounds", {"rounds": terms.rounds})
    for one in terms.stages:
        if one.format in ENGINE_FORMATS and 0 < one.entrants <= one.rounds:
            about = {"rounds": one.rounds, "count": one.entrants, "most": one.entrants - 1}
            raise Refused("terms", "more-rounds-than-opponents", about)
    if any(one.cycles > 1 and one.format != "round_robin" for one in terms.stages):
        raise Refused("terms", "cycles-of-swiss")


def _must_name_tie_breaks(names: tuple[str, ...]) -> None:
    unknown = sorted(set(names) - TIE_BREAKS)
    if unknown or len(set(names)) < len(names):
        raise Refused("terms", "tie-breaks", {"given": list(names), "known": sorted(TIE_BREAKS)})


def changed(terms: Terms, values: Mapping[str, str], now: int | None) -> Terms:
    """Return the terms with other values in some fields, judged together.

    With another format, what only the old one has goes (`knockout`, `league`, `stages`, `forbidden`).  Before
    the first pairing other fields may follow: those that are settled anew, such as the options of a game.

    Args:
        values: new values as JSON, by the name of the field; "null" of a field that is left out.

    Raises:
        Refused: terms; there is no such field, or a value is not possible.
    """
    fresh = terms
    for path, value in values.items():
        if path not in FIELDS:
            raise Refused("terms", "no-such-term", {"path": repr(path[:64]), "known": list(FIELDS)})
        try:
            fresh = with_field(fresh, path, _as_list(value) if path == "clock" else value)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Refused("terms", "term-value", {"path": path, "said": str(error)[:200]}) from error
    if fresh.format != terms.format:
        fresh = replace(fresh, **{path: UNSET for path in _not_of_format(fresh) if path not in values})
    fresh = settled(fresh, now) if values.keys() & _SETTLED else fresh
    must_fit(fresh, None)
    return fresh


def _as_list(value: str) -> str:
    """The JSON of a clock as a list, also if one term stands alone."""
    return f"[{value}]" if value.lstrip().startswith("{") else value


_SETTLED = frozenset(
    {"game", "edition", "options", "sides", "clock", "until", "format", "knockout", "stages"}
)


def _not_of_format(terms: Terms) -> Iterator[str]:
    """The fields that a format does not have."""
    yield from (name for name in ("league", "stages") if name != terms.format)
    if not any(one.format == "knockout" for one in stages_of(terms)):
        yield "knockout"
    if terms.format != "swiss":
        yield "forbidden"


def field_text(terms: Terms, path: str) -> str:
    """Return the canonical JSON of a field; "null" if it is left out."""
    had = getattr(terms, path)
    return "null" if had is UNSET else canonical(had).decode()


def with_field(terms: Terms, path: str, value: str) -> Terms:
    """Return the terms with another value, as JSON, in one field; nothing is checked but its type.

    Raises:
        msgspec.DecodeError: the value has another type.
    """
    plain: dict[str, object] = {**msgspec.to_builtins(terms), path: msgspec.json.decode(value)}
    if plain[path] is None and path in _LEFT_OUT:
        del plain[path]
    return msgspec.convert(plain, Terms)


_LEFT_OUT = frozenset(field.name for field in fields(Terms) if field.default is UNSET)


def digest(terms: Terms) -> str:
    """Return the SHA-256 of the canonical JSON of terms, in hex."""
    return hashlib.sha256(canonical(terms)).hexdigest()


_UNFIT = ("Cc", "Cs", "Cn", "Co", "Zl", "Zp")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def must_be_plain(texts: Mapping[str, str]) -> None:
    """Check that no text holds control, bidirectional or unassigned characters; a line break is none of them.

    Args:
        texts: by the name of the field.

    Raises:
        Refused: invalid.
    """
    for field, text in texts.items():
        for character in text:
            bad = unicodedata.category(character) in _UNFIT or character in _BIDI
            if bad and character != "\n":
                raise Refused(
                    "invalid",
                    "text-character",
                    {"field": field, "character": f"U+{ord(character):04X}"},
                )
