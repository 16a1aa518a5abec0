"""The rows of a match of Imperial Struggle; `imperial_struggle_columns` says what they hold.

`rows` goes along the line that stands and hands each fact to the readers of its kind, which are listed in
`_READERS`.  What takes several facts to tell (a turn, an action round, a theatre) is kept in `_Reading`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from domain.imperial_struggle.components import (
    AWARDS,
    BOARD,
    GOODS,
    INVESTMENTS,
    LAST_TURN,
    MARKETS_OF,
    MEMBERS,
    PRESTIGE,
    REGIONS,
    SIDES,
    WAR_TILES,
    WARS,
)
from domain.imperial_struggle.facts import board, cards, flow, tracks, wars
from domain.imperial_struggle.state import State
from domain.kernel import HIDDEN, Seat
from domain.match import Match
from domain.piles import Cards, Pile
from replay.tables.imperial_struggle_columns import OWNERS, SOURCES, TABLES
from replay.tables.line import Applied, RowBuilder, line, mean, public_hash
from replay.tables.schema import Rows

__all__ = ["TABLES", "rows"]

# fmt: off
PUBLIC = (
    "turn", "phase", "war", "initiative", "first", "vp", "debt", "limit", "treaty", "conflicts", "damaged",
    "navy", "unbuilt", "away", "exhausted", "discards", "removed", "shown", "picked", "used", "laid",
    "given", "demand", "byng", "dominance", "third", "uprisings", "defeated", "victories", "huguenots",
    "townshend", "fought", "margins", "revealed",
)
# fmt: on
"""The fields of the table that both sides see, from which the hash of a position is made."""
UPRISINGS = "jacobite_uprisings"
_PLACES = {space: place for place, space in enumerate(BOARD)}
_COUNTED = tuple(
    frozenset(spaces)
    for spaces in (*(MEMBERS[x] for x in REGIONS), *(MARKETS_OF[x] for x in GOODS), PRESTIGE)
)
"""The groups of spaces of which positions count those of each side, in the order of the columns."""


def rows(match: Match) -> Rows:
    """The rows of one match, for each of `TABLES`; hidden values are missing while the match is not over."""
    reading = _Reading(match)
    for move in line(match):
        reading.paid, reading.drawn = {}, move.drawn
        for at in move.facts:
            reading.take(at)
    reading.complete(ended=match.closed is not None)
    return reading.build.rows


class _Reading:
    """The rows so far, and what waits for later facts.

    `drawn`: what chance picked in this move.  `paid`: the verb that points paid for in it, by space.
    `part`: the part of the match that `turns` describes, with the table at its beginning.  `round` and
    `theatre`: the values of a row that is not complete.
    """

    def __init__(self, match: Match) -> None:
        self.build = RowBuilder(match, TABLES)
        self.paid: dict[str, str] = {}
        self.drawn: frozenset[str] = frozenset()
        self.last: Applied | None = None
        self.part = ""
        self.part_when: dict[str, Any] = {}
        self.start = State()
        self.changes: dict[tuple[Seat, str], int] = {}
        self.round: tuple[Applied, dict[str, Any]] | None = None
        self.theatre: tuple[Applied, dict[str, Any]] | None = None
        self.shown: dict[Seat, Cards] = {}

    def take(self, at: Applied) -> None:
        """Make the rows of one fact."""
        if not self.part:
            self._begin(at)
        if at.before.flags is not at.after.flags:
            _flags(self, at)
        for read in _READERS.get(type(at.fact), ()):
            read(self, at)
        self.last = at

    def note(self, table: str, at: Applied, **values: Any) -> None:
        """A row about a fact, with the time of the game at which it happened."""
        self.build.note(f"is_{table}", at, _when(at.before), **values)

    def complete(self, *, ended: bool) -> None:
        """Make the rows that wait, and, if the match is over, that of its last position."""
        _close_round(self)
        _close_theatre(self)
        _close_part(self)
        if ended and self.last is not None:
            _position(self, self.last, "end")

    def _begin(self, at: Applied) -> None:
        """The set-up: the flags that the empty board has."""
        self.part, self.part_when, self.start = "setup", _when(at.before), at.before
        for space, owner in at.before.flags.items():
            values = {"space": space, "after": owner, "cause": "setup", **_place_of(space)}
            self.build.add("is_flags", at.move, None, {**_when(at.before), **values})


def _when(s: State) -> dict[str, Any]:
    """Turn, war and action round of a table."""
    fights = s.phase in WARS and s.phase == s.war
    return {"turn": s.turn, "war": s.phase if fights else None, "round": s.round.number if s.round else 0}


def _place_of(space: str) -> dict[str, str]:
    return {"kind": BOARD[space].kind, "region": BOARD[space].region}


# --------------------------------------------------------------------------- positions


def _position(r: _Reading, at: Applied, kind: str, s: State | None = None) -> None:
    s = at.after if s is None else s
    row = (
        *(r.build.match, at.move, at.place, *_when(s).values(), kind, s.round.seat if s.round else None),
        *(s.vp, s.initiative or None, s.first or None),
        *(track[side] for track in (s.debt, s.limit, s.treaty, s.navy, s.unbuilt, s.away) for side in SIDES),
        *(len(s.hands[side]) for side in SIDES),
        *map([*s.advantages.values()].count, SIDES),
        *(_open_ministries(s, side) for side in SIDES),
        s.deck.size,
        *map(len, (s.discards, s.removed, s.conflicts, s.damaged)),
        *(list(s.demand), s.war or None),
        *_counts(s),
        *map(OWNERS.__getitem__, map(s.flags.get, BOARD)),
        public_hash(_public(s)),
    )
    r.build.put("is_positions", row)


def _open_ministries(s: State, side: Seat) -> list[str]:
    return [card for card in s.ministries[side] if card in s.revealed]


def _counts(s: State) -> Iterator[int]:
    """How many spaces of each group each side holds."""
    held = [{space for space, owner in s.flags.items() if owner == side} for side in SIDES]
    return (len(spaces & of_side) for spaces in _COUNTED for of_side in held)


def _public(s: State) -> dict[str, Any]:
    values = {name: getattr(s, name) for name in PUBLIC}
    values |= {"flags": s.flags, "advantages": s.advantages}
    now = s.round
    return values | {
        "round": [now.seat, now.number] if now else None,
        "hands": [len(s.hands[x]) for x in SIDES],
    }


def _round_position(r: _Reading, at: Applied) -> None:
    _position(r, at, "round")


def _turn_position(r: _Reading, at: Applied) -> None:
    _position(r, at, "turn_end")


def _war_position(r: _Reading, at: Applied) -> None:
    """The position in which the war ends, before its display is cleared."""
    _position(r, at, "war_end", at.before)


# --------------------------------------------------------------------------- spaces


def _flags(r: _Reading, at: Applied) -> None:
    """Every space whose owner the fact changed, in the order of the board."""
    old, new = at.before.flags, at.after.flags
    changed = {space for space, _ in old.items() ^ new.items()}
    for space in sorted(changed & BOARD.keys(), key=_PLACES.__getitem__):
        r.note(
            "flags",
            at,
            seat=at.before.round.seat if at.before.round else None,
            space=space,
            before=old.get(space),
            after=new.get(space),
            cause=_cause(r, at),
            **_place_of(space),
        )


def _cause(r: _Reading, at: Applied) -> str:
    fact, s = at.fact, at.before
    touched = (fact.origin, fact.to) if isinstance(fact, board.SquadronMoved) else (fact.space,)
    verb = next((r.paid[space] for space in touched if space in r.paid), None)
    if verb is not None:
        return verb
    if _when(s)["war"]:
        return "war"
    return "card" if s.round else "other"


def _conquered(r: _Reading, at: Applied) -> None:
    fact: wars.SpaceConquered = at.fact
    owner = fact.owner
    _conquest(r, at, what="claimed", space=fact.space, owner=owner, points=fact.points)


def _resisted(r: _Reading, at: Applied) -> None:
    _conquest(r, at, what="resisted", space=at.fact.space)


def _unspent(r: _Reading, at: Applied) -> None:
    _conquest(r, at, what="unspent", points=at.fact.points)


def _conquest(r: _Reading, at: Applied, **values: Any) -> None:
    theatre = r.theatre[1]["theatre"] if r.theatre else None
    r.note("conquests", at, theatre=theatre, seat=at.fact.seat, **values)


# --------------------------------------------------------------------------- tracks and turns


def _scored(r: _Reading, at: Applied) -> None:
    fact: tracks.ScoreMoved = at.fact
    _changed(r, at, "vp", fact.points, at.before.vp, fact.now)


def _debt(r: _Reading, at: Applied) -> None:
    _changed(r, at, "debt", at.fact.by, at.before.debt[at.fact.side], at.fact.now)


def _limit(r: _Reading, at: Applied) -> None:
    _changed(r, at, "limit", at.fact.by, at.before.limit[at.fact.side], at.fact.now)


def _treaty(r: _Reading, at: Applied) -> None:
    _changed(r, at, "treaty", at.fact.by, at.before.treaty[at.fact.side], at.fact.now)


def _changed(r: _Reading, at: Applied, track: str, by: int, before: int, after: int) -> None:
    side = at.fact.side
    r.note("tracks", at, side=side, track=track, by=by, before=before, after=after, why=at.fact.why or None)
    name = track if by > 0 else f"less_{track}"
    r.changes[side, name] = r.changes.get((side, name), 0) + abs(by)


def _part_began(kind: str) -> _Reader:
    """A reader that closes a part of the match and begins the next one."""

    def begin(r: _Reading, at: Applied) -> None:
        _close_part(r)
        r.part, r.part_when, r.start, r.changes = kind, {**_when(at.after), "round": 0}, at.before, {}

    return begin


def _last_turn_ended(r: _Reading, at: Applied) -> None:
    """After the last turn comes the final scoring."""
    if at.fact.turn == LAST_TURN:
        r.last = at
        _part_began("final")(r, at)
        r.start = at.after


def _close_part(r: _Reading) -> None:
    """The rows of `turns` for the part that ends, at its last fact."""
    if r.last is None:
        return
    s, end = r.start, r.last.after
    for side in SIDES:
        values = {
            "kind": r.part,
            "side": side,
            "vp": r.changes.get((side, "vp"), 0),
            "debt_before": s.debt[side],
            "debt_taken": r.changes.get((side, "debt"), 0),
            "debt_reduced": r.changes.get((side, "less_debt"), 0),
            "debt_after": end.debt[side],
            "limit_after": end.limit[side],
            "treaty_before": s.treaty[side],
            "treaty_gained": r.changes.get((side, "treaty"), 0),
            "treaty_lost": r.changes.get((side, "less_treaty"), 0),
            "treaty_after": end.treaty[side],
            "spaces_before": sum(owner == side for owner in s.flags.values()),
            "spaces_after": sum(owner == side for owner in end.flags.values()),
        }
        r.build.note("is_turns", r.last, r.part_when, **values)


# --------------------------------------------------------------------------- what is compared


def _award(r: _Reading, at: Applied) -> None:
    fact: flow.AwardScored = at.fact
    more = {"treaty": fact.treaty, "award": fact.award, "ministries": fact.ministries}
    _compared(r, at, "region", name=fact.region, **more)


def _prestige(r: _Reading, at: Applied) -> None:
    _compared(r, at, "prestige")


def _good(r: _Reading, at: Applied) -> None:
    fact: flow.GoodScored = at.fact
    _compared(r, at, "good", name=fact.good, treaty=fact.treaty, debt=fact.debt)


def _debts(r: _Reading, at: Applied) -> None:
    _compared(r, at, "debt")


def _territories(r: _Reading, at: Applied) -> None:
    fact: flow.TerritoriesCounted = at.fact
    taken = {"kind": "territories", "final": True, f"spaces_{fact.side}": len(fact.spaces), "vp": fact.vp}
    r.note("awards", at, winner=fact.side if fact.spaces else None, **taken)


def _sides(r: _Reading, at: Applied) -> None:
    """An event compares both sides; what it brings stands in other facts."""
    fact: flow.SidesCounted = at.fact
    counts = {"spaces_br": fact.br, "spaces_fr": fact.fr, "winner": fact.winner}
    r.note("awards", at, kind="event", name=fact.card, final=False, **counts)


def _compared(r: _Reading, at: Applied, kind: str, **more: Any) -> None:
    fact = at.fact
    brings = {"treaty": 0, "debt": 0, "vp": fact.vp, "winner": fact.winner}
    values = {"kind": kind, "final": r.part == "final", "spaces_br": fact.br, "spaces_fr": fact.fr}
    r.note("awards", at, **values, **(brings | more))


# --------------------------------------------------------------------------- wars


def _theatre(r: _Reading, at: Applied) -> None:
    _close_theatre(r)
    fact: wars.TheatreFought = at.fact
    values: dict[str, Any] = {
        "theatre": fact.theatre,
        "strength_br": fact.br,
        "strength_fr": fact.fr,
        "winner": fact.winner,
        "margin": fact.margin,
    }
    for side in SIDES:
        values[f"shown_{side}"] = r.shown.get(side)
        values |= {f"{source}_{side}": fact.working[side].get(source, 0) for source in SOURCES}
    r.theatre = (at, values)


def _spoils(r: _Reading, at: Applied) -> None:
    fact: wars.SpoilsTaken = at.fact
    if r.theatre is not None:
        r.theatre[1].update(vp=fact.vp, conquest=fact.cp, treaty=fact.treaty)


def _close_theatre(r: _Reading) -> None:
    if r.theatre is not None:
        at, values = r.theatre
        r.build.note("is_wars", at, _when(at.before), **values)
        r.theatre = None


def _war_ended(r: _Reading, at: Applied) -> None:
    """The theatre is complete, and all tiles of the display leave it."""
    _close_theatre(r)
    s: State = at.before
    for side in SIDES:
        for theatre, tile in s.front[side].items():
            _tile(r, at, side, tile, "returned", theatre)
        for theatre, extra in s.reinforcements[side].items():
            for tile in extra:
                _tile(r, at, side, tile, "removed", theatre)
        for tile in s.bonuses[side].cards:
            _tile(r, at, side, tile, "removed")


def _revealed(r: _Reading, at: Applied) -> None:
    _close_theatre(r)
    fact: wars.TilesRevealed = at.fact
    r.shown = {"br": fact.br, "fr": fact.fr}
    for side in SIDES:
        for tile in r.shown[side]:
            _tile(r, at, side, tile, "revealed", fact.theatre)


# --------------------------------------------------------------------------- war tiles


def _basics_laid(r: _Reading, at: Applied) -> None:
    fact: wars.BasicsLaid = at.fact
    if not at.before.drawn[fact.seat]:
        _basics_drawn_now(r, at, fact.seat, tuple(fact.tiles.values()))
    for theatre, tile in fact.tiles.items():
        _tile(r, at, fact.seat, tile, "laid", theatre)


def _basics_drawn(r: _Reading, at: Applied) -> None:
    _basics_drawn_now(r, at, at.fact.seat, at.fact.tiles)


def _basics_drawn_now(r: _Reading, at: Applied, side: Seat, tiles: Cards) -> None:
    _drawn(r, at, "basic", tiles, at.before.basics[side].cards, at.before.basics[side].size, side)
    for tile in tiles:
        _tile(r, at, side, tile, "drawn")


def _basic_kept(r: _Reading, at: Applied) -> None:
    """Of two tiles one lies in the theatre; the other, which may be the one that lay there, goes back."""
    fact: wars.BasicKept = at.fact
    _upgraded(r, at, fact.other, "returned")


def _basic_removed(r: _Reading, at: Applied) -> None:
    fact: wars.BasicRemoved = at.fact
    _upgraded(r, at, fact.removed, "removed")


def _upgraded(r: _Reading, at: Applied, other: str, what: str) -> None:
    seat, theatre = at.fact.seat, at.fact.theatre
    was_there = at.before.front[seat].get(theatre)
    if at.fact.kept != was_there or was_there == HIDDEN:
        _tile(r, at, seat, at.fact.kept, "laid", theatre)
    _tile(r, at, seat, other, what, theatre if other == was_there else None)


def _basics_swapped(r: _Reading, at: Applied) -> None:
    fact: wars.BasicsSwapped = at.fact
    for theatre in fact.theatres:
        _tile(r, at, fact.seat, at.after.front[fact.seat][theatre], "moved", theatre)


def _bonus_drawn(r: _Reading, at: Applied) -> None:
    fact: wars.BonusDrawn = at.fact
    pile: Pile = at.before.bonuses[fact.seat]
    _drawn(r, at, "bonus", (fact.tile,), pile.cards, pile.size, fact.seat)
    _tile(r, at, fact.seat, fact.tile, "drawn")


def _bonus_placed(r: _Reading, at: Applied) -> None:
    _tile(r, at, at.fact.seat, at.fact.tile, "laid", at.fact.theatre)


def _bonus_moved(r: _Reading, at: Applied) -> None:
    _tile(r, at, at.fact.seat, at.fact.tile, "moved", at.fact.theatre)


def _bonus_returned(r: _Reading, at: Applied) -> None:
    """A player chose the tile, or chance did; only then it is among what the move drew."""
    fact: wars.BonusReturned = at.fact
    here = at.before.reinforcements[fact.seat][fact.theatre]
    _drawn(r, at, "returned", (fact.tile,), here, len(here), fact.seat)
    _tile(r, at, fact.seat, fact.tile, "returned", fact.theatre)


def _tile(r: _Reading, at: Applied, side: Seat, tile: str, what: str, theatre: str | None = None) -> None:
    face = WAR_TILES.get(tile)
    values: dict[str, Any] = {"side": side, "tile": tile, "what": what, "theatre": theatre}
    if face is not None:
        values |= {
            "set": "bonus" if face.war else "basic",
            "value": face.value,
            "symbol": face.symbol or None,
        }
    r.note("tiles", at, display=at.before.war or None, **values)


# --------------------------------------------------------------------------- draws


def _drawn(
    r: _Reading, at: Applied, kind: str, items: Cards, pool: Cards, size: int, side: Seat | None = None
) -> None:
    """Those of `items` that chance picked in this match, from a pool of `size`."""
    numbers = [number for item in pool if (number := _number(kind, item)) is not None]
    for item in items:
        if item in r.drawn:
            of = {"of": size, "value": _number(kind, item), "value_expected": mean(numbers)}
            r.note("draws", at, kind=kind, side=side, item=item, **of)


def _number(kind: str, item: str) -> int | None:
    """The printed number of a thing that is drawn; None if it has none."""
    if kind == "investment":
        return INVESTMENTS[item].points
    if kind == "award":
        return AWARDS[item].vp
    return WAR_TILES[item].value if item in WAR_TILES else None


def _investments(r: _Reading, at: Applied) -> None:
    _drawn(r, at, "investment", at.fact.tiles, at.before.stack.cards, at.before.stack.size)


def _awards_laid(r: _Reading, at: Applied) -> None:
    pile: Pile = at.before.awards
    _drawn(r, at, "award", tuple(at.fact.awards.values()), pile.cards, pile.size)


def _demand_set(r: _Reading, at: Applied) -> None:
    _drawn(r, at, "good", at.fact.goods, GOODS, len(GOODS))


def _demand_seen(r: _Reading, at: Applied) -> None:
    others = tuple(good for good in GOODS if good not in at.before.demand)
    _drawn(r, at, "good", (at.fact.good,), others, len(others))


# --------------------------------------------------------------------------- cards, ministries, advantages


def _dealt(r: _Reading, at: Applied) -> None:
    fact: cards.CardsDealt = at.fact
    _drawn(r, at, "event", fact.cards, at.before.deck.cards, at.before.deck.size, fact.seat)
    _cards(r, at, fact.cards, "dealt", fact.seat)


def _added(r: _Reading, at: Applied) -> None:
    _cards(r, at, at.fact.cards, "added", None, at.fact.era)


def _retired(r: _Reading, at: Applied) -> None:
    fact: cards.EventsRetired = at.fact
    _cards(r, at, fact.deck, "retired", None, "deck")
    _cards(r, at, fact.discards, "retired", None, "discards")
    for seat, held in fact.hands.items():
        _cards(r, at, held, "retired", seat, "hand")


def _reshuffled(r: _Reading, at: Applied) -> None:
    _cards(r, at, at.before.discards, "reshuffled", None)


def _laid_aside(r: _Reading, at: Applied) -> None:
    _cards(r, at, at.fact.cards, "laid_aside", at.fact.seat)


def _drops_shown(r: _Reading, at: Applied) -> None:
    for seat, shown in at.fact.cards.items():
        _cards(r, at, shown, "discarded", seat, "laid_aside")


def _discarded(r: _Reading, at: Applied) -> None:
    _cards(r, at, (at.fact.card,), "discarded", at.fact.seat, at.fact.why)


def _event_played(r: _Reading, at: Applied) -> None:
    fact: cards.EventPlayed = at.fact
    _cards(r, at, (fact.card,), "played", fact.seat, "bonus" if fact.bonus else "plain")
    if r.round is not None:
        r.round[1].update(event=fact.card, bonus=fact.bonus)


def _cards(
    r: _Reading, at: Applied, moved: Cards, what: str, seat: Seat | None, how: str | None = None
) -> None:
    for card in moved:
        r.note("cards", at, card=card, seat=seat, what=what, how=how)


def _ministries_chosen(r: _Reading, at: Applied) -> None:
    for ministry in at.fact.ministries:
        r.note("ministries", at, seat=at.fact.seat, ministry=ministry, what="chosen")


def _ministry_revealed(r: _Reading, at: Applied) -> None:
    r.note("ministries", at, seat=at.fact.seat, ministry=at.fact.ministry, what="revealed")


def _ability_used(r: _Reading, at: Applied) -> None:
    fact: cards.AbilityUsed = at.fact
    used = {"ministry": fact.ability.partition(".")[0], "ability": fact.ability, "exhausts": fact.exhausts}
    r.note("ministries", at, seat=fact.seat, what="used", **used)


def _ministries_returned(r: _Reading, at: Applied) -> None:
    for seat in SIDES:
        for ministry in at.before.ministries[seat]:
            r.note("ministries", at, seat=seat, ministry=ministry, what="returned")


def _uprisings_added(r: _Reading, at: Applied) -> None:
    r.note("ministries", at, seat=at.fact.seat, ministry=UPRISINGS, what="added")


def _jacobites_defeated(r: _Reading, at: Applied) -> None:
    r.note("ministries", at, seat="fr", ministry=UPRISINGS, what="left")


def _advantage(what: str) -> _Reader:
    """A reader of one thing that happens to an advantage."""

    def read(r: _Reading, at: Applied) -> None:
        fact = at.fact
        seat = getattr(fact, "side", at.before.advantages.get(fact.advantage))
        r.note("advantages", at, seat=seat, advantage=fact.advantage, what=what, **_exhausts(fact))

    return read


def _exhausts(fact: Any) -> dict[str, bool]:
    return {"exhausts": fact.exhausts} if isinstance(fact, board.AdvantageUsed) else {}


# --------------------------------------------------------------------------- action rounds, bids


def _round_began(r: _Reading, at: Applied) -> None:
    _close_round(r)
    spent = {"purchases": 0, "economic": 0, "diplomatic": 0, "military": 0, "debt": 0}
    state = {"passed": False, "upgrade": False, **spent}
    r.round = (at, {"seat": at.fact.seat, **state})


def _tile_taken(r: _Reading, at: Applied) -> None:
    tile = INVESTMENTS[at.fact.tile]
    _in_round(r, tile=tile.id, major=tile.major, minor=tile.minor)


def _passed(r: _Reading, at: Applied) -> None:
    _in_round(r, passed=True)


def _upgrade(r: _Reading, at: Applied) -> None:
    _in_round(r, upgrade=True)


def _in_round(r: _Reading, **values: Any) -> None:
    if r.round is not None:
        r.round[1].update(values)


def _paid(r: _Reading, at: Applied) -> None:
    fact: flow.PointsPaid = at.fact
    if fact.space:
        r.paid[fact.space] = fact.verb
    for_what = {"verb": fact.verb, "space": fact.space or None, "region": fact.region or None}
    price = {"type": fact.type, "cost": fact.cost, "minor": fact.minor, "debt": fact.debts}
    r.note("payments", at, seat=fact.seat, **for_what, **price)
    if r.round is not None:
        row = r.round[1]
        for name, by in (("purchases", 1), (fact.type, fact.cost), ("debt", fact.debts)):
            row[name] += by


def _close_round(r: _Reading) -> None:
    if r.round is not None:
        at, values = r.round
        r.build.note("is_rounds", at, _when(at.after), **values)
        r.round = None


def _round_ended(r: _Reading, at: Applied) -> None:
    _close_round(r)


def _sides_settled(r: _Reading, at: Applied) -> None:
    """The bids lie open; equal ones were decided by chance."""
    fact: flow.SidesSettled = at.fact
    s: State = at.before
    side = s.options.bid
    bids = {f"bid_{seat}": int(s.bids[seat]) for seat in SIDES}
    if s.bids["br"] == s.bids["fr"]:
        winner = side if not fact.exchanged else fact.gift_to
        _drawn(r, at, "tie", (winner,), SIDES, len(SIDES))
    r.note("bids", at, side=side, exchanged=fact.exchanged, gift=fact.gift, **bids)


_Reader = Callable[[_Reading, Applied], None]

_READERS: dict[type[Any], tuple[_Reader, ...]] = {
    board.AdvantageTaken: (_advantage("taken"),),
    board.AdvantageReturned: (_advantage("returned"),),
    board.AdvantageUsed: (_advantage("used"),),
    board.AdvantageExhausted: (_advantage("exhausted"),),
    board.AdvantageRefreshed: (_advantage("refreshed"),),
    cards.AbilityUsed: (_ability_used,),
    cards.AwardsLaid: (_awards_laid,),
    cards.CardDiscarded: (_discarded,),
    cards.CardsDealt: (_dealt,),
    cards.CardsDropped: (_laid_aside,),
    cards.DemandSeen: (_demand_seen,),
    cards.DemandSet: (_demand_set,),
    cards.DiscardsReshuffled: (_reshuffled,),
    cards.DropsShown: (_drops_shown,),
    cards.EventPlayed: (_event_played,),
    cards.EventsAdded: (_added,),
    cards.EventsRetired: (_retired,),
    cards.InvestmentsShown: (_investments,),
    cards.JacobitesDefeated: (_jacobites_defeated,),
    cards.MinistriesChosen: (_ministries_chosen,),
    cards.MinistriesReturned: (_ministries_returned,),
    cards.MinistryRevealed: (_ministry_revealed,),
    cards.UprisingsAdded: (_uprisings_added,),
    flow.AwardScored: (_award,),
    flow.DebtCompared: (_debts,),
    flow.GoodScored: (_good,),
    flow.PointsPaid: (_paid,),
    flow.PrestigeScored: (_prestige,),
    flow.RoundBegan: (_round_began, _round_position),
    flow.RoundEnded: (_round_ended,),
    flow.RoundPassed: (_passed,),
    flow.SidesCounted: (_sides,),
    flow.SidesSettled: (_sides_settled,),
    flow.TerritoriesCounted: (_territories,),
    flow.TileTaken: (_tile_taken,),
    flow.TurnBegan: (_part_began("peace"),),
    flow.TurnEnded: (_turn_position, _last_turn_ended),
    flow.UpgradeUsed: (_upgrade,),
    tracks.DebtSet: (_debt,),
    tracks.LimitSet: (_limit,),
    tracks.ScoreMoved: (_scored,),
    tracks.TreatySet: (_treaty,),
    wars.BasicKept: (_basic_kept,),
    wars.BasicRemoved: (_basic_removed,),
    wars.BasicsDrawn: (_basics_drawn,),
    wars.BasicsLaid: (_basics_laid,),
    wars.BasicsSwapped: (_basics_swapped,),
    wars.BonusDrawn: (_bonus_drawn,),
    wars.BonusMoved: (_bonus_moved,),
    wars.BonusPlaced: (_bonus_placed,),
    wars.BonusReturned: (_bonus_returned,),
    wars.CaptureResisted: (_resisted,),
    wars.ConquestDeclined: (_unspent,),
    wars.SpaceConquered: (_conquered,),
    wars.SpoilsTaken: (_spoils,),
    wars.TheatreFought: (_theatre,),
    wars.TilesRevealed: (_revealed,),
    wars.WarBegan: (_part_began("war"),),
    wars.WarEnded: (_war_ended, _war_position),
}
"""What reads each kind of fact; the other kinds leave no rows of their own."""
