"""The small store and its data set, made once for all tests that only read them."""

from __future__ import annotations

import pickle
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import msgspec
import pytest
from msgspec import Struct

import replay.dataset as glasnost
from api.store.sqlite import SqliteStore
from domain.match import Match
from replay import matchfile
from replay.dataset import DataSet, Model, fit, model
from replay.dataset import manifest as manifests
from replay.dataset.manifest import Manifest
from replay.dataset.reading import view
from tests.made_once import made_once
from tests.replay.dataset import oracle
from tests.replay.dataset.crowd import TABLES, crowd, write_data_set
from tests.replay.dataset.stores import LARGE, built, fill, opened

GAME = "twilight_struggle"
AGAIN = 20  # times that the matches of a model are drawn again, instead of 100
DATABASE = "club.duckdb"


class Club(Struct, frozen=True):
    """The small store, its matches that are over in the order in which they closed, and its data set.

    files: the match files, by the ids of the matches.
    """

    store: Path
    matches: list[Match]
    files: dict[str, bytes]
    folder: Path
    manifest: Manifest


def make_club(home: Path) -> None:
    """Make the small store, its match files and its data set, also as a database for those that only ask."""
    with opened(home / "games") as store:
        matches = fill(store)
        (home / "files").mkdir()
        for match in matches:
            (home / "files" / match.id).write_bytes(
                matchfile.write(match.records, store.note(match.id) or "")
            )
        built(store, home / "club", cut=LARGE)
    (home / "order").write_bytes(msgspec.json.encode([match.id for match in matches]))
    with duckdb.connect(str(home / DATABASE), config={"threads": 1}) as database:
        data = glasnost.open(home / "club")
        fill_database(database, data, data.tables)


@pytest.fixture(scope="session")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """The small store and its data set; a test must change neither."""
    home = made_once(tmp_path_factory, "club", make_club)
    matches: list[Match] = []
    with closing(SqliteStore.open(home / "games", write=False)) as store:
        for name in msgspec.json.decode((home / "order").read_bytes(), type=list[str]):
            match = store.match(name)
            assert match is not None
            matches.append(match)
    files = {match.id: (home / "files" / match.id).read_bytes() for match in matches}
    manifest = manifests.read(home / "club")
    assert manifest is not None
    return Club(home / "games", matches, files, home / "club", manifest)


@pytest.fixture(scope="session")
def opened_club(club: Club) -> DataSet:
    """The data set of the small store, opened once; a test must not change it.

    Its tables are those of a database instead of views of files: a query of a small data set takes most of
    its time to plan reading many files.  `test_reading.py` and the tests of the command line read the files.
    """
    data = glasnost.open(club.folder)
    database = duckdb.connect(str(club.folder.with_name(DATABASE)), read_only=True, config={"threads": 1})
    vars(data)["_connection"] = database
    data._viewed.update(data.tables)
    return data


@pytest.fixture(scope="session")
def folded(
    club: Club, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, list[tuple[Any, ...]]]]:
    """The rows of the core tables by match and table, as the oracle folds them from the match files."""

    def make(home: Path) -> None:
        found = {name: oracle.expected(data) for name, data in club.files.items()}
        (home / "tables").write_bytes(pickle.dumps(found))

    home = made_once(tmp_path_factory, "folded", make)
    found: dict[str, dict[str, list[tuple[Any, ...]]]] = pickle.loads((home / "tables").read_bytes())
    return found


def make_many(home: Path) -> None:
    """Write the data set of invented matches, and fit their model."""
    people, bots = crowd(400), crowd(40, seed=2, pool="bots", players=2)
    write_data_set(home / "crowd", {table: [*people[table], *bots[table]] for table in TABLES})
    with patch.object(model, "_AGAIN", AGAIN):
        found = fit(glasnost.open(home / "crowd"), GAME)
    assert isinstance(found, Model)
    (home / "model").write_bytes(msgspec.json.encode(found))


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """A data set of many invented matches (`tests.replay.dataset.crowd`); a test must not change it."""
    return in_memory(made_once(tmp_path_factory, "many", make_many) / "crowd")


@pytest.fixture(scope="session")
def fitted(many: DataSet) -> Model:
    """The model of the invented matches, which `many` keeps as one that it has fitted itself."""
    found = msgspec.json.decode(many.folder.with_name("model").read_bytes(), type=Model)
    many.models[GAME, "deluxe", "live"] = found
    return found


def in_memory(folder: Path) -> DataSet:
    """Open a data set, with tables in memory instead of views of files."""
    data = glasnost.open(folder)
    data._connection.execute("SET threads = 1")
    names = {part.table for part in data.manifest.parts}
    fill_database(data._connection, data, names)
    data._viewed.update(names)
    return data


def fill_database(database: duckdb.DuckDBPyConnection, data: DataSet, names: Collection[str]) -> None:
    """Make these tables of a data set tables of a database."""
    database.execute("BEGIN")
    for table in (one for one in data.schema.tables if one.name in names):
        database.execute(f'CREATE TABLE "{table.name}" AS {view(data.folder, data.manifest, table)}')
    database.execute("COMMIT")
