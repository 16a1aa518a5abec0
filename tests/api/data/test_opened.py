"""`glasnost.open` at the address of a server: the same rows as in the folder, part by part."""

from __future__ import annotations

from pathlib import Path

import replay.dataset as glasnost
from tests.api.data.conftest import Small
from tests.api.http.served import Served


def test_the_data_set_of_a_server_gives_the_same_rows_as_its_folder(
    asked: Served, small: Small, tmp_path: Path
) -> None:
    here = glasnost.open(small.folder)
    there = glasnost.open(f"http://127.0.0.1:{asked.port}", cache=tmp_path, snapshot=here.snapshot)
    assert there.snapshot == here.snapshot
    for what in ("* FROM matches", "match, move, vp, defcon FROM ts_positions", "* FROM changes"):
        query = f"SELECT {what} ORDER BY ALL"
        assert there.sql(query).fetchall() == here.sql(query).fetchall()
    kept = {path.stem for path in (tmp_path / "parts").iterdir()}
    assert kept == {p.sha256 for p in small.manifest.parts if p.table in ("matches", "ts_positions")}
    assert list(there.query("end_modes")) == list(here.query("end_modes"))
    assert list(there.find("turn = 1", "twilight_struggle")) == list(
        here.find("turn = 1", "twilight_struggle")
    )
