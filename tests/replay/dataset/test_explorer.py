"""The explorer of openings: counts that add up, rates as of the saved query, small nodes, refusals (AN26)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from scipy.stats import binomtest, fisher_exact

import replay.dataset as glasnost
from domain.games import GAMES
from replay.dataset import DataSet, explorer
from replay.dataset.explorer import (
    COUNTS,
    LEAST,
    MOST_LABEL,
    MOST_PATH,
    Node,
    Opening,
    explore,
    matches_behind,
    openings,
)
from replay.dataset.queries import query
from tests.replay.dataset.conftest import Club, in_memory
from tests.replay.dataset.crowd import crowd, write_data_set
from tests.replay.dataset.refusals import refused

GAME = "twilight_struggle"
TREES = [
    pytest.param(game, tree, marks=pytest.mark.long if place else ())
    for game, known in openings().items()
    for place, tree in enumerate(known.trees)
]
"""The trees of each game; the first one in the quick suite."""


def node(
    data: DataSet,
    *path: str,
    game: str = GAME,
    pool: str = "live",
    edition: str = "",
    bid: int | None = None,
    min_n: int | None = None,
    turn: int = 1,
) -> Node:
    """A node of the explorer, by default of the matches of the pool live."""
    opening = Opening(game, path, pool, edition, bid, turn)
    return explore(data, opening, min_n=explorer.LEAST if min_n is None else min_n)


def walk(
    data: DataSet, *path: str, game: str = GAME, pool: str = "live", widest: int = 9
) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The nodes below a path, with their paths; below each node at most `widest` of its children."""
    found = node(data, *path, game=game, pool=pool)
    yield path, found
    for child in found.children[:widest]:
        yield from walk(data, *path, child.label, game=game, pool=pool, widest=widest)


def naive_paths(data: DataSet) -> dict[str, list[str]]:
    """The headlines, the first play and the first coup of each match of the pool live, by a plain loop."""
    paths: dict[str, list[str]] = {}
    cards = [card for card in data.rows("ts_cards") if card.pool == "live"]
    for seat in ("ussr", "us"):
        for card in cards:
            if card.what == "headline" and card.turn == 1 and card.seat == seat:
                paths.setdefault(card.match, []).append(card.card)
    for card in cards:
        if card.what == "played":
            paths[card.match].append(f"{card.card}:{card.how}")
    for roll in data.rows("ts_rolls"):
        if roll.pool == "live":
            paths[roll.match].append(f"{roll.seat}:{roll.country}")
    return paths


Walked = list[tuple[tuple[str, ...], Node]]


@pytest.fixture(scope="module")
def headlines(many: DataSet) -> Walked:
    """The root of the tree of headlines, its children, and below the first one two children of each node."""
    root = node(many)
    first, *others = [child.label for child in root.children]
    return [((), root), *(((label,), node(many, label)) for label in others), *walk(many, first, widest=2)]


def test_every_node_counts_the_matches_that_took_its_path(many: DataSet, headlines: Walked) -> None:
    paths = naive_paths(many)
    assert max(len(path) for path, _ in headlines) == 4
    for path, found in headlines:
        matches = [match for match, taken in paths.items() if taken[: len(path)] == list(path)]
        assert found.n == len(matches)
        if found.label in ("", "fidel"):
            behind = matches_behind(many, Opening(GAME, path))
            assert {one.pool for one in behind} == {"live"}
            assert sorted(one.match for one in behind) == sorted(matches)
            moves = {one.match: one.move for one in behind}
            assert all(moves[example.match] == example.move for example in found.examples)
        assert {example.match for example in found.examples} <= set(matches)


def test_each_count_of_a_node_leads_to_its_matches(many: DataSet, headlines: Walked) -> None:
    paths = naive_paths(many)
    ends = {row.match: row.move for row in many.rows("ts_positions") if row.pool == "live" and row.turn == 3}
    ended = [(path, found) for path, found in headlines if found.ended]
    for path, found in (headlines[0], *ended[:2]):
        counts = {"n": found.n, "ended": found.ended, "n_ahead": found.n_ahead}
        assert counts.keys() == {*COUNTS}
        behind = {name: matches_behind(many, Opening(GAME, path), name) for name in counts}
        assert {name: len({one.match for one in some}) for name, some in behind.items()} == counts
        assert {one.match for one in behind["ended"]} == {
            match for match, taken in paths.items() if taken == list(path)
        }
        assert set(behind["ended"]) <= set(behind["n"])
        went = {one.match for one in behind["n"]}
        reached = {match: move for match, move in ends.items() if match in went}
        assert {one.match: one.move for one in behind["n_ahead"]} == reached


def test_the_matches_of_hidden_branches_have_no_list_of_their_own(many: DataSet, headlines: Walked) -> None:
    path = next(path for path, found in headlines if found.hidden)
    with refused("openings-hidden"):
        matches_behind(many, Opening(GAME, path), "hidden")
    for count in ("", "won", "n; --", "x" * 100_000):
        with refused("query-value"):
            matches_behind(many, Opening(GAME, path), count)


def test_less_than_five_matches_of_a_branch_cannot_be_asked_for(many: DataSet) -> None:
    for least in (4, 1, 0, -1_000_000):
        with refused("opening-min-n"):
            node(many, min_n=least)
    assert node(many, min_n=LEAST) == node(many)


def test_the_counts_of_every_node_add_up(headlines: Walked) -> None:
    assert len(headlines) > 10
    for _, found in headlines:
        assert found.n == found.ended + found.hidden + sum(child.n for child in found.children)
        assert found.won <= found.decided <= found.n
    assert any(found.ended for _, found in headlines)
    assert any(found.hidden for _, found in headlines)


def test_the_rates_are_those_of_the_saved_query(many: DataSet) -> None:
    statement = query("headlines").statement({"pool": "live"})
    found = many.connection.execute(statement.sql, statement.values).fetchall()
    by_ussr = {row[3]: (row[4], row[5]) for row in found if row[1] == "ussr" and row[2] == 1}
    tree = node(many)
    assert {child.label for child in tree.children} == by_ussr.keys()
    for child in tree.children:
        decided, rate = by_ussr[child.label]
        assert child.decided == decided
        assert child.rate == pytest.approx(1 - rate)


def test_a_node_has_the_interval_of_its_rate_and_the_mean_lead(many: DataSet) -> None:
    tree = node(many)
    wanted = binomtest(tree.won, tree.decided).proportion_ci(method="wilson")
    assert (tree.lo, tree.hi) == pytest.approx((wanted.low, wanted.high))
    leads = [row.vp for row in many.rows("ts_positions") if row.pool == "live" and row.turn == 3]
    assert tree.ahead == pytest.approx(sum(leads) / len(leads))
    assert tree.n_ahead == len(leads)


def test_each_child_is_compared_with_the_rest_of_its_parent(many: DataSet) -> None:
    tree = node(many)
    p = sorted(
        float(
            fisher_exact(
                [
                    [child.won, child.decided - child.won],
                    [tree.won - child.won, tree.decided - child.decided - tree.won + child.won],
                ]
            ).pvalue
        )
        for child in tree.children
    )
    assert all(child.compared == len(p) for child in tree.children)
    marked = 0
    while marked < len(p) and (len(p) - marked) * p[marked] < 0.05:
        marked += 1
    assert sum(child.marked for child in tree.children) == marked


def test_nodes_of_few_matches_are_hidden_whatever_the_caller_asks_for(
    many: DataSet, headlines: Walked
) -> None:
    assert min(child.n for _, found in headlines for child in found.children) >= LEAST
    path, parent = next((path, found) for path, found in headlines if found.hidden)
    taken = [labels for labels in naive_paths(many).values() if labels[: len(path)] == list(path)]
    labels = {labels[len(path)] for labels in taken if len(labels) > len(path)}
    few = labels - {child.label for child in parent.children}
    assert few
    for label in few:
        with refused("no-such-opening"):
            node(many, *path, label)
        with refused("no-such-opening"):
            matches_behind(many, Opening(GAME, [*path, label]))
    assert all(child.n >= 100 for child in node(many, min_n=100).children)


def test_pools_editions_and_bids_choose_the_matches(many: DataSet) -> None:
    everything, live = node(many, pool="*").n, node(many).n
    assert live + node(many, pool="bots").n == everything
    assert node(many, edition="second").n + node(many, edition="deluxe").n == live
    assert node(many, bid=0).n + node(many, bid=2).n == live
    assert node(many, bid=1).n == 0
    with refused("one-pool"):
        node(many, pool="live,bots")


def test_the_tree_of_another_turn_begins_with_the_headlines_of_that_turn(tmp_path: Path) -> None:
    rows = crowd(30)
    for table in ("ts_cards", "ts_rolls"):
        for _, row in rows[table]:
            row["turn"] = 3
    write_data_set(tmp_path / "crowd", rows)
    data = in_memory(tmp_path / "crowd")
    chosen = Counter(
        row.card for row in data.rows("ts_cards") if (row.what, row.seat) == ("headline", "ussr")
    )
    tree = node(data, turn=3)
    assert {child.label: child.n for child in tree.children} == {
        card: n for card, n in chosen.items() if n >= LEAST
    }
    assert node(data, tree.children[0].label, turn=3).children
    assert (node(data).ended, node(data).children) == (node(data).n, ())
    for turn, path in ((0, ()), (2, ("setup",))):
        with refused("no-turn"):
            node(data, *path, turn=turn)


@pytest.mark.parametrize(("game", "tree"), TREES)
def test_every_tree_of_every_game_can_be_explored(
    club: Club, opened_club: DataSet, game: str, tree: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "LEAST", 1)
    data = opened_club
    nodes = list(walk(data, tree, game=game, pool="*", widest=1))
    played = [row for row in data.matches if row.game == game and row.reason and row.proof == "ok"]
    assert nodes[0][1].n == len(played)
    levels = openings()[game].trees[tree].levels
    assert {found.level for _, found in nodes} >= set(levels)
    moves = {match.id: match.move for match in club.matches}
    for path, found in nodes:
        assert found.n == found.ended + found.hidden + sum(child.n for child in found.children)
        assert found.side == GAMES[game].seats[0]
        assert all(1 <= example.move <= moves[example.match] for example in found.examples), path


def test_what_a_stranger_asks_for_is_refused_or_counted_as_text(many: DataSet) -> None:
    for game in ("", "chess", "x" * 100_000):
        with refused("no-openings"):
            node(many, game=game)
    for path in (["fidel"] * (MOST_PATH + 1), ["x" * (MOST_LABEL + 1)]):
        with refused("opening-too-long"):
            node(many, *path)
    for label in ("'; DROP TABLE matches; --", "\x00", "{m}"):
        with refused("no-such-opening"):
            node(many, label)
    with refused("no-bid"):
        node(many, game="cia_vs_kgb", bid=2)
    with refused("query-value"):
        node(many, pool="'--")
    assert node(many, edition="'--").n == 0


def test_every_tree_is_described_in_both_languages() -> None:
    assert openings().keys() == GAMES.keys()
    for known in openings().values():
        assert known.trees
        for tree in known.trees.values():
            assert tree.en != tree.ru
            assert tree.levels


def test_an_answer_is_the_same_twice(many: DataSet, tmp_path: Path) -> None:
    assert node(many, "setup") == node(glasnost.open(many.folder), "setup")
