"""The explorer of openings: a tree of the first decisions, with how often matches that took them were won.

`openings.toml` says of which decisions a tree is made.  A match goes through the tree along its decisions; a
node counts the matches that go through it.  Of every node holds: `n` is the sum of the children, of `ended`
(matches without a further decision) and of `hidden` (those in children with too few matches).
"""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct, convert
from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import Refused, Seat
from replay.dataset.queries import ALL_POOLS, COMMON, bind, matches_of, statement_of
from replay.dataset.rates import LEVEL, differs, holm, rate_of
from replay.dataset.reading import DataSet

LEAST = 5  # matches of a node that is shown, whatever the caller asks for
MOST_PATH = 40  # labels of a path
MOST_LABEL = 200  # characters
EXAMPLES = 3  # matches that a node names
EVERY, ENDED, AHEAD, HIDDEN = "n", "ended", "n_ahead", "hidden"
COUNTS = (EVERY, ENDED, AHEAD)
"""The counts of a node that lead to their matches.  Those that are hidden do not."""


class Opening(Struct, frozen=True):
    """A node of a tree of openings, and which matches count in the tree.

    path: labels of nodes, from the root on.  The first may be the name of a tree (`openings`); else it is
        the first tree of the game.
    pool: one pool, or * for all together.
    edition: only matches of this edition; "" for all.
    bid: only matches with so much extra influence of the US (below 0: of the USSR); None for all.
    turn: the turn in which the tree begins.
    """

    game: str
    path: Sequence[str] = ()
    pool: str = "live"
    edition: str = ""
    bid: int | None = None
    turn: int = 1


class Tree(Struct, frozen=True):
    """A tree: what it shows, in two languages; what its levels decide (the last one repeats); its SQL."""

    en: str
    ru: str
    levels: tuple[str, ...]
    steps: str

    @property
    def has_turns(self) -> bool:
        """Can it begin in another turn than the first?"""
        return "$turn" in self.steps

    def level(self, depth: int) -> str:
        """What is decided at this depth, from 0."""
        return self.levels[min(depth, len(self.levels) - 1)]


class Openings(Struct, frozen=True):
    """The trees of a game, by name; `ahead` and `bid` are SQL, "" if the game has no such thing."""

    ahead: str
    trees: dict[str, Tree]
    bid: str = ""


class Example(Struct, frozen=True):
    """A match of a node, and the move with which it came there."""

    match: str
    move: int


class Node(Struct, frozen=True):
    """A node of a tree: the matches that took the decisions of its path.

    label: the last decision of the path; "" for the root.
    level: what its children decide, such as headline_us.
    side: whose win rate `rate` is: the first side of the game.
    n: matches with a result.  decided: those of them with a winner; `rate`, `lo` and `hi` are over them.
    by_players: one player has more than a fifth of the decided matches, and the interval allows for it.
    ahead: the mean lead of `side` in points at the end of turn 3, over the `n_ahead` matches that got there.
    ended, hidden: see the head of this module.
    compared: how many nodes beside it, itself included, were compared with the rest of their parent.
    marked: its rate differs from that of the rest, at 5 % after Holm's adjustment for all these comparisons.
    """

    label: str
    level: str
    side: Seat
    n: int
    decided: int
    won: int
    rate: float | None
    lo: float | None
    hi: float | None
    by_players: bool
    ahead: float | None
    n_ahead: int
    examples: tuple[Example, ...]
    ended: int = 0
    hidden: int = 0
    compared: int = 0
    marked: bool = False
    children: tuple[Node, ...] = ()


@cache
def openings() -> Mapping[str, Openings]:
    """The trees of each game, by its name."""
    text = importlib.resources.files(__package__).joinpath("openings.toml").read_text("utf-8")
    return convert(tomllib.loads(text), dict[str, Openings])


class Behind(Struct, frozen=True):
    """A match that a node counts, its pool, and the move: with which it came there or, of a count of those
    with a lead at the end of turn 3, which ended that turn."""

    pool: str
    match: str
    move: int


class _Case(Struct, frozen=True):
    """A match that goes through a node: did the first side win (None: no winner), who played, by how much the
    first side led at the end of turn 3 and the move that ended it, the moves of its decisions
    up to the child, and its place among all.
    """

    pool: str
    match: str
    won: bool | None
    players: tuple[str, ...]
    ahead: float | None
    turn_3: int | None
    moves: tuple[int, ...]
    place: int


def explore(data: DataSet, opening: Opening, *, min_n: int = LEAST) -> Node:
    """The node of a tree at the end of a path, with its children, the most frequent first.

    Args:
        min_n: children with fewer matches are hidden; 5 or more.

    Raises:
        Refused: not-found: the game has no tree, or there is no such node, or it has too few matches;
            invalid: the path is too long, the pool is none, the game has no bid, the tree has no such turn,
            or `min_n` is less than 5.
        ImportError: the extra `analysis` is not installed.
    """
    if min_n < LEAST:
        raise Refused("invalid", "opening-min-n", {"value": min_n, "least": LEAST})
    tree, labels = _tree(opening)
    groups = _groups(data, opening, tree, labels, min_n)
    everything = [case for cases in groups.values() for case in cases]
    ended = groups.pop(None, [])
    shown = {label: cases for label, cases in groups.items() if label and len(cases) >= min_n}
    children = [_node(opening.game, tree, len(labels) + 1, label, cases) for label, cases in shown.items()]
    node = _node(opening.game, tree, len(labels), labels[-1] if labels else "", everything)
    return replace(
        node,
        ended=len(ended),
        hidden=node.n - len(ended) - sum(child.n for child in children),
        children=tuple(sorted(_marked(children, node), key=lambda child: (-child.n, child.label))),
    )


def matches_behind(data: DataSet, opening: Opening, count: str = EVERY) -> tuple[Behind, ...]:
    """The matches that a node of a tree counts, the latest first.

    Args:
        count: which of the counts of the node (`COUNTS`).

    Raises:
        Refused: invalid: there is no such count, or its matches are hidden; see also `explore`.
        ImportError: see `explore`.
    """
    if count == HIDDEN:
        raise Refused("invalid", "openings-hidden", {"least": LEAST})
    if count not in COUNTS:
        about = {"parameter": "count", "value": repr(count[:MOST_LABEL]), "legal": ", ".join(COUNTS)}
        raise Refused("invalid", "query-value", about)
    tree, labels = _tree(opening)
    groups = _groups(data, opening, tree, labels, LEAST)
    if count == ENDED:
        groups = {None: groups.get(None, [])}
    cases = sorted((case for cases in groups.values() for case in cases), key=lambda case: case.place)
    if count == AHEAD:
        return tuple(Behind(case.pool, case.match, case.turn_3) for case in cases if case.turn_3 is not None)
    return tuple(Behind(case.pool, case.match, _came(case, len(labels))) for case in cases)


def _tree(opening: Opening) -> tuple[Tree, tuple[str, ...]]:
    """The tree that a path is in, and the labels in it.  Raises Refused: see `explore`."""
    known, path = openings().get(opening.game), opening.path
    if known is None:
        about = {"game": opening.game[:MOST_LABEL], "known": list(openings())}
        raise Refused("not-found", "no-openings", about)
    if len(path) > MOST_PATH or any(len(label) > MOST_LABEL for label in path):
        raise Refused("invalid", "opening-too-long", {"most": MOST_PATH, "characters": MOST_LABEL})
    if path and path[0] in known.trees:
        return known.trees[path[0]], tuple(path[1:])
    return next(iter(known.trees.values())), tuple(path)


def _groups(
    data: DataSet, opening: Opening, tree: Tree, labels: tuple[str, ...], least: int
) -> dict[str | None, list[_Case]]:
    """The matches that take a path, by the label of what they decide next; None: nothing more.

    Raises:
        Refused: see `explore`; there are fewer than `least`, and the path is not the root.
    """
    known = openings()[opening.game]
    if "," in opening.pool:
        raise Refused("invalid", "one-pool", {"pool": opening.pool[:MOST_LABEL], "all": ALL_POOLS})
    if opening.bid is not None and not known.bid:
        raise Refused("invalid", "no-bid", {"game": opening.game})
    if opening.turn < 1 or (opening.turn > 1 and not tree.has_turns):
        raise Refused("invalid", "no-turn", {"turn": opening.turn})
    chosen = {"pool": opening.pool, "edition": opening.edition}
    bound = bind(opening.game, {name: value for name, value in chosen.items() if value}, COMMON)
    bound |= {"path": list(labels), "depth": len(labels), "bid": opening.bid, "turn": opening.turn}
    sql = _SQL.format(
        m=matches_of(), steps=tree.steps, ahead=known.ahead or _NO_LEAD, bid=known.bid or _NO_BID
    )
    statement = statement_of(sql, bound)
    groups: dict[str | None, list[_Case]] = {}
    found = data.fetch(statement.sql, statement.values)
    for place, (label, its_pool, match, won, players, ahead, turn_3, moves) in enumerate(found):
        case = _Case(its_pool, match, won, tuple(players or ()), ahead, turn_3, tuple(moves or ()), place)
        groups.setdefault(label, []).append(case)
    if labels and len(found) < least:
        raise Refused("not-found", "no-such-opening", {"path": list(labels), "least": least})
    return groups


_NO_LEAD = "SELECT NULL::VARCHAR AS match, NULL::INTEGER AS move, NULL::DOUBLE AS points WHERE false"
_NO_BID = "SELECT match, NULL::INTEGER AS bid FROM m"
_SQL = """
WITH {m},
steps AS ({steps}),
ahead AS ({ahead}),
bids AS ({bid}),
players AS (
  SELECT match, list(player ORDER BY seat) AS players FROM seats WHERE player IS NOT NULL GROUP BY match),
paths AS (
  SELECT match, list(label ORDER BY step) AS path, list(move ORDER BY step) AS came FROM steps GROUP BY match)
SELECT path[$depth + 1], m.pool, m.match, m.winner = m.seat_a, players, points, ahead.move, came[1:$depth + 1]
FROM m LEFT JOIN paths USING (match) LEFT JOIN ahead USING (match) LEFT JOIN players USING (match)
  JOIN bids USING (match)
WHERE coalesce(path[1:$depth], []) = $path::VARCHAR[] AND ($bid IS NULL OR bid = $bid)
ORDER BY m.closed_at DESC NULLS LAST, m.match
"""


def _node(game: str, tree: Tree, depth: int, label: str, cases: list[_Case]) -> Node:
    """The node of these matches, as yet without children; `depth` is the number of decisions up to it."""
    found = rate_of([(case.won, case.players) for case in cases if case.won is not None])
    leads = [case.ahead for case in cases if case.ahead is not None]
    return Node(
        label,
        tree.level(depth),
        GAMES[game].seats[0],
        len(cases),
        found.n,
        found.won,
        found.rate,
        found.lo,
        found.hi,
        found.by_players,
        sum(leads) / len(leads) if leads else None,
        len(leads),
        tuple(Example(case.match, _came(case, depth)) for case in cases[:EXAMPLES]),
    )


def _came(case: _Case, depth: int) -> int:
    """The move with which a match came to a node; that of the root is the first."""
    return case.moves[depth - 1] if depth else 1


def _marked(children: Sequence[Node], parent: Node) -> list[Node]:
    """The children, each compared with the rest of the matches of their parent."""
    p = {
        child.label: differs(child.won, child.decided, parent.won - child.won, parent.decided - child.decided)
        for child in children
    }
    adjusted = holm(p)
    return [
        replace(child, compared=len(children), marked=adjusted[child.label] < LEVEL) for child in children
    ]
