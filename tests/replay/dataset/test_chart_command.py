"""`glasnost luck` and `glasnost chart`: what they print and write, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import replay.dataset as glasnost_data
from replay.dataset import DataSet, Model, plot
from replay.dataset.charts import Chart
from tests.cli.program import Program
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.ready import use_ready

MATCH = "twilight_struggle-bots"


@pytest.fixture
def on_files(
    club: Club,
    many: DataSet,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Program:
    """The program in an empty folder with two data sets: `club` is that of the small store."""
    monkeypatch.chdir(tmp_path)
    Path("club").symlink_to(club.folder)
    Path("crowd").symlink_to(many.folder)
    return Program(capsys, tmp_path)


@pytest.fixture
def glasnost(
    on_files: Program, opened_club: DataSet, many: DataSet, monkeypatch: pytest.MonkeyPatch
) -> Program:
    """The same, but it finds the tables of both ready: one test of each command reads the files."""
    use_ready(monkeypatch, opened_club, many)
    return on_files


@pytest.fixture
def decided(many: DataSet) -> str:
    """A match of the many that has a model."""
    rows = (row for row in many.matches if row.pool == "live" and row.edition == "deluxe" and row.winner)
    return str(next(rows).match)


def test_luck_prints_a_line_for_each_side_and_kind(on_files: Program, opened_club: DataSet) -> None:
    head, names, *lines, foot = on_files("luck", MATCH, "--data", "club").ok().out.splitlines()
    found = glasnost_data.luck(opened_club.apart().match(MATCH))
    assert head.startswith(f"match {MATCH}, Deluxe edition, bots; US won")
    assert names.split() == ["side", "throws", "n", "points", "win", "%"]
    assert len(lines) == len(found) > 3
    for line, one in zip(lines, found, strict=True):
        *_, n, points, win = line.split()
        assert (int(n), win) == (one.n, "-")
        assert float(points.replace("−", "-")) == pytest.approx(one.points, abs=0.051)
    assert foot.endswith("it needs 300 matches with a winner, and bots has 1")


def test_luck_of_every_throw_and_as_json_say_the_same(glasnost: Program) -> None:
    _, _, *lines, _ = glasnost("luck", MATCH, "--data", "club", "--throws").ok().out.splitlines()
    found = glasnost("luck", MATCH, "--data", "club", "--json").json
    assert len(lines) == len(found["throws"]) == sum(one["n"] for one in found["luck"])
    assert [int(line.split()[0]) for line in lines] == [one["move"] for one in found["throws"]]
    assert (found["match"], found["model"]) == (MATCH, None)
    assert found["snapshot"].startswith("sha256:")


def test_luck_speaks_russian_and_names_its_model(fitted: Model, glasnost: Program, decided: str) -> None:
    lines = glasnost("luck", decided, "--data", "crowd", "--lang", "ru").ok().out.splitlines()
    assert lines[0].startswith(f"партия {decided}")
    assert f"по {fitted.n} партиям пула live (модель {fitted.id[:12]}" in lines[-1]


def test_luck_of_a_player_and_of_the_opponents(glasnost: Program, opened_club: DataSet) -> None:
    asks = ("luck", "--player", "p-us", "--data", "club")
    head, names, *lines, foot = glasnost(*asks).ok().out.splitlines()
    (found,) = glasnost_data.luck_of_player(opened_club.apart(), "p-us")
    assert head == "p-us, live, matches: 1"
    assert names.split()[:4] == ["side", "whose", "n", "points"]
    for line, one in zip(lines, (found.points_own, found.points_opponents), strict=True):
        n, points = re.findall(r"(\d+) +([+−]?[\d.]+) ", line)[0]
        assert int(n) == one.n
        assert float(points.replace("−", "-")) == pytest.approx(one.sum, abs=0.051)
    assert foot.endswith("no pool has the 300 matches with a winner that it needs")
    told = glasnost(*asks, "--json").json
    assert told["luck"] == [msgspec.to_builtins(found)]
    assert (told["player"], told["pool"]) == ("p-us", "live")
    assert "противников" in glasnost(*asks, "--lang", "ru").ok().out


@pytest.mark.parametrize(
    "words", [(), (MATCH, "--player", "p-us"), ("--player", "p-us", "--throws")], ids=" ".join
)
def test_luck_is_of_a_match_or_of_a_player(words: tuple[str, ...], glasnost: Program) -> None:
    glasnost("luck", *words, "--data", "club").refused(2, "name either a MATCH or a --player")


Draws = Callable[[DataSet, str], Chart]
CHARTS: dict[tuple[str, ...], Draws] = {
    ("track", "{match}", "--track", "vp"): lambda data, match: plot.track(data.match(match), "vp"),
    ("win-probability", "{match}"): lambda data, match: plot.win_probability(data.match(match)),
    ("headlines", "--seat", "us"): lambda data, _: plot.headlines(data, "us"),
    ("control", "iran", "--pool", "*"): lambda data, _: plot.control(data, "iran", pool="*"),
}
QUICK = ("track",)


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=() if one[0] in QUICK else pytest.mark.long) for one in CHARTS]
)
def test_each_chart_is_written_with_its_data_as_python_draws_it(
    command: tuple[str, ...], on_files: Program, many: DataSet, decided: str
) -> None:
    drawn = CHARTS[command](many, decided)
    words = [word.format(match=decided) for word in command]
    done = on_files("chart", *words, "--data", "crowd", "--svg", "drawn.svg").ok()
    assert done.out == f"drawn.svg: {drawn.title}\n"
    assert Path("drawn.svg").read_bytes() == drawn.svg_bytes
    assert Path("drawn.csv").read_text("utf-8") == drawn.csv


def test_a_chart_speaks_russian(glasnost: Program) -> None:
    glasnost("chart", "luck", MATCH, "--data", "club", "--svg", "luck.svg", "--lang", "ru").ok()
    assert "Везение" in Path("luck.svg").read_text("utf-8")


def test_what_cannot_be_done_is_said_in_one_line(glasnost: Program) -> None:
    svg = ("--svg", "x.svg")
    glasnost("luck", "nowhere", "--data", "club").refused(2, "no match 'nowhere'")
    glasnost("luck", "cia_vs_kgb-live", "--data", "club").refused(2, "no dice are thrown in")
    glasnost("luck", MATCH, "--data", "nothing").refused(2, "no data set")
    glasnost("chart", "win-probability", MATCH, "--data", "club", *svg).refused(2, "needs 300 matches")
    glasnost("chart", "control", "atlantis", "--data", "club", *svg).refused(
        2, "'atlantis' is no value of it"
    )
    glasnost("chart", "headlines", "--pool", "live,bots", "--data", "club", *svg).refused(
        2, "more than one pool"
    )
    glasnost("chart", "track", MATCH, "--data", "club", "--svg", "x.png").refused(2, "ends with .svg")
    glasnost("chart", "track", MATCH, "--data", "club", "--svg", "none/x.svg").refused(2, "No such file")
    glasnost("luck", MATCH, "--data", "club", "--pool", "'--").refused(2, "is no value of it")
    glasnost("luck", "m" * 10_000, "--data", "club").refused(2, "no match")
    assert not Path("x.svg").exists()
