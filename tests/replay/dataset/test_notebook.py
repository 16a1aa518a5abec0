"""The notebook for analysts runs as a script, offline, and every answer of it says something (AN28)."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from api.data.answers import replay
from replay.dataset import DataSet, model
from replay.tables.line import MOVE
from tests.test_imports import ROOT

NOTEBOOK = ROOT / "docs" / "analysts.ipynb"


def cells(kind: str) -> list[str]:
    """The cells of a kind."""
    found = json.loads(NOTEBOOK.read_text("utf-8"))
    return ["".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == kind]


def test_the_notebook_answers_ten_questions_and_keeps_no_output() -> None:
    found = json.loads(NOTEBOOK.read_text("utf-8"))
    headings = re.findall(r"^## (\d+)\. .+\?$", "\n".join(cells("markdown")), re.MULTILINE)
    assert headings == [str(number) for number in range(1, 11)]
    assert found["nbformat"] == 4
    code = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
    assert len(code) == 11
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_the_address_of_a_position_is_that_of_the_page_of_a_match() -> None:
    assert replay("ID", 30) == "/m/ID?move=30"
    assert "`/m/ID?move=MOVE`" in "\n".join(cells("markdown"))
    assert "`/m/{match}?move={move}`" in MOVE.meaning


def test_the_notebook_runs_as_a_script_without_a_network(
    many: DataSet, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_network(*of: Any) -> None:
        raise AssertionError("the notebook asks the network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(model, "_AGAIN", 10)  # nothing here looks at its intervals
    monkeypatch.setenv("GLASNOST_DATA_SET", str(many.folder))
    monkeypatch.setenv("GLASNOST_POOL", "live")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    said = []
    for source in cells("code"):
        exec(compile(source, str(NOTEBOOK), "exec"), names)
        said.append(capsys.readouterr().out)
    assert all(said)
    assert f"{len(many.matches)} matches" in said[0]
    wins = [row.winner == "us" for row in many.matches if row.pool == "live" and row.winner]
    counted = [int(n) for n in re.findall(r"n = (\d+)\)", said[2])]
    assert sum(counted) == len(wins)
    assert re.search(r"calibration error 0\.\d\d\d", said[8])
    assert "'move': " in said[10]
    assert list(tmp_path.iterdir()) == []
