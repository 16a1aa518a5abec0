"""`glasnost selfplay`: the same files however often it was stopped; a manifest names them all (B23)."""

from __future__ import annotations

import hashlib
import json
import signal
from pathlib import Path

import msgspec
import pytest

from api.bots.levels import version_of
from api.research import selfplay
from api.research.selfplay import BadFolder, Plan, run
from domain.games import GAMES
from replay.verify import verify
from tests.api.bots.budgets import with_budget
from tests.cli.program import Program, process
from tests.waiting import soon

COMMAND = ("selfplay", "thirteen_minutes", "--bots", "random,random", "--seed", "2a")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def whole(glasnost: Program, tmp_path: Path) -> Path:
    """A folder that was played without a stop."""
    folder = tmp_path / "whole"
    glasnost(*COMMAND, "--matches", "12", "--out", folder).ok()
    return folder


def test_the_manifest_names_every_file(whole: Path) -> None:
    manifest = json.loads((whole / "manifest.json").read_bytes())
    files = {file["file"]: file for file in manifest["files"]}
    assert len(files) == 12
    assert set(files) | {"manifest.json"} == set(contents(whole))
    assert sum(manifest["won"].values()) == 12
    assert manifest["plan"]["bots"] == ["random", "random"]
    for name, file in files.items():
        content = (whole / name).read_bytes()
        assert (file["sha256"], file["bytes"]) == (hashlib.sha256(content).hexdigest(), len(content))
        report = verify(content)
        assert report.ok, report


def test_a_run_that_was_killed_goes_on_to_the_same_files(
    glasnost: Program, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    with process(*COMMAND, "--matches", "12", "--out", folder) as playing:
        soon(lambda: any(folder.glob("*.glasnost")))
        playing.send_signal(signal.SIGKILL)
        playing.wait()
    assert not (folder / "manifest.json").exists()
    done = glasnost(*COMMAND, "--matches", "12", "--out", folder, "--json").ok()
    assert done.json["matches"] == 12
    assert contents(folder) == contents(whole)


def test_workers_and_a_longer_run_change_no_file(glasnost: Program, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workers"
    glasnost(*COMMAND, "--matches", "5", "--out", folder).ok()
    few = contents(folder)
    glasnost(*COMMAND, "--matches", "12", "--out", folder, "--workers", "2").ok()
    assert contents(folder) == contents(whole)
    assert few.items() - contents(whole).items() == {("manifest.json", few["manifest.json"])}


def test_a_folder_of_something_else_is_left_alone(glasnost: Program, whole: Path) -> None:
    before = contents(whole)
    glasnost(*COMMAND[:-1], "2b", "--matches", "12", "--out", whole).refused(2, "another run")
    glasnost(*COMMAND, "--matches", "11", "--out", whole).refused(2, "another run")
    assert contents(whole) == before


def test_a_damaged_file_is_named(glasnost: Program, whole: Path) -> None:
    path = min(whole.glob("*.glasnost"))
    path.write_bytes(path.read_bytes()[:500])
    glasnost(*COMMAND, "--matches", "12", "--out", whole).refused(2, path.name, "damaged")


def test_what_cannot_be_played_is_refused(glasnost: Program, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for words, said in (
        (("--bots", "random,nobody"), "nobody"),
        (("--bots", "random"), "each seat"),
        (("--option", "speed=1"), "speed"),
        (("--out", tmp_path / "file" / "in"), "--out"),
    ):
        glasnost(*COMMAND, "--matches", "1", "--out", tmp_path / "new", *words).refused(2, said)
    assert not (tmp_path / "new").exists()


def test_a_run_does_not_go_on_with_another_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was stopped before there was a manifest, too."""
    game = GAMES["cia_vs_kgb"]
    with_budget("easy", 1, monkeypatch)
    plan = Plan(game.name, *game.settle(None, {"turn_limit": 2}), ("easy", "random"), "2a", 1)
    list(run(plan, tmp_path, 1))
    agents = json.loads((tmp_path / "manifest.json").read_bytes())["agents"]
    assert agents == {"easy": f"{version_of('easy', game.name)}/1", "random": ""}
    (tmp_path / "manifest.json").unlink()
    before = contents(tmp_path)
    with_budget("easy", 2, monkeypatch)
    with pytest.raises(BadFolder, match=f"another easy .{agents['easy']}.*choose another folder"):
        list(run(msgspec.structs.replace(plan, matches=2), tmp_path, 1))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("changed", ["bots", "rules"])
def test_a_run_does_not_go_on_with_other_bots_or_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    """The manifest names one version for all its files."""
    game = GAMES["thirteen_minutes"]
    plan = Plan(game.name, *game.settle(None, {}), ("random", "random"), "2a", 1)
    kept = list(run(plan, tmp_path, 1))
    before = contents(tmp_path)
    if changed == "bots":
        monkeypatch.setattr(selfplay, "agent_of", lambda level, game: "another")
    else:
        monkeypatch.setitem(vars(game), "rules", "another")
    with pytest.raises(BadFolder, match=f"{kept[0].file} was played by .*choose another folder"):
        list(run(msgspec.structs.replace(plan, matches=2), tmp_path, 1))
    assert contents(tmp_path) == before
