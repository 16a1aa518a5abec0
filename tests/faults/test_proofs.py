"""The proofs find what they are there to find: each harm is done to a store, and is seen."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.http.read_models import FILE as MODELS
from api.store.sqlite_schema import FILE
from domain.log import Damaged
from tests.api.store.locations import ROOT, Folder
from tests.faults.load import Acknowledged, Crowd
from tests.faults.proofs import follows, holds, rebuilt
from tests.faults.workers import Workers, working

MOVES = 30
Known = dict[str, list[Acknowledged]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, Known]:
    """A store in which matches were played, and what was acknowledged."""
    folder = tmp_path_factory.mktemp("played")
    place = Folder(folder / "store")
    workers = Workers(place)
    with working(workers):
        crowd = Crowd(workers.doors, seed=17, pairs=2)
        crowd.play_on(MOVES)
        crowd.stop()
        watcher = crowd.watchers[0]
        follows(watcher, workers.doors[0])
        for harmed in (
            watcher.shown[1:],
            watcher.shown[:2] + watcher.shown[1:],
            [*watcher.shown, (9_999, {})],
        ):
            whole, watcher.shown = watcher.shown, harmed
            with pytest.raises(AssertionError):
                follows(watcher, workers.doors[0])
            watcher.shown = whole
        workers.stop()
    return place, crowd.acknowledged


@pytest.fixture
def copy(played: tuple[Folder, Known], tmp_path: Path) -> Folder:
    """The same store, to be harmed."""
    place = Folder(tmp_path / "store")
    shutil.copytree(played[0].folder, place.folder)
    shutil.copytree(played[0].keys, place.keys)
    return place


def harm(file: Path, *statements: str) -> None:
    """Do something to a database behind everybody's back."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)


def test_an_unharmed_store_holds_everything(
    copy: Folder, played: tuple[Folder, Known], tmp_path: Path
) -> None:
    store = copy.open(write=False)
    assert len(holds(store, played[1])) == len(played[1])
    rebuilt(store, copy.folder / MODELS, tmp_path)
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM stored_events WHERE id > (SELECT max(id) - 6 FROM stored_events)",
        "DELETE FROM stored_events WHERE id = 2",
        "UPDATE stored_events SET state = CAST(replace(state, '\"at\":1', '\"at\":2') AS BLOB) WHERE id = 3",
        "DELETE FROM requests",
        "UPDATE requests SET answer = CAST(replace(answer, '\"last\":', '\"last\":9') AS BLOB)",
        "DELETE FROM vault",
        "INSERT INTO vault SELECT 'm0', wrapped FROM vault LIMIT 1",
        "INSERT INTO notes VALUES ('m0', 'a note')",
    ],
)
def test_a_harm_to_the_store_is_found(copy: Folder, played: tuple[Folder, Known], statement: str) -> None:
    harm(copy.folder / FILE, statement)
    store = copy.open(write=False)
    with pytest.raises((AssertionError, Damaged)):
        holds(store, played[1])
    store.close()


def test_a_move_with_another_root_is_found(copy: Folder, played: tuple[Folder, Known]) -> None:
    store = copy.open(write=False)
    match, moves = next(iter(played[1].items()))
    with pytest.raises(AssertionError, match=match):
        holds(store, {match: [replace(moves[0], root=moves[1].root)]})
    store.close()


def test_a_read_model_that_differs_is_found(copy: Folder, tmp_path: Path) -> None:
    store = copy.open(write=False)
    rebuilt(store, copy.folder / MODELS, tmp_path)  # what is behind would be written again, and so be mended
    with closing(sqlite3.connect(copy.folder / MODELS)) as models:
        (table,) = models.execute("SELECT name FROM sqlite_master WHERE name GLOB 'matches_[0-9]'").fetchone()
    harm(copy.folder / MODELS, f"UPDATE {table} SET game = 'chess'")
    with pytest.raises(AssertionError, match="matches"):
        rebuilt(store, copy.folder / MODELS, tmp_path)
    store.close()


def test_the_page_on_the_shared_store_names_every_proof() -> None:
    page = (ROOT / "docs" / "shared-store.md").read_text("utf-8")
    proofs = {f"tests/faults/{path.name}" for path in Path(__file__).parent.glob("test_*.py")}
    assert set(re.findall(r"tests/faults/\w+\.py", page)) == proofs
