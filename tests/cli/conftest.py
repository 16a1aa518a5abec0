"""The program, and one seeded match file for those who only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.cli.main import run
from tests.cli.program import Program


@pytest.fixture
def glasnost(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program, in English, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    for name in ("GLASNOST_KEYS", "GLASNOST_NAME", "GLASNOST_STORE", "GLASNOST_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return Program(capsys, tmp_path)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The match file of a seeded match of 13 Minutes."""
    path = tmp_path_factory.mktemp("seeded") / "m.glasnost"
    assert run(["play", "thirteen_minutes", "--seed", "2a", "--out", str(path)]) == 0
    return path.read_bytes()


@pytest.fixture
def match_file(seeded: bytes, tmp_path: Path) -> Path:
    """The same, in a place of the test's own."""
    path = tmp_path / "match.glasnost"
    path.write_bytes(seeded)
    return path
