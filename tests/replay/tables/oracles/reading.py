"""Match files, read with the standard library alone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Found = dict[str, list[Json]]
"""Rows as dictionaries, by table; a row may leave out columns."""
DOMAIN = Path(__file__).resolve().parents[4] / "domain"


def printed(game: str, name: str) -> Any:
    """A data file of a game."""
    return json.loads((DOMAIN / game / "components" / f"{name}.json").read_text("utf-8"))


def by_id(game: str, name: str) -> dict[str, Json]:
    """Cards or spaces of a data file, by id."""
    return {card["id"]: card for card in printed(game, name)}


def moves_that_stand(data: bytes) -> tuple[Json, list[tuple[Json, list[Json], list[Json]]]]:
    """The first entry, and each entry that stands with its facts in full and its draws."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [json.loads(line) for line in archive.read("log.ndjson").splitlines()]
        parts = {
            move: json.loads(line)["parts"]
            for move, line in enumerate(archive.read("private.ndjson").splitlines(), 1)
            if line
        }
    standing = list[int]()
    for entry in entries:
        if entry["kind"] == "taken_back":
            standing = [move for move in standing if move <= entry["to"]]
        standing.append(entry["move"])
    return entries[0], [_in_full(entries[move - 1], parts.get(move, {})) for move in standing]


def _in_full(entry: Json, parts: Json) -> tuple[Json, list[Json], list[Json]]:
    facts, draws = list(entry.get("facts", [])), list(entry.get("draws", []))
    for part in parts.values():
        for place, fact in part.get("facts", []):
            facts[place] = fact
        draws += part.get("draws", [])
    return entry, facts, draws


def each_fact(data: bytes) -> Iterator[tuple[Json, Json]]:
    """Every fact with its place in the log."""
    for entry, facts, _ in moves_that_stand(data)[1]:
        for place, fact in enumerate(facts):
            yield {"move": entry["move"], "place": place}, fact


def drawn(data: bytes) -> list[tuple[int, str]]:
    """What chance picked, with the move, sorted."""
    return sorted(
        (entry["move"], draw["pick"]) for entry, _, draws in moves_that_stand(data)[1] for draw in draws
    )
