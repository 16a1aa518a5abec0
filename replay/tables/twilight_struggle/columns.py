"""The tables of Twilight Struggle: their columns, types and meanings; `rows` of this package fills them.

Sections of the rules are those of book 003 (Deluxe edition).
"""

from __future__ import annotations

from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import MAP, REGIONS, SIDES
from replay.tables.schema import Column, Table, Type

NAMES = GAME.texts["en"].names
_STANDS = "the number of the move, from 1; moves that were taken back have no rows"
_SIDE = {"us": "US", "ussr": "USSR"}

MATCH = Column("match", "VARCHAR", "the id of the match")
MOVE = Column("move", "INTEGER", _STANDS)
PLACE = Column("place", "INTEGER", "the place of the fact in its move, from 0, as in the table `facts`")
TURN = Column("turn", "UTINYINT", "the turn of the game; 0 in the set-up", "turns")
ROUND = Column("round", "UTINYINT", "the action round; 0 outside the action rounds (4.5 D)", "rounds")
WHERE = (MATCH, MOVE, PLACE, TURN)


def _table(name: str, meaning: str, *columns: Column) -> Table:
    return Table(f"ts_{name}", GAME.name, meaning, columns)


def _text(name: str, meaning: str) -> Column:
    return Column(name, "VARCHAR", meaning)


def _count(name: str, meaning: str, unit: str, type: Type = "UTINYINT") -> Column:
    return Column(name, type, meaning, unit)


def _flag(name: str, meaning: str) -> Column:
    return Column(name, "BOOLEAN", meaning)


def _both(name: str, type: Type, meaning: str, unit: str = "") -> tuple[Column, ...]:
    """A column for each side; {side} in the meaning becomes its name."""
    return tuple(Column(f"{name}_{side}", type, meaning.format(side=_SIDE[side]), unit) for side in SIDES)


def _rules(what: str) -> Column:
    return Column("rules", "VARCHAR", f"the rules version that computed {what}")


def _countries() -> tuple[Column, ...]:
    """Influence of each side, then control, of the 84 countries in the order of the map."""
    held = tuple(
        Column(f"{side}_{id}", "UTINYINT", f"the {_SIDE[side]} influence in {NAMES[id]}", "influence")
        for side in SIDES
        for id in MAP
    )
    control = tuple(
        Column(
            f"ctl_{id}",
            "UTINYINT",
            f"who controls {NAMES[id]} by the rules version in `rules` (2.1.7): 0 neither, 1 US, 2 USSR",
        )
        for id in MAP
    )
    return held + control


POSITIONS = _table(
    "positions",
    "One row is a position: the table when an action round begins, when a turn has ended, and at the end.",
    *WHERE,
    _text("kind", "round: an action round begins; turn_end: a turn has ended; end: nothing more was played"),
    ROUND,
    _text("phasing", "the side whose action round, or headline, it is; null between turns"),
    Column("vp", "SMALLINT", "the victory point marker, above 0 for the US (10.2)", "victory points"),
    Column("defcon", "UTINYINT", "the DEFCON level (8.1)", "levels, 5 to 1"),
    *_both("mil", "UTINYINT", "the Military Operations of the {side} in this turn (8.2)", "points"),
    *_both("space", "UTINYINT", "the box of the {side} on the Space Race (6.4)", "boxes"),
    _text("china", "the side that has the China Card; null: neither has it yet"),
    _flag("china_ready", "the China Card lies face up, so that it may be played"),
    *_both("hand", "UTINYINT", "the cards in the hand of the {side}; null in an imported match", "cards"),
    Column("deck", "UTINYINT", "the cards in the deck", "cards"),
    Column("discards", "UTINYINT", "the cards in the discard pile", "cards"),
    *_countries(),
    *(
        Column(
            f"bg_{region}_{side}",
            "UTINYINT",
            f"the battlegrounds of {NAMES[region]} that the {_SIDE[side]} controls, by `rules`",
            "countries",
        )
        for region in REGIONS
        for side in SIDES
    ),
    _text(
        "state_sha256",
        "the SHA-256 of the public part of the position: turn, round, tracks, influence, discards, removed"
        " cards and what is in force; equal positions of all matches have the same",
    ),
    _rules("the columns `ctl_` and `bg_`"),
)

INFLUENCE = _table(
    "influence",
    "One row is a change of the influence of one side in one country.",
    *WHERE,
    _text("side", "the side whose influence changed"),
    _text("country", "the country, or `chinese_civil_war` for the box of that variant (12)"),
    _count("before", "the influence before the change", "influence"),
    _count("after", "the influence after the change", "influence"),
    _text("card", "the card that was played for operations or whose event it was; null: no card"),
    _text(
        "cause",
        "ops: placed with operations (6.1); event; coup (6.3); realign (6.2); setup: free influence (3);"
        " bid and handicap: extra influence (11.4); ransom: paid to end the Cuban Missile Crisis; printed: on"
        " the map before the first move; stated: set from the record of an imported match.  In the moves that"
        " a branch took over, operations that an event grants count as event",
    ),
)

ROLLS = _table(
    "rolls",
    "One row is a roll of one die, or of one die for each side.",
    *WHERE,
    _text(
        "kind",
        "coup (6.3), realign (6.2), war (7.6), space (6.4), trap (Quagmire, Bear Trap), contest (Olympic"
        " Games, Summit)",
    ),
    _text("seat", "the side that rolls: it attempts the coup, or its event it is"),
    _text("card", "the card played for it; for a trap the trap; null if the log does not say it"),
    _text("country", "the target; null for space, trap and contest"),
    *_both("face", "UTINYINT", "the die of the {side}; null if it did not roll", "1 to 6"),
    Column(
        "modifier",
        "TINYINT",
        "what is added to the roller's die, less what is added to the other side's; for a coup without the"
        " operations and twice the stability",
        "pips",
    ),
    _count("ways", "how many of the possible throws succeed, by `rules`; null if they cannot say", "throws"),
    _count("of", "how many throws are possible: 6, or 36 for a pair", "throws"),
    _flag(
        "success",
        "the enemy lost influence (coup, realign), the war or contest was won, the box was reached, the trap"
        " was escaped",
    ),
    Column(
        "value",
        "SMALLINT",
        "what the roll brought its side: influence gained plus enemy influence removed (coup), enemy"
        " influence removed less own lost (realign), victory points (war, space, contest; below 0: they"
        " went to the enemy), 1 for an escape (trap)",
        "influence or victory points",
    ),
    Column(
        "value_expected",
        "DOUBLE",
        "the mean of `value` over all throws, by the chances that `rules` show with the question; a tie that"
        " is rolled again counts 0, and the next roll has its own row",
        "influence or victory points",
    ),
    Column(
        "luck_vp",
        "DOUBLE",
        "`value` - `value_expected`, a point of influence as a victory point; null for a trap; luck in win"
        " probability depends on a model of the whole data set, and `glasnost luck` computes it",
        "points",
    ),
    _rules("`ways`, `of`, `value_expected` and `luck_vp`"),
)

CARDS = _table(
    "cards",
    "One row is a movement of a card, or a look at it; an imported match has none for hidden cards.",
    *WHERE,
    ROUND,
    _text("card", "the card"),
    _text("seat", "the side that plays, holds, gets or shows it; null if it lies in no hand"),
    _text(
        "what",
        "dealt, played, headline (turned up), shown (to the opponent), seen (looked at in the deck),"
        " discarded, removed, in_force (laid beside the board), reshuffled (into the deck), passed (to the"
        " other side), retrieved (from the discards)",
    ),
    _text(
        "how",
        "played: event, event_first, influence, coup, realign, space, cancelled, discard, given or revived;"
        " else the card or the rule that led to it, or null",
    ),
    _text("holder", "played: the side from whose hand the card came; else null"),
)

HOLDINGS = _table(
    "holdings",
    "One row is a card in a hand, from the move that brought it to the move with which it left; the China"
    " Card is not counted.  Imported matches have none.",
    MATCH,
    _text("card", "the card"),
    _text("seat", "the side that held it"),
    _text("came", "dealt, retrieved (from the discards), passed (Missile Envy)"),
    Column("dealt_move", "INTEGER", _STANDS),
    _count("dealt_turn", "the turn in which it came; the deal of the set-up counts as turn 1", "turns"),
    Column("gone_move", "INTEGER", "the move with which it left the hand; null: it was held to the end"),
    _count("gone_turn", "the turn in which it left; null: it was held to the end", "turns"),
    _text("how", "how it left: `how` of `ts_cards` if it was played, else headline or discarded"),
    _count("turns_held", "gone_turn - dealt_turn; null: it was held to the end", "turns"),
)

HEADLINES = _table(
    "headlines",
    "One row is a headline of one side (4.5 C), also if the side had no card for one.",
    *WHERE,
    _text("seat", "the side"),
    _text("card", "its headline; null: it had no card that can be one"),
    _text("other", "the headline of the other side; null: it had none"),
    _count("number", "1: resolved first, 2: second; null if it was not resolved", "headlines"),
    _text("fate", "happened, barred (the event could not happen), cancelled (Defectors), none, unresolved"),
)

SCORINGS = _table(
    "scorings",
    "One row is a scoring of one region (10.1), by a card or at the end of the game.",
    *WHERE,
    ROUND,
    _text("region", "the region"),
    _text("card", "the card; null in the final scoring"),
    _flag("final", "the final scoring after turn 10 (10.3.2)"),
    *_both("status", "VARCHAR", "what the {side} has: none, presence, domination or control"),
    *_both("countries", "UTINYINT", "the countries that the {side} controls", "countries"),
    *_both("battlegrounds", "UTINYINT", "the battlegrounds among them that count", "countries"),
    *_both("points", "TINYINT", "the points of the {side}", "victory points"),
    Column("net", "TINYINT", "points of the US less those of the USSR", "victory points"),
    Column("vp_before", "SMALLINT", "the victory point marker before the scoring", "victory points"),
    _text("left_out", "the battleground that Shuttle Diplomacy left out for the USSR; null: none"),
)

BIDS = _table(
    "bids",
    "One row is a bid for the sides (11.4; the auction: book 000, 11.1.3), or their settling.",
    *WHERE,
    _text("kind", "sealed, raised, passed, or settled: the sides are known"),
    _text("seat", "the seat that bids, as the players sat down; null for settled"),
    _text("side", "the superpower of the bid; settled: the side that gets the extra influence; null: passed"),
    _count("points", "influence (sealed, settled) or victory points (raised); null: passed", "points"),
    _flag("exchanged", "settled: the two players change seats; else null"),
)

EFFECTS = _table(
    "effects",
    "One row is an effect in force, from the move that began it to the move that ended it.",
    *WHERE,
    _text(
        "kind",
        "turn: to the end of the turn; lasting: a card beside the board; burial: We Will Bury You waits for"
        " the US; owed: Missile Envy must be played",
    ),
    _text("card", "the card"),
    _text("seat", "the side for which it is in force; null: not for one side"),
    _text("region", "the region that was named; null: none"),
    Column("ended_move", "INTEGER", "the move that ended it; null: it was in force to the end"),
    _count("ended_turn", "the turn in which it ended; null: it was in force to the end", "turns"),
    _text("ended_by", "the card or rule that ended it early; null: the end of the turn, or not said"),
)

SPACE_RACE = _table(
    "space",
    "One row is an attempt at a box of the Space Race (6.4), or a move of a marker there by an event.",
    *WHERE,
    ROUND,
    _text("seat", "the side"),
    _text("card", "the card"),
    _text("how", "rolled, declined (spent without a roll, an optional rule), event"),
    _count("box", "the box that was attempted, or reached by the event; null: declined", "boxes"),
    _count("roll", "the die; null without a roll", "1 to 6"),
    _count("need", "the highest die that succeeds; null without a roll", "1 to 6"),
    _flag("success", "the marker moved"),
    _count("vp", "the victory points that the side gained by it", "victory points"),
)

CHANCES = _table(
    "chances",
    "One row is a possible outcome of an option whose odds were shown with the question; of closed matches"
    " only, never of imported ones.",
    MATCH,
    MOVE,
    _text("seat", "the side that was asked"),
    _text("ask", "the question"),
    _text("option", "the option"),
    _flag("picked", "the option was picked"),
    _text(
        "outcome",
        "what changes, as a JSON object: influence by side, vp, won, box, escaped, nuclear_war or"
        " cuban_missile_crisis; {} is no change",
    ),
    _count("ways", "how many throws bring this outcome", "throws"),
    _count("of", "how many throws are possible", "throws"),
    _rules("the options and their chances"),
)

TABLES = (
    POSITIONS,
    INFLUENCE,
    ROLLS,
    CARDS,
    HOLDINGS,
    HEADLINES,
    SCORINGS,
    BIDS,
    EFFECTS,
    SPACE_RACE,
)
"""The tables of every match; `CHANCES` is made on demand."""
