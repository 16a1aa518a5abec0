"""The tables of 13 Minutes: their columns, and the rows of a match.

First the descriptions, then the readers, one for each kind of fact that leaves rows.  A *side* is a
superpower, a *seat* is a player's; in a campaign the players may exchange superpowers after each battle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain.kernel import Seat
from domain.match import Match
from domain.piles import Cards
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes import facts as f
from domain.thirteen_minutes import scoring_facts as scored
from domain.thirteen_minutes.board import CUBA, NEUTRAL, OPPONENT, SIDES, SPHERE, US, USSR, Side
from domain.thirteen_minutes.components import RECONSTRUCTION
from domain.thirteen_minutes.rules import card as face_of
from domain.thirteen_minutes.state import State
from replay.positions import plain
from replay.tables.line import STATE_HASH, WHERE, Applied, Move, RowBuilder, line, mean, public_hash
from replay.tables.schema import Column, Rows, Table, Type

NAMES = GAME.texts["en"].names
ZONES = {"": 0, SPHERE[US]: 1, NEUTRAL: 2, SPHERE[USSR]: 3}
"""How the columns `zone_` of a territory write its zone."""
BUILT_IN = (CUBA, *(card.id for card in RECONSTRUCTION.cards))
"""The territories that have columns of their own; a match with its own card set has none of them."""

# --------------------------------------------------------------------------- columns

BATTLE = Column("battle", "UTINYINT", "The battle of the match, from 1; a match without a campaign has one.")
PLAY = Column("play", "UTINYINT", "How many cards of the battle were played before.", "cards")
WHEN = (*WHERE, BATTLE, PLAY)


def _each(name: str, type: Type, meaning: str, unit: str = "") -> tuple[Column, ...]:
    """A column for each side; `{side}` in the meaning becomes its name."""
    return tuple(Column(f"{name}_{side}", type, meaning.format(side=NAMES[side]), unit) for side in SIDES)


def _table(name: str, meaning: str, *columns: Column, order: tuple[str, ...] = ()) -> Table:
    return Table(f"tm_{name}", GAME.name, meaning, columns, order)


def _column_of(territory: str) -> str:
    """The id of a territory as a part of a column's name."""
    return territory.replace("-", "_")


POSITIONS = _table(
    "positions",
    "A position: before a card is played, at the end of a battle, and at the end of the match.",
    *WHEN,
    Column("kind", "VARCHAR", "Which position it is: turn, battle_end or end."),
    Column("side", "VARCHAR", "The side that plays a card next; missing elsewhere."),
    Column("seat", "VARCHAR", "The seat that plays this side."),
    *_each("seat", "VARCHAR", "The seat that plays the {side} in this battle."),
    Column("first", "VARCHAR", "The side that plays first in this battle."),
    *_each("supply", "UTINYINT", "The cubes in the supply of the {side}.", "cubes"),
    *_each("cubes", "UTINYINT", "The cubes of the {side} on territories.", "cubes"),
    *_each("hand", "UTINYINT", "The cards in the hand of the {side}.", "cards"),
    Column("deck", "UTINYINT", "The cards in the deck.", "cards"),
    *_each("leads", "UTINYINT", "The territories on which the {side} has more cubes.", "territories"),
    *_each("sphere", "UTINYINT", "The territories in the sphere of the {side}.", "territories"),
    Column("neutral", "UTINYINT", "The territories in the neutral zone.", "territories"),
    *_each("vp", "UTINYINT", "The victory points of the {side} in this battle; missing before the scoring."),
    *_each("total", "SMALLINT", "The points of the seat {side} in all battles that are over.", "points"),
    *(
        column
        for territory in BUILT_IN
        for column in (
            *(
                Column(
                    f"{side}_at_{_column_of(territory)}",
                    "UTINYINT",
                    f"The cubes of the {NAMES[side]} on {NAMES[territory]}; missing in an own card set.",
                    "cubes",
                )
                for side in SIDES
            ),
            Column(
                f"zone_of_{_column_of(territory)}",
                "UTINYINT",
                f"Where {NAMES[territory]} lies: 0 not on the table, 1 US sphere, 2 neutral zone, 3 USSR"
                " sphere; missing in an own card set.",
            ),
        )
    ),
    STATE_HASH,
    order=("battle", "play"),
)

INFLUENCE = _table(
    "influence",
    "A change of the cubes on a territory, or of its zone.",
    *WHEN,
    Column("territory", "VARCHAR", "The territory: a card, or cuba."),
    Column("what", "VARCHAR", "What happened: placed, removed or slid."),
    Column("side", "VARCHAR", "The side whose cubes they are; missing for a slide."),
    Column("by", "VARCHAR", "The side that did it."),
    Column("before", "UTINYINT", "The cubes of that side there before; missing for a slide.", "cubes"),
    Column("after", "UTINYINT", "The cubes of that side there after; missing for a slide.", "cubes"),
    Column("supply", "UTINYINT", "The cubes left in the supply of that side; missing for a slide.", "cubes"),
    Column("zone_before", "VARCHAR", "The zone before: us_sphere, neutral or ussr_sphere."),
    Column("zone_after", "VARCHAR", "The zone after."),
    Column("card", "VARCHAR", "The card that was played."),
    Column("cause", "VARCHAR", "What led to it: command or event."),
)

DRAWS = _table(
    "draws",
    "A card or side that chance picked; in a branch, since it began.",
    *WHEN,
    Column("kind", "VARCHAR", "What was drawn: hand, cuba, card, top (a look at the top card) or first."),
    Column("side", "VARCHAR", "The side that drew; missing if the draw is for both."),
    Column("item", "VARCHAR", "What was drawn."),
    Column("of", "UTINYINT", "From how many it was drawn; two drawn together count from the same deck."),
    Column("value", "UTINYINT", "The Command of the card; missing for a side.", "cubes"),
    Column("value_expected", "DOUBLE", "The mean Command of all cards that could be drawn.", "cubes"),
)

CARDS = _table(
    "cards",
    "A movement or a use of a card.",
    *WHEN,
    Column("card", "VARCHAR", "The card."),
    Column("side", "VARCHAR", "The side that holds, plays, uses or sees it; missing if neither does."),
    Column("seat", "VARCHAR", "The seat that plays this side."),
    Column(
        "what",
        "VARCHAR",
        "What happened: dealt, became_cuba, drawn, played, event (used), no_event (declined), no_command"
        " (declined), seen, given or taken (exchanged with the top card), turned (Cuba), kept (the last card)"
        " or placed (the last card becomes a territory).",
    ),
    Column("zone", "VARCHAR", "The zone in which a played or placed card lies; missing elsewhere."),
)

BIDS = _table(
    "bids",
    "A round of bids for the initiative (book 002, Initiative).",
    *WHERE,
    BATTLE,
    Column("round", "UTINYINT", "The round of bids in this battle, from 1."),
    *_each("bid", "UTINYINT", "The cubes that the {side} bid.", "cubes"),
    Column("higher", "VARCHAR", "The side with the higher bid; missing if they are equal."),
    Column("first", "VARCHAR", "The side that plays first by this round; missing if it decided nothing."),
    Column("how", "VARCHAR", "How that was decided: chosen (by the higher bidder) or drawn."),
)

TERRITORIES = _table(
    "territories",
    "A territory when a battle is scored (book 002, Territories and Military majority).",
    *WHEN,
    Column("territory", "VARCHAR", "The territory: a card, or cuba."),
    Column("card", "VARCHAR", "The card that lies there."),
    Column("alignment", "VARCHAR", "The superpower of the card: us, ussr or un."),
    Column("colour", "VARCHAR", "The symbol of the card: military, political or world_opinion."),
    Column("zone", "VARCHAR", "Where it lies: us_sphere, neutral or ussr_sphere."),
    *_each("cubes", "UTINYINT", "The cubes of the {side} on it.", "cubes"),
    Column("controller", "VARCHAR", "The side that controls it; missing if neither does."),
    Column("military", "VARCHAR", "The side for which it counts as military; missing if for neither."),
)

BATTLES = _table(
    "battles",
    "A battle; the row stands at its last fact.",
    *WHEN,
    *_each("seat", "VARCHAR", "The seat that played the {side}."),
    Column("card_set", "VARCHAR", "The cards: reconstruction or own."),
    Column("first", "VARCHAR", "The side that played first; missing if that was not settled."),
    *_each("spent", "UTINYINT", "The cubes that the {side} lost by its bid.", "cubes"),
    *_each("territories", "UTINYINT", "The territories that the {side} controls, once scored."),
    Column("military", "VARCHAR", "The side with the military majority; missing if it is equal."),
    *_each("aftermath", "UTINYINT", "The sum of the Commands of the last cards of the {side}.", "cubes"),
    Column("aftermath", "VARCHAR", "The side that wins the further scoring; missing if it is equal."),
    Column("matched", "BOOLEAN", "Whether the last cards have the same symbol; missing before the scoring."),
    Column("war", "VARCHAR", "The side that started a nuclear war, or both; missing if there was none."),
    *_each("vp", "UTINYINT", "The victory points of the {side} in this battle.", "points"),
    Column("winner", "VARCHAR", "The side that wins the battle; missing if neither does."),
    *_each("total", "SMALLINT", "The points of the seat {side} in all battles up to this one.", "points"),
    Column("complete", "BOOLEAN", "Whether the battle was played to its end."),
)

TABLES: tuple[Table, ...] = (POSITIONS, INFLUENCE, DRAWS, CARDS, BIDS, TERRITORIES, BATTLES)
"""The tables of the game."""


def rows(match: Match) -> Rows:
    """The rows of one match, for each of `TABLES`; hidden values are missing while the match is not over."""
    reading = _Reading(match)
    for move in line(match):
        reading.take_move(move)
    reading.complete(ended=match.closed is not None)
    return reading.build.rows


class _Reading:
    """The rows so far, and what waits for later facts.

    `drawn`: what chance picked in this move.  `bid`, `battle`, `lands`: the values of rows that are not
    complete.  `card`: the one that was played last, and `executor` the side that carries out its event ("" if
    neither does).
    """

    def __init__(self, match: Match) -> None:
        self.build = RowBuilder(match, TABLES)
        self.last: Applied | None = None
        self.bid: tuple[Applied, dict[str, Any]] | None = None
        self.battle: dict[str, Any] | None = None
        self.lands: dict[str, dict[str, Any]] = {}
        self.drawn: frozenset[str] = frozenset()
        self.card = self.executor = ""

    def take_move(self, move: Move) -> None:
        """Make the rows of a move, and that of the position in which it asks for a card."""
        self.drawn = move.drawn
        for at in move.facts:
            for read in _READERS.get(type(at.fact), ()):
                read(self, at)
            self.last = at
        if move.asked == "PlayCard" and self.last is not None:
            _position(self, self.last, "turn", move.seats[0])

    def note(self, table: str, at: Applied, **values: Any) -> None:
        """A row about a fact, with the time of the game at which it happened."""
        self.build.note(f"tm_{table}", at, _when(at.before), **values)

    def complete(self, *, ended: bool) -> None:
        """Make the rows that wait, and, if the match is over, that of its last position."""
        _close_bid(self)
        if self.last is not None:
            _close_battle(self, self.last)
            if ended:
                _position(self, self.last, "end")


def _when(s: State) -> dict[str, int]:
    return {"battle": s.battle, "play": s.plays}


# --------------------------------------------------------------------------- positions


def _position(r: _Reading, at: Applied, kind: str, seat: Seat | None = None) -> None:
    s: State = at.after
    lying = s.territories.values()
    values: dict[str, Any] = {
        "kind": kind,
        "side": next((side for side, name in s.seats.items() if name == seat), None),
        "seat": seat,
        "first": s.first or None,
        "deck": s.deck.size,
        "neutral": sum(land.zone == NEUTRAL for land in lying),
        "state_sha256": public_hash(_public(s)),
    }
    for side in SIDES:
        values[f"seat_{side}"] = s.seats.get(side)
        values[f"supply_{side}"] = s.supply.get(side, 0)
        values[f"cubes_{side}"] = sum(land.cubes(side) for land in lying)
        values[f"hand_{side}"] = len(s.hands.get(side, ()))
        values[f"leads_{side}"] = sum(land.cubes(side) > land.cubes(OPPONENT[side]) for land in lying)
        values[f"sphere_{side}"] = sum(land.zone == SPHERE[side] for land in lying)
        values[f"vp_{side}"] = s.vp.get(side)
        values[f"total_{side}"] = s.totals.get(side, 0)
    r.build.note("tm_positions", at, _when(s), **values, **_lands(s))


def _lands(s: State) -> dict[str, int]:
    """The columns of the territories; none with a card set of the match's own."""
    if not isinstance(s.options.card_set, str):
        return {}
    found: dict[str, int] = {}
    for territory in BUILT_IN:
        name, land = _column_of(territory), s.territories.get(territory)
        found |= {f"{side}_at_{name}": land.cubes(side) if land else 0 for side in SIDES}
        found[f"zone_of_{name}"] = ZONES[land.zone if land else ""]
    return found


def _public(s: State) -> dict[str, Any]:
    """What both sides see, from which the hash of a position is made."""
    return {
        "battle": [s.battle, s.plays, s.first, s.war, s.over],
        "seats": s.seats,
        "territories": plain(s.territories),
        "cuba": s.cuba if s.cuba_open else "",
        "supply": s.supply,
        "vp": [s.vp, s.totals],
    }


# --------------------------------------------------------------------------- territories


def _placed(r: _Reading, at: Applied) -> None:
    fact: f.CubesPlaced = at.fact
    _cubes(r, at, "placed", fact.side, fact.side)


def _removed(r: _Reading, at: Applied) -> None:
    fact: f.CubesRemoved = at.fact
    _cubes(r, at, "removed", fact.side, fact.by)


def _cubes(r: _Reading, at: Applied, what: str, side: Side, by: Side) -> None:
    fact = at.fact
    land = at.before.territories[fact.territory]
    counts = {"before": land.cubes(side), "after": fact.now, "supply": fact.supply}
    zones = {"zone_before": land.zone, "zone_after": land.zone}
    _changed(r, at, what, by, side=side, **counts, **zones)


def _slid(r: _Reading, at: Applied) -> None:
    """A territory slides after its cubes changed, or because of an event alone."""
    fact: f.TerritorySlid = at.fact
    moved = r.last.fact if r.last and r.last.move == at.move else None
    by = r.executor
    if isinstance(moved, f.CubesPlaced | f.CubesRemoved) and moved.territory == fact.territory:
        by = moved.side if isinstance(moved, f.CubesPlaced) else moved.by
    zones = {"zone_before": at.before.territories[fact.territory].zone, "zone_after": fact.zone}
    _changed(r, at, "slid", by, **zones)


def _changed(r: _Reading, at: Applied, what: str, by: Side, **values: Any) -> None:
    cause = "event" if by == r.executor else "command"
    about = {"territory": at.fact.territory, "what": what, "by": by, "card": r.card, "cause": cause}
    r.note("influence", at, **about, **values)


def _territories_scored(r: _Reading, at: Applied) -> None:
    fact: scored.TerritoriesScored = at.fact
    s: State = at.before
    owners = {**dict.fromkeys(fact.us, US), **dict.fromkeys(fact.ussr, USSR)}
    for territory, land in s.territories.items():
        values = {"territory": territory, "zone": land.zone, "controller": owners.get(territory)}
        r.lands[territory] = values | {f"cubes_{side}": land.cubes(side) for side in SIDES}
    _in_battle(r, territories_us=len(fact.us), territories_ussr=len(fact.ussr))


def _military_scored(r: _Reading, at: Applied) -> None:
    fact: scored.MilitaryScored = at.fact
    counts_for = {**dict.fromkeys(fact.us, US), **dict.fromkeys(fact.ussr, USSR)}
    for territory, values in r.lands.items():
        card = at.before.cuba if territory == CUBA else territory
        face = face_of(at.before, card)
        more = {
            "card": card,
            "alignment": face.alignment,
            "colour": face.defcon,
            "military": counts_for.get(territory),
        }
        r.note("territories", at, **values, **more)
    r.lands = {}
    _in_battle(r, military=fact.winner)


# --------------------------------------------------------------------------- draws


def _drawn(r: _Reading, at: Applied, kind: str, items: Cards, side: Side | None) -> None:
    """Those of `items` that chance picked in this match, from the cards of the deck without a fixed place."""
    s: State = at.before
    expected = mean([face_of(s, card).command for card in s.deck.cards])
    for item in items:
        if item in r.drawn:
            of = {"of": s.deck.loose, "value": face_of(s, item).command, "value_expected": expected}
            r.note("draws", at, kind=kind, side=side, item=item, **of)


def _card(r: _Reading, at: Applied, card: str, what: str, side: Side | None, zone: str | None = None) -> None:
    seat = at.after.seats.get(side) if side else None
    r.note("cards", at, card=card, side=side, seat=seat, what=what, zone=zone)


def _dealt(r: _Reading, at: Applied) -> None:
    fact: f.HandDealt = at.fact
    _drawn(r, at, "hand", fact.cards, fact.side)
    for card in fact.cards:
        _card(r, at, card, "dealt", fact.side)


def _cuba_dealt(r: _Reading, at: Applied) -> None:
    _drawn(r, at, "cuba", (at.fact.card,), None)
    _card(r, at, at.fact.card, "became_cuba", None)


def _card_drawn(r: _Reading, at: Applied) -> None:
    fact: f.CardDrawn = at.fact
    if not at.before.deck.top:
        _drawn(r, at, "card", (fact.card,), fact.side)
    _card(r, at, fact.card, "drawn", fact.side)


def _top_seen(r: _Reading, at: Applied) -> None:
    fact: f.TopSeen = at.fact
    if not at.before.deck.top:
        _drawn(r, at, "top", (fact.card,), fact.side)
    _card(r, at, fact.card, "seen", fact.side)


# --------------------------------------------------------------------------- cards


def _card_played(r: _Reading, at: Applied) -> None:
    fact: f.CardPlayed = at.fact
    r.card, r.executor = fact.card, ""
    _card(r, at, fact.card, "played", fact.side, fact.zone)


def _event_used(r: _Reading, at: Applied) -> None:
    r.executor = at.fact.side
    _card(r, at, at.fact.card, "event", at.fact.side)


def _event_declined(r: _Reading, at: Applied) -> None:
    _card(r, at, at.fact.card, "no_event", at.fact.side)


def _command_declined(r: _Reading, at: Applied) -> None:
    _card(r, at, at.fact.card, "no_command", at.fact.side)


def _cuba_seen(r: _Reading, at: Applied) -> None:
    _card(r, at, at.fact.card, "seen", at.fact.side)


def _hand_seen(r: _Reading, at: Applied) -> None:
    for card in at.fact.cards:
        _card(r, at, card, "seen", at.fact.side)


def _exchanged(r: _Reading, at: Applied) -> None:
    fact: f.TopExchanged = at.fact
    _card(r, at, fact.given, "given", fact.side)
    _card(r, at, fact.taken, "taken", fact.side)


def _cuba_turned(r: _Reading, at: Applied) -> None:
    _card(r, at, at.fact.card, "turned", None)


def _last_cards(r: _Reading, at: Applied) -> None:
    for side, card in ((US, at.fact.us), (USSR, at.fact.ussr)):
        _card(r, at, card, "kept", side)
    _in_battle(r, matched=False)


def _last_cards_placed(r: _Reading, at: Applied) -> None:
    for side, card in ((US, at.fact.us), (USSR, at.fact.ussr)):
        _card(r, at, card, "placed", side, SPHERE[side])
    _in_battle(r, matched=True)


# --------------------------------------------------------------------------- bids and battles


def _bids_opened(r: _Reading, at: Applied) -> None:
    _close_bid(r)
    fact: f.BidsOpened = at.fact
    bids = {"bid_us": fact.us, "bid_ussr": fact.ussr, "higher": fact.higher}
    r.bid = (at, {"round": fact.round, **bids})


def _bids_lost(r: _Reading, at: Applied) -> None:
    supply: dict[Side, int] = at.before.supply
    _in_battle(r, spent_us=supply[US] - at.fact.us, spent_ussr=supply[USSR] - at.fact.ussr)


def _first_chosen(r: _Reading, at: Applied) -> None:
    _settled(r, at, "chosen")


def _first_drawn(r: _Reading, at: Applied) -> None:
    if at.fact.first in r.drawn:
        r.note("draws", at, kind="first", item=at.fact.first, of=len(SIDES))
    _settled(r, at, "drawn")


def _settled(r: _Reading, at: Applied, how: str) -> None:
    if r.bid is not None:
        r.bid[1].update(first=at.fact.first, how=how)
    _close_bid(r)
    _in_battle(r, first=at.fact.first)


def _close_bid(r: _Reading) -> None:
    if r.bid is not None:
        at, values = r.bid
        r.note("bids", at, **values)
        r.bid = None


def _battle_began(r: _Reading, at: Applied) -> None:
    fact: f.BattleBegan = at.fact
    seats = {f"seat_{side}": fact.seats[side] for side in SIDES}
    none = {f"spent_{side}": 0 for side in SIDES}
    r.battle = {**seats, **none, "card_set": fact.card_set, "complete": False}


def _in_battle(r: _Reading, **values: Any) -> None:
    if r.battle is not None:
        r.battle.update(values)


def _aftermath(r: _Reading, at: Applied) -> None:
    fact: scored.AftermathScored = at.fact
    _in_battle(r, aftermath_us=fact.us, aftermath_ussr=fact.ussr, aftermath=fact.winner)


def _war_checked(r: _Reading, at: Applied) -> None:
    _in_battle(r, war=at.fact.started or None)


def _battle_ended(r: _Reading, at: Applied) -> None:
    fact: scored.BattleEnded = at.fact
    totals = {f"total_{seat}": points for seat, points in fact.totals.items()}
    points = {"vp_us": fact.us_vp, "vp_ussr": fact.ussr_vp, "winner": fact.winner}
    _in_battle(r, complete=True, **points, **totals)
    _close_battle(r, at)
    _position(r, at, "battle_end")


def _close_battle(r: _Reading, at: Applied) -> None:
    if r.battle is not None:
        r.build.note("tm_battles", at, _when(at.after), **r.battle)
        r.battle = None


_Reader = Callable[[_Reading, Applied], None]

_READERS: dict[type[Any], tuple[_Reader, ...]] = {
    f.BattleBegan: (_battle_began,),
    f.BidsLost: (_bids_lost,),
    f.BidsOpened: (_bids_opened,),
    f.CardDrawn: (_card_drawn,),
    f.CardPlayed: (_card_played,),
    f.CommandDeclined: (_command_declined,),
    f.CubaDealt: (_cuba_dealt,),
    f.CubaSeen: (_cuba_seen,),
    f.CubesPlaced: (_placed,),
    f.CubesRemoved: (_removed,),
    f.EventDeclined: (_event_declined,),
    f.EventUsed: (_event_used,),
    f.FirstPlayerChosen: (_first_chosen,),
    f.FirstPlayerDrawn: (_first_drawn,),
    f.HandDealt: (_dealt,),
    f.HandSeen: (_hand_seen,),
    f.TerritorySlid: (_slid,),
    f.TopExchanged: (_exchanged,),
    f.TopSeen: (_top_seen,),
    scored.AftermathScored: (_aftermath,),
    scored.BattleEnded: (_battle_ended,),
    scored.CubaTurned: (_cuba_turned,),
    scored.LastCardsPlaced: (_last_cards_placed,),
    scored.LastCardsRevealed: (_last_cards,),
    scored.MilitaryScored: (_military_scored,),
    scored.TerritoriesScored: (_territories_scored,),
    scored.WarChecked: (_war_checked,),
}
"""What reads each kind of fact; the other kinds leave no rows of their own."""
