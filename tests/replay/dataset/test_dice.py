"""Luck with dice: all throws together have none, and a loaded die is found (AN22, AN23)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import replay.dataset as glasnost
from domain.match import Match
from domain.twilight_struggle.components import BATTLEGROUNDS, OTHER, REGIONS, US
from domain.twilight_struggle.rules.board import controller
from domain.twilight_struggle.state import State
from replay.dataset import DataSet, Model, dice, fit
from replay.dataset.dice import GAME, Fairness, Luck, fairness, folded, luck, luck_of_player, thrown, win_luck
from replay.dataset.queries import query
from replay.dataset.reading import OneMatch
from replay.tables.twilight_struggle.rolls import READ, chances_of
from replay.tables.twilight_struggle.throws import is_throw, throws, values
from replay.tables.twilight_struggle.walk import At, walk
from tests.cli.program import process
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.crowd import crowd, loaded_rolls, write_data_set
from tests.replay.dataset.refusals import refused
from tests.replay.tables.test_twilight_struggle import VARIANTS, match_of

EXACT = 1e-12


@pytest.fixture(scope="module")
def model(fitted: Model) -> Model:
    """A model of win probability, of the invented matches."""
    return fitted


@pytest.fixture(scope="module")
def played(opened_club: DataSet, model: Model) -> list[OneMatch]:
    """The matches of the small store, in a data set that takes the model for all pools."""
    data = opened_club.apart()
    data.models |= {(GAME, "deluxe", pool): model for pool in ("live", "bots", "seeded", "imported")}
    return [data.match(row.match) for row in data.matches if row.game == GAME]


def test_the_facts_of_a_data_set_fold_into_the_tables_of_the_match(
    club: Club, played: list[OneMatch]
) -> None:
    matches = {match.id: match for match in club.matches}
    for one in (one for one in played if one.row.pool in ("live", "imported")):
        ours, theirs = list(folded(one, {})), list(walk(matches[one.id]))
        assert len(ours) == len(theirs) > 20
        for our, their in zip(ours, theirs, strict=True):
            assert (our.move, our.place, our.fact) == (their.move, their.place, their.fact)
            assert values(our.after) == values(their.after)
            assert our.after.influence == their.after.influence


def rolled(match: Match) -> Iterator[At]:
    """The throws of a match."""
    return (at for at in walk(match) if is_throw(at.fact))


QUICK = ("victory_points", "sealed_bid")  # matches that have throws of each kind


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in VARIANTS if name not in QUICK)]
)
def test_the_luck_of_all_throws_together_is_nothing(name: str, model: Model) -> None:
    """AN22, for the win probability: each throw taken as the one that happened, weighted with its chance."""
    kinds = set()
    for at in rolled(match_of(name)):
        roll, found = READ[type(at.fact)](at), throws(at)
        odds = chances_of(at.fact, roll)
        assert len(found) == odds[0].of
        assert sum(throw.happened for throw in found) == 1
        worth = [dice._worth(throw.table, roll.seat, model) for throw in found]
        lucks = [one - sum(worth) / len(worth) for one in worth]
        assert abs(sum(lucks)) < EXACT
        happened = next(luck for luck, throw in zip(lucks, found, strict=True) if throw.happened)
        assert win_luck(at, roll.seat, model) == pytest.approx(happened, abs=EXACT)
        kinds.add(roll.kind)
    assert "coup" in kinds


def test_the_luck_of_a_coup_is_what_its_odds_say_of_the_position(model: Model) -> None:
    """A second way, without carrying a throw out: the odds change influence, which changes control."""
    checked = 0
    for at in rolled(match_of("victory_points")):
        roll = READ[type(at.fact)](at)
        if roll.kind != "coup":
            continue
        odds = chances_of(at.fact, roll)
        mean = sum(chance.ways * naive(at, chance.outcome, roll.seat, model) for chance in odds) / odds[0].of
        happened = naive(at, roll.outcome, roll.seat, model)
        assert win_luck(at, roll.seat, model) == pytest.approx(happened - mean, abs=1e-9)
        checked += 1
    assert checked > 3


def naive(at: At, outcome: Any, seat: str, model: Model) -> float:
    """The win probability of a side, if a country had the influence that an outcome says."""
    row: dict[str, Any] = dict(values(at.before))
    country = at.fact.country
    held = {
        side: at.before.influence[side].get(country, 0) + outcome.get(side, 0) for side in (US, OTHER[US])
    }
    before = controller(at.before, country)
    margin, stability = held[US] - held[OTHER[US]], at.fact.stability
    after = None if abs(margin) < stability else US if margin > 0 else OTHER[US]
    for region in REGIONS:
        if country in BATTLEGROUNDS[region]:
            for side in held:
                row[f"bg_{region}_{side}"] += (after == side) - (before == side)
    chance = model.at(row)
    return chance if seat == US else 1 - chance


@pytest.fixture(scope="module")
def lucks(played: list[OneMatch]) -> dict[str, tuple[Luck, ...]]:
    """The luck of each match."""
    return {match.id: tuple(luck(match)) for match in played}


def test_luck_sums_the_throws_of_each_side_and_kind(
    played: list[OneMatch], lucks: dict[str, tuple[Luck, ...]]
) -> None:
    for match in played:
        every, sums = thrown(match), lucks[match.id]
        assert len(every) == len(list(match.rows("ts_rolls"))) > 2
        assert [(one.seat, one.kind) for one in sums] == sorted({(one.seat, one.kind) for one in every})
        for total in sums:
            some = [one for one in every if (one.seat, one.kind) == (total.seat, total.kind)]
            assert total.n == len(some)
            assert total.points == pytest.approx(sum(one.points or 0 for one in some))
            assert total.win is None or total.win == pytest.approx(sum(one.win or 0 for one in some))
            assert total.n_win == (0 if total.kind == "trap" else len(some))


def test_the_sums_are_those_of_the_saved_query(
    played: list[OneMatch], lucks: dict[str, tuple[Luck, ...]]
) -> None:
    saved = query("luck").statement({"pool": "*", "unproven": "1"})
    rows = played[0].data.connection.execute(saved.sql, saved.values).fetchall()
    wanted = {(row[1], row[2], row[3]): (row[4], row[5]) for row in rows}
    for match in played:
        for total in lucks[match.id]:
            if total.kind != "trap":
                n, points = wanted[match.id, total.seat, total.kind]
                assert total.n_points == n
                assert total.points == pytest.approx(points)


def test_the_luck_of_a_player_is_that_of_own_throws_and_of_those_of_the_opponents(
    played: list[OneMatch], lucks: dict[str, tuple[Luck, ...]]
) -> None:
    data = played[0].data
    counted = [one for one in played if one.row.pool != "imported"]
    for player, seat in (("p-us", US), ("p-ussr", OTHER[US])):
        (found,) = luck_of_player(data, player, pool="*")
        assert (found.seat, found.matches, found.with_model) == (seat, len(counted), len(counted))
        for side, points, win, saved in (
            (seat, found.points_own, found.win_own, "player_luck"),
            (OTHER[seat], found.points_opponents, found.win_opponents, "opponents_luck"),
        ):
            some = [one for match in counted for one in lucks[match.id] if one.seat == side]
            assert win
            assert (points.n, win.n) == (sum(one.n_points for one in some), sum(one.n_win for one in some))
            assert points.sum == pytest.approx(sum(one.points for one in some))
            assert win.sum == pytest.approx(sum(one.win or 0 for one in some))
            assert win.mean == pytest.approx(win.sum / win.n)
            (row,) = data.query(saved, player=player, pool="*")
            assert row[2:] == pytest.approx((points.n, points.sum, points.mean, points.lo, points.hi))
        assert None not in (found.points_own.lo, found.points_own.hi)


def test_the_luck_of_a_player_without_a_model_or_a_match(opened_club: DataSet) -> None:
    data = opened_club.apart()
    (found,) = luck_of_player(data, "p-us")
    assert (found.matches, found.with_model, found.win_own, found.win_opponents) == (1, 0, None, None)
    assert (found.points_own.lo, found.points_own.hi) == (None, None)  # too few throws
    for stranger in ("", "p-nobody", "'; DROP TABLE matches; --", "x" * 100_000):
        assert luck_of_player(data, stranger) == ()
    with refused("query-value"):
        luck_of_player(data, "p-us", pool="'--")


def test_a_game_without_dice_has_no_luck(opened_club: DataSet) -> None:
    for game in ("cia_vs_kgb", "imperial_struggle", "thirteen_minutes"):
        with refused("no-dice"):
            luck(opened_club.match(f"{game}-live"))


def test_a_throw_that_todays_rules_read_in_another_way_has_no_luck(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = next(at for at in rolled(match_of("victory_points")) if READ[type(at.fact)](at).kind == "coup")
    monkeypatch.setattr("domain.twilight_struggle.steps.operations.coup_modifier", lambda *of: 2)
    assert throws(at) == []
    monkeypatch.setattr("domain.twilight_struggle.steps.operations.coup_modifier", lambda *of: 1 / 0)
    assert win_luck(at, "us", model) is None


# ── many throws ──


def of_kind(found: tuple[Fairness, ...], kind: str) -> Fairness:
    """What was found for one kind."""
    return next(one for one in found if one.kind == kind)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataSet]:
    """5,000 invented throws with fair dice, and 20,000 with +1 on 5 % of them."""
    found = {}
    for name, share, count in (("fair", 0.0, 5_000), ("loaded", 0.05, 20_000)):
        folder = tmp_path_factory.mktemp("dice") / name
        rows = crowd(2)
        rows["ts_rolls"] = [
            ("live", row) for row in loaded_rolls(rows["matches"][0][1]["match"], count, share)
        ]
        write_data_set(folder, rows)
        found[name] = glasnost.open(folder)
    return found


def test_fair_dice_have_no_mean_luck(tables: dict[str, DataSet]) -> None:
    for one in fairness(tables["fair"]):
        assert abs(one.mean) < 3 * one.error
        assert one.p > 1e-3


def test_a_loaded_die_is_found(tables: dict[str, DataSet]) -> None:
    """AN23: +1 on one of twenty throws."""
    found = of_kind(fairness(tables["loaded"]), "all")
    assert found.mean > 0
    assert found.p < 1e-3
    assert found.n == 20_000


def test_no_throws_are_neither_fair_nor_loaded(tmp_path: Path) -> None:
    rows = crowd(1)
    rows["ts_rolls"] = []
    write_data_set(tmp_path / "none", rows)
    assert fairness(glasnost.open(tmp_path / "none")) == ()


def test_the_mean_and_its_error_are_those_of_a_plain_loop(many: DataSet) -> None:
    lucks = [row.luck_vp for row in many.rows("ts_rolls") if row.pool == "live"]
    found = of_kind(fairness(many), "coup")
    mean = sum(lucks) / len(lucks)
    variance = sum((luck - mean) ** 2 for luck in lucks) / (len(lucks) - 1)
    assert found.n == len(lucks)
    assert found.mean == pytest.approx(mean)
    assert found.error == pytest.approx((variance / len(lucks)) ** 0.5)


# ── of matches that were played ──


@pytest.fixture(scope="module")
def two_thousand(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """2,000 matches of bots, played and built by the commands of the program.

    The bots play by a policy: those that play at random end most matches after a few throws.
    """
    home = tmp_path_factory.mktemp("bots")
    how = ("--matches", "2000", "--jobs", "0", "--bots", "easy,easy", "--seed", "2000")
    play = ("play", GAME, *how, "--store", home / "games", "--json")
    for command in (
        play,
        ("data", "build", home / "club", "--store", home / "games", "--without", "decisions"),
    ):
        with process(*command) as program:
            program.communicate()
        assert program.returncode == 0
    return glasnost.open(home / "club")


@pytest.mark.long
def test_of_2000_matches_luck_is_fair_and_the_model_is_calibrated(two_thousand: DataSet) -> None:
    """AN23 and AN24 in full."""
    assert {one.kind for one in fairness(two_thousand, pool="seeded")} >= {"coup", "realign", "space", "war"}
    for one in fairness(two_thousand, pool="seeded"):
        assert abs(one.mean) < 3 * one.error, one
    found = fit(two_thousand, GAME, pool="seeded")
    assert isinstance(found, Model)
    assert found.brier < found.brier_base
    assert found.calibration_error < 0.04


@pytest.mark.long
def test_a_loaded_die_is_found_in_2000_matches(two_thousand: DataSet) -> None:
    """AN23: where a single die was thrown, one of twenty shows one more; the rules carry out that throw."""
    lucks: dict[str, list[float]] = {}
    for row in two_thousand.matches:
        for kind, one in loaded(two_thousand.match(row.match)):
            lucks.setdefault(kind, []).append(one)
    del lucks["space"]  # there a low throw is the good one
    deviation = {kind: (sum(one * one for one in some) / len(some)) ** 0.5 for kind, some in lucks.items()}
    alike = [one / deviation[kind] for kind, some in lucks.items() if deviation[kind] for one in some]
    p = math.erfc(sum(alike) / (2 * len(alike)) ** 0.5)  # two-sided, of all kinds together
    assert len(alike) > 30_000
    assert p < 1e-3
    assert sum(lucks["coup"]) > 0


def loaded(match: OneMatch) -> Iterator[tuple[str, float]]:
    """The luck of the single dice of a match with a loaded die: its gain in victory points and influence."""
    source = random.Random(match.id)
    cards = {(row.move, row.place): row.card for row in match.rows("ts_rolls")}
    for at in folded(match, cards):
        found = throws(at) if is_throw(at.fact) else []
        if len(found) == 6:
            roll = READ[type(at.fact)](at)
            worth = [gain(throw.table, roll.seat) for throw in found]
            face = next(place for place, throw in enumerate(found) if throw.happened)
            face = min(5, face + (source.random() < 0.05))
            yield roll.kind, worth[face] - sum(worth) / 6


def gain(s: State, seat: str) -> float:
    """Victory points and influence of a side, less those of the other."""
    points = s.vp if seat == US else -s.vp
    return float(points + sum(s.influence[seat].values()) - sum(s.influence[OTHER[seat]].values()))
