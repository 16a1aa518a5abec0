"""The win probability: split by match, better than the base rate, calibrated, never of a match that runs.

AN24 and AN25.
"""

from __future__ import annotations

import math
import random
from contextlib import closing
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

import replay.dataset as glasnost
from api.store.sqlite import SqliteStore
from domain.kernel import Refused
from replay.dataset import BadDataSet, DataSet, model, plot
from replay.dataset.features import FEATURES
from replay.dataset.model import (
    FOLDS,
    LEAST,
    Model,
    TooFew,
    fit,
    model_of,
    part_of,
    positions_of,
    win_probability,
)
from tests.replay.dataset.conftest import AGAIN, Club
from tests.replay.dataset.crowd import crowd, write_data_set
from tests.replay.dataset.refusals import refused
from tests.replay.dataset.stores import built

GAME = "twilight_struggle"


def test_the_forecasts_for_matches_that_were_kept_apart_are_better_than_the_base_rate(fitted: Model) -> None:
    assert fitted.n >= LEAST
    assert fitted.brier < fitted.brier_base - 0.02
    assert fitted.beats_base_rate
    assert fitted.log_loss < fitted.log_loss_base - 0.05
    assert len(fitted.calibration) == 10
    assert sum(one.n for one in fitted.calibration) == fitted.positions
    assert [one.forecast for one in fitted.calibration] == sorted(one.forecast for one in fitted.calibration)
    wanted = sum(one.n * abs(one.forecast - one.won) for one in fitted.calibration)
    assert fitted.calibration_error == pytest.approx(wanted / fitted.positions)
    assert fitted.calibration_error < 0.06  # a perfect model of 400 matches: about 0.04


def test_the_published_numbers_are_those_of_a_naive_second_way(many: DataSet, fitted: Model) -> None:
    """The same matches and split by hand, and the model of scikit-learn without our own code around it."""
    found = positions_of(many, GAME, "deluxe", "live")
    decided = {row.match: row for row in many.matches if row.pool == "live" and row.edition == "deluxe"}
    decided = {match: row for match, row in decided.items() if row.winner}
    assert set(found.matches) == decided.keys()
    assert fitted.n == len(decided)
    assert fitted.won == sum(row.winner == "us" for row in decided.values())
    columns = list(zip(*found.values, strict=True))
    mean = [sum(column) / len(column) for column in columns]
    spread = [
        math.sqrt(sum((value - m) ** 2 for value in column) / len(column)) or 1.0
        for column, m in zip(columns, mean, strict=True)
    ]
    scaled = [
        [(value - m) / s for value, m, s in zip(row, mean, spread, strict=True)] for row in found.values
    ]
    naive = LogisticRegression(tol=1e-8, max_iter=10_000).fit(scaled, found.won)
    for row, values in zip(found.values[::97], scaled[::97], strict=True):
        logit = fitted.intercept + sum(
            one.value * value for one, value in zip(fitted.coefficients, row, strict=True)
        )
        assert 1 / (1 + math.exp(-logit)) == pytest.approx(naive.predict_proba([values])[0][1], abs=1e-6)


def test_a_match_is_in_one_part_with_its_copies(tmp_path: Path) -> None:
    """A copy of each match is planted under another id: no model that forecasts one knows the other."""
    rows = {table: some for table, some in crowd(40).items() if table in ("matches", "seats", "ts_positions")}
    copies = {
        table: [(pool, {**row, "match": f"copy-{row['match']}"}) for pool, row in some]
        for table, some in rows.items()
    }
    write_data_set(tmp_path / "twice", {table: [*some, *copies[table]] for table, some in rows.items()})
    found = positions_of(glasnost.open(tmp_path / "twice"), GAME, "deluxe", "live")
    parts: dict[str, set[int]] = {}
    for match, family in zip(found.matches, found.families, strict=True):
        parts.setdefault(match.removeprefix("copy-"), set()).add(part_of(family))
    assert len(found.matches) == 2 * sum(1 for match in found.matches if not match.startswith("copy-"))
    assert all(len(part) == 1 for part in parts.values())
    assert set(range(FOLDS)) == set().union(*parts.values())


def test_results_that_were_drawn_by_a_coin_are_not_forecast(
    many: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "_AGAIN", 5)  # its intervals are not looked at
    drawn, dice = positions_of(many, GAME, "deluxe", "live"), random.Random(4)
    results = {match: dice.random() < 0.5 for match in dict.fromkeys(drawn.matches)}
    drawn.won[:] = [results[match] for match in drawn.matches]
    monkeypatch.setattr(model, "positions_of", lambda *asked: drawn)
    found = fit(many, GAME)
    assert isinstance(found, Model)
    assert found.brier > 0.245
    assert not found.beats_base_rate
    match = many.apart().match(drawn.matches[0])
    match.data.models[GAME, "deluxe", "live"] = found
    assert "no better than the base rate" in glasnost.plot.win_probability(match).description


def test_the_same_data_set_gives_the_same_model(
    many: DataSet, fitted: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "_AGAIN", AGAIN)
    assert fit(glasnost.open(many.folder), GAME) == fitted
    assert len(fitted.id) == 64


def test_an_interval_holds_the_estimate_and_is_wider_for_fewer_matches(many: DataSet, fitted: Model) -> None:
    match = many.match(
        next(
            row.match for row in many.matches if row.pool == "live" and row.edition == "deluxe" and row.winner
        )
    )
    found = win_probability(match, 2)
    assert not isinstance(found, TooFew)
    assert 0 < found.lo < found.value < found.hi < 1
    assert (found.n, found.model) == (fitted.n, fitted.id)
    assert found.value == fitted.at(model.ends_of_turns(match)[2])


def test_the_coefficients_have_the_signs_that_the_matches_were_made_with(fitted: Model) -> None:
    found = {one.feature: one for one in fitted.coefficients}
    assert list(found) == list(FEATURES[GAME].of)
    assert all(one.lo <= one.value <= one.hi for one in found.values() if one.value)
    lead = {"turn": 5, "vp": 8, "defcon": 3, "china": None, "space_us": 1, "space_ussr": 1}
    lead |= {column: 0 for column in FEATURES[GAME].columns if column.startswith("bg_")}
    assert fitted.at(lead) > 0.65
    assert fitted.at(lead | {"vp": -8}) < 0.35


def test_of_fewer_than_300_matches_there_is_a_table_and_no_number(many: DataSet) -> None:
    found = fit(many, GAME, pool="bots")
    assert isinstance(found, TooFew)
    assert 0 < found.n < LEAST == found.least
    assert sum(cell.n for cell in found.table) == len(positions_of(many, GAME, "deluxe", "bots").matches)
    assert all(cell.lo <= cell.won / cell.n <= cell.hi and cell.lead % 5 == 0 for cell in found.table)
    match = many.match(next(row.match for row in many.matches if row.pool == "bots"))
    assert isinstance(win_probability(match, 1), TooFew)


@pytest.mark.parametrize("game", FEATURES)
def test_every_game_has_positions_with_features(opened_club: DataSet, game: str) -> None:
    data = opened_club
    found = fit(data, game, pool="*")
    assert isinstance(found, TooFew)
    assert found.n >= 2
    assert found.table
    match = data.match(f"{game}-live")
    ends = model.ends_of_turns(match)
    assert ends
    assert max(row["move"] for row in ends.values()) < match.row.moves
    for row in ends.values():
        assert len(FEATURES[game].values(row)) == len(FEATURES[game].of)


@pytest.fixture(scope="module")
def running(club: Club, tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """A data set of the matches that run."""
    folder = tmp_path_factory.mktemp("running") / "club"
    with closing(SqliteStore.open(club.store, write=False)) as store:
        built(store, folder, running=True)
    data = glasnost.open(folder)
    assert len(data.matches) == 1
    return data


def test_what_needs_the_tables_of_a_game_says_that_a_data_set_of_running_matches_has_none(
    running: DataSet,
) -> None:
    for ask in (
        lambda: plot.track(running.match("m-runs")),
        lambda: plot.control(running, "iran"),
        lambda: running.find("turn = 1"),
        lambda: running.query("coups").relation,
        lambda: running.sql("SELECT * FROM ts_rolls"),
    ):
        with pytest.raises(BadDataSet, match=r"a data set of matches that run has no (positions|table ts_)"):
            ask()


def test_the_win_probability_of_a_match_that_runs_is_given_to_no_one(
    running: DataSet, tmp_path: Path
) -> None:
    """AN25: neither in a data set of running matches, nor where a match that runs came into another one."""
    match = running.match("m-runs")
    for ask in (
        lambda: fit(running, GAME, pool="*"),
        lambda: win_probability(match, 1),
        lambda: glasnost.luck(match),
    ):
        with refused("match-runs"):
            ask()
    rows = crowd(3)
    rows["matches"][1][1].update({"by": None, "closed_at": None})
    write_data_set(tmp_path / "mixed", rows)
    mixed = glasnost.open(tmp_path / "mixed")
    with refused("match-runs"):
        win_probability(mixed.match(rows["matches"][1][1]["match"]), 1)
    assert rows["matches"][1][1]["match"] not in positions_of(mixed, GAME, "deluxe", "live").matches


def test_what_a_stranger_asks_for_is_refused(many: DataSet) -> None:
    match = many.match(
        next(
            row.match for row in many.matches if row.pool == "live" and row.edition == "deluxe" and row.winner
        )
    )
    with refused("no-such-game"):
        fit(many, "chess")
    with refused("no-such-edition"):
        fit(many, GAME, edition="'; DROP TABLE matches")
    with refused("one-pool"):
        fit(many, GAME, pool="live,bots")
    with refused("query-value"):
        fit(many, GAME, pool="' OR 1=1")
    for turn in (0, -1, 10**9):
        with refused("no-such-turn"):
            win_probability(match, turn)
    with pytest.raises(Refused):
        model_of(match, pool="x" * 1000)
