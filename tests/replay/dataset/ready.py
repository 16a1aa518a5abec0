"""Data sets that are open already, for programs that tests run in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from replay.dataset import DataSet, reading


def use_ready(patch: pytest.MonkeyPatch, *ready: DataSet) -> None:
    """Let `open` take the tables and models of these data sets from where they are open, not from the files.

    To open a database and to plan reading many small files takes most of the time of a small command.
    """
    opened = reading._opened

    def ready_or_opened(place: str | Path, files: Path | None, cache: Path | None) -> DataSet:
        found = opened(place, files, cache)
        for data in ready:
            if found.folder.resolve() == data.folder.resolve():
                found = data.apart()
                found.models = dict(data.models)
        return found

    patch.setattr(reading, "_opened", ready_or_opened)
