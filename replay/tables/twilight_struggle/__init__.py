"""The tables of Twilight Struggle: positions, influence, rolls, cards and what else a match leaves.

`TABLES` describes them (`columns`), `rows` fills those of one match.  `walk` folds the line of play that
stands once; each table reads from it the facts that it needs: `positions`, `board`, `cards` and `rolls`.
`CHANCES` and `chances` are made on demand: they take longer than all others together.
"""

from __future__ import annotations

from domain.match import Match
from replay.tables.schema import Rows
from replay.tables.twilight_struggle.board import Bids, Effects, Influence, Scorings, SpaceRace
from replay.tables.twilight_struggle.cards import Cards, Headlines, Holdings
from replay.tables.twilight_struggle.columns import CHANCES, TABLES
from replay.tables.twilight_struggle.positions import Positions
from replay.tables.twilight_struggle.rolls import Rolls, chances
from replay.tables.twilight_struggle.walk import Collector, Reader, walk


def rows(match: Match) -> Rows:
    """Return the rows of a match that is over, by table, each in the order of the log.

    What only its players saw is in them, except of an imported match, whose hidden parts are unknown.
    """
    positions = Positions(match)
    made: dict[str, Collector] = {
        "ts_positions": positions,
        "ts_influence": Influence(match),
        "ts_rolls": Rolls(match),
        "ts_cards": Cards(match),
        "ts_holdings": Holdings(match),
        "ts_headlines": Headlines(match),
        "ts_scorings": Scorings(match),
        "ts_bids": Bids(match),
        "ts_effects": Effects(match),
        "ts_space": SpaceRace(match),
    }
    readers: dict[type, list[Reader]] = {}
    for table in made.values():
        for kind, reader in table.readers.items():
            readers.setdefault(kind, []).append(reader)
    at = None
    for at in walk(match):
        for reader in readers.get(type(at.fact), ()):
            reader(at)
    if at is not None:
        positions.end(at)
    return {name: table.rows for name, table in made.items()}


__all__ = ["CHANCES", "TABLES", "chances", "rows"]
