"""The columns of the tables of Imperial Struggle; `imperial_struggle` has the rows.

A turn is a peace turn; what happens in a war has the number of the turn before it, and the id of the war.
Numbers in brackets are sections of book 001.
"""

from __future__ import annotations

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BOARD, BR, FR, GOODS, REGIONS, SIDES
from replay.tables.line import STATE_HASH, WHERE
from replay.tables.schema import Column, Table, Type

NAMES = GAME.texts["en"].names
OWNERS = {None: 0, BR: 1, FR: 2, "spain": 3, "usa": 4}
"""How the columns `at_` of `is_positions` write the owner of a space."""
SOURCES = ("tiles", "alliances", "keywords", "conflicts", "squadrons", "forts", "byng", "dominance")
"""What gives strength in a theatre (7.1.3)."""

# --------------------------------------------------------------------------- columns

TURN = Column("turn", "UTINYINT", "The peace turn, or the one before the war; 0 before the first turn.")
WAR = Column("war", "VARCHAR", "The war that is being fought; missing in peace.")
ROUND = Column("round", "UTINYINT", "The action round of the turn, from 1; 0 outside of action rounds.")
WHEN = (*WHERE, TURN, WAR, ROUND)
IN_PEACE = (*WHERE, TURN, ROUND)
IN_WAR = (*WHERE, TURN, WAR)


def _each(name: str, type: Type, meaning: str, unit: str = "") -> tuple[Column, ...]:
    """A column for each side; `{side}` in the meaning becomes its name."""
    return tuple(Column(f"{name}_{side}", type, meaning.format(side=NAMES[side]), unit) for side in SIDES)


def _table(name: str, meaning: str, *columns: Column) -> Table:
    return Table(f"is_{name}", GAME.name, meaning, columns)


POSITIONS = _table(
    "positions",
    "A position: at the start of an action round, at the end of a turn, before the display of a war is"
    " cleared, and at the end of the match.",
    *WHEN,
    Column("kind", "VARCHAR", "Which position it is: round, turn_end, war_end or end."),
    Column("seat", "VARCHAR", "The side whose action round begins; missing elsewhere."),
    Column(
        "vp", "SMALLINT", "Where the marker of victory points stands: above 15 France leads (2.4).", "points"
    ),
    Column("initiative", "VARCHAR", "The side that holds the initiative (4.1.8)."),
    Column("first", "VARCHAR", "The side that plays first in this turn (4.1.8)."),
    *_each("debt", "UTINYINT", "The Debt of {side} (6).", "points"),
    *_each("limit", "UTINYINT", "The Debt Limit of {side} (6).", "points"),
    *_each("treaty", "UTINYINT", "The Treaty Points of {side} (4.1.10).", "points"),
    *_each("navy", "UTINYINT", "The Squadrons of {side} in the Navy Box.", "squadrons"),
    *_each("unbuilt", "UTINYINT", "The Squadrons of {side} that are not built.", "squadrons"),
    *_each("away", "UTINYINT", "The Squadrons of {side} on the Turn Track.", "squadrons"),
    *_each("hand", "UTINYINT", "The event cards in the hand of {side}.", "cards"),
    *_each("advantages", "UTINYINT", "The advantages that {side} holds.", "tiles"),
    *_each("ministries", "VARCHAR[]", "The open ministries of {side}."),
    Column("deck", "UTINYINT", "The cards in the draw pile of event cards.", "cards"),
    Column("discards", "UTINYINT", "The event cards in the discard pile.", "cards"),
    Column("removed", "UTINYINT", "The event cards that have left the game.", "cards"),
    Column("conflicts", "UTINYINT", "The Conflict markers on the board.", "markers"),
    Column("damaged", "UTINYINT", "The damaged Forts.", "forts"),
    Column("demand", "VARCHAR[]", "The goods in Global Demand (4.1.4)."),
    Column("display", "VARCHAR", "The war whose display is laid out: the next one, or the present one."),
    *(
        column
        for region in REGIONS
        for column in _each(
            f"flags_{region}",
            "UTINYINT",
            f"The spaces of {NAMES[region]} with a flag or Squadron of {{side}}.",
            "spaces",
        )
    ),
    *(
        column
        for good in GOODS
        for column in _each(
            f"markets_{good}", "UTINYINT", f"The markets of {NAMES[good]} with a flag of {{side}}.", "spaces"
        )
    ),
    *_each("prestige", "UTINYINT", "The Prestige spaces with a flag of {side}.", "spaces"),
    *(
        Column(
            f"at_{space}",
            "UTINYINT",
            f"The owner of {NAMES[space]}: 0 no side, 1 Britain, 2 France, 3 Spain, 4 the USA.",
        )
        for space in BOARD
    ),
    STATE_HASH,
)

FLAGS = _table(
    "flags",
    "A change of the flag or Squadron in a space; the first rows of a match are the set-up.",
    *WHEN,
    Column("seat", "VARCHAR", "The side whose action round it is; missing elsewhere."),
    Column("space", "VARCHAR", "The space."),
    Column("kind", "VARCHAR", "What the space is: political, market, territory, naval or fort."),
    Column("region", "VARCHAR", "The Region of the space."),
    Column("before", "VARCHAR", "The owner before: br, fr, spain or usa; missing if there was none."),
    Column("after", "VARCHAR", "The owner after; missing if there is none."),
    Column(
        "cause",
        "VARCHAR",
        "What led to it: setup, the verb that points paid for (as in is_payments), card (an event, a ministry"
        " or an advantage), war, or other.",
    ),
)

DRAWS = _table(
    "draws",
    "A card, tile, good or side that chance picked; in a branch, since it began.",
    *IN_PEACE,
    Column(
        "kind",
        "VARCHAR",
        "What was drawn: event, investment, award, good, basic or bonus (a war tile), returned (a Bonus tile"
        " that goes back) or tie (equal bids).",
    ),
    Column("side", "VARCHAR", "The side that drew; missing if the draw is for both."),
    Column("item", "VARCHAR", "What was drawn."),
    Column("of", "UTINYINT", "From how many it was drawn; several drawn together count from the same pool."),
    Column(
        "value",
        "TINYINT",
        "The printed number: strength of a war tile, points of the Major action of an investment tile,"
        " victory points of an award; missing for the rest.",
        "points",
    ),
    Column("value_expected", "DOUBLE", "The mean of that number over all that could be drawn.", "points"),
)

CARDS = _table(
    "cards",
    "A movement of an event card.",
    *IN_PEACE,
    Column("card", "VARCHAR", "The event card."),
    Column("seat", "VARCHAR", "The side whose hand it came to or from; missing if it was in no hand."),
    Column(
        "what",
        "VARCHAR",
        "What happened: added (to the draw pile), dealt, laid_aside (face down, 4.1.6), discarded, played,"
        " retired (its era is over, 4.1.1) or reshuffled.",
    ),
    Column(
        "how",
        "VARCHAR",
        "More about it: the era that adds it, the card that discards it, bonus or plain for an event that is"
        " played, and the place (deck, discards, hand) that it is retired from.",
    ),
)

MINISTRIES = _table(
    "ministries",
    "What happens to a ministry, and each use of an ability.",
    *IN_PEACE,
    Column("seat", "VARCHAR", "The side of the ministry."),
    Column("ministry", "VARCHAR", "The ministry."),
    Column(
        "what",
        "VARCHAR",
        "What happened: chosen (face down, 4.1.7), revealed, used, added (7.3), returned (a new era) or left"
        " (the game).",
    ),
    Column("ability", "VARCHAR", "The ability that is used; missing elsewhere."),
    Column("exhausts", "BOOLEAN", "Whether the use exhausts the ability for this turn; missing elsewhere."),
)

ADVANTAGES = _table(
    "advantages",
    "What happens to an advantage.",
    *WHEN,
    Column("seat", "VARCHAR", "The side that takes, loses or uses it; missing if no side does."),
    Column("advantage", "VARCHAR", "The advantage."),
    Column("what", "VARCHAR", "What happened: taken, returned, used, exhausted (not by a use) or refreshed."),
    Column("exhausts", "BOOLEAN", "Whether a use exhausts it; missing elsewhere."),
)

CHANGES = _table(
    "tracks",
    "A change of victory points, Debt, Debt Limit or Treaty Points.",
    *WHEN,
    Column(
        "side", "VARCHAR", "The side that gains victory points, or whose Debt, limit or Treaty Points change."
    ),
    Column("track", "VARCHAR", "Which track: vp, debt, limit or treaty."),
    Column("by", "SMALLINT", "The change; victory points that a side gains are above 0.", "points"),
    Column("before", "SMALLINT", "Where the marker stood.", "points"),
    Column(
        "after", "SMALLINT", "Where the marker stands; that of victory points rises for France.", "points"
    ),
    Column("why", "VARCHAR", "The card, tile, good, theatre or rule that changes it."),
)

TURNS = _table(
    "turns",
    "A side in a part of the match: the set-up, a peace turn, a war, or the final scoring.",
    *IN_WAR,
    Column("kind", "VARCHAR", "The part: setup, peace, war or final; the row stands at its last fact."),
    Column("side", "VARCHAR", "The side."),
    Column("vp", "SMALLINT", "The victory points that the side gained in this part.", "points"),
    Column("debt_before", "UTINYINT", "Its Debt when the part began.", "points"),
    Column("debt_taken", "SMALLINT", "The Debt that it took.", "points"),
    Column("debt_reduced", "SMALLINT", "The Debt that it lost.", "points"),
    Column("debt_after", "UTINYINT", "Its Debt at the end of the part.", "points"),
    Column("limit_after", "UTINYINT", "Its Debt Limit at the end of the part.", "points"),
    Column("treaty_before", "UTINYINT", "Its Treaty Points when the part began.", "points"),
    Column("treaty_gained", "SMALLINT", "The Treaty Points that it gained.", "points"),
    Column("treaty_lost", "SMALLINT", "The Treaty Points that it spent or lost.", "points"),
    Column("treaty_after", "UTINYINT", "Its Treaty Points at the end of the part.", "points"),
    Column(
        "spaces_before", "UTINYINT", "Its flags and Squadrons on the board when the part began.", "spaces"
    ),
    Column("spaces_after", "UTINYINT", "Its flags and Squadrons on the board at the end.", "spaces"),
)

SCORED = _table(
    "awards",
    "Something that is scored by comparing both sides (4.1.12 and 11.0).",
    *IN_PEACE,
    Column(
        "kind",
        "VARCHAR",
        "What is compared: region, prestige, good, debt (11.0), territories (11.0) or event (a card).",
    ),
    Column("name", "VARCHAR", "The Region, good or card; missing where there is only one."),
    Column("final", "BOOLEAN", "Whether it is part of the final scoring (11.0)."),
    Column("award", "VARCHAR", "The award tile of the Region; missing elsewhere."),
    *_each("spaces", "SMALLINT", "What {side} has: spaces, markets, Available Debt, or Territories taken."),
    Column("winner", "VARCHAR", "The side that wins it; missing for a tie or too small a lead."),
    Column("vp", "TINYINT", "The victory points that it brings.", "points"),
    Column("treaty", "TINYINT", "The Treaty Points that it brings.", "points"),
    Column("debt", "TINYINT", "The Debt that it brings; below 0 it reduces Debt.", "points"),
    Column("ministries", "VARCHAR[]", "The ministries that changed what the award brings."),
)

THEATRES = _table(
    "wars",
    "A theatre of a war that is decided (7.1 and 7.2).",
    *IN_WAR,
    Column("theatre", "VARCHAR", "The theatre."),
    *_each("shown", "VARCHAR[]", "The war tiles of {side}, the Basic one first."),
    *_each("strength", "SMALLINT", "The strength of {side}.", "strength"),
    *(
        column
        for source in SOURCES
        for column in _each(source, "TINYINT", f"What {source} give {{side}}.", "strength")
    ),
    Column("winner", "VARCHAR", "The side that wins the theatre; missing for a tie."),
    Column("margin", "SMALLINT", "By how much the winner is stronger.", "strength"),
    Column(
        "vp", "TINYINT", "The victory points of the winner; missing if the theatre brings nothing.", "points"
    ),
    Column("conquest", "TINYINT", "The conquest points of the winner.", "points"),
    Column("treaty", "TINYINT", "The Treaty Points of the loser.", "points"),
)

CONQUESTS = _table(
    "conquests",
    "A use of conquest points, and each refusal to give up a Territory (7.2.1 and 7.2.2).",
    *IN_WAR,
    Column("theatre", "VARCHAR", "The theatre that brought the points."),
    Column("seat", "VARCHAR", "The side that spends the points, or that keeps its Territory."),
    Column("what", "VARCHAR", "What happened: claimed (a space), resisted (kept by its owner) or unspent."),
    Column("space", "VARCHAR", "The space; missing for unspent points."),
    Column("owner", "VARCHAR", "The owner of a claimed space; missing if it was empty."),
    Column("points", "TINYINT", "The conquest points; missing for a refusal.", "points"),
)

TILES = _table(
    "tiles",
    "A movement of a war tile (3.7 and 7).",
    *WHEN,
    Column("side", "VARCHAR", "The side of the tile."),
    Column("tile", "VARCHAR", "The war tile."),
    Column("set", "VARCHAR", "Its set: basic or bonus."),
    Column("value", "TINYINT", "Its printed strength.", "strength"),
    Column("symbol", "VARCHAR", "Its symbol: debt, strike or unflag; missing if it has none."),
    Column("display", "VARCHAR", "The war on whose display it lies."),
    Column("theatre", "VARCHAR", "The theatre that it comes to or leaves; missing elsewhere."),
    Column(
        "what",
        "VARCHAR",
        "What happened: drawn, laid (in a theatre), moved (to another one), returned (to its pool), revealed,"
        " or removed (from the game).",
    ),
)

ROUNDS = _table(
    "rounds",
    "An action round of a side; the row stands at its beginning.",
    *IN_PEACE,
    Column("seat", "VARCHAR", "The side."),
    Column("tile", "VARCHAR", "The investment tile that it took."),
    Column("major", "VARCHAR", "The type of the Major action of the tile."),
    Column("minor", "VARCHAR", "The type of the Minor action of the tile."),
    Column("event", "VARCHAR", "The event that it played; missing if it played none."),
    Column("bonus", "BOOLEAN", "Whether the event gave its bonus; missing without an event."),
    Column("upgrade", "BOOLEAN", "Whether it used the military upgrade of the tile."),
    Column("passed", "BOOLEAN", "Whether it used nothing of the tile."),
    Column("purchases", "UTINYINT", "How many things it bought.", "purchases"),
    Column(
        "economic", "SMALLINT", "The economic points that it paid, Debt and Treaty Points included.", "points"
    ),
    Column("diplomatic", "SMALLINT", "The diplomatic points that it paid, in the same way.", "points"),
    Column("military", "SMALLINT", "The military points that it paid, in the same way.", "points"),
    Column("debt", "SMALLINT", "The Debt that it took to pay.", "points"),
)

PAYMENTS = _table(
    "payments",
    "Something that points bought (5).",
    *IN_PEACE,
    Column("seat", "VARCHAR", "The side that paid."),
    Column(
        "verb", "VARCHAR", "What it did: flag, unflag, draw, buy, clear, build, repair, seize, construct, …"
    ),
    Column("space", "VARCHAR", "The space; missing if it has none."),
    Column("region", "VARCHAR", "The Region into which the points went; missing if into none."),
    Column("type", "VARCHAR", "The type of the points: economic, diplomatic or military."),
    Column("cost", "SMALLINT", "What it cost, Debt and Treaty Points included.", "points"),
    Column("minor", "BOOLEAN", "Whether the Minor action paid."),
    Column("debt", "SMALLINT", "The Debt in it.", "points"),
)

BIDS = _table(
    "bids",
    "The bids for the sides of a match with the option `bid` (7.4); the row stands at the result.",
    *WHERE,
    Column("side", "VARCHAR", "The side that both players wanted."),
    *_each("bid", "UTINYINT", "The Treaty Points that the player who sat down as {side} bid.", "points"),
    Column("exchanged", "BOOLEAN", "Whether each player now plays the seat of the other."),
    Column("gift", "UTINYINT", "The Treaty Points that the other side gets.", "points"),
)

TABLES: tuple[Table, ...] = (
    POSITIONS,
    FLAGS,
    DRAWS,
    CARDS,
    MINISTRIES,
    ADVANTAGES,
    CHANGES,
    TURNS,
    SCORED,
    THEATRES,
    CONQUESTS,
    TILES,
    ROUNDS,
    PAYMENTS,
    BIDS,
)
"""The tables of the game."""
