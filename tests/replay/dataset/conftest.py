"""The small store and its data set, made once for all tests that only read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Struct

import replay.dataset as glasnost
from domain.match import Match
from replay import matchfile
from replay.dataset import DataSet, Model, fit
from replay.dataset.manifest import Manifest
from replay.dataset.reading import view
from tests.replay.dataset.crowd import TABLES, crowd, write_data_set
from tests.replay.dataset.stores import LARGE, built, fill, opened

GAME = "twilight_struggle"


class Club(Struct, frozen=True):
    """The small store, its matches that are over in the order in which they closed, and its data set.

    files: the match files, by the ids of the matches.
    """

    store: Path
    matches: list[Match]
    files: dict[str, bytes]
    folder: Path
    manifest: Manifest


@pytest.fixture(scope="session")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """The small store and its data set; a test must change neither."""
    home = tmp_path_factory.mktemp("club")
    with opened(home / "games") as store:
        matches = fill(store)
        files = {match.id: matchfile.write(match.records, store.note(match.id) or "") for match in matches}
        made = built(store, home / "club", cut=LARGE)
    return Club(home / "games", matches, files, home / "club", made.manifest)


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """A data set of many invented matches (`tests.replay.dataset.crowd`); a test must not change it."""
    folder = tmp_path_factory.mktemp("many") / "crowd"
    people, bots = crowd(500), crowd(40, seed=2, pool="bots", players=2)
    write_data_set(folder, {table: [*people[table], *bots[table]] for table in TABLES})
    return in_memory(folder)


@pytest.fixture(scope="session")
def opened_club(club: Club) -> DataSet:
    """The data set of the small store, opened once; a test must not change it."""
    return in_memory(club.folder)


def in_memory(folder: Path) -> DataSet:
    """Open a data set, with tables in memory instead of views of files.

    A query of a small data set takes most of its time to plan reading many files; `test_reading.py` and the
    tests of the command line read the files.
    """
    data = glasnost.open(folder)
    for table in data.schema.tables:
        data._connection.execute(f'CREATE TABLE "{table.name}" AS {view(folder, data.manifest, table)}')
        data._viewed.add(table.name)
    data.connection.execute("SET threads = 1")
    return data


@pytest.fixture(scope="session")
def fitted(many: DataSet) -> Model:
    """The model of the invented matches, which `many` keeps as one that it has fitted itself."""
    found = fit(many, GAME)
    assert isinstance(found, Model)
    many.models[GAME, "deluxe", "live"] = found
    return found
