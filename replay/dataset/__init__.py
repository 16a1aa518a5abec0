"""Data sets of matches in Python: `import replay.dataset as glasnost`, then `glasnost.open("club")`.

A data set is a folder that `glasnost data build` or `glasnost data snapshot` has written, or what a server
offers at an address.  Reading one needs the extra `analysis`; this module can be imported without it.
"""

from __future__ import annotations

from replay.dataset import plots as plot
from replay.dataset.asking import Answer, Hits
from replay.dataset.dice import Fairness, Luck, PlayerLuck, fairness, luck, luck_of_player
from replay.dataset.explorer import Node, Opening, explore, matches_behind
from replay.dataset.manifest import BadDataSet
from replay.dataset.model import Estimate, Model, TooFew, fit, win_probability
from replay.dataset.reading import DataSet, Moment, OneMatch, Position, RowOf, open
from replay.dataset.wrong_query import WrongQuery

__all__ = [
    "Answer",
    "BadDataSet",
    "DataSet",
    "Estimate",
    "Fairness",
    "Hits",
    "Luck",
    "Model",
    "Moment",
    "Node",
    "OneMatch",
    "Opening",
    "PlayerLuck",
    "Position",
    "RowOf",
    "TooFew",
    "WrongQuery",
    "explore",
    "fairness",
    "fit",
    "luck",
    "luck_of_player",
    "matches_behind",
    "open",
    "plot",
    "win_probability",
]
